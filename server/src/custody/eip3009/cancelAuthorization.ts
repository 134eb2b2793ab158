import type { Tx } from '../../db/database.ts';

/**
 * Ends a send that was never signed: nobody can execute it, and from now on nobody ever will. True also when it was
 * never promised. False when a signature is committed: it may be in anybody's hands, and only the token can end it.
 *
 * The payment and its accounts are locked by the caller, the wallet here.
 */
export async function endUnsigned(tx: Tx, authorizationId: string): Promise<boolean> {
  const [row] = await tx.query<{ ended: boolean }>('SELECT end_unsigned($1) AS ended', [authorizationId]);
  return row!.ended;
}

/**
 * Wants a signed authorization cancelled on chain: it is not signed or carried again, its cancellation is. The coins
 * stay reserved until the token has said which of the two happened. False when that was wanted before.
 */
export async function askCancellation(tx: Tx, authorizationId: string): Promise<boolean> {
  const [row] = await tx.query<{ asked: boolean }>('SELECT ask_cancellation($1) AS asked', [authorizationId]);
  return row!.asked;
}
