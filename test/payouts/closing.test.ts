/** M22, M23: payouts and accounts that close or names that change, at every step of a payout. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { PayError } from '../../server/src/core/errors.ts';
import { parseUsdc } from '../../server/src/core/money.ts';
import { closeAccount } from '../../server/src/customers/account/closeAccount.ts';
import { setUsername } from '../../server/src/customers/usernames/setUsername.ts';
import { checkBooks } from '../../server/src/ledger/checkBooks.ts';
import { pausePayments, resumePayments } from '../../server/src/operators/pauses.ts';
import { cancelPayout } from '../../server/src/payments/payouts/decidePayout.ts';
import { untilBlocked } from '../support/database/untilBlocked.ts';
import { useTestDatabase } from '../support/database/useTestDatabase.ts';
import { asAdmin } from '../support/database.ts';
import { recordDeposit } from '../support/ledger/recordDeposit.ts';
import { nameOperators } from '../support/operators.ts';
import { createPerson, type Person, readBalances } from '../support/payments.ts';
import { drivePayouts } from '../support/payouts/drivePayouts.ts';
import { giveTreasury } from '../support/payouts/giveTreasury.ts';
import { makeKey, type PayoutKey } from '../support/payouts/makeKey.ts';
import { HOME } from '../support/values.ts';

const database = useTestDatabase();
const { db } = database;
let key: PayoutKey;
let names = 0;
const { tryCheck, check, confirm, approve, run, rows, get } = drivePayouts(database, () => key);

beforeAll(async () => {
  await giveTreasury(database.url, '1000');
  await db.query('SELECT ledger_set_home_asset(asset_id) FROM assets');
  await nameOperators(database.url, { rita: 'risk', rolf: 'risk' });
  key = await makeKey(database.url, 'robot');
});

const arrive = () => createPerson(db, `person_${++names}`);
/** `closed`, or the reason that prevents it. */
const close = ({ userId }: Person): Promise<unknown> =>
  db
    .tx((tx) => closeAccount(tx, userId))
    .then(
      () => 'closed',
      ({ code, details }: PayError) => ({ code, open_payouts: details?.open_payouts }),
    );
const rename = ({ userId }: Person, username = `person_${++names}`) =>
  db.tx((tx) => setUsername(tx, { cooldownDays: 0 }, { userId, username }));
const deposit = ({ userId }: Person, amount: string) =>
  db.tx((tx) =>
    recordDeposit(tx, {
      depositId: randomUUID(),
      userId,
      blockchain: HOME,
      amount: parseUsdc(amount),
      fromAddress: `0x${'d'.repeat(40)}`,
    }),
  );
const availableOf = async (...people: Person[]) => (await readBalances(db, people)).map(([available]) => available);
const APPROVED = 0n;

describe('M22: a payer who closes', () => {
  /** Leads to each state in which a payout may still pay. */
  const toOpenStates: Record<string, (id: string, payer: Person) => Promise<unknown>> = {
    approving: (id) => confirm(id, APPROVED),
    'running, before its first pass': (id) => confirm(id),
    'approved, before its first pass': (id) => confirm(id, APPROVED).then(() => approve(id)),
    'waiting for money': (id) => confirm(id).then(() => run(id)),
    'waiting for the end of a pause': async (id, payer) => {
      await confirm(id);
      await pausePayments(db, { scope: `user:${payer.userId}`, reason: 'a test', stops: 'accepting' });
      await run(id);
      await resumePayments(db, `user:${payer.userId}`, 'operator');
    },
  };
  it.each(Object.keys(toOpenStates))(
    'is refused while a payout is %s, and closes when it is cancelled',
    async (state) => {
      const [payer, payee] = [await arrive(), await arrive()];
      const id = await check(`open-${payer.username},${payee.username},1,\n`, payer.username);
      await toOpenStates[state]!(id, payer);
      expect(await close(payer)).toEqual({ code: 'account.not_empty', open_payouts: 1 });
      expect(
        (await cancelPayout(db, { payoutId: id, keyId: key.keyId, certificate: undefined, client: '' })).state,
      ).toBe('cancelled');
      expect(await close(payer)).toBe('closed');
    },
  );

  it('cancels payouts that were checked and never confirmed; a later deposit stays', async () => {
    const [payer, payee] = [await arrive(), await arrive()];
    const id = await check(`checked-${payer.username},${payee.username},1,\n`, payer.username);
    expect(await close(payer)).toBe('closed');
    expect(await rows(id)).toEqual(['cancelled']);
    await expect(confirm(id)).rejects.toMatchObject({ code: 'payout.ended' });
    await deposit(payer, '5');
    await resumePayments(db, `user:${payer.userId}`, 'closed');
    await run(id);
    expect(await availableOf(payer, payee)).toEqual([5_000_000n, 0n]);
    await expect(check(`later,${payee.username},1,\n`, payer.username)).rejects.toThrow('username.unknown');
  });

  it('is decided against a confirmation at the same moment', async () => {
    const [payer, payee] = [await arrive(), await arrive()];
    const id = await check(`moment-${payer.username},${payee.username},1,\n`, payer.username);
    let confirmed: Promise<unknown> = Promise.resolve();
    await db.tx(async (tx) => {
      await closeAccount(tx, payer.userId);
      confirmed = confirm(id).catch(({ code }: PayError) => code);
      await Promise.race([confirmed, untilBlocked(db)]);
    });
    expect([await confirmed, await rows(id)]).toEqual(['payout.ended', ['cancelled']]);
  });

  it.each(['checked', 'approving', 'running', 'waiting'])(
    'fails every row permanently if an older version has closed the account while the payout was %s',
    async (state) => {
      const [payer, payee] = [await arrive(), await arrive()];
      const id = await check(`old-${payer.username},${payee.username},1,\n`, payer.username);
      if (state !== 'checked') await confirm(id, state === 'approving' ? APPROVED : undefined);
      if (state === 'waiting') await run(id);
      await asAdmin(database.url, 'UPDATE users SET closed_at = now() WHERE user_id = $1', [payer.userId]);
      await deposit(payer, '5');
      if (state === 'checked') {
        await expect(confirm(id)).rejects.toMatchObject({ code: 'account.closed' });
        return;
      }
      if (state === 'approving') await approve(id);
      expect(await run(id)).toBe('done');
      expect(await rows(id)).toEqual(['failed account.closed']);
      expect(await availableOf(payer, payee)).toEqual([5_000_000n, 0n]);
    },
  );
});

