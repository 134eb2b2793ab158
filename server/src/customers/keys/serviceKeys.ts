import { randomBytes } from 'node:crypto';
import { PayError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import { createBatcher } from '../../db/createBatcher.ts';
import type { Queryable, Tx } from '../../db/database.ts';
import { hashOf } from '../sessions/sessions.ts';
import { fromRules, type KeyRules, type RulesDocument, toRules } from './keyRules.ts';

/**
 * Of the Web3 API: `read`, look at wallets and transactions; `send`, move money. Of the Backend API: `events`, read what
 * happens to everybody; `webhooks`, say who is told of it; `payouts`, pay many from one file. One does not contain the other, and PostgreSQL refuses a key for both APIs.
 */
export const SCOPES = ['read', 'send', 'events', 'webhooks', 'payouts'] as const;
export type Scope = (typeof SCOPES)[number];

/** Another service. */
export interface ServiceCaller {
  readonly keyId: string;
  readonly scopes: readonly Scope[];
  /** SHA-256 of the only client certificate the key works with; null: it needs none. */
  readonly certificate: string | null;
  /** The address ranges from which alone the key works; null: from everywhere. */
  readonly clients: readonly string[] | null;
}

export interface ServiceKey extends Omit<ServiceCaller, 'certificate' | 'clients'> {
  readonly name: string;
  readonly createdAt: Date;
  /** To the minute. */
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
  /** From before a restore of the database; not usable until an operator confirms it. */
  readonly isUnconfirmed: boolean;
  readonly isExpired: boolean;
  /** Null: from a release before there were rules. It may do all that its scopes say, without limits. */
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
  /** Of a key that a restored database has forgotten. Ids of payments are made from it: calls made with it stay the same. */
  readonly keyId?: string | undefined;
}

/** The only time the key itself is known: the database has its hash. PostgreSQL knows the operator by their login. */
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

/** The key, if it is in use; until the commit nobody else changes it. */
export async function lockServiceKey(tx: Tx, keyId: string): Promise<ServiceKey | undefined> {
  await tx.query('SELECT lock_key($1)', [keyId]);
  return (await listServiceKeys(tx)).find((key) => key.keyId === keyId && !key.revokedAt);
}

/** From the next payment on. False when there is no such key, or it was revoked. */
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
       FROM service_keys LEFT JOIN key_rules r USING (key_id)
      ORDER BY revoked_at IS NOT NULL, created_at, key_id`,
  );
  return rows.map(toKey);
}

/** False when there is no such key, or it was revoked before. */
export async function revokeServiceKey(tx: Tx, keyId: string): Promise<boolean> {
  const [row] = await tx.query<{ revoked: boolean }>('SELECT revoke_key($1) AS revoked', [keyId]);
  return row!.revoked;
}

/** Who calls as a service. */
export interface ServiceCallers {
  /** Whose key this is, read from PostgreSQL. Throws `auth.invalid`. */
  get(key: string): Promise<ServiceCaller>;
  /**
   * The same from memory; a key that was not read for a minute is read, which also notes its use. Only for calls whose own
   * statement reads the row of the key (`find_key_refusals`). Throws `auth.invalid`.
   */
  recall(key: string): RecalledCaller | Promise<RecalledCaller>;
}

export interface RecalledCaller extends ServiceCaller {
  /** Reads the key again, for an answer that is given without the statement. Throws `auth.invalid`. */
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
  readonly scopes: Scope[];
  readonly revoked: boolean;
  readonly expired: boolean;
  readonly certificate: string | null;
  readonly clients: string[] | null;
  readonly unnoted: boolean;
}

/**
 * Looks up the keys of all concurrent calls in one statement. Memory alone never decides whether a key may act: a
 * statement that begins after the call has come reads its row, so a revoked key is refused at once. So is every key from
 * before a restore that nobody has confirmed: it may have been revoked after the backup. Keys are looked up by their hash,
 * so the time this takes reveals nothing about the key.
 */
export function openServiceCallers(db: Queryable): ServiceCallers {
  const batcher = createBatcher<string, FoundRow | undefined>({
    lanes: 1,
    isConflict: () => false,
    // `db` has patience of its own.
    giveUpAfterMs: 0,
    run: (_, keys) => findKeys(db, keys),
  });
  /** By the plain key, which is kept in memory only. A hash would take longer than the rest of a call's authorization. */
  const remembered = new Map<string, Remembered>();

  async function get(key: string): Promise<ServiceCaller> {
    const found = await batcher.submit(key);
    if (!found) throw new PayError('auth.invalid', { reason: 'unknown' });
    if (found.revoked) throw new PayError('auth.invalid', { reason: 'revoked' });
    if (found.expired) throw new PayError('auth.invalid', { reason: 'expired' });
    return { keyId: found.key_id, scopes: found.scopes, certificate: found.certificate, clients: found.clients };
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
    recall(key) {
      const known = remembered.get(key);
      return known && performance.now() < known.untilMs ? known.caller : read(key);
    },
  };
}

async function findKeys(db: Queryable, keys: readonly string[]): Promise<(FoundRow | undefined)[]> {
  // Most calls of a moment come from one service, with one key.
  const hashes = new Map([...new Set(keys)].map((key) => [key, hashOf(key)]));
  const rows = await db.query<FoundRow>(
    `SELECT encode(hash, 'hex') AS hash, key_id, scopes,
            revoked_at IS NOT NULL OR created_at < credentials_from('keys') AS revoked,
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
