/** Two of three nodes are honest. The third falsifies one fact after the other: no coin moves wrongly, and it is named. */
import {
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionResult,
  type Hex,
  hexToBigInt,
  numberToHex,
  pad,
} from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MULTICALL } from '../../server/src/adapters/chain/blockchains.ts';
import { multicallAbi, TRANSFER } from '../../server/src/adapters/chain/usdcAbi.ts';
import { viemChain } from '../../server/src/adapters/chain/viemChain.ts';
import type { Block, Chain } from '../../server/src/core/ports.ts';
import { breakOnDrift } from '../../server/src/custody/coins/reconcile.ts';
import { watchGas } from '../../server/src/custody/eip3009/relayers.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { type CustodyWorld, type Holder, randomAddress, startCustody } from '../support/chain/custody.ts';
import { type Call, type Liar, type Lie, Refusal, serveLiar } from '../support/chain/serveLiar.ts';
import { PLACE } from '../support/chain/serveTestChain.ts';
import { HOME } from '../support/values.ts';

let world: CustodyWorld;
let alice: Holder;
let liar: Liar;
let chain: Chain;
let relayer: Hex;
/** A block in which people got coins. */
let funded: Block;

beforeAll(async () => {
  world = await startCustody();
  ({ alice } = await world.fund({ alice: '50', treasury: '1000' }));
  const [log] = await world.listTransfers(alice.address);
  funded = (await world.chain.findBlock(log!.blockNumber))!;
  relayer = (await world.wallets.create({ kind: 'relayer', number: 0 })).address;
});
afterAll(() => world.stop());

beforeEach(async () => {
  liar = await serveLiar(world.url);
  chain = openChain([liar.url, world.url, world.url]);
});
afterEach(() => liar.close());

const openChain = (rpcUrls: string[]): Chain =>
  viemChain({
    blockchain: HOME,
    chainId: PLACE.chainId,
    tokens: [{ symbol: 'USDC', contract: PLACE.usdc }],
    finality: { kind: 'tag' },
    rpcUrls,
    timeoutMs: 20_000,
  });

/** Everything that can be asked about a settled chain. */
async function readFacts(asked: Chain, txHash: Hex) {
  const [final, head] = await Promise.all([asked.getFinalized(), asked.getHead()]);
  const states = [{ authorizer: alice.address, nonce: pad('0x1', { size: 32 }) }];
  return Promise.all([
    [final, head],
    asked.findBlock(final.number),
    asked.findBlock(final.hash),
    asked.findBlock(head.number + 100n),
    asked.listTokenLogs({ from: 0n, to: final, wallets: [alice.address], isDecisive: true }),
    asked.listBlockLogs(funded, 'all'),
    asked.readBalances(PLACE.usdc, [alice.address], final),
    asked.readAuthorizationStates(PLACE.usdc, states, final),
    asked.readRefusals(PLACE.usdc, [alice.address, PLACE.usdc]),
    asked.getGasBalance(relayer),
    asked.getNonce(relayer, 'latest'),
    asked.getNonce(relayer, final),
    asked.getFees(),
    asked.findReceipt(txHash),
    asked.findReceipt(funded.hash),
    asked.findChainTx(txHash),
  ]);
}

const isBlockCall = ({ method }: Call) => method.startsWith('eth_getBlockBy');
const add = (hex: unknown, more: bigint): Hex => numberToHex(hexToBigInt(hex as Hex) + more);
const otherHash = (hash: unknown): string => `${String(hash).slice(0, -4)}beef`;
const change =
  (isAsked: (call: Call) => boolean, fields: (truth: Record<string, unknown>) => object): Lie =>
  (call, truth) =>
    isAsked(call) && truth ? { ...(truth as object), ...fields(truth as Record<string, unknown>) } : truth;
const instead =
  (method: string, answer: (truth: unknown, call: Call) => unknown): Lie =>
  (call, truth) =>
    call.method === method ? answer(truth, call) : truth;
const refuse =
  (method: string | undefined, code: number, message: string): Lie =>
  (call, truth) => {
    if (method === undefined || call.method === method) throw new Refusal(code, message);
    return truth;
  };

