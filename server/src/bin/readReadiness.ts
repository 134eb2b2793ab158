import { listPauses } from '../custody/pauses.ts';
import type { Db } from '../db/database.ts';
import type { Readiness } from '../http/ops/createOps.ts';
import { summarizePauses } from '../payments/pauses.ts';

/** Reading the pauses also shows that the database answers. */
export async function readReadiness(db: Db): Promise<Awaited<ReturnType<Readiness>>> {
  try {
    const [breakers, { pauses, people }] = await Promise.all([listPauses(db), summarizePauses(db)]);
    const paused = [
      ...pauses.map(({ scope, reason, pausedAt }) => ({ scope, cause: 'operator', reason, paused_at: pausedAt })),
      ...breakers.map(({ blockchain, cause, reason, pausedAt }) => ({
        scope: `chain:${blockchain}`,
        cause,
        reason,
        paused_at: pausedAt,
      })),
    ];
    return { checks: { database: 'ok' }, paused, paused_people: people };
  } catch {
    return NOT_READY;
  }
}

export const NOT_READY = { checks: { database: 'down' }, paused: [], paused_people: 0 } as const;
