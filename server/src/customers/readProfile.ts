import type { Queryable } from '../db/database.ts';

/** A person's profile as operators see it. */
interface Profile {
  readonly userId: string;
  readonly username: string | null;
  readonly oldUsernames: readonly string[];
  readonly email: string | null;
  readonly issuer: string;
  readonly kycStatus: string;
  /** The identity provider's reasons from the last check. */
  readonly kycReasons: readonly string[];
  readonly createdAt: Date;
  readonly openSessions: number;
  readonly lastUsedAt: Date | null;
  /** On every blockchain where they have money or a wallet. */
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
    `SELECT s.blockchain, c.symbol, coalesce(a.available, 0) AS available, coalesce(a.held, 0) AS held,
            w.wallet_id AS "walletId", w.address
       FROM assets c JOIN networks s USING (network_id)
       LEFT JOIN accounts a ON a.user_id = $1 AND a.asset_id = c.asset_id
       LEFT JOIN owner_wallets w ON w.user_id = $1 AND w.asset_id = c.asset_id
      WHERE a.user_id IS NOT NULL OR w.user_id IS NOT NULL ORDER BY c.asset_id`,
    [userId],
  );
  return { ...row, balances };
}
