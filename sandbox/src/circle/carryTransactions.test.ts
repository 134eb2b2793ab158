import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Hex, hexToBigInt } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PLACE } from '../../../test/support/chain/serveTestChain.ts';
import { type CircleCaller, callCircle, QUICK, startCircleWorld } from '../../../test/support/circle/circleWorld.ts';
import { eventually } from '../../../test/support/eventually.ts';
import type { State } from './records.ts';
import { startCircleDouble } from './startCircleDouble.ts';

let world: Awaited<ReturnType<typeof startCircleWorld>>;
let circle: CircleCaller;
let rich: { id: string; address: string };

beforeAll(async () => {
  world = await startCircleWorld();
  circle = callCircle(world.double);
  await circle.ask('POST', '/v2/notifications/subscriptions', { endpoint: world.hookUrl });
  rich = await makeWallet({}, '1000');
});
afterEach(() => {
  world.double.control.reset();
  world.setMining(true);
});
afterAll(() => world?.stop());

async function makeWallet(body: object, usdc?: string) {
  const { walletSetId } = world.double;
  const made = await circle.post('/v1/w3s/developer/wallets', { walletSetId, blockchains: ['ETH-SEPOLIA'], ...body });
  const wallet = made.body.data.wallets[0];
  if (usdc !== undefined) {
    await world.mint(wallet.address, usdc);
    await eventually(async () => expect(await usdcOf(wallet.id)).toBe(usdc));
  }
  return wallet;
}
const usdcOf = async (walletId: string): Promise<string | undefined> => {
  const { tokenBalances } = (await circle.get(`/v1/w3s/wallets/${walletId}/balances`)).body.data;
  return tokenBalances.find((one: { token: { symbol: string } }) => one.token.symbol === 'USDC')?.amount;
};
const stranger = () => privateKeyToAccount(`0x${randomBytes(32).toString('hex')}`).address.toLowerCase();
const order = (body: object = {}) => ({
  walletId: rich.id,
  tokenAddress: PLACE.usdc,
  blockchain: 'ETH-SEPOLIA',
  amounts: ['1'],
  destinationAddress: stranger(),
  feeLevel: 'MEDIUM',
  ...body,
});
const transfer = (body: object) => circle.post('/v1/w3s/developer/transactions/transfer', body);
const send = async (body: object = {}) => {
  const answer = await transfer(order(body));
  expect(answer).toMatchObject({ status: 201, body: { data: { state: 'INITIATED' } } });
  return answer.body.data.id as string;
};
const read = async (id: string) => (await circle.get(`/v1/w3s/transactions/${id}`)).body.data.transaction;
const reach = (id: string, state: State) =>
  eventually(async () => {
    const now = await read(id);
    expect(now.state).toBe(state);
    return now;
  });
const statesHeard = (id: string): State[] =>
  world.heard
    .map(({ body }) => JSON.parse(body.toString()).notification)
    .flatMap((one) => (one.id === id ? [one.state] : []));

