import { listKeysOfAccounts } from '../../../customers/keys/accountKeys.ts';
import { renderAccountKey } from '../../../http/answers/renderAccountKey.ts';
import type { Reading } from '../../../http/console/reading.ts';
import { listAudit } from '../../../operators/listAudit.ts';
import { listPausesOf } from '../../../operators/pauses.ts';
import userNoun from '../../cli/user.ts';
import { findUserId } from '../../program/lookups.ts';
import { person, personRow } from '../answers.ts';
import { fromCommand, pageOf, readCommand } from '../command.ts';
import { renderEntry } from './audit.ts';

const ENTRIES = 20;

const show: Reading = {
  path: '/api/people/{user}',
  about: 'florin user show, with florin user sessions, florin key accounts and florin audit --user',
  query: ['payments'],
  answer: person,
  async run({ db }, { user = '' }, { payments }) {
    const userId = await findUserId(db, user);
    const shown = await readCommand<object>(userNoun.verbs.show, db, [userId], { payments });
    const keys = await listKeysOfAccounts(db, userId);
    return {
      ...shown,
      sessions: await readCommand(userNoun.verbs.sessions, db, [userId]),
      pauses: (await listPausesOf(db, userId)).map((one) => ({
        scope: one.scope,
        cause: one.cause,
        stops: one.stops,
        paused_at: one.pausedAt,
        paused_by: one.pausedBy,
        reason: one.reason,
      })),
      account_keys: keys.map(renderAccountKey),
      audit: (await listAudit(db, { userId, limit: ENTRIES })).map(renderEntry),
    };
  },
};

export const people: readonly Reading[] = [
  fromCommand({
    path: '/api/people',
    command: 'user list',
    verb: userNoun.verbs.list,
    query: ['name', 'kyc', 'state', 'day', 'since', 'until'],
    list: { kind: 'pages', rows: 'users' },
    answer: pageOf('users', personRow),
  }),
  show,
];
