/**
 * `adapters/chain` speaks JSON-RPC to the nodes of one blockchain and uses its USDC contract. It makes no decisions: it
 * reports the nodes' answers, in the same form for every kind of node.
 *
 * This file is the table of every EVM blockchain on which Circle itself issues USDC. Bridged tokens with similar names
 * are other contracts and are never accepted.
 */
import type { Hex } from '../../core/ports.ts';

/**
 * `tag`: a block is final when the node calls it `finalized`. `blocks`: a block is final when it has this many blocks
 * on top.
 */
export type Finality = { readonly kind: 'tag' } | { readonly kind: 'blocks'; readonly blocks: number };

interface Blockchain {
  readonly chainId: number;
  readonly usdcAddress: Hex;
  readonly finality: Finality;
}

const tag: Finality = { kind: 'tag' };
const blocks = (count: number): Finality => ({ kind: 'blocks', blocks: count });

/** The block counts are Circle's confirmation counts. Where Circle counts Ethereum blocks, the tag means the same. */
export const blockchains: Readonly<Record<string, Blockchain>> = {
  ETH: { chainId: 1, usdcAddress: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', finality: tag },
  'ETH-SEPOLIA': { chainId: 11_155_111, usdcAddress: '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238', finality: tag },
  MATIC: { chainId: 137, usdcAddress: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', finality: blocks(50) },
  'MATIC-AMOY': { chainId: 80_002, usdcAddress: '0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582', finality: blocks(50) },
  ARB: { chainId: 42_161, usdcAddress: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', finality: tag },
  'ARB-SEPOLIA': { chainId: 421_614, usdcAddress: '0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d', finality: tag },
  AVAX: { chainId: 43_114, usdcAddress: '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E', finality: blocks(1) },
  'AVAX-FUJI': { chainId: 43_113, usdcAddress: '0x5425890298aed601595a70AB815c96711a31Bc65', finality: blocks(1) },
  BASE: { chainId: 8_453, usdcAddress: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', finality: tag },
  'BASE-SEPOLIA': { chainId: 84_532, usdcAddress: '0x036CbD53842c5426634e7929541eC2318f3dCF7e', finality: tag },
  OP: { chainId: 10, usdcAddress: '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', finality: tag },
  'OP-SEPOLIA': { chainId: 11_155_420, usdcAddress: '0x5fd84259d66Cd46123540766Be93DFE6D43130D7', finality: tag },
  UNI: { chainId: 130, usdcAddress: '0x078D782b760474a361dDA0AF3839290b0EF57AD6', finality: tag },
  'UNI-SEPOLIA': { chainId: 1_301, usdcAddress: '0x31d0220469e10c4E71834a79b1f276d740d3768F', finality: tag },
  MONAD: { chainId: 143, usdcAddress: '0x754704Bc059F8C67012fEd69BC8A327a5aafb603', finality: blocks(4) },
  'MONAD-TESTNET': { chainId: 10_143, usdcAddress: '0x534b2f3A21130d7a60830c2Df862319e593943A3', finality: blocks(4) },
  // USDC is Arc's gas coin. The chain logs every transfer of the coin under a system address (0xffff…fffe, EIP-7708),
  // with 18 decimals. The contract does not emit those logs, and we do not read them. A transfer through the contract
  // has such a log in addition to its own. A plain transfer of the coin has no other log: a deposit made that way is
  // not detected as a deposit, only as a difference by reconciliation.
  ARC: { chainId: 5_042, usdcAddress: '0x3600000000000000000000000000000000000000', finality: blocks(1) },
  'ARC-TESTNET': { chainId: 5_042_002, usdcAddress: '0x3600000000000000000000000000000000000000', finality: blocks(1) },
};

/** The chain ids of local chains, under any label. */
export const DEVNET_CHAIN_IDS: readonly number[] = [31_337, 31_338];

export const MULTICALL: Hex = '0xcA11bde05977b3631167028862bE2a173976CA11';
