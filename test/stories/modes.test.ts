/** Sandbox and production side by side: calls without a credential work only in the sandbox; one story runs in both. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getTreasury } from '../../sandbox/src/prepareDatabase.ts';
import { readConfig } from '../../server/src/bin/config/config.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { SEPOLIA_ID, startTestChain, type TestChain } from '../support/chain/chain.ts';
import { randomAddress } from '../support/chain/custody.ts';
import { bearer } from '../support/http/answer.ts';
import { operate } from '../support/operate.ts';
import { type Production, startProduction } from '../support/production.ts';
import { judgeEndOf } from '../support/properties/judgeEnd.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type Mode, runStory } from '../support/story.ts';
import { startTestSumsub } from '../support/sumsub.ts';
import { SECRET } from '../support/values.ts';

let sandbox: TestServer;
let production: Production;
let double: Awaited<ReturnType<typeof startTestSumsub>>;
let devnet: TestChain;
let sepolia: TestChain;
let realDb: Db;
beforeAll(async () => {
  [double, devnet, sepolia] = await Promise.all([startTestSumsub(), startTestChain(), startTestChain(SEPOLIA_ID)]);
  const { chainId, url } = devnet;
  const chains = [{ blockchain: 'ETH-SEPOLIA', chain_id: chainId, rpc_urls: [url], finality: 'finalized' }];
  [sandbox, production] = await Promise.all([
    startTestServer({ ...double.env, FLORIN_CHAINS: JSON.stringify(chains) }),
    // The tests poll it again and again while a busy machine works.
    startProduction({ FLORIN_RATE_LIMITS: 'address=100000, user=100000' }, { chain: sepolia }),
  ]);
  double.setWebhookUrl(`${sandbox.backendUrl}/webhooks/sumsub`);
  await devnet.fuel(sandbox.seedFile, SECRET);
  await sandbox.startWorker();
  realDb = openDatabase(production.databaseUrl);
});
afterAll(async () => {
  await realDb.close();
  await Promise.all([sandbox.stop(), production.stop()]);
  await Promise.all([double.stop(), devnet.stop(), sepolia.stop()]);
});

describe('the eleven documented operations without a credential', () => {
  it('all work in the sandbox, and all get 401 in production', async () => {
    const idToken = await (await fetch(`${sandbox.issuer.issuerUrl}/id_token?email=bare@example.com`)).text();
    const login = await sandbox.call('POST', '/api/v1/login', { id_token: idToken });
    const { user_id: userId, email } = login.body.user;
    const other = (await sandbox.logIn('other@example.com')).body.user;
    await sandbox.call('POST', '/api/v1/set_username', { user_id: userId, username: 'bare_person' });
    await sandbox.call('POST', '/api/v1/set_username', { user_id: other.user_id, username: 'bare_other' });
    const treasury = await getTreasury(sandbox.databaseUrl);
    const { address: own } = (await sandbox.logIn('bare@example.com')).body.wallet;
    for (const address of [own, treasury.address]) await devnet.mint(address, '50');
    const overview = `/subgraph/wallet-overview?address=${treasury.address}`;
    const payment = { sender_user_id: userId, receiver_username: 'bare_other', amount: 1 };
    const paid = await devnet.mineUntil(async () => {
      expect((await sandbox.call('GET', overview)).body.balances[0]).toMatchObject({ available: '50' });
      const answer = await sandbox.call('POST', '/api/v1/send_usdc', payment);
      expect(answer.status).toBe(200);
      return answer;
    });

    const destination = randomAddress();
    const operations: [string, string, unknown?][] = [
      ['POST', '/api/v1/login', { id_token: idToken }],
      ['POST', '/api/v1/set_username', { user_id: userId, username: 'bare_person' }],
      ['POST', '/api/v1/send_usdc', payment],
      ['GET', '/api/v1/latest_transactions_by_username/bare_person'],
      ['POST', '/api/v1/kyc/applicant', { user_id: userId }],
      ['POST', '/api/v1/kyc/access-token', { user_id: userId }],
      ['POST', `/api/v1/kyc/check-status/${userId}`],
      ['GET', `/api/v1/kyc/status/${email}`],
      ['POST', '/wallet/send-usdc', { destination_address: destination, amount: 1.000001 }],
      ['GET', `/circle/transaction/${paid.body.transaction_id}`],
      ['GET', overview],
    ];
    expect(operations).toHaveLength(11);
    const table: string[] = [];
    let sent = '';
    for (const [method, path, body] of operations) {
      const [open, closed] = [await sandbox.call(method, path, body), await production.call(method, path, body)];
      const name = `${method} ${path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|bare_person|bare@example.com/, '…').split('?')[0]}`;
      table.push(`${name.padEnd(56)} sandbox ${open.status}   production ${closed.status} ${closed.body.code}`);
      expect(open.status, `${name}: ${JSON.stringify(open.body)}`).toBe(200);
      // Login needs no access token but an ID token, and production does not accept the sandbox's.
      const refusal = path === '/api/v1/login' ? 'auth.invalid' : 'auth.required';
      expect([closed.status, closed.body.code], name).toEqual([401, refusal]);
      if (path === '/wallet/send-usdc') sent = open.body.transaction_id;
    }
    console.log(table.join('\n'));
    // The send also completes.
    await devnet.mineUntil(async () =>
      expect((await sandbox.call('GET', `/circle/transaction/${sent}`)).body.state).toBe('COMPLETE'),
    );
    expect(await devnet.balanceOf(destination)).toBe(1_000_001n);
  });

  it.each(['0.0.0.0', '::', '192.0.2.1', 'api.example.com'])('the sandbox does not start on %s', (host) => {
    const env = { FLORIN_MODE: 'sandbox', DATABASE_URL: 'postgres://localhost/x', FLORIN_SIGNER_URL: 'unix:/s' };
    expect(() => readConfig({ ...env, FLORIN_SIGNER_TOKEN: 'x', FLORIN_HOST: host })).toThrow(/loopback/);
  });
});

const modes: [string, () => Mode][] = [
  [
    'sandbox',
    () => ({
      chain: devnet,
      sumsub: double,
      call: sandbox.call,
      idToken: async (name) => (await fetch(`${sandbox.issuer.issuerUrl}/id_token?email=${name}@example.com`)).text(),
      asUser: () => ({}),
      asService: () => ({}),
    }),
  ],
  [
    'production',
    () => ({
      chain: sepolia,
      sumsub: production.sumsub,
      call: production.call,
      idToken: (name) =>
        production.issuer.sign({ sub: name, jti: randomUUID(), email: `${name}@example.com`, email_verified: true }),
      asUser: (login) => ({ authorization: `Bearer ${login.body.access_token}`, 'idempotency-key': randomUUID() }),
      asService: () => ({ authorization: `Bearer ${serviceKey}`, 'idempotency-key': randomUUID() }),
    }),
  ],
];
let serviceKey = '';
beforeAll(async () => {
  const args = ['create', 'story', '--any-wallet', '--scope', 'read', '--scope', 'send'];
  serviceKey = /fsk_\S+/.exec(await operate(realDb, 'key', ...args))![0];
});

it.each(modes)(
  'the typical flow in %s: log in, take a name, pass KYC, pay both ways, see all of it',
  async (_, open) => {
    await runStory(open());
  },
);

describe('production', () => {
  it('gives one session for an ID token, also when it comes 10 times concurrently', async () => {
    const idToken = await production.issuer.sign({ sub: 'once' });
    const login = () => production.call('POST', '/api/v1/login', { id_token: idToken });
    const answers = await Promise.all(Array.from({ length: 10 }, login));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const again = await login();
    expect([again.status, again.body.code, again.body.reason]).toEqual([401, 'auth.invalid', 'spent']);
    const [kept] = await realDb.query<{ sessions: number; users: number }>(
      `SELECT count(*)::int AS sessions, count(DISTINCT user_id)::int AS users
         FROM sessions JOIN users USING (user_id) WHERE subject = 'once'`,
    );
    expect(kept).toEqual({ sessions: 1, users: 1 });
  });

  it('requires an Idempotency-Key on calls that move money, and on no others', async () => {
    const login = await production.call('POST', '/api/v1/login', {
      id_token: await production.issuer.sign({ sub: 'keyless' }),
    });
    const { user_id: userId } = login.body.user;
    const caller = bearer(login.body.access_token);
    const body = { sender_user_id: userId, receiver_username: 'flora', amount: 1 };
    const refused = await production.call('POST', '/api/v1/send_usdc', body, caller);
    expect([refused.status, refused.body.code]).toEqual([400, 'idempotency.required']);
    const tried = await production.call('POST', '/api/v1/send_usdc', body, { ...caller, 'idempotency-key': 'k' });
    expect(tried.body.code).toBe('balance.insufficient');
    const named = { user_id: userId, username: 'keyless' };
    expect((await production.call('POST', '/api/v1/set_username', named, caller)).status).toBe(200);
  });
});

it('in the end everything has ended, and every balance is explained', async () => {
  expect(await judgeEndOf({ databaseUrl: production.databaseUrl, mine: sepolia.mine })).toEqual([]);
  expect(await judgeEndOf({ databaseUrl: sandbox.databaseUrl, mine: devnet.mine })).toEqual([]);
});
