/** Buttons that are pressed twice, and choices that are changed before they are used. */
import type { Locator } from 'playwright-core';
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

const ADDRESS = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';

describe.skipIf(!findChromium())('the wallet', () => {
  let sandbox: BenchSandbox;
  let wallets: Wallets;
  let alice: WalletUser;
  let bob: WalletUser;
  beforeAll(async () => {
    // A send of this much waits for operators, so there is time to cancel it.
    sandbox = await startBenchSandbox({ FLORIN_APPROVAL_THRESHOLD: '100' });
    wallets = await openWallets(sandbox.state.wallet_url);
    [alice, bob] = [await wallets.logIn('Alice'), await wallets.logIn('Bob')];
  });
  afterAll(async () => {
    await wallets?.close();
    await sandbox?.stop();
  });

  /** As fast as a hand can press, and faster: both clicks before the page is drawn again. */
  const presses: Readonly<Record<string, (button: Locator) => Promise<void>>> = {
    'double-clicked': (button) => button.dblclick(),
    'clicked twice at once': (button) =>
      button.evaluate((one: { click(): void }) => {
        one.click();
        one.click();
      }),
  };
  const buttons = [
    { button: 'Decline', by: () => alice, ends: 'declined', shown: 'Declined' },
    { button: 'Take it back', by: () => bob, ends: 'cancelled', shown: 'Cancelled' },
  ] as const;
  const cases = buttons.flatMap((one) => Object.entries(presses).map(([how, press]) => ({ ...one, how, press })));

  /** Bob asks Alice. */
  async function ask(): Promise<string> {
    await bob.open('/ask');
    await bob.page.getByLabel('Whom').fill('@alice');
    await bob.page.getByRole('heading', { name: 'Ask for money' }).click();
    await bob.page.keyboard.press('7');
    await bob.page.getByRole('button', { name: 'Ask', exact: true }).click();
    await bob.page.getByText('Open', { exact: true }).waitFor();
    return new URL(bob.page.url()).pathname;
  }

  it.each(cases)('ends a request once when "$button" is $how', async ({ button, by, ends, shown, press }) => {
    const path = await ask();
    const { page, open } = by();
    await open(path);
    await press(page.getByRole('button', { name: button }));
    await page.getByText(shown, { exact: true }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    const { rows } = await sandbox.db.query<{ state: string }>(
      'SELECT state FROM money_request_events WHERE request_id = $1 ORDER BY seq',
      [path.split('/').at(-1)],
    );
    expect(rows.map(({ state }) => state)).toEqual(['open', ends]);
  });

  it.each(Object.entries(presses))('cancels a payment once when "Cancel" is %s', async (_, press) => {
    const { page } = alice;
    await alice.open('/');
    await fillPayment(page, ADDRESS, '123');
    await confirmPayment(page);
    await page.waitForURL(/\/payments\//);
    const id = new URL(page.url()).pathname.split('/').at(-1);
    await press(page.getByRole('button', { name: 'Cancel', exact: true }));
    await page.getByText('Cancelled, amount is back').first().waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    const { rows } = await sandbox.db.query<{ kind: string }>('SELECT kind FROM transfers WHERE hold_id = $1', [id]);
    expect(rows).toEqual([{ kind: 'release' }]);
  });

  it('asks about the network that is chosen when it asks', async () => {
    const { page } = alice;
    const [home, other] = sandbox.state.chains.map(({ blockchain }) => blockchain);
    await alice.open(`/send/to?address=${ADDRESS}&blockchain=${other}`);
    await page.getByRole('group', { name: 'Keypad' }).waitFor();
    await page.keyboard.press('5');
    await page.getByLabel('Network').selectOption(home!);
    const [previewed] = await Promise.all([
      page.waitForRequest((request) => /preview/.test(request.url())),
      page.getByRole('button', { name: 'Continue' }).click(),
    ]);
    expect(JSON.parse(previewed.postData()!)).toMatchObject({ destination_address: ADDRESS, blockchain: home });
    await page.getByRole('heading', { name: 'Check and pay' }).waitFor();
  });

  it('has nothing that its browser complained about', () => {
    expect([alice.complaints, bob.complaints]).toEqual([[], []]);
  });
});
