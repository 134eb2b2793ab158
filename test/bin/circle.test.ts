/**
 * A signer process with wallets at Circle: how it starts, and what it and `florin doctor` report when something is
 * wrong.
 */
import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningCircleDouble, startCircleDouble } from '../../sandbox/src/circle/startCircleDouble.ts';
import { findFreePort } from '../../sandbox/src/ports.ts';
import { remoteSigner } from '../../server/src/adapters/signer/remoteSigner.ts';
import { createSeedFile } from '../../server/src/adapters/wallets/local/seedFile.ts';
import { readSigner } from '../../server/src/bin/config/config.ts';
import { SANDBOX_IDENTITY } from '../../server/src/bin/config/faults/modeFaults.ts';
import { examine } from '../../server/src/bin/doctor/examine.ts';
import type { Running } from '../../server/src/bin/runProcess.ts';
import { startSigner } from '../../server/src/bin/startSigner.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';

let folder: string;
let database: TestDatabase;
let db: Db;
let double: RunningCircleDouble;
let env: Record<string, string>;
const said: string[] = [];
const log = pino({ level: 'warn' }, { write: (line: string) => void said.push(line) });

const begin = (isEmpty = false) =>
  startCircleDouble({
    chains: [],
    isEmpty,
    keyBits: 1024,
    port: Number(new URL(env.FLORIN_CIRCLE_URL!).port),
    apiKey: env.FLORIN_CIRCLE_API_KEY!,
    entitySecret: env.FLORIN_CIRCLE_ENTITY_SECRET!,
  });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'florin-circle-'));
  database = await createTestDatabase();
  db = openDatabase(database.url);
  env = {
    FLORIN_MODE: 'sandbox',
    DATABASE_URL: database.urlOf('signer'),
    FLORIN_SIGNER_URL: `unix:${join(folder, 'signer.sock')}`,
    FLORIN_SIGNER_TOKENS: 'server=one, worker=two',
    FLORIN_SIGNER_OPS_PORT: '0',
    FLORIN_WALLET_SEED_FILE: join(folder, 'seed.json'),
    FLORIN_WALLET_SECRET: 'secret',
    FLORIN_CHAINS: JSON.stringify([{ blockchain: 'ETH-SEPOLIA', chain_id: 31337, rpc_urls: ['http://127.0.0.1:1'] }]),
    FLORIN_WALLETS: 'circle',
    FLORIN_CIRCLE_URL: `http://127.0.0.1:${await findFreePort()}`,
    FLORIN_CIRCLE_API_KEY: 'TEST_API_KEY:florin:hunter2hunter2',
    FLORIN_CIRCLE_ENTITY_SECRET: 'c4'.repeat(32),
  };
  await createSeedFile(env.FLORIN_WALLET_SEED_FILE!, 'secret');
});
afterAll(async () => {
  await double?.stop();
  await db.close();
  await database.drop();
  await rm(folder, { recursive: true });
});

const start = (more: Record<string, string> = {}): Promise<Running> =>
  startSigner(readSigner({ ...env, ...more }), log);
const findingsOf = async (more: Record<string, string> = {}) =>
  (await examine('signer', { ...env, ...more })).findings
    .filter(({ says }) => /Circle|127\.0\.0\.1/.test(says))
    .map(({ level, says, fix }) => `${level}: ${says}${fix ? ` → ${fix}` : ''}`);

