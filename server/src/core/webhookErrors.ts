/** Rows of the error table about webhooks. */
export const webhookErrors = {
  'webhook.unknown': {
    status: 404,
    retryable: false,
    title: 'Unknown webhook',
    says: 'There is no webhook with that id.',
    remedy: 'List them with `GET /api/v1/webhooks`. One that was removed is gone.',
  },
  'webhook.url': {
    status: 400,
    retryable: false,
    title: 'Not a URL that can be told of events',
    says: 'The URL cannot be used: {reason}.',
    remedy:
      'Use `https` with a public host, on port 443 or 8443, without a name or password in it. Only a sandbox calls `http` and this machine.',
  },
  'webhook.too_many': {
    status: 409,
    retryable: false,
    title: 'Too many webhooks',
    says: 'There are {maximum} webhooks, which is the most there may be.',
    remedy: 'Remove one that is not needed: `DELETE /api/v1/webhooks/{webhook_id}`.',
  },
  'webhook.event_unknown': {
    status: 404,
    retryable: false,
    title: 'Unknown event of a webhook',
    says: 'No event with that id was ever meant for this webhook.',
    remedy:
      'Use the `event_id` of a delivery. What was delivered long ago is forgotten: send the time span again with `POST /api/v1/webhooks/{webhook_id}/replay`.',
  },
  'webhook.span': {
    status: 400,
    retryable: false,
    title: 'Not a time span',
    says: 'The time span is not one: {reason}.',
    remedy: '`since` is before `until`. A former secret ends within 30 days.',
  },
} as const;
