import { listFaultyNodes } from '../custody/nodeFaults.ts';
import type { Db } from '../db/database.ts';
import type { Readiness } from '../http/ops/createOps.ts';
import { summarizePauses } from '../operators/pauses.ts';

/** Reading the pauses also shows that the database answers. */
export async function readReadiness(db: Db): Promise<Awaited<ReturnType<Readiness>>> {
  try {
    const { pauses, people } = await summarizePauses(db);
    const paused = pauses.map(({ scope, cause, reason, pausedAt }) => ({ scope, cause, reason, paused_at: pausedAt }));
    const nodes = await listFaultyNodes(db);
    return { checks: { database: 'ok' }, paused, paused_people: people, nodes };
  } catch {
    return NOT_READY;
  }
}

export const NOT_READY = { checks: { database: 'down' }, paused: [], paused_people: 0, nodes: [] } as const;
