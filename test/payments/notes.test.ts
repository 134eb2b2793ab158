/** Notes: both people read them everywhere, others do not, and they are part of what a repeated call is compared with. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idFromKey } from '../../server/src/core/ids.ts';
import { MAX_NOTE } from '../../server/src/core/note.ts';
import { closeAccount } from '../../server/src/customers/account/closeAccount.ts';
import { NOTHING } from '../../server/src/customers/keys/keyRules.ts';
import { createServiceKey, type Scope } from '../../server/src/customers/keys/serviceKeys.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { settleFeed } from '../support/database/settleFeed.ts';
import { asAdmin, openAsAdmin, urlAs } from '../support/database.ts';
import { bearer } from '../support/http/answer.ts';
import { asOperator, nameOperators } from '../support/operators.ts';
import { createVisitor, type Visitor } from '../support/people/requests.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let florin: TestServer;
let db: Db;
let ada: Visitor;
let bob: Visitor;
let eve: Visitor;
let names = 0;

beforeAll(async () => {
  florin = await startTestServer();
  db = openDatabase(florin.databaseUrl);
  await nameOperators(florin.databaseUrl, { anna: 'admin' });
  ada = await createVisitor(db, 'ada', '1000');
  bob = await createVisitor(db, 'bob', '1000');
  eve = await createVisitor(db, 'eve', '10');
  // Their first money is no event of a test.
  await settleFeed(db);
});
afterAll(async () => {
  await db.close();
  await florin.stop();
});

const call = (who: Visitor, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  florin.call(method, `/api/v1${path}`, body, { ...bearer(who.accessToken), ...headers });
const send = (from: Visitor, to: string, more: Record<string, unknown> = {}, key: string = randomUUID()) =>
  call(
    from,
    'POST',
    '/send_usdc',
    { sender_user_id: from.userId, receiver_username: to, amount: 0.5, ...more },
    { 'idempotency-key': key },
  );
const makeKey = async (...scopes: Scope[]): Promise<string> =>
  (
    await asOperator(florin.databaseUrl, 'anna', (as) =>
      as.tx((tx) => createServiceKey(tx, { name: scopes.join(), scopes, rules: NOTHING })),
    )
  ).key;
const noteIn = async (who: Visitor, id: string) => (await call(who, 'GET', `/transactions/${id}`)).body.payment_note;
/** As the worker does once a day. */
const forget = (days: number) => asAdmin(florin.databaseUrl, `SELECT forget_notes(${days}, '(0,0)', '(100000,0)')`);

/** Right to left, joined emoji, accents in two forms, markup, quotes, a backslash, and a word that SQL reads. */
const TEXTS = [
  'Dinner on Friday',
  'ארוחת ערב 🍝',
  '👩‍👩‍👧‍👦 caf\u00e9 cafe\u0301',
  '<script>alert("1")</script> & \'x\'',
  'a "quoted" \\ {1,2} , end\\',
  'NULL',
  ' spaces stay ',
  '-2+cmd|calc',
  '😀'.repeat(MAX_NOTE),
];

