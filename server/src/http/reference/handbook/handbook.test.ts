/** The site as its readers use it: every link and anchor of every page, on a phone and on a wide screen, with and without a script. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../../../../test/support/browser/findChromium.ts';
import { freshSeed, howMany } from '../../../../../test/support/run/thorough.ts';
import { variables } from '../../../bin/config/variables.ts';
import { errorTable } from '../../../core/errors.ts';
import { isFinal, paymentStates } from '../../../payments/state.ts';
import { type Api, createApi } from '../../contract/createApi.ts';
import { readDocument } from '../../contract/readDocument.ts';
import { chapters, findChapter, listAside } from './contents.ts';
import { listEntries } from './listEntries.ts';
import { operations } from './operations.ts';
import { renderMarkdown } from './renderMarkdown.ts';

const root = resolve(import.meta.dirname, '../../../../..');
let api: Api;
let url: string;
const pages = new Map<string, string>();

beforeAll(async () => {
  const reference = {
    isOpen: true,
    blockchains: ['ETH-SEPOLIA'],
    urls: { web3: 'http://127.0.0.1:8100', backend: 'http://127.0.0.1:8101' },
    readExamples: () => ({}),
  };
  const document = readDocument('backend');
  api = createApi({
    operations: {},
    partial: true,
    items: 'brief',
    logger: false,
    name: 'backend',
    document,
    reference,
  });
  url = await api.listen({ host: '127.0.0.1', port: 0 });
  await crawl('/');
});
afterAll(() => api.close());

/** All pages that can be reached from one. */
async function crawl(path: string): Promise<void> {
  const waiting = [path];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (pages.has(next)) continue;
    const answer = await fetch(`${url}${next}`, { headers: { accept: 'text/html' }, redirect: 'manual' });
    const body = await answer.text();
    pages.set(next, answer.status === 200 ? body : '');
    if (next !== '/docs/try' && body.startsWith('<!doctype html>'))
      waiting.push(...linksOf(body).flatMap(({ path: linked }) => (linked === '' ? [] : [linked])));
  }
}

const linksOf = (html: string) =>
  [...html.matchAll(/(?:href|src)="(\/[^"]*|#[^"]*)"/g)].map(([, target]) => {
    const [path = '', anchor] = target!.replace(/\?v=\w+/, '').split('#', 2);
    return { path, anchor };
  });

describe('the links', () => {
  it('lead to existing pages, and to existing parts of them', () => {
    const broken: string[] = [];
    for (const [path, html] of pages) {
      if (html === '') broken.push(`${path} does not exist`);
      if (!html.startsWith('<!doctype html>') || path === '/docs/try') continue;
      for (const { path: linked, anchor } of linksOf(html)) {
        const target = pages.get(linked === '' ? path : linked)!;
        if (anchor !== undefined && linked !== '/docs/try' && !target.includes(`id="${anchor}"`))
          broken.push(`${path} links to ${linked}#${anchor}`);
      }
    }
    expect(broken).toEqual([]);
    expect(pages.size).toBeGreaterThan(150);
  });

  it('lead to every guide, every page for operators, every decision, every error', () => {
    const wanted = [...chapters, ...listAside('operating/alerts/'), ...listAside('decisions/')].map(({ href }) => href);
    wanted.push(...Object.keys(errorTable).map((code) => `/errors/${code}`));
    expect(wanted.filter((href) => !pages.has(href))).toEqual([]);
    const folders = ['guides', 'operating', 'operating/alerts', 'decisions'];
    const files = folders.flatMap((folder) =>
      readdirSync(join(root, 'docs', folder)).flatMap((name) =>
        name.endsWith('.md') ? [`/${folder}/${name.slice(0, -3)}`] : [],
      ),
    );
    expect(files.filter((href) => !findChapter(href))).toEqual([]);
  });

  it('of the files, as the repository shows them, also lead somewhere', () => {
    const broken: string[] = [];
    for (const { file, text } of [...chapters, ...listAside('operating/alerts/'), ...listAside('decisions/')]) {
      for (const [, href = ''] of text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^(https?:|mailto:)/.test(href)) continue;
        const [path = '', anchor] = href.split('#', 2);
        const target = path === '' ? join(root, 'docs', file) : join(root, 'docs', dirname(file), path);
        if (!existsSync(target)) broken.push(`${file}: ${href}`);
        else if (anchor !== undefined) {
          const { headings } = renderMarkdown(readFileSync(target, 'utf8'), file, () => undefined);
          if (!headings.some(({ id }) => id === anchor)) broken.push(`${file}: ${href}`);
        }
      }
    }
    expect(broken).toEqual([]);
  });

  it('lead from inline code to operations and errors', () => {
    expect(pages.get('/guides/first-payment')).toContain(
      '<a href="/operations#get_transaction_circle_transaction__transaction_id__get"><code>GET /circle/transaction/{transaction_id}</code></a>',
    );
    expect(pages.get('/guides/pay-and-show')).toContain(
      '<a href="/errors/payment.ended"><code>payment.ended</code></a>',
    );
    expect(pages.get('/errors/payment.ended')).toContain('href="/operations#cancel_transaction"');
  });
});

