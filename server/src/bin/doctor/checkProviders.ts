import { ADAPTERS } from '../../adapters/wallets/providers.ts';
import type { ProviderFault } from '../../core/providers.ts';
import { describeError, type Finding, fault, ok } from './finding.ts';

/** Whether every configured provider answers and accepts our keys. `configs` are by adapter. */
export const checkProviders = (configs: Readonly<Record<string, unknown>>): Promise<Finding[]> =>
  Promise.all(
    ADAPTERS.filter(({ name }) => configs[name] !== undefined).map(async (adapter) => {
      try {
        return ok('signer', await adapter.check(configs[adapter.name] as never));
      } catch (error) {
        const { says, fix } = adapter.describeFault(error) ?? {
          says: describeError(error),
          fix: `docs/guides/${adapter.name}.md`,
        };
        return fault('signer', `${adapter.title}: ${says}`, fix);
      }
    }),
  );

/** Describes a fault between this signer and a provider; undefined for any other error. */
export function describeProviderFault(error: unknown): (ProviderFault & { readonly title: string }) | undefined {
  for (const { title, describeFault } of ADAPTERS) {
    const found = describeFault(error);
    if (found) return { ...found, title };
  }
  return undefined;
}
