/** What a relayer bids as fees and blocks change. */
import { parseTransaction } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Broadcast, Chain, Hex } from '../../server/src/core/ports.ts';
import type { Signer } from '../../server/src/core/signer.ts';
import { readSteps } from '../../server/src/custody/eip3009/readSteps.ts';
import { watchGas } from '../../server/src/custody/eip3009/relayers.ts';
import { describeExcess, listRunways, REFUSED } from '../../server/src/custody/eip3009/relaying/listRunways.ts';
import { type CustodyWorld, randomAddress, startCustody } from '../support/chain/custody.ts';
import { asAdmin } from '../support/database.ts';

const GWEI = 1_000_000_000n;

let world: CustodyWorld;
beforeEach(async () => {
  world = await startCustody();
  await world.fund({ treasury: '1000' });
});
afterEach(() => world.stop());

/** Moves everything that was signed and broadcast this far into the past. */
const age = (minutes: number) =>
  asAdmin(
    world.databaseUrl,
    `UPDATE carrier_attempts SET created_at = created_at - $1 * interval '1 minute',
            broadcast_at = broadcast_at - $1 * interval '1 minute'`,
    [minutes],
  );

const listBids = async (): Promise<bigint[]> =>
  (
    await world.db.query<{ wei: bigint }>(
      'SELECT max_fee_wei::bigint AS wei FROM carrier_attempts ORDER BY created_at, max_fee_wei',
    )
  ).map((row) => row.wei);

/** What the payment's chain transaction paid per unit of gas. */
async function readPrice(id: string): Promise<bigint> {
  const receipt = await world.chain.findReceipt((await world.get(id)).txHash as Hex);
  return receipt!.feeWei / receipt!.gasUsed;
}

it('keeps its bid while there are no blocks for an hour, and pays what the first block takes', async () => {
  const destination = randomAddress();
  const id = await world.send({ amount: '1', destination });
  await world.work();
  for (let turn = 0; turn < 5; turn++) {
    await age(12);
    await world.work();
  }
  expect(await listBids()).toHaveLength(1);
  await world.settleDown();
  expect((await world.get(id)).state).toBe('COMPLETE');
  expect(await readPrice(id)).toBeLessThan(3n * GWEI);
});

it('keeps its bid while cheaper blocks pass without it, and broadcasts it again', async () => {
  await world.turn('/faults', { broadcast: { kind: 'drop', count: 4 } });
  const id = await world.send({ amount: '1' });
  for (let turn = 0; turn < 4; turn++) {
    await world.work();
    await age(2);
    await world.mine();
  }
  await world.settleDown();
  expect((await world.get(id)).state).toBe('COMPLETE');
  expect(await listBids()).toHaveLength(1);
});

it('follows a rising base fee up to its cap, waits there, and is mined when fees fall', async () => {
  world.network = { ...world.network, settings: { ...world.network.settings, maxFeePerGasWei: 150n * GWEI } };
  const id = await world.send({ amount: '1' });
  await world.work();
  await world.turn('/faults', { base_fee_wei: String(60n * GWEI) });
  await world.mine();
  await age(2);
  await world.work();
  expect((await listBids()).at(-1)).toBeGreaterThan(60n * GWEI);
  await world.turn('/faults', { base_fee_wei: String(400n * GWEI) });
  for (let turn = 0; turn < 3; turn++) {
    await world.mine();
    await age(2);
    await world.work();
  }
  expect((await world.get(id)).state).not.toBe('COMPLETE');
  await world.turn('/faults', { base_fee_wei: String(5n * GWEI) });
  await world.settleDown();
  await world.turn('/faults', { base_fee_wei: null });
  expect((await world.get(id)).state).toBe('COMPLETE');
  for (const bid of await listBids()) expect(bid).toBeLessThanOrEqual(150n * GWEI);
});

it('bids less where a node refuses so expensive a transaction, and then relays fewer calls immediately', async () => {
  const maxCost = 10n ** 15n;
  const careful: Chain = {
    ...world.chain,
    broadcast(raw): Promise<Broadcast> {
      const { gas = 0n, maxFeePerGas = 0n } = parseTransaction(raw);
      if (gas * maxFeePerGas <= maxCost) return world.chain.broadcast(raw);
      const message = 'tx fee (1.63 ether) exceeds the configured cap (1.00 ether)';
      return Promise.resolve({ outcome: 'rejected', reason: 'fee_cap' as never, message });
    },
  };
  const destinations = Array.from({ length: 12 }, randomAddress);
  for (const destination of destinations) await world.send({ amount: '1', destination });
  for (let turn = 0; turn < 24; turn++) {
    await world.work({ chain: careful });
    await world.mine();
  }
  const head = await world.chain.getHead();
  const balances = await world.chain.readBalances(world.usdc.contract, destinations, head);
  expect(balances).toEqual(destinations.map(() => 1_000_000n));
  expect(await world.faults()).toEqual([]);
});

