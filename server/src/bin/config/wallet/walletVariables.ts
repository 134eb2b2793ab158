import { z } from 'zod';
import type { Variable } from '../shapes.ts';

const json = z.string().transform((text, context) => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    context.addIssue({ code: 'custom', message: 'is not JSON' });
    return z.NEVER;
  }
});

const colour = z.string().regex(/^#[0-9a-fA-F]{6}$/, 'is not a colour such as #0b57d0');
const url = z.url({ protocol: /^https?$/, message: 'is not an http:// or https:// URL' });
const origin = url.transform((text) => new URL(text).origin);

const brand = json.pipe(
  z.strictObject({
    name: z.string().min(1).max(30).optional(),
    welcome: z.string().min(1).max(120).optional(),
    accent: colour.optional(),
    accent_dark: colour.optional(),
    logo_file: z.string().min(1).optional(),
    support_url: z.url({ protocol: /^(https|mailto)$/ }).optional(),
    explorers: z.record(z.string(), url).optional(),
  }),
);

const sandbox = json.pipe(
  z.strictObject({
    people: z.array(z.strictObject({ name: z.string(), email: z.string() })),
    faucet_url: url,
    kyc_url: url,
  }),
);

/** Of the wallet, the app for people that the server can serve. */
export const walletVariables = {
  FLORIN_WALLET_PORT: {
    schema: z.coerce.number().int().min(0).max(65_535).optional(),
    says: 'Port of the wallet, the app for people; 0 takes a free one. Unset: it is not served (docs/guides/wallet.md).',
    example: '8080',
  },
  FLORIN_WALLET_URL: {
    schema: origin.optional(),
    says: 'Where people open the wallet: https, and the root of a host name of its own. Needed with FLORIN_WALLET_PORT in production.',
    example: 'https://wallet.example.com',
  },
  FLORIN_WALLET_ISSUER: {
    schema: url.optional(),
    says: 'The issuer that people of the wallet log in with, one of those whose ID tokens are accepted. Default: the first of them. Register FLORIN_WALLET_URL with /callback there.',
    example: 'https://login.example.com',
  },
  FLORIN_WALLET_CLIENT_SECRET: {
    schema: z.string().min(1).optional(),
    says: 'The secret of the wallet at that issuer, if it gives web apps one. The wallet uses PKCE in any case.',
    secret: true,
  },
  FLORIN_WALLET_BRAND: {
    schema: brand.optional(),
    says: 'How the wallet looks: a JSON object of name?, welcome?, accent?, accent_dark? (colours), logo_file? (an SVG), support_url?, explorers? ({ blockchain: address before the hash of a transaction }).',
    example: '{"name":"Acme Pay","accent":"#0b57d0","logo_file":"/etc/florin/logo.svg"}',
  },
  FLORIN_WALLET_SANDBOX: {
    schema: sandbox.optional(),
    says: 'Only in the sandbox, which sets it: who can be logged in with one click, the faucet, the page of identity checks.',
  },
} as const satisfies Record<string, Variable>;
