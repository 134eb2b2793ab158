/** What can be seen from outside: the history of the clients, the Backend API, SQL and the chain. */
import pg from 'pg';
import type { SendSteps } from './explainRecovery.ts';
import { listOperations, readHistory } from './history.ts';
import type { Evidence, Listed, Made } from './judge.ts';
import { readChain } from './readChain.ts';

interface Outside {
  readonly historyFile: string;
  readonly databaseUrl: string;
  readonly backendUrl: string;
  /** With their first deposits in millionths. */
  readonly people: readonly { readonly username: string; readonly bearer: string; readonly deposit: number }[];
  readonly nodeUrl: string;
  readonly token: string;
}

export async function gather(outside: Outside): Promise<Evidence> {
  const { historyFile, databaseUrl, backendUrl, nodeUrl, token } = outside;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const accounts = await readAccounts(client);
    const people: Evidence['people'][number][] = [];
    for (const { username, bearer, deposit } of outside.people) {
      const history = await readPages(backendUrl, username, bearer);
      const shown = await readBalance(backendUrl, bearer);
      people.push({ username, deposit, history, shown, ...accounts.get(username)! });
    }
    return {
      operations: [...listOperations(readHistory(historyFile)).values()],
      made: await readMade(client),
      requests: await readRequests(client),
      entries: await readEntries(client),
      people,
      chain: await readChain(nodeUrl, token, await readWallets(client)),
    };
  } finally {
    await client.end();
  }
}

async function readMade(client: pg.Client): Promise<Made[]> {
  const { rows } = await client.query<Omit<Made, 'amount'> & { readonly amount: string }>(
    `SELECT t.transfer_id AS id, payer.username AS "from", lower(coalesce(p.destination, receiver.username)) AS "to",
            t.amount, coalesce(p.state, 'COMPLETE') AS state
       FROM transfers t
       LEFT JOIN payments p ON p.payment_id = t.transfer_id
       JOIN accounts d ON d.account_id = t.debit_account
       JOIN accounts c ON c.account_id = t.credit_account
       LEFT JOIN usernames payer ON payer.user_id = d.user_id
       LEFT JOIN usernames receiver ON receiver.user_id = c.user_id
      WHERE t.kind IN ('user', 'hold')`,
  );
  return rows.map((row) => ({ ...row, amount: Number(row.amount) }));
}

/** By id. */
export async function readSends(databaseUrl: string): Promise<Map<string, SendSteps>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<SendSteps & { readonly id: string }>(
      `SELECT p.payment_id AS id, 1000 * extract(epoch FROM m.created_at)::float8 AS reserved,
              1000 * extract(epoch FROM min(c.created_at))::float8 AS authorized,
              1000 * extract(epoch FROM min(t.created_at))::float8 AS signed,
              1000 * extract(epoch FROM (SELECT min(e.at) FROM payment_events e
                WHERE e.payment_id = p.payment_id AND e.tx_hash IS NOT NULL))::float8 AS broadcast
         FROM payments p LEFT JOIN coin_moves m ON m.move_id = p.payment_id
         LEFT JOIN carrier_calls l ON l.move_id = p.payment_id
         LEFT JOIN carriers c ON c.carrier_id = l.carrier_id
         LEFT JOIN carrier_attempts t ON t.carrier_id = l.carrier_id
        GROUP BY p.payment_id, m.created_at`,
    );
    return new Map(rows.map(({ id, ...steps }) => [id, steps]));
  } finally {
    await client.end();
  }
}

async function readRequests(client: pg.Client): Promise<Evidence['requests']> {
  const { rows } = await client.query<{ amount: string; state: string }>('SELECT amount, state FROM money_requests');
  return rows.map(({ amount, state }) => ({ amount: Number(amount), state }));
}

/**
 * A hold takes its amount from the available balance of the debited account, a release gives it back, and a post
 * changes nothing any more.
 */
async function readEntries(client: pg.Client): Promise<Evidence['entries']> {
  const { rows } = await client.query<{ username: string; amount: string }>(
    `SELECT n.username, e.amount
       FROM (SELECT debit_account AS account_id, debit_entry AS entry,
                    CASE kind WHEN 'release' THEN amount WHEN 'post' THEN 0 ELSE -amount END AS amount
               FROM transfers
              UNION ALL
             SELECT credit_account, credit_entry, amount FROM transfers WHERE credit_entry IS NOT NULL) e
       JOIN accounts a USING (account_id)
       JOIN usernames n ON n.user_id = a.user_id
      ORDER BY a.account_id, e.entry`,
  );
  return rows.map(({ username, amount }) => ({ username, amount: Number(amount) }));
}

async function readAccounts(client: pg.Client) {
  const { rows } = await client.query<{ username: string; available: string; held: string }>(
    `SELECT n.username, sum(a.available) AS available, sum(a.held) AS held
       FROM accounts a JOIN usernames n USING (user_id) GROUP BY n.username`,
  );
  return new Map(
    rows.map(({ username, available, held }) => [username, { available: Number(available), held: Number(held) }]),
  );
}

async function readWallets(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ address: string }>('SELECT lower(address) AS address FROM wallets');
  return rows.map(({ address }) => address);
}

interface Page {
  readonly transactions: readonly {
    readonly transaction_id: string;
    readonly amount: string;
    readonly state: string;
  }[];
  readonly next_cursor: string | null;
}

async function read<Body>(url: string, bearer: string): Promise<Body> {
  const answer = await fetch(url, { headers: { authorization: `Bearer ${bearer}` } });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Body;
}

const toMillionths = (usdc: string): number => Math.round(Number(usdc) * 1_000_000);

/** Everything that the API shows a person of their own payments. */
async function readPages(backendUrl: string, username: string, bearer: string): Promise<Listed[]> {
  const listed: Listed[] = [];
  let cursor = '';
  for (;;) {
    const query = `limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const url = `${backendUrl}/api/v1/latest_transactions_by_username/${username}?${query}`;
    const page = await read<Page>(url, bearer);
    for (const { transaction_id: id, amount, state } of page.transactions)
      listed.push({ id, amount: toMillionths(amount), state });
    if (page.next_cursor === null) return listed;
    cursor = page.next_cursor;
  }
}

async function readBalance(backendUrl: string, bearer: string): Promise<number> {
  type Overview = { readonly balances: readonly { readonly available?: string | null }[] };
  const { balances } = await read<Overview>(`${backendUrl}/api/v1/me/overview`, bearer);
  return toMillionths(balances.find(({ available }) => available != null)?.available ?? 'not shown');
}
