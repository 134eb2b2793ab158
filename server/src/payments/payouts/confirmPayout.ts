import { type ErrorCode, type ErrorDetails, PayError } from '../../core/errors.ts';
import { formatUsdc, type Usdc } from '../../core/money.ts';
import type { Queryable } from '../../db/database.ts';
import { getPayout, type Payout } from './payout.ts';

/** Which payout, and who asks: a key that was revoked in the meantime is refused. */
interface Wanted {
  readonly payoutId: string;
  readonly keyId: string;
  readonly certificate: string | undefined;
  readonly client: string;
}

interface Confirmation extends Wanted {
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
export async function confirmPayout(db: Queryable, wanted: Confirmation): Promise<Payout> {
  const [row] = await db.query<Decided>('SELECT outcome, details FROM confirm_payout($1, $2, $3, $4, $5, $6, $7)', [
    wanted.payoutId,
    wanted.keyId,
    wanted.count,
    wanted.total,
    wanted.approvalThreshold ?? null,
    wanted.certificate ?? null,
    wanted.client || null,
  ]);
  refuse(row!);
  return getPayout(db, wanted.payoutId, wanted.keyId);
}

/** Cancels the rows that have not begun. Accepted payments to addresses continue; each can be cancelled separately. */
export async function cancelPayout(db: Queryable, wanted: Wanted): Promise<Payout> {
  const [row] = await db.query<Decided>('SELECT outcome, details FROM cancel_payout($1, $2, $3, $4)', [
    wanted.payoutId,
    wanted.keyId,
    wanted.certificate ?? null,
    wanted.client || null,
  ]);
  refuse(row!);
  return getPayout(db, wanted.payoutId, wanted.keyId);
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
