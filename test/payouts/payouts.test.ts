/** Payouts through the API, with service keys, on a whole server; its worker pays. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { checkBooks } from '../../server/src/ledger/checkBooks.ts';
import { asAdmin } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { evaluate, readAlerts } from '../support/http/alerts.ts';
import { type Answer, bearer, readAnswer } from '../support/http/answer.ts';
import { fetchChecked } from '../support/http/fetchChecked.ts';
import { operate } from '../support/operate.ts';
import { asOperator, nameOperators } from '../support/operators.ts';
import { createPerson, type Person } from '../support/payments.ts';
import { callPayouts } from '../support/payouts/callPayouts.ts';
import { giveTreasury } from '../support/payouts/giveTreasury.ts';
import { makeKey, type PayoutKey, treasuryUpTo } from '../support/payouts/makeKey.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let florin: TestServer;
let admin: Db;
let robot: PayoutKey;
let [bob, carol, dora] = [] as unknown as [Person, Person, Person];

beforeAll(async () => {
  florin = await startTestServer({ FLORIN_APPROVAL_THRESHOLD: '500' });
  admin = openDatabase(florin.databaseUrl);
  await asAdmin(florin.databaseUrl, 'UPDATE kyc_tiers SET tier = 0');
  await florin.startWorker();
  bob = await createPerson(admin, 'bob', '50');
  carol = await createPerson(admin, 'carol');
  dora = await createPerson(admin, 'dora', '5');
  await giveTreasury(florin.databaseUrl, '100000');
  robot = await makeKey(florin.databaseUrl, 'robot');
});
afterAll(async () => {
  await admin.close();
  await florin.stop();
});

const HEAD = 'reference,to,amount\n';
const { ask, post, check, confirm, untilState, pay } = callPayouts(() => ({ url: florin.backendUrl, key: robot }));
const availableOf = async ({ accountId }: Person) => {
  const [row] = await admin.query<{ available: bigint }>('SELECT available FROM accounts WHERE account_id = $1', [
    accountId,
  ]);
  return row!.available;
};
const codeOf = ({ status, body }: Answer) => [status, body.code];

describe('a payout', () => {
  it('is checked, confirmed, paid once, and read back as the same rows', async () => {
    const before = await Promise.all([bob, carol].map(availableOf));
    const file = `\ufeff${HEAD.replace('\n', ',note\r\n')}r1,Bob,1.5,"for you, Bob"\r\nr2,carol,2,\r\nr3,bob,0.000001,\r\n`;
    const checked = await check(file);
    expect(checked.status).toBe(200);
    expect(checked.body).toMatchObject({
      state: 'checked',
      payer: 'treasury',
      count: 3,
      total: '3.500001',
      fees: '0',
      on_shortage: 'wait',
      warnings: [],
      approvals: { needed: 0, given: 0 },
      file: { content_type: 'text/csv', sha256: createHash('sha256').update(file).digest('hex') },
      rows: { ready: { count: 3, total: '3.500001' }, paid: { count: 0, total: '0' } },
    });
    expect(await Promise.all([bob, carol].map(availableOf))).toEqual(before);

    // Twice at the same moment: it begins once.
    const started = await Promise.all([confirm(checked.body), confirm(checked.body)]);
    expect(started.map(({ status }) => status)).toEqual([200, 200]);
    const done = await untilState(checked.body.payout_id, 'complete');
    expect(done.rows).toMatchObject({ paid: { count: 3, total: '3.500001' }, failed: { count: 0, total: '0' } });
    expect(await Promise.all([bob, carol].map(availableOf))).toEqual([
      before[0]! + 1_500_001n,
      before[1]! + 2_000_000n,
    ]);

    const { body: page } = await ask(`/${done.payout_id}/items?limit=2`);
    expect(page).toMatchObject({
      items: [{ row: 1, to: 'bob', state: 'paid', note: 'for you, Bob' }, { row: 2 }],
      next_after: 2,
    });
    expect((await ask(`/${done.payout_id}/items?after=2`)).body).toMatchObject({
      items: [{ row: 3 }],
      next_after: null,
    });
    expect((await ask(`/${done.payout_id}/items?state=failed`)).body).toEqual({ items: [], next_after: null });
    const csv = await ask(`/${done.payout_id}/items.csv`);
    const ids = page.items.map((one: { transaction_id: string }) => one.transaction_id);
    expect(csv.headers.get('content-type')).toContain('text/csv');
    expect(csv.body.split('\r\n').slice(0, 3)).toEqual([
      'reference,to,amount,blockchain,note,state,transaction_id,hash,error',
      `r1,bob,1.5,ETH-SEPOLIA,"for you, Bob",paid,${ids[0]},,`,
      `r2,carol,2,ETH-SEPOLIA,,paid,${ids[1]},,`,
    ]);
    // The receiver sees a payment like any other, from the service.
    const shown = await florin.call('GET', '/api/v1/latest_transactions_by_username/carol');
    const got = { transaction_id: ids[1], state: 'COMPLETE', from: { username: null } };
    expect(shown.body.transactions[0]).toMatchObject(got);
    expect((await florin.call('GET', `/circle/transaction/${ids[0]}`)).body.payment_note).toBe('for you, Bob');
  });

  it('pays no one twice: the same references are the same payments', async () => {
    await pay(`${HEAD}again-1,bob,1\nagain-2,carol,1\n`);
    const before = await Promise.all([bob, carol].map(availableOf));
    const { body } = await check(`${HEAD}again-1,bob,1\nagain-2,carol,1\nagain-3,carol,1\n`);
    expect(body).toMatchObject({ count: 1, total: '1', paid_before: { count: 2, total: '2' } });
    await confirm(body);
    const done = await untilState(body.payout_id, 'complete');
    expect(done.rows.paid).toEqual({ count: 3, total: '3' });
    expect(await Promise.all([bob, carol].map(availableOf))).toEqual([before[0], before[1]! + 1_000_000n]);
    // Another amount, or another person, under a paid reference.
    const other = await check(`${HEAD}again-1,bob,2\nagain-2,bob,1\n`);
    expect(other.body.errors.map(({ row, code }: { row: number; code: string }) => [row, code])).toEqual([
      [1, 'reference.used'],
      [2, 'reference.used'],
    ]);
    // Two payouts that were checked before either was paid.
    const twins = await Promise.all([check(`${HEAD}twin,bob,1\n`), check(`${HEAD}twin,bob,1\n`)]);
    const had = await availableOf(bob);
    await Promise.all(twins.map((one) => confirm(one.body)));
    for (const one of twins) await untilState(one.body.payout_id, 'complete');
    expect(await availableOf(bob)).toBe(had + 1_000_000n);
  });

  it('reports errors by row and column, and stores nothing', async () => {
    const [{ kept } = { kept: 0n }] = await admin.query<{ kept: bigint }>('SELECT count(*) AS kept FROM payouts');
    const { status, body } = await check(
      `${HEAD}a,nobody_here,1\nb,bob,1E+05\nc,0x00,1\nd,0x${'1'.repeat(40)},1\nb,bob,1\n`,
    );
    expect([status, body.code, body.error_count]).toEqual([422, 'payout.invalid', 5]);
    expect(body.errors.map((one: Answer['body']) => [one.row, one.column, one.code])).toEqual([
      [1, 'to', 'username.unknown'],
      [2, 'amount', 'amount.form'],
      [3, 'to', 'username.unknown'],
      // There is no blockchain here.
      [4, 'blockchain', 'blockchain.unsupported'],
      [5, 'reference', 'reference.duplicate'],
    ]);
    expect((await check('')).body.errors).toMatchObject([{ row: 0, code: 'file.empty' }]);
    expect((await post('', { rows: [{ reference: 'a', to: 'bob', amount: 1 }] })).body.errors).toMatchObject([
      { row: 1, column: 'amount', code: 'cell.text' },
    ]);
    const strange = await ask('', { method: 'POST', headers: { 'content-type': 'application/xml' }, body: '<a/>' });
    expect(strange.body.errors).toMatchObject([{ code: 'file.type' }]);
    expect((await check(`${HEAD}a,bob,1\n`, '?payer=nobody_here')).body.code).toBe('username.unknown');
    expect((await check(`${HEAD}a,bob,1\n`, '?payer=bob')).body.errors).toMatchObject([{ code: 'payment.self' }]);
    const huge = await ask('', {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: 'x'.repeat(4_194_305),
    });
    expect(codeOf(huge)).toEqual([413, 'request.too_large']);
    expect(await admin.query('SELECT count(*) AS kept FROM payouts')).toEqual([{ kept }]);
  });

  it('warns about what would keep rows from being paid now, and about rows that look like a mistake', async () => {
    const { body } = await check(`${HEAD}w1,bob,90000\nw2,bob,90000\n`);
    expect(body.warnings.map(({ code }: { code: string }) => code)).toEqual(['balance.insufficient', 'row.twin']);
    const small = await makeKey(florin.databaseUrl, 'small', '--any-wallet', ...treasuryUpTo('10'));
    expect((await check(`${HEAD}w1,bob,9\nw2,carol,9\n`, '', small)).body.warnings).toMatchObject([
      { code: 'key.limit_exceeded' },
    ]);
  });

  it('is confirmed with its own count and total, by the key that created it', async () => {
    const { body } = await check(`${HEAD}m1,bob,1\nm2,carol,2\n`);
    const path = `/${body.payout_id}/confirm`;
    expect((await post(path, { count: 2, total: '3.1' })).body).toMatchObject({
      code: 'payout.mismatch',
      count: '2',
      total: '3',
    });
    expect(codeOf(await post(path, { count: 1, total: '3' }))).toEqual([409, 'payout.mismatch']);
    expect((await post(path, { count: '2', total: '3' })).status).toBe(422);
    expect((await post(path, { count: 2.5, total: '3' })).status).toBe(422);
    expect((await post(path, { count: 2, total: '3e0' })).status).toBe(422);
    const other = await makeKey(florin.databaseUrl, 'other');
    for (const answer of [
      await post(path, { count: 2, total: '3' }, other),
      await ask(`?before=${body.payout_id}`, {}, other),
      await ask(`/${body.payout_id}`, {}, other),
      await ask(`/${body.payout_id}/items`, {}, other),
      await ask(`/${body.payout_id}/items.csv`, {}, other),
      await post(`/${body.payout_id}/cancel`, {}, other),
    ])
      expect(codeOf(answer)).toEqual([404, 'payout.unknown']);
    expect((await post(path, { count: 2, total: '3.00' })).status).toBe(200);
    await untilState(body.payout_id, 'complete');
  });

  it('is listed for the key that created it, newest first, page by page', async () => {
    const lister = await makeKey(florin.databaseUrl, 'lister');
    expect((await ask('', {}, lister)).body).toEqual({ payouts: [], next_before: null });
    const made: Answer['body'][] = [];
    for (const nth of [1, 2, 3]) made.unshift((await check(`${HEAD}listed-${nth},bob,0.1\n`, '', lister)).body);
    await post(`/${made[1].payout_id}/cancel`, {}, lister);
    const idsOf = ({ body }: Answer) => body.payouts.map((one: Answer['body']) => one.payout_id);
    const first = await ask('?limit=2', {}, lister);
    expect([idsOf(first), first.body.next_before]).toEqual([[made[0].payout_id, made[1].payout_id], made[1].payout_id]);
    const second = await ask(`?limit=2&before=${first.body.next_before}`, {}, lister);
    expect([idsOf(second), second.body.next_before]).toEqual([[made[2].payout_id], null]);
    expect(second.body.payouts[0]).toEqual((await ask(`/${made[2].payout_id}`, {}, lister)).body);
    expect(idsOf(await ask('?state=cancelled', {}, lister))).toEqual([made[1].payout_id]);
  });

  it('M28: can be confirmed when its total exceeds the limit of a single payment', async () => {
    const rich = await makeKey(florin.databaseUrl, 'rich', ...treasuryUpTo('999999999.999999'));
    const { body } = await check(`${HEAD}huge1,bob,999999999.999999\nhuge2,carol,999999999.999999\n`, '', rich);
    expect((await confirm(body, rich)).body).toMatchObject({ state: 'approving', waits_until: null });
    expect((await post(`/${body.payout_id}/cancel`, {}, rich)).body.state).toBe('cancelled');
  });

  it('needs a key of the scope payouts', async () => {
    const events = {
      key: (
        await asOperator(florin.databaseUrl, 'ada', (db) => operate(db, 'key', 'create', 'e', '--scope', 'events'))
      ).split('\n')[0]!,
      keyId: '',
    };
    expect(codeOf(await check(`${HEAD}a,bob,1\n`, '', events))).toEqual([403, 'auth.scope']);
    const bare = await readAnswer(
      await fetchChecked(`${florin.backendUrl}/api/v1/payouts`, { method: 'POST', body: HEAD }),
    );
    expect(codeOf(bare)).toEqual([401, 'auth.required']);
    const poor = await makeKey(florin.databaseUrl, 'poor', '--user', 'dora');
    expect((await check(`${HEAD}a,bob,1\n`, '', poor)).body).toMatchObject({
      code: 'key.not_allowed',
      what: 'treasury',
    });
    expect((await check(`${HEAD}a,carol,1\n`, '?payer=bob', poor)).body).toMatchObject({
      code: 'key.not_allowed',
      what: 'wallet',
    });
  });
});

describe('a row', () => {
  it('pays the person found at the check, and fails when the name is another person’s at the confirmation', async () => {
    const [mover, leaver, other] = await Promise.all(
      ['mover', 'leaver', 'other_one'].map((name) => createPerson(admin, name)),
    );
    const { body } = await check(`${HEAD}n1,mover,1\nn2,leaver,1\nn3,bob,1\n`);
    // One person renames, and the old name leads on; the name of the other goes to another person.
    const give = (name: string, userId: string) =>
      admin.tx(async (tx) => {
        await tx.query('INSERT INTO username_skeletons VALUES (username_skeleton($1), $2)', [name, userId]);
        await tx.query('INSERT INTO usernames (username, user_id, claimed_at) VALUES ($1, $2, now())', [name, userId]);
      });
    const redirect = (name: string) =>
      admin.query(`UPDATE usernames SET redirect_until = now() + interval '90 days' WHERE username = $1`, [name]);
    await redirect('mover');
    await give('moved_on', mover!.userId);
    await asAdmin(florin.databaseUrl, `DELETE FROM usernames WHERE username = 'leaver'`);
    await asAdmin(florin.databaseUrl, 'DELETE FROM username_skeletons WHERE user_id = $1', [leaver!.userId]);
    await redirect('other_one');
    await give('leaver', other!.userId);
    await confirm(body);
    const done = await untilState(body.payout_id, 'complete');
    expect(done.rows).toMatchObject({ paid: { count: 2, total: '2' }, failed: { count: 1, total: '1' } });
    const { items } = (await ask(`/${done.payout_id}/items?state=failed`)).body;
    expect(items).toMatchObject([{ row: 2, transaction_id: null, error: { code: 'username.other_owner' } }]);
    expect(await Promise.all([mover!, leaver!, other!].map(availableOf))).toEqual([1_000_000n, 0n, 0n]);
  });

  it('waits while the payer has too little, and is paid when the money comes', async () => {
    const { body } = await check(`${HEAD}s1,bob,3\ns2,carol,4\ns3,bob,1\n`, '?payer=dora');
    await confirm(body);
    const waiting = await untilState(body.payout_id, 'waiting');
    // The third fits, the second does not.
    expect(waiting).toMatchObject({
      rows: { paid: { count: 2, total: '4' }, ready: { count: 1, total: '4' } },
      waiting_for: { code: 'balance.insufficient' },
    });
    expect(waiting.rule).toContain('waits');
    await florin.call('POST', '/api/v1/send_usdc', {
      sender_user_id: bob.userId,
      receiver_username: 'dora',
      amount: 10,
    });
    const done = await untilState(body.payout_id, 'complete');
    expect(done.rows.paid).toEqual({ count: 3, total: '8' });
    expect(await availableOf(dora)).toBe(7_000_000n);
  });

  it('fails when the payer has too little, if configured so; a later file pays it', async () => {
    const csv = `${HEAD}f1,bob,6\nf2,carol,6\nf3,bob,1\n`;
    const done = await pay(csv, '?payer=dora&on_shortage=fail');
    expect(done.rows).toMatchObject({ paid: { count: 2, total: '7' }, failed: { count: 1, total: '6' } });
    const { body } = await ask(`/${done.payout_id}/items.csv`);
    expect(body).toContain('f2,carol,6,ETH-SEPOLIA,,failed,,,balance.insufficient: ');
    await florin.call('POST', '/api/v1/send_usdc', {
      sender_user_id: bob.userId,
      receiver_username: 'dora',
      amount: 6,
    });
    expect((await pay(csv, '?payer=dora')).rows.paid).toEqual({ count: 3, total: '13' });
  });

  it('waits at a limit of the key; cancelled rows are not paid, and the rest was', async () => {
    const small = await makeKey(florin.databaseUrl, 'limited', '--any-wallet', ...treasuryUpTo('5'));
    const { body } = await check(`${HEAD}l1,bob,3\nl2,carol,3\nl3,bob,2\n`, '', small);
    await confirm(body, small);
    const waiting = await untilState(body.payout_id, 'waiting', small);
    expect(waiting).toMatchObject({
      waiting_for: { code: 'key.limit_exceeded' },
      rows: { paid: { count: 2, total: '5' } },
    });
    const cancelled = await post(`/${body.payout_id}/cancel`, {}, small);
    expect(cancelled.body).toMatchObject({
      state: 'cancelled',
      waiting_for: null,
      rows: { cancelled: { count: 1, total: '3' } },
    });
    expect((await post(`/${body.payout_id}/cancel`, {}, small)).body.state).toBe('cancelled');
    expect(codeOf(await confirm(body, small))).toEqual([409, 'payout.ended']);
    // A row beyond the single-payment limit of the key is refused at the check.
    expect((await check(`${HEAD}l4,bob,6\n`, '', small)).body.errors).toMatchObject([
      { row: 1, column: 'amount', code: 'key.limit_exceeded' },
    ]);
  });

  it('fails when the key was revoked before the row was paid', async () => {
    const gone = await makeKey(florin.databaseUrl, 'gone');
    const { body } = await check(`${HEAD}k1,bob,600\n`, '', gone);
    expect((await confirm(body, gone)).body.state).toBe('approving');
    await asAdmin(florin.databaseUrl, 'UPDATE service_keys SET revoked_at = now() WHERE key_id = $1', [gone.keyId]);
    await nameOperators(florin.databaseUrl, { rita: 'risk', rolf: 'risk', anna: 'admin' });
    for (const name of ['rita', 'rolf'] as const)
      await asOperator(florin.databaseUrl, name, (db) => operate(db, 'payment', 'approve-payout', body.payout_id));
    await eventually(async () => {
      const rows = await admin.query('SELECT state, error FROM payout_items WHERE payout_id = $1', [body.payout_id]);
      expect(rows).toEqual([{ state: 'failed', error: { code: 'auth.invalid', details: { reason: 'revoked' } } }]);
    });
  });
});

describe('a large payout', () => {
  it('begins when two operators have approved it, and is stopped by one', async () => {
    await nameOperators(florin.databaseUrl, { rita: 'risk', rolf: 'risk', anna: 'admin' });
    const as = (name: 'rita' | 'rolf' | 'mallory', ...args: string[]) =>
      asOperator(florin.databaseUrl, name, (db) => operate(db, 'payment', ...args));
    const { body } = await check(`${HEAD}big1,bob,300\nbig2,carol,200\n`);
    const { payout_id: id } = (await confirm(body)).body;
    expect((await ask(`/${id}`)).body).toMatchObject({ state: 'approving', approvals: { needed: 2, given: 0 } });
    const alert = readAlerts().find(({ name }) => name === 'FlorinPayoutsWait')!;
    const waiting = async () => evaluate(alert.expr, await (await fetch(`${florin.opsUrl}/metrics`)).text());
    await eventually(async () => expect(await waiting()).toHaveLength(1));
    await expect(as('mallory', 'approve-payout', id)).rejects.toThrow(/operator/);
    expect(await as('rita', 'approve-payout', id)).toContain('another operator');
    await expect(as('rita', 'approve-payout', id)).rejects.toThrow(/already/);
    expect(await asOperator(florin.databaseUrl, 'rita', (db) => operate(db, 'payout', 'list'))).toContain(id);
    expect(await availableOf(carol)).toBeLessThan(200_000_000n);
    expect(await as('rolf', 'approve-payout', id)).toContain('being paid');
    expect((await untilState(id, 'complete')).rows.paid).toEqual({ count: 2, total: '500' });
    expect(await waiting()).toEqual([]);
    await expect(as('rolf', 'approve-payout', id)).rejects.toThrow(/does not wait for approval/);

    const denied = (await check(`${HEAD}big3,bob,500\n`)).body;
    await confirm(denied);
    expect(await as('rita', 'deny-payout', denied.payout_id, '--why', 'not agreed')).toContain('Stopped');
    expect((await ask(`/${denied.payout_id}`)).body).toMatchObject({
      state: 'cancelled',
      rows: { cancelled: { count: 1 } },
    });
    await expect(as('rita', 'deny-payout', denied.payout_id, '--why', 'again')).rejects.toThrow(/end/);
  });
});

it('publishes its states in the feed to services, and to no one else', async () => {
  const done = await pay(`${HEAD}known,bob,1\n`);
  const reader = (
    await asOperator(florin.databaseUrl, 'anna', (db) => operate(db, 'key', 'create', 'reader', '--scope', 'events'))
  ).split('\n')[0]!;
  const own = await eventually(async () => {
    const { body } = await florin.call('GET', '/api/v1/events?types=payout.*&limit=200', undefined, bearer(reader));
    const found = body.events.filter((one: { payout_id: string }) => one.payout_id === done.payout_id);
    expect(found.map(({ type }: { type: string }) => type)).toEqual([
      'payout.checked',
      'payout.running',
      'payout.complete',
    ]);
    return found;
  });
  expect(own[2]).toMatchObject({
    transaction_id: null,
    request_id: null,
    user_ids: [],
    object: { state: 'complete', count: 1 },
  });
});

it('leaves the books correct', async () => {
  expect((await checkBooks(admin)).faults).toEqual([]);
});
