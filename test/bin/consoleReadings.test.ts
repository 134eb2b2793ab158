/** Everything that the console reads, as each role; what PostgreSQL refuses; and lists, exports and the search. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { READINGS } from '../../server/src/bin/console/readings.ts';
import { type Browser, openConsole, type TestConsole } from '../support/console/openConsole.ts';
import { asAdmin } from '../support/database.ts';
import { operate } from '../support/operate.ts';
import { asOperator, loginOf } from '../support/operators.ts';
import { ADA, ADAS_WALLET, HASH, OTHER, OUTSIDE, PENDING_HASH, SENDER, useDesk } from '../support/people/useDesk.ts';
import { howMany } from '../support/run/thorough.ts';

const desk = useDesk();
let site: TestConsole;
let admin: Browser;
/** By path of a reading: what its parameters are here. */
let samples: Record<string, string>;

const HOOK = 'https://shop.example.com/hooks';
beforeAll(async () => {
  site = await openConsole(desk.adminUrl, { anna: 'admin', rita: 'risk', sven: 'support' });
  admin = await site.logIn('anna');
  await asOperator(desk.adminUrl, 'anna', (db) => operate(db, 'webhook', 'create', HOOK));
  await asAdmin(
    desk.adminUrl,
    `INSERT INTO webhook_deliveries (endpoint_id, event_id, place, type, happened_at, data)
     SELECT endpoint_id, 'evt_one', 1, 'payment.complete', now(), '{}' FROM webhook_endpoints`,
  );
  samples = {
    '/api/search': `/api/search?q=${ADA}`,
    '/api/payments/{id}': `/api/payments/${desk.ids.first}`,
    '/api/people/{user}': `/api/people/${desk.ada.userId}`,
    '/api/wallets/{wallet}': `/api/wallets/${ADAS_WALLET.id}`,
    '/api/payouts/{payout}': `/api/payouts/${desk.ids.payout}`,
    '/api/webhooks/{webhook}/deliveries': `/api/webhooks/${encodeURIComponent(await findHook())}/deliveries`,
    '/api/webhooks/{webhook}/deliveries/{event}': `/api/webhooks/${await findHook()}/deliveries/evt_one`,
  };
});
afterAll(() => site?.stop());

const findHook = async (): Promise<string> => (await admin.get('/api/webhooks')).body.rows[0].webhook_id;
const pathOf = (path: string) => samples[path] ?? path;
const read = async (path: string, browser = admin) => (await browser.get(path)).body;

describe('every reading', () => {
  it.each(READINGS.map(({ path }) => path))(
    '%s answers support, risk and admin alike, as it is declared',
    async (path) => {
      const { answer } = READINGS.find((one) => one.path === path)!;
      expect(pathOf(path)).not.toContain('{');
      const said: [string, number, unknown][] = [];
      for (const name of ['sven', 'rita', 'anna'] as const) {
        const { status, body } = await (await loggedIn(name)).get(pathOf(path));
        said.push([name, status, status === 200 ? answer.safeParse(body).error?.issues : body]);
      }
      expect(said).toEqual(['sven', 'rita', 'anna'].map((name) => [name, 200, undefined]));
    },
  );

  it('answers no one else, and refuses what it does not know', async () => {
    const stranger = site.open();
    const half = site.open();
    await site.identify(half, 'sven');
    for (const { path, list } of READINGS) {
      const answers = [
        (await stranger.get(pathOf(path))).body.code,
        (await half.get(pathOf(path))).body.code,
        (await admin.get(`${pathOf(path)}${pathOf(path).includes('?') ? '&' : '?'}nonsense=1`)).body.code,
        (await admin.post(pathOf(path), {})).status,
        ...(list ? [(await admin.get(`${pathOf(path)}?limit=0`)).body.code] : []),
      ];
      const wanted = ['console.login_required', 'console.password_required', 'console.invalid', 404];
      expect([path, ...answers]).toEqual([path, ...wanted, ...(list ? ['console.invalid'] : [])]);
    }
    expect((await admin.get('/api/nothing')).body.code).toBe('console.unknown');
  });

  it('that PostgreSQL refuses to this login is a 403 with a code, and the others go on', async () => {
    const group = `${loginOf('ada').replace(/_ada$/, '')}_operator`;
    await asAdmin(desk.adminUrl, `REVOKE SELECT ON audit_log FROM "${group}"`);
    try {
      const { status, body } = await admin.get('/api/audit');
      expect([status, body.code]).toEqual([403, 'console.forbidden']);
      expect((await admin.get('/api/networks')).status).toBe(200);
    } finally {
      await asAdmin(desk.adminUrl, `GRANT SELECT ON audit_log TO "${group}"`);
    }
  });
});

