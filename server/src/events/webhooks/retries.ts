const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * The delay after each failed attempt: eleven attempts over 99.6 hours, without the jitter. An endpoint is switched off
 * after 72 hours, so it is switched off before its first event is given up. See docs/guides/webhooks.md.
 */
const PAUSES_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
  24 * HOUR,
];
/** Adds up to a fifth, so that deliveries that failed together are not retried together. */
const JITTER = 0.2;
/** A receiver can ask for a longer delay than the schedule's, up to this limit. */
const LONGEST_ASKED_MS = HOUR;

/**
 * The delay after attempt number `attempts`, or undefined after the last one. Ordered delivery never skips an event:
 * the last delay repeats until the endpoint answers or is switched off.
 */
export function findPauseMs(
  attempts: number,
  { isEndless, askedSeconds = 0 }: { readonly isEndless: boolean; readonly askedSeconds?: number | undefined },
): number | undefined {
  const planned = PAUSES_MS[attempts - 1] ?? (isEndless ? PAUSES_MS.at(-1) : undefined);
  if (planned === undefined) return undefined;
  const askedMs = Math.min(askedSeconds * SECOND, LONGEST_ASKED_MS);
  return Math.round(Math.max(planned, askedMs) * (1 + Math.random() * JITTER));
}