describe('the guides', () => {
  it('name existing settings', () => {
    const ofScripts = [
      'FLORIN_DATA_DIR',
      'FLORIN_KEY',
      'FLORIN_PATRONI',
      'FLORIN_PGBOUNCER',
      'FLORIN_WALLET_SECRET_NEXT',
    ];
    const ofClient = ['FLORIN_BACKEND_URL', 'FLORIN_WEBHOOK_SECRET'];
    const known = new Set([...Object.keys(variables), ...ofScripts, ...ofClient]);
    const unknown = chapters.flatMap(({ file, text }) =>
      [...text.matchAll(/\bFLORIN_[A-Z0-9_]*[A-Z0-9]\b(?!_?…)/g)].flatMap(([name]) =>
        known.has(name) ? [] : [`${file}: ${name}`],
      ),
    );
    expect(unknown).toEqual([]);
  });

  it('list the successors of every state, as the code does', () => {
    const states = Object.keys(paymentStates) as (keyof typeof paymentStates)[];
    const rows = [...findChapter('/guides/states')!.text.matchAll(/^\| `([A-Z]+)` \|.*\|([^|]*)\|$/gm)];
    const said = rows.map(([, state, next = '']) => {
      const named = [...next.matchAll(/`([A-Z]+)`/g)].map(([, name]) => name);
      const below = states.slice(states.indexOf(state as (typeof states)[number]) + 1);
      return [
        state,
        next.trim().startsWith('any state below except') ? below.filter((one) => !named.includes(one)) : named,
      ];
    });
    expect(said).toEqual(states.map((state) => [state, paymentStates[state].next]));
    expect(states.filter(isFinal)).toHaveLength(4);
  });

  it('are rendered with everything in their Markdown', () => {
    const text =
      '# A *b*\n\n1. One\n\n   ```sh\n   a <b>\n     c\n   ```\n\n   Two\n2. `x` and **y**\n\n| a | b | c |\n|---|---|---|\n| `p\\|q` | | [r](amounts.md#reading) |\n\n> said\n\n## A `b`?\n\n## A b\n\n[out](../../deploy/ha/) <script>';
    const { html, headings } = renderMarkdown(text, 'guides/x.md', (code) => (code === 'x' ? '/errors/x' : undefined));
    expect(headings.map(({ id }) => id)).toEqual(['a-b', 'a-b-1', 'a-b-2']);
    expect(html).toContain('<pre tabindex="0"><code>a &lt;b&gt;\n  c\n</code></pre>');
    expect(html).toContain('<a href="/errors/x"><code>x</code></a> and <strong>y</strong>');
    expect(html).toContain(
      '<td><code>p|q</code></td><td data-label="b"></td><td data-label="c"><a href="/guides/amounts#reading">r</a></td>',
    );
    expect(html).toContain('<blockquote>\n<p>said</p>\n</blockquote>');
    expect(html).not.toContain('<script>');
    expect(html).toContain('out <span class="file">(deploy/ha)</span>');
  });
});

