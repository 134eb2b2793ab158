import type { Db } from '../../db/database.ts';
import type { JobHandler } from '../../jobs/runJobs.ts';
import { followFeed, SEND_JOB } from './followFeed.ts';
import type { Sender } from './openSender.ts';

/** The job that reads the feed for all endpoints; there is one of it. */
export const FOLLOW_JOB = 'webhook feed';

const LOOK_EVERY_MS = 150;
/** Nobody is to be told of anything. */
const IDLE_EVERY_MS = 1_000;
/** Endpoints that one worker sends to at the same time. */
const ENDPOINTS_AT_ONCE = 32;

const PAUSES_MS = { more: 0, nothing: LOOK_EVERY_MS, nobody: IDLE_EVERY_MS } as const;

/** What a worker does for webhooks. An endpoint that something is due for has a job of its own, so none delays another. */
export const webhookJobs = (db: Db, sender: Sender): readonly JobHandler[] => [
  { kind: FOLLOW_JOB, batch: 1, run: async () => [{ againAfterMs: PAUSES_MS[await followFeed(db)] }] },
  {
    kind: SEND_JOB,
    batch: 1,
    width: ENDPOINTS_AT_ONCE,
    run: async ([endpointId]) => [(await sender.sendDue(endpointId!)) ? { againAfterMs: 0 } : 'done'],
  },
];
