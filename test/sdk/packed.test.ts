/**
 * The client as users get it: packed, installed without a network in a folder of its own, and used from there. The
 * examples of its README are compiled and run on every available platform, those in `examples/` as their pages say, and
 * everything that the guides show, all against one sandbox.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BenchSandbox, post, startBenchSandbox } from '../../bench/support/startBenchSandbox.ts';
import { findFreePort } from '../../sandbox/src/ports.ts';
import { toMicros } from '../../sdk/src/amounts.ts';
import { createClient } from '../../sdk/src/client/createClient.ts';
import { openDatabase } from '../../server/src/db/database.ts';
import { findChromium } from '../support/browser/findChromium.ts';
import { randomAddress } from '../support/chain/custody.ts';
import { findComplaints } from '../support/guides/findComplaints.ts';
import { PLATFORMS } from '../support/guides/platforms.ts';
import { buildPrograms, PRINTS as GUIDE_PRINTS, hasProgram, writePrograms } from '../support/guides/programs.ts';
import { readGuides } from '../support/guides/readGuides.ts';
import {
  completeExample,
  findWrongPrints,
  README_PRINTS,
  readExamples,
  writeExamples,
} from '../support/guides/readmeExamples.ts';
import { createFill, runGuide } from '../support/guides/runGuide.ts';
import { keepMining } from '../support/guides/runShell.ts';
import { operate } from '../support/operate.ts';

const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'florin-client-'));
const consumer = join(folder, 'consumer');
const run = promisify(execFile);
const started: ChildProcess[] = [];
const guides = readGuides();
let sandbox: BenchSandbox;

/** Replaces the stored access token with one that the service refuses. As text, because only a page has these names. */
const endAccess = (backendUrl: string) => `new Promise((done, fail) => {
  const opening = indexedDB.open('florin-session ${backendUrl}', 1);
  opening.onerror = () => fail(opening.error);
  opening.onsuccess = () => {
    const transaction = opening.result.transaction('session', 'readwrite');
    const place = transaction.objectStore('session');
    const reading = place.get('current');
    reading.onsuccess = () => place.put({ ...reading.result, accessToken: 'fla_${'A'.repeat(43)}' }, 'current');
    transaction.oncomplete = done;
  };
})`;

beforeAll(async () => {
  const installed = install().catch((error: unknown) => error);
  sandbox = await startBenchSandbox({ FLORIN_APPROVAL_THRESHOLD: '100' });
  // Only now, so that the sandbox is stopped when this fails.
  expect(await installed).toBeUndefined();
});
afterAll(async () => {
  for (const child of started) child.kill();
  await sandbox?.stop();
  rmSync(folder, { recursive: true });
});

/** `npm pack`, which builds, and `npm install` of the result. */
async function install(): Promise<void> {
  mkdirSync(consumer);
  writeFileSync(join(consumer, 'package.json'), JSON.stringify({ name: 'shop', private: true, type: 'module' }));
  await run('npm', ['pack', '--pack-destination', folder], { cwd: join(root, 'sdk') });
  const [packed] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, packed!)], { cwd: consumer });
}

