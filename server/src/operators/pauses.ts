/**
 * Pauses, set by operators and by the service itself. They are in one table, `pauses`: the statement that accepts a
 * payment reads it (`find_pause`), and signing checks `isSigningPaused`.
 */
import type { Queryable } from '../db/database.ts';

/**
 * In this order: everything, payments between people, sends to addresses, sends on one blockchain, and all payments of
 * one person. A paused person still receives money, and reading always works.
 */
export type PauseScope = 'all' | 'user' | 'chain' | `chain:${string}` | `user:${string}`;

/** `accepting`: payments accepted before are carried out. `accepting and signing`: unsigned ones wait too. */
type Stops = 'accepting' | 'accepting and signing';

/** The causes for which the service itself pauses one blockchain, and what each stops. */
const AUTOMATIC = {
  drift: 'accepting and signing',
  unexplained: 'accepting and signing',
  contradicted: 'accepting and signing',
  audit: 'accepting and signing',
  reorg: 'accepting',
  gas: 'accepting',
} as const satisfies Record<string, Stops>;
type AutomaticCause = keyof typeof AUTOMATIC;

/** `closed`: a person has closed their account (`close_account`). These are not listed: there may be thousands. */
type PauseCause = AutomaticCause | 'operator' | 'closed';
export const CAUSES: readonly PauseCause[] = ['operator', 'closed', ...(Object.keys(AUTOMATIC) as AutomaticCause[])];

export interface Pause {
  readonly scope: PauseScope;
  readonly cause: PauseCause;
  /** For operators. Customers read `pause_words` instead. */
  readonly reason: string;
  readonly stops: Stops;
  readonly pausedBy: string;
  readonly pausedAt: Date;
}

interface NewPause {
  readonly scope: PauseScope;
  readonly reason: string;
  readonly stops: Stops;
}

/**
 * By an operator; the function writes the audit log. Takes effect with the next payment, in every process. False if the
 * person does not exist.
 */
export const pausePayments = (db: Queryable, { scope, reason, stops }: NewPause): Promise<boolean> =>
  add(db, scope, 'operator', reason, stops, 'operator');

/** By an operator; the function writes the audit log. False if it was not paused for this cause. */
export const resumePayments = (db: Queryable, scope: PauseScope, cause: PauseCause): Promise<boolean> =>
  remove(db, scope, cause);

/** By the service itself. If it is already paused for this cause, the first reason stays. */
export async function pauseSends(
  db: Queryable,
  blockchain: string,
  cause: AutomaticCause,
  reason: string,
): Promise<void> {
  await add(db, `chain:${blockchain}`, cause, reason, AUTOMATIC[cause], 'florin');
}

/** Ends a pause that the service itself began. */
export async function liftPause(db: Queryable, blockchain: string, cause: AutomaticCause): Promise<void> {
  await remove(db, `chain:${blockchain}`, cause);
}

async function add(
  db: Queryable,
  scope: PauseScope,
  cause: PauseCause,
  reason: string,
  stops: Stops,
  by: string,
): Promise<boolean> {
  const [row] = await db.query<{ paused: boolean }>('SELECT pause_payments($1, $2, $3, $4, $5) AS paused', [
    scope,
    cause,
    reason,
    stops,
    by,
  ]);
  return row!.paused;
}

async function remove(db: Queryable, scope: PauseScope, cause: PauseCause): Promise<boolean> {
  const [row] = await db.query<{ resumed: boolean }>('SELECT resume_payments($1, $2) AS resumed', [scope, cause]);
  return row!.resumed;
}

/** Whether nothing may be signed now, not even for sends that were accepted before. */
export async function isSigningPaused(db: Queryable, blockchain: string): Promise<boolean> {
  const rows = await db.query(`SELECT FROM pauses WHERE scope = ANY ($1) AND stops = 'accepting and signing' LIMIT 1`, [
    ['all', 'chain', `chain:${blockchain}`],
  ]);
  return rows.length > 0;
}

const COLUMNS = 'scope, cause, reason, stops, paused_by AS "pausedBy", paused_at AS "pausedAt"';

export const listPauses = (db: Queryable): Promise<Pause[]> =>
  db.query<Pause>(`SELECT ${COLUMNS} FROM pauses WHERE cause <> 'closed' ORDER BY paused_at, scope, cause`);

/** For operators: why one person is paused, the first pause first. */
export const listPausesOf = (db: Queryable, userId: string): Promise<Pause[]> =>
  db.query<Pause>(`SELECT ${COLUMNS} FROM pauses WHERE scope = 'user:' || $1::uuid ORDER BY paused_at`, [userId]);

/** The pauses that affect everyone, in words for customers (`pause_words`); does not include pauses of single people. */
export const readGeneralPauses = (db: Queryable): Promise<Pick<Pause, 'scope' | 'reason' | 'pausedAt'>[]> =>
  db.query(
    `SELECT scope, pause_words(scope, cause) AS reason, paused_at AS "pausedAt" FROM pauses
      WHERE scope NOT LIKE 'user:%' ORDER BY scope, paused_at`,
  );

/** For monitoring: the current pauses, and the number of paused people, without their ids. */
export async function summarizePauses(db: Queryable): Promise<{ pauses: Pause[]; people: number }> {
  const all = await listPauses(db);
  const pauses = all.filter(({ scope }) => !scope.startsWith('user:'));
  return { pauses, people: all.length - pauses.length };
}