const open = new Map<string, Browser>();
async function loggedIn(name: 'anna' | 'rita' | 'sven'): Promise<Browser> {
  const browser = name === 'anna' ? admin : (open.get(name) ?? (await site.logIn(name)));
  open.set(name, browser);
  return browser;
}

describe('lists', () => {
  it.each(READINGS.filter(({ list }) => list && list.kind !== 'pages'))(
    '$path sorts by each of its columns, both ways',
    async ({ path, list }) => {
      const { sorts } = list as { sorts: readonly string[] };
      for (const sort of sorts) {
        const up = await read(`${pathOf(path)}?sort=${sort}`);
        const down = await read(`${pathOf(path)}?sort=-${sort}`);
        expect([sort, up.total]).toEqual([sort, up.rows.length]);
        const values = (rows: Record<string, unknown>[]) => rows.map((row) => row[sort]).filter((one) => one !== null);
        expect([sort, values(down.rows)]).toEqual([sort, values(up.rows).toReversed()]);
        expect((await read(`${pathOf(path)}?sort=${sort}&offset=1&limit=1`)).rows).toEqual(up.rows.slice(1, 2));
      }
      expect((await admin.get(`${pathOf(path)}?sort=nonsense`)).body.code).toBe('console.invalid');
    },
  );

  it.each(READINGS.filter(({ list }) => list?.kind === 'pages'))(
    '$path has the same rows in pages and as CSV',
    async ({ path, list }) => {
      const { rows } = list as { rows: string };
      const all = (await read(`${pathOf(path)}?limit=1000`))[rows];
      const paged: unknown[] = [];
      for (let after = ''; ; ) {
        const page = await read(`${pathOf(path)}?limit=2${after}`);
        paged.push(...page[rows]);
        if (page.next === null) break;
        after = `&after=${encodeURIComponent(page.next)}`;
      }
      expect(paged).toEqual(all);
      const csv = await admin.get(`${pathOf(path)}?format=csv`);
      expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(csv.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w-]+\.csv"$/);
      expect(csv.text.split('\r\n').length).toBe(all.length + 2);
      expect((await admin.get(`${pathOf(path)}?after=nonsense!`)).status).toBeGreaterThanOrEqual(400);
    },
  );
});

