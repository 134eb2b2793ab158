/** Screens without a browser: their requests to the service when a person presses, chooses and types. */
import { createElement, type FunctionComponent, render } from 'preact';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openPage } from '../../../../test/support/wallet/openPage.ts';
import { en } from '../text/en.ts';

const ORIGIN = 'https://wallet.example.com';
const ADDRESS = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';
const [HOME, OTHER] = ['ETH-SEPOLIA', 'BASE-SEPOLIA'];
const facts = {
  ...{ name: 'Florin', kyc: true, home_blockchain: HOME, explorers: {} },
  blockchains: [HOME, OTHER].map((blockchain) => ({ blockchain, chain_id: 1, usdc_address: ADDRESS })),
};

const page = openPage((name, value) => void vi.stubGlobal(name, value), facts);
// After the page exists: these modules read it when they are loaded.
const { openSession } = await import('../session.ts');
const { default: SendAmount } = await import('./SendAmount.tsx');
const { default: Request } = await import('./Request.tsx');
const { default: ChooseName } = await import('./ChooseName.tsx');
const { default: Payment } = await import('./Payment.tsx');
const { default: Split } = await import('./Split.tsx');
const { default: Limits } = await import('./Limits.tsx');
const { default: Sessions } = await import('./Sessions.tsx');
const { refresh } = await import('../resource.ts');
afterAll(() => void vi.unstubAllGlobals());

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

let asked: Asked[] = [];
let answer: (asked: Asked) => unknown;
const of = (method: string, path: RegExp) => asked.filter((one) => one.method === method && path.test(one.path));

const overview = {
  balances: [
    { blockchain: HOME, available: '1000' },
    { blockchain: OTHER, available: '1000' },
  ],
};
const preview = {
  ...{ kind: 'chain', to: { address: ADDRESS }, amount: '5', fee: '0', available_after: '95', approvals_needed: 0 },
  ...{ first_time: false, not_before: null, limits_after: [] },
};

beforeEach(async () => {
  asked = [];
  answer = () => ({});
  vi.stubGlobal('fetch', async (url: string, init: RequestInit = {}) => {
    const body = typeof init.body === 'string' ? JSON.parse(init.body) : {};
    const one = { method: init.method ?? 'GET', path: new URL(url, ORIGIN).pathname, body };
    asked.push(one);
    if (one.path === '/api/v1/me/overview') return Response.json(overview);
    const said = await answer(one);
    return said instanceof Response ? said : Response.json(said);
  });
  const user = { user_id: 'u', username: 'alice' };
  const session = { user, wallet: {}, access_token: 'fla_x', expires_in: 90_000, session_id: 's' };
  vi.stubGlobal('window', { opening: Promise.resolve(Response.json({ session })), addEventListener() {} });
  await openSession();
});

/** All pending work is done. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setTimeout(resolve, 2));
}

async function show<Props extends object>(screen: unknown, props: Props): Promise<void> {
  render(null, page.root as never);
  render(createElement(screen as FunctionComponent<Props>, props as never), page.root as never);
  await settle();
}

const hasAlert = () => [...page.root.walk()].some((one) => one.attributes.get('role') === 'alert');

/** Twice before anything is drawn again. */
function pressTwice(name: RegExp | string): void {
  const button = page.button(name);
  button.dispatch('click');
  button.dispatch('click');
}

