/** Passkeys, and payments that need one: rows of the table in `errors.ts`. */
export const passkeyErrors = {
  'passkey.required': {
    status: 403,
    retryable: false,
    title: 'A passkey is required',
    detail: 'The person must confirm exactly this with a passkey of the account.',
    remedy:
      'Nothing was paid or changed, and nothing is stored under the `Idempotency-Key`. Create a challenge for this deed (`POST /api/v1/passkeys/challenges`), let the person sign it in the wallet, send the signature (`POST /api/v1/passkeys/proofs`), and repeat the same call within five minutes. For a payment, `above` is the amount of USDC above which the person wants to be asked, and `payment_id` is what the challenge needs; it is missing for a payment without an `Idempotency-Key`, which cannot be confirmed. A key cannot sign: its owner confirms the payment in the wallet.',
  },
  'passkey.none': {
    status: 409,
    retryable: false,
    title: 'No passkey',
    detail: 'Your account has no passkey.',
    remedy: 'Add one first: `POST /api/v1/passkeys/challenges` with the deed `register`, then `POST /api/v1/passkeys`.',
  },
  'passkey.unknown': {
    status: 404,
    retryable: false,
    title: 'Unknown passkey',
    detail: 'Your account has no passkey with that id.',
    remedy: 'List the passkeys with `GET /api/v1/passkeys`.',
  },
  'passkey.challenge_unknown': {
    status: 404,
    retryable: false,
    title: 'Unknown challenge',
    detail: 'This session has no open challenge with that id.',
    remedy:
      'A challenge can be answered once, within five minutes, in the session that created it. Create another one with `POST /api/v1/passkeys/challenges`.',
  },
  'passkey.refused': {
    status: 403,
    retryable: false,
    title: 'The passkey was refused',
    detail: 'The answer of the passkey was refused: {reason}.',
    remedy:
      '`reason` names the check that failed: `form` (the answer cannot be read, or the passkey has an unsupported algorithm), `challenge`, `origin` (the page is not the wallet), `person` (the device did not verify the person), `signature` (also a passkey of another account), `counter` (the passkey may have been copied: remove it) and `known` (this passkey was added before). Create another challenge and try again.',
  },
  'passkey.too_many': {
    status: 409,
    retryable: false,
    title: 'Too many passkeys',
    detail: 'Your account already has 10 passkeys, the maximum.',
    remedy: 'Remove a passkey that you no longer use.',
  },
  'passkey.unavailable': {
    status: 409,
    retryable: false,
    title: 'Passkeys are not available',
    detail: 'This service has no web wallet, to whose address passkeys belong.',
    remedy: 'The operator of the service sets `FLORIN_WALLET_PORT` and `FLORIN_WALLET_URL`.',
  },
  'passkey.invalid': {
    status: 400,
    retryable: false,
    title: 'Invalid request about passkeys',
    detail: 'The request is invalid: {reason}.',
    remedy: 'The description of `POST /api/v1/passkeys/challenges` lists what each deed needs.',
  },
} as const;
