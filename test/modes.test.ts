/** Both modes side by side: what works bare in one is refused in the other, and one story is told in both. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningSumsub } from '../sandbox/src/kyc/startSumsub.ts';
import { readConfig } from '../server/src/bin/config.ts';
import { manageKeys } from '../server/src/bin/manageKeys.ts';
import { parseUsdc } from '../server/src/core/money.ts';
import { type Db, openDatabase } from '../server/src/db/database.ts';
import { recordDeposit } from '../server/src/payments/recordDeposit.ts';
import { type Production, startProduction } from './support/production.ts';
import { type Answer, startTestServer, type TestServer } from './support/server.ts';
import { startTestSumsub } from './support/sumsub.ts';

const ADDRESS = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';

let sandbox: TestServer;
let production: Production;
let double: Awaited<ReturnType<typeof startTestSumsub>>;
const databases: Db[] = [];
beforeAll(async () => {
  double = await startTestSumsub();
  [sandbox, production] = await Promise.all([startTestServer(double.env), startProduction()]);
  double.setWebhookUrl(`${sandbox.backendUrl}/webhooks/sumsub`);
  databases.push(openDatabase(sandbox.databaseUrl), openDatabase(production.databaseUrl));
});
afterAll(async () => {
  await Promise.all(databases.map((db) => db.close()));
  await Promise.all([sandbox.stop(), production.stop()]);
  await double.stop();
});

const deposit = (db: Db, userId: string) =>
  db.tx((tx) =>
    recordDeposit(tx, {
      depositId: randomUUID(),
      userId,
      blockchain: 'ETH-SEPOLIA',
      amount: parseUsdc('50'),
      fromAddress: ADDRESS,
    }),
  );

describe('the eleven documented operations, bare', () => {
  it('all work in the sandbox, and all but login are 401 in production', async () => {
    const idToken = await (await fetch(`${sandbox.issuer.issuerUrl}/id_token?email=bare@example.com`)).text();
    const login = await sandbox.call('POST', '/api/v1/login', { id_token: idToken });
    const { user_id: userId, email } = login.body.user;
    const other = (await sandbox.logIn('other@example.com')).body.user;
    await deposit(databases[0]!, userId);
    await sandbox.call('POST', '/api/v1/set_username', { user_id: other.user_id, username: 'bare_other' });
    const payment = { sender_user_id: userId, receiver_username: 'bare_other', amount: 1 };
    const paid = await sandbox.call('POST', '/api/v1/send_usdc', payment);
    const operations: [string, string, unknown?][] = [
      ['POST', '/api/v1/login', { id_token: idToken }],
      ['POST', '/api/v1/set_username', { user_id: userId, username: 'bare_person' }],
      ['POST', '/api/v1/send_usdc', payment],
      ['GET', '/api/v1/latest_transactions_by_username/bare_person'],
      ['POST', '/api/v1/kyc/applicant', { user_id: userId }],
      ['POST', '/api/v1/kyc/access-token', { user_id: userId }],
      ['POST', `/api/v1/kyc/check-status/${userId}`],
      ['GET', `/api/v1/kyc/status/${email}`],
      ['POST', '/wallet/send-usdc', { destination_address: ADDRESS, amount: 1 }],
      ['GET', `/circle/transaction/${paid.body.transaction_id}`],
      ['GET', `/subgraph/wallet-overview?address=${ADDRESS}`],
    ];
    const table: string[] = [];
    for (const [method, path, body] of operations) {
      const [open, closed] = [await sandbox.call(method, path, body), await production.call(method, path, body)];
      const name = `${method} ${path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|bare_person|bare@example.com/, '…').split('?')[0]}`;
      table.push(`${name.padEnd(56)} sandbox ${open.status}   production ${closed.status} ${closed.body.code}`);
      // A send needs a blockchain; a service that has none says so, which is an answer and not a refusal of the caller.
      const works = open.status === 200 || open.body.code === 'blockchain.unsupported';
      expect(works, `${name}: ${open.status} ${JSON.stringify(open.body)}`).toBe(true);
      // Login carries its own proof; the sandbox's is worth nothing here.
      const refusal = path === '/api/v1/login' ? 'auth.invalid' : 'auth.required';
      expect([closed.status, closed.body.code], name).toEqual([401, refusal]);
    }
    expect(operations).toHaveLength(11);
    console.log(table.join('\n'));
  });

  it.each(['0.0.0.0', '::', '192.0.2.1', 'api.example.com'])('the sandbox does not start on %s', (host) => {
    const env = { FLORIN_MODE: 'sandbox', DATABASE_URL: 'postgres://localhost/x', FLORIN_WALLET_SEED_FILE: 's' };
    expect(() => readConfig({ ...env, FLORIN_WALLET_SECRET: 'x', FLORIN_HOST: host })).toThrow(/loopback/);
  });
});

interface Mode {
  readonly db: Db;
  readonly sumsub: Pick<RunningSumsub, 'decide'>;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  idToken(name: string): Promise<string>;
  /** What a call about money carries. */
  asUser(login: Answer): Record<string, string>;
  asService(): Promise<Record<string, string>>;
}

