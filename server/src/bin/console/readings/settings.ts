import { z } from 'zod';
import { type Reading, rowsOf } from '../../../http/console/reading.ts';
import { listOperators } from '../../../operators/operators.ts';
import { countIdentities } from '../../../operators/roster.ts';
import keyNoun from '../../cli/key.ts';
import limitNoun from '../../cli/limit.ts';
import pauseNoun from '../../cli/pause.ts';
import restoreNoun from '../../cli/restore.ts';
import { accountKey, key, pause } from '../answers.ts';
import { fromCommand, readCommand } from '../command.ts';

const text = z.string();
const maybe = text.nullable();

export const settings: readonly Reading[] = [
  {
    path: '/api/settings/operators',
    about: 'florin operator list',
    query: [],
    list: { kind: 'whole', sorts: ['name', 'role'] },
    answer: rowsOf(z.strictObject({ name: text, role: z.enum(['admin', 'risk', 'support']), identities: z.number() })),
    async run({ db }) {
      const identities = await countIdentities(db);
      return (await listOperators(db)).map((one) => ({ ...one, identities: identities.get(one.name) ?? 0 }));
    },
  },
  fromCommand({
    path: '/api/settings/keys',
    command: 'key list',
    verb: keyNoun.verbs.list,
    list: { kind: 'whole', sorts: ['name', 'created_at', 'last_used_at', 'revoked_at'] },
    answer: rowsOf(key),
  }),
  {
    path: '/api/settings/account-keys',
    about: 'florin key accounts',
    query: ['user'],
    list: { kind: 'whole', sorts: ['name', 'state', 'created_at', 'last_used_at'] },
    answer: rowsOf(accountKey),
    run: ({ db }, _, { user }) => readCommand(keyNoun.verbs.accounts, db, user === undefined ? [] : [user]),
  },
  fromCommand({
    path: '/api/settings/limits',
    command: 'limit list',
    verb: limitNoun.verbs.list,
    list: { kind: 'whole', sorts: ['tier'] },
    answer: rowsOf(
      z.strictObject({
        tier: text,
        payment: maybe,
        day: maybe,
        month: maybe,
        count: z.number().nullable(),
        identity_check: z.array(text),
      }),
    ),
  }),
  fromCommand({
    path: '/api/settings/limit-changes',
    command: 'limit history',
    verb: limitNoun.verbs.history,
    list: { kind: 'whole', sorts: ['changed_at', 'changed_by', 'what'] },
    answer: rowsOf(
      z.strictObject({ changed_at: text, changed_by: text, what: text, before: text, after: text, reason: maybe }),
    ),
  }),
  fromCommand({
    path: '/api/settings/pauses',
    command: 'pause list',
    verb: pauseNoun.verbs.list,
    list: { kind: 'whole', sorts: ['scope', 'cause', 'paused_at', 'paused_by'] },
    answer: rowsOf(pause),
  }),
  fromCommand({
    path: '/api/settings/restores',
    command: 'restore list',
    verb: restoreNoun.verbs.list,
    list: { kind: 'whole', sorts: ['noted_at'] },
    answer: rowsOf(z.strictObject({ noted_at: text, reason: text, unconfirmed: z.array(text) })),
  }),
];
