import type { Tx } from '../../db/database.ts';
import { getRequest } from './findRequest.ts';
import type { MoneyRequest } from './moneyRequest.ts';
import { throwRefusal } from './throwRefusal.ts';

/**
 * The person asked declines; the requester cancels. Repeating it changes nothing; a request that has ended otherwise is
 * refused.
 */
export async function endRequest(
  tx: Tx,
  { requestId, userId, state }: { requestId: string; userId: string; state: 'declined' | 'cancelled' },
): Promise<MoneyRequest> {
  const [row] = await tx.query<{ refusal: unknown }>('SELECT end_money_request($1, $2, $3) AS refusal', [
    requestId,
    userId,
    state,
  ]);
  throwRefusal(row!.refusal);
  return getRequest(tx, requestId, userId);
}
