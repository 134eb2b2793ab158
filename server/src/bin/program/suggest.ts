/** The known word that was probably meant, as ` (ETH-SEPOLIA?)`; empty if none is near. */
export function suggest(typed: string, words: readonly string[]): string {
  const near = words
    .map((word) => ({ word, steps: countSteps(typed.toLowerCase(), word.toLowerCase()) }))
    .filter(({ word, steps }) => steps <= Math.max(1, Math.floor(word.length / 2)))
    .toSorted((one, other) => one.steps - other.steps)[0];
  return near ? ` (${near.word}?)` : '';
}

/** The number of letters to insert, delete or replace. */
function countSteps(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...to].entries()) {
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row[to.length]!;
}
