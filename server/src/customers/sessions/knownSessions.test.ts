/** Tests which sessions a process caches, and which it drops after it has asked the database again. */
import { expect, it } from 'vitest';
import type { DedicatedConnection } from '../../db/openDedicatedConnection.ts';
import { seeEpoch } from '../../ledger/epoch.ts';
import { createKnownSessions } from './knownSessions.ts';

const SESSIONS = ['a', 'b', 'c'];

/** The database's answer: its epoch, its judgement of our epoch, and the sessions that have changed since. */
const answering = (standing: string, ...changed: string[]): DedicatedConnection =>
  ({
    run: async () => (changed.length > 0 ? changed : [null]).map((sessionId) => ['6', '8', standing, sessionId]),
  }) as unknown as DedicatedConnection;

it.each([
  ['nothing has changed', answering('held'), []],
  ['one session has changed', answering('held', 'b'), ['b']],
  ['two have changed', answering('held', 'a', 'c'), ['a', 'c']],
  ['an unknown session has changed', answering('held', 'x'), []],
  ['the epoch is too old', answering('old'), SESSIONS],
  ['commits were lost', answering('lost'), SESSIONS],
  ['too many have changed', answering('held', ...Array.from({ length: 10_001 }, (_, i) => `s${i}`)), SESSIONS],
])('%s: callers of those sessions are marked, and no longer found', async (_, connection, changed) => {
  const sessions = createKnownSessions();
  const callers = SESSIONS.map((sessionId) =>
    sessions.remember(seeEpoch('5', '7'), {
      userId: 'u',
      sessionId,
      accessToken: `token ${sessionId}`,
      untilMs: Number.POSITIVE_INFINITY,
    }),
  );
  await sessions.catchUp(connection);
  // Holders of the caller object see it as well: a payment may be waiting with it.
  expect(callers.filter((caller) => caller!.isChanged).map((caller) => caller!.sessionId)).toEqual(changed);
  const found = SESSIONS.filter((sessionId) => sessions.find(`token ${sessionId}`));
  expect(found).toEqual(SESSIONS.filter((sessionId) => !changed.includes(sessionId)));
});
