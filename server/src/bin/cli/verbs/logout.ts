/** A verb of `florin user`. */
import { listAccountKeys } from '../../../customers/keys/accountKeys.ts';
import { endSessions, listSessions } from '../../../customers/sessions/sessions.ts';
import { verb } from '../../program/command.ts';
import { describePerson, findUserId } from '../../program/lookups.ts';
import { parseReason, WHY } from '../../program/reason.ts';

export const logout = verb({
  summary: 'Ends all sessions and account keys of a person, in every process, from the next request on',
  about: `They can log in again. To stop their payments too: florin pause add user:NAME.`,
  words: ['USER'],
  options: { why: WHY },
  examples: ['user logout ada --why "her phone was stolen"'],
  async plan({ db, allow }, { words: [person = ''], options }) {
    const reason = parseReason(options.why);
    await allow('sessions');
    const userId = await findUserId(db, person);
    const [open, keys] = [await listSessions(db, userId), await listAccountKeys(db, userId)];
    return {
      title: `End all sessions and account keys of ${await describePerson(db, userId)}.`,
      facts: [['why', reason]],
      changes: [
        { what: 'open sessions', before: String(open.length), after: '0: they must log in again' },
        { what: 'account keys', before: String(keys.length), after: '0: they must create new ones' },
      ],
      async carryOut() {
        const ended = await endSessions(db, userId, reason);
        return ended === 0
          ? 'There were no open sessions.\n'
          : `Ended: ${ended} ${ended === 1 ? 'session' : 'sessions'}.\n`;
      },
    };
  },
});