/** Every value that a contract gives back is this one. */
const everyRead = (value: bigint): Lie =>
  instead('eth_call', (truth, { params }) => {
    if ((params[0] as { to: string }).to.toLowerCase() !== MULTICALL.toLowerCase()) return pad(numberToHex(value));
    const data = truth as Hex;
    const results = decodeFunctionResult({ abi: multicallAbi, functionName: 'aggregate3', data });
    const result = results.map(({ success }) => ({ success, returnData: pad(numberToHex(value), { size: 32 }) }));
    return encodeFunctionResult({ abi: multicallAbi, functionName: 'aggregate3', result });
  });

const inventLog: Lie = async ({ method, params }, truth, ask) => {
  if (method !== 'eth_getLogs') return truth;
  const { toBlock, blockHash } = params[0] as { toBlock?: Hex; blockHash?: Hex };
  const block = (await (blockHash
    ? ask('eth_getBlockByHash', [blockHash, false])
    : ask('eth_getBlockByNumber', [toBlock, false]))) as { hash: Hex; number: Hex };
  const log = {
    address: PLACE.usdc,
    topics: [TRANSFER, pad(randomAddress(), { size: 32 }), pad(alice.address, { size: 32 })],
    data: encodeAbiParameters([{ type: 'uint256' }], [777_000_000n]),
    blockNumber: block.number,
    blockHash: block.hash,
    transactionHash: `0x${'ab'.repeat(32)}`,
    logIndex: '0x63',
  };
  return [...(truth as unknown[]), log];
};

/** As if it had seen nothing after the block in which people got coins. */
const standStill: Lie = async (call, truth, ask) => {
  const last = numberToHex(funded.number);
  const [at] = call.params;
  if (isBlockCall(call) && (at === 'latest' || at === 'finalized')) return ask('eth_getBlockByNumber', [last, false]);
  const { number, blockNumber } = (truth ?? {}) as { number?: Hex; blockNumber?: Hex };
  const seenIn = number ?? blockNumber;
  return seenIn && hexToBigInt(seenIn) > funded.number ? null : truth;
};

type Named = 'contradicts' | 'behind' | 'silent' | 'no state' | undefined;

const LIES: readonly (readonly [string, Lie | 'silent', Named])[] = [
  [
    'calls the newest block final',
    ({ params }, truth, ask) => (params[0] === 'finalized' ? ask('eth_getBlockByNumber', ['latest', false]) : truth),
    'contradicts',
  ],
  [
    'calls only an old block final',
    ({ params }, truth, ask) => (params[0] === 'finalized' ? ask('eth_getBlockByNumber', ['0x1', false]) : truth),
    'behind',
  ],
  [
    'lives an hour ahead',
    change(isBlockCall, ({ timestamp }) => ({ timestamp: add(timestamp, 3_000n) })),
    'contradicts',
  ],
  ['has other blocks', change(isBlockCall, ({ hash }) => ({ hash: otherHash(hash) })), 'contradicts'],
  ['has other ancestors', change(isBlockCall, () => ({ parentHash: `0x${'11'.repeat(32)}` })), 'contradicts'],
  ['stands still', standStill, 'behind'],
  ['has no blocks', (call, truth) => (isBlockCall(call) ? null : truth), 'behind'],
  ['keeps logs to itself', instead('eth_getLogs', () => []), 'contradicts'],
  ['invents a deposit', inventLog, 'contradicts'],
  ['says yes to everything: used, blacklisted, paused', everyRead(1n), 'contradicts'],
  ['says no to everything, and no wallet has coins', everyRead(0n), 'contradicts'],
  ['says that everybody is rich', everyRead(10n ** 15n), 'contradicts'],
  [
    'says that receipts failed',
    change(
      ({ method }) => method === 'eth_getTransactionReceipt',
      () => ({ status: '0x0' }),
    ),
    'contradicts',
  ],
  [
    'has receipts in other blocks',
    change(
      ({ method }) => method === 'eth_getTransactionReceipt',
      ({ blockHash }) => ({ blockHash: otherHash(blockHash) }),
    ),
    'contradicts',
  ],
  ['keeps receipts to itself', instead('eth_getTransactionReceipt', () => null), 'behind'],
  [
    'has a receipt for everything',
    instead(
      'eth_getTransactionReceipt',
      (truth, { params }) =>
        truth ?? {
          transactionHash: params[0],
          status: '0x1',
          blockHash: `0x${'22'.repeat(32)}`,
          blockNumber: '0x1',
          gasUsed: '0x1',
          effectiveGasPrice: '0x1',
          logs: [],
        },
    ),
    'contradicts',
  ],
  [
    'asks for a thousand times the fees',
    (call, truth) => {
      if (call.method === 'eth_maxPriorityFeePerGas') return numberToHex(hexToBigInt(truth as Hex) * 1_000n);
      const scale = change(isBlockCall, ({ baseFeePerGas }) => ({
        baseFeePerGas: numberToHex(hexToBigInt(baseFeePerGas as Hex) * 1_000n),
      }));
      return scale(call, truth, async () => {});
    },
    'contradicts',
  ],
  [
    'asks for no fees',
    (call, truth) => {
      if (call.method === 'eth_maxPriorityFeePerGas') return '0x0';
      return change(isBlockCall, () => ({ baseFeePerGas: '0x0' }))(call, truth, async () => {});
    },
    'contradicts',
  ],
  ['counts nonces too high', instead('eth_getTransactionCount', (truth) => add(truth, 7n)), 'contradicts'],
  ['counts nonces too low', instead('eth_getTransactionCount', () => '0x0'), 'contradicts'],
  ['says that relayers have no gas', instead('eth_getBalance', () => '0x0'), 'contradicts'],
  ['says that relayers are rich', instead('eth_getBalance', () => numberToHex(10n ** 30n)), 'contradicts'],
  ['is of another chain', instead('eth_chainId', () => '0x1'), 'contradicts'],
  ['knows no chain transaction', instead('eth_getTransactionByHash', () => null), undefined],
  ['is silent', 'silent', 'silent'],
  ['lists no logs for their number', refuse('eth_getLogs', -32005, 'query returned more than 10000 results'), 'behind'],
  ['limits the rate', refuse(undefined, -32005, 'daily request count exceeded, request rate limited'), 'silent'],
  ['has pruned the state', refuse('eth_call', -32000, 'missing trie node ef7df5d8 (path )'), 'no state'],
  [
    'refuses every broadcast',
    refuse('eth_sendRawTransaction', -32000, 'nonce too low: next nonce 9, tx nonce 0'),
    undefined,
  ],
];

