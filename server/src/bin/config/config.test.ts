import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig, readSigner } from './config.ts';
import type { ConfigError } from './configError.ts';

const SECRET = 'q7Jm2vXk9LpR4tYw8ZsB3nCf6HdG1aEu5';

const production = {
  DATABASE_URL: 'postgres://florin:hunter2@db.internal/florin?sslmode=verify-full',
  FLORIN_OIDC_ISSUERS: '[{"issuer":"https://login.example.com","audience":"florin"}]',
  FLORIN_SIGNER_URL: 'unix:/run/florin/signer.sock',
  FLORIN_SIGNER_TOKEN: 'q7Jm2vXk9LpR4tYw8ZsB3nCf6HdG1aEu5',
};
const sumsub = {
  FLORIN_SUMSUB_APP_TOKEN: 'prd:token',
  FLORIN_SUMSUB_SECRET_KEY: 'hunter2',
  FLORIN_SUMSUB_WEBHOOK_SECRET: 'hunter3',
};
const sandbox = { ...production, FLORIN_MODE: 'sandbox', FLORIN_SIGNER_TOKEN: 'short' };

const oidc = (...issuers: string[]) => JSON.stringify(issuers.map((issuer) => ({ issuer, audience: 'x' })));

function faults(env: Record<string, string | undefined>): readonly string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    return (error as ConfigError).faults;
  }
}

describe('configuration', () => {
  it('is production by default', () => {
    const config = readConfig(production);
    expect(config.mode).toBe('production');
    expect(config.issuers[0]).toMatchObject({ issuers: ['https://login.example.com'], audiences: ['florin'] });
  });

  it('reports all faults in one message', () => {
    const env = { FLORIN_MODE: 'prod', FLORIN_WEB3_PORT: '99999', FLORIN_OIDC_ISSUERS: '[{"issuer":1}]' };
    expect(() => readConfig(env)).toThrowErrorMatchingInlineSnapshot(`
      [ConfigError: The configuration has 7 faults:
        - FLORIN_MODE invalid option: expected one of "production"|"sandbox"
        - FLORIN_WEB3_PORT too big: expected number to be <=65535
        - DATABASE_URL is missing
        - FLORIN_OIDC_ISSUERS [0.issuer] invalid input: expected string, received number
        - FLORIN_OIDC_ISSUERS [0.audience] invalid input
        - FLORIN_SIGNER_URL is missing: the address of the signer
        - FLORIN_SIGNER_TOKEN is missing: the signer refuses calls without one]
    `);
  });

  it('never shows a secret', () => {
    const env = { ...production, DATABASE_URL: 'mysql://root:hunter2@db', FLORIN_SIGNER_TOKEN: 'hunter2' };
    expect(faults(env)).toHaveLength(2);
    expect(faults(env).join()).not.toContain('hunter2');
  });

  it('lets sends wait only when configured', () => {
    expect(readConfig(production).sendRules).toEqual({
      approvalThreshold: undefined,
      newRecipientDelaySeconds: 0,
      blacklistSeconds: 60,
    });
    const env = { FLORIN_APPROVAL_THRESHOLD: '2500.5', FLORIN_NEW_RECIPIENT_DELAY_SECONDS: '3600' };
    expect(readConfig({ ...production, ...env }).sendRules).toEqual({
      approvalThreshold: 2_500_500_000n,
      newRecipientDelaySeconds: 3600,
      blacklistSeconds: 60,
    });
  });

  it.each(['0', '-1', 'ten', '1e3', '0.0000001', '99999999999'])('refuses a threshold of %s', (threshold) => {
    expect(faults({ ...production, FLORIN_APPROVAL_THRESHOLD: threshold })).toEqual([
      'FLORIN_APPROVAL_THRESHOLD is not an amount of USDC above 0, such as 10000 or 2500.50',
    ]);
  });

  it('reads the presets', () => {
    const { issuers } = readConfig({
      ...production,
      FLORIN_OIDC_ISSUERS: '',
      FLORIN_FIREBASE_PROJECT_ID: 'shop',
      FLORIN_GOOGLE_CLIENT_IDS: 'a, b',
      FLORIN_APPLE_CLIENT_IDS: 'c',
    });
    expect(issuers.map((rule) => [rule.identity, rule.audiences])).toEqual([
      ['https://securetoken.google.com/shop', ['shop']],
      ['https://accounts.google.com', ['a', 'b']],
      ['https://appleid.apple.com', ['c']],
    ]);
  });
});

