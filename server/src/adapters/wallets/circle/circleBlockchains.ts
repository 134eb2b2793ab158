import type { Family } from '../../../core/families.ts';

/** The EVM blockchains (0x addresses) on which Circle offers wallets, by Circle's names, which we use too. */
export const CIRCLE_BLOCKCHAINS: readonly string[] = [
  ...['ETH', 'AVAX', 'MATIC', 'ARB', 'UNI', 'BASE', 'OP', 'ARC', 'MONAD'],
  ...['ETH-SEPOLIA', 'AVAX-FUJI', 'MATIC-AMOY', 'ARB-SEPOLIA', 'UNI-SEPOLIA', 'BASE-SEPOLIA', 'OP-SEPOLIA'],
  ...['ARC-TESTNET', 'MONAD-TESTNET'],
];

/**
 * The blockchains with other address formats. Circle creates plain accounts there, sends, and reports arrivals.
 * Circle's own id of USDC distinguishes it from other tokens with that name.
 */
export const ELSEWHERE: Readonly<Record<string, { readonly usdc: string; readonly tokenId: string }>> = {
  SOL: { usdc: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', tokenId: '33ca4ef6-2500-5d79-82bf-e3036139cc29' },
  'SOL-DEVNET': {
    usdc: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
    tokenId: '8fb3cadb-0ef4-573d-8fcd-e194f961c728',
  },
  APTOS: {
    usdc: '0xbae207659db88bea0cbead6da0ed00aac12edcdda169e591cd41c94180b46f3b',
    tokenId: '298eebe2-3131-5183-b528-f925f70848d0',
  },
  'APTOS-TESTNET': {
    usdc: '0x69091fbab5f7d635ee7ac5098cf0c1efbe31d68fec0f2cd565e8d168daf52832',
    tokenId: 'e3cbdafc-42c3-58cc-ae4c-b31dbb10354c',
  },
};

/** Test keys work only on these, and live keys only on the others. */
export const isTestnet = (blockchain: string): boolean => blockchain.includes('-');

/**
 * The blockchain on which every wallet is created, whatever blockchains are configured today. Its address is valid on
 * all of them.
 */
export const anchorOf = (accountType: 'EOA' | 'SCA', isTest: boolean, family: Family = 'evm'): string => {
  if (family === 'solana') return isTest ? 'SOL-DEVNET' : 'SOL';
  if (family === 'aptos') return isTest ? 'APTOS-TESTNET' : 'APTOS';
  // Accounts with code exist on real blockchains only.
  if (accountType === 'SCA') return isTest ? 'ETH-SEPOLIA' : 'ETH';
  return isTest ? 'EVM-TESTNET' : 'EVM';
};

/** How many transfers from one wallet Circle queues. */
export const queueOf = (blockchain: string, accountType: 'EOA' | 'SCA'): number =>
  accountType === 'SCA' ? 1 : blockchain.startsWith('MATIC') ? 16 : 32;
