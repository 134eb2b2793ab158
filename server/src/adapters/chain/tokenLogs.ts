import { getAddress, hexToBigInt, hexToNumber, numberToHex, pad } from 'viem';
import type { Block, Hex, TokenLog } from '../../core/ports.ts';
import { NodeError, type Rpc, type RpcCall } from './createRpc.ts';
import { AUTHORIZATION_CANCELED, AUTHORIZATION_USED, TRANSFER } from './usdcAbi.ts';

export interface RawLog {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly blockNumber: Hex;
  readonly blockHash: Hex;
  readonly transactionHash: Hex;
  readonly logIndex: Hex;
  readonly removed?: boolean;
}

type Topics = readonly (Hex | readonly Hex[] | null)[];

/** Nodes may refuse longer filters. This number is a guess: only the local chain was tried. */
const ADDRESSES_PER_FILTER = 500;
const FIRST_RANGE_BLOCKS = 2_000n;
/** Everybody's transfers: nodes often list at most 10,000, and a busy block of USDC has 200. */
const FIRST_RANGE_OF_ALL = 32n;
/** An answer with fewer is no reason to be careful: the next range is twice as wide. */
const FEW_LOGS = 2_500;
const RANGE_WORDS = /range|more than|too many|limit|exceed|too large|response size/i;

const EVENTS = [TRANSFER, AUTHORIZATION_USED, AUTHORIZATION_CANCELED];

const addressOf = (topic: Hex): Hex => getAddress(`0x${topic.slice(-40)}`);

/** Undefined for events that we do not read, other contracts, and logs that a reorg removed. */
export function findTokenLog(log: RawLog, contracts: readonly Hex[]): TokenLog | undefined {
  const token = contracts.find((contract) => contract.toLowerCase() === log.address.toLowerCase());
  if (log.removed || !token) return undefined;
  const [event, first, second] = log.topics;
  if (!first || !second) return undefined;
  const place = {
    token,
    blockNumber: hexToBigInt(log.blockNumber),
    blockHash: log.blockHash,
    txHash: log.transactionHash,
    logIndex: hexToNumber(log.logIndex),
  };
  if (event === TRANSFER) {
    return { ...place, kind: 'transfer', from: addressOf(first), to: addressOf(second), amount: hexToBigInt(log.data) };
  }
  if (event === AUTHORIZATION_USED) return { ...place, kind: 'used', authorizer: addressOf(first), nonce: second };
  if (event === AUTHORIZATION_CANCELED)
    return { ...place, kind: 'canceled', authorizer: addressOf(first), nonce: second };
  return undefined;
}

/** Two filters per group of wallets: transfers in, and transfers out with the authorizations. */
export function filtersOf(wallets: readonly Hex[] | 'all'): Topics[] {
  if (wallets === 'all') return [[EVENTS]];
  const filters: Topics[] = [];
  for (let at = 0; at < wallets.length; at += ADDRESSES_PER_FILTER) {
    const some = wallets.slice(at, at + ADDRESSES_PER_FILTER).map((wallet) => pad(wallet, { size: 32 }));
    filters.push([TRANSFER, null, some], [EVENTS, some]);
  }
  return filters;
}

/**
 * All logs that match one of the filters, each once, in the order of the chain. When a node refuses a range as too
 * wide, the range is halved. Every answer comes from a node that has `to` as its canonical block at that moment.
 */
export async function listLogs(
  rpc: Rpc,
  contracts: readonly Hex[],
  { from, to, filters }: { readonly from: bigint; readonly to: Block; readonly filters: readonly Topics[] },
): Promise<TokenLog[]> {
  const found: RawLog[] = [];
  const isOfAll = filters.some((topics) => topics.length === 1);
  let rangeBlocks = isOfAll ? FIRST_RANGE_OF_ALL : FIRST_RANGE_BLOCKS;
  for (let start = from; start <= to.number && filters.length > 0; ) {
    let end = start + rangeBlocks - 1n;
    if (end > to.number) end = to.number;
    const answers = await askRange(rpc, contracts, start, end, to, filters);
    if (answers === 'too wide') {
      if (rangeBlocks === 1n) throw new Error(`${contracts}: no node lists the logs of a single block`);
      rangeBlocks = rangeBlocks / 2n || 1n;
      continue;
    }
    found.push(...answers);
    if (answers.length < FEW_LOGS && rangeBlocks < FIRST_RANGE_BLOCKS) rangeBlocks *= 2n;
    start = end + 1n;
  }
  return inOrder(found, contracts);
}

/** Each log once, in the order of the chain. */
function inOrder(raws: readonly RawLog[], contracts: readonly Hex[]): TokenLog[] {
  const found = new Map<string, TokenLog>();
  for (const raw of raws) {
    const log = findTokenLog(raw, contracts);
    if (log) found.set(`${log.blockHash}:${log.logIndex}`, log);
  }
  return [...found.values()].sort((a, b) => Number(a.blockNumber - b.blockNumber) || a.logIndex - b.logIndex);
}

/** All logs of one block that match one of the filters, from a node that has the block. */
export async function listLogsOf(
  rpc: Rpc,
  contracts: readonly Hex[],
  block: Block,
  filters: readonly Topics[],
): Promise<TokenLog[]> {
  const calls: RpcCall[] = [
    ...filters.map((topics) => ({
      method: 'eth_getLogs',
      params: [{ address: contracts, topics, blockHash: block.hash }],
    })),
    // For a block that it does not have, a node may answer with no logs.
    { method: 'eth_getBlockByHash', params: [block.hash, false] },
  ];
  const answers = await rpc.callTogether<RawLog[] | 'not by hash'>(calls, (answers) => {
    const found = answers.pop() as { hash?: Hex } | null;
    if (found?.hash !== block.hash) return undefined;
    if (answers.some((answer) => answer instanceof NodeError)) return 'not by hash';
    return (answers as RawLog[][]).flat().filter((log) => log.blockHash === block.hash);
  });
  if (answers !== 'not by hash') return inOrder(answers, contracts);
  return listLogs(rpc, contracts, { from: block.number, to: block, filters });
}

function askRange(
  rpc: Rpc,
  contracts: readonly Hex[],
  start: bigint,
  end: bigint,
  to: Block,
  filters: readonly Topics[],
): Promise<RawLog[] | 'too wide'> {
  const calls: RpcCall[] = [
    ...filters.map((topics) => ({
      method: 'eth_getLogs',
      params: [{ address: contracts, topics, fromBlock: numberToHex(start), toBlock: numberToHex(end) }],
    })),
    // The last call, so that a reorg during the others is noticed.
    { method: 'eth_getBlockByNumber', params: [numberToHex(to.number), false] },
  ];
  return rpc.callTogether<RawLog[] | 'too wide'>(calls, (answers) => {
    const block = answers.pop() as { hash?: Hex } | null;
    if (block?.hash !== to.hash) return undefined;
    const refused = answers.find((answer) => answer instanceof NodeError);
    if (refused instanceof NodeError) {
      if (RANGE_WORDS.test(refused.message)) return 'too wide';
      throw refused;
    }
    return (answers as RawLog[][]).flat();
  });
}
