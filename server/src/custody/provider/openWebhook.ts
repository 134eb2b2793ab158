import { PayError } from '../../core/errors.ts';
import type { ProviderAdapter, ProviderWebhook } from '../../core/providers.ts';
import { openWebhookKeys, type WebhookKeysApp } from './openWebhookKeys.ts';

export type WebhookApp = WebhookKeysApp;

interface Notice {
  readonly headers: Parameters<ProviderWebhook['readSignature']>[0];
  readonly body: Uint8Array;
  /** The client's address. */
  readonly address: string;
}

/**
 * Handles a provider's notification that something has happened to a transfer. The message only triggers our own
 * request about it: repeated, late and reordered messages are harmless, and a lost one only costs time. So a message
 * whose key is not known yet is refused like an unsigned one: the provider delivers it again, when the key may be known.
 */
export function openWebhook(
  app: WebhookApp,
  adapter: Pick<ProviderAdapter<never>, 'name' | 'title'>,
  webhook: ProviderWebhook,
): (notice: Notice) => Promise<void> {
  const keys = openWebhookKeys(app, adapter);
  return async ({ headers, body, address }) => {
    const given = webhook.readSignature(headers);
    if (given === undefined) throw new PayError('auth.required');
    if (given === 'invalid') throw refused();
    const key = await keys.find(given.keyId, address);
    if (!key || !webhook.isSignedBy(key, given.signature, body)) throw refused();
    const transfer = webhook.readTransfer(body);
    if (transfer) await app.db.query('SELECT wake_transfer($1, $2)', [transfer.provider, transfer.providerId]);
  };
}

const refused = (): PayError => new PayError('auth.invalid', { reason: 'signature' });
