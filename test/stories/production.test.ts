/** Production: the same calls, but none works without a credential. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import backend from '../../openapi/backend.json' with { type: 'json' };
import web3 from '../../openapi/web3.json' with { type: 'json' };
import { openDatabase } from '../../server/src/db/database.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let florin: TestServer;
beforeAll(async () => {
  florin = await startTestServer({
    FLORIN_MODE: 'production',
    FLORIN_OIDC_ISSUERS: '[{"issuer":"https://login.example.com","audience":"florin"}]',
  });
});
afterAll(() => florin.stop());

const operations = [backend, web3].flatMap((document) =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, { operationId: string }>).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path: path.replace(/\{\w+\}/g, '3f0c9a4e-7b1d-4c58-9e2a-6d5f0b8c1a27'),
    })),
  ),
);
const OPEN = [
  'login',
  'refresh_session',
  'hear_sumsub',
  'hear_circle',
  'greet_circle',
  'find_public_name',
  'find_public_request',
];

describe('production', () => {
  it.each(operations.filter(({ id }) => !OPEN.includes(id)))(
    'refuses $id without a credential with 401',
    async ({ method, path }) => {
      const bare = await florin.call(method, path, method === 'POST' ? {} : undefined);
      expect([bare.status, bare.body.code]).toEqual([401, 'auth.required']);
      const made = await florin.call(method, path, undefined, { authorization: 'Bearer fla_made_up' });
      expect([made.status, made.body.code, made.body.reason]).toEqual([401, 'auth.invalid', 'unknown']);
      const basic = await florin.call(method, path, undefined, { authorization: 'Basic YTpi' });
      expect([basic.status, basic.body.reason]).toEqual([401, 'malformed']);
    },
  );

  it("does not accept the sandbox issuer's tokens", async () => {
    const answer = await florin.logIn('ada@example.com');
    expect([answer.status, answer.body.reason]).toEqual([401, 'issuer']);
  });

  it('does not start on a database that a sandbox made', async () => {
    const db = openDatabase(florin.databaseUrl);
    await db.query(`INSERT INTO users (user_id, issuer, subject) VALUES (gen_random_uuid(), 'florin-sandbox', 'ada')`);
    await db.close();
    await expect(florin.prepareAgain()).rejects.toThrow(/people of a sandbox/);
  });

  it('a sandbox does not start on a database with real people', async () => {
    const sandbox = await startTestServer();
    const db = openDatabase(sandbox.databaseUrl);
    await db.query(
      `INSERT INTO users (user_id, issuer, subject) VALUES (gen_random_uuid(), 'https://a.example', 'ada')`,
    );
    await db.close();
    await expect(sandbox.prepareAgain()).rejects.toThrow(/people of a production server/);
    await sandbox.stop();
  });
});
