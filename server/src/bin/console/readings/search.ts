/** One box for everything that people name: a name, an e-mail address, an id, a hash, an address, a reference, an amount. */
import { z } from 'zod';
import { readHash } from '../../../core/families.ts';
import { formatUsdc, parseUsdc } from '../../../core/money.ts';
import type { Payment } from '../../../core/payment.ts';
import { findDepositsByHash } from '../../../custody/watch/findDeposits.ts';
import { findPeopleLike } from '../../../customers/findPeopleLike.ts';
import { readProfile } from '../../../customers/readProfile.ts';
import type { Db } from '../../../db/database.ts';
import { invalid } from '../../../http/console/consoleFault.ts';
import type { Reading } from '../../../http/console/reading.ts';
import { findRowsByReference } from '../../../payments/payouts/findRows.ts';
import { findByHash } from '../../../payments/read/findByHash.ts';
import { findPayments } from '../../../payments/read/findPayment.ts';
import { findByIdStart, identify, type Named } from '../../../payments/search/identify.ts';
import { listPayments } from '../../../payments/search/listPayments.ts';
import { readReference } from '../../program/references.ts';

interface Hit {
  readonly kind: Named['kind'];
  readonly id: string;
  readonly title: string;
  readonly detail: string;
  /** The screen of the console. */
  readonly path: string;
}

const MOST = 10;
const LONGEST = 200;
const AMOUNT = /^\$?\s*(\d{1,9}(?:\.\d{1,6})?)\s*(?:usdc)?$/i;
/** The payments of one amount are searched only among the newest: `payment list --amount` goes on. */
const AMOUNT_BOUNDS = { scanned: 20_000, rounds: 5 };

export const search: Reading = {
  path: '/api/search',
  about: 'florin payment show, user show, user list --name, deposit show, payout show and payment list --amount',
  query: ['q'],
  answer: z.strictObject({
    q: z.string(),
    hits: z.array(
      z.strictObject({ kind: z.string(), id: z.string(), title: z.string(), detail: z.string(), path: z.string() }),
    ),
  }),
  async run({ db }, _, { q = '' }) {
    const word = readReference(q);
    if (word === '') throw invalid('q is missing.', 'q');
    if (word.length > LONGEST) throw invalid(`q can have at most ${LONGEST} characters.`, 'q');
    const named = await findNamed(db, word);
    // A name can be a part of other names; an id, a hash or an e-mail address is not.
    const isWhole = named.some(({ kind }) => kind !== 'person') || (named.length > 0 && word.includes('@'));
    const hits = isWhole ? named : [...named, ...(await findPeople(db, word)), ...(await findAmount(db, word))];
    const seen = new Set<string>();
    const first = hits.filter(({ path }) => !seen.has(path) && seen.add(path));
    return { q: word, hits: first.slice(0, 2 * MOST) };
  },
};

async function findNamed(db: Db, word: string): Promise<readonly Hit[]> {
  const hash = readHash(word);
  const ids = hash ? await findByHash(db, hash) : await findByIdStart(db, word);
  const rows = ids.length > 0 ? [] : (await findRowsByReference(db, word)).slice(0, MOST);
  const payments = await findPayments(db, [...ids, ...rows.flatMap(({ paymentId }) => paymentId ?? [])]);
  const found = [...payments.values()].map(toPaymentHit);
  const payouts = [...new Set(rows.map(({ payoutId }) => payoutId))].map((id) => ({
    kind: 'payout' as const,
    id,
    title: `Payout ${id.slice(0, 8)}`,
    detail: `has a row with the reference ${word}`,
    path: `/payouts/${id}`,
  }));
  if (found.length + payouts.length > 0) return [...found, ...payouts];
  const named = await identify(db, word);
  return named ? [await toHit(db, named)] : [];
}

async function toHit(db: Db, { kind, id }: Named): Promise<Hit> {
  if (kind === 'person') {
    const profile = await readProfile(db, id);
    return toPersonHit({ userId: id, username: profile?.username ?? null, email: profile?.email ?? null });
  }
  const payment = kind === 'payment' ? (await findPayments(db, [id])).get(id) : undefined;
  if (payment) return toPaymentHit(payment);
  const deposit = kind === 'deposit' ? (await findDepositsByHash(db, id))[0] : undefined;
  const shown = { kind, id, title: `${TITLES[kind]} ${id.length > 20 ? `${id.slice(0, 10)}…` : id}` };
  if (kind === 'treasury')
    return { ...shown, title: 'Treasury', detail: 'the wallet of the service', path: '/wallets/treasury' };
  if (kind === 'address')
    return { ...shown, detail: 'is not one of our wallets', path: `/payments?address=${encodeURIComponent(id)}` };
  if (kind === 'payout' || kind === 'row') return { ...shown, detail: '', path: `/payouts/${id}` };
  const detail = deposit ? `${formatUsdc(deposit.amount)} USDC on ${deposit.blockchain}, ${deposit.state}` : '';
  return { ...shown, detail, path: `/payments/${encodeURIComponent(id)}` };
}

const TITLES: Readonly<Record<Named['kind'], string>> = {
  payment: 'Payment',
  deposit: 'Deposit',
  request: 'Request for money',
  refusal: 'Refused payment',
  row: 'Row of a payout',
  payout: 'Payout',
  person: 'Person',
  treasury: 'Treasury',
  address: 'Address',
};

const toPaymentHit = ({ paymentId, amount, blockchain, state, kind }: Payment): Hit => ({
  kind: kind === 'deposit' ? 'deposit' : 'payment',
  id: paymentId,
  title: `${formatUsdc(amount)} USDC on ${blockchain}`,
  detail: state,
  path: `/payments/${paymentId}`,
});

interface FoundPerson {
  readonly userId: string;
  readonly username: string | null;
  readonly email: string | null;
}

const toPersonHit = ({ userId, username, email }: FoundPerson): Hit => ({
  kind: 'person',
  id: userId,
  title: username ?? 'A person without a username',
  detail: email ?? userId,
  path: `/people/${userId}`,
});

/** A part of a name or of an e-mail address; other words are too unlike one. */
async function findPeople(db: Db, word: string): Promise<readonly Hit[]> {
  if (!/^[\w.+@-]{3,60}$/.test(word) || AMOUNT.test(word) || /^0x/i.test(word) || /^[0-9a-f-]{32,}$/i.test(word))
    return [];
  return (await findPeopleLike(db, word.replace(/^@/, ''), MOST)).map(toPersonHit);
}

async function findAmount(db: Db, word: string): Promise<readonly Hit[]> {
  const [, amount] = AMOUNT.exec(word) ?? [];
  if (amount === undefined) return [];
  const minAmount = parseUsdc(amount);
  const asked = { minAmount, maxAmount: minAmount, limit: MOST };
  return (await listPayments(db, asked, AMOUNT_BOUNDS)).payments.map(toPaymentHit);
}