describe('a transfer', () => {
  it('goes through its states with the chain, and both ends see it', async () => {
    const receiver = await makeWallet({});
    // The first transaction brings the wallet gas, which the double pays.
    await reach(await send(), 'COMPLETE');
    world.setMining(false);
    const id = await send({ destinationAddress: receiver.address, refId: 'payment-7' });
    const sent = await reach(id, 'SENT');
    expect(sent).toMatchObject({ txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/), refId: 'payment-7' });
    await world.chain.local.mine();
    expect(await reach(id, 'CONFIRMED')).toMatchObject({ txHash: sent.txHash, blockHeight: world.chain.local.head });
    await world.chain.local.mine({ count: 3 });
    await reach(id, 'COMPLETE');
    expect(await usdcOf(receiver.id)).toBe('1');
    await eventually(() => expect(statesHeard(id)).toEqual(['QUEUED', 'SENT', 'CONFIRMED', 'COMPLETE']));
    const list = await circle.get(`/v1/w3s/transactions?walletIds=${receiver.id}&txType=INBOUND`);
    expect(list.body.data.transactions).toMatchObject([
      { state: 'COMPLETE', txHash: sent.txHash, sourceAddress: rich.address, amounts: ['1'] },
    ]);
  });

  it('keeps its first answer under its key, and has one chain transaction', async () => {
    const body = order({ idempotencyKey: randomUUID() });
    const [first, ...concurrent] = await Promise.all([transfer(body), transfer(body), transfer(body)]);
    expect(concurrent).toEqual([first, first]);
    await reach(first.body.data.id, 'COMPLETE');
    expect(await transfer(body)).toEqual(first);
    expect((await transfer({ ...body, amounts: ['2'] })).body.code).toBe(156020);
  });

  it('comes back after a reorg that removed it', async () => {
    world.setMining(false);
    // It does not skip this state.
    world.double.control.turn({ hold: 'CONFIRMED' });
    const id = await send();
    await eventually(async () => {
      await world.chain.local.mine();
      expect((await read(id)).state).toBe('CONFIRMED');
    });
    await world.chain.local.reorg(2, 'drop');
    world.double.control.turn({ hold: null });
    world.setMining(true);
    await reach(id, 'COMPLETE');
  });

  it('is refused with the reason', async () => {
    const codes = async (body: object) => (await transfer(order(body))).body.code;
    expect(await codes({ amounts: ['0'] })).toBe(155221);
    expect(await codes({ amounts: ['1.0000001'] })).toBe(156032);
    expect(await codes({ amounts: ['100000'] })).toBe(155258);
    expect(await codes({ destinationAddress: 'nowhere' })).toBe(155219);
    expect(await codes({ feeLevel: undefined })).toBe(155231);
    expect(await codes({ maxFee: '1', priorityFee: '1' })).toBe(155234);
    expect(await codes({ walletAddress: rich.address })).toBe(155244);
    expect(await codes({ walletId: randomUUID() })).toBe(156001);
    expect(await codes({ tokenAddress: stranger() })).toBe(156031);
    expect(await codes({ blockchain: 'BASE-SEPOLIA' })).toBe(155225);
  });

  it('of the native coin and contract calls are sent too', async () => {
    await reach(await send(), 'COMPLETE');
    const payee = stranger();
    const native = await transfer(order({ tokenAddress: undefined, amounts: ['0.0001'], destinationAddress: payee }));
    await reach(native.body.data.id, 'COMPLETE');
    expect(hexToBigInt(await world.chain.local.read<Hex>('eth_getBalance', [payee, 'latest']))).toBe(
      100_000_000_000_000n,
    );
    const called = await circle.post('/v1/w3s/developer/transactions/contractExecution', {
      walletId: rich.id,
      contractAddress: PLACE.usdc,
      abiFunctionSignature: 'transfer(address,uint256)',
      abiParameters: [payee, '5'],
      feeLevel: 'HIGH',
    });
    await reach(called.body.data.id, 'COMPLETE');
  });
});

describe('a smart contract account', () => {
  it('has one transaction at a time, and a hash when it is in a block', async () => {
    const wallet = await makeWallet({ accountType: 'SCA' }, '10');
    world.double.control.turn({ hold: 'SENT' });
    const id = await send({ walletId: wallet.id });
    expect((await transfer(order({ walletId: wallet.id }))).body.code).toBe(155264);
    expect((await reach(id, 'SENT')).txHash).toBe('');
    world.double.control.turn({ hold: null });
    expect((await reach(id, 'COMPLETE')).txHash).toMatch(/^0x[0-9a-f]{64}$/);
    const { tokenBalances } = (await circle.get(`/v1/w3s/wallets/${wallet.id}/balances?includeAll=true`)).body.data;
    expect(tokenBalances).toMatchObject([{ amount: '9', token: { symbol: 'USDC' } }]);
    expect((await transfer(order({ walletId: wallet.id, feeLevel: undefined, gasLimit: '90000' }))).body.code).toBe(
      155232,
    );
  });
});

