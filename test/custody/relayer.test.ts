/** Faults between a relayer and its chain. */
import { afterEach, describe, expect, it } from 'vitest';
import { watchGas } from '../../server/src/custody/eip3009/relayers.ts';
import { listWaitingRelayTxs } from '../../server/src/custody/eip3009/relayTxs.ts';
import { restartRelayer } from '../../server/src/custody/eip3009/restartRelayer.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { accepted } from '../support/chain/accepted.ts';
import { type CustodyWorld, randomAddress, startCustody } from '../support/chain/custody.ts';
import { asAdmin } from '../support/database.ts';
import { onePart } from '../support/run/thorough.ts';
import { HOME } from '../support/values.ts';

let world: CustodyWorld;
afterEach(() => world.stop());

async function start(settings = {}): Promise<void> {
  world = await startCustody(settings);
  await world.fund({ treasury: '1000' });
}

const readRelayer = async () =>
  (
    await world.db.query<{
      address: `0x${string}`;
      stopped: string | null;
      trouble: string | null;
      next_nonce: bigint;
    }>('SELECT address, stopped, trouble, next_nonce FROM relayers ORDER BY relayer_id')
  )[0]!;

/** One transfer of exactly the amount, nothing left over. */
async function expectPaidOnce(id: string, destination: `0x${string}`, amount: bigint): Promise<void> {
  expect((await world.get(id)).state).toBe('COMPLETE');
  expect(await world.listTransfers(destination)).toHaveLength(1);
  expect(await world.balance(destination)).toBe(amount);
  expect(await world.faults()).toEqual([]);
}

const BROADCASTS: [string, object][] = [
  ['is dropped', { kind: 'drop' }],
  ['loses its answer', { kind: 'lose_answer' }],
  ['is already known', { kind: 'refuse', message: 'already known' }],
  [
    'is refused for a fee that another attempt outbids',
    { kind: 'refuse', message: 'replacement transaction underpriced' },
  ],
  ['is refused with an unknown message', { kind: 'refuse', message: 'the stars are not right' }],
  [
    'is falsely refused for a nonce that is too low',
    { kind: 'refuse', message: 'nonce too low: next nonce 9, tx nonce 0' },
  ],
  ['is refused because the pool is full', { kind: 'refuse', message: 'txpool is full' }],
];

describe('a broadcast', () => {
  it.each(onePart(BROADCASTS, 2))('%s', async (_, broadcast) => {
    await start();
    await world.turn('/faults', { broadcast });
    const destination = randomAddress();
    const id = await world.send({ amount: '1', destination });
    await world.work();
    await world.settleDown();
    await expectPaidOnce(id, destination, 1_000_000n);
  });

  it('waits while the chain is down, slow, behind or lying about nonces, and then succeeds', async () => {
    await start();
    const destination = randomAddress();
    const id = await world.send({ amount: '2', destination });
    await world.turn('/faults', { rpc: { down: true } });
    await expect(world.work()).rejects.toMatchObject({ code: 'service.unavailable' });
    await world.turn('/faults', { rpc: { nonce_offset: 7 } });
    await world.work();
    await world.mine(2);
    await world.turn('/faults', { rpc: { behind_blocks: 20 } });
    await world.work();
    await world.mine(6);
    await world.work();
    expect((await world.get(id)).state).not.toBe('COMPLETE');
    await world.turn('/faults', { rpc: { delay_ms: 60 } });
    await world.settleDown();
    await world.turn('/faults', { rpc: null });
    await expectPaidOnce(id, destination, 2_000_000n);
  });
});

describe('a relay transaction that is stuck', () => {
  it('is replaced under its own nonce at a higher fee, and every hash stays in the timeline', async () => {
    await start({ bumpAfterMs: 0 });
    await world.turn('/faults', { base_fee_wei: '50000000000' });
    await world.mine();
    const destination = randomAddress();
    await world.turn('/faults', { base_fee_wei: '1000000000' });
    await world.mine(2);
    const id = await world.send({ amount: '1', destination });
    await world.work();
    await world.turn('/faults', { base_fee_wei: '90000000000' });
    await world.mine();
    expect((await world.get(id)).state).toBe('SENT');
    await world.work();
    const [relayTx] = await listWaitingRelayTxs(world.db, world.network.networkId);
    expect(relayTx!.attempts.length).toBeGreaterThan(1);
    await world.settleDown();
    await expectPaidOnce(id, destination, 1_000_000n);
  });
});

