import { PayError } from '../../core/errors.ts';
import type { AdapterApp, ProviderAdapter } from '../../core/providers.ts';
import type { Db } from '../../db/database.ts';
import { openRateLimiter } from './rateLimiter.ts';

const PATIENCE_MS = 1_500;

type Limited = Pick<ProviderAdapter<never>, 'name' | 'title' | 'lookupsPerSecond'>;

/** All processes share the limit. */
export function openLookups(
  db: Db,
  { name, title, lookupsPerSecond }: Limited,
  patienceMs = PATIENCE_MS,
): AdapterApp['takeLookup'] {
  const turns = openRateLimiter(db, `${name}: lookups`, lookupsPerSecond);
  return async (priority) => {
    if (await turns.take(priority, performance.now() + patienceMs)) return;
    throw new PayError('service.unavailable', { dependency: title }, { cause: new Error(`too many ask ${title}`) });
  };
}
