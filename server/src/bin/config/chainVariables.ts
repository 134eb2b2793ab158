import { z } from 'zod';
import { blockchains } from '../../adapters/chain/blockchains.ts';
import { PROVIDERS } from '../../adapters/wallets/providers.ts';
import { json, usdcAmount, type Variable } from './shapes.ts';

const httpUrl = z.url({ protocol: /^https?$/, message: 'is not an http URL' });
const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'is not an address')
  .transform((text) => text as `0x${string}`);

const relayers = z.number().int().min(1).max(16);
const maxFeeGwei = z.number().int().min(1).max(1_000_000);

/** In the blockchain's own coin, which has 18 decimals everywhere. */
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
      wallets: z.enum(PROVIDERS).optional(),
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

/** The variables for blockchains, relayers' fees and price sources. */
export const chainVariables = {
  FLORIN_HOME_BLOCKCHAIN: {
    schema: z
      .string()
      .regex(/^[A-Z0-9][A-Z0-9-]{1,31}$/, 'is not the name of a blockchain, such as ETH-SEPOLIA')
      .default('ETH-SEPOLIA'),
    help: 'The blockchain whose USDC people use to pay each other.',
    example: 'ETH-SEPOLIA',
  },
  FLORIN_CHAINS: {
    schema: chains,
    help: 'The blockchains that Florin is connected to: a JSON array of { blockchain, rpc_urls, finality?, relayers?, max_fee_gwei?, min_gas?, start_block?, settle_min?, wallets? }. Decisions about money need the same answer from a majority of all nodes (1 of 1, 2 of 2, 2 of 3), so one of three nodes may fail; docs/operating/nodes.md explains what nodes must keep. finality is "finalized" or a number of blocks and overrides the default of the blockchain. relayers and max_fee_gwei override FLORIN_RELAYERS and FLORIN_MAX_FEE_GWEI. A relayer with less than min_gas coins (a string such as "0.05") gets no new work. Florin looks for deposits after start_block, by default after the last final block at the first start. Settlement makes no transfer below settle_min (a string such as "0.5"), by default 1 USDC on Ethereum and 0.05 elsewhere. wallets overrides FLORIN_WALLETS.',
    example: '[{"blockchain":"ETH-SEPOLIA","rpc_urls":["https://node.example.com/key"]}]',
    secret: true,
  },
  FLORIN_PRICES: {
    schema: prices,
    help: 'Sources of prices, instead of the feeds of the home blockchain: a JSON array of { kind: "feed", pair, blockchain, address }, { kind: "http", pair, url, path } or { kind: "subgraph", pair, url, query, path }, each with time_path? and max_age_seconds?.',
    secret: true,
  },
  FLORIN_RELAYERS: {
    schema: z.coerce.number().pipe(relayers).default(1),
    help: 'The number of relayer wallets that pay the gas on each blockchain. FLORIN_CHAINS can override it.',
    example: '1',
  },
  FLORIN_MAX_FEE_GWEI: {
    schema: z.coerce.number().pipe(maxFeeGwei).optional(),
    help: 'The maximum fee that a relayer bids per unit of gas. If gas costs more, payments wait. FLORIN_CHAINS can override it. Default: a suitable value for each blockchain, such as 300 on ETH and 10 on BASE.',
    example: '300',
  },
} satisfies Record<string, Variable>;
