/** `florin doctor` finds every fault and lists each with its fix. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findFreePort } from '../../sandbox/src/ports.ts';
import { createSeedFile } from '../../server/src/adapters/wallets/local/seedFile.ts';
import type { Role } from '../../server/src/bin/config/parts.ts';
import { examine } from '../../server/src/bin/doctor/examine.ts';
import type { Finding } from '../../server/src/bin/doctor/finding.ts';
import { openDatabase } from '../../server/src/db/database.ts';
import { openAsset } from '../../server/src/ledger/accounts.ts';
import { pauseSends } from '../../server/src/operators/pauses.ts';
import { type Liar, serveLiar } from '../support/chain/serveLiar.ts';
import { type ServedTestChain, serveTestChain } from '../support/chain/serveTestChain.ts';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/database.ts';
import { HOME } from '../support/values.ts';

const SECRET = 'k3v9Qz7LmX2bT8wRfY5cJn1HsG6dPaE4uV0o';

let database: TestDatabase;
let chain: ServedTestChain;
let nodes: Liar[];
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'florin-doctor-'));
  database = await createTestDatabase();
  chain = await serveTestChain();
  nodes = await Promise.all([1, 2, 3].map(() => serveLiar(chain.url)));
  await chain.turn('/mine', { blocks: 30 });
});
afterAll(async () => {
  for (const node of nodes) node.close();
  await chain.close();
  await database.drop();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  for (const node of nodes) node.lie = undefined;
});

const withNodes = (urls: readonly string[], chainId = chain.config.chainId) => ({
  FLORIN_MODE: 'sandbox',
  DATABASE_URL: database.urlOf('operator'),
  FLORIN_CHAINS: JSON.stringify([{ blockchain: HOME, chain_id: chainId, rpc_urls: urls }]),
});

async function diagnose(env: Record<string, string>, as?: Role): Promise<readonly Finding[]> {
  return (await examine(as, env)).findings;
}

const bad = (findings: readonly Finding[]) =>
  findings
    .filter(({ level }) => level !== 'ok')
    .map(({ area, level, says, fix }) => `${area} ${level}: ${says} → ${fix}`);

const portOf = (url: string) => new URL(url).host;

describe('the operator console', () => {
  const env = () => ({
    DATABASE_URL: database.urlOf('console'),
    FLORIN_CONSOLE_URL: 'https://console.example.com',
    FLORIN_OIDC_ISSUERS: '[{"issuer":"https://staff.example.com","audience":"console"}]',
  });
  const sandbox = '{"operators":[]}';

  it.each<[string, () => Record<string, string>, RegExp | undefined]>([
    ['nothing is wrong', () => ({}), undefined],
    ['it has no URL', () => ({ FLORIN_CONSOLE_URL: '' }), /^FLORIN_CONSOLE_URL is missing/],
    ['its URL has no TLS', () => ({ FLORIN_CONSOLE_URL: 'http://console.example.com' }), /must use https$/],
    ['it is the wallet', () => ({ FLORIN_WALLET_URL: 'https://console.example.com' }), /the URL of the wallet$/],
    ['it is a sandbox', () => ({ FLORIN_CONSOLE_SANDBOX: sandbox }), /^FLORIN_CONSOLE_SANDBOX is only for the sandbox/],
    ['it can call the signer', () => ({ FLORIN_SIGNER_TOKEN: SECRET }), /^FLORIN_SIGNER_TOKEN is set/],
    ['it has the secret of the seed', () => ({ FLORIN_WALLET_SECRET: SECRET }), /^FLORIN_WALLET_SECRET is set/],
    [
      'it migrates',
      () => ({ FLORIN_OWNER_DATABASE_URL: database.urlOf('tester') }),
      /^FLORIN_OWNER_DATABASE_URL is set/,
    ],
    [
      'its issuer is unknown',
      () => ({ FLORIN_CONSOLE_ISSUER: 'https://other.example.com' }),
      /^FLORIN_CONSOLE_ISSUER is not/,
    ],
    ['no one can log in', () => ({ FLORIN_OIDC_ISSUERS: '[]' }), /no issuer of ID tokens is configured/],
    [
      'its login is an operator',
      () => ({ DATABASE_URL: database.urlOf('operator') }),
      /is not a member of \w+_console/,
    ],
    ['its login has another role', () => ({ DATABASE_URL: database.urlOf('tester') }), /is a member of \w+_operator/],
  ])('%s', async (_, changes, expected) => {
    const findings = await diagnose({ ...env(), ...changes() }, 'console');
    const faults = findings.filter(({ level }) => level === 'fault').map(({ says }) => says);
    if (expected) expect(faults).toContainEqual(expect.stringMatching(expected));
    else expect(faults).toEqual([]);
  });
});

describe('the database', () => {
  it('reports version, login and clock when it is healthy', async () => {
    const findings = await diagnose({ FLORIN_MODE: 'sandbox', DATABASE_URL: database.urlOf('operator') }, 'operator');
    expect(findings.map(({ says }) => says)).toContainEqual(
      expect.stringMatching(/^PostgreSQL \d+, database florin_test_\w+, login \w+_operator,/),
    );
    expect(findings.find(({ area }) => area === 'clocks')).toMatchObject({ level: 'ok' });
  });

  it.each<[string, (url: URL) => void, RegExp]>([
    [
      'refuses the password',
      (url) => (url.password = 'not-the-right-one'),
      /refuses the password of \w+_operator → .*ALTER ROLE "\w+_operator" PASSWORD/,
    ],
    [
      'has no such login',
      (url) => (url.username = 'nobody_at_all'),
      /(refuses the password of|refuses the login) nobody_at_all/,
    ],
    [
      'does not exist',
      (url) => (url.pathname = '/no_such_database'),
      /there is no database no_such_database at .* → .*CREATE DATABASE "no_such_database"; then florin migrate/,
    ],
    [
      'has an unknown host',
      (url) => (url.hostname = 'no-such-host.invalid'),
      /the host no-such-host\.invalid does not exist|does not answer/,
    ],
    ['does not listen', (url) => (url.port = '1'), /does not answer: .*ECONNREFUSED.* → start PostgreSQL there/],
  ])('reports that it %s', async (_, change, expected) => {
    const url = new URL(database.urlOf('operator'));
    change(url);
    const [fault, ...others] = bad(await diagnose({ FLORIN_MODE: 'sandbox', DATABASE_URL: url.href }, 'operator'));
    expect(fault).toMatch(expected);
    expect(fault).toMatch(/^database fault/);
    expect(others.filter((line) => !line.startsWith('networks warning'))).toEqual([]);
    expect(JSON.stringify([fault, others])).not.toContain(url.password);
  });

  it('reports a missing migration and a login with too many rights', async () => {
    const empty = await createEmptyDatabase();
    const env = { FLORIN_MODE: 'sandbox', DATABASE_URL: empty.urlOf('operator') };
    expect(bad(await diagnose(env, 'operator'))[0]).toBe(
      'database fault: the database was never migrated: run the migration first → florin migrate (docs/operating/upgrade.md)',
    );
    await empty.drop();
    const asWorker = bad(await diagnose({ DATABASE_URL: database.urlOf('server') }, 'worker'));
    expect(asWorker).toContainEqual(expect.stringMatching(/^database fault: \w+ is not a member of \w+_worker/));
    // A server and a worker have the same variables, so a process that does not name its role can be either.
    const guessed = { DATABASE_URL: database.urlOf('worker'), FLORIN_SIGNER_TOKEN: SECRET };
    // The tests' PostgreSQL is not durable, which is a warning.
    expect(bad(await diagnose(guessed)).filter((line) => line.startsWith('database fault'))).toEqual([]);
  });
});

describe('the configuration', () => {
  it('lists all its faults, and still checks what can be checked', async () => {
    const env = { DATABASE_URL: database.urlOf('server'), FLORIN_CHAINS: '[{"blockchain":"NOWHERE","rpc_urls":[]}]' };
    const findings = await diagnose(env, 'server');
    const faults = bad(findings).filter((line) => line.startsWith('configuration'));
    for (const part of [
      /FLORIN_CHAINS \[0\.blockchain\]/,
      /FLORIN_CHAINS \[0\.rpc_urls\]/,
      /no issuer of ID tokens/,
      /FLORIN_SIGNER_URL/,
      /FLORIN_SIGNER_TOKEN/,
    ])
      expect(faults).toContainEqual(expect.stringMatching(part));
    expect(findings).toContainEqual(expect.objectContaining({ area: 'database', level: 'ok' }));
  });

  it('reports that it names no blockchain', async () => {
    const findings = bad(
      await diagnose({ FLORIN_MODE: 'sandbox', DATABASE_URL: database.urlOf('operator') }, 'operator'),
    );
    expect(findings).toEqual([
      expect.stringMatching(/^networks warning: FLORIN_CHAINS names no blockchain: people can pay each other/),
    ]);
  });
});

describe('networks', () => {
  const hosts = () => nodes.map((node) => portOf(node.url));
  /** Only the nodes: no worker has watched this chain, and it has no relayer. */
  const nodesOf = async (env = withNodes(nodes.map((node) => node.url))) =>
    bad(await diagnose(env, 'operator')).filter((line) => /^networks fault|^clocks fault/.test(line));

  it('pass when every node answers and all agree', async () => {
    expect(await nodesOf()).toEqual([]);
    const said = (await diagnose(withNodes(nodes.map((node) => node.url)), 'operator')).map(({ says }) => says);
    for (const host of hosts()) expect(said).toContainEqual(expect.stringMatching(`${HOME}: ${host} is at block \\d+`));
  });

  it('report a dead node by its host, never by its URL', async () => {
    const port = await findFreePort();
    const dead = `http://127.0.0.1:${port}/a-secret-key`;
    const one = await nodesOf(withNodes([nodes[0]!.url, nodes[1]!.url, dead]));
    expect(one).toEqual([
      expect.stringMatching(
        `networks fault: ${HOME}: 127.0.0.1:${port} does not answer: .*ECONNREFUSED.* → is the URL right`,
      ),
    ]);
    const two = await nodesOf(withNodes([nodes[0]!.url, dead]));
    expect(two).toHaveLength(2);
    expect(two[1]).toMatch(/1 of 2 nodes work, and 2 must agree: nothing is sent or credited there/);
    expect(JSON.stringify([one, two])).not.toContain('a-secret-key');
  });

  it('report a node of another chain', async () => {
    nodes[1]!.lie = ({ method }, truth) => (method === 'eth_chainId' ? '0x1' : truth);
    expect(await nodesOf()).toEqual([
      expect.stringMatching(`${hosts()[1]}: ${HOME}: the node serves chain 1, not ${chain.config.chainId}`),
    ]);
  });

  it('report a node that contradicts the others', async () => {
    nodes[2]!.lie = ({ method }, truth) =>
      method === 'eth_getBlockByNumber' && truth ? { ...(truth as object), hash: `0x${'ab'.repeat(32)}` } : truth;
    expect(await nodesOf()).toContainEqual(
      expect.stringMatching(new RegExp(`the nodes disagree about block \\d+: .*${hosts()[2]} says 0xababababab`)),
    );
  });

  it('report blocks from the future when the local clock is slow', async () => {
    nodes[0]!.lie = ({ method }, truth) => {
      if (method !== 'eth_getBlockByNumber' || !truth) return truth;
      return { ...(truth as object), timestamp: `0x${(Math.floor(Date.now() / 1000) + 900).toString(16)}` };
    };
    expect(await nodesOf()).toContainEqual(
      expect.stringMatching(/clocks fault: blocks of .* are \d+ s in the future → this machine's clock is slow/),
    );
  });
});

