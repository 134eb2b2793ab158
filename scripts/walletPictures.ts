/**
 * `npm run pictures -- FOLDER`: takes a picture of every screen of the wallet and every state (empty, loading, failing,
 * long names, large amounts), on a phone and on a desktop, light and dark, in German and from right to left, in a
 * sandbox of its own. `npm run pictures` alone writes the repository's pictures: the README's picture and the icons.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { type BenchSandbox, post, startBenchSandbox } from '../bench/support/startBenchSandbox.ts';
import { findChromium } from '../test/support/browser/findChromium.ts';
import { readCommandLine, refuse } from './readCommandLine.ts';
import { ENGLISH_ONLY, LONG_NAME, SCREENS, STATES } from './walletScreens.ts';

const ROOT = resolve(import.meta.dirname, '..');
const SIZES = {
  phone: { width: 390, height: 844 },
  small: { width: 390, height: 664 },
  desk: { width: 1280, height: 860 },
} as const;
const THEMES = ['light', 'dark'] as const;
const ADDRESS = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';
const RIGHT_TO_LEFT = [
  'home',
  'send',
  'amount',
  'review-address',
  'receive',
  'requests',
  'limits',
  'settings',
  'fault',
];

type Size = keyof typeof SIZES;
type Theme = (typeof THEMES)[number];

async function openPage(browser: Browser, size: Size, colorScheme: Theme, locale = 'en-US'): Promise<Page> {
  const context = await browser.newContext({
    viewport: SIZES[size],
    deviceScaleFactor: 2,
    colorScheme,
    reducedMotion: 'reduce',
    locale,
    serviceWorkers: 'block',
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

/** Content for the pictures: payments in both directions, and a person who requests money. */
async function fill({ state }: BenchSandbox): Promise<void> {
  const find = (name: string) => state.users.find((user) => user.username === name)!;
  const pay = (from: string, to: string, amount: number, note?: string) =>
    post(`${state.backend_url}/api/v1/send_usdc`, {
      sender_user_id: find(from).user_id,
      receiver_username: to,
      amount,
      ...(note !== undefined && { payment_note: note }),
    });
  await pay('bob', 'alice', 42.5, 'Your part of the concert tickets 🎸');
  await pay('alice', 'coffee_shop', 4.8);
  await pay('carol', 'alice', 120, '<b>דמי שכירות</b> for March');
  await pay('alice', 'bob', 18.25);
  await pay(
    'alice',
    'coffee_shop',
    3.6,
    'Flat white and a croissant, as every single morning, and one more for Bob, who had forgotten his wallet at home again. Never mind!! ☕',
  );
  const headers = { authorization: `Bearer ${find('bob').access_token}` };
  const asked = { payer_username: 'alice', amount: 12.5, note: 'Cinema and popcorn' };
  await post(`${state.backend_url}/api/v1/requests`, asked, headers);
}

async function review(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Review and pay' }).waitFor();
}

async function photographAll(browser: Browser, sandbox: BenchSandbox, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const url = sandbox.state.wallet_url;
  for (const size of Object.keys(SIZES) as Size[]) {
    for (const theme of THEMES) {
      const page = await openPage(browser, size, theme);
      const take = (name: string) => page.screenshot({ path: join(folder, `${size}-${theme}-${name}.png`) });
      await photographOutside(page, url, take);
      await logIn(page, url, 'Alice');
      await photographScreens(page, url, take);
      await photographStates(page, url, take);
      await photographPayment(page, url, take);
      await page.context().close();
    }
    await photographOthers(browser, size, url, folder);
  }
}

type Take = (name: string) => Promise<unknown>;

async function photographOutside(page: Page, url: string, take: Take): Promise<void> {
  for (const [name, path] of [
    ['welcome', '/'],
    ['welcome-failed', '/?login=failed'],
  ] as const) {
    await page.goto(url + path);
    await settle(page);
    await take(name);
  }
  await page.route('**/session/open', (route) => route.abort());
  await page.goto(url);
  await settle(page);
  await take('welcome-unreachable');
  await page.unrouteAll();
}

