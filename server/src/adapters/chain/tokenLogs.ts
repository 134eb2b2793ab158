import { getAddress, hexToBigInt, hexToNumber, numberToHex, pad } from 'viem/utils';
import type { Block, Hex, TokenLog } from '../../core/ports.ts';
import { type Node, NodeError, OtherBranch, type RpcCall } from './createNode.ts';
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
/**
 * For the transfers of all addresses. Nodes often return at most 10,000 logs, and a busy block has 200 USDC transfers.
 */
const FIRST_RANGE_OF_ALL = 32n;
/** After an answer with fewer logs than this, the next range is twice as wide. */
const FEW_LOGS = 2_500;

const EVENTS = [TRANSFER, AUTHORIZATION_USED, AUTHORIZATION_CANCELED];

const addressOf = (topic: Hex): Hex => getAddress(`0x${topic.slice(-40)}`);

/** Returns undefined for other events, other contracts, and logs that a reorg removed. */
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

/** Returns two filters per group of wallets: incoming transfers, and outgoing transfers with the authorizations. */
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
 * Returns all logs of one node that match one of the filters, each once, in the order of the chain. When the node
 * refuses a range as too wide, the range is halved. The node must have `to` as a canonical block the whole time.
 */
export async function listLogs(
  node: Node,
  contracts: readonly Hex[],
  { from, to, filters }: { readonly from: bigint; readonly to: Block; readonly filters: readonly Topics[] },
): Promise<TokenLog[]> {
  const found: RawLog[] = [];
  const isOfAll = filters.some((topics) => topics.length === 1);
  let rangeBlocks = isOfAll ? FIRST_RANGE_OF_ALL : FIRST_RANGE_BLOCKS;
  for (let start = from; start <= to.number && filters.length > 0; ) {
    let end = start + rangeBlocks - 1n;
    if (end > to.number) end = to.number;
    const answers = await askRange(node, contracts, start, end, to, filters);
    if (answers === 'too wide' && start < end) {
      rangeBlocks = (end - start + 1n) / 2n;
      continue;
    }
    if (answers === 'too wide') {
      found.push(...(await listByReceipts(node, contracts, start, filters)));
      start++;
      continue;
    }
    found.push(...answers);
    if (answers.length < FEW_LOGS && rangeBlocks < FIRST_RANGE_BLOCKS) rangeBlocks *= 2n;
    start = end + 1n;
  }
  return inOrder(found, contracts);
}

/** A single block has more logs than the node returns. The receipts of the block contain the same logs. */
export async function listByReceipts(
  node: Node,
  contracts: readonly Hex[],
  number: bigint,
  filters: readonly Topics[],
): Promise<RawLog[]> {
  const receipts = await node.call<readonly { readonly logs: readonly RawLog[] }[]>('eth_getBlockReceipts', [
    numberToHex(number),
  ]);
  const wanted = new Set(contracts.map((contract) => contract.toLowerCase()));
  return receipts
    .flatMap(({ logs }) => logs)
    .filter(
      ({ address, topics }) => wanted.has(address.toLowerCase()) && filters.some((filter) => fits(topics, filter)),
    );
}

const fits = (topics: readonly Hex[], filter: Topics): boolean =>
  filter.every((wanted, i) => wanted === null || [wanted].flat().some((one) => one.toLowerCase() === topics[i]));

/** Returns each log once, in the order of the chain. */
function inOrder(raws: readonly RawLog[], contracts: readonly Hex[]): TokenLog[] {
  const found = new Map<string, TokenLog>();
  for (const raw of raws) {
    const log = findTokenLog(raw, contracts);
    if (log) found.set(`${log.blockHash}:${log.logIndex}`, log);
  }
  return [...found.values()].sort((a, b) => Number(a.blockNumber - b.blockNumber) || a.logIndex - b.logIndex);
}

/** Returns all logs of one block that match one of the filters, from a node that has the block. */
export async function listLogsOf(
  node: Node,
  contracts: readonly Hex[],
  block: Block,
  filters: readonly Topics[],
): Promise<TokenLog[]> {
  const calls: RpcCall[] = [
    ...filters.map((topics) => ({
      method: 'eth_getLogs',
      params: [{ address: contracts, topics, blockHash: block.hash }],
    })),
    // A node may answer with no logs for a block that it does not have.
    { method: 'eth_getBlockByHash', params: [block.hash, false] },
  ];
  const answers = await node.ask(calls);
  if ((answers.pop() as { hash?: Hex } | null)?.hash !== block.hash) throw new OtherBranch();
  // The node has the block but cannot list its logs by hash.
  if (answers.some((answer) => answer instanceof NodeError)) {
    return listLogs(node, contracts, { from: block.number, to: block, filters });
  }
  const logs = (answers as RawLog[][]).flat().filter((log) => log.blockHash === block.hash);
  return inOrder(logs, contracts);
}

export async function askRange(
  node: Node,
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
    // This call is last, so that a reorg during the others is noticed.
    { method: 'eth_getBlockByNumber', params: [numberToHex(to.number), false] },
  ];
  const answers = await node.ask(calls);
  if ((answers.pop() as { hash?: Hex } | null)?.hash !== to.hash) throw new OtherBranch();
  const refused = answers.find((answer) => answer instanceof NodeError);
  if (!refused) return (answers as RawLog[][]).flat();
  if (refused.trouble === 'too wide') return 'too wide';
  throw refused;
}
