/** Identity checks: started, decided, revoked; forged, repeated and reordered webhooks; an outage of the provider. */
import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { renderEvent, signEvent } from '../../sandbox/src/kyc/sendWebhook.ts';
import { openSession } from '../../server/src/customers/sessions/sessions.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { bearer } from '../support/http/answer.ts';
import { fetchChecked } from '../support/http/fetchChecked.ts';
import { judgeEndOf } from '../support/properties/judgeEnd.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { SUMSUB_KEYS, startTestSumsub } from '../support/sumsub.ts';
import { UNKNOWN_USER_ID } from '../support/values.ts';

let sumsub: Awaited<ReturnType<typeof startTestSumsub>>;
let florin: TestServer;
let db: Db;

beforeAll(async () => {
  sumsub = await startTestSumsub();
  florin = await startTestServer(sumsub.env);
  sumsub.setWebhookUrl(`${florin.backendUrl}/webhooks/sumsub`);
  db = openDatabase(florin.databaseUrl);
});
afterEach(() => {
  Object.assign(sumsub.switches, { slow: false, down: false, twice: false, mute: false });
});
afterAll(async () => {
  await db.close();
  await florin.stop();
  await sumsub.stop();
});

const start = (user_id: string) => florin.call('POST', '/api/v1/kyc/applicant', { user_id });
const token = (user_id: string) => florin.call('POST', '/api/v1/kyc/access-token', { user_id });
const check = (user_id: string) => florin.call('POST', `/api/v1/kyc/check-status/${user_id}`);
const stored = (email: string) => florin.call('GET', `/api/v1/kyc/status/${encodeURIComponent(email)}`);

/** A person whose check has started. */
async function begin(email: string): Promise<{ userId: string; applicantId: string; email: string }> {
  const { user_id: userId } = (await florin.logIn(email)).body.user;
  return { userId, applicantId: (await start(userId)).body.applicant_id, email };
}

