import type { Queryable, Tx } from '../../db/database.ts';
import { type AuditActor, recordAudit } from '../../operators/recordAudit.ts';
import { nameAuthor } from '../limits/tiers.ts';

interface KycTierChange {
  readonly kycStatus: string;
  /** Null: the status was new. */
  readonly before: string | null;
  readonly after: string;
  readonly changedBy: string;
  readonly reason: string | null;
  readonly changedAt: Date;
}

/**
 * Which tier a status of the identity check gives, from the next payment on, to everybody who has it. The accounts
 * follow by a trigger, in the same commit; payments of those people wait for it as for any change of an account.
 */
export async function giveTier(
  tx: Tx,
  change: {
    readonly kycStatus: string;
    readonly tier: string;
    readonly actor: AuditActor;
    readonly reason: string;
  },
): Promise<'given' | 'unknown status' | 'unknown tier'> {
  const { kycStatus, tier, actor, reason } = change;
  const [wanted] = await tx.query<{ tier: number }>('SELECT tier FROM tiers WHERE name = $1', [tier]);
  if (!wanted) return 'unknown tier';
  await nameAuthor(tx, actor, reason);
  const changed = await tx.query('UPDATE kyc_tiers SET tier = $2 WHERE kyc_status = $1 RETURNING 1', [
    kycStatus,
    wanted.tier,
  ]);
  if (changed.length === 0) return 'unknown status';
  await recordAudit(tx, { actor, action: 'limits.given', details: { kyc_status: kycStatus, tier, reason } });
  return 'given';
}

/** The newest first. */
export const listKycTierChanges = (db: Queryable): Promise<KycTierChange[]> =>
  db.query<KycTierChange>(
    `SELECT c.kyc_status AS "kycStatus", b.name AS before, a.name AS after, c.changed_by AS "changedBy", c.reason,
            c.changed_at AS "changedAt"
       FROM kyc_tier_changes c JOIN tiers a ON a.tier = c.after LEFT JOIN tiers b ON b.tier = c.before
      ORDER BY c.change_id DESC LIMIT 100`,
  );
