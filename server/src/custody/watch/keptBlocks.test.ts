import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Block, Chain, Hex } from '../../core/ports.ts';
import { type KeptBlocks, readBlocks } from './keptBlocks.ts';

/** Rejections that would end a worker. */
const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
let others: NodeJS.UnhandledRejectionListener[] = [];
beforeEach(() => {
  unhandled.length = 0;
  others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', note);
});
afterEach(() => {
  process.removeListener('unhandledRejection', note);
  for (const one of others) process.on('unhandledRejection', one);
});

const hashOf = (number: bigint): Hex => `0x${number.toString(16)}`;
const blockOf = (number: bigint): Block =>
  ({ number, hash: hashOf(number), parentHash: hashOf(number - 1n), timeSeconds: 0 }) as unknown as Block;
const aMoment = () => new Promise((resolve) => setTimeout(resolve, 5));

/** The logs of block `silent` cannot be read, and the block `missing` cannot be read at all. */
const chainWithout = ({ silent, missing }: { silent: bigint; missing?: bigint }) =>
  ({
    listBlockLogs: async ({ number }: Block) => {
      if (number === silent) throw new Error('no node answers');
      return [];
    },
    async findBlock(hash: Hex) {
      await aMoment();
      if (missing !== undefined && hash === hashOf(missing)) throw new Error('no block');
      return blockOf(BigInt(hash));
    },
  }) as unknown as Chain;

it('fails as a whole when the logs of one of several new blocks cannot be read, and keeps the others', async () => {
  const kept: KeptBlocks = new Map();
  await expect(readBlocks(chainWithout({ silent: 20n }), kept, blockOf(20n), 14n)).rejects.toThrow('no node answers');
  await aMoment();
  expect(unhandled).toEqual([]);
  expect([...kept.values()].map(({ block }) => block.number)).toEqual([19n, 18n, 17n, 16n, 15n]);
});

it('fails in the same way when the parents cannot be read at the same time', async () => {
  const kept: KeptBlocks = new Map();
  const chain = chainWithout({ silent: 18n, missing: 17n });
  await expect(readBlocks(chain, kept, blockOf(20n), 14n)).rejects.toThrow(/no (block|node answers)/);
  await aMoment();
  expect(unhandled).toEqual([]);
});
