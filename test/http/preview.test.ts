/** A preview returns exactly what the payment would answer right after it, and leaves nothing behind. */
import { getAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatUsdc } from '../../server/src/core/money.ts';
import { type PauseScope, pausePayments, resumePayments } from '../../server/src/operators/pauses.ts';
import { type CustodyWorld, type Holder, randomAddress, startCustody } from '../support/chain/custody.ts';
import { asAdmin } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import type { Answer } from '../support/http/answer.ts';
import { type OwnView, serveOwnView } from '../support/people/ownView.ts';
import { HOME } from '../support/values.ts';

let world: CustodyWorld;
let api: OwnView;
let alice: Holder;
let bob: Holder;
const friend = randomAddress();
beforeAll(async () => {
  world = await startCustody();
  ({ alice, bob } = await world.fund({ alice: '100000', bob: '1000', treasury: '1000' }));
  await world.db.query('SELECT ledger_set_home_asset($1)', [world.usdc.assetId]);
  api = await serveOwnView(world);
  await world.send({ amount: '1', destination: friend, walletUsername: 'alice' });
  await world.settleDown();
  await asAdmin(
    world.databaseUrl,
    `UPDATE kyc_tiers SET tier = CASE WHEN kyc_status = 'approved' THEN 20 WHEN kyc_status = 'rejected' THEN 30 ELSE 10 END`,
  );
});
afterAll(async () => {
  await api.close();
  const faults = await world.faults();
  await world.stop();
  expect(faults).toEqual([]);
});

interface Wish {
  readonly receiver_username?: string | null;
  readonly destination_address?: string | null;
  readonly blockchain?: string | null;
  readonly amount: number | string;
}

const preview = (who: Holder, wish: Wish | string) => api.call(who.userId!, 'POST', '/api/v1/preview', wish);

/** The payment for which the preview is made. */
const pay = (who: Holder, { receiver_username, destination_address, blockchain, amount }: Wish) =>
  receiver_username != null
    ? api.call(who.userId!, 'POST', '/api/v1/send_usdc', { sender_user_id: who.userId, receiver_username, amount })
    : api.call(who.userId!, 'POST', '/api/v1/send_to_address', {
        destination_address,
        amount,
        ...(blockchain !== undefined && { blockchain }),
      });

/** Everything that a payment changes. An account without rows may be opened, because that moves no money. */
const books = async () => {
  const [row] = await world.db.query(
    `SELECT (SELECT json_agg(a ORDER BY a.account_id) FROM accounts a WHERE a.entries > 0) AS accounts,
            (SELECT json_agg(s ORDER BY s.account_id, s.hour) FROM spendings s) AS spendings,
            (SELECT count(*)::int FROM transfers) AS transfers, (SELECT count(*)::int FROM payments) AS payments,
            (SELECT count(*)::int FROM payment_events) AS events, (SELECT count(*)::int FROM jobs) AS jobs,
            (SELECT count(*)::int FROM refusals) AS refusals, (SELECT count(*)::int FROM audit_log) AS audit,
            (SELECT count(*)::int FROM idempotency_records) AS answers`,
  );
  return row;
};

const without = ({ request_id: _, ...body }: Answer['body']) => body;

/** Limits count whole hours, and the next hour may begin between two calls. */
const thisHour = () => Math.floor(Date.now() / 3_600_000);

/** `yes`, or the refusal; throws where preview and payment disagree. */
async function compare(who: Holder, wish: Wish): Promise<string> {
  const hour = thisHour();
  const before = await books();
  const said = await preview(who, wish);
  expect(await books(), JSON.stringify(wish)).toEqual(before);
  const done = await pay(who, wish);
  expect([said.status, said.body.code], JSON.stringify([wish, said.body, done.body])).toEqual([
    done.status,
    done.body.code,
  ]);
  if (said.status !== 200) {
    expect(without(said.body)).toEqual(without(done.body));
    return said.body.code;
  }
  const account = await api.call(who.userId!, 'GET', '/api/v1/me');
  const overview = await api.call(who.userId!, 'GET', '/api/v1/me/overview');
  expect(said.body).toMatchObject({
    kind: done.body.kind,
    amount: done.body.amount,
    blockchain: done.body.blockchain,
    to: done.body.to,
    fee: '0',
    available_after: overview.body.balances[0].available,
  });
  if (thisHour() === hour) expect(said.body.limits_after).toEqual(account.body.limits.limits);
  return 'yes';
}

