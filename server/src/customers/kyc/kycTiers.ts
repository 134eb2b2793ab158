import type { Queryable, Tx } from '../../db/database.ts';
import { type AuditActor, recordAudit } from '../../operators/recordAudit.ts';

interface KycTierChange {
  readonly kycStatus: string;
  /** Null: the status had no tier before. */
  readonly before: string | null;
  readonly after: string;
  readonly changedBy: string;
  readonly reason: string | null;
  readonly changedAt: Date;
}

/**
 * Sets the tier of everyone whose identity check has this status, from the next payment on. A trigger updates the
 * accounts in the same commit; payments of those people wait for its row locks. Returns the tier before, read under the
 * lock of the change.
 */
export async function giveTier(
  tx: Tx,
  change: {
    readonly kycStatus: string;
    readonly tier: string;
    readonly actor: AuditActor;
    readonly reason: string;
  },
): Promise<{ readonly before: string | null } | 'unknown status' | 'unknown tier'> {
  const { kycStatus, tier, actor, reason } = change;
  const [row] = await tx.query<{ outcome: 'given' | 'unknown status' | 'unknown tier' }>(
    'SELECT ledger_give_tier($1, $2, $3, $4) AS outcome',
    [kycStatus, tier, actor, reason],
  );
  const { outcome } = row!;
  if (outcome !== 'given') return outcome;
  await recordAudit(tx, { actor, action: 'limits.given', details: { kyc_status: kycStatus, tier, reason } });
  const { before } = (await listKycTierChanges(tx)).find((one) => one.kycStatus === kycStatus)!;
  return { before };
}

/** Newest first. */
export const listKycTierChanges = (db: Queryable): Promise<KycTierChange[]> =>
  db.query<KycTierChange>(
    `SELECT c.kyc_status AS "kycStatus", b.name AS before, a.name AS after, c.changed_by AS "changedBy", c.reason,
            c.changed_at AS "changedAt"
       FROM kyc_tier_changes c JOIN tiers a ON a.tier = c.after LEFT JOIN tiers b ON b.tier = c.before
      ORDER BY c.change_id DESC LIMIT 100`,
  );
