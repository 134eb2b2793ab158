/**
 * A payment that a person has confirmed and whose outcome this page does not know yet. It is stored before anything is
 * sent, with its idempotency key, so that after a reload, a lost connection or a closed tab it is still paid only once. It
 * continues by itself for a few minutes. Later the person may have paid in another way, so they decide (`old`).
 */
import { FlorinError, newKey } from '@florin/client';
import { refreshMoney } from '../live.ts';
import { seedPayment } from '../reads.ts';
import { dropSession, florin, isSessionOver, session } from '../session.ts';
import { createStore, useStore } from '../store.ts';

export interface Intent {
  readonly key: string;
  readonly userId: string;
  readonly to: { readonly username: string } | { readonly address: string; readonly blockchain: string };
  readonly amount: string;
  readonly note?: string | undefined;
  readonly startedAt: number;
}

type Outcome =
  | { readonly is: 'sending' }
  /** No answer so far: it may have been paid. The same payment is repeated until there is an answer. */
  | { readonly is: 'checking' }
  | { readonly is: 'accepted'; readonly transactionId: string }
  | { readonly is: 'refused'; readonly error: unknown }
  /** Nothing was paid: the person must confirm it with a passkey first. */
  | { readonly is: 'passkey'; readonly intent: Intent; readonly paymentId: string }
  /** Too long ago to continue: it may have been paid. */
  | { readonly is: 'old'; readonly intent: Intent };

const PLACE = 'florin-intents';
const outcomes = createStore<Readonly<Record<string, Outcome>>>({});
const running = new Set<string>();

function load(): Intent[] {
  try {
    return JSON.parse(localStorage.getItem(PLACE) ?? '[]') as Intent[];
  } catch {
    return [];
  }
}

const save = (intents: readonly Intent[]): void => localStorage.setItem(PLACE, JSON.stringify(intents));
const forget = (key: string): void => save(load().filter((one) => one.key !== key));
const setOutcome = (key: string, outcome: Outcome): void => outcomes.set({ ...outcomes.get(), [key]: outcome });

export const useOutcome = (key: string): Outcome | undefined => useStore(outcomes)[key];
export const findIntent = (key: string): Intent | undefined => load().find((one) => one.key === key);

/** Returns the key; `useOutcome` reports the outcome. */
export function pay(to: Intent['to'], amount: string, note?: string): string {
  const now = session.get();
  if (now.is !== 'in') throw new Error('no one is logged in');
  const intent: Intent = { key: newKey(), userId: now.user.user_id, to, amount, note, startedAt: Date.now() };
  save([...load(), intent]);
  void carryOut(intent);
  return intent.key;
}

/** Payments that the current person confirmed before a reload. */
export function resumeIntents(): void {
  const now = session.get();
  for (const intent of load()) if (now.is === 'in' && intent.userId === now.user.user_id) void carryOut(intent);
}

const FRESH_MS = 180_000;

/** A clock that was set back by a day makes it old, too. */
const isFresh = ({ startedAt }: Intent): boolean => Math.abs(Date.now() - startedAt) < FRESH_MS;

/** The payments that wait for the person's decision. */
export function useOldIntents(): readonly Intent[] {
  return Object.values(useStore(outcomes)).flatMap((one) => (one.is === 'old' ? one.intent : []));
}

function dropOutcome(key: string): void {
  const { [key]: _, ...others } = outcomes.get();
  outcomes.set(others);
}

type Found =
  | { readonly outcome: 'none' | 'refused' }
  | { readonly outcome: 'accepted'; readonly transactionId: string };

/** What became of an old payment; nothing is paid. If it has ended, it is no longer offered. */
export async function lookUp({ key }: Intent): Promise<Found> {
  const { outcome, transaction_id: transactionId } = await florin.findPayment(key);
  if (outcome !== 'none') forget(key);
  return outcome === 'accepted'
    ? { outcome, transactionId: transactionId! }
    : { outcome: outcome as 'none' | 'refused' };
}

/** The same payment under the same key: if another tab or an earlier attempt has paid it, it is not paid again. */
export function payOld(intent: Intent): void {
  if (!findIntent(intent.key)) {
    dropOutcome(intent.key);
    return;
  }
  const again = { ...intent, startedAt: Date.now() };
  save([...load().filter(({ key }) => key !== intent.key), again]);
  void carryOut(again);
}

export function discard({ key }: Intent): void {
  forget(key);
  dropOutcome(key);
}

/** Another tab has finished or discarded payments: this one no longer offers them. */
export function followOtherTabs(): void {
  addEventListener('storage', ({ key: place }) => {
    if (place !== PLACE) return;
    for (const [key, { is }] of Object.entries(outcomes.get())) if (is === 'old' && !findIntent(key)) dropOutcome(key);
  });
}

const CHECK_AGAIN_MS = 3_000;
/** After this time, the person should know that it takes longer than usual. */
const SOON_MS = 4_000;

async function carryOut(intent: Intent): Promise<void> {
  const { key } = intent;
  if (running.has(key)) return;
  if (!isFresh(intent)) return setOutcome(key, { is: 'old', intent });
  running.add(key);
  setOutcome(key, { is: Date.now() - intent.startedAt > SOON_MS ? 'checking' : 'sending' });
  const late = setTimeout(() => setOutcome(key, { is: 'checking' }), SOON_MS);
  try {
    for (;;) {
      const outcome = await ask(intent);
      if (outcome === undefined) {
        setOutcome(key, { is: 'checking' });
        await new Promise((resolve) => setTimeout(resolve, CHECK_AGAIN_MS));
        // A person in another tab may have discarded it, and this device may have slept for days.
        if (!findIntent(key)) return dropOutcome(key);
        if (!isFresh(intent)) return setOutcome(key, { is: 'old', intent });
        continue;
      }
      clearTimeout(late);
      setOutcome(key, outcome);
      if (outcome.is === 'passkey') return;
      forget(key);
      refreshMoney();
      return;
    }
  } catch {
    // The session is over. The intent stays, and continues when the same person logs in again.
  } finally {
    clearTimeout(late);
    running.delete(key);
  }
}

/** Undefined while it is unknown whether it was paid. */
async function ask(intent: Intent): Promise<Outcome | undefined> {
  const { key, to, amount, note } = intent;
  const options = { idempotencyKey: key, timeoutMs: 10_000 };
  const noted = note === undefined ? {} : { payment_note: note };
  try {
    const paid =
      'username' in to
        ? await florin.pay({ receiver_username: to.username, amount, ...noted }, options)
        : await florin.send({ destination_address: to.address, blockchain: to.blockchain, amount, ...noted }, options);
    seedPayment(paid);
    return { is: 'accepted', transactionId: paid.transaction_id };
  } catch (error) {
    if (isSessionOver(error)) {
      dropSession();
      throw error;
    }
    const paymentId = error instanceof FlorinError && error.code === 'passkey.required' && error.problem?.payment_id;
    if (typeof paymentId === 'string') return { is: 'passkey', intent, paymentId };
    if (error instanceof FlorinError && !error.outcomeUnknown && error.status >= 400 && error.status < 500) {
      return { is: 'refused', error };
    }
    // A pause is an answer: nothing was paid, and it may last for hours.
    if (error instanceof FlorinError && error.code === 'service.paused') return { is: 'refused', error };
    return undefined;
  }
}
