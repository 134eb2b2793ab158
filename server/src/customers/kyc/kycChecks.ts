import type { KycSubject, KycVerdict } from '../../core/kyc.ts';
import type { Queryable, Tx } from '../../db/database.ts';
import { recordAudit } from '../../operators/recordAudit.ts';

type KycStatus = 'none' | 'revoked' | KycVerdict['status'];

/** The stored state of a person's identity check. */
export interface KycState {
  readonly userId: string;
  readonly status: KycStatus;
  readonly canRetry: boolean;
  readonly reasons: readonly string[];
  /** Null before the first check. */
  readonly updatedAt: Date | null;
  /** The provider did not answer when it was last asked. */
  readonly stale: boolean;
  readonly applicantId: string | null;
  readonly level: string | null;
}

interface KycRow {
  user_id: string;
  kyc_status: KycStatus;
  applicant_id: string | null;
  level: string | null;
  can_retry: boolean | null;
  reasons: string[] | null;
  updated_at: Date | null;
  stale: boolean | null;
}

const toState = (row: KycRow): KycState => ({
  userId: row.user_id,
  status: row.kyc_status,
  canRetry: row.can_retry ?? false,
  reasons: row.reasons ?? [],
  updatedAt: row.updated_at,
  stale: row.stale ?? false,
  applicantId: row.applicant_id,
  level: row.level,
});

const SELECT = `
  SELECT u.user_id, u.kyc_status, k.applicant_id, k.level, k.can_retry, k.reasons, k.updated_at, k.stale
    FROM users u LEFT JOIN kyc_checks k USING (user_id)`;

export async function findKyc(db: Queryable, userId: string): Promise<KycState | undefined> {
  const [row] = await db.query<KycRow>(`${SELECT} WHERE u.user_id = $1`, [userId]);
  return row && toState(row);
}

export async function findKycs(db: Queryable, userIds: readonly string[]): Promise<KycState[]> {
  const rows = await db.query<KycRow>(`${SELECT} WHERE u.user_id = ANY ($1)`, [userIds]);
  return rows.map(toState);
}

/** Several people (of different issuers) may have this address. Verified ones come first, then the oldest. */
export async function findKycByEmail(db: Queryable, email: string): Promise<KycState | undefined> {
  const [row] = await db.query<KycRow>(
    `${SELECT} WHERE u.email = $1 ORDER BY u.email_verified DESC, u.created_at, u.user_id LIMIT 1`,
    [email],
  );
  return row && toState(row);
}

export async function findEmailOf(db: Queryable, userId: string): Promise<string | null> {
  const [row] = await db.query<{ email: string | null }>('SELECT email FROM users WHERE user_id = $1', [userId]);
  return row?.email ?? null;
}

export async function findUserOfApplicant(db: Queryable, applicantId: string): Promise<string | undefined> {
  const [row] = await db.query<{ user_id: string }>('SELECT user_id FROM kyc_checks WHERE applicant_id = $1', [
    applicantId,
  ]);
  return row?.user_id;
}

/** Stores the applicant that the provider created, unless another process has already stored one. */
export async function storeApplicant(tx: Tx, userId: string, applicantId: string, level: string): Promise<void> {
  const [user] = await tx.query<{ kyc_status: KycStatus }>(
    'SELECT kyc_status FROM users WHERE user_id = $1 FOR NO KEY UPDATE',
    [userId],
  );
  const kept = await tx.query(
    `INSERT INTO kyc_checks AS k (user_id, applicant_id, level) VALUES ($1, $2, $3)
     ON CONFLICT (user_id) DO UPDATE SET applicant_id = $2, level = $3, updated_at = now() WHERE k.applicant_id IS NULL
     RETURNING 1`,
    [userId, applicantId, level],
  );
  if (kept.length === 0) return;
  if (user?.kyc_status === 'none')
    await tx.query(`UPDATE users SET kyc_status = 'started' WHERE user_id = $1`, [userId]);
  await recordAudit(tx, { actor: `user:${userId}`, action: 'kyc.started', userId, details: { level } });
}

export interface Question extends KycSubject {
  readonly number: bigint;
}

/** Numbers a question before it is asked. Returns undefined when there is no applicant to ask about. */
export async function numberQuestion(db: Queryable, userId: string): Promise<Question | undefined> {
  const [row] = await db.query<{ applicant_id: string; level: string; asked: bigint }>(
    `UPDATE kyc_checks SET asked = asked + 1 WHERE user_id = $1 AND applicant_id IS NOT NULL
     RETURNING applicant_id, level, asked`,
    [userId],
  );
  return row && { applicantId: row.applicant_id, level: row.level, number: row.asked, userId };
}

export async function markStale(db: Queryable, question: Question): Promise<void> {
  await db.query('UPDATE kyc_checks SET stale = true WHERE user_id = $1 AND answered < $2', [
    question.userId,
    question.number,
  ]);
}

export type KycFinding = KycVerdict | 'gone';

/**
 * Stores an answer. Returns false when a later question was answered in the meantime: this answer may be out of date.
 */
export async function storeFinding(tx: Tx, question: Question, finding: KycFinding): Promise<boolean> {
  const { userId } = question;
  const [known] = await tx.query<{ kyc_status: KycStatus; was_approved: boolean }>(
    `SELECT u.kyc_status, k.was_approved FROM users u JOIN kyc_checks k USING (user_id)
      WHERE u.user_id = $1 AND k.applicant_id = $2 AND k.answered < $3 FOR NO KEY UPDATE`,
    [userId, question.applicantId, question.number],
  );
  if (!known) return false;
  const decided = decideStatus(known.kyc_status, known.was_approved, finding);
  await tx.query(
    `UPDATE kyc_checks
        SET answered = $2, stale = false, was_approved = was_approved OR $5, can_retry = $3, reasons = $4,
            applicant_id = CASE WHEN $6 THEN NULL ELSE applicant_id END,
            updated_at = CASE WHEN $7 OR (can_retry, reasons) IS DISTINCT FROM ($3, $4::text[]) THEN now()
                              ELSE updated_at END
      WHERE user_id = $1`,
    [
      userId,
      question.number,
      decided.canRetry,
      decided.reasons,
      decided.status === 'approved',
      finding === 'gone' && decided.status !== 'rejected',
      decided.status !== known.kyc_status,
    ],
  );
  if (decided.status !== known.kyc_status) {
    await tx.query('UPDATE users SET kyc_status = $2 WHERE user_id = $1', [userId, decided.status]);
    const details = { from: known.kyc_status, to: decided.status, can_retry: decided.canRetry };
    await recordAudit(tx, { actor: 'provider:sumsub', action: 'kyc.changed', userId, details });
  }
  return true;
}

type Decision = Pick<KycState, 'status' | 'canRetry' | 'reasons'>;

/** The status we show depends on the provider's answer and on the previous status. */
function decideStatus(before: KycStatus, wasApproved: boolean, finding: KycFinding): Decision {
  const takenBack: Decision = { status: 'revoked', canRetry: true, reasons: [] };
  if (finding === 'gone') {
    // Deleting an applicant must not remove a rejection.
    if (before === 'rejected') return { status: 'rejected', canRetry: false, reasons: [] };
    return wasApproved ? takenBack : { status: 'none', canRetry: false, reasons: [] };
  }
  if (finding.status === 'approved' || finding.status === 'rejected') return finding;
  return wasApproved ? takenBack : finding;
}
