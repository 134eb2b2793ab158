import { randomBytes } from 'node:crypto';
import { type errorTable, PayError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import type { Queryable, Tx } from '../../db/database.ts';
import { type Caller, hashOf } from '../sessions/sessions.ts';
import { type KeyLimits, type RulesDocument, toRules } from './keyRules.ts';
import { type AccountScope, toAccountScopes } from './serviceKeys.ts';

/** A key that a person has created for their own account. */
export interface AccountKey {
  readonly keyId: string;
  readonly userId: string;
  readonly name: string;
  readonly scopes: readonly AccountScope[];
  /** `revoked` also after a restore of the database. */
  readonly state: 'active' | 'expired' | 'revoked';
  readonly limits: KeyLimits;
  readonly addresses: readonly string[] | null;
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
  /** Precise to the minute. */
  readonly lastUsedAt: Date | null;
}

interface NewAccountKey {
  readonly name: string;
  readonly scopes: readonly AccountScope[];
  readonly limits: KeyLimits;
  readonly addresses: readonly string[] | null;
  readonly expiresAt: Date | null;
}

/**
 * Creates a key for the caller's account. This is the only time that the key itself is known. PostgreSQL checks that the
 * login is recent, counts the keys and tells the person.
 */
export async function createAccountKey(
  tx: Tx,
  { userId, sessionId }: Caller,
  wanted: NewAccountKey,
): Promise<{ readonly key: string; readonly created: AccountKey }> {
  const keyId = newId();
  const key = `fak_${randomBytes(32).toString('base64url')}`;
  const { payment, day, month } = wanted.limits;
  const [row] = await tx.query<{ refusal: { code: keyof typeof errorTable; details: Record<string, string> } | null }>(
    'SELECT create_account_key($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) AS refusal',
    [
      userId,
      sessionId,
      keyId,
      hashOf(key),
      wanted.name,
      wanted.scopes.map((scope) => `own:${scope}`),
      wanted.expiresAt,
      wanted.addresses,
      payment,
      day,
      month,
    ],
  );
  const refusal = row!.refusal;
  if (refusal) throw new PayError(refusal.code, refusal.details);
  const [created] = await findAccountKeys(tx, [keyId]);
  return { key, created: created! };
}

/** The keys of an account that were not revoked, newest first. */
export async function listAccountKeys(db: Queryable, userId: string): Promise<AccountKey[]> {
  const keys = await read(db, 'k.user_id = $1 AND k.revoked_at IS NULL', userId);
  return keys.filter(({ state }) => state !== 'revoked');
}

export const findAccountKeys = (db: Queryable, keyIds: readonly string[]): Promise<AccountKey[]> =>
  read(db, 'k.user_id IS NOT NULL AND k.key_id = ANY ($1)', keyIds);

/** All account keys that are in use, of one person or of all, for operators. */
export async function listKeysOfAccounts(db: Queryable, userId: string | undefined): Promise<AccountKey[]> {
  const keys = await read(
    db,
    'k.user_id IS NOT NULL AND k.revoked_at IS NULL AND coalesce(k.user_id = $1, true)',
    userId ?? null,
  );
  return keys.filter(({ state }) => state !== 'revoked');
}

export async function revokeAccountKey(tx: Tx, userId: string, keyId: string): Promise<void> {
  const [row] = await tx.query<{ revoked: boolean }>('SELECT revoke_account_key($1, $2) AS revoked', [userId, keyId]);
  if (!row!.revoked) throw new PayError('key.unknown');
}

interface KeyRow {
  readonly key_id: string;
  readonly user_id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly created_at: Date;
  readonly last_used_at: Date | null;
  readonly is_revoked: boolean;
  readonly is_expired: boolean;
  readonly rules: RulesDocument;
}

async function read(db: Queryable, which: string, value: unknown): Promise<AccountKey[]> {
  const rows = await db.query<KeyRow>(
    `SELECT k.key_id, k.user_id, k.name, k.scopes, k.created_at, k.last_used_at,
            k.revoked_at IS NOT NULL OR k.created_at < credentials_from('account_keys') AS is_revoked,
            coalesce(r.expires_at <= now(), false) AS is_expired, describe_key(k.key_id) AS rules
       FROM service_keys k LEFT JOIN key_rules r USING (key_id) WHERE ${which}
      ORDER BY k.created_at DESC, k.key_id`,
    [value],
  );
  return rows.map(toAccountKey);
}

function toAccountKey(row: KeyRow): AccountKey {
  const { people, clients, expiresAt } = toRules(row.rules);
  return {
    keyId: row.key_id,
    userId: row.user_id,
    name: row.name,
    scopes: toAccountScopes(row.scopes),
    state: row.is_revoked ? 'revoked' : row.is_expired ? 'expired' : 'active',
    limits: people,
    addresses: clients,
    expiresAt,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  };
}
