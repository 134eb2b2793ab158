import type { Queryable } from '../db/database.ts';

/** What operators see of a person. */
interface Profile {
  readonly userId: string;
  readonly username: string | null;
  readonly oldUsernames: readonly string[];
  readonly email: string | null;
  readonly issuer: string;
  readonly kycStatus: string;
  /** What the identity provider had against them the last time. */
  readonly kycReasons: readonly string[];
  readonly createdAt: Date;
  readonly openSessions: number;
  readonly lastUsedAt: Date | null;
  readonly balances: readonly {
    readonly blockchain: string;
    readonly symbol: string;
    readonly available: bigint;
    readonly held: bigint;
    readonly walletId: string | null;
    readonly address: string | null;
  }[];
}

export async function readProfile(db: Queryable, userId: string): Promise<Profile | undefined> {
  const [row] = await db.query<Omit<Profile, 'balances'>>(
    `SELECT u.user_id AS "userId", u.email, u.issuer, u.kyc_status AS "kycStatus", u.created_at AS "createdAt",
            (SELECT n.username FROM usernames n WHERE n.user_id = u.user_id AND n.redirect_until IS NULL) AS username,
            ARRAY(SELECT n.username FROM usernames n WHERE n.user_id = u.user_id AND n.redirect_until > now()
                   ORDER BY n.claimed_at DESC) AS "oldUsernames",
            coalesce((SELECT k.reasons FROM kyc_checks k WHERE k.user_id = u.user_id), '{}') AS "kycReasons",
            (SELECT count(*)::int FROM sessions s WHERE s.user_id = u.user_id AND s.ended_at IS NULL AND s.expires_at > now())
              AS "openSessions",
            (SELECT max(s.last_used_at) FROM sessions s WHERE s.user_id = u.user_id) AS "lastUsedAt"
       FROM users u WHERE u.user_id = $1`,
    [userId],
  );
  if (!row) return undefined;
  const balances = await db.query<Profile['balances'][number]>(
    `SELECT s.blockchain, c.symbol, a.available, a.held, w.wallet_id AS "walletId", w.address
       FROM accounts a JOIN assets c USING (asset_id) JOIN networks s USING (network_id)
       LEFT JOIN owner_wallets w ON w.user_id = a.user_id AND w.asset_id = a.asset_id
      WHERE a.user_id = $1 ORDER BY a.asset_id`,
    [userId],
  );
  return { ...row, balances };
}
