/**
 * `npm run payout-kills -- [ROWS] [KILLS]`: a whole sandbox and a payout from the treasury, half of whose rows go to
 * people and half to addresses. Its worker is killed with SIGKILL again and again while it pays. Prints what happened
 * and, as its last line, one JSON object. Fails if a row was not paid exactly once, on the ledger and on the chain, or
 * if the answer does not have the rows of the file in their order.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchSandbox, post, startBenchSandbox, waitFor } from '../bench/support/startBenchSandbox.ts';
import { formatUsdc } from '../server/src/core/money.ts';
import { NOTHING } from '../server/src/customers/keys/keyRules.ts';
import { createServiceKey } from '../server/src/customers/keys/serviceKeys.ts';
import { openDatabase } from '../server/src/db/database.ts';
import { checkBooks } from '../server/src/ledger/checkBooks.ts';
import { randomAddress } from '../test/support/chain/custody.ts';
import { judgeEndOf } from '../test/support/properties/judgeEnd.ts';
import { readCommandLine } from './readCommandLine.ts';

const { numbers } = readCommandLine('npm run payout-kills -- [ROWS] [KILLS]', { numbers: 2 });
const [rows = 1_000, kills = 5] = numbers;
/** Killed workers: the pid of one stays in its file until the next one is started. */
const dead = new Set<number>();
const sandbox = await startBenchSandbox({ FLORIN_SETTLE_SECONDS: '604800' });
try {
  const { faults, ...result } = await run(sandbox);
  for (const fault of faults) console.log(`FAULT: ${fault}`);
  console.log(JSON.stringify({ payout_kills: true, ...result, faults: faults.length }));
  if (faults.length > 0) process.exitCode = 1;
} finally {
  await sandbox.stop();
}

interface Row {
  readonly reference: string;
  readonly to: string;
  readonly amount: bigint;
}

