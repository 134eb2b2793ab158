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
      '`reason` names the check that failed. ID tokens: `malformed`, `algorithm`, `header_key`, `issuer`, `audience`, `unknown_key`, `signature`, `expired`, `not_yet_valid`, `subject`, `claims`, `anonymous`, `spent` (the token was already used to log in; get a new one), `code` and `nonce` (in the wallet: another browser started this login; log in again). Session tokens: `unknown`, `expired`, `revoked`, `reused` (an old refresh token was used again, so the whole session has ended; log in again). Keys: `unknown`, `revoked` (also account keys that ended with a logout everywhere or a restore), `expired`, `certificate` (the key works only with its client certificate), `address` (the key works only from other addresses).',
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
    remedy:
      'Use a key with that scope. Operators create keys of services: `florin key create NAME --scope …`. People create keys of their account: `POST /api/v1/keys`.',
  },
  'auth.old_login': {
    status: 403,
    retryable: false,
    title: 'The login is too old',
    detail: 'This needs a login within the last five minutes.',
    remedy:
      'Ask the person to log in again, and repeat the call with the new session. Refreshing a session is not a login.',
  },
  'key.person_only': {
    status: 403,
    retryable: false,
    title: 'Keys cannot do this',
    detail: 'A key of an account cannot do this; its owner can, with a session.',
    remedy:
      'Use the access token of a session. Keys cannot create keys, change the username or the identity check, end sessions, or export or close the account. The address of the wallet takes no keys: use that of the Backend API.',
  },
  'key.unknown': {
    status: 404,
    retryable: false,
    title: 'Unknown key',
    detail: 'Your account has no key with that id in use.',
    remedy: 'List the keys with `GET /api/v1/keys`. Revoked keys cannot be restored.',
  },
  'key.too_many': {
    status: 409,
    retryable: false,
    title: 'Too many keys',
    detail: 'There are already {maximum} keys, the maximum.',
    remedy: 'Revoke a key that you no longer need: `DELETE /api/v1/keys/{key_id}`.',
  },
  'key.invalid': {
    status: 400,
    retryable: false,
    title: 'Invalid key',
    detail: 'The key cannot be created: {reason}.',
    remedy:
      'A key that pays needs `payment_limit` and `day_limit`. `expires_at` is in the future. `addresses` are IP addresses or networks; IPv6 networks have at most 64 bits, because one client has a whole /64.',
  },
  'key.not_allowed': {
    status: 403,
    retryable: false,
    title: 'The key may not do this',
    detail: "The key's rules do not allow this {what}.",
    remedy:
      '`what` is the part that the rules do not allow: `wallet` (whose money it is), `treasury`, `blockchain` or `destination`. `florin key list` shows the rules. An operator changes them with `florin key change`. An account key pays only from its account: leave `payer` out.',
  },
  'key.limit_exceeded': {
    status: 403,
    retryable: false,
    title: 'A limit of the key would be exceeded',
    detail: 'This payment would exceed the limit "{limit}" of the key, {maximum} USDC; {left} USDC are left.',
    remedy:
      '`limit` is `payment` (a single payment), `day` (24 hours) or `month` (30 days). `resets_at` is when the oldest payment leaves the window. An operator can raise the limit of a service with `florin key change`. For an account, create another key.',
  },
} as const;
