import { readHash } from '../../core/families.ts';
import { formatUsdc } from '../../core/money.ts';
import type { Party, Payment } from '../../core/payment.ts';
import type { Queryable } from '../../db/database.ts';
import { renderPayment } from '../../http/answers/renderPayment.ts';
import { findUuid } from '../../http/contract/parseUuid.ts';
import { nameOf } from '../../operators/recordAudit.ts';
import { findRowsByReference } from '../../payments/payouts/findRows.ts';
import { findByHash } from '../../payments/read/findByHash.ts';
import { findPayments } from '../../payments/read/findPayment.ts';
import { findRefusal, readBackground } from '../../payments/read/readBackground.ts';
import { readPayment } from '../../payments/read/readPayment.ts';
import { listRefunds } from '../../payments/refunds/listRefunds.ts';
import { findByIdStart, identify } from '../../payments/search/identify.ts';
import { approvePayment, listWaiting } from '../../payments/sends/approvePayment.ts';
import { type Cancelled, cancelPayment } from '../../payments/sends/cancelPayment.ts';
import { denyPayment } from '../../payments/sends/denyPayment.ts';
import { isFinal } from '../../payments/state.ts';
import { describeNotOperator, requireApprover } from '../program/approvers.ts';
import { type Answer, type Noun, verb } from '../program/command.ts';
import { CommandFault, misused, unknown } from '../program/faults.ts';
import { parseReason, WHY } from '../program/reason.ts';
import { readReference, refuseReference } from '../program/references.ts';
import { renderFields, renderTable, renderTime, renderUsdc } from '../program/render.ts';
import { importMoves } from './verbs/importMoves.ts';
import { list } from './verbs/listPayments.ts';
import { describeWaiting, readPaymentFacts } from './verbs/paymentFacts.ts';
import { approvePayout, denyPayout } from './verbs/payouts.ts';
import { approveRefund, denyRefund, refund, refunds } from './verbs/refund.ts';
import { showRequest } from './verbs/showRequest.ts';