describe('a payment', () => {
  const open = (query: string) => show(SendAmount, { query: new URLSearchParams(query) });
  const choose = (blockchain: string) => {
    const select = page.field('network');
    select.value = blockchain;
    select.dispatch('change');
  };

  it('is previewed on the chosen network', async () => {
    answer = ({ path, body }) =>
      path === '/api/v1/preview' ? { ...preview, amount: String(body.amount), blockchain: body.blockchain } : {};
    await open(`address=${ADDRESS}&blockchain=${OTHER}`);
    page.button('5').dispatch('click');
    await settle();
    choose(HOME!);
    await settle();
    page.button('Continue').dispatch('click');
    await settle();
    expect(of('POST', /preview/).map(({ body }) => body.blockchain)).toEqual([HOME]);
    expect(page.text()).toContain(en.review);
  });

  it('is made once when Pay is pressed twice, with the values that were shown', async () => {
    answer = ({ path }) =>
      path === '/api/v1/preview' ? { ...preview, kind: 'user', to: { username: 'bob' } } : { transaction_id: 't' };
    await open('username=bob&amount=5');
    page.button('Continue').dispatch('click');
    await settle();
    const field = page.field('note');
    field.value = 'Tea\n<i>שלום</i>\u200f ';
    field.dispatch('input');
    await settle();
    pressTwice(/^Pay /);
    await settle();
    const paid = of('POST', /send_usdc/);
    expect(paid.map(({ body }) => [body.receiver_username, body.amount, body.payment_note])).toEqual([
      ['bob', 5, 'Tea <i>שלום</i>'],
    ]);
    expect(page.gone.at(-1)).toMatch(/^\/sending\//);
  });

  it('is shown again instead of made when its effect has changed', async () => {
    let after = 95;
    answer = ({ path }) => (path === '/api/v1/preview' ? { ...preview, available_after: String(after--) } : {});
    await open(`address=${ADDRESS}&amount=5`);
    page.button('Continue').dispatch('click');
    await settle();
    page.button(/^Pay /).dispatch('click');
    await settle();
    expect(of('POST', /send_/)).toEqual([]);
    expect(page.text()).toMatch(/changed/i);
  });
});

describe('a request', () => {
  const request = {
    ...{ request_id: 'r1', amount: '7', note: 'Dinner', state: 'open', by_link: false, transaction_id: null },
    ...{ asker_username: 'bob', payer_username: 'alice', created_at: '2026-01-01T00:00:00Z' },
    expires_at: '2026-02-01T00:00:00Z',
  };

  it.each([
    ['incoming', 'Decline', 'decline'],
    ['incoming', /^Pay /, 'pay'],
    ['outgoing', en['request.cancel']!, 'cancel'],
  ] as const)('that is %s: %s requests that, for this request', async (direction, button, call) => {
    const id = `r-${call}`;
    let isEnded = false;
    answer = ({ path, method }) => {
      if (method === 'POST') isEnded = true;
      return path.endsWith(`/requests/${id}`) || method === 'POST'
        ? { ...request, request_id: id, direction, state: isEnded ? 'declined' : 'open' }
        : { requests: [], transactions: [], next_cursor: null };
    };
    await show(Request, { id });
    pressTwice(button);
    await settle();
    const calls = new Set(of('POST', /requests/).map(({ path }) => path));
    expect(calls).toEqual(new Set([`/api/v1/requests/${id}/${call}`]));
    expect(hasAlert()).toBe(false);
  });
});

describe('a bill', () => {
  it('is divided into one request for each person, however often the button is pressed', async () => {
    answer = ({ method, body }) => {
      if (method !== 'POST') return { recipients: [], next_cursor: null };
      if (body.payer_username === 'carol') return new Response('{"code":"username.unknown"}', { status: 404 });
      return { request_id: `r-${body.payer_username}` };
    };
    await show(Split, {});
    for (const name of [' @Bob', 'carol', 'bob']) {
      const field = page.field('person');
      field.value = name;
      field.dispatch('input');
      await settle();
      [...page.root.walk()].find(({ localName }) => localName === 'form')!.dispatch('submit');
      await settle();
    }
    for (const key of ['1', '0']) page.button(key).dispatch('click');
    await settle();
    const asks = () => of('POST', /requests$/).map(({ body }) => [body.payer_username, body.amount]);
    pressTwice('Ask 2 people');
    await settle();
    expect(asks()).toEqual([
      ['bob', 3.33],
      ['carol', 3.33],
    ]);
    // Only those who were not asked.
    pressTwice(en['split.again']!);
    await settle();
    expect(asks().slice(2)).toEqual([['carol', 3.33]]);
  });
});

describe('a payment in progress', () => {
  const payment = (state: string) => ({
    ...{ transaction_id: 't1', kind: 'chain', state, amount: '5', blockchain: HOME, from: { username: 'alice' } },
    ...{ to: { address: ADDRESS }, tx_hash: null, error_reason: null, timeline: [] },
    ...{ created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' },
  });

  it('is cancelled when Cancel is pressed, however often, and then shows it', async () => {
    let state = 'QUEUED';
    answer = ({ method }) => {
      if (method === 'POST') state = 'CANCELLED';
      return payment(state);
    };
    await show(Payment, { id: 't1', own: 'alice', query: new URLSearchParams() });
    pressTwice('Cancel');
    await settle();
    const calls = of('POST', /transactions/).map(({ path }) => path);
    expect(new Set(calls)).toEqual(new Set(['/api/v1/transactions/t1/cancel']));
    expect(page.text()).toContain(en['state.CANCELLED']);
    expect(hasAlert()).toBe(false);
    expect(() => page.button('Cancel')).toThrow(/no button/);
  });
});

describe('a name', () => {
  it('is taken only when the service reports that exactly this name is free', async () => {
    const free = new Map<string, (said: object) => void>();
    answer = ({ path }) => {
      const name = /usernames\/(\w+)$/.exec(path)?.[1];
      if (!name) return { username: 'second_name' };
      return new Promise((resolve) => void free.set(name, resolve));
    };
    await show(ChooseName, { current: null });
    const type = async (text: string) => {
      const field = page.field('username');
      field.value = text;
      field.dispatch('input');
      await vi.waitFor(() => expect(free.has(text.trim().toLowerCase().replace('@', ''))).toBe(true), 20_000);
    };
    await type('first_name');
    await type(' @Second_Name ');
    free.get('first_name')!({ state: 'free' });
    await settle();
    expect(page.button(en['name.take']!).disabled).toBe(true);
    free.get('second_name')!({ state: 'free' });
    await settle();
    expect(page.button(en['name.take']!).disabled).toBe(false);
    [...page.root.walk()].find(({ localName }) => localName === 'form')!.dispatch('submit');
    await settle();
    expect(of('POST', /set_username/).map(({ body }) => body.username)).toEqual(['second_name']);
  });
});

describe('limits', () => {
  it.each([
    ['0', '100%'],
    ['25', '75%'],
    ['99.999999', '1%'],
    ['100', '0%'],
  ])('with %s of 100 left are used up to %s', async (left, width) => {
    const limits = [{ limit: 'day', unit: 'USDC', maximum: '100', left, resets_at: null }];
    answer = () => ({ limits: { limits, can_pay: true, paused: null, raised_to: null } });
    await show(Limits, {});
    refresh('me');
    await settle();
    const bar = [...page.root.walk()].find(({ localName, parentNode }) => {
      return localName === 'i' && parentNode?.attributes.get('class') === 'meter';
    });
    expect(bar!.style.inlineSize).toBe(width);
    expect(page.text()).not.toMatch(/limits?\.\w/);
  });
});

describe('sessions', () => {
  const AGENTS = {
    'Chrome, Linux': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/150.0 Safari/537.36',
    'Edge, Windows': 'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/150.0 Safari/537.36 Edg/150.0',
    'Firefox, Android': 'Mozilla/5.0 (Android 16; Mobile) Gecko/150.0 Firefox/150.0',
    'Safari, iOS': 'Mozilla/5.0 (iPhone; CPU iPhone OS 20_0 like Mac OS X) Version/20.0 Safari/604.1',
  };
  const sessions = Object.entries(AGENTS).map(([device, user_agent], i) => ({
    ...{ session_id: device, user_agent, current: i === 0, last_used_at: '2026-01-01T00:00:00Z' },
  }));

  it('are ended one by one, or all in one call', async () => {
    answer = () => ({ sessions });
    await show(Sessions, {});
    for (const device of Object.keys(AGENTS)) expect(page.text()).toContain(device);
    page.button('End the session: Firefox, Android').dispatch('click');
    await settle();
    const ended = () => of('DELETE', /sessions/).map(({ path }) => decodeURIComponent(path.split('/').at(-1)!));
    expect(ended()).toEqual(['Firefox, Android']);
    page.button(/everywhere/i).dispatch('click');
    await settle();
    expect(ended().slice(1)).toEqual(['sessions']);
    expect(of('POST', /session\/end/)).toHaveLength(1);
  });
});