describe('an identity check', () => {
  it('is started once, and goes from nothing to approved', async () => {
    const { user_id } = (await florin.logIn('iris@example.com')).body.user;
    const NONE = { user_id, status: 'none', can_retry: false, reasons: [], updated_at: null, stale: false };
    expect((await stored('iris@example.com')).body).toEqual(NONE);
    expect((await check(user_id)).body).toEqual(NONE);
    const begun = await Promise.all([start(user_id), start(user_id), start(user_id)]);
    expect(begun.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(begun.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(begun[0]!.body).toMatchObject({ user_id, level: 'basic-kyc-level', status: 'started' });
    const { applicant_id } = begun[0]!.body;
    expect((await token(user_id)).body).toEqual({
      token: expect.stringMatching(/^_act-/),
      applicant_id,
      expires_in: 600,
    });
    await sumsub.decide(applicant_id, 'submit');
    expect((await stored('iris@example.com')).body.status).toBe('pending');
    await sumsub.decide(applicant_id, 'service');
    expect((await check(user_id)).body.status).toBe('pending');
    await sumsub.decide(applicant_id, 'approve');
    const approved = await stored('  Iris@Example.COM ');
    expect(approved.body).toMatchObject({ user_id, status: 'approved', can_retry: false, stale: false });
    expect(approved.body.updated_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect((await florin.logIn('iris@example.com')).body.user.kyc_status).toBe('approved');
    expect((await start(user_id)).body).toMatchObject({ applicant_id, status: 'approved' });
  });

  it('is read from the provider when no webhook comes', async () => {
    sumsub.switches.mute = true;
    const { userId, applicantId, email } = await begin('mute@example.com');
    await sumsub.decide(applicantId, 'ask');
    expect((await stored(email)).body.status).toBe('started');
    expect((await check(userId)).body.status).toBe('needs_input');
    expect((await stored(email)).body.status).toBe('needs_input');
  });

  it('that may be repeated gives reasons; a final rejection says little and cannot be repeated', async () => {
    const { userId, applicantId } = await begin('jack@example.com');
    await sumsub.decide(applicantId, 'retry');
    const again = (await check(userId)).body;
    expect(again).toMatchObject({ status: 'rejected', can_retry: true });
    expect(again.reasons[0]).toBe('The photos are not clear enough.');
    expect(JSON.stringify(again)).not.toContain('Only for the client');
    expect((await token(userId)).status).toBe(200);
    await sumsub.decide(applicantId, 'reject');
    expect((await check(userId)).body).toMatchObject({
      status: 'rejected',
      can_retry: false,
      reasons: ['The identity could not be verified.'],
    });
    const refused = await token(userId);
    expect([refused.status, refused.body.code]).toEqual([409, 'kyc.final']);
    sumsub.applicants.remove(sumsub.applicants.find(applicantId)!);
    expect((await check(userId)).body).toMatchObject({ status: 'rejected', can_retry: false });
  });

  it('that was passed can be revoked, and passed again', async () => {
    const { userId, applicantId } = await begin('ken@example.com');
    await sumsub.decide(applicantId, 'approve');
    await sumsub.decide(applicantId, 'reset');
    expect((await check(userId)).body).toMatchObject({ status: 'revoked', can_retry: true });
    await sumsub.decide(applicantId, 'submit');
    expect((await check(userId)).body.status).toBe('revoked');
    await sumsub.decide(applicantId, 'approve');
    expect((await check(userId)).body.status).toBe('approved');
    sumsub.applicants.remove(sumsub.applicants.find(applicantId)!);
    expect((await check(userId)).body.status).toBe('revoked');
    const anew = await start(userId);
    expect(anew.body).toMatchObject({ status: 'revoked' });
    expect(anew.body.applicant_id).not.toBe(applicantId);
  });
});

describe('bad input', () => {
  it.each([
    ['no body', undefined, 422],
    ['no user', {}, 422],
    ['not a UUID', { user_id: 'alice' }, 422],
    ['a number', { user_id: 7 }, 422],
    ['an unknown user', { user_id: UNKNOWN_USER_ID }, 404],
  ])('%s', async (_, body, status) => {
    for (const path of ['/api/v1/kyc/applicant', '/api/v1/kyc/access-token']) {
      expect((await florin.call('POST', path, body)).status).toBe(status);
    }
  });
  it('in the path', async () => {
    expect((await check('alice')).body.detail[0]).toMatchObject({ loc: ['path', 'user_id'], type: 'uuid_parsing' });
    expect((await check(UNKNOWN_USER_ID)).body.code).toBe('user.unknown');
    for (const email of ['nobody@example.com', 'not an address', "' OR 1=1 --"]) {
      expect([email, (await stored(email)).status]).toEqual([email, 404]);
    }
    expect((await stored('\u0000')).body.code).toBe('request.malformed');
  });
});

describe('a webhook', () => {
  const post = (body: string, headers: Record<string, string>) =>
    fetchChecked(`${florin.backendUrl}/webhooks/sumsub`, { method: 'POST', body, headers });
  const send = (body: string, secret = SUMSUB_KEYS.webhookSecret) => post(body, signEvent(body, secret));

  it('that is forged changes nothing', async () => {
    const { userId, applicantId } = await begin('leo@example.com');
    const body = JSON.stringify({
      applicantId,
      externalUserId: userId,
      type: 'applicantReviewed',
      reviewStatus: 'completed',
      reviewResult: { reviewAnswer: 'GREEN' },
    });
    const sha1 = {
      'content-type': 'application/json',
      'x-payload-digest': createHmac('sha1', SUMSUB_KEYS.webhookSecret).update(body).digest('hex'),
      'x-payload-digest-alg': 'HMAC_SHA1_HEX',
    };
    const forged = [
      await post(body, { 'content-type': 'application/json' }),
      await post(body, sha1),
      await send(body, 'guessed'),
      await post(`${body} `, signEvent(body, SUMSUB_KEYS.webhookSecret)),
    ];
    expect(forged.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    // Even with the right secret its verdict is not used: the provider is asked, and says otherwise.
    expect((await send(body)).status).toBe(200);
    expect((await check(userId)).body.status).toBe('started');
  });

  it('may come twice, late and in any order', async () => {
    const { userId, applicantId, email } = await begin('mia@example.com');
    const applicant = sumsub.applicants.find(applicantId)!;
    const early = renderEvent(
      { ...applicant, review: { ...applicant.review, reviewStatus: 'pending' } },
      'applicantPending',
    );
    sumsub.switches.twice = true;
    await sumsub.decide(applicantId, 'approve');
    expect((await stored(email)).body.status).toBe('approved');
    const { updated_at } = (await stored(email)).body;
    for (const body of [early, early, renderEvent(applicant, 'applicantReviewed')])
      expect((await send(body)).status).toBe(200);
    expect((await stored(email)).body).toMatchObject({ status: 'approved', updated_at });
    const changes = await db.query(
      `SELECT details FROM audit_log WHERE user_id = $1 AND action = 'kyc.changed' ORDER BY audit_id`,
      [userId],
    );
    expect(changes).toEqual([{ details: { from: 'started', to: 'approved', can_retry: false } }]);
  });

  it('among many concurrent ones leaves the true status', async () => {
    const { applicantId, email } = await begin('storm@example.com');
    const names = ['submit', 'hold', 'approve', 'reset', 'submit', 'retry', 'submit', 'approve'];
    await Promise.all(names.map((name) => sumsub.decide(applicantId, name)));
    expect((await stored(email)).body.status).toBe('approved');
  });

  it('about an unknown applicant, or without one, is accepted and ignored', async () => {
    for (const body of ['{"applicantId":"63e096c51f7a2e5d3c8b4a19","type":"applicantReviewed"}', '{"type":"kytTx"}']) {
      expect((await send(body)).status).toBe(200);
    }
  });

  it('is answered 503 while the provider is down, so that it is sent again', async () => {
    const { applicantId, email } = await begin('nora@example.com');
    sumsub.switches.mute = true;
    await sumsub.decide(applicantId, 'approve');
    sumsub.switches.down = true;
    const body = renderEvent(sumsub.applicants.find(applicantId)!, 'applicantReviewed');
    expect((await send(body)).status).toBe(503);
    sumsub.switches.down = false;
    expect((await send(body)).status).toBe(200);
    expect((await stored(email)).body.status).toBe('approved');
  });
});

describe('a provider that does not answer', () => {
  it.each(['down', 'slow'] as const)('%s: the last known status is returned, marked as stale', async (fault) => {
    const { userId, applicantId, email } = await begin(`${fault}@example.com`);
    await sumsub.decide(applicantId, 'approve');
    sumsub.switches[fault] = true;
    expect((await check(userId)).body).toMatchObject({ status: 'approved', stale: true });
    expect((await stored(email)).body).toMatchObject({ status: 'approved', stale: true });
    expect((await start(userId)).status).toBe(200);
    const refused = await token(userId);
    expect([refused.status, refused.body.code, refused.body.dependency]).toEqual([503, 'service.unavailable', 'kyc']);
    const { user_id } = (await florin.logIn(`new-${fault}@example.com`)).body.user;
    expect((await start(user_id)).status).toBe(503);
    sumsub.switches[fault] = false;
    expect((await check(userId)).body).toMatchObject({ status: 'approved', stale: false });
    expect((await start(user_id)).body.status).toBe('started');
  });

  it('or is not configured: no check can start, everything can be read', async () => {
    const without = await startTestServer();
    const { user_id } = (await without.logIn('iris@example.com')).body.user;
    expect((await without.call('POST', '/api/v1/kyc/applicant', { user_id })).status).toBe(503);
    expect((await without.call('POST', `/api/v1/kyc/check-status/${user_id}`)).body.status).toBe('none');
    expect((await without.call('POST', '/webhooks/sumsub', {})).status).toBe(503);
    await without.stop();
  });
});

describe('with a credential', () => {
  it('only your own check can be read: foreign and unknown ones get the same answer', async () => {
    const mallory = (await florin.logIn('mallory@example.com')).body;
    const { userId } = await begin('victim@example.com');
    const own = bearer(mallory.access_token);
    const own_status = await florin.call('GET', '/api/v1/kyc/status/MALLORY@example.com', undefined, own);
    expect(own_status.body.user_id).toBe(mallory.user.user_id);
    const asked = [];
    for (const id of [userId, UNKNOWN_USER_ID]) {
      asked.push(await florin.call('POST', '/api/v1/kyc/applicant', { user_id: id }, own));
      asked.push(await florin.call('POST', '/api/v1/kyc/access-token', { user_id: id }, own));
      asked.push(await florin.call('POST', `/api/v1/kyc/check-status/${id}`, undefined, own));
    }
    for (const email of ['victim@example.com', 'nobody@example.com', 'x']) {
      asked.push(await florin.call('GET', `/api/v1/kyc/status/${email}`, undefined, own));
    }
    const bodies = asked.map(({ body }) => JSON.stringify({ ...body, request_id: '' }));
    expect(new Set(bodies).size).toBe(1);
    expect(asked[0]!.body).toMatchObject({ status: 403, code: 'auth.forbidden' });
  });
});

describe('production', () => {
  it('takes the user from the token, and reads nothing about others', async () => {
    const server = await startTestServer({
      FLORIN_MODE: 'production',
      FLORIN_OIDC_ISSUERS: '[{"issuer":"https://login.example.com","audience":"florin"}]',
    });
    const own = openDatabase(server.databaseUrl);
    const [user] = await own.query<{ user_id: string }>(
      `INSERT INTO users (user_id, issuer, subject, email)
       VALUES (gen_random_uuid(), 'https://login.example.com', 'a', 'olga@example.com'),
              (gen_random_uuid(), 'https://login.example.com', 'b', 'pete@example.com') RETURNING user_id`,
    );
    const rules = { accessTokenSeconds: 60, refreshTokenSeconds: 600, sessionSeconds: 90_000 };
    const { accessToken } = await own.tx((tx) => openSession(tx, rules, user!.user_id, null));
    const read = (email: string) => server.call('GET', `/api/v1/kyc/status/${email}`, undefined, bearer(accessToken));
    expect((await read('Olga@example.com')).body).toMatchObject({ user_id: user!.user_id, status: 'none' });
    for (const email of ['pete@example.com', 'nobody@example.com']) expect((await read(email)).status).toBe(403);
    expect((await server.call('GET', '/api/v1/kyc/status/olga@example.com')).status).toBe(401);
    await own.close();
    await server.stop();
  });
});

describe('the log', () => {
  it('contains no email address, no token and no verdict text', () => {
    const log = florin.logLines.join('');
    expect(log).toContain('kyc: no status');
    expect(log).not.toMatch(/@example\.com|_act-|corners|fraud|request-signing-secret|webhook-secret/);
  });
});

it('in the end everything has ended, and every balance is explained', async () => {
  await florin.startWorker();
  expect(await judgeEndOf(florin)).toEqual([]);
});
