import type { Queryable, Tx } from '../../db/database.ts';
import { type AuditActor, recordAudit } from '../../operators/recordAudit.ts';

/** What people of one tier may spend. Null: no limit. */
export interface TierLimits {
  readonly payment: bigint | null;
  readonly day: bigint | null;
  readonly month: bigint | null;
  /** Payments in 24 hours. */
  readonly count: number | null;
}

interface Tier extends TierLimits {
  readonly name: string;
  /** Whose tier it is. */
  readonly kycStatuses: readonly string[];
}

interface TierChange {
  readonly name: string;
  readonly before: TierLimits | null;
  readonly after: TierLimits;
  readonly changedBy: string;
  readonly reason: string | null;
  readonly changedAt: Date;
}

export const listTiers = (db: Queryable): Promise<Tier[]> =>
  db.query<Tier>(
    `SELECT t.name, t.payment_limit AS payment, t.day_limit AS day, t.month_limit AS month, t.day_payments AS count,
            ARRAY(SELECT k.kyc_status FROM kyc_tiers k WHERE k.tier = t.tier ORDER BY k.kyc_status) AS "kycStatuses"
       FROM tiers t ORDER BY t.tier`,
  );

/** False when there is no such tier. Holds from the next payment on, in every process. */
export async function changeTier(
  tx: Tx,
  change: {
    readonly name: string;
    readonly limits: Partial<TierLimits>;
    readonly actor: AuditActor;
    readonly reason: string;
  },
): Promise<boolean> {
  const { name, limits, actor, reason } = change;
  const [tier] = await tx.query<TierLimits>(
    `SELECT payment_limit AS payment, day_limit AS day, month_limit AS month, day_payments AS count
       FROM tiers WHERE name = $1 FOR UPDATE`,
    [name],
  );
  if (!tier) return false;
  const { payment, day, month, count } = { ...tier, ...limits };
  await nameAuthor(tx, actor, reason);
  await tx.query(
    'UPDATE tiers SET payment_limit = $2, day_limit = $3, month_limit = $4, day_payments = $5 WHERE name = $1',
    [name, payment, day, month, count],
  );
  const changed = Object.entries(limits).map(([limit, value]) => [limit, value === null ? 'none' : String(value)]);
  await recordAudit(tx, {
    actor,
    action: 'limits.changed',
    details: { tier: name, reason, ...Object.fromEntries(changed) },
  });
  return true;
}

/** The history is written by triggers, which read these; so is a change that somebody types by hand. */
export const nameAuthor = (tx: Tx, actor: string, reason: string): Promise<unknown> =>
  tx.query(`SELECT set_config('florin.actor', $1, true), set_config('florin.reason', $2, true)`, [actor, reason]);

/** The newest first. */
export async function listTierChanges(db: Queryable): Promise<TierChange[]> {
  const rows = await db.query<{
    name: string;
    before: Record<string, string | null> | null;
    after: Record<string, string | null>;
    changed_by: string;
    reason: string | null;
    changed_at: Date;
  }>(
    `SELECT t.name, c.changed_by, c.reason, c.changed_at,
            CASE WHEN c.before IS NOT NULL THEN ${asText('c.before')} END AS before, ${asText('c.after')} AS after
       FROM tier_changes c JOIN tiers t USING (tier) ORDER BY c.change_id DESC LIMIT 100`,
  );
  return rows.map((row) => ({
    name: row.name,
    before: row.before && toLimits(row.before),
    after: toLimits(row.after),
    changedBy: row.changed_by,
    reason: row.reason,
    changedAt: row.changed_at,
  }));
}

/** Numbers of JSON would be read as floats. */
const asText = (column: string): string => `(SELECT jsonb_object_agg(key, value) FROM jsonb_each_text(${column}))`;

const toLimits = (row: Record<string, string | null>): TierLimits => ({
  payment: row.payment_limit == null ? null : BigInt(row.payment_limit),
  day: row.day_limit == null ? null : BigInt(row.day_limit),
  month: row.month_limit == null ? null : BigInt(row.month_limit),
  count: row.day_payments == null ? null : Number.parseInt(row.day_payments, 10),
});

/** For the sandbox, where nobody can lose anything: far above what a story or a benchmark needs. Done once. */
export async function loosenTiers(tx: Tx): Promise<void> {
  await nameAuthor(tx, 'sandbox', 'play money');
  await tx.query(
    `UPDATE tiers SET payment_limit = 1000000000000, day_limit = 1000000000000000, month_limit = 10000000000000000,
                      day_payments = NULL
      WHERE name IN ('unverified', 'verified') AND NOT EXISTS (SELECT FROM tier_changes)`,
  );
}