describe('a note', () => {
  it.each(TEXTS)('is the same for both people wherever a payment is shown: %s', async (note) => {
    await settleFeed(db);
    const after = (await call(bob, 'GET', '/events?after=now')).body.next_cursor;
    const { status, body, headers } = await send(ada, 'bob', { payment_note: note });
    expect([status, body.payment_note, headers.get('florin-warning')]).toEqual([200, note, null]);
    const id = body.transaction_id;
    for (const who of [ada, bob]) {
      expect(await noteIn(who, id)).toBe(note);
      const page = `/latest_transactions_by_username/${who.username}`;
      // The plain page, again from memory, and the filtered one.
      for (const path of [page, page, `${page}?kind=user`]) {
        const [first] = (await call(who, 'GET', path)).body.transactions;
        expect([first.transaction_id, first.payment_note]).toEqual([id, note]);
      }
      const exported = (await call(who, 'GET', '/me/export')).body.transactions;
      expect(exported.find((one: { transaction_id: string }) => one.transaction_id === id).payment_note).toBe(note);
    }
    const csv = await fetch(`${florin.backendUrl}/api/v1/latest_transactions_by_username/bob?limit=1`, {
      headers: { ...bearer(bob.accessToken), accept: 'text/csv' },
    });
    const cell = /^\s*[=+@-]/.test(note) ? `'${note}` : note;
    expect((await csv.text()).trimEnd().split('\r\n')[1]).toMatch(
      /["\n,]/.test(cell) ? `,"${cell.replaceAll('"', '""')}"` : `,${cell}`.trimEnd(),
    );
    await settleFeed(db);
    const { events } = (await call(bob, 'GET', `/events?after=${after}`)).body;
    expect(events.map((one: { object: { payment_note: string } }) => one.object.payment_note)).toEqual([note]);
  });

  it('is absent from a payment without one', async () => {
    const plain = (await send(ada, 'bob')).body;
    const empty = (await send(ada, 'bob', { payment_note: null })).body;
    const named = (await send(ada, 'bob', { note: 'another field', memo: 'x' })).body;
    const { body: misspelt, headers } = await send(ada, 'bob', { payment_notes: 'x' });
    expect(headers.get('florin-warning')).toContain('did you mean "payment_note"?');
    for (const body of [plain, empty, named, misspelt]) {
      expect(body).not.toHaveProperty('payment_note');
      expect((await call(bob, 'GET', `/transactions/${body.transaction_id}`)).body).not.toHaveProperty('payment_note');
    }
  });

  it.each([
    ['nothing', ''],
    ['blanks', ' \u00a0\u3000 '],
    ['one character too many', '😀'.repeat(MAX_NOTE + 1)],
    ['10,000 characters', 'x'.repeat(10_000)],
    ['NUL', 'a\u0000b'],
    ['a line end', 'a\nb'],
    ['a tab', 'a\tb'],
    ['DEL', 'a\u007f'],
    ['a next line', 'a\u0085'],
    ['a line separator', 'a\u2028'],
    ['a right-to-left override', '\u202egnp.exe'],
    ['a right-to-left mark', 'a\u200f'],
    ['an isolate', '\u2067a\u2069'],
    ['a number', 7],
    ['a list', ['a']],
  ])('with %s is refused, and nothing is paid', async (_, note) => {
    const key = randomUUID();
    expect((await send(ada, 'bob', { payment_note: note }, key)).status).toBe(422);
    expect((await call(ada, 'POST', '/requests', { amount: 1, note })).status).toBe(422);
    // The key is free.
    const paid = await send(ada, 'bob', {}, key);
    expect([paid.status, paid.headers.get('idempotency-replayed')]).toEqual([200, null]);
  });

  it('with half of a surrogate pair is refused', async () => {
    const answer = await fetch(`${florin.backendUrl}/api/v1/send_usdc`, {
      method: 'POST',
      headers: { ...bearer(ada.accessToken), 'content-type': 'application/json' },
      body: `{"sender_user_id":"${ada.userId}","receiver_username":"bob","amount":1,"payment_note":"a\\ud83d"}`,
    });
    expect(answer.status).toBe(422);
  });

  it('is refused by PostgreSQL too, whoever writes it', async () => {
    for (const note of ['', 'x'.repeat(141), 'a\tb', 'a\nb', 'a\u0085', '\u202ea', '\u2069']) {
      const write = asAdmin(florin.databaseUrl, 'INSERT INTO payment_notes VALUES ($1, $2)', [randomUUID(), note]);
      await expect(write).rejects.toThrow('payment_notes_text');
    }
  });

  it('is not in the logs', async () => {
    const secret = `secret ${randomUUID()}`;
    await send(ada, 'bob', { payment_note: secret });
    await send(ada, 'nobody_here', { payment_note: secret });
    await send(ada, 'bob', { payment_note: `${secret}\n` });
    await call(ada, 'POST', '/requests', { amount: 1, note: secret });
    expect(florin.logLines.length).toBeGreaterThan(3);
    expect(florin.logLines.filter((line) => line.includes(secret))).toEqual([]);
  });
});

describe('a repeated call', () => {
  const other = ['another', 'Dinner', 'dinner ', null] as const;

  it('gets the first answer, with its note', async () => {
    const key = randomUUID();
    const first = await send(ada, 'bob', { payment_note: 'dinner' }, key);
    const again = await send(ada, 'bob', { payment_note: 'dinner' }, key);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    for (const note of other) {
      expect((await send(ada, 'bob', { payment_note: note }, key)).body.code).toBe('idempotency.mismatch');
    }
    expect(await noteIn(bob, first.body.transaction_id)).toBe('dinner');
  });

  it('with a note after one without is another request', async () => {
    const key = randomUUID();
    await send(ada, 'bob', {}, key);
    expect((await send(ada, 'bob', { payment_note: 'dinner' }, key)).body.code).toBe('idempotency.mismatch');
    expect((await send(ada, 'bob', {}, key)).status).toBe(200);
  });

  it('of a refused payment is compared too', async () => {
    const key = randomUUID();
    const pay = (note: string | null) => send(ada, 'nobody_here', { payment_note: note }, key);
    expect((await pay('dinner')).body.code).toBe('username.unknown');
    expect((await pay('dinner')).headers.get('idempotency-replayed')).toBe('true');
    for (const note of other) expect((await pay(note)).body.code).toBe('idempotency.mismatch');
  });

  it('is compared at the same moment too', async () => {
    const key = randomUUID();
    const answers = await Promise.all(
      ['a', 'b', null, 'a'].map((note) => send(ada, 'bob', { payment_note: note }, key)),
    );
    // Whichever came first is paid, and repeated by the calls with the same note.
    const [paid, ...repeated] = answers.filter(({ status }) => status === 200);
    for (const { body } of repeated) expect(body).toEqual(paid!.body);
    expect(repeated.length).toBe(paid!.body.payment_note === 'a' ? 1 : 0);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(new Set(refused.map(({ body }) => body.code))).toEqual(new Set(['idempotency.mismatch']));
  });

  it('finds out that a removed note was there, but not which', async () => {
    const key = randomUUID();
    const { transaction_id: id } = (await send(ada, 'bob', { payment_note: 'dinner' }, key)).body;
    await asAdmin(
      florin.databaseUrl,
      `UPDATE payment_notes SET created_at = now() - interval '9 days'
      WHERE payment_id = '${id}'`,
    );
    await forget(10);
    expect(await noteIn(bob, id)).toBe('dinner');
    await forget(8);
    expect(await noteIn(bob, id)).toBeUndefined();
    for (const note of ['dinner', 'lunch']) {
      const again = await send(ada, 'bob', { payment_note: note }, key);
      expect([again.status, again.body.transaction_id, again.body.payment_note]).toEqual([200, id, undefined]);
    }
    expect((await send(ada, 'bob', {}, key)).body.code).toBe('idempotency.mismatch');
  });

  it('is a new payment with its own note when the refusal was forgotten', async () => {
    const key = randomUUID();
    const name = `later_${++names}`;
    expect((await send(ada, name, { payment_note: 'first' }, key)).status).toBe(404);
    const id = idFromKey(ada.userId, '/api/v1/send_usdc', key);
    const admin = openAsAdmin(florin.databaseUrl);
    await admin.tx(async (tx) => {
      await tx.query('SET LOCAL session_replication_role = replica');
      await tx.query(`UPDATE refusals SET created_at = now() - interval '8 days' WHERE payment_id = $1`, [id]);
    });
    await admin.query(`SELECT forget_some('refusals', 7, 1000)`);
    await admin.close();
    await createVisitor(db, name);
    const paid = await send(ada, name, {}, key);
    expect([paid.status, paid.body.payment_note]).toEqual([200, undefined]);
    expect(await noteIn(ada, id)).toBeUndefined();
  });
});

describe('the note of a request', () => {
  it('becomes the note of its payment, whoever pays beside it', async () => {
    const asked = (await call(ada, 'POST', '/requests', { amount: 1, payer_username: 'bob', note: 'rent' })).body;
    // The requests and a payment with a note are in one batch if they arrive together.
    const [paid] = await Promise.all([
      call(bob, 'POST', `/requests/${asked.request_id}/pay`),
      send(bob, 'ada', { payment_note: 'other' }),
    ]);
    expect(paid.body).toMatchObject({ transaction_id: asked.request_id, payment_note: 'rent' });
    expect((await call(bob, 'POST', `/requests/${asked.request_id}/pay`)).body).toMatchObject({ payment_note: 'rent' });
    for (const who of [ada, bob]) {
      expect(await noteIn(who, asked.request_id)).toBe('rent');
      expect((await call(who, 'GET', `/requests/${asked.request_id}`)).body.note).toBe('rent');
    }
  });

  it('is compared, repeated with the stored answer, and not stored in it', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const askFor = (note: string | null) => call(ada, 'POST', '/requests', { amount: 1, note }, headers);
    const first = await askFor('rent');
    const again = await askFor('rent');
    expect([again.headers.get('idempotency-replayed'), again.body]).toEqual(['true', first.body]);
    for (const note of ['Rent', null]) expect((await askFor(note)).body.code).toBe('idempotency.mismatch');
    const [row] = await asAdmin<{ text: string }>(
      florin.databaseUrl,
      `SELECT answer::text AS text FROM idempotency_records WHERE answer::text LIKE '%${first.body.request_id}%'`,
    );
    expect(row!.text).not.toContain('rent');
  });

  it('stays while the request is open, however old it is', async () => {
    const open = (await call(ada, 'POST', '/requests', { amount: 1, note: 'open' })).body.request_id;
    const ended = (await call(ada, 'POST', '/requests', { amount: 1, note: 'ended' })).body.request_id;
    await call(ada, 'POST', `/requests/${ended}/cancel`);
    await asAdmin(florin.databaseUrl, `UPDATE payment_notes SET created_at = now() - interval '9 days'`);
    await forget(8);
    const notes = await Promise.all(
      [open, ended].map(async (id) => (await call(ada, 'GET', `/requests/${id}`)).body.note),
    );
    expect(notes).toEqual(['open', null]);
  });
});

