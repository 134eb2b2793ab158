import { newId } from '../core/ids.ts';
import { findViolatedConstraint, type Queryable, type Tx } from '../db/database.ts';

/** A difference that is booked to `loss`: one operator proposes it, another approves it. */
interface Correction {
  readonly correctionId: string;
  readonly assetId: number;
  readonly blockchain: string;
  readonly symbol: string;
  /** The wallet whose owner is credited or debited; null: corrects what the ledger assumes is on the chain. */
  readonly walletId: string | null;
  readonly amount: bigint;
  readonly reason: string;
  readonly proposedBy: string;
  readonly proposedAt: Date;
}

interface SameCorrections {
  readonly correctionId: string | undefined;
  readonly assetId: number;
  readonly walletId: string;
  readonly amount: bigint;
}

interface NewCorrection {
  readonly assetId: number;
  readonly walletId: string | undefined;
  readonly amount: bigint;
  readonly reason: string;
}

/** By the operator with this database login. `not_operator`: not a named operator who may approve. */
export async function proposeCorrection(tx: Tx, wanted: NewCorrection): Promise<string | 'not_operator'> {
  const id = newId();
  try {
    await tx.query('SELECT propose_correction($1, $2, $3, $4, $5)', [
      id,
      wanted.assetId,
      wanted.walletId ?? null,
      wanted.amount,
      wanted.reason,
    ]);
    return id;
  } catch (error) {
    if (findViolatedConstraint(error) === 'approvals_by_operators') return 'not_operator';
    throw error;
  }
}

/**
 * `difference`: it would create a difference, or a larger one. `repeated`: the same amount was booked for the same
 * wallet. Both are booked only if they are forced.
 */
export type CorrectionOutcome =
  | 'booked'
  | 'unknown'
  | 'insufficient'
  | 'same_person'
  | 'not_operator'
  | 'difference'
  | 'repeated';

/**
 * Books it and records that in the audit log. PostgreSQL refuses the operator who proposed it, and anyone who is no
 * longer an operator.
 */
export async function approveCorrection(
  db: Queryable,
  id: string,
  { isForced }: { readonly isForced: boolean },
): Promise<CorrectionOutcome> {
  try {
    const [row] = await db.query<{ outcome: CorrectionOutcome }>('SELECT book_correction($1, $2) AS outcome', [
      id,
      isForced,
    ]);
    return row!.outcome;
  } catch (error) {
    const constraint = findViolatedConstraint(error);
    if (constraint === 'corrections_two_people') return 'same_person';
    if (constraint === 'corrections_make_no_difference') return 'difference';
    if (constraint === 'corrections_book_once') return 'repeated';
    if (constraint === 'approvals_by_operators') return 'not_operator';
    throw error;
  }
}

/** The corrections that wait for a second operator. */
export const listCorrections = (db: Queryable): Promise<Correction[]> =>
  db.query<Correction>(
    `SELECT c.correction_id AS "correctionId", c.asset_id AS "assetId", n.blockchain, s.symbol, c.wallet_id AS "walletId", c.amount, c.reason,
            c.proposed_by AS "proposedBy", c.proposed_at AS "proposedAt"
       FROM corrections c JOIN assets s USING (asset_id) JOIN networks n USING (network_id)
      WHERE c.booked_at IS NULL ORDER BY c.proposed_at`,
  );

/** Others with this amount for this wallet. `bookedOnly`: not those that wait for a second operator. */
export const findSameCorrections = (
  db: Queryable,
  { correctionId, assetId, walletId, amount }: SameCorrections,
  { bookedOnly }: { readonly bookedOnly: boolean },
): Promise<{ correctionId: string; bookedAt: Date | null }[]> =>
  db.query(
    `SELECT correction_id AS "correctionId", booked_at AS "bookedAt" FROM corrections
      WHERE asset_id = $1 AND wallet_id = $2 AND amount = $3 AND correction_id IS DISTINCT FROM $4
        AND (booked_at IS NOT NULL OR NOT $5) ORDER BY proposed_at DESC`,
    [assetId, walletId, amount, correctionId ?? null, bookedOnly],
  );

/** What a person, or the treasury, can spend of an asset. */
export async function readAvailable(db: Queryable, assetId: number, userId: string | null): Promise<bigint> {
  const [row] = await db.query<{ available: bigint }>(
    `SELECT available FROM accounts WHERE asset_id = $1 AND ${userId === null ? "kind = 'treasury'" : 'user_id = $2'}`,
    userId === null ? [assetId] : [assetId, userId],
  );
  return row?.available ?? 0n;
}

interface Debt {
  readonly paymentId: string;
  /** Null: the service itself. */
  readonly userId: string | null;
  readonly owed: bigint;
  readonly available: bigint;
}

/** The debts of people for whom the chain has paid more than their balance. */
export const listDebts = (db: Queryable): Promise<Debt[]> =>
  db.query<Debt>(
    `SELECT d.payment_id AS "paymentId", a.user_id AS "userId", d.amount - d.collected AS owed, a.available
       FROM debts d JOIN accounts a USING (account_id) WHERE d.collected < d.amount ORDER BY d.owed_since`,
  );

/** Collects as much of a debt as its owner can pay now. Undefined if there is no such debt. */
export async function collectDebt(tx: Tx, paymentId: string): Promise<bigint | undefined> {
  const [row] = await tx.query<{ amount: bigint | null }>('SELECT collect_debt($1) AS amount', [paymentId]);
  return row!.amount ?? undefined;
}
