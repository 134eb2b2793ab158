import type { ProviderAdapter, RailName } from '../../core/providers.ts';
import { circleProvider } from './circle/circleProvider.ts';

/**
 * The outside parties that can hold keys of wallets. To add one: a line here, a folder for its adapter, and its
 * settings.
 */
export const ADAPTERS: readonly ProviderAdapter<never>[] = [circleProvider];

/**
 * The provider name of our own seed. Relayers always use keys from it, whichever providers hold the keys of people's
 * wallets.
 */
export const OWN_PROVIDER = 'local';

/** Every provider of wallets, and its rail. */
export const PROVIDER_RAILS: Readonly<Record<string, RailName>> = Object.assign(
  { [OWN_PROVIDER]: 'eip3009' },
  ...ADAPTERS.map(({ rails }) => rails),
);

export const PROVIDERS = Object.keys(PROVIDER_RAILS);

/** The name under which a provider's requests count against rate limits: all of one party's providers share them. */
export const limitNameOf = (provider: string): string =>
  ADAPTERS.find(({ rails }) => provider in rails)?.name ?? provider;
