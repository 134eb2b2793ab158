import { setTimeout as sleep } from 'node:timers/promises';
import { PayError } from '../../core/errors.ts';
import { traceOf } from '../../custody/findPaid.ts';
import type { Queryable } from '../../db/database.ts';
import { isConflict } from '../../db/isConflict.ts';
import type { JobOutcome } from '../../jobs/runJobs.ts';
import { encodeRules } from '../sends/acceptSends.ts';
import type { SendRules } from '../sends/sendCommand.ts';
import type { Fault, PayoutState } from './payout.ts';
import type { Places } from './resolveRows.ts';

export const PAYOUT_JOB = 'payout';

export interface RunApp {
  readonly db: Queryable;
  readonly sendRules: SendRules;
  readonly places: Pick<Places, 'screen'>;
}

/** Rows to people per commit. Larger batches do not reduce the cost per row, and hold the account locks longer. */
const PEOPLE_BATCH = 1_000;
/** The maximum of `acceptSends`. */
const SENDS_BATCH = 100;
/** How often a payout checks whether its payments to addresses have ended. */
const FOLLOW_MS = 1_000;
/** How often rows that wait for money, for a limit or for the end of a pause are tried again. */
const WAIT_MS = 5_000;
const ATTEMPTS = 5;

/**
 * The job of a confirmed payout: one outcome per id. Repeating it is safe, because a row and its payment are one
 * commit.
 */
export const runPayouts = (app: RunApp, payoutIds: readonly string[]): Promise<JobOutcome[]> =>
  Promise.all(payoutIds.map((id) => runPayout(app, id).catch((error: Error) => error)));

async function runPayout(app: RunApp, payoutId: string): Promise<JobOutcome> {
  const ofPeople = await payPeople(app.db, payoutId);
  const ofSends = await sendRows(app, payoutId);
  const waits = ofPeople ?? ofSends;
  const [row] = await again(() =>
    app.db.query<{ state: PayoutState | null }>('SELECT settle_payout($1, $2) AS state', [
      payoutId,
      waits ? JSON.stringify(waits) : null,
    ]),
  );
  const state = row!.state;
  if (state === null || state === 'complete' || state === 'cancelled') return 'done';
  return { againAfterMs: state === 'waiting' ? WAIT_MS : FOLLOW_MS };
}

/** Returns why rows wait. */
async function payPeople(db: Queryable, payoutId: string): Promise<Fault | undefined> {
  let waits: Fault | undefined;
  for (let after = 0; ; ) {
    const [row] = await again(() =>
      db.query<{ o_last: number | null; o_waits: Fault | null }>('SELECT * FROM pay_payout_people($1, $2, $3)', [
        payoutId,
        after,
        PEOPLE_BATCH,
      ]),
    );
    waits ??= row!.o_waits ?? undefined;
    if (row!.o_last === null) return waits;
    after = row!.o_last;
  }
}

interface OpenRow {
  readonly nth: number;
  readonly payment_id: string;
  readonly blockchain: string;
  readonly destination: string;
}

/** Returns why rows wait. */
async function sendRows(app: RunApp, payoutId: string): Promise<Fault | undefined> {
  const [restored] = await app.db.query<{ is: boolean }>('SELECT EXISTS (SELECT FROM forgotten_nonces) AS is');
  let waits: Fault | undefined;
  for (let after = 0; ; ) {
    const rows = await app.db.query<OpenRow>(
      `SELECT i.nth, i.payment_id, i.blockchain, i.destination FROM payout_items i JOIN payouts p USING (payout_id)
        WHERE p.payout_id = $1 AND p.state IN ('running', 'waiting') AND i.nth > $2 AND i.state = 'ready'
          AND i.destination IS NOT NULL
        ORDER BY i.nth LIMIT $3`,
      [payoutId, after, SENDS_BATCH],
    );
    if (rows.length === 0) return waits;
    after = rows.at(-1)!.nth;
    const said = await sendSome(app, payoutId, rows, restored!.is);
    waits ??= said;
  }
}

async function sendSome(
  app: RunApp,
  payoutId: string,
  rows: readonly OpenRow[],
  isTraced: boolean,
): Promise<Fault | undefined> {
  const send = async (some: readonly Encoded[]) => {
    const values = [payoutId, encodeRules(app.sendRules), JSON.stringify(some)];
    const [row] = await again(() =>
      app.db.query<{ o_ask: number[] | null; o_waits: Fault | null }>(
        'SELECT * FROM send_payout_rows($1, $2, $3)',
        values,
      ),
    );
    return row!;
  };
  const encode = ({ nth, payment_id: id }: OpenRow) => ({ nth, trace: isTraced ? traceOf(id) : null });
  const first = await send(rows.map((row) => ({ ...encode(row), asked: false, blocked: false })));
  const doubtful = rows.filter(({ nth }) => first.o_ask?.includes(nth));
  // Our own blacklist cannot answer for these addresses, so the token is asked.
  for (const blockchain of new Set(doubtful.map((row) => row.blockchain))) {
    const some = doubtful.filter((row) => row.blockchain === blockchain);
    const { waits, blacklisted = [] } = await screenSome(app, blockchain, some);
    if (waits) first.o_waits ??= waits;
    else {
      const asked = some.map((row, i) => ({ ...encode(row), asked: true, blocked: blacklisted[i] === true }));
      const second = await send(asked);
      first.o_waits ??= second.o_waits;
    }
  }
  return first.o_waits ?? undefined;
}

/** A blockchain that does not answer, or is no longer configured, delays only its own rows. */
async function screenSome(
  { places }: RunApp,
  blockchain: string,
  rows: readonly OpenRow[],
): Promise<{ readonly waits?: Fault; readonly blacklisted?: readonly boolean[] }> {
  try {
    const { isPaused, blacklisted } = await places.screen(
      blockchain,
      rows.map(({ destination }) => destination),
    );
    if (isPaused) return { waits: { code: 'service.paused', details: { reason: 'the USDC contract is paused' } } };
    return { blacklisted };
  } catch (error) {
    if (!(error instanceof PayError)) throw error;
    return { waits: { code: error.code, details: error.details } };
  }
}

/** A row as `send_payout_rows` takes it. */
interface Encoded {
  readonly nth: number;
  readonly trace: string | null;
  /** The token was asked about the address. */
  readonly asked: boolean;
  /** The token refuses the address. */
  readonly blocked: boolean;
}

/** Retries after a deadlock, or when another process has just written the same rows. */
async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= ATTEMPTS || !isConflict(error)) throw error;
      await sleep(Math.random() * 20 * attempt);
    }
  }
}
