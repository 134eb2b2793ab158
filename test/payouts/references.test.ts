/** M24, M25: a reference that was used for another payment fails its own row, and nothing else. */
import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import payouts from '../../server/src/bin/cli/payout.ts';
import { PayError } from '../../server/src/core/errors.ts';
import { parseUsdc } from '../../server/src/core/money.ts';
import { checkBooks } from '../../server/src/ledger/checkBooks.ts';
import { acceptSends } from '../../server/src/payments/sends/acceptSends.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { untilBlocked } from '../support/database/untilBlocked.ts';
import { useTestDatabase } from '../support/database/useTestDatabase.ts';
import { asAdmin } from '../support/database.ts';
import { createPerson } from '../support/payments.ts';
import { drivePayouts } from '../support/payouts/drivePayouts.ts';
import { giveTreasury } from '../support/payouts/giveTreasury.ts';
import { makeKey, type PayoutKey } from '../support/payouts/makeKey.ts';
import { HOME } from '../support/values.ts';

const OTHER = 'BASE-SEPOLIA';
const [HERE, THERE] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`];
const database = useTestDatabase();
const { db } = database;
let [key, otherKey] = [] as unknown as [PayoutKey, PayoutKey];
const { tryCheck, check, confirm, run, rows, get } = drivePayouts(database, () => key);
const others = drivePayouts(database, () => otherKey);

beforeAll(async () => {
  for (const blockchain of [HOME, OTHER]) await giveTreasury(database.url, '1000', blockchain);
  await db.query(
    'SELECT ledger_set_home_asset(asset_id) FROM assets JOIN networks USING (network_id) WHERE blockchain = $1',
    [HOME],
  );
  const wallet = `INSERT INTO wallets (wallet_id, kind, provider, reference, address) VALUES ($1, 'treasury', 'local', 't', $2)`;
  await asAdmin(database.url, wallet, [randomUUID(), `0x${'7e'.repeat(20)}`]);
  for (const name of ['ann', 'ben']) await createPerson(db, name);
  key = await makeKey(database.url, 'robot');
  otherKey = await makeKey(database.url, 'other');
});

/** What a row pays; the blockchain of a row to a person is the home blockchain. */
const WAYS = [
  `ann,1,`,
  `ben,1,`,
  `ann,2,`,
  `${HERE},1,${HOME}`,
  `${THERE},1,${HOME}`,
  `${HERE},2,${HOME}`,
  `${HERE},1,${OTHER}`,
] as const;
const pairs = WAYS.flatMap((first) => WAYS.map((second) => [first, second] as const));
const isPerson = (way: string) => !way.startsWith('0x');
const done = (way: string) => (isPerson(way) ? 'paid' : 'sent');

describe('M24, M25: two files with one reference, both checked before either is paid', () => {
  it('fails the rows of the second file that pay something else, and pays the rest', async () => {
    const file = (nth: 0 | 1) => pairs.map((pair, i) => `pair-${i},${pair[nth]}\n`).join('');
    const [one, two] = [
      await check(file(0)),
      await check(`${file(1)}rest,ben,0.5,\nrest-there,${THERE},0.5,${OTHER}\n`),
    ];
    await confirm(one);
    await confirm(two);
    await run(one);
    await run(two);
    const name = (outcomes: string[]) => outcomes.map((outcome, i) => `${pairs[i] ?? 'rest'}: ${outcome}`);
    const second = pairs.map(([before, now]) => (before === now ? done(now) : 'failed reference.used'));
    expect(name(await rows(one))).toEqual(name(pairs.map(([first]) => done(first))));
    expect(name(await rows(two))).toEqual(name([...second, 'paid', 'sent']));
    // The check reports the same for a third file.
    expect(await tryCheck(file(1))).toEqual(
      second.filter((outcome) => outcome.startsWith('failed')).map(() => 'reference.used'),
    );
  });

  // Two keys: the budget of one would make its payouts wait for each other.
  it('are decided the same when two jobs pay them at the same moment, on two blockchains', async () => {
    const [one, two] = [
      await check('moment,ann,1,\n'),
      await others.check(`moment,${HERE},1,${OTHER}\nothers,${THERE},0.5,${OTHER}\n`),
    ];
    await confirm(one);
    await others.confirm(two);
    let second: Promise<unknown> = Promise.resolve();
    await db.tx(async (tx) => {
      await tx.query('SELECT pay_payout_people($1, 0, 100)', [one]);
      second = others.run(two);
      await Promise.race([second, untilBlocked(db)]);
    });
    await second;
    await run(one);
    expect([await rows(one), await rows(two)]).toEqual([['paid'], ['failed reference.used', 'sent']]);
    expect((await checkBooks(db)).faults).toEqual([]);
  });
});

it('M24: a single send whose id has paid something else is refused alone, also when it is repeated', async () => {
  const payout = await check('taken,ann,1,\n');
  await confirm(payout);
  await run(payout);
  const [row] = await db.query<{ payment_id: string }>('SELECT payment_id FROM payout_items WHERE payout_id = $1', [
    payout,
  ]);
  const request = {
    destination: HERE,
    amount: parseUsdc('1'),
    blockchain: HOME,
    currency: 'USDC',
    serviceKeyId: key.keyId,
    client: '127.0.0.1',
  };
  const ids = [row!.payment_id, randomUUID()];
  const commands = ids.map((paymentId) => ({ paymentId, request, hash: randomBytes(32) }));
  const decide = () => acceptSends(db, { approvalThreshold: undefined, newRecipientDelaySeconds: 0 }, commands);
  expect((await decide()).map(({ outcome }) => outcome)).toEqual(['mismatch', 'accepted']);
  expect(await decide()).toEqual([
    { outcome: 'replayed', stored: { code: 'idempotency.mismatch', details: {} } },
    { outcome: 'replayed', stored: { answer: ids[1] } },
  ]);
});

it('M28: failed rows are paid by the same file again, except a payment to an address that has ended', async () => {
  const file = `again-1,${HERE},1,${HOME}\nagain-2,ben,5000,\n`;
  const id = await check(file, undefined, 'fail');
  await confirm(id);
  await run(id);
  const [row] = await db.query<{ payment_id: string }>(
    'SELECT payment_id FROM payout_items WHERE payout_id = $1 AND nth = 1',
    [id],
  );
  await db.tx((tx) => cancelPayment(tx, { paymentId: row!.payment_id }));
  expect(await run(id)).toBe('done');
  expect(await rows(id)).toEqual(['failed payment.ended', 'failed balance.insufficient']);
  expect(await tryCheck(file)).toEqual(['reference.ended']);
  await giveTreasury(database.url, '5000');
  const second = await check(file.replace('again-1', 'again-1b'));
  await confirm(second);
  await run(second);
  expect(await rows(second)).toEqual(['sent', 'paid']);
  const about = payouts.otherwise.about!.replaceAll('\n', ' ');
  expect(about).toMatch(/ended unpaid needs a new reference/);
});

it('M24: a blockchain that does not answer delays only its own rows', async () => {
  const asking = drivePayouts(database, () => key, {
    parse: (_, address) => ({ address }),
    askToken: async (blockchain, addresses) => {
      if (blockchain === OTHER && isDown) throw new PayError('service.unavailable', { dependency: 'chain' });
      return { isPaused: false, blacklisted: addresses.map(() => false) };
    },
  });
  let isDown = false;
  const id = await asking.check(`down-1,${HERE},1,${OTHER}\ndown-2,${THERE},1,${HOME}\ndown-3,ben,1,\n`);
  await asking.confirm(id);
  isDown = true;
  await asking.run(id);
  expect(await rows(id)).toEqual(['ready', 'sent', 'paid']);
  expect(await get(id)).toMatchObject({ state: 'waiting', waitsFor: { code: 'service.unavailable' } });
  isDown = false;
  await asking.run(id);
  expect(await rows(id)).toEqual(['sent', 'sent', 'paid']);
});
