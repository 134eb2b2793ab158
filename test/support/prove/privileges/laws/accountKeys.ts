/** An account key is created after a recent login, and pays from its owner's account, within its limits, while it is in use. */
import type { Row } from '../recorder.ts';
import type { State } from '../state.ts';
import { addedTo, amountOf, type Deed, type Law } from './law.ts';

const RECENT_MS = 5 * 60_000 + 1_000;

function checkNew({ key_id: id, user_id: owner, scopes }: Row, { after }: Deed): string[] {
  const isRecent = after
    .rows('sessions')
    .some(
      (session) =>
        session.user_id === owner && !session.ended_at && Date.parse(session.created_at!) > Date.now() - RECENT_MS,
    );
  const isOwn = (JSON.parse(scopes!) as string[]).every((scope) => scope.startsWith('own:'));
  return [
    ...(isRecent ? [] : [`the key ${id} was created without a recent login`]),
    ...(isOwn ? [] : [`the key ${id} has the scopes ${scopes}`]),
  ];
}

/** Payments that the audit log ascribes to a key. */
const paidWith = (state: State, keyId: string): string[] =>
  state
    .rows('audit_log')
    .filter(({ actor, action }) => actor === `key:${keyId}` && action === 'payment.accepted')
    .map(({ details }) => (JSON.parse(details!) as { payment_id: string }).payment_id);

function checkPayment(paymentId: string, key: Row, { before, after }: Deed): string[] {
  const transfer = after.find('transfers', paymentId);
  if (!transfer) return [];
  const expires = before.find('key_rules', key.key_id)?.expires_at;
  const isOver = key.revoked_at || (expires != null && Date.parse(expires) < Date.parse(transfer.created_at!));
  const { payment_limit: most, day_limit: day } = before.find('key_budgets', `${key.key_id} people`) ?? {};
  const spent = paidWith(after, key.key_id!).reduce(
    (sum, id) => sum + amountOf(after.find('transfers', id)?.amount),
    0n,
  );
  return [
    ...(isOver ? ['an account key that has ended pays'] : []),
    ...(key.scopes!.includes('own:pay') ? [] : ['an account key without the scope pays']),
    ...(after.find('accounts', transfer.debit_account)?.user_id === key.user_id
      ? []
      : ['an account key pays for others']),
    ...(most != null && amountOf(transfer.amount) > BigInt(most)
      ? ['a payment exceeds the limit of its account key']
      : []),
    ...(day != null && spent > BigInt(day) ? [`an account key has spent ${spent}; its limit is ${day}`] : []),
  ];
}

export const accountKeys: Law = (deed) => [
  ...addedTo(deed, 'service_keys')
    .filter(({ user_id: owner }) => owner != null)
    .flatMap((key) => checkNew(key, deed)),
  ...addedTo(deed, 'audit_log').flatMap(({ actor, action, details }) => {
    const key = deed.before.find('service_keys', actor?.replace('key:', ''));
    if (action !== 'payment.accepted' || key?.user_id == null) return [];
    return checkPayment((JSON.parse(details!) as { payment_id: string }).payment_id, key, deed);
  }),
];
