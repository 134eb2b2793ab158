/** `florin payment refund`: every amount from every source; and after a temporary refusal the same command works. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Usdc } from '../../server/src/core/money.ts';
import { openAsset, openHouseAccount } from '../../server/src/ledger/accounts.ts';
import { asAdmin } from '../support/database.ts';
import { IMPOSSIBLE_AMOUNTS, NO_AMOUNTS } from '../support/guards/values.ts';
import { transfer } from '../support/ledger/moveMoney.ts';
import { openRefunds, type RefundsWorld } from '../support/ledger/openRefunds.ts';
import { operate, planOf } from '../support/operate.ts';
import { loginOf, nameOperators } from '../support/operators.ts';
import type { Person } from '../support/payments.ts';
import { HOME } from '../support/values.ts';

let world: RefundsWorld;
beforeAll(async () => {
  world = await openRefunds();
});
afterAll(() => world.stop());

const type = (who: keyof RefundsWorld['operators'], ...args: string[]) => operate(world.operators[who], ...args);
const idIn = (said: string) => /(?:payment|approve-refund) ([0-9a-f-]{36})/.exec(said)![1]!;

describe('a refund', () => {
  const sources = { receiver: [], treasury: ['--treasury'] } as const;
  const parts = [
    [[], '10', 10_000_000n],
    [['--amount', '2.5'], '2.5', 2_500_000n],
    [['--amount', '0.000001'], '0.000001', 1n],
  ] as const;
  const all = Object.entries(sources).flatMap(([source, from]) =>
    parts.map(([amount, shown, micros]) => ({ source, words: [...from, ...amount], shown, micros })),
  );

  it.each(all)('by the $source of $shown is shown and booked as that', async ({ source, words, shown, micros }) => {
    const [ada, bob] = await world.meet();
    const id = await world.pay(ada, bob, '10');
    const said = await type('anna', 'payment', 'refund', id, ...words, '--why', 'a test');
    expect(said).toContain(`${shown} USDC`);
    const refundId = idIn(said);
    if (source === 'treasury') {
      expect(await type('rita', 'payment', 'approve-refund', refundId)).toContain(`${shown} USDC`);
    }
    expect(await world.available(ada, bob)).toEqual([
      90_000_000n + micros,
      source === 'treasury' ? 10_000_000n : 10_000_000n - micros,
    ]);
    expect(JSON.parse(await type('sven', 'payment', 'refunds', id, '--json'))).toMatchObject([
      { refund_id: refundId, refund_of: id, amount: shown, source },
    ]);
    // The audit log names who lost the money, or else who got it.
    const audit = await world.florin.db.query(
      `SELECT user_id, details->>'amount' AS amount FROM audit_log WHERE action = 'payment.refunded'
          AND details->>'refund_id' = $1`,
      [refundId],
    );
    expect(audit).toEqual([{ user_id: (source === 'treasury' ? ada : bob).userId, amount: String(micros) }]);
  });

  it('of an invalid amount is refused', async () => {
    const [ada, bob] = await world.meet();
    const id = await world.pay(ada, bob, '10');
    const accepted: string[] = [];
    for (const text of [...NO_AMOUNTS, ...IMPOSSIBLE_AMOUNTS, '0', '0.0', '-1', '1e1'])
      await type('anna', 'payment', 'refund', id, `--amount=${text}`, '--why', 'a test').then(
        () => accepted.push(text),
        () => undefined,
      );
    expect(accepted).toEqual([]);
    expect(await world.available(ada, bob)).toEqual([90_000_000n, 10_000_000n]);
  });
});

describe('the note of a refund', () => {
  const noteOf = async (id: string) =>
    JSON.parse(await type('sven', 'payment', 'show', id, '--json')).payment_note as string | undefined;

  it.each(['receiver', 'treasury'] as const)('by the %s is that of the new payment only', async (source) => {
    const [ada, bob] = await world.meet();
    const id = await world.pay(ada, bob, '10');
    const words = ['payment', 'refund', id, ...(source === 'treasury' ? ['--treasury'] : []), '--amount', '1'];
    const refundId = idIn(await type('anna', ...words, '--why', 'a test', '--note', 'sorry "Ada" 🍀'));
    if (source === 'treasury') {
      expect(await planOf(world.operators.rita, 'payment', 'approve-refund', refundId)).toMatch(/^note +sorry "Ada"/m);
      await type('rita', 'payment', 'approve-refund', refundId);
    }
    expect([await noteOf(refundId), await noteOf(id)]).toEqual(['sorry "Ada" 🍀', undefined]);
    expect(await type('sven', 'payment', 'show', refundId)).toMatch(/note +sorry "Ada"/);
    // The same command is the same refund; another note, or none, is another one.
    expect(await type('anna', ...words, '--why', 'a test', '--note', 'sorry "Ada" 🍀')).toContain(refundId);
    const others = [
      ['--why', 'a test', '--note', 'sorry'],
      ['--why', 'a test'],
      ['--why', 'a test\nsorry'],
    ];
    const ids = await Promise.all(others.map(async (more) => idIn(await type('anna', ...words, ...more))));
    expect(new Set([refundId, ...ids]).size).toBe(4);
  });

  it('of a denied proposal is deleted', async () => {
    const [ada, bob] = await world.meet();
    const id = await world.pay(ada, bob, '10');
    const said = await type('anna', 'payment', 'refund', id, '--treasury', '--why', 'a test', '--note', 'soon');
    const count = () =>
      asAdmin(world.florin.databaseUrl, 'SELECT note FROM payment_notes WHERE payment_id = $1', [idIn(said)]);
    expect(await count()).toEqual([{ note: 'soon' }]);
    await type('rita', 'payment', 'deny-refund', idIn(said), '--why', 'a test');
    expect(await count()).toEqual([]);
  });

  it.each([['', ' ', 'a\nb', 'a\u202eb', 'x'.repeat(141)]])('of invalid text is refused', async (...texts) => {
    const [ada, bob] = await world.meet();
    const id = await world.pay(ada, bob, '10');
    for (const text of texts)
      await expect(type('anna', 'payment', 'refund', id, '--why', 'a test', `--note=${text}`)).rejects.toThrow(
        /--note/,
      );
    expect(await world.available(ada, bob)).toEqual([90_000_000n, 10_000_000n]);
  });

  it('cannot be written for another payment, or later', async () => {
    const [ada, bob] = await world.meet();
    const id = await world.pay(ada, bob, '10');
    const refundId = idIn(await type('anna', 'payment', 'refund', id, '--why', 'a test'));
    for (const one of [id, refundId, randomUUID()])
      await expect(world.operators.anna.query('SELECT note_refund($1, $2)', [one, 'x'])).rejects.toThrow(
        'was not made in this transaction',
      );
  });
});

interface Scene {
  readonly ada: Person;
  readonly bob: Person;
}

interface Refusal {
  readonly says: RegExp;
  readonly only?: readonly string[];
  cause(scene: Scene): Promise<unknown>;
  undo(scene: Scene): Promise<unknown>;
}

const setTreasury = async (amount: bigint) => {
  const assetId = await openAsset(world.florin.db, HOME, 'USDC');
  const chain = await openHouseAccount(world.florin.db, assetId, 'chain');
  const [row] = await world.florin.db.query<{ available: bigint }>(
    'SELECT available FROM accounts WHERE account_id = $1',
    [world.treasury],
  );
  const difference = amount - row!.available;
  const [debitAccount, creditAccount] = difference > 0n ? [chain, world.treasury] : [world.treasury, chain];
  const size = (difference > 0n ? difference : -difference) as Usdc;
  await world.florin.db.tx((tx) =>
    transfer(tx, 'internal', { transferId: randomUUID(), debitAccount, creditAccount, amount: size }),
  );
};

const REFUSALS: Readonly<Record<string, Refusal>> = {
  'everything is paused': {
    says: /everything is paused: a test/,
    cause: () => type('anna', 'pause', 'add', 'all', '--why', 'a test'),
    undo: () => type('anna', 'pause', 'remove', 'all'),
  },
  'the receiver has spent it': {
    says: /less than that is available/,
    only: ['refund'],
    cause: ({ ada, bob }) => world.pay(bob, ada, '10'),
    undo: ({ ada, bob }) => world.pay(ada, bob, '10'),
  },
  'the treasury has too little': {
    says: /less than that is available/,
    only: ['approve-refund'],
    cause: () => setTreasury(1_000_000n),
    undo: () => setTreasury(10_000_000_000n),
  },
  'the operator was removed': {
    says: /not an operator|not a named operator/,
    cause: () => asAdmin(world.florin.databaseUrl, 'DELETE FROM operators WHERE name = $1', [loginOf('rolf')]),
    undo: () => nameOperators(world.florin.databaseUrl, { rolf: 'risk' }),
  },
  'the operator has another role': {
    says: /may not|not a named operator/,
    cause: () =>
      asAdmin(world.florin.databaseUrl, `UPDATE operators SET role = 'support' WHERE name = $1`, [loginOf('rolf')]),
    undo: () =>
      asAdmin(world.florin.databaseUrl, `UPDATE operators SET role = 'risk' WHERE name = $1`, [loginOf('rolf')]),
  },
};

/** Each command, typed by rolf, and the state in which it works. */
const COMMANDS: Readonly<Record<string, (id: string) => Promise<readonly string[]>>> = {
  refund: async (id) => ['payment', 'refund', id, '--why', 'a test'],
  'refund of a part': async (id) => ['payment', 'refund', id, '--amount', '4', '--why', 'a test'],
  'refund by the treasury': async (id) => ['payment', 'refund', id, '--treasury', '--why', 'a test'],
  'approve-refund': async (id) => {
    const said = await type('anna', 'payment', 'refund', id, '--treasury', '--why', 'a test');
    return ['payment', 'approve-refund', idIn(said)];
  },
  'deny-refund': async (id) => {
    const said = await type('anna', 'payment', 'refund', id, '--treasury', '--why', 'a test');
    return ['payment', 'deny-refund', idIn(said), '--why', 'a test'];
  },
};

