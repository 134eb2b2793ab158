import { idFromKey } from '../../core/ids.ts';
import type { Queryable } from '../../db/database.ts';
import { isAnswered } from '../../db/idempotency.ts';
import type { ApiCall } from '../contract/operation.ts';
import type { NameQuota } from './createCallLimits.ts';
import { parseIdempotencyKey } from './parseIdempotencyKey.ts';

/**
 * Counts the name that a call asks about, unless the call's idempotency key already has an answer: the name was counted
 * then.
 */
export async function countUnanswered(
  app: { readonly db: Queryable; readonly names: NameQuota },
  call: ApiCall,
  userId: string,
): Promise<void> {
  const key = parseIdempotencyKey(call.headers);
  if (key !== undefined && (await isAnswered(app.db, idFromKey(userId, call.route, key)))) return;
  await app.names.spend(call, userId);
}
