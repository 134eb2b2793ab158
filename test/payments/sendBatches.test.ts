/** Sends are accepted in batches: each has the outcome that it would have had alone, whatever its neighbours are. */
import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PayError } from '../../server/src/core/errors.ts';
import { idFromKey } from '../../server/src/core/ids.ts';
import { parseUsdc, type Usdc } from '../../server/src/core/money.ts';
import type { Queryable } from '../../server/src/db/database.ts';
import { hashRequest } from '../../server/src/db/idempotency.ts';
import { renderPayment } from '../../server/src/http/answers/renderPayment.ts';
import { openAsset, openHouseAccount, setHomeAsset } from '../../server/src/ledger/accounts.ts';
import { checkBooks } from '../../server/src/ledger/checkBooks.ts';
import { acceptSends } from '../../server/src/payments/sends/acceptSends.ts';
import { openSends } from '../../server/src/payments/sends/openSends.ts';
import type { SendCommand, SendDecision, SendRules } from '../../server/src/payments/sends/sendCommand.ts';
import { getAccepted, sendToAddress } from '../../server/src/payments/sends/sendToAddress.ts';
import { acceptAlone } from '../support/acceptAlone.ts';
import { insertUser } from '../support/database/insertUser.ts';
import { openTestDatabase, type TestDatabase } from '../support/database/openTestDatabase.ts';
import { TEMPLATE } from '../support/database.ts';
import { recordDeposit } from '../support/ledger/recordDeposit.ts';
import { stayWithinHour } from '../support/ledger/stayWithinHour.ts';
import { HOME } from '../support/values.ts';

const OTHER = 'BASE-SEPOLIA';
const RULES: SendRules = { approvalThreshold: parseUsdc('90'), newRecipientDelaySeconds: 3600 };
const NO_RULES: SendRules = { approvalThreshold: undefined, newRecipientDelaySeconds: 0 };
const FRIEND = `0xabcd${'1'.repeat(32)}beef`;
const IMITATION = `0xabcd${'2'.repeat(32)}beef`;

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
  const { db, admin } = database;
  for (const blockchain of [OTHER, HOME]) {
    await openHouseAccount(db, await openAsset(db, blockchain, 'USDC'), 'chain');
  }
  await setHomeAsset(db, await openAsset(db, HOME, 'USDC'));
  // Granted only in databases that the previous release migrated.
  await admin.query(`GRANT EXECUTE ON FUNCTION accept_send TO ${TEMPLATE}_server`);
  await admin.query(`UPDATE kyc_tiers SET tier = CASE WHEN kyc_status = 'rejected' THEN 30 ELSE 10 END`);
});
afterAll(() => database.remove());

interface Sender {
  readonly userId: string;
  readonly username: string;
  readonly walletId: string;
  readonly address: string;
}

/** With a wallet that has paid FRIEND, and money on both blockchains. */
async function createSender(amount: string, status = 'none'): Promise<Sender> {
  const { db, admin } = database;
  const username = `s${randomBytes(8).toString('hex')}`.replace(/[01rn]/g, 'x');
  const userId = await insertUser(db, username);
  await db.query('UPDATE users SET kyc_status = $2 WHERE user_id = $1', [userId, status]);
  const [walletId, address] = [randomUUID(), `0x${randomBytes(20).toString('hex')}`];
  await db.query(
    `INSERT INTO wallets (wallet_id, kind, user_id, provider, reference, address) VALUES ($1, 'user', $2, 'local', $3, $3)`,
    [walletId, userId, address],
  );
  await admin.query('INSERT INTO recipients (wallet_id, address) VALUES ($1, $2)', [walletId, FRIEND]);
  for (const blockchain of amount === '0' ? [] : [HOME, OTHER]) {
    const deposit = { depositId: randomUUID(), userId, blockchain, amount: parseUsdc(amount) };
    await db.tx((tx) => recordDeposit(tx, { ...deposit, fromAddress: `0x${'f'.repeat(40)}` }));
  }
  return { userId, username, walletId, address };
}

/** Rich, poor, without an account, refused by the identity check, paused. */
async function createSenders(): Promise<Sender[]> {
  const senders = [
    await createSender('1000'),
    await createSender('150'),
    await createSender('0'),
    await createSender('1000', 'rejected'),
    await createSender('1000'),
  ];
  await database.admin.query(`SELECT pause_payments($1, 'operator', 'a test', 'accepting', 'operator:ada')`, [
    `user:${senders[4]!.userId}`,
  ]);
  return senders;
}

