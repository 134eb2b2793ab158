import type { Db } from '../../db/database.ts';
import type { JobHandler } from '../../jobs/runJobs.ts';
import { openBacklogs } from './backlogs.ts';
import { MOST_ENDPOINTS } from './endpoints.ts';
import { followFeed, SEND_JOB } from './followFeed.ts';
import type { Sender } from './openSender.ts';

/** The job that reads the feed for all endpoints; there is one of it. */
export const FOLLOW_JOB = 'webhook feed';

const LOOK_EVERY_MS = 100;
/** While events come. */
const SOON_MS = 25;
/** Nobody is to be told of anything. */
const IDLE_EVERY_MS = 1_000;
const PAUSES_MS = { more: 0, some: SOON_MS, nothing: LOOK_EVERY_MS, nobody: IDLE_EVERY_MS } as const;
/** So often it looks in vain before it ends: beginning a job anew costs more than looking for what comes next. */
const LOOKS_IN_VAIN = 20;

/**
 * What a worker does for webhooks. An endpoint that something is due for has a job of its own, and as many run side by side
 * as there can be endpoints, so none delays another, however many hang.
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
        for (let looks = 0; looks < LOOKS_IN_VAIN; looks++) {
          if (await sender.sendDue(endpointId!)) return [{ againAfterMs: 0 }];
          await sender.rest(endpointId!, LOOK_EVERY_MS);
        }
        return ['done'];
      },
    },
  ];
}