describe('the package', () => {
  it('contains only the build, its README and its licence, and depends on nothing', () => {
    const installed = readdirSync(join(consumer, 'node_modules', '@florin', 'client')).sort();
    expect(installed).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
    const licence = readFileSync(join(consumer, 'node_modules/@florin/client/LICENSE'), 'utf8');
    expect(licence).toBe(readFileSync(join(root, 'LICENSE'), 'utf8'));
    expect(readdirSync(join(consumer, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['@florin']);
    const dist = join(consumer, 'node_modules/@florin/client/dist');
    const built = readdirSync(dist, { recursive: true, encoding: 'utf8' });
    expect(built).toEqual(expect.arrayContaining(['index.js', 'index.d.ts']));
    expect(built.filter((name) => /test/.test(name))).toEqual([]);
    const declared = built.filter((name) => name.endsWith('.d.ts'));
    const read = (name: string) => readFileSync(join(dist, name), 'utf8');
    expect(declared.filter((name) => /from '[^']*\.ts'/.test(read(name)))).toEqual([]);
  });

  it.each([
    { moduleResolution: 'node10', module: 'CommonJS', ignoreDeprecations: '6.0' },
    { moduleResolution: 'bundler', module: 'ESNext' },
    { moduleResolution: 'node16', module: 'Node16' },
    { moduleResolution: 'nodenext', module: 'NodeNext' },
  ])('has types for $moduleResolution', async (resolution) => {
    const place = join(consumer, resolution.moduleResolution);
    mkdirSync(place);
    const right = `import { createClient, type FlorinEvent, webhooks } from '@florin/client';
const paid = createClient({ backendUrl: '' }).pay({ receiver_username: 'bob', amount: '1' }).then((one) => one.lastResponse.status);
const kind = (event: FlorinEvent) => (event.type === 'payment.complete' ? event.object.amount : webhooks.verify);
export { paid, kind };
`;
    writeFileSync(join(place, 'right.ts'), right);
    writeFileSync(
      join(place, 'wrong.ts'),
      `${right}export const none = createClient({ backendUrl: '' }).payNoOne();\n`,
    );
    // Not skipLibCheck: our declarations are checked too.
    const own = { target: 'ES2022', lib: ['ES2022', 'DOM', 'DOM.Iterable'], types: [], strict: true, noEmit: true };
    const config = { compilerOptions: { ...own, ...resolution }, include: ['*.ts'] };
    writeFileSync(join(place, 'tsconfig.json'), JSON.stringify(config));
    expect(await findComplaints(place)).toEqual(['wrong.ts 5']);
  });

  it('is bundled for a browser without anything of Node, and CommonJS loads it', async () => {
    const entry = "import { createClient } from '@florin/client'; globalThis.made = createClient({ backendUrl: 'x' });";
    const stdin = { contents: entry, resolveDir: consumer };
    const own = { bundle: true, platform: 'browser', format: 'iife', write: false, metafile: true } as const;
    const { outputFiles, metafile } = await build({ stdin, ...own });
    const made = new Function(`${outputFiles[0]!.text}; return globalThis.made;`)() as object;
    Reflect.deleteProperty(globalThis, 'made');
    expect(made).toHaveProperty('pay');
    // An app's bundle has nothing of the program that the package also contains.
    expect(Object.keys(metafile.inputs).filter((file) => /client\/dist\/bin/.test(file))).toEqual([]);
    const script = "console.log(typeof require('@florin/client').createClient)";
    writeFileSync(join(consumer, 'common.cjs'), script);
    expect((await run(process.execPath, ['common.cjs'], { cwd: consumer })).stdout).toBe('function\n');
  });

  it('has types with which its examples compile in strict mode, and a wrong call does not', async () => {
    const examples = readExamples(sandbox.state);
    expect(examples).toHaveLength(README_PRINTS.length);
    for (const [nth, example] of examples.entries())
      writeFileSync(join(consumer, `example${nth + 1}.ts`), completeExample(example, sandbox.state));
    writePrograms(guides.filter(hasProgram), consumer, createFill(sandbox));
    const wrong = `
import { createClient, FlorinError } from '@florin/client';
const florin = createClient({ backendUrl: '' });
await florin.pay({ receiver_username: 'bob', amount: 1.5 });
await florin.history({ kind: 'gift' });
if (new FlorinError({ code: 'balance.insufficient', title: '' }).code === 'balance.insuficient') throw 1;
`;
    writeFileSync(join(consumer, 'wrong.ts'), wrong);
    const compilerOptions = {
      target: 'ES2022',
      lib: ['ES2022', 'DOM', 'DOM.Iterable'],
      module: 'NodeNext',
      jsx: 'react-jsx',
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      allowImportingTsExtensions: true,
      // The libraries of the platform; unreadable types of ours would let the wrong calls below pass.
      skipLibCheck: true,
      noEmit: true,
    };
    const include = ['*.ts', join(root, 'examples')];
    writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
    expect(await findComplaints(consumer)).toEqual(['wrong.ts 4', 'wrong.ts 5', 'wrong.ts 6']);
  });
});

describe.each(PLATFORMS)('the examples of the README in $name', ({ name, program, args }) => {
  if (!program)
    console.log(`${name} is not installed (set ${name.toUpperCase()}_PATH to its path): its test is skipped.`);
  it.skipIf(!program)('all run, and print what they should', async () => {
    await writeExamples(consumer, sandbox.state);
    const { stdout } = await run(program!, [...args, 'all.mjs'], { cwd: consumer });
    expect(findWrongPrints(stdout)).toEqual([]);
  });
});

describe('the example', () => {
  const example = (name: string) => ['--import', 'tsx', join(root, 'examples', name)];
  const env = () => ({
    ...process.env,
    FLORIN_WEB3_URL: sandbox.state.web3_url,
    FLORIN_BACKEND_URL: sandbox.state.backend_url,
    FLORIN_ISSUER_URL: sandbox.state.issuer_url,
  });

  /** Starts one that serves; resolves with the address that it prints. */
  async function serve(name: string, own: Record<string, string>): Promise<string> {
    const child = spawn(process.execPath, example(name), { cwd: root, env: { ...env(), ...own } });
    started.push(child);
    let said = '';
    child.stderr.on('data', (text) => (said += text));
    return new Promise((done, failed) => {
      child.stdout.once('data', (text) => done(String(text).trim()));
      child.once('exit', (code) => failed(new Error(`${name} ended with ${code}: ${said}`)));
    });
  }

  it('payAndWait pays once per order, and fails with a reason', async () => {
    const pay = (...args: string[]) => run(process.execPath, [...example('payAndWait.ts'), ...args], { env: env() });
    const order = ['alice', randomAddress(), '0.75', 'order-1001'];
    const [first, again] = [await pay(...order), await pay(...order)];
    const ended = /0\.75 USDC to 0x[0-9a-fA-F]{40}: COMPLETE 0x[0-9a-f]{64}\n$/;
    expect([first.stdout, again.stdout]).toEqual([expect.stringMatching(ended), expect.stringMatching(ended)]);
    expect(first.stdout.split(' ')[0]).toBe(again.stdout.split(' ')[0]);
    const refused = await pay('alice', randomAddress(), '999999', 'order-1002').catch((error: object) => error);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/^Not enough USDC\./) });
  });

  it('backend shows the balance of a wallet, and accepts each signed webhook once', async () => {
    const [, bob] = sandbox.state.users;
    const secret = randomBytes(24);
    const own = { WALLET_ADDRESS: bob!.address, WEBHOOK_SECRET: `whsec_${secret.toString('base64')}`, PORT: '0' };
    const url = await serve('backend.ts', own);
    const show = async () => toMicros(/^([\d.]+) USDC on ETH/.exec(await (await fetch(url)).text())![1]!);
    const deliver = async (id: string, key: Buffer) => {
      const body = '{"type":"payment.complete","timestamp":"2026-03-02T09:20:11.400Z","data":{}}';
      const at = String(Math.floor(Date.now() / 1000));
      const signature = `v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`;
      const headers = { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature };
      return (await fetch(`${url}/webhooks`, { method: 'POST', body, headers })).status;
    };
    const pay = () =>
      post(`${sandbox.state.backend_url}/api/v1/send_usdc`, {
        sender_user_id: sandbox.state.users[0]!.user_id,
        receiver_username: 'bob',
        amount: 3,
      });
    const before = await show();
    await pay();
    expect([await deliver('evt_1', randomBytes(24)), await show()]).toEqual([401, before]);
    expect([await deliver('evt_1', secret), await show()]).toEqual([204, before + 3_000_000n]);
    await pay();
    expect([await deliver('evt_1', secret), await show()]).toEqual([204, before + 3_000_000n]);
    expect([await deliver('evt_2', secret), await show()]).toEqual([204, before + 6_000_000n]);
  });

  it('backend receives webhooks from the service itself', async () => {
    const [alice, bob] = sandbox.state.users;
    const db = openDatabase(sandbox.state.database_url, { maxConnections: 2 });
    const [serviceKey] = /fsk_\S+/.exec(await operate(db, 'key', 'create', 'shop', '--scope', 'webhooks'))!;
    await db.close();
    const { backend_url: backendUrl } = sandbox.state;
    const service = createClient({ backendUrl, backendKey: serviceKey });
    const port = String(await findFreePort());
    const asked = { url: `http://127.0.0.1:${port}/webhooks`, types: ['payment.*', 'deposit.*'] };
    const { secret, webhook_id } = await service.webhookEndpoints.create(asked);
    const url = await serve('backend.ts', { WALLET_ADDRESS: bob!.address, WEBHOOK_SECRET: secret, PORT: port });
    const show = async () => (await fetch(url)).text();
    const before = await show();
    const payment = { sender_user_id: alice!.user_id, receiver_username: 'bob', amount: 3 };
    await post(`${backendUrl}/api/v1/send_usdc`, payment);
    await expect.poll(show).not.toBe(before);
    await service.webhookEndpoints.remove(webhook_id);
  });

  const executablePath = findChromium();
  describe.skipIf(!executablePath)('login, in a browser', () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath: executablePath!, args: ['--no-sandbox'] });
    });
    afterAll(() => browser?.close());

    it('logs in, shows the balance, pays once although its answer is lost and the page is reloaded, refreshes once for two tabs, logs out', async () => {
      const url = await serve('login/serve.ts', { PORT: String(await findFreePort()) });
      const context = await browser.newContext();
      context.setDefaultTimeout(120_000);
      const page = await context.newPage();
      const otherRequests: string[] = [];
      page.on('request', (request) => {
        if (!request.url().startsWith('http://127.0.0.1:') && !request.url().startsWith('data:'))
          otherRequests.push(request.url());
      });
      await page.goto(url);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.locator('input[name=email]').fill('carol@florin.example');
      await page.locator('input[name=email]').press('Enter');
      await page.getByText('carol has 1000 USDC').waitFor();

      // The service receives the call and pays, but no answer arrives until the page has been reloaded.
      let lost = 0;
      let isDown = true;
      await page.route(/\/api\/v1\/send_usdc$/, async (route) => {
        if (!isDown) return route.continue();
        // The page that sent the call may be gone before this ends.
        const gone = () => {};
        if (route.request().method() === 'POST') await route.fetch().catch(gone);
        lost++;
        await route.abort('connectionreset').catch(gone);
      });
      await page.getByLabel('To').fill('bob');
      await page.getByLabel('USDC').fill('0.1');
      await page.getByRole('button', { name: 'Pay' }).click();
      await expect.poll(() => lost).toBeGreaterThan(0);
      await page.reload();
      isDown = false;
      await page.getByText('Paid 0.1 USDC to bob.').waitFor();
      await page.getByText('carol has 999.9 USDC').waitFor();

      // Two tabs find that their access token has ended, at the same time: one of them refreshes, for both.
      const other = await context.newPage();
      await other.goto(`${url}/settings.json`);
      const refreshes: string[] = [];
      context.on('request', (request) => {
        if (request.method() === 'POST' && request.url().endsWith('/sessions/refresh')) refreshes.push(request.url());
      });
      await page.evaluate(endAccess(sandbox.state.backend_url));
      await Promise.all([page.reload(), other.goto(url)]);
      for (const tab of [page, other]) {
        const shown = () => tab.locator('body').innerText();
        await expect.poll(shown).toContain('carol has 999.9 USDC');
      }
      expect(refreshes).toHaveLength(1);
      await other.close();

      await page.getByRole('button', { name: 'Log out' }).click();
      await page.getByRole('button', { name: 'Log in' }).waitFor();
      expect(otherRequests).toEqual([]);
      await context.close();
    });
  });
});

