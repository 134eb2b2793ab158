/**
 * 10,000 payments among 200 people, then one settlement: with at most 199 transfers on chain, every wallet holds
 * exactly what the ledger owes its owner. Runs the whole sandbox, like `npm start`.
 */
import { finish } from './support/finish.ts';
import { sized } from './support/short.ts';
import { type BenchSandbox, forEachAtOnce, post, waitFor, withBenchSandbox } from './support/startBenchSandbox.ts';

const PAYMENTS = sized(10_000, 60);
const PEOPLE = sized(200, 6);
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
      // Whole USDC, so that every difference is worth a transfer: settlement makes none below `settle_min`.
      amount: 1 + (nth % 7),
    });
    paid++;
  });
  const paidSeconds = (performance.now() - began) / 1000;
  // Settlement is scheduled in a week; make it due now. A settlement from before the payments covers none of them, and
  // one of another blockchain is recorded immediately, because nothing differs there.
  await db.query(`UPDATE jobs SET run_at = now() WHERE kind LIKE 'settle %'`);
  const settled = `SELECT bool_and(completed_at IS NOT NULL)
                          AND max(covers_seq) >= (SELECT max(seq) FROM transfers WHERE kind = 'user') AS done
                     FROM settlements WHERE asset_id = (SELECT asset_id FROM transfers WHERE kind = 'user' LIMIT 1)`;
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
  finish(
    'settle',
    { payments: paid, chain_transfers: transfers, max_difference: Number(largest) },
    {
      promises: {
        [`there must be 1 to ${PEOPLE - 1} transfers on chain`]: transfers > 0 && transfers < PEOPLE,
        'every wallet must hold what its owner is owed': largest === '0',
      },
    },
  );
}
