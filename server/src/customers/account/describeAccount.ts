import { PayError } from '../../core/errors.ts';
import type { Queryable } from '../../db/database.ts';
import { findKyc, type KycState } from '../kyc/kycChecks.ts';

/** All personal data that is small. Longer data is read in pages (`readActivity`). */
interface Account {
  readonly profile: Profile;
  readonly names: readonly NameRow[];
  readonly wallets: readonly { readonly wallet_id: string; readonly address: string; readonly blockchain: string }[];
  readonly balances: readonly { readonly blockchain: string; readonly available: bigint; readonly held: bigint }[];
  readonly kyc: KycState;
  readonly sessions: readonly SessionRow[];
}

interface Profile {
  readonly user_id: string;
  readonly email: string | null;
  readonly email_verified: boolean;
  readonly issuer: string;
  readonly subject: string;
  readonly discoverable: boolean;
  readonly created_at: Date;
}

interface NameRow {
  readonly username: string;
  readonly from: Date;
  /** Null: the current name. */
  readonly until: Date | null;
}

interface SessionRow {
  readonly session_id: string;
  readonly user_agent: string | null;
  readonly created_at: Date;
  readonly last_used_at: Date;
  readonly expires_at: Date;
  readonly ended_at: Date | null;
  readonly ended_because: string | null;
}

export async function describeAccount(db: Queryable, userId: string): Promise<Account> {
  const [profile] = await db.query<Profile>(
    'SELECT user_id, email, email_verified, issuer, subject, discoverable, created_at FROM users WHERE user_id = $1',
    [userId],
  );
  const kyc = await findKyc(db, userId);
  if (!profile || !kyc) throw new PayError('user.unknown');
  // A name lasts until the next change. Names from before changes were recorded are only in `usernames`.
  const names = await db.query<NameRow>(
    `SELECT username, changed_at AS "from", lead(changed_at) OVER (ORDER BY changed_at) AS until
       FROM username_changes WHERE user_id = $1
     UNION ALL
     SELECT n.username, n.claimed_at, NULL FROM usernames n
      WHERE n.user_id = $1 AND n.redirect_until IS NULL
        AND NOT EXISTS (SELECT FROM username_changes c WHERE c.user_id = $1 AND c.username = n.username)
      ORDER BY 2`,
    [userId],
  );
  const wallets = await db.query<Account['wallets'][number]>(
    `SELECT w.wallet_id, w.address, n.blockchain
       FROM owner_wallets w JOIN assets USING (asset_id) JOIN networks n USING (network_id)
      WHERE w.user_id = $1 ORDER BY n.blockchain`,
    [userId],
  );
  const balances = await db.query<Account['balances'][number]>(
    `SELECT n.blockchain, a.available, a.held FROM accounts a JOIN assets USING (asset_id) JOIN networks n USING (network_id)
      WHERE a.user_id = $1 ORDER BY n.blockchain`,
    [userId],
  );
  const sessions = await db.query<SessionRow>(
    `SELECT session_id, user_agent, created_at, last_used_at, expires_at, ended_at, ended_because
       FROM sessions WHERE user_id = $1 ORDER BY created_at, session_id`,
    [userId],
  );
  return { profile, names, wallets, balances, kyc, sessions };
}

interface Deed {
  readonly audit_id: bigint;
  readonly at: Date;
  readonly action: string;
  /** The kind of actor: `user`, `operator`, `provider` or `service`, never its identity. */
  readonly by: string;
}

/** Reads the audit log entries about a person, oldest first. */
export const readActivity = (db: Queryable, userId: string, after: bigint, limit: number): Promise<Deed[]> =>
  db.query<Deed>(
    `SELECT audit_id, at, action, split_part(actor, ':', 1) AS by FROM audit_log
      WHERE user_id = $1 AND audit_id > $2 ORDER BY audit_id LIMIT $3`,
    [userId, after, limit],
  );
