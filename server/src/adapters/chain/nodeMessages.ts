/**
 * The error messages of nodes and providers that do not answer a call. Each line names the products that send it. The
 * error codes do not help: depending on the provider, -32005 means too many results, too wide a range, a rate limit or
 * a wrong gas limit.
 */

/**
 * `too wide`: request fewer blocks. `busy`: a rate limit, a time-out or a fault of the node; it counts as no answer.
 * `no state`: the node no longer has the balances and contracts of that block. `no block`: the node does not have the
 * block, or has a different one.
 */
export type Trouble = 'too wide' | 'busy' | 'no state' | 'no block';

/**
 * Matched in this order. Rate limits come first, because their messages mention limits and "exceeded" as the messages
 * about ranges do.
 */
const TROUBLES: readonly (readonly [Trouble, readonly RegExp[]])[] = [
  [
    'busy',
    [
      /rate limit|rate.limited|too many requests/i, // Infura, Base, Tenderly, Cloudflare
      /request limit reached|reduce calls per second/i, // QuickNode: 25/second request limit reached
      /compute units/i, // Alchemy
      /daily request count|monthly capacity|reached the (quota|free tier)|exceeded the quota|usage limit/i,
      /under too much load|no backend is currently healthy|no (healthy )?backend/i, // OP, Base
    ],
  ],
  [
    'no state',
    [
      /missing trie node/i, // go-ethereum, Nitro, OP
      /historical state .*(not available|unavailable)/i, // go-ethereum by hash and by path scheme, Bor
      /state histories haven't been fully indexed/i, // go-ethereum
      /state at block .* is pruned/i, // Reth
      /not available due to pruning|pruned history unavailable/i, // Erigon, go-ethereum
      /no state available/i, // Nethermind
      /world state unavailable/i, // Besu
      /first available state is/i, // dRPC
      /archive requests require|archive, debug and trace requests are not/i, // PublicNode, Chainstack
      /exceeds maximum proof window/i, // Reth, OP
    ],
  ],
  [
    'too wide',
    [
      /more than [\d,]+ results|exceeds max results|query exceeds limit|logs matched by query exceeds/i, // Infura, Reth, Nitro
      /response size|response too large|response is too big/i, // Alchemy, 1RPC, OP
      /block range|blocks? range|range (is |was )?too|exceeds? .*range|range .*exceed|ranges? over/i, // Ankr, Reth, Besu, dRPC
      /range limit|max(imum)? .*range|max range/i, // Chainstack, PublicNode, Cloudflare
      /limited to (a )?[\d,. -]+(block|range)|requested too many blocks|limit the query to/i, // QuickNode, Avalanche, Coinbase
      /number of requested blocks|blocks distance|specify less number of address/i, // thirdweb, Ankr
    ],
  ],
  [
    'no block',
    [
      /header (for hash )?not found|unknown block|unknown header|block not found|could not find block/i,
      /not currently canonical|non-canonical|not canonical/i, // go-ethereum for `requireCanonical`
      /cannot query unfinalized/i, // Avalanche
    ],
  ],
];

/** A list of logs that takes too long is requested in smaller parts. Any other call is repeated later. */
const TIMEOUT = /time.?out|timed out|took too long/i;
const FAULT = /internal error|service unavailable|bad gateway|temporar|try again|no response/i;

export function findTrouble(method: string, message: string, httpStatus = 200): Trouble | undefined {
  const known = TROUBLES.find(([, patterns]) => patterns.some((pattern) => pattern.test(message)))?.[0];
  if (known) return known;
  if (TIMEOUT.test(message)) return method === 'eth_getLogs' ? 'too wide' : 'busy';
  return httpStatus === 429 || FAULT.test(message) ? 'busy' : undefined;
}
