/** Screens behind links, without a browser: what they show to whom, and what they ask the service for. */
import { createElement, type FunctionComponent, render } from 'preact';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openPage } from '../../../../../test/support/wallet/openPage.ts';
import { en as english } from '../../text/en.ts';

const en: Readonly<Record<string, string>> = english;

const ORIGIN = 'https://wallet.example.com';
const ADDRESS = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';
const HOME = 'ETH-SEPOLIA';
const facts = {
  ...{ name: 'Florin', kyc: true, home_blockchain: HOME, explorers: {} },
  blockchains: [{ blockchain: HOME, chain_id: 1, usdc_address: ADDRESS }],
};

const page = openPage((name, value) => void vi.stubGlobal(name, value), facts);
// After the page exists: these modules read it when they are loaded.
const { openSession } = await import('../../session.ts');
const { default: PayLink } = await import('./PayLink.tsx');
const { default: Invitation } = await import('./Invitation.tsx');
const { default: Send } = await import('../Send.tsx');
const { default: Receive } = await import('../Receive.tsx');
const { Unfinished } = await import('./Unfinished.tsx');
afterAll(() => void vi.unstubAllGlobals());

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

let asked: Asked[] = [];
let answer: (asked: Asked) => unknown;
const of = (method: string, path: RegExp) => asked.filter((one) => one.method === method && path.test(one.path));
const preview = {
  ...{ kind: 'user', to: { username: 'bob' }, amount: '5', fee: '0', available_after: '95', approvals_needed: 0 },
  ...{ first_time: false, not_before: null, limits_after: [], blockchain: HOME },
};

