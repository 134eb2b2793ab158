/**
 * The end of every benchmark: its figures as one JSON line, the last of its output. When it has missed a promise of its own,
 * or a figure is not a number because nothing was measured, it says so on the error output and the exit code is 1.
 */
import { isShort } from './short.ts';

type Figure = string | number | object;

/** What must be true of the figures, in words. */
type Promises = Readonly<Record<string, boolean>>;

interface Judged {
  /** Judged in every run. */
  readonly promises?: Promises;
  /** About time: not judged in a short run. */
  readonly speed?: Promises;
}

export function finish(bench: string, figures: Readonly<Record<string, Figure>>, judged: Judged = {}): void {
  const missed = findMissed(figures, { ...judged.promises, ...(!isShort && judged.speed) });
  console.log(JSON.stringify({ bench, ...figures, ...(missed.length > 0 && { failed: missed }) }));
  if (missed.length > 0) fail(bench, missed.join('; '));
}

export function fail(bench: string, why: string): void {
  console.error(`FAILED: ${bench}: ${why}`);
  process.exitCode = 1;
}

export function findMissed(figures: Readonly<Record<string, Figure>>, promises: Promises): string[] {
  const unmeasured = Object.entries(figures).filter(([, one]) => typeof one === 'number' && !Number.isFinite(one));
  return [
    ...unmeasured.map(([name]) => `${name} was not measured`),
    ...Object.entries(promises)
      .filter(([, isKept]) => !isKept)
      .map(([words]) => words),
  ];
}
