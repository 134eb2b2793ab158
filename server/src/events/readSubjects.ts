import type { Payment } from '../core/payment.ts';
import { type AccountKey, findAccountKeys } from '../customers/keys/accountKeys.ts';
import { findKycs, type KycState } from '../customers/kyc/kycChecks.ts';
import { findPasskeys, type PasskeyState } from '../customers/passkeys/passkeys.ts';
import type { Queryable } from '../db/database.ts';
import { findPayouts, type Payout } from '../payments/payouts/payout.ts';
import { findPayments } from '../payments/read/findPayment.ts';
import { findRequests } from '../payments/requests/findRequest.ts';
import type { MoneyRequest } from '../payments/requests/moneyRequest.ts';

/** The current state of an event's subject. */
export type Subject =
  | { readonly payment: Payment }
  | { readonly request: MoneyRequest }
  | { readonly kyc: KycState }
  | { readonly payout: Payout }
  | { readonly key: AccountKey }
  | { readonly passkeys: PasskeyState };

/** Keyed by the first part of the type and the id: `payment 6f1b…`. Everything that changes a balance is a payment. */
export async function readSubjects(
  db: Queryable,
  events: readonly { readonly type: string; readonly subject_id: string }[],
): Promise<ReadonlyMap<string, Subject>> {
  const ids = new Map<string, Set<string>>();
  for (const { type, subject_id: id } of events) {
    const [about = ''] = type.split('.');
    ids.set(about, (ids.get(about) ?? new Set()).add(id));
  }
  const found = new Map<string, Subject>();
  for (const [about, wanted] of ids) {
    for (const [id, subject] of await readers[about as keyof typeof readers](db, [...wanted]))
      found.set(`${about} ${id}`, subject);
  }
  return found;
}

type Reader = (db: Queryable, ids: readonly string[]) => Promise<readonly (readonly [string, Subject])[]>;

const readPayments: Reader = async (db, ids) =>
  [...(await findPayments(db, ids))].map(([id, payment]) => [id, { payment }] as const);

const readers = {
  payment: readPayments,
  deposit: readPayments,
  refund: readPayments,
  correction: readPayments,
  debt: readPayments,
  request: async (db, ids) => (await findRequests(db, ids)).map((request) => [request.requestId, { request }] as const),
  kyc: async (db, ids) => (await findKycs(db, ids)).map((kyc) => [kyc.userId, { kyc }] as const),
  key: async (db, ids) => (await findAccountKeys(db, ids)).map((key) => [key.keyId, { key }] as const),
  passkey: async (db, ids) => (await findPasskeys(db, ids)).map((one) => [one.userId, { passkeys: one }] as const),
  payout: async (db, ids) => (await findPayouts(db, ids)).map((payout) => [payout.payoutId, { payout }] as const),
} satisfies Readonly<Record<string, Reader>>;
