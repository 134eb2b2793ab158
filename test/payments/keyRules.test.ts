/** The statement that accepts a payment decides what a service key may spend, for any caller and any concurrency. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PayError } from '../../server/src/core/errors.ts';
import { parseUsdc } from '../../server/src/core/money.ts';
import type { Db } from '../../server/src/db/database.ts';
import { addressOf, isClientIn } from '../../server/src/http/connections/findAddress.ts';
import { openAsset, openHouseAccount, setHomeAsset } from '../../server/src/ledger/accounts.ts';
import { checkBooks } from '../../server/src/ledger/checkBooks.ts';
import { acceptSends } from '../../server/src/payments/sends/acceptSends.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import type { SendToAddress } from '../../server/src/payments/sends/sendCommand.ts';
import { insertUser } from '../support/database/insertUser.ts';
import { openTestDatabase, type TestDatabase } from '../support/database/openTestDatabase.ts';
import { recordDeposit } from '../support/ledger/recordDeposit.ts';
import { operate } from '../support/operate.ts';
import { HOME } from '../support/values.ts';

const OTHER = 'BASE-SEPOLIA';
const RULES = { approvalThreshold: undefined, newRecipientDelaySeconds: 0 };
const CERTIFICATE = 'ab'.repeat(32);

let database: TestDatabase;
let db: Db;
let alice: Sender;
let bob: Sender;
let treasury: Sender;
beforeAll(async () => {
  database = await openTestDatabase();
  ({ db } = database);
  for (const blockchain of [OTHER, HOME]) await openHouseAccount(db, await openAsset(db, blockchain, 'USDC'), 'chain');
  await setHomeAsset(db, await openAsset(db, HOME, 'USDC'));
  [alice, bob] = [await createSender('alice'), await createSender('bobby')];
  treasury = await createSender(undefined);
});
afterAll(async () => {
  const books = await checkBooks(db);
  await database.remove();
  expect(books.faults).toEqual([]);
});

interface Sender {
  readonly walletId: string;
}

/** With money on each blockchain. */
async function createSender(username: string | undefined, amount = '1000'): Promise<Sender> {
  const userId = username === undefined ? null : await insertUser(db, username);
  const [walletId, address] = [randomUUID(), randomAddress()];
  await db.query(
    `INSERT INTO wallets (wallet_id, kind, user_id, provider, reference, address)
     VALUES ($1, $4, $2, 'local', $3, $3)`,
    [walletId, userId, address, userId ? 'user' : 'treasury'],
  );
  for (const blockchain of [HOME, OTHER]) {
    const deposit = { depositId: randomUUID(), blockchain, amount: parseUsdc(amount) };
    const from = { fromAddress: `0x${'f'.repeat(40)}` };
    if (userId) await db.tx((tx) => recordDeposit(tx, { ...deposit, ...from, userId }));
    else await creditTreasury(blockchain);
  }
  return { walletId };
}

async function creditTreasury(blockchain: string): Promise<void> {
  const assetId = await openAsset(db, blockchain, 'USDC');
  const [debit, credit] = [
    await openHouseAccount(db, assetId, 'chain'),
    await openHouseAccount(db, assetId, 'treasury'),
  ];
  await database.admin.query(`SELECT testing.move($1, 'deposit', $2, $3, 1000000000, NULL, NULL)`, [
    randomUUID(),
    debit,
    credit,
  ]);
}

const randomAddress = () => `0x${randomBytes(20).toString('hex')}`;
const keys = (...args: string[]) => operate(db, 'key', ...args);
async function createKey(...options: string[]): Promise<string> {
  return /Key (\S+)/.exec(await keys('create', 'robot', '--scope', 'send', ...options))![1]!;
}

const command = (serviceKeyId: string | undefined, request: Partial<SendToAddress> = {}, paymentId = randomUUID()) => ({
  paymentId,
  hash: undefined,
  request: {
    destination: randomAddress(),
    amount: parseUsdc('10'),
    blockchain: HOME,
    currency: 'USDC',
    walletId: alice.walletId,
    serviceKeyId,
    ...request,
  },
});

