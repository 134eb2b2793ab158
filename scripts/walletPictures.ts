/**
 * `npm run pictures -- FOLDER`: photographs every screen of the wallet, on a phone and on a desk, light and dark, in a
 * sandbox of its own. `npm run pictures` alone writes what the repository shows: the README's picture and the icons.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { type BenchSandbox, post, startBenchSandbox } from '../bench/support/startBenchSandbox.ts';
import { findChromium } from './chromium.ts';

const ROOT = resolve(import.meta.dirname, '..');
const SIZES = { phone: { width: 390, height: 844 }, desk: { width: 1280, height: 860 } } as const;
const THEMES = ['light', 'dark'] as const;
const ADDRESS = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';

type Size = keyof typeof SIZES;
type Theme = (typeof THEMES)[number];

async function openPage(browser: Browser, size: Size, colorScheme: Theme): Promise<Page> {
  const context = await browser.newContext({
    viewport: SIZES[size],
    deviceScaleFactor: 2,
    colorScheme,
    reducedMotion: 'reduce',
    locale: 'en-US',
    timezoneId: 'UTC',
  });
  context.setDefaultTimeout(120_000);
  return context.newPage();
}

/** Nothing is loading any more. */
async function settle(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor({ state: 'attached' });
  await page.locator('.bone, .spinner').first().waitFor({ state: 'detached' });
  await page.waitForTimeout(150);
}

async function logIn(page: Page, url: string, name: string): Promise<void> {
  await page.goto(url);
  await page.getByRole('link', { name, exact: true }).click();
  await page.locator('[data-balance]').waitFor();
}

/** So that there is something to see: payments in both directions, and somebody who asks. */
async function fill({ state }: BenchSandbox): Promise<void> {
  const find = (name: string) => state.users.find((user) => user.username === name)!;
  const pay = (from: string, to: string, amount: number) =>
    post(`${state.backend_url}/api/v1/send_usdc`, {
      sender_user_id: find(from).user_id,
      receiver_username: to,
      amount,
    });
  await pay('bob', 'alice', 42.5);
  await pay('alice', 'coffee_shop', 4.8);
  await pay('carol', 'alice', 120);
  await pay('alice', 'bob', 18.25);
  await pay('alice', 'coffee_shop', 3.6);
  const headers = { authorization: `Bearer ${find('bob').access_token}` };
  const asked = { payer_username: 'alice', amount: 12.5, note: 'Cinema and popcorn' };
  await post(`${state.backend_url}/api/v1/requests`, asked, headers);
}

/** Each shows one screen, in the state that its name says. */
const SCREENS: readonly (readonly [string, string, ((page: Page) => Promise<void>)?])[] = [
  ['home', '/'],
  ['send', '/send'],
  [
    'send-unreadable',
    '/send',
    async (page) => {
      await page.getByLabel('To', { exact: true }).fill('not a name!');
      await page.getByRole('button', { name: 'Continue' }).click();
    },
  ],
  ['amount', '/send/to?username=bob&amount=12.5'],
  ['amount-large', '/send/to?username=bob&amount=999999999.999999'],
  ['review', '/send/to?username=bob&amount=12.5', review],
  ['review-address', `/send/to?address=${ADDRESS}&amount=2`, review],
  [
    'fault',
    '/send/to?username=nobody_here&amount=5',
    async (page) => {
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('alert').waitFor();
    },
  ],
  ['receive', '/receive'],
  [
    'receive-amount',
    '/receive',
    async (page) => {
      await page.getByText('With amount').click();
      await page.getByLabel('Amount (USDC)').fill('25');
    },
  ],
  ['ask', '/ask'],
  ['requests', '/requests'],
  ['limits', '/limits'],
  ['identity', '/verify'],
  ['settings', '/settings'],
  ['devices', '/settings/sessions'],
  [
    'name',
    '/settings/name',
    async (page) => {
      await page.getByLabel('Username').fill('alice_in_wonderland');
      await page.getByText('It is free.').waitFor();
    },
  ],
  ['nowhere', '/nothing/here'],
];