describe('a preview of one payment', () => {
  it('shows recipient, fee, balance and limits after it, and whether the recipient was paid before', async () => {
    const dora = await world.person('dora', '50');
    await world.credit();
    const first = await preview(dora, { receiver_username: 'BOB', amount: 12.5 });
    expect([first.status, first.body]).toEqual([
      200,
      {
        kind: 'user',
        amount: '12.5',
        blockchain: HOME,
        to: { username: 'bob' },
        first_time: true,
        fee: '0',
        available_after: '37.5',
        limits_after: expect.arrayContaining([
          { limit: 'day', unit: 'USDC', maximum: '250', left: '237.5', resets_at: expect.any(String) },
          { limit: 'count', unit: 'payments', maximum: '20', left: '19', resets_at: expect.any(String) },
        ]),
        approvals_needed: 0,
        not_before: null,
      },
    ]);
    expect(await compare(dora, { receiver_username: 'bob', amount: 12.5 })).toBe('yes');
    const second = await preview(dora, { receiver_username: 'bob', amount: 1 });
    expect([second.body.first_time, second.body.available_after]).toEqual([false, '36.5']);
  });

  it('shows what a payment to an address waits for', async () => {
    const rules = world.sendRules;
    world.sendRules = { ...rules, approvalThreshold: 50_000_000n as never, newRecipientDelaySeconds: 3_600 };
    const destination = randomAddress();
    const stranger = await preview(alice, { destination_address: destination, amount: 60 });
    expect([stranger.status, stranger.body]).toEqual([
      200,
      expect.objectContaining({
        kind: 'chain',
        to: { address: getAddress(destination) },
        first_time: true,
        approvals_needed: 2,
        not_before: expect.stringMatching(/Z$/),
      }),
    ]);
    const known = await preview(alice, { destination_address: friend, amount: 5 });
    expect(known.body).toMatchObject({ first_time: false, approvals_needed: 0, not_before: null });
    world.sendRules = rules;
  });

  it('needs one recipient, a logged-in person, and a valid amount, like the payment', async () => {
    const both = { receiver_username: 'bob', destination_address: friend, amount: 1 };
    for (const wish of [both, { amount: 1 }, { receiver_username: null, destination_address: null, amount: 1 }]) {
      const { status, body } = await preview(alice, wish);
      expect([status, body.code]).toEqual([400, 'recipient.unspecified']);
    }
    expect((await api.call(undefined, 'POST', '/api/v1/preview', { receiver_username: 'bob', amount: 1 })).status).toBe(
      401,
    );
    for (const amount of [0, -1, '1', null, true]) {
      const wish = { receiver_username: 'bob', amount } as Wish;
      const [said, done] = [await preview(alice, wish), await pay(alice, wish)];
      expect([said.status, said.body]).toEqual([422, done.body]);
    }
  });

  it('is not affected by other previews: many in parallel each see the whole balance', async () => {
    const frank = await world.person('frank', '10');
    await world.credit();
    const said = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        preview(frank, i % 2 ? { receiver_username: 'bob', amount: 10 } : { destination_address: friend, amount: 10 }),
      ),
    );
    expect(said.map(({ status, body }) => `${status} ${body.available_after}`)).toEqual(said.map(() => '200 0'));
    expect(await compare(frank, { receiver_username: 'bob', amount: 10 })).toBe('yes');
  });
});

