/** Attacks by callers who request another user's data. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { readConfig } from '../../server/src/bin/config/config.ts';
import { openDatabase } from '../../server/src/db/database.ts';
import { type Attack, books, codes, count, credit, distinct, key, payment, send } from '../support/attacks.ts';
import { recordCall } from '../support/database/recordStatements.ts';

export const noCredential: Attack = {
  attack: 'Send with no credential',
  wanted: 'production 401 auth.required; sandbox 200, loopback only',
  async probe(world) {
    const { florin, sandbox, mallory } = world;
    const bare = await florin.call('POST', '/api/v1/send_usdc', payment(world, mallory), key());
    const { user_id: userId } = (await sandbox.logIn('a@example.com')).body.user;
    const { user_id: otherId } = (await sandbox.logIn('b@example.com')).body.user;
    await sandbox.call('POST', '/api/v1/set_username', { user_id: otherId, username: 'somebody' });
    const own = openDatabase(sandbox.databaseUrl);
    await credit(own, userId);
    await own.close();
    const body = { sender_user_id: userId, receiver_username: 'somebody', amount: 1 };
    const open = await sandbox.call('POST', '/api/v1/send_usdc', body);
    const env = { FLORIN_MODE: 'sandbox', DATABASE_URL: 'postgres://localhost/x', FLORIN_SIGNER_URL: 'unix:/s' };
    expect(() => readConfig({ ...env, FLORIN_SIGNER_TOKEN: 'x', FLORIN_HOST: '0.0.0.0' })).toThrow(/loopback/);
    return `production ${codes([bare])}; sandbox ${open.status}, loopback only`;
  },
};

export const anothersId: Attack = {
  attack: "IDOR: another's user_id",
  wanted: '403 auth.forbidden, the same for an unknown one, nothing changed',
  async probe(world) {
    const { florin, db, mallory, victim } = world;
    const before = await books(db);
    const stranger = { ...victim, userId: randomUUID() };
    const answers = await Promise.all([
      send(world, mallory, payment(world, victim)),
      send(world, mallory, payment(world, stranger)),
    ]);
    const others = await Promise.all(
      [
        ['POST', '/api/v1/set_username', { user_id: victim.userId, username: 'stolen' }],
        ['POST', '/api/v1/kyc/applicant', { user_id: victim.userId }],
        ['POST', `/api/v1/kyc/check-status/${victim.userId}`],
        ['GET', `/api/v1/limits/${victim.userId}`],
        ['GET', `/api/v1/latest_transactions_by_username/${victim.name}`],
      ].map(([method, path, body]) => florin.call(method as string, path as string, body, mallory.bearer)),
    );
    expect(new Set(codes(others).split(', '))).toEqual(new Set(['403 auth.forbidden']));
    const changed = (await books(db)) === before ? 'nothing changed' : 'something changed';
    return `${codes(answers.slice(0, 1))}, ${distinct(answers) === 1 ? 'the same' : 'another'} for an unknown one, ${changed}`;
  },
};

export const lookAlikeNames: Attack = {
  attack: 'Username squatting, homographs',
  wanted: '400 ×3; 409 ×4',
  async probe({ florin, mallory }) {
    const rename = (username: string) =>
      florin.call('POST', '/api/v1/set_username', { user_id: mallory.userId, username }, mallory.bearer);
    const shapes = await Promise.all(['vіctim_shop', 'victim​shop', 'ab'].map(rename));
    const taken = await Promise.all(['VICTIM_SHOP', 'victimshop', 'victim_sh0p', 'admin'].map(rename));
    return `400 ×${count(shapes, 400)}; 409 ×${count(taken, 409)}`;
  },
};

export const kycByEmail: Attack = {
  attack: 'KYC status by email',
  wanted: 'known and unknown: one 403; after 10 in a minute 429; no address in the log',
  async probe(world) {
    const { florin, mallory, victim } = world;
    const read = (name: string) =>
      florin.call('GET', `/api/v1/kyc/status/${name}@example.com`, undefined, mallory.bearer);
    const answers = [await read(victim.name), await read('nobody')];
    let last = answers[1]!;
    for (let i = 2; i < 11; i++) last = await read('nobody');
    const logged = florin.log().includes('@example.com') ? 'an address' : 'no address';
    return `known and unknown: ${distinct(answers) === 1 ? 'one' : 'two'} ${answers[0]!.status}; after 10 in a minute ${last.status}; ${logged} in the log`;
  },
};

export const timing: Attack = {
  attack: 'Timing of known and unknown people',
  wanted: 'by id, name and email: one 403 each, after the same statements; see npm run bench -- timing',
  async probe({ florin, mallory: known, victim: asking, recorder }) {
    const watch = (path: string) => recordCall(recorder, () => florin.call('GET', path, undefined, asking.bearer));
    const pairs = [
      [`/api/v1/limits/${known.userId}`, `/api/v1/limits/${randomUUID()}`],
      [`/api/v1/latest_transactions_by_username/${known.name}`, '/api/v1/latest_transactions_by_username/nobody_here'],
      [`/api/v1/kyc/status/${known.name}@example.com`, '/api/v1/kyc/status/nobody@example.com'],
    ] as const;
    const differences: string[] = [];
    for (const [path, another] of pairs) {
      // The server caches the caller's own session and names after the first call.
      await florin.call('GET', another, undefined, asking.bearer);
      const [one, other] = [await watch(path), await watch(another)];
      if (distinct([one.answer, other.answer]) !== 1 || one.answer.status !== 403) differences.push(`${path}: answers`);
      if (String(one.statements) !== String(other.statements)) differences.push(`${path}: statements`);
      // The caller's session lookup must appear in the recording: an empty recording would prove nothing.
      if (one.statements.length === 0) differences.push(`${path}: no statements`);
    }
    return differences.join() || timing.wanted;
  },
};