describe('TLS files', () => {
  it.each<[string, Record<string, string>, RegExp[]]>([
    ['a certificate alone', { FLORIN_TLS_CERT_FILE: '/x' }, [/KEY_FILE is missing/]],
    ['a key alone', { FLORIN_TLS_KEY_FILE: '/x' }, [/CERT_FILE is missing/]],
    ['clients without TLS', { FLORIN_WEB3_CLIENT_CA_FILE: '/x' }, [/CLIENT_CA_FILE needs/]],
    [
      'missing files, reported with all other faults',
      { FLORIN_TLS_CERT_FILE: '/no/a', FLORIN_TLS_KEY_FILE: '/no/b', FLORIN_SIGNER_TOKEN: 'short' },
      [/CERT_FILE cannot be read/, /KEY_FILE cannot be read/, /SIGNER_TOKEN is too weak/],
    ],
  ])('%s', (_, env, wanted) => {
    const found = faults({ ...production, ...env });
    expect(found).toHaveLength(wanted.length);
    for (const [i, pattern] of wanted.entries()) expect(found[i]).toMatch(pattern);
  });
});

describe('production refuses to start', () => {
  const issuer = (fields: object) => ({
    ...production,
    FLORIN_OIDC_ISSUERS: JSON.stringify([{ audience: 'x', ...fields }]),
  });
  it.each<[string, Record<string, string>, RegExp]>([
    ['with a short secret', { ...production, FLORIN_SIGNER_TOKEN: 'q7Jm2vXk9LpR4tYw8ZsB' }, /too weak/],
    ['with a placeholder', { ...production, FLORIN_SIGNER_TOKEN: 'changeme-changeme-changeme-1234567' }, /too weak/],
    ['with a repeated secret', { ...production, FLORIN_SIGNER_TOKEN: 'ab'.repeat(20) }, /too weak/],
    ['with no issuer', { ...production, FLORIN_OIDC_ISSUERS: '' }, /no one could log in/],
    ['with an issuer over http', issuer({ issuer: 'http://login.example.com' }), /https/],
    ['with keys over http', issuer({ issuer: 'https://a.example', jwks_uri: 'http://a.example/k' }), /https/],
    ["with the sandbox's issuer", issuer({ issuer: 'http://127.0.0.1:1', identity: 'florin-sandbox' }), /sandbox/],
    ["with a token of Sumsub's sandbox", { ...production, ...sumsub, FLORIN_SUMSUB_APP_TOKEN: 'sbx:t' }, /sandbox/],
    ['with Sumsub over http', { ...production, ...sumsub, FLORIN_SUMSUB_URL: 'http://127.0.0.1:1' }, /https/],
    [
      'with only some of Sumsub’s settings',
      { ...production, ...sumsub, FLORIN_SUMSUB_WEBHOOK_SECRET: '' },
      /WEBHOOK_SECRET is missing/,
    ],
    ['with a weak digest', { ...production, ...sumsub, FLORIN_SUMSUB_WEBHOOK_ALGORITHM: 'HMAC_SHA1_HEX' }, /ALGORITHM/],
    ['with a symmetric algorithm', issuer({ issuer: 'https://a.example', algorithms: ['HS256'] }), /algorithms/],
  ])('%s', (_, env, message) => expect(faults(env).join('\n')).toMatch(message));

  it.each([
    ['FLORIN_WALLET_SEED_FILE', `server=${SECRET}`],
    ['FLORIN_WALLET_SECRET', `server=${SECRET}`],
    ['FLORIN_WALLET_SECRET_NEXT', `server=${SECRET}`],
    ['FLORIN_SIGNER_TOKENS', `server=${SECRET}`],
    ['FLORIN_CIRCLE_API_KEY', `TEST_API_KEY:id:${SECRET}`],
    ['FLORIN_CIRCLE_ENTITY_SECRET', 'c4'.repeat(32)],
  ])('with %s, which is for the signer alone', (name, value) => {
    const fault = `${name} is set: only the signer may have it (docs/operating/signer.md)`;
    expect(faults({ ...production, [name]: value })).toEqual([fault]);
    expect(faults({ ...sandbox, [name]: value })).toEqual([fault]);
  });

  it('with a signer on another machine without TLS', () => {
    expect(faults({ ...production, FLORIN_SIGNER_URL: 'http://signer.internal:9470' })).toEqual([
      'FLORIN_SIGNER_URL must use https beyond this machine: http://signer.internal:9470',
    ]);
    for (const url of ['https://signer.internal:9470', 'http://127.0.0.1:9470', 'unix:/run/a.sock, unix:/run/b.sock'])
      expect(faults({ ...production, FLORIN_SIGNER_URL: url })).toEqual([]);
    expect(faults({ ...production, FLORIN_SIGNER_URL: 'signer.internal' }).join()).toMatch(/is not unix:/);
  });
});

