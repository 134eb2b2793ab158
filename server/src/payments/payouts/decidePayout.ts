import { type ErrorCode, type ErrorDetails, PayError } from '../../core/errors.ts';
import { formatUsdc, type Usdc } from '../../core/money.ts';
import type { Queryable } from '../../db/database.ts';
import { getPayout, type Payout } from './payout.ts';

/** Which payout, and who asks: a key that was revoked in the meantime is refused. */
interface PayoutCall {
  readonly payoutId: string;
  readonly keyId: string;
  readonly certificate: string | undefined;
  readonly client: string;
}

interface Confirmation extends PayoutCall {
  /**
   * The number of rows and the total that the caller expects to pay. Other values than the stored ones are
   * `payout.mismatch`.
   */
  readonly count: number;
  readonly total: Usdc;
  /** Two operators must approve payouts from this total on. */
  readonly approvalThreshold: Usdc | undefined;
}

interface Decided {
  readonly outcome: 'confirmed' | 'cancelled' | 'unknown' | 'mismatch' | 'ended' | 'refused';
  readonly details: Record<string, unknown> | null;
}

/** Starts a payout, in one commit. Confirming it again changes nothing. */
export async function confirmPayout(db: Queryable, call: Confirmation): Promise<Payout> {
  const [row] = await db.query<Decided>('SELECT outcome, details FROM confirm_payout($1, $2, $3, $4, $5, $6, $7)', [
    call.payoutId,
    call.keyId,
    call.count,
    call.total,
    call.approvalThreshold ?? null,
    call.certificate ?? null,
    call.client || null,
  ]);
  refuse(row!);
  return getPayout(db, call.payoutId, call.keyId);
}

/** Cancels the rows that have not begun. Accepted payments to addresses continue; each can be cancelled separately. */
export async function cancelPayout(db: Queryable, call: PayoutCall): Promise<Payout> {
  const [row] = await db.query<Decided>('SELECT outcome, details FROM cancel_own_payout($1, $2, $3, $4)', [
    call.payoutId,
    call.keyId,
    call.certificate ?? null,
    call.client || null,
  ]);
  refuse(row!);
  return getPayout(db, call.payoutId, call.keyId);
}

function refuse({ outcome, details }: Decided): void {
  if (outcome === 'unknown') throw new PayError('payout.unknown');
  if (outcome === 'ended') throw new PayError('payout.ended', (details ?? { state: 'complete' }) as ErrorDetails);
  if (outcome === 'refused') {
    const { code, details: more } = details as { code: ErrorCode; details: ErrorDetails };
    throw new PayError(code, more);
  }
  if (outcome === 'mismatch')
    throw new PayError('payout.mismatch', {
      count: String(details!.count),
      total: formatUsdc(BigInt(details!.total as string)),
    });
}