const show = verb({
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

const waiting = verb({
  summary: 'Shows the sends that wait for two approvals, and who has approved them',
  reads: true,
  async run({ db }) {
    const all = await listWaiting(db);
    const json = all.map((one) => ({
      transaction_id: one.paymentId,
      created_at: one.createdAt,
      amount: formatUsdc(one.amount),
      blockchain: one.blockchain,
      wallet_id: one.walletId,
      payer_user_id: one.payerId,
      payer_username: one.payer,
      payer_kyc_status: one.kycStatus,
      destination: one.destination,
      is_new_address: one.isNewAddress,
      key: one.keyName,
      not_before: one.notBefore,
      approvals_needed: one.needed,
      approved_by: one.approvedBy,
    }));
    const text: string[] = [];
    for (const one of all) text.push(renderFields(await describeWaiting(db, one)));
    return { text: text.join('\n') || 'Nothing waits for approval.\n', json };
  },
});

const approve = verb({
  summary: 'Approves a send that waits for two approvals, as your database login',
  about: 'Only operators with the role admin or risk can approve. The second approval must come from another person.',
  words: ['PAYMENT'],
  async plan({ db, allow }, { words: [word = ''] }) {
    const paymentId = await getId(db, word);
    const actor = await allow('approve');
    await requireApprover(db, actor);
    const name = nameOf(actor);
    const [waiting] = await listWaiting(db, paymentId);
    if (!waiting) throw new CommandFault(NOT_WAITING(paymentId));
    if (waiting.approvedBy.includes(name)) throw new CommandFault(TWICE(name));
    const { approvedBy, needed, notBefore } = waiting;
    const isLater = notBefore !== null && notBefore > new Date();
    return {
      title: `Approve this send, as ${name}.`,
      facts: await describeWaiting(db, waiting),
      changes: [
        {
          what: 'effect',
          before: `waits, ${approvedBy.length} of ${needed}`,
          after:
            approvedBy.length + 1 < needed
              ? `waits for another operator, ${approvedBy.length + 1} of ${needed}`
              : `it is sent ${isLater ? `at ${renderTime(notBefore)}` : 'now'}. Once it is signed, it may be too late to stop it`,
        },
      ],
      async carryOut() {
        const approval = await approvePayment({ db }, paymentId);
        switch (approval.outcome) {
          case 'approved':
            return `Approved: ${approval.approvals} of ${approval.needed}.\n`;
          case 'twice':
            throw new CommandFault(TWICE(name));
          case 'not_waiting':
            throw new CommandFault(NOT_WAITING(paymentId));
          case 'not_operator':
            throw await describeNotOperator(db, actor);
        }
      },
    };
  },
});

const TWICE = (name: string) => `${name} has already approved it; the second approval must come from another person`;
const NOT_WAITING = (paymentId: string) => `${paymentId} does not wait for approval: florin payment show ${paymentId}`;

const ASKED = `The payment may have been signed or sent already, so it is being cancelled on chain or at the provider. Its money stays
held until the outcome is certain.
`;

const deny = verb({
  summary: 'Denies a send that waits for two approvals; one denial is enough',
  about: `The payment becomes DENIED and its money is available again immediately. The customer reads that it was denied; the reason
is for operators (payment show, audit). After a restore, the payment may have been signed or sent before: then it is cancelled
on chain or at the provider, and the reason is only in the audit log.`,
  words: ['PAYMENT'],
  options: { why: WHY },
  examples: ['payment deny 7d9f3c1e-… --why "the customer did not ask for it"'],
  async plan({ db, allow }, { words: [word = ''], options }) {
    const paymentId = await getId(db, word);
    const reason = parseReason(options.why);
    const actor = await allow('approve');
    const { payment, facts } = await readPaymentFacts(db, paymentId);
    return {
      title: 'Deny this send.',
      facts: [...facts, ['why', reason]],
      changes: [{ what: 'state', before: payment.state, after: 'DENIED, and its money is available again' }],
      async carryOut() {
        const denial = await db.tx((tx) => denyPayment(tx, paymentId, reason, actor));
        if (denial === 'denied') return 'Denied; its money is available again.\n';
        if (denial === 'asked') return ASKED;
        if (denial === 'not_waiting') throw new CommandFault(NOT_WAITING(paymentId));
        throw new CommandFault(`${paymentId} is already signed; cancel it: florin payment cancel ${paymentId}`);
      },
    };
  },
});

const cancel = verb({
  summary: 'Cancels a payment to an address that is not final',
  about: `Takes effect immediately if nothing is signed or handed to a provider yet. Otherwise the payment is cancelled on chain or at
the provider, and the money stays held until the outcome is certain. This also happens for two hours after a restore,
because the payment may have been signed before.`,
  words: ['PAYMENT'],
  async plan({ db, allow }, { words: [word = ''] }) {
    const paymentId = await getId(db, word);
    const actor = await allow('cancel');
    const carryOut = async () => CANCELLED[await db.tx((tx) => cancelPayment(tx, { paymentId, actor }))];
    const { payment, facts } = await readPaymentFacts(db, paymentId);
    // Changes nothing, and says why.
    if (isFinal(payment.state)) return carryOut();
    return {
      title: 'Cancel this payment.',
      facts,
      changes: [
        {
          what: 'state',
          before: payment.state,
          after: 'CANCELLED; COMPLETE if it was signed and the chain pays it first',
        },
      ],
      carryOut,
    };
  },
});

export default {
  about: 'Payments, by everything that a customer can name: id, receipt, hash, request, payout row.',
  verbs: {
    show,
    list,
    waiting,
    approve,
    deny,
    cancel,
    refund,
    refunds,
    'approve-payout': approvePayout,
    'deny-payout': denyPayout,
    'approve-refund': approveRefund,
    'deny-refund': denyRefund,
    import: importMoves,
  },
} satisfies Noun;

const CANCELLED: Readonly<Record<Cancelled, string>> = {
  released: 'Cancelled: nothing was signed, and the money is available again.\n',
  asked: ASKED,
  before: 'A cancellation was already requested.\n',
};

/** Everything that names payments; only for reading. */
async function findShown(db: Queryable, word: string): Promise<readonly string[]> {
  if (findUuid(word) || readHash(word)) return findIds(db, word);
  const started = await findByIdStart(db, word);
  if (started.length > 0) return started;
  const named = await identify(db, word);
  const rows = named?.kind === 'row' ? await findRowsByReference(db, word) : [];
  const paid = rows.flatMap(({ paymentId }) => paymentId ?? []);
  if (paid.length > 0) return [...new Set(paid)];
  const isShown = named && ['payment', 'deposit', 'request', 'refusal'].includes(named.kind) && findUuid(named.id);
  return isShown ? [named.id] : refuseReference(db, word, 'a payment');
}

/** An id or a hash; what a command changes is named exactly. */
async function findIds(db: Queryable, given: string): Promise<readonly string[]> {
  const word = readReference(given);
  const id = findUuid(word);
  if (id) return [id];
  const hash = readHash(word);
  if (!hash) throw misused(`"${word}" is not the id of a payment or the hash of a chain transaction`);
  const ids = await findByHash(db, hash);
  if (ids.length === 0) {
    const isDeposit = (await identify(db, word))?.kind === 'deposit';
    if (isDeposit) throw unknown(`${word} is a deposit that is not credited yet: florin deposit show ${word}`);
    throw unknown(`there is no payment for ${word}. If it is a deposit: florin deposit show ${word}`);
  }
  return ids;
}

/** Accepts a hash only if it carries one payment. */
async function getId(db: Queryable, word: string): Promise<string> {
  const ids = await findIds(db, word);
  if (ids.length > 1)
    throw misused(`${word} carries ${ids.length} payments: choose one by its id (florin payment show)`);
  return ids[0]!;
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
  const refundOf = links.find(({ refundId }) => refundId === payment.paymentId);
  const fields = renderFields([
    ['payment', payment.paymentId],
    ['state', payment.state],
    ['kind', refundOf ? `a refund by the ${refundOf.source}` : KINDS[payment.kind]],
    ['amount', `${renderUsdc(payment.amount)} on ${payment.blockchain}`],
    ['from', [describeParty(payment.from), payerId && `user ${payerId}`].filter(Boolean).join(', ')],
    ['from wallet', walletId && walletAddress ? `${walletId} ${walletAddress}` : undefined],
    ['to', [describeParty(payment.to), payeeId && `user ${payeeId}`].filter(Boolean).join(', ')],
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

function describeParty(party: Party): string {
  if ('address' in party) return party.address ?? 'unknown';
  if ('walletId' in party) return `wallet ${party.walletId}`;
  return party.username ?? 'without a username';
}
