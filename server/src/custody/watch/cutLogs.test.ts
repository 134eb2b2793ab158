import { expect, it } from 'vitest';
import type { TokenLog } from '../../core/ports.ts';
import { countApplied, cutLogs } from './cutLogs.ts';

/** `a` is a transfer in chain transaction a, `A` the use of an authorization there. */
const logsOf = (words: string): TokenLog[] =>
  [...words].map(
    (letter, logIndex) =>
      ({
        txHash: letter.toLowerCase(),
        kind: letter === letter.toUpperCase() ? 'used' : 'transfer',
        logIndex,
      }) as unknown as TokenLog,
  );
const cut = (words: string, applied: number, size: number): string[] =>
  cutLogs(logsOf(words), applied, size).map(({ logs, earlier }) => {
    const render = (some: readonly TokenLog[]) => some.map(({ logIndex }) => words[logIndex]).join('');
    return `${render(earlier)}|${render(logs)}`;
  });

it('cuts where a chain transaction ends', () => {
  expect(cut('aabbbcc', 0, 4)).toEqual(['|aa', '|bbb', '|cc']);
  expect(cut('abcdef', 0, 4)).toEqual(['|abcd', '|ef']);
  expect(cut('', 0, 4)).toEqual(['|']);
});

it('cuts inside a chain transaction that is too long, never before the transfer of an authorization', () => {
  expect(cut('aaaaaaa', 0, 3)).toEqual(['|aaa', 'aaa|aaa', 'aaaaaa|a']);
  expect(cut('aaAaAab', 0, 3)).toEqual(['|aaAa', 'aaAa|Aab']);
});

it('continues after what was applied', () => {
  expect(cut('aaabb', 2, 2)).toEqual(['aa|a', '|bb']);
  expect(cut('aaabb', 5, 2)).toEqual(['|']);
});

it('applies each log once, wherever the last commit ended', () => {
  const at = [
    [7n, 0],
    [7n, 4],
    [8n, 0],
    [8n, 1],
    [8n, 9],
    [12n, 3],
  ] as const;
  const logs = at.map(([blockNumber, logIndex]) => ({ blockNumber, logIndex }) as TokenLog);
  expect(countApplied(logs, undefined)).toBe(0);
  at.forEach(([number, log], i) => {
    expect(countApplied(logs, { number, hash: '', log })).toBe(i + 1);
  });
  // The last log of the commit can belong to a wallet that is not among these.
  expect(countApplied(logs, { number: 8n, hash: '', log: 5 })).toBe(4);
  expect(countApplied(logs, { number: 10n, hash: '', log: 0 })).toBe(5);
});
