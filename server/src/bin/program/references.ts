/** What people say on the phone or paste into a ticket: ids, receipts, links, hashes, names, addresses. */
import { readHash } from '../../core/families.ts';
import type { Queryable } from '../../db/database.ts';
import { findUuid } from '../../http/contract/parseUuid.ts';
import { findByHash } from '../../payments/read/findByHash.ts';
import { identify, type Named, type NamedKind } from '../../payments/search/identify.ts';
import { misused, unknown } from './faults.ts';

/**
 * The id, hash, name or address in a receipt number (`rcpt_…`), a link of the wallet (`…/payments/ID`), a QR code
 * (`ethereum:…`) or a name with an at sign. Other text is returned without surrounding spaces.
 */
export function readReference(given: string): string {
  const text = given.trim();
  const linked = /^https?:\/\/[^\s/]+(?:\/[^\s?#]*)?\/([^\s/?#]+)\/?(?:[?#].*)?$/.exec(text)?.[1];
  const inner = linked ?? /^rcpt_([0-9a-f]{32})$/i.exec(text)?.[1] ?? text;
  const id = findUuid(inner);
  if (id !== undefined) return id;
  if (inner.startsWith('ethereum:')) {
    return /[?&]address=(0x[0-9a-f]{40})(?:&|$)/i.exec(inner)?.[1] ?? /0x[0-9a-f]{40}/i.exec(inner)?.[0] ?? inner;
  }
  return /^@[A-Za-z0-9_]{3,30}$/.test(inner) ? inner.slice(1) : inner;
}

const NAMES: Readonly<Record<NamedKind, string>> = {
  payment: 'a payment',
  deposit: 'a deposit',
  request: 'a request for money',
  refusal: 'a payment that was refused',
  row: 'a row of a payout',
  payout: 'a payout',
  person: 'a person',
  treasury: 'the wallet of the treasury',
  address: 'an address that is not one of our wallets',
};

const commandFor = ({ kind, id }: Named): string => {
  if (kind === 'deposit') return `florin deposit show ${id}`;
  if (kind === 'row' || kind === 'payout') return `florin payout show ${id}`;
  if (kind === 'person') return `florin user show ${id}`;
  if (kind === 'treasury') return 'florin wallet show treasury';
  if (kind === 'address') return `florin payment list --address ${id}`;
  return `florin payment show ${id}`;
};

/** Throws: names what the text is, and the command that shows it, or says that nothing here has this reference. */
export async function refuseReference(db: Queryable, text: string, wanted: string): Promise<never> {
  const named = await identify(db, text);
  if (named) throw unknown(`${text} is not ${wanted}. It is ${NAMES[named.kind]}: ${commandFor(named)}`);
  const isLikeId = /^[0-9a-f]{8}(?:-[0-9a-f]{4,}|$)/i.test(text);
  throw unknown(
    `there is no ${wanted.replace(/^an? /, '')} ${text}${isLikeId ? `. If an error message shows it as its reference: florin call show ${text}` : ''}`,
  );
}

/** An id or a hash; what a command changes is named exactly. */
export async function findPaymentIds(db: Queryable, given: string): Promise<readonly string[]> {
  const word = readReference(given);
  const id = findUuid(word);
  if (id) return [id];
  const hash = readHash(word);
  if (!hash) throw misused(`"${word}" is not the whole id of a payment or the hash of a chain transaction`);
  const ids = await findByHash(db, hash);
  if (ids.length === 0) {
    const isDeposit = (await identify(db, word))?.kind === 'deposit';
    if (isDeposit) throw unknown(`${word} is a deposit that is not credited yet: florin deposit show ${word}`);
    throw unknown(`there is no payment for ${word}. If it is a deposit: florin deposit show ${word}`);
  }
  return ids;
}

/** Accepts a hash only if it carries one payment. */
export async function getPaymentId(db: Queryable, word: string): Promise<string> {
  const ids = await findPaymentIds(db, word);
  if (ids.length > 1)
    throw misused(`${word} carries ${ids.length} payments: choose one by its id (florin payment show)`);
  return ids[0]!;
}
