import { describe, expect, it } from 'vitest';
import type { CircleConfig } from '../../adapters/wallets/circle/circleProvider.ts';
import { readSigner } from './config.ts';
import type { ConfigError } from './configError.ts';
import type { Env } from './values.ts';

const ENTITY_SECRET = 'c4'.repeat(32);
const signer = {
  DATABASE_URL: 'postgres://florin_signing:hunter2@db.internal/florin?sslmode=verify-full',
  FLORIN_SIGNER_URL: 'unix:/run/florin/signer.sock',
  FLORIN_SIGNER_TOKENS: 'server=wq4Vt8Lm2Zr6Yc1Nb7Kd3Xh9Pf5Js0Gu, worker=Hn5Rb1Tz8Qk3Wy6Lc9Vd2Mf7Xg4Jp0Sa',
  FLORIN_WALLET_SEED_FILE: '/etc/florin/wallet-seed.json',
  FLORIN_WALLET_SECRET: 'q7Jm2vXk9LpR4tYw8ZsB3nCf6HdG1aEu5',
  FLORIN_SIGNER_LIMITS: 'none',
  FLORIN_CHAINS: '[{"blockchain":"ETH-SEPOLIA","rpc_urls":["https://node.example.com"]}]',
};
const circle = {
  ...signer,
  FLORIN_WALLETS: 'circle',
  FLORIN_CIRCLE_API_KEY: 'TEST_API_KEY:id:hunter2',
  FLORIN_CIRCLE_ENTITY_SECRET: ENTITY_SECRET,
};
const faultsOf = (env: Record<string, string>): readonly string[] => {
  try {
    readSigner(env);
    return [];
  } catch (error) {
    return (error as ConfigError).faults;
  }
};

const circleOf = (env: Env) => readSigner(env).providers.circle as CircleConfig | undefined;

describe('wallets at Circle', () => {
  it('need a key and the entity secret; without them the seed has all wallets', () => {
    expect(circleOf(signer)).toBeUndefined();
    expect(circleOf(circle)).toEqual({
      url: 'https://api.circle.com',
      apiKey: circle.FLORIN_CIRCLE_API_KEY,
      entitySecret: Buffer.from(ENTITY_SECRET, 'hex'),
      walletSet: undefined,
      accountType: 'SCA',
      feeLevel: 'MEDIUM',
    });
    const sending = {
      ...circle,
      FLORIN_WALLETS: 'circle_send',
      FLORIN_CIRCLE_ACCOUNT: 'EOA',
      FLORIN_CIRCLE_FEE: 'HIGH',
    };
    expect(circleOf(sending)).toMatchObject({ accountType: 'EOA', feeLevel: 'HIGH' });
    expect(faultsOf({ ...signer, FLORIN_WALLETS: 'circle' })).toEqual([
      'FLORIN_CIRCLE_API_KEY is missing: FLORIN_WALLETS is circle',
      'FLORIN_CIRCLE_ENTITY_SECRET is missing: FLORIN_WALLETS is circle',
    ]);
  });

  it('are also on Solana and Aptos, wherever the others are, and every process has them', () => {
    const elsewhere = { FLORIN_CIRCLE_BLOCKCHAINS: 'SOL-DEVNET, APTOS-TESTNET' };
    const { wallets, networks } = readSigner({ ...circle, FLORIN_WALLETS: 'local', ...elsewhere });
    expect(wallets).toEqual({
      home: 'local',
      provider: 'local',
      networks: { 'SOL-DEVNET': 'circle_send', 'APTOS-TESTNET': 'circle_send' },
    });
    expect(networks.map(({ blockchain, chainId }) => [blockchain, chainId])).toEqual([
      ['ETH-SEPOLIA', 11_155_111],
      ['SOL-DEVNET', 0],
      ['APTOS-TESTNET', 0],
    ]);
    expect(faultsOf({ ...signer, ...elsewhere })).toEqual([
      'FLORIN_CIRCLE_API_KEY is missing: FLORIN_CIRCLE_BLOCKCHAINS is SOL-DEVNET, APTOS-TESTNET',
      'FLORIN_CIRCLE_ENTITY_SECRET is missing: FLORIN_CIRCLE_BLOCKCHAINS is SOL-DEVNET, APTOS-TESTNET',
    ]);
    expect(faultsOf({ ...circle, FLORIN_CIRCLE_BLOCKCHAINS: 'SOL' })).toEqual([
      'FLORIN_CIRCLE_API_KEY is a test key, which does not work for SOL',
    ]);
    expect(faultsOf({ ...circle, FLORIN_CIRCLE_BLOCKCHAINS: 'NEAR' })[0]).toMatch(/FLORIN_CIRCLE_BLOCKCHAINS .*APTOS/);
  });

  it('have a base URL without a trailing slash', () => {
    const env = { ...circle, FLORIN_CIRCLE_URL: 'https://circle.example.com/wallets/' };
    expect(circleOf(env)!.url).toBe('https://circle.example.com/wallets');
  });

  it.each([
    [{ FLORIN_WALLETS: 'local' }, /FLORIN_CIRCLE_API_KEY is set, but FLORIN_WALLETS is not circle/],
    [{ FLORIN_WALLETS: 'fireblocks' }, /FLORIN_WALLETS invalid/],
    [{ FLORIN_CIRCLE_API_KEY: 'hunter2' }, /is not TEST_API_KEY:ID:SECRET/],
    [{ FLORIN_CIRCLE_API_KEY: 'LIVE_API_KEY:id:hunter2' }, /is a live key, which does not work for ETH-SEPOLIA/],
    [{ FLORIN_CIRCLE_ENTITY_SECRET: 'c4'.repeat(31) }, /is not 64 hexadecimal digits/],
    [{ FLORIN_CIRCLE_WALLET_SET: 'mine' }, /is not the id of a wallet set/],
    [{ FLORIN_CIRCLE_URL: 'http://127.0.0.1:8000' }, /must use https/],
    [{ FLORIN_CIRCLE_URL: 'api.circle.com' }, /is not a URL/],
    [{ FLORIN_CHAINS: '' }, /names no blockchain/],
    [{ FLORIN_MODE: 'sandbox', FLORIN_CIRCLE_API_KEY: 'LIVE_API_KEY:id:hunter2' }, /without live provider keys/],
    [{ FLORIN_MODE: 'sandbox', FLORIN_CIRCLE_URL: 'http://circle.example.com' }, /must use https/],
  ])('with %j are refused, and no message shows a secret', (given, message) => {
    const faults = faultsOf({ ...circle, ...given }).join('\n');
    expect(faults).toMatch(message);
    expect(faults).not.toMatch(/hunter2|c4c4/);
  });

  it('may be in a double on this machine, in the sandbox', () => {
    const FLORIN_CHAINS = JSON.stringify([
      { blockchain: 'ETH-SEPOLIA', chain_id: 31337, rpc_urls: ['http://127.0.0.1:1'] },
    ]);
    const given = { FLORIN_MODE: 'sandbox', FLORIN_CIRCLE_URL: 'http://127.0.0.1:8000', FLORIN_CHAINS };
    expect(circleOf({ ...circle, ...given })!.url).toBe(given.FLORIN_CIRCLE_URL);
  });
});
