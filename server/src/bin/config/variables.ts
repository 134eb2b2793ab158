/**
 * Every variable the server reads, in the order of `.env.example`, which is printed from this table: what it must
 * look like, what it means, and whether its value must never be shown.
 */
import { z } from 'zod';
import { blockchains } from '../../adapters/chain/blockchains.ts';
import { SIGNING_ALGORITHMS } from '../../adapters/identity/issuerRule.ts';
import { WALLET_PROVIDERS } from '../../core/signer.ts';
import { parseRanges } from '../../http/connections/findAddress.ts';
import { databaseVariables } from './databaseVariables.ts';
import { opsVariables } from './opsVariables.ts';
import { referenceVariables } from './referenceVariables.ts';
import { list, port, usdcAmount, type Variable } from './shapes.ts';
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

/** `all=8000, address=500`: what is not named keeps the default. */
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
  refusals: 7,
  sessions: 7,
  spendings: 31,
};

/** `answers=90, events=0`: what is not named keeps the default. 0: for ever. */
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

const json = z
  .string()
  .default('[]')
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue({ code: 'custom', message: 'is not JSON' });
      return z.NEVER;
    }
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

const httpUrl = z.url({ protocol: /^https?$/, message: 'is not an http URL' });
const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'is not an address')
  .transform((text) => text as `0x${string}`);

const relayers = z.number().int().min(1).max(16);
const maxFeeGwei = z.number().int().min(1).max(1_000_000);

/** In coins of the blockchain, which have 18 decimals everywhere. */
const minGas = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,18})?$/, 'is not an amount of the coin that pays gas, such as "0.05"')
  .transform((text) => {
    const [whole = '', fraction = ''] = text.split('.');
    return BigInt(whole + fraction.padEnd(18, '0'));
  });

const chains = json.pipe(
  z.array(
    z.strictObject({
      blockchain: z.enum(Object.keys(blockchains) as [string, ...string[]]),
      rpc_urls: z.array(httpUrl).min(1),
      finality: z.union([z.literal('finalized'), z.int().min(1).max(10_000)]).optional(),
      chain_id: z.int().min(1).optional(),
      usdc_address: address.optional(),
      relayers: relayers.optional(),
      max_fee_gwei: maxFeeGwei.optional(),
      min_gas: minGas.optional(),
      start_block: z.int().min(0).optional(),
      settle_min: usdcAmount.optional(),
      wallets: z.enum(WALLET_PROVIDERS).optional(),
    }),
  ),
);

const maxAge = z.int().min(1).max(31_536_000).default(3_600);
const pair = z.string().regex(/^[A-Z0-9]{2,10}\/[A-Z0-9]{2,10}$/, 'is not a pair like ETH/USD');
const prices = json.pipe(
  z.array(
    z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('feed'), pair, blockchain: z.string(), address, max_age_seconds: maxAge }),
      z.strictObject({
        kind: z.enum(['http', 'subgraph']),
        pair,
        url: httpUrl,
        query: z.string().min(1).optional(),
        path: z.string().min(1),
        time_path: z.string().min(1).optional(),
        max_age_seconds: maxAge,
      }),
    ]),
  ),
);

