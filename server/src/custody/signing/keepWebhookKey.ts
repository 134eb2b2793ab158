import type { ProviderAnswer } from '../../core/ports.ts';
import type { SigningApp } from './signingApp.ts';

/** Circle may use this many keys. Beyond that, someone is inventing ids. */
const MOST_KEYS = 50;

/** Fetches one of Circle's keys and stores it, so that servers can verify its signatures. */
export async function keepWebhookKey(app: SigningApp, keyId: string): Promise<ProviderAnswer<object, string>> {
  if (!app.findWebhookKey) return { outcome: 'rejected', reason: 'no wallets are at Circle' };
  const [known] = await app.db.query<{ kept: number; is_known: boolean }>(
    `SELECT count(*)::int AS kept, coalesce(bool_or(key_id = $1), false) AS is_known FROM circle_webhook_keys`,
    [keyId],
  );
  if (known!.is_known) return { outcome: 'accepted' };
  if (known!.kept >= MOST_KEYS) return { outcome: 'rejected', reason: 'Circle has named more keys than are kept' };
  try {
    const answer = await app.findWebhookKey(keyId);
    if (answer.outcome === 'unknown') app.onFault?.(answer.cause, 'a key of webhooks');
    if (answer.outcome !== 'accepted') return answer;
    await app.db.query(
      'INSERT INTO circle_webhook_keys (key_id, public_key) VALUES ($1, $2) ON CONFLICT (key_id) DO NOTHING',
      [keyId, answer.publicKey],
    );
    return { outcome: 'accepted' };
  } catch (error) {
    if ((error as { code?: string }).code !== 'service.unavailable') throw error;
    return { outcome: 'unknown', cause: 'Circle does not answer' };
  }
}