async function run({ state, db, dataDir, turn, rpc }: BenchSandbox) {
  const { rows: treasuries } = await db.query<{ address: string }>(
    `SELECT address FROM wallets WHERE kind = 'treasury'`,
  );
  for (const { address } of treasuries) await turn('/faucet', { address, usdc: '1000' });
  await turn('/mine', { blocks: 5 });
  await waitFor(
    db,
    `SELECT count(*) > 0 AS done FROM accounts WHERE kind = 'treasury' AND available >= 1000000000`,
    60_000,
  );
  const people = state.users.map(({ username }) => username);
  const before = await readSums(db, people);
  const wanted = Array.from({ length: rows }, (_, i): Row => {
    const to = i % 2 === 0 ? people[(i / 2) % people.length]! : randomAddress();
    return { reference: `kill-${i + 1}`, to, amount: BigInt(1_000 + i) };
  });

  const operator = openDatabase(state.database_url);
  const limit = 1_000_000_000_000n;
  const treasury = { payment: limit, day: limit, month: limit };
  const rules = { ...NOTHING, treasury };
  const { key } = await operator.tx((tx) => createServiceKey(tx, { name: 'kills', scopes: ['payouts'], rules }));
  const headers = { authorization: `Bearer ${key}` };
  const url = `${state.backend_url}/api/v1/payouts`;
  const lines = wanted.map(({ reference, to, amount }) => `${reference},${to},${formatUsdc(amount)}`);
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'text/csv' },
    body: `reference,to,amount\n${lines.join('\n')}\n`,
  });
  const checked = (await answer.json()) as { payout_id: string; count: number; total: string };
  if (!answer.ok) throw new Error(JSON.stringify(checked).slice(0, 1_000));
  const own = `${url}/${checked.payout_id}`;
  await post(`${own}/confirm`, { count: checked.count, total: checked.total }, headers);

  const read = async () =>
    (await (await fetch(own, { headers })).json()) as { state: string; rows: Record<string, { count: number }> };
  let killed = 0;
  let lastSeen = '';
  let lastMs = 0;
  const start = performance.now();
  for (;;) {
    const { state: now, rows: by } = await read();
    if (performance.now() - start > 900_000) throw new Error(`still ${now}: ${JSON.stringify(by)}`);
    const seen = Object.entries(by)
      .map(([name, { count }]) => `${count} ${name}`)
      .join(', ');
    // Kills the next process only after it has made progress, or has had time to.
    const isDue = killed < kills && (seen !== lastSeen || performance.now() - lastMs > 15_000);
    if (isDue && kill(dataDir)) {
      killed++;
      [lastSeen, lastMs] = [seen, performance.now()];
      console.log(`killed at ${seen}`);
    }
    if (now === 'complete') break;
    // At varying times, so that it dies in other places each time.
    await sleep(20 + Math.random() * 300);
  }

  const csv = (await (await fetch(`${own}/items.csv`, { headers })).text()).trimEnd().split('\r\n').slice(1);
  const faults: string[] = [];
  if (String(csv.map((line) => line.split(',')[0])) !== String(wanted.map(({ reference }) => reference)))
    faults.push('other rows, or another order');
  const ids = new Set(csv.filter((line) => line.split(',')[5] === 'paid').map((line) => line.split(',')[6]));
  if (ids.size !== rows) faults.push(`${ids.size} payments`);
  const { rows: paid } = await db.query<{ count: string; total: string }>(
    `SELECT count(*), sum(amount) AS total FROM transfers_by_id($1) WHERE kind IN ('user', 'hold')`,
    [[...ids]],
  );
  const total = wanted.reduce((sum, { amount }) => sum + amount, 0n);
  if (paid[0]!.total !== String(total) || paid[0]!.count !== String(rows))
    faults.push(`${JSON.stringify(paid[0])} on the ledger`);
  const after = await readSums(db, people);
  for (const name of people) {
    const due = wanted.reduce((sum, { to, amount }) => (to === name ? sum + amount : sum), 0n);
    if (after.get(name)! - (before.get(name) ?? 0n) !== due)
      faults.push(`${name} got ${after.get(name)! - (before.get(name) ?? 0n)}`);
  }
  const { rows: tokens } = await db.query<{ contract: string }>(
    `SELECT contract FROM assets ORDER BY asset_id LIMIT 1`,
  );
  for (const { to, amount } of wanted) {
    if (!to.startsWith('0x')) continue;
    const data = `0x70a08231${to.slice(2).toLowerCase().padStart(64, '0')}`;
    const balance = BigInt(await rpc<string>('eth_call', [{ to: tokens[0]!.contract, data }, 'latest']));
    if (balance !== amount) faults.push(`${to} has ${balance} on the chain`);
  }
  faults.push(...(await checkBooks(operator)).faults);
  faults.push(...(await judgeEndOf({ databaseUrl: sandbox.state.database_url })));
  await operator.close();
  const seconds = Math.round((performance.now() - start) / 1_000);
  return { rows, kills: killed, payments: ids.size, total: formatUsdc(total), seconds, faults };
}

function kill(dataDir: string): boolean {
  try {
    const pid = Number.parseInt(readFileSync(join(dataDir, 'worker.pid'), 'utf8'), 10);
    if (dead.has(pid)) return false;
    process.kill(pid, 'SIGKILL');
    dead.add(pid);
    return true;
  } catch {
    // It is being restarted.
    return false;
  }
}

async function readSums(db: BenchSandbox['db'], people: readonly string[]): Promise<Map<string, bigint>> {
  const { rows: found } = await db.query<{ username: string; available: string }>(
    `SELECT n.username, a.available FROM usernames n JOIN accounts a USING (user_id)
      WHERE n.username = ANY ($1) AND a.asset_id = (SELECT home_asset FROM ledger_state)`,
    [people],
  );
  return new Map(found.map(({ username, available }) => [username, BigInt(available)]));
}
