/** Faults of a request that are found before its operation is known: rows of the table in `errors.ts`. */
export const wireErrors = {
  'request.malformed': {
    status: 400,
    retryable: false,
    title: 'The request is not valid HTTP',
    detail: 'The request could not be read.',
    remedy: 'Check the client or proxy that wrote the request: its request line, headers or framing are broken.',
  },
  'request.too_large': {
    status: 413,
    retryable: false,
    title: 'The request body is too large',
    detail: 'The request body is larger than {limit_bytes} bytes.',
    remedy:
      'Send a smaller body. Florin counts the bytes while it reads them, so a false Content-Length does not help.',
  },
  'request.headers_too_large': {
    status: 431,
    retryable: false,
    title: 'The request headers are too large',
    detail: 'The request line and headers are too large.',
    remedy: 'Send fewer or shorter headers.',
  },
  'request.timeout': {
    status: 408,
    retryable: true,
    title: 'The request did not arrive in time',
    detail: 'The request did not arrive completely in time.',
    remedy: 'Send the whole request without long pauses.',
  },
  'request.host': {
    status: 421,
    retryable: false,
    title: 'Unknown host name',
    detail: 'This service does not use that host name.',
    remedy: 'Use one of the names in `FLORIN_ALLOWED_HOSTS`, or in the sandbox also `localhost` and `127.0.0.1`.',
  },
  'request.origin': {
    status: 403,
    retryable: false,
    title: 'The request comes from a site that is not allowed',
    detail: 'Pages of that site are not allowed to call this service.',
    remedy:
      'Add the exact origin of the site to `FLORIN_ALLOWED_ORIGINS`. Programs other than browsers send no `Origin`.',
  },
} as const;