describe('the configuration of the signer', () => {
  const SERVER = 'wq4Vt8Lm2Zr6Yc1Nb7Kd3Xh9Pf5Js0Gu';
  const signer = {
    DATABASE_URL: 'postgres://florin_signing:hunter2@db.internal/florin?sslmode=verify-full',
    FLORIN_SIGNER_URL: 'unix:/run/florin/signer.sock',
    FLORIN_SIGNER_TOKENS: `server=${SERVER}, worker=Hn5Rb1Tz8Qk3Wy6Lc9Vd2Mf7Xg4Jp0Sa`,
    FLORIN_WALLET_SEED_FILE: '/etc/florin/wallet-seed.json',
    FLORIN_WALLET_SECRET: SECRET,
    FLORIN_SIGNER_LIMITS: 'payment=10000, day=250000',
    FLORIN_CHAINS: '[{"blockchain":"ETH-SEPOLIA","rpc_urls":["https://node.example.com"]}]',
  };
  const faultsOf = (env: Record<string, string>) => {
    try {
      readSigner(env);
      return [];
    } catch (error) {
      return (error as ConfigError).faults;
    }
  };

  it('needs seed, secret, tokens and an address, and nothing of a server', () => {
    expect(readSigner(signer)).toMatchObject({ mode: 'production', url: signer.FLORIN_SIGNER_URL });
    expect(faultsOf({ DATABASE_URL: signer.DATABASE_URL })).toEqual([
      'FLORIN_WALLET_SEED_FILE is missing',
      'FLORIN_WALLET_SECRET is missing',
      'FLORIN_SIGNER_URL is missing: the signer listens there',
      'FLORIN_SIGNER_TOKENS has no token for the server',
      'FLORIN_SIGNER_TOKENS has no token for the worker',
      'FLORIN_SIGNER_LIMITS is missing: the most that the signer signs, such as payment=10000, day=250000, or none',
    ]);
    expect(readSigner({ ...signer, FLORIN_SIGNER_LIMITS: 'none' }).limits).toEqual({});
  });

  it.each([
    [{ FLORIN_WALLET_SECRET: 'short' }, /FLORIN_WALLET_SECRET is too weak/],
    [{ FLORIN_SIGNER_TOKENS: `server=short, worker=${SERVER}` }, /too weak/],
    [{ FLORIN_SIGNER_TOKENS: `server=${SERVER}, worker=${SERVER}` }, /the same token twice/],
    [{ FLORIN_SIGNER_TOKENS: SERVER }, /is not server=TOKEN/],
    [{ FLORIN_SIGNER_URL: 'https://signer.internal:9470' }, /CERT_FILE and FLORIN_TLS_KEY_FILE are missing/],
    [{ FLORIN_SIGNER_LIMITS: 'hour=5' }, /is not one of payment, day/],
    [{ FLORIN_SIGNER_LIMITS: 'day=-5' }, /is not one of payment, day/],
  ])('%j is refused, and no message shows a secret', (given, message) => {
    expect(faultsOf({ ...signer, ...given }).join('\n')).toMatch(message);
    expect(faultsOf({ ...signer, ...given }).join('\n')).not.toContain(SERVER);
  });

  it('listens elsewhere than others reach it', () => {
    const { FLORIN_SIGNER_URL: _, ...others } = signer;
    const listen = { FLORIN_SIGNER_LISTEN: 'unix:/run/other.sock' };
    expect(readSigner({ ...signer, ...listen }).url).toBe('unix:/run/other.sock');
    expect(readSigner({ ...others, ...listen }).url).toBe('unix:/run/other.sock');
    expect(faultsOf({ ...signer, FLORIN_SIGNER_LISTEN: 'http://0.0.0.0:9470' })).toEqual([
      'FLORIN_SIGNER_LISTEN must use https beyond this machine: http://0.0.0.0:9470',
    ]);
    expect(faultsOf({ ...signer, FLORIN_SIGNER_LISTEN: 'https://0.0.0.0:9470' }).join()).toMatch(/CERT_FILE/);
  });

  it('refuses the seed of a sandbox in production', () => {
    const folder = mkdtempSync(join(tmpdir(), 'florin-config-'));
    writeFileSync(join(folder, 'issuer-key.json'), '{}');
    const env = { ...signer, FLORIN_WALLET_SEED_FILE: join(folder, 'wallet-seed.json') };
    expect(faultsOf(env)).toEqual(['FLORIN_WALLET_SEED_FILE is the seed of a sandbox']);
    rmSync(folder, { recursive: true });
  });

  it('has the token and the highest fee of each blockchain built in', () => {
    const { networks, limits } = readSigner({ ...signer, FLORIN_SIGNER_LIMITS: 'payment=10, day=99.5' });
    expect(networks).toMatchObject([
      { blockchain: 'ETH-SEPOLIA', chainId: 11155111, maxFeePerGasWei: 300_000_000_000n },
    ]);
    expect(limits).toEqual({ payment: 10_000_000n, day: 99_500_000n });
  });
});