it('the search has every page, every operation and every error, once', () => {
  const hrefs = listEntries().map(([, href]) => href);
  expect(new Set(hrefs).size).toBe(hrefs.length);
  const wanted = [
    ...chapters.map(({ href }) => href),
    ...operations.map(({ id }) => `/operations#${id}`),
    ...Object.keys(errorTable).map((code) => `/errors/${code}`),
  ];
  expect(wanted.filter((href) => !hrefs.includes(href))).toEqual([]);
  const broken = hrefs.filter((href) => {
    const [path = '', anchor] = href.split('#', 2);
    return !pages.get(path) || (anchor !== undefined && !pages.get(path)!.includes(`id="${anchor}"`));
  });
  expect(broken).toEqual([]);
});

const executablePath = findChromium();
describe.skipIf(!executablePath)('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath!, args: ['--no-sandbox'] });
  });
  afterAll(() => browser.close());

  /** A page, its requests to other servers, and its errors. */
  async function open(width: number, options: { javaScriptEnabled?: boolean } = {}) {
    const context = await browser.newContext({ viewport: { width, height: 844 }, ...options });
    context.setDefaultTimeout(120_000);
    const page = await context.newPage();
    const wrong: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(url)) wrong.push(request.url());
    });
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) wrong.push(message.text());
    });
    page.on('pageerror', (error) => wrong.push(error.message));
    return { page, wrong, close: () => context.close() };
  }

  const overflow = (page: Page) =>
    page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');

  it.each([360, 1280])(
    'every page fits a screen of %i points, and sends no request to other servers',
    async (width) => {
      const { page, wrong, close } = await open(width);
      const shown = [...pages].filter(([path, html]) => path !== '/docs/try' && html.startsWith('<!doctype html>'));
      // `npm test` checks every eighth page, different ones in every run.
      const part = howMany(freshSeed() % 8, 0);
      // Pages of one kind are alike, so only some errors and decisions are checked. What fits a phone rarely fails on a
      // wide screen.
      const chosen = shown.filter(([path], i) =>
        /^\/(errors|decisions|operating\/alerts)\/./.test(path)
          ? i % 20 === 0
          : i % (width < 400 ? howMany(8, 1) : howMany(8, 4)) === part,
      );
      const wide: string[] = [];
      for (const [path] of chosen) {
        await page.goto(url + path);
        if ((await overflow(page)) > 0) wide.push(path);
      }
      expect({ wide, wrong }).toEqual({ wide: [], wrong: [] });
      expect(chosen.length).toBeGreaterThan(howMany(5, width < 400 ? 40 : 10));
      await close();
    },
  );

  it('the search works with the keyboard alone, and reports when it finds nothing', async () => {
    const { page, wrong, close } = await open(1280);
    await page.goto(`${url}/guides/amounts`);
    await page.keyboard.press('/');
    const input = page.getByRole('combobox');
    await input.pressSequentially('balance insuff');
    const chosen = page.locator('[role=option][aria-selected=true]');
    await expect.poll(() => chosen.allInnerTexts()).toEqual([expect.stringContaining('balance.insufficient')]);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${url}/errors/balance.insufficient`);

    await page.getByRole('combobox').fill('send_usdc');
    const options = page.getByRole('option');
    await options.first().waitFor();
    const names = await options.allInnerTexts();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    expect(await chosen.innerText()).toBe(names[1]);
    expect(names[0]).toContain('POST /api/v1/send_usdc');

    await page.getByRole('combobox').fill('zebra crossing');
    await page.getByRole('status').getByText('Nothing was found for “zebra crossing”.').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    expect(await page.locator('.found').isVisible()).toBe(false);
    expect(wrong).toEqual([]);
    await close();
  });

  it('a phone has a menu, which needs no script, and code can be copied', async () => {
    const { page, wrong, close } = await open(390);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${url}/guides/first-payment`);
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^ID_TOKEN=\$\(curl/);
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.locator('#menu').getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
    expect(wrong).toEqual([]);
    await close();

    const plain = await open(390, { javaScriptEnabled: false });
    await plain.page.goto(`${url}/guides/states`);
    expect(await plain.page.getByRole('combobox').isVisible()).toBe(false);
    await plain.page.getByRole('button', { name: 'Menu' }).click();
    await plain.page.locator('#menu').getByRole('link', { name: 'All operations' }).click();
    await plain.page.getByText('POST /api/v1/send_usdc').first().waitFor();
    await plain.close();
  });
});
