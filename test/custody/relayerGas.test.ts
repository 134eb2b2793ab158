/** Relayers with little gas, and relay transactions that wait until their signatures expire. */
import { concatHex, numberToHex } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Hex } from '../../server/src/core/ports.ts';
import type { Signer } from '../../server/src/core/signer.ts';
import { registerRelayers, watchGas } from '../../server/src/custody/eip3009/relayers.ts';
import { forgetRelayTxBytes } from '../../server/src/custody/eip3009/relaying/forgetRelayTxBytes.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { type CustodyWorld, randomAddress, startCustody } from '../support/chain/custody.ts';
import { asAdmin } from '../support/database.ts';

const MILLI_ETHER = 10n ** 15n;

let world: CustodyWorld;
beforeEach(async () => {
  world = await startCustody({ relayers: 2, minGasWei: MILLI_ETHER });
  await registerRelayers(world, world.network);
  await world.fund({ treasury: '1000' });
});
afterEach(() => world.stop());

async function give(relayer: number, wei: bigint): Promise<Hex> {
  const { address } = await world.wallets.create({ kind: 'relayer', number: relayer });
  await world.local.setBalance(address, wei);
  return address;
}

async function sendMany(count: number): Promise<Hex[]> {
  const destinations = Array.from({ length: count }, randomAddress);
  for (const destination of destinations) await world.send({ amount: '1', destination });
  return destinations;
}

async function expectPaid(destinations: readonly Hex[]): Promise<void> {
  const head = await world.chain.getHead();
  const balances = await world.chain.readBalances(world.usdc.contract, destinations, head);
  expect(balances).toEqual(destinations.map(() => 1_000_000n));
  expect(await world.db.query(`SELECT FROM payments WHERE state <> 'COMPLETE'`)).toEqual([]);
  expect(await world.faults()).toEqual([]);
}

const listRelayers = () =>
  world.db.query<{ trouble: string | null; relayTxs: number }>(
    `SELECT trouble, (SELECT count(*)::int FROM carriers c WHERE c.relayer_id = r.relayer_id) AS "relayTxs"
       FROM relayers r ORDER BY relayer_id`,
  );

/** The relay transaction is committed, and nothing is signed for it yet. */
const noSignature: Pick<Signer, 'signRelayTx'> = {
  signRelayTx: () => Promise.resolve({ outcome: 'unknown', cause: 'for this test' }),
};

describe('a relayer that cannot pay', () => {
  it('for a full relay transaction relays as much as it can pay for, again and again', async () => {
    await give(0, 6n * MILLI_ETHER);
    await give(1, 0n);
    await watchGas(world, world.network);
    const destinations = await sendMany(40);
    await world.settleDown();
    await expectPaid(destinations);
    expect((await listRelayers()).map((row) => row.relayTxs > 1)).toEqual([true, false]);
  });

  it('for a relay transaction that it could pay for earlier shortens it, and the rest goes another way', async () => {
    await give(1, 0n);
    await watchGas(world, world.network);
    const destinations = await sendMany(20);
    await world.work({ signer: { ...world.signer, ...noSignature } });
    await give(0, 2n * MILLI_ETHER);
    await give(1, 100n * MILLI_ETHER);
    await watchGas(world, world.network);
    await world.settleDown();
    await expectPaid(destinations);
    const shares = (await listRelayers()).map((row) => row.relayTxs);
    expect(Math.min(...shares)).toBeGreaterThan(0);
  });

  it('for a single call pauses sends with the reason, and continues when it is funded', async () => {
    await give(1, 0n);
    await watchGas(world, world.network);
    const destinations = await sendMany(3);
    await world.work({ signer: { ...world.signer, ...noSignature } });
    const address = await give(0, 1n);
    for (let turn = 0; turn < 3; turn++) await world.work();
    await watchGas(world, world.network);
    const refused = world.send({ amount: '1' });
    await expect(refused).rejects.toMatchObject({ code: 'service.paused' });
    const [pause] = await world.db.query<{ reason: string }>(`SELECT reason FROM pauses WHERE cause = 'gas'`);
    expect(pause!.reason).toContain(`${address}: it has 0 coins and needs 0.`);
    expect((await listRelayers())[0]!.trouble).toMatch(/to continue with nonce 0/);

    await give(0, 100n * MILLI_ETHER);
    await watchGas(world, world.network);
    await world.settleDown();
    await expectPaid(destinations);
    expect((await listRelayers()).map((row) => row.trouble)).toEqual([null, null]);
    expect(await world.db.query('SELECT FROM pauses')).toEqual([]);
  });
});

