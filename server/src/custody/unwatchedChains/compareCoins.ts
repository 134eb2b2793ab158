import type { Queryable } from '../../db/database.ts';
import {
  addUp,
  BEFORE_ALL,
  type Drift,
  IS_FOLLOWED,
  LEDGER,
  noteChecked,
  recordDrifts,
  subjectOf,
} from '../coins/pauseOnDrift.ts';
import type { Network, NetworkAsset } from '../network.ts';
import type { CustodyApp } from '../rail.ts';

type App = Pick<CustodyApp, 'db' | 'signer'>;

/**
 * Wallets per poll, both of those whose coins have changed and of the round through all wallets. Each one is a request
 * to the provider.
 */
const SLICE = 5;

interface Row {
  readonly walletId: string;
  readonly coins: bigint;
}

/**
 * One poll of reconciliation on an unwatched chain: compares the counted coins with the provider's balances, for
 * wallets without outgoing moves. Only missing coins pause sends: a surplus is shown, and may still be arriving.
 */
export async function compareCoins(app: App, network: Network): Promise<void> {
  for (const asset of network.assets) await compareAsset(app, network, asset);
}

async function compareAsset(app: App, network: Network, asset: NetworkAsset): Promise<void> {
  const { rows, isFirst, checkedTo } = await readCoins(app.db, asset);
  const compared: Row[] = [];
  const drifts: Drift[] = [];
  for (const row of rows) {
    const answer = await app.signer.readBalance(network.chain.blockchain, asset.symbol, row.walletId);
    if (answer.outcome !== 'accepted' || !(await isStill(app.db, asset, row))) continue;
    const difference = BigInt(answer.amount) - row.coins;
    compared.push(row);
    if (difference !== 0n) drifts.push({ subject: subjectOf(row.walletId), difference });
  }
  const seen = compared.map(({ walletId }) => subjectOf(walletId));
  if (isFirst) {
    const difference = await addUp(app, asset);
    if (difference !== 0n) drifts.push({ subject: LEDGER, difference });
    seen.push(LEDGER);
  }
  await recordDrifts(app, network, asset, drifts, seen, "by the provider's word");
  await noteChecked(app, asset, { rows: compared, checkedTo });
}

/** SQL: coins are leaving holding `h`. */
const IS_MOVING = `EXISTS (SELECT FROM coin_moves m WHERE m.wallet_id = h.wallet_id AND m.asset_id = h.asset_id AND m.state = 'open')`;

async function readCoins(db: Queryable, { assetId }: NetworkAsset) {
  const [place] = await db.query<{ checked_to: string }>(
    'SELECT coalesce((SELECT checked_to FROM asset_positions WHERE asset_id = $1), $2) AS checked_to',
    [assetId, BEFORE_ALL],
  );
  const round = await db.query<{ wallet_id: string }>(
    'SELECT wallet_id FROM holdings WHERE asset_id = $1 AND wallet_id > $2 ORDER BY wallet_id LIMIT $3',
    [assetId, place!.checked_to, SLICE],
  );
  const rows = await db.query<Row>(
    `SELECT h.wallet_id AS "walletId", h.coins FROM holdings h
      WHERE h.asset_id = $1 AND NOT ${IS_MOVING} AND h.wallet_id IN (
        SELECT unnest($2::uuid[])
        UNION (SELECT wallet_id FROM holdings WHERE asset_id = $1 AND unchecked LIMIT $3)
        UNION SELECT substr(subject, 8)::uuid FROM drifts WHERE asset_id = $1 AND ${IS_FOLLOWED})`,
    [assetId, round.map((row) => row.wallet_id), SLICE],
  );
  return {
    rows,
    isFirst: place!.checked_to === BEFORE_ALL,
    checkedTo: round.length < SLICE ? BEFORE_ALL : round.at(-1)!.wallet_id,
  };
}

/** Nothing has moved during the request to the provider. */
async function isStill(db: Queryable, { assetId }: NetworkAsset, { walletId, coins }: Row): Promise<boolean> {
  const rows = await db.query(
    `SELECT FROM holdings h WHERE h.asset_id = $1 AND h.wallet_id = $2 AND h.coins = $3 AND NOT ${IS_MOVING}`,
    [assetId, walletId, coins],
  );
  return rows.length > 0;
}