async function review(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Check and pay' }).waitFor();
}

async function photographAll(browser: Browser, sandbox: BenchSandbox, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const url = sandbox.state.wallet_url;
  for (const size of Object.keys(SIZES) as Size[]) {
    for (const theme of THEMES) {
      const page = await openPage(browser, size, theme);
      const take = (name: string) => page.screenshot({ path: join(folder, `${size}-${theme}-${name}.png`) });
      await page.goto(url);
      await settle(page);
      await take('welcome');
      await logIn(page, url, 'Alice');
      for (const [name, path, prepare] of SCREENS) {
        await page.goto(url + path);
        await settle(page);
        await prepare?.(page);
        await take(name);
      }
      await page.goto(`${url}/send/to?address=${ADDRESS}&amount=1`);
      await review(page);
      await page.getByRole('button', { name: /^Pay/ }).click();
      await page.getByText('Timeline').waitFor();
      await take('payment-under-way');
      await page.getByText('Final', { exact: true }).waitFor();
      await take('payment-final');
      await page.goto(url);
      await page.locator('.asked').click();
      await page.getByText('Cinema').waitFor();
      await take('request');
      await page.goto(url);
      await settle(page);
      await page.context().setOffline(true);
      await page.getByText('No connection').waitFor();
      await take('offline');
      await page.context().close();
    }
  }
}

/** A phone and a desk beside each other. */
async function photographReadme(browser: Browser, { state }: BenchSandbox): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'florin-pictures-'));
  const take = async (name: string, path: string, theme: Theme, prepare?: (page: Page) => Promise<void>) => {
    const page = await openPage(browser, 'phone', theme);
    await logIn(page, state.wallet_url, 'Alice');
    await page.goto(state.wallet_url + path);
    await settle(page);
    await prepare?.(page);
    await page.screenshot({ path: join(folder, `${name}.png`) });
    await page.context().close();
    return `data:image/png;base64,${readFileSync(join(folder, `${name}.png`)).toString('base64')}`;
  };
  const pictures = [
    await take('home', '/', 'light'),
    await take('review', '/send/to?username=bob&amount=12.5', 'light', review),
    await take('receive', '/receive', 'dark'),
  ];
  const page = await browser.newPage({ viewport: { width: 1240, height: 860 } });
  await page.setContent(`<body style="margin:0;height:860px;display:flex;gap:36px;justify-content:center;align-items:center;
    background:linear-gradient(120deg,#e7efe9,#f4efe2)">${pictures
      .map((src) => `<img src="${src}" style="height:780px;border-radius:36px;box-shadow:0 12px 50px rgb(0 0 0/.2)">`)
      .join('')}</body>`);
  await page.screenshot({ path: join(ROOT, 'docs/wallet.png') });
  await page.close();
  rmSync(folder, { recursive: true });
}

async function drawIcons(browser: Browser): Promise<void> {
  const icon = readFileSync(join(ROOT, 'web/wallet/public/icon.svg'), 'utf8');
  for (const size of [192, 512]) {
    const page = await browser.newPage({ viewport: { width: size, height: size } });
    await page.setContent(`<body style="margin:0;background:#0f6b4f">${icon}</body>`);
    writeFileSync(join(ROOT, `web/wallet/public/icon-${size}.png`), await page.screenshot());
    await page.close();
  }
}

const [folder] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: findChromium()!, args: ['--no-sandbox'] });
try {
  if (folder === undefined) await drawIcons(browser);
  const sandbox = await startBenchSandbox();
  try {
    await fill(sandbox);
    if (folder === undefined) await photographReadme(browser, sandbox);
    else await photographAll(browser, sandbox, resolve(folder));
  } finally {
    await sandbox.stop();
  }
} finally {
  await browser.close();
}
