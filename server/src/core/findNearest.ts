/** A longer name is not a slip of the keyboard, and comparing it costs more. */
const LONGEST = 64;

/** The known word that was probably meant; undefined if none is near. */
export function findNearest(typed: string, words: readonly string[]): string | undefined {
  if (typed.length > LONGEST) return undefined;
  return words
    .map((word) => ({ word, steps: countSteps(typed.toLowerCase(), word.toLowerCase()) }))
    .filter(({ word, steps }) => steps <= Math.max(1, Math.floor(word.length / 2)))
    .toSorted((one, other) => one.steps - other.steps)[0]?.word;
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
