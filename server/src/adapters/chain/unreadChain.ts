import { NO_CHAIN_ID } from '../../core/families.ts';
import type { Block, Chain, Token, TokenDomain } from '../../core/ports.ts';

interface UnreadChainConfig {
  readonly blockchain: string;
  readonly token: Token;
}

/** The only block. A provider's report counts immediately, and no reorg can undo it. */
const ONLY_BLOCK: Block = { number: 0n, hash: '0x0', parentHash: '0x0', timeSeconds: 0n };

/**
 * An unwatched chain (Solana, Aptos): we run no node there, and a provider sends and reports what happened. It supports
 * only the calls that sends make on every blockchain. Any other call is a bug.
 */
export function unreadChain({ blockchain, token }: UnreadChainConfig): Chain {
  const domain: TokenDomain = {
    name: token.symbol,
    version: '',
    chainId: NO_CHAIN_ID,
    verifyingContract: token.contract,
  };
  const unread = (): never => {
    throw new Error(`${blockchain} has no node: a provider reports what happens there`);
  };
  return {
    blockchain,
    chainId: NO_CHAIN_ID,
    tokens: [token],
    check: async () => [domain],
    nodes: () => [],
    getHead: async () => ONLY_BLOCK,
    getFinalized: async () => ONLY_BLOCK,
    findBlock: async () => ONLY_BLOCK,
    // The provider refuses what the token would refuse.
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
