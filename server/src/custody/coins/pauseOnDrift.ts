import { formatUsdc } from '../../core/money.ts';
import type { Hex } from '../../core/ports.ts';
import { pauseSends } from '../../operators/pauses.ts';
import type { Network, NetworkAsset } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { keepPositions } from './keptPositions.ts';
import { HELD, IS_ANY_RESCANNED, IS_AT_CURSOR } from './reconcile.ts';

type App = Pick<CustodyApp, 'db'>;

/** Coins that are missing at two consecutive polls pause sends until an operator resumes them. */
const POLLS = 2;
/** Wallets per poll, both of those whose coins have changed and of the round through all wallets. */
const SLICE = 500;

/**
 * One poll of reconciliation. It compares the sum of all coins with the ledger. It also compares with the chain: the
 * wallets whose coins have changed since their last comparison, those that differed at the last poll, and the next ones
 * of a round through all wallets. Its cost does not grow with the number of wallets; only the round takes longer.
 * `reconcile` compares all.
 */
export async function pauseOnDrift(app: App, network: Network): Promise<void> {
  for (const asset of network.assets) await compareAsset(app, network, asset);
}

interface Row {
  readonly walletId: string;
  readonly address: Hex;
  readonly coins: bigint;
  readonly held: bigint;
}

export interface Drift {
  readonly subject: string;
  readonly difference: bigint;
}

/**
 * SQL: rows of `drifts` for wallets that are compared at every poll. A surplus is only confirmed once, because anyone
 * can send coins that no log shows, to as many wallets as they like. The round compares them again.
 */
export const IS_FOLLOWED = `subject LIKE 'wallet %' AND (difference < 0 OR looks < ${POLLS})`;

export const LEDGER = 'ledger';
export const subjectOf = (walletId: string) => `wallet ${walletId}`;

async function compareAsset(app: App, network: Network, asset: NetworkAsset): Promise<void> {
  const sample = await readCoins(app, network, asset);
  const block = sample && (await network.chain.findBlock(sample.blockHash));
  if (!sample || !block) return;
  const onChain = await network.chain.readBalances(
    asset.contract,
    sample.rows.map((row) => row.address),
    block,
  );
  const drifts: Drift[] = sample.rows
    .map((row, i) => ({ subject: subjectOf(row.walletId), difference: onChain[i]! - row.coins - row.held }))
    .filter((one) => one.difference !== 0n);
  const seen = sample.rows.map((row) => subjectOf(row.walletId));
  if (sample.isWhole) {
    const isSumSure = sample.difference === 0n && !sample.isFirst;
    const difference = isSumSure ? 0n : await addUp(app, asset);
    if (difference !== 0n) drifts.push({ subject: LEDGER, difference });
    seen.push(LEDGER);
  }
  await recordDrifts(app, network, asset, drifts, seen, `at block ${sample.blockNumber}`);
  await noteChecked(app, asset, sample);
}

interface Coins {
  readonly rows: readonly Row[];
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
  /** Σ coins − Σ ledger, by the stored sum; null: it was never computed. Settlement never changes it. */
  readonly difference: bigint | null;
  /** No wallet is being rescanned, so the sum is known. */
  readonly isWhole: boolean;
  /** A round begins. */
  readonly isFirst: boolean;
  /** The last wallet that the round has compared. */
  readonly checkedTo: string;
}

/** Reads everything in one snapshot. Undefined while the watcher has not started, or reads blocks again. */
async function readCoins(app: App, network: Network, asset: NetworkAsset): Promise<Coins | undefined> {
  const [row] = await app.db.tx(async (tx) => {
    await tx.query(LOOK_UP);
    return tx.query<Coins & { readonly rows: readonly (Row & { coins: string; held: string })[] | null }>(
      `WITH place AS (
       SELECT coalesce((SELECT checked_to FROM asset_positions WHERE asset_id = $2), $4) AS checked_to
     ), round AS (
       SELECT w.wallet_id FROM wallets w
        WHERE w.wallet_id > (SELECT checked_to FROM place)
          AND w.family = (SELECT family FROM networks WHERE network_id = $1)
        ORDER BY w.wallet_id LIMIT $3
     ), chosen AS (
       SELECT wallet_id FROM round
       UNION
       (SELECT wallet_id FROM holdings WHERE asset_id = $2 AND unchecked LIMIT $3)
       UNION
       SELECT substr(subject, 8)::uuid FROM drifts WHERE asset_id = $2 AND ${IS_FOLLOWED}
     )
     SELECT c.block_number AS "blockNumber", c.block_hash AS "blockHash",
            (SELECT coins FROM asset_positions WHERE asset_id = $2) + ${outside('$2')} AS difference,
            NOT ${IS_ANY_RESCANNED} AS "isWhole", (SELECT checked_to FROM place) = $4 AS "isFirst",
            CASE WHEN (SELECT count(*) FROM round) < $3 THEN $4
                 ELSE (SELECT wallet_id FROM round ORDER BY wallet_id DESC LIMIT 1) END AS "checkedTo",
            (SELECT json_agg(json_build_object('walletId', w.wallet_id, 'address', w.address,
                      'coins', coalesce(k.coins, 0)::text, 'held', p.held::text))
               FROM chosen JOIN wallets w USING (wallet_id)
               LEFT JOIN holdings k ON k.asset_id = $2 AND k.wallet_id = w.wallet_id
               CROSS JOIN LATERAL (SELECT ${HELD} AS held FROM (SELECT w.wallet_id) p) p
              WHERE (k.wallet_id IS NOT NULL
                     OR EXISTS (SELECT FROM accounts a WHERE a.user_id = w.user_id AND a.asset_id = $2))
                AND NOT EXISTS (SELECT FROM wallet_rescans r WHERE r.asset_id = $2 AND r.wallet_id = w.wallet_id)) AS rows
       FROM chain_cursors c WHERE c.network_id = $1 AND ${IS_AT_CURSOR}`,
      [network.networkId, asset.assetId, SLICE, BEFORE_ALL],
    );
  });
  if (!row) return undefined;
  const rows = (row.rows ?? []).map((one) => ({ ...one, coins: BigInt(one.coins), held: BigInt(one.held) }));
  return { ...row, rows };
}