/** One turn of the worker, whose first node lies. */
const work = () => world.work({ chain });

async function checkGasAndCoins(): Promise<void> {
  const network = { ...world.network, chain };
  await watchGas({ db: world.db }, network);
  // What differs once may be a moment's; what differs twice pauses.
  for (let look = 0; look < 2; look++) await breakOnDrift({ db: world.db }, network);
}

const availableOf = async (holder: Holder): Promise<bigint> => {
  const [row] = await world.db.query<{ available: bigint }>('SELECT available FROM accounts WHERE user_id = $1', [
    holder.userId,
  ]);
  return row?.available ?? 0n;
};

const expectNothingWrong = async (): Promise<void> => {
  expect(await world.faults()).toEqual([]);
  expect(await world.db.query('SELECT scope, cause, reason FROM pauses')).toEqual([]);
};

describe('one of three nodes', () => {
  let firstTx: Hex;
  beforeAll(async () => {
    const id = await world.send({ amount: '1' });
    await world.settleDown();
    firstTx = (await world.get(id)).txHash as Hex;
  });

  it.each(LIES)('%s', async (_, lie, named) => {
    const honest = await readFacts(openChain([world.url]), firstTx);
    liar.lie = lie;
    expect(await chain.check()).toEqual(await world.chain.check());
    const told = await Promise.all(Array.from({ length: 5 }, () => readFacts(chain, firstTx)));
    for (const facts of told) expect(facts).toEqual(honest);

    const before = await availableOf(alice);
    await world.turn('/faucet', { address: alice.address, usdc: '3' });
    const destination = randomAddress();
    const id = await world.send({ amount: '2', destination });
    await work();
    await world.mine();
    await work();
    expect(await availableOf(alice), 'credited before it is final').toBe(before);
    await world.mine(3);
    await work();
    expect((await world.get(id)).state).toBe('COMPLETE');
    expect(await world.balance(destination)).toBe(2_000_000n);
    expect(await availableOf(alice)).toBe(before + 3_000_000n);
    await checkGasAndCoins();
    await expectNothingWrong();

    const [standing, ...others] = chain.nodes();
    expect(standing).toMatchObject({ host: liar.host, ...(named && { fault: { kind: named } }) });
    for (const other of others) expect(other.fault).toBeUndefined();
  });

  it('swallows every broadcast: the others carry it', async () => {
    liar.keepsBroadcasts = true;
    const destination = randomAddress();
    const id = await world.send({ amount: '2', destination });
    await work();
    await world.mine(4);
    await work();
    expect((await world.get(id)).state).toBe('COMPLETE');
    expect(liar.kept.length).toBeGreaterThan(0);
    expect(await world.balance(destination)).toBe(2_000_000n);
    await expectNothingWrong();
  });
});

