import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Hex } from '../../core/ports.ts';
import type { SigningRefusal } from '../../core/signer.ts';
import { findViolatedConstraint } from '../../db/database.ts';
import { toBytes, toHex } from '../eip3009/authorizations.ts';
import { domainOf, findNetwork, isOwnWallet, type SigningApp } from './signingApp.ts';

interface Unwanted {
  readonly moveId: string;
  readonly isWanted: boolean;
  readonly nonce: Buffer;
  readonly from: Hex;
  readonly provider: string;
  readonly reference: string;
  readonly blockchain: string;
  readonly chainId: bigint | null;
  readonly contract: Hex | null;
  readonly tokenName: string | null;
}

/**
 * Signs the cancellations of moves that somebody wants cancelled. It moves no coins: it is signed also while signing is
 * paused, when it may matter most. Answers which it refused, and why.
 */
export async function cancelMoves(app: SigningApp, moveIds: readonly string[]): Promise<SigningRefusal[]> {
  const moves = await app.db.query<Unwanted>(
    `SELECT m.move_id AS "moveId", m.state = 'open' AND m.cancel_wanted_at IS NOT NULL AS "isWanted", a.nonce,
            m.from_address AS from, w.provider, w.reference, n.blockchain, n.chain_id AS "chainId", s.contract,
            s.token_name AS "tokenName"
       FROM coin_moves m JOIN authorizations a USING (move_id) JOIN wallets w USING (wallet_id)
       JOIN assets s USING (asset_id) JOIN networks n USING (network_id)
      WHERE m.move_id = ANY ($1) AND NOT EXISTS (SELECT FROM cancellations c WHERE c.move_id = m.move_id)`,
    [moveIds],
  );
  const refused: SigningRefusal[] = [];
  for (const move of moves) {
    const reason = await cancel(app, move);
    if (reason) refused.push({ id: move.moveId, ...reason });
    await yieldToOthers();
  }
  return refused;
}

async function cancel(app: SigningApp, move: Unwanted): Promise<Omit<SigningRefusal, 'id'> | undefined> {
  const { moveId, from, provider, reference, contract, tokenName } = move;
  const network = findNetwork(app, move);
  const keys = app.keyrings[provider];
  if (!move.isWanted) return { reason: 'nobody wants it cancelled, or it has ended', isForNow: false };
  if (!network || !contract) return { reason: `the signer does not know this token`, isForNow: false };
  if (!keys || !(await isOwnWallet(app, provider, reference, from)))
    return { reason: 'its wallet does not belong to the keys of this signer', isForNow: false };
  if (tokenName === null) return { reason: 'no worker has read the name of the token yet', isForNow: true };
  const domain = domainOf(network, contract, tokenName);
  const answer = await keys.signCancellation(reference, domain, from, toHex(move.nonce));
  if (answer.outcome === 'rejected') return { reason: answer.reason, isForNow: false };
  if (answer.outcome === 'unknown') return { reason: 'the keys do not answer', isForNow: true };
  await app.db
    .query('INSERT INTO cancellations (move_id, signature) VALUES ($1, $2) ON CONFLICT (move_id) DO NOTHING', [
      moveId,
      toBytes(answer.signature),
    ])
    .catch((error: unknown) => {
      // It was paid, or proved dead, while we signed.
      if (findViolatedConstraint(error) !== 'cancellations_only_while_wanted') throw error;
    });
  return undefined;
}
