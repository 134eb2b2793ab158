import { setTimeout as sleep } from 'node:timers/promises';
import { PayError } from '../../core/errors.ts';
import { traceOf } from '../../custody/findPaid.ts';
import type { Queryable } from '../../db/database.ts';
import { isConflict } from '../../db/isConflict.ts';
import type { JobOutcome } from '../../jobs/runJobs.ts';
import { type Screening, screenDestinations } from '../destinations/screenDestinations.ts';
import { encodeRules } from '../sends/acceptSends.ts';
import type { SendRules } from '../sends/sendCommand.ts';
import type { Fault, PayoutState } from './payout.ts';

export const PAYOUT_JOB = 'payout';

export interface RunApp {
  readonly db: Queryable;
  readonly sendRules: SendRules;
  readonly places: Screening;
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
        WHERE p.payout_id = $1 AND p.state IN ('running', 'waiting', 'stopping') AND i.nth > $2 AND i.state = 'ready'
          AND i.destination IS NOT NULL
        ORDER BY i.nth LIMIT $3`,
      [payoutId, after, SENDS_BATCH],
    );
    if (rows.length === 0) return waits;
    after = rows.at(-1)!.nth;
    const { unpaid, waitsForImport } = await recoverRows(app.db, payoutId, rows, restored!.is);
    const said = await sendSome(app, payoutId, unpaid, restored!.is);
    waits ??= waitsForImport ?? said;
  }
}

/** After a restore the chain may have paid rows that the database has not begun. */
async function recoverRows(db: Queryable, payoutId: string, rows: readonly OpenRow[], isRestored: boolean) {
  if (!isRestored) return { unpaid: rows, waitsForImport: undefined };
  const traces = rows.map(({ nth, payment_id: id }) => ({ nth, trace: traceOf(id) }));
  const [row] = await again(() =>
    db.query<{ o_open: number[] | null; o_waits: Fault | null }>('SELECT * FROM recover_payout_rows($1, $2)', [
      payoutId,
      JSON.stringify(traces),
    ]),
  );
  const { o_open: open, o_waits: waits } = row!;
  return { unpaid: rows.filter(({ nth }) => open?.includes(nth)), waitsForImport: waits ?? undefined };
}

async function sendSome(
  app: RunApp,
  payoutId: string,
  rows: readonly OpenRow[],
  isTraced: boolean,
): Promise<Fault | undefined> {
  if (rows.length === 0) return undefined;
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
  const screened = await screenRows(app, rows, 'screen');
  const first = await send(screened.rows.map(({ row, blocked }) => ({ ...encode(row), asked: false, blocked })));
  // Our own blacklist cannot answer for these addresses, so the token is asked.
  const doubtful = rows.filter(({ nth }) => first.o_ask?.includes(nth));
  const asked = await screenRows(app, doubtful, 'token');
  const second =
    asked.rows.length > 0
      ? await send(asked.rows.map(({ row, blocked }) => ({ ...encode(row), asked: true, blocked })))
      : undefined;
  return screened.waits ?? first.o_waits ?? asked.waits ?? second?.o_waits ?? undefined;
}

interface ScreenedRows {
  readonly rows: readonly { readonly row: OpenRow; readonly blocked: boolean }[];
  readonly waits: Fault | undefined;
}

/** Leaves out rows that wait. */
async function screenRows(app: RunApp, rows: readonly OpenRow[], asks: 'screen' | 'token'): Promise<ScreenedRows> {
  const screened: { row: OpenRow; blocked: boolean }[] = [];
  let waits: Fault | undefined;
  for (const blockchain of new Set(rows.map((row) => row.blockchain))) {
    const some = rows.filter((row) => row.blockchain === blockchain);
    const said = await screenSome(app, blockchain, some, asks);
    waits ??= said.waits;
    screened.push(...said.blocked.map((blocked, i) => ({ row: some[i]!, blocked })));
  }
  return { rows: screened, waits };
}

/** A blockchain that does not answer, or is no longer configured, delays only its own rows. */
async function screenSome(
  { places }: RunApp,
  blockchain: string,
  rows: readonly OpenRow[],
  asks: 'screen' | 'token',
): Promise<{ readonly waits?: Fault; readonly blocked: readonly boolean[] }> {
  try {
    const addresses = rows.map(({ destination }) => destination);
    const { isPaused, blocked } = await screenDestinations(places, { blockchain, addresses, asks: [asks] });
    if (!isPaused) return { blocked };
    return { waits: { code: 'service.paused', details: { reason: 'the USDC contract is paused' } }, blocked: [] };
  } catch (error) {
    if (!(error instanceof PayError)) throw error;
    return { waits: { code: error.code, details: error.details }, blocked: [] };
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