describe('preview and payment', () => {
  /** Numbers that are the same in every run. */
  function roll(seed: number): (below: number) => number {
    let state = seed;
    return (below) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
  }

  /** The same first and last digits, another middle. */
  const imitate = (address: string): string =>
    `${address.slice(0, 6)}${randomAddress().slice(6, 38)}${address.slice(38)}`;

  it('agree about everything: people, names, addresses, amounts, limits, pauses', async () => {
    const people = [
      alice,
      bob,
      await world.person('grace', '120'),
      await world.person('heidi', '0'),
      await world.person('ivan_x', '40'),
    ];
    const [, , grace, , ivan] = people;
    await world.credit();
    await world.db.query(`UPDATE users SET kyc_status = 'approved' WHERE user_id = $1`, [alice.userId]);
    await world.db.query(`UPDATE users SET kyc_status = 'rejected' WHERE user_id = $1`, [ivan!.userId]);
    // An old name that leads to bob.
    await world.db.query(
      `INSERT INTO username_skeletons (skeleton, user_id) VALUES (username_skeleton('robert'), $1)`,
      [bob.userId],
    );
    await world.db.query(
      `INSERT INTO usernames (username, user_id, claimed_at, redirect_until) VALUES ('robert', $1, now(), now() + interval '1 day')`,
      [bob.userId],
    );
    const token = world.usdc.contract;
    const receivers = [
      'bob',
      'BOB',
      'robert',
      'alice',
      'grace',
      'nobody_here',
      'x',
      'a b',
      '',
      'null',
      '💸',
      `${'a'.repeat(40)}`,
    ];
    const addresses = [
      friend,
      getAddress(friend),
      imitate(friend),
      alice.address,
      grace!.address,
      token,
      `0x${'0'.repeat(40)}`,
      '0x8ba1f109551bD432803012645Ac136ddd64DBA73',
      'not an address',
      randomAddress(),
    ];
    const next = roll(20_260_302);
    const pick = <T>(list: readonly T[]): T => list[next(list.length)]!;
    const codes = new Map<string, number>();
    for (let i = 0; i < 140; i++) {
      const who = pick(people);
      const amount = pick([1, 0.000001, 40, 100, 100.000001, 120, 999_999_999, 1e15, 1e-7, 0.1, 7.25, 240]);
      const wish: Wish = next(2)
        ? { receiver_username: pick(receivers), amount }
        : {
            destination_address: pick(addresses),
            amount,
            ...(next(6) === 0 && { blockchain: pick([HOME, 'DOGE', null]) }),
          };
      const pauses: PauseScope[] = [
        'all',
        'user',
        'chain',
        `chain:${HOME}`,
        `user:${who.userId}`,
        `user:${who.userId}`,
      ];
      const scope = next(10) === 0 ? pick(pauses) : undefined;
      const pause = { scope: scope!, reason: 'a test', stops: 'accepting' } as const;
      if (scope) await pausePayments(world.db, pause);
      const code = await compare(who, wish);
      codes.set(code, (codes.get(code) ?? 0) + 1);
      if (scope) await resumePayments(world.db, scope, 'operator');
    }
    expect(codes.get('yes')).toBeGreaterThan(20);
    // No reason for a refusal was left out by chance.
    expect([...codes.keys()].sort()).toEqual([
      'address.invalid',
      'address.lookalike',
      'amount.precision',
      'amount.too_large',
      'balance.insufficient',
      'blockchain.unsupported',
      'kyc.required',
      'limit.exceeded',
      'payment.self',
      'service.paused',
      'user.paused',
      'username.unknown',
      'yes',
    ]);
    await world.settleDown({ turns: 60 });
  });

  it('agree about an address on the token’s blacklist', async () => {
    const blocked = randomAddress();
    await world.turn('/token', { blacklist: blocked });
    await world.mine();
    // The token is asked for a second at most.
    await eventually(async () => {
      const said = await preview(bob, { destination_address: blocked, amount: 1 });
      const done = await pay(bob, { destination_address: blocked, amount: 1 });
      expect([said.status, said.body.code]).toEqual([403, 'address.blocked']);
      expect(without(said.body)).toEqual(without(done.body));
    });
  });

  it('count the hour, the day and the month in the same way when the last payment was hours ago', async () => {
    const judy = await world.person('judy', '1000');
    await world.credit();
    expect(await compare(judy, { receiver_username: 'bob', amount: 100 })).toBe('yes');
    await asAdmin(world.databaseUrl, `UPDATE accounts SET hour = hour - 3 WHERE user_id = $1`, [judy.userId]);
    expect(await compare(judy, { receiver_username: 'bob', amount: 100 })).toBe('yes');
    expect(await compare(judy, { destination_address: friend, amount: 50 })).toBe('yes');
    expect(await compare(judy, { receiver_username: 'bob', amount: 0.000001 })).toBe('limit.exceeded');
    const { body } = await preview(judy, { receiver_username: 'bob', amount: 1 });
    expect([body.code, body.limit, body.left]).toEqual(['limit.exceeded', 'day', formatUsdc(0n)]);
    await world.settleDown();
  });
});
