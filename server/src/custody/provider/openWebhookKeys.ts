import { createPublicKey, type KeyObject } from 'node:crypto';
import { PayError } from '../../core/errors.ts';
import type { ProviderAdapter } from '../../core/providers.ts';
import type { Signer } from '../../core/signer.ts';
import type { RateLimits } from '../../customers/limits/createRateLimits.ts';
import type { Queryable } from '../../db/database.ts';

export interface WebhookKeysApp {
  readonly db: Queryable;
  readonly signer: Pick<Signer, 'fetchWebhookKey'>;
  readonly limits: RateLimits;
  /** Must never go backwards. */
  readonly nowMs?: () => number;
}

/** The keys that a provider signs webhooks with. */
interface WebhookKeys {
  /** Undefined: no such key is known now. `address` is the client's. */
  find(keyId: string, address: string): Promise<KeyObject | undefined>;
}

/** Anyone can invent key ids, so all processes together fetch one key per provider and interval. */
const FETCHES = { quota: 1, windowSeconds: 10 };
/** Another process may have stored a new key. */
const RELOAD_MS = 1_000;
/** The most client addresses whose messages name an unknown key. */
const MOST_WAITING = 100;

/**
 * Finds known keys in memory, so unknown ids cannot delay them. Addresses take turns for the one request per interval:
 * a flood from one address does not prevent fetching a new key of the provider.
 */
export function openWebhookKeys(
  app: WebhookKeysApp,
  { name, title }: Pick<ProviderAdapter<never>, 'name' | 'title'>,
): WebhookKeys {
  const { db, signer, limits, nowMs = () => performance.now() } = app;
  let keys: ReadonlyMap<string, KeyObject> = new Map();
  let loadedAtMs = Number.NEGATIVE_INFINITY;
  let loading: Promise<void> | undefined;
  let asking: { readonly keyId: string; readonly done: Promise<void> } | undefined;
  let lastAddress: string | undefined;
  const waiting = new Map<string, string>();

  function load(): Promise<void> {
    loading ??= readKeys(db, name)
      .then((stored) => {
        keys = stored;
        loadedAtMs = nowMs();
        for (const [address, keyId] of waiting) if (keys.has(keyId)) waiting.delete(address);
      })
      .finally(() => {
        loading = undefined;
      });
    return loading;
  }

  /** Prefers an address other than that of the last request. */
  function findNext(): [address: string, keyId: string] {
    const entries = [...waiting];
    return entries.find(([address]) => address !== lastAddress) ?? entries[0]!;
  }

  async function fetchKey(address: string, keyId: string): Promise<void> {
    if (!(await limits.spend({ name: `${name}_keys`, ...FETCHES }, 'all')).allowed) return;
    waiting.delete(address);
    lastAddress = address;
    const answer = await signer.fetchWebhookKey(name, keyId);
    if (answer.outcome === 'unknown')
      throw new PayError('service.unavailable', { dependency: title }, { cause: answer.cause });
    if (answer.outcome === 'accepted') await load();
  }

  function startFetch(): NonNullable<typeof asking> {
    const [address, keyId] = findNext();
    const done = fetchKey(address, keyId).finally(() => {
      asking = undefined;
    });
    // The message that starts the request may not be the one that waits for its result.
    done.catch(() => {});
    return { keyId, done };
  }

  return {
    async find(keyId, address) {
      const known = keys.get(keyId);
      if (known) return known;
      if (nowMs() - loadedAtMs >= RELOAD_MS) await load();
      if (keys.has(keyId)) return keys.get(keyId);
      if (waiting.has(address) || waiting.size < MOST_WAITING) waiting.set(address, keyId);
      asking ??= startFetch();
      if (asking.keyId === keyId) await asking.done;
      return keys.get(keyId);
    },
  };
}

/** The signer stores a limited number of keys. */
async function readKeys(db: Queryable, adapter: string): Promise<Map<string, KeyObject>> {
  const rows = await db.query<{ key_id: string; public_key: Buffer }>(
    'SELECT key_id, public_key FROM provider_webhook_keys WHERE adapter = $1',
    [adapter],
  );
  return new Map(
    rows.map(({ key_id, public_key }) => [key_id, createPublicKey({ key: public_key, format: 'der', type: 'spki' })]),
  );
}
