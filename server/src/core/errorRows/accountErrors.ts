/** Rows of the error table about requests for money, and about closing an account. */
export const accountErrors = {
  'money_request.unknown': {
    status: 404,
    retryable: false,
    title: 'Unknown request for money',
    detail: 'There is no request for money with that id.',
    remedy: 'List your own requests with `GET /api/v1/requests`. The link of a request contains its whole id.',
  },
  'money_request.ended': {
    status: 409,
    retryable: false,
    title: 'The request for money has ended',
    detail: 'The request is {state}; nothing was paid.',
    remedy: '`state` is how it ended: `paid`, `declined`, `cancelled` or `expired`. Ask for a new request.',
  },
  'money_request.expiry': {
    status: 400,
    retryable: false,
    title: 'Invalid expiry time',
    detail: 'A request for money must expire in the future, within 366 days.',
    remedy: 'Send another `expires_at`, or leave it out: the request then stays open for seven days.',
  },
  'money_request.too_many': {
    status: 409,
    retryable: true,
    title: 'Too many requests for money',
    detail: 'You have reached the limit "{limit}" of {maximum} requests for money.',
    remedy:
      '`limit` is `open` (all your open requests), `open_with_person` (open requests to the same person) or `day` (requests in 24 hours). Cancel requests that you no longer need, or wait.',
  },
  'username.needed': {
    status: 409,
    retryable: false,
    title: 'A username is required',
    detail: 'Choose a username first. The other person sees it.',
    remedy: 'Call `POST /api/v1/set_username`.',
  },
  'account.not_empty': {
    status: 409,
    retryable: false,
    title: 'The account cannot be closed yet',
    detail:
      'The account still has {available} USDC available, {held} USDC held, {owed} USDC owed, {open_payments} open payments, {open_requests} open requests for money and {open_payouts} open payouts.',
    remedy:
      'Spend or send the whole balance, wait until open payments have ended, cancel your own requests for money and decline those of others. Then close the account again. A payout from this account ends automatically, or the service that created it cancels it (`POST /api/v1/payouts/{payout_id}/cancel`). An operator can stop it too.',
  },
  'account.closed': {
    status: 403,
    retryable: false,
    title: 'The account is closed',
    detail: 'The owner has closed this account.',
    remedy: 'A closed account stays closed. For money that arrived later, contact the operator of this service.',
  },
} as const;
