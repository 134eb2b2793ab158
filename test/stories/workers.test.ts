/**
 * Real worker processes and their signer, killed and stopped in the middle of their work, on a chain that mines every
 * second.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningChains, startChains } from '../../sandbox/src/chain/startChains.ts';
import { argumentsOf } from '../../sandbox/src/processes.ts';
import { viemChain } from '../../server/src/adapters/chain/viemChain.ts';
import { localWallets } from '../../server/src/adapters/wallets/local/localWallets.ts';
import { createSeedFile, readSeedFile } from '../../server/src/adapters/wallets/local/seedFile.ts';
import { parseUsdc } from '../../server/src/core/money.ts';
import type { Chain } from '../../server/src/core/ports.ts';
import { prepareServiceWallets } from '../../server/src/customers/wallets/serviceWallets.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { checkBooks } from '../../server/src/ledger/checkBooks.ts';
import { openSends } from '../../server/src/payments/sends/openSends.ts';
import { sendToAddress } from '../../server/src/payments/sends/sendToAddress.ts';
import { randomAddress } from '../support/chain/custody.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { judgeEndOf } from '../support/properties/judgeEnd.ts';
import { howMany } from '../support/run/thorough.ts';
import { HOME, SECRET, SIGNER_TOKENS } from '../support/values.ts';

const folder = mkdtempSync(join(tmpdir(), 'florin-workers-'));
const seedFile = join(folder, 'seed.json');
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let db: Db;
let chains: RunningChains;
let chain: Chain;
const sendRules = { approvalThreshold: undefined, newRecipientDelaySeconds: 0 };
const children: ChildProcess[] = [];

async function turn(path: string, body: unknown): Promise<void> {
  await fetch(chains.chains[0]!.rpc_url + path, { method: 'POST', body: JSON.stringify(body) });
}

async function start(program: 'worker' | 'signer'): Promise<ChildProcess> {
  const { blockchain, chain_id, rpc_url } = chains.chains[0]!;
  const own =
    program === 'worker'
      ? { FLORIN_SIGNER_TOKEN: SIGNER_TOKENS.worker }
      : {
          FLORIN_SIGNER_TOKENS: `server=${SIGNER_TOKENS.server}, worker=${SIGNER_TOKENS.worker}`,
          FLORIN_WALLET_SEED_FILE: seedFile,
          FLORIN_WALLET_SECRET: SECRET,
        };
  const child = spawn(process.execPath, [...argumentsOf('server/src/bin/florin'), program], {
    env: {
      ...process.env,
      FLORIN_MODE: 'sandbox',
      DATABASE_URL: database.urlOf(program),
      FLORIN_SIGNER_URL: `unix:${join(folder, 'signer.sock')}`,
      ...own,
      FLORIN_CHAINS: JSON.stringify([{ blockchain, chain_id, rpc_urls: [rpc_url] }]),
      FLORIN_LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  children.push(child);
  await new Promise((ready) => child.once('message', ready));
  return child;
}

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase(database.url);
  await createSeedFile(seedFile, SECRET);
  const wallets = localWallets(await readSeedFile(seedFile, SECRET));
  chains = await startChains({ labels: [HOME] });
  const { chain_id: chainId, usdc_address: usdcAddress, rpc_url: rpcUrl } = chains.chains[0]!;
  chain = viemChain({
    blockchain: HOME,
    chainId,
    tokens: [{ symbol: 'USDC', decimals: 6, contract: usdcAddress as `0x${string}` }],
    finality: { kind: 'tag' },
    rpcUrls: [rpcUrl],
  });
  const treasury = await prepareServiceWallets(db, wallets);
  await turn('/faucet', { address: (await wallets.create({ kind: 'relayer', number: 0 })).address, eth: '10' });
  await turn('/faucet', { address: treasury.address, usdc: '1000' });
  await turn('/mine', { blocks: 5 });
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await chains.stop();
  await db.close();
  await database.drop();
  rmSync(folder, { recursive: true });
});

it('makes every payment once while its workers and its signer are killed, stopped and continued', async () => {
  let signer = await start('signer');
  let [first, second] = [await start('worker'), await start('worker')];
  const funded = async () =>
    expect(await db.query(`SELECT FROM accounts WHERE kind = 'treasury' AND available > 0`)).toHaveLength(1);
  await eventually(funded);
  const sends: { id: string; destination: `0x${string}` }[] = [];
  for (let round = 0; round < howMany(2, 3); round++) {
    for (let i = 0; i < howMany(6, 8); i++) {
      const destination = randomAddress();
      const { result } = await sendToAddress(
        { db, sends: openSends({ db, sendRules }) },
        { destination, amount: parseUsdc('1.5'), blockchain: HOME, currency: 'USDC' },
      );
      if ('answer' in result) sends.push({ id: result.answer, destination });
    }
    second.kill('SIGSTOP');
    await sleep(100 + round * 150);
    first.kill('SIGKILL');
    second.kill('SIGCONT');
    // The signer's socket stays behind when it is killed.
    const gone = new Promise((done) => signer.once('exit', done));
    signer.kill(round === 1 ? 'SIGTERM' : 'SIGKILL');
    await gone;
    [signer, first, second] = [await start('signer'), second, await start('worker')];
  }
  const done = async () => {
    const [row] = await db.query<{ n: number }>(`SELECT count(*)::int AS n FROM payments WHERE state = 'COMPLETE'`);
    expect(row!.n).toBe(sends.length);
  };
  await eventually(done);
  const to = await chain.getHead();
  for (const { destination } of sends) {
    const logs = await chain.listTokenLogs({ from: 0n, to, wallets: [destination] });
    expect(logs.filter((log) => log.kind === 'transfer')).toHaveLength(1);
  }
  expect((await checkBooks(db)).faults).toEqual([]);
}, 600_000);

it('in the end everything has ended, and every balance is explained', async () => {
  expect(await judgeEndOf({ databaseUrl: database.url })).toEqual([]);
});
