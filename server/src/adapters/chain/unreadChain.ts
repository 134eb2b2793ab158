import { NO_CHAIN_ID } from '../../core/families.ts';
import type { Block, Chain, Hex, TokenDomain } from '../../core/ports.ts';

interface UnreadChainConfig {
  readonly blockchain: string;
  /** The token's address there. */
  readonly usdc: string;
}

/** All that there ever is: what a provider tells counts at once, and nothing of it is taken back by a block. */
const ONLY_BLOCK: Block = { number: 0n, hash: '0x0', parentHash: '0x0', timeSeconds: 0n };

/**
 * A blockchain that we have no node of (Solana, Aptos): a provider sends there and tells what happened. What can be asked of
 * it is what the work of sends asks on every blockchain; anything else is a mistake of ours.
 */
export function unreadChain({ blockchain, usdc }: UnreadChainConfig): Chain {
  // Addresses are texts to all who pass them on; only those who read a chain need 0x.
  const contract = usdc as Hex;
  const domain: TokenDomain = { name: 'USDC', version: '', chainId: NO_CHAIN_ID, verifyingContract: contract };
  const unread = (): never => {
    throw new Error(`no node of ${blockchain} is asked: a provider tells what happens there`);
  };
  return {
    blockchain,
    chainId: NO_CHAIN_ID,
    tokens: [{ symbol: 'USDC', contract }],
    check: async () => [domain],
    nodes: () => [],
    getHead: async () => ONLY_BLOCK,
    getFinalized: async () => ONLY_BLOCK,
    findBlock: async () => ONLY_BLOCK,
    // The provider refuses what the token would.
    readRefusals: async (_token, addresses) => ({ isPaused: false, blacklisted: addresses.map(() => false) }),
    findReceipt: async () => undefined,
    findChainTx: async () => undefined,
    listTokenLogs: unread,
    listBlockLogs: unread,
    findAuthorizationLog: unread,
    readBalances: unread,
    readAuthorizationStates: unread,
    listRefusals: unread,
    multicall: unread,
    getGasBalance: unread,
    getNonce: unread,
    getFees: unread,
    broadcast: unread,
  };
}