describe('gas', () => {
  it('reports a low balance with the address, the amount and the command', async () => {
    const db = openDatabase(database.url, { maxConnections: 1 });
    const address = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';
    await openAsset(db, HOME, 'USDC');
    await db.query(
      `INSERT INTO relayers (network_id, reference, address, first_nonce, gas_wei, gas_price_wei)
       SELECT network_id, 'relayer:0', $2, 0, 0, 2000000000 FROM networks WHERE blockchain = $1`,
      [HOME, address],
    );
    await pauseSends(db, HOME, 'gas', 'no relayer can pay for gas');
    const found = bad(await diagnose(withNodes([nodes[0]!.url]), 'operator'));
    const [gas] = found.filter((line) => line.startsWith('gas'));
    expect(gas).toMatch(
      new RegExp(
        `^gas fault: ${HOME}: relayer ${address} has 0 coins, enough for 0 payments → send 0\\.27\\d* coins to ${address} on ${HOME} \\(florin relayer fund-address ${HOME}\\)$`,
      ),
    );
    expect(found).toContainEqual(
      expect.stringMatching(
        `^payments warning: chain:${HOME} is paused \\(gas\\): .* → florin relayer fund-address ${HOME}; the pause ends automatically`,
      ),
    );

    // Used nonces are passed automatically: no coins are missing.
    await db.query(`UPDATE relayers SET gas_wei = 1000000000000000000, ahead_since = now() WHERE address = $1`, [
      address,
    ]);
    const [nonces] = bad(await diagnose(withNodes([nodes[0]!.url]), 'operator')).filter((line) =>
      line.startsWith('gas'),
    );
    expect(nonces).toMatch(/^gas warning: .*it continues after them automatically.* → .*docs\/operating\/restore\.md/);
    expect(nonces).not.toContain('send ');
    await db.close();
  });
});