/** Adds up all coins and stores the sum. Returns Σ coins − Σ ledger. */
export async function addUp(app: App, { assetId }: NetworkAsset): Promise<bigint> {
  const [row] = await app.db.query<{ coins: bigint; difference: bigint }>(
    `SELECT s.coins, s.coins + ${outside('$1')} AS difference
       FROM (SELECT coalesce(sum(coins), 0)::bigint AS coins FROM holdings WHERE asset_id = $1) s`,
    [assetId],
  );
  await app.db.query(
    `INSERT INTO asset_positions AS a (asset_id, coins) VALUES ($1, $2)
     ON CONFLICT (asset_id) DO UPDATE SET coins = excluded.coins WHERE a.coins IS DISTINCT FROM excluded.coins`,
    [assetId, row!.coins],
  );
  return row!.difference;
}

/** SQL: minus the debt to all owners together, because the accounts of an asset add up to zero. */
export const outside = (asset: string): string =>
  `coalesce((SELECT available + held FROM accounts WHERE kind = 'chain' AND asset_id = ${asset} AND user_id IS NULL), 0)`;

/** Otherwise PostgreSQL would read both tables completely for a few hundred wallets. */
const LOOK_UP = `SELECT set_config(name, 'off', true)
  FROM unnest(ARRAY['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']) AS s(name)`;

export const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** `seen` are all subjects that were compared. `where` names the source of the difference. */
export async function recordDrifts(
  app: App,
  network: Network,
  asset: NetworkAsset,
  drifts: readonly Drift[],
  seen: readonly string[],
  where: string,
): Promise<void> {
  const gone = seen.filter((subject) => !drifts.some((one) => one.subject === subject));
  await app.db.query('DELETE FROM drifts WHERE asset_id = $1 AND subject = ANY ($2)', [asset.assetId, gone]);
  for (const { subject, difference } of drifts) {
    const [row] = await app.db.query<{ looks: number }>(
      `INSERT INTO drifts (asset_id, subject, difference, looks) VALUES ($1, $2, $3, 1)
       ON CONFLICT (asset_id, subject) DO UPDATE SET difference = $3, looks = drifts.looks + 1 RETURNING looks`,
      [asset.assetId, subject, difference],
    );
    // A surplus harms no one. It is shown, and two people may credit it (`count_drift`).
    if (row!.looks < POLLS || difference > 0n) continue;
    const reason = `${subject} differs by ${formatUsdc(difference)} ${asset.symbol} ${where}`;
    await pauseSends(app.db, network.chain.blockchain, 'drift', reason);
  }
}

/**
 * Also refreshes the stored amounts owed to the owners, so that no stored amount stays wrong for longer than a round.
 */
export async function noteChecked(
  app: App,
  { assetId }: NetworkAsset,
  { rows, checkedTo }: { readonly rows: readonly Pick<Row, 'walletId' | 'coins'>[]; readonly checkedTo: string },
): Promise<void> {
  const ids = rows.map((row) => row.walletId);
  await keepPositions(app.db, assetId, ids);
  await app.db.query(
    `UPDATE holdings h SET unchecked = false FROM unnest($2::uuid[], $3::bigint[]) AS c(wallet_id, coins)
      WHERE h.asset_id = $1 AND h.wallet_id = c.wallet_id AND h.coins = c.coins AND h.unchecked`,
    [assetId, ids, rows.map((row) => row.coins)],
  );
  await app.db.query(
    `INSERT INTO asset_positions (asset_id, checked_to) VALUES ($1, $2)
     ON CONFLICT (asset_id) DO UPDATE SET checked_to = excluded.checked_to`,
    [assetId, checkedTo],
  );
}
