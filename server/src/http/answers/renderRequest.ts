import { formatUsdc } from '../../core/money.ts';
import type { MoneyRequest } from '../../payments/requests/moneyRequest.ts';

/** The money request as one of its people sees it. It shows only the usernames of the other people. */
export function renderRequest(request: MoneyRequest, userId: string) {
  const { requestId, state, askerId, payerId, asker, payer, byLink, amount, note } = request;
  const isParty = userId === askerId || userId === payerId;
  return {
    request_id: requestId,
    state,
    direction: userId === askerId ? 'outgoing' : 'incoming',
    asker_username: asker,
    payer_username: payer,
    by_link: byLink,
    amount: formatUsdc(amount),
    note,
    created_at: request.createdAt.toISOString(),
    expires_at: request.expiresAt.toISOString(),
    ended_at: request.endedAt?.toISOString() ?? null,
    transaction_id: state === 'paid' && isParty ? requestId : null,
  };
}