describe('a relayer', () => {
  /** A chain transaction of the relayer that this database does not know. */
  async function useUnknownNonce(nonce: number): Promise<void> {
    const { reference, address } = await world.wallets.create({ kind: 'relayer', number: 0 });
    const fees = await world.chain.getFees();
    const signed = await world.wallets.signRelayTx(reference, {
      chainId: world.chain.chainId,
      nonce,
      to: address,
      data: '0x',
      gasLimit: 21_000n,
      maxFeePerGas: fees.maxFeePerGas,
      maxPriorityFeePerGas: fees.maxPriorityFeePerGas,
    });
    await world.chain.broadcast(accepted(signed).raw);
  }

  it('skips nonces that another database used, the first time by itself, and the second time stops', async () => {
    await start({ missingAfterMs: 0 });
    for (const nonce of [0, 1, 2]) await useUnknownNonce(nonce);
    await world.mine(4);
    const destination = randomAddress();
    const id = await world.send({ amount: '1', destination });
    await world.settleDown();
    await expectPaidOnce(id, destination, 1_000_000n);
    const audit = await world.db.query<{ details: object }>(
      `SELECT details FROM audit_log WHERE action = 'relayer.nonces_passed'`,
    );
    expect(audit.length).toBeGreaterThan(0);
    expect(audit.at(-1)!.details).toMatchObject({ blockchain: HOME, stopped: false });
    expect(await readRelayer()).toMatchObject({ stopped: null });

    await asAdmin(world.databaseUrl, `UPDATE relayers SET foreign_since = now() - interval '2 hours'`);
    const { next_nonce: next } = await readRelayer();
    await useUnknownNonce(Number.parseInt(String(next), 10));
    await world.mine(4);
    await world.send({ amount: '1', destination });
    for (let i = 0; i < 3; i++) await world.work();
    const { stopped, address } = await readRelayer();
    expect(stopped).toMatch(/used elsewhere again/);
    await watchGas(world, world.network);
    await expect(world.send({ amount: '1' })).rejects.toMatchObject({
      code: 'service.paused',
      details: { reason: 'the fees of this blockchain cannot be paid at the moment' },
    });
    const [pause] = await world.db.query<{ reason: string }>('SELECT reason FROM pauses');
    expect(pause!.reason).toContain(`florin relayer restart ${HOME} ${address}`);
    await restartRelayer(world, world.network, address, 'operator:test');
    await watchGas(world, world.network);
    await world.settleDown();
    expect(await world.balance(destination)).toBe(2_000_000n);
  });

  it('is not asked forever to relay what has expired', async () => {
    await start();
    await asAdmin(world.databaseUrl, `UPDATE relayers SET stopped = 'a test'`);
    const id = await world.send({ amount: '1' });
    await world.work();
    const waiting = () => world.db.query('SELECT FROM authorizations WHERE NOT carried');
    expect(await waiting()).toHaveLength(1);
    await world.db.tx((tx) => cancelPayment(tx, { paymentId: id }));
    await world.mine(5, 7_300);
    for (let i = 0; i < 3; i++) await world.work();
    expect((await world.get(id)).state).toBe('CANCELLED');
    expect(await waiting()).toEqual([]);
  });

  it('that runs low on gas stops new sends before it is empty', async () => {
    await start();
    const net = { ...world.network, settings: { ...world.network.settings, minGasWei: 10n ** 30n } };
    await watchGas(world, net);
    await expect(world.send({ amount: '1' })).rejects.toMatchObject({ code: 'service.paused' });
    await watchGas(world, world.network);
    await world.send({ amount: '1' });
  });
});

describe('two workers', () => {
  it('that wake at the same time pay everyone once', async () => {
    await start({ callsPerRelayTx: 3 });
    const sends = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const destination = randomAddress();
        return { destination, id: await world.send({ amount: '1', destination }) };
      }),
    );
    for (let i = 0; i < 8; i++) {
      await Promise.allSettled([world.work(), world.work(), world.work()]);
      await world.mine();
    }
    await world.settleDown();
    for (const { destination, id } of sends) await expectPaidOnce(id, destination, 1_000_000n);
  });
});
