import { z } from 'zod';
import { formatUsdc } from '../../../core/money.ts';
import { readMoves } from '../../../custody/coins/readMoves.ts';
import type { Db } from '../../../db/database.ts';
import { readDeliveriesOf, readEventsOf } from '../../../events/readEventsOf.ts';
import type { Reading } from '../../../http/console/reading.ts';
import { readLedgerRows } from '../../../payments/search/readLedgerRows.ts';
import paymentNoun from '../../cli/payment.ts';
import { payment, refusal, request, shownPayment } from '../answers.ts';
import { fromCommand, pageOf, readCommand } from '../command.ts';

const text = z.string();
const maybe = text.nullable();

const account = z.strictObject({ account_id: text, owner: text, user_id: maybe, username: maybe });
const detail = z.strictObject({
  what: z.enum(['payment', 'request', 'refusal']),
  payment: shownPayment.nullable(),
  request: request.nullable(),
  refusal: refusal.nullable(),
  ledger: z.array(
    z.strictObject({
      transfer_id: text,
      seq: text,
      kind: text,
      amount: text,
      debit: account,
      credit: account,
      at: text,
    }),
  ),
  moves: z.array(
    z.strictObject({
      move_id: text,
      state: text,
      purpose: text,
      rail: text,
      amount: text,
      blockchain: text,
      from_wallet_id: text,
      from_address: text,
      to_address: text,
      tx_hash: maybe,
      created_at: text,
      started_at: maybe,
    }),
  ),
  events: z.array(z.strictObject({ event_id: text, type: text, at: text })),
  deliveries: z.array(
    z.strictObject({
      webhook_id: text,
      url: text,
      event_id: text,
      type: text,
      state: text,
      attempts: z.number(),
      status: z.number().nullable(),
      fault: maybe,
      attempted_at: maybe,
    }),
  ),
});

type Shown = Readonly<Record<string, unknown>>;

const show: Reading = {
  path: '/api/payments/{id}',
  about: 'florin payment show, with the rows of the ledger, the moves of coins, the events and their deliveries',
  query: [],
  answer: detail,
  async run({ db }, { id = '' }) {
    const shown = await readPayment(db, id);
    const what = 'request_id' in shown ? 'request' : shown.state === 'REFUSED' ? 'refusal' : 'payment';
    return {
      what,
      payment: what === 'payment' ? shown : null,
      request: what === 'request' ? shown : null,
      refusal: what === 'refusal' ? shown : null,
      ...(await readTraces(db, String(shown.transaction_id ?? shown.request_id))),
    };
  },
};

/** A hash or a reference can name several payments: the search lists them, and this shows the first. */
async function readPayment(db: Db, id: string): Promise<Shown> {
  const shown = await readCommand<Shown | readonly Shown[]>(paymentNoun.verbs.show, db, [id]);
  return Array.isArray(shown) ? readPayment(db, String(shown[0]!.transaction_id)) : (shown as Shown);
}

/** What a payment has left in the tables. */
async function readTraces(db: Db, id: string) {
  const ledger = await readLedgerRows(db, id);
  const moves = await readMoves(db, id);
  const events = await readEventsOf(
    db,
    id,
    ledger.map(({ seq }) => seq),
  );
  const deliveries = await readDeliveriesOf(
    db,
    events.map(({ eventId }) => eventId),
  );
  return {
    ledger: ledger.map(({ transferId, seq, amount, ...one }) => ({
      transfer_id: transferId,
      seq: String(seq),
      amount: formatUsdc(amount),
      ...one,
    })),
    moves: moves.map((one) => ({
      move_id: one.moveId,
      state: one.state,
      purpose: one.purpose,
      rail: one.rail,
      amount: formatUsdc(one.amount),
      blockchain: one.blockchain,
      from_wallet_id: one.fromWalletId,
      from_address: one.fromAddress,
      to_address: one.toAddress,
      tx_hash: one.txHash,
      created_at: one.createdAt,
      started_at: one.startedAt,
    })),
    events: events.map(({ eventId, type, at }) => ({ event_id: eventId, type, at })),
    deliveries: deliveries.map((one) => ({
      webhook_id: one.endpointId,
      url: one.url,
      event_id: one.eventId,
      type: one.type,
      state: one.state,
      attempts: one.attempts,
      status: one.status,
      fault: one.fault,
      attempted_at: one.attemptedAt,
    })),
  };
}

export const payments: readonly Reading[] = [
  fromCommand({
    path: '/api/payments',
    command: 'payment list',
    verb: paymentNoun.verbs.list,
    query: ['user', 'address', 'amount', 'day', 'since', 'until', 'state', 'kind', 'blockchain', 'reference'],
    list: { kind: 'pages', rows: 'payments' },
    answer: pageOf('payments', payment, { searched_to: maybe }),
  }),
  show,
];
