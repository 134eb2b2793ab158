import { createHash, createHmac } from 'node:crypto';
import pg from 'pg';
import { type ErrorCode, type ErrorDetails, errorTable, PayError } from '../core/errors.ts';
import { idFromKey } from '../core/ids.ts';
import type { Queryable, Tx } from './database.ts';

/** A request that must take effect only once. Keys are separate per caller and route. */
export interface KeyedRequest {
  readonly caller: string;
  readonly route: string;
  readonly key: string;
  /** The hash of the validated request, so that different spellings of one request match: see `hashRequest`. */
  readonly hash: Uint8Array;
}

export interface Replayable<Answer> {
  readonly replayed: boolean;
  /** An answer, or a business refusal that replaces it. */
  readonly result: { readonly answer: Answer } | { readonly refusal: PayError };
}

/** Hashes the members of a validated request, in their order, to 32 bytes. */
export function hashRequest(...members: readonly (string | null)[]): Uint8Array {
  return createHash('sha256').update(JSON.stringify(members)).digest();
}

/**
 * The member of a hashed request for a note; none without one. The hash outlives the note. It is keyed with the
 * Idempotency-Key, which the database does not have, so a removed note cannot be guessed from it.
 */
export const hashNote = (key: string, note: string | undefined): readonly string[] =>
  note === undefined ? [] : [createHmac('sha256', key).update(note).digest('hex')];

const LOCK_NOT_AVAILABLE = '55P03';

export type Stored<Answer> = { answer: Answer } | { code: ErrorCode; details: ErrorDetails };

/**
 * Runs `work` once for a key and stores its answer in the same commit. Later calls with the key get that answer.
 * Permanent refusals (`PayError` below 500, not retryable) are stored too, and the writes of `work` are rolled back.
 * After any other error nothing is stored, so the key is free again. The answer must survive conversion to JSON and
 * back.
 *
 * The record is inserted first. Among several concurrent calls, one works and the others wait at the primary key.
 * Functions that decide many requests in one statement do the same with `claim_records` and `change_answers`.
 */
export async function replayOrRun<Answer>(
  tx: Tx,
  request: KeyedRequest,
  work: () => Promise<Answer>,
): Promise<Replayable<Answer>> {
  const recordId = idFromKey(request.caller, request.route, request.key);
  if (!(await claim(tx, recordId, request.hash))) return replay<Answer>(tx, recordId, request.hash);
  await tx.query('SAVEPOINT work');
  let stored: Stored<Answer>;
  try {
    stored = { answer: await work() };
  } catch (error) {
    // A request that may succeed later must not be stored as refused. A request with a key that belongs to another
    // request must not overwrite that key's answer.
    if (!(error instanceof PayError) || errorTable[error.code].retryable || error.status >= 500) throw error;
    if (error.code === 'idempotency.mismatch') throw error;
    await tx.query('ROLLBACK TO SAVEPOINT work');
    stored = { code: error.code, details: error.details };
  }
  await tx.query('UPDATE idempotency_records SET answer = $2 WHERE record_id = $1', [recordId, JSON.stringify(stored)]);
  return { replayed: false, result: toResult(stored) };
}

/** Whether an answer for this key is committed. */
export async function isAnswered(db: Queryable, recordId: string): Promise<boolean> {
  return (await db.query('SELECT FROM idempotency_records WHERE record_id = $1', [recordId])).length > 0;
}

/** The times at which calls with these ids were answered. The answers themselves are not for operators. */
export async function findAnswered(db: Queryable, recordIds: readonly string[]): Promise<Map<string, Date>> {
  const rows = await db.query<{ id: string; at: Date }>(
    'SELECT record_id AS id, created_at AS at FROM idempotency_records WHERE record_id = ANY ($1)',
    [recordIds],
  );
  return new Map(rows.map(({ id, at }) => [id, at]));
}

/** Returns false when the key was used before. Waits, but not for long, for a call that is still working on it. */
async function claim(tx: Tx, recordId: string, hash: Uint8Array): Promise<boolean> {
  try {
    await tx.query(`SET LOCAL lock_timeout = '2s'`);
    const inserted = await tx.query(
      `INSERT INTO idempotency_records (record_id, request_hash) VALUES ($1, $2)
       ON CONFLICT (record_id) DO NOTHING RETURNING 1`,
      [recordId, hash],
    );
    await tx.query('SET LOCAL lock_timeout = 0');
    return inserted.length > 0;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE) {
      throw new PayError('idempotency.in_progress', {}, { cause: error });
    }
    throw error;
  }
}

async function replay<Answer>(tx: Tx, recordId: string, hash: Uint8Array): Promise<Replayable<Answer>> {
  const [record] = await tx.query<{ same: boolean; answer: Stored<Answer> }>(
    'SELECT request_hash = $2 AS same, answer FROM idempotency_records WHERE record_id = $1',
    [recordId, hash],
  );
  if (!record?.same) throw new PayError('idempotency.mismatch');
  return { replayed: true, result: toResult(record.answer) };
}

export const toResult = <Answer>(stored: Stored<Answer>): Replayable<Answer>['result'] =>
  'answer' in stored ? { answer: stored.answer } : { refusal: new PayError(stored.code, stored.details) };
