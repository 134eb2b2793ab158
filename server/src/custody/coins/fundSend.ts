import type { Hex } from '../../core/ports.ts';
import type { Queryable, Tx } from '../../db/database.ts';
import { getAsset, type Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { askToken } from './blockedWallets.ts';
import { followLedgerNow } from './keptPositions.ts';
import { IS_REFUSED } from './refusedWallets.ts';
import { gatherCoins, readMissing, reserveSend, type Send } from './reserveSend.ts';

/** `short`: too few coins are free. `paused`: the token moves nothing. `ended`: the work said that there is nothing to do. */
type Funding = 'reserved' | 'short' | 'paused' | 'ended';

/** More moves than this are not made for one send at once; its wallet's coins are gathered first. */
const MAX_SOURCES = 20;
/** Wallets that coins are gathered from in one commit; they are locked while it plans. */
const MAX_GATHERED = 250;
/** Many sends that lack coins do not follow the ledger for each of them. */
const FOLLOW_EVERY_MS = 1_000;
/** How often the richest wallets may turn out to be blacklisted before it is tried again later. */
const ROUNDS = 5;

/**
 * Reserves the coins of a send, with coins of other wallets where its own has too few. Which wallets have some is looked up
 * in what is kept of their positions, and the token is asked whether it lets them move; both before anything is locked.
 *
 * `lock` locks the payment in the same database transaction, before wallets; false: it needs no coins any more. `after`
 * follows the reservation in it.
 */
export async function fundSend(
  app: Pick<CustodyApp, 'db' | 'rails'>,
  network: Network,
  send: Send,
  work: { lock(tx: Tx): Promise<boolean>; after?(tx: Tx): Promise<void> },
): Promise<Funding> {
  let funding = await tryToFund(app, network, send, work);
  // What is kept may be behind the ledger.
  if (funding === 'short' && (await followLedgerNow(app.db, FOLLOW_EVERY_MS)))
    funding = await tryToFund(app, network, send, work);
  if (funding === 'short') await gather(app, network, send);
  return funding;
}

/** Enough coins may be there, in more wallets than one send takes from. They come together in its own, and it waits. */
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

/** Wallets with coins beyond what their owners are owed, the richest first. */
async function findGivers(db: Queryable, network: Network, send: Send, atMost: number): Promise<string[] | 'paused'> {
  const asset = getAsset(network, send.assetId);
  for (let round = 0; round < ROUNDS; round++) {
    const wallets = await db.query<{ walletId: string; address: Hex }>(
      `SELECT h.wallet_id AS "walletId", w.address FROM holdings h JOIN wallets w USING (wallet_id)
        WHERE h.asset_id = $1 AND h.surplus <> 0 AND h.surplus > 0 AND h.coins > h.reserved AND h.blocked_at IS NULL
          AND NOT ${IS_REFUSED} AND h.wallet_id <> $2
        ORDER BY h.surplus DESC LIMIT $3`,
      [send.assetId, send.walletId, atMost],
    );
    if (wallets.length === 0) return [];
    const { isPaused, blocked } = await askToken(db, network, asset, wallets);
    if (isPaused) return 'paused';
    if (blocked.size === 0) return wallets.map((one) => one.walletId);
  }
  return [];
}
