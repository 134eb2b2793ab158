/** The blockchains with 0x addresses whose wallets Circle has, by its names, which are ours too. */
export const CIRCLE_BLOCKCHAINS: readonly string[] = [
  ...['ETH', 'AVAX', 'MATIC', 'ARB', 'UNI', 'BASE', 'OP', 'ARC', 'MONAD'],
  ...['ETH-SEPOLIA', 'AVAX-FUJI', 'MATIC-AMOY', 'ARB-SEPOLIA', 'UNI-SEPOLIA', 'BASE-SEPOLIA', 'OP-SEPOLIA'],
  ...['ARC-TESTNET', 'MONAD-TESTNET'],
];

/** Test keys work only on these, and live keys only on the others. */
export const isTestnet = (blockchain: string): boolean => blockchain.includes('-');

/** On this one every wallet is made, whatever blockchains we are connected to today; its address is good for all of them. */
export const anchorOf = (accountType: 'EOA' | 'SCA', isTest: boolean): string => {
  // Accounts with code exist on real blockchains only.
  if (accountType === 'SCA') return isTest ? 'ETH-SEPOLIA' : 'ETH';
  return isTest ? 'EVM-TESTNET' : 'EVM';
};

/** How many transfers of one wallet Circle queues. */
export const queueOf = (blockchain: string, accountType: 'EOA' | 'SCA'): number =>
  accountType === 'SCA' ? 1 : blockchain.startsWith('MATIC') ? 16 : 32;
