import { CIRCLE_BLOCKCHAINS, ELSEWHERE, isTestnet } from '../../adapters/wallets/circle/circleBlockchains.ts';
import { type CircleConfig, circleProvider } from '../../adapters/wallets/circle/circleProvider.ts';
import type { Hex } from '../../core/ports.ts';
import { CURRENCY } from '../../http/currency.ts';
import { type Env, isLoopback } from './values.ts';
import type { Values } from './variables.ts';

/** See `ProviderSettings`. */
export const circleSettings = {
  secrets: ['FLORIN_CIRCLE_API_KEY', 'FLORIN_CIRCLE_ENTITY_SECRET'],
  toConfig: toCircleConfig,
  toUnwatchedChains: ({ FLORIN_CIRCLE_BLOCKCHAINS: names = [] }: Partial<Values>) =>
    [...new Set(names)].map((blockchain) => ({
      blockchain,
      // Code that only passes addresses on treats them as text. Only code that reads a chain needs 0x.
      token: { ...CURRENCY, contract: ELSEWHERE[blockchain]!.usdc as Hex },
      provider: 'circle_send',
    })),
  findFaults: findCircleFaults,
  findCommonFaults: findUnwatchedFaults,
  // This is the provider's own variable. A live key in the sandbox's environment is a mistake.
  findSandboxFaults: ({ CIRCLE_API_KEY: key }: Env) =>
    key?.startsWith('LIVE_') ? ['CIRCLE_API_KEY is a live key; the sandbox runs without live provider keys'] : [],
};

/** Whether Circle holds any keys, including keys of wallets that people are moving away from. */
const isAtCircle = (values: Partial<Values>): boolean =>
  (values.FLORIN_CIRCLE_BLOCKCHAINS ?? []).length > 0 || isEverywhere(values);

/** Applies to every process: the sandbox's coins are not real, so it must not use these real blockchains. */
function findUnwatchedFaults(values: Partial<Values>): string[] {
  return (values.FLORIN_MODE === 'sandbox' ? (values.FLORIN_CIRCLE_BLOCKCHAINS ?? []) : [])
    .filter((name) => !isTestnet(name))
    .map((name) => `FLORIN_CIRCLE_BLOCKCHAINS: the sandbox does not run on the real ${name}`);
}

/** Undefined if our own seed has all keys, or if something is missing. */
function toCircleConfig(values: Partial<Values>): CircleConfig | undefined {
  const { FLORIN_CIRCLE_API_KEY: apiKey, FLORIN_CIRCLE_ENTITY_SECRET: secret } = values;
  if (!isAtCircle(values) || !values.FLORIN_CIRCLE_URL || !apiKey || !secret) return undefined;
  return {
    url: values.FLORIN_CIRCLE_URL,
    apiKey,
    entitySecret: Buffer.from(secret, 'hex'),
    walletSet: values.FLORIN_CIRCLE_WALLET_SET,
    accountType: values.FLORIN_CIRCLE_ACCOUNT ?? 'SCA',
    feeLevel: values.FLORIN_CIRCLE_FEE ?? 'MEDIUM',
  };
}

/** `given`: which variables are set, even if they cannot be read. */
function findCircleFaults(values: Partial<Values>, given: Readonly<Record<string, string | undefined>>): string[] {
  const keys = ['FLORIN_CIRCLE_API_KEY', 'FLORIN_CIRCLE_ENTITY_SECRET'] as const;
  if (!isAtCircle(values))
    return keys
      .filter((name) => given[name])
      .map((name) => `${name} is set, but FLORIN_WALLETS is not circle: wallets would be created from our own seed`);
  const faults = keys.filter((name) => !given[name]).map((name) => `${name} is missing: ${describeUse(values)}`);
  const chains = (values.FLORIN_CHAINS ?? []).map(({ blockchain }) => blockchain);
  const strange = isEverywhere(values) ? chains.filter((name) => !CIRCLE_BLOCKCHAINS.includes(name)) : [];
  if (strange.length > 0) faults.push(`Circle has no wallets on ${strange.join(', ')} (FLORIN_CHAINS)`);
  if (chains.length === 0)
    faults.push('FLORIN_CHAINS names no blockchain: Circle creates wallets only for the blockchains listed there');
  const all = [...chains, ...(values.FLORIN_CIRCLE_BLOCKCHAINS ?? [])];
  return [...faults, ...findKeyFaults(values, all), ...findUrlFaults(values)];
}

/** Circle holds at least some of people's wallets on the blockchains in FLORIN_CHAINS. */
const isEverywhere = (values: Partial<Values>): boolean =>
  [
    values.FLORIN_WALLETS,
    values.FLORIN_WALLETS_FROM,
    ...(values.FLORIN_CHAINS ?? []).map(({ wallets }) => wallets),
  ].some((provider) => provider !== undefined && provider in circleProvider.rails);

const describeUse = ({
  FLORIN_WALLETS: wallets,
  FLORIN_CIRCLE_BLOCKCHAINS: elsewhere = [],
}: Partial<Values>): string =>
  elsewhere.length > 0 ? `FLORIN_CIRCLE_BLOCKCHAINS is ${elsewhere.join(', ')}` : `FLORIN_WALLETS is ${wallets}`;

function findKeyFaults({ FLORIN_MODE: mode, FLORIN_CIRCLE_API_KEY: key }: Partial<Values>, chains: string[]): string[] {
  if (!key) return [];
  const isLive = key.startsWith('LIVE_');
  if (isLive && mode === 'sandbox')
    return ['FLORIN_CIRCLE_API_KEY is a live key; the sandbox runs without live provider keys'];
  const atCircle = [...CIRCLE_BLOCKCHAINS, ...Object.keys(ELSEWHERE)];
  const others = chains.filter((name) => atCircle.includes(name) && isTestnet(name) === isLive);
  return others.map(
    (name) => `FLORIN_CIRCLE_API_KEY is a ${isLive ? 'live' : 'test'} key, which does not work for ${name}`,
  );
}

function findUrlFaults({ FLORIN_CIRCLE_URL: url, FLORIN_MODE: mode }: Partial<Values>): string[] {
  if (!url?.startsWith('http://')) return [];
  const isHere = isLoopback(new URL(url).hostname.replace(/^\[(.*)\]$/, '$1'));
  return isHere && mode === 'sandbox' ? [] : [`FLORIN_CIRCLE_URL must use https: ${new URL(url).origin}`];
}
