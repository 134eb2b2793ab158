/**
 * 10,000 payments among 200 people, then one settlement: at most 199 transfers on chain bring every wallet's coins to
 * what the ledger says its owner is owed, to the last micro-USDC. The whole system runs as `npm start` runs it.
 */
import pg from 'pg';
import { type BenchSandbox, forEachAtOnce, post, startBenchSandbox, waitFor } from './support/startBenchSandbox.ts';

const PAYMENTS = 10_000;
const PEOPLE = 200;
const AT_ONCE = 64;

export default async function bench(): Promise<void> {
  const sandbox = await startBenchSandbox({ FLORIN_SETTLE_SECONDS: '604800' });
  const db = new pg.Client({ connectionString: sandbox.state.database_url });
  await db.connect();
  try {
    await run(sandbox, db);
  } finally {
    await db.end();
    await sandbox.stop();
  }
}

async function run(sandbox: BenchSandbox, db: pg.Client): Promise<void> {
  const people = await createFunded(sandbox, db);
  let paid = 0;
  const began = performance.now();
  await forEachAtOnce(Array.from({ length: PAYMENTS }), AT_ONCE, async (_, nth) => {
    const from = people[(nth * 7919) % PEOPLE]!;
    const to = people[(nth * 104_729 + 13 + Math.floor(nth / PEOPLE)) % PEOPLE]!;
    const receiver = from === to ? people[(nth + 1) % PEOPLE]! : to;
    await post(`${sandbox.state.backend_url}/api/v1/send_usdc`, {
      sender_user_id: from.user_id,
      receiver_username: receiver.username,
      // A whole number of micro-USDC: JSON prints the shortest decimal that is exact.
      amount: ((1 + (nth % 97)) * 1_000 + (nth % 1_000)) / 1_000_000,
    });
    paid++;
  });
  const paidSeconds = (performance.now() - began) / 1000;
  // The schedule is a week: let it be due now.
  await db.query(`UPDATE jobs SET run_at = now() WHERE kind LIKE 'settle %'`);
  const settled = `SELECT count(*) FILTER (WHERE covers_seq IS NOT NULL) > 0 AND bool_and(completed_at IS NOT NULL) AS done
                     FROM settlements WHERE created_at > now() - interval '5 minutes'`;
  await waitFor(db, settled, 180_000);
  const { rows } = await db.query<{ transfers: number; largest: string; total: string }>(
    `SELECT (SELECT count(*)::int FROM authorizations WHERE purpose = 'settlement' AND state = 'used') AS transfers,
            max(abs(p.coins - p.ledger))::text AS largest, sum(p.coins - p.ledger)::text AS total
       FROM assets s CROSS JOIN LATERAL wallet_positions(s.asset_id) p`,
  );
  const { transfers, largest } = rows[0]!;
  console.table([
    { what: 'payments between users', value: `${paid} (${(paid / paidSeconds).toFixed(0)}/s)` },
    { what: 'transfers on chain', value: transfers },
    { what: 'largest difference of a wallet, micro-USDC', value: largest },
  ]);
  if (transfers > PEOPLE - 1 || largest !== '0') process.exitCode = 1;
  console.log(
    JSON.stringify({ bench: 'settle', payments: paid, chain_transfers: transfers, max_difference: Number(largest) }),
  );
}

async function createFunded(sandbox: BenchSandbox, db: pg.Client) {
  const people: Awaited<ReturnType<BenchSandbox['createPerson']>>[] = [];
  await forEachAtOnce(Array.from({ length: PEOPLE }), 8, async (_, nth) => {
    const person = await sandbox.createPerson(`settle_${String(nth).padStart(3, '0')}_person`);
    await sandbox.turn('/faucet', { address: person.address, usdc: '500' });
    people.push(person);
  });
  await sandbox.turn('/mine', { blocks: 5 });
  const funded = `SELECT count(*) >= ${PEOPLE + 5} AS done FROM accounts WHERE kind = 'user' AND entries > 0`;
  await waitFor(db, funded, 60_000);
  return people;
}
