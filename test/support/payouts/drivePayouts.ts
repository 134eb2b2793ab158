import type { Usdc } from '../../../server/src/core/money.ts';
import type { Db } from '../../../server/src/db/database.ts';
import type { JobOutcome } from '../../../server/src/jobs/runJobs.ts';
import { checkPayout } from '../../../server/src/payments/payouts/checkPayout.ts';
import { confirmPayout } from '../../../server/src/payments/payouts/decidePayout.ts';
import { parseCsvRows } from '../../../server/src/payments/payouts/parseRows.ts';
import { getPayout, type OnShortage } from '../../../server/src/payments/payouts/payout.ts';
import { readItems } from '../../../server/src/payments/payouts/readItems.ts';
import type { PayoutDestinations } from '../../../server/src/payments/payouts/resolveRows.ts';
import { runPayouts } from '../../../server/src/payments/payouts/runPayouts.ts';
import { asOperator } from '../operators.ts';
import { HOME } from '../values.ts';
import type { PayoutKey } from './makeKey.ts';

const OPEN = { isPaused: false, blacklisted: [] };

const ANY: PayoutDestinations = { parse: (_, address) => ({ address }), askToken: async () => OPEN };

/** The steps of a payout, one at a time, without a server or a worker. By default any text is an address (`places`). */
export function drivePayouts(
  database: { readonly db: Db; readonly url: string },
  key: () => PayoutKey,
  places: PayoutDestinations = ANY,
) {
  const { db } = database;
  const sendRules = { approvalThreshold: undefined, newRecipientDelaySeconds: 0 };
  const caller = () => ({ keyId: key().keyId, certificate: undefined, client: '127.0.0.1' });

  /** The id of the payout, or the error codes. */
  async function tryCheck(rows: string, payer?: string, onShortage: OnShortage = 'wait'): Promise<string | string[]> {
    const bytes = Buffer.from(`reference,to,amount,blockchain\n${rows}`);
    const asked = {
      currency: 'USDC',
      payer,
      onShortage,
      file: { contentType: 'text/csv', bytes },
      parsed: parseCsvRows(bytes),
    };
    const checked = await checkPayout({ db, homeBlockchain: HOME, places }, { ...caller(), ...asked });
    return checked.outcome === 'kept' ? checked.payout.payoutId : checked.errors.map(({ code }) => code);
  }
  async function check(...asked: Parameters<typeof tryCheck>): Promise<string> {
    const checked = await tryCheck(...asked);
    if (typeof checked !== 'string') throw new Error(`the file is refused: ${checked}`);
    return checked;
  }
  /** With `approvalThreshold` 0 it waits for two operators. */
  async function confirm(payoutId: string, approvalThreshold?: bigint): Promise<string> {
    const { all, known } = await getPayout(db, payoutId, key().keyId);
    const { state } = await confirmPayout(db, {
      ...caller(),
      payoutId,
      count: all.count - known.count,
      total: (all.total - known.total) as Usdc,
      approvalThreshold: approvalThreshold as Usdc | undefined,
    });
    return state;
  }
  const approve = (payoutId: string) =>
    Promise.all(
      (['rita', 'rolf'] as const).map((name) =>
        asOperator(database.url, name, (operator) => operator.query('SELECT approve_payout($1)', [payoutId])),
      ),
    );
  /** One pass of its job; throws what would fail the job. */
  async function run(payoutId: string): Promise<JobOutcome> {
    const [outcome] = await runPayouts({ db, sendRules, places }, [payoutId]);
    if (outcome instanceof Error) throw outcome;
    return outcome!;
  }
  /** The outcome of each row: its state, and its error code. */
  const rows = async (payoutId: string): Promise<string[]> =>
    (await readItems(db, { payoutId, after: 0, limit: 10_000 })).map(({ state, error }) =>
      error ? `${state} ${error.code}` : state,
    );
  const get = (payoutId: string) => getPayout(db, payoutId, key().keyId);
  return { tryCheck, check, confirm, approve, run, rows, get };
}
