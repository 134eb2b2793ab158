/** Part of `npm run test:browser`: rare cases in the web wallet. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BenchSandbox, post, startBenchSandbox } from '../../bench/support/startBenchSandbox.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { findChromium } from '../support/browser/findChromium.ts';
import { operate } from '../support/operate.ts';
import { openWallets, type Wallets, type WalletUser } from '../support/wallet/openWallets.ts';

const SUMSUB_SCRIPT = 'https://static.sumsub.com/idensic/static/sns-websdk-builder.js';

/** What the provider's loader does, as far as a page can see: it creates a frame of the provider. */
const FAKE_LOADER = `window.snsWebSdk = {
  init(token, renew) {
    const builder = {
      withConf(conf) { window.providerConf = conf; return builder; },
      onMessage(listener) { window.providerSays = listener; return builder; },
      build: () => ({
        launch(selector) {
          const frame = document.createElement('iframe');
          frame.src = 'https://api.sumsub.com/websdk?token=' + encodeURIComponent(token);
          frame.allow = 'camera; microphone';
          frame.title = 'Identity check';
          document.querySelector(selector).append(frame);
        },
      }),
    };
    window.providerRenews = renew;
    return builder;
  },
};`;

describe.skipIf(!findChromium())('the wallet, rare cases', () => {
  let sandbox: BenchSandbox;
  let db: Db;
  let wallets: Wallets;
  let alice: WalletUser;
  beforeAll(async () => {
    sandbox = await startBenchSandbox();
    db = openDatabase(sandbox.state.database_url, { maxConnections: 2 });
    wallets = await openWallets(sandbox.state.wallet_url);
    alice = await wallets.logIn('Alice', { acceptDownloads: true });
  });
  afterAll(async () => {
    await wallets?.close();
    await db?.close();
    await sandbox?.stop();
  });

  const find = (name: string) => sandbox.state.users.find(({ username }) => username === name)!;
  const pay = async (from: string, to: string, amount: number, note?: string): Promise<string> => {
    const payment = {
      ...{ sender_user_id: find(from).user_id, receiver_username: to, amount },
      ...(note !== undefined && { payment_note: note }),
    };
    const paid = await post(`${sandbox.state.backend_url}/api/v1/send_usdc`, payment);
    return String(paid.transaction_id);
  };

  it('receives at the address of the chosen network', async () => {
    const { page } = alice;
    const solana = '7Z1vRk9PpUaGm3sYt2HcN5xWqJ8dLbEf4KoVgTiXnSQr';
    await page.route('**/api/v1/me', async (route) => {
      const answer = await route.fetch();
      const others = { other_addresses: [{ blockchain: 'SOL', address: solana }] };
      await route.fulfill({ response: answer, json: { ...(await answer.json()), ...others } });
    });
    await alice.open('/receive');
    await page.getByText('From elsewhere').click();
    await page.getByText('Your address depends on the network').waitFor();
    await page.getByText('With amount').click();
    await page.getByLabel('Network').selectOption('SOL');
    await page.locator('.whole-address', { hasText: solana }).waitFor();
    // An EIP-681 link would mean nothing there.
    await page.getByRole('img', { name: 'QR code of your address' }).waitFor();
    expect(await page.getByText('With amount').count()).toBe(0);
    await page.evaluate('navigator.clipboard.writeText = async (text) => { window.copied = text; }');
    await page.getByRole('button', { name: 'Copy' }).click();
    await expect.poll(() => page.evaluate('window.copied')).toBe(solana);
    await page.getByLabel('Network').selectOption('ETH-SEPOLIA');
    await page.getByRole('img', { name: 'QR code of a payment link' }).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('ends a session from another device', async () => {
    const phone = await wallets.logIn('Alice', { userAgent: 'Mozilla/5.0 (Linux; Android 16) Firefox/150.0' });
    await alice.open('/settings/sessions');
    await alice.page.getByRole('button', { name: 'End the session: Firefox, Android' }).click();
    await phone.page.getByText('You were logged out').waitFor();
    expect(phone.complaints).toEqual([]);
    await phone.close();
  });

  it('shows a refund on the refunded payment, and links the two', async () => {
    const paid = await pay('alice', 'bob', 6.5);
    await operate(db, 'payment', 'refund', paid, '--why', 'the shop was closed');
    const { page } = alice;
    await alice.open(`/payments/${paid}`);
    await page.getByText('6.5 USDC given back', { exact: false }).first().waitFor();
    await page.getByRole('link', { name: 'that payment' }).click();
    await page.getByText('the shop was closed', { exact: false }).first().waitFor();
    await page.getByText('Refund', { exact: true }).first().waitFor();
    expect(await page.getByRole('button', { name: /^Pay (back|again)/ }).count()).toBe(0);
    const refund = new URL(page.url()).pathname;
    expect(refund).not.toBe(`/payments/${paid}`);
    await page.getByRole('link', { name: 'that payment' }).click();
    await page.getByText('6.5 USDC given back', { exact: false }).first().waitFor();
    expect(new URL(page.url()).pathname).toBe(`/payments/${paid}`);
  });

  it('prints a receipt: the payment, without the app around it', async () => {
    const paid = await pay('alice', 'bob', 7.25);
    const { page } = alice;
    await alice.open(`/payments/${paid}`);
    await page.getByText(paid).waitFor();
    await page.evaluate('window.printed = 0; window.print = () => { window.printed++; }');
    await page.getByRole('button', { name: 'Receipt' }).click();
    expect(await page.evaluate('window.printed')).toBe(1);
    await page.emulateMedia({ media: 'print' });
    for (const shown of [
      page.getByText('7.25'),
      page.getByRole('definition').getByText('@alice'),
      page.getByRole('definition').getByText('@bob'),
      page.getByText(paid),
    ])
      expect(await shown.isVisible()).toBe(true);
    for (const hidden of [
      page.locator('nav'),
      page.getByRole('button', { name: 'Pay again' }),
      page.locator('.banners'),
    ])
      expect(await hidden.isVisible()).toBe(false);
    await page.emulateMedia({ media: 'screen' });
  });

  const download = async (button: string): Promise<{ name: string; text: string }> => {
    await alice.open('/settings');
    const [file] = await Promise.all([
      alice.page.waitForEvent('download'),
      alice.page.getByRole('button', { name: button }).click(),
    ]);
    return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
  };

  it('exports a CSV statement with every payment', async () => {
    const paid = await pay('alice', 'bob', 0.000001);
    const { name, text } = await download('All payments (CSV)');
    expect(name).toMatch(/^alice-\d{4}-\d\d-\d\d\.csv$/);
    const [head, ...lines] = text.trim().split('\r\n');
    expect(head).toMatch(/^transaction_id,created_at,kind,state,from,to,amount,/);
    const line = lines.find((one) => one.startsWith(paid))!;
    expect(line.split(',').slice(2, 7)).toEqual(['user', 'COMPLETE', 'alice', 'bob', '0.000001']);
    const counted = 'SELECT sum(entries) AS entries FROM accounts WHERE user_id = $1';
    const { rows } = await sandbox.db.query<{ entries: string }>(counted, [find('alice').user_id]);
    expect(lines).toHaveLength(Number(rows[0]!.entries));
  });

  it('exports everything that the service stores about the person', async () => {
    const { name, text } = await download('Export everything (JSON)');
    expect(name).toMatch(/^alice-\d{4}-\d\d-\d\d\.json$/);
    const account = JSON.parse(text);
    expect(account.profile).toMatchObject({ user_id: find('alice').user_id });
    expect(account.transactions.length).toBeGreaterThan(2);
  });

  it('finds payments by what people remember, and hands over a statement that adds up', async () => {
    const { page } = alice;
    const note = '<img src=x onerror=alert(1)> ארוחת ערב 👩‍👩‍👧‍👦 '.padEnd(100, '.');
    await pay('alice', 'bob', 3.125, note);
    await alice.open('/activity');
    await page.getByLabel('Search').fill('ערב');
    await page.getByText('3.125').waitFor();
    await expect.poll(() => page.locator('.payment').count()).toBe(1);
    await page.getByText('Received', { exact: true }).click();
    await page.getByText('Nothing found').waitFor();
    // A reload finds the same search.
    await page.reload();
    await page.getByText('Nothing found').waitFor();
    await page.getByRole('button', { name: 'Clear search' }).click();
    await page.locator('.payment').nth(1).waitFor();
    await page.getByLabel('Period').selectOption('month');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Table (CSV)' }).click(),
    ]);
    expect(readFileSync(await file.path(), 'utf8')).toContain(',-3.125,0,');
    await page.getByRole('link', { name: 'Statement' }).click();
    const row = page.getByRole('row').filter({ hasText: '3.125' });
    await row.getByText(note, { exact: true }).waitFor();
    expect(await row.textContent()).toContain('−3.125');
    expect(await page.evaluate('document.images.length')).toBeLessThan(3);
    const sums = (await page.locator('.sums dd').allTextContents()).map((text) =>
      BigInt(
        text
          .replace(/[^\d.−]/g, '')
          .replace('−', '-')
          .replace(/\.(\d+)/, (_, part: string) => part.padEnd(6, '0')),
      ),
    );
    expect(sums[0]! + sums[1]! + sums[2]!).toBe(sums[3]);
    const { rows } = await sandbox.db.query<{ available: bigint }>(
      'SELECT sum(available)::bigint AS available FROM accounts WHERE user_id = $1',
      [find('alice').user_id],
    );
    expect(sums[3]).toBe(BigInt(rows[0]!.available));
    await page.emulateMedia({ media: 'print' });
    expect(await row.isVisible()).toBe(true);
    expect(await page.getByLabel('Period').isVisible()).toBe(false);
    await page.emulateMedia({ media: 'screen' });
  });

  it('takes an amount in dollars, from the clipboard, or the whole balance', async () => {
    const { page } = alice;
    await alice.open('/send/to?username=bob');
    const amount = page.getByRole('status', { name: 'Amount' });
    await page.getByRole('group', { name: 'Keypad' }).waitFor();
    await page.evaluate(`{
      const data = new DataTransfer();
      data.setData('text', ' 1,234.50 USDC');
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
    }`);
    await expect.poll(() => amount.textContent()).toBe('1,234.50 USDC');
    await page.getByRole('button', { name: /^Max/ }).click();
    const everything = (await amount.textContent())!;
    expect(await page.getByText(/USDC available/).textContent()).toContain(everything.replace(' USDC', ''));
    await page.getByRole('button', { name: /Type the amount in USD$/ }).click();
    await expect.poll(() => amount.textContent()).toMatch(/ USD$/);
    for (let presses = 0; presses < 12; presses++) await page.keyboard.press('Backspace');
    for (const key of '10.999') await page.keyboard.press(key);
    await expect.poll(() => amount.textContent()).toBe('10.99 USD');
    const usdc = await page.getByRole('button', { name: /Type the amount in USDC$/ }).textContent();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: `Pay ${/= (.*) USDC/.exec(usdc!)![1]}` }).waitFor();
  });

  it('splits a bill into a request for each person, once, and names the person for whom it failed', async () => {
    const { page } = alice;
    await alice.open('/split');
    await page.getByRole('group', { name: 'Keypad' }).waitFor();
    for (const key of '10') await page.keyboard.press(key);
    for (const name of ['@Bob', 'carol', 'nobody_at_all']) {
      await page.getByLabel('Shared with').fill(name);
      await page.getByRole('button', { name: 'Add', exact: true }).click();
    }
    await page.getByText('2.50 USDC each, 2.50 for you').waitFor();
    await page.getByLabel('Note').fill('Pizza');
    let isLost = true;
    await page.route('**/api/v1/requests', async (route) => {
      const body = route.request().postDataJSON() as { payer_username: string };
      if (!isLost || body.payer_username !== 'carol') return route.continue();
      await route.fetch().catch(() => {});
      await route.abort('connectionreset').catch(() => {});
    });
    await page.getByRole('button', { name: 'Ask 3 people' }).click();
    const again = page.getByRole('button', { name: 'Ask the others again' });
    await again.waitFor();
    await page.getByText('No one has this name').waitFor();
    isLost = false;
    await again.click();
    await expect.poll(() => page.getByText('Asked', { exact: true }).count()).toBe(2);
    await page.unrouteAll({ behavior: 'wait' });
    const { rows } = await sandbox.db.query(
      `SELECT count(*)::integer AS count FROM money_requests WHERE asker_id = $1 AND amount = 2500000`,
      [find('alice').user_id],
    );
    expect(rows).toEqual([{ count: 2 }]);
  });

  it('closes an account, but not one with money, and only after its name was typed', async () => {
    const closer = await wallets.openBrowser();
    const { page } = closer;
    const close = page.getByRole('button', { name: 'Close my account' });
    await closer.open('/');
    await page.getByRole('link', { name: 'Log in', exact: true }).click();
    await page.locator('input[name=email]').fill('gone@example.com');
    await page.locator('input[name=email]').press('Enter');
    await page.getByLabel('Username').fill('soon_gone');
    await page.getByText('This name is available.').waitFor();
    await page.getByRole('button', { name: 'Choose this name' }).click();
    await page.locator('[data-balance="0"]').waitFor();
    // With an empty balance, the way forward leads to the address.
    await page.getByText('Your wallet is empty').waitFor();
    const received = await pay('alice', 'soon_gone', 0.5);
    await closer.open('/settings/close');
    await page.getByLabel(/Type your name/).fill('someone_else');
    expect(await close.isDisabled()).toBe(true);
    await page.getByLabel(/Type your name/).fill('@Soon_gone');
    await close.click();
    await page.getByText('The account is not empty').waitFor();
    await page.getByRole('alert').getByText('0.50 USDC available').waitFor();
    await operate(db, 'payment', 'refund', received, '--why', 'a test');
    await close.click();
    await page.getByText('This account was closed.').waitFor();
    await closer.close();
  });

  it('announces a global pause on every screen, and removes the notice when it is over', async () => {
    const { page } = alice;
    const banner = page.locator('.pauses summary').getByText('All payments are paused');
    await alice.open('/send/to?username=bob&amount=1');
    await page.getByRole('group', { name: 'Keypad' }).waitFor();
    expect(await banner.count()).toBe(0);
    await operate(db, 'pause', 'add', 'all', '--why', 'a check of the books');
    // A refused caller sees it immediately; others when the page polls or opens.
    await page.getByRole('button', { name: 'Continue' }).click();
    const fault = page.getByRole('alert');
    await fault.getByText('Payments are paused').waitFor();
    expect(await fault.textContent()).toMatch(/has stopped them for now.*No money was moved/);
    await banner.waitFor();
    await banner.click();
    await page.getByText(/^All payments are paused: the operator of this service has stopped them for now/).waitFor();
    for (const path of ['/', '/settings', '/send/to?username=bob&amount=1']) {
      await alice.open(path);
      await banner.waitFor();
    }
    await operate(db, 'pause', 'remove', 'all');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Review and pay' }).waitFor();
    await alice.open('/');
    await page.locator('.payment').first().waitFor();
    expect(await banner.count()).toBe(0);
  });

  it('shares one stream between two tabs, shows its events in both, and continues in the remaining tab', async () => {
    const context = alice.page.context();
    const streams: string[] = [];
    const [first, second] = [await context.newPage(), await context.newPage()];
    first.on('request', (request) => request.url().includes('/events/stream') && streams.push('first'));
    second.on('request', (request) => request.url().includes('/events/stream') && streams.push('second'));
    await alice.page.goto('about:blank');
    const streamed = first.waitForResponse(/\/events\/stream/);
    await first.goto(sandbox.state.wallet_url);
    await streamed;
    await second.goto(sandbox.state.wallet_url);
    await second.locator('[data-balance]').waitFor();
    // The list is there, so this tab follows the other one.
    await second.locator('.payment').first().waitFor();
    await Promise.all([
      first.getByText('@bob paid you 8.01 USDC').waitFor(),
      second.getByText('@bob paid you 8.01 USDC').waitFor(),
      pay('bob', 'alice', 8.01),
    ]);
    expect(streams).toEqual(['first']);
    const taken = second.waitForResponse(/\/events\/stream/);
    await first.close();
    await taken;
    await Promise.all([second.getByText('@bob paid you 8.02 USDC').waitFor(), pay('bob', 'alice', 8.02)]);
    await second.close();
    await alice.open('/');
  });

  it("loads the provider's own script on the identity check page, and nowhere else", async () => {
    const flora = await wallets.openBrowser();
    const { page } = flora;
    await flora.open('/');
    await page.getByRole('link', { name: 'Log in', exact: true }).click();
    await page.locator('input[name=email]').fill('flora@example.com');
    await page.locator('input[name=email]').press('Enter');
    await page.getByLabel('Username').fill('flora_fauna');
    await page.getByText('This name is available.').waitFor();
    await page.getByRole('button', { name: 'Choose this name' }).click();
    await page.locator('[data-balance="0"]').waitFor();

    // As in production, where the facts name the provider: the page and its policy come from the server.
    await page.route('**/verify', async (route) => {
      const answer = await route.fetch();
      const html = (await answer.text()).replace(/"kyc":\{"kind":"page"[^}]*\}/, '"kyc":{"kind":"sumsub"}');
      expect(html).toContain('"kyc":{"kind":"sumsub"}');
      await route.fulfill({ response: answer, body: html });
    });
    await page.route(SUMSUB_SCRIPT, (route) => route.fulfill({ contentType: 'text/javascript', body: FAKE_LOADER }));
    await page.route('https://api.sumsub.com/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<p>Hold your passport into the camera.</p>' }),
    );
    await flora.open('/verify');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.frameLocator('iframe[title="Identity check"]').getByText('Hold your passport').waitFor();
    expect(await page.evaluate('window.providerConf')).toEqual({ lang: 'en' });
    expect(String(await page.evaluate('window.providerRenews()'))).not.toBe('');
    await page.getByText('Started', { exact: true }).waitFor();

    // On another page the browser refuses the same script.
    await flora.open('/limits');
    const refused = page.evaluate(`new Promise((resolve) => {
      document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective));
      const script = document.createElement('script');
      try { script.src = '${SUMSUB_SCRIPT}'; document.head.append(script); } catch { /* Trusted Types */ }
    })`);
    expect(await refused).toMatch(/script-src-elem|require-trusted-types-for/);
    expect(await page.evaluate('typeof window.snsWebSdk')).toBe('undefined');
    await flora.close();
  });

  it('makes no request to other hosts, and its browser logs no error', () => {
    expect(alice.complaints).toEqual([]);
  });
});
