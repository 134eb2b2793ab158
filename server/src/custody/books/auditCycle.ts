import type { Db } from '../../db/database.ts';
import { beginCycle, findAuditState, keepAuditState } from './auditState.ts';
import { describeBroken, type Fault, findAccountFaults, findRowFaults, isNamed, unclearHistory } from './findFaults.ts';
import { recordFaults } from './recordFaults.ts';
import { addSums, findDifferent, readSlice } from './sample.ts';

interface CyclePart {
  /** Undefined: the cycle is not finished. */
  readonly ended?: { readonly seconds: number; readonly rows: bigint };
  readonly names: boolean;
  readonly fresh: readonly Fault[];
}

const NOTHING: CyclePart = { names: false, fresh: [] };

/**
 * Audits the next part of the cycle through all movements. At its end, the movements must add up to the balances at
 * which the cycle began. `restMs`: the pause between two cycles.
 */
export async function auditCycle(db: Db, limit: number, restMs: number): Promise<CyclePart> {
  const state = await findAuditState(db);
  if (!state) return NOTHING;
  const { cycle } = state;
  if (cycle.seq >= cycle.upto) {
    const isDue = !state.cycleEndedAt || state.now.getTime() - state.cycleEndedAt.getTime() >= restMs;
    if (isDue) await keepAuditState(db, { ...state, cycle: beginCycle(state.tail, state.now) });
    return NOTHING;
  }
  const slice = await readSlice(db, state.seed, { after: cycle.seq, upto: cycle.upto, limit });
  const seq = slice.rows < limit ? cycle.upto : slice.last!;
  const sums = addSums(cycle.sums, slice.sums);
  const rows = cycle.rows + BigInt(slice.rows);
  const range = { after: cycle.seq, upto: seq };
  const named = cycle.names
    ? await findRowFaults(db, range, { walks: true })
    : slice.broken.length > 0
      ? await describeBroken(db, slice.broken)
      : [];
  const { fresh } = named.length > 0 ? await recordFaults(db, { named }) : { fresh: [] };
  const next = { ...state, cycle: { ...cycle, seq, sums, rows }, rowsTotal: state.rowsTotal + BigInt(slice.rows) };
  if (seq < cycle.upto) {
    await keepAuditState(db, next);
    return { names: cycle.names, fresh };
  }
  const different = findDifferent(sums, cycle.wanted);
  const [now] = await db.query<{ at: Date }>('SELECT clock_timestamp() AS at');
  const seconds = (now!.at.getTime() - cycle.beganAt.getTime()) / 1_000;
  const last = await end(db, different, cycle.names ? await findAccountFaults(db) : []);
  const isKept = await keepAuditState(db, {
    ...next,
    ...(last.unclear > 0 && { cycle: beginCycle(state.tail, now!.at, true) }),
    cycleEndedAt: now!.at,
    cycleSeconds: seconds,
  });
  return { names: cycle.names, fresh: [...fresh, ...last.fresh], ...(isKept && { ended: { seconds, rows } }) };
}

/** An asset whose movements do not add up, and that has no named fault yet, gets a fault for the whole asset. */
async function end(
  db: Db,
  different: readonly number[],
  named: readonly Fault[],
): Promise<{ fresh: readonly Fault[]; unclear: number }> {
  const { now, fresh: found } = await recordFaults(db, { named });
  const unclear = different.filter((asset) => !now.some((one) => one.assetId === asset && isNamed(one)));
  const { fresh } = await recordFaults(db, {
    whole: unclear.map(unclearHistory),
    isOver: ({ subject, assetId }) => subject === 'history' && !unclear.includes(assetId),
  });
  return { fresh: [...found, ...fresh], unclear: unclear.length };
}
