import { idFromKey } from '../../core/ids.ts';
import { isUsername } from '../../core/isUsername.ts';
import type { Queryable } from '../../db/database.ts';
import { isDecided } from '../read/findPayment.ts';
import { isFirstTime } from '../read/readPayees.ts';
import type { SendToUser, SentToUser } from './sendToUser.ts';

/**
 * Whether this answer reveals to the sender that a name does not exist. Someone who guesses names gets it most of the time.
 * Repeated calls count too: the refusal was stored before it was counted, and most of many concurrent calls were never
 * answered. Other refusals do not count, although they show that the name exists: a person who spends more than they
 * have must get that answer every time.
 */
export const revealsName = ({ result }: SentToUser): boolean =>
  'refusal' in result && result.refusal.code === 'username.unknown';

/** Whether the sender has paid this name before, or this payment was already decided. */
export async function isNameKnown(
  db: Queryable,
  { senderId, receiver, key }: Pick<SendToUser, 'senderId' | 'receiver' | 'key'>,
): Promise<boolean> {
  if (key && (await isDecided(db, idFromKey(key.caller, key.route, key.text)))) return true;
  return isPayee(db, senderId, receiver);
}

/** `receiver` as typed. An old name that leads to a payee is not found. */
export const isPayee = async (db: Queryable, senderId: string, receiver: string): Promise<boolean> =>
  isUsername(receiver) && !(await isFirstTime(db, senderId, { username: receiver.toLowerCase() }));
