/**
 * 10,000 payments among 200 people, then one settlement: with at most 199 transfers on chain, every wallet holds
 * exactly what the ledger owes its owner. Runs the whole sandbox, like `npm start`.
 */
import { type BenchSandbox, forEachAtOnce, post, waitFor, withBenchSandbox } from './support/startBenchSandbox.ts';

const PAYMENTS = 10_000;
const PEOPLE = 200;
const AT_ONCE = 64;

export default (): Promise<void> => withBenchSandbox(run);

async function run(sandbox: BenchSandbox): Promise<void> {
  const { db } = sandbox;
  const people = await sandbox.createFunded(PEOPLE, '500');
  let paid = 0;
  const began = performance.now();
  await forEachAtOnce(Array.from({ length: PAYMENTS }), AT_ONCE, async (_, nth) => {
    const from = people[(nth * 7919) % PEOPLE]!;
    const to = people[(nth * 104_729 + 13 + Math.floor(nth / PEOPLE)) % PEOPLE]!;
    const receiver = from === to ? people[(nth + 1) % PEOPLE]! : to;
    await post(`${sandbox.state.backend_url}/api/v1/send_usdc`, {
      sender_user_id: from.user_id,
      receiver_username: receiver.username,
      // A whole number of micro-USDC, which JSON prints exactly.
      amount: ((1 + (nth % 97)) * 1_000 + (nth % 1_000)) / 1_000_000,
    });
    paid++;
  });
  const paidSeconds = (performance.now() - began) / 1000;
  // Settlement is scheduled in a week; make it due now.
  await db.query(`UPDATE jobs SET run_at = now() WHERE kind LIKE 'settle %'`);
  const settled = `SELECT count(*) FILTER (WHERE covers_seq IS NOT NULL) > 0 AND bool_and(completed_at IS NOT NULL) AS done
                     FROM settlements WHERE created_at > now() - interval '5 minutes'`;
  await waitFor(db, settled, 180_000);
  const { rows } = await db.query<{ transfers: number; largest: string; total: string }>(
    `SELECT (SELECT count(*)::int FROM coin_moves WHERE purpose = 'settlement' AND state = 'done') AS transfers,
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
