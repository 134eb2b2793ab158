import type { ProviderAnswer } from '../../core/ports.ts';
import type { SigningApp } from './signingApp.ts';

/** A provider may use this many keys. Beyond that, someone is inventing ids. */
const MOST_KEYS = 50;

/** Fetches a key that an adapter's party signs webhooks with and stores it, so that servers can verify signatures. */
export async function keepWebhookKey(
  app: SigningApp,
  adapter: string,
  keyId: string,
): Promise<ProviderAnswer<object, string>> {
  const finders = app.webhookKeys ?? {};
  const find = Object.hasOwn(finders, adapter) ? finders[adapter] : undefined;
  if (!find) return { outcome: 'rejected', reason: `no wallets are at ${adapter}` };
  const [known] = await app.db.query<{ kept: number; is_known: boolean }>(
    `SELECT count(*)::int AS kept, coalesce(bool_or(key_id = $2), false) AS is_known
       FROM provider_webhook_keys WHERE adapter = $1`,
    [adapter, keyId],
  );
  if (known!.is_known) return { outcome: 'accepted' };
  if (known!.kept >= MOST_KEYS) return { outcome: 'rejected', reason: `${adapter} has named more keys than are kept` };
  try {
    const answer = await find(keyId);
    if (answer.outcome === 'unknown') app.onFault?.(answer.cause, 'a key of webhooks');
    if (answer.outcome !== 'accepted') return answer;
    await app.db.query(
      `INSERT INTO provider_webhook_keys (adapter, key_id, public_key) VALUES ($1, $2, $3)
       ON CONFLICT (adapter, key_id) DO NOTHING`,
      [adapter, keyId, answer.publicKey],
    );
    return { outcome: 'accepted' };
  } catch (error) {
    if ((error as { code?: string }).code !== 'service.unavailable') throw error;
    return { outcome: 'unknown', cause: `${adapter} does not answer` };
  }
}
