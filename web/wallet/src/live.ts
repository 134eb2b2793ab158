/** Follows the stream of events, so that screens change when money moves, on this device or on another. */
import type { FlorinEvent, Transaction } from '@florin/client';
import { refreshHistory } from './history.ts';
import { showAmount } from './money/amounts.ts';
import { notify } from './notices.ts';
import { put, refresh } from './resource.ts';
import { dropSession, florin, isSessionOver, onStream, session } from './session.ts';
import { t } from './text/text.ts';

export function refreshMoney(): void {
  refresh('overview');
  refresh('me');
  refresh('recipients');
  refreshHistory();
}

function refreshAll(): void {
  refresh('');
  refreshHistory();
}

function publish(event: FlorinEvent): void {
  const state = session.get();
  if (state.is !== 'in') return;
  const own = state.user.username;
  if (event.type === 'payment.complete' || event.type === 'deposit.complete' || event.type === 'refund.complete') {
    const payment = event.object as Transaction;
    const isIncoming = 'username' in payment.to && payment.to.username === own;
    if (!isIncoming) return;
    const from = 'username' in payment.from ? payment.from.username : null;
    const isRefund = payment.refund_of !== undefined;
    notify(
      t(from ? (isRefund ? 'live.refunded' : 'live.paidBy') : 'live.arrived', {
        amount: showAmount(payment.amount),
        name: from ?? '',
      }),
      `/payments/${payment.transaction_id}`,
      payment.payment_note,
    );
  } else if (event.type === 'request.open') {
    const {
      direction,
      asker_username: asker,
      amount,
      request_id: id,
      note,
    } = event.object as never as {
      direction: string;
      asker_username: string | null;
      amount: string;
      request_id: string;
      note: string | null;
    };
    if (direction === 'incoming')
      notify(t('live.asked', { name: asker ?? '', amount: showAmount(amount) }), `/requests/${id}`, note);
  } else if (event.type === 'key.created' || event.type === 'key.revoked') {
    notify(t(`live.${event.type}`, { name: event.object.name }), '/settings/keys');
  } else if (event.type.startsWith('passkey.')) {
    notify(t(`live.${event.type}` as 'live.passkey.added'), '/settings/passkeys');
    refresh('passkeys');
  } else if (event.type === 'kyc.approved') notify(t('live.verified'), '/limits');
}

function take(event: FlorinEvent): void {
  if (event.transaction_id) {
    const payment = event.object as Transaction;
    // Events arrive a moment after the commit; a read may have seen a later state.
    put(`payment ${event.transaction_id}`, payment, (known) => payment.updated_at < known.updated_at);
    refreshMoney();
  }
  if (event.request_id) {
    refresh('requests');
    refresh(`request ${event.request_id}`);
  }
  if (event.type.startsWith('kyc.')) refresh('me');
  if (event.type.startsWith('key.')) refresh('keys');
  publish(event);
}

/** Reopens the stream when it is cut; ends when `signal` is aborted or the session ends. */
async function followStream(signal: AbortSignal, notifyTabs: (said: Said) => void): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const event of florin.events({}, { signal })) {
        take(event);
        notifyTabs({ event });
      }
    } catch (error) {
      if (isSessionOver(error)) return dropSession();
      if (!signal.aborted) await sleep(3_000);
    }
  }
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Messages from the tab with the stream to the others: an event, or a note that events may have been missed. */
type Said = { readonly event: FlorinEvent } | { readonly missed: true };

/** How long a hidden tab keeps the stream. */
const HIDDEN_MS = 20_000;

/** Resolves when this tab has been hidden for a while. */
function waitForHidden(): Promise<void> {
  return new Promise((resolve) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const check = () => {
      clearTimeout(timer);
      if (document.visibilityState !== 'hidden') return;
      timer = setTimeout(() => {
        document.removeEventListener('visibilitychange', check);
        resolve();
      }, HIDDEN_MS);
    };
    document.addEventListener('visibilitychange', check);
    check();
  });
}

function waitForVisible(): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (document.visibilityState === 'hidden') return;
      document.removeEventListener('visibilitychange', check);
      resolve();
    };
    document.addEventListener('visibilitychange', check);
    check();
  });
}

let isFollowing = false;

/**
 * One stream for all tabs of a person: browsers allow few connections per site, and every stream holds one. A visible
 * tab has the stream and informs the others.
 */
export async function follow(userId: string): Promise<void> {
  if (isFollowing) return;
  isFollowing = true;
  if (!('locks' in navigator && 'BroadcastChannel' in window)) {
    onStream(refreshAll);
    return followStream(new AbortController().signal, () => {});
  }
  const others = new BroadcastChannel(`events of ${userId}`);
  others.onmessage = ({ data }: MessageEvent<Said>) => {
    if ('event' in data) take(data.event);
    else refreshAll();
  };
  // Events may have happened between the first read and the stream, and while the stream was cut.
  onStream(() => {
    refreshAll();
    others.postMessage({ missed: true } satisfies Said);
  });
  while (session.get().is === 'in') {
    await waitForVisible();
    await navigator.locks.request(`events of ${userId}`, async () => {
      const hidden = new AbortController();
      void waitForHidden().then(() => hidden.abort());
      await followStream(hidden.signal, (said) => others.postMessage(said));
    });
  }
}
