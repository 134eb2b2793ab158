import { idFromKey } from '../../core/ids.ts';
import { isUsername } from '../../core/isUsername.ts';
import type { Queryable } from '../../db/database.ts';
import { isDecided } from '../read/findPayment.ts';
import { isFirstTime } from '../read/readPayees.ts';
import type { SendToUser, SentToUser } from './sendToUser.ts';

/**
 * Does this answer tell the sender that nobody has this name? Whoever guesses names gets it most of the time. A repeated call
 * too: its refusal was stored before it was counted, and of many at once most were never answered. Other refusals are not
 * counted, although they say that the name exists: somebody who spends more than they have must be told so every time.
 */
export const revealsName = ({ result }: SentToUser): boolean =>
  'refusal' in result && result.refusal.code === 'username.unknown';

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
  isUsername(receiver) && !(await isFirstTime(db, senderId, { username: receiver.toLowerCase() }));
