import type { RailName } from '../../core/providers.ts';
import type { SigningRefusal } from '../../core/signer.ts';
import type { Queryable } from '../../db/database.ts';
import { nonceOf, toBytes } from '../eip3009/authorizations.ts';
import { listSpans } from './listSpans.ts';
import type { SigningMove } from './readMoves.ts';
import type { SigningApp } from './signingApp.ts';

type Objection = Omit<SigningRefusal, 'id'>;

/** The longest validity of a signature is two hours of the chain's time, and clocks differ. */
const PENDING_MS = 3 * 3_600_000;

/**
 * Checks that this send was not made before a restore, from a wallet that its payer had then. The token would not refuse
 * a second transfer, because a new wallet signs under nonces of its own. What an earlier wallet has signed names the
 * payment on the chain, so it is enough to wait until the chain accepts it no longer. What a provider has sent names
 * nothing there: only the provider knows it, by the payment's id. Clients may repeat a call years later, so providers are
 * asked about every send of such a payer. `untilMs`: callers do not wait longer.
 */
export async function findEarlierTransfer(
  app: SigningApp,
  move: SigningMove,
  untilMs: number,
): Promise<Objection | undefined> {
  const { moveId: key, blockchain, contract, to, amount } = move;
  if (move.purpose !== 'send' || move.isSigned || move.restoredAt.length === 0) return undefined;
  for (const { provider, reference, rail, restoredAt } of await listEarlierWallets(app.db, key)) {
    if (rail === 'eip3009') {
      if (await isUsed(app.db, key)) return { reason: MADE, isForNow: false };
      const until = new Date((restoredAt?.getTime() ?? 0) + PENDING_MS);
      if (until.getTime() > Date.now()) return { reason: `${PENDING} ${until.toISOString()}`, isForNow: true };
      continue;
    }
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

/** The token has seen the nonce of this payment. */
async function isUsed(db: Queryable, moveId: string): Promise<boolean> {
  const used = await db.query(`SELECT FROM forgotten_nonces WHERE nonce = $1 AND kind = 'used'`, [
    toBytes(nonceOf(moveId)),
  ]);
  return used.length > 0;
}

const MADE = 'an earlier wallet of its payer has made it, or was asked for it, before a restore';
const PENDING =
  'an earlier wallet of its payer may have signed it before a restore, and the chain may accept that until';
const TURN = 'it waits until the providers of earlier wallets were asked for it';

interface EarlierWallet {
  readonly provider: string;
  readonly reference: string;
  readonly rail: RailName;
  /** The last restore before the payment's wallet was made. */
  readonly restoredAt: Date | null;
}

/** Providers are asked only about wallets that had coins of the asset. */
const listEarlierWallets = (db: Queryable, moveId: string) =>
  db.query<EarlierWallet>(
    `SELECT o.provider, o.reference, r.rail,
            (SELECT max(noted_at) FROM restores WHERE noted_at < w.created_at) AS "restoredAt"
       FROM coin_moves m JOIN wallets w USING (wallet_id) CROSS JOIN list_earlier_wallets(m.wallet_id) o
       JOIN wallet_providers r ON r.provider = o.provider
      WHERE m.move_id = $1
        AND (r.rail = 'eip3009'
             OR EXISTS (SELECT FROM holdings h WHERE h.asset_id = m.asset_id AND h.wallet_id = o.wallet_id))`,
    [moveId],
  );
