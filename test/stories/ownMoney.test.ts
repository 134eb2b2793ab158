/** Production: a person with only their access token sees their money, previews, pays, and follows payments. */
import { randomUUID } from 'node:crypto';
import { getAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { SEPOLIA_ID, startTestChain, type TestChain } from '../support/chain/chain.ts';
import { randomAddress } from '../support/chain/custody.ts';
import { eventually } from '../support/eventually.ts';
import { operate } from '../support/operate.ts';
import { type Production, startProduction } from '../support/production.ts';
import { judgeEndOf } from '../support/properties/judgeEnd.ts';

let chain: TestChain;
let florin: Production;
let db: Db;
beforeAll(async () => {
  chain = await startTestChain(SEPOLIA_ID);
  florin = await startProduction(
    { FLORIN_RATE_LIMITS: 'address=100000, login=1000, user=10000, name=20, preview=10000' },
    // The only node of the cluster is the primary: everything is read there.
    { chain, reachStandbys: (url) => url },
  );
  db = openDatabase(florin.databaseUrl);
});
afterAll(async () => {
  await db.close();
  await florin.stop();
  await chain.stop();
});

type Headers = Record<string, string>;

async function logIn(sub: string): Promise<{ userId: string; bearer: Headers }> {
  const idToken = await florin.issuer.sign({ sub, email: `${sub}@example.com`, email_verified: true });
  const { body } = await florin.call('POST', '/api/v1/login', { id_token: idToken });
  return { userId: body.user.user_id, bearer: { authorization: `Bearer ${body.access_token}` } };
}
const withKey = (bearer: Headers): Headers => ({ ...bearer, 'idempotency-key': randomUUID() });

describe('a person with only an access token', () => {
  let bearer: Headers;
  let userId: string;
  let friend: { userId: string; bearer: Headers };
  const get = (path: string, as = bearer) => florin.call('GET', `/api/v1${path}`, undefined, as);
  const post = (path: string, body: unknown, as = withKey(bearer)) => florin.call('POST', `/api/v1${path}`, body, as);

  it('logs in, looks for a free name and takes it', async () => {
    ({ userId, bearer } = await logIn('olivia'));
    friend = await logIn('walter');
    await post('/set_username', { user_id: friend.userId, username: 'walter' }, friend.bearer);
    expect((await get('/usernames/walter')).body.state).toBe('taken');
    expect((await get('/usernames/olivia')).body.state).toBe('free');
    expect((await post('/set_username', { user_id: userId, username: 'olivia' }, bearer)).status).toBe(200);
    expect((await get('/usernames/olivia')).body.state).toBe('own');
  });

  it('sees where to deposit, and the money when it has arrived', async () => {
    const address = await eventually(async () => {
      const { body } = await get('/me');
      expect(body).toMatchObject({ user: { username: 'olivia' }, limits: { tier: 'unlimited', can_pay: true } });
      expect(body.wallet.address).toMatch(/^0x/);
      return body.wallet.address as string;
    });
    await chain.mint(address, '100');
    await chain.mineUntil(async () => {
      const { body } = await get('/me/overview');
      expect([body.address, body.balances[0].available]).toEqual([address, '100']);
    });
  });

  it('previews a payment to a person, makes it, and both can see it', async () => {
    const wish = { receiver_username: 'walter', amount: 12.5 };
    const said = await post('/preview', wish, bearer);
    expect(said.body).toMatchObject({
      first_time: true,
      fee: '0',
      available_after: '87.5',
      to: { username: 'walter' },
    });
    const paid = await post('/send_usdc', { sender_user_id: userId, ...wish });
    expect([paid.status, paid.body.available]).toEqual([200, '87.5']);
    for (const as of [bearer, friend.bearer]) {
      const { body } = await get(`/transactions/${paid.body.transaction_id}`, as);
      expect(body).toMatchObject({ state: 'COMPLETE', from: { username: 'olivia' }, to: { username: 'walter' } });
    }
    expect((await get('/me/overview', friend.bearer)).body.balances[0].available).toBe('12.5');
    expect((await post('/preview', wish, bearer)).body.first_time).toBe(false);
  });

  it('previews a payment to an address, makes it, and follows it to the end', async () => {
    const destination = randomAddress();
    const wish = { destination_address: destination, amount: 7 };
    const said = await post('/preview', wish, bearer);
    expect(said.body).toMatchObject({ kind: 'chain', first_time: true, available_after: '80.5', not_before: null });
    const refused = await post('/send_to_address', wish, bearer);
    expect([refused.status, refused.body.code]).toEqual([400, 'idempotency.required']);
    const sent = await post('/send_to_address', wish);
    expect([sent.status, sent.body.state, sent.body.from]).toEqual([200, 'INITIATED', { username: 'olivia' }]);
    const path = `/transactions/${sent.body.transaction_id}`;
    expect((await get(path, friend.bearer)).body.code).toBe('transaction.unknown');
    await chain.mineUntil(async () => expect((await get(path)).body.state).toBe('COMPLETE'));
    expect(await chain.balanceOf(destination)).toBe(7_000_000n);
    const { body } = await get('/me/recipients');
    expect(body.recipients.map((one: { to: object }) => one.to)).toEqual([
      { address: getAddress(destination) },
      { username: 'walter' },
    ]);
    expect((await get('/me/overview')).body.balances[0]).toMatchObject({ available: '80.5', held: '0' });
  });

  it('uses the token here and nowhere else, and a service key has no access here', async () => {
    const printed = await operate(db, 'key', 'create', 'robot', '--any-wallet', '--scope', 'read', '--scope', 'send');
    const service = { authorization: `Bearer ${/fsk_\S+/.exec(printed)![0]}` };
    const wish = { destination_address: randomAddress(), amount: 1 };
    const { wallet } = (await get('/me')).body;
    const web3 = [
      await florin.call('GET', `/subgraph/wallet-overview?address=${wallet.address}`, undefined, bearer),
      await florin.call('GET', `/circle/transaction/${randomUUID()}`, undefined, bearer),
      await florin.call('POST', '/wallet/send-usdc', { ...wish, funding_wallet_id: wallet.wallet_id }, withKey(bearer)),
    ];
    const own = [
      ...(await Promise.all(
        ['/me', '/me/overview', '/me/recipients', '/usernames/olivia', `/transactions/${randomUUID()}`].map((path) =>
          get(path, service),
        ),
      )),
      await post('/preview', wish, service),
      await post('/send_to_address', wish, withKey(service)),
    ];
    for (const { status, body } of [...web3, ...own]) {
      expect([status, body.code, body.reason]).toEqual([401, 'auth.invalid', 'unknown']);
    }
    // The key works where it belongs.
    const seen = await florin.call('GET', `/subgraph/wallet-overview?address=${wallet.address}`, undefined, service);
    expect([seen.status, seen.body.balances[0].available]).toEqual([200, '80.5']);
  });

  it('may look up so many names, and then waits; other calls continue', async () => {
    const asked = await Promise.all(Array.from({ length: 60 }, (_, i) => get(`/usernames/guess_${i}`)));
    const refused = asked.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(20);
    expect(refused[0]!.body).toMatchObject({ code: 'rate.limited', policy: 'name', limit: 20 });
    expect((await get('/me')).status).toBe(200);
    expect((await get('/usernames/guess_1', friend.bearer)).status).toBe(200);
  });

  it('loses all access when the session ends', async () => {
    const { body } = await get('/sessions');
    const own = body.sessions.find(({ current }: { current: boolean }) => current);
    await florin.call('DELETE', `/api/v1/sessions/${own.session_id}`, undefined, bearer);
    for (const path of ['/me', '/me/overview', '/me/recipients']) {
      expect((await get(path)).body).toMatchObject({ code: 'auth.invalid', reason: 'revoked' });
    }
    const wish = { destination_address: randomAddress(), amount: 1 };
    expect((await post('/send_to_address', wish)).body.reason).toBe('revoked');
    expect((await post('/preview', wish)).body.reason).toBe('revoked');
  });

  it('receives and pays a request, exports everything, closes the account, and is refused when they come back', async () => {
    ({ bearer } = await logIn('olivia'));
    const { address } = (await get('/me')).body.wallet;
    const asked = await post(
      '/requests',
      { payer_username: 'olivia', amount: 0.5, note: 'Stamps' },
      withKey(friend.bearer),
    );
    expect((await get('/requests')).body.requests).toMatchObject([{ state: 'open', asker_username: 'walter' }]);
    expect((await post('/me/close', undefined, bearer)).body).toMatchObject({
      code: 'account.not_empty',
      available: '80.5',
      open_requests: 1,
    });
    const path = `/requests/${asked.body.request_id}/pay`;
    const paid = await post(path, undefined, bearer);
    expect(paid.body).toMatchObject({ amount: '0.5', to: { username: 'walter' }, available: '80' });
    expect((await post(path, undefined, bearer)).body).toEqual(paid.body);
    await post('/send_usdc', { sender_user_id: userId, receiver_username: 'walter', amount: 80 });
    const { body: taken } = await get('/me/export');
    expect(taken).toMatchObject({ profile: { user_id: userId }, requests: [{ note: 'Stamps', state: 'paid' }] });
    expect(taken.transactions.map((one: { amount: string }) => one.amount)).toEqual(['80', '0.5', '7', '12.5', '100']);
    expect((await post('/me/close', undefined, bearer)).body.success).toBe(true);
    expect((await get('/me')).body).toMatchObject({ code: 'auth.invalid', reason: 'revoked' });
    const idToken = await florin.issuer.sign({ sub: 'olivia', email: 'olivia@example.com', email_verified: true });
    const back = await florin.call('POST', '/api/v1/login', { id_token: idToken });
    expect([back.status, back.body.code]).toEqual([403, 'account.closed']);

    // Deposits to the address are booked, and an operator sees them.
    await chain.mint(address, '3');
    await chain.mineUntil(async () => expect(await operate(db, 'user', 'closed')).toContain(userId));
    expect(JSON.parse(await operate(db, 'user', 'closed', '--json'))).toMatchObject([{ available: '3' }]);
    expect(await operate(db, 'user', 'show', userId)).toMatch(/the\s+account is closed/);
  });
});

it('is read on the primary while there is no standby, and operators see that', async () => {
  const { dependencies } = (await (await fetch(`${florin.opsUrl}/readyz`)).json()) as { dependencies: object[] };
  expect(dependencies).toContainEqual(
    expect.objectContaining({
      name: 'standbys',
      status: 'down',
      says: 'no reads go to standbys',
      hosts: [expect.objectContaining({ standing: 'primary' })],
    }),
  );
  const metrics = await (await fetch(`${florin.opsUrl}/metrics`)).text();
  expect(metrics).toMatch(/^florin_reads_total\{place="primary",why="primary"\} \d+$/m);
  expect(metrics).not.toContain('place="standby"');
});

it('in the end everything has ended, and every balance is explained', async () => {
  expect(await judgeEndOf({ databaseUrl: florin.databaseUrl, mine: chain.mine })).toEqual([]);
});
