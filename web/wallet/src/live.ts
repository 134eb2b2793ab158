/** Follows the stream of events, so that screens change when money moves, on this device or elsewhere. */
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

function tell(event: FlorinEvent): void {
  const state = session.get();
  if (state.is !== 'in') return;
  const own = state.user.username;
  if (event.type === 'payment.complete' || event.type === 'deposit.complete' || event.type === 'refund.complete') {
    const payment = event.object as Transaction;
    const isIncoming = 'username' in payment.to && payment.to.username === own;
    if (!isIncoming) return;
    const from = 'username' in payment.from ? payment.from.username : null;
    notify(
      t(from ? 'live.paidBy' : 'live.arrived', { amount: showAmount(payment.amount), name: from ?? '' }),
      `/payments/${payment.transaction_id}`,
    );
  } else if (event.type === 'request.open') {
    const {
      direction,
      asker_username: asker,
      amount,
      request_id: id,
    } = event.object as never as {
      direction: string;
      asker_username: string | null;
      amount: string;
      request_id: string;
    };
    if (direction === 'incoming')
      notify(t('live.asked', { name: asker ?? '', amount: showAmount(amount) }), `/requests/${id}`);
  } else if (event.type === 'kyc.approved') notify(t('live.verified'), '/limits');
}

function take(event: FlorinEvent): void {
  if (event.transaction_id) {
    put(`payment ${event.transaction_id}`, event.object);
    refreshMoney();
  }
  if (event.request_id) {
    refresh('requests');
    refresh(`request ${event.request_id}`);
  }
  if (event.type.startsWith('kyc.')) refresh('me');
  tell(event);
}

let isFollowing = false;

export async function follow(): Promise<void> {
  if (isFollowing) return;
  isFollowing = true;
  // Between the first reading and the stream something may have happened, and while it was cut too.
  onStream(refreshAll);
  for (;;) {
    try {
      for await (const event of florin.events()) take(event);
    } catch (error) {
      if (isSessionOver(error)) return dropSession();
      await new Promise((resolve) => setTimeout(resolve, 3_000));
    }
  }
}