describe('the search', () => {
  it.each<[what: string, find: () => string, kind: string, path: () => string]>([
    ['a name', () => ADA, 'person', () => `/people/${desk.ada.userId}`],
    ['a part of a name', () => ADA.slice(4, 12), 'person', () => `/people/${desk.ada.userId}`],
    ['a name with an at sign', () => `@${ADA}`, 'person', () => `/people/${desk.ada.userId}`],
    ['an address of ours', () => ADAS_WALLET.address, 'person', () => `/people/${desk.ada.userId}`],
    ['a payment', () => desk.ids.first, 'payment', () => `/payments/${desk.ids.first}`],
    ['the start of an id', () => desk.ids.first.slice(0, 8), 'payment', () => `/payments/${desk.ids.first}`],
    ['a receipt', () => `rcpt_${desk.ids.first.replaceAll('-', '')}`, 'payment', () => `/payments/${desk.ids.first}`],
    ['a hash', () => HASH, 'deposit', () => `/payments/${desk.ids.deposit}`],
    ['a hash of a deposit that is not final', () => PENDING_HASH, 'deposit', () => `/payments/${PENDING_HASH}`],
    ['a reference', () => 'rent 7', 'payment', () => `/payments/${desk.ids.send}`],
    ['a payout', () => desk.ids.payout, 'payout', () => `/payouts/${desk.ids.payout}`],
    ['a request', () => desk.ids.request, 'request', () => `/payments/${desk.ids.request}`],
    ['a refused payment', () => desk.ids.refused, 'refusal', () => `/payments/${desk.ids.refused}`],
    ['an address outside', () => OUTSIDE, 'address', () => `/payments?address=${OUTSIDE}`],
    ['an amount', () => '12.5', 'payment', () => `/payments/${desk.ids.first}`],
    ['an amount in USDC', () => '12.50 USDC', 'payment', () => `/payments/${desk.ids.first}`],
  ])('finds %s', async (_, find, kind, path) => {
    const { hits } = await read(`/api/search?q=${encodeURIComponent(find())}`);
    expect(hits).toContainEqual(expect.objectContaining({ kind, path: path() }));
    const [screen, id] = /^\/(\w+)\/([^?]+)$/.exec(path())?.slice(1) ?? [];
    if (id && !(kind === 'deposit' && id.startsWith('0x')))
      expect((await admin.get(`/api/${screen}/${id}`)).status).toBe(200);
  });

  it.each(['nobody_has_this', randomUUID(), '999999.123456', "'; DROP TABLE users; --", '%', '\u202e'])(
    'finds nothing for %j, without a fault',
    async (text) => {
      const { status, body } = await admin.get(`/api/search?q=${encodeURIComponent(text)}`);
      expect([status, body.hits]).toEqual([200, []]);
    },
  );

  it('refuses nothing, and a book', async () => {
    for (const q of ['', ' ', 'x'.repeat(201), 'a%00b'])
      expect((await admin.get(`/api/search?q=${q.includes('%') ? q : encodeURIComponent(q)}`)).body.code).toBe(
        'console.invalid',
      );
  });
});

describe('one thing', () => {
  it('a payment comes with its rows of the ledger, its moves of coins and its events', async () => {
    const shown = await read(`/api/payments/${desk.ids.send}`);
    expect(shown.payment).toMatchObject({ transaction_id: desk.ids.send, state: 'INITIATED' });
    expect(shown.ledger).toEqual([
      expect.objectContaining({ kind: 'hold', amount: '4', debit: expect.objectContaining({ owner: 'treasury' }) }),
    ]);
    expect(shown.events.map(({ type }: { type: string }) => type)).toEqual(['payment.initiated']);
    expect((await read(`/api/payments/${desk.ids.request}`)).what).toBe('request');
    expect((await read(`/api/payments/${desk.ids.refused}`)).refusal.code).toBe('balance.insufficient');
  });

  it('that does not exist is a 404 that says so', async () => {
    for (const path of ['payments/', 'people/', 'payouts/', 'wallets/', 'webhooks/']) {
      const { status, body } = await admin.get(
        `/api/${path}${randomUUID()}${path === 'webhooks/' ? '/deliveries' : ''}`,
      );
      expect([path, status, body.code]).toEqual([path, 404, 'console.unknown']);
    }
  });

  it('home counts what the lists show', async () => {
    const month = await read('/api/home?span=month');
    const { payments } = await read('/api/payments?limit=1000');
    const counted = payments.filter(({ kind }: { kind: string }) => kind === 'user' || kind === 'chain');
    expect(month.totals.payments).toBe(counted.length);
    expect(month.open).toEqual([expect.objectContaining({ state: 'INITIATED', count: 1, amount: '4' })]);
    expect(month.totals.refused).toBe(1);
    expect(month.buckets.length).toBeLessThanOrEqual(32);
  });
});

