import { describe, expect, it } from 'vitest';
import { blockchains } from '../../adapters/chain/blockchains.ts';
import { readConfig } from './config.ts';
import type { ConfigError } from './configError.ts';
import { findUsualGas } from './usualGas.ts';

const production = {
  DATABASE_URL: 'postgres://florin:hunter2@db.internal/florin?sslmode=verify-full',
  FLORIN_OIDC_ISSUERS: '[{"issuer":"https://login.example.com","audience":"florin"}]',
  FLORIN_SIGNER_URL: 'unix:/run/florin/signer.sock',
  FLORIN_SIGNER_TOKEN: 'q7Jm2vXk9LpR4tYw8ZsB3nCf6HdG1aEu5',
};
const sandbox = { ...production, FLORIN_MODE: 'sandbox' };
const sepolia = { blockchain: 'ETH-SEPOLIA', rpc_urls: ['https://node.example.com/secret-key'] };
const devnet = { ...sepolia, rpc_urls: ['http://127.0.0.1:1'], chain_id: 31_337 };

function faults(env: Record<string, string>, chains: unknown[], rates: unknown[] = []): readonly string[] {
  try {
    readConfig({ ...env, FLORIN_CHAINS: JSON.stringify(chains), FLORIN_PRICES: JSON.stringify(rates) });
    return [];
  } catch (error) {
    return (error as ConfigError).faults;
  }
}

describe('chains in the configuration', () => {
  it('take ids, tokens and finality from our own table', () => {
    const { chains } = readConfig({
      ...production,
      FLORIN_CHAINS: JSON.stringify([sepolia, { ...sepolia, blockchain: 'MATIC', finality: 64 }]),
    });
    expect(chains).toMatchObject([
      {
        chainId: 11_155_111,
        tokens: [{ symbol: 'USDC', decimals: 6, contract: '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238' }],
        finality: { kind: 'tag' },
        relayers: undefined,
        maxFeeWei: undefined,
        startBlock: undefined,
      },
      { chainId: 137, finality: { kind: 'blocks', blocks: 64 } },
    ]);
  });

  it('may each have their own relayers, fees and first block', () => {
    const own = { ...sepolia, relayers: 3, max_fee_gwei: 2, min_gas: '0.05', start_block: 4_500_000 };
    const { chains, custody } = readConfig({ ...production, FLORIN_CHAINS: JSON.stringify([own]) });
    expect(chains).toMatchObject([
      { relayers: 3, maxFeeWei: 2_000_000_000n, minGasWei: 5n * 10n ** 16n, startBlock: 4_500_000n },
    ]);
    expect(custody).toMatchObject({ relayers: 1, maxFeeWei: undefined });
    expect(
      faults(production, [{ ...sepolia, relayers: 0, max_fee_gwei: 0.5, min_gas: '-1', start_block: -1 }]),
    ).toEqual([
      'FLORIN_CHAINS [0.relayers] too small: expected number to be >=1',
      'FLORIN_CHAINS [0.max_fee_gwei] invalid input: expected int, received number',
      'FLORIN_CHAINS [0.min_gas] is not an amount of the coin that pays gas, such as "0.05"',
      'FLORIN_CHAINS [0.start_block] too small: expected number to be >=0',
    ]);
    expect(faults(production, [{ ...sepolia, max_fee: 1 }])).toEqual(['FLORIN_CHAINS [0] unrecognized key: "max_fee"']);
  });

  it('have a fee cap and a gas minimum each, but a devnet has none of its own', () => {
    for (const [name, { chainId }] of Object.entries(blockchains)) {
      expect(findUsualGas(name, chainId), name).toBeDefined();
      expect(findUsualGas(name, 31_337)).toBeUndefined();
    }
    expect(findUsualGas('BASE', 8_453)!.maxFeeWei).toBeLessThan(findUsualGas('ETH', 1)!.maxFeeWei);
  });

  it('can be a devnet only in the sandbox', () => {
    expect(faults(sandbox, [devnet])).toEqual([]);
    expect(faults(sandbox, [sepolia])).toMatchInlineSnapshot(`
      [
        "FLORIN_CHAINS: the sandbox runs on a devnet (chain_id 31337 or 31338), not on the real ETH-SEPOLIA",
      ]
    `);
    expect(faults(production, [devnet])).toMatchInlineSnapshot(`
      [
        "FLORIN_CHAINS: ETH-SEPOLIA has chain id 11155111, not 31337 (a devnet)",
        "FLORIN_CHAINS: the rpc_urls of ETH-SEPOLIA must use https",
      ]
    `);
  });

  it('cannot have another token in production', () => {
    const other = '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174';
    expect(faults(sandbox, [{ ...devnet, usdc_address: other }])).toEqual([]);
    expect(faults(production, [{ ...sepolia, usdc_address: other }])[0]).toMatch('is 0x1c7D4B196Cb0');
  });

  it('are named once, known, and include the home blockchain; no message shows a URL', () => {
    expect(faults(production, [sepolia, sepolia])).toEqual(['FLORIN_CHAINS names ETH-SEPOLIA twice']);
    expect(faults(production, [{ ...sepolia, blockchain: 'DOGE' }])[0]).toMatch('FLORIN_CHAINS [0.blockchain]');
    const all = [
      ...faults(production, [{ ...sepolia, blockchain: 'BASE' }]),
      ...faults(production, [{ ...sepolia, rpc_urls: ['ftp://secret-key'] }]),
    ];
    expect(all[0]).toBe('FLORIN_CHAINS lacks the home blockchain ETH-SEPOLIA');
    expect(all.join()).not.toContain('secret-key');
  });

  it('have the feeds that rates are read from', () => {
    const feed = { kind: 'feed', pair: 'EUR/USD', blockchain: 'BASE', address: `0x${'12'.repeat(20)}` };
    expect(faults(production, [sepolia], [feed])[0]).toMatch('which FLORIN_CHAINS does not name');
    const graph = { kind: 'subgraph', pair: 'ETH/USD', url: 'https://graph.example', path: 'data.price' };
    expect(faults(production, [sepolia], [graph])).toEqual(['FLORIN_PRICES has no query for ETH/USD']);
  });

  it('accept prices over http from this machine alone', () => {
    const from = (url: string) => [{ kind: 'http', pair: 'ETH/USD', url, path: 'price' }];
    const fault = 'FLORIN_PRICES must use https for ETH/USD, except on this machine';
    for (const url of ['http://prices.example', 'http://127.0.0.1.example/', 'http://10.0.0.1/'])
      expect(faults(production, [sepolia], from(url))).toEqual([fault]);
    for (const url of ['https://prices.example', 'http://127.0.0.1:9/', 'http://localhost/', 'http://[::1]/'])
      expect(faults(production, [sepolia], from(url))).toEqual([]);
  });
});
