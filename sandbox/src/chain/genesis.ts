/**
 * `chain/` is a blockchain on this machine: a real EVM with real blocks, a test USDC that behaves like Circle's, and
 * switches for faults of real chains. The server uses it over JSON-RPC like a real one.
 *
 * The contracts are part of the genesis state, at the addresses of the real blockchain with the same label, so the
 * server uses its own table of addresses.
 */
import { readFileSync } from 'node:fs';
import { type Abi, type Address, type Hex, keccak256, stringToHex } from 'viem';

export const OPERATOR_KEY: Hex = keccak256(stringToHex('florin sandbox operator'));
const MULTICALL: Address = '0xcA11bde05977b3631167028862bE2a173976CA11';
export const PAIRS = ['USDC/USD', 'ETH/USD', 'EUR/USD'] as const;
export type Pair = (typeof PAIRS)[number];

export interface ChainParameters {
  readonly chainId: number;
  readonly usdc: Address;
  /** Further tokens that behave like the test USDC. */
  readonly moreTokens?: readonly Address[];
  readonly feeds: Readonly<Partial<Record<Pair, Address>>>;
}

export const places = {
  'ETH-SEPOLIA': {
    chainId: 31_337,
    usdc: '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238',
    feeds: {
      'USDC/USD': '0xA2F78ab2355fe2f984D808B5CeE7FD0A93D5270E',
      'ETH/USD': '0x694AA1769357215DE4FAC081bf1f309aDC325306',
      'EUR/USD': '0x1a81afB8146aeFfCFc5E50e8479e826E7D55b910',
    },
  },
  'BASE-SEPOLIA': {
    chainId: 31_338,
    usdc: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    feeds: {
      'USDC/USD': '0xd30e2101a97dcbAeBCBC04F14C3f624E67A35165',
      'ETH/USD': '0x4aDC67696bA383F43DD60A9e78F2C97Fbbfc7cb1',
    },
  },
} as const satisfies Record<string, ChainParameters>;

export type Label = keyof typeof places;

interface Artifact {
  readonly code: Hex;
  readonly abi: Abi;
}

const artifacts = JSON.parse(readFileSync(new URL('../../contracts/artifacts.json', import.meta.url), 'utf8')) as {
  readonly [name: string]: Artifact;
};

export const usdcAbi = artifacts.TestUsdc!.abi;
export const feedAbi = artifacts.EthUsdFeed!.abi;

const feedContracts: Record<Pair, string> = {
  'USDC/USD': 'UsdcUsdFeed',
  'ETH/USD': 'EthUsdFeed',
  'EUR/USD': 'EurUsdFeed',
};

/** Every contract of a chain: its address and its code. */
export function contractsOf(place: ChainParameters): { readonly address: Address; readonly code: Hex }[] {
  return [
    { address: MULTICALL, code: artifacts.Multicall3!.code },
    ...[place.usdc, ...(place.moreTokens ?? [])].map((address) => ({ address, code: artifacts.TestUsdc!.code })),
    ...PAIRS.flatMap((pair) => {
      const address = place.feeds[pair];
      return address ? [{ address, code: artifacts[feedContracts[pair]]!.code }] : [];
    }),
  ];
}
