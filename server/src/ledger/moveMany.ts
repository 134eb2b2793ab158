import type { Tx } from '../db/database.ts';
import type { HoldEnd, Movement } from './moveMoney.ts';

type ManyOutcome = 'applied' | 'duplicate' | 'ended';

/** Locks the accounts in the order of their ids, which prevents deadlocks; call it before several movements. */
export async function lockAccounts(tx: Tx, accountIds: readonly bigint[]): Promise<void> {
  await tx.query('SELECT ledger_lock_accounts($1)', [accountIds]);
}

/**
 * Many movements of one kind in one round trip, in order, one outcome each. Posts, releases and moves between accounts of
 * the house cannot be refused for lack of money, so any other outcome is a bug.
 */
export async function moveMany(
  tx: Tx,
  kind: 'post' | 'release' | 'internal',
  movements: readonly (Movement & Partial<Pick<HoldEnd, 'holdId'>>)[],
): Promise<ManyOutcome[]> {
  if (movements.length === 0) return [];
  const rows = await tx.query<{ id: string; outcome: string }>(
    `SELECT m.id, r.outcome
       FROM unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::uuid[], $7::text[]) WITH ORDINALITY
            AS m(id, debit, credit, amount, hold, from_name, n)
      CROSS JOIN LATERAL ledger_move(m.id, $1, m.debit, m.credit, m.amount, m.hold, m.from_name) r
      ORDER BY m.n`,
    [
      kind,
      movements.map((one) => one.transferId),
      movements.map((one) => one.debitAccount),
      movements.map((one) => one.creditAccount),
      movements.map((one) => one.amount),
      movements.map((one) => one.holdId ?? null),
      movements.map((one) => one.fromAddress ?? null),
    ],
  );
  return rows.map(({ id, outcome }) => {
    if (outcome !== 'applied' && outcome !== 'duplicate' && outcome !== 'ended') {
      throw new Error(`${kind} ${id}: ${outcome}`);
    }
    return outcome;
  });
}

/** Many deposits of one asset in one statement. One that was credited before moves nothing. */
export async function depositMany(
  tx: Tx,
  assetId: number,
  deposits: readonly Omit<Movement, 'debitAccount'>[],
): Promise<void> {
  await tx.query('SELECT ledger_deposit($1, $2, $3, $4, $5)', [
    assetId,
    deposits.map((one) => one.transferId),
    deposits.map((one) => one.creditAccount),
    deposits.map((one) => one.amount),
    deposits.map((one) => one.fromAddress ?? null),
  ]);
}
