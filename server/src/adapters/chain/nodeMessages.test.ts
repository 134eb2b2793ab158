import { describe, expect, it } from 'vitest';
import { findTrouble } from './nodeMessages.ts';

describe('a node’s message when it lists no logs', () => {
  it.each([
    // Infura
    ['query returned more than 10000 results', 'too wide'],
    ['query timeout exceeded', 'too wide'],
    ['range 1000000 exceeds limit of 10000', 'too wide'],
    ['daily request count exceeded, request rate limited', 'busy'],
    ['exceeded project rate limit', 'busy'],
    // Alchemy
    ['Log response size exceeded. Please reduce query block range.', 'too wide'],
    ['You can make eth_getLogs requests with up to a 500 block range. Based on your parameters, this …', 'too wide'],
    ['Your app has exceeded its compute units per second capacity. If you have retries enabled, …', 'busy'],
    // QuickNode
    ['eth_getLogs and eth_newFilter are limited to a 10,000 blocks range', 'too wide'],
    ['eth_getLogs is limited to a 10,000 range', 'too wide'],
    ['25/second request limit reached - reduce calls per second or upgrade your account at quicknode.com', 'busy'],
    // Ankr, dRPC, Cloudflare, PublicNode, Chainstack, 1RPC
    ['block range is too wide', 'too wide'],
    ['ranges over 10000 blocks are not supported on freetier', 'too wide'],
    ['Request timeout on the free tier, please upgrade your tier to the paid one', 'too wide'],
    ['Max range: 800', 'too wide'],
    ['exceed maximum block range: 50000', 'too wide'],
    ['Block range limit exceeded.', 'too wide'],
    ['response size should not greater than 10000000 bytes', 'too wide'],
    ['eth_getLogs is limited to 0 - 50 blocks range', 'too wide'],
    // Reth, Besu, Nitro, OP, Base, Avalanche, Coinbase
    ['query exceeds max block range 100000', 'too wide'],
    ['query exceeds max results 20000', 'too wide'],
    ['Requested range exceeds maximum RPC range limit', 'too wide'],
    ['logs matched by query exceeds limit of 10000', 'too wide'],
    ['backend response too large', 'too wide'],
    ['block range too large', 'too wide'],
    ['requested too many blocks from 1 to 10000, maximum is set to 2048', 'too wide'],
    ['please limit the query to at most 1000 blocks', 'too wide'],
    ['no backend is currently healthy to serve traffic', 'busy'],
    ['over rate limit', 'busy'],
    ['Too many requests', 'busy'],
    ['pruned history unavailable', 'no state'],
    ['unknown block', 'no block'],
    ['the cat sat on the cable', undefined],
  ])('%s: %s', (message, expected) => expect(findTrouble('eth_getLogs', message)).toBe(expected));
});

describe('a node’s message when it does not read the state of a block', () => {
  it.each([
    ['missing trie node ef7df5d88cb1614dc3f143879a653cd90717ee42e967c5fabbcd7505a968f314 (path )', 'no state'],
    ['required historical state unavailable (reexec=128)', 'no state'],
    ['historical state not available in path scheme yet', 'no state'],
    ['historical state 288259a5 is not available', 'no state'],
    ['state at block #123 is pruned', 'no state'],
    ['old data not available due to pruning', 'no state'],
    ['No state available for block 0x3f9e020290502d1d', 'no state'],
    ['World state unavailable', 'no state'],
    ['Unknown state. First available state is 1', 'no state'],
    ['Archive requests require a personal token. Get one at: …', 'no state'],
    ['Archive, Debug and Trace requests are not available on your current plan.', 'no state'],
    ['header not found', 'no block'],
    ['header for hash not found', 'no block'],
    ['hash is not currently canonical', 'no block'],
    ['request timed out', 'busy'],
    ['execution reverted: Pausable: paused', undefined],
  ])('%s: %s', (message, expected) => expect(findTrouble('eth_call', message)).toBe(expected));

  it('a status of 429 is a rate limit whatever the message', () => {
    expect(findTrouble('eth_call', 'slow down', 429)).toBe('busy');
  });
});