describe('the guides', () => {
  /** Another test runs these, with closer checks. */
  const elsewhere: Readonly<Record<string, string>> = { 'payouts.md': 'test/payouts/guide.test.ts' };
  const here = guides.filter(({ name }) => !elsewhere[name]);

  it.each(here)('$name: what it shows works unchanged', (guide) => runGuide(guide, { ...sandbox, consumer }));

  it('the others are run by other tests, and contain only what those run', () => {
    for (const { name, blocks } of guides.filter((guide) => elsewhere[guide.name])) {
      expect(blocks.map(({ language }) => language).filter((one) => !['sh', 'csv'].includes(one))).toEqual([]);
      expect(readFileSync(join(root, elsewhere[name]!), 'utf8')).toContain(`docs/guides/${name}`);
    }
  });

  it('have programs that run, and print what they should', async () => {
    const programs = guides.filter(hasProgram);
    const file = await buildPrograms(programs, consumer, createFill(sandbox));
    const env = { ...process.env, GUIDE_ISSUER: sandbox.state.issuer_url };
    const mining = new AbortController();
    const mined = keepMining(sandbox.state.chains[0]!.rpc_url, mining.signal);
    const { stdout } = await run(process.execPath, [file], { cwd: consumer, env }).finally(() => mining.abort());
    await mined;
    const printed = stdout.split(/^# (.+)\n/m).slice(1);
    const byName = Object.fromEntries(printed.flatMap((name, i) => (i % 2 ? [] : [[name, printed[i + 1]!.trimEnd()]])));
    expect(Object.keys(byName).sort()).toEqual(Object.keys(GUIDE_PRINTS).sort());
    for (const [name, text] of Object.entries(byName))
      expect([name, text]).toEqual([name, expect.stringMatching(GUIDE_PRINTS[name]!)]);
  });
});