describe('money is not given back', () => {
  it('because a node that keeps the bytes for later says that their time is over', async () => {
    liar.keepsBroadcasts = true;
    await world.turn('/faults', { broadcast: { kind: 'drop', count: 1_000 } });
    const destination = randomAddress();
    const id = await world.send({ amount: '5', destination, walletUsername: 'alice' });
    await work();
    await world.db.tx((tx) => cancelPayment(tx, { paymentId: id }));
    await work();
    liar.lie = change(isBlockCall, ({ timestamp }) => ({ timestamp: add(timestamp, 3_000n) }));
    for (let i = 0; i < 6; i++) {
      await world.mine();
      await work();
    }
    expect((await world.get(id)).state).toBe('SENT');

    await fetch(`${world.url}/faults`, { method: 'DELETE' });
    await world.local.broadcast(liar.kept[0] as Hex);
    for (let i = 0; i < 6; i++) {
      await world.mine();
      await work();
    }
    expect((await world.get(id)).state).toBe('COMPLETE');
    expect(await world.balance(destination)).toBe(5_000_000n);
    await expectNothingWrong();
  });
});

describe('custody is not rewound', () => {
  it('because a node has another block where the worker stands', async () => {
    await work();
    const [cursor] = await world.db.query<{ block_number: bigint }>('SELECT block_number FROM chain_cursors');
    liar.lie = change(
      (call) => isBlockCall(call) && call.params[0] === numberToHex(cursor!.block_number),
      ({ hash }) => ({ hash: otherHash(hash) }),
    );
    await work();
    expect(await world.db.query('SELECT block_number, recheck_to FROM chain_cursors')).toEqual([
      { ...cursor, recheck_to: null },
    ]);
    await expectNothingWrong();
  });
});

describe('one of two nodes', () => {
  it('lies: nothing is credited until both agree again, and what is sent goes on to the chain', async () => {
    chain = openChain([liar.url, world.url]);
    liar.lie = instead('eth_getLogs', () => []);
    const before = await availableOf(alice);
    const destination = randomAddress();
    await world.turn('/faucet', { address: alice.address, usdc: '3' });
    const id = await world.send({ amount: '2', destination });
    await work();
    await world.mine(4);
    await expect(work()).rejects.toMatchObject({ code: 'service.unavailable' });
    expect([await availableOf(alice), (await world.get(id)).state]).toEqual([before, 'SENT']);
    expect(await world.balance(destination)).toBe(2_000_000n);
    liar.lie = undefined;
    await work();
    expect([await availableOf(alice), (await world.get(id)).state]).toEqual([before + 3_000_000n, 'COMPLETE']);
    await expectNothingWrong();
  });

  it('is dead: what is sent goes on to the chain, and completes when it is back', async () => {
    chain = openChain([liar.url, world.url]);
    liar.lie = 'silent';
    const destination = randomAddress();
    const id = await world.send({ amount: '2', destination });
    await expect(work()).rejects.toMatchObject({ code: 'service.unavailable' });
    await world.mine(4);
    await expect(work()).rejects.toMatchObject({ code: 'service.unavailable' });
    expect((await world.get(id)).state).toBe('SENT');
    expect(await world.balance(destination)).toBe(2_000_000n);
    liar.lie = undefined;
    await work();
    expect((await world.get(id)).state).toBe('COMPLETE');
    await expectNothingWrong();
  });
});

describe('money is not credited', () => {
  it('because a node calls the newest block final, which is then replaced', async () => {
    liar.lie = ({ params }, truth, ask) =>
      params[0] === 'finalized' ? ask('eth_getBlockByNumber', ['latest', false]) : truth;
    const before = await availableOf(alice);
    await world.turn('/faucet', { address: alice.address, usdc: '7' });
    await world.mine();
    await work();
    expect(await availableOf(alice)).toBe(before);
    await world.turn('/reorg', { depth: 2, orphans: 'drop' });
    await world.mine(6);
    await work();
    expect(await availableOf(alice)).toBe(before);
    await expectNothingWrong();
  });
});
