/** Rows of the error table about payouts. */
export const payoutErrors = {
  'payout.unknown': {
    status: 404,
    retryable: false,
    title: 'Unknown payout',
    detail: 'This key has no payout with that id.',
    remedy: 'Use the `payout_id` that `POST /api/v1/payouts` returned, with the same service key.',
  },
  'payout.invalid': {
    status: 422,
    retryable: false,
    title: 'The file contains errors',
    detail: 'The file has {error_count} errors. Nothing was stored or paid.',
    remedy:
      '`errors` lists row (1 is the first after the header; 0 is the file itself), column, code and what to do, for the first 1,000 errors. Fix the file and send it again.',
  },
  'payout.mismatch': {
    status: 409,
    retryable: false,
    title: 'Count or total does not match',
    detail: 'This payout pays {count} rows and {total} USDC.',
    remedy:
      'Confirm with the `count` and `total` of the payout. If they are not what you expect, cancel the payout and check the file.',
  },
  'payout.ended': {
    status: 409,
    retryable: false,
    title: 'The payout has ended',
    detail: 'The payout is {state}; this is no longer possible.',
    remedy: '`GET /api/v1/payouts/{payout_id}` shows the result. To pay the remaining rows, send the file again.',
  },
} as const;
