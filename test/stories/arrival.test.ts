/** A new person logs in, takes a username, refreshes and revokes sessions; a reused refresh token ends one. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asAdmin } from '../support/database.ts';
import { bearer } from '../support/http/answer.ts';
import { judgeEndOf } from '../support/properties/judgeEnd.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let florin: TestServer;
beforeAll(async () => {
  florin = await startTestServer();
});
afterAll(() => florin.stop());

describe('a new person', () => {
  it('logs in with an ID token and gets one wallet', async () => {
    const first = await florin.logIn('ada@example.com');
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({
      user: { email: 'ada@example.com', username: null, kyc_status: 'none' },
      wallet: { address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/), blockchain: 'ETH-SEPOLIA' },
      token_type: 'Bearer',
      expires_in: 900,
      new_user: true,
    });
    const second = await florin.logIn('Ada@Example.com');
    expect(second.body).toMatchObject({ user: first.body.user, wallet: first.body.wallet, new_user: false });
  });

  it('takes a username, which the next login shows', async () => {
    const { body } = await florin.logIn('ada@example.com');
    const set = await florin.call('POST', '/api/v1/set_username', { user_id: body.user.user_id, username: 'Ada' });
    expect(set.body).toEqual({ success: true, user_id: body.user.user_id, username: 'ada', previous_username: null });
    expect((await florin.logIn('ada@example.com')).body.user.username).toBe('ada');
  });

  it('gets a clear error when the name cannot be taken', async () => {
    const { user_id } = (await florin.logIn('adam@example.com')).body.user;
    const taken = await florin.call('POST', '/api/v1/set_username', { user_id, username: 'a_da' });
    expect(taken.status).toBe(409);
    expect(taken.headers.get('content-type')).toBe('application/problem+json');
    expect(taken.body).toEqual({
      type: '/errors/username.taken',
      title: 'The username is taken',
      status: 409,
      detail: 'That username is taken or reserved, or is too similar to one that is.',
      code: 'username.taken',
      retryable: false,
      request_id: taken.headers.get('x-request-id'),
    });
    expect((await fetch(florin.backendUrl + taken.body.type)).status).toBe(200);
    const bad = await florin.call('POST', '/api/v1/set_username', { user_id, username: 'no way' });
    expect([bad.status, bad.body.code]).toEqual([400, 'username.invalid']);
    const unknown = await florin.call('POST', '/api/v1/set_username', {
      user_id: '00000000-0000-4000-8000-000000000000',
      username: 'someone',
    });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'user.unknown']);
  });

  it('wins a name alone when many claim it at the same time', async () => {
    const people = await Promise.all(Array.from({ length: 12 }, (_, i) => florin.logIn(`racer${i}@example.com`)));
    const claims = await Promise.all(
      people.map(({ body }, i) =>
        florin.call('POST', '/api/v1/set_username', {
          user_id: body.user.user_id,
          username: i % 2 ? 'pole_position' : 'polepositi0n',
        }),
      ),
    );
    expect(claims.map((claim) => claim.status).sort()).toEqual([200, ...Array(11).fill(409)]);
  });
});

describe('a username under an Idempotency-Key', () => {
  it('is set once; a repeat gets the first answer, another body is refused', async () => {
    const { user_id } = (await florin.logIn('keyed@example.com')).body.user;
    const set = (username: string, key: string) =>
      florin.call('POST', '/api/v1/set_username', { user_id, username }, { 'idempotency-key': key });
    const first = await set('keyed_one', 'k-1');
    expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([200, null]);
    const again = await set('keyed_one', '"k-1"');
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first.body, 'true']);
    const other = await set('keyed_two', 'k-1');
    expect([other.status, other.body.code]).toEqual([422, 'idempotency.mismatch']);
    const refused = [await set('admin', 'k-2'), await set('admin', 'k-2')];
    expect(refused.map((answer) => [answer.status, answer.headers.get('idempotency-replayed')])).toEqual([
      [409, null],
      [409, 'true'],
    ]);
    expect((await set('keyed_three', 'x'.repeat(256))).body.code).toBe('idempotency.invalid');
  });
});

describe('a session', () => {
  const refresh = (refresh_token: string, headers = {}) =>
    florin.call('POST', '/api/v1/sessions/refresh', { refresh_token }, headers);

  it('is listed, refreshed and revoked', async () => {
    const phone = (await florin.logIn('grace@example.com')).body;
    const laptop = (await florin.logIn('grace@example.com')).body;
    const listed = await florin.call('GET', '/api/v1/sessions', undefined, bearer(laptop.access_token));
    const ids = listed.body.sessions.map((one: { session_id: string }) => one.session_id);
    // More than two if the signer was slow at her first login.
    const all = await asAdmin<{ session_id: string }>(
      florin.databaseUrl,
      'SELECT session_id FROM sessions WHERE user_id = $1',
      [phone.user.user_id],
    );
    expect(ids.sort()).toEqual(all.map(({ session_id }) => session_id).sort());
    expect(ids).toEqual(expect.arrayContaining([phone.session_id, laptop.session_id]));
    expect(listed.body.sessions[0]).toMatchObject({ session_id: laptop.session_id, current: true });

    const renewed = await refresh(laptop.refresh_token);
    expect(renewed.body).toMatchObject({ token_type: 'Bearer', session_id: laptop.session_id });

    const revoked = await florin.call(
      'DELETE',
      `/api/v1/sessions/${phone.session_id}`,
      undefined,
      bearer(renewed.body.access_token),
    );
    expect(revoked.body).toEqual({ success: true, session_id: phone.session_id });
    const after = await florin.call('GET', '/api/v1/sessions', undefined, bearer(phone.access_token));
    expect([after.status, after.body.code, after.body.reason]).toEqual([401, 'auth.invalid', 'revoked']);
    expect(after.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });

  it('ends for thief and owner when an old refresh token is used again', async () => {
    const own = (await florin.logIn('heidi@example.com')).body;
    const renewed = (await refresh(own.refresh_token)).body;
    const thief = await refresh(own.refresh_token);
    expect([thief.status, thief.body.reason]).toEqual([401, 'reused']);
    expect((await refresh(renewed.refresh_token)).body.reason).toBe('revoked');
    expect((await florin.call('GET', '/api/v1/sessions', undefined, bearer(renewed.access_token))).status).toBe(401);
    expect((await florin.logIn('heidi@example.com')).status).toBe(200);
  });

  it('needs a credential', async () => {
    const bare = await florin.call('GET', '/api/v1/sessions');
    expect([bare.status, bare.body.code]).toEqual([401, 'auth.required']);
    expect(bare.headers.get('www-authenticate')).toBe('Bearer realm="florin"');
  });

  it('cannot act for another person, known or unknown', async () => {
    const mallory = (await florin.logIn('mallory@example.com')).body;
    const trent = (await florin.logIn('trent@example.com')).body;
    for (const user_id of [trent.user.user_id, '00000000-0000-4000-8000-000000000000']) {
      const attempt = await florin.call(
        'POST',
        '/api/v1/set_username',
        { user_id, username: 'stolen' },
        bearer(mallory.access_token),
      );
      expect([attempt.status, attempt.body.code]).toEqual([403, 'auth.forbidden']);
    }
  });
});

describe('the log', () => {
  it('contains no tokens and no email addresses', async () => {
    const { body } = await florin.logIn('secretive@example.com');
    await florin.call('POST', '/api/v1/login', { id_token: 'eyJhbGciOiJub25lIn0.e30.' });
    const log = florin.logLines.join('');
    for (const secret of ['secretive@example.com', body.access_token, body.refresh_token, 'eyJ']) {
      expect(log).not.toContain(secret);
    }
  });
});

describe('operations', () => {
  const ops = async (path: string) => {
    const answer = await fetch(florin.opsUrl + path);
    return { status: answer.status, text: await answer.text() };
  };
  it('health, readiness and metrics are on their own port', async () => {
    expect((await ops('/healthz')).status).toBe(200);
    const ready = await ops('/readyz');
    expect([ready.status, JSON.parse(ready.text)]).toEqual([
      200,
      {
        status: 'ready',
        process: 'server',
        dependencies: ['database', 'signer', `issuer ${florin.issuer.issuerUrl}`].map((name) =>
          expect.objectContaining({ name, status: 'ok', seconds_ago: expect.any(Number) }),
        ),
        paused: [],
        paused_people: 0,
      },
    ]);
    const { text } = await ops('/metrics');
    expect(text).toMatch(
      /florin_http_requests_total\{api="backend",route="\/api\/v1\/login",method="POST",status="200"\} \d+/,
    );
    expect((await fetch(`${florin.backendUrl}/metrics`)).status).toBe(404);
  });
});

it('in the end everything has ended, and every balance is explained', async () => {
  await florin.startWorker();
  expect(await judgeEndOf(florin)).toEqual([]);
});
