import { smaller } from '../../core/bigints.ts';
import type { Block, Hex, TokenLog } from '../../core/ports.ts';
import { getAsset, type Network } from '../../custody/network.ts';
import { type CustodyApp, distinctRails } from '../../custody/rail.ts';
import { type Cursor, lockCursor, readCursor } from '../../custody/watch/cursor.ts';
import { cutLogs, type LogChunk } from '../../custody/watch/cutLogs.ts';
import { findWallets, type WalletsByAddress } from '../../custody/watch/findWallets.ts';
import { isDeposit } from '../../custody/watch/matchLogs.ts';
import {
  endRescan,
  findRescan,
  moveRescan,
  pickUncounted,
  postponeRescan,
  type Rescan,
} from '../../custody/watch/rescans.ts';
import { applyLogs, interpretLogs, isOf, openReceivers } from './applyLogs.ts';

/** Blocks that are read together, and logs that one commit applies. */
const RANGE_BLOCKS = 2_000n;
const CHUNK = 250;

/**
 * Reads the final logs of one wallet again, from a block to the watcher's position. Missing deposits are credited under
 * the ids they would have had, coins and payments are updated by the watcher's rules, and what was counted before stays
 * as it is. Returns false if the wallet does not exist or the watcher has not begun there.
 *
 * The request is stored, so that a worker continues after a crash. A caller without the rights to do the work only
 * requests it, with `ask_rescan`.
 */
export async function rescanWallet(
  app: CustodyApp,
  network: Network,
  walletId: string,
  fromBlock: bigint,
): Promise<boolean> {
  const [row] = await app.db.query<{ is_asked: boolean }>('SELECT ask_rescan($1, $2, $3) AS is_asked', [
    network.networkId,
    walletId,
    fromBlock,
  ]);
  if (!row!.is_asked) return false;
  for (;;) {
    const rescan = await findRescan(app.db, network, walletId);
    if (!rescan || !(await rescanRange(app, network, rescan))) return true;
  }
}

/**
 * Continues one open rescan by a range of blocks. Returns whether there was progress; a range that cannot be read now
 * is tried later.
 */
export async function rescanSome(app: CustodyApp, network: Network): Promise<boolean> {
  const rescan = await findRescan(app.db, network);
  if (!rescan) return false;
  try {
    return await rescanRange(app, network, rescan);
  } catch (error) {
    await postponeRescan(app.db, rescan, error as Error);
    return false;
  }
}

/** One range of one wallet. Returns whether there was progress. */
async function rescanRange(app: CustodyApp, network: Network, rescan: Rescan): Promise<boolean> {
  if (rescan.nextBlock > rescan.toBlock) return endRescan(app, network, rescan);
  const cursor = await readCursor(app.db, network.networkId);
  const { nextBlock, toBlock } = rescan;
  const last = smaller(nextBlock + RANGE_BLOCKS - 1n, toBlock);
  if (!cursor || last > cursor.number) return false;
  const to = await network.chain.findBlock(last);
  if (!to) return false;
  const { logs, wallets } = await readLogs(app, network, rescan, to);
  let unclear = 0n;
  const chunks = cutLogs(logs, 0, CHUNK);
  for (const chunk of chunks) {
    const next = chunk === chunks.at(-1) ? last + 1n : undefined;
    const found = await rescanChunk(app, network, { rescan, cursor, wallets, unclear }, chunk, next);
    if (found === undefined) return false;
    unclear += found;
  }
  return true;
}

/**
 * The wallet's logs of one range. If another wallet of ours took part, also that wallet's logs in the same chain
 * transactions: its nonce identifies the transfer.
 */
async function readLogs(app: CustodyApp, network: Network, { assetId, nextBlock, address }: Rescan, to: Block) {
  const list = async (...some: Hex[]): Promise<TokenLog[]> => {
    const range = { from: nextBlock, to, wallets: some, isDecisive: true };
    return (await network.chain.listTokenLogs(range)).filter(isOf(getAsset(network, assetId)));
  };
  const own = await list(address);
  const wallets = await findWallets(app.db, network.networkId, own);
  const others = [...wallets.keys()].filter((one) => one !== address.toLowerCase()) as Hex[];
  if (others.length === 0) return { logs: own, wallets };
  const hashes = new Set(own.map((log) => log.txHash));
  const logs = (await list(address, ...others)).filter((log) => hashes.has(log.txHash));
  return { logs, wallets: await findWallets(app.db, network.networkId, logs) };
}

interface Part {
  readonly rescan: Rescan;
  readonly cursor: Cursor;
  readonly wallets: WalletsByAddress;
  /** The amount of unclear coins in earlier chunks (`pickUncounted`). */
  readonly unclear: bigint;
}

/**
 * `next`: after this chunk, blocks before it are read. Returns the amount of unclear coins; undefined if it has to be
 * read again.
 */
async function rescanChunk(
  app: CustodyApp,
  network: Network,
  { rescan, cursor, wallets, unclear }: Part,
  chunk: LogChunk,
  next: bigint | undefined,
): Promise<bigint | undefined> {
  const fees = new Map<Hex, bigint>();
  for (const rail of distinctRails(app.rails)) {
    for (const [hash, fee] of await rail.readFees(app, network, chunk.logs)) fees.set(hash, fee);
  }
  await openReceivers(app.db, network, chunk, wallets);
  return app.db.tx(async (tx) => {
    // The watcher may have advanced, but nothing may have been rewound and no wallet rescanned since.
    const now = await lockCursor(tx, network.networkId);
    if (now?.checks !== cursor.checks) return undefined;
    const logs = await interpretLogs(tx, app, getAsset(network, rescan.assetId), chunk, wallets, rescan.address);
    const { uncounted, unclear: more } = await pickUncounted(tx, rescan, logs, isDeposit);
    if (next !== undefined && !(await moveRescan(tx, rescan, next, unclear + more))) return undefined;
    const seen = uncounted.filter((one) => !one.isHeld);
    const heldNow = uncounted.filter((one) => one.isHeld);
    const canceled = logs.canceled.filter(({ move }) => move.state === 'open' || logs.recovered.has(move.moveId));
    await applyLogs(tx, network, [{ ...logs, seen, heldNow, canceled }], fees);
    return more;
  });
}
