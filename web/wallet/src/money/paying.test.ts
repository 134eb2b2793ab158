/** The wallet's requests to the service, without a browser: confirmed payments, the history, the statement. */
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { FORMULAS, FREE_TEXTS, LINE_ENDS } from '../../../../test/support/prove/negatives/freeTexts.ts';
import { parseStrictCsv } from '../../../../test/support/prove/negatives/parseStrictCsv.ts';
import { history, refreshHistory } from '../history.ts';
import { dropSession, openSession } from '../session.ts';
import { readStatement } from '../statement.ts';
import { discard, findIntent, type Intent, lookUp, pay, payOld, resumeIntents } from './intents.ts';

const ORIGIN = 'https://wallet.example.com';
// Before the imports: these modules read their page when they are loaded.
const stored = vi.hoisted(() => {
  const kept = new Map<string, string>();
  const origin = 'https://wallet.example.com';
  vi.stubGlobal('location', { origin, pathname: '/', search: '' });
  vi.stubGlobal('window', {});
  vi.stubGlobal('navigator', { language: 'en' });
  vi.stubGlobal('document', { documentElement: { dir: 'ltr' } });
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  });
  return kept;
});
afterAll(() => void vi.unstubAllGlobals());

interface Asked {
  readonly path: string;
  readonly key: string | null;
  answer(response: Response): void;
}

/** Requests to the service, which the test answers, in order. */
let asked: Asked[] = [];
let answerAll: ((path: string) => Response) | undefined;
const ofPath = (path: string) => asked.filter((one) => one.path.startsWith(path));

beforeEach(() => {
  asked = [];
  answerAll = undefined;
  stored.clear();
  vi.stubGlobal('fetch', (url: string, init: RequestInit = {}) => {
    const path = new URL(url, ORIGIN).pathname;
    const key = new Headers(init.headers).get('idempotency-key');
    return new Promise<Response>((answer) => {
      asked.push({ path, key, answer });
      if (answerAll) answer(answerAll(path));
    });
  });
});