/** `accepted`, or the refusal. */
async function send(serviceKeyId: string | undefined, request: Partial<SendToAddress> = {}, on = db): Promise<string> {
  const [decision] = await acceptSends(on, RULES, [command(serviceKeyId, request)]);
  if (decision!.outcome !== 'refused') return decision!.outcome;
  const { code, details } = decision!.refusal;
  return `${code} ${details.reason ?? details.what ?? details.limit}`;
}
const count = (outcomes: readonly string[], wanted: string) => outcomes.filter((one) => one === wanted).length;

describe('a key', () => {
  it('spends only from the people and wallets that it was given', async () => {
    const ofUser = await createKey('--user', 'alice');
    const ofWallet = await createKey('--wallet', bob.walletId);
    const ofAll = await createKey('--any-wallet');
    const from = ({ walletId }: Sender) => [ofUser, ofWallet, ofAll].map((key) => send(key, { walletId }));
    expect(await Promise.all(from(alice))).toEqual(['accepted', 'key.not_allowed wallet', 'accepted']);
    expect(await Promise.all(from(bob))).toEqual(['key.not_allowed wallet', 'accepted', 'accepted']);
    expect(await Promise.all(from(treasury))).toEqual(Array(3).fill('key.not_allowed treasury'));
    // A wallet that is not named is the treasury's.
    expect(await send(ofAll, { walletId: undefined })).toBe('key.not_allowed treasury');
  });

  it('spends the treasury only with a separate permission, within its own limits', async () => {
    const limits = ['--treasury-payment', '20', '--treasury-day', '30', '--treasury-month', '35'];
    await expect(createKey('--treasury', ...limits.slice(0, 4))).rejects.toThrow(/--treasury-month/);
    await expect(createKey('--wallet', treasury.walletId)).rejects.toThrow(/--treasury/);
    const key = await createKey('--treasury', ...limits);
    const pay = (amount: string) => send(key, { walletId: undefined, amount: parseUsdc(amount) });
    expect(await send(key)).toBe('key.not_allowed wallet');
    expect(await pay('20.000001')).toBe('key.limit_exceeded payment');
    expect([await pay('20'), await pay('20'), await pay('10'), await pay('0.000001')]).toEqual([
      'accepted',
      'key.limit_exceeded day',
      'accepted',
      'key.limit_exceeded day',
    ]);
    await expect(
      database.admin.query('UPDATE key_budgets SET day_limit = NULL WHERE key_id = $1 AND pays = $2', [
        key,
        'treasury',
      ]),
    ).rejects.toThrow(/key_budgets/);
  });

  it('sends only on its blockchains and to its addresses and ranges', async () => {
    const [one, first, last] = [randomAddress(), `0x00${'0'.repeat(38)}`, `0x00${'f'.repeat(38)}`];
    const key = await createKey('--any-wallet', '--blockchain', HOME, '--to', one, '--to', `${first}-${last}`);
    const outcomes = await Promise.all([
      send(key, { destination: one.toUpperCase().replace('X', 'x') }),
      send(key, { destination: `0x00${randomAddress().slice(4)}` }),
      send(key, { destination: last }),
      send(key, { destination: `0x01${'0'.repeat(38)}` }),
      send(key, { destination: one, blockchain: OTHER }),
    ]);
    expect(outcomes).toEqual([
      'accepted',
      'accepted',
      'accepted',
      'key.not_allowed destination',
      'key.not_allowed blockchain',
    ]);
  });

  it('is worthless after its expiry, by the database’s clock, and without its certificate', async () => {
    const lasting = await createKey('--any-wallet', '--expires', '2999-01-01');
    const over = await createKey('--any-wallet', '--expires', '2020-01-01');
    const bound = await createKey('--any-wallet', '--certificate', CERTIFICATE);
    expect([await send(lasting), await send(over)]).toEqual(['accepted', 'auth.invalid expired']);
    expect(await send(bound)).toBe('auth.invalid certificate');
    expect(await send(bound, { certificate: 'cd'.repeat(32) })).toBe('auth.invalid certificate');
    expect(await send(bound, { certificate: CERTIFICATE })).toBe('accepted');
    expect(await keys('list')).toMatch(new RegExp(`${over} .*?state +expired\n`, 's'));
  });

  it('works only from the addresses that it was given', async () => {
    await expect(createKey('--user', 'alice', '--from', '10.0.0.0/33')).rejects.toThrow(/not an address or network/);
    await expect(createKey('--user', 'alice', '--from', '2001:db8::7')).rejects.toThrow(/narrower than \/64/);
    const key = await createKey('--user', 'alice', '--from', '203.0.113.0/24', '--from', '2001:db8:7::/48');
    const from = (client: string | undefined) => send(key, { client });
    expect(await from('203.0.113.9')).toBe('accepted');
    expect(await from('2001:db8:7:1::/64')).toBe('accepted');
    for (const other of ['198.51.100.1', '2001:db8:8:1::/64', '', undefined])
      expect(await from(other)).toBe('auth.invalid address');
    expect(await keys('list')).toMatch(/from\s+203\.0\.113\.0\/24, 2001:db8:7::\/48/);
    await keys('change', key, '--from', 'any', '--why', 'a test');
    expect(await from('198.51.100.1')).toBe('accepted');
  });

  it.each([
    ['203.0.113.0/24', '203.0.113.9', true],
    ['203.0.113.0/24', '203.0.114.9', false],
    ['203.0.113.9', '203.0.113.9', true],
    ['2001:db8::/48', '2001:db8:0:7::1', true],
    ['2001:db8:0:7::/64', '2001:db8:0:7:ffff::1', true],
    ['2001:db8:0:7::/64', '2001:db8:0:8::1', false],
    // A client is its whole /64, which is not within a part of it, not even within its first address.
    ['2001:db8:0:7::/80', '2001:db8:0:7::', false],
    ['2001:db8:0:7::', '2001:db8:0:7::', false],
    ['::/0', '203.0.113.9', false],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['0.0.0.0/0', '::ffff:203.0.113.9', true],
    ['::ffff:0:0/96', '203.0.113.9', false],
  ])('the range %s contains the client %s: %s, for reads and sends alike', async (range, client, isIn) => {
    const [row] = await database.admin.query<{ said: boolean }>('SELECT $1::inet <<= $2::inet AS said', [
      addressOf(client),
      range,
    ]);
    expect([isClientIn([range], addressOf(client)), row!.said]).toEqual([isIn, isIn]);
  });

  it('PostgreSQL refuses a range that contains no client', async () => {
    const key = await createKey('--user', 'alice');
    const [row] = await database.admin.query<{ rules: object }>('SELECT describe_key($1) AS rules', [key]);
    const write = (clients: string[]) =>
      database.admin.query('SELECT write_key_rules($1, $2, $3)', [
        key,
        JSON.stringify({ ...row!.rules, clients }),
        'a test',
      ]);
    await expect(write(['2001:db8::/65'])).rejects.toMatchObject({ constraint: 'key_rules_client_networks' });
    await write(['2001:db8::/64', '10.0.0.0/32']);
  });

  it('without limits may do everything, as in earlier releases, and is listed with a warning', async () => {
    const old = randomUUID();
    await database.admin.query(
      `INSERT INTO service_keys (key_id, name, hash, scopes) VALUES ($1, 'old', $2, '{send}')`,
      [old, randomBytes(32)],
    );
    expect([await send(old), await send(old, { walletId: undefined })]).toEqual(['accepted', 'accepted']);
    expect(await keys('list')).toMatch(new RegExp(`${old} .*?EVERYTHING, including the treasury, without limits`, 's'));
    expect(await keys('list')).toContain('WARNING');
    await expect(keys('change', old, '--day', '5', '--why', 'x')).rejects.toThrow(/say what it may spend/);
    await keys('change', old, '--any-wallet', '--day', '15', '--why', 'a policy');
    expect([await send(old), await send(old), await send(old, { walletId: undefined })]).toEqual([
      'accepted',
      'key.limit_exceeded day',
      'key.not_allowed treasury',
    ]);
  });

  it('is recorded on its payments and in the audit log', async () => {
    const key = await createKey('--any-wallet');
    const one = command(key);
    await acceptSends(db, RULES, [one, command(undefined)]);
    const rows = await db.query('SELECT key_id FROM payments WHERE payment_id = $1', [one.paymentId]);
    expect(rows).toEqual([{ key_id: key }]);
    const log = await db.query(`SELECT action, details FROM audit_log WHERE actor = $1`, [`key:${key}`]);
    expect(log).toEqual([{ action: 'payment.accepted', details: { payment_id: one.paymentId } }]);
  });
});

