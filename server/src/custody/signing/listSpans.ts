import type { SearchSpan } from '../../core/providerSays.ts';
import type { SigningMove } from './readMoves.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Clocks differ, and a request may take long to arrive. */
const MARGIN_MS = HOUR_MS;
/** The longest period that a restore which is not recorded yet can have lost. */
const UNNOTED_MS = DAY_MS;
/** The longest period that a recorded restore can have lost: the backup may be a month old. */
const LOST_MS = 32 * DAY_MS;

type Asked = Pick<SigningMove, 'attempts' | 'firstAskedAt' | 'wantedSince' | 'restoredAt'>;

/**
 * Returns the periods in which the provider may have created a transfer for this move. However long the wallet's
 * history is, no more of it is read.
 *
 * For a move that was requested: since the first request. For a move that was never requested, as far as this database
 * knows: since it was wanted. A restored database may have lost a payment that it requested before that; its client
 * then repeats it under the same id. So the time that a restore has lost is searched too.
 */
export function listSpans({ attempts, firstAskedAt, wantedSince, restoredAt }: Asked): SearchSpan[] {
  const shift = (at: Date, byMs: number) => new Date(at.getTime() + byMs);
  if (attempts && firstAskedAt) return [{ from: shift(firstAskedAt, -MARGIN_MS) }];
  const spans: SearchSpan[] = [{ from: shift(wantedSince, -UNNOTED_MS) }];
  // The newest first: adjacent periods are merged.
  for (const at of restoredAt.toSorted((one, other) => other.getTime() - one.getTime())) {
    const lost = { from: shift(at, -LOST_MS), to: shift(at, MARGIN_MS) };
    const next = spans.at(-1)!;
    if (lost.to < next.from) spans.push(lost);
    else if (lost.from < next.from) spans[spans.length - 1] = { ...next, from: lost.from };
  }
  return spans;
}