describe('M23: a receiver', () => {
  it('who closes while the job waits for their account gets nothing', async () => {
    const [payee, other] = [await arrive(), await arrive()];
    const id = await check(`race-1,${payee.username},1,\nrace-2,${other.username},1,\n`);
    await confirm(id);
    let paid: Promise<unknown> = Promise.resolve();
    await db.tx(async (tx) => {
      await closeAccount(tx, payee.userId);
      paid = run(id);
      await Promise.race([paid, untilBlocked(db)]);
    });
    expect(await paid).toBe('done');
    expect(await rows(id)).toEqual(['failed username.unknown', 'paid']);
    expect(await availableOf(payee, other)).toEqual([0n, 1_000_000n]);
  });

  it('whose row is being paid cannot close until the money is gone', async () => {
    const payee = await arrive();
    const id = await check(`race-3,${payee.username},1,\n`);
    await confirm(id);
    let closed: Promise<unknown> = Promise.resolve();
    await db.tx(async (tx) => {
      await tx.query('SELECT pay_payout_people($1, 0, 100)', [id]);
      closed = close(payee);
      await Promise.race([closed, untilBlocked(db)]);
    });
    expect(await closed).toMatchObject({ code: 'account.not_empty' });
  });

  const steps = ['check', 'confirmation', 'approvals', 'first turn'] as const;
  /**
   * What may happen to the receiver before a step. `expire`: the old name leads to no one; `taken`: to another person.
   */
  const changes = ['rename', 'rename and expire', 'rename and taken', 'close', 'rename and close'] as const;
  const expectations = steps.flatMap((step) =>
    changes.map((change) => {
      const early = step === 'check';
      const isClosed = change.endsWith('close');
      const isBound = step === 'approvals' || step === 'first turn';
      const row = isClosed
        ? 'failed username.unknown'
        : change === 'rename' || isBound
          ? 'paid'
          : change === 'rename and expire'
            ? 'failed username.unknown'
            : 'failed username.other_owner';
      return { step, change, row: early && row !== 'paid' && change !== 'rename and taken' ? 'username.unknown' : row };
    }),
  );

  /** Makes the change. Returns who gets the money if the check comes after it. */
  async function apply(change: (typeof changes)[number], payee: Person): Promise<Person> {
    const { username, userId } = payee;
    if (change.startsWith('rename')) await rename(payee);
    if (change === 'rename and expire' || change === 'rename and taken')
      await asAdmin(database.url, 'UPDATE usernames SET redirect_until = now() WHERE username = $1', [username]);
    if (change.endsWith('close')) await close(payee);
    if (change !== 'rename and taken') return payee;
    await asAdmin(database.url, 'DELETE FROM usernames WHERE username = $1', [username]);
    await asAdmin(
      database.url,
      'DELETE FROM username_skeletons WHERE skeleton = username_skeleton($2) AND user_id = $1',
      [userId, username],
    );
    const taker = await arrive();
    await rename(taker, username);
    return taker;
  }

  it.each(expectations)('before the $step, $change: $row', async ({ step, change, row }) => {
    const [payee, other] = [await arrive(), await arrive()];
    let paid = payee;
    const before = async (now: (typeof steps)[number]) => {
      if (now === step) paid = await apply(change, payee);
    };
    await before('check');
    const file = `${step}-${change}-1,${payee.username},1,\n${step}-${change}-2,${other.username},2,\n`;
    const checked = await tryCheck(file);
    if (row === 'username.unknown') {
      expect(checked).toEqual([row]);
      return;
    }
    const id = checked as string;
    await before('confirmation');
    await confirm(id, APPROVED);
    await before('approvals');
    await approve(id);
    await before('first turn');
    expect(await run(id)).toBe('done');
    const isTaken = step === 'check' && change === 'rename and taken';
    expect(await rows(id)).toEqual([isTaken ? 'paid' : row, 'paid']);
    // The person who took the name gets what a later file pays to it, and nothing of an earlier one.
    const gets = isTaken ? paid : payee;
    const total = isTaken || row === 'paid' ? 1_000_000n : 0n;
    expect(await availableOf(gets, other)).toEqual([total, 2_000_000n]);
    if (paid !== payee && !isTaken) expect(await availableOf(paid)).toEqual([0n]);
    expect((await get(id)).state).toBe('complete');
  });

  it('leaves the books correct', async () => {
    expect((await checkBooks(db)).faults).toEqual([]);
  });
});
