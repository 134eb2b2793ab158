import { z } from 'zod';
import { jsonText, type Variable } from '../shapes.ts';

const colour = z.string().regex(/^#[0-9a-fA-F]{6}$/, 'is not a colour such as #0b57d0');
const url = z.url({ protocol: /^https?$/, message: 'is not an http:// or https:// URL' });
const origin = url.transform((text) => new URL(text).origin);

const brand = jsonText.pipe(
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

const sandbox = jsonText.pipe(
  z.strictObject({
    people: z.array(z.strictObject({ name: z.string(), email: z.string() })),
    faucet_url: url,
    kyc_url: url,
  }),
);

/** The variables of the web wallet, the app for people that the server can serve. */
export const walletVariables = {
  FLORIN_WALLET_PORT: {
    schema: z.coerce.number().int().min(0).max(65_535).optional(),
    help: 'The port of the web wallet; 0 uses a free port. Unset: the wallet is not served (docs/guides/wallet.md).',
    example: '8080',
  },
  FLORIN_WALLET_URL: {
    schema: origin.optional(),
    help: 'The URL at which people open the wallet: https, and the root of a host name that nothing else uses. Required with FLORIN_WALLET_PORT in production.',
    example: 'https://wallet.example.com',
  },
  FLORIN_WALLET_ISSUER: {
    schema: url.optional(),
    help: 'The issuer with which people log in to the wallet, one of those whose ID tokens are accepted. Default: the first one. Register FLORIN_WALLET_URL with /callback there.',
    example: 'https://login.example.com',
  },
  FLORIN_WALLET_CLIENT_SECRET: {
    schema: z.string().min(1).optional(),
    help: 'The client secret of the wallet at that issuer, if the issuer gives web apps one. The wallet always uses PKCE.',
    secret: true,
  },
  FLORIN_WALLET_BRAND: {
    schema: brand.optional(),
    help: 'The branding of the wallet: a JSON object of name?, welcome?, accent?, accent_dark? (colours), logo_file? (an SVG), support_url?, explorers? ({ blockchain: URL to which the hash of a transaction is appended }).',
    example: '{"name":"Acme Pay","accent":"#0b57d0","logo_file":"/etc/florin/logo.svg"}',
  },
  FLORIN_WALLET_SANDBOX: {
    schema: sandbox.optional(),
    help: 'Only in the sandbox, which sets it: the people who can log in with one click, the faucet, the page for identity checks.',
  },
} as const satisfies Record<string, Variable>;
