/** Operators choose by a command which tier an identity check status gives; it applies to everyone immediately. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { openAsset, setHomeAsset } from '../../server/src/ledger/accounts.ts';
import { openUserAccount } from '../support/ledger/openUserAccount.ts';
import { operate } from '../support/operate.ts';
import { asOperator, loginOf, nameOperators } from '../support/operators.ts';
import { createPerson, type PaymentsServer, type Person, startPayments } from '../support/payments.ts';
import { HOME } from '../support/values.ts';

let florin: PaymentsServer;
let other: Db;
let shop: Person;
beforeAll(async () => {
  florin = await startPayments();
  other = openDatabase(florin.databaseUrl, { maxConnections: 2 });
  shop = await createPerson(florin.db, 'shop');
  await setHomeAsset(florin.db, await openAsset(florin.db, HOME, 'USDC'));
  // Test databases have no limits; these are the service's defaults.
  await florin.admin.query(`UPDATE kyc_tiers SET tier = CASE WHEN kyc_status = 'approved' THEN 20
    WHEN kyc_status IN ('rejected', 'revoked') THEN 30 ELSE 10 END`);
});
afterAll(async () => {
  await other.close();
  await florin.stop();
});

const limits = (...args: string[]) => operate(florin.db, 'limit', ...args);
const give = (kyc: string, tier: string, why = 'a test') => limits('give', kyc, tier, '--why', why);
const setStatus = (person: Person, status: string, db = florin.db) =>
  db.query('UPDATE users SET kyc_status = $2 WHERE user_id = $1', [person.userId, status]);
const pay = async (from: Person, amount: number) => {
  const body = { sender_user_id: from.userId, receiver_username: shop.username, amount };
  const answer = await florin.send(body);
  return answer.status === 200 ? 'paid' : answer.body.code;
};
const tierOf = async (person: Person) => {
  const rows = await florin.db.query<{ name: string }>(
    'SELECT DISTINCT t.name FROM accounts a JOIN tiers t USING (tier) WHERE a.user_id = $1',
    [person.userId],
  );
  return rows.map(({ name }) => name).join();
};

describe('a tier assigned to a status', () => {
  it('applies to everyone who has the status now or later, and to no one else', async () => {
    const ann = await createPerson(florin.db, 'ann', '5000');
    const ben = await createPerson(florin.db, 'ben', '5000');
    await openUserAccount(florin.db, await openAsset(florin.db, 'BASE-SEPOLIA', 'USDC'), ann.userId);
    await setStatus(ann, 'pending');
    expect(await pay(ann, 500)).toBe('limit.exceeded');
    expect(await give('pending', 'verified', 'papers are looked at twice')).toBe(
      'People with the status pending now have the limits of verified.\n',
    );
    expect([await pay(ann, 500), await tierOf(ann)]).toEqual(['paid', 'verified']);
    expect([await pay(ben, 500), await tierOf(ben)]).toEqual(['limit.exceeded', 'unverified']);
    await setStatus(ben, 'pending');
    expect(await pay(ben, 500)).toBe('paid');
    const cat = await createPerson(florin.db, 'cat');
    await setStatus(cat, 'pending');
    expect(await tierOf(cat)).toBe('verified');
    await give('pending', 'stopped');
    expect(await pay(ann, 1)).toBe('kyc.required');
    expect(await tierOf(shop)).toBe('unverified');
    await give('pending', 'unverified');
  });

  it('is shown, has a history and is in the audit log', async () => {
    await give('needs_input', 'stopped', 'a wave of forged papers');
    expect(await limits('list')).toMatch(/^stopped +.* needs_input rejected revoked$/m);
    const line =
      /operator:\w+_tester\nwhat +status needs_input\nbefore +unverified\nafter +stopped\nwhy +a wave of forged papers$/m;
    expect(await limits('history')).toMatch(line);
    const [logged] = await florin.db.query<{ actor: string; details: unknown }>(
      `SELECT actor, details FROM audit_log WHERE action = 'limits.given' ORDER BY audit_id DESC LIMIT 1`,
    );
    expect(logged).toEqual({
      actor: `operator:${loginOf('tester')}`,
      details: { kyc_status: 'needs_input', tier: 'stopped', reason: 'a wave of forged papers' },
    });
    // A change by plain SQL is recorded too, under the database's user.
    await florin.admin.query(`UPDATE kyc_tiers SET tier = 10 WHERE kyc_status = 'needs_input'`);
    const [typed] = await florin.db.query<{ changed_by: string; before: number; after: number }>(
      'SELECT changed_by, before, after FROM kyc_tier_changes ORDER BY change_id DESC LIMIT 1',
    );
    expect(typed).toMatchObject({ before: 30, after: 10 });
    expect(typed!.changed_by).not.toMatch(/^operator:/);
  });

  it('includes people who get the status, or an account, at the same moment', async () => {
    const early = await createPerson(florin.db, 'early');
    const late = await createPerson(florin.db, 'late');
    const isWaiting = () =>
      other
        .query<{ waiting: number }>(
          `SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        )
        .then(([row]) => row!.waiting);

    // The status changes first, but commits later: the command waits for it.
    let commit = () => {};
    let began = () => {};
    const hasBegun = new Promise<void>((done) => (began = done));
    const changing = other.tx(async (tx) => {
      await tx.query(`UPDATE users SET kyc_status = 'started' WHERE user_id = $1`, [early.userId]);
      began();
      await new Promise<void>((done) => (commit = done));
    });
    await hasBegun;
    const giving = give('started', 'stopped');
    await expect.poll(isWaiting).toBe(1);
    commit();
    await Promise.all([changing, giving]);
    expect(await tierOf(early)).toBe('stopped');

    // The command comes first: the status and the account wait for it.
    const asset = await openAsset(florin.db, 'ARB-SEPOLIA', 'USDC');
    let followers: Promise<unknown> = Promise.resolve();
    await florin.admin.tx(async (tx) => {
      await tx.query(`UPDATE kyc_tiers SET tier = 20 WHERE kyc_status = 'started'`);
      followers = Promise.all([setStatus(late, 'started', other), openUserAccount(other, asset, early.userId)]);
      await expect
        .poll(() =>
          tx
            .query<{ waiting: number }>(
              `SELECT count(*)::int AS waiting FROM pg_locks WHERE NOT granted AND pid <> pg_backend_pid()`,
            )
            .then(([row]) => row!.waiting),
        )
        .toBeGreaterThan(1);
    });
    await followers;
    expect([await tierOf(late), await tierOf(early)]).toEqual(['verified', 'verified']);
    await give('started', 'unverified');
  });

  it('changes between payments, never during one', async () => {
    const dan = await createPerson(florin.db, 'dan', '5000');
    await setStatus(dan, 'approved');
    const paying = Array.from({ length: 40 }, () => pay(dan, 1));
    await Promise.race(paying);
    await give('approved', 'stopped');
    expect(await pay(dan, 1)).toBe('kyc.required');
    for (const outcome of new Set(await Promise.all(paying))) expect(['paid', 'kyc.required']).toContain(outcome);
    await give('approved', 'verified');
    expect(await pay(dan, 1)).toBe('paid');
  });
});

describe('directly in SQL', () => {
  it.each([
    ['a status cannot lose its tier', `DELETE FROM kyc_tiers WHERE kyc_status = 'rejected'`, /append-only/],
    ['all statuses cannot be deleted', 'TRUNCATE kyc_tiers CASCADE', /append-only/],
    [
      'a status cannot be renamed',
      `UPDATE kyc_tiers SET kyc_status = 'fine' WHERE kyc_status = 'rejected'`,
      /append-only/,
    ],
    ['an unknown tier is refused', `UPDATE kyc_tiers SET tier = 7 WHERE kyc_status = 'rejected'`, /foreign key/],
    ['a missing tier is refused', `UPDATE kyc_tiers SET tier = NULL WHERE kyc_status = 'rejected'`, /not-null/],
    ['history cannot be changed', `UPDATE kyc_tier_changes SET changed_by = 'nobody'`, /append-only/],
    ['nor shortened', 'DELETE FROM kyc_tier_changes', /append-only/],
  ])('%s', async (_, sql, message) => {
    await expect(florin.db.query(sql)).rejects.toThrow(/permission denied/);
    await expect(florin.admin.query(sql)).rejects.toThrow(message);
  });
});

describe('the command', () => {
  it.each([
    ['without a status', ['give', '--why', 'x'], /STATUS is missing/],
    ['without a tier', ['give', 'approved', '--why', 'x'], /TIER is missing/],
    ['without a reason', ['give', 'approved', 'verified'], /--why/],
    ['with an unknown status', ['give', 'fine', 'verified', '--why', 'x'], /no identity check status "fine"/],
    ['with an unknown tier', ['give', 'approved', 'gold', '--why', 'x'], /no tier "gold"/],
  ])('%s is reported, and changes nothing', async (_, args, message) => {
    const before = await limits('list');
    await expect(limits(...args)).rejects.toThrow(message);
    expect(await limits('list')).toBe(before);
  });

  it('requires an operator whose role allows it', async () => {
    await nameOperators(florin.databaseUrl, { ada: 'admin', sven: 'support' });
    const args = ['give', 'approved', 'stopped', '--why', 'x'];
    await expect(asOperator(florin.databaseUrl, 'sven', (db) => operate(db, 'limit', ...args))).rejects.toThrow(
      /may not do this/,
    );
  });
});
