/** The blockchains with 0x addresses whose wallets Circle has, by its names, which are ours too. */
export const CIRCLE_BLOCKCHAINS: readonly string[] = [
  ...['ETH', 'AVAX', 'MATIC', 'ARB', 'UNI', 'BASE', 'OP', 'ARC', 'MONAD'],
  ...['ETH-SEPOLIA', 'AVAX-FUJI', 'MATIC-AMOY', 'ARB-SEPOLIA', 'UNI-SEPOLIA', 'BASE-SEPOLIA', 'OP-SEPOLIA'],
  ...['ARC-TESTNET', 'MONAD-TESTNET'],
];

/** Test keys work only on these, and live keys only on the others. */
export const isTestnet = (blockchain: string): boolean => blockchain.includes('-');
