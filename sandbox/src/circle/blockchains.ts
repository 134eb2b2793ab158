/** Circle's names of blockchains, and its token ids of USDC there. */
type Family = 'evm' | 'solana' | 'aptos' | 'near';

interface Blockchain {
  readonly family: Family;
  readonly isTestnet: boolean;
  /** `EVM` and `EVM-TESTNET` wallets have an address and sign, for any EVM chain; they send nothing. */
  readonly isGeneric: boolean;
}

const EVM = ['ETH', 'AVAX', 'MATIC', 'ARB', 'UNI', 'BASE', 'OP', 'ARC', 'MONAD', 'EVM'];
const TESTNETS: Readonly<Record<string, string>> = {
  ETH: 'ETH-SEPOLIA',
  AVAX: 'AVAX-FUJI',
  MATIC: 'MATIC-AMOY',
  ARB: 'ARB-SEPOLIA',
  UNI: 'UNI-SEPOLIA',
  BASE: 'BASE-SEPOLIA',
  OP: 'OP-SEPOLIA',
  ARC: 'ARC-TESTNET',
  MONAD: 'MONAD-TESTNET',
  EVM: 'EVM-TESTNET',
  SOL: 'SOL-DEVNET',
  APTOS: 'APTOS-TESTNET',
  NEAR: 'NEAR-TESTNET',
};
const FAMILIES: Readonly<Record<string, Family>> = { SOL: 'solana', APTOS: 'aptos', NEAR: 'near' };

const BLOCKCHAINS = new Map<string, Blockchain>(
  [...EVM, 'SOL', 'APTOS', 'NEAR'].flatMap((name) => {
    const known = { family: FAMILIES[name] ?? ('evm' as const), isGeneric: name === 'EVM' };
    return [
      [name, { ...known, isTestnet: false }],
      [TESTNETS[name]!, { ...known, isTestnet: true }],
    ] as [string, Blockchain][];
  }),
);

export const findBlockchain = (name: unknown): Blockchain | undefined =>
  typeof name === 'string' ? BLOCKCHAINS.get(name) : undefined;

interface UsdcToken {
  readonly id: string;
  /** Only for chains that do not run here; the others report it themselves. */
  readonly address?: string;
}

export const USDC: Readonly<Record<string, UsdcToken>> = {
  'ETH-SEPOLIA': { id: '5797fbd6-3795-519d-84ca-ec4c5f80c3b1' },
  'BASE-SEPOLIA': { id: 'bdf128b4-827b-5267-8f9e-243694989b5f' },
  'ARB-SEPOLIA': { id: '4b8daacc-5f47-5909-a3ba-30d171ebad98' },
  'AVAX-FUJI': { id: 'ff47a560-9795-5b7c-adfc-8f47dad9e06a' },
  'MATIC-AMOY': { id: '36b6931a-873a-56a8-8a27-b706b17104ee' },
  'OP-SEPOLIA': { id: '20749a68-e55b-57d3-8359-195543efc2d4' },
  'UNI-SEPOLIA': { id: '13ef30cd-309b-5c41-98cc-0fd68c4c8c44' },
  'MONAD-TESTNET': { id: '17fe0589-b511-546c-9eff-84087524f47e' },
  'SOL-DEVNET': {
    id: '8fb3cadb-0ef4-573d-8fcd-e194f961c728',
    address: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
  },
  'APTOS-TESTNET': {
    id: 'e3cbdafc-42c3-58cc-ae4c-b31dbb10354c',
    address: '0x69091fbab5f7d635ee7ac5098cf0c1efbe31d68fec0f2cd565e8d168daf52832',
  },
};

/** The number of transactions of one sender that Circle accepts before the first of them is in a block. */
export function findQueueLimit(blockchain: string, accountType: string): number {
  if (accountType === 'SCA') return 1;
  return blockchain.startsWith('MATIC') ? 16 : 32;
}
