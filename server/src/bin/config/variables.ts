/**
 * Every variable that the processes read, in the order of `.env.example`, which is printed from this table: its format,
 * its meaning, and whether its value must never be shown.
 */
import { z } from 'zod';
import { SIGNING_ALGORITHMS } from '../../adapters/identity/issuerRule.ts';
import { parseRanges } from '../../http/connections/findAddress.ts';
import { chainVariables } from './chainVariables.ts';
import { consoleVariables } from './console/consoleVariables.ts';
import { databaseVariables } from './databaseVariables.ts';
import { opsVariables } from './opsVariables.ts';
import { referenceVariables } from './referenceVariables.ts';
import { json, list, port, usdcAmount, type Variable } from './shapes.ts';
import { signerVariables } from './signerVariables.ts';
import { walletVariables } from './wallet/walletVariables.ts';

const proxies = list.transform((items, context) => {
  try {
    return parseRanges(items);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
});

const origins = list.pipe(
  z.array(
    z.string().refine((text) => URL.canParse(text) && new URL(text).origin === text, 'is not https://name[:port]'),
  ),
);

const RATES = ['address', 'login', 'user', 'key', 'kyc', 'name', 'preview', 'ask', 'export'] as const;

/** `address=600, user=300`: limits that are not named keep the default of the mode. */
const rates = list.transform((items, context) => {
  const given: Partial<Record<(typeof RATES)[number], number>> = {};
  for (const item of items) {
    const [, name, quota] = /^(\w+)=(\d{1,8})$/.exec(item) ?? [];
    const known = RATES.find((rate) => rate === name);
    if (known && Number(quota) > 0) given[known] = Number(quota);
    else context.addIssue({ code: 'custom', message: `"${item}" is not one of ${RATES.join(', ')} with =calls` });
  }
  return given;
});

const CONNECTIONS = ['all', 'address'] as const;

/** `all=8000, address=500`: limits that are not named keep the default. */
const connections = list.transform((items, context) => {
  const given: Partial<Record<(typeof CONNECTIONS)[number], number>> = {};
  for (const item of items) {
    const [, name, count] = /^(\w+)=(\d{1,6})$/.exec(item) ?? [];
    const known = CONNECTIONS.find((one) => one === name);
    if (known && Number(count) > 0) given[known] = Number(count);
    else
      context.addIssue({ code: 'custom', message: `"${item}" is not one of ${CONNECTIONS.join(', ')} with =number` });
  }
  return given;
});

const RETAINED = {
  answers: 7,
  carriers: 1,
  deliveries: 7,
  events: 30,
  notes: 7,
  refusals: 7,
  sessions: 7,
  spendings: 31,
};

/** `answers=90, events=0`: entries that are not named keep the default. 0: keep forever. */
const retention = list.transform((items, context) => {
  const given: Partial<Record<keyof typeof RETAINED, number>> = {};
  for (const item of items) {
    const [, name, days] = /^(\w+)=(\d{1,5})$/.exec(item) ?? [];
    const known = (Object.keys(RETAINED) as (keyof typeof RETAINED)[]).find((one) => one === name);
    if (known && (Number(days) === 0 || Number(days) >= RETAINED[known])) given[known] = Number(days);
    else {
      const least = Object.entries(RETAINED).map(([one, fewest]) => `${one} (at least ${fewest})`);
      context.addIssue({ code: 'custom', message: `"${item}" is not one of ${least.join(', ')} with =days, or =0` });
    }
  }
  return given;
});

const oidcIssuers = json.pipe(
  z.array(
    z.strictObject({
      issuer: z.url({ protocol: /^https?$/ }),
      audience: z.union([
        z
          .string()
          .min(1)
          .transform((one) => [one]),
        z.array(z.string().min(1)).min(1),
      ]),
      jwks_uri: z.url({ protocol: /^https?$/ }).optional(),
      algorithms: z
        .array(z.enum(SIGNING_ALGORITHMS as [string, ...string[]]))
        .min(1)
        .optional(),
      identity: z.string().min(1).optional(),
    }),
  ),
);

export const variables = {
  FLORIN_MODE: {
    schema: z.enum(['production', 'sandbox']).default('production'),
    help: 'production or sandbox. The sandbox listens only on loopback, and its calls work without credentials.',
    example: 'production',
  },
  FLORIN_HOST: {
    schema: z.string().min(1).default('127.0.0.1'),
    help: 'The address that both APIs listen on.',
    example: '127.0.0.1',
  },
  FLORIN_PLAIN_HTTP: {
    schema: z
      .enum(['true', 'false'])
      .default('false')
      .transform((text) => text === 'true'),
    help: 'Whether both APIs may use plain HTTP beyond this machine. Use it only behind a proxy that terminates TLS, on a private network.',
    example: 'false',
  },
  FLORIN_WEB3_PORT: { schema: port(8000), help: 'Port of the Web3 API; 0 uses a free port.', example: '8000' },
  FLORIN_BACKEND_PORT: { schema: port(8001), help: 'Port of the Backend API; 0 uses a free port.', example: '8001' },
  FLORIN_TLS_CERT_FILE: {
    schema: z.string().min(1).optional(),
    help: 'The certificate chain (PEM) with which both APIs terminate TLS. Without it, a proxy must terminate TLS. Florin reads it again within ten seconds of a change, and immediately on SIGHUP.',
    example: '/etc/florin/tls/fullchain.pem',
  },
  FLORIN_TLS_KEY_FILE: {
    schema: z.string().min(1).optional(),
    help: 'The private key of that certificate (PEM, without a passphrase).',
    example: '/etc/florin/tls/privkey.pem',
  },
  FLORIN_WEB3_CLIENT_CA_FILE: {
    schema: z.string().min(1).optional(),
    help: 'Authorities (PEM) whose client certificates the Web3 API requires at the handshake, in addition to the service key.',
    example: '/etc/florin/tls/clients-ca.pem',
  },
  FLORIN_OPS_HOST: {
    schema: z.string().min(1).default('127.0.0.1'),
    help: 'The address of the operations port. Keep it off the internet.',
    example: '127.0.0.1',
  },
  FLORIN_OPS_ALLOWED_HOSTS: {
    schema: list,
    help: 'Host names that the operations port accepts (separated by commas, without ports), besides IP addresses, localhost and FLORIN_OPS_HOST. Other Host headers get 421.',
    example: 'florin-0.florin.internal',
  },
  FLORIN_OPS_PORT: { schema: port(9464), help: 'The port of /healthz, /readyz and /metrics.', example: '9464' },
  ...databaseVariables,
  FLORIN_OIDC_ISSUERS: {
    schema: oidcIssuers,
    help: 'The issuers whose ID tokens are accepted: a JSON array of { issuer, audience, jwks_uri?, algorithms?, identity? }. Without jwks_uri, Florin finds the keys by discovery. If the keys are on another host, it must be public and use https.',
    example: '[{"issuer":"https://login.example.com","audience":"my-client-id"}]',
  },
  FLORIN_FIREBASE_PROJECT_ID: {
    schema: z.string().min(1).optional(),
    help: 'Preset: accepts ID tokens of this Firebase project.',
  },
  FLORIN_GOOGLE_CLIENT_IDS: { schema: list, help: 'Preset: accepts Google ID tokens for these client ids (commas).' },
  FLORIN_APPLE_CLIENT_IDS: { schema: list, help: 'Preset: accepts Apple ID tokens for these client ids (commas).' },
  ...signerVariables,
  FLORIN_SUMSUB_APP_TOKEN: {
    schema: z
      .string()
      .regex(/^(sbx|prd):\S+$/, 'must begin with sbx: or prd:')
      .optional(),
    help: 'Identity checks by Sumsub: the app token (`prd:…` in production). Without it, no check can start.',
    secret: true,
  },
  FLORIN_SUMSUB_SECRET_KEY: {
    schema: z.string().min(1).optional(),
    help: 'The secret that belongs to the app token. It signs the requests to Sumsub.',
    secret: true,
  },
  FLORIN_SUMSUB_WEBHOOK_SECRET: {
    schema: z.string().min(1).optional(),
    help: 'The secret of the webhook that Sumsub sends to /webhooks/sumsub of the Backend API.',
    secret: true,
  },
  FLORIN_SUMSUB_WEBHOOK_ALGORITHM: {
    schema: z.enum(['HMAC_SHA256_HEX', 'HMAC_SHA512_HEX']).default('HMAC_SHA256_HEX'),
    help: 'The digest algorithm of that webhook. Webhooks with another algorithm are refused.',
    example: 'HMAC_SHA256_HEX',
  },
  FLORIN_SUMSUB_LEVEL: {
    schema: z.string().min(1).default('basic-kyc-level'),
    help: 'The level of new checks, spelled exactly as in your Sumsub account.',
    example: 'basic-kyc-level',
  },
  FLORIN_SUMSUB_URL: {
    schema: z
      .url({ protocol: /^https?$/ })
      .transform((url) => url.replace(/\/+$/, ''))
      .default('https://api.sumsub.com'),
    help: "Sumsub's URL. The app token, not the URL, selects Sumsub's sandbox or production.",
    example: 'https://api.sumsub.com',
  },
  ...chainVariables,
  FLORIN_SETTLE_SECONDS: {
    schema: z.coerce.number().int().min(1).max(604_800).default(3_600),
    help: 'The interval at which debts between wallets are netted and settled on chain.',
    example: '3600',
  },
  FLORIN_RECONCILE_SECONDS: {
    schema: z.coerce.number().int().min(1).max(86_400).default(30),
    help: 'The interval at which ledger, custody and chain are compared.',
    example: '30',
  },
  FLORIN_APPROVAL_THRESHOLD: {
    schema: usdcAmount.optional(),
    help: 'Sends of this many USDC or more to an address wait until two operators approve them (`florin payment approve`). Unset: no send waits.',
    example: '10000',
  },
  FLORIN_NEW_RECIPIENT_DELAY_SECONDS: {
    schema: z.coerce.number().int().min(0).max(2_592_000).default(0),
    help: 'How long the first send of a wallet to an address waits. Until then, it can be cancelled for free. 0: it does not wait.',
    example: '0',
  },
  FLORIN_BLACKLIST_SECONDS: {
    schema: z.coerce.number().int().min(0).max(3_600).optional(),
    help: 'The maximum age of the cached USDC blacklist when a send is accepted. Florin asks the token itself if the cache is older, if the address was ever blacklisted, and always before it signs. 0: Florin asks the token for every send. Default: 60, in the sandbox 0.',
    example: '60',
  },
  FLORIN_ACCESS_TOKEN_SECONDS: {
    schema: z.coerce.number().int().min(30).max(86_400).default(900),
    help: 'The lifetime of an access token.',
    example: '900',
  },
  FLORIN_REFRESH_TOKEN_SECONDS: {
    schema: z.coerce.number().int().min(60).max(31_536_000).default(2_592_000),
    help: 'A session ends if it is not refreshed for this long.',
    example: '2592000',
  },
  FLORIN_SESSION_SECONDS: {
    schema: z.coerce.number().int().min(300).max(315_360_000).default(7_776_000),
    help: 'A session ends this long after its login, even if it is refreshed. The person then logs in again.',
    example: '7776000',
  },
  FLORIN_USERNAME_COOLDOWN_DAYS: {
    schema: z.coerce.number().int().min(0).max(3650).default(30),
    help: 'The minimum number of days between two changes of a username.',
    example: '30',
  },
  FLORIN_ALLOWED_HOSTS: {
    schema: list,
    help: 'Host names that both APIs accept (separated by commas, without ports). Other Host headers get 421. Empty: any name in production, loopback names in the sandbox.',
    example: 'api.example.com',
  },
  FLORIN_ALLOWED_ORIGINS: {
    schema: origins,
    help: 'Origins of sites whose pages may call both APIs (separated by commas). Other sites are refused and get no CORS headers.',
    example: 'https://wallet.example.com',
  },
  FLORIN_TRUSTED_PROXIES: {
    schema: proxies,
    help: 'Load balancers whose X-Forwarded-For is trusted (addresses or networks, separated by commas). Behind a load balancer that is not listed, all callers share the rate limit and the connection limit of one address.',
    example: '10.0.0.0/8',
  },
  FLORIN_CONNECTIONS: {
    schema: connections,
    help: 'The maximum number of open connections to each API: of all clients, and of one address (trusted proxies do not count). Further connections are closed immediately. The example shows the defaults.',
    example: 'all=8000, address=500',
  },
  FLORIN_RATE_LIMITS: {
    schema: rates,
    help: 'Rate limits per minute. address: requests of one IP address, including pages. login: logins and session refreshes of one IP address; the web wallet counts its refreshes for each session instead, and unknown cookies of one IP address separately. user: calls of one person. key: calls of one service key. kyc, name, preview, ask, export: identity calls, username lookups by any call, previews, requests for money and exports of one person. The example shows the defaults of production; each limit of the sandbox is 10 million.',
    example: 'address=600, login=30, user=300, key=6000, kyc=10, name=30, preview=60, ask=20, export=3',
  },
  FLORIN_RETENTION_DAYS: {
    schema: retention,
    help: 'The number of days after which the worker deletes data that is no longer needed; 0 keeps it forever. Payments and the responses for their idempotency keys are never deleted (docs/operating/retention.md). The example shows the defaults.',
    example: 'answers=90, carriers=90, deliveries=30, events=0, notes=0, refusals=90, sessions=90, spendings=60',
  },
  FLORIN_REQUIRE_IDEMPOTENCY_KEY: {
    schema: z
      .enum(['true', 'false'])
      .transform((text) => text === 'true')
      .optional(),
    help: 'Whether calls that move money require an Idempotency-Key. Default: true in production, false in the sandbox.',
    example: 'true',
  },
  ...referenceVariables,
  ...walletVariables,
  ...consoleVariables,
  FLORIN_LOG_LEVEL: {
    schema: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    help: 'The log level. The log is JSON lines on standard output.',
    example: 'info',
  },
  ...opsVariables,
} as const satisfies Record<string, Variable>;

export type Values = { [Name in keyof typeof variables]: z.output<(typeof variables)[Name]['schema']> };
