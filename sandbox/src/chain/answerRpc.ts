import { setTimeout as sleep } from 'node:timers/promises';
import { type Hex, hexToNumber, isHex, keccak256, numberToHex } from 'viem';
import { RpcError } from './createEvm.ts';
import { type Faults, takeBroadcastFault } from './faults.ts';
import type { LocalChain } from './openLocalChain.ts';

export const FINALITY_BLOCKS = 3;

/** `finalized` is this many blocks behind the head, `safe` one. */
export const finalityOf = (faults: Faults): number => faults.finality_blocks ?? FINALITY_BLOCKS;

/** No answer is sent: `serveLocalChain` closes the connection. */
export const NO_ANSWER = Symbol('no answer');

/** Calls that only read go to the EVM directly. Calls that change the chain must go through the journal. */
const READS = new Set([
  'eth_blockNumber',
  'eth_call',
  'eth_chainId',
  'eth_estimateGas',
  'eth_feeHistory',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getBlockTransactionCountByHash',
  'eth_getBlockTransactionCountByNumber',
  'eth_getCode',
  'eth_getLogs',
  'eth_getStorageAt',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
  'eth_maxPriorityFeePerGas',
  'eth_syncing',
  'net_version',
  'web3_clientVersion',
]);

/** Answers one JSON-RPC call. Throws `RpcError`; returns `NO_ANSWER` if a fault swallows the answer. */
export async function answerRpc(
  chain: LocalChain,
  faults: Faults,
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  const { down, delay_ms: delayMs, behind_blocks: behind, nonce_offset: nonceOffset } = faults.rpc;
  if (down) return NO_ANSWER;
  if (delayMs > 0) await sleep(delayMs);
  if (method === 'eth_sendRawTransaction') return broadcast(chain, faults, params[0]);
  if (!READS.has(method)) throw new RpcError(-32601, `the method ${method} does not exist/is not available`);
  const seen = Math.max(0, chain.head - behind);
  if (method === 'eth_blockNumber') return numberToHex(seen);
  const answer = await chain
    .read(
      method,
      params.map((param) => resolveTags(param, seen, finalityOf(faults), behind > 0)),
    )
    .catch(speakGeth);
  if (method === 'eth_getTransactionCount' && nonceOffset !== 0) {
    return numberToHex(Math.max(0, hexToNumber(answer as Hex) + nonceOffset));
  }
  return behind > 0 && isAfter(answer, seen) ? null : answer;
}

async function broadcast(chain: LocalChain, faults: Faults, raw: unknown): Promise<unknown> {
  if (!isHex(raw)) throw new RpcError(-32602, 'invalid argument 0: json: cannot unmarshal hex string');
  const fault = takeBroadcastFault(faults);
  if (fault?.kind === 'refuse') throw new RpcError(-32000, fault.message);
  if (fault?.kind === 'drop') return keccak256(raw);
  if (fault?.kind === 'delay') {
    setTimeout(() => void chain.broadcast(raw).catch(() => {}), fault.delay_ms).unref();
    return keccak256(raw);
  }
  const hash = await chain.broadcast(raw).catch(speakGeth);
  return fault?.kind === 'lose_answer' ? NO_ANSWER : hash;
}

/** Replaces block tags in parameters with numbers, also inside filters and EIP-1898 objects. */
function resolveTags(param: unknown, seen: number, finality: number, isBehind: boolean): unknown {
  if (param === 'finalized') return numberToHex(Math.max(0, seen - finality));
  if (param === 'safe') return numberToHex(Math.max(0, seen - 1));
  if (isBehind && (param === 'latest' || param === 'pending')) return numberToHex(seen);
  if (typeof param !== 'object' || param === null || Array.isArray(param)) return param;
  const members = Object.entries(param).map(([name, value]) =>
    ['fromBlock', 'toBlock', 'blockNumber'].includes(name)
      ? [name, resolveTags(value, seen, finality, isBehind)]
      : [name, value],
  );
  return Object.fromEntries(members);
}

/** True for a block, chain transaction or receipt that a lagging node has not seen. */
function isAfter(answer: unknown, seen: number): boolean {
  const { number, blockNumber } = (answer ?? {}) as { number?: Hex; blockNumber?: Hex };
  const height = number ?? blockNumber;
  return typeof height === 'string' && hexToNumber(height) > seen;
}

/** Translates the EVM library's error messages into those of go-ethereum, which most real nodes use. */
const WORDS: readonly (readonly [RegExp, (match: RegExpExecArray) => string])[] = [
  [/^Known transaction/, () => 'already known'],
  [
    /nonce too low\. Expected nonce to be at least (\d+) but got (\d+)/,
    (m) => `nonce too low: next nonce ${m[1]}, tx nonce ${m[2]}`,
  ],
  [/^Replacement transaction underpriced/, () => 'replacement transaction underpriced'],
  [/have enough funds/, () => 'insufficient funds for gas * price + value'],
  [/requires at least (\d+) gas but got (\d+)/, (m) => `intrinsic gas too low: gas ${m[2]}, minimum needed ${m[1]}`],
  [
    /gas limit is (\d+) and exceeds transaction gas cap of (\d+)/,
    (m) => `transaction gas limit too high (cap: ${m[2]}, tx: ${m[1]})`,
  ],
  [/exceeds block gas limit/, () => 'exceeds block gas limit'],
  [/invalid chainId/, () => 'invalid sender'],
  [/invalid block tag/, () => 'header not found'],
];

function speakGeth(error: unknown): never {
  if (!(error instanceof RpcError)) throw error;
  const revert = (error.data as { data?: Hex } | undefined)?.data;
  if (/revert/i.test(error.message) && revert !== undefined) {
    const reason = /reason string '(.*)'$/s.exec(error.message)?.[1];
    throw new RpcError(3, `execution reverted${reason === undefined ? '' : `: ${reason}`}`, revert);
  }
  for (const [pattern, say] of WORDS) {
    const match = pattern.exec(error.message);
    if (match) throw new RpcError(-32000, say(match));
  }
  throw new RpcError(error.code, error.message);
}
