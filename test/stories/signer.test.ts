/**
 * The processes of production with a separate signer: what each has in memory, and what people notice when the signer
 * is down, slow, killed, or gets another secret.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { HDKey } from 'viem/accounts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { argumentsOf } from '../../sandbox/src/processes.ts';
import { derivePath } from '../../server/src/adapters/wallets/local/localWallets.ts';
import { readSeedFile } from '../../server/src/adapters/wallets/local/seedFile.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { checkBooks } from '../../server/src/ledger/checkBooks.ts';
import { SEPOLIA_ID, startTestChain, type TestChain } from '../support/chain/chain.ts';
import { randomAddress } from '../support/chain/custody.ts';
import { eventually } from '../support/eventually.ts';
import type { Answer } from '../support/http/answer.ts';
import { operate } from '../support/operate.ts';
import { type Production, startProduction } from '../support/production.ts';
import { judgeEndOf } from '../support/properties/judgeEnd.ts';
import { scanProcess } from '../support/scanProcess.ts';
import { SECRET } from '../support/values.ts';

let chain: TestChain;
let production: Production;
let db: Db;
let key = '';
let alice: Answer;
let address: string;
/** Between newcomers: as fast as possible they would occupy the machine, and prove nothing more. */
const PAUSE_MS = 50;
const NEXT_SECRET = 'b7Wq2Xn9Kv4Rt6Yz1Lm8Pc3Hd5Js0GfT';
const seedFile = () => join(production.folder, 'wallet-seed.json');

async function logIn(sub: string): Promise<Answer> {
  const idToken = await production.issuer.sign({
    sub,
    jti: randomUUID(),
    email: `${sub}@example.com`,
    email_verified: true,
  });
  const login = await production.call('POST', '/api/v1/login', { id_token: idToken });
  expect(login.status).toBe(200);
  return login;
}
/** On a busy machine the signer may need longer than a login waits for it; a later login has the address. */
const expectWallet = (sub: string): Promise<string> =>
  eventually(async () => {
    const { address } = (await logIn(sub)).body.wallet;
    expect(address).toMatch(/^0x[0-9a-fA-F]{40}$/);
    return address as string;
  });
const asUser = (login: Answer) => ({
  authorization: `Bearer ${login.body.access_token}`,
  'idempotency-key': randomUUID(),
});
const asService = () => ({ authorization: `Bearer ${key}`, 'idempotency-key': randomUUID() });
const takeName = async (login: Answer, username: string) => {
  const { user_id: userId } = login.body.user;
  const named = await production.call('POST', '/api/v1/set_username', { user_id: userId, username }, asUser(login));
  expect(named.status).toBe(200);
};
const pay = (from: Answer, receiver: string, amount: number) =>
  production.call(
    'POST',
    '/api/v1/send_usdc',
    { sender_user_id: from.body.user.user_id, receiver_username: receiver, amount },
    asUser(from),
  );
async function send(amount: number): Promise<{ id: string; destination: string }> {
  const destination = randomAddress();
  const body = { destination_address: destination, amount, wallet_username: 'alice' };
  const answer = await production.call('POST', '/wallet/send-usdc', body, asService());
  expect([answer.status, answer.body.state]).toEqual([200, 'INITIATED']);
  return { id: answer.body.transaction_id, destination };
}
const show = (id: string) => production.call('GET', `/circle/transaction/${id}`, undefined, asService());
const readyz = async () => {
  const answer = await fetch(`${production.opsUrl}/readyz`);
  const { dependencies } = (await answer.json()) as { dependencies: { name: string; status: string }[] };
  return { code: answer.status, signer: dependencies.find(({ name }) => name === 'signer')?.status };
};
async function expectPaid({ id, destination }: { id: string; destination: string }): Promise<void> {
  await chain.mineUntil(async () => expect((await show(id)).body.state).toBe('COMPLETE'));
  expect(await chain.balanceOf(destination)).toBe(1_000_000n);
}

beforeAll(async () => {
  chain = await startTestChain(SEPOLIA_ID);
  // All of them log in from one address.
  production = await startProduction({ FLORIN_RATE_LIMITS: 'address=99999, login=99999, user=99999' }, { chain });
  db = openDatabase(production.databaseUrl);
  const args = ['create', 'story', '--scope', 'read', '--scope', 'send', '--any-wallet'];
  key = /fsk_\S+/.exec(await operate(db, 'key', ...args))![0];
  alice = await logIn('alice');
  await takeName(alice, 'alice');
  address = await expectWallet('alice');
  await chain.mint(address, '100');
  await chain.mineUntil(async () => {
    const overview = await production.call(
      'GET',
      `/subgraph/wallet-overview?address=${address}`,
      undefined,
      asService(),
    );
    expect(overview.body.balances[0].available).toBe('100');
  });
});
afterAll(async () => {
  await db.close();
  await production.stop();
  await chain.stop();
});

it.runIf(existsSync('/proc/self/mem'))(
  'neither API nor worker has seed, key or wallet secret in memory or environment; the signer has all three',
  async () => {
    await expectPaid(await send(1));
    const seed = await readSeedFile(seedFile(), SECRET);
    const path = derivePath({ kind: 'user', issuer: production.issuer.url, subject: 'alice' });
    const account = HDKey.fromMasterSeed(seed).derive(path);
    const relayer = HDKey.fromMasterSeed(seed).derive(derivePath({ kind: 'relayer', number: 0 }));
    const secrets = {
      seed,
      'key of a wallet': account.privateKey!,
      'key of a relayer': relayer.privateKey!,
      'wallet secret': SECRET,
    };
    const { server, worker, signer } = production.pids;
    expect(scanProcess(signer, secrets)).toEqual(Object.keys(secrets).sort());
    // The URL proves that something can be found in these processes too.
    const others = { ...secrets, 'URL of the issuer': production.issuer.url };
    expect(scanProcess(server, others)).toEqual(['URL of the issuer']);
    expect(scanProcess(worker!, others)).toEqual(['URL of the issuer']);
  },
);