export const variables = {
  FLORIN_MODE: {
    schema: z.enum(['production', 'sandbox']).default('production'),
    says: 'production, or sandbox (loopback only, documented calls work without credentials).',
    example: 'production',
  },
  FLORIN_HOST: {
    schema: z.string().min(1).default('127.0.0.1'),
    says: 'Address that both APIs listen on.',
    example: '127.0.0.1',
  },
  FLORIN_PLAIN_HTTP: {
    schema: z
      .enum(['true', 'false'])
      .default('false')
      .transform((text) => text === 'true'),
    says: 'Whether both APIs may speak plain HTTP beyond this machine. Only for a proxy that terminates TLS on a network of its own with us.',
    example: 'false',
  },
  FLORIN_WEB3_PORT: { schema: port(8000), says: 'Port of the Web3 API; 0 takes a free one.', example: '8000' },
  FLORIN_BACKEND_PORT: { schema: port(8001), says: 'Port of the Backend API; 0 takes a free one.', example: '8001' },
  FLORIN_TLS_CERT_FILE: {
    schema: z.string().min(1).optional(),
    says: 'Certificate chain (PEM) with which both APIs speak TLS themselves. Without it a proxy has to terminate TLS. It is read again within ten seconds of a change, and at once on SIGHUP.',
    example: '/etc/florin/tls/fullchain.pem',
  },
  FLORIN_TLS_KEY_FILE: {
    schema: z.string().min(1).optional(),
    says: 'The private key of that certificate (PEM, without a passphrase).',
    example: '/etc/florin/tls/privkey.pem',
  },
  FLORIN_WEB3_CLIENT_CA_FILE: {
    schema: z.string().min(1).optional(),
    says: 'Authorities (PEM) whose client certificates the Web3 API requires at the handshake, beside the service key.',
    example: '/etc/florin/tls/clients-ca.pem',
  },
  FLORIN_OPS_HOST: {
    schema: z.string().min(1).default('127.0.0.1'),
    says: 'Address of the operations port. Keep it off the internet.',
    example: '127.0.0.1',
  },
  FLORIN_OPS_ALLOWED_HOSTS: {
    schema: list,
    says: 'Names under which the operations port is asked (commas, no ports), besides addresses, localhost and FLORIN_OPS_HOST; other Host headers get 421.',
    example: 'florin-0.florin.internal',
  },
  FLORIN_OPS_PORT: { schema: port(9464), says: 'Port of /healthz, /readyz and /metrics.', example: '9464' },
  ...databaseVariables,
  FLORIN_OIDC_ISSUERS: {
    schema: oidcIssuers,
    says: 'The issuers whose ID tokens are accepted: a JSON array of { issuer, audience, jwks_uri?, algorithms?, identity? }. Without jwks_uri the keys are found by discovery; if they are on another host, it must be public and use https.',
    example: '[{"issuer":"https://login.example.com","audience":"my-client-id"}]',
  },
  FLORIN_FIREBASE_PROJECT_ID: {
    schema: z.string().min(1).optional(),
    says: 'Preset: accept ID tokens of this Firebase project.',
  },
  FLORIN_GOOGLE_CLIENT_IDS: { schema: list, says: 'Preset: accept Google ID tokens for these client ids (commas).' },
  FLORIN_APPLE_CLIENT_IDS: { schema: list, says: 'Preset: accept Apple ID tokens for these client ids (commas).' },
  ...signerVariables,
  FLORIN_SUMSUB_APP_TOKEN: {
    schema: z
      .string()
      .regex(/^(sbx|prd):\S+$/, 'must begin with sbx: or prd:')
      .optional(),
    says: 'Identity checks by Sumsub: the app token (`prd:…` in production). Without it no check can be started.',
    secret: true,
  },
  FLORIN_SUMSUB_SECRET_KEY: {
    schema: z.string().min(1).optional(),
    says: 'The secret that came with the app token; it signs our requests.',
    secret: true,
  },
  FLORIN_SUMSUB_WEBHOOK_SECRET: {
    schema: z.string().min(1).optional(),
    says: 'The secret of the webhook that Sumsub sends to /webhooks/sumsub of the Backend API.',
    secret: true,
  },
  FLORIN_SUMSUB_WEBHOOK_ALGORITHM: {
    schema: z.enum(['HMAC_SHA256_HEX', 'HMAC_SHA512_HEX']).default('HMAC_SHA256_HEX'),
    says: 'The digest of that webhook; messages with another one are refused.',
    example: 'HMAC_SHA256_HEX',
  },
  FLORIN_SUMSUB_LEVEL: {
    schema: z.string().min(1).default('basic-kyc-level'),
    says: 'The level of new checks, spelled exactly as in the Sumsub account of the app token.',
    example: 'basic-kyc-level',
  },
  FLORIN_SUMSUB_URL: {
    schema: z
      .url({ protocol: /^https?$/ })
      .transform((url) => url.replace(/\/+$/, ''))
      .default('https://api.sumsub.com'),
    says: 'Where Sumsub is. The app token, not the address, decides between their sandbox and production.',
    example: 'https://api.sumsub.com',
  },
  FLORIN_HOME_BLOCKCHAIN: {
    schema: z
      .string()
      .regex(/^[A-Z0-9][A-Z0-9-]{1,31}$/, 'is not the name of a blockchain, such as ETH-SEPOLIA')
      .default('ETH-SEPOLIA'),
    says: 'The blockchain whose USDC people pay each other with.',
    example: 'ETH-SEPOLIA',
  },
  FLORIN_CHAINS: {
    schema: chains,
    says: 'The blockchains we are connected to: a JSON array of { blockchain, rpc_urls, finality?, relayers?, max_fee_gwei?, min_gas?, start_block?, settle_min?, wallets? }. What decides about money needs the same answer of a majority of all nodes (1 of 1, 2 of 2, 2 of 3), so with three one may fail; docs/operating/nodes.md says what they must keep. finality is "finalized" or a number of blocks where the default does not fit; relayers and max_fee_gwei are its own FLORIN_RELAYERS and FLORIN_MAX_FEE_GWEI; a relayer with less than min_gas coins (a text such as "0.05") is given no new work; deposits are looked for after start_block, by default after the last final block at the first start; settlement makes no transfer below settle_min, a text like "0.5", by default 1 USDC on Ethereum and 0.05 elsewhere; wallets says who holds the keys there, if that is another one than FLORIN_WALLETS.',
    example: '[{"blockchain":"ETH-SEPOLIA","rpc_urls":["https://node.example.com/key"]}]',
    secret: true,
  },
  FLORIN_PRICES: {
    schema: prices,
    says: 'Where prices come from, instead of the feeds of the home blockchain: a JSON array of { kind: "feed", pair, blockchain, address }, { kind: "http", pair, url, path } or { kind: "subgraph", pair, url, query, path }, each with time_path? and max_age_seconds?.',
    secret: true,
  },
  FLORIN_RELAYERS: {
    schema: z.coerce.number().pipe(relayers).default(1),
    says: 'How many relayer wallets pay the gas on a blockchain, unless FLORIN_CHAINS says otherwise for it.',
    example: '1',
  },
  FLORIN_MAX_FEE_GWEI: {
    schema: z.coerce.number().pipe(maxFeeGwei).optional(),
    says: 'The most that a relayer bids per unit of gas, unless FLORIN_CHAINS says otherwise for a blockchain; above it, payments wait. Unset: what is sane for each blockchain, such as 300 on ETH and 10 on BASE.',
    example: '300',
  },
  FLORIN_SETTLE_SECONDS: {
    schema: z.coerce.number().int().min(1).max(604_800).default(3_600),
    says: 'How often the debts between wallets are netted and settled on chain.',
    example: '3600',
  },
  FLORIN_RECONCILE_SECONDS: {
    schema: z.coerce.number().int().min(1).max(86_400).default(30),
    says: 'How often ledger, custody and chain are compared.',
    example: '30',
  },
  FLORIN_APPROVAL_THRESHOLD: {
    schema: usdcAmount.optional(),
    says: 'Sends to an address of this many USDC or more wait until two operators have approved them (`florin payment approve`). Unset: no send waits.',
    example: '10000',
  },
  FLORIN_NEW_RECIPIENT_DELAY_SECONDS: {
    schema: z.coerce.number().int().min(0).max(2_592_000).default(0),
    says: 'How long the first send of a wallet to an address waits; until then it can be cancelled for free. 0: not at all.',
    example: '0',
  },
  FLORIN_BLACKLIST_SECONDS: {
    schema: z.coerce.number().int().min(0).max(3_600).optional(),
    says: 'How old what we know of the blacklist of USDC may be when a send is accepted; the token is asked itself when it is older, about an address that was ever on it, and about everybody before anything is signed. 0: it is asked about every send. Default: 60, in the sandbox 0.',
    example: '60',
  },
  FLORIN_ACCESS_TOKEN_SECONDS: {
    schema: z.coerce.number().int().min(30).max(86_400).default(900),
    says: 'How long an access token is valid.',
    example: '900',
  },
  FLORIN_REFRESH_TOKEN_SECONDS: {
    schema: z.coerce.number().int().min(60).max(31_536_000).default(2_592_000),
    says: 'A session that is not refreshed for this long ends.',
    example: '2592000',
  },
  FLORIN_SESSION_SECONDS: {
    schema: z.coerce.number().int().min(300).max(315_360_000).default(7_776_000),
    says: 'A session ends this long after its login, however often it is refreshed; then the person logs in again.',
    example: '7776000',
  },
  FLORIN_USERNAME_COOLDOWN_DAYS: {
    schema: z.coerce.number().int().min(0).max(3650).default(30),
    says: 'Days between two changes of a username.',
    example: '30',
  },
  FLORIN_ALLOWED_HOSTS: {
    schema: list,
    says: 'Names that both APIs answer to (commas, no ports); other Host headers get 421. Empty: any name in production, loopback names in the sandbox.',
    example: 'api.example.com',
  },
  FLORIN_ALLOWED_ORIGINS: {
    schema: origins,
    says: 'Sites whose pages may call both APIs (commas). Others are refused, and get no CORS headers.',
    example: 'https://wallet.example.com',
  },
  FLORIN_TRUSTED_PROXIES: {
    schema: proxies,
    says: 'Load balancers whose X-Forwarded-For is trusted (addresses or networks, commas). Behind a load balancer that is not listed, all callers share one rate limit and the connections of one address.',
    example: '10.0.0.0/8',
  },
  FLORIN_CONNECTIONS: {
    schema: connections,
    says: 'Largest number of open connections to each API: of all clients, and of one address (trusted proxies are not counted). Further ones are closed at once. Shown: the defaults.',
    example: 'all=8000, address=500',
  },
  FLORIN_RATE_LIMITS: {
    schema: rates,
    says: 'Requests per minute of one address (pages too); calls of one person, one service key; logins of one address; identity calls, look-ups of usernames by any call, previews, requests for money and exports of one person. Shown: the defaults of production; the sandbox has 10 million each.',
    example: 'address=600, login=30, user=300, key=6000, kyc=10, name=30, preview=60, ask=20, export=3',
  },
  FLORIN_RETENTION_DAYS: {
    schema: retention,
    says: 'After how many days the worker forgets what may be forgotten; 0 keeps it for ever. Never payments, nor what was answered under their keys (docs/operating/retention.md). Shown: the defaults.',
    example: 'answers=90, carriers=90, deliveries=30, events=0, refusals=90, sessions=90, spendings=60',
  },
  FLORIN_REQUIRE_IDEMPOTENCY_KEY: {
    schema: z
      .enum(['true', 'false'])
      .transform((text) => text === 'true')
      .optional(),
    says: 'Whether calls that move money need an Idempotency-Key. Default: true in production, false in the sandbox.',
    example: 'true',
  },
  ...referenceVariables,
  ...walletVariables,
  FLORIN_LOG_LEVEL: {
    schema: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    says: 'How much is logged (JSON lines on standard output).',
    example: 'info',
  },
  ...opsVariables,
} as const satisfies Record<string, Variable>;

export type Values = { [Name in keyof typeof variables]: z.output<(typeof variables)[Name]['schema']> };
