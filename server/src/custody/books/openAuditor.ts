import type { Db } from '../../db/database.ts';
import { auditCycle } from './auditCycle.ts';
import { auditTail } from './auditTail.ts';
import type { Fault } from './findFaults.ts';

/** The kind of the job. One worker at a time runs it. */
export const AUDIT_JOB = 'audit';

interface AuditHooks {
  readonly onFault?: (fault: Fault) => void;
  readonly onCycle?: (cycle: { readonly seconds: number; readonly rows: bigint }) => void;
}

interface AuditPace {
  /** How often balances are compared. */
  readonly everyMs: number;
  readonly sliceRows: number;
  /** The pause between two cycles. */
  readonly restMs: number;
}

const PACE: AuditPace = { everyMs: 4_000, sliceRows: 4_000, restMs: 60_000 };
/**
 * After each piece of work, the auditor pauses this many times as long as the work took. Comparing uses a fiftieth of
 * one core, and up to a tenth if a large ledger needs that to be compared within ten seconds; the cycle uses a
 * seventieth. An audit that is behind, or searches for a fault, uses more.
 */
const REST = { compare: 50, compareAtLeast: 10, cycle: 70, behind: 4, names: 10 };
const PROMISED_MS = 9_000;
const SHORTEST_MS = 50;

/** Returns how long to wait before the next step. */
type Auditor = () => Promise<number>;

/** Audits the ledger in small steps, forever. Each step begins where the last step of any worker ended. */
export function openAuditor(db: Db, hooks: AuditHooks = {}, pace: AuditPace = PACE): Auditor {
  let tailAtMs = Number.NEGATIVE_INFINITY;
  let cycleAtMs = Number.NEGATIVE_INFINITY;
  const report = (fresh: readonly Fault[]) => {
    for (const fault of fresh) hooks.onFault?.(fault);
  };

  async function compare(): Promise<void> {
    const began = performance.now();
    const { isAtHead, fresh } = await auditTail(db);
    report(fresh);
    const tookMs = performance.now() - began;
    const calmMs = Math.min(tookMs * REST.compare, Math.max(PROMISED_MS, tookMs * REST.compareAtLeast));
    const restMs = isAtHead ? Math.max(pace.everyMs, calmMs) : tookMs * REST.behind;
    tailAtMs = performance.now() + restMs;
  }

  async function goOn(): Promise<void> {
    const began = performance.now();
    const { ended, names, fresh } = await auditCycle(db, pace.sliceRows, pace.restMs);
    report(fresh);
    if (ended) hooks.onCycle?.(ended);
    cycleAtMs = performance.now() + (performance.now() - began) * (names ? REST.names : REST.cycle);
  }

  return async () => {
    // Comparing comes first, because it finds current faults.
    if (performance.now() >= tailAtMs) await compare();
    else if (performance.now() >= cycleAtMs) await goOn();
    return Math.max(SHORTEST_MS, Math.ceil(Math.min(tailAtMs, cycleAtMs) - performance.now()));
  };
}