describe('the seed', () => {
  const file = () => join(folder, 'wallet-seed.json');
  const seedOf = async (path: string, secret = SECRET) =>
    bad(
      await diagnose(
        {
          FLORIN_MODE: 'sandbox',
          DATABASE_URL: database.urlOf('signer'),
          FLORIN_WALLET_SEED_FILE: path,
          FLORIN_WALLET_SECRET: secret,
        },
        'signer',
      ),
    ).filter((line) => line.startsWith('signer'));

  it('needs a folder, a file and the right secret, and belongs to the signer alone', async () => {
    expect(await seedOf('/no/such/folder/seed.json')).toEqual([
      expect.stringMatching(
        /the folder \/no\/such\/folder does not exist → .*mkdir -p -m 700 \/no\/such\/folder; then florin seed create/,
      ),
    ]);
    expect(await seedOf(file())).toEqual([
      expect.stringMatching(/wallet-seed\.json does not exist → florin seed create makes a new one/),
    ]);
    await createSeedFile(file(), SECRET);
    expect(await seedOf(file())).toEqual([]);
    const wrong = await seedOf(file(), `${SECRET}x`);
    expect(wrong).toEqual([expect.stringMatching(/does not open with this FLORIN_WALLET_SECRET/)]);
    expect(JSON.stringify(wrong)).not.toContain(SECRET);
    await chmod(file(), 0o644);
    expect(await seedOf(file())).toEqual([
      expect.stringMatching(/signer warning: .* can be read by other users .* → chmod 600/),
    ]);
    await writeFile(join(folder, 'damaged.json'), '{}');
    expect(await seedOf(join(folder, 'damaged.json'))).toEqual([
      expect.stringMatching(/damaged or has an unknown version/),
    ]);
  });

  it('is not needed by processes that ask the signer, and the report names a signer that is down', async () => {
    const env = {
      ...withNodes([nodes[0]!.url]),
      FLORIN_SIGNER_URL: 'unix:/no/signer.sock',
      FLORIN_SIGNER_TOKEN: SECRET,
    };
    expect(bad(await diagnose(env)).filter((line) => line.startsWith('signer'))).toEqual([
      expect.stringMatching(
        /the signer at unix:\/no\/signer\.sock does not answer: .*ENOENT.*; sends wait.* → florin signer/,
      ),
    ]);
  });
});
