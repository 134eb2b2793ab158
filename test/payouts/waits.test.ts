/** What a payout row does after each refusal: it waits, it waits for money, or it fails. */

import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseUsdc } from '../../server/src/core/money.ts';
import { renderPayout } from '../../server/src/http/payouts/renderPayout.ts';
import { pausePayments, resumePayments } from '../../server/src/operators/pauses.ts';
import { useTestDatabase } from '../support/database/useTestDatabase.ts';
import { asAdmin } from '../support/database.ts';
import { recordDeposit } from '../support/ledger/recordDeposit.ts';
import { operate } from '../support/operate.ts';
import { createPerson, type Person } from '../support/payments.ts';
import { drivePayouts } from '../support/payouts/drivePayouts.ts';
import { giveTreasury } from '../support/payouts/giveTreasury.ts';
import { makeKey, type PayoutKey } from '../support/payouts/makeKey.ts';
import { HOME } from '../support/values.ts';

const database = useTestDatabase();
const { db } = database;
let key: PayoutKey;
let names = 0;
const { check, confirm, run, rows, get } = drivePayouts(database, () => key);

beforeAll(async () => {
  await giveTreasury(database.url, '1000');
  await db.query('SELECT ledger_set_home_asset(asset_id) FROM assets');
  await asAdmin(
    database.url,
    `UPDATE kyc_tiers SET tier =
       CASE kyc_status WHEN 'rejected' THEN (SELECT tier FROM tiers WHERE payment_limit = 0) ELSE 0 END`,
  );
  await createPerson(db, 'payee');
  key = await makeKey(database.url, 'robot');
});

const give = ({ userId }: Person, amount: string) =>
  db.tx((tx) =>
    recordDeposit(tx, {
      ...{ depositId: randomUUID(), userId, blockchain: HOME, amount: parseUsdc(amount) },
      fromAddress: `0x${'f'.repeat(40)}`,
    }),
  );
const newAddress = () => `0x${randomBytes(20).toString('hex')}`;
const addressOf = (nth: number) => `0x${String(nth).padStart(40, '0')}`;
const giveWallet = ({ userId }: Person) =>
  asAdmin(
    database.url,
    `INSERT INTO wallets (wallet_id, kind, user_id, provider, reference, address)
     VALUES (gen_random_uuid(), 'user', $1, 'local', $2, $3)`,
    [userId, randomUUID(), newAddress()],
  );
const setStatus = ({ userId }: Person, status: string) =>
  db.query('UPDATE users SET kyc_status = $2 WHERE user_id = $1', [userId, status]);
const pause = (scope: 'all' | `user:${string}` | 'chain') =>
  pausePayments(db, { scope, reason: 'a test', stops: 'accepting' });

interface Cause {
  readonly code: string;
  readonly to: readonly ('person' | 'address')[];
  cause(payer: Person): Promise<unknown>;
  undo(payer: Person): Promise<unknown>;
}

const passing: Readonly<Record<string, Cause>> = {
  'everything is paused': {
    code: 'service.paused',
    to: ['person', 'address'],
    cause: () => pause('all'),
    undo: () => resumePayments(db, 'all', 'operator'),
  },
  'blockchains are paused': {
    code: 'service.paused',
    to: ['address'],
    cause: () => pause('chain'),
    undo: () => resumePayments(db, 'chain', 'operator'),
  },
  'the payer is paused': {
    code: 'user.paused',
    to: ['person', 'address'],
    cause: ({ userId }) => pause(`user:${userId}`),
    undo: ({ userId }) => resumePayments(db, `user:${userId}`, 'operator'),
  },
  'the wallet of the payer is being created': {
    code: 'wallet.pending',
    to: ['address'],
    cause: ({ userId }) => asAdmin(database.url, 'UPDATE wallets SET replaced_at = now() WHERE user_id = $1', [userId]),
    undo: (payer) => giveWallet(payer),
  },
  'its key is from before a restore': {
    code: 'service.paused',
    to: ['person', 'address'],
    cause: () => asAdmin(database.url, `INSERT INTO restores (reason) VALUES ('a test')`),
    undo: () => asAdmin(database.url, `SELECT confirm_restore('keys')`),
  },
  'the payer has too little': {
    code: 'balance.insufficient',
    to: ['person', 'address'],
    cause: ({ userId }) => asAdmin(database.url, 'UPDATE accounts SET available = 500000 WHERE user_id = $1', [userId]),
    undo: ({ userId }) =>
      asAdmin(database.url, 'UPDATE accounts SET available = 10000000 WHERE user_id = $1', [userId]),
  },
};
const final: Readonly<Record<string, Cause>> = {
  'the payer may not pay': {
    code: 'kyc.required',
    to: ['person', 'address'],
    cause: (payer) => setStatus(payer, 'rejected'),
    undo: (payer) => setStatus(payer, 'approved'),
  },
};

const list = (causes: Readonly<Record<string, Cause>>) =>
  Object.entries(causes).flatMap(([name, { to, ...cause }]) => to.map((kind) => ({ name, to: kind, ...cause })));

async function start(to: 'person' | 'address'): Promise<{ id: string; payer: Person }> {
  const payer = await createPerson(db, `payer_${++names}`);
  await setStatus(payer, 'approved');
  await giveWallet(payer);
  await give(payer, '10');
  const row = to === 'person' ? 'payee,1,' : `${addressOf(names)},1,${HOME}`;
  const id = await check(`${payer.username},${row}\n`, payer.username);
  await confirm(id);
  return { id, payer };
}

describe('a row to a person or an address', () => {
  it.each(list(passing))('$to: waits while $name, and is paid afterwards', async ({ to, code, cause, undo }) => {
    const { id, payer } = await start(to);
    await cause(payer);
    await run(id);
    expect(await rows(id)).toEqual(['ready']);
    const waiting = await get(id);
    expect(waiting).toMatchObject({ state: 'waiting', waitsFor: { code } });
    // The service that has created it reads no internals.
    expect(renderPayout(waiting).waiting_for!.detail).not.toMatch(/restore|database|\bkeys?\b/i);
    await undo(payer);
    await run(id);
    expect(await rows(id)).toEqual([to === 'person' ? 'paid' : 'sent']);
    expect((await get(id)).state).toBe(to === 'person' ? 'complete' : 'running');
  });

  it.each(list(final))('$to: fails while $name', async ({ to, code, cause, undo }) => {
    const { id, payer } = await start(to);
    await cause(payer);
    await run(id);
    expect(await rows(id)).toEqual([`failed ${code}`]);
    await undo(payer);
    await run(id);
    expect(await rows(id)).toEqual([`failed ${code}`]);
    expect((await get(id)).state).toBe('complete');
  });
});

it('operators read what to do about keys from before a restore', async () => {
  const { id } = await start('person');
  await asAdmin(database.url, `INSERT INTO restores (reason) VALUES ('a test')`);
  await run(id);
  const shown = await operate(db, 'payout', 'show', id);
  expect(shown.replace(/\s+/g, ' ')).toMatch(
    /its key is from before a restore and not confirmed: florin restore confirm keys/,
  );
  await asAdmin(database.url, `SELECT confirm_restore('keys')`);
});
