/** The setting that a seed draws before anything happens. */
import { SET_UPS, type SetUp } from '../../circle/sendingWorld.ts';
import type { Random } from '../random.ts';

export interface Setting {
  /** The holder of the keys of people's wallets, and the party that sends. */
  readonly wallets: SetUp;
  readonly nodes: number;
  readonly finality: { readonly kind: 'tag' } | { readonly kind: 'blocks'; readonly blocks: number };
  /** Sends of at least this much wait for two approvals; undefined: no send waits. */
  readonly approvalThreshold: bigint | undefined;
}

/** How long a signature is valid. */
export const VALIDITY_SECONDS = 600;
/** Until signatures have expired. Three times in a seed: the chain's clock stays less than an hour ahead of ours. */
export const EXPIRY_SECONDS = VALIDITY_SECONDS + 200;

/** Blocks until the local chain calls a block final. */
export const FINALITY_BLOCKS = 3;

export function drawSetting(random: Random): Setting {
  return {
    // Where Circle sends, more can happen to a send.
    wallets: random.pick([...SET_UPS, 'Circle sends']),
    nodes: random.pick([1, 2, 3, 3, 3]),
    finality: random.chance(0.7) ? { kind: 'tag' } : { kind: 'blocks', blocks: FINALITY_BLOCKS },
    approvalThreshold: random.chance(0.7) ? 20_000_000n : undefined,
  };
}

export const describeSetting = ({ wallets, nodes, finality, approvalThreshold }: Setting): string =>
  [
    wallets,
    nodes === 1 ? 'one node' : `${nodes} nodes`,
    finality.kind === 'tag' ? 'final by tag' : `final after ${finality.blocks} blocks`,
    approvalThreshold === undefined ? 'no approvals' : 'approvals from 20 USDC',
  ].join(', ');
