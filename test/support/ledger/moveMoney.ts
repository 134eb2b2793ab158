/**
 * Transfers that no process makes one by one. They call functions of the schema `testing`, which only the tests'
 * template has and only its login `tester` may use: no login may call the ledger function behind them.
 */
import { PayError } from '../../../server/src/core/errors.ts';
import type { Usdc } from '../../../server/src/core/money.ts';
import type { Tx } from '../../../server/src/db/database.ts';
import { renderAmounts } from '../../../server/src/ledger/renderAmounts.ts';

/** The caller makes the id. Applying the same transfer again changes nothing. */
interface Movement {
  readonly transferId: string;
  readonly debitAccount: bigint;
  readonly creditAccount: bigint;
  readonly amount: Usdc;
  /** For a deposit: the address it came from. */
  readonly fromAddress?: string;
}

interface HoldEnd extends Movement {
  readonly holdId: string;
}

/** `ended`: another transfer posted or released the hold before. */
type EndOutcome = 'applied' | 'duplicate' | 'ended';

/** Why a hold may be refused, and the error that the caller gets. */
const REFUSALS = {
  paused: 'service.paused',
  user_paused: 'user.paused',
  kyc: 'kyc.required',
  insufficient: 'balance.insufficient',
  payment_limit: 'limit.exceeded',
  day_limit: 'limit.exceeded',
  month_limit: 'limit.exceeded',
  count_limit: 'limit.exceeded',
  // Release 0.2.0 has one word for all four.
  limit: 'limit.exceeded',
} as const;

export function refuseOutcome(outcome: string, details: Readonly<Record<string, string>> | null): void {
  const code = REFUSALS[outcome as keyof typeof REFUSALS];
  if (code) throw new PayError(code, renderAmounts(details ?? {}));
}

export const transfer = (tx: Tx, kind: 'deposit' | 'internal', movement: Movement): Promise<'applied' | 'duplicate'> =>
  move(tx, kind, movement);

/** Reserves `amount` of the debit account for the credit account. It can then only be posted or released. */
export const hold = (tx: Tx, movement: Movement): Promise<'applied' | 'duplicate'> => move(tx, 'hold', movement);

/** Pays `amount` from the hold, all of it or a part; the rest becomes available again. */
export const postHold = (tx: Tx, end: HoldEnd): Promise<EndOutcome> => move(tx, 'post', end);

/** Releases the whole hold; `amount` is the amount of the hold. */
export const releaseHold = (tx: Tx, end: HoldEnd): Promise<EndOutcome> => move(tx, 'release', end);

async function move<Wanted extends EndOutcome>(
  tx: Tx,
  kind: 'deposit' | 'internal' | 'hold' | 'post' | 'release',
  movement: Movement & { readonly holdId?: string },
): Promise<Wanted> {
  const { transferId, debitAccount, creditAccount, amount, holdId, fromAddress } = movement;
  const [row] = await tx.query<{ outcome: string; details: Record<string, string> | null }>(
    'SELECT outcome, details FROM testing.move($1, $2, $3, $4, $5, $6, $7)',
    [transferId, kind, debitAccount, creditAccount, amount, holdId ?? null, fromAddress ?? null],
  );
  const { outcome, details } = row!;
  refuseOutcome(outcome, details);
  if (outcome === 'mismatch' || outcome === 'unknown_hold') throw new Error(`${kind} ${transferId}: ${outcome}`);
  return outcome as Wanted;
}

/** Many deposits of one asset in one statement. A deposit that was credited before moves nothing. */
export async function depositMany(
  tx: Tx,
  assetId: number,
  deposits: readonly Omit<Movement, 'debitAccount'>[],
): Promise<void> {
  await tx.query('SELECT testing.deposit($1, $2, $3, $4, $5)', [
    assetId,
    deposits.map((one) => one.transferId),
    deposits.map((one) => one.creditAccount),
    deposits.map((one) => one.amount),
    deposits.map((one) => one.fromAddress ?? null),
  ]);
}
