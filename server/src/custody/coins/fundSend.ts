import type { Hex } from '../../core/ports.ts';
import type { Queryable, Tx } from '../../db/database.ts';
import { getAsset, type Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { askToken } from './blockedWallets.ts';
import { followLedgerNow } from './keptPositions.ts';
import { IS_REFUSED } from './refusedWallets.ts';
import { findCurrentWallet, gatherCoins, readMissing, reserveSend, type Send } from './reserveSend.ts';

/**
 * `short`: too few coins are free. `paused`: the token is paused. `ended`: `lock` reported that there is nothing to do.
 */
type Funding = 'reserved' | 'short' | 'paused' | 'ended';

/** The most moves for one send at a time. If it needs more, its wallet's coins are gathered first. */
const MAX_SOURCES = 20;
/** The most wallets that one commit gathers coins from. They are locked while it plans. */
const MAX_GATHERED = 250;
/** Many sends that lack coins share one update of the stored positions. */
const FOLLOW_EVERY_MS = 1_000;
/** How many rounds of blacklisted wallets to skip before trying again later. */
const ROUNDS = 5;

/**
 * Reserves the coins of a send, with coins of other wallets if its own has too few. Before anything is locked, it finds
 * wallets with a surplus in the stored positions and asks the token whether it lets their coins move.
 *
 * `lock` locks the payment in the same database transaction, before the wallets. It returns false if the payment no
 * longer needs coins. `after` runs in that transaction after the reservation.
 */
export async function fundSend(
  app: Pick<CustodyApp, 'db' | 'rails'>,
  network: Network,
  send: Send,
  work: { lock(tx: Tx): Promise<boolean>; after?(tx: Tx): Promise<void> },
): Promise<Funding> {
  let funding = await tryToFund(app, network, send, work);
  // The stored positions may be behind the ledger.
  if (funding === 'short' && (await followLedgerNow(app.db, FOLLOW_EVERY_MS)))
    funding = await tryToFund(app, network, send, work);
  if (funding === 'short') await gather(app, network, send);
  return funding;
}

/**
 * There may be enough coins, but in more wallets than one send takes from. They are moved into the send's own wallet,
 * and the send waits.
 */
async function gather(app: Pick<CustodyApp, 'db' | 'rails'>, network: Network, send: Send): Promise<void> {
  if ((await readMissing(app.db, send)) <= 0n) return;
  const givers = await findGivers(app.db, network, send, MAX_GATHERED);
  if (givers === 'paused' || givers.length <= MAX_SOURCES) return;
  await app.db.tx((tx) => gatherCoins(tx, app.rails, send, givers));
}

async function tryToFund(
  app: Pick<CustodyApp, 'db' | 'rails'>,
  network: Network,
  send: Send,
  { lock, after }: Parameters<typeof fundSend>[3],
): Promise<Funding> {
  const givers = await findGivers(app.db, network, send, MAX_SOURCES);
  if (givers === 'paused') return 'paused';
  return app.db.tx(async (tx): Promise<Funding> => {
    if (!(await lock(tx))) return 'ended';
    if (!(await reserveSend(tx, app.rails, send, givers))) return 'short';
    await after?.(tx);
    return 'reserved';
  });
}

/** Returns wallets with more coins than their owners are owed, the richest first; and the payer's, if it is another now. */
async function findGivers(db: Queryable, network: Network, send: Send, atMost: number): Promise<string[] | 'paused'> {
  const asset = getAsset(network, send.assetId);
  const current = await findCurrentWallet(db, send);
  for (let round = 0; round < ROUNDS; round++) {
    const wallets = await db.query<{ walletId: string; address: Hex }>(
      `(SELECT h.wallet_id AS "walletId", w.address FROM holdings h JOIN wallets w USING (wallet_id)
         WHERE h.asset_id = $1 AND h.surplus <> 0 AND h.surplus > 0 AND h.coins > h.reserved AND h.blocked_at IS NULL
           AND NOT ${IS_REFUSED} AND h.wallet_id <> $2 AND h.wallet_id IS DISTINCT FROM $4
         ORDER BY h.surplus DESC LIMIT $3)
       UNION ALL
       SELECT h.wallet_id, w.address FROM holdings h JOIN wallets w USING (wallet_id)
        WHERE h.asset_id = $1 AND h.wallet_id = $4 AND h.coins > h.reserved AND h.blocked_at IS NULL AND NOT ${IS_REFUSED}`,
      [send.assetId, send.walletId, atMost, current ?? null],
    );
    if (wallets.length === 0) return [];
    const { isPaused, blocked } = await askToken(db, network, asset, wallets);
    if (isPaused) return 'paused';
    if (blocked.size === 0) return wallets.map((one) => one.walletId);
  }
  return [];
}
