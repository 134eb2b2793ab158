import type { Queryable } from '../db/database.ts';

/** The number of days after which each kind of row may be deleted; 0 keeps it forever. Docs: docs/operating/retention.md. */
export interface Retention {
  /** Answers under an Idempotency-Key, of calls that are not payments. */
  readonly answers: number;
  /** The signed bytes of relay transactions that are final. */
  readonly carriers: number;
  /** Webhook deliveries and their answers. */
  readonly deliveries: number;
  /** How far back the event feed can be read. Its rows belong to payments, and stay. */
  readonly events: number;
  /** The notes of payments. 0 still removes those that only people with closed accounts could read. */
  readonly notes: number;
  /** Refused payments between people, under their Idempotency-Key. */
  readonly refusals: number;
  readonly sessions: number;
  readonly spendings: number;
}

const TABLES = [
  'answers',
  'deliveries',
  'notes',
  'refusals',
  'sessions',
  'spendings',
] as const satisfies readonly (keyof Retention)[];
/** 4 MB of a table per commit. */
const PAGES = 512;
const STEPS = 20;

/** Deletes a part of the old rows of each table. True: there is more to do now. */
export async function forgetOld(db: Queryable, days: Retention): Promise<boolean> {
  let isMore = false;
  for (const what of TABLES) {
    if (days[what] === 0 && what !== 'notes') continue;
    let step = 0;
    while (step < STEPS && (await forgetSome(db, what, days[what]))) step++;
    isMore ||= step === STEPS;
  }
  return isMore;
}

async function forgetSome(db: Queryable, what: string, days: number): Promise<boolean> {
  const [row] = await db.query<{ more: boolean }>('SELECT forget_some($1, $2, $3) AS more', [what, days, PAGES]);
  return row!.more;
}
