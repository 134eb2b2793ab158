import { USDC } from './blockchains.ts';
import type { Double } from './double.ts';
import { nameId } from './keys.ts';

export interface Token {
  readonly id: string;
  readonly blockchain: string;
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly isNative: boolean;
  readonly standard?: string;
  readonly tokenAddress?: string;
}

const NATIVE: Readonly<Record<string, readonly [symbol: string, decimals: number]>> = {
  AVAX: ['AVAX', 18],
  MATIC: ['POL', 18],
  SOL: ['SOL', 9],
  APTOS: ['APT', 8],
};
const STANDARDS: Readonly<Record<string, string>> = { SOL: 'Fungible', APTOS: 'FungibleAsset' };

/** USDC first, then the coin that pays for gas. */
export function tokensOf({ chains }: Pick<Double, 'chains'>, blockchain: string): Token[] {
  const main = blockchain.split('-')[0]!;
  const [symbol, decimals] = NATIVE[main] ?? ['ETH', 18];
  const address = chains.get(blockchain)?.usdc.toLowerCase() ?? USDC[blockchain]?.address;
  const native = { id: nameId('native', blockchain), blockchain, name: symbol, symbol, decimals, isNative: true };
  if (!USDC[blockchain] || address === undefined) return [native];
  const standard = STANDARDS[main] ?? 'ERC20';
  const usdc = { name: 'USD Coin', symbol: 'USDC', decimals: 6, isNative: false, standard, tokenAddress: address };
  return [{ id: USDC[blockchain].id, blockchain, ...usdc }, native];
}

/** Tokens do not change, so their dates are fixed. */
const TOKEN_DATE = '2023-06-29T02:37:14Z';
export const renderToken = (token: Token) => ({ ...token, createDate: TOKEN_DATE, updateDate: TOKEN_DATE });

export function findToken(double: Pick<Double, 'chains'>, id: string): Token | undefined {
  const blockchains = new Set([...double.chains.keys(), ...Object.keys(USDC)]);
  return [...blockchains].flatMap((one) => tokensOf(double, one)).find((token) => token.id === id);
}