it('without a signer people log in, get a name, pay and are paid; sends wait and give the reason; later all have wallets', async () => {
  await production.endSigner('SIGKILL');
  await eventually(async () => expect(await readyz()).toEqual({ code: 200, signer: 'down' }));
  const bob = await logIn('bob');
  expect(bob.body).toMatchObject({ new_user: true, wallet: { wallet_id: null, address: null } });
  expect((await logIn('bob')).body).toMatchObject({ new_user: false, wallet: { address: null } });
  await takeName(bob, 'bob');
  expect((await pay(alice, 'bob', 5)).body).toMatchObject({ success: true, state: 'COMPLETE' });
  expect((await pay(bob, 'alice', 2)).body).toMatchObject({ success: true, available: '3' });
  const history = await production.call('GET', '/api/v1/latest_transactions_by_username/bob', undefined, asUser(bob));
  expect(history.body.transactions).toHaveLength(2);
  const { user_id: userId } = bob.body.user;
  const kyc = await production.call('POST', '/api/v1/kyc/applicant', { user_id: userId }, asUser(bob));
  const limits = await production.call('GET', `/api/v1/limits/${userId}`, undefined, asUser(bob));
  expect([kyc.status, limits.status]).toEqual([200, 200]);
  const early = { destination_address: randomAddress(), amount: 1, wallet_username: 'bob' };
  const refused = await production.call('POST', '/wallet/send-usdc', early, asService());
  expect(refused.status).toBeGreaterThanOrEqual(400);
  expect(refused.status).toBeLessThan(500);

  const waiting = await send(1);
  await chain.mineUntil(async () => {
    const { state, timeline } = (await show(waiting.id)).body;
    expect(state).toBe('QUEUED');
    expect(JSON.stringify(timeline)).toContain('not signed yet; it is tried again');
  });

  await production.startSigner();
  await expectPaid(waiting);
  // A job has made the wallet, without another login.
  await eventually(async () =>
    expect(await db.query('SELECT FROM wallets WHERE user_id = $1', [userId])).toHaveLength(1),
  );
  await expectWallet('bob');
  await eventually(async () => expect(await readyz()).toEqual({ code: 200, signer: 'ok' }));
  const sent = await production.call('POST', '/wallet/send-usdc', { ...early, amount: 1 }, asService());
  expect(sent.status).toBe(200);
  await expectPaid({ id: sent.body.transaction_id, destination: early.destination_address });
  expect((await checkBooks(db)).faults).toEqual([]);
});

it('a stopped signer delays no one for long, and its requests are served once when it continues', async () => {
  production.signalSigner('SIGSTOP');
  const carol = await logIn('carol');
  expect(carol.body.wallet.address).toBeNull();
  const waiting = await send(1);
  await chain.mineUntil(async () => expect((await show(waiting.id)).body.state).toBe('QUEUED'));
  production.signalSigner('SIGCONT');
  await expectPaid(waiting);
  await eventually(async () => expect((await logIn('carol')).body.wallet.address).toMatch(/^0x/));
  const { user_id: userId } = carol.body.user;
  expect(await db.query('SELECT FROM wallets WHERE user_id = $1', [userId])).toHaveLength(1);
});

it('the wallet secret is exchanged while people log in and send, without an effect on them', async () => {
  const seed = (command: string, env: Record<string, string>, ...options: string[]) =>
    promisify(execFile)(process.execPath, [...argumentsOf('server/src/bin/florin'), 'seed', command, ...options], {
      env: { PATH: process.env.PATH, FLORIN_WALLET_SEED_FILE: seedFile(), ...env },
    });
  let isDone = false;
  let newcomers = 0;
  const sends: { id: string; destination: string }[] = [];
  const traffic = (async () => {
    for (; !isDone; newcomers++) {
      await logIn(`newcomer_${newcomers}`);
      if (newcomers % 5 === 0) sends.push(await send(1));
      await sleep(PAUSE_MS);
    }
  })();
  const second = { FLORIN_SIGNER_URL: `unix:${join(production.folder, 'signer2.sock')}` };
  await seed('add-secret', { FLORIN_WALLET_SECRET: SECRET, FLORIN_WALLET_SECRET_NEXT: NEXT_SECRET });
  const stopSecond = await production.startBeside({ ...second, FLORIN_WALLET_SECRET: NEXT_SECRET });
  await production.endSigner();
  await expectWallet('while_the_second');
  await production.startSigner({ FLORIN_WALLET_SECRET: NEXT_SECRET });
  await stopSecond();
  await expectWallet('while_the_first');
  await seed('keep-secret', { FLORIN_WALLET_SECRET: NEXT_SECRET }, '--yes');
  isDone = true;
  await traffic;
  expect(newcomers).toBeGreaterThan(1);
  await eventually(async () => {
    const without = 'SELECT FROM users u WHERE NOT EXISTS (SELECT FROM wallets w WHERE w.user_id = u.user_id)';
    expect(await db.query(without)).toEqual([]);
  });
  for (const one of sends) await expectPaid(one);
  await expect(readSeedFile(seedFile(), SECRET)).rejects.toThrow(/does not open/);
  expect(await expectWallet('alice')).toBe(address);
});

it('in the end everything has ended, and every balance is explained', async () => {
  expect(await judgeEndOf({ databaseUrl: production.databaseUrl, mine: chain.mine })).toEqual([]);
});
