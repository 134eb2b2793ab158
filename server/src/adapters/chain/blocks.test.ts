/**
 * Tests which block is final, for every kind of finality and nodes that are ahead, behind or silent; and the cost that
 * a receipt reports.
 */
import { describe, expect, it } from 'vitest';
import { askNodes } from './askNodes.ts';
import { readBlocks } from './blocks.ts';
import type { Node } from './createNode.ts';
import { findReceipt } from './receipts.ts';

const SILENT = 'silent';
type Height = number | typeof SILENT;

const toHex = (number: number): `0x${string}` => `0x${number.toString(16)}`;
const openNode = (answer: (method: string, params: readonly unknown[]) => unknown, host: string): Node => ({
  host,
  ask: () => Promise.reject(new Error('not used')),
  call: async <Result>(method: string, params: readonly unknown[]) => answer(method, params) as Result,
});

/** A node whose newest block has this number and is final. */
const nodeAt = (height: Height, i: number): Node =>
  openNode((_, [place]) => {
    if (height === SILENT) throw new Error('no answer');
    const number = typeof place === 'string' && place.startsWith('0x') ? Number(place) : height;
    if (number > height) return null;
    const at = toHex(number);
    return { number: at, hash: `0xb${at.slice(2)}`, parentHash: '0x0', timestamp: '0x1' };
  }, `node-${i}`);

describe('the final block', () => {
  it.each<[heights: Height[], majority: number | undefined]>([
    [[10], 10],
    [[10, 10], 10],
    [[10, 20], 10],
    [[20, 10], 10],
    [[10, SILENT], undefined],
    [[10, 10, 20], 10],
    [[20, 10, 10], 10],
    [[10, 20, 20], 20],
    [[10, 15, 20], 15],
    [[10, 20, SILENT], 10],
    [[10, SILENT, SILENT], undefined],
    [[10, 20, 20, 20], 20],
    [[10, 10, 20, 20], 10],
    [[1, 1, 1], 1],
  ])('of nodes at %j', async (heights, majority) => {
    const read = (blocks: number | undefined) =>
      readBlocks(
        'ETH',
        askNodes('ETH', heights.map(nodeAt)),
        blocks === undefined ? { kind: 'tag' } : { kind: 'blocks', blocks },
      )
        .getFinalized()
        .then(
          ({ number }) => Number(number),
          () => undefined,
        );
    expect(await read(undefined)).toBe(majority);
    for (const depth of [0, 2, 12])
      expect([depth, await read(depth)]).toEqual([depth, majority && Math.max(0, majority - depth)]);
  });
});

describe('the cost of a chain transaction', () => {
  const raw = {
    ...{ transactionHash: '0x1', status: '0x1', blockHash: '0x2', blockNumber: '0x3', logs: [] },
    ...{ gasUsed: '0x3', effectiveGasPrice: '0x2' },
  };
  it.each<[name: string, fees: (string | undefined)[], wei: bigint]>([
    ['is its gas', [undefined], 6n],
    ['includes the layer 1 fee', ['0x64'], 106n],
    ['includes no layer 1 fee that is zero', ['0x0'], 6n],
    ['is the same for nodes that agree', ['0x64', '0x64', '0x64'], 106n],
  ])('%s', async (_, fees, wei) => {
    const nodes = fees.map((l1Fee, i) => openNode(() => ({ ...raw, ...(l1Fee && { l1Fee }) }), `node-${i}`));
    const receipt = await findReceipt(askNodes('ETH', nodes), '0x1', []);
    expect(receipt!.feeWei).toBe(wei);
  });
});
