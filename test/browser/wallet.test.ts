/**
 * The web wallet in a real browser, on a whole sandbox: what fits into `npm test`. The rest is in `everything.test.ts`.
 */
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BenchSandbox, startBenchSandbox } from '../../bench/support/startBenchSandbox.ts';
import { findChromium } from '../support/browser/findChromium.ts';
import { howMany } from '../support/run/thorough.ts';
import {
  confirmPayment,
  fillPayment,
  openWallets,
  readBalance,
  type Wallets,
  type WalletUser,
} from '../support/wallet/openWallets.ts';

describe.skipIf(!findChromium())('the wallet', () => {
  let sandbox: BenchSandbox;
  let wallets: Wallets;
  let alice: WalletUser;
  let bob: WalletUser;
  beforeAll(async () => {
    sandbox = await startBenchSandbox();
    wallets = await openWallets(sandbox.state.wallet_url);
    [alice, bob] = [await wallets.logIn('Alice'), await wallets.logIn('Bob')];
  });
  afterAll(async () => {
    await wallets?.close();
    await sandbox?.stop();
  });

  const count = async (sql: string, amount: string): Promise<number> => {
    const { rows } = await sandbox.db.query<{ count: string }>(sql, [amount]);
    return Number(rows[0]!.count);
  };
  const countRequests = (amount: string) => count('SELECT count(*) FROM money_requests WHERE amount = $1', amount);
  const countPayments = (amount: string) => count('SELECT count(*) FROM transfers WHERE amount = $1', amount);
  const balanceOf = (user: WalletUser) => expect.poll(() => readBalance(user.page));

  it('pays a person, who sees the payment arrive without touching anything', async () => {
    // A notice only announces what happens while the stream is open.
    const streamed = bob.page.waitForResponse(/\/events\/stream/);
    await bob.open('/');
    await streamed;
    await balanceOf(bob).toBe('1000');
    await alice.open('/');
    await fillPayment(alice.page, '@bob', '12.34');
    await alice.page.getByText('You have never paid @bob').waitFor();
    const note = '<b>Tea</b> ארוחת 🍝';
    await alice.page.getByLabel('Note').fill(`${note}\u200f`);
    // Bob's notice disappears by itself, so the test waits for it before it appears.
    await Promise.all([
      bob.page.locator('.notice', { hasText: '@alice paid you 12.34 USDC' }).getByText(note, { exact: true }).waitFor(),
      confirmPayment(alice.page),
      alice.page.getByText('Paid', { exact: true }).waitFor(),
    ]);
    expect(new URL(alice.page.url()).pathname).toMatch(/^\/payments\/[0-9a-f-]{36}$/);
    await alice.page.getByText(note, { exact: true }).waitFor();
    await balanceOf(bob).toBe('1012.34');
    await bob.page.locator('.payment-who').getByText(note, { exact: true }).waitFor();
    await bob.page
      .getByRole('link', { name: /@alice/ })
      .first()
      .waitFor();
  });

  it('requests money from a person, who pays in the other browser', async () => {
    await bob.open('/ask');
    await bob.page.getByLabel('From').fill('@alice');
    await bob.page.getByLabel('Note').fill('Dinner');
    await bob.page.getByRole('heading', { name: 'Ask for money' }).click();
    for (const key of '7.5') await bob.page.keyboard.press(key);
    await alice.open('/');
    await alice.page.locator('[data-balance]').waitFor();
    await bob.page.getByRole('button', { name: 'Ask', exact: true }).click();
    await bob.page.getByText('Open', { exact: true }).waitFor();
    await alice.page.getByText('@bob asks for 7.50 USDC').click();
    await alice.page.getByRole('main').getByText('Dinner').waitFor();
    await alice.page.getByRole('button', { name: 'Pay 7.50' }).click();
    await alice.page.getByText('Paid', { exact: true }).waitFor();
    await bob.page.getByText('Paid', { exact: true }).waitFor();
  });

  it('keeps a link through the login, and shows only then what a stranger has written', async () => {
    const link = '/pay/@bob?amount=2.020202&note=Tea%20%26%20cake';
    const guest = await wallets.openBrowser();
    const { page } = guest;
    await guest.open(link);
    await page.getByRole('heading', { name: 'Pay with your name' }).waitFor();
    await bob.open('/settings');
    await bob.page.getByRole('switch').check();
    const isPublic = () => fetch(`${sandbox.state.wallet_url}/api/v1/public/names/bob`);
    await expect.poll(async () => (await isPublic()).status).toBe(200);
    await page.reload();
    await page.getByRole('heading', { name: 'Pay @bob' }).waitFor();
    expect(await page.locator('body').innerText()).not.toMatch(/2\.02|Tea/);
    await page.getByRole('link', { name: 'Alice', exact: true }).click();
    await page.getByText('From a link or code').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Continue' }).click();
    await expect.poll(() => page.getByLabel('Note').inputValue()).toBe('Tea & cake');
    await confirmPayment(page);
    await page.getByText('Paid', { exact: true }).waitFor();
    expect(await countPayments('2020202')).toBe(1);
    expect(guest.complaints).toEqual([]);
    await guest.close();
  });

  it('says why a payment is refused, and that no money moved', async () => {
    await alice.open('/send/to?username=nobody_at_all');
    await alice.page.getByRole('group', { name: 'Keypad' }).waitFor();
    await alice.page.keyboard.press('5');
    await alice.page.getByRole('button', { name: 'Continue' }).click();
    const fault = alice.page.getByRole('alert');
    await fault.getByText('No one has this name').waitFor();
    expect(await fault.textContent()).toMatch(/No money was moved.*Reference [\w-]{13}/);
    await alice.open(`/send/to?address=0x8ba1f109551bD432803012645Ac136ddd64DBA73`);
    await alice.page.getByRole('group', { name: 'Keypad' }).waitFor();
    await alice.page.keyboard.press('5');
    await alice.page.getByRole('button', { name: 'Continue' }).click();
    await alice.page.getByText('This is not a valid address').waitFor();
  });

  it('pays exactly once although the answer is lost and the page is reloaded', async () => {
    const { page } = alice;
    await alice.open('/');
    await fillPayment(page, '@bob', '4.444444');
    let lost = 0;
    let isLost = true;
    await page.route('**/api/v1/send_usdc', async (route) => {
      if (!isLost) return route.continue();
      // The service receives the call and pays; the page may be gone before the answer arrives.
      await route.fetch().catch(() => {});
      lost++;
      await route.abort('connectionreset').catch(() => {});
    });
    await confirmPayment(page);
    await page.getByRole('heading', { name: 'Checking' }).waitFor();
    expect(await page.getByText(/failed/i).count()).toBe(0);
    await page.reload();
    await page.getByRole('heading', { name: /Sending|Checking/ }).waitFor();
    isLost = false;
    await page.getByText('Paid', { exact: true }).waitFor();
    await page.unroute('**/api/v1/send_usdc');
    expect(lost).toBeGreaterThan(0);
    expect(await countPayments('4444444')).toBe(1);
  });

  /** As fast as a hand can press, and faster: both clicks before the page is drawn again. */
  const presses: [string, (button: Locator) => Promise<void>][] = [
    ['double-clicked', (button) => button.dblclick()],
    [
      'clicked twice immediately',
      (button) =>
        button.evaluate((one: { click(): void }) => {
          one.click();
          one.click();
        }),
    ],
  ];

  // `screens.test.ts` presses every button of the screens twice, without a browser.
  it.each(howMany([], presses))('sends once when a button that moves money is %s', async (how, press) => {
    const { page } = alice;
    const last = how === 'double-clicked' ? '1' : '2';
    const payNow = () => press(page.getByRole('button', { name: /^Pay / }));
    await alice.open('/');
    await fillPayment(page, '@bob', `3.33333${last}`);
    await payNow();
    await page.getByText('Paid', { exact: true }).waitFor();

    await alice.open('/');
    await fillPayment(page, '0x8ba1f109551bD432803012645Ac136ddd64DBA72', `2.22222${last}`);
    await payNow();
    await page.waitForURL(/\/payments\//);

    await bob.open('/ask');
    await bob.page.getByLabel('From').fill('@alice');
    await bob.page.getByRole('heading', { name: 'Ask for money' }).click();
    for (const key of `1.11111${last}`) await bob.page.keyboard.press(key);
    await press(bob.page.getByRole('button', { name: 'Ask', exact: true }));
    await bob.page.getByText('Open', { exact: true }).waitFor();
    await alice.open(new URL(bob.page.url()).pathname);
    await payNow();
    await page.getByText('Paid', { exact: true }).waitFor();

    const sends = "SELECT count(*) FROM transfers WHERE kind = 'hold' AND amount = $1";
    expect({
      toPerson: await countPayments(`333333${last}`),
      toAddress: await count(sends, `222222${last}`),
      asked: await countRequests(`111111${last}`),
      requestPaid: await countPayments(`111111${last}`),
    }).toEqual({ toPerson: 1, toAddress: 1, asked: 1, requestPaid: 1 });
    // A confirmed payment without an answer would be stored here.
    expect(await page.evaluate("localStorage.getItem('florin-intents')")).toBe('[]');
  });

  it('requests once although the answer is lost and the button is pressed again', async () => {
    const { page } = bob;
    await bob.open('/ask');
    await page.getByLabel('From').fill('@alice');
    await page.getByRole('heading', { name: 'Ask for money' }).click();
    for (const key of '0.123456') await page.keyboard.press(key);
    await page.route('**/api/v1/requests', async (route) => {
      await route.fetch().catch(() => {});
      await route.abort('connectionreset').catch(() => {});
    });
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByRole('alert').waitFor();
    await page.unroute('**/api/v1/requests');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByText('Open', { exact: true }).waitFor();
    expect(await countRequests('123456')).toBe(1);
  });

  it('keeps the refresh token away from scripts, and lets no other page use it', async () => {
    const cookies = await alice.page.context().cookies();
    const session = cookies.find(({ name }) => /^florin-wallet-\d+-session$/.test(name));
    expect(session).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
    const kept = await alice.page.evaluate('JSON.stringify([document.cookie, {...localStorage}, {...sessionStorage}])');
    expect(kept).not.toMatch(/fl[ar]_/);
    for (const origin of ['https://evil.example', 'http://127.0.0.1:1', undefined]) {
      const answer = await fetch(`${sandbox.state.wallet_url}/session/refresh`, {
        method: 'POST',
        headers: { cookie: `${session!.name}=${session!.value}`, ...(origin && { origin }) },
      });
      expect([origin, answer.status]).toEqual([origin, 403]);
    }
  });

  it('makes no request to other hosts, and its browser logs no error', () => {
    expect([alice.complaints, bob.complaints]).toEqual([[], []]);
  });
});
