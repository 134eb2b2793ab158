import { larger, smaller } from '../../core/bigints.ts';
import type { Block, Chain, Hex, TokenLog } from '../../core/ports.ts';
import type { Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { noteHead } from './blockTime.ts';
import { type Cursor, openCursor, type Place } from './cursor.ts';
import { findWallets, pickOurs, type WalletsByAddress } from './findWallets.ts';
import { findWay, type KeptBlock, type KeptBlocks, keptBlocksOf } from './keptBlocks.ts';

/** What final blocks after the cursor say that concerns our wallets. */
export interface ChainView {
  readonly cursor: Cursor;
  /** The last final block that `logs` covers; of the cursor's number when nothing new is final. */
  readonly to: Block;
  readonly head: Block;
  /** Are all final blocks covered? */
  readonly isCaughtUp: boolean;
  readonly logs: readonly TokenLog[];
  /** How many of `logs` were applied before: the cursor stands between two logs. */
  readonly applied: number;
  readonly wallets: WalletsByAddress;
}

/** Blocks in one view, and logs of anybody. */
const MAX_BLOCKS = 2_000n;
const MAX_LOGS = 20_000;
/** Guesses until blocks are known, and what nodes answer to one question at most. */
const LOGS_PER_BLOCK = 200;
const LOGS_PER_CALL = 5_000;
const WALLETS_PER_CALL = 250;

/** Halved when a view could not be read, so that what nodes or this process cannot bear is not tried for ever. */
const spanOf = new WeakMap<Chain, bigint>();

/**
 * Undefined when a node is behind what we know. `reorg`: a final block that was applied is not the chain's any more.
 *
 * Our wallets are looked up after the blocks are known: a wallet that is made later than that is new to the watcher and is
 * looked at by itself (`newWallets`), and what was read without it is not applied after that.
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
  // What was final up to a part is not final now: a node is behind.
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
  const applied = logs.filter((log) => isApplied(log, cursor.part)).length;
  return { cursor, to, head, isCaughtUp: to.hash === finalized.hash, logs, applied, wallets };
}

const isApplied = (log: TokenLog, part: Place | undefined): boolean =>
  part !== undefined &&
  (log.blockNumber < part.number || (log.blockNumber === part.number && log.logIndex <= part.log));

/** As many kept blocks as one view takes, and at least those that were begun. */
function takeSome(way: readonly KeptBlock[], part: Place | undefined): Block {
  let logs = 0;
  for (const { block, logs: more } of way) {
    logs += more.length;
    if (logs >= MAX_LOGS && block.number >= (part?.number ?? 0n)) return block;
  }
  return way.at(-1)!.block;
}

async function hasPart(chain: Chain, part: Place, way: readonly KeptBlock[] | undefined): Promise<boolean> {
  const kept = way?.find(({ block }) => block.number === part.number)?.block;
  return (kept ?? (await chain.findBlock(part.number)))?.hash === part.hash;
}

/** Final blocks that are not kept, after a restart or an outage. */
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

/** By wallets while that takes fewer calls, else everybody's logs, in a range that has not too many. */
async function planRange(
  app: CustodyApp,
  network: Network,
  cursor: Cursor,
  finalized: Block,
  span: bigint,
  density: number,
): Promise<RangePlan> {
  const least = cursor.part?.number ?? 0n;
  const lastOf = (blocks: bigint) => larger(smaller(cursor.number + blocks, finalized.number), least);
  const last = lastOf(span);
  const callsOfAll = Math.ceil((Number(last - cursor.number) * density) / LOGS_PER_CALL);
  const limit = callsOfAll * WALLETS_PER_CALL;
  const rows = await app.db.query<{ address: Hex }>(
    'SELECT address FROM wallets JOIN networks USING (family) WHERE network_id = $1 LIMIT $2',
    [network.networkId, limit + 1],
  );
  if (rows.length <= limit) return { last, wallets: rows.map((row) => row.address) };
  const blocks = BigInt(Math.max(1, Math.floor(MAX_LOGS / Math.max(density, 1))));
  return { last: lastOf(smaller(blocks, span)), wallets: 'all' };
}

function logsPerBlock(kept: KeptBlocks): number {
  if (kept.size === 0) return LOGS_PER_BLOCK;
  let logs = 0;
  for (const one of kept.values()) logs += one.logs.length;
  return logs / kept.size;
}