beforeEach(async () => {
  asked = [];
  answer = () => ({});
  vi.stubGlobal('fetch', async (url: string, init: RequestInit = {}) => {
    const body = typeof init.body === 'string' ? JSON.parse(init.body) : {};
    const one = { method: init.method ?? 'GET', path: new URL(url, ORIGIN).pathname, body };
    asked.push(one);
    if (one.path === '/api/v1/me/overview')
      return Response.json({ balances: [{ blockchain: HOME, available: '1000' }] });
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

/** Twice before anything is drawn again. */
function pressTwice(name: RegExp | string): void {
  const button = page.button(name);
  button.dispatch('click');
  button.dispatch('click');
}

describe('a link to pay a person', () => {
  const open = (name: string, query = '') => show(PayLink, { name, query: new URLSearchParams(query), own: 'alice' });

  it('fills in what it says, marked as coming from the link, and pays only after the review', async () => {
    answer = ({ path }) => (path === '/api/v1/preview' ? preview : { transaction_id: 't' });
    await open('@bob', 'amount=5&note=%3Cb%3ETea%E2%80%AE');
    expect(page.text()).toContain(en['link.given']);
    expect(of('POST', /./)).toEqual([]);
    page.button('Continue').dispatch('click');
    await settle();
    expect(page.text()).toContain(en['link.given']);
    expect(page.field('note').value).toBe('<b>Tea');
    pressTwice(/^Pay /);
    await settle();
    expect(of('POST', /send_usdc/).map(({ body }) => [body.receiver_username, body.amount, body.payment_note])).toEqual(
      [['bob', 5, '<b>Tea']],
    );
  });

  it.each([
    ['no amount', '@bob', ''],
    ['an absurd amount', '@bob', `amount=${'9'.repeat(400)}`],
  ])('with %s marks nothing', async (_, name, query) => {
    await open(name, query);
    expect(page.text()).not.toContain(en['link.given']);
    expect(page.button('Continue').disabled).toBe(true);
  });

  it.each([
    ['@alice', 'link.own'],
    ['@a', 'link.unreadable'],
    ['%F0%9F', 'link.unreadable'],
  ])('%s leads nowhere else', async (name, text) => {
    await open(name, 'amount=5');
    expect(page.text()).toContain(en[text]);
    expect(asked.filter(({ method }) => method === 'POST')).toEqual([]);
  });
});

describe('a link, to a person who is not logged in,', () => {
  const unknown = () =>
    Response.json({ status: 404, code: 'username.unknown', title: 'x', detail: 'x' }, { status: 404 });
  const read = async (path: string, said: () => unknown) => {
    answer = said;
    await show(Invitation, { path });
    await vi.waitFor(() => expect(page.text()).not.toBe(''), 20_000);
    return page.text();
  };

  it('looks the same whoever does not want to be found', async () => {
    const texts = [
      await read('/pay/@hidden', unknown),
      await read('/pay/@nobody_here', unknown),
      await read('/pay/<b>', unknown),
      await read('/pay/@busy', () => Response.json({ status: 429, code: 'rate.limited', title: 'x' }, { status: 429 })),
    ];
    expect(new Set(texts)).toEqual(new Set([`${en['invited.pay']}${en['invited.pay.text']}`]));
    expect(await read('/pay/@bob', () => ({ username: 'bob' }))).toMatch(/^bPay @bob/);
  });

  it('shows who asks, how much and what for', async () => {
    const request = { request_id: 'r', asker_username: 'bob', amount: '12.5', note: '<i>Tea</i>', expires_at: '' };
    expect(await read('/requests/r', () => ({ ...request, state: 'open' }))).toMatch(/@bob.*12\.50.*<i>Tea<\/i>/);
    for (const state of ['paid', 'cancelled', 'expired'])
      expect(await read(`/requests/${state}`, () => ({ ...request, state }))).toContain(en[`request.${state}`]);
    expect(await read('/requests/none', unknown)).toBe(`${en['invited.request']}${en['invited.request.text']}`);
  });
});

describe('an address that is pasted', () => {
  const paste = async (text: string, owner: object) => {
    answer = ({ path }) => (path.includes('/addresses/') ? owner : { recipients: [], next_cursor: null });
    page.gone.length = 0;
    const assign = (to: string) => page.gone.push(to);
    vi.stubGlobal('location', { origin: ORIGIN, host: 'wallet.example.com', pathname: '/send', search: '', assign });
    await show(Send, {});
    const field = page.field('to');
    field.value = text;
    field.dispatch('input');
    await settle();
    [...page.root.walk()].find(({ localName }) => localName === 'form')!.dispatch('submit');
    await settle();
    return page.text();
  };
  const TO = `0x${'b'.repeat(40)}`;

  it('of a customer who lets others find their name is offered by name', async () => {
    expect(await paste(TO, { customer: true, username: 'bob' })).toContain('This address belongs to @bob');
    page.button('Pay @bob').dispatch('click');
    expect(page.gone).toEqual(['/send/to?username=bob']);
  });

  it('of another customer is offered without a name', async () => {
    const text = await paste(TO, { customer: true, username: null });
    expect(text).toContain(en['found.customer']);
    page.button(en['found.chain']!).dispatch('click');
    expect(page.gone).toEqual([`/send/to?address=${TO}&blockchain=${HOME}`]);
  });

  it('of a stranger is paid as before; the own address is not', async () => {
    await paste(TO, { customer: false, username: null });
    expect(page.gone).toEqual([`/send/to?address=${TO}&blockchain=${HOME}`]);
    expect(await paste(TO, { customer: true, username: 'alice' })).toContain(en['send.selfAddress']);
    expect(page.gone).toEqual([]);
  });

  it.each([
    ['USDC', `ethereum:${ADDRESS}@1/transfer?address=${TO}&uint256=5000000`, true],
    ['USDC in lower case', `ethereum:${ADDRESS.toLowerCase()}@1/transfer?address=${TO}&uint256=5000000`, true],
    ['another token', `ethereum:${TO}@1/transfer?address=${TO}&uint256=5000000`, false],
    ['the coin of the network', `ethereum:${TO}@1?value=1e18`, false],
  ])('as a code for %s: %s opens it: %s', async (_, code, opens) => {
    const text = await paste(code, { customer: false, username: null });
    expect(text.includes(en['send.token']!)).toBe(!opens);
    expect(page.gone.length).toBe(opens ? 1 : 0);
    if (opens) expect(page.gone[0]).toContain('amount=5&from=code');
  });

  it('may also be a link of this wallet', async () => {
    await paste(`${ORIGIN}/pay/@bob?amount=3`, {});
    expect(page.gone).toEqual(['/send/to?username=bob&amount=3&from=code']);
  });
});

describe('Receive', () => {
  it('shows a link with the name first, with amount and note', async () => {
    const limits = { limits: [], can_pay: true, paused: null, raised_to: null };
    answer = () => ({ discoverable: false, wallet: { address: ADDRESS }, other_addresses: [], limits });
    await show(Receive, { user: { username: 'alice' }, wallet: { address: ADDRESS } });
    expect(page.text()).toContain(en['receive.hidden']);
    const copied: string[] = [];
    vi.stubGlobal('navigator', { language: 'en', clipboard: { writeText: async (text: string) => copied.push(text) } });
    for (const [id, text] of [
      ['receive-amount', '7,5'],
      ['note', 'Käse & Brot'],
    ] as const) {
      const field = page.field(id);
      field.value = text;
      field.dispatch('input');
      await settle();
    }
    page.button(en.copyLink!).dispatch('click');
    expect(copied).toEqual([`${ORIGIN}/pay/@alice?amount=7.5&note=K%C3%A4se+%26+Brot`]);
  });
});

describe('a payment that was confirmed long ago', () => {
  const intent = (key: string) => {
    const made = { key, userId: 'u', to: { username: 'bob' }, amount: '5', startedAt: Date.now() - 86_400_000 };
    localStorage.setItem('florin-intents', JSON.stringify([made]));
    return made;
  };
  const openWith = async (key: string, outcome: string) => {
    answer = ({ path }) => {
      if (path.endsWith('/me/keys')) return { outcome, transaction_id: outcome === 'accepted' ? 't7' : null };
      return path === '/api/v1/preview' ? preview : { transaction_id: 't8' };
    };
    page.gone.length = 0;
    await show(Unfinished, { intent: intent(key) });
  };
  const kept = () => JSON.parse(localStorage.getItem('florin-intents') ?? '[]').length;

  it('shows that it was paid, and nothing to pay', async () => {
    await openWith('paid', 'accepted');
    expect(page.text()).toContain(en['unfinished.accepted']);
    expect(() => page.button(/^Pay /)).toThrow(/no button/);
    page.button(en['request.payment']!).dispatch('click');
    expect([page.gone, kept()]).toEqual([['/payments/t7'], 0]);
  });

  it('shows that it was refused', async () => {
    await openWith('refused', 'refused');
    expect(page.text()).toContain(en['unfinished.refused']);
    expect(() => page.button(/^Pay /)).toThrow(/no button/);
  });

  it('that was not paid is paid or discarded, as the person decides', async () => {
    await openWith('again', 'none');
    expect(page.text()).toContain(en['unfinished.none']);
    expect(of('POST', /send_usdc/)).toEqual([]);
    pressTwice(/^Pay /);
    await settle();
    expect([of('POST', /send_usdc/).length, kept()]).toEqual([1, 0]);
    await openWith('discarded', 'none');
    pressTwice(en['unfinished.discard']!);
    await settle();
    expect([of('POST', /send_usdc/).length, kept(), page.gone.at(-1)]).toEqual([1, 0, '/']);
  });
});