describe('Solana and Aptos', () => {
  it('have coins that the double keeps', async () => {
    for (const blockchain of ['SOL-DEVNET', 'APTOS-TESTNET']) {
      const from = await makeWallet({ blockchains: [blockchain] });
      const to = await makeWallet({ blockchains: [blockchain] });
      const drip = { address: from.address, blockchain, usdc: true };
      expect((await circle.ask('POST', '/v1/faucet/drips', drip)).status).toBe(204);
      expect(await usdcOf(from.id)).toBe('10');
      const { tokenBalances } = (await circle.get(`/v1/w3s/wallets/${from.id}/balances`)).body.data;
      const tokenId = tokenBalances[0].token.id;
      const body = { walletId: from.id, tokenAddress: undefined, tokenId, blockchain: undefined };
      expect((await transfer(order({ ...body, amounts: ['10.5'], destinationAddress: to.address }))).body.code).toBe(
        155258,
      );
      const id = await send({ ...body, amounts: ['2.5'], destinationAddress: to.address });
      expect((await reach(id, 'COMPLETE')).txHash).not.toBe('');
      expect([await usdcOf(from.id), await usdcOf(to.id)]).toEqual(['7.5', '2.5']);
      const seen = await circle.get(`/v1/w3s/transactions?walletIds=${to.id}`);
      expect(seen.body.data.transactions).toMatchObject([
        { transactionType: 'INBOUND', amounts: ['2.5'], state: 'COMPLETE' },
      ]);
    }
  });
});

describe('faults', () => {
  it('a screening denies, a send fails, each with its reason', async () => {
    world.double.control.turn({ fate: { state: 'DENIED', count: 1 } });
    await reach(await send(), 'DENIED');
    for (const reason of ['ESTIMATION_ERROR', 'INSUFFICIENT_NATIVE_TOKEN', 'INSUFFICIENT_TOKEN']) {
      world.double.control.turn({ fate: { state: 'FAILED', reason, count: 1 } });
      expect((await reach(await send(), 'FAILED')).errorReason).toBe(reason);
    }
    world.double.control.turn({ underfunded: 'fail_later' });
    expect(await reach(await send({ amounts: ['100000'] }), 'FAILED')).toMatchObject({
      errorReason: 'INSUFFICIENT_TOKEN',
    });
    await reach(await send({ destinationAddress: PLACE.usdc }), 'DENIED');
  });

  it('a stuck transaction waits for a higher fee, which gives another hash', async () => {
    world.double.control.turn({ fate: { state: 'STUCK', count: 1 } });
    const id = await send();
    const stuck = await reach(id, 'STUCK');
    const lowest = await circle.get(`/v1/w3s/transactions/lowestNonceTransaction?walletId=${rich.id}`);
    expect(lowest.body.data.transaction.id).toBe(id);
    const faster = await circle.post(`/v1/w3s/developer/transactions/${id}/accelerate`, {});
    expect(faster.body.data).toEqual({ id });
    const done = await reach(id, 'COMPLETE');
    expect(done.txHash).not.toBe(stuck.txHash);
    expect((await circle.post(`/v1/w3s/developer/transactions/${id}/accelerate`, {})).body.code).toBe(155229);
  });

  it('a cancellation replaces what is in the pool, unless that is mined first', async () => {
    const before = await usdcOf(rich.id);
    world.double.control.turn({ fate: { state: 'STUCK', count: 1 } });
    const id = await send();
    await reach(id, 'STUCK');
    const answer = await circle.post(`/v1/w3s/developer/transactions/${id}/cancel`, {});
    expect(answer.body.data).toEqual({ id, state: 'STUCK' });
    await reach(id, 'CANCELLED');
    expect(await usdcOf(rich.id)).toBe(before);
    expect((await circle.post(`/v1/w3s/developer/transactions/${id}/cancel`, {})).body.code).toBe(155229);
  });

  it('a request that was done and not answered is found under the same key', async () => {
    for (const kind of ['silent_after', 'cut_after', 'error_after'] as const) {
      const body = order({ idempotencyKey: randomUUID() });
      const before = world.double.control.transactions().length;
      world.double.control.turn({ answers: { kind, only: 'transactions/transfer', count: 1 } });
      const given = await Promise.race([
        transfer(body).then(
          ({ status }) => status,
          () => 'broken',
        ),
        eventually(() => expect(world.double.control.transactions()).toHaveLength(before + 1)).then(
          () => new Promise((done) => setTimeout(done, 3_000, 'silent')),
        ),
      ]);
      expect(given).toBe({ silent_after: 'silent', cut_after: 'broken', error_after: 500 }[kind]);
      const again = await transfer(body);
      expect(world.double.control.transactions().at(-1)?.id).toBe(again.body.data.id);
      expect(world.double.control.transactions()).toHaveLength(before + 1);
    }
  });

  it('a sender can have only so many waiting transactions', async () => {
    const wallet = await makeWallet({}, '50');
    world.double.control.turn({ hold: 'INITIATED' });
    for (let i = 0; i < 32; i++) await send({ walletId: wallet.id });
    expect((await transfer(order({ walletId: wallet.id }))).body.code).toBe(155264);
    world.double.control.reset();
    await eventually(async () => expect(await usdcOf(wallet.id)).toBe('18'));
  });
});

