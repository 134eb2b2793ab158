/** `florin … list`: an operator finds what a customer on the phone is talking about. */
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../server/src/bin/program/faults.ts';
import { listPayments } from '../../server/src/payments/search/listPayments.ts';
import { asAdmin } from '../support/database.ts';
import {
  ADA,
  ADAS_WALLET,
  BOB,
  HASH,
  OTHER,
  OUTSIDE,
  PENDING_HASH,
  SENDER,
  useDesk,
} from '../support/people/useDesk.ts';
import { HOME } from '../support/values.ts';

const desk = useDesk();

const listed = async (...args: string[]): Promise<string[]> =>
  pick(await desk.asJson('payment', 'list', ...args), 'payments', 'transaction_id');
const pick = (shown: Awaited<ReturnType<typeof desk.asJson>>, list: string, name: string): string[] =>
  shown[list]!.map((one) => String(one[name]));

describe('payment list', () => {
  it('lists every payment of every kind, newest first', async () => {
    expect(await listed()).toEqual([
      desk.ids.send,
      desk.ids.paidRow,
      desk.ids.second,
      desk.ids.first,
      desk.ids.deposit,
      desk.ids.older,
      desk.ids.oldest,
    ]);
  });

  it.each([
    ['--user', ADA, ['paidRow', 'second', 'first', 'deposit']],
    ['--user', `@${BOB}`, ['second', 'first']],
    ['--address', OUTSIDE, ['send']],
    ['--address', OUTSIDE.toUpperCase().replace('0X', '0x'), ['send']],
    ['--address', SENDER, ['deposit']],
    ['--amount', '12.50', ['first']],
    ['--amount', '2-4', ['send', 'paidRow', 'second']],
    ['--state', 'open', ['send']],
    ['--state', 'initiated', ['send']],
    ['--state', 'COMPLETE', ['paidRow', 'second', 'first', 'deposit', 'older', 'oldest']],
    ['--state', 'FAILED', []],
    ['--kind', 'deposit', ['deposit', 'older', 'oldest']],
    ['--kind', 'chain', ['send']],
    ['--kind', 'correction', []],
    ['--blockchain', OTHER, ['send', 'older']],
    ['--blockchain', HOME.toLowerCase(), ['paidRow', 'second', 'first', 'deposit', 'oldest']],
    ['--reference', 'rent 7', ['send']],
    ['--reference', 'nothing', []],
  ] as const)('%s %s', async (option, value, expected) => {
    expect(await listed(option, value)).toEqual(expected.map((name) => desk.ids[name]));
  });

  it('combines conditions, for one person too', async () => {
    const day = await desk.dayOf(desk.ids.first);
    expect(await listed('--user', ADA, '--amount', '10-20', '--day', day)).toEqual([desk.ids.first]);
    expect(await listed('--user', ADA, '--amount', '10-20', '--day', await desk.dayOf(desk.ids.second))).toEqual([]);
    expect(await listed('--user', ADA, '--address', SENDER)).toEqual([desk.ids.deposit]);
    expect(await listed('--user', ADA, '--state', 'open')).toEqual([]);
    expect(await listed('--user', ADA, '--blockchain', OTHER)).toEqual([]);
  });

  it('finds a day and a span, for everyone', async () => {
    for (const id of [desk.ids.send, desk.ids.second, desk.ids.deposit])
      expect(await listed('--day', await desk.dayOf(id))).toEqual([id]);
    const [from, to] = [await desk.dayOf(desk.ids.first), await desk.dayOf(desk.ids.paidRow)];
    expect(await listed('--since', from, '--until', to)).toEqual([desk.ids.second, desk.ids.first]);
    expect(await listed('--until', '2001-01-01')).toEqual([]);
    expect(await listed('--since', '2999-01-01')).toEqual([]);
  });

  it.each([[[]], [['--user', ADA]], [['--kind', 'user']], [['--state', 'COMPLETE']]])(
    'with %j, pages of every size together are the list',
    async (options) => {
      const all = await listed(...options);
      expect(all.length).toBeGreaterThan(1);
      for (let size = 1; size <= all.length; size++) {
        const pages: string[][] = [];
        for (let after: string[] = []; pages.length < 9; ) {
          const page = await desk.asJson('payment', 'list', ...options, '--limit', String(size), ...after);
          pages.push(pick(page, 'payments', 'transaction_id'));
          if (page.next === null) break;
          after = ['--after', String(page.next)];
        }
        expect(pages.flat()).toEqual(all);
        expect(pages.slice(0, -1).every((page) => page.length === size)).toBe(true);
      }
    },
  );

  it('ends a search that reads too much, and says from where to continue', async () => {
    const asked = { limit: 1, kind: 'deposit' } as const;
    const bounds = { scanned: 2, rounds: 1 };
    const seen: string[] = [];
    let next: string | undefined;
    let pages = 0;
    do {
      const page = await listPayments(desk.operator, { ...asked, after: next }, bounds);
      seen.push(...page.payments.map(({ paymentId }) => paymentId));
      expect(page.next === undefined || page.searchedTo !== undefined || page.payments.length === 1).toBe(true);
      next = page.next;
    } while (next !== undefined && ++pages < 20);
    expect(seen).toEqual([desk.ids.deposit, desk.ids.older, desk.ids.oldest]);
    expect(pages).toBeGreaterThan(1);
  });

  it.each([
    ['--blockchain', 'ETH-SEPOLA', EXIT.unknown, /no blockchain ETH-SEPOLA \(ETH-SEPOLIA\?\)/],
    ['--state', 'DONE', EXIT.usage, /one of INITIATED, /],
    ['--kind', 'send', EXIT.usage, /one of user, chain/],
    ['--amount', '1,50', EXIT.usage, /not an amount/],
    ['--amount', '20-10', EXIT.usage, /smaller amount comes first/],
    ['--day', '2027-02-30', EXIT.usage, /no day/],
    ['--day', '2027-01-31T12:00Z', EXIT.usage, /not a day/],
    ['--limit', '0', EXIT.usage, /1 to 1000/],
    ['--user', 'nobody_here', EXIT.unknown, /no person nobody_here/],
    ['--address', 'somewhere', EXIT.usage, /not an address/],
    ['--address', ADAS_WALLET.address, EXIT.usage, /one of our wallets: use --user/],
  ] as const)('refuses %s %s', async (option, value, exitCode, says) => {
    await expect(desk.florin('payment', 'list', option, value)).rejects.toMatchObject({
      exitCode,
      message: expect.stringMatching(says),
    });
  });

  it('refuses a cursor of another list', async () => {
    for (const cursor of ['x', '-1', '9'.repeat(19), '1.1'])
      for (const options of [[], ['--user', ADA], ['--state', 'open']])
        await expect(desk.florin('payment', 'list', ...options, `--after=${cursor}`)).rejects.toMatchObject({
          code: 'cursor.invalid',
        });
  });
});