/** A send in numbers, so that two groups of people can make the same one. */
interface Plan {
  readonly sender: number;
  readonly by: 'username' | 'wallet' | 'nobody' | 'no wallet';
  readonly to: 'new' | 'friend' | 'imitation' | 'self';
  readonly amount: string;
  readonly blockchain: string;
  /** The number of its key; undefined: no key. */
  readonly key: number | undefined;
}

const plan: fc.Arbitrary<Plan> = fc.record({
  sender: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(0, 1) }, { weight: 1, arbitrary: fc.nat(4) }),
  by: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom('username' as const, 'wallet' as const) },
    { weight: 1, arbitrary: fc.constantFrom('nobody' as const, 'no wallet' as const) },
  ),
  to: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('new' as const, 'friend' as const) },
    { weight: 1, arbitrary: fc.constantFrom('imitation' as const, 'self' as const) },
  ),
  amount: fc.constantFrom('0.000001', '40', '60.5', '90', '100.000001'),
  blockchain: fc.constantFrom(HOME, HOME, OTHER),
  key: fc.option(fc.nat(15), { nil: undefined }),
});

/** Some are repeated unchanged. */
const plans = fc
  .tuple(fc.array(plan, { minLength: 10, maxLength: 30 }), fc.array(fc.nat(9), { maxLength: 6 }))
  .map(([once, again]) => [...once, ...again.map((i) => once[i]!)]);

/** Every outcome at least once. */
const EXAMPLE: readonly Plan[] = (() => {
  const base: Plan = { sender: 0, by: 'username', to: 'new', amount: '40', blockchain: HOME, key: 0 };
  return [
    base,
    base,
    { ...base, amount: '60.5' },
    { ...base, key: 1, sender: 2 },
    { ...base, key: 1, sender: 2 },
    { ...base, key: 2, amount: '100.000001' },
    { ...base, key: 3, sender: 3 },
    { ...base, key: 4, sender: 4 },
    { ...base, key: 5, to: 'imitation' },
    { ...base, key: 6, to: 'self', by: 'wallet' },
    { ...base, key: undefined, sender: 1, amount: '90', blockchain: OTHER },
    { ...base, key: undefined, sender: 1, amount: '90', blockchain: OTHER },
  ];
})();

const UNKNOWN = { nobody: { walletUsername: 'no_such_person' }, 'no wallet': { walletId: 'not-even-a-uuid' } };

function toCommand(one: Plan, senders: readonly Sender[], keys: string): SendCommand {
  const { username, walletId, address } = senders[one.sender]!;
  const destination = { new: `0x${'3'.repeat(40)}`, friend: FRIEND, imitation: IMITATION, self: address }[one.to];
  const payer =
    one.by === 'username' ? { walletUsername: username } : one.by === 'wallet' ? { walletId } : UNKNOWN[one.by];
  const key = one.key === undefined ? undefined : { caller: 'web3', route: '/r', text: `${keys}-${one.key}` };
  const request = {
    destination,
    amount: parseUsdc(one.amount),
    blockchain: one.blockchain,
    currency: 'USDC',
    ...payer,
    key,
  };
  return {
    request,
    paymentId: key ? idFromKey(key.caller, key.route, key.text) : randomUUID(),
    hash: key && hashRequest(JSON.stringify(one)),
  };
}

/** Without what differs between two groups of people. */
function describeDecision(decision: SendDecision, senders: readonly Sender[]): string {
  const said = decision.outcome === 'accepted' ? renderPayment(decision.payment) : decision;
  const refusal = decision.outcome === 'refused' && { code: decision.refusal.code, details: decision.refusal.details };
  let text = JSON.stringify([decision.outcome, refusal || said]);
  for (const [i, { username, walletId, address }] of senders.entries()) {
    for (const name of [username, walletId, address]) text = text.replaceAll(name, `sender ${i}`);
  }
  return text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'then').replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'an id');
}

const readBooks = (senders: readonly Sender[]) =>
  Promise.all(
    senders.map(async ({ userId }) => {
      const accounts = await database.db.query(
        `SELECT asset_id, available, held, entries, hour_payments, hour_spent, day_payments, day_spent, month_spent
           FROM accounts WHERE user_id = $1 ORDER BY asset_id`,
        [userId],
      );
      const [rows] = await database.db.query(
        `SELECT count(*)::int AS payments, count(e.seq)::int AS events, count(j.job_id)::int AS jobs,
                count(j.job_id) FILTER (WHERE j.run_at > now() + interval '30 minutes')::int AS later
           FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id
           JOIN accounts a ON a.account_id = t.debit_account
           LEFT JOIN payment_events e ON e.payment_id = p.payment_id AND e.state = 'INITIATED'
           LEFT JOIN jobs j ON j.key = p.payment_id::text WHERE a.user_id = $1`,
        [userId],
      );
      return { accounts, rows };
    }),
  );

