/** Passkeys in a real browser, with Chromium's virtual authenticator, at the sandbox's wallet with a host name. */
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BenchSandbox, startBenchSandbox } from '../../bench/support/startBenchSandbox.ts';
import { findChromium } from '../support/browser/findChromium.ts';
import {
  confirmPayment,
  fillPayment,
  openWallets,
  type Wallets,
  type WalletUser,
} from '../support/wallet/openWallets.ts';

describe.skipIf(!findChromium())('passkeys in the wallet', () => {
  let sandbox: BenchSandbox;
  let wallets: Wallets;
  let alice: WalletUser;
  let device: { readonly cdp: CDPSession; readonly authenticatorId: string };
  beforeAll(async () => {
    sandbox = await startBenchSandbox();
    wallets = await openWallets(sandbox.state.wallet_url.replace('127.0.0.1', 'wallet.localhost'));
    alice = await wallets.logIn('Alice');
    device = await addDevice(alice.page);
  });
  afterAll(async () => {
    await wallets?.close();
    await sandbox?.stop();
  });

  async function addDevice(page: Page) {
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    const options = {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
    } as const;
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
    });
    return { cdp, authenticatorId };
  }
  const mayVerify = (isUserVerified: boolean) =>
    device.cdp.send('WebAuthn.setUserVerified', { authenticatorId: device.authenticatorId, isUserVerified });
  const paid = async (amount: string): Promise<number> => {
    const { rows } = await sandbox.db.query('SELECT FROM transfers WHERE amount = $1', [amount]);
    return rows.length;
  };
  const button = (name: string | RegExp) => alice.page.getByRole('button', { name });

  it('are added, and confirm a payment above the amount, which is paid once', async () => {
    const { page } = alice;
    await alice.open('/settings/passkeys');
    await button('Add a passkey').click();
    await page.getByText('So far, no payment needs a passkey').waitFor();
    await page.getByLabel('Ask me above this amount').fill('20');
    await button('Save the amount').click();
    await page.getByText('Each payment above 20.00 USDC needs a passkey.').waitFor();
    await alice.open('/');
    await fillPayment(page, '@bob', '20');
    await confirmPayment(page);
    await page.getByText('Paid', { exact: true }).waitFor();
    await alice.open('/');
    await fillPayment(page, '@bob', '20.01');
    await confirmPayment(page);
    await page.getByRole('heading', { name: 'Confirm this payment' }).waitFor();
    expect(await paid('20010000')).toBe(0);
    // A device that does not recognize the person, and then does.
    await mayVerify(false);
    await button('Confirm with passkey').click();
    await page.getByText('Your device did not confirm it').waitFor();
    expect(await paid('20010000')).toBe(0);
    await mayVerify(true);
    await button('Confirm with passkey').click();
    await page.getByText('Paid', { exact: true }).waitFor();
    expect(await paid('20010000')).toBe(1);
  });

  it('are not asked when the person gives up: nothing is paid, and nothing is offered again', async () => {
    const { page } = alice;
    await alice.open('/');
    await fillPayment(page, '@bob', '21');
    await confirmPayment(page);
    await button('Do not pay').click();
    await page.locator('[data-balance]').waitFor();
    await page.reload();
    await page.locator('[data-balance]').waitFor();
    expect(await paid('21000000')).toBe(0);
  });

  it('are needed to raise the amount and to be removed', async () => {
    const { page } = alice;
    await alice.open('/settings/passkeys');
    await page.getByLabel('Ask me above this amount').fill('50');
    await button('Save the amount').click();
    await page.getByText('Each payment above 50.00 USDC needs a passkey.').waitFor();
    await mayVerify(false);
    await button('Stop asking').click();
    await page.getByText('Your device did not confirm it').waitFor();
    await mayVerify(true);
    await button(/^Remove the passkey/).click();
    await expect.poll(() => page.getByLabel('Ask me above this amount').count()).toBe(0);
    const { rows } = await sandbox.db.query('SELECT FROM passkeys');
    expect(rows).toEqual([]);
    expect(alice.complaints).toEqual([]);
  });
});
