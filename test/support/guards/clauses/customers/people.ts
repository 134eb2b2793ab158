/**
 * Decisions about people: the owner of a name, permissions to decide, valid credentials, and rows old enough to be
 * deleted.
 */
import type { Decision } from '../decide.ts';
import { ID, ME, OTHER } from '../ids.ts';

const named = { username: 'alice', user_id: ME };
const owning: Decision = {
  of: 'whom a name leads to: username_owner',
  rows: { users: { user_id: ME }, usernames: named },
  calls: [
    `SELECT coalesce((SELECT CASE o WHEN '${ME}' THEN 'me' ELSE 'another' END
       FROM username_owner('alice', '2020-01-02T00:00:00Z') o), 'nobody') AS said`,
  ],
  cases: {
    'that a person has': [{}, 'me'],
    'that no one has': [{ usernames: { username: 'bob' } }, 'nobody'],
    'of another person': [{ usernames: { user_id: OTHER } }, 'another'],
    'that still leads to its owner': [{ usernames: { redirect_until: '2020-01-02T00:00:00.001Z' } }, 'me'],
    'that leads to its owner until now': [{ usernames: { redirect_until: '2020-01-02T00:00:00Z' } }, 'nobody'],
    'that no longer leads to its owner': [{ usernames: { redirect_until: '2020-01-01T00:00:00Z' } }, 'nobody'],
    'of a person who has closed their account': [
      { usernames: { redirect_until: '2020-01-03T00:00:00Z' }, users: { closed_at: '2020-01-01' } },
      'nobody',
    ],
  },
};

const naming: Decision = {
  of: 'whether an operator may decide: refuse_unnamed',
  rows: { operators: { name: 'anna', role: 'admin', added_at: '2020-01-01' } },
  calls: [`SELECT refuse_unnamed('anna', '2020-01-02')`, `SELECT 'may' AS said`],
  cases: {
    'as an admin': [{}, 'may'],
    'about risk': [{ operators: { role: 'risk' } }, 'may'],
    'as support': [{ operators: { role: 'support' } }, /not an operator who may approve/],
    'who is not named': [{ operators: null }, /not an operator who may approve/],
    'with another name': [{ operators: { name: 'Anna' } }, /not an operator who may approve/],
    'who was added later': [{ operators: { added_at: '2020-01-03' } }, /not an operator who may approve/],
    'who was added at that moment': [{ operators: { added_at: '2020-01-02' } }, 'may'],
  },
};

const restore = (day: number) => ({ noted_at: `2020-01-0${day}T00:00:00Z` });
const keysConfirmed = { keys_confirmed_at: 'now', keys_confirmed_by: 'anna' };
const sessionsConfirmed = { sessions_confirmed_at: 'now', sessions_confirmed_by: 'anna' };
const crediting = (kind: string, confirmed: object, others: object): Decision => ({
  of: `from when on ${kind} count: credentials_from`,
  rows: {},
  calls: [
    `SELECT CASE WHEN f = '-infinity' THEN 'ever' ELSE to_char(f AT TIME ZONE 'UTC', 'FMDD') END AS said
       FROM credentials_from('${kind}') f`,
  ],
  cases: {
    'without a restore': [{}, 'ever'],
    'after a restore': [{ restores: restore(3) }, '3'],
    'after a restore that was confirmed': [{ restores: { ...restore(3), ...confirmed } }, 'ever'],
    'after a restore that was confirmed for others': [{ restores: { ...restore(3), ...others } }, '3'],
    'after two restores': [{ restores: restore(3), 'restores 2': restore(5) }, '5'],
    'after two restores, of which the later was confirmed': [
      { restores: restore(3), 'restores 2': { ...restore(5), ...confirmed } },
      '3',
    ],
  },
});

const DAY_MS = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * DAY_MS);
const ALL = `10, '(0,0)', '(1000000,0)'`;

const forgettingSessions: Decision = {
  of: 'whether a session is deleted after ten days: forget_sessions',
  rows: { sessions: { created_at: ago(90), last_used_at: ago(80), expires_at: ago(11) } },
  calls: [`SELECT forget_sessions(${ALL}) AS said`],
  cases: {
    'that expired eleven days ago': [{}, '1'],
    'that expired nine days ago': [{ sessions: { expires_at: ago(9) } }, '0'],
    'that is open': [{ sessions: { expires_at: ago(-1) } }, '0'],
    'that ended eleven days ago': [{ sessions: { ended_at: ago(11), ended_because: 'revoked' } }, '1'],
    'that ended nine days ago': [{ sessions: { ended_at: ago(9), ended_because: 'revoked' } }, '0'],
    'that ended eleven days ago and would not have expired': [
      { sessions: { ended_at: ago(11), ended_because: 'revoked', expires_at: ago(-1) } },
      '0',
    ],
  },
};

const forgettingDeliveries: Decision = {
  of: 'whether a delivery is deleted after ten days: forget_deliveries',
  rows: {
    webhook_endpoints: { endpoint_id: ID, types: '{*}' },
    webhook_deliveries: { endpoint_id: ID, created_at: ago(11), state: 'delivered', due_at: null },
  },
  calls: [`SELECT forget_deliveries(${ALL}) AS said`],
  cases: {
    'of eleven days ago': [{}, '1'],
    'of nine days ago': [{ webhook_deliveries: { created_at: ago(9) } }, '0'],
    'that has failed': [{ webhook_deliveries: { state: 'failed' } }, '1'],
    'that waits': [{ webhook_deliveries: { state: 'waiting', due_at: 'now' } }, '0'],
    'that waits for an endpoint that was removed': [
      {
        webhook_deliveries: { state: 'waiting', due_at: 'now' },
        webhook_endpoints: { state: 'off', removed_at: 'now' },
      },
      '1',
    ],
    'that waits for an endpoint that is switched off': [
      { webhook_deliveries: { state: 'waiting', due_at: 'now' }, webhook_endpoints: { state: 'off' } },
      '0',
    ],
  },
};

export const peopleDecisions: readonly Decision[] = [
  owning,
  naming,
  crediting('keys', keysConfirmed, sessionsConfirmed),
  crediting('sessions', sessionsConfirmed, keysConfirmed),
  forgettingSessions,
  forgettingDeliveries,
];
