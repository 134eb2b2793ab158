/** Rows of the error table about webhooks. */
export const webhookErrors = {
  'webhook.unknown': {
    status: 404,
    retryable: false,
    title: 'Unknown webhook',
    detail: 'There is no webhook with that id.',
    remedy: 'List the webhooks with `GET /api/v1/webhooks`. Removed webhooks cannot be restored.',
  },
  'webhook.url': {
    status: 400,
    retryable: false,
    title: 'Invalid webhook URL',
    detail: 'The URL cannot be used: {reason}.',
    remedy:
      'Use `https` with a public host, on port 443 or 8443, without a user name or password. Only a sandbox calls `http` URLs and its own machine.',
  },
  'webhook.too_many': {
    status: 409,
    retryable: false,
    title: 'Too many webhooks',
    detail: 'There are already {maximum} webhooks, the maximum.',
    remedy: 'Remove a webhook that you no longer need: `DELETE /api/v1/webhooks/{webhook_id}`.',
  },
  'webhook.event_unknown': {
    status: 404,
    retryable: false,
    title: 'Unknown webhook event',
    detail: 'This webhook has no event with that id.',
    remedy:
      'Use the `event_id` of a delivery. Old deliveries are deleted. To send their events again, replay the time span with `POST /api/v1/webhooks/{webhook_id}/replay`.',
  },
  'webhook.span': {
    status: 400,
    retryable: false,
    title: 'Invalid time span',
    detail: 'Invalid time span: {reason}.',
    remedy: '`since` must be before `until`. A rotated secret can stay valid for at most 30 days.',
  },
} as const;