/** Denying moves nothing, so neither a pause nor a balance prevents it. */
const FREE: readonly string[] = ['everything is paused', 'the receiver has spent it', 'the treasury has too little'];
const cases = Object.keys(COMMANDS).flatMap((command) =>
  Object.entries(REFUSALS)
    .filter(([, { only }]) => !only || only.some((one) => command.startsWith(one)))
    .filter(([cause]) => !(command === 'deny-refund' && FREE.includes(cause)))
    .filter(([cause]) => !(command === 'refund by the treasury' && cause === 'the receiver has spent it'))
    .map(([cause, refusal]) => ({ command, cause, refusal })),
);

describe('a temporary refusal', () => {
  it.each(cases)(
    '$command, while $cause: changes nothing, and works when that is over',
    async ({ command, refusal }) => {
      const [ada, bob] = await world.meet();
      const id = await world.pay(ada, bob, '10');
      const words = await COMMANDS[command]!(id);
      const run = () => type('rolf', ...words);
      const scene: Scene = { ada, bob };
      await refusal.cause(scene);
      const read = async () => [
        await world.available(ada, bob),
        await world.florin.db.query('SELECT * FROM refunds WHERE payment_id = $1', [id]),
        await world.florin.db.query('SELECT refunded FROM refund_totals WHERE payment_id = $1 AND refunded > 0', [id]),
      ];
      const before = await read();
      await expect(run()).rejects.toThrow(refusal.says);
      expect(await read()).toEqual(before);
      await refusal.undo(scene);
      await expect(run()).resolves.toMatch(/Refunded|Proposed|Denied/);
      expect(await world.faults()).toEqual([]);
    },
  );
});
