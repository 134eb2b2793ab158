import type { Tx } from '../../db/database.ts';
import { lockHoldings } from '../coins/holdings.ts';

/**
 * Ends a send that was never signed: nobody can execute it, and from now on nobody ever will. True also when it was
 * never promised. False when a signature is committed: it may be in anybody's hands, and only the token can end it.
 *
 * The payment and its accounts are locked by the caller, the wallet here.
 */
export async function endUnsigned(tx: Tx, authorizationId: string): Promise<boolean> {
  const [known] = await tx.query<{ asset_id: number; wallet_id: string }>(
    'SELECT asset_id, wallet_id FROM authorizations WHERE authorization_id = $1',
    [authorizationId],
  );
  if (!known) return true;
  await lockHoldings(tx, known.asset_id, [known.wallet_id]);
  // A signature takes the lock of this row too: it is committed before this, or refused by PostgreSQL after.
  const ended = await tx.query(
    `UPDATE authorizations SET state = 'dead', reserved = 0
      WHERE authorization_id = $1 AND state = 'open' AND valid_before = 0 RETURNING 1`,
    [authorizationId],
  );
  return ended.length > 0;
}

/**
 * Wants a signed authorization cancelled on chain: it is not signed or carried again, its cancellation is. The coins
 * stay reserved until the token has said which of the two happened. False when that was wanted before.
 */
export async function askCancellation(tx: Tx, authorizationId: string): Promise<boolean> {
  const asked = await tx.query(
    `UPDATE authorizations SET cancel_wanted_at = date_trunc('milliseconds', clock_timestamp()), failures = 0,
            carry_after = clock_timestamp()
      WHERE authorization_id = $1 AND state = 'open' AND cancel_wanted_at IS NULL RETURNING 1`,
    [authorizationId],
  );
  return asked.length > 0;
}