describe('the other lists', () => {
  it('deposits: those not credited come first; every condition holds for both kinds', async () => {
    const find = async (...args: string[]) =>
      pick(await desk.asJson('deposit', 'list', ...args), 'deposits', 'tx_hash');
    expect(await find()).toEqual([PENDING_HASH, HASH]);
    expect(await find('--user', ADA)).toEqual([PENDING_HASH, HASH]);
    expect(await find('--user', BOB)).toEqual([]);
    expect(await find('--address', SENDER)).toEqual([PENDING_HASH, HASH]);
    expect(await find('--address', OUTSIDE)).toEqual([]);
    expect(await find('--state', 'pending')).toEqual([PENDING_HASH]);
    expect(await find('--state', 'credited')).toEqual([HASH]);
    expect(await find('--state', 'gone')).toEqual([]);
    expect(await find('--user', ADA, '--state', 'gone')).toEqual([]);
    expect(await find('--amount', '100')).toEqual([PENDING_HASH, HASH]);
    expect(await find('--amount', '99.99')).toEqual([]);
    expect(await find('--blockchain', OTHER)).toEqual([]);
    expect(await find('--day', await desk.dayOf(desk.ids.deposit))).toEqual([HASH]);
  });

  it('people: by a part of their name, state and identity check', async () => {
    const find = async (...args: string[]) => pick(await desk.asJson('user', 'list', ...args), 'users', 'username');
    expect((await find()).toSorted()).toEqual([ADA, BOB]);
    expect(await find('--name', 'LOVELACE')).toEqual([ADA]);
    expect(await find('--name', '@bob')).toEqual([BOB]);
    expect(await find('--name', '%')).toEqual([]);
    expect(await find('--state', 'paused')).toEqual([]);
    expect(await find('--kyc', 'rejected')).toEqual([]);
    const next = String((await desk.asJson('user', 'list', '--limit', '1')).next);
    const pages = [await find('--limit', '1'), await find('--limit', '1', '--after', next)];
    expect(pages.flat().toSorted()).toEqual([ADA, BOB]);
    await desk.florin('pause', 'add', `user:${BOB}`, '--why', 'a test');
    expect(await find('--state', 'paused')).toEqual([BOB]);
    await desk.florin('pause', 'remove', `user:${BOB}`);
  });

  it('payouts: by state, total, row and blockchain', async () => {
    const find = async (...args: string[]) =>
      pick(await desk.asJson('payout', 'list', ...args), 'payouts', 'payout_id');
    for (const args of [
      [],
      ['--state', 'open'],
      ['--amount', '5007'],
      ['--reference', 'salary-1'],
      ['--blockchain', OTHER],
    ])
      expect(await find(...args)).toEqual([desk.ids.payout]);
    const none = [
      ['--state', 'complete'],
      ['--amount', '7'],
      ['--reference', 'salary'],
      ['--user', ADA],
      ['--until', '2001-01-01'],
    ];
    for (const args of none) expect(await find(...args)).toEqual([]);
  });

  it('payout show lists rows, page by page and by state', async () => {
    const rowsOf = async (...args: string[]) =>
      pick(await desk.asJson('payout', 'show', desk.ids.payout, ...args), 'items', 'reference');
    expect(await rowsOf()).toEqual(['salary-1', 'rent 7', 'never']);
    expect(await rowsOf('--state', 'sent')).toEqual(['rent 7']);
    expect(await rowsOf('--limit', '1', '--after', '1')).toEqual(['rent 7']);
  });

  it('payment show and list name the treasury, which has no username, and the owner of a wallet', async () => {
    const { ids, ada } = desk;
    expect(await desk.florin('payment', 'show', ids.oldest)).toMatch(/^to +the treasury$/m);
    const shown = async () => [await desk.florin('payment', 'show', ids.send), await desk.florin('payment', 'list')];
    const setSender = (wallet: string) =>
      asAdmin(
        desk.adminUrl,
        `SET session_replication_role = replica;
         UPDATE payments SET sender_shown = 'wallet', wallet_id = (SELECT wallet_id FROM wallets WHERE ${wallet} LIMIT 1)
          WHERE payment_id = '${ids.send}'`,
      );
    await setSender(`kind = 'treasury'`);
    const [treasury, list] = await shown();
    expect(treasury).toMatch(/^from +the treasury$/m);
    expect(list).toContain('from the treasury →');
    await setSender(`user_id = '${ada.userId}'`);
    const [person, second] = await shown();
    expect(person).toMatch(new RegExp(`^from +${ADA}`, 'm'));
    expect(second).not.toMatch(/wallet/);
  });

  it('fit a terminal of a hundred columns', async () => {
    const texts = await Promise.all([
      desk.florin('payment', 'list'),
      desk.florin('payment', 'list', '--limit', '1'),
      desk.florin('deposit', 'list'),
      desk.florin('user', 'list'),
      desk.florin('payout', 'list'),
      desk.florin('payout', 'show', desk.ids.payout),
      desk.florin('payout', 'show', 'salary-1'),
      desk.florin('payment', 'show', desk.ids.request),
    ]);
    const wide = texts.flatMap((text) => text.split('\n')).filter((line) => [...line].length > 100);
    expect(wide).toEqual([]);
    expect(texts[1]).toMatch(/--after \d+\n$/);
  });
});
