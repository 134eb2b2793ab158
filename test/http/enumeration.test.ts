/**
 * In production a caller cannot find out who exists: known and unknown people, names and email addresses get the same
 * answer after the same SQL statements with the same values, because the value in question never reaches the database.
 * `npm run bench -- timing` measures the time of the same calls.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseUsdc } from '../../server/src/core/money.ts';
import { openDatabase } from '../../server/src/db/database.ts';
import { isNoise, type Recorder, recordCall, recordStatements } from '../support/database/recordStatements.ts';
import { recordDeposit } from '../support/ledger/recordDeposit.ts';
import { type Production, startProduction } from '../support/production.ts';
import { HOME } from '../support/values.ts';

let florin: Production;
let recorder: Recorder;
beforeAll(async () => {
  florin = await startProduction(
    { FLORIN_RATE_LIMITS: 'address=100000, login=1000, user=10000, kyc=10000, name=10000' },
    {
      reach: async (url, program) => {
        if (program !== 'server') return url;
        recorder = await recordStatements(url);
        return recorder.url;
      },
    },
  );
});
afterAll(async () => {
  await florin.stop();
  await recorder.remove();
});

async function arrive(name: string) {
  const idToken = await florin.issuer.sign({ sub: name, email: `${name}@example.com`, email_verified: true });
  const { body } = await florin.call('POST', '/api/v1/login', { id_token: idToken });
  const bearer = { authorization: `Bearer ${body.access_token}` };
  await florin.call('POST', '/api/v1/set_username', { user_id: body.user.user_id, username: name }, bearer);
  await florin.call('POST', '/api/v1/kyc/applicant', { user_id: body.user.user_id }, bearer);
  return { userId: body.user.user_id as string, bearer };
}

/** A recorded statement ends with a hash of its values; an id that is looked up is one of them. */
const withoutValues = (statement: string) => statement.replace(/ -- [0-9a-f]+$/, '');

async function watch(call: () => ReturnType<Production['call']>, normalize?: (statement: string) => string) {
  const { answer, statements } = await recordCall(recorder, call, normalize);
  return { said: [answer.status, { ...answer.body, request_id: '' }], statements };
}

/** The provider's webhooks about new people must be processed before recording starts. */
async function waitForQuiet(): Promise<void> {
  const QUIET_POLLS = 5;
  for (let quiet = 0; quiet < QUIET_POLLS; ) {
    await sleep(200);
    quiet = recorder.take().some((one) => !isNoise(one)) ? 0 : quiet + 1;
  }
}

type Ask = (who: { userId: string; name: string }) => [string, string, unknown?];
const asks: [string, Ask][] = [
  ['KYC status by email', ({ name }) => ['GET', `/api/v1/kyc/status/${name}@example.com`]],
  ['history by username', ({ name }) => ['GET', `/api/v1/latest_transactions_by_username/${name}`]],
  ['limits', ({ userId }) => ['GET', `/api/v1/limits/${userId}`]],
  ['begin a check', ({ userId }) => ['POST', '/api/v1/kyc/applicant', { user_id: userId }]],
  ['token for a check', ({ userId }) => ['POST', '/api/v1/kyc/access-token', { user_id: userId }]],
  ['ask for a check', ({ userId }) => ['POST', `/api/v1/kyc/check-status/${userId}`]],
  ['set a username', ({ userId }) => ['POST', '/api/v1/set_username', { user_id: userId, username: 'free_name' }]],
  [
    'pay from',
    ({ userId }) => ['POST', '/api/v1/send_usdc', { sender_user_id: userId, receiver_username: 'snoop', amount: 1 }],
  ],
];

it('known and unknown people take the same statements, values included, and get one answer', async () => {
  const { bearer } = await arrive('snoop');
  const known = { userId: (await arrive('known_one')).userId, name: 'known_one' };
  const unknown = () => ({ userId: randomUUID(), name: 'unknown_one' });
  await waitForQuiet();
  const watchAsk = (ask: Ask, who: { userId: string; name: string }) => {
    const [method, path, body] = ask(who);
    return watch(() => florin.call(method, path, body, { ...bearer, 'idempotency-key': randomUUID() }));
  };
  const table: string[] = [];
  for (const [name, ask] of asks) {
    await watchAsk(ask, known);
    const [first, second] = [await watchAsk(ask, known), await watchAsk(ask, unknown())];
    expect(first.said, name).toEqual(second.said);
    expect(first.said[0], name).toBe(403);
    expect(first.statements, name).toEqual(second.statements);
    // The caller's session is looked up, so something must be recorded. A payer's session is cached: no statement at
    // all.
    expect(first.statements.length > 0, name).toBe(name !== 'pay from');
    table.push(`${name.padEnd(22)} ${first.said[0]}, ${first.statements.length} statement(s) for both`);
  }
  console.log(table.join('\n'));
});

