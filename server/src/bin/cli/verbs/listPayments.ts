import type { Party, Payment, PaymentKind, PaymentState } from '../../../core/payment.ts';
import type { Queryable } from '../../../db/database.ts';
import { renderPayment } from '../../../http/answers/renderPayment.ts';
import { findRowsByReference } from '../../../payments/payouts/findRows.ts';
import { findPayments } from '../../../payments/read/findPayment.ts';
import { listPayments, type PaymentList } from '../../../payments/search/listPayments.ts';
import { paymentStates } from '../../../payments/state.ts';
import { type Answer, verb } from '../../program/command.ts';
import { misused } from '../../program/faults.ts';
import { AMOUNT, BLOCKCHAIN, describeNext, PAGE, parseChoice, parseConditions, SPAN } from '../../program/listing.ts';
import { renderTime, renderUsdc, shorten, wrap } from '../../program/render.ts';
import { nameOwners, nameParty } from './nameParty.ts';

const KINDS: readonly PaymentKind[] = ['user', 'chain', 'deposit', 'correction', 'debt'];
const STATES = [...(Object.keys(paymentStates) as PaymentState[]), 'open'] as const;

export const list = verb({
  summary: 'Lists payments, newest first: by person, amount, day, state, blockchain',
  about: `Conditions can be combined. The state open means every state that is not final; all open payments are found, however old
they are. Deposits, corrections and debts are listed too. Days are in UTC, so for a customer's day also look at the day
before and after.`,
  options: {
    user: { type: 'string', value: 'USER', summary: 'paid or received by this person' },
    address: { type: 'string', value: 'ADDRESS', summary: 'to or from this address outside' },
    amount: AMOUNT,
    ...SPAN,
    state: { type: 'string', value: 'STATE', summary: 'COMPLETE, FAILED, STUCK …, or open' },
    kind: { type: 'string', value: 'KIND', summary: KINDS.join(', ') },
    blockchain: BLOCKCHAIN,
    reference: { type: 'string', value: 'TEXT', summary: 'paid for payout rows with this reference' },
    ...PAGE,
  },
  reads: true,
  examples: ['payment list --state open', 'payment list --user ada --amount 12.50 --day 2027-01-31'],
  async run({ db }, { options }): Promise<Answer> {
    const { state, kind, reference } = options;
    const asked = {
      kind: parseChoice('--kind', kind, KINDS),
      state: parseChoice('--state', state, STATES),
      ...(await parseConditions(db, options)),
    };
    if (reference === undefined) return renderList(db, await listPayments(db, asked));
    if (Object.keys(options).some((name) => name !== 'reference'))
      throw misused('--reference goes with no other option');
    const rows = await findRowsByReference(db, reference);
    const found = await findPayments(
      db,
      rows.flatMap(({ paymentId }) => paymentId ?? []),
    );
    return renderList(db, { payments: [...found.values()], next: undefined });
  },
});

async function renderList(db: Queryable, list: PaymentList): Promise<Answer> {
  const { payments, next, searchedTo } = list;
  const owners = await nameOwners(db, payments);
  const text = payments.map((one) => renderOne(one, owners)).join('') || 'No matching payments.\n';
  return {
    text: text + describeNext(list),
    json: { payments: payments.map(renderPayment), next: next ?? null, searched_to: searchedTo ?? null },
  };
}

/** Two lines: an id alone takes 36 of the 100 columns. */
function renderOne(payment: Payment, owners: ReadonlyMap<string, string>): string {
  const { paymentId, kind, state, amount, blockchain, from, to, createdAt } = payment;
  const nameOf = (party: Party) =>
    'address' in party && party.address !== null
      ? shorten(party.address)
      : nameParty(party, owners, 'address' in party ? 'the service' : '(no username)');
  const who = `${renderUsdc(amount)} on ${blockchain}, ${WORDS[kind]} ${nameOf(from)} → ${nameOf(to)}`;
  return `${renderTime(createdAt)}  ${paymentId}  ${state}\n${wrap(`${' '.repeat(INDENT)}${who}`).join('\n')}\n`;
}

const INDENT = 25;
const WORDS: Readonly<Record<PaymentKind, string>> = {
  user: 'from',
  chain: 'from',
  deposit: 'deposit from',
  correction: 'correction',
  debt: 'debt',
};
