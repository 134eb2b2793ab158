/** Closing an account: never with money or anything open, and then permanently. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PayError } from '../../server/src/core/errors.ts';
import { parseUsdc } from '../../server/src/core/money.ts';
import { closeAccount } from '../../server/src/customers/account/closeAccount.ts';
import { listClosedWithMoney } from '../../server/src/customers/account/listClosed.ts';
import { openSession } from '../../server/src/customers/sessions/sessions.ts';
import { setUsername } from '../../server/src/customers/usernames/setUsername.ts';
import { openHouseAccount } from '../../server/src/ledger/accounts.ts';
import { listPauses, pausePayments, resumePayments } from '../../server/src/operators/pauses.ts';
import { sendToUser } from '../../server/src/payments/users/sendToUser.ts';
import { openTestDatabase, type TestDatabase } from '../support/database/openTestDatabase.ts';
import { liftLimits } from '../support/database.ts';
import { hold, releaseHold } from '../support/ledger/moveMoney.ts';
import { recordDeposit } from '../support/ledger/recordDeposit.ts';
import { readBalances } from '../support/payments.ts';
import {
  ask,
  createVisitor,
  end,
  openRequestsServer,
  pay,
  type RequestsServer,
  type Visitor,
} from '../support/people/requests.ts';
import { HOME } from '../support/values.ts';

let database: TestDatabase;
let server: RequestsServer;
let names = 0;
beforeAll(async () => {
  database = await openTestDatabase();
  await liftLimits(database.adminUrl);
  server = openRequestsServer(database.db, database.url);
});
afterAll(async () => {
  await server.close();
  await database.remove();
});

const arrive = (amount?: string) => createVisitor(database.db, `owner_${++names}`, amount);
/** `closed`, or the reason that prevents it. */
const close = (person: Visitor): Promise<unknown> =>
  database.db
    .tx((tx) => closeAccount(tx, person.userId))
    .then(
      () => 'closed',
      ({ code, details }: PayError) => ({ code, ...details }),
    );
const send = (from: Visitor, to: string, amount = '1') =>
  sendToUser(server, { senderId: from.userId, receiver: to, amount: parseUsdc(amount) }).then(({ result }) =>
    'refusal' in result ? result.refusal.code : 'paid',
  );
const deposit = (person: Visitor, amount: string) => {
  const one = { depositId: randomUUID(), userId: person.userId, blockchain: HOME, amount: parseUsdc(amount) };
  return database.db.tx((tx) => recordDeposit(tx, { ...one, fromAddress: `0x${'d'.repeat(40)}` }));
};
const RULES = { accessTokenSeconds: 60, refreshTokenSeconds: 60, sessionSeconds: 60 };
const EMPTY = { available: '0', held: '0', owed: '0', open_payments: 0, open_requests: 0, open_payouts: 0 };

describe('closing is refused', () => {
  it('while the balance is not zero', async () => {
    const [owner, friend] = [await arrive('2.5'), await arrive()];
    expect(await close(owner)).toEqual({ code: 'account.not_empty', ...EMPTY, available: '2.5' });
    expect(await send(owner, friend.username, '2.5')).toBe('paid');
    expect(await close(owner)).toBe('closed');
  });

  it('while a payment is in progress', async () => {
    const owner = await arrive('3');
    const holdId = randomUUID();
    const movement = await database.admin.tx(async (tx) => {
      const [row] = await tx.query<{ asset_id: number }>('SELECT asset_id FROM accounts WHERE account_id = $1', [
        owner.accountId,
      ]);
      const creditAccount = await openHouseAccount(tx, row!.asset_id, 'chain');
      const made = { debitAccount: owner.accountId, creditAccount, amount: parseUsdc('3') };
      await hold(tx, { transferId: holdId, ...made });
      return made;
    });
    expect(await close(owner)).toEqual({ code: 'account.not_empty', ...EMPTY, held: '3', open_payments: 1 });
    await database.admin.tx((tx) => releaseHold(tx, { transferId: randomUUID(), holdId, ...movement }));
    expect(await close(owner)).toEqual({ code: 'account.not_empty', ...EMPTY, available: '3' });
  });

  it('while a request from or to the person is open', async () => {
    const [owner, friend] = [await arrive(), await arrive()];
    const own = await ask(database.db, owner, { payer: friend.username });
    const other = await ask(database.db, friend, { payer: owner.username });
    expect(await close(owner)).toEqual({ code: 'account.not_empty', ...EMPTY, open_requests: 2 });
    await end(database.db, owner, own, 'cancelled');
    await end(database.db, owner, other, 'declined');
    expect(await close(owner)).toBe('closed');
  });
});

/** Adds one thing to an empty account that must prevent closing, as the field of the refusal that names it. */
const OBSTACLES: readonly (readonly [what: string, Partial<typeof EMPTY>, sql: string])[] = [
  [
    'a debt',
    { owed: '1' },
    `INSERT INTO debts (payment_id, account_id, amount) VALUES (gen_random_uuid(), $1, 1000000)`,
  ],
  [
    'a deposit in a block that is not final',
    { open_payments: 1 },
    `WITH wallet AS (INSERT INTO wallets (wallet_id, kind, user_id, provider, reference, address)
       SELECT gen_random_uuid(), 'user', user_id, 'local', user_id::text, '0x' || left(md5(user_id::text) || md5(''), 40)
         FROM accounts WHERE account_id = $1 RETURNING wallet_id)
     INSERT INTO pending_deposits (asset_id, block_hash, log_index, wallet_id, tx_hash, from_address, amount, block_number)
     SELECT asset_id, '0xb' || $1, 0, wallet_id, '0xt' || $1, '0xf', 1000000, 1 FROM accounts, wallet WHERE account_id = $1`,
  ],
];

