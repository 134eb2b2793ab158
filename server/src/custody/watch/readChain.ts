import type { Block, Hex, TokenLog } from '../../core/ports.ts';
import type { Tx } from '../../db/database.ts';
import type { Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';

interface Cursor {
  readonly number: bigint;
  readonly hash: string;
}

/** Everything the chain says since the cursor that concerns our wallets. */
export interface ChainView {
  readonly cursor: Cursor;
  /** The last final block that `final` covers; the cursor's own when nothing new is final. */
  readonly to: Block;
  readonly head: Block;
  readonly final: readonly TokenLog[];
  /** From blocks that may still be replaced; undefined while final ones are still to be caught up with. */
  readonly recent: readonly TokenLog[] | undefined;
  /** By lower-case address. */
  readonly wallets: ReadonlyMap<string, string>;
}

/** How far back the way can be found after a reorg below finality; a deeper one is for people. */
const KEPT_BLOCKS = 5_000n;
/** Blocks per commit. */
const MAX_BLOCKS = 2_000n;

/**
 * Reads the head first, then the list of wallets, then the logs up to that head: a wallet that is created meanwhile
 * cannot have received anything in the blocks that are read without it. Undefined when a node is behind what we know.
 * `reorg`: the block at the cursor, which was final, is not the chain's any more.
 */
export async function readChain(app: CustodyApp, network: Network): Promise<ChainView | 'reorg' | undefined> {
  const { chain, networkId } = network;
  const finalized = await chain.getFinalized();
  const head = await chain.getHead();
  const cursor = await openCursor(app, network, finalized);
  if (finalized.number < cursor.number || head.number < finalized.number) return undefined;
  const known = await chain.findBlock(cursor.number);
  if (!known) return undefined;
  if (known.hash !== cursor.hash) return 'reorg';
  const wallets = await readWallets(app, networkId);
  const addresses = [...wallets.keys()] as Hex[];
  const last = cursor.number + MAX_BLOCKS;
  const to = last < finalized.number ? await chain.findBlock(last) : finalized;
  if (!to) return undefined;
  const final =
    to.number === cursor.number
      ? []
      : await chain.listTokenLogs({ from: cursor.number + 1n, to, wallets: addresses, isDecisive: true });
  const isCaughtUp = to.number === finalized.number;
  const recent =
    isCaughtUp && head.number > to.number
      ? await chain.listTokenLogs({ from: to.number + 1n, to: head, wallets: addresses })
      : undefined;
  await app.db.query('UPDATE chain_cursors SET head_number = $2 WHERE network_id = $1', [networkId, head.number]);
  return { cursor, to, head, final, recent, wallets };
}

async function openCursor(app: CustodyApp, network: Network, finalized: Block): Promise<Cursor> {
  const find = () =>
    app.db.query<Cursor>('SELECT block_number AS number, block_hash AS hash FROM chain_cursors WHERE network_id = $1', [
      network.networkId,
    ]);
  const [known] = await find();
  if (known) return known;
  const { startBlock } = network.settings;
  const first = startBlock === undefined ? finalized : ((await network.chain.findBlock(startBlock)) ?? finalized);
  await app.db.query(
    `INSERT INTO chain_cursors (network_id, block_number, block_hash, block_seconds, head_number)
     VALUES ($1, $2, $3, $4, $2) ON CONFLICT DO NOTHING`,
    [network.networkId, first.number, first.hash, first.timeSeconds],
  );
  return (await find())[0]!;
}

async function readWallets(app: CustodyApp, networkId: number): Promise<Map<string, string>> {
  const rows = await app.db.query<{ wallet_id: string; address: string }>(
    'SELECT wallet_id, address FROM wallets JOIN networks USING (family) WHERE network_id = $1',
    [networkId],
  );
  return new Map(rows.map((row) => [row.address.toLowerCase(), row.wallet_id]));
}

/** Held while the chain's logs are applied, so that one worker at a time does it. */
export const lockCursor = (tx: Tx, networkId: number): Promise<unknown> =>
  tx.query('SELECT FROM chain_cursors WHERE network_id = $1 FOR NO KEY UPDATE', [networkId]);

/** False when another worker has moved it since `view` was read: then nothing of the view may be applied. */
export async function moveCursor(tx: Tx, networkId: number, { cursor, to, head }: ChainView): Promise<boolean> {
  const moved = await tx.query(
    `UPDATE chain_cursors SET block_number = $3, block_hash = $4, block_seconds = $5, head_number = $6,
            moved_at = clock_timestamp()
      WHERE network_id = $1 AND block_hash = $2 RETURNING 1`,
    [networkId, cursor.hash, to.number, to.hash, to.timeSeconds, head.number],
  );
  if (moved.length === 0) return false;
  await tx.query(
    `INSERT INTO chain_blocks (network_id, block_number, block_hash) VALUES ($1, $2, $3)
     ON CONFLICT (network_id, block_number) DO UPDATE SET block_hash = excluded.block_hash`,
    [networkId, to.number, to.hash],
  );
  await tx.query('DELETE FROM chain_blocks WHERE network_id = $1 AND block_number < $2', [
    networkId,
    to.number - KEPT_BLOCKS,
  ]);
  return true;
}
