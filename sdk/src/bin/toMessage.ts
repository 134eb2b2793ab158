import type { FlorinEvent, WebhookMessage } from '../messages.ts';

/** The body of the webhook of an event, as the service would send it. */
export function toMessage(event: FlorinEvent): WebhookMessage {
  const { type, at, user_ids: userIds } = event;
  const ids = { ...event } as Readonly<Record<string, unknown>>;
  const [word = ''] = type.split('.');
  // `request.paid` is about a `request_id`. Payments, deposits and refunds are transactions.
  const own = `${word}_id` in ids ? `${word}_id` : 'transaction_id';
  const isAboutPerson = word === 'kyc' || word === 'passkey';
  const subject = isAboutPerson ? { user_id: userIds[0] } : { [own]: ids[own] };
  return { type, timestamp: at, data: { ...subject, user_ids: userIds } } as unknown as WebhookMessage;
}
