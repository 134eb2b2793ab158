import { readFileSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from '../../../../test/support/browser/findChromium.ts';
import { exchangeRaw } from '../../../../test/support/http/replay.ts';
import { howMany } from '../../../../test/support/run/thorough.ts';
import { errorTable } from '../../core/errors.ts';
import { type Api, createApi } from '../contract/createApi.ts';
import { readDocument } from '../contract/readDocument.ts';

const document = readDocument('backend');
let api: Api;
let url: string;

const common = { operations: {}, partial: true, items: 'brief', logger: false } as const;
const USER = '3f0c9a4e-7b1d-4c58-9e2a-6d5f0b8c1a27';
const REAL = '77777777-7777-4777-8777-777777777777';
const sandbox = {
  isOpen: true,
  blockchains: ['ETH-SEPOLIA', 'BASE-SEPOLIA'],
  urls: { web3: 'http://127.0.0.1:8100', backend: 'http://127.0.0.1:8101' },
  readExamples: () => ({ [USER]: REAL }),
};

beforeAll(async () => {
  api = createApi({ ...common, name: 'backend', document, reference: sandbox });
  url = await api.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => api.close());

/** The document that another API would serve. */
async function readServed(name: 'web3' | 'backend', reference?: typeof sandbox): Promise<Served> {
  const other = createApi({ ...common, name, document: readDocument(name), ...(reference && { reference }) });
  try {
    const at = await other.listen({ host: '127.0.0.1', port: 0 });
    return (await (await fetch(`${at}/openapi.json`)).json()) as Served;
  } finally {
    await other.close();
  }
}

interface Served {
  readonly servers: unknown;
  readonly security?: unknown;
  readonly info: { readonly description: string };
  readonly paths: Record<
    string,
    Record<string, { security?: object[]; parameters?: { name: string; example?: string }[] }>
  >;
}

describe('the served document', () => {
  test('says where it is served, which blockchains there are, and where the other API is', async () => {
    const served = await readServed('backend', sandbox);
    expect(served.servers).toEqual([{ url: 'http://127.0.0.1:8101', description: 'Local development' }]);
    expect(served).toMatchObject({ 'x-blockchains': ['ETH-SEPOLIA', 'BASE-SEPOLIA'] });
    expect(served.info.description).toContain('[Web3 API](http://127.0.0.1:8100/docs)');
    expect(served).toMatchObject({ externalDocs: { url: 'http://127.0.0.1:8101/errors' } });
    expect((await readServed('backend')).servers).toEqual([{ url: '/', description: 'Production' }]);
  });

  test('needs credentials in production, and none in the sandbox, like the checked-in one', async () => {
    const [web3Open, web3, backend] = [
      await readServed('web3', sandbox),
      await readServed('web3'),
      await readServed('backend'),
    ];
    expect(readDocument('web3').security).toEqual([]);
    expect(web3Open.security).toEqual([]);
    expect(web3.security).toEqual([{ serviceKey: [] }, { serviceKey: [], clientCertificate: [] }]);
    expect(backend.paths['/api/v1/send_usdc']!.post!.security).toEqual([{ bearer: [] }, { accountKey: [] }]);
    expect(backend.paths['/api/v1/login']!.post!.security).toEqual([]);
    const open = (await readServed('backend', sandbox)).paths['/api/v1/send_usdc']!.post!;
    expect(open.security).toEqual([{}, { bearer: [] }, { accountKey: [] }]);
  });

  test('shows people of the sandbox, and no shared example key', async () => {
    const served = await readServed('backend', sandbox);
    expect(JSON.stringify(served)).toContain(`"sender_user_id":"${REAL}"`);
    expect(JSON.stringify(served)).not.toContain(USER);
    const key = ({ name }: { name: string }) => name === 'Idempotency-Key';
    expect(served.paths['/api/v1/send_usdc']!.post!.parameters!.find(key)).not.toHaveProperty('example');
    expect(JSON.stringify(await readServed('backend'))).toContain(`"sender_user_id":"${USER}"`);
  });
});

describe('the page at /', () => {
  /** Raw, because `fetch` always adds an Accept header. */
  const ask = (path: string, accept?: string, method: 'GET' | 'POST' = 'GET') =>
    exchangeRaw(
      new URL(url),
      `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${accept ? `Accept: ${accept}\r\n` : ''}\r\n`,
    );

  test('leads a browser to both references, the errors and the guides', async () => {
    const { status, text, headers } = await ask('/', 'text/html,application/xhtml+xml,*/*;q=0.8');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const links = [...text.matchAll(/href="([^"]+)"/g)].map((match) => match[1]!);
    expect(links).toEqual(expect.arrayContaining(['/docs', 'http://127.0.0.1:8100/docs', '/errors', '/openapi.json']));
    for (const link of links.filter((one) => one.startsWith('/')))
      expect([link, (await ask(link, '*/*')).status]).toEqual([link, 200]);
  });

  test('does not exist for a request that accepts no page, as in the reference', async () => {
    for (const path of ['/', '/favicon.ico']) {
      const answers = [await ask(path), await ask(path, 'application/json'), await ask(path, undefined, 'POST')];
      expect(answers.map(({ status, text }) => [status, text])).toEqual(
        answers.map(() => [404, '{"detail":"Not Found"}']),
      );
    }
    expect((await ask('/favicon.ico', 'image/avif,image/*')).headers['content-type']).toBe('image/svg+xml');
  });
});

test('a guide shows the addresses and people of this sandbox', async () => {
  const guide = await (await fetch(`${url}/guides/first-payment`)).text();
  expect(guide).toContain('http://127.0.0.1:8101/api/v1/send_usdc');
  expect(guide).toContain(REAL);
  expect(guide).toContain('<a href="/guides/which-api">Which API to use</a>');
  expect((await fetch(`${url}/guides/nothing`)).status).toBe(404);
});

test('the page about amounts that are too precise says how to send exact ones', async () => {
  const page = await (await fetch(`${url}/errors/amount.precision`)).text();
  expect(page).toMatch(/a string .* is refused with 422/);
  expect(page).toContain('href="/guides/amounts"');
});

test.each(Object.keys(errorTable))('%s has a page on which only our own script can run', async (code) => {
  const answer = await fetch(`${url}/errors/${code}`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const policy = answer.headers.get('content-security-policy');
  expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; .*trusted-types 'none'$/);
  expect(policy).not.toContain('unsafe');
  expect(await answer.text()).toContain(`<code>${code}</code>`);
});

test.each(['toString', '__proto__', 'nope', '%3Cscript%3E'])('/errors/%s is not found', async (code) => {
  const answer = await fetch(`${url}/errors/${code}`);
  expect([answer.status, await answer.text()]).toEqual([404, '{"detail":"Not Found"}']);
});

test('the reference is complete, small, and says what its two versions mean', async () => {
  const answer = await fetch(`${url}/docs`, { headers: { 'Accept-Encoding': 'gzip' } });
  const html = await answer.text();
  for (const methods of Object.values(document.paths))
    for (const { operationId, parameters = [] } of Object.values(methods)) {
      expect(html).toContain(`id="${operationId}"`);
      for (const { name } of parameters) expect(html).toContain(`<code>${name}</code>`);
    }
  const release = (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version;
  expect(html).toContain(`Version ${document.info.version} of the interface, served by Florin ${release}`);
  expect(html).toContain(REAL);
  expect(html).not.toContain(USER);
  // Everything that a browser fetches before anyone presses anything.
  const parts = [...html.matchAll(/<(?:link|script)[^>]+(?:href|src)="([^"]+)"/g)].map(([, path]) => path!);
  expect(parts.length).toBeGreaterThan(3);
  let bytes = 0;
  for (const path of ['/docs', ...parts]) {
    const { text, headers } = await exchangeRaw(
      new URL(url),
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nAccept: */*\r\nAccept-Encoding: gzip\r\n\r\n`,
    );
    bytes += Number(headers['content-length'] ?? text.length);
  }
  expect(bytes).toBeLessThan(400_000);
  expect(html.match(/type="search"/g)).toHaveLength(1);
});

test('every page has the mark of the wallet', async () => {
  const icon = readFileSync('web/wallet/public/icon.svg', 'utf8').trim();
  expect(await (await fetch(`${url}/favicon.svg`)).text()).toBe(icon);
});

test('the viewer is compressed for clients that accept gzip', async () => {
  const plain = await fetch(`${url}/docs/viewer.js`, { headers: { 'Accept-Encoding': 'identity' } });
  const zipped = await fetch(`${url}/docs/viewer.js`, { headers: { 'Accept-Encoding': 'gzip' } });
  expect([plain.headers.get('content-encoding'), zipped.headers.get('content-encoding')]).toEqual([null, 'gzip']);
  expect(await zipped.text()).toBe(await plain.text());
});

const executablePath = findChromium();
describe.skipIf(!executablePath)('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath!, args: ['--no-sandbox'] });
  });
  afterAll(() => browser.close());

  // What fits a phone rarely fails on a wide screen.
  test.each([
    ['/docs', 'Florin Backend API', 390] as const,
    ['/docs/try', 'Florin Backend API', 390] as const,
    ...howMany([], [['/docs/try', 'Florin Backend API', 1280] as const]),
  ])(
    '%s shows "%s" at width %i, light and dark, without other servers and without errors',
    async (path, heading, width) => {
      const page = await browser.newPage({ viewport: { width, height: 844 } });
      // The viewer takes long to lay out a large document while many tests run concurrently.
      page.setDefaultTimeout(200_000);
      const otherRequests: string[] = [];
      const complaints: string[] = [];
      page.on('request', (request) => {
        if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url())) otherRequests.push(request.url());
      });
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      await page.goto(url + path, { waitUntil: 'networkidle' });
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const overflow = await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        expect({ otherRequests, complaints, overflow }).toEqual({ otherRequests: [], complaints: [], overflow: 0 });
      }
      await page.close();
    },
  );
});
