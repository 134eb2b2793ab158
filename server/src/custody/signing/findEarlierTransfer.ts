import type { SigningRefusal } from '../../core/signer.ts';
import type { Queryable } from '../../db/database.ts';
import { listSpans } from './listSpans.ts';
import type { SigningMove } from './readMoves.ts';
import type { SigningApp } from './signingApp.ts';

type Objection = Omit<SigningRefusal, 'id'>;

/**
 * Checks that no provider has made this send before a restore, from a wallet that its payer had then. On the chain,
 * nothing about such a transfer names the payment. The token would not refuse a second one either, because a new wallet
 * signs under nonces of its own. Only the provider knows, by the payment's id. `untilMs`: callers do not wait longer.
 */
export async function findEarlierTransfer(
  app: SigningApp,
  move: SigningMove,
  untilMs: number,
): Promise<Objection | undefined> {
  const { moveId: key, blockchain, contract, to, amount } = move;
  if (move.purpose !== 'send' || move.isSigned || move.restoredAt.length === 0) return undefined;
  for (const { provider, reference } of await listEarlierWallets(app.db, key)) {
    const sender = app.senders[provider];
    if (!sender) return { reason: `the signer has no keys of ${provider}, which may have made it`, isForNow: true };
    const request = { key, blockchain, token: contract!, reference, to, amount };
    for (const span of listSpans(move)) {
      if (performance.now() > untilMs) return { reason: TURN, isForNow: true, isNext: true };
      const known = await sender.search(request, span);
      if (known.outcome === 'accepted' || known.outcome === 'taken') return { reason: MADE, isForNow: false };
      if (known.outcome === 'rejected') continue;
      app.onFault?.(known.cause, `transfers of ${provider}`);
      return { reason: `${provider} does not answer, and may have made it`, isForNow: true };
    }
  }
  return undefined;
}

const MADE = 'an earlier wallet of its payer was asked for it before a restore';
const TURN = 'it waits until the providers of earlier wallets were asked for it';

/**
 * Lists the payer's other wallets from which a provider may have sent this payment's asset before a restore. If the
 * payment's wallet is newer than the other one and older than the restore, it had taken its place before. Operators may
 * record a restore late, up to a day.
 */
const listEarlierWallets = (db: Queryable, moveId: string) =>
  db.query<{ provider: string; reference: string }>(
    `WITH payer AS (SELECT w.wallet_id, w.user_id, w.created_at, m.asset_id FROM coin_moves m JOIN wallets w USING (wallet_id)
                     WHERE m.move_id = $1),
          other AS (SELECT o.* FROM payer JOIN wallets o USING (user_id) WHERE o.replaced_at IS NULL
                    UNION ALL
                    SELECT o.* FROM payer JOIN wallets o ON payer.user_id IS NULL AND o.kind = 'treasury'
                     WHERE o.replaced_at IS NULL)
     SELECT other.provider, other.reference FROM payer, other JOIN wallet_providers r USING (provider)
      WHERE r.rail = 'provider' AND other.wallet_id <> payer.wallet_id
        AND EXISTS (SELECT FROM holdings h WHERE h.asset_id = payer.asset_id AND h.wallet_id = other.wallet_id)
        AND (payer.created_at < other.created_at
             OR EXISTS (SELECT FROM restores WHERE noted_at < payer.created_at + interval '1 day'))`,
    [moveId],
  );
