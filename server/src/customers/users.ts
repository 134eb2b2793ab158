/**
 * `customers` knows who may pay: people with their logins, sessions, usernames, identity checks, limits and wallets,
 * and the keys of other services. It alone writes `users`, `wallets`, `wallet_seeds`, `usernames`,
 * `username_skeletons`, `username_changes`, `sessions`, `session_tokens`, `spent_id_tokens`, `kyc_checks`,
 * `service_keys` and `rate_windows`. Limits are in tables of `ledger`, which checks them. Called by `payments`, `http` and `bin`.
 */
import type { Identity, ProviderWallet } from '../core/ports.ts';
import type { Queryable, Tx } from '../db/database.ts';

interface User {
  readonly userId: string;
  readonly email: string | null;
  readonly username: string | null;
  readonly kycStatus: string;
  readonly createdAt: Date;
}

export interface Wallet {
  readonly walletId: string;
  readonly address: string;
}

interface CustomerRow {
  user_id: string;
  email: string | null;
  username: string | null;
  kyc_status: string;
  created_at: Date;
  wallet_id: string;
  address: string;
}

export interface Customer {
  readonly user: User;
  readonly wallet: Wallet;
}

const toCustomer = (row: CustomerRow): Customer => ({
  user: {
    userId: row.user_id,
    email: row.email,
    username: row.username,
    kycStatus: row.kyc_status,
    createdAt: row.created_at,
  },
  wallet: { walletId: row.wallet_id, address: row.address },
});

/** With the wallet that holds their coins of the home asset. Undefined also when the person has no such wallet yet. */
export async function findCustomer(db: Queryable, identity: Identity): Promise<Customer | undefined> {
  const [row] = await db.query<CustomerRow>(
    `SELECT u.user_id, u.email, n.username, u.kyc_status, u.created_at, w.wallet_id, w.address
       FROM users u
       JOIN owner_wallets w ON w.user_id = u.user_id AND w.asset_id = (SELECT home_asset FROM ledger_state)
       LEFT JOIN usernames n ON n.user_id = u.user_id AND n.redirect_until IS NULL
      WHERE u.issuer = $1 AND u.subject = $2`,
    [identity.issuer, identity.subject],
  );
  return row && toCustomer(row);
}

/**
 * True when this call created the person; false when they existed already. A person without a wallet of this provider
 * gets it either way.
 */
export async function insertCustomer(
  tx: Tx,
  ids: { readonly userId: string; readonly walletId: string },
  identity: Identity,
  wallet: ProviderWallet,
): Promise<boolean> {
  const created = await tx.query(
    `INSERT INTO users (user_id, issuer, subject, email, email_verified) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (issuer, subject) DO NOTHING RETURNING 1`,
    [ids.userId, identity.issuer, identity.subject, identity.email, identity.emailVerified],
  );
  await tx.query(
    `INSERT INTO wallets (wallet_id, kind, user_id, provider, family, reference, address)
     SELECT $1, 'user', user_id, $4, $5, $6, $7 FROM users WHERE issuer = $2 AND subject = $3 ON CONFLICT DO NOTHING`,
    [ids.walletId, identity.issuer, identity.subject, wallet.provider, wallet.family, wallet.reference, wallet.address],
  );
  return created.length > 0;
}

/** Called at every login: the ID token has the person's current e-mail address. */
export async function updateEmail(tx: Tx, identity: Identity): Promise<void> {
  await tx.query(
    `UPDATE users SET email = $3, email_verified = $4
      WHERE issuer = $1 AND subject = $2 AND (email, email_verified) IS DISTINCT FROM ($3, $4::boolean)`,
    [identity.issuer, identity.subject, identity.email, identity.emailVerified],
  );
}
