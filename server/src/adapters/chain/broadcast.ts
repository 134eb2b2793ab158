import type { Broadcast, BroadcastRefusal, Hex } from '../../core/ports.ts';
import type { Nodes } from './askNodes.ts';
import { NodeError } from './createNode.ts';

const TIMEOUT_MS = 10_000;

/** The pool already has these bytes: the messages of go-ethereum, Erigon, Nethermind, Besu, Parity and their forks. */
const KNOWN = /already known|known transaction|already imported|alreadyknown|already exists|already in (the )?mempool/i;

/** Matched in this order: "replacement transaction underpriced" also contains "transaction underpriced". */
const REFUSALS: readonly (readonly [RegExp, BroadcastRefusal])[] = [
  // The node's own limit: `tx fee (1.63 ether) exceeds the configured cap (1.00 ether)`, Besu `Transaction fee cap
  // exceeded`.
  [/exceeds the configur(ed|ation) cap|transaction fee cap exceeded/i, 'fee_cap'],
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
  [/pool (is )?full|queue full|account limit exceeded|too many transactions|txpool/i, 'pool_full'],
  [
    /invalid sender|invalid chain|chain ?id|invalid signature|rlp|decode|unmarshal|unsupported|not supported|type/i,
    'invalid',
  ],
];

/**
 * Classifies one node's answer to a broadcast. A message that is not in our lists is `unknown`: the bytes may be in the
 * node's pool, so the caller must broadcast the same bytes again and must not assume that they were refused.
 */
export function classifyBroadcast(answer: unknown): Broadcast {
  if (!(answer instanceof NodeError)) return { outcome: 'accepted' };
  const { message } = answer;
  if (KNOWN.test(message)) return { outcome: 'accepted' };
  const reason = REFUSALS.find(([pattern]) => pattern.test(message))?.[1];
  return reason ? { outcome: 'rejected', reason, message } : { outcome: 'unknown', message };
}

/**
 * Sends the bytes to every node, including nodes that were silent recently. The majority's answer counts. Without a
 * majority, one acceptance is enough, and the bytes are rejected only if most nodes reject them. Stops waiting once a
 * majority agrees.
 */
export function broadcast({ all, quorum, isShunned }: Nodes, raw: Hex): Promise<Broadcast> {
  const said: Broadcast[] = [];
  const waitedFor = all.filter((node) => !isShunned(node));
  let waiting = waitedFor.length || all.length;
  return new Promise((resolve) => {
    for (const node of all) {
      const isWaitedFor = waitedFor.length === 0 || waitedFor.includes(node);
      void node
        .ask([{ method: 'eth_sendRawTransaction', params: [raw] }], TIMEOUT_MS)
        .then(
          ([answer]) => classifyBroadcast(answer),
          (error: Error): Broadcast => ({ outcome: 'unknown', message: error.message }),
        )
        .then((one) => {
          said.push(one);
          if (isWaitedFor) waiting--;
          const verdict = majorityOf(said, quorum);
          if (verdict ?? waiting === 0) resolve(verdict ?? settle(said, quorum));
        });
    }
  });
}

const kindOf = (one: Broadcast): string => (one.outcome === 'rejected' ? one.reason : one.outcome);

const majorityOf = (said: readonly Broadcast[], quorum: number): Broadcast | undefined =>
  said.find(
    (one) => one.outcome !== 'unknown' && said.filter((other) => kindOf(other) === kindOf(one)).length >= quorum,
  );

function settle(said: readonly Broadcast[], quorum: number): Broadcast {
  const accepted = said.find(({ outcome }) => outcome === 'accepted');
  if (accepted) return accepted;
  const rejected = said.filter(({ outcome }) => outcome === 'rejected');
  if (rejected.length >= quorum) return rejected[0]!;
  return { outcome: 'unknown', message: said.map((one) => ('message' in one ? one.message : '')).join('; ') };
}
