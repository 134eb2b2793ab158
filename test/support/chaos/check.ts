/**
 * Decides about a run from outside: the history that the clients have written, both APIs, SQL and the chain. It imports
 * nothing of the service. Every operation has an amount of its own, so the checker recognizes each payment by its
 * amount and trusts neither ids nor idempotency keys.
 */
import pg from 'pg';
import { listOperations, type Operation, readHistory } from './history.ts';
import { readChain } from './readChain.ts';
import { type Listed, readHistories } from './readHistories.ts';
import { recompute } from './recompute.ts';

export interface Outside {
  readonly historyFile: string;
  readonly databaseUrl: string;
  readonly backendUrl: string;
  /** Their usernames, credentials and first deposits in millionths. */
  readonly people: readonly { readonly username: string; readonly bearer: string; readonly deposit: number }[];
  readonly nodeUrl: string;
  readonly token: string;
}

export interface Verdict {
  readonly operations: number;
  readonly calls: number;
  /** Acknowledged payments between people and sends, without requests. */
  readonly acknowledged: number;
  readonly sends: number;
  readonly requests: number;
  readonly refused: number;
  /** Never answered: they may have been made once, or not at all. */
  readonly unanswered: number;
  /** What is wrong, in words. */
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly negative: readonly string[];
  readonly stuck: readonly string[];
  readonly wrong: readonly string[];
}

interface Made {
  readonly id: string;
  readonly from: string;
  /** A username, or an address. */
  readonly to: string;
  readonly amount: number;
  readonly state: string;
}

/** The only refusal that these clients can cause. */
const EXPECTED_REFUSAL = '409 balance.insufficient';

/** States in which the amount was returned. These clients cause none of them. */
const RETURNED = ['FAILED', 'DENIED', 'CANCELLED'];

export async function check(outside: Outside): Promise<Verdict> {
  const operations = [...listOperations(readHistory(outside.historyFile)).values()];
  const client = new pg.Client({ connectionString: outside.databaseUrl });
  await client.connect();
  try {
    return await judge(outside, operations, client);
  } finally {
    await client.end();
  }
}

async function judge(outside: Outside, operations: readonly Operation[], client: pg.Client): Promise<Verdict> {
  const [lost, doubled, negative, stuck, wrong] = [[], [], [], [], []] as string[][] as [
    string[],
    string[],
    string[],
    string[],
    string[],
  ];
  const payments = operations.filter(({ work }) => work !== 'ask');
  const made = groupBy(await readMade(client), ({ amount }) => amount);
  const listed = await readHistories(outside);
  const chain = await readChain(outside);
  const expected = new Map(outside.people.map(({ username, deposit }) => [username, deposit]));
  const known = new Set(payments.map(({ amount }) => amount));
  for (const [amount, rows] of made)
    if (!known.has(amount)) wrong.push(`${rows.length} payments of ${amount}, which no client has requested`);

  for (const operation of payments) {
    const { op, work, from, to, amount, ids, refusal } = operation;
    const rows = made.get(amount) ?? [];
    const words = `operation ${op} (${work} ${amount} from ${from} to ${to})`;
    if (ids.size > 1) doubled.push(`${words} was acknowledged as ${[...ids].join(' and ')}`);
    if (rows.length > 1) doubled.push(`${words} was made ${rows.length} times`);
    if (ids.size > 0 && rows.length === 0) lost.push(`${words} was acknowledged and does not exist`);
    if (refusal !== undefined && rows.length > 0) wrong.push(`${words} was refused with ${refusal} and made`);
    if (refusal !== undefined && refusal !== EXPECTED_REFUSAL) wrong.push(`${words} was refused with ${refusal}`);
    for (const row of rows) {
      if (row.from !== from || row.to !== to) wrong.push(`${words} went from ${row.from} to ${row.to}`);
      if (ids.size > 0 && !ids.has(row.id)) lost.push(`${words} was acknowledged under another id than ${row.id}`);
      if (RETURNED.includes(row.state)) continue;
      expected.set(from, expected.get(from)! - amount);
      if (work !== 'send') expected.set(to, expected.get(to)! + amount);
      const shown = work === 'send' ? [from] : [from, to];
      for (const person of shown) {
        const times = listed.get(person)!.filter(({ id }) => id === row.id);
        if (times.length === 0) lost.push(`${words} is missing in the history of ${person}`);
        if (times.length > 1) doubled.push(`${words} is ${times.length} times in the history of ${person}`);
        wrong.push(...compare(words, row, times));
      }
    }
    if (work === 'send') judgeSend(words, operation, rows, chain.transfers.get(to) ?? []);
  }

  function judgeSend(words: string, { amount, to }: Operation, rows: readonly Made[], paid: readonly number[]): void {
    const state = rows[0]?.state;
    if (paid.length > 1) doubled.push(`${words} made ${paid.length} transfers on the chain`);
    if (paid.length === 0 && state === 'COMPLETE') lost.push(`${words} is complete and not on the chain`);
    if (paid.length > 0 && state !== 'COMPLETE') wrong.push(`${words} is ${state ?? 'unknown'} and on the chain`);
    if (paid.some((sum) => sum !== amount)) wrong.push(`${words} paid ${paid.join(' and ')} to ${to}`);
    if (state && RETURNED.includes(state)) wrong.push(`${words} is ${state}`);
    else if (state && state !== 'COMPLETE') stuck.push(`${words} is ${state}`);
  }

  const destinations = new Set(payments.filter(({ work }) => work === 'send').map(({ to }) => to));
  for (const to of chain.transfers.keys())
    if (!destinations.has(to)) wrong.push(`coins went to ${to}, which no client has named`);
  const asked = operations.filter(({ work }) => work === 'ask');
  const requests = await judgeRequests(client, asked, payments);
  const { balances, below, different } = await recompute(client);
  negative.push(...below);
  wrong.push(...different);
  for (const person of listed.keys()) {
    const due = expected.get(person)!;
    if (balances.get(person) !== due) wrong.push(`${person} has ${balances.get(person)} in SQL and should have ${due}`);
    const shown = await readBalance(outside, person);
    if (shown !== due) wrong.push(`${person} sees ${shown} and should have ${due}`);
    if (shown < 0) negative.push(`${person} sees ${shown}`);
  }
  const owed = [...expected.values()].reduce((sum, one) => sum + one, 0);
  if (chain.custody !== owed) wrong.push(`the wallets hold ${chain.custody} on the chain and owe ${owed}`);

  return {
    operations: operations.length,
    calls: operations.reduce((sum, { calls }) => sum + calls, 0),
    acknowledged: payments.filter(({ ids }) => ids.size > 0).length,
    sends: payments.filter(({ work, ids }) => work === 'send' && ids.size > 0).length,
    requests: asked.filter(({ ids }) => ids.size > 0).length,
    refused: payments.filter(({ refusal }) => refusal !== undefined).length,
    unanswered: operations.filter(({ ids, refusal }) => ids.size === 0 && refusal === undefined).length,
    lost: [...lost, ...requests.lost],
    doubled: [...doubled, ...requests.doubled],
    negative,
    stuck: [...stuck, ...requests.stuck],
    wrong,
  };
}

