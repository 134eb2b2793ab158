import type { Block, Chain } from '../../core/ports.ts';

/** Over so many heads the time of a block is measured. */
const HEADS = 20;
const POLLS_PER_BLOCK = 4;
const SHORTEST_MS = 200;
const LONGEST_MS = 2_500;
const FIRST_MS = 250;

const headsOf = new WeakMap<Chain, Block[]>();

/** Called with every head that is seen. */
export function noteHead(chain: Chain, head: Block): void {
  const heads = headsOf.get(chain) ?? [];
  headsOf.set(chain, heads);
  // A reorg may bring a lower head; what is measured begins anew with it.
  while (heads.length > 0 && heads.at(-1)!.number >= head.number) heads.pop();
  heads.push(head);
  if (heads.length > HEADS) heads.shift();
}

/** How long the network takes for a block, by the heads that were seen; undefined before there are two. */
export function blockTimeMs(chain: Chain): number | undefined {
  const heads = headsOf.get(chain) ?? [];
  const [first, last] = [heads[0], heads.at(-1)];
  if (!first || !last || first === last) return undefined;
  return (Number(last.timeSeconds - first.timeSeconds) * 1000) / Number(last.number - first.number);
}

/** How long to wait before the network is looked at again: several looks for each of its blocks. */
export function pauseBetweenLooksMs(chain: Chain): number {
  const time = blockTimeMs(chain);
  if (time === undefined) return FIRST_MS;
  return Math.round(Math.min(Math.max(time / POLLS_PER_BLOCK, SHORTEST_MS), LONGEST_MS));
}
