import type { IncomingHttpHeaders } from 'node:http';

const MAX_WAIT_SECONDS = 60;

/** `Prefer: wait=10`, alone or among other preferences. */
export function findWait(headers: IncomingHttpHeaders): number | undefined {
  const seconds = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,9})"?/i.exec(String(headers.prefer ?? ''))?.[1];
  return seconds === undefined ? undefined : Math.min(Number.parseInt(seconds, 10), MAX_WAIT_SECONDS);
}
