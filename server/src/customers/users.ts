/**
 * `customers` decides who may pay: people with their logins, sessions, usernames, identity checks, limits and wallets,
 * and the keys of other services. It alone writes `users`, `wallets`, `wallet_seeds`, `wallet_providers`, `usernames`,
 * `public_names` (a trigger), `username_skeletons`, `username_changes`, `sessions`, `session_tokens`, `spent_id_tokens`, `login_secrets`,
 * `kyc_checks`, `kyc_events`, `rate_windows`, `service_keys` and the tables of their rules and budgets (`key_*`). Limits are in
 * tables of `ledger`, which checks them. The modules above it may call it: `custody`, `payments`, `events`, `http` and
 * `bin`.
 */
import { PayError } from '../core/errors.ts';
import type { Identity } from '../core/ports.ts';
import type { Queryable, Tx } from '../db/database.ts';

interface User {
  readonly userId: string;
  readonly email: string | null;
  readonly username: string | null;
  readonly kycStatus: string;
  /** Strangers may find this person's name. */
  readonly discoverable: boolean;
  readonly createdAt: Date;
  /** Null while the account is open. */
  readonly closedAt: Date | null;
}

interface Wallet {
  readonly walletId: string;
  readonly address: string;
}

interface CustomerRow {
  user_id: string;
  email: string | null;
  username: string | null;
  kyc_status: string;
  discoverable: boolean;
  created_at: Date;
  closed_at: Date | null;
  wallet_id: string | null;
  address: string | null;
}

export interface Customer {
  readonly user: User;
  /** Undefined until the signer has created it. */
  readonly wallet: Wallet | undefined;
}

const toCustomer = (row: CustomerRow): Customer => ({
  user: {
    userId: row.user_id,
    email: row.email,
    username: row.username,
    kycStatus: row.kyc_status,
    discoverable: row.discoverable,
    createdAt: row.created_at,
    closedAt: row.closed_at,
  },
  wallet:
    row.wallet_id !== null && row.address !== null ? { walletId: row.wallet_id, address: row.address } : undefined,
});

/** Includes the wallet that holds their coins of the home asset. */
const SELECT = `
  SELECT u.user_id, u.email, n.username, u.kyc_status, u.discoverable, u.created_at, u.closed_at, w.wallet_id, w.address
    FROM users u
    LEFT JOIN owner_wallets w ON w.user_id = u.user_id AND w.asset_id = (SELECT home_asset FROM ledger_state)
    LEFT JOIN usernames n ON n.user_id = u.user_id AND n.redirect_until IS NULL`;

export async function findCustomer(db: Queryable, identity: Identity): Promise<Customer | undefined> {
  const [row] = await db.query<CustomerRow>(`${SELECT} WHERE u.issuer = $1 AND u.subject = $2`, [
    identity.issuer,
    identity.subject,
  ]);
  return row && toCustomer(row);
}

export async function getCustomer(db: Queryable, userId: string): Promise<Customer> {
  const [row] = await db.query<CustomerRow>(`${SELECT} WHERE u.user_id = $1`, [userId]);
  if (!row) throw new PayError('user.unknown');
  return toCustomer(row);
}

/** Returns true when this call created the person; false when they already existed. */
export async function insertUser(tx: Tx, userId: string, identity: Identity): Promise<boolean> {
  const created = await tx.query(
    `INSERT INTO users (user_id, issuer, subject, email, email_verified) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (issuer, subject) DO NOTHING RETURNING 1`,
    [userId, identity.issuer, identity.subject, identity.email, identity.emailVerified],
  );
  return created.length > 0;
}

/**
 * Throws when the account is closed. The account stays open until the commit: closing waits for this transaction, and
 * then ends its session.
 */
export async function lockOpenAccount(tx: Tx, userId: string): Promise<void> {
  const [row] = await tx.query<{ closed_at: Date | null }>('SELECT closed_at FROM users WHERE user_id = $1 FOR SHARE', [
    userId,
  ]);
  if (row?.closed_at) throw new PayError('account.closed');
}

/** Called at every login, because the ID token has the person's current e-mail address. */
export async function updateEmail(tx: Tx, identity: Identity): Promise<void> {
  await tx.query(
    `UPDATE users SET email = $3, email_verified = $4
      WHERE issuer = $1 AND subject = $2 AND (email, email_verified) IS DISTINCT FROM ($3, $4::boolean)`,
    [identity.issuer, identity.subject, identity.email, identity.emailVerified],
  );
}