describe('a restart', () => {
  it('continues open transactions, and sends nothing twice', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'florin-circle-'));
    const options = { chains: world.chains, stateFile: join(folder, 'circle.journal'), ...QUICK };
    let double = await startCircleDouble(options);
    let caller = callCircle(double);
    const { walletSetId } = double;
    const made = await caller.post('/v1/w3s/developer/wallets', { walletSetId, blockchains: ['ETH-SEPOLIA'] });
    const wallet = made.body.data.wallets[0];
    await world.mint(wallet.address, '10');
    await eventually(async () => {
      const list = await caller.get(`/v1/w3s/transactions?walletIds=${wallet.id}`);
      expect(list.body.data.transactions).toHaveLength(1);
    });
    double.control.turn({ hold: 'INITIATED' });
    const body = order({ walletId: wallet.id, idempotencyKey: randomUUID() });
    const first = await caller.post('/v1/w3s/developer/transactions/transfer', body);
    const { id } = first.body.data;
    const stateOf = async () => (await caller.get(`/v1/w3s/transactions/${id}`)).body.data.transaction.state;
    // Stopped in every state, one after another; each new double advances one state.
    for (const hold of ['INITIATED', 'QUEUED', 'SENT', 'CONFIRMED'] as const) {
      double.control.turn({ hold });
      await eventually(async () => expect(await stateOf()).toBe(hold));
      await double.stop();
      double = await startCircleDouble(options);
      double.control.turn({ hold });
      caller = callCircle(double);
      expect(await caller.post('/v1/w3s/developer/transactions/transfer', body)).toEqual(first);
    }
    double.control.reset();
    await eventually(async () => expect(await stateOf()).toBe('COMPLETE'));
    const list = await caller.get(`/v1/w3s/transactions?walletIds=${wallet.id}`);
    expect(list.body.data.transactions).toHaveLength(2);
    const balances = await caller.get(`/v1/w3s/wallets/${wallet.id}/balances?tokenAddress=${PLACE.usdc}`);
    expect(balances.body.data.tokenBalances).toMatchObject([{ amount: '9' }]);
    await double.stop();
    rmSync(folder, { recursive: true });
  });
});

describe('webhooks', () => {
  it('come twice, last first, or not at all, as the switches say', async () => {
    world.double.control.turn({ webhooks: { twice: true } });
    const twice = await send();
    await reach(twice, 'COMPLETE');
    await eventually(() => expect(statesHeard(twice)).toHaveLength(8));
    world.double.control.turn({ webhooks: { disorder: true } });
    const disorder = await send();
    await reach(disorder, 'COMPLETE');
    await eventually(() => expect(statesHeard(disorder)).toEqual(['COMPLETE', 'CONFIRMED', 'SENT', 'QUEUED']));
    world.double.control.turn({ webhooks: { never: true } });
    const never = await send();
    await reach(never, 'COMPLETE');
    world.double.control.turn({ webhooks: { late_ms: 1 } });
    const late = await send();
    await reach(late, 'COMPLETE');
    await eventually(() => expect(statesHeard(late)).toHaveLength(4));
    expect(statesHeard(never)).toEqual([]);
  });

  it('begin with a test, and name the key that signs them', async () => {
    const first = JSON.parse(world.heard[0]!.body.toString());
    expect(first).toMatchObject({
      notificationType: 'webhooks.test',
      subscriptionId: expect.stringMatching(/^0{8}-/),
      version: 2,
    });
    const keyId = world.double.control.rotateWebhookKey();
    const id = await send();
    await reach(id, 'COMPLETE');
    await eventually(() => expect(world.heard.at(-1)!.headers['x-circle-key-id']).toBe(keyId));
    const key = (await circle.get(`/v2/notifications/publicKey/${keyId}`)).body.data;
    expect(key.publicKey).toMatch(/^MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE/);
  });
});
