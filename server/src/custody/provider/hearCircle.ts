import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { PayError } from '../../core/errors.ts';
import type { Signer } from '../../core/signer.ts';
import type { Queryable } from '../../db/database.ts';

export interface CircleHookApp {
  readonly db: Queryable;
  readonly signer: Pick<Signer, 'fetchWebhookKey'>;
}

interface Notice {
  readonly keyId: string | undefined;
  /** Base64 of a DER signature over the raw body. */
  readonly signature: string | undefined;
  readonly body: Uint8Array;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const PROVIDER = 'circle_send';
/** Keys that Circle does not have are not asked for again for a while: anybody can invent ids. */
const UNKNOWN_MS = 60_000;
const MOST_UNKNOWN = 1_000;
const MOST_KEYS = 50;

/**
 * Circle says that something has happened to a transfer. The message only wakes our own question about it: repeated, late
 * and reordered ones are harmless, and one that is lost costs only time.
 */
export function openCircleHook(app: CircleHookApp): (notice: Notice) => Promise<void> {
  const keys = new Map<string, KeyObject>();
  const unknown = new Map<string, number>();

  async function findKey(keyId: string): Promise<KeyObject> {
    const kept = keys.get(keyId);
    if (kept) return kept;
    if ((unknown.get(keyId) ?? 0) > performance.now()) throw refused();
    const stored = (await readKey(app.db, keyId)) ?? (await fetchKey(keyId));
    const key = createPublicKey({ key: stored, format: 'der', type: 'spki' });
    if (keys.size >= MOST_KEYS) keys.clear();
    keys.set(keyId, key);
    return key;
  }

  async function fetchKey(keyId: string): Promise<Buffer> {
    const answer = await app.signer.fetchWebhookKey(keyId);
    if (answer.outcome === 'unknown')
      throw new PayError('service.unavailable', { dependency: 'Circle' }, { cause: answer.cause });
    const stored = answer.outcome === 'accepted' ? await readKey(app.db, keyId) : undefined;
    if (stored) return stored;
    if (unknown.size >= MOST_UNKNOWN) unknown.clear();
    unknown.set(keyId, performance.now() + UNKNOWN_MS);
    throw refused();
  }

  return async ({ keyId, signature, body }) => {
    if (!keyId || !signature) throw new PayError('auth.required');
    if (!UUID.test(keyId)) throw refused();
    const key = await findKey(keyId.toLowerCase());
    if (!verify('sha256', body, key, Buffer.from(signature, 'base64'))) throw refused();
    const providerId = readTransfer(body);
    if (providerId) await app.db.query('SELECT wake_transfer($1, $2)', [PROVIDER, providerId]);
  };
}

const refused = (): PayError => new PayError('auth.invalid', { reason: 'signature' });

async function readKey(db: Queryable, keyId: string): Promise<Buffer | undefined> {
  const [row] = await db.query<{ public_key: Buffer }>('SELECT public_key FROM circle_webhook_keys WHERE key_id = $1', [
    keyId,
  ]);
  return row?.public_key;
}

/** Undefined: it is about something else. */
function readTransfer(body: Uint8Array): string | undefined {
  try {
    const { notification } = JSON.parse(Buffer.from(body).toString('utf8')) as { notification?: { id?: unknown } };
    const id = notification?.id;
    return typeof id === 'string' && UUID.test(id) ? id.toLowerCase() : undefined;
  } catch {
    return undefined;
  }
}
