import { type ErrorCode, PayError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import type { Usdc } from '../../core/money.ts';
import type { Queryable, Tx } from '../../db/database.ts';
import type { Caller } from '../sessions/sessions.ts';
import type { NewPasskey } from './verifyPasskey.ts';

interface Passkey {
  readonly passkeyId: string;
  readonly name: string;
  /** It is copied to other devices of the person. */
  readonly backedUp: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

/** A person's passkeys, and when they are asked for one. */
export interface PasskeyState {
  readonly userId: string;
  readonly passkeys: readonly Passkey[];
  /** Payments above this amount need a passkey; null: none does. */
  readonly askAbove: Usdc | null;
  /** When an operator may remove all passkeys, as the person has asked; null: nothing was asked. */
  readonly removalDueAt: Date | null;
}

interface StateRow {
  readonly user_id: string;
  readonly above: string | null;
  readonly due_at: Date | null;
  readonly passkeys: readonly {
    readonly passkey_id: string;
    readonly name: string;
    readonly backed_up: boolean;
    readonly created_at: string;
    readonly last_used_at: string | null;
  }[];
}

export async function findPasskeys(db: Queryable, userIds: readonly string[]): Promise<PasskeyState[]> {
  const rows = await db.query<StateRow>(
    `SELECT u.user_id, u.passkey_above::text AS above, r.due_at,
            (SELECT coalesce(jsonb_agg(to_jsonb(k) ORDER BY k.created_at, k.passkey_id), '[]')
               FROM (SELECT passkey_id, name, backed_up, created_at, last_used_at FROM passkeys p
                      WHERE p.user_id = u.user_id) k) AS passkeys
       FROM users u LEFT JOIN passkey_removals r USING (user_id) WHERE u.user_id = ANY ($1)`,
    [userIds],
  );
  return rows.map((row) => ({
    userId: row.user_id,
    askAbove: row.above === null ? null : (BigInt(row.above) as Usdc),
    removalDueAt: row.due_at,
    passkeys: row.passkeys.map((one) => ({
      passkeyId: one.passkey_id,
      name: one.name,
      backedUp: one.backed_up,
      createdAt: new Date(one.created_at),
      lastUsedAt: one.last_used_at === null ? null : new Date(one.last_used_at),
    })),
  }));
}

export async function getPasskeys(db: Queryable, userId: string): Promise<PasskeyState> {
  const [state] = await findPasskeys(db, [userId]);
  if (!state) throw new PayError('user.unknown');
  return state;
}

type Refusal = { readonly code: ErrorCode | null };

/** PostgreSQL decides whether this person may add it now. */
export async function addPasskey(
  tx: Tx,
  { userId, sessionId }: Caller,
  challengeId: string,
  added: NewPasskey & { readonly name: string; readonly rpId: string },
): Promise<void> {
  const [row] = await tx.query<Refusal>('SELECT add_passkey($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) AS code', [
    userId,
    sessionId,
    challengeId,
    newId(),
    added.credential,
    added.publicKey,
    added.name,
    added.rpId,
    added.transports,
    added.counter,
    added.backedUp,
  ]);
  refuse(row!.code, { reason: 'known' });
}

export async function removePasskey(tx: Tx, { userId, sessionId }: Caller, passkeyId: string): Promise<void> {
  const [row] = await tx.query<Refusal>('SELECT remove_passkey($1, $2, $3) AS code', [userId, sessionId, passkeyId]);
  refuse(row!.code);
}

/** Null: payments need no passkey. */
export async function setPasskeyRule(tx: Tx, { userId, sessionId }: Caller, above: Usdc | null): Promise<void> {
  const [row] = await tx.query<Refusal>('SELECT set_passkey_rule($1, $2, $3) AS code', [userId, sessionId, above]);
  refuse(row!.code);
}

/** The person, or an operator, stops a removal that an operator has begun. False if there is none. */
export async function endPasskeyRemoval(tx: Queryable, userId: string): Promise<boolean> {
  const [row] = await tx.query<{ ended: boolean }>('SELECT end_passkey_removal($1) AS ended', [userId]);
  return row!.ended;
}

export async function beginPasskeyRemoval(tx: Queryable, userId: string, why: string) {
  const [row] = await tx.query<{ said: 'begun' | 'none' | 'waits' }>('SELECT begin_passkey_removal($1, $2) AS said', [
    userId,
    why,
  ]);
  return row!.said;
}

/** Removes all passkeys. Refuses the operator who began it. */
export async function finishPasskeyRemoval(tx: Queryable, userId: string) {
  const [row] = await tx.query<{ said: 'removed' | 'unknown' | 'waits' }>('SELECT finish_passkey_removal($1) AS said', [
    userId,
  ]);
  return row!.said;
}

function refuse(code: ErrorCode | null, details: Readonly<Record<string, string>> = {}): void {
  if (code !== null) throw new PayError(code, code === 'passkey.refused' ? details : {});
}
