/**
 * `overview` shows wallets to people: their coins on every blockchain, and the value of those coins. It alone writes
 * `chain_heads`, `onchain_balances` and `rates`. These tables are for display only; no payment depends on them. `http`
 * and the processes call it.
 */
import { smaller } from '../core/bigints.ts';
import type { Block, Chain, Hex } from '../core/ports.ts';
import { dateOfSeconds } from '../core/time.ts';
import type { Db, Queryable, Tx } from '../db/database.ts';
import { openAssets } from '../ledger/assets.ts';
import { type ArrivingTransfer, listArrivals } from './listArrivals.ts';

interface HeadRow {
  readonly block_number: bigint;
  readonly block_hash: string;
  readonly final_number: bigint;
  readonly age_ms: number;
}

interface WalletRow {
  readonly wallet_id: string;
  readonly address: Hex;
  readonly asset_id: number;
  /** Null: never read. */
  readonly read_at: bigint | null;
  readonly is_pending: boolean;
}

/** After a longer gap, reading every balance is cheaper than reading all the logs. */
const MAX_CATCH_UP_BLOCKS = 5_000n;

/**
 * Updates the stored balances of all wallets to the head of one blockchain. It reads only wallets that a new log names,
 * that are new, that have something pending, or that were last read in a block that a reorg may have replaced.
 *
 * Any number of processes can do this concurrently: the head row is compared and set, and the second process writes
 * nothing. If another process has read the chain less than `unlessYoungerThanMs` ago, this one makes no call.
 */
export async function refreshBalances(
  app: { readonly db: Db; readonly chain: Chain },
  unlessYoungerThanMs = 0,
): Promise<void> {
  const { db, chain } = app;
  const symbols = chain.tokens.map(({ symbol }) => symbol);
  const { networkId, assetIds } = await openAssets(db, chain.blockchain, symbols);
  const previous = await findHead(db, networkId);
  if (previous && previous.age_ms < unlessYoungerThanMs) return;
  // The order head, wallets, logs matters: a new wallet cannot receive coins before this head unnoticed.
  const [head, final] = await Promise.all([chain.getHead(), chain.getFinalized()]);
  const wallets = await listWallets(db, networkId, assetIds);

  const isFarBehind = !previous || head.number - previous.block_number > MAX_CATCH_UP_BLOCKS;
  const isReorged = previous !== undefined && !(await isCanonical(chain, previous, head));
  const from = isFarBehind ? final.number + 1n : smaller(previous.block_number, final.number) + 1n;
  const addresses = [...new Set(wallets.map(({ address }) => address))];
  const logs = await chain.listTokenLogs({ from, to: head, wallets: addresses });

  const readings: Reading[] = [];
  for (const [i, { contract }] of chain.tokens.entries()) {
    const own = logs.filter((log) => log.token === contract);
    const touched = new Set<string>(own.flatMap((log) => (log.kind === 'transfer' ? [log.from, log.to] : [])));
    const again = wallets.filter(
      ({ asset_id, address, read_at, is_pending }) =>
        asset_id === assetIds[i] &&
        (isFarBehind ||
          read_at === null ||
          is_pending ||
          touched.has(address) ||
          (isReorged && read_at > previous.final_number)),
    );
    const amounts = await chain.readBalances(
      contract,
      again.map(({ address }) => address),
      head,
    );
    const pending = sumPending(await listArrivals(db, assetIds[i]!, own, new Set(addresses), final));
    readings.push({
      assetId: assetIds[i]!,
      walletIds: again.map(({ wallet_id }) => wallet_id),
      amounts,
      pending: again.map(({ address }) => pending.get(address) ?? 0n),
      blockNumber: head.number,
    });
  }
  await db.tx(async (tx) => {
    if (!(await moveHead(tx, networkId, previous, head, final))) return;
    for (const reading of readings) await saveBalances(tx, reading);
  });
}

async function isCanonical(chain: Chain, previous: HeadRow, head: Block): Promise<boolean> {
  if (previous.block_hash === head.hash) return true;
  return (await chain.findBlock(previous.block_number))?.hash === previous.block_hash;
}

function sumPending(arrivals: readonly ArrivingTransfer[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { to, amount } of arrivals) sums.set(to, (sums.get(to) ?? 0n) + amount);
  return sums;
}

async function findHead(db: Queryable, networkId: number): Promise<HeadRow | undefined> {
  const [row] = await db.query<HeadRow>(
    `SELECT block_number, block_hash, final_number, extract(epoch FROM clock_timestamp() - seen_at)::float8 * 1000 AS age_ms
       FROM chain_heads WHERE network_id = $1`,
    [networkId],
  );
  return row;
}

/** Every wallet once per asset. */
const listWallets = (db: Queryable, networkId: number, assetIds: readonly number[]): Promise<WalletRow[]> =>
  db.query<WalletRow>(
    `SELECT w.wallet_id, w.address, s.asset_id, b.block_number AS read_at,
            coalesce(b.pending_in > 0, false) AS is_pending
       FROM networks n JOIN assets s USING (network_id) JOIN wallets w USING (family)
       LEFT JOIN onchain_balances b ON b.wallet_id = w.wallet_id AND b.asset_id = s.asset_id
      WHERE n.network_id = $1 AND s.asset_id = ANY ($2)`,
    [networkId, assetIds],
  );

/** Returns false if another process has moved the head since we read it. */
async function moveHead(tx: Tx, networkId: number, previous: HeadRow | undefined, head: Block, final: Block) {
  const values = [networkId, head.number, head.hash, dateOfSeconds(head.timeSeconds), final.number];
  const moved = previous
    ? await tx.query(
        `UPDATE chain_heads SET block_number = $2, block_hash = $3, block_time = $4, final_number = $5, seen_at = now()
          WHERE network_id = $1 AND block_hash = $6 RETURNING 1`,
        [...values, previous.block_hash],
      )
    : await tx.query(
        `INSERT INTO chain_heads (network_id, block_number, block_hash, block_time, final_number, seen_at)
         VALUES ($1, $2, $3, $4, $5, now()) ON CONFLICT (network_id) DO NOTHING RETURNING 1`,
        values,
      );
  return moved.length > 0;
}

interface Reading {
  readonly assetId: number;
  readonly walletIds: readonly string[];
  readonly amounts: readonly bigint[];
  readonly pending: readonly bigint[];
  readonly blockNumber: bigint;
}

async function saveBalances(tx: Tx, reading: Reading): Promise<void> {
  const { assetId, walletIds, amounts, pending, blockNumber } = reading;
  if (walletIds.length === 0) return;
  await tx.query(
    `INSERT INTO onchain_balances (wallet_id, asset_id, amount, pending_in, block_number)
     SELECT r.wallet_id, $1, r.amount, r.pending_in, $5
       FROM unnest($2::uuid[], $3::numeric[], $4::numeric[]) AS r(wallet_id, amount, pending_in)
     ON CONFLICT (wallet_id, asset_id) DO UPDATE
       SET amount = excluded.amount, pending_in = excluded.pending_in, block_number = excluded.block_number`,
    [assetId, walletIds, amounts.map(String), pending.map(String), blockNumber],
  );
}
