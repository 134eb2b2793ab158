/** Part of `npm run test:browser`: links of the web wallet on their way, and payments that were confirmed long ago. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BenchSandbox, startBenchSandbox } from '../../bench/support/startBenchSandbox.ts';
import { findChromium } from '../support/browser/findChromium.ts';
import { confirmPayment, openWallets, type Wallets, type WalletUser } from '../support/wallet/openWallets.ts';

const DAY_MS = 86_400_000;

describe.skipIf(!findChromium())('links of the wallet', () => {
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
  const count = async (amount: string): Promise<number> => {
    const { rows } = await sandbox.db.query<{ count: string }>('SELECT count(*) FROM transfers WHERE amount = $1', [
      amount,
    ]);
    return Number(rows[0]!.count);
  };

  it('lead a new person through the login, the choice of a name and the identity check', async () => {
    const guest = await wallets.openBrowser();
    const { page } = guest;
    await guest.open('/pay/@bob?amount=5000&note=Rent');
    await page.getByRole('link', { name: 'Log in', exact: true }).click();
    await page.locator('input[name=email]').fill('erin@example.com');
    await page.locator('input[name=email]').press('Enter');
    await page.getByLabel('Username').fill('erin_links');
    await page.getByText('This name is available.').waitFor();
    await page.getByRole('button', { name: 'Choose this name' }).click();
    await page.getByText('From a link or code').waitFor();
    await page.getByRole('link', { name: 'Add money' }).waitFor();
    await page.reload();
    await page.getByText('5,000').first().waitFor();
    await guest.open(`/verify?to=${encodeURIComponent('/pay/@bob?amount=1&note=Rent')}`);
    await page.getByRole('link', { name: 'Back', exact: true }).click();
    await page.getByText('From a link or code').waitFor();
    expect(new URL(page.url()).search).toBe('?amount=1&note=Rent');
    for (const elsewhere of ['//evil.example', 'https://evil.example', '/\\evil.example', 'javascript:alert(1)']) {
      await guest.open(`/verify?to=${encodeURIComponent(elsewhere)}`);
      expect(await page.getByRole('link', { name: 'Back to home' }).getAttribute('href')).toBe('/');
    }
    expect(guest.complaints).toEqual([]);
    await guest.close();
  });

  it('show a request to whoever holds its link', async () => {
    await bob.open('/ask');
    await bob.page.getByLabel('Note').fill('<b>Tickets</b>');
    await bob.page.getByRole('heading', { name: 'Ask for money' }).click();
    for (const key of '3.131313') await bob.page.keyboard.press(key);
    await bob.page.getByRole('button', { name: 'Create a link' }).click();
    await bob.page.getByText('Open', { exact: true }).waitFor();
    const guest = await wallets.openBrowser();
    const { page } = guest;
    await guest.open(new URL(bob.page.url()).pathname);
    await page.getByRole('heading', { name: '@bob asks for 3.131313 USDC' }).waitFor();
    await page.getByText('<b>Tickets</b>').waitFor();
    await page.getByRole('link', { name: 'Alice', exact: true }).click();
    await page.getByRole('button', { name: 'Pay 3.131313' }).click();
    await page.getByText('Paid', { exact: true }).waitFor();
    expect(guest.complaints).toEqual([]);
    await guest.close();
  });

  it('offer an address of a customer by name', async () => {
    const { page } = alice;
    const address = sandbox.state.users.find(({ username }) => username === 'bob')!.address;
    const paste = async () => {
      await alice.open('/send');
      await page.getByLabel('To', { exact: true }).fill(address);
      await page.getByRole('button', { name: 'Continue' }).click();
    };
    await paste();
    await page.getByText('This address belongs to a customer here').waitFor();
    await bob.open('/settings');
    await bob.page.getByRole('switch').check();
    await bob.page.waitForResponse((answer) => answer.request().method() === 'GET' && answer.url().endsWith('/me'));
    await paste();
    await page.getByRole('button', { name: 'Pay @bob' }).click();
    await page.getByRole('heading', { name: 'Send to @bob' }).waitFor();
  });

  const keepOld = (page: Page, key: string, amount: string) =>
    page.evaluate(
      `localStorage.setItem('florin-intents', JSON.stringify([{
        key: '${key}', userId: '${sandbox.state.users.find(({ username }) => username === 'alice')!.user_id}',
        to: { username: 'bob' }, amount: '${amount}', startedAt: Date.now() - ${21 * DAY_MS},
      }]))`,
    );

  it('an old payment waits for the person, and two tabs pay it once', async () => {
    const first = alice.page;
    await alice.open('/');
    await keepOld(first, 'three-weeks-ago', '4.141414');
    const second = await first.context().newPage();
    const tabs = [first, second];
    for (const tab of tabs) {
      await tab.goto(`${sandbox.state.wallet_url}/`);
      await tab.getByText('Unfinished payment: 4.141414 USDC to @bob').click();
      await tab.getByText('It was not paid.').waitFor();
      await tab.getByRole('button', { name: /^Pay / }).waitFor();
    }
    expect(await count('4141414')).toBe(0);
    await Promise.all(tabs.map((tab) => confirmPayment(tab).catch(() => {})));
    await first
      .getByText(/^(Paid|This payment has ended)/)
      .first()
      .waitFor();
    expect(await count('4141414')).toBe(1);
    await keepOld(first, 'three-weeks-ago', '4.141414');
    await second.goto(`${sandbox.state.wallet_url}/`);
    await second.getByText('Unfinished payment').click();
    await second.getByText('It was paid.').waitFor();
    expect(await second.getByRole('button', { name: /^Pay / }).count()).toBe(0);
    await second.close();
    expect(await count('4141414')).toBe(1);
  });
});