describe('hostile texts', () => {
  const HOSTILE = [
    '<img src=x onerror=alert(1)>',
    "=cmd|' /C calc'!A0",
    '+1',
    '@SUM(1)',
    'a"b,c\nd',
    '\u202eevil',
    '\u001b[2Jgone',
  ];

  it('stay text in JSON, and are no formula in a spreadsheet', async () => {
    for (const [i, text] of HOSTILE.entries()) {
      const email = `${text}@hostile${i}.example`;
      await asAdmin(
        desk.adminUrl,
        `INSERT INTO users (user_id, issuer, subject, email) VALUES ($1, 'hostile', $2, $3)`,
        [randomUUID(), String(i), email],
      );
      const answer = await admin.get('/api/people?name=hostile&limit=1');
      expect(answer.headers.get('content-type')).toBe('application/json');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.body.users[0].email).toBe(email);
    }
    const { text } = await admin.get('/api/people?name=hostile&format=csv');
    const cells = [...text.matchAll(/(?:^|,|\r\n)("(?:[^"]|"")*"|[^,\r\n]*)/g)].map(([, cell]) =>
      cell!.replace(/^"/, ''),
    );
    expect(cells.filter((cell) => /^[=+@\-\t\r]/.test(cell) && !/^-?\d/.test(cell))).toEqual([]);
  });
});

describe('very many open payments', () => {
  const ROWS = howMany(10_000, 100_000);
  /** Of the oldest: a millionth for each row. */
  const LARGEST = String(ROWS / 1_000_000);
  beforeAll(async () => {
    await asAdmin(
      desk.adminUrl,
      `SET session_replication_role = replica;
       CREATE TEMP TABLE made AS SELECT gen_random_uuid() AS id, n FROM generate_series(1, ${ROWS}) n;
       INSERT INTO transfers (transfer_id, seq, debit_account, credit_account, amount, debit_entry, debit_available, debit_held,
         created_at, asset_id, kind)
       SELECT id, 1000000000 + n, a.account_id, c.account_id, n, 1000000 + n, 0, 1, now() - n * interval '1 second', a.asset_id, 'hold'
         FROM made, (SELECT account_id, asset_id FROM accounts WHERE user_id IS NOT NULL LIMIT 1) a,
              (SELECT account_id, asset_id FROM accounts WHERE kind = 'chain') c WHERE c.asset_id = a.asset_id;
       INSERT INTO payments (payment_id, state, destination, amount, updated_at)
       SELECT id, 'INITIATED', '${SENDER}', n, now() - n * interval '1 second' FROM made;
       ANALYZE`,
    );
  });

  it('are counted, sorted and cut by the database', async () => {
    const first = await read('/api/stuck?sort=-amount&limit=2');
    expect(first.total).toBe(ROWS + 1);
    expect(first.rows.map(({ amount }: { amount: string }) => amount)).toEqual(['4', LARGEST]);
    const deep = await read(`/api/stuck?sort=amount&limit=1&offset=${ROWS - 1}`);
    expect(deep.rows[0].amount).toBe(LARGEST);
    const oldest = await read('/api/stuck?limit=1');
    expect(oldest.rows[0]).toMatchObject({ state: 'INITIATED', amount: LARGEST });
    expect(
      (await read(`/api/stuck?blockchain=${OTHER}`)).rows.every(
        (row: { blockchain: string }) => row.blockchain === OTHER,
      ),
    ).toBe(true);
    expect((await read('/api/payments?state=open&limit=2')).payments.length).toBe(2);
  });

  it('are read once, and names are looked up for the page only', async () => {
    const plans: string[] = [];
    const { listStuck } = await import('../../server/src/payments/search/listStuck.ts');
    const explaining = {
      query: async (sql: string, values?: readonly unknown[]) => {
        const rows = await asAdmin<{ 'QUERY PLAN': string }>(
          desk.adminUrl,
          `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ${sql}`,
          values,
        );
        plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
        return [];
      },
    };
    await listStuck(explaining as never, { sort: 'since', isDescending: false, limit: 50, offset: 0 });
    const page = plans[1]!;
    // No part of the plan runs once for each open payment: names are looked up for the page.
    const often = page.split('\n').filter((line) => Number(/loops=(\d+)/.exec(line)?.[1] ?? 0) > 50);
    expect(often).toEqual([]);
    expect(page).toMatch(/CTE open/);
  });
});
