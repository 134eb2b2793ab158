import type { Family } from '../../../core/families.ts';

/** The blockchains with 0x addresses whose wallets Circle has, by its names, which are ours too. */
export const CIRCLE_BLOCKCHAINS: readonly string[] = [
  ...['ETH', 'AVAX', 'MATIC', 'ARB', 'UNI', 'BASE', 'OP', 'ARC', 'MONAD'],
  ...['ETH-SEPOLIA', 'AVAX-FUJI', 'MATIC-AMOY', 'ARB-SEPOLIA', 'UNI-SEPOLIA', 'BASE-SEPOLIA', 'OP-SEPOLIA'],
  ...['ARC-TESTNET', 'MONAD-TESTNET'],
];

/**
 * Those without: Circle makes plain accounts there, sends, and tells what has arrived. Its own id of USDC says that coins
 * are no other token's of that name.
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

/** On this one every wallet is made, whatever blockchains we are connected to today; its address is good for all of them. */
export const anchorOf = (accountType: 'EOA' | 'SCA', isTest: boolean, family: Family = 'evm'): string => {
  if (family === 'solana') return isTest ? 'SOL-DEVNET' : 'SOL';
  if (family === 'aptos') return isTest ? 'APTOS-TESTNET' : 'APTOS';
  // Accounts with code exist on real blockchains only.
  if (accountType === 'SCA') return isTest ? 'ETH-SEPOLIA' : 'ETH';
  return isTest ? 'EVM-TESTNET' : 'EVM';
};

/** How many transfers of one wallet Circle queues. */
export const queueOf = (blockchain: string, accountType: 'EOA' | 'SCA'): number =>
  accountType === 'SCA' ? 1 : blockchain.startsWith('MATIC') ? 16 : 32;
