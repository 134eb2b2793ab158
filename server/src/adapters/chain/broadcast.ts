import type { Broadcast, BroadcastRefusal, Hex } from '../../core/ports.ts';
import { type Endpoint, NodeError } from './createRpc.ts';

const TIMEOUT_MS = 10_000;

/** The pool already has these bytes, as go-ethereum, Erigon, Nethermind, Besu, Parity and their forks say it. */
const KNOWN = /already known|known transaction|already imported|alreadyknown|already exists|already in (the )?mempool/i;

/** Matched in this order: "replacement transaction underpriced" also contains "transaction underpriced". */
const REFUSALS: readonly (readonly [RegExp, BroadcastRefusal])[] = [
  [/nonce (is )?too low|oldnonce|invalid transaction nonce|nonce has already been used/i, 'nonce_too_low'],
  [/nonce (is )?too high|nonce ?gap|noncetoohigh|tx nonce is higher/i, 'nonce_too_high'],
  [
    /replacement (transaction|fee)|could not replace|replacementnotallowed|future transaction tries to replace/i,
    'replacement_underpriced',
  ],
  [
    /less than block base fee|fee cap less than|maxfeepergas.*(less|lower|below)|feetoolowtocompete|base ?fee/i,
    'fee_below_base',
  ],
  [/underpriced|gas price (is )?(too low|below)|tip (cap )?(too low|below)|feetoolow/i, 'underpriced'],
  [/insufficient funds|insufficientfunds|not enough (funds|balance)|upfront cost exceeds/i, 'insufficient_funds'],
  [
    /exceeds block gas limit|intrinsic gas|gas limit too (high|low)|gaslimitexceeded|gas too low|out of gas/i,
    'gas_limit',
  ],
  [/txpool is full|pool is full|account limit exceeded|too many transactions|txpool/i, 'pool_full'],
  [
    /invalid sender|invalid chain|chain ?id|invalid signature|rlp|decode|unmarshal|unsupported|not supported|type/i,
    'invalid',
  ],
];

/**
 * One node's answer to a broadcast. A message that is not in our lists is `unknown`: the bytes may be in the node's
 * pool, so the caller must broadcast the same bytes again and not assume that they were refused.
 */
export function classifyBroadcast(answer: unknown): Broadcast {
  if (!(answer instanceof NodeError)) return { outcome: 'accepted' };
  const { message } = answer;
  if (KNOWN.test(message)) return { outcome: 'accepted' };
  const reason = REFUSALS.find(([pattern]) => pattern.test(message))?.[1];
  return reason ? { outcome: 'rejected', reason, message } : { outcome: 'unknown', message };
}

/** Tries the nodes in order until one accepts. If none does, a single `unknown` makes the result unknown. */
export async function broadcast(endpoints: readonly Endpoint[], raw: Hex): Promise<Broadcast> {
  let verdict: Broadcast | undefined;
  for (const endpoint of endpoints) {
    const said = await endpoint.ask([{ method: 'eth_sendRawTransaction', params: [raw] }], TIMEOUT_MS).then(
      ([answer]) => classifyBroadcast(answer),
      (error: Error): Broadcast => ({ outcome: 'unknown', message: error.message }),
    );
    if (said.outcome === 'accepted') return said;
    if (verdict?.outcome !== 'unknown') verdict = said;
  }
  return verdict ?? { outcome: 'unknown', message: 'no endpoint is configured' };
}
