/** Rows of the error table about payouts. */
export const payoutErrors = {
  'payout.unknown': {
    status: 404,
    retryable: false,
    title: 'Unknown payout',
    says: 'This key has no payout with that id.',
    remedy: 'Use the `payout_id` that `POST /api/v1/payouts` answered, with the same service key.',
  },
  'payout.invalid': {
    status: 422,
    retryable: false,
    title: 'The file cannot be paid as it is',
    says: '{error_count} errors were found. Nothing was kept, and nothing is paid.',
    remedy:
      '`errors` names row (1 is the first after the header; 0 the file itself), column, code and what to do; the first 1,000 are listed. Mend the file and send it again.',
  },
  'payout.mismatch': {
    status: 409,
    retryable: false,
    title: 'Another count or total than was checked',
    says: 'This payout pays {count} rows and {total} USDC.',
    remedy:
      'Confirm with the `count` and `total` of the payout. When they are not what you expect, cancel it and look at the file.',
  },
  'payout.ended': {
    status: 409,
    retryable: false,
    title: 'The payout has ended',
    says: 'The payout is {state}; this cannot be done any more.',
    remedy: '`GET /api/v1/payouts/{payout_id}` says what became of it. To pay what is left, send the file again.',
  },
} as const;
