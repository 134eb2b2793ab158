/** Rows of the error table about requests for money, and about closing an account. */
export const accountErrors = {
  'money_request.unknown': {
    status: 404,
    retryable: false,
    title: 'Unknown request for money',
    says: 'There is no request for money with that id.',
    remedy: 'List your own with `GET /api/v1/requests`. A request by link has the whole id in its link.',
  },
  'money_request.ended': {
    status: 409,
    retryable: false,
    title: 'The request for money has ended',
    says: 'The request is {state}; nothing was paid.',
    remedy: '`state` is how it ended: `paid`, `declined`, `cancelled` or `expired`. Ask for a new request.',
  },
  'money_request.expiry': {
    status: 400,
    retryable: false,
    title: 'The time of a request for money is not possible',
    says: 'A request for money ends in the future, within 366 days.',
    remedy: 'Send another `expires_at`, or none: then the request stays open for seven days.',
  },
  'money_request.too_many': {
    status: 409,
    retryable: true,
    title: 'Too many requests for money',
    says: 'You have reached the limit "{limit}" of {maximum} requests for money.',
    remedy:
      '`limit` is `open` (all your open requests), `open_with_person` (open ones to the same person) or `day` (made in 24 hours). Cancel requests that are of no use any more, or wait.',
  },
  'username.needed': {
    status: 409,
    retryable: false,
    title: 'A username is needed',
    says: 'Choose a username first: it is what the other person sees.',
    remedy: 'Call `POST /api/v1/set_username`.',
  },
  'account.not_empty': {
    status: 409,
    retryable: false,
    title: 'The account cannot be closed yet',
    says: 'The account still has {available} USDC available, {held} USDC held, {owed} USDC owed, {open_payments} open payments, {open_requests} open requests for money and {open_payouts} open payouts.',
    remedy:
      'Pay or send everything away, wait until payments under way have ended, cancel your own requests for money and decline those of others; then close it again. A payout that pays from this account ends by itself, or the service that made it cancels it (`POST /api/v1/payouts/{payout_id}/cancel`); an operator can stop it, too.',
  },
  'account.closed': {
    status: 403,
    retryable: false,
    title: 'The account is closed',
    says: 'This account was closed by its owner.',
    remedy: 'A closed account stays closed. For money that arrived later, contact the operator of this service.',
  },
} as const;
