const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * How long we wait after each attempt that failed: eleven attempts in a little more than four days. An
 * endpoint is switched off after three: its first event is not given up before that. Docs: docs/guides/webhooks.md.
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
/** Up to a fifth longer, so that what failed at one moment does not come back at one moment. */
const JITTER = 0.2;
/** A receiver may ask for more time than the schedule gives it, but not for any time. */
const LONGEST_ASKED_MS = HOUR;

/**
 * After attempt number `attempts`, or undefined when it was the last. An endpoint that takes events in order never skips
 * one, so for it the last pause repeats until it answers or is switched off.
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