function compare(words: string, row: Made, listed: readonly Listed[]): string[] {
  return listed
    .filter(({ amount, state }) => amount !== row.amount || state !== row.state)
    .map(({ amount, state }) => `${words} is shown as ${amount} ${state}, and is ${row.amount} ${row.state}`);
}

/** Payments between people, and sends. */
async function readMade(client: pg.Client): Promise<Made[]> {
  const { rows } = await client.query<Omit<Made, 'amount'> & { readonly amount: string }>(
    `SELECT t.transfer_id AS id, payer.username AS "from", coalesce(p.destination, receiver.username) AS "to",
            t.amount, coalesce(p.state, 'COMPLETE') AS state
       FROM transfers t
       LEFT JOIN payments p ON p.payment_id = t.transfer_id
       JOIN accounts d ON d.account_id = t.debit_account
       JOIN accounts c ON c.account_id = t.credit_account
       LEFT JOIN usernames payer ON payer.user_id = d.user_id
       LEFT JOIN usernames receiver ON receiver.user_id = c.user_id
      WHERE t.kind IN ('user', 'hold')`,
  );
  return rows.map((row) => ({ ...row, to: row.to.toLowerCase(), amount: Number(row.amount) }));
}

async function judgeRequests(client: pg.Client, asked: readonly Operation[], payments: readonly Operation[]) {
  const { rows } = await client.query<{ amount: string; state: string }>('SELECT amount, state FROM money_requests');
  const states = groupBy(rows, ({ amount }) => Number(amount));
  const paid = new Set(
    payments.filter(({ work, ids }) => work === 'pay request' && ids.size > 0).map(({ amount }) => amount),
  );
  const [lost, doubled, stuck] = [[], [], []] as string[][] as [string[], string[], string[]];
  for (const { op, amount, ids } of asked) {
    const found = states.get(amount) ?? [];
    if (found.length > 1) doubled.push(`request ${op} was made ${found.length} times`);
    if (ids.size > 0 && found.length === 0) lost.push(`request ${op} was acknowledged and does not exist`);
    if (paid.has(amount) && found[0]?.state !== 'paid') stuck.push(`request ${op} was paid and is ${found[0]?.state}`);
  }
  return { lost, doubled, stuck };
}

/** In millionths, from the API. */
async function readBalance({ backendUrl, people }: Outside, username: string): Promise<number> {
  const { bearer } = people.find((one) => one.username === username)!;
  const answer = await fetch(`${backendUrl}/api/v1/me/overview`, { headers: { authorization: `Bearer ${bearer}` } });
  const { balances } = (await answer.json()) as { balances: readonly { readonly available?: string | null }[] };
  const shown = balances.find(({ available }) => available != null)?.available;
  return shown === undefined ? Number.NaN : Math.round(Number(shown) * 1_000_000);
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => number): Map<number, Item[]> {
  const groups = new Map<number, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
