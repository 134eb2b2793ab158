import { expect, it } from 'vitest';
import type { Block, Chain } from '../../core/ports.ts';
import { blockTimeMs, noteHead, pauseBetweenLooksMs } from './blockTime.ts';

function watch(secondsPerBlock: number, blocks = 40): Chain {
  const chain = {} as Chain;
  for (let i = 0; i < blocks; i++) {
    noteHead(chain, { number: BigInt(i), timeSeconds: BigInt(Math.floor(i * secondsPerBlock)) } as Block);
  }
  return chain;
}

it('polls several times per block of the network, neither constantly nor too late', () => {
  expect(pauseBetweenLooksMs({} as Chain)).toBe(250);
  expect(pauseBetweenLooksMs(watch(1))).toBe(250);
  expect(pauseBetweenLooksMs(watch(2))).toBe(500);
  expect(pauseBetweenLooksMs(watch(0.25))).toBe(200);
  expect(pauseBetweenLooksMs(watch(12))).toBe(2_500);
  expect(blockTimeMs(watch(12))).toBe(12_000);
});

it('measures again when the chain is replaced, or slows down', () => {
  const chain = watch(1);
  noteHead(chain, { number: 30n, timeSeconds: 30n } as Block);
  expect(pauseBetweenLooksMs(chain)).toBe(250);
  for (let i = 1; i <= 20; i++) noteHead(chain, { number: BigInt(30 + i), timeSeconds: BigInt(30 + 4 * i) } as Block);
  expect(pauseBetweenLooksMs(chain)).toBe(1_000);
});
