import type { Block, Chain } from '../../core/ports.ts';

/** The block time is measured over this many heads. */
const HEADS = 20;
const POLLS_PER_BLOCK = 4;
const SHORTEST_MS = 200;
const LONGEST_MS = 2_500;
const FIRST_MS = 250;

const headsOf = new WeakMap<Chain, Block[]>();

/** Call this with every new head. */
export function noteHead(chain: Chain, head: Block): void {
  const heads = headsOf.get(chain) ?? [];
  headsOf.set(chain, heads);
  // A reorg may bring a lower head. The measurement then continues from there.
  while (heads.length > 0 && heads.at(-1)!.number >= head.number) heads.pop();
  heads.push(head);
  if (heads.length > HEADS) heads.shift();
}

/** Returns the average block time of the recent heads; undefined before there are two. */
export function blockTimeMs(chain: Chain): number | undefined {
  const heads = headsOf.get(chain) ?? [];
  const [first, last] = [heads[0], heads.at(-1)];
  if (!first || !last || first === last) return undefined;
  return (Number(last.timeSeconds - first.timeSeconds) * 1000) / Number(last.number - first.number);
}

/** Returns the time until the next poll of the network: several polls per block. */
export function pauseBetweenLooksMs(chain: Chain): number {
  const time = blockTimeMs(chain);
  if (time === undefined) return FIRST_MS;
  return Math.round(Math.min(Math.max(time / POLLS_PER_BLOCK, SHORTEST_MS), LONGEST_MS));
}
