/** Part of `npm run test:browser`: every journey in the web wallet with the keyboard alone. No test here clicks. */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type BenchSandbox, startBenchSandbox } from '../../bench/support/startBenchSandbox.ts';
import { findChromium } from '../support/browser/findChromium.ts';
import { randomAddress } from '../support/chain/custody.ts';
import { openWallets, type Wallets, type WalletUser } from '../support/wallet/openWallets.ts';
import { type Keyboard, useKeyboard } from '../support/wallet/useKeyboard.ts';

describe.skipIf(!findChromium())('the wallet with the keyboard alone', () => {
  let sandbox: BenchSandbox;
  let wallets: Wallets;
  let alice: WalletUser;
  let keys: Keyboard;
  beforeAll(async () => {
    sandbox = await startBenchSandbox();
    wallets = await openWallets(sandbox.state.wallet_url);
    alice = await wallets.logIn('Alice');
    keys = useKeyboard(alice.page);
  });
  afterAll(async () => {
    await wallets?.close();
    await sandbox?.stop();
  });
  const see = (user: WalletUser, text: string | RegExp) =>
    user.page
      .getByText(text, typeof text === 'string' ? { exact: true } : {})
      .first()
      .waitFor();
  /** The focus moves to the heading a moment after it appears: a key pressed before that would be lost. */
  const seeTitle = (user: WalletUser, name: string) =>
    user.page
      .getByRole('heading', { name, level: 1, exact: true })
      .and(user.page.locator(':focus'))
      .waitFor({ state: 'attached' });
  const goHome = async () => {
    await alice.open('/');
    await seeTitle(alice, 'Home');
    await alice.page.locator('[data-balance]').waitFor();
  };

  it('logs in and chooses a name', async () => {
    const dora = await wallets.openBrowser();
    const hers = useKeyboard(dora.page);
    await dora.open('/');
    await seeTitle(dora, 'Money that arrives when you send it.');
    await hers.choose(/^Log in#/);
    await dora.page.locator('input[name=email]').waitFor();
    const focused = await dora.page.evaluate("document.activeElement?.getAttribute('name')");
    if (focused !== 'email') await hers.reach(/mail/i);
    await hers.type('dora@example.com');
    await hers.press('Enter');
    await seeTitle(dora, 'Choose your name');
    await hers.reach(/#username$/);
    await hers.type('dora_by_keyboard');
    await see(dora, 'This name is available.');
    await hers.press('Enter');
    await dora.page.locator('[data-balance="0"]').waitFor();
    await dora.close();
  });

  it('pays a person', async () => {
    await goHome();
    await keys.choose(/^Send#/);
    await seeTitle(alice, 'Send');
    await keys.reach(/#to$/);
    await keys.type('@bob');
    await keys.press('Enter');
    await seeTitle(alice, 'Send to @bob');
    await keys.type('1.75');
    await see(alice, /1\.75/);
    await keys.press('Enter');
    await seeTitle(alice, 'Review and pay');
    await keys.choose(/^Pay 1\.75/);
    await see(alice, 'Paid');
  });

  it('pays an address, with the number pad', async () => {
    await alice.open(`/send/to?address=${randomAddress()}`);
    await alice.page.getByRole('group', { name: 'Keypad' }).waitFor();
    await keys.reach(/^2#/);
    await keys.press('Space');
    await keys.choose(/^Continue/);
    await seeTitle(alice, 'Review and pay');
    await keys.choose(/^Pay 2/);
    await see(alice, 'Timeline');
  });

  it('requests money, withdraws the request, and requests again; the other person pays one and declines one', async () => {
    const bob = await wallets.logIn('Bob');
    const his = useKeyboard(bob.page);
    const ask = async (amount: string) => {
      await goHome();
      await keys.choose(/^Ask#/);
      await seeTitle(alice, 'Ask for money');
      await keys.type(amount);
      await keys.reach(/#payer$/);
      await keys.type('bob');
      await keys.choose(/^Ask#$/);
      await see(alice, 'Open');
    };
    await ask('3');
    await keys.choose(/^Cancel request/);
    await see(alice, 'Cancelled');

    await ask('4');
    await bob.open('/');
    await his.choose(/asks for 4/);
    await seeTitle(bob, 'Request');
    await his.choose(/^Pay 4/);
    await see(bob, 'Paid');
    await see(alice, 'Paid');

    await ask('5');
    await his.choose(/^Home#/);
    await his.choose(/asks for 5/);
    await his.choose(/^Decline/);
    await see(bob, 'Declined');
    await bob.close();
  });

  it('receives: shows the code with an amount, and copies the address', async () => {
    await goHome();
    await keys.choose(/^Receive#/);
    await seeTitle(alice, 'Receive');
    await keys.reach(/^By name#/);
    await keys.press('ArrowRight');
    await keys.reach(/^Address#/);
    await keys.press('ArrowRight');
    await keys.reach(/#receive-amount$/);
    await keys.type('12.5');
    await alice.page.getByRole('img', { name: 'QR code of a payment link' }).waitFor();
  });

  it('opens a payment from the list and goes back', async () => {
    await goHome();
    await keys.choose(/@bob/);
    await seeTitle(alice, 'Payment');
    await keys.choose(/^Back/);
    await alice.page.locator('[data-balance]').waitFor();
  });

  it('changes theme and language, ends another session, and logs out', async () => {
    const phone = await wallets.logIn('Alice', { userAgent: 'Mozilla/5.0 (Linux; Android 16) Firefox/150.0' });
    await goHome();
    await keys.choose(/^Settings#/);
    await seeTitle(alice, 'Settings');
    await keys.reach(/#theme$/);
    await keys.type('Dark');
    await alice.page.locator('html[data-theme=dark]').waitFor();
    await keys.reach(/#language$/);
    await keys.type('Deutsch');
    await seeTitle(alice, 'Einstellungen');
    await keys.reach(/#language$/);
    await keys.type('English');
    await seeTitle(alice, 'Settings');
    await keys.choose(/^Devices/);
    await seeTitle(alice, 'Devices');
    await keys.choose(/^End the session: Firefox, Android/);
    await phone.page.getByText('You were logged out').waitFor();
    await phone.close();
    await keys.choose(/^Settings#/);
    await keys.choose(/^Log out#/);
    await alice.page.getByRole('link', { name: 'Log in', exact: true }).waitFor();
  });
});
