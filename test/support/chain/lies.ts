/** Every fact that a node can be asked for, falsified in turn. */
import {
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionResult,
  type Hex,
  hexToBigInt,
  numberToHex,
  pad,
} from 'viem';
import { MULTICALL } from '../../../server/src/adapters/chain/blockchains.ts';
import { multicallAbi, TRANSFER } from '../../../server/src/adapters/chain/usdcAbi.ts';
import { randomAddress } from './custody.ts';
import { type Call, type Lie, Refusal } from './serveLiar.ts';
import { PLACE } from './serveTestChain.ts';

export const isBlockCall = ({ method }: Call) => method.startsWith('eth_getBlockBy');
export const add = (hex: unknown, more: bigint): Hex => numberToHex(hexToBigInt(hex as Hex) + more);
export const otherHash = (hash: unknown): string => `${String(hash).slice(0, -4)}beef`;
export const change =
  (isAsked: (call: Call) => boolean, fields: (truth: Record<string, unknown>) => object): Lie =>
  (call, truth) =>
    isAsked(call) && truth ? { ...(truth as object), ...fields(truth as Record<string, unknown>) } : truth;
export const instead =
  (method: string, answer: (truth: unknown, call: Call) => unknown): Lie =>
  (call, truth) =>
    call.method === method ? answer(truth, call) : truth;
const refuse =
  (method: string | undefined, code: number, message: string): Lie =>
  (call, truth) => {
    if (method === undefined || call.method === method) throw new Refusal(code, message);
    return truth;
  };

/** Every value that a contract returns is this one. */
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
  const { toBlock, blockHash, topics } = params[0] as {
    toBlock?: Hex;
    blockHash?: Hex;
    topics: (Hex | Hex[] | null)[];
  };
  const [wallet] = [topics[2] ?? topics[1] ?? randomAddress()].flat();
  const block = (await (blockHash
    ? ask('eth_getBlockByHash', [blockHash, false])
    : ask('eth_getBlockByNumber', [toBlock, false]))) as { hash: Hex; number: Hex };
  const log = {
    address: PLACE.usdc,
    topics: [TRANSFER, pad(randomAddress(), { size: 32 }), pad(wallet!, { size: 32 })],
    data: encodeAbiParameters([{ type: 'uint256' }], [777_000_000n]),
    blockNumber: block.number,
    blockHash: block.hash,
    transactionHash: `0x${'ab'.repeat(32)}`,
    logIndex: '0x63',
  };
  return [...(truth as unknown[]), log];
};

const FIRST_BLOCKS = 2n;
/** As if it had seen only the first blocks. */
const standStill: Lie = async (call, truth, ask) => {
  const last = numberToHex(FIRST_BLOCKS);
  const [at] = call.params;
  if (isBlockCall(call) && (at === 'latest' || at === 'finalized')) return ask('eth_getBlockByNumber', [last, false]);
  const { number, blockNumber } = (truth ?? {}) as { number?: Hex; blockNumber?: Hex };
  const seenIn = number ?? blockNumber;
  return seenIn && hexToBigInt(seenIn) > FIRST_BLOCKS ? null : truth;
};

type Named = 'contradicts' | 'behind' | 'silent' | 'no state' | undefined;

/**
 * Each lie: its name, its false answers, and how the faulty node is reported. Some faults are invisible from outside.
 */
export const LIES: readonly (readonly [string, Lie | 'silent', Named])[] = [
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
  ['is an hour ahead', change(isBlockCall, ({ timestamp }) => ({ timestamp: add(timestamp, 3_000n) })), 'contradicts'],
  ['has other blocks', change(isBlockCall, ({ hash }) => ({ hash: otherHash(hash) })), 'contradicts'],
  ['has other ancestors', change(isBlockCall, () => ({ parentHash: `0x${'11'.repeat(32)}` })), 'contradicts'],
  ['stands still', standStill, 'behind'],
  ['has no blocks', (call, truth) => (isBlockCall(call) ? null : truth), 'behind'],
  ['hides logs', instead('eth_getLogs', () => []), 'contradicts'],
  ['invents a deposit', inventLog, 'contradicts'],
  ['says yes to everything: used, blacklisted, paused', everyRead(1n), 'contradicts'],
  ['says no to everything, and no wallet has coins', everyRead(0n), 'contradicts'],
  ['says that everyone is rich', everyRead(10n ** 15n), 'contradicts'],
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
  ['hides receipts', instead('eth_getTransactionReceipt', () => null), 'behind'],
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
  ['follows another chain', instead('eth_chainId', () => '0x1'), 'contradicts'],
  ['knows no chain transaction', instead('eth_getTransactionByHash', () => null), undefined],
  ['is silent', 'silent', 'silent'],
  [
    'refuses logs because there are too many',
    refuse('eth_getLogs', -32005, 'query returned more than 10000 results'),
    'behind',
  ],
  ['limits the rate', refuse(undefined, -32005, 'daily request count exceeded, request rate limited'), 'silent'],
  ['has pruned the state', refuse('eth_call', -32000, 'missing trie node ef7df5d8 (path )'), 'no state'],
  [
    'refuses every broadcast',
    refuse('eth_sendRawTransaction', -32000, 'nonce too low: next nonce 9, tx nonce 0'),
    undefined,
  ],
];