describe('the sandbox refuses to start', () => {
  it('but starts on loopback', () => {
    for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', '::1']) {
      expect(faults({ ...sandbox, FLORIN_HOST: host })).toEqual([]);
    }
  });
  it.each(['0.0.0.0', '::', '192.168.1.5', 'florin.example.com', '127.0.0.1.evil.example'])('on %s', (host) => {
    expect(faults({ ...sandbox, FLORIN_HOST: host }).join()).toMatch(/loopback/);
    expect(faults({ ...sandbox, FLORIN_OPS_HOST: host }).join()).toMatch(/loopback/);
  });
  it('beside live provider keys', () => {
    expect(faults({ ...sandbox, CIRCLE_API_KEY: 'LIVE_API_KEY:id:secret' }).join()).toMatch(/live key/);
    expect(faults({ ...sandbox, SUMSUB_APP_TOKEN: 'prd:abc' }).join()).toMatch(/live key/);
    expect(faults({ ...sandbox, ...sumsub })).toEqual([expect.stringContaining('live key')]);
    expect(faults({ ...production, ...sumsub })).toEqual([]);
  });

  it.each([
    'abcdefghijklmnopqrstuvwxyz0123456789',
    'zyxwvutsrqponmlkjihgfedcba9876543210',
    'qwertyuiopasdfghjklzxcvbnm1234567890',
    'aaaaabbbbbcccccdddddeeeeefffffggggghhhhhiiiiijjjjj',
    'q7Jm2vXk9Lq7Jm2vXk9Lq7Jm2vXk9Lq7Jm2vXk9L',
    'My-Very-Long-Passw0rd-passwd-For-Florin',
  ])('does not accept %s as a secret', (secret) => {
    expect(faults({ ...production, FLORIN_SIGNER_TOKEN: secret })).toEqual([expect.stringMatching(/too weak/)]);
  });

  it.each(Array.from({ length: 20 }, () => randomBytes(32).toString('base64')))(
    'accepts a random one: %s',
    (secret) => {
      expect(faults({ ...production, FLORIN_SIGNER_TOKEN: secret })).toEqual([]);
    },
  );

  it.each([
    [{ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, /NODE_TLS_REJECT_UNAUTHORIZED/],
    [{ DATABASE_URL: 'postgres://florin:password@db.internal/florin' }, /DATABASE_URL has a password/],
    [{ DATABASE_URL: 'postgres://florin:Postgres@db.internal/florin' }, /DATABASE_URL has a password/],
    [{ DATABASE_URL: 'postgres://florin@db.internal/florin?password=11111111' }, /DATABASE_URL has a password/],
    [{ FLORIN_CONNECTIONS: 'address=0' }, /FLORIN_CONNECTIONS "address=0" is not/],
    [{ FLORIN_CONNECTIONS: 'everyone=9' }, /FLORIN_CONNECTIONS "everyone=9" is not/],
    [{ FLORIN_HOST: '0.0.0.0' }, /FLORIN_HOST .* plain HTTP/],
    [{ FLORIN_HOST: '::' }, /FLORIN_HOST .* plain HTTP/],
    [{ FLORIN_HOST: '10.0.0.7', FLORIN_PLAIN_HTTP: 'false' }, /FLORIN_HOST .* plain HTTP/],
    [{ FLORIN_HOST: 'api.example.com' }, /FLORIN_HOST .* plain HTTP/],
    [{ FLORIN_HOME_BLOCKCHAIN: "eth'; DROP TABLE users" }, /FLORIN_HOME_BLOCKCHAIN is not the name/],
    [{ FLORIN_HOME_BLOCKCHAIN: 'E' }, /FLORIN_HOME_BLOCKCHAIN is not the name/],
    [{ FLORIN_REQUIRE_IDEMPOTENCY_KEY: 'maybe' }, /FLORIN_REQUIRE_IDEMPOTENCY_KEY/],
    [{ FLORIN_GOOGLE_CLIENT_IDS: 'a', FLORIN_OIDC_ISSUERS: oidc('https://accounts.google.com') }, /configured twice/],
    [{ FLORIN_OIDC_ISSUERS: oidc('https://a.example', 'https://a.example') }, /configured twice/],
  ])('does not start in production with %j', (env, fault) => {
    expect(faults({ ...production, ...env })).toContainEqual(expect.stringMatching(fault));
  });

  it('does not let two issuers share an identity', () => {
    const issuers = ['https://a.example', 'https://b.example'].map((issuer) => ({
      issuer,
      audience: 'x',
      identity: 'us',
    }));
    expect(faults({ ...production, FLORIN_OIDC_ISSUERS: JSON.stringify(issuers) })).toEqual([
      'two issuers share the identity us',
    ]);
  });

  it('uses plain HTTP beyond this machine if configured', () => {
    expect(faults({ ...production, FLORIN_HOST: '0.0.0.0', FLORIN_PLAIN_HTTP: 'true' })).toEqual([]);
    for (const host of ['127.0.0.1', 'localhost', '::1'])
      expect(faults({ ...production, FLORIN_HOST: host })).toEqual([]);
  });

  it('limits connections by default', () => {
    expect(readConfig(production).connections).toEqual({ all: 8_000, address: 500 });
    const env = { ...production, FLORIN_CONNECTIONS: 'address=20' };
    expect(readConfig(env).connections).toEqual({ all: 8_000, address: 20 });
  });

  it.each([
    'postgres://florin:x7Kp2mQv@127.0.0.1/florin?sslmode=disable',
    'postgres://florin:x7Kp2mQv@[::1]/florin?sslmode=no-verify',
    'postgres:///florin?host=/var/run/postgresql&sslmode=disable',
    'postgres://florin:x7Kp2mQv@db.internal/florin?sslmode=verify-full',
  ])('starts in production with %s', (url) => {
    expect(faults({ ...production, DATABASE_URL: url })).toEqual([]);
  });

  it('requires Idempotency-Keys in production and not in the sandbox by default', () => {
    expect(readConfig(production).requiresIdempotencyKeys).toBe(true);
    expect(readConfig(sandbox).requiresIdempotencyKeys).toBe(false);
    expect(readConfig({ ...production, FLORIN_REQUIRE_IDEMPOTENCY_KEY: 'false' }).requiresIdempotencyKeys).toBe(false);
    expect(readConfig({ ...sandbox, FLORIN_REQUIRE_IDEMPOTENCY_KEY: 'true' }).requiresIdempotencyKeys).toBe(true);
  });
});