/** The first of every key, then what is left: a batch has every key once. */
function toBatches(plans: readonly Plan[]): Plan[][] {
  const batches: Plan[][] = [];
  for (let left = [...plans]; left.length > 0; ) {
    const keys = new Set<number>();
    const batch = left.filter(({ key }) => key === undefined || (!keys.has(key) && keys.add(key)));
    batches.push(batch);
    left = left.filter((one) => !batch.includes(one));
  }
  return batches;
}

it('decides every send of a batch as it would have been decided alone', async () => {
  const { db } = database;
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(plans, async (plans) => {
      // Counters are per hour: both groups run in the same one.
      await stayWithinHour();
      const [alone, together] = [await createSenders(), await createSenders()];
      const [aloneKeys, togetherKeys] = [randomUUID(), randomUUID()];
      for (const batch of toBatches(plans)) {
        const wanted: string[] = [];
        for (const one of batch) {
          const decision = await acceptAlone(db, RULES, toCommand(one, alone, aloneKeys));
          wanted.push(describeDecision(decision, alone));
          seen.add(decision.outcome === 'refused' ? decision.refusal.code : decision.outcome);
        }
        const commands = batch.map((one) => toCommand(one, together, togetherKeys));
        const decisions = await acceptSends(db, RULES, commands);
        expect(decisions.map((decision) => describeDecision(decision, together))).toEqual(wanted);
        for (const [i, decision] of decisions.entries()) {
          if (decision.outcome !== 'accepted') continue;
          const readBack = await getAccepted({ db }, commands[i]!.paymentId);
          expect(JSON.stringify(renderPayment(decision.payment))).toBe(JSON.stringify(renderPayment(readBack)));
        }
      }
      expect(await readBooks(together)).toEqual(await readBooks(alone));
    }),
    { numRuns: 6, examples: [[EXAMPLE]] },
  );
  // Every possible outcome occurred; otherwise this test would prove little.
  const all = ['accepted', 'replayed', 'mismatch', 'balance.insufficient', 'limit.exceeded', 'kyc.required'];
  expect([...seen]).toEqual(expect.arrayContaining([...all, 'user.paused', 'address.lookalike', 'payment.self']));
  expect((await checkBooks(db)).faults).toEqual([]);
});

const send = (sender: Sender, amount = '1', more: Partial<SendCommand['request']> = {}): SendCommand => {
  const request = {
    destination: `0x${randomBytes(20).toString('hex')}`,
    amount: parseUsdc(amount),
    blockchain: HOME,
    currency: 'USDC',
  };
  return {
    paymentId: randomUUID(),
    hash: undefined,
    request: { ...request, walletUsername: sender.username, ...more },
  };
};
const withKey = (command: SendCommand): SendCommand => ({ ...command, hash: hashRequest(command.paymentId) });
const outcomesOf = (decisions: readonly SendDecision[]) => decisions.map(({ outcome }) => outcome);
const countPayments = async (...ids: string[]) =>
  (await database.db.query('SELECT FROM payments WHERE payment_id = ANY ($1)', [ids])).length;

describe('a batch of sends', () => {
  it('spends a balance once, also when two of its sends are the same', async () => {
    const sender = await createSender('100');
    const twice = { destination: FRIEND };
    const decisions = await acceptSends(database.db, NO_RULES, [
      send(sender, '60', twice),
      send(sender, '60', twice),
      send(sender, '40', twice),
    ]);
    expect(outcomesOf(decisions)).toEqual(['accepted', 'refused', 'accepted']);
    expect(decisions[1]).toMatchObject({ refusal: { code: 'balance.insufficient', details: { available: '40' } } });
  });

  it('does not fail because one of its sends cannot be decided', async () => {
    const sender = await createSender('100');
    const sends = openSends({ db: database.db, sendRules: NO_RULES });
    const bad = send(sender, '1', { amount: 0n as Usdc });
    const settled = await Promise.allSettled([send(sender), send(sender), bad, send(sender)].map(sends.submit));
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(await countPayments(bad.paymentId)).toBe(0);
  });

  it('waits only briefly for a key that another process is working on, and reports which it is', async () => {
    const sender = await createSender('100');
    const [busy, free] = [withKey(send(sender)), withKey(send(sender))];
    const outcomes = await database.db
      .tx(async (tx) => {
        await tx.query('INSERT INTO idempotency_records (record_id, request_hash) VALUES ($1, $2)', [
          busy.paymentId,
          busy.hash,
        ]);
        throw outcomesOf(await acceptSends(database.db, NO_RULES, [busy, free]));
      })
      .catch((thrown) => thrown);
    expect(outcomes).toEqual(['in_progress', 'accepted']);
    // The other process gave up, so the key is free.
    expect(outcomesOf(await acceptSends(database.db, NO_RULES, [busy, free]))).toEqual(['accepted', 'replayed']);
  });
});

