/** Verbs of `florin user`: passkeys that people have lost. */
import {
  beginPasskeyRemoval,
  endPasskeyRemoval,
  finishPasskeyRemoval,
  getPasskeys,
  type PasskeyState,
} from '../../../customers/passkeys/passkeys.ts';
import { renderPasskeys } from '../../../http/answers/renderPasskeys.ts';
import { verb } from '../../program/command.ts';
import { CommandFault } from '../../program/faults.ts';
import { describePerson, findUserId } from '../../program/lookups.ts';
import { parseReason, WHY } from '../../program/reason.ts';
import { renderTable, renderTime, renderUsdc } from '../../program/render.ts';

const describeRule = ({ askAbove }: PasskeyState): string =>
  askAbove === null ? 'Payments need no passkey.\n' : `Each payment above ${renderUsdc(askAbove)} needs a passkey.\n`;

export const passkeys = verb({
  summary: 'Shows the passkeys of a person, and the amount above which payments need one',
  words: ['USER'],
  reads: true,
  async run({ db }, { words: [person = ''] }) {
    const state = await getPasskeys(db, await findUserId(db, person));
    const rows = state.passkeys.map((one) => [
      one.name,
      renderTime(one.createdAt),
      one.lastUsedAt ? renderTime(one.lastUsedAt) : 'never used',
      one.backedUp ? 'on several devices' : 'on one device',
    ]);
    const removal = state.removalDueAt ? `Can be removed from ${renderTime(state.removalDueAt)} on.\n` : '';
    return {
      text: `${rows.length === 0 ? 'No passkeys.\n' : renderTable([['passkey', 'since', 'last used', 'kept'], ...rows])}${describeRule(state)}${removal}`,
      json: renderPasskeys(state),
    };
  },
});

export const resetPasskeys = verb({
  summary: 'Removes all passkeys of a person who has lost them: two operators, a day apart',
  about: `The first operator begins, after checking who the person is. The person is told, and can object in the wallet for 24
hours. Then a second operator runs the same command, which removes all passkeys and ends all sessions and account keys.`,
  words: ['USER'],
  options: { why: WHY, stop: { type: 'boolean', summary: 'do not remove them after all' } },
  examples: ['user reset-passkeys ada --why "new phone; identity checked by video, ticket 311"'],
  async plan({ db, allow }, { words: [person = ''], options }) {
    const reason = parseReason(options.why);
    await allow('approve');
    const userId = await findUserId(db, person);
    const state = await getPasskeys(db, userId);
    const who = await describePerson(db, userId);
    const due = state.removalDueAt;
    if (options.stop) {
      if (!due) throw new CommandFault('nobody has begun to remove their passkeys');
      return {
        title: `Do not remove the passkeys of ${who}.`,
        facts: [['why', reason]],
        changes: [{ what: 'removal', before: `possible from ${renderTime(due)}`, after: 'stopped' }],
        carryOut: async () => ((await endPasskeyRemoval(db, userId)) ? 'Stopped.\n' : 'It had ended before.\n'),
      };
    }
    if (state.passkeys.length === 0) throw new CommandFault('they have no passkeys');
    if (due && due.getTime() > Date.now())
      throw new CommandFault(`they can object until ${renderTime(due)}; run this again after that`);
    const before = `${state.passkeys.length}, asked above ${state.askAbove === null ? 'no amount' : renderUsdc(state.askAbove)}`;
    return {
      title: due
        ? `Remove all passkeys of ${who}, and end their sessions and account keys.`
        : `Begin to remove all passkeys of ${who}. They are told, and can object for 24 hours.`,
      facts: [['why', reason]],
      changes: [{ what: 'passkeys', before, after: due ? 'none; payments need none' : 'the same, for 24 hours' }],
      carryOut: async () => {
        const said = await (due ? finishPasskeyRemoval(db, userId) : beginPasskeyRemoval(db, userId, reason));
        return SAID[said];
      },
    };
  },
});

const SAID = {
  begun: 'Begun. In 24 hours, another operator runs the same command.\n',
  waits: 'It was begun before; the person can still object.\n',
  none: 'They have no passkeys.\n',
  removed: 'Removed. The person logs in and can add a new passkey.\n',
  unknown: 'It was stopped meanwhile.\n',
} as const;
