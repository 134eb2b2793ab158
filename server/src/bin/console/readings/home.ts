import { z } from 'zod';
import { formatUsdc } from '../../../core/money.ts';
import { readAudit } from '../../../custody/books/readAudit.ts';
import { listHeldTransfers } from '../../../custody/provider/heldTransfers.ts';
import type { Queryable } from '../../../db/database.ts';
import { invalid } from '../../../http/console/consoleFault.ts';
import type { Reading } from '../../../http/console/reading.ts';
import { listCorrections } from '../../../ledger/corrections.ts';
import { listPayouts } from '../../../payments/payouts/listPayouts.ts';
import { listRefunds } from '../../../payments/refunds/listRefunds.ts';
import { countOpen, summarizePayments } from '../../../payments/search/summarizePayments.ts';
import { listWaiting } from '../../../payments/sends/approvePayment.ts';
import pauseNoun from '../../cli/pause.ts';
import relayerNoun from '../../cli/relayer.ts';
import { auditProgress, network, pause, relayer } from '../answers.ts';
import { readCommand } from '../command.ts';
import { readNetworks } from './networks.ts';

const HOUR = 3_600;
const SPANS = {
  day: { seconds: 24 * HOUR, bucketSeconds: HOUR },
  week: { seconds: 7 * 24 * HOUR, bucketSeconds: 6 * HOUR },
  month: { seconds: 30 * 24 * HOUR, bucketSeconds: 24 * HOUR },
} as const;

const counts = {
  payments: z.number(),
  volume: z.string(),
  sends: z.number(),
  failed: z.number(),
  refused: z.number(),
};

export const home: Reading = {
  path: '/api/home',
  about: 'florin payment list, pause list, relayer list and payment waiting, as figures',
  query: ['span'],
  answer: z.strictObject({
    at: z.string(),
    span: z.enum(['day', 'week', 'month']),
    since: z.string(),
    buckets: z.array(z.strictObject({ at: z.string(), ...counts })),
    totals: z.strictObject({ ...counts, success_rate: z.number().nullable() }),
    open: z.array(z.strictObject({ state: z.string(), count: z.number(), amount: z.string(), oldest_at: z.string() })),
    waiting: z.strictObject({
      sends: z.number(),
      payouts: z.number(),
      refunds: z.number(),
      corrections: z.number(),
      transfers: z.number(),
    }),
    pauses: z.array(pause),
    networks: z.array(network),
    relayers: z.array(relayer),
    audit: auditProgress,
  }),
  async run({ db }, _, { span = 'day' }) {
    if (!Object.hasOwn(SPANS, span)) throw invalid('span must be day, week or month.', 'span');
    const { seconds, bucketSeconds } = SPANS[span as keyof typeof SPANS];
    const at = new Date();
    const summary = await summarizePayments(db, { from: new Date(at.getTime() - seconds * 1000), bucketSeconds });
    return {
      at,
      span,
      since: summary.since,
      buckets: summary.buckets.map(({ volume, ...one }) => ({ ...one, volume: formatUsdc(volume) })),
      totals: addUp(summary.buckets),
      open: (await countOpen(db)).map(({ state, count, amount, oldestAt }) => ({
        state,
        count,
        amount: formatUsdc(amount),
        oldest_at: oldestAt,
      })),
      waiting: await countWaiting(db),
      pauses: await readCommand(pauseNoun.verbs.list, db),
      networks: await readNetworks(db),
      relayers: await readCommand(relayerNoun.verbs.list, db),
      audit: await readAuditProgress(db),
    };
  },
};

type Bucket = Awaited<ReturnType<typeof summarizePayments>>['buckets'][number];

function addUp(buckets: readonly Bucket[]) {
  const sum = (name: 'payments' | 'sends' | 'failed' | 'refused') =>
    buckets.reduce((total, bucket) => total + bucket[name], 0);
  const [payments, failed, refused] = [sum('payments'), sum('failed'), sum('refused')];
  const volume = buckets.reduce((total, bucket) => total + bucket.volume, 0n);
  const asked = payments + refused;
  return {
    payments,
    volume: formatUsdc(volume),
    sends: sum('sends'),
    failed,
    refused,
    success_rate: asked === 0 ? null : Math.max(0, payments - failed) / asked,
  };
}

const MOST = 1_000;

async function countWaiting(db: Queryable) {
  return {
    sends: (await listWaiting(db)).length,
    payouts: (await listPayouts(db, { state: 'approving', limit: MOST })).length,
    refunds: (await listRefunds(db)).length,
    corrections: (await listCorrections(db)).length,
    transfers: (await listHeldTransfers(db)).length,
  };
}

export async function readAuditProgress(db: Queryable) {
  const { comparedAt, cycleEndedAt, cycleSeconds, movements, faults } = await readAudit(db);
  return {
    compared_at: comparedAt,
    cycle_ended_at: cycleEndedAt,
    cycle_seconds: cycleSeconds,
    movements: movements === null ? null : String(movements),
    faults,
  };
}
