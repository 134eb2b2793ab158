/** The screens that `npm run pictures` shows, including states that a sandbox does not reach by itself. */
import type { Page, Route } from 'playwright-core';

/** The longest possible name. */
export const LONG_NAME = 'lady_ottoline_of_portland_1873';
const ADDRESS = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';

type Step = (page: Page) => Promise<unknown>;

async function review(page: Page): Promise<void> {
  await page.locator('.button.main').click();
  await page.locator('.facts').waitFor();
}

/** Their steps use English words. */
export const ENGLISH_ONLY: readonly string[] = ['send-no-camera', 'receive-amount', 'name'];

/** Each shows one screen, in the state of its name. */
export const SCREENS: readonly (readonly [name: string, path: string, prepare?: Step])[] = [
  ['home', '/'],
  ['send', '/send'],
  [
    'send-unreadable',
    '/send',
    async (page) => {
      await page.locator('#to').fill('not a name!');
      await page.locator('.button.main').click();
      await page.locator('#to[aria-invalid=true]').waitFor();
    },
  ],
  [
    'send-no-camera',
    '/send',
    async (page) => {
      await page.getByRole('button', { name: 'Scan' }).click();
      await page.getByText('There is no camera').waitFor();
    },
  ],
  ['amount', '/send/to?username=bob&amount=12.5'],
  ['amount-large', '/send/to?username=bob&amount=999999999.999999'],
  ['amount-address', `/send/to?address=${ADDRESS}`],
  ['review', '/send/to?username=bob&amount=12.5', review],
  ['review-address', `/send/to?address=${ADDRESS}&amount=2`, review],
  [
    'fault',
    '/send/to?username=nobody_here&amount=5',
    async (page) => {
      await page.locator('.button.main').click();
      await page.getByRole('alert').waitFor();
    },
  ],
  ['receive', '/receive'],
  [
    'receive-amount',
    '/receive',
    async (page) => {
      await page.getByText('From elsewhere').click();
      await page.getByText('With amount').click();
      await page.getByLabel('Amount (USDC)').fill('25');
    },
  ],
  ['pay-link', '/pay/@bob?amount=12.5&note=Dinner%20on%20Friday'],
  ['pay-link-own', '/pay/@alice'],
  ['ask', '/ask'],
  ['split', '/split'],
  ['activity', '/activity'],
  ['activity-nothing', '/activity?search=zzz&from=2026-01-02'],
  ['statement', '/statement'],
  ['requests', '/requests'],
  ['limits', '/limits'],
  ['identity', '/verify'],
  ['settings', '/settings'],
  ['devices', '/settings/sessions'],
  [
    'name',
    '/settings/name',
    async (page) => {
      await page.getByLabel('Username').fill('alice_in_wonderland');
      await page.getByText('This name is available.').waitFor();
    },
  ],
  ['close', '/settings/close'],
  ['nowhere', '/nothing/here'],
];

interface State {
  readonly name: string;
  readonly path: string;
  /** Sets the answers of the service, or lets it not answer. */
  readonly answers: Step;
  /** Waits until the state is on the screen. */
  readonly isOver: Step;
}

const HISTORY = '**/api/v1/latest_transactions_by_username/**';
const OPENING = '**/session/open';
const MANY = '98765432109.123456';

const never = async (): Promise<void> => {};
const failing = (route: Route): Promise<void> =>
  route.fulfill({
    status: 503,
    contentType: 'application/problem+json',
    body: JSON.stringify({
      type: '/errors/service.unavailable',
      title: 'The service is not available',
      status: 503,
      detail: 'Something that it needs does not answer.',
      code: 'service.unavailable',
      retryable: false,
      request_id: '6f1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d',
    }),
  });

type Json = Record<string, unknown>;
const changed =
  (change: (body: Json) => Json) =>
  async (route: Route): Promise<void> => {
    const answer = await route.fetch();
    const body = (await answer.json()) as Json;
    await route.fulfill({ response: answer, json: change(body) });
  };

/** Large amounts and long names in all answers of the service. */
const exaggerate = (body: Json): Json =>
  JSON.parse(
    JSON.stringify(body)
      .replaceAll(/"(available|amount|held|available_after|left)":"[\d.]+"/g, `"$1":"${MANY}"`)
      .replaceAll('"bob"', `"${LONG_NAME}"`)
      .replaceAll('"username":"coffee_shop"', `"username":"${LONG_NAME}"`),
  ) as Json;

const pauseAll = (body: Json): Json => ({
  ...body,
  pauses: [
    { payments: 'all', blockchain: null, reason: 'a check of the books', since: '2026-11-16T09:00:00.000Z' },
    {
      payments: 'addresses',
      blockchain: 'ETH-SEPOLIA',
      reason: 'the network is slow',
      since: '2026-11-16T09:00:00.000Z',
    },
  ],
});

