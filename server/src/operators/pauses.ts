/**
 * What is stopped for now, by people and by the service itself. One table, `pauses`; payments ask it in the statement
 * that accepts them (`find_pause`), whoever signs asks `isSigningPaused`.
 */
import type { Queryable, Tx } from '../db/database.ts';
import { type AuditActor, recordAudit } from './recordAudit.ts';

/**
 * Everything, people paying each other, sends to addresses, sends on one blockchain, or whatever one person pays.
 * Whoever is paused still receives, and everybody can look.
 */
export type PauseScope = 'all' | 'user' | 'chain' | `chain:${string}` | `user:${string}`;

/** `accepting`: what was accepted before is carried out. With signing, it waits too. */
type Stops = 'accepting' | 'accepting and signing';

/** What the service stops by itself on one blockchain, and how far. People know the others. */
const AUTOMATIC = {
  drift: 'accepting and signing',
  unexplained: 'accepting and signing',
  reorg: 'accepting',
  gas: 'accepting',
} as const satisfies Record<string, Stops>;
type AutomaticCause = keyof typeof AUTOMATIC;

export type PauseCause = AutomaticCause | 'operator';
export const CAUSES: readonly PauseCause[] = ['operator', ...(Object.keys(AUTOMATIC) as AutomaticCause[])];

interface Pause {
  readonly scope: PauseScope;
  readonly cause: PauseCause;
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

/** By an operator, from the next payment statement on, in every process. False when there is no such person. */
export async function pausePayments(tx: Tx, pause: NewPause, actor: AuditActor): Promise<boolean> {
  const { scope, reason, stops } = pause;
  if (!(await add(tx, scope, 'operator', reason, stops, actor))) return false;
  const details = { scope, reason, ...(stops !== 'accepting' && { stops }) };
  await recordAudit(tx, { actor, action: 'payments.paused', ...toSubject(scope), details });
  return true;
}

/** By an operator. False when it was not paused for this cause. */
export async function resumePayments(
  tx: Tx,
  scope: PauseScope,
  cause: PauseCause,
  actor: AuditActor,
): Promise<boolean> {
  if (!(await remove(tx, scope, cause))) return false;
  const details = { scope, ...(cause !== 'operator' && { cause }) };
  await recordAudit(tx, { actor, action: 'payments.resumed', ...toSubject(scope), details });
  return true;
}

/** By the service itself. The first reason of a cause stays: it says what began it. */
export async function pauseSends(
  db: Queryable,
  blockchain: string,
  cause: AutomaticCause,
  reason: string,
): Promise<void> {
  await add(db, `chain:${blockchain}`, cause, reason, AUTOMATIC[cause], 'florin');
}

/** Ends what the service began by itself. */
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

/** Whether sends that were accepted before have to wait unsigned. */
export async function isSigningPaused(db: Queryable, blockchain: string): Promise<boolean> {
  const rows = await db.query(`SELECT FROM pauses WHERE scope = ANY ($1) AND stops = 'accepting and signing' LIMIT 1`, [
    ['all', 'chain', `chain:${blockchain}`],
  ]);
  return rows.length > 0;
}

const COLUMNS = 'scope, cause, reason, stops, paused_by AS "pausedBy", paused_at AS "pausedAt"';

export const listPauses = (db: Queryable): Promise<Pause[]> =>
  db.query<Pause>(`SELECT ${COLUMNS} FROM pauses ORDER BY paused_at, scope, cause`);

/** For whoever watches the service: what is paused, and how many people are, without saying who. */
export async function summarizePauses(db: Queryable): Promise<{ pauses: Pause[]; people: number }> {
  const all = await listPauses(db);
  const pauses = all.filter(({ scope }) => !scope.startsWith('user:'));
  return { pauses, people: all.length - pauses.length };
}

/** The person that a pause is about, for the audit log. */
function toSubject(scope: PauseScope): { userId?: string } {
  const userId = /^user:(.+)$/.exec(scope)?.[1];
  return userId ? { userId } : {};
}
