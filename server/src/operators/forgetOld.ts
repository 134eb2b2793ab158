import type { Queryable } from '../db/database.ts';

/** What may be forgotten, and after how many days; 0 keeps it for ever. Docs: docs/operating/retention.md. */
export interface Retention {
  /** Answers under an Idempotency-Key, of calls that are not payments. */
  readonly answers: number;
  /** The signed bytes of carriers that are final. */
  readonly carriers: number;
  /** What was sent to webhooks, and what they answered. */
  readonly deliveries: number;
  /** How far back the feed of events can be read. Its rows are those of payments, and stay. */
  readonly events: number;
  /** Refused payments between people, under their Idempotency-Key. */
  readonly refusals: number;
  readonly sessions: number;
  readonly spendings: number;
}

const TABLES = [
  'answers',
  'deliveries',
  'refusals',
  'sessions',
  'spendings',
] as const satisfies readonly (keyof Retention)[];
/** 4 MB of a table in a commit. */
const PAGES = 512;
const STEPS = 20;

/** Forgets a part of what is old in each table. True: there is more to do now. */
export async function forgetOld(db: Queryable, days: Retention): Promise<boolean> {
  let isMore = false;
  for (const what of TABLES) {
    if (days[what] === 0) continue;
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
