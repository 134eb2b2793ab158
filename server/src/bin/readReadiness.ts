import { setTimeout as sleep } from 'node:timers/promises';
import type { Signer } from '../core/signer.ts';
import { listFaultyNodes } from '../custody/nodeFaults.ts';
import type { Db } from '../db/database.ts';
import type { Readiness } from '../http/ops/createOps.ts';
import { summarizePauses } from '../operators/pauses.ts';

const SIGNER_PATIENCE_MS = 500;

/** Reading the pauses also shows that the database answers. */
export async function readReadiness(db: Db, signer: Pick<Signer, 'check'>): Promise<Awaited<ReturnType<Readiness>>> {
  try {
    const degraded = isThere(signer);
    const { pauses, people } = await summarizePauses(db);
    const paused = pauses.map(({ scope, cause, reason, pausedAt }) => ({ scope, cause, reason, paused_at: pausedAt }));
    const nodes = await listFaultyNodes(db);
    return {
      checks: { database: 'ok' },
      degraded: (await degraded) ? [] : [SIGNER_IS_AWAY],
      paused,
      paused_people: people,
      nodes,
    };
  } catch {
    return NOT_READY;
  }
}

/** Payments between people and reading go on without it; sends wait, and new people get their wallet later. */
const SIGNER_IS_AWAY = 'signer';

async function isThere(signer: Pick<Signer, 'check'>): Promise<boolean> {
  const answered = new AbortController();
  const patience = sleep(SIGNER_PATIENCE_MS, undefined, { signal: answered.signal }).catch(() => undefined);
  const answer = await Promise.race([signer.check().catch(() => undefined), patience]);
  answered.abort();
  return answer?.outcome === 'accepted';
}

export const NOT_READY = {
  checks: { database: 'down' },
  degraded: [],
  paused: [],
  paused_people: 0,
  nodes: [],
} as const;
