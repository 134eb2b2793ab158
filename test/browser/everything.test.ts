/** `npm run test:browser`: every journey in the web wallet, every screen, both themes. Too long for `npm test`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import encodeQR from 'qr';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BenchSandbox, startBenchSandbox } from '../../bench/support/startBenchSandbox.ts';
import { findChromium } from '../support/browser/findChromium.ts';
import { randomAddress } from '../support/chain/custody.ts';
import {
  confirmPayment,
  fillPayment,
  openWallets,
  type Wallets,
  type WalletUser,
} from '../support/wallet/openWallets.ts';

describe.skipIf(!findChromium())('the wallet, complete', () => {
  let sandbox: BenchSandbox;
  let wallets: Wallets;
  let alice: WalletUser;
  let bob: WalletUser;
  const folder = mkdtempSync(join(tmpdir(), 'florin-wallet-'));
  beforeAll(async () => {
    // Sessions are renewed every few seconds.
    sandbox = await startBenchSandbox({ FLORIN_ACCESS_TOKEN_SECONDS: '30' });
    wallets = await openWallets(sandbox.state.wallet_url);
    [alice, bob] = [await wallets.logIn('Alice'), await wallets.logIn('Bob')];
  });
  afterAll(async () => {
    await wallets?.close();
    await sandbox?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const readState = (user: WalletUser, text: string) => user.page.getByText(text, { exact: true }).first().waitFor();

  it('registers a new person: any email address, a free name, no money before the identity check', async () => {
    const dora = await wallets.openBrowser();
    const { page } = dora;
    await dora.open('/');
    await page.getByRole('link', { name: 'Log in', exact: true }).click();
    await page.locator('input[name=email]').fill('dora@example.com');
    await page.locator('input[name=email]').press('Enter');
    await page.getByRole('heading', { name: 'Choose your name' }).waitFor();
    await page.getByLabel('Username').fill('alice');
    await page.getByText('This name, or one that looks like it, is taken.').waitFor();
    await page.getByLabel('Username').fill('dora');
    await page.getByText('This name is available.').waitFor();
    await page.getByRole('button', { name: 'Choose this name' }).click();
    await page.locator('[data-balance="0"]').waitFor();

    await page.getByRole('button', { name: 'Get coins' }).click();
    await page.locator('[data-balance="100"]').waitFor();

    await dora.open('/verify');
    await page.getByRole('button', { name: 'Start' }).click();
    const [desk] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Open the identity page' }).click(),
    ]);
    await desk.getByRole('button', { name: /^Approve/ }).click();
    // The page updates from the event stream, without a reload.
    await readState(dora, 'Verified');
    expect(dora.complaints).toEqual([]);
    await dora.close();
  });

  it('lets only the identity check page load the provider', async () => {
    const policyOf = async (path: string) =>
      (await fetch(sandbox.state.wallet_url + path)).headers.get('content-security-policy')!;
    for (const path of ['/', '/send', '/payments/x']) {
      expect(await policyOf(path)).not.toContain('sumsub');
      expect(await policyOf(path)).toMatch(/script-src 'self' 'sha256-[^' ]+';.*require-trusted-types-for 'script'/);
      expect(await policyOf(path)).not.toContain('unsafe');
    }
    expect(await policyOf('/verify')).toContain('https://static.sumsub.com');
  });

  it('sends to an address and follows the payment until it is final', async () => {
    const address = randomAddress();
    await alice.open('/');
    await fillPayment(alice.page, address, '3.000001');
    await alice.page.getByText(address).first().waitFor();
    await confirmPayment(alice.page);
    await alice.page.getByText('Final', { exact: true }).waitFor();
    await alice.page.getByText('Paid', { exact: true }).waitFor();
  });

  it('asks again when the reviewed data has changed', async () => {
    const { page } = alice;
    await alice.open('/');
    await fillPayment(page, '@bob', '1');
    await bob.open('/');
    await fillPayment(bob.page, '@alice', '0.5');
    await confirmPayment(bob.page);
    await bob.page.getByText('Paid', { exact: true }).waitFor();
    await confirmPayment(page);
    await page.getByText('Something has changed. Please review').waitFor();
    expect(new URL(page.url()).pathname).toBe('/send/to');
    await confirmPayment(page);
    await page.getByText('Paid', { exact: true }).waitFor();
  });

  it('refreshes in two tabs at the same time and stays logged in', async () => {
    const tabs = [await alice.page.context().newPage(), await alice.page.context().newPage()];
    for (let round = 0; round < 3; round++) {
      await Promise.all(tabs.map((tab) => tab.goto(`${sandbox.state.wallet_url}/`)));
      await Promise.all(tabs.map((tab) => tab.locator('[data-balance]').waitFor()));
    }
    await Promise.all(tabs.map((tab) => tab.close()));
    await alice.open('/');
    await alice.page.locator('[data-balance]').waitFor();
  });

  it('renews a session in the background, and the stream continues', async () => {
    await alice.open('/');
    await alice.page.locator('[data-balance]').waitFor();
    let renewed = 0;
    alice.page.on('response', (answer) => {
      if (answer.url().endsWith('/session/refresh')) renewed++;
    });
    const before = renewed;
    await expect
      .poll(async () => {
        await alice.page.getByRole('link', { name: 'Requests' }).click();
        await alice.page.getByRole('link', { name: 'Home' }).click();
        return renewed;
      })
      .toBeGreaterThan(before);
    await alice.page.locator('[data-balance]').waitFor();
  });

  it('pays a request by link, and shows the requester who paid', async () => {
    await alice.open('/ask');
    await alice.page.getByRole('heading', { name: 'Ask for money' }).click();
    for (const key of '2.25') await alice.page.keyboard.press(key);
    await alice.page.getByRole('button', { name: 'Create a link' }).click();
    await alice.page.getByRole('img', { name: 'QR code of the link' }).waitFor();
    await bob.open(new URL(alice.page.url()).pathname);
    await bob.page.getByRole('button', { name: 'Pay 2.25' }).click();
    await readState(bob, 'Paid');
    await alice.page.getByText('from @bob').waitFor();
  });

  it('declines a request, and the other side sees it', async () => {
    await alice.open('/ask');
    await alice.page.getByLabel('From').fill('bob');
    await alice.page.getByRole('heading', { name: 'Ask for money' }).click();
    await alice.page.keyboard.press('9');
    await alice.page.getByRole('button', { name: 'Ask', exact: true }).click();
    await readState(alice, 'Open');
    await bob.open(new URL(alice.page.url()).pathname);
    await bob.page.getByRole('button', { name: 'Decline' }).click();
    await readState(alice, 'Declined');
  });

  it('reports a lost connection and marks its data as old', async () => {
    await alice.open('/');
    await alice.page.locator('[data-balance]').waitFor();
    await alice.page.context().setOffline(true);
    await alice.page.locator('.pauses').waitFor();
    await alice.page.context().setOffline(false);
    await alice.page.locator('.pauses').waitFor({ state: 'detached' });
  });

  it('opens offline after a first visit, and reports that the service cannot be reached', async () => {
    const carol = await wallets.logIn('Carol', { serviceWorkers: 'allow' });
    const { page } = carol;
    await page.evaluate('navigator.serviceWorker.ready.then(() => true)');
    await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true);
    await page.context().setOffline(true);
    await page.reload();
    await page.getByText('The service cannot be reached').waitFor();
    // No money data is stored.
    const kept = await page.evaluate(
      'caches.keys().then((names) => Promise.all(names.map((name) => caches.open(name).then((cache) => cache.keys())))).then((all) => all.flat().map((one) => new URL(one.url).pathname))',
    );
    expect((kept as string[]).filter((path) => /^\/(api|session|callback)/.test(path))).toEqual([]);
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('[data-balance]').waitFor();
    await carol.close();
  });

  it('scans a code with the camera', async () => {
    const address = randomAddress();
    const video = join(folder, 'code.y4m');
    writeFileSync(video, filmCode(`ethereum:${address}`));
    const camera = await openWallets(sandbox.state.wallet_url, [
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      `--use-file-for-fake-video-capture=${video}`,
    ]);
    try {
      const carol = await camera.logIn('Carol', { permissions: ['camera'] });
      await carol.open('/send');
      await carol.page.getByRole('button', { name: 'Scan' }).click();
      await carol.page.getByText(address, { exact: false }).first().waitFor();
      expect(carol.page.url()).toContain(`address=${address}`);
      expect(carol.complaints).toEqual([]);
    } finally {
      await camera.close();
    }
  });

  it('offers to read a picture when there is no camera', async () => {
    await alice.open('/send');
    await alice.page.getByRole('button', { name: 'Scan' }).click();
    await alice.page.getByText('There is no camera').waitFor();
  });

  const SCREENS = [
    '/',
    '/send',
    '/send/to?username=bob&amount=1.5',
    `/send/to?address=${randomAddress()}`,
    '/receive',
    '/ask',
    '/requests',
    '/limits',
    '/verify',
    '/settings',
    '/settings/name',
    '/settings/sessions',
    '/settings/close',
    '/activity',
    '/activity?search=nothing+has+this&from=2026-01-02',
    '/statement',
    '/split',
    '/payments/00000000-0000-4000-8000-000000000000',
    '/nothing/here',
  ];
  const check = async (page: Page) => {
    await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
    await page.locator('.bone').first().waitFor({ state: 'detached' });
    const { violations } = await new AxeBuilder({ page }).analyze();
    const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    return { overflow, faults: violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)) };
  };

  it.each([
    ['light', 360],
    ['dark', 360],
    ['light', 1280],
    ['dark', 1280],
  ] as const)('passes axe and is never wider than the screen: %s, %i', async (theme, width) => {
    const { page } = alice;
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    for (const path of SCREENS) {
      await alice.open(path);
      expect([path, await check(page)]).toEqual([path, { overflow: 0, faults: [] }]);
    }
    const stranger = await wallets.openBrowser({ viewport: { width, height: 800 }, colorScheme: theme });
    for (const path of ['/', '/?login=limited']) {
      await stranger.open(path);
      expect([path, await check(stranger.page)]).toEqual([path, { overflow: 0, faults: [] }]);
    }
    expect(await stranger.page.getByRole('alert').textContent()).toContain('too many logins from your network');
    expect(await stranger.page.getByRole('link', { name: 'Log in', exact: true }).isVisible()).toBe(true);
    await stranger.close();
  });

  it('keeps the main action of every step in sight on a small phone, without a navigation bar over it', async () => {
    const { page } = alice;
    await page.setViewportSize({ width: 390, height: 664 });
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await bob.open('/ask');
    await bob.page.getByLabel('From').fill('alice');
    await bob.page.getByRole('heading', { name: 'Ask for money' }).click();
    await bob.page.keyboard.press('1');
    await bob.page.getByRole('button', { name: 'Ask', exact: true }).click();
    await bob.page.getByText('Your request').waitFor();
    const review = () => page.locator('.button.main').click();
    const steps: readonly (readonly [path: string, before?: () => Promise<void>])[] = [
      ['/send'],
      ['/send/to?username=bob&amount=1.5'],
      ['/send/to?username=bob&amount=1.5', review],
      [`/send/to?address=${randomAddress()}&amount=1`],
      [`/send/to?address=${randomAddress()}&amount=1`, review],
      ['/ask'],
      [new URL(bob.page.url()).pathname],
      ['/settings/name'],
    ];
    for (const [path, before] of steps) {
      await alice.open(path);
      await before?.();
      await page.locator(before ? '.facts' : '.button.main').waitFor();
      // Nothing is above the middle of the button, and the button ends within the screen.
      const isInSight = await page.evaluate(`(() => {
        const button = document.querySelector('.button.main');
        const { left, top, bottom, width, height } = button.getBoundingClientRect();
        return bottom <= innerHeight && button.contains(document.elementFromPoint(left + width / 2, top + height / 2));
      })()`);
      expect([path, isInSight, await page.locator('nav').first().isVisible()]).toEqual([path, true, false]);
    }
    await alice.open('/');
    await page.locator('[data-balance]').waitFor();
    expect(await page.locator('nav').first().isVisible()).toBe(true);
  });

  it('shows the result of a payment from its answer, and one line for all pauses, which opens', async () => {
    const { page } = alice;
    const paused = { payments: 'people', blockchain: null, reason: 'a check', since: '2026-11-16T09:00:00.000Z' };
    await page.route('**/api/v1/me', async (route) => {
      const answer = await route.fetch();
      const pauses = [paused, { ...paused, payments: 'addresses' }];
      await route.fulfill({ response: answer, json: { ...((await answer.json()) as object), pauses } });
    });
    // On a slow network, the payment's page must not wait for a read of its own.
    await page.route('**/api/v1/transactions/**', () => new Promise(() => {}));
    await alice.open('/');
    const line = page.locator('.pauses summary');
    await line.waitFor();
    expect(await page.getByText('a check').first().isVisible()).toBe(false);
    expect((await line.boundingBox())!.height).toBeLessThan(48);
    await line.click();
    expect(await page.getByText('a check').count()).toBe(2);
    await fillPayment(page, '@bob', '0.75');
    await confirmPayment(page);
    await page.getByText('Paid', { exact: true }).waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.getByRole('button', { name: 'Done' }).click();
    await page.locator('[data-balance]').waitFor();
    expect(page.url()).toBe(`${sandbox.state.wallet_url}/`);
  });

  it('makes no request to other hosts, and its browser logs no error', () => {
    expect([alice.complaints, bob.complaints]).toEqual([[], []]);
  });
});

/** A film of one picture, a QR code, in the format of Chromium's fake camera (YUV4MPEG2, uncompressed). */
function filmCode(text: string): Buffer {
  const [width, height] = [640, 480];
  const code = encodeQR(text, 'raw', { border: 4 });
  const scale = Math.floor(height / code.length);
  const [left, top] = [Math.floor((width - code.length * scale) / 2), Math.floor((height - code.length * scale) / 2)];
  const light = Buffer.alloc(width * height, 235);
  for (const [y, row] of code.entries())
    for (const [x, isDark] of row.entries())
      for (let line = 0; isDark && line < scale; line++)
        light.fill(
          16,
          (top + y * scale + line) * width + left + x * scale,
          (top + y * scale + line) * width + left + (x + 1) * scale,
        );
  const frame = Buffer.concat([Buffer.from('FRAME\n'), light, Buffer.alloc((width * height) / 2, 128)]);
  const head = Buffer.from(`YUV4MPEG2 W${width} H${height} F10:1 Ip A1:1 C420jpeg\n`);
  return Buffer.concat([head, ...Array.from({ length: 10 }, () => frame)]);
}
