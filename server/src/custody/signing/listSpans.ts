import type { SearchSpan } from '../../core/providerSays.ts';
import type { SigningMove } from './readMoves.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Clocks differ, and a request may be on its way for long. */
const MARGIN_MS = HOUR_MS;
/** A restore that nobody has noted yet has lost at most so much. */
const UNNOTED_MS = DAY_MS;
/** A restore that was noted has lost at most so much: the backup may be a month old. */
const LOST_MS = 32 * DAY_MS;

type Asked = Pick<SigningMove, 'attempts' | 'firstAskedAt' | 'wantedSince' | 'restoredAt'>;

/**
 * When the provider can have made a transfer of this move. However long the past of its wallet is, no more of it is read.
 *
 * A move that was asked for: since the first time. A move that was never asked for,
 * as far as this database knows: since it was wanted. A restored database may have forgotten a payment and asked for it
 * before that; its client then repeats it under the same id. So the time that a restore has lost is searched too.
 */
export function listSpans({ attempts, firstAskedAt, wantedSince, restoredAt }: Asked): SearchSpan[] {
  const shift = (at: Date, byMs: number) => new Date(at.getTime() + byMs);
  if (attempts && firstAskedAt) return [{ from: shift(firstAskedAt, -MARGIN_MS) }];
  const spans: SearchSpan[] = [{ from: shift(wantedSince, -UNNOTED_MS) }];
  // The newest first: spans that touch become one.
  for (const at of restoredAt.toSorted((one, other) => other.getTime() - one.getTime())) {
    const lost = { from: shift(at, -LOST_MS), to: shift(at, MARGIN_MS) };
    const next = spans.at(-1)!;
    if (lost.to < next.from) spans.push(lost);
    else if (lost.from < next.from) spans[spans.length - 1] = { ...next, from: lost.from };
  }
  return spans;
}
