/**
 * The web wallet on a slow phone: cold cache, logged in, a processor four times slower, 150 ms latency, 1.6 Mbit/s.
 * Measures the first paint, the largest paint, the appearance of the balance, the layout shift, and the response to a
 * touch when home has a thousand payments.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';
import { findChromium } from '../test/support/browser/findChromium.ts';
import { finish } from './support/finish.ts';
import { sized } from './support/short.ts';
import { type BenchSandbox, forEachAtOnce, post, withBenchSandbox } from './support/startBenchSandbox.ts';

const ROUNDS = sized(5, 1);
const PAYMENTS = sized(1_000, 60);
const DIST = resolve(import.meta.dirname, '../web/wallet/dist');

interface Loading {
  readonly fcp: number;
  readonly lcp: number;
  readonly balance: number;
  readonly cls: number;
}

/** Runs in the page before anything else, and records the browser's reports. */
const WATCH = `
  window.seen = { fcp: 0, lcp: 0, balance: 0, cls: 0, events: [] };
  const watch = (type, take, more) => new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true, ...more });
  watch('paint', (one) => { if (one.name === 'first-contentful-paint') seen.fcp = one.startTime; });
  watch('largest-contentful-paint', (one) => { seen.lcp = one.startTime; });
  watch('layout-shift', (one) => { if (!one.hadRecentInput) seen.cls += one.value; });
  watch('event', (one) => { if (one.interactionId) seen.events.push(one.duration); }, { durationThreshold: 16 });
  new MutationObserver(() => {
    if (!seen.balance && document.querySelector('[data-balance]')) requestAnimationFrame(() => { seen.balance ||= performance.now(); });
  }).observe(document, { subtree: true, childList: true });
`;

async function slowDown(page: Page): Promise<CDPSession> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Network.enable');
  await cdp.send('Network.clearBrowserCache');
  await cdp.send('Network.setCacheDisabled', { cacheDisabled: true });
  const bytes = (1.6 * 1024 * 1024) / 8;
  const network = { offline: false, latency: 150, downloadThroughput: bytes, uploadThroughput: bytes };
  await cdp.send('Network.emulateNetworkConditions', network);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  return cdp;
}

async function measureLoading(context: BrowserContext, url: string): Promise<Loading> {
  const page = await context.newPage();
  await page.addInitScript(WATCH);
  await slowDown(page);
  await page.goto(url);
  await page.locator('[data-balance]').waitFor();
  await page.locator('.payment').first().waitFor();
  await page.waitForTimeout(1_500);
  const seen = (await page.evaluate('window.seen')) as Loading;
  await page.close();
  return seen;
}

/** The slowest response to a touch or a key on home with all rows. */
async function measureTouch(context: BrowserContext, url: string): Promise<number> {
  const page = await context.newPage();
  await page.addInitScript(WATCH);
  await page.goto(url);
  await page.locator('.payment').first().waitFor();
  // Scrolls to the end of the list. Only rows near the screen are drawn, so rows cannot be counted.
  while ((await page.locator('.more').count()) > 0) {
    await page.mouse.wheel(0, 20_000);
    await page.waitForTimeout(50);
  }
  const places = new Map<string, { readonly x: number; readonly y: number }>();
  for (const name of ['Settings', 'Home', 'Requests']) {
    const box = (await page.locator('nav').getByRole('link', { name }).boundingBox())!;
    places.set(name, { x: box.x + box.width / 2, y: box.y + box.height / 2 });
  }
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await page.evaluate('scrollTo(0, 0); seen.events = []');
  await page.waitForTimeout(500);
  for (let pressed = 0; pressed < 10; pressed++) {
    await page.keyboard.press('Tab');
    await page.waitForTimeout(60);
  }
  for (const name of ['Settings', 'Home', 'Requests', 'Home']) {
    // A raw press instead of Playwright's locator, which adds a listener to the page: that took a third of the time of
    // a touch. The pointer is moved there first, as a person would.
    const { x, y } = places.get(name)!;
    await page.mouse.move(x, y);
    await page.waitForTimeout(200);
    await page.mouse.down();
    await page.mouse.up();
    await page.waitForURL(({ pathname }) => pathname === (name === 'Home' ? '/' : `/${name.toLowerCase()}`));
    await page.waitForTimeout(400);
  }
  const events = (await page.evaluate('seen.events')) as number[];
  await page.close();
  return Math.max(16, ...events);
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

function measureScripts(): number {
  const html = readFileSync(join(DIST, 'index.html'), 'utf8');
  const scripts = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map((match) => match[1]!);
  return scripts.reduce((sum, path) => sum + gzipSync(readFileSync(join(DIST, path))).length, 0) / 1000;
}

async function payOften({ state }: BenchSandbox): Promise<void> {
  const [alice, bob] = state.users;
  const payment = { sender_user_id: alice!.user_id, receiver_username: bob!.username, amount: 0.01 };
  await forEachAtOnce(Array.from({ length: PAYMENTS }), 8, async () => {
    await post(`${state.backend_url}/api/v1/send_usdc`, payment);
  });
}

export default async function benchWallet(): Promise<void> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error('this needs a Chromium: CHROMIUM_PATH=/path/to/chromium');
  await withBenchSandbox(async (sandbox) => {
    await payOften(sandbox);
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    const viewport = { width: 390, height: 844 };
    const context = await browser.newContext({ viewport, serviceWorkers: 'block', locale: 'en-US' });
    try {
      const url = sandbox.state.wallet_url;
      const page = await context.newPage();
      await page.goto(url);
      await page.getByRole('link', { name: 'Alice', exact: true }).click();
      await page.locator('[data-balance]').waitFor();
      await page.close();
      const rounds: Loading[] = [];
      for (let round = 0; round < ROUNDS; round++) rounds.push(await measureLoading(context, url));
      const touches: number[] = [];
      for (let round = 0; round < ROUNDS; round++) touches.push(await measureTouch(context, url));
      const of = (name: keyof Loading) => median(rounds.map((one) => one[name]));
      const figures = {
        fcp_ms: Math.round(of('fcp')),
        lcp_ms: Math.round(of('lcp')),
        balance_ms: Math.round(of('balance')),
        cls: Number(of('cls').toFixed(4)),
        inp_ms: Math.round(median(touches)),
        js_gz_kb: Number(measureScripts().toFixed(1)),
      };
      console.table(figures);
      finish('wallet', { ...figures });
    } finally {
      await browser.close();
    }
  });
}
