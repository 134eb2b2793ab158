import type { Hex } from '../../core/ports.ts';
import type { SigningRefusal } from '../../core/signer.ts';
import { findViolatedConstraint } from '../../db/database.ts';
import type { KnownMove } from '../coins/moves.ts';
import { isNonceOf, toBytes, toHex } from '../eip3009/authorizations.ts';
import { OTHER_NONCE } from './checkSigningRules.ts';
import type { RateLimiter } from './rateLimiter.ts';
import { signEach, toRefusal } from './signEach.ts';
import { domainOf, findNetwork, isOwnWallet, type SigningApp } from './signingApp.ts';

type Refusal = Omit<SigningRefusal, 'id'>;

interface Unwanted extends Pick<KnownMove, 'moveId' | 'purpose'> {
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
 * Signs the requested cancellations of moves. A cancellation moves no coins, so it is signed even while signing is
 * paused, when it may matter most. Returns which it refused, and why.
 */
export async function cancelMoves(
  app: SigningApp,
  turns: Readonly<Record<string, RateLimiter>>,
  moveIds: readonly string[],
): Promise<SigningRefusal[]> {
  const moves = await app.db.query<Unwanted>(
    `SELECT m.move_id AS "moveId", m.purpose, m.state = 'open' AND m.cancel_wanted_at IS NOT NULL AS "isWanted", a.nonce,
            m.from_address AS from, w.provider, w.reference, n.blockchain, n.chain_id AS "chainId", s.contract,
            s.token_name AS "tokenName"
       FROM coin_moves m JOIN authorizations a USING (move_id) JOIN wallets w USING (wallet_id)
       JOIN assets s USING (asset_id) JOIN networks n USING (network_id)
      WHERE m.move_id = ANY ($1) AND NOT EXISTS (SELECT FROM cancellations c WHERE c.move_id = m.move_id)`,
    [moveIds],
  );
  const signed = await signEach(app, turns, {
    items: moves,
    providerOf: ({ provider }) => provider,
    priorityOf: () => 'first',
    checkRules: (move) => checkRules(app, move),
    sign: (move) => cancel(app, move),
  });
  return signed.flatMap(({ item, made }) => ('reason' in made ? [{ id: item.moveId, ...made }] : []));
}

async function checkRules(app: SigningApp, move: Unwanted): Promise<Refusal | undefined> {
  const { nonce, from, provider, reference, contract, tokenName } = move;
  if (!move.isWanted) return { reason: 'its cancellation was not requested, or it has ended', isForNow: false };
  if (!isNonceOf(move, toHex(nonce))) return { reason: OTHER_NONCE, isForNow: false };
  if (!findNetwork(app, move) || !contract) return { reason: `the signer does not know this token`, isForNow: false };
  if (!app.keyrings[provider] || !(await isOwnWallet(app, provider, reference, from)))
    return { reason: 'its wallet does not belong to the keys of this signer', isForNow: false };
  if (tokenName === null) return { reason: 'no worker has read the name of the token yet', isForNow: true };
  return undefined;
}

async function cancel(app: SigningApp, move: Unwanted): Promise<{ readonly isSigned: true } | Refusal> {
  const { moveId, from, provider, reference } = move;
  const domain = domainOf(findNetwork(app, move)!, move.contract!, move.tokenName!);
  const answer = await app.keyrings[provider]!.signCancellation(reference, domain, from, toHex(move.nonce));
  if (answer.outcome !== 'accepted') return toRefusal(app, provider, answer);
  await app.db
    .query('INSERT INTO cancellations (move_id, signature) VALUES ($1, $2) ON CONFLICT (move_id) DO NOTHING', [
      moveId,
      toBytes(answer.signature),
    ])
    .catch((error: unknown) => {
      // The move was paid, or proved dead, while we signed.
      if (findViolatedConstraint(error) !== 'cancellations_only_while_wanted') throw error;
    });
  return { isSigned: true };
}
