/** The variables of the signer and of its callers. */
import { z } from 'zod';
import { PROVIDERS } from '../../adapters/wallets/providers.ts';
import type { SignerCaller } from '../../core/signer.ts';
import type { SignerToken } from '../../http/signer/serveSigner.ts';
import { circleVariables } from './circleVariables.ts';
import { list, usdcAmount, type Variable } from './shapes.ts';

const CALLERS: readonly SignerCaller[] = ['server', 'worker'];

const url = z
  .string()
  .refine(
    (text) => /^unix:\/[^\0]{1,100}$/.test(text) || /^https?:\/\/[^/?#@]+:\d{1,5}$/.test(text),
    'is not unix:/path or https://name:port',
  );

/** `server=TOKEN, worker=TOKEN`: at least one of each, several during a rotation. */
const tokens = list.transform((items, context) => {
  const given: SignerToken[] = [];
  for (const item of items) {
    const at = item.indexOf('=');
    const caller = CALLERS.find((one) => one === item.slice(0, at));
    if (caller && at + 1 < item.length) given.push({ caller, token: item.slice(at + 1) });
    else context.addIssue({ code: 'custom', message: 'is not server=TOKEN, worker=TOKEN' });
  }
  return given;
});

const LIMITS = ['payment', 'day'] as const;

/** `payment=10000, day=250000`, in USDC, or `none`. Undefined: not configured. */
const limits = list.transform((items, context) => {
  if (items.length === 0) return undefined;
  const given: Partial<Record<(typeof LIMITS)[number], bigint>> = {};
  if (items.join() === 'none') return given;
  for (const item of items) {
    const [, name, amount] = /^(\w+)=(.+)$/.exec(item) ?? [];
    const known = LIMITS.find((one) => one === name);
    const parsed = usdcAmount.safeParse(amount);
    if (known && parsed.success) given[known] = parsed.data;
    else context.addIssue({ code: 'custom', message: `"${item}" is not one of ${LIMITS.join(', ')} with =USDC` });
  }
  return given;
});

export const signerVariables = {
  FLORIN_SIGNER_URL: {
    schema: list.pipe(z.array(url)),
    help: 'The address of the signer: unix:/path of a socket on this machine, or https://name:port on another one. Separate several addresses with commas; the first that answers is used. The signer itself listens on the first address, or on FLORIN_SIGNER_LISTEN.',
    example: 'unix:/run/florin/signer.sock',
  },
  FLORIN_SIGNER_LISTEN: {
    schema: url.optional(),
    help: 'Only for the signer: the address that it listens on, if others reach it by a name that is not an address of its machine, such as a service of Kubernetes.',
    example: 'https://0.0.0.0:9470',
  },
  FLORIN_SIGNER_TOKEN: {
    schema: z.string().min(1).optional(),
    help: "The token with which this server or worker authenticates to the signer. Servers and workers have different tokens, e.g. from `openssl rand -base64 32`. A server's token can only create wallets.",
    example: '',
    secret: true,
  },
  FLORIN_SIGNER_TOKENS: {
    schema: tokens,
    help: 'Only for the signer: the tokens that it accepts, server=TOKEN, worker=TOKEN. List the old and the new token during a rotation.',
    secret: true,
  },
  FLORIN_SIGNER_LIMITS: {
    schema: limits,
    help: 'Only for the signer: the maximum that it signs to addresses per send and in 24 hours, in USDC per blockchain, regardless of the ledger. Sends over the limit wait. none: the signer has no limit. Required in production.',
    example: 'payment=10000, day=250000',
  },
  FLORIN_WALLET_SEED_FILE: {
    schema: z.string().min(1).optional(),
    help: 'Only for the signer: the encrypted HD seed of all wallets. Create it once with `florin seed create`, and keep a copy on another machine.',
    example: '/etc/florin/wallet-seed.json',
  },
  FLORIN_WALLET_SECRET: {
    schema: z.string().min(1).optional(),
    help: 'Only for the signer: decrypts the seed file. In production at least 32 characters, e.g. from `openssl rand -base64 32`.',
    example: '',
    secret: true,
  },
  FLORIN_WALLETS: {
    schema: z.enum(PROVIDERS).default('local'),
    help: 'Only for the signer: who holds the keys of the wallets of people and of the treasury: local (the seed file), circle (Circle signs, relayers submit) or circle_send (Circle sends by itself). FLORIN_CHAINS can override it for a blockchain. Relayers always use the seed file. Do not change it after people have wallets, unless FLORIN_WALLETS_FROM is set.',
    example: 'local',
  },
  FLORIN_WALLETS_FROM: {
    schema: z.enum(PROVIDERS).optional(),
    help: 'Only for the signer, while people move to other wallets: who has held the keys until now (docs/guides/moving-wallets.md).',
    example: '',
  },
  // The variables of each adapter in `adapters/wallets/providers.ts`.
  ...circleVariables,
} as const satisfies Record<string, Variable>;
