import { z } from 'zod';
import { formatUsdc } from '../../../core/money.ts';
import { invalid } from '../../../http/console/consoleFault.ts';
import type { Reading } from '../../../http/console/reading.ts';
import { DEFAULT_LIMIT } from '../../../http/console/sortRows.ts';
import { explainWhy, listStuck, STUCK_SORTS, WHYS } from '../../../payments/search/listStuck.ts';
import { parseBlockchain } from '../../program/lookups.ts';

const text = z.string();

export const stuck: Reading = {
  path: '/api/stuck',
  about: 'florin payment list --state open, with what each payment waits for',
  query: ['why', 'blockchain'],
  list: { kind: 'sorted', sorts: STUCK_SORTS },
  answer: z.strictObject({
    rows: z.array(
      z.strictObject({
        transaction_id: text,
        state: text,
        amount: text,
        blockchain: text,
        payer_user_id: text.nullable(),
        payer_username: text.nullable(),
        destination: text,
        since: text,
        created_at: text,
        why: z.enum(WHYS),
        detail: text,
        ends: text,
      }),
    ),
    total: z.number(),
    by_why: z.array(z.strictObject({ why: z.enum(WHYS), count: z.number(), amount: text })),
  }),
  async run({ db }, _, { why, blockchain, sort = 'since', limit, offset = '0' }) {
    if (why !== undefined && !WHYS.some((one) => one === why))
      throw invalid(`why must be one of ${WHYS.join(', ')}.`, 'why');
    const { rows, byWhy } = await listStuck(db, {
      why,
      blockchain: blockchain === undefined ? undefined : await parseBlockchain(db, blockchain),
      sort: sort.replace(/^-/, '') as (typeof STUCK_SORTS)[number],
      isDescending: sort.startsWith('-'),
      limit: Number(limit ?? DEFAULT_LIMIT),
      offset: Number(offset),
    });
    const counted = byWhy.filter((one) => why === undefined || one.why === why);
    return {
      rows: rows.map((one) => ({
        transaction_id: one.paymentId,
        state: one.state,
        amount: formatUsdc(one.amount),
        blockchain: one.blockchain,
        payer_user_id: one.payerId,
        payer_username: one.payer,
        destination: one.destination,
        since: one.since,
        created_at: one.createdAt,
        why: one.why,
        ...explainWhy(one.why, one.blockchain),
      })),
      total: counted.reduce((total, { count }) => total + count, 0),
      by_why: byWhy.map((one) => ({ ...one, amount: formatUsdc(one.amount) })),
    };
  },
};
