import type { Queryable } from '../../db/database.ts';

/** How far the continuous audit of the ledger is, without its secret. */
interface AuditProgress {
  readonly comparedAt: Date | null;
  readonly cycleEndedAt: Date | null;
  readonly cycleSeconds: number | null;
  readonly movements: bigint | null;
  readonly faults: number;
}

/** For operators. No audit: every value is null. */
export async function readAudit(db: Queryable): Promise<AuditProgress> {
  const [row] = await db.query<AuditProgress>(
    `SELECT b.compared_at AS "comparedAt", b.cycle_ended_at AS "cycleEndedAt", b.cycle_seconds AS "cycleSeconds",
            b.rows_total AS movements, (SELECT count(*)::int FROM book_faults) AS faults
       FROM (SELECT) AS one LEFT JOIN book_audits b ON true`,
  );
  return row!;
}
