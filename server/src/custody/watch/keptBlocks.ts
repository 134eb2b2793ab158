/**
 * Blocks that were not final when they were read. They are facts of the chain, not of the database: each is read once, by
 * its hash, and kept in memory until the cursor has passed it. A restart reads them again.
 */
import { larger } from '../../core/bigints.ts';
import type { Block, Chain, TokenLog } from '../../core/ports.ts';

/** With all that our tokens said in it, whoever it is about: a wallet that is made later is found in it too. */
export interface KeptBlock {
  readonly block: Block;
  readonly logs: readonly TokenLog[];
}

/** By hash. */
export type KeptBlocks = Map<string, KeptBlock>;

/** Where more blocks than this are not final, the older ones are read as a range when they are. */
const MAX_KEPT = 1_000n;
/** Blocks that are read in one look. After a restart the rest follows in the next looks. */
const MAX_READ = 200;
const READ_TOGETHER = 8;

const byChain = new WeakMap<Chain, KeptBlocks>();

export function keptBlocksOf(chain: Chain): KeptBlocks {
  const kept: KeptBlocks = byChain.get(chain) ?? new Map();
  byChain.set(chain, kept);
  return kept;
}

/** From the block after `after` to `to`; undefined if one of them is not kept, or the way back leads elsewhere. */
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

/** The end of the chain as far as it is kept, from after block `after` to the head. */
export function listBranch(kept: KeptBlocks, head: Block, after: bigint): KeptBlock[] {
  const branch: KeptBlock[] = [];
  for (let one = kept.get(head.hash); one && one.block.number > after; one = kept.get(one.block.parentHash)) {
    branch.push(one);
  }
  return branch.reverse();
}

/** Reads what is missing between the head and block `passed`. Where the nodes lack a block it ends, until the next look. */
export async function readBlocks(chain: Chain, kept: KeptBlocks, head: Block, passed: bigint): Promise<void> {
  const after = larger(passed, head.number - MAX_KEPT);
  forgetBlocks(kept, after);
  const reading: Promise<void>[] = [];
  const faults: unknown[] = [];
  // Handled at once: a rejection that nobody waits for yet would end the process.
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

/** Whatever branch they are of. */
function forgetBlocks(kept: KeptBlocks, upTo: bigint): void {
  for (const [hash, { block }] of kept) if (block.number <= upTo) kept.delete(hash);
}