/** What the relayer would have broadcast, sent and paid for by someone else. */
async function carryAsStranger(): Promise<void> {
  const [relayTx] = await world.db.query<{ target: Hex; data: Buffer }>('SELECT target, data FROM carriers');
  const stranger = privateKeyToAccount(generatePrivateKey());
  await world.local.setBalance(stranger.address, 10n ** 18n);
  const raw = await stranger.signTransaction({
    chainId: world.chain.chainId,
    to: relayTx!.target,
    data: `0x${relayTx!.data.toString('hex')}`,
    gas: 1_000_000n,
    maxFeePerGas: 100n * GWEI,
    maxPriorityFeePerGas: GWEI,
  });
  await world.local.broadcast(raw);
}

it.each([1, 2])(
  'shows no fee for what a stranger has relayed and paid for: %i in one chain transaction (M38)',
  async (count) => {
    const ids: string[] = [];
    for (let i = 0; i < count; i++) ids.push(await world.send({ amount: '1' }));
    const pool = {
      ...world.chain,
      broadcast: async (): Promise<Broadcast> => ({ outcome: 'unknown', message: 'lost' }),
    };
    await world.work({ chain: pool });
    await carryAsStranger();
    await world.settleDown();
    for (const id of ids) expect(await world.get(id)).toMatchObject({ state: 'COMPLETE', networkFee: null });
    // What we relay ourselves has its share of the fee, also when only one wallet is rescanned.
    const own = await world.send({ amount: '1' });
    await world.settleDown();
    expect((await world.get(own)).networkFee).toBeGreaterThan(0n);
    expect(await world.faults()).toEqual([]);
  },
);

it('above its cap tells operators what gas costs and which setting limits the bids', async () => {
  world.network = { ...world.network, settings: { ...world.network.settings, maxFeePerGasWei: 50n * GWEI } };
  const id = await world.send({ amount: '1' });
  await world.work();
  await watchGas(world, world.network);
  expect((await listRunways(world.db))[0]!.aboveCap).toBeUndefined();
  await world.turn('/faults', { base_fee_wei: String(80n * GWEI) });
  await world.mine();
  await watchGas(world, world.network);
  const [runway] = await listRunways(world.db);
  expect(runway!.aboveCap?.feeWei).toBeGreaterThanOrEqual(80n * GWEI);
  expect(runway!.aboveCap?.capWei).toBe(50n * GWEI);
  expect(runway!.fault).toBeNull();
  const text = /gas costs 8\d[\d.]* gwei, and relayers bid at most 50 gwei \(FLORIN_MAX_FEE_GWEI\): sends wait/;
  expect(describeExcess(runway!.aboveCap!)).toMatch(text);
  const timeline = await readSteps(world.db, id);
  expect(timeline.map(({ detail }) => detail).join('\n')).toMatch(text);
  // Customers read calm words.
  expect(timeline.map(({ note }) => note).join()).not.toMatch(/gwei|FLORIN/);

  await world.turn('/faults', { base_fee_wei: String(5n * GWEI) });
  await world.settleDown();
  await world.turn('/faults', { base_fee_wei: null });
  await watchGas(world, world.network);
  expect((await listRunways(world.db))[0]!.aboveCap).toBeUndefined();
  expect((await readSteps(world.db, id)).map(({ detail }) => detail).join()).not.toContain('gas costs');
});

it('above the cap of the signer tells operators that the signer refuses it', async () => {
  const refuse: Pick<Signer, 'signRelayTx'> = {
    signRelayTx: () => Promise.resolve({ outcome: 'rejected', reason: 'the signer bids at most 5 gwei' }),
  };
  const id = await world.send({ amount: '1' });
  const said: string[] = [];
  for (let turn = 0; turn < 3; turn++)
    await world.work({ signer: { ...world.signer, ...refuse }, onRefusal: (reason) => said.push(reason) });
  expect((await listRunways(world.db))[0]!.fault).toBe(`${REFUSED}the signer bids at most 5 gwei`);
  expect(said).toEqual(['the signer bids at most 5 gwei']);
  const timeline = await readSteps(world.db, id);
  expect(timeline.map(({ detail }) => detail).join()).toContain(
    'the signer refuses to sign it; it is tried again: the',
  );
  expect(timeline.map(({ note }) => note).join()).not.toContain('gwei');
  await world.settleDown();
  expect((await world.get(id)).state).toBe('COMPLETE');
  expect((await listRunways(world.db))[0]!.fault).toBeNull();
});
