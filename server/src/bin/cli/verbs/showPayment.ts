import { readHash } from '../../../core/families.ts';
import { formatUsdc } from '../../../core/money.ts';
import type { Party, Payment } from '../../../core/payment.ts';
import type { Queryable } from '../../../db/database.ts';
import { renderPayment } from '../../../http/answers/renderPayment.ts';
import { findUuid } from '../../../http/contract/parseUuid.ts';
import { findRowsByReference } from '../../../payments/payouts/findRows.ts';
import { findPayments } from '../../../payments/read/findPayment.ts';
import { findRefusal, readBackground } from '../../../payments/read/readBackground.ts';
import { readPayment } from '../../../payments/read/readPayment.ts';
import { listRefunds } from '../../../payments/refunds/listRefunds.ts';
import { findByIdStart, identify } from '../../../payments/search/identify.ts';
import { type Answer, verb } from '../../program/command.ts';
import { findPaymentIds, readReference, refuseReference } from '../../program/references.ts';
import { renderFields, renderTable, renderTime, renderUsdc } from '../../program/render.ts';
import { nameOwners, nameParty } from './nameParty.ts';
import { showRequest } from './showRequest.ts';

export const show = verb({
  summary: 'Shows a payment: its state, what it waits for, and its history',
  about: `PAYMENT is everything that a customer can name: the id or its first eight digits, a receipt (rcpt_…), a link that the wallet
has copied, the hash of a chain transaction, the id of a request for money or of an event, or the reference of a payout row.
Several payments, such as those of one chain transaction, are listed.`,
  words: ['PAYMENT'],
  reads: true,
  examples: ['payment show 7d9f3c1e-…', 'payment show 0x52ab…', 'payment show rcpt_b5d9…'],
  async run({ db }, { words: [given = ''] }) {
    const word = readReference(given);
    const ids = await findShown(db, word);
    if (ids.length > 1) return listFound(db, ids);
    const [id = ''] = ids;
    const payment = await readPayment(db, id);
    if (payment) return showPayment(db, payment);
    return (await showRequest(db, id)) ?? (await showRefusal(db, id)) ?? refuseReference(db, word, 'a payment');
  },
});

/** Everything that names payments; only for reading. */
async function findShown(db: Queryable, word: string): Promise<readonly string[]> {
  if (findUuid(word) || readHash(word)) return findPaymentIds(db, word);
  const started = await findByIdStart(db, word);
  if (started.length > 0) return started;
  const named = await identify(db, word);
  const rows = named?.kind === 'row' ? await findRowsByReference(db, word) : [];
  const paid = rows.flatMap(({ paymentId }) => paymentId ?? []);
  if (paid.length > 0) return [...new Set(paid)];
  const isShown = named && ['payment', 'deposit', 'request', 'refusal'].includes(named.kind) && findUuid(named.id);
  return isShown ? [named.id] : refuseReference(db, word, 'a payment');
}

async function listFound(db: Queryable, ids: readonly string[]): Promise<Answer> {
  const payments = [...(await findPayments(db, ids)).values()];
  const rows = payments.map((one) => [one.paymentId, one.state, renderUsdc(one.amount), describeParty(one.to)]);
  const heading = ['payment', 'state', 'amount', 'to'];
  return {
    text: `These are ${payments.length} payments:\n\n${renderTable([heading, ...rows])}`,
    json: payments.map(renderPayment),
  };
}

async function showPayment(db: Queryable, payment: Payment): Promise<Answer> {
  const more = (await readBackground(db, payment.paymentId))!;
  const { payerId, payeeId, walletId, walletAddress, keyId, keyName, approvals } = more;
  const links = await listRefunds(db, payment.paymentId);
  const owners = await nameOwners(db, [payment]);
  const refundOf = links.find(({ refundId }) => refundId === payment.paymentId);
  const fields = renderFields([
    ['payment', payment.paymentId],
    ['state', payment.state],
    ['kind', refundOf ? `a refund by the ${refundOf.source}` : KINDS[payment.kind]],
    ['amount', `${renderUsdc(payment.amount)} on ${payment.blockchain}`],
    ['from', [describeParty(payment.from, payerId, owners), payerId && `user ${payerId}`].filter(Boolean).join(', ')],
    ['from wallet', walletId && walletAddress ? `${walletId} ${walletAddress}` : undefined],
    ['to', [describeParty(payment.to, payeeId), payeeId && `user ${payeeId}`].filter(Boolean).join(', ')],
    ['note', payment.paymentNote ?? undefined],
    ['hash', payment.txHash ?? undefined],
    ['network fee', payment.networkFee === null ? undefined : renderUsdc(payment.networkFee)],
    ['sent by', keyId ? `service key ${keyName} ${keyId}` : undefined],
    ['approved by', approvals.map(({ operator, at }) => `${operator} at ${renderTime(new Date(at))}`).join('\n')],
    ['why', payment.errorDetail ?? refundOf?.reason],
    ['customers read', payment.errorReason ?? undefined],
    ['refund of', refundOf?.paymentId],
    ['decided by', [refundOf?.proposedBy, refundOf?.approvedBy].filter(Boolean).join(', ')],
  ]);
  const steps = payment.timeline.map(({ at, state, txHash, note, detail = note }) => [
    renderTime(at),
    state ?? '',
    // The payment's own hash is already shown above.
    [detail, txHash !== payment.txHash && txHash].filter(Boolean).join('; ') || '-',
  ]);
  return {
    text: `${fields}\n${renderTable([['when', 'state', 'what happened'], ...steps])}`,
    json: {
      ...renderPayment(payment),
      error_detail: payment.errorDetail ?? null,
      details: payment.timeline.flatMap(({ at, detail }) => (detail === undefined ? [] : [{ at, detail }])),
      payer_user_id: payerId,
      payee_user_id: payeeId,
      wallet_id: walletId,
      wallet_address: walletAddress,
      key_id: keyId,
      approvals: approvals.map(({ operator, at }) => ({ operator, at: new Date(at) })),
      refund_of: refundOf?.paymentId ?? null,
      refunds: links.filter((one) => one !== refundOf && one.bookedAt).map(({ refundId }) => refundId),
    },
  };
}

async function showRefusal(db: Queryable, id: string): Promise<Answer | undefined> {
  const refusal = await findRefusal(db, id);
  if (!refusal) return undefined;
  const { receiver, amount, code, createdAt } = refusal;
  return {
    text: renderFields([
      ['payment', id],
      ['state', 'refused when it was requested; no money moved'],
      ['amount', renderUsdc(amount)],
      ['to', receiver],
      ['when', renderTime(createdAt)],
      ['why', `${code} (docs/errors/${code}.md)`],
    ]),
    json: { transaction_id: id, state: 'REFUSED', amount: formatUsdc(amount), receiver, code, created_at: createdAt },
  };
}

const KINDS: Readonly<Record<Payment['kind'], string>> = {
  user: 'between people',
  chain: 'to an address',
  deposit: 'a deposit',
  correction: 'a correction of the balance',
  debt: 'a debt, covered or collected',
};

/** `userId` null: not a person. */
const describeParty = (party: Party, userId?: string | null, owners: ReadonlyMap<string, string> = new Map()) =>
  nameParty(party, owners, 'address' in party ? 'unknown' : userId === null ? 'the treasury' : 'without a username');