const modes: [string, () => Mode][] = [
  [
    'sandbox',
    () => ({
      db: databases[0]!,
      sumsub: double,
      call: sandbox.call,
      idToken: async (name) => (await fetch(`${sandbox.issuer.issuerUrl}/id_token?email=${name}@example.com`)).text(),
      asUser: () => ({}),
      asService: async () => ({}),
    }),
  ],
  [
    'production',
    () => ({
      db: databases[1]!,
      sumsub: production.sumsub,
      call: production.call,
      idToken: (name) => production.issuer.sign({ sub: name, email: `${name}@example.com`, email_verified: true }),
      asUser: (login) => ({ authorization: `Bearer ${login.body.access_token}`, 'idempotency-key': randomUUID() }),
      asService: async () => {
        const args = ['create', '--name', 'story', '--scope', 'read', '--scope', 'send'];
        const printed = await manageKeys(databases[1]!, args, 'operator:test');
        return { authorization: `Bearer ${/fsk_\S+/.exec(printed)![0]}`, 'idempotency-key': randomUUID() };
      },
    }),
  ],
];

describe.each(modes)('the typical flow in %s', (_, open) => {
  it('authenticate, choose a name, pass KYC, pay both ways, see status and history', async () => {
    const { db, sumsub, call, idToken, asUser, asService } = open();
    const people = await Promise.all(
      ['flora', 'felix'].map(async (name) => {
        const login = await call('POST', '/api/v1/login', { id_token: await idToken(name) });
        expect(login.body).toMatchObject({ new_user: true, token_type: 'Bearer', user: { kyc_status: 'none' } });
        const userId: string = login.body.user.user_id;
        const named = await call('POST', '/api/v1/set_username', { user_id: userId, username: name }, asUser(login));
        expect(named.body).toMatchObject({ success: true, username: name });
        const started = await call('POST', '/api/v1/kyc/applicant', { user_id: userId }, asUser(login));
        const token = await call('POST', '/api/v1/kyc/access-token', { user_id: userId }, asUser(login));
        expect([started.status, token.status, token.body.applicant_id]).toEqual([200, 200, started.body.applicant_id]);
        await sumsub.decide(started.body.applicant_id, 'approve');
        const checked = await call('POST', `/api/v1/kyc/check-status/${userId}`, undefined, asUser(login));
        const stored = await call('GET', `/api/v1/kyc/status/${name}@example.com`, undefined, asUser(login));
        expect([checked.body.status, stored.body.status]).toEqual(['approved', 'approved']);
        await deposit(db, userId);
        return { name, userId, login };
      }),
    );
    const [flora, felix] = people as [(typeof people)[0], (typeof people)[0]];
    const pay = (from: typeof flora, to: typeof flora, amount: number) =>
      call(
        'POST',
        '/api/v1/send_usdc',
        { sender_user_id: from.userId, receiver_username: to.name, amount },
        asUser(from.login),
      );
    const there = await pay(flora, felix, 12.5);
    expect(there.body).toMatchObject({ success: true, state: 'COMPLETE', amount: '12.5', available: '37.5' });
    const back = await pay(felix, flora, 2);
    expect(back.body).toMatchObject({ success: true, available: '60.5' });
    const limits = await call('GET', `/api/v1/limits/${flora.userId}`, undefined, asUser(flora.login));
    expect(limits.body).toMatchObject({ kyc_status: 'approved', can_pay: true });

    const service = await asService();
    const status = await call('GET', `/circle/transaction/${there.body.transaction_id}`, undefined, service);
    expect(status.body).toMatchObject({ transaction_id: there.body.transaction_id, state: 'COMPLETE' });
    const sent = await call('POST', '/wallet/send-usdc', { destination_address: ADDRESS, amount: 1 }, service);
    expect([401, 403, 500]).not.toContain(sent.status);
    const overview = await call('GET', `/subgraph/wallet-overview?address=${ADDRESS}`, undefined, service);
    expect(overview.status).toBe(200);
    const path = '/api/v1/latest_transactions_by_username/flora';
    const history = await call('GET', path, undefined, asUser(flora.login));
    const shown = history.body.transactions.map((one: { transaction_id: string }) => one.transaction_id);
    expect(shown.slice(0, 2)).toEqual([back.body.transaction_id, there.body.transaction_id]);
  });
});

describe('production', () => {
  it('gives one session for an ID token, also when it comes 10 times at once', async () => {
    const idToken = await production.issuer.sign({ sub: 'once' });
    const login = () => production.call('POST', '/api/v1/login', { id_token: idToken });
    const answers = await Promise.all(Array.from({ length: 10 }, login));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const again = await login();
    expect([again.status, again.body.code, again.body.reason]).toEqual([401, 'auth.invalid', 'spent']);
    const [kept] = await databases[1]!.query<{ sessions: number; users: number }>(
      `SELECT count(*)::int AS sessions, count(DISTINCT user_id)::int AS users
         FROM sessions JOIN users USING (user_id) WHERE subject = 'once'`,
    );
    expect(kept).toEqual({ sessions: 1, users: 1 });
  });

  it('wants an Idempotency-Key on calls that move money, and on no others', async () => {
    const login = await production.call('POST', '/api/v1/login', {
      id_token: await production.issuer.sign({ sub: 'keyless' }),
    });
    const { user_id: userId } = login.body.user;
    const bearer = { authorization: `Bearer ${login.body.access_token}` };
    const body = { sender_user_id: userId, receiver_username: 'flora', amount: 1 };
    const refused = await production.call('POST', '/api/v1/send_usdc', body, bearer);
    expect([refused.status, refused.body.code]).toEqual([400, 'idempotency.required']);
    const tried = await production.call('POST', '/api/v1/send_usdc', body, { ...bearer, 'idempotency-key': 'k' });
    expect(tried.body.code).toBe('balance.insufficient');
    const named = { user_id: userId, username: 'keyless' };
    expect((await production.call('POST', '/api/v1/set_username', named, bearer)).status).toBe(200);
  });
});