async function photographScreens(page: Page, url: string, take: Take): Promise<void> {
  for (const [name, path, prepare] of SCREENS) {
    await page.goto(url + path);
    await settle(page);
    await prepare?.(page);
    await take(name);
  }
}

async function photographStates(page: Page, url: string, take: Take): Promise<void> {
  for (const { name, path, answers, isOver } of STATES) {
    await answers(page);
    await page.goto(url + path);
    await isOver(page);
    await page.waitForTimeout(150);
    await take(name);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  }
}

async function photographPayment(page: Page, url: string, take: Take): Promise<void> {
  await page.goto(`${url}/send/to?address=${ADDRESS}&amount=1`);
  await review(page);
  await page.getByRole('button', { name: /^Pay/ }).click();
  await page.getByText('Timeline').waitFor();
  await take('payment-under-way');
  await page.getByText('Final', { exact: true }).waitFor();
  await take('payment-final');
  await page.emulateMedia({ media: 'print' });
  await take('payment-printed');
  await page.emulateMedia({ media: 'screen' });
  await page.goto(url);
  await page.locator('.asked').click();
  await page.getByText('Cinema').waitFor();
  await take('request');
  await page.goto(url);
  await settle(page);
  await page.context().setOffline(true);
  await page.locator('.pauses').waitFor();
  await take('offline');
}

/** A new person, in German, and as a language from right to left would lay it out. */
async function photographOthers(browser: Browser, size: Size, url: string, folder: string): Promise<void> {
  const german = await openPage(browser, size, 'light', 'de-DE');
  await logIn(german, url, 'Alice');
  for (const [name, path, prepare] of SCREENS.filter(([one]) => !ENGLISH_ONLY.includes(one))) {
    await german.goto(url + path);
    await settle(german);
    await prepare?.(german);
    await german.screenshot({ path: join(folder, `${size}-german-${name}.png`) });
  }
  await german.context().close();

  const turned = await openPage(browser, size, 'light');
  await turned.addInitScript(
    "document.addEventListener('readystatechange', () => { document.documentElement.dir = 'rtl'; })",
  );
  await logIn(turned, url, 'Alice');
  for (const [name, path, prepare] of SCREENS.filter(([one]) => RIGHT_TO_LEFT.includes(one))) {
    await turned.goto(url + path);
    await settle(turned);
    await prepare?.(turned);
    await turned.screenshot({ path: join(folder, `${size}-rtl-${name}.png`) });
  }
  await turned.context().close();

  const fresh = await openPage(browser, size, 'light');
  const name = LONG_NAME.replace('of', { phone: 'of', small: 'on', desk: 'in' }[size]);
  await fresh.goto(`${url}/session/login?as=${name}@example.com`);
  await fresh.getByLabel('Username').waitFor();
  await fresh.screenshot({ path: join(folder, `${size}-new-name.png`) });
  await fresh.getByLabel('Username').fill(name);
  await fresh.getByText('This name is available.').waitFor();
  await fresh.getByRole('button', { name: 'Choose this name' }).click();
  await fresh.locator('[data-balance]').waitFor();
  for (const [screen, path] of [
    ['home', '/'],
    ['send', '/send'],
    ['requests', '/requests'],
    ['limits', '/limits'],
    ['identity', '/verify'],
    ['settings', '/settings'],
  ] as const) {
    await fresh.goto(url + path);
    await settle(fresh);
    await fresh.screenshot({ path: join(folder, `${size}-new-${screen}.png`) });
  }
  await fresh.context().close();
}

/** A phone and a desktop beside each other. */
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

const USAGE = 'npm run pictures -- [FOLDER]';
const { words: folders } = readCommandLine(USAGE, { words: 'any' });
if (folders.length > 1) refuse(USAGE, `Unexpected argument '${folders[1]}'`);
const [folder] = folders;
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
