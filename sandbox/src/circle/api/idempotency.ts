import { createHash } from 'node:crypto';
import type { Store } from '../store.ts';
import type { Switches } from '../switches.ts';
import type { Call } from './call.ts';
import { invalid, isUuid, Refusal } from './refusal.ts';

interface Answered {
  readonly status: number;
  readonly data: unknown;
}

export interface Idempotency {
  /**
   * Returns the stored answer to the same request under the same key; otherwise runs `work` and stores its answer if it
   * succeeds.
   */
  once(call: Call, work: () => Promise<Answered>): Promise<Answered>;
}

/**
 * One key is one request. Its answer stays the first one for as long as keys live, even if the transaction has changed
 * since.
 */
export function createIdempotency({ answers }: Store, switches: Pick<Switches, 'keys_live_ms'>): Idempotency {
  /** Concurrent requests with the same key wait for the first. */
  const working = new Map<string, Promise<unknown>>();

  async function once(call: Call, work: () => Promise<Answered>): Promise<Answered> {
    const key = call.body.idempotencyKey;
    if (!isUuid(key) || key.charAt(14) !== '4') throw invalid('idempotencyKey', 'must be a UUID of version 4', key);
    while (working.has(key)) await working.get(key)!.catch(() => {});
    const requestHash = hashRequest(call);
    const known = answers.find(key);
    const livesMs = switches.keys_live_ms ?? Number.POSITIVE_INFINITY;
    if (known && Date.now() - (known.at ?? Date.now()) <= livesMs) {
      if (known.requestHash === requestHash) return { status: known.status, data: known.data };
      throw new Refusal(409, 156020, 'the idempotency key was used for another request; use a new one');
    }
    const done = work().then((answered) => {
      answers.put({ id: key, requestHash, ...answered, at: Date.now() });
      return answered;
    });
    working.set(key, done);
    try {
      return await done;
    } finally {
      working.delete(key);
    }
  }
  return { once };
}

/** Hashes everything except the ciphertext, which differs each time. */
function hashRequest({ method, path, body }: Call): string {
  const { entitySecretCiphertext: _, ...rest } = body;
  return createHash('sha256')
    .update(JSON.stringify([method, path, sortKeys(rest)]))
    .digest('hex');
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, one]) => [name, sortKeys(one)]));
}
