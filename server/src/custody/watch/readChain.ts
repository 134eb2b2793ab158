import { noteHead } from '../../adapters/chain/blockTime.ts';
import { larger, smaller } from '../../core/bigints.ts';
import type { Block, Chain, Hex, TokenLog } from '../../core/ports.ts';
import type { Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { type Cursor, type LogPosition, openCursor } from './cursor.ts';
import { countApplied } from './cutLogs.ts';
import { findWallets, pickOurs, type WalletsByAddress } from './findWallets.ts';
import { findWay, type KeptBlock, type KeptBlocks, keptBlocksOf } from './keptBlocks.ts';

/** The logs of final blocks after the cursor that concern our wallets. */
export interface ChainView {
  readonly cursor: Cursor;
  /** The last final block that `logs` covers; it has the cursor's number when nothing new is final. */
  readonly to: Block;
  readonly head: Block;
  /** Whether all final blocks are covered. */
  readonly isCaughtUp: boolean;
  readonly logs: readonly TokenLog[];
  /** How many of `logs` were applied before, if the cursor is between two logs. */
  readonly applied: number;
  readonly wallets: WalletsByAddress;
}

/** The most blocks in one view, and the most logs of all addresses. */
const MAX_BLOCKS = 2_000n;
const MAX_LOGS = 20_000n;
/** Estimates until blocks are known, and the limits of one call to a node. */
const LOGS_PER_BLOCK = 200n;
const LOGS_PER_CALL = 5_000n;
const WALLETS_PER_CALL = 250n;

/**
 * Halved when a view could not be read, so that a range that is too large for the nodes or for this process is not
 * tried forever.
 */
const spanOf = new WeakMap<Chain, bigint>();

/**
 * Undefined when a node is behind the cursor. `reorg`: a final block that was applied is no longer in the chain.
 *
 * Our wallets are looked up after the blocks are known. A wallet that is created later is new to the watcher and is
 * checked separately (`newWallets`); anything that was read without it is not applied after that.
 */
export async function readChain(app: CustodyApp, network: Network): Promise<ChainView | 'reorg' | undefined> {
  const { chain, networkId } = network;
  const finalized = await chain.getFinalized();
  const head = await chain.getHead();
  noteHead(chain, head);
  const cursor = await openCursor(app, network, finalized);
  if (finalized.number < cursor.number || head.number < finalized.number) return undefined;
  if (finalized.number === cursor.number) {
    if (finalized.hash !== cursor.hash) return 'reorg';
    return { cursor, to: finalized, head, isCaughtUp: true, logs: [], applied: 0, wallets: new Map() };
  }
  // The part that was applied as final is no longer final: a node is behind.
  if (cursor.part && finalized.number < cursor.part.number) return undefined;
  const kept = keptBlocksOf(chain);
  const way = findWay(kept, cursor, finalized);
  const read = way
    ? { to: takeSome(way, cursor.part), all: way.flatMap((one) => one.logs) }
    : await readRange(app, network, cursor, finalized, kept);
  if (read === 'reorg' || read === undefined) return read;
  if (cursor.part && !(await hasPart(chain, cursor.part, way))) return 'reorg';
  const { to } = read;
  const all = read.all.filter((log) => log.blockNumber <= to.number);
  const wallets = await findWallets(app.db, networkId, all);
  const logs = pickOurs(all, wallets);
  const applied = countApplied(logs, cursor.part);
  return { cursor, to, head, isCaughtUp: to.hash === finalized.hash, logs, applied, wallets };
}

/** Takes as many kept blocks as one view may have, and at least those that were partly applied. */
function takeSome(way: readonly KeptBlock[], part: LogPosition | undefined): Block {
  let logs = 0n;
  for (const { block, logs: more } of way) {
    logs += BigInt(more.length);
    if (logs >= MAX_LOGS && block.number >= (part?.number ?? 0n)) return block;
  }
  return way.at(-1)!.block;
}

async function hasPart(chain: Chain, part: LogPosition, way: readonly KeptBlock[] | undefined): Promise<boolean> {
  const kept = way?.find(({ block }) => block.number === part.number)?.block;
  return (kept ?? (await chain.findBlock(part.number)))?.hash === part.hash;
}

/** Reads final blocks that are not kept, after a restart or an outage. */
async function readRange(
  app: CustodyApp,
  network: Network,
  cursor: Cursor,
  finalized: Block,
  kept: KeptBlocks,
): Promise<{ readonly to: Block; readonly all: readonly TokenLog[] } | 'reorg' | undefined> {
  const { chain } = network;
  const known = await chain.findBlock(cursor.number);
  if (!known) return undefined;
  if (known.hash !== cursor.hash) return 'reorg';
  const span = spanOf.get(chain) ?? MAX_BLOCKS;
  try {
    const plan = await planRange(app, network, cursor, finalized, span, logsPerBlock(kept));
    const to = plan.last < finalized.number ? await chain.findBlock(plan.last) : finalized;
    if (!to) return undefined;
    const range = { from: cursor.number + 1n, to, wallets: plan.wallets, isDecisive: true };
    const all = await chain.listTokenLogs(range);
    spanOf.set(chain, smaller(span * 2n, MAX_BLOCKS));
    return { to, all };
  } catch (error) {
    spanOf.set(chain, span / 2n || 1n);
    throw error;
  }
}

interface RangePlan {
  readonly last: bigint;
  readonly wallets: readonly Hex[] | 'all';
}

/**
 * Requests logs by wallet while that takes fewer calls; otherwise the logs of all addresses, in a range that does not
 * have too many.
 */
async function planRange(
  app: CustodyApp,
  network: Network,
  cursor: Cursor,
  finalized: Block,
  span: bigint,
  density: bigint,
): Promise<RangePlan> {
  const least = cursor.part?.number ?? 0n;
  const lastOf = (blocks: bigint) => larger(smaller(cursor.number + blocks, finalized.number), least);
  const last = lastOf(span);
  const callsOfAll = ((last - cursor.number) * density) / LOGS_PER_CALL + 1n;
  const limit = callsOfAll * WALLETS_PER_CALL;
  const rows = await app.db.query<{ address: Hex }>(
    'SELECT address FROM wallets JOIN networks USING (family) WHERE network_id = $1 LIMIT $2',
    [network.networkId, limit + 1n],
  );
  if (BigInt(rows.length) <= limit) return { last, wallets: rows.map((row) => row.address) };
  return { last: lastOf(smaller(larger(MAX_LOGS / density, 1n), span)), wallets: 'all' };
}

/** Rounded up, at least one. */
function logsPerBlock(kept: KeptBlocks): bigint {
  if (kept.size === 0) return LOGS_PER_BLOCK;
  let logs = 0;
  for (const one of kept.values()) logs += one.logs.length;
  return BigInt(logs) / BigInt(kept.size) + 1n;
}
