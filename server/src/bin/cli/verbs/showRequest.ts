import { formatUsdc } from '../../../core/money.ts';
import type { Queryable } from '../../../db/database.ts';
import { findRequests } from '../../../payments/requests/findRequest.ts';
import type { Answer } from '../../program/command.ts';
import { renderFields, renderTime, renderUsdc } from '../../program/render.ts';

/** A request for money that has no payment. Its id is the id that its payment would have. Undefined: unknown. */
export async function showRequest(db: Queryable, id: string): Promise<Answer | undefined> {
  const [request] = await findRequests(db, [id]);
  if (!request) return undefined;
  const { state, amount, asker, askerId, payer, payerId, byLink, note, createdAt, expiresAt, endedAt } = request;
  return {
    text: renderFields([
      ['request', id],
      ['state', `${state}; a request for money that is not paid`],
      ['amount', renderUsdc(amount)],
      ['asked by', `${asker ?? 'without a username'}, user ${askerId}`],
      [
        'asked',
        payerId ? `${payer ?? 'without a username'}, user ${payerId}` : byLink ? 'everyone who has the link' : '-',
      ],
      ['note', note ?? undefined],
      ['since', renderTime(createdAt)],
      [endedAt ? 'ended' : 'expires', renderTime(endedAt ?? expiresAt)],
    ]),
    json: {
      request_id: id,
      state,
      amount: formatUsdc(amount),
      asker_user_id: askerId,
      asker_username: asker,
      payer_user_id: payerId,
      payer_username: payer,
      by_link: byLink,
      note,
      created_at: createdAt,
      expires_at: expiresAt,
      ended_at: endedAt,
    },
  };
}
