/** The stricter of the configured and the stored rule applies, for sends and for payouts. */
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import type { Usdc } from '../../server/src/core/money.ts';
import { acceptSends } from '../../server/src/payments/sends/acceptSends.ts';
import { useTestDatabase } from '../support/database/useTestDatabase.ts';
import { asAdmin } from '../support/database.ts';
import { createPerson } from '../support/payments.ts';
import { drivePayouts } from '../support/payouts/drivePayouts.ts';
import { giveTreasury } from '../support/payouts/giveTreasury.ts';
import { makeKey, type PayoutKey } from '../support/payouts/makeKey.ts';
import { HOME } from '../support/values.ts';

const database = useTestDatabase();
const { db } = database;
let key: PayoutKey;
const { check, confirm } = drivePayouts(database, () => key);
/** One USDC, and a millionth less and more. */
const AMOUNT = 1_000_000n;
const THRESHOLDS = [undefined, AMOUNT - 1n, AMOUNT, AMOUNT + 1n];
const DELAYS = [0, 60, 3_600];
const WALLET = randomUUID();

beforeAll(async () => {
  await giveTreasury(database.url, '1000');
  await db.query('SELECT ledger_set_home_asset(asset_id) FROM assets');
  await asAdmin(database.url, 'UPDATE kyc_tiers SET tier = 0');
  const { userId } = await createPerson(db, 'payer', '1000');
  await asAdmin(
    database.url,
    `INSERT INTO wallets (wallet_id, kind, user_id, provider, reference, address)
     VALUES ($1, 'user', $2, 'local', 'p', '0x' || repeat('1', 40))`,
    [WALLET, userId],
  );
  await createPerson(db, 'payee');
  key = await makeKey(database.url, 'robot');
});

const store = (threshold: bigint | undefined, delay = 0) =>
  asAdmin(database.url, 'UPDATE send_rules SET approval_threshold = $1, new_recipient_delay = $2', [
    threshold ?? null,
    delay,
  ]);

/** To an address that was never paid. */
async function send(threshold: bigint | undefined, delay = 0): Promise<{ needed: number; waits: number }> {
  const paymentId = randomUUID();
  const destination = `0x${paymentId.replaceAll('-', '')}00000000`;
  const request = { destination, amount: AMOUNT as Usdc, blockchain: HOME, currency: 'USDC', walletId: WALLET };
  const rules = { approvalThreshold: threshold as Usdc | undefined, newRecipientDelaySeconds: delay };
  const [decision] = await acceptSends(db, rules, [{ paymentId, request, hash: undefined }]);
  expect(decision!.outcome).toBe('accepted');
  const [row] = await db.query<{ needed: number; waits: number }>(
    `SELECT p.approvals_needed AS needed, coalesce(round(extract(epoch FROM p.not_before - t.created_at)), 0)::int AS waits
       FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id WHERE p.payment_id = $1`,
    [paymentId],
  );
  return row!;
}

const least = (...some: readonly (bigint | undefined)[]) =>
  some.reduce((a, b) => (a === undefined || (b !== undefined && b < a) ? b : a), undefined);

it('the lower threshold decides whether two people approve', async () => {
  let rows = 0;
  for (const stored of THRESHOLDS)
    for (const given of THRESHOLDS) {
      await store(stored);
      const threshold = least(stored, given);
      const isNeeded = threshold !== undefined && AMOUNT >= threshold;
      const payout = await check(`row-${++rows},payee,1,\n`);
      expect([stored, given, (await send(given)).needed, await confirm(payout, given)]).toEqual([
        ...[stored, given, isNeeded ? 2 : 0],
        isNeeded ? 'approving' : 'running',
      ]);
    }
});

it('the longer delay applies', async () => {
  for (const stored of DELAYS)
    for (const given of DELAYS) {
      await store(undefined, stored);
      expect([stored, given, (await send(undefined, given)).waits]).toEqual([stored, given, Math.max(stored, given)]);
    }
});
