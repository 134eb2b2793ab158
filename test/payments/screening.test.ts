/** Every destination is screened once before its send is decided, on every path, and silence means what the screen says. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { PayError } from '../../server/src/core/errors.ts';
import { parseUsdc } from '../../server/src/core/money.ts';
import type { Screen } from '../../server/src/payments/destinations/screenDestinations.ts';
import { openSends, type Sends } from '../../server/src/payments/sends/openSends.ts';
import { previewSend } from '../../server/src/payments/sends/previewSend.ts';
import { sendToAddress } from '../../server/src/payments/sends/sendToAddress.ts';
import { useTestDatabase } from '../support/database/useTestDatabase.ts';
import { asAdmin } from '../support/database.ts';
import { createPerson, type Person } from '../support/payments.ts';
import { drivePayouts } from '../support/payouts/drivePayouts.ts';
import { giveTreasury } from '../support/payouts/giveTreasury.ts';
import { makeKey, type PayoutKey } from '../support/payouts/makeKey.ts';
import { HOME } from '../support/values.ts';

const OTHER = 'BASE-SEPOLIA';
const randomAddress = () => `0x${randomBytes(20).toString('hex')}`;
const database = useTestDatabase();
const { db } = database;
const sendRules = { approvalThreshold: undefined, newRecipientDelaySeconds: 0 };
let sends: Sends;
let payer: Person;
let key: PayoutKey;

/** What the screen was asked about; whom it blocks; whether it answers. */
let asked: string[] = [];
let blocked: string[] = [];
let isSilent = false;
let whenSilent: Screen['whenSilent'] = 'refuse';
const destinations = {
  parse: (_: string, address: string) => ({ address }),
  askToken: async (_: string, addresses: readonly string[]) => ({
    isPaused: false,
    blacklisted: addresses.map(() => false),
  }),
  screen: {
    get whenSilent() {
      return whenSilent;
    },
    async isBlocked(blockchain: string, addresses: readonly string[]) {
      asked.push(...addresses.map((address) => `${blockchain} ${address}`));
      if (isSilent) throw new Error('no answer');
      return addresses.map((address) => blocked.includes(address));
    },
  },
};
const driver = drivePayouts(database, () => key, destinations);

beforeAll(async () => {
  for (const blockchain of [HOME, OTHER]) await giveTreasury(database.url, '1000', blockchain);
  await db.query(
    'SELECT ledger_set_home_asset(asset_id) FROM assets JOIN networks USING (network_id) WHERE blockchain = $1',
    [HOME],
  );
  payer = await createPerson(db, 'payer', '100');
  const wallet = `INSERT INTO wallets (wallet_id, kind, user_id, provider, reference, address) VALUES ($1, $2, $3, 'local', $4, $4)`;
  await asAdmin(database.url, wallet, [randomUUID(), 'treasury', null, randomAddress()]);
  await asAdmin(database.url, wallet, [randomUUID(), 'user', payer.userId, randomAddress()]);
  key = await makeKey(database.url, 'robot');
  sends = openSends({ db, sendRules });
});
afterAll(() => sends.close());
beforeEach(() => {
  asked = [];
  blocked = [];
  isSilent = false;
  whenSilent = 'refuse';
});

const codeOf = (error: unknown): string => {
  if (error instanceof PayError) return error.code;
  throw error;
};
const requestOf = (destination: string) => ({
  destination,
  amount: parseUsdc('1'),
  blockchain: HOME,
  currency: 'USDC',
  payerId: payer.userId,
});
const newKey = () => ({ caller: payer.userId, route: '/api/v1/send_to_address', text: randomUUID() });
const send = (destination: string, given = newKey()) =>
  sendToAddress({ db, sends }, { ...requestOf(destination), key: given }, destinations);
const preview = (destination: string) => previewSend({ db, sends, sendRules, destinations }, requestOf(destination));
const countPayments = async (...to: string[]) =>
  (await db.query('SELECT FROM payments WHERE destination = ANY ($1)', [to])).length;

it('asks once about the destination of a send, and not about the address of another', async () => {
  const to = randomAddress();
  await send(to);
  expect([asked, await countPayments(to)]).toEqual([[`${HOME} ${to}`], 1]);
});

it('asks once about the destination of a preview', async () => {
  const to = randomAddress();
  await preview(to);
  expect([asked, await countPayments(to)]).toEqual([[`${HOME} ${to}`], 0]);
});

it('asks once about each row of a payout when the file is checked, and once more when the row is paid', async () => {
  const [here, there] = [randomAddress(), randomAddress()];
  const all = [`${HOME} ${here}`, `${OTHER} ${there}`];
  const id = await driver.check(`once-1,${here},1,${HOME}\nonce-2,${there},1,${OTHER}\nonce-3,payer,1,\n`);
  expect(asked).toEqual(all);
  await driver.confirm(id);
  expect(asked).toEqual(all);
  await driver.run(id);
  expect(asked).toEqual([...all, ...all]);
  expect(await driver.rows(id)).toEqual(['sent', 'sent', 'paid']);
});

it('lets nothing go to a blocked address', async () => {
  const [to, bad] = [randomAddress(), randomAddress()];
  const late = await driver.check(`late-1,${to},1,${HOME}\nlate-2,${bad},1,${HOME}\n`);
  blocked = [bad];
  expect(await send(bad).catch(codeOf)).toBe('address.blocked');
  expect(await preview(bad).catch(codeOf)).toBe('address.blocked');
  expect(await driver.tryCheck(`bad-1,${to},1,${HOME}\nbad-2,${bad},1,${HOME}\n`)).toEqual(['address.blocked']);
  await driver.confirm(late);
  await driver.run(late);
  expect(await driver.rows(late)).toEqual(['sent', 'failed address.blocked']);
  expect(await countPayments(bad)).toBe(0);
});

it('accepts nothing while a screen that must answer is silent, and everything afterwards', async () => {
  const [to, rowTo] = [randomAddress(), randomAddress()];
  const given = newKey();
  const id = await driver.check(`silent-1,${rowTo},1,${HOME}\n`);
  await driver.confirm(id);
  isSilent = true;
  expect(await send(to, given).catch(codeOf)).toBe('service.unavailable');
  expect(await preview(to).catch(codeOf)).toBe('service.unavailable');
  expect(await driver.tryCheck(`silent-2,${to},1,${HOME}\n`).catch(codeOf)).toBe('service.unavailable');
  await driver.run(id);
  expect([await driver.rows(id), await countPayments(to, rowTo)]).toEqual([['ready'], 0]);
  isSilent = false;
  expect(await send(to, given)).toMatchObject({ replayed: false, payment: { state: 'INITIATED' } });
  await driver.run(id);
  expect(await driver.rows(id)).toEqual(['sent']);
});

it('accepts everything while a screen that need not answer is silent', async () => {
  const [to, rowTo] = [randomAddress(), randomAddress()];
  whenSilent = 'accept';
  isSilent = true;
  await send(to);
  await preview(to);
  const id = await driver.check(`open-1,${rowTo},1,${HOME}\n`);
  await driver.confirm(id);
  await driver.run(id);
  expect([await driver.rows(id), await countPayments(to, rowTo)]).toEqual([['sent'], 2]);
});

it('answers a repeated send as the first time, although the address is blocked or the screen silent now', async () => {
  const to = randomAddress();
  const given = newKey();
  const { result } = await send(to, given);
  blocked = [to];
  expect(await send(to, given)).toMatchObject({ replayed: true, result });
  isSilent = true;
  expect(await send(to, given)).toMatchObject({ replayed: true, result });
  expect(await countPayments(to)).toBe(1);
});