describe('the wallet', () => {
  const wallet = { FLORIN_WALLET_PORT: '8080', FLORIN_WALLET_URL: 'https://wallet.example.com/' };

  it('is not served unless it has a port', () => {
    expect(readConfig(production).wallet).toBeUndefined();
    expect(readConfig({ ...production, ...wallet }).wallet).toEqual({
      port: 8080,
      url: 'https://wallet.example.com',
      login: { issuer: 'https://login.example.com', clientId: 'florin', clientSecret: undefined },
      brand: {},
      sandbox: undefined,
    });
  });

  it.each([
    ['FLORIN_WALLET_URL', undefined, /FLORIN_WALLET_URL is missing/],
    ['FLORIN_WALLET_URL', 'http://wallet.example.com', /FLORIN_WALLET_URL must use https/],
    ['FLORIN_WALLET_ISSUER', 'https://other.example.com', /FLORIN_WALLET_ISSUER is not one of the issuers/],
    ['FLORIN_WALLET_BRAND', '{"accent":"red;}"}', /FLORIN_WALLET_BRAND .*is not a colour/],
    ['FLORIN_WALLET_BRAND', '{"nmae":"x"}', /FLORIN_WALLET_BRAND/],
    ['FLORIN_WALLET_BRAND', 'x', /FLORIN_WALLET_BRAND is not JSON/],
    [
      'FLORIN_WALLET_SANDBOX',
      '{"people":[],"faucet_url":"http://127.0.0.1:1","kyc_url":"http://127.0.0.1:2"}',
      /only for the sandbox/,
    ],
  ])('refuses %s=%s in production', (name, value, fault) => {
    expect(faults({ ...production, ...wallet, [name]: value })).toEqual([expect.stringMatching(fault)]);
  });

  it.each(['FLORIN_EXAMPLES_FILE', 'FLORIN_CALLS_FILE'])('refuses %s in production', (name) => {
    expect(faults({ ...production, [name]: '/tmp/file' })).toEqual([
      expect.stringContaining(`${name} is only for the sandbox`),
    ]);
  });

  it('logs people in with the named issuer', () => {
    const issuers = JSON.stringify([
      { issuer: 'https://one.example.com', audience: 'a' },
      { issuer: 'https://two.example.com/', audience: ['b', 'c'] },
    ]);
    const named = { FLORIN_OIDC_ISSUERS: issuers, FLORIN_WALLET_ISSUER: 'https://two.example.com' };
    expect(readConfig({ ...production, ...wallet, ...named }).wallet!.login).toMatchObject({
      issuer: 'https://two.example.com/',
      clientId: 'b',
    });
  });
});
