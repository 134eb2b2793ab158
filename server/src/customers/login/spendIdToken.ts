import { PayError } from '../../core/errors.ts';
import type { Tx } from '../../db/database.ts';
import { spendOnce } from './spendOnce.ts';

/**
 * Makes sure that an ID token is used for only one login. The signature does not count, so the same token with another
 * valid signature is refused too.
 */
export async function spendIdToken(tx: Tx, idToken: string, expiresAt: Date): Promise<void> {
  const isFirst = await spendOnce(tx, idToken.slice(0, idToken.lastIndexOf('.')), expiresAt);
  if (!isFirst) throw new PayError('auth.invalid', { reason: 'spent' });
}
