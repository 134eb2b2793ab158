import type { ProviderAdapter, RailName } from '../../core/providers.ts';
import { circleProvider } from './circle/circleProvider.ts';

/** The outside parties that can hold keys of wallets. A new one is one line here, its folder, and its settings. */
export const ADAPTERS: readonly ProviderAdapter<never>[] = [circleProvider];

/** Our own seed. Relayers always have its keys, whichever providers hold people's. */
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