describe('the service key of a caller', () => {
  it('is read by the statement itself, for each send of a batch', async () => {
    const { db, admin } = database;
    const sender = await createSender('100');
    const [good, revoked, reader, gone] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    await admin.query(
      `INSERT INTO service_keys (key_id, name, hash, scopes, revoked_at)
       SELECT id, 'test', decode(md5(id::text) || md5(id::text), 'hex'), scopes, revoked_at
         FROM (VALUES ($1::uuid, '{send}'::text[], NULL), ($2, '{send}', now()), ($3, '{read}', NULL)) k(id, scopes, revoked_at)`,
      [good, revoked, reader],
    );
    const commands = [good, revoked, reader, gone].map((serviceKeyId) => withKey(send(sender, '1', { serviceKeyId })));
    const decisions = await acceptSends(db, NO_RULES, commands);
    expect(outcomesOf(decisions)).toEqual(['accepted', 'refused', 'refused', 'refused']);
    expect(decisions.slice(1)).toMatchObject([
      { refusal: { code: 'auth.invalid', details: { reason: 'revoked' } } },
      { refusal: { code: 'auth.scope', details: { scope: 'send' } } },
      { refusal: { code: 'auth.invalid', details: { reason: 'unknown' } } },
    ]);
    const ids = commands.map(({ paymentId }) => paymentId);
    expect(await countPayments(...ids)).toBe(1);
    expect(await db.query('SELECT FROM idempotency_records WHERE record_id = ANY ($1)', [ids])).toHaveLength(1);
    // A key that has ended does not get a stored answer either.
    await admin.query('UPDATE service_keys SET revoked_at = now() WHERE key_id = $1', [good]);
    expect(outcomesOf(await acceptSends(db, NO_RULES, [commands[0]!]))).toEqual(['refused']);
  });
});

describe('the same keys at two servers at the same time', () => {
  it('are decided once, in any order, and both get the answer', async () => {
    const sender = await createSender('1000');
    const commands = Array.from({ length: 15 }, () => withKey(send(sender)));
    const servers = [0, 1].map(() => openSends({ db: database.db, sendRules: NO_RULES }));
    const [forth, back] = await Promise.all([
      Promise.all(commands.map((command) => servers[0]!.submit(command))),
      Promise.all(commands.toReversed().map((command) => servers[1]!.submit(command))),
    ]);
    const pairs = outcomesOf(forth!).map((outcome, i) => [outcome, outcomesOf(back!.toReversed())[i]].sort());
    expect(pairs).toEqual(commands.map(() => ['accepted', 'replayed']));
    expect(await countPayments(...commands.map(({ paymentId }) => paymentId))).toBe(commands.length);
  });
});

describe('when the answer to a commit is lost', () => {
  /** The first statement is committed, and its answer never arrives. */
  const forgetful = (): Queryable => {
    let calls = 0;
    return {
      async query(sql, values) {
        const rows = await database.db.query(sql, values);
        if (++calls === 1) throw new PayError('service.unavailable', { dependency: 'database' });
        return rows as never;
      },
    };
  };

  it.each([
    ['without a key', undefined, false],
    ['under a key', { caller: 'web3', route: '/wallet/send-usdc', text: randomUUID() }, true],
  ])('a send %s is made once', async (_, key, replayed) => {
    const sender = await createSender('100');
    const { db } = database;
    const app = { db, sends: openSends({ db: forgetful(), sendRules: NO_RULES }) };
    const answer = await sendToAddress(app, { ...send(sender).request, key });
    expect(answer).toMatchObject({ replayed, result: { answer: expect.any(String) } });
    const held = await db.query(
      `SELECT held FROM accounts WHERE user_id = $1 AND asset_id = (SELECT home_asset FROM ledger_state)`,
      [sender.userId],
    );
    expect(held).toEqual([{ held: 1_000_000n }]);
  });

  it('a send without a key is made once even if everything was paused meanwhile', async () => {
    const sender = await createSender('100');
    const command = send(sender);
    await acceptSends(database.db, NO_RULES, [command]);
    await database.admin.query(`SELECT pause_payments('chain', 'operator', 'a test', 'accepting', 'operator:ada')`);
    const again = await acceptSends(database.db, NO_RULES, [command]);
    await database.admin.query(`DELETE FROM pauses WHERE scope = 'chain'`);
    expect(outcomesOf(again)).toEqual(['known']);
  });
});
