import { PayError } from '../../core/errors.ts';
import { formatUsdc } from '../../core/money.ts';
import type { Tx } from '../../db/database.ts';
import { REDIRECT_DAYS } from '../usernames/setUsername.ts';

interface Left {
  readonly available: string;
  readonly held: string;
  readonly owed: string;
  readonly open_payments: number;
  readonly open_requests: number;
  readonly open_payouts: number;
}

interface Closed {
  readonly closedAt: Date;
  /** Until this time the person's name cannot be taken by others; null if they had none. */
  readonly nameHeldUntil: Date | null;
}

/**
 * Closes the account permanently. Refused while there is money, a payment in progress, an open request or a payout that
 * may still pay; see `close_account`.
 */
export async function closeAccount(tx: Tx, userId: string): Promise<Closed> {
  const [row] = await tx.query<{ refusal: { code: string; details?: Left } | null }>(
    'SELECT close_account($1, $2) AS refusal',
    [userId, REDIRECT_DAYS],
  );
  const refusal = row!.refusal;
  if (refusal?.details) throw new PayError('account.not_empty', renderLeft(refusal.details));
  if (refusal) throw new PayError('account.closed');
  const [closed] = await tx.query<Closed>(
    `SELECT closed_at AS "closedAt",
            (SELECT max(redirect_until) FROM usernames n WHERE n.user_id = u.user_id) AS "nameHeldUntil"
       FROM users u WHERE user_id = $1`,
    [userId],
  );
  return closed!;
}

const renderLeft = ({ available, held, owed, ...counts }: Left) => ({
  available: formatUsdc(BigInt(available)),
  held: formatUsdc(BigInt(held)),
  owed: formatUsdc(BigInt(owed)),
  ...counts,
});