describe('who reads a note', () => {
  it('neither a third person nor a key without the scope', async () => {
    const [plain, allowed] = [await makeKey('events'), await makeKey('events', 'notes')];
    const [reader, notesReader] = [await makeKey('read'), await makeKey('read', 'notes')];
    await settleFeed(db);
    const after = (await florin.call('GET', '/api/v1/events?after=now', undefined, bearer(plain))).body.next_cursor;
    const { transaction_id: id } = (await send(ada, 'bob', { payment_note: 'between us' })).body;
    const asked = (await call(ada, 'POST', '/requests', { amount: 1, payer_username: 'bob', note: 'and us' })).body;
    await settleFeed(db);
    const seenWith = async (key: string) => {
      const { body } = await florin.call('GET', `/api/v1/events?after=${after}`, undefined, bearer(key));
      return body.events.map(({ object }: { object: { payment_note?: string; note?: string } }) => [
        object.payment_note,
        object.note,
      ]);
    };
    expect(await seenWith(plain)).toEqual([
      [undefined, undefined],
      [undefined, null],
    ]);
    expect(await seenWith(allowed)).toEqual([
      ['between us', undefined],
      [undefined, 'and us'],
    ]);
    const readWith = async (key: string) =>
      (await florin.call('GET', `/circle/transaction/${id}`, undefined, bearer(key))).body.payment_note;
    expect([await readWith(reader), await readWith(notesReader)]).toEqual([undefined, 'between us']);
    expect((await call(eve, 'GET', `/transactions/${id}`)).status).toBe(404);
    expect((await call(eve, 'GET', `/requests/${asked.request_id}`)).status).toBe(404);
    await expect(makeKey('notes')).rejects.toThrow();
    await expect(makeKey('webhooks', 'notes')).rejects.toThrow();
  });

  it('no login of a worker or a signer, and none of any role writes one', async () => {
    for (const role of ['server', 'worker', 'signer', 'operator', 'reader'] as const) {
      const login = openDatabase(urlAs(florin.databaseUrl, role));
      const attempt = (sql: string) =>
        login.query(sql).then(
          () => 'done',
          (error: Error) => error.message,
        );
      const reads = await attempt('SELECT note FROM payment_notes LIMIT 1');
      const isReader = ['server', 'operator', 'reader'].includes(role);
      expect([role, reads]).toEqual([role, isReader ? 'done' : expect.stringMatching(/permission denied/)]);
      for (const write of [
        `INSERT INTO payment_notes VALUES ('${randomUUID()}', 'x')`,
        `UPDATE payment_notes SET note = 'x'`,
        'DELETE FROM payment_notes',
        `SELECT keep_notes('{${randomUUID()}}', '{x}')`,
      ])
        expect([role, await attempt(write)]).toEqual([role, expect.stringMatching(/permission denied/)]);
      await login.close();
    }
  });
});

describe('closing an account', () => {
  it('keeps what the other person reads, and removes the note when both have closed', async () => {
    const [one, two] = [
      await createVisitor(db, `closer_${++names}`, '1'),
      await createVisitor(db, `closer_${++names}`),
    ];
    const { transaction_id: id } = (await send(one, two.username, { amount: 1, payment_note: 'farewell' })).body;
    await db.tx((tx) => closeAccount(tx, one.userId));
    await forget(0);
    expect(await noteIn(two, id)).toBe('farewell');
    await send(two, 'bob', { amount: 1 });
    await db.tx((tx) => closeAccount(tx, two.userId));
    await forget(0);
    expect(await asAdmin(florin.databaseUrl, `SELECT note FROM payment_notes WHERE payment_id = '${id}'`)).toEqual([
      { note: null },
    ]);
  });
});
