import type { Queryable, Tx } from '../../db/database.ts';
import { type AuditActor, recordAudit } from '../../operators/recordAudit.ts';

/** The spending limits of one tier. Null: no limit. */
export interface TierLimits {
  readonly payment: bigint | null;
  readonly day: bigint | null;
  readonly month: bigint | null;
  /** Payments in 24 hours. */
  readonly count: number | null;
}

interface Tier extends TierLimits {
  readonly name: string;
  /** The statuses of the identity check that give this tier. */
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

/**
 * Takes effect with the next payment, in every process. Returns the limits before, read under the lock of the change;
 * undefined when there is no such tier.
 */
export async function changeTier(
  tx: Tx,
  change: {
    readonly name: string;
    readonly limits: Partial<TierLimits>;
    readonly actor: AuditActor;
    readonly reason: string;
  },
): Promise<TierLimits | undefined> {
  const { name, limits, actor, reason } = change;
  // As text, because JavaScript would read the numbers as floats.
  const given = Object.entries(limits).map(([limit, value]) => [limit, value === null ? null : String(value)]);
  const [row] = await tx.query<{ found: boolean }>('SELECT ledger_set_tier($1, $2, $3, $4) AS found', [
    name,
    Object.fromEntries(given),
    actor,
    reason,
  ]);
  if (!row!.found) return undefined;
  const changed = Object.entries(limits).map(([limit, value]) => [limit, value === null ? 'none' : String(value)]);
  await recordAudit(tx, {
    actor,
    action: 'limits.changed',
    details: { tier: name, reason, ...Object.fromEntries(changed) },
  });
  // The newest change of this tier is this one: others wait for the lock of its row.
  return (await listTierChanges(tx)).find((one) => one.name === name)!.before!;
}

/** Newest first. */
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

/** As text in the JSON, because JavaScript would read its numbers as floats. */
const asText = (column: string): string => `(SELECT jsonb_object_agg(key, value) FROM jsonb_each_text(${column}))`;

const toLimits = (row: Record<string, string | null>): TierLimits => ({
  payment: row.payment_limit == null ? null : BigInt(row.payment_limit),
  day: row.day_limit == null ? null : BigInt(row.day_limit),
  month: row.month_limit == null ? null : BigInt(row.month_limit),
  count: row.day_payments == null ? null : Number.parseInt(row.day_payments, 10),
});