it('a foreign transaction takes the statements of one that does not exist, and gets its answer', async () => {
  const { bearer } = await arrive('peeping_tom');
  const { userId } = await arrive('rich_uncle');
  const depositId = randomUUID();
  const db = openDatabase(florin.databaseUrl);
  const deposit = { depositId, userId, blockchain: HOME, amount: parseUsdc('1'), fromAddress: `0x${'f'.repeat(40)}` };
  await db.tx((tx) => recordDeposit(tx, deposit));
  await db.close();
  await waitForQuiet();
  const watchId = (id: string) =>
    watch(() => florin.call('GET', `/api/v1/transactions/${id}`, undefined, bearer), withoutValues);
  await watchId(depositId);
  const [known, unknown] = [await watchId(depositId), await watchId(randomUUID())];
  expect(known).toEqual(unknown);
  expect([known.said[0], known.statements.length > 1]).toEqual([404, true]);
});

it('a foreign request for money takes the statements of one that does not exist, and gets its answer', async () => {
  const [{ bearer }, asker] = [await arrive('curious_cat'), await arrive('asking_one')];
  await arrive('asked_one');
  const wish = { payer_username: 'asked_one', amount: 1 };
  const { body } = await florin.call('POST', '/api/v1/requests', wish, asker.bearer);
  await waitForQuiet();
  const watchId = (id: string, method: string, path: string) =>
    watch(() => florin.call(method, `/api/v1/requests/${id}${path}`, undefined, bearer), withoutValues);
  for (const [method, path] of [
    ['GET', ''],
    ['POST', '/pay'],
    ['POST', '/decline'],
    ['POST', '/cancel'],
  ] as const) {
    await watchId(body.request_id, method, path);
    const known = await watchId(body.request_id, method, path);
    expect(known, path).toEqual(await watchId(randomUUID(), method, path));
    expect([known.said[0], known.statements.length > 1], path).toEqual([404, true]);
  }
});

it('a payment page takes the same statements and gives one answer for every name that is not public', async () => {
  const change = async (name: string, ...[method, path, body]: [string, string, object?]) => {
    const person = people.get(name) ?? (await arrive(name));
    people.set(name, person);
    const given = body && 'username' in body ? { user_id: person.userId, ...body } : body;
    expect((await florin.call(method, `/api/v1${path}`, given, person.bearer)).status, name).toBe(200);
  };
  const people = new Map<string, Awaited<ReturnType<typeof arrive>>>();
  const publish = (name: string) => change(name, 'PATCH', '/me', { discoverable: true });
  for (const name of ['shown_one', 'moved_one', 'gone_one', 'shy_one']) await publish(name);
  await arrive('hidden_one');
  await change('shy_one', 'PATCH', '/me', { discoverable: false });
  await change('moved_one', 'POST', '/set_username', { username: 'moved_two' });
  await change('gone_one', 'POST', '/me/close');
  await waitForQuiet();
  const open = (name: string) => watch(() => florin.call('GET', `/api/v1/public/names/${name}`), withoutValues);
  const nobody = await open('nobody_here');
  expect(nobody.said).toMatchObject([404, { code: 'username.unknown' }]);
  expect(nobody.statements).toHaveLength(1);
  for (const name of ['hidden_one', 'shy_one', 'moved_one', 'gone_one', 'admin'])
    expect(await open(name), name).toEqual(nobody);
  for (const name of ['shown_one', 'SHOWN_one', 'moved_two'])
    expect((await open(name)).said).toMatchObject([200, { username: name.toLowerCase() }]);
  // What is no name at all: no statement is needed to know that.
  for (const name of ['a', 'x'.repeat(10_000), '%E2%80%AEbob', '%3Cb%3E', '@bob'])
    expect((await open(name)).said, name).toMatchObject([404, { code: 'username.unknown' }]);
});

it('a login with an invalid token causes no statement, for a known or an unknown person', async () => {
  const watchLogin = async (sub: string) => {
    const token = await florin.issuer.sign({ sub, email: `${sub}@example.com`, email_verified: true });
    return watch(() => florin.call('POST', '/api/v1/login', { id_token: `${token.slice(0, -8)}AAAAAAAA` }));
  };
  expect(await watchLogin('known_one')).toEqual(await watchLogin('nobody_at_all'));
  expect((await watchLogin('known_one')).statements).toEqual([]);
});