describe('the limits of a key', () => {
  it('hold for 64 concurrent payments, in batches and from several connections', async () => {
    const key = await createKey('--any-wallet', '--day', '100');
    const batches = Array.from({ length: 16 }, (_, i) =>
      acceptSends(
        db,
        RULES,
        Array.from({ length: 4 }, () => command(key, i % 2 ? { walletId: bob.walletId } : {})),
      ),
    );
    const outcomes = (await Promise.all(batches)).flat();
    expect(outcomes.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(10);
    const refused = outcomes.flatMap((one) => (one.outcome === 'refused' ? [one.refusal] : []));
    expect(refused.map(({ code }) => code)).toEqual(Array(54).fill('key.limit_exceeded'));
    expect(refused[0]).toBeInstanceOf(PayError);
    expect(refused[0]!.details).toMatchObject({ limit: 'day', maximum: '100', left: '0' });
    expect(String(refused[0]!.details.resets_at)).toMatch(/^\d{4}-.*:00:00\.000Z$/);
  });

  it('count only accepted payments: one that is refused for another reason leaves the limit for the next', async () => {
    const key = await createKey('--any-wallet', '--day', '10');
    const { walletId } = await createSender('carol', '1');
    const half = { amount: parseUsdc('5') };
    const decisions = await acceptSends(db, RULES, [
      command(key, { ...half, walletId }),
      command(key, half),
      command(key, { amount: parseUsdc('5.000001') }),
      command(key, half),
    ]);
    expect(decisions.map((one) => (one.outcome === 'refused' ? one.refusal.code : one.outcome))).toEqual([
      'balance.insufficient',
      'accepted',
      'key.limit_exceeded',
      'accepted',
    ]);
  });

  it('roll: spending leaves the day after 24 hours and the month after 30 days', async () => {
    const key = await createKey('--any-wallet', '--day', '20', '--month', '30');
    const age = (hours: number) =>
      database.admin.tx(async (tx) => {
        await tx.query('UPDATE key_budgets SET hour = hour - $2 WHERE key_id = $1 AND hour > 0', [key, hours]);
        // Upwards, so that no two rows meet on the way.
        const spent = await tx.query<{ hour: number }>(
          'SELECT hour FROM key_spendings WHERE key_id = $1 ORDER BY hour',
          [key],
        );
        for (const { hour } of spent) {
          await tx.query('UPDATE key_spendings SET hour = hour - $3 WHERE key_id = $1 AND hour = $2', [
            key,
            hour,
            hours,
          ]);
        }
      });
    expect([await send(key), await send(key), await send(key)]).toEqual([
      'accepted',
      'accepted',
      'key.limit_exceeded day',
    ]);
    await age(23);
    expect(await send(key)).toBe('key.limit_exceeded day');
    await age(2);
    expect([await send(key), await send(key)]).toEqual(['accepted', 'key.limit_exceeded month']);
    await age(690);
    expect(await send(key)).toBe('key.limit_exceeded month');
    await age(6);
    expect([await send(key), await send(key)]).toEqual(['accepted', 'accepted']);
  });

  it('get back what ended unpaid, once', async () => {
    const key = await createKey('--any-wallet', '--day', '20');
    const [one, other] = [command(key), command(key)];
    await acceptSends(db, RULES, [one, other]);
    expect(await send(key)).toBe('key.limit_exceeded day');
    await db.tx((tx) => cancelPayment(tx, { paymentId: one.paymentId }));
    expect([await send(key), await send(key)]).toEqual(['accepted', 'key.limit_exceeded day']);
  });

  it('keep every concurrent change; one whose plan no longer holds is refused and can be repeated', async () => {
    const key = await createKey('--user', 'alice');
    const changeUntilDone = async (...change: string[]): Promise<void> => {
      const outcome = await keys('change', key, ...change, '--why', 'x').catch((error: Error) => error);
      if (!(outcome instanceof Error)) return;
      expect(outcome.message).toMatch(/something has changed since this plan was made/);
      await changeUntilDone(...change);
    };
    await Promise.all([
      changeUntilDone('--day', '70'),
      changeUntilDone('--payment', '7'),
      changeUntilDone('--blockchain', 'BASE-SEPOLIA'),
    ]);
    const said = (await keys('list')).split('\n\n').find((one) => one.includes(key));
    expect(said).toMatch(/payment 7, day 70\s+USDC.*on\s+BASE-SEPOLIA/s);
  });

  it('are changed with a history of who, when and from what to what, and count earlier spending', async () => {
    const key = await createKey('--any-wallet', '--day', '20', '--blockchain', HOME);
    expect([await send(key), await send(key)]).toEqual(['accepted', 'accepted']);
    await keys('change', key, '--day', '30', '--why', 'more payouts');
    expect([await send(key), await send(key)]).toEqual(['accepted', 'key.limit_exceeded day']);
    const [newest, first] = (await keys('history', key)).split('\n\n');
    expect(newest).toMatch(/_tester\n.*day 20 USDC.*on ETH-SEPOLIA.*day 30 USDC.*on ETH-SEPOLIA.* more payouts$/s);
    expect(first).toMatch(/before +-\n.*day 20 USDC/s);
    await expect(database.admin.query('DELETE FROM key_changes')).rejects.toThrow();
  });
});

describe('a revoked key', () => {
  it('waits for the payments that are being accepted, and none is accepted afterwards', async () => {
    const key = await createKey('--any-wallet');
    const steps: string[] = [];
    let revoked: Promise<unknown> | undefined;
    await db.tx(async (tx) => {
      await acceptSends(tx, RULES, [command(key)]);
      revoked = keys('revoke', key).then(() => steps.push('revoked'));
      // Long enough for a revocation that would not wait.
      await new Promise((done) => setTimeout(done, 300));
      steps.push('accepted');
    });
    await revoked;
    expect(steps).toEqual(['accepted', 'revoked']);
    expect(await send(key)).toBe('auth.invalid revoked');
  });

  it('refuses the payment that it overtakes, although the process has authenticated the caller', async () => {
    const key = await createKey('--any-wallet');
    const waiting = database.admin.tx(async (tx) => {
      await tx.query('UPDATE service_keys SET revoked_at = now() WHERE key_id = $1', [key]);
      const outcome = send(key);
      await new Promise((done) => setTimeout(done, 300));
      return { outcome };
    });
    expect(await (await waiting).outcome).toBe('auth.invalid revoked');
  });
});

it('a key without limits is not delayed by one that has reached them in the same batch', async () => {
  const [small, large] = [await createKey('--any-wallet', '--day', '20'), await createKey('--any-wallet')];
  const outcomes = await Promise.all(Array.from({ length: 16 }, (_, i) => send(i % 2 ? small : large)));
  expect([count(outcomes, 'accepted'), count(outcomes, 'key.limit_exceeded day')]).toEqual([10, 6]);
});
