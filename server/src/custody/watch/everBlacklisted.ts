import { smaller } from '../../core/bigints.ts';
import type { Block, Chain, RefusalLogs } from '../../core/ports.ts';
import type { Db, Queryable } from '../../db/database.ts';
import type { Network, NetworkAsset } from '../network.ts';

/** Blocks per step while the history is read for the first time. */
const MAX_SPAN = 100_000n;
/** Halved when a step failed, because nodes differ in how much they can search in time. */
const spanOf = new WeakMap<Chain, bigint>();

interface Reading {
  /** The first final block that was not read. */
  readonly next_block: bigint;
  /** Whether the token was paused before that block. */
  readonly was_paused: boolean;
  /** The watcher's position. It goes back when final blocks were replaced. */
  readonly cursor: bigint | null;
  readonly began_at: Date;
}

/**
 * Maintains the list of addresses that the token has ever blacklisted. While the list is recent, `accept_sends` skips
 * the query to the token for all other addresses. The list is only a hint: for an address on it the token is asked, and
 * before anything is signed the token is asked about every address. Final blocks are read once, starting with the
 * first; newer ones are read each time. Returns whether there is more to read immediately.
 */
export async function keepEverBlacklisted(db: Db, network: Network): Promise<boolean> {
  const { chain } = network;
  const span = spanOf.get(chain) ?? MAX_SPAN;
  try {
    let isBehind = false;
    for (const asset of network.assets) if (await readOn(db, network, asset, span)) isBehind = true;
    spanOf.set(chain, smaller(span * 2n, MAX_SPAN));
    return isBehind;
  } catch (error) {
    spanOf.set(chain, span / 2n || 1n);
    throw error;
  }
}

async function readOn(db: Db, network: Network, asset: NetworkAsset, span: bigint): Promise<boolean> {
  const { chain } = network;
  const reading = await startReading(db, network, asset);
  const [head, final] = await Promise.all([chain.getHead(), chain.getFinalized()]);
  const from =
    reading.cursor !== null && reading.cursor < reading.next_block ? reading.cursor + 1n : reading.next_block;
  const last = smaller(from + span - 1n, final.number);
  const logs = await list(chain, asset, from, last === final.number ? final : await chain.findBlock(last));
  if (!logs) return false;
  const wasPaused = logs.isPaused ?? reading.was_paused;
  const isCaughtUp = last === final.number || from > final.number;
  const young = isCaughtUp ? await list(chain, asset, final.number + 1n, head) : undefined;
  await db.tx(async (tx) => {
    await addBlacklisted(tx, asset, [...logs.blacklisted, ...(young?.blacklisted ?? [])]);
    // Another worker may have read in the meantime. The next poll then continues from there.
    await tx.query(
      `UPDATE blacklist_reads SET next_block = $3, was_paused = $4, is_paused = $5, read_at = coalesce($6, read_at)
        WHERE asset_id = $1 AND next_block = $2`,
      [
        asset.assetId,
        reading.next_block,
        from > last ? reading.next_block : last + 1n,
        wasPaused,
        young?.isPaused ?? wasPaused,
        young ? reading.began_at : null,
      ],
    );
  });
  return !isCaughtUp;
}

async function startReading(db: Queryable, { networkId }: Network, { assetId }: NetworkAsset): Promise<Reading> {
  await db.query('INSERT INTO blacklist_reads (asset_id) VALUES ($1) ON CONFLICT (asset_id) DO NOTHING', [assetId]);
  const [reading] = await db.query<Reading>(
    `SELECT next_block, was_paused, clock_timestamp() AS began_at,
            (SELECT block_number FROM chain_cursors WHERE network_id = $2) AS cursor
       FROM blacklist_reads WHERE asset_id = $1`,
    [assetId, networkId],
  );
  return reading!;
}

const NOTHING: RefusalLogs = { blacklisted: [], isPaused: undefined };

/** Undefined when the last block is missing. */
async function list(
  chain: Chain,
  { contract }: NetworkAsset,
  from: bigint,
  to: Block | undefined,
): Promise<RefusalLogs | undefined> {
  if (!to) return undefined;
  return from > to.number ? NOTHING : chain.listRefusals({ from, to, token: contract });
}

async function addBlacklisted(db: Queryable, { assetId }: NetworkAsset, addresses: readonly string[]): Promise<void> {
  if (addresses.length === 0) return;
  await db.query(
    `INSERT INTO ever_blacklisted (asset_id, address) SELECT $1, unnest($2::text[])
     ON CONFLICT (asset_id, address) DO NOTHING`,
    [assetId, [...new Set(addresses)].sort()],
  );
}
