import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer } from '../../../../test/support/http/answer.ts';
import { operate } from '../../../../test/support/operate.ts';
import { startTestServer, type TestServer } from '../../../../test/support/server.ts';
import { openServiceCallers } from '../../customers/keys/serviceKeys.ts';
import { type Db, openDatabase } from '../../db/database.ts';

const OVERVIEW = '/subgraph/wallet-overview?address=0x8ba1f109551bD432803012645Ac136ddd64DBA72';
const PAYMENT = { destination_address: '0x8ba1f109551bD432803012645Ac136ddd64DBA72', amount: 1 };

let florin: TestServer;
let db: Db;
beforeAll(async () => {
  florin = await startTestServer({
    FLORIN_MODE: 'production',
    FLORIN_OIDC_ISSUERS: '[{"issuer":"https://login.example.com","audience":"florin"}]',
  });
  db = openDatabase(florin.databaseUrl);
});
afterAll(async () => {
  await db.close();
  await florin.stop();
});

const keys = (...args: string[]) => operate(db, 'key', ...args);
async function create(...scopes: string[]): Promise<{ key: string; id: string }> {
  const text = await keys('create', 'robot', '--any-wallet', ...scopes.flatMap((scope) => ['--scope', scope]));
  return { key: /^fsk_[\w-]{43}$/m.exec(text)![0], id: /Key (\S+)/.exec(text)![1]! };
}

describe('a service key', () => {
  it('allows the calls of its scopes on the Web3 API', async () => {
    const reader = await create('read');
    const sender = await create('send');
    expect((await florin.call('GET', OVERVIEW, undefined, bearer(reader.key))).status).toBe(200);
    const refused = await florin.call('POST', '/wallet/send-usdc', PAYMENT, bearer(reader.key));
    expect([refused.status, refused.body.code, refused.body.scope]).toEqual([403, 'auth.scope', 'send']);
    expect(refused.headers.get('www-authenticate')).toBe(
      'Bearer realm="florin", error="insufficient_scope", scope="send"',
    );
    const sent = await florin.call('POST', '/wallet/send-usdc', PAYMENT, bearer(sender.key));
    expect([401, 403]).not.toContain(sent.status);
    expect((await florin.call('GET', OVERVIEW, undefined, bearer(sender.key))).body.scope).toBe('read');
  });

  it('allows nothing else', async () => {
    const { key } = await create('read', 'send');
    const answer = await florin.call('GET', '/api/v1/sessions', undefined, bearer(key));
    expect([answer.status, answer.body.reason]).toEqual([401, 'unknown']);
  });

  it('is not needed in the sandbox, but checked when it is sent', async () => {
    const sandbox = await startTestServer();
    const own = openDatabase(sandbox.databaseUrl);
    const text = await operate(own, 'key', 'create', 'r', '--scope', 'read');
    const key = /^fsk_\S+/.exec(text)![0];
    expect((await sandbox.call('GET', OVERVIEW)).status).toBe(200);
    expect((await sandbox.call('GET', OVERVIEW, undefined, bearer(key))).status).toBe(200);
    expect((await sandbox.call('GET', OVERVIEW, undefined, bearer('fsk_made_up'))).status).toBe(401);
    expect((await sandbox.call('POST', '/wallet/send-usdc', PAYMENT, bearer(key))).body.code).toBe('auth.scope');
    await own.close();
    await sandbox.stop();
  });

  it('is stored as a hash, never listed, and refused immediately when revoked', async () => {
    const { key, id } = await create('read,send');
    const [row] = await db.query<{ text: string }>('SELECT k::text AS text FROM service_keys k WHERE key_id = $1', [
      id,
    ]);
    expect(row!.text).not.toContain(key.slice(4));
    expect(await keys('list')).toMatch(
      new RegExp(`${id} +robot\nscopes +read send\n.*?last used +never\nstate +in use`, 's'),
    );
    await florin.call('GET', OVERVIEW, undefined, bearer(key));
    expect(await keys('list')).not.toContain(key);
    expect(await keys('list')).not.toMatch(new RegExp(`${id}[^\n]*\n[^\n]*\n[^\n]*\nlast used +never`));
    await keys('revoke', id);
    const after = await florin.call('GET', OVERVIEW, undefined, bearer(key));
    expect([after.status, after.body.reason]).toEqual([401, 'revoked']);
    await expect(keys('revoke', id)).rejects.toThrow(/no key/);
    const log = await db.query<{ action: string }>(
      `SELECT action FROM audit_log WHERE details->>'key_id' = $1 AND actor LIKE 'operator:%_tester' ORDER BY audit_id`,
      [id],
    );
    expect(log.map(({ action }) => action)).toEqual(['key.created', 'key.revoked']);
  });

  it('that a server has cached is refused immediately when it is revoked, for every call', async () => {
    const { key, id } = await create('send');
    const send = (body: object, idempotencyKey = id) =>
      florin.call('POST', '/wallet/send-usdc', body, { ...bearer(key), 'idempotency-key': idempotencyKey });
    const before = await send(PAYMENT);
    expect([401, 403]).not.toContain(before.status);
    await keys('revoke', id);
    const attempts = [
      await send(PAYMENT),
      await send(PAYMENT, 'another'),
      await send({ ...PAYMENT, destination_address: '0x1' }, 'a third'),
    ];
    expect(attempts.map(({ status, body }) => [status, body.code, body.reason])).toEqual(
      attempts.map(() => [401, 'auth.invalid', 'revoked']),
    );
    expect(attempts[0]!.headers.get('www-authenticate')).toBe('Bearer realm="florin", error="invalid_token"');
    expect((await send(PAYMENT)).body.reason).toBe('revoked');
  });

  it('is not written to the database for every call', async () => {
    const { key } = await create('read');
    const callers = openServiceCallers(db);
    await callers.get(key);
    const versions = () => db.query('SELECT xmin::text, last_used_at FROM service_keys ORDER BY key_id');
    const before = await versions();
    for (let i = 0; i < 5; i++) await callers.get(key);
    expect(await versions()).toEqual(before);
  });

  it.each([
    ['an unknown command', ['destroy'], /has no destroy/],
    ['no name', ['create', '--scope', 'read'], /NAME is missing/],
    ['no scope', ['create', 'x'], /--scope/],
    ['an unknown scope', ['create', 'x', '--scope', 'admin'], /no scope "admin"/],
    ['scopes of both APIs', ['create', 'x', '--scope', 'read,events'], /a key for each/],
    ['an unknown option', ['list', '--all'], /all/],
    ['no key', ['revoke'], /KEY is missing/],
    ['a bad key', ['revoke', "'; DROP TABLE users"], /no key/],
  ])('%s gets a clear message', async (_, args, message) => {
    await expect(keys(...args)).rejects.toThrow(message);
  });
});
