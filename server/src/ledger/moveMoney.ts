import { type ErrorDetails, PayError } from '../core/errors.ts';
import { formatUsdc, type Usdc } from '../core/money.ts';
import type { Tx } from '../db/database.ts';

/**
 * A movement that is not a payment between users: a final deposit, a move between the service's own accounts, or a hold
 * and its end. The caller makes the id. Applying the same movement again changes nothing.
 */
export interface Movement {
  readonly transferId: string;
  readonly debitAccount: bigint;
  readonly creditAccount: bigint;
  readonly amount: Usdc;
  /** Of a deposit: the address it came from. */
  readonly fromAddress?: string;
}

export interface HoldEnd extends Movement {
  readonly holdId: string;
}

/** `ended`: the hold was posted or released before, by another movement. */
type EndOutcome = 'applied' | 'duplicate' | 'ended';
type Outcome = EndOutcome | 'mismatch' | 'unknown_hold' | keyof typeof REFUSALS;

/** Why a hold may be refused, and the error that the caller gets. */
const REFUSALS = {
  paused: 'service.paused',
  user_paused: 'user.paused',
  kyc: 'kyc.required',
  insufficient: 'balance.insufficient',
  limit: 'limit.exceeded',
} as const;

/** Throws when `ledger_move` refused. */
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

/** Gives the whole hold back; `amount` is the amount of the hold. */
export const releaseHold = (tx: Tx, end: HoldEnd): Promise<EndOutcome> => move(tx, 'release', end);

async function move<Wanted extends EndOutcome>(
  tx: Tx,
  kind: 'deposit' | 'internal' | 'hold' | 'post' | 'release',
  movement: Movement & { readonly holdId?: string },
): Promise<Wanted> {
  const { transferId, debitAccount, creditAccount, amount, holdId, fromAddress } = movement;
  const [row] = await tx.query<{ outcome: Outcome; details: Record<string, string> | null }>(
    'SELECT outcome, details FROM ledger_move($1, $2, $3, $4, $5, $6, $7)',
    [transferId, kind, debitAccount, creditAccount, amount, holdId ?? null, fromAddress ?? null],
  );
  const { outcome, details } = row!;
  refuseOutcome(outcome, details);
  // Both are bugs: ids are never reused, and only a stored hold is ended.
  if (outcome === 'mismatch' || outcome === 'unknown_hold') throw new Error(`${kind} ${transferId}: ${outcome}`);
  return outcome as Wanted;
}

const AMOUNTS = new Set(['available', 'maximum', 'left']);

/** PostgreSQL gives amounts in micro-USDC, as text; callers get decimals. */
export function renderAmounts(details: Readonly<Record<string, string>>): ErrorDetails {
  if (details.unit === 'payments') return details;
  return Object.fromEntries(
    Object.entries(details).map(([name, value]) => [name, AMOUNTS.has(name) ? formatUsdc(BigInt(value)) : value]),
  );
}
