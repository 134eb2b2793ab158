import type { Block, TokenLog } from '../../core/ports.ts';
import type { Queryable, Tx } from '../../db/database.ts';
import type { Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';

/** The position of a log in the chain. */
export interface LogPosition {
  readonly number: bigint;
  readonly hash: string;
  readonly log: number;
}

/** How far the final blocks of a network are applied. */
export interface Cursor {
  readonly number: bigint;
  readonly hash: string;
  /** The last applied log after the cursor's block; undefined unless later blocks are partly applied. */
  readonly part: LogPosition | undefined;
  /**
   * A generation counter: it changes when wallets were counted or the chain was rewound. Anything read in an older
   * generation is not applied.
   */
  readonly checks: bigint;
  readonly headNumber: bigint;
  readonly firstBlock: bigint | null;
}

/** How far back a common block can be found after a reorg below finality. A deeper reorg needs an operator. */
const KEPT_BLOCKS = 5_000n;

interface CursorRow extends Omit<Cursor, 'part'> {
  readonly part_number: bigint | null;
  readonly part_hash: string;
  readonly part_log: number;
}

const READ_CURSOR = `SELECT block_number AS number, block_hash AS hash, part_number, part_hash, part_log,
  wallet_checks AS checks, head_number AS "headNumber", first_block AS "firstBlock"
  FROM chain_cursors WHERE network_id = $1`;

export const readCursor = async (db: Queryable, networkId: number): Promise<Cursor | undefined> =>
  toCursor(await db.query<CursorRow>(READ_CURSOR, [networkId]));

function toCursor([row]: readonly CursorRow[]): Cursor | undefined {
  if (!row) return undefined;
  const { part_number: number, part_hash: hash, part_log: log, ...cursor } = row;
  return { ...cursor, part: number === null ? undefined : { number, hash, log } };
}

/** A network that is watched for the first time starts at its final block, or where its settings say. */
export async function openCursor(app: CustodyApp, network: Network, finalized: Block): Promise<Cursor> {
  const known = await readCursor(app.db, network.networkId);
  if (known) return known;
  const { startBlock } = network.settings;
  const first = startBlock === undefined ? finalized : ((await network.chain.findBlock(startBlock)) ?? finalized);
  await app.db.query(
    `WITH begun AS (
       INSERT INTO chain_cursors (network_id, block_number, block_hash, block_seconds, head_number, first_block)
       VALUES ($1, $2, $3, $4, $2, $2) ON CONFLICT DO NOTHING RETURNING network_id, block_number, block_hash, block_seconds
     ) INSERT INTO chain_blocks (network_id, block_number, block_hash, block_seconds) SELECT * FROM begun ON CONFLICT DO NOTHING`,
    [network.networkId, first.number, first.hash, first.timeSeconds],
  );
  return (await readCursor(app.db, network.networkId))!;
}

/** By the next poll, the chain has advanced by about this much. */
const NEAR_BLOCKS = 2n;

/** Whether nearly all blocks that are final by now are applied. */
export async function isNearFinal(db: Queryable, { chain, networkId }: Network): Promise<boolean> {
  const { number } = await chain.getFinalized();
  const cursor = await readCursor(db, networkId);
  return cursor !== undefined && cursor.number + NEAR_BLOCKS >= number;
}

/** Held while the chain's logs are applied, so that one worker at a time does it. */
export const lockCursor = async (tx: Tx, networkId: number): Promise<Cursor | undefined> =>
  toCursor(await tx.query<CursorRow>(`${READ_CURSOR} FOR NO KEY UPDATE`, [networkId]));

/** Locks the cursor if it has not changed since it was read. Otherwise nothing that was read with it may be applied. */
export async function lockSame(tx: Tx, networkId: number, { hash, checks, part }: Cursor): Promise<boolean> {
  const now = await lockCursor(tx, networkId);
  return now?.hash === hash && now.checks === checks && now.part?.hash === part?.hash && now.part?.log === part?.log;
}

/** Everything up to this log is applied, and blocks up to `to` are being applied. */
export async function movePart(tx: Tx, networkId: number, last: TokenLog, to: Block): Promise<LogPosition> {
  await tx.query(
    `UPDATE chain_cursors SET part_number = $2, part_hash = $3, part_log = $4, recheck_to = greatest(recheck_to, $5),
            moved_at = clock_timestamp() WHERE network_id = $1`,
    [networkId, last.blockNumber, last.blockHash, last.logIndex, to.number],
  );
  return { number: last.blockNumber, hash: last.blockHash, log: last.logIndex };
}

/** Everything up to this block is applied. */
export async function moveCursor(tx: Tx, networkId: number, to: Block): Promise<void> {
  await tx.query(
    `UPDATE chain_cursors SET block_number = $2, block_hash = $3, block_seconds = $4, part_number = NULL,
            part_hash = NULL, part_log = NULL, moved_at = clock_timestamp()
      WHERE network_id = $1`,
    [networkId, to.number, to.hash, to.timeSeconds],
  );
  await tx.query(
    `INSERT INTO chain_blocks (network_id, block_number, block_hash, block_seconds) VALUES ($1, $2, $3, $4)
     ON CONFLICT (network_id, block_number) DO UPDATE
       SET block_hash = excluded.block_hash, block_seconds = excluded.block_seconds`,
    [networkId, to.number, to.hash, to.timeSeconds],
  );
  await tx.query('DELETE FROM chain_blocks WHERE network_id = $1 AND block_number < $2', [
    networkId,
    to.number - KEPT_BLOCKS,
  ]);
  // Nothing up to this block is pending. The worker that showed it may have died, or may not know of a restore.
  await tx.query(
    `DELETE FROM pending_deposits WHERE block_number <= $2
        AND asset_id IN (SELECT asset_id FROM assets WHERE network_id = $1)`,
    [networkId, to.number],
  );
}

export async function noteHeadNumber(db: Queryable, networkId: number, head: Block): Promise<void> {
  await db.query('UPDATE chain_cursors SET head_number = $2 WHERE network_id = $1', [networkId, head.number]);
}
