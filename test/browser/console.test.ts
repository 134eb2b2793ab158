/** Part of `npm run test:browser`: support questions, answered by clicks alone in the operator console of a sandbox. */
import { AxeBuilder } from '@axe-core/playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BenchSandbox, post, startBenchSandbox } from '../../bench/support/startBenchSandbox.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { findChromium } from '../support/browser/findChromium.ts';
import { randomAddress } from '../support/chain/custody.ts';
import { operate } from '../support/operate.ts';
import { openWallets, type Wallets, type WalletUser } from '../support/wallet/openWallets.ts';

/** Markup, and letters that turn the direction of what follows. */
const HOSTILE = '<img src=x onerror=alert(1)> ארוחת';

describe.skipIf(!findChromium())('the operator console', () => {
  let sandbox: BenchSandbox;
  let db: Db;
  let consoles: Wallets;
  let desk: WalletUser;
  beforeAll(async () => {
    sandbox = await startBenchSandbox({ FLORIN_APPROVAL_THRESHOLD: '500' });
    db = openDatabase(sandbox.state.database_url, { maxConnections: 2 });
    consoles = await openWallets(sandbox.state.console_url!);
    desk = await logIn();
  });
  afterAll(async () => {
    await consoles?.close();
    await db?.close();
    await sandbox?.stop();
  });

  async function logIn(name = /support/): Promise<WalletUser> {
    const user = await consoles.openBrowser({ viewport: { width: 1280, height: 860 } });
    await user.open('/');
    await user.page.getByRole('link', { name }).click();
    await user.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    return user;
  }
  const find = (name: string) => sandbox.state.users.find(({ username }) => username === name)!;
  const pay = async (amount: number, note?: string): Promise<string> => {
    const payment = {
      ...{ sender_user_id: find('alice').user_id, receiver_username: 'bob', amount },
      ...(note !== undefined && { payment_note: note }),
    };
    return String((await post(`${sandbox.state.backend_url}/api/v1/send_usdc`, payment)).transaction_id);
  };
  const send = async (amount: number): Promise<string> => {
    const wish = { destination_address: randomAddress(), amount, wallet_username: 'alice' };
    return String((await post(`${sandbox.state.web3_url}/wallet/send-usdc`, wish)).transaction_id);
  };
  const see = (text: string | RegExp) => desk.page.getByText(text).first().waitFor();
  const place = (name: string) => desk.page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name });
  /** Types what the customer names, in the one box; the only hit opens. */
  const search = async (word: string) => {
    await desk.page.keyboard.press('Escape');
    await desk.page.keyboard.press('/');
    await desk.page.keyboard.type(word);
    await desk.page.keyboard.press('Enter');
  };
  const title = (name: string | RegExp) => desk.page.getByRole('heading', { name, level: 1 }).waitFor();

  it('where is this payment, and did it arrive?', async () => {
    const sent = await send(3);
    await search(sent);
    await title('Payment');
    await see('3.00 USDC');
    // Nobody touches the page while the payment goes on.
    await desk.page.locator('.sum .tag', { hasText: 'Complete' }).waitFor();
    await see('Set aside');
    await see('What moved on the blockchain.');
  });

  it('was it paid twice?', async () => {
    await search(await pay(17.25, HOSTILE));
    await title('Payment');
    await see(HOSTILE);
    await desk.page.getByRole('link', { name: 'Payments with this amount on this day' }).click();
    await title('Payments');
    await desk.page.locator('tbody tr').first().waitFor();
    expect(await desk.page.locator('tbody tr').count()).toBe(1);
  });

  it('why was it refunded?', async () => {
    const paid = await pay(6.5);
    await operate(db, 'payment', 'refund', paid, '--why', 'the shop was closed');
    await search(paid);
    await desk.page.locator('dt', { hasText: 'Refunds' }).locator('..').getByRole('link').click();
    await desk.page.locator('.fact', { hasText: 'Refund of' }).waitFor();
    await see('the shop was closed');
  });

  it('why does it wait, and who approved it?', async () => {
    const waiting = await send(600);
    await operate(db, 'payment', 'approve', waiting);
    await place('Approvals').click();
    await desk.page.getByRole('region', { name: 'Sends' }).getByText('600.00 USDC').waitFor();
    await see('1 of 2');
    await see('New address');
    await desk.page.locator('tbody [data-row]').first().click();
    await title('Payment');
    await desk.page.locator('.fact', { hasText: 'Approved by' }).waitFor();
  });

  it('what is stuck, and what ends it?', async () => {
    await place('Stuck work').click();
    await title('Stuck work');
    await desk.page.locator('td .tag', { hasText: 'Waits for approval' }).waitFor();
    await see('Two operators approve it, or one denies it.');
    await desk.page.getByRole('button', { name: 'Amount' }).click();
    await desk.page.locator('th[aria-sort=ascending]').waitFor();
    expect(new URL(desk.page.url()).search).toBe('?sort=amount');
  });

  it('why can this person not pay, and where are they logged in?', async () => {
    const { user_id: id } = find('carol');
    await operate(db, 'pause', 'add', `user:${id}`, '--why', `stolen phone ${HOSTILE}`);
    await search('carol');
    await title('@carol');
    await see(`stolen phone ${HOSTILE}`);
    await desk.page.getByRole('region', { name: 'Logged in' }).waitFor();
    await place('People').click();
    await desk.page.getByLabel('State').selectOption('paused');
    await desk.page.getByRole('link', { name: '@carol' }).waitFor();
    expect(new URL(desk.page.url()).search).toBe('?state=paused');
  });

  it('which deposits of this person were credited?', async () => {
    await search('alice');
    await title('@alice');
    await desk.page.getByRole('link', { name: 'Deposits of this person' }).click();
    await title('Deposits');
    await desk.page.locator('tbody .tag', { hasText: 'Credited' }).first().waitFor();
    await see('1,000.00 USDC');
  });

  it('do the ledger and the coins agree today?', async () => {
    await place('Books').click();
    await see('The ledger and the coins agree.');
    await see('No faults');
  });

  it('what may this operator do, and who else is one?', async () => {
    await place('Settings').click();
    await see('florin_support');
    await desk.page.getByRole('link', { name: 'Operators', exact: true }).click();
    await desk.page.locator('tbody .tag', { hasText: 'Admin' }).first().waitFor();
  });

  it('downloads a list with its filters', async () => {
    await desk.open('/payments?user=alice&kind=user');
    const link = desk.page.getByRole('link', { name: 'Download CSV' });
    const [file] = await Promise.all([desk.page.waitForEvent('download'), link.click()]);
    expect((await file.createReadStream().then((stream) => stream.toArray())).join('')).toContain('17.25');
  });

  it('works by keyboard alone', async () => {
    const { page } = desk;
    await desk.open('/');
    await title('Home');
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Next row').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await title('Payments');
    await page.locator('[data-row]').nth(2).waitFor();
    for (const key of 'jjk') await page.keyboard.press(key);
    expect(await page.evaluate("document.activeElement === document.querySelector('main [data-row]')")).toBe(true);
    await page.keyboard.press('Enter');
    await title('Payment');
  });

  const SCREENS = [
    ...[
      '/',
      '/search',
      '/search?q=alice',
      '/payments',
      '/people',
      '/people/alice',
      '/deposits',
      '/approvals',
      '/stuck',
    ],
    ...['/books', '/networks', '/payouts', '/webhooks', '/wallets/treasury', '/settings', '/settings/keys', '/menu'],
    ...['/settings/pauses', '/settings/limits', '/settings/audit', '/payments/nothing', '/nowhere'],
  ];
  it.each([
    ['light', 390, 'en-US'],
    ['dark', 1280, 'de-DE'],
  ] as const)('passes axe and is never wider than the screen: %s, %i, %s', async (colorScheme, width, locale) => {
    const other = await consoles.openBrowser({ viewport: { width, height: 844 }, colorScheme, locale });
    await other.page.emulateMedia({ reducedMotion: 'reduce' });
    await other.open('/');
    await other.page.locator('.people').waitFor();
    expect((await new AxeBuilder({ page: other.page }).analyze()).violations).toEqual([]);
    await other.page.getByRole('link', { name: /risk/ }).click();
    await other.page.locator('.charts').waitFor();
    for (const path of SCREENS) {
      await other.open(path);
      await other.page.locator('h1').waitFor();
      await other.page.locator('.bones').first().waitFor({ state: 'detached' });
      const { violations } = await new AxeBuilder({ page: other.page }).analyze();
      const faults = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
      const overflow = await other.page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect([path, overflow, faults]).toEqual([path, 0, []]);
    }
    expect(other.complaints).toEqual([]);
    await other.close();
  });

  it('logs out, and keeps the path for the next login', async () => {
    await desk.open('/books');
    await desk.page.context().clearCookies();
    await place('Networks').click();
    await desk.page.getByRole('link', { name: /support/ }).click();
    await title('Networks');
    await place('Settings').click();
    await desk.page.getByRole('button', { name: 'Log out' }).click();
    await see('You are logged out.');
    expect(desk.complaints).toEqual([]);
  });
});
