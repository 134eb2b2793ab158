/** Previews as database functions: they decide as the payment does and leave nothing behind, on every PostgreSQL. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PayError } from '../../server/src/core/errors.ts';
import { parseUsdc } from '../../server/src/core/money.ts';
import { openAsset, openHouseAccount, setHomeAsset } from '../../server/src/ledger/accounts.ts';
import { checkBooks } from '../../server/src/ledger/checkBooks.ts';
import { openSends, type Sends } from '../../server/src/payments/sends/openSends.ts';
import { previewSend } from '../../server/src/payments/sends/previewSend.ts';
import { sendToAddress } from '../../server/src/payments/sends/sendToAddress.ts';
import { previewToUser } from '../../server/src/payments/users/previewToUser.ts';
import { sendToUser } from '../../server/src/payments/users/sendToUser.ts';
import { createPerson, type PaymentsServer, type Person, startPayments } from '../support/payments.ts';
import { HOME } from '../support/values.ts';

const sendRules = { approvalThreshold: parseUsdc('50'), newRecipientDelaySeconds: 60 };
let florin: PaymentsServer;
let sends: Sends;
let payer: Person;
beforeAll(async () => {
  florin = await startPayments();
  const assetId = await openAsset(florin.db, HOME, 'USDC');
  await openHouseAccount(florin.db, assetId, 'chain');
  await setHomeAsset(florin.db, assetId);
  payer = await createPerson(florin.db, 'previewer', '100');
  await createPerson(florin.db, 'receiver');
  await florin.db.query(
    `INSERT INTO wallets (wallet_id, kind, user_id, provider, reference, address) VALUES ($1, 'user', $2, 'local', $3, $3)`,
    [randomUUID(), payer.userId, randomAddress()],
  );
  sends = openSends({ db: florin.db, sendRules });
});
afterAll(async () => {
  await sends.close();
  const books = await checkBooks(florin.db);
  await florin.stop();
  expect(books.faults).toEqual([]);
});

const randomAddress = () => `0x${randomBytes(20).toString('hex')}`;
const codeOf = (error: unknown): string => {
  if (error instanceof PayError) return error.code;
  throw error;
};
const toUser = (receiver: string, amount: string) => ({ senderId: payer.userId, receiver, amount: parseUsdc(amount) });
const toAddress = (amount: string) => ({
  destination: randomAddress(),
  amount: parseUsdc(amount),
  blockchain: HOME,
  currency: 'USDC',
  payerId: payer.userId,
});
const countRows = async () =>
  (
    await florin.db.query(
      `SELECT (SELECT count(*)::int FROM transfers) AS transfers, (SELECT count(*)::int FROM payments) AS payments,
              (SELECT count(*)::int FROM jobs) AS jobs, (SELECT count(*)::int FROM refusals) AS refusals,
              (SELECT sum(available)::text FROM accounts WHERE kind = 'user') AS money`,
    )
  )[0];

it('of a payment to a person: what is left after it, or its refusal', async () => {
  const before = await countRows();
  const said = await previewToUser(florin, toUser('receiver', '30'));
  expect(said).toMatchObject({ username: 'receiver', redirectedFrom: null, available: 70_000_000n });
  expect(said.limits.map(({ limit, left }) => [limit, left])).toEqual([
    ['payment', null],
    ['day', null],
    ['month', null],
    ['count', null],
  ]);
  expect(await previewToUser(florin, toUser('nobody', '1')).catch(codeOf)).toBe('username.unknown');
  expect(await previewToUser(florin, toUser('receiver', '100.000001')).catch(codeOf)).toBe('balance.insufficient');
  expect(await countRows()).toEqual(before);
  const { result } = await sendToUser(florin, toUser('receiver', '30'));
  expect(result).toMatchObject({ available: 70_000_000n });
});

it('of a payment to an address: what it waits for, or its refusal', async () => {
  const destinations = { askToken: async () => ({ isPaused: false, blacklisted: [false] }) };
  const app = { db: florin.db, sends, sendRules, destinations };
  const before = await countRows();
  const said = await previewSend(app, toAddress('50'));
  expect(said).toMatchObject({ available: 20_000_000n, approvalsNeeded: 2, notBefore: expect.any(Date) });
  expect(await previewSend(app, toAddress('70.000001')).catch(codeOf)).toBe('balance.insufficient');
  expect(await previewSend(app, { ...toAddress('1'), payerId: randomUUID() }).catch(codeOf)).toBe('wallet.pending');
  // The token's objection to the address counts as in the payment.
  const blocked = { askToken: async () => ({ isPaused: false, blacklisted: [true] }) };
  expect(await previewSend({ ...app, destinations: blocked }, toAddress('1')).catch(codeOf)).toBe('address.blocked');
  expect(await countRows()).toEqual(before);
  const { payment } = await sendToAddress({ db: florin.db, sends }, toAddress('50'));
  expect(payment).toMatchObject({ state: 'INITIATED', from: { username: 'previewer' } });
});

it('a session that ends while the token is asked about the address pays nothing, and its key stays free', async () => {
  const sessionId = randomUUID();
  await florin.db.query(
    `INSERT INTO sessions (session_id, user_id, created_at, last_used_at, expires_at)
     VALUES ($1, $2, now(), now(), now() + interval '1 day')`,
    [sessionId, payer.userId],
  );
  const key = { caller: payer.userId, route: '/api/v1/send_to_address', text: randomUUID() };
  const request = { ...toAddress('1'), sessionId, key };
  const before = await countRows();
  const askToken = async () => {
    await florin.db.query(`UPDATE sessions SET ended_at = now(), ended_because = 'revoked' WHERE session_id = $1`, [
      sessionId,
    ]);
    return { isPaused: false, blacklisted: [false] };
  };
  const { result } = await sendToAddress({ db: florin.db, sends }, request, { askToken });
  expect(result).toMatchObject({ refusal: { code: 'auth.invalid', details: { reason: 'revoked' } } });
  expect(await countRows()).toEqual(before);
  // The person logs in again and repeats the call.
  const again = await sendToAddress({ db: florin.db, sends }, { ...request, sessionId: undefined });
  expect(again).toMatchObject({ replayed: false, payment: { state: 'INITIATED' } });
});

it('many concurrent previews beside payments: all are answered, and only the payments take effect', async () => {
  const before = await countRows();
  const [previews, payments] = await Promise.all([
    Promise.all(Array.from({ length: 30 }, () => previewToUser(florin, toUser('receiver', '1')))),
    Promise.all(Array.from({ length: 10 }, () => sendToUser(florin, toUser('receiver', '0.5')))),
  ]);
  expect(previews).toHaveLength(30);
  expect(payments.every(({ result }) => 'payment' in result)).toBe(true);
  expect(await countRows()).toMatchObject({ transfers: (before as { transfers: number }).transfers + 10 });
});