describe('an otherwise empty account', () => {
  it.each(OBSTACLES)('with %s cannot be closed', async (_, field, sql) => {
    const owner = await arrive();
    await database.admin.query(sql.replaceAll('$1', String(owner.accountId)));
    expect(await close(owner)).toEqual({ code: 'account.not_empty', ...EMPTY, ...field });
  });
});

describe('a closed account', () => {
  it('has no session and no name, and cannot get them back', async () => {
    const [owner, friend] = [await arrive(), await arrive('5')];
    expect(await send(friend, owner.username)).toBe('paid');
    expect(await send(owner, friend.username)).toBe('paid');
    expect(await close(owner)).toBe('closed');
    expect(await close(owner)).toEqual({ code: 'account.closed' });
    await expect(server.callers.get(owner.accessToken)).rejects.toMatchObject({ details: { reason: 'revoked' } });
    expect(await send(friend, owner.username)).toBe('username.unknown');
    expect(await ask(database.db, friend, { payer: owner.username })).toBe('username.unknown');
    expect(await ask(database.db, owner)).toBe('account.closed');
    const rename = database.db.tx((tx) =>
      setUsername(tx, { cooldownDays: 0 }, { userId: owner.userId, username: 'back_again' }),
    );
    await expect(rename).rejects.toMatchObject({ code: 'account.closed' });
    await expect(database.db.tx((tx) => openSession(tx, RULES, owner.userId, null))).rejects.toThrow(/closed/);
    await expect(
      database.admin.query('UPDATE usernames SET redirect_until = NULL WHERE user_id = $1', [owner.userId]),
    ).rejects.toThrow(/closed/);
  });

  it('reserves its name for as long as a name that was given up', async () => {
    const [owner, other] = [await arrive(), await arrive()];
    expect(await close(owner)).toBe('closed');
    const take = () =>
      database.db.tx((tx) => setUsername(tx, { cooldownDays: 0 }, { userId: other.userId, username: owner.username }));
    await expect(take()).rejects.toMatchObject({ code: 'username.taken' });
    await database.admin.query('UPDATE usernames SET redirect_until = now() WHERE user_id = $1', [owner.userId]);
    expect(await take()).toMatchObject({ username: owner.username });
  });

  it('is credited with deposits, which no one can spend and operators see', async () => {
    const [owner, friend] = [await arrive(), await arrive()];
    expect(await close(owner)).toBe('closed');
    await deposit(owner, '7.5');
    expect(await send(owner, friend.username)).toBe('user.paused');
    expect(await listClosedWithMoney(database.db)).toContainEqual({
      userId: owner.userId,
      closedAt: expect.any(Date),
      blockchain: HOME,
      available: 7_500_000n,
      held: 0n,
    });
    // When an operator's pause ends, the account stays closed, and closed people are not listed among the paused.
    const scope = `user:${owner.userId}` as const;
    const pause = { scope, reason: 'a test', stops: 'accepting' } as const;
    await pausePayments(database.db, pause);
    expect(await send(owner, friend.username)).toBe('user.paused');
    await resumePayments(database.db, scope, 'operator');
    expect((await listPauses(database.db)).map((one) => one.scope)).not.toContain(scope);
    expect(await send(owner, friend.username)).toBe('user.paused');
    await resumePayments(database.db, scope, 'closed');
    expect(await send(owner, friend.username, '7.5')).toBe('paid');
    expect(await listClosedWithMoney(database.db)).not.toContainEqual(
      expect.objectContaining({ userId: owner.userId }),
    );
  });
});

it('a closed account never has money or a session, although people pay, request and log in while it closes', async () => {
  const friend = await arrive('100');
  let closedCount = 0;
  for (let round = 0; round < 20; round++) {
    const owner = await arrive();
    // More than they will have: what they receive stays, and keeps the account open.
    const link = await ask(database.db, friend, { amount: '2' });
    const [outcome, paid, asked] = await Promise.all([
      close(owner),
      send(friend, owner.username, '1'),
      ask(database.db, friend, { payer: owner.username }),
      pay(server, owner, link),
      database.db.tx((tx) => openSession(tx, RULES, owner.userId, null)).catch(() => undefined),
    ]);
    const open = await database.db.query('SELECT FROM sessions WHERE user_id = $1 AND ended_at IS NULL', [
      owner.userId,
    ]);
    const isClosed = outcome === 'closed';
    closedCount += isClosed ? 1 : 0;
    const [[available]] = (await readBalances(database.db, [owner])) as [[bigint, bigint]];
    expect(paid).toBe(available > 0n ? 'paid' : paid);
    if (isClosed) {
      expect([available, paid, asked]).toEqual([0n, 'username.unknown', 'username.unknown']);
      expect(open).toEqual([]);
    }
    await end(database.db, friend, link, 'cancelled');
    if (!isClosed && !asked.includes('.')) await end(database.db, friend, asked, 'cancelled');
  }
  console.log(`${closedCount} of 20 were closed`);
});