describe('a signer with wallets at Circle', () => {
  it('waits for Circle on its first start, then creates the wallet set, the treasury and the wallets of people', async () => {
    const running = await start();
    await eventually(async () => expect(said.join()).toMatch(/Circle did not answer: ECONNREFUSED/));
    double = await begin(true);
    await running.prepared;
    const userId = randomUUID();
    const person = [userId, SANDBOX_IDENTITY];
    await db.query(`INSERT INTO users (user_id, issuer, subject) VALUES ($1, $2, 'nora')`, person);
    const client = remoteSigner({ urls: [env.FLORIN_SIGNER_URL!], token: 'one' });
    const made = await client.makeWallet(userId);
    expect(made).toMatchObject({ outcome: 'accepted', address: expect.stringMatching(/^0x/) });
    client.close();
    await running.stop();
    expect(await db.query('SELECT kind, provider FROM wallets ORDER BY kind')).toEqual([
      { kind: 'treasury', provider: 'circle' },
      { kind: 'user', provider: 'circle' },
    ]);
  });

  it('restarts without Circle, and asks it only when necessary', async () => {
    await double.stop();
    const asked = new EventEmitter();
    const away = createServer((request, response) => {
      asked.emit('request', `asks Circle: ${request.method} ${request.url}`);
      response.writeHead(503).end();
    });
    await new Promise<void>((done) => away.listen(Number(new URL(env.FLORIN_CIRCLE_URL!).port), '127.0.0.1', done));
    const firstAsked = once(asked, 'request').then(([says]) => String(says));
    const running = await start();
    const client = remoteSigner({ urls: [env.FLORIN_SIGNER_URL!], token: 'one' });
    try {
      // A start that depends on Circle would send a request and wait until Circle is back.
      expect(await Promise.race([running.prepared.then(() => 'prepared'), firstAsked])).toBe('prepared');
      expect(await client.check()).toEqual({ outcome: 'accepted' });
      const [nora] = await db.query<{ user_id: string }>(`SELECT user_id FROM wallets WHERE kind = 'user'`);
      expect(await client.makeWallet(nora!.user_id)).toMatchObject({ outcome: 'unknown' });
    } finally {
      client.close();
      await running.stop();
      await new Promise((done) => away.close(done));
      double = await begin();
    }
  });

  it('does not start with wallets that belong to another installation', async () => {
    const { FLORIN_CIRCLE_API_KEY, FLORIN_CIRCLE_ENTITY_SECRET, ...own } = env;
    const running = await startSigner(readSigner({ ...own, FLORIN_WALLETS: 'local' }), log);
    await expect(running.prepared).rejects.toThrow(/FLORIN_WALLETS does not name/);
    await running.stop();
  });

  it('asks Circle for nothing when the database belongs to another seed', async () => {
    const other = await createTestDatabase();
    const owner = openDatabase(other.url);
    await owner.query(`INSERT INTO wallet_seeds (fingerprint) VALUES ('of somebody else')`);
    const nowhere = {
      FLORIN_CIRCLE_URL: `http://127.0.0.1:${await findFreePort()}`,
      DATABASE_URL: other.urlOf('signer'),
    };
    const running = await start(nowhere);
    await expect(running.prepared).rejects.toThrow(/another wallet seed/);
    await running.stop();
    await owner.close();
    await other.drop();
  });

  it('exits with the reason when Circle refuses it', async () => {
    const other = await createTestDatabase();
    // Another installation, which has nothing at Circle yet.
    const seed = join(folder, 'other-seed.json');
    await createSeedFile(seed, 'secret');
    const faults: [Record<string, string>, RegExp][] = [
      [{ FLORIN_CIRCLE_API_KEY: 'TEST_API_KEY:florin:other' }, /Circle does not accept the API key/],
      [{}, /does not say whether one is ours: name it in FLORIN_CIRCLE_WALLET_SET/],
      [
        { FLORIN_CIRCLE_ENTITY_SECRET: 'd5'.repeat(32), FLORIN_CIRCLE_WALLET_SET: double.walletSetId },
        /the entity secret is not the one that is registered/,
      ],
      [{ FLORIN_CIRCLE_WALLET_SET: '0b9f6c1e-5c0f-4a53-9d7e-0d3b6b1f2a90' }, /does not know the wallet set/],
    ];
    for (const [more, message] of faults) {
      const running = await start({ ...more, FLORIN_WALLET_SEED_FILE: seed, DATABASE_URL: other.urlOf('signer') });
      await expect(running.prepared).rejects.toThrow(message);
      await running.stop();
    }
    await other.drop();
  });

  it('never logs a key', () => {
    expect(said.join()).not.toMatch(/hunter2|c4c4|d5d5/);
  });
});

describe('florin doctor', () => {
  it('reports whether Circle answers, accepts the key and has the wallet set', async () => {
    expect(await findingsOf()).toEqual([expect.stringMatching(/^ok: Circle answers at 127\.0\.0\.1:\d+$/)]);
    const set = { FLORIN_CIRCLE_WALLET_SET: double.walletSetId };
    expect(await findingsOf(set)).toEqual([expect.stringMatching(/^ok: .* and knows the wallet set$/)]);
    const unknown = { FLORIN_CIRCLE_WALLET_SET: '0b9f6c1e-5c0f-4a53-9d7e-0d3b6b1f2a90' };
    expect(await findingsOf(unknown)).toEqual([expect.stringMatching(/^fault: .*does not know the wallet set .* → /)]);
    const other = { FLORIN_CIRCLE_API_KEY: 'TEST_API_KEY:florin:other' };
    expect(await findingsOf(other)).toEqual([
      expect.stringMatching(/^fault: .*Circle does not accept the API key → correct FLORIN_CIRCLE_API_KEY/),
    ]);
    const away = { FLORIN_CIRCLE_URL: `http://127.0.0.1:${await findFreePort()}` };
    expect(await findingsOf(away)).toEqual([
      expect.stringMatching(
        /^fault: .*did not answer: ECONNREFUSED → make FLORIN_CIRCLE_URL reachable from the signer/,
      ),
    ]);
  });
});
