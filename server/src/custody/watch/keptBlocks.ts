/**
 * Blocks that were not final when they were read. They depend on the chain, not on the database: each is read once, by
 * its hash, and kept in memory until the cursor has passed it. A restart reads them again.
 */
import { larger } from '../../core/bigints.ts';
import type { Block, Chain, TokenLog } from '../../core/ports.ts';

/**
 * Contains all logs of our tokens in the block, for any address, so that a wallet that is created later is found too.
 */
export interface KeptBlock {
  readonly block: Block;
  readonly logs: readonly TokenLog[];
}

/** By hash. */
export type KeptBlocks = Map<string, KeptBlock>;

/** If more blocks than this are not final, the older ones are read as a range when they are. */
const MAX_KEPT = 1_000n;
/** The most blocks per poll. After a restart the following polls read the rest. */
const MAX_READ = 200;
const READ_TOGETHER = 8;

const byChain = new WeakMap<Chain, KeptBlocks>();

export function keptBlocksOf(chain: Chain): KeptBlocks {
  const kept: KeptBlocks = byChain.get(chain) ?? new Map();
  byChain.set(chain, kept);
  return kept;
}

/**
 * Returns the blocks from after `after` to `to`; undefined if one of them is not kept, or if the parents do not lead
 * back to `after`.
 */
export function findWay(
  kept: KeptBlocks,
  after: { readonly number: bigint; readonly hash: string },
  to: Block,
): KeptBlock[] | undefined {
  const way: KeptBlock[] = [];
  let hash: string = to.hash;
  for (let number = to.number; number > after.number; number--) {
    const one = kept.get(hash);
    if (one?.block.number !== number) return undefined;
    way.push(one);
    hash = one.block.parentHash;
  }
  return hash === after.hash ? way.reverse() : undefined;
}

/** Returns the kept end of the chain, from after block `after` to the head. */
export function listBranch(kept: KeptBlocks, head: Block, after: bigint): KeptBlock[] {
  const branch: KeptBlock[] = [];
  for (let one = kept.get(head.hash); one && one.block.number > after; one = kept.get(one.block.parentHash)) {
    branch.push(one);
  }
  return branch.reverse();
}

/**
 * Reads the missing blocks between the head and block `passed`. If the nodes lack a block, stops until the next poll.
 */
export async function readBlocks(chain: Chain, kept: KeptBlocks, head: Block, passed: bigint): Promise<void> {
  const after = larger(passed, head.number - MAX_KEPT);
  forgetBlocks(kept, after);
  const reading: Promise<void>[] = [];
  const faults: unknown[] = [];
  // Handled immediately: a rejection without a handler would end the process.
  const fail = (fault: unknown) => {
    faults.push(fault);
  };
  const walk = async () => {
    let read = 0;
    for (let block: Block | undefined = head; block && block.number > after && read < MAX_READ; ) {
      const one: Block = block;
      if (!kept.has(one.hash)) {
        read++;
        const keep = (logs: readonly TokenLog[]) => {
          kept.set(one.hash, { block: one, logs });
        };
        reading.push(chain.listBlockLogs(one, 'all').then(keep, fail));
        if (reading.length % READ_TOGETHER === 0) {
          await Promise.all(reading);
          if (faults.length > 0) return;
        }
      }
      block = kept.get(one.parentHash)?.block ?? (one.number - 1n > after ? await findParent(chain, one) : undefined);
    }
  };
  await walk().catch(fail);
  await Promise.all(reading);
  if (faults.length > 0) throw faults[0];
}

async function findParent(chain: Chain, block: Block): Promise<Block | undefined> {
  const parent = await chain.findBlock(block.parentHash);
  return parent?.hash === block.parentHash && parent.number === block.number - 1n ? parent : undefined;
}

/** Removes blocks of all branches. */
function forgetBlocks(kept: KeptBlocks, upTo: bigint): void {
  for (const [hash, { block }] of kept) if (block.number <= upTo) kept.delete(hash);
}
