/** The settings of all providers of wallets. A new one adds a line to `SETTINGS`, and its variables to `signerVariables`. */
import type { Token } from '../../core/ports.ts';
import { circleSettings } from './circleConfig.ts';
import type { Env } from './values.ts';
import type { Values } from './variables.ts';

/** By adapter. */
const SETTINGS: Readonly<Record<string, ProviderSettings>> = { circle: circleSettings };

/** A blockchain that our nodes do not read: one provider sends and reports there. */
export interface UnwatchedChainConfig {
  readonly blockchain: string;
  readonly token: Token;
  readonly provider: string;
}

interface ProviderSettings {
  /** The variables that only the signer may have. */
  readonly secrets: readonly string[];
  /** The configuration of its adapter; undefined if it has no wallets, or a setting is missing. */
  toConfig(values: Partial<Values>): unknown;
  toUnwatchedChains(values: Partial<Values>): readonly UnwatchedChainConfig[];
  /** Faults of a signer's settings. `given`: which variables are set, even if they cannot be read. */
  findFaults(values: Partial<Values>, given: Env): string[];
  /** Faults of every process. */
  findCommonFaults(values: Partial<Values>): string[];
  /** Faults of an environment that the sandbox must not have. */
  findSandboxFaults(env: Env): string[];
}

const all = Object.values(SETTINGS);

export const PROVIDER_SECRETS = all.flatMap(({ secrets }) => secrets);

/** The configured providers' settings, by adapter. */
export const toProviders = (values: Partial<Values>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(SETTINGS).flatMap(([name, { toConfig }]) => {
      const config = toConfig(values);
      return config === undefined ? [] : [[name, config]];
    }),
  );

export const toUnwatchedChains = (values: Partial<Values>): readonly UnwatchedChainConfig[] =>
  all.flatMap((one) => one.toUnwatchedChains(values));

export const findProviderFaults = (values: Partial<Values>, given: Env): string[] =>
  all.flatMap((one) => [...one.findFaults(values, given), ...one.findCommonFaults(values)]);

export const findCommonProviderFaults = (values: Partial<Values>): string[] =>
  all.flatMap((one) => one.findCommonFaults(values));

export const findSandboxProviderFaults = (env: Env): string[] => all.flatMap((one) => one.findSandboxFaults(env));
