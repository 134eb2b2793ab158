import { z } from 'zod';
import { formatUsdc } from '../../../core/money.ts';
import { listFaults } from '../../../custody/books/recordFaults.ts';
import { listPositions, listShortages } from '../../../custody/coins/listShortages.ts';
import type { Reading } from '../../../http/console/reading.ts';
import booksNoun from '../../cli/books.ts';
import paymentNoun from '../../cli/payment.ts';
import payoutNoun from '../../cli/payout.ts';
import transferNoun from '../../cli/verbs/transfer.ts';
import walletNoun from '../../cli/wallet.ts';
import { auditProgress, correction, held, payoutRow, refund, waitingSend, wallet } from '../answers.ts';
import { fromCommand, readCommand } from '../command.ts';
import { readAuditProgress } from './home.ts';

const text = z.string();
const maybe = text.nullable();

interface Checked {
  readonly corrections: readonly unknown[];
}

const books: Reading = {
  path: '/api/books',
  about:
    'florin books check, wallet moving, and what the worker has found with florin reconcile and florin books audit',
  query: [],
  answer: z.strictObject({
    unexplained: z.array(
      z.strictObject({ tx_hash: text, log_index: z.number(), amount: text, wallet_id: text, to_address: text }),
    ),
    debts: z.array(z.strictObject({ payment_id: text, user_id: maybe, owed: text, available: text })),
    corrections: z.array(correction),
    surpluses: z.array(z.strictObject({ blockchain: text, wallet_id: maybe, amount: text, since: text })),
    differences: z.array(
      z.strictObject({
        blockchain: text,
        symbol: text,
        wallet_id: maybe,
        address: maybe,
        amount: text,
        since: text,
      }),
    ),
    assets: z.array(
      z.strictObject({
        blockchain: text,
        symbol: text,
        owed: text,
        coins: text,
        reserved: text,
        wallets: z.number(),
      }),
    ),
    moving: z.array(
      z.strictObject({
        blockchain: text,
        provider: text,
        people_without: z.number(),
        coins_elsewhere: text,
        wallets_elsewhere: z.number(),
      }),
    ),
    audit: auditProgress.extend({
      faulty: z.array(z.strictObject({ subject: text, fault: text, found_at: text })),
    }),
  }),
  async run({ db }) {
    const moving = await readCommand<{ networks: unknown }>(walletNoun.verbs.moving, db);
    return {
      ...(await readCommand<object>(booksNoun.verbs.check, db)),
      differences: (await listShortages(db)).map((one) => ({
        blockchain: one.blockchain,
        symbol: one.symbol,
        wallet_id: one.walletId,
        address: one.address,
        amount: formatUsdc(one.amount),
        since: one.since,
      })),
      assets: (await listPositions(db)).map(({ owed, coins, reserved, ...one }) => ({
        ...one,
        owed: formatUsdc(owed),
        coins: formatUsdc(coins),
        reserved: formatUsdc(reserved),
      })),
      moving: moving.networks,
      audit: {
        ...(await readAuditProgress(db)),
        faulty: (await listFaults(db)).map(({ subject, fault, since }) => ({ subject, fault, found_at: since })),
      },
    };
  },
};

const approvals: Reading = {
  path: '/api/approvals',
  about: 'florin payment waiting, payment refunds, payout list --state approving, books check and transfer held',
  query: [],
  answer: z.strictObject({
    sends: z.array(waitingSend),
    payouts: z.array(payoutRow),
    refunds: z.array(refund),
    corrections: z.array(correction),
    transfers: z.array(held),
  }),
  async run({ db }) {
    const { list } = payoutNoun.verbs;
    const waiting = await readCommand<{ payouts: unknown }>(list, db, [], { state: 'approving', limit: '1000' });
    const { corrections } = await readCommand<Checked>(booksNoun.verbs.check, db);
    const transfers = await readCommand<{ held: unknown }>(transferNoun.verbs.held, db);
    return {
      sends: await readCommand(paymentNoun.verbs.waiting, db),
      payouts: waiting.payouts,
      refunds: await readCommand(paymentNoun.verbs.refunds, db),
      corrections,
      transfers: transfers.held,
    };
  },
};

export const custody: readonly Reading[] = [
  books,
  approvals,
  fromCommand({
    path: '/api/wallets/{wallet}',
    command: 'wallet show',
    verb: walletNoun.verbs.show,
    words: ['wallet'],
    answer: wallet,
  }),
];
