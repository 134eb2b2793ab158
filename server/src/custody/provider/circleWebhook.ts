import { verify } from 'node:crypto';
import { PayError } from '../../core/errors.ts';
import { type CircleKeysApp, openCircleKeys } from './openCircleKeys.ts';

export type CircleWebhookApp = CircleKeysApp;

interface Notice {
  readonly keyId: string | undefined;
  /** A DER signature over the raw body, in base64. */
  readonly signature: string | undefined;
  readonly body: Uint8Array;
  /** The client's address. */
  readonly address: string;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Base64 of bytes that begin with 0x30: an ECDSA signature on P-256 in DER has 8 to 72 bytes. */
const SIGNATURE = /^M[A-P][A-Za-z0-9+/]{8,94}={0,2}$/;
const PROVIDER = 'circle_send';

/**
 * Handles Circle's notification that something has happened to a transfer. The message only triggers our own request
 * about it: repeated, late and reordered messages are harmless, and a lost one only costs time. So a message whose key
 * is not known yet is refused like an unsigned one: Circle delivers it again, when the key may be known.
 */
export function openCircleWebhook(app: CircleWebhookApp): (notice: Notice) => Promise<void> {
  const keys = openCircleKeys(app);
  return async ({ keyId, signature, body, address }) => {
    if (!keyId || !signature) throw new PayError('auth.required');
    if (!UUID.test(keyId) || !SIGNATURE.test(signature)) throw refused();
    const key = await keys.find(keyId.toLowerCase(), address);
    if (!key || !verify('sha256', body, key, Buffer.from(signature, 'base64'))) throw refused();
    const providerId = readTransfer(body);
    if (providerId) await app.db.query('SELECT wake_transfer($1, $2)', [PROVIDER, providerId]);
  };
}

const refused = (): PayError => new PayError('auth.invalid', { reason: 'signature' });

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
