import type { ErrorCode } from '../../core/errors.ts';
import { idFromKey } from '../../core/ids.ts';
import type { Queryable } from '../../db/database.ts';
import { isDecided } from '../read/findPayment.ts';
import { isFirstTime } from '../read/readPayees.ts';
import { type SendToUser, type SentToUser, USERNAME } from './sendToUser.ts';

/** The ledger decides these after it has looked for the receiver: they say that the name is unknown, or that it is not. */
const AFTER_LOOKUP: ReadonlySet<ErrorCode> = new Set([
  'username.unknown',
  'payment.self',
  'balance.insufficient',
  'limit.exceeded',
]);

/**
 * Does this answer tell the sender, without money, whether the receiver's name exists? A repeated call too: its refusal was
 * stored before it was counted, and of many at once most were never answered.
 */
export const revealsName = ({ result }: SentToUser): boolean =>
  'refusal' in result && AFTER_LOOKUP.has(result.refusal.code);

/** Has the sender paid this name before, or was this payment decided? */
export async function isNameKnown(
  db: Queryable,
  { senderId, receiver, key }: Pick<SendToUser, 'senderId' | 'receiver' | 'key'>,
): Promise<boolean> {
  if (key && (await isDecided(db, idFromKey(key.caller, key.route, key.text)))) return true;
  return isPayee(db, senderId, receiver);
}

/** `receiver` as it was typed. An old name that leads to a payee is not found. */
export const isPayee = async (db: Queryable, senderId: string, receiver: string): Promise<boolean> =>
  USERNAME.test(receiver) && !(await isFirstTime(db, senderId, { username: receiver.toLowerCase() }));
