/** Missing, wrong and limited credentials: rows of the table in `errors.ts`. */
export const credentialErrors = {
  'auth.required': {
    status: 401,
    retryable: false,
    title: 'A credential is required',
    detail: 'This call requires a credential, but none was sent.',
    remedy:
      'Send `Authorization: Bearer …` with the access token that `POST /api/v1/login` or `POST /api/v1/sessions/refresh` returned.',
  },
  'auth.invalid': {
    status: 401,
    retryable: false,
    title: 'The credential was refused',
    detail: 'The credential was refused: {reason}.',
    remedy:
      '`reason` names the check that failed. ID tokens: `malformed`, `algorithm`, `header_key`, `issuer`, `audience`, `unknown_key`, `signature`, `expired`, `not_yet_valid`, `subject`, `claims`, `anonymous`, `spent` (the token was already used to log in; get a new one), `code` and `nonce` (in the wallet: another browser started this login; log in again). Session tokens: `unknown`, `expired`, `revoked`, `reused` (an old refresh token was used again, so the whole session has ended; log in again). Service keys: `unknown`, `revoked`, `expired`, `certificate` (the key works only with its client certificate), `address` (the key works only from other addresses).',
  },
  'auth.forbidden': {
    status: 403,
    retryable: false,
    title: 'The credential belongs to another user',
    detail: 'The credential does not allow this for that user.',
    remedy: 'Act only for the user whose access token you send.',
  },
  'auth.scope': {
    status: 403,
    retryable: false,
    title: 'The key lacks a scope',
    detail: 'The key lacks the scope {scope}.',
    remedy: 'Use a service key with that scope: `florin key create NAME --scope …`.',
  },
  'key.not_allowed': {
    status: 403,
    retryable: false,
    title: 'The key may not do this',
    detail: "The key's rules do not allow this {what}.",
    remedy:
      '`what` is the part that the rules do not allow: `wallet` (whose money it is), `treasury`, `blockchain` or `destination`. `florin key list` shows the rules. An operator changes them with `florin key change`.',
  },
  'key.limit_exceeded': {
    status: 403,
    retryable: false,
    title: 'A limit of the key would be exceeded',
    detail: 'This payment would exceed the limit "{limit}" of the key, {maximum} USDC; {left} USDC are left.',
    remedy:
      '`limit` is `payment` (a single payment), `day` (24 hours) or `month` (30 days). `resets_at` is when the oldest payment leaves the window. An operator can raise the limit with `florin key change`.',
  },
} as const;