const kycIs = (status: string, more: Json = {}) =>
  changed((body) => ({ ...body, kyc: { ...(body.kyc as Json), status, ...more } }));

async function confirm(page: Page): Promise<void> {
  await review(page);
  await page.getByRole('button', { name: /^Pay/ }).click();
}

export const STATES: readonly State[] = [
  {
    name: 'home-loading',
    path: '/',
    answers: async (page) => {
      await page.route(
        OPENING,
        changed((body) => ({ ...body, overview: null })),
      );
      await page.route('**/api/v1/**', never);
    },
    isOver: (page) => page.locator('.activity .bone').first().waitFor(),
  },
  {
    name: 'home-failing',
    path: '/',
    answers: async (page) => {
      await page.route(
        OPENING,
        changed((body) => ({ ...body, overview: null })),
      );
      await page.route('**/api/v1/me/overview', failing);
      await page.route(HISTORY, failing);
    },
    isOver: (page) => page.getByRole('alert').nth(1).waitFor(),
  },
  {
    name: 'home-large',
    path: '/',
    answers: async (page) => {
      await page.route(OPENING, changed(exaggerate));
      await page.route('**/api/v1/me/overview', changed(exaggerate));
      await page.route(HISTORY, changed(exaggerate));
      await page.route('**/api/v1/requests?**', changed(exaggerate));
    },
    isOver: (page) => page.locator('.payment').first().waitFor(),
  },
  {
    name: 'home-paused',
    path: '/',
    answers: (page) => page.route('**/api/v1/me', changed(pauseAll)),
    isOver: (page) => page.locator('.pauses summary').click(),
  },
  {
    name: 'shell',
    path: '/',
    answers: (page) => page.route(OPENING, never),
    isOver: (page) => page.locator('.bone').first().waitFor(),
  },
  {
    name: 'send-loading',
    path: '/send',
    answers: (page) => page.route('**/api/v1/me/recipients**', never),
    isOver: (page) => page.locator('.bone').first().waitFor(),
  },
  {
    name: 'review-large',
    path: '/send/to?username=bob&amount=12.5',
    answers: (page) => page.route('**/api/v1/preview', changed(exaggerate)),
    isOver: review,
  },
  {
    name: 'sending',
    path: '/send/to?username=bob&amount=1.5',
    answers: (page) => page.route('**/api/v1/send_usdc', never),
    isOver: async (page) => {
      await confirm(page);
      await page.getByRole('heading', { name: 'Sending' }).waitFor();
    },
  },
  {
    name: 'sending-checking',
    path: '/send/to?username=bob&amount=1.6',
    answers: (page) => page.route('**/api/v1/send_usdc', (route) => route.abort()),
    isOver: async (page) => {
      await confirm(page);
      await page.getByRole('heading', { name: 'Checking' }).waitFor();
    },
  },
  ...(['activity', 'statement'] as const).flatMap((name): State[] => [
    {
      name: `${name}-loading`,
      path: `/${name}`,
      answers: (page) => page.route(HISTORY, never),
      isOver: (page) => page.locator('.bone').first().waitFor(),
    },
    {
      name: `${name}-failing`,
      path: `/${name}`,
      answers: (page) => page.route(HISTORY, failing),
      isOver: (page) => page.getByRole('alert').waitFor(),
    },
    {
      name: `${name}-large`,
      path: `/${name}`,
      answers: (page) => page.route(HISTORY, changed(exaggerate)),
      isOver: (page) => page.getByText(LONG_NAME).first().waitFor(),
    },
  ]),
  {
    name: 'payment-loading',
    path: '/payments/00000000-0000-4000-8000-000000000000',
    answers: (page) => page.route('**/api/v1/transactions/**', never),
    isOver: (page) => page.locator('.bone').first().waitFor(),
  },
  {
    name: 'payment-unknown',
    path: '/payments/00000000-0000-4000-8000-000000000000',
    answers: never,
    isOver: (page) => page.getByRole('alert').waitFor(),
  },
  {
    name: 'identity-checked',
    path: '/verify',
    answers: (page) => page.route('**/api/v1/me', kycIs('pending')),
    isOver: (page) => page.getByText('Being checked').waitFor(),
  },
  {
    name: 'identity-missing',
    path: '/verify',
    answers: (page) =>
      page.route('**/api/v1/me', kycIs('needs_input', { reasons: ['The photo of the document is blurred'] })),
    isOver: (page) => page.getByText('Something is missing').waitFor(),
  },
];
