import type { Db } from '../../db/database.ts';
import type { JobHandler } from '../../jobs/runJobs.ts';
import { openBacklogs } from './backlogs.ts';
import { MOST_ENDPOINTS } from './endpoints.ts';
import { followFeed, SEND_JOB } from './followFeed.ts';
import type { Sender } from './openSender.ts';

/** The single job that reads the feed for all endpoints. */
export const FOLLOW_JOB = 'webhook feed';

const POLL_EVERY_MS = 100;
/** While events arrive. */
const SOON_MS = 25;
/** While there are no endpoints. */
const IDLE_EVERY_MS = 1_000;
const PAUSES_MS = { more: 0, some: SOON_MS, nothing: POLL_EVERY_MS, no_endpoint: IDLE_EVERY_MS } as const;
/** Polls without a result before the job ends. Starting a job again costs more than polling a few times. */
const IDLE_POLLS = 20;

/**
 * The worker's jobs for webhooks. Each endpoint with a due delivery has its own job, and there are as many job slots as
 * endpoints are allowed, so an endpoint that hangs does not delay others.
 */
export function webhookJobs(db: Db, sender: Sender): readonly JobHandler[] {
  const backlogs = openBacklogs(db);
  return [
    {
      kind: FOLLOW_JOB,
      batch: 1,
      async run() {
        const { found, endpointIds } = await followFeed(db, backlogs);
        sender.wake(endpointIds);
        return [{ againAfterMs: PAUSES_MS[found] }];
      },
    },
    {
      kind: SEND_JOB,
      batch: 1,
      width: MOST_ENDPOINTS,
      async run([endpointId]) {
        for (let polls = 0; polls < IDLE_POLLS; polls++) {
          if (await sender.sendDue(endpointId!)) return [{ againAfterMs: 0 }];
          await sender.rest(endpointId!, POLL_EVERY_MS);
        }
        return ['done'];
      },
    },
  ];
}