describe('signatures that expire while their relay transaction waits', () => {
  it('are left out of it and signed again, and cost no gas', async () => {
    await world.turn('/faults', { broadcast: { kind: 'drop', count: 100 } });
    const destinations = await sendMany(3);
    await world.work();
    await world.mine(5, 2_000);
    await world.work();
    await world.turn('/faults', { broadcast: null });
    await world.settleDown();
    await expectPaid(destinations);
    expect(await world.db.query('SELECT FROM authorizations WHERE failures > 0')).toEqual([]);
  });

  it('and had been final before a deep reorg are signed again, and everyone is paid once', async () => {
    const destinations = await sendMany(3);
    await world.work();
    await world.mine();
    for (let turn = 0; turn < 5; turn++) {
      await world.mine();
      await world.work();
    }
    await expectPaid(destinations);
    await world.turn('/reorg', { depth: 6, orphans: 'drop' });
    await world.mine(6, 2_000);
    for (let turn = 0; turn < 8; turn++) {
      await world.work();
      await world.mine();
    }
    await expectPaid(destinations);
    for (const destination of destinations) expect(await world.listTransfers(destination)).toHaveLength(1);
  });
});

describe('a token that needs more gas than our limit (M37)', () => {
  /** From now on each token call pays this much gas for memory, in one step, before it does its work. */
  async function burnGas(gas: number): Promise<void> {
    const copy = randomAddress();
    const code = (await world.local.read('eth_getCode', [world.usdc.contract, 'latest'])) as Hex;
    await world.local.read('hardhat_setCode', [copy, code]);
    // `words` of memory cost 3 * words + words² / 512.
    const words = Math.floor(256 * (Math.sqrt(9 + gas / 128) - 3));
    const burn = concatHex(['0x62', numberToHex(32 * words, { size: 3 }), '0x5150']);
    const call = concatHex(['0x3660006000376000600036600073', copy, '0x5af4', '0x3d600060003e']);
    const end = burn.length / 2 - 1 + call.length / 2 - 1 + 7;
    const answer = concatHex(['0x60', numberToHex(end, { size: 1 }), '0x573d6000fd', '0x5b3d6000f3']);
    await world.local.read('hardhat_setCode', [world.usdc.contract, concatHex([burn, call, answer])]);
  }

  const listGasLimits = async (): Promise<bigint[]> =>
    (await world.db.query<{ gas: bigint }>('SELECT gas_limit AS gas FROM carriers ORDER BY nonce')).map(
      ({ gas }) => gas,
    );

  it.each([1, 3])('is paid with a higher limit, and nothing fails: %i in one chain transaction', async (count) => {
    await burnGas(160_000);
    const destinations = await sendMany(count);
    await world.settleDown();
    await expectPaid(destinations);
    expect(await world.db.query('SELECT FROM authorizations WHERE failures > 0')).toEqual([]);
    const limits = await listGasLimits();
    expect(limits.length).toBeLessThan(5);
    expect(limits.at(-1)).toBeGreaterThan(limits[0]!);
  });

  it('is cancelled with a higher limit', async () => {
    const id = await world.send({ amount: '1' });
    await world.work({ chain: { ...world.chain, broadcast: async () => ({ outcome: 'unknown', message: 'lost' }) } });
    await burnGas(160_000);
    await world.db.tx((tx) => cancelPayment(tx, { paymentId: id }));
    await world.settleDown();
    expect((await world.get(id)).state).toBe('CANCELLED');
    expect(await world.faults()).toEqual([]);
  });

  it('fails in the end, with that reason, when no limit is enough', async () => {
    const id = await world.send({ amount: '1' });
    await world.work();
    await burnGas(2_600_000);
    // The last attempt, after all the others.
    await asAdmin(world.databaseUrl, 'UPDATE authorizations SET call_gas = 760000, failures = 2');
    for (let turn = 0; turn < 12; turn++) {
      await world.mine();
      await world.work();
    }
    await world.mine(4, 2_000);
    for (let turn = 0; turn < 3; turn++) await world.work();
    expect(await world.db.query('SELECT call_gas FROM authorizations')).toEqual([{ call_gas: 1_520_000n }]);
    expect(await world.get(id)).toMatchObject({
      state: 'FAILED',
      errorDetail: 'its chain transaction ran out of gas',
    });
    expect(await world.faults()).toEqual([]);
  });
});

describe('the bytes of a relay transaction', () => {
  const countBytes = async () => {
    const [row] = await world.db.query<{ bytes: number; hashes: number }>(
      `SELECT sum(octet_length(raw) + octet_length(data))::int AS bytes, count(hash)::int AS hashes
         FROM carriers JOIN carrier_attempts USING (carrier_id)`,
    );
    return row!;
  };
  const forget = (olderThanDays: number) =>
    forgetRelayTxBytes(world.db, world.network.networkId, { olderThanDays, limit: 10 });

  it('are deleted when it is deeper than any reorg can reach, and only then; its history stays', async () => {
    const destinations = await sendMany(2);
    await world.settleDown();
    const before = await countBytes();
    expect(before.bytes).toBeGreaterThan(0);
    expect(await forget(0)).toBe(0);
    await asAdmin(
      world.databaseUrl,
      'DELETE FROM chain_blocks WHERE block_number < (SELECT max(block_number) FROM chain_blocks)',
    );
    expect(await forget(1)).toBe(0);
    expect(await forget(0)).toBe(1);
    expect(await forget(0)).toBe(0);
    expect(await countBytes()).toEqual({ bytes: 0, hashes: before.hashes });
    await expectPaid(destinations);
  });
});
