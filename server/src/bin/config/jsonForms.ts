/** The forms of variables that hold JSON, and of amounts in them. */
import { z } from 'zod';
import { blockchains } from '../../adapters/chain/blockchains.ts';
import { SIGNING_ALGORITHMS } from '../../adapters/identity/issuerRule.ts';
import { parseUsdc } from '../../core/money.ts';

export const usdcAmount = z.string().transform((text, context) => {
  try {
    if (!/^\d+(\.\d+)?$/.test(text)) throw new TypeError();
    const amount = parseUsdc(text);
    if (amount > 0n) return amount;
  } catch {}
  context.addIssue({ code: 'custom', message: 'is not an amount of USDC above 0, such as 10000 or 2500.50' });
  return z.NEVER;
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

export const oidcIssuers = json.pipe(
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

export const relayers = z.number().int().min(1).max(16);
export const maxFeeGwei = z.number().int().min(1).max(1_000_000);

/** In coins of the blockchain, which have 18 decimals everywhere. */
const minGas = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,18})?$/, 'is not an amount of the coin that pays gas, such as "0.05"')
  .transform((text) => {
    const [whole = '', fraction = ''] = text.split('.');
    return BigInt(whole + fraction.padEnd(18, '0'));
  });

export const chains = json.pipe(
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
    }),
  ),
);

const maxAge = z.int().min(1).max(31_536_000).default(3_600);
const pair = z.string().regex(/^[A-Z0-9]{2,10}\/[A-Z0-9]{2,10}$/, 'is not a pair like ETH/USD');
export const prices = json.pipe(
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
