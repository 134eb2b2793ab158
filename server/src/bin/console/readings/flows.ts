/** Deposits, payouts and webhooks. */
import { z } from 'zod';
import type { Reading } from '../../../http/console/reading.ts';
import { rowsOf } from '../../../http/console/reading.ts';
import depositNoun from '../../cli/deposit.ts';
import payoutNoun from '../../cli/payout.ts';
import webhookNoun from '../../cli/webhook.ts';
import { delivery, deposit, payout, payoutRow, webhook } from '../answers.ts';
import { fromCommand, pageOf, readCommand } from '../command.ts';

const DELIVERIES = '1000';

export const flows: readonly Reading[] = [
  fromCommand({
    path: '/api/deposits',
    command: 'deposit list',
    verb: depositNoun.verbs.list,
    query: ['user', 'address', 'amount', 'day', 'since', 'until', 'state', 'blockchain'],
    list: { kind: 'pages', rows: 'deposits' },
    answer: pageOf('deposits', deposit, { searched_to: z.string().nullable() }),
  }),
  fromCommand({
    path: '/api/payouts',
    command: 'payout list',
    verb: payoutNoun.verbs.list,
    query: ['user', 'amount', 'day', 'since', 'until', 'state', 'blockchain', 'reference'],
    list: { kind: 'pages', rows: 'payouts' },
    answer: pageOf('payouts', payoutRow),
  }),
  fromCommand({
    path: '/api/payouts/{payout}',
    command: 'payout show',
    verb: payoutNoun.verbs.show,
    words: ['payout'],
    query: ['state'],
    list: { kind: 'pages', rows: 'items' },
    answer: payout,
  }),
  fromCommand({
    path: '/api/webhooks',
    command: 'webhook list',
    verb: webhookNoun.verbs.list,
    list: { kind: 'whole', sorts: ['url', 'state', 'failing_since', 'created_at'] },
    answer: rowsOf(webhook),
  }),
  {
    path: '/api/webhooks/{webhook}/deliveries',
    about: 'florin webhook deliveries',
    query: ['state'],
    list: { kind: 'whole', sorts: ['happened_at', 'attempts', 'attempted_at', 'state', 'type'] },
    answer: rowsOf(delivery),
    run: ({ db }, { webhook: id = '' }, { state }) =>
      readCommand(webhookNoun.verbs.deliveries, db, [id], { state, lines: DELIVERIES }),
  },
  fromCommand({
    path: '/api/webhooks/{webhook}/deliveries/{event}',
    command: 'webhook deliveries',
    verb: webhookNoun.verbs.deliveries,
    words: ['webhook', 'event'],
    answer: z.array(delivery),
  }),
];
