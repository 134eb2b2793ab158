import type { Queryable } from '../db/database.ts';

export const KYC_STATUSES = ['none', 'started', 'pending', 'needs_input', 'approved', 'rejected', 'revoked'] as const;

interface ListedPerson {
  readonly userId: string;
  readonly username: string | null;
  readonly email: string | null;
  readonly kycStatus: string;
  readonly createdAt: Date;
  readonly closedAt: Date | null;
  /** By an operator, or because the account is closed. */
  readonly isPaused: boolean;
}

interface Asked {
  /** A part of the current username or of the e-mail address. */
  readonly name?: string | undefined;
  readonly kycStatus?: string | undefined;
  readonly only?: 'paused' | 'closed' | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  /** The last person of the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** For operators: people, newest first. There is no index by time: it reads the table of people, once per command. */
export const listPeople = (db: Queryable, asked: Asked): Promise<ListedPerson[]> =>
  db.query<ListedPerson>(
    `SELECT u.user_id AS "userId", n.username, u.email, u.kyc_status AS "kycStatus", u.created_at AS "createdAt",
            u.closed_at AS "closedAt", EXISTS (SELECT FROM pauses WHERE scope = 'user:' || u.user_id) AS "isPaused"
       FROM users u LEFT JOIN usernames n ON n.user_id = u.user_id AND n.redirect_until IS NULL
      WHERE ($1::text IS NULL OR strpos(n.username, lower($1)) > 0 OR strpos(u.email, lower($1)) > 0)
        AND ($2::text IS NULL OR u.kyc_status = $2)
        AND CASE $3 WHEN 'closed' THEN u.closed_at IS NOT NULL
                    WHEN 'paused' THEN u.closed_at IS NULL AND EXISTS (SELECT FROM pauses WHERE scope = 'user:' || u.user_id)
                    ELSE true END
        AND u.created_at >= coalesce($4, u.created_at) AND ($5::timestamptz IS NULL OR u.created_at < $5)
        AND ($6::uuid IS NULL OR (u.created_at, u.user_id) < (SELECT created_at, user_id FROM users WHERE user_id = $6))
      ORDER BY u.created_at DESC, u.user_id DESC LIMIT $7`,
    [
      asked.name ?? null,
      asked.kycStatus ?? null,
      asked.only ?? null,
      asked.from ?? null,
      asked.to ?? null,
      asked.after ?? null,
      asked.limit,
    ],
  );