/** After this many iterations of the event loop, all pending work is done. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
}

async function logIn(userId: string, username: string): Promise<void> {
  const user = { user_id: userId, username };
  const session = { user, wallet: {}, access_token: 'fla_x', expires_in: 90_000, session_id: 's' };
  vi.stubGlobal('window', { opening: Promise.resolve(Response.json({ session })) });
  await openSession();
}

const PAY = '/api/v1/send_usdc';
const SEND = '/api/v1/send_to_address';
const ok = () => Response.json({ transaction_id: 't1', transactions: [], next_cursor: null });
const refusal = (status: number, code: string) =>
  Response.json({ status, code, title: code, detail: code }, { status, headers: { 'retry-after': '0' } });
const intents = (): { key: string }[] => JSON.parse(stored.get('florin-intents') ?? '[]');

describe('a confirmed payment', () => {
  const intent = (key: string, userId: string, to: object) => ({ key, userId, to, amount: '1', startedAt: Date.now() });
  const all = [
    intent('mine', 'alice', { username: 'carol' }),
    intent('theirs', 'bob', { username: 'carol' }),
    intent('away', 'alice', { address: `0x${'1'.repeat(40)}`, blockchain: 'ETH' }),
  ];

  it('continues for the person who confirmed it, and for no one else', async () => {
    answerAll = ok;
    stored.set('florin-intents', JSON.stringify(all));
    dropSession();
    resumeIntents();
    await settle();
    expect([...ofPath(PAY), ...ofPath(SEND)]).toEqual([]);
    await logIn('alice', 'alice');
    resumeIntents();
    // Continuing it twice concurrently sends it once.
    resumeIntents();
    await settle();
    expect([ofPath(PAY), ofPath(SEND)].map((some) => some.map(({ key }) => key))).toEqual([['mine'], ['away']]);
    expect(intents()).toEqual([all[1]]);
    await logIn('bob', 'bob');
    resumeIntents();
    await settle();
    expect(ofPath(PAY).map(({ key }) => key)).toEqual(['mine', 'theirs']);
    expect(intents()).toEqual([]);
  });

  it.each([
    [400, 'amount.precision'],
    [403, 'limit.exceeded'],
    [404, 'username.unknown'],
    [409, 'balance.insufficient'],
    [409, 'payment.self'],
    [422, 'idempotency.mismatch'],
    [451, 'something.new'],
    [503, 'service.paused'],
  ])('that was refused with %i %s has ended', async (status, code) => {
    await logIn('alice', 'alice');
    answerAll = (path) => (path === PAY ? refusal(status, code) : ok());
    const key = pay({ username: 'bob' }, '1');
    expect(intents().map((one) => one.key)).toEqual([key]);
    await vi.waitFor(() => expect(intents()).toEqual([]), { timeout: 20_000 });
    expect(new Set(ofPath(PAY).map((one) => one.key))).toEqual(new Set([key]));
  });

  it.each([
    ['the service', () => refusal(413, 'request.too_large')],
    ['a proxy', () => new Response('<html>', { status: 413 })],
  ])('that is too large for %s is not sent again', async (_, tooLarge) => {
    await logIn('alice', 'alice');
    answerAll = (path) => (path === PAY ? tooLarge() : ok());
    pay({ username: 'bob' }, '1');
    await settle();
    expect([ofPath(PAY).length, intents()]).toEqual([1, []]);
  });
});

describe('the history', () => {
  const HISTORY = '/api/v1/latest_transactions_by_username/alice';
  const page = (...ids: string[]) =>
    Response.json({ transactions: ids.map((id) => ({ transaction_id: id })), next_cursor: null });
  const shown = () => history.get().rows.map(({ transaction_id: id }) => id);

  it('is read again when something happens during the read', async () => {
    await logIn('alice', 'alice');
    void refreshHistory();
    await settle();
    for (let i = 0; i < 3; i++) void refreshHistory();
    await settle();
    expect(ofPath(HISTORY)).toHaveLength(1);
    ofPath(HISTORY)[0]!.answer(page('first'));
    await settle();
    expect([shown(), ofPath(HISTORY).length]).toEqual([['first'], 2]);
    ofPath(HISTORY)[1]!.answer(page('second', 'first'));
    await settle();
    expect([shown(), ofPath(HISTORY).length]).toEqual([['second', 'first'], 2]);
  });
});

describe('the statement', () => {
  const FORMULA = /^[=+@\t\r]|^-(?!\d)/;
  const texts = [...FREE_TEXTS, ...FORMULAS, ...LINE_ENDS, '-cmd', '-1', '"=1+1"', '@a,"b"'];

  it('contains every text unchanged, and none that a spreadsheet would execute', async () => {
    await logIn('alice', 'alice');
    const transactions = texts.map((text) => ({
      ...{ transaction_id: text, kind: 'user', state: 'COMPLETE', amount: '1', tx_hash: null },
      from: { username: text },
      ...{ to: { address: text }, payment_note: text, reason: text },
    }));
    answerAll = (path) =>
      path === '/api/v1/me'
        ? Response.json({ user: { username: 'alice' } })
        : Response.json({ username: 'alice', transactions, next_cursor: null });
    const rows = parseStrictCsv(await readStatement());
    const written = texts.map((text) => (FORMULA.test(text) ? `'${text}` : text));
    for (const column of ['transaction_id', 'from', 'to']) expect(rows.map((row) => row[column])).toEqual(written);
    const FREE = /^\s*[=+@-]/;
    for (const column of ['payment_note', 'reason'])
      expect(rows.map((row) => row[column])).toEqual(texts.map((text) => (FREE.test(text) ? `'${text}` : text)));
    expect(rows.flatMap((row) => Object.values(row)).filter((cell) => FORMULA.test(cell))).toEqual([]);
  });
});

describe('a payment that was confirmed long ago', () => {
  const [MINUTE, DAY] = [60_000, 86_400_000];
  const old = (key: string, ageMs: number): Intent => ({
    ...{ key, userId: 'alice', to: { username: 'carol' }, amount: '1' },
    startedAt: Date.now() - ageMs,
  });
  const keep = (...some: Intent[]) => stored.set('florin-intents', JSON.stringify(some));
  const paths = () => [...ofPath(PAY), ...ofPath(SEND)].map(({ key }) => key);
  const KEYS = '/api/v1/me/keys';

  it.each([
    ['after 2 minutes', 2 * MINUTE, true],
    ['after 4 minutes', 4 * MINUTE, false],
    ['after 3 weeks', 21 * DAY, false],
    // The clock was wrong by a day then, or is now.
    ['from tomorrow', -DAY, false],
    ['from a second ahead', -1_000, true],
  ])('%s: continues by itself: %s', async (_, ageMs, continues) => {
    await logIn('alice', 'alice');
    answerAll = ok;
    keep(old(`age ${ageMs}`, ageMs));
    resumeIntents();
    await settle();
    expect(paths()).toEqual(continues ? [`age ${ageMs}`] : []);
    expect(intents()).toHaveLength(continues ? 0 : 1);
  });

  it('is looked up without paying it, and forgotten only if it has ended', async () => {
    await logIn('alice', 'alice');
    for (const [outcome, left] of [
      ['none', 1],
      ['accepted', 0],
      ['refused', 0],
    ] as const) {
      const intent = old(`look ${outcome}`, DAY);
      keep(intent);
      answerAll = () => Response.json({ outcome, transaction_id: outcome === 'accepted' ? 't9' : null });
      expect(await lookUp(intent)).toEqual(outcome === 'accepted' ? { outcome, transactionId: 't9' } : { outcome });
      expect(intents()).toHaveLength(left);
    }
    expect([paths(), ofPath(KEYS).length]).toEqual([[], 3]);
  });

  it('is paid under its first key, once, however often and in how many tabs it is confirmed', async () => {
    await logIn('alice', 'alice');
    const intent = old('again', DAY);
    keep(intent);
    resumeIntents();
    payOld(intent);
    payOld(intent);
    await settle();
    expect(paths()).toEqual(['again']);
    ofPath(PAY)[0]!.answer(ok());
    await settle();
    expect(intents()).toEqual([]);
    // Another tab still shows it.
    payOld(intent);
    await settle();
    expect(paths()).toEqual(['again']);
  });

  it('that is discarded in one tab is not paid in another', async () => {
    await logIn('alice', 'alice');
    answerAll = ok;
    const intent = old('discarded', DAY);
    keep(intent);
    discard(intent);
    payOld(intent);
    resumeIntents();
    await settle();
    expect([paths(), findIntent('discarded')]).toEqual([[], undefined]);
  });

  it('stops by itself when the device has slept', async () => {
    await logIn('alice', 'alice');
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    try {
      answerAll = () => Response.json({}, { status: 503 });
      const key = pay({ username: 'carol' }, '1');
      await vi.advanceTimersByTimeAsync(40_000);
      const before = paths().length;
      expect(before).toBeGreaterThan(0);
      vi.setSystemTime(Date.now() + DAY);
      await vi.advanceTimersByTimeAsync(60_000);
      const after = paths().length;
      await vi.advanceTimersByTimeAsync(600_000);
      expect(paths().length).toBe(after);
      expect(intents().map((one) => one.key)).toEqual([key]);
    } finally {
      vi.useRealTimers();
    }
  });
});
