/** People who use the web wallet of a sandbox, each in a browser of their own. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { findChromium } from '../browser/findChromium.ts';

export interface WalletUser {
  readonly page: Page;
  /** Browser errors, and requests to other hosts. A test checks them at its end. */
  readonly complaints: readonly string[];
  /** Opens a path of the wallet. */
  open(path: string): Promise<void>;
  close(): Promise<void>;
}

export interface Wallets {
  readonly browser: Browser;
  /** A browser in which no one is logged in. */
  openBrowser(options?: BrowserContextOptions): Promise<WalletUser>;
  /** One of the sandbox's people, logged in. */
  logIn(name: string, options?: BrowserContextOptions): Promise<WalletUser>;
  close(): Promise<void>;
}

/** Machines may be several times slower. */
const PATIENCE_MS = 120_000;
/** Browser messages about failed answers, which tests of failures expect; and Playwright's messages about itself. */
const EXPECTED = /Failed to load resource|net::ERR|blocked by Playwright/;

export async function openWallets(walletUrl: string, args: readonly string[] = []): Promise<Wallets> {
  const browser = await chromium.launch({ executablePath: findChromium()!, args: ['--no-sandbox', ...args] });

  async function openBrowser(options: BrowserContextOptions = {}): Promise<WalletUser> {
    // A test cannot delay requests that pass through a service worker.
    const usual = { locale: 'en-US', timezoneId: 'UTC', serviceWorkers: 'block' } as const;
    const context = await browser.newContext({ ...usual, ...options });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()) && !EXPECTED.test(message.text()))
        complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      const { hostname, protocol } = new URL(request.url());
      const own = ['127.0.0.1', 'localhost', 'wallet.localhost', 'console.localhost'];
      if (protocol.startsWith('http') && !own.includes(hostname)) complaints.push(request.url());
    });
    return {
      page,
      complaints,
      open: async (path) => void (await page.goto(walletUrl + path)),
      close: () => context.close(),
    };
  }

  return {
    browser,
    openBrowser,
    async logIn(name, options) {
      const user = await openBrowser(options);
      await user.open('/');
      await user.page.getByRole('link', { name, exact: true }).click();
      await user.page.locator('[data-balance]').waitFor();
      return user;
    },
    close: () => browser.close(),
  };
}

/** The amount that the home screen shows, as the service wrote it. */
export const readBalance = (page: Page): Promise<string | null> =>
  page.locator('[data-balance]').getAttribute('data-balance');

/** Fills in a payment, from the home screen to its confirmation. */
export async function fillPayment(page: Page, to: string, amount: string): Promise<void> {
  await page.getByRole('link', { name: 'Send' }).first().click();
  await page.getByLabel('To', { exact: true }).fill(to);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('group', { name: 'Keypad' }).waitFor();
  for (const key of amount) await page.keyboard.press(key);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Review and pay' }).waitFor();
}

export const confirmPayment = (page: Page): Promise<void> => page.getByRole('button', { name: /^Pay / }).click();
