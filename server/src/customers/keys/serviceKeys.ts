import { randomBytes } from 'node:crypto';
import { PayError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import { createBatcher } from '../../db/createBatcher.ts';
import type { Queryable, Tx } from '../../db/database.ts';
import { hashOf } from '../sessions/sessions.ts';
import { fromRules, type KeyRules, type RulesDocument, toRules } from './keyRules.ts';
import { type WatchKey, watchKeys } from './watchKeys.ts';

/**
 * Scopes of the Web3 API: `read` (read wallets and transactions) and `send` (move money). Scopes of the Backend API:
 * `events` (read the events of all people), `webhooks` (manage the receivers of events) and `payouts` (pay many people
 * from one file). `notes` adds what people have written to `read` or `events`. No scope includes another, and PostgreSQL
 * refuses a key for both APIs.
 */
export const SCOPES = ['read', 'send', 'events', 'webhooks', 'payouts', 'notes'] as const;
export type Scope = (typeof SCOPES)[number];

/** Scopes of account keys, all of the Backend API. The database writes `own:` before them, so they match no other scope. */
export const ACCOUNT_SCOPES = ['read', 'request', 'pay', 'payouts', 'webhooks'] as const;
export type AccountScope = (typeof ACCOUNT_SCOPES)[number];

/** The key of a person's account: what `authorize` finds for it. It acts for its owner and never for others. */
export interface AccountCaller {
  readonly userId: string;
  readonly keyId: string;
  readonly scopes: readonly AccountScope[];
  readonly clients: readonly string[] | null;
}

/** Another service, identified by its key. */
export interface ServiceCaller {
  readonly keyId: string;
  readonly scopes: readonly Scope[];
  /** SHA-256 of the only client certificate that may use the key; null: no certificate needed. */
  readonly certificate: string | null;
  /** The only client address ranges that may use the key; null: any address. */
  readonly clients: readonly string[] | null;
}

export interface ServiceKey extends Omit<ServiceCaller, 'certificate' | 'clients'> {
  readonly name: string;
  readonly createdAt: Date;
  /** Precise to the minute. */
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
  /** Created before a restore of the database. Not usable until an operator confirms it. */
  readonly isUnconfirmed: boolean;
  readonly isExpired: boolean;
  /** Null: the key comes from a release without rules. It may do everything in its scopes, without limits. */
  readonly rules: KeyRules | null;
}

interface KeyRow {
  key_id: string;
  name: string;
  scopes: Scope[];
  created_at: Date;
  last_used_at: Date | null;
  revoked_at: Date | null;
  unconfirmed: boolean;
  expired: boolean;
  rules: RulesDocument | null;
}

const toKey = (row: KeyRow): ServiceKey => ({
  keyId: row.key_id,
  name: row.name,
  scopes: row.scopes,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  revokedAt: row.revoked_at,
  isUnconfirmed: row.unconfirmed,
  isExpired: row.expired,
  rules: row.rules && toRules(row.rules),
});

interface NewKey {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly rules: KeyRules;
  /**
   * The id of a key that a restored database has lost. Payment ids are derived from it, so repeated calls get the same
   * ids.
   */
  readonly keyId?: string | undefined;
}

/**
 * Creates a key. This is the only time that the key itself is known: the database stores only its hash. PostgreSQL
 * identifies the operator by their login.
 */
export async function createServiceKey(
  tx: Tx,
  { keyId = newId(), ...wanted }: NewKey,
): Promise<{ readonly keyId: string; readonly key: string }> {
  const key = `fsk_${randomBytes(32).toString('base64url')}`;
  await tx.query('SELECT create_key($1, $2, $3, $4, $5)', [
    keyId,
    wanted.name,
    hashOf(key),
    wanted.scopes,
    JSON.stringify(fromRules(wanted.rules)),
  ]);
  return { keyId, key };
}

/** Returns the key if it is in use, and locks it against changes until the commit. */
export async function lockServiceKey(tx: Tx, keyId: string): Promise<ServiceKey | undefined> {
  await tx.query('SELECT lock_key($1)', [keyId]);
  return (await listServiceKeys(tx)).find((key) => key.keyId === keyId && !key.revokedAt);
}

/** The change applies from the next payment on. False when there is no such key, or it was revoked. */
export async function changeServiceKey(tx: Tx, keyId: string, rules: KeyRules, reason: string): Promise<boolean> {
  const [row] = await tx.query<{ changed: boolean }>('SELECT change_key($1, $2, $3) AS changed', [
    keyId,
    JSON.stringify(fromRules(rules)),
    reason,
  ]);
  return row!.changed;
}

export async function listServiceKeys(db: Queryable): Promise<ServiceKey[]> {
  const rows = await db.query<KeyRow>(
    `SELECT key_id, name, scopes, created_at, last_used_at, revoked_at, created_at < credentials_from('keys') AS unconfirmed,
            coalesce(r.expires_at <= now(), false) AS expired, describe_key(key_id) AS rules
       FROM service_keys LEFT JOIN key_rules r USING (key_id) WHERE user_id IS NULL
      ORDER BY revoked_at IS NOT NULL, created_at, key_id`,
  );
  return rows.map(toKey);
}

/** False when there is no such key, or it was revoked before. */
export async function revokeServiceKey(tx: Tx, keyId: string): Promise<boolean> {
  const [row] = await tx.query<{ revoked: boolean }>('SELECT revoke_key($1) AS revoked', [keyId]);
  return row!.revoked;
}

/** Identifies services by their keys. */
export interface ServiceCallers {
  /** Finds the owner of this key in PostgreSQL. Throws `auth.invalid`. */
  get(key: string): Promise<ServiceCaller>;
  /** The same for a key of an account. */
  getAccount(key: string): Promise<AccountCaller>;
  /** For a stream that was opened with an account key. */
  readonly watch: WatchKey;
  /**
   * The same from memory. A key that was not read for a minute is read again, which also records its use. Only for
   * calls whose own statement reads the row of the key (`find_key_refusals`). Throws `auth.invalid`.
   */
  recall(key: string): RecalledCaller | Promise<RecalledCaller>;
}

export interface RecalledCaller extends ServiceCaller {
  /** Reads the key again, for an answer that does not run that statement. Throws `auth.invalid`. */
  confirm(): Promise<ServiceCaller>;
}

interface Remembered {
  readonly caller: RecalledCaller;
  readonly untilMs: number;
}

const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 10_000;

interface FoundRow {
  readonly hash: string;
  readonly key_id: string;
  readonly scopes: string[];
  readonly user_id: string | null;
  readonly revoked: boolean;
  readonly expired: boolean;
  readonly certificate: string | null;
  readonly clients: string[] | null;
  readonly unnoted: boolean;
}

/**
 * Looks up the keys of all concurrent calls in one statement. The cache alone never authorizes a call: a statement that
 * starts after the call has arrived reads the row of the key, so a revoked key is refused immediately. Keys from before
 * a restore are also refused until an operator confirms them, because they may have been revoked after the backup. Keys
 * are looked up by their hash, so the lookup time reveals nothing about a key.
 */
export function openServiceCallers(db: Queryable): ServiceCallers {
  const batcher = createBatcher<string, FoundRow | undefined>({
    concurrency: 1,
    isConflict: () => false,
    // `db` itself already waits for an unreachable database.
    giveUpAfterMs: 0,
    run: (_, keys) => findKeys(db, keys),
  });
  /**
   * Keyed by the plain key, which is kept in memory only. Hashing would take longer than the rest of a call's
   * authorization.
   */
  const remembered = new Map<string, Remembered>();

  async function find(key: string, isOfAccount: boolean): Promise<FoundRow> {
    const found = await batcher.submit(key);
    if (!found || (found.user_id !== null) !== isOfAccount) throw new PayError('auth.invalid', { reason: 'unknown' });
    if (found.revoked) throw new PayError('auth.invalid', { reason: 'revoked' });
    if (found.expired) throw new PayError('auth.invalid', { reason: 'expired' });
    return found;
  }

  async function get(key: string): Promise<ServiceCaller> {
    const { key_id: keyId, scopes, certificate, clients } = await find(key, false);
    return { keyId, scopes: scopes as Scope[], certificate, clients };
  }

  async function getAccount(key: string): Promise<AccountCaller> {
    const { key_id: keyId, user_id: userId, scopes, clients } = await find(key, true);
    return { userId: userId!, keyId, scopes: toAccountScopes(scopes), clients };
  }

  async function read(key: string): Promise<RecalledCaller> {
    remembered.delete(key);
    const caller = { ...(await get(key)), confirm: () => read(key) };
    if (remembered.size >= MAX_REMEMBERED) remembered.delete(remembered.keys().next().value as string);
    remembered.set(key, { caller, untilMs: performance.now() + REMEMBERED_MS });
    return caller;
  }

  return {
    get,
    getAccount,
    watch: watchKeys(getAccount),
    recall(key) {
      const known = remembered.get(key);
      return known && performance.now() < known.untilMs ? known.caller : read(key);
    },
  };
}

export const toAccountScopes = (texts: readonly string[]): AccountScope[] =>
  ACCOUNT_SCOPES.filter((scope) => texts.includes(`own:${scope}`));

async function findKeys(db: Queryable, keys: readonly string[]): Promise<(FoundRow | undefined)[]> {
  // Most concurrent calls come from one service, with one key.
  const hashes = new Map([...new Set(keys)].map((key) => [key, hashOf(key)]));
  const rows = await db.query<FoundRow>(
    `SELECT encode(hash, 'hex') AS hash, key_id, scopes, user_id, revoked_at IS NOT NULL
              OR created_at < credentials_from(CASE WHEN user_id IS NULL THEN 'keys' ELSE 'account_keys' END) AS revoked,
            coalesce(r.expires_at <= now(), false) AS expired, encode(r.certificate, 'hex') AS certificate,
            r.client_ranges::text[] AS clients, revoked_at IS NULL AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute') AS unnoted
       FROM service_keys LEFT JOIN key_rules r USING (key_id) WHERE hash = ANY ($1)`,
    [[...hashes.values()]],
  );
  for (const { unnoted, key_id: keyId } of rows) if (unnoted) await noteUse(db, keyId);
  const found = new Map(rows.map((row) => [row.hash, row]));
  return keys.map((key) => found.get(Buffer.from(hashes.get(key)!).toString('hex')));
}

/** Writes at most once a minute per key. Concurrent calls skip the locked row instead of waiting. */
async function noteUse(db: Queryable, keyId: string): Promise<void> {
  await db.query(
    `UPDATE service_keys SET last_used_at = now()
      WHERE key_id = (SELECT key_id FROM service_keys WHERE key_id = $1
                        AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute') FOR UPDATE SKIP LOCKED)`,
    [keyId],
  );
}
