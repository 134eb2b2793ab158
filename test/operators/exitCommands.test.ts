/**
 * Runs each command that docs/operating/exits.md names for a provider's transfer, a payout and a payout row, in the
 * state for which the page names it. Once the outside cause is gone, the state ends.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { settleWallets } from '../../server/src/custody/coins/settleWallets.ts';
import { type CustodyWorld, type Holder, randomAddress } from '../support/chain/custody.ts';
import { decideTransfer } from '../support/circle/decideTransfer.ts';
import { type SendingWorld, startSendingWorld } from '../support/circle/sendingWorld.ts';
import { useTestDatabase } from '../support/database/useTestDatabase.ts';
import { asAdmin } from '../support/database.ts';
import { operate } from '../support/operate.ts';
import { asOperator, nameOperators, type OperatorName } from '../support/operators.ts';
import { createPerson } from '../support/payments.ts';
import { drivePayouts } from '../support/payouts/drivePayouts.ts';
import { giveTreasury } from '../support/payouts/giveTreasury.ts';
import { makeKey, type PayoutKey } from '../support/payouts/makeKey.ts';
import { readExits } from '../support/properties/readExits.ts';

type Runs = Readonly<Record<string, () => Promise<unknown>>>;

/** For states with a successor. */
const listPairs = (thing: string): string[] =>
  readExits()
    .filter((one) => one.thing === thing && one.movesOn !== 'end')
    .flatMap(({ state, commands }) => commands.map((command) => `${state}: ${command}`));

/** The page and the runs name the same pairs. */
function runAll(thing: string, runs: Runs): void {
  it(`${thing}: every command on the page is run here`, () => {
    expect(Object.keys(runs).toSorted()).toEqual(listPairs(thing).toSorted());
  });
  it.each(Object.keys(runs))(`${thing} %s`, (pair) => runs[pair]!() as Promise<void>);
}

describe('a provider’s transfers', () => {
  const TRANSFER = 'POST /v1/w3s/developer/transactions/transfer';
  let sending: SendingWorld;
  let world: CustodyWorld;
  let alice: Holder;
  beforeAll(async () => {
    sending = await startSendingWorld();
    world = sending.world;
    await nameOperators(world.databaseUrl, { anna: 'admin', rita: 'risk', sven: 'support' });
    ({ alice } = await world.fund({ alice: '100', tina: '0' }));
  });
  afterEach(async () => {
    sending.double.control.reset();
    sending.life.keyMs = 3_600_000;
    await world.mine();
  });
  afterAll(() => world.stop());

  type What = 'payment' | 'settlement';
  const circleId = (id: string) => sending.double.control.transactions().find(({ refId }) => refId === id)?.id;
  const rowOf = async (id: string) =>
    (
      await world.db.query<{ provider_state: string; held_at: Date | null; attempts: number }>(
        'SELECT provider_state, held_at, attempts FROM provider_transfers WHERE move_id = $1',
        [id],
      )
    )[0];

  /** The id of its move. */
  async function begin(what: What): Promise<string> {
    if (what === 'payment') return world.send({ amount: '1', destination: randomAddress(), walletUsername: 'alice' });
    await world.payUser(alice, 'tina', '4');
    await world.work();
    await settleWallets(world, world.network, world.usdc);
    const [move] = await world.db.query<{ id: string }>(
      `SELECT move_id AS id FROM coin_moves WHERE state = 'open' AND purpose = 'settlement'`,
    );
    return move!.id;
  }

  const LEAD_TO = {
    new: { answers: { kind: 'error', only: TRANSFER, count: 1 } },
    submitted: { hold: 'QUEUED' },
    sent: { hold: 'SENT' },
  } as const;

  async function lead(what: What, state: keyof typeof LEAD_TO): Promise<string> {
    sending.double.control.turn(LEAD_TO[state]);
    const id = await begin(what);
    for (let turn = 0; turn < 20 && (await rowOf(id))?.provider_state !== state; turn++) {
      await world.work();
      if (state === 'sent') for (let i = 0; i < 4; i++) await sending.double.control.step();
    }
    expect((await rowOf(id))?.provider_state).toBe(state);
    return id;
  }

  async function heal(id: string): Promise<string> {
    sending.double.control.reset();
    const read = async () =>
      (await world.db.query<{ state: string }>('SELECT state FROM coin_moves WHERE move_id = $1', [id]))[0]!.state;
    await sending.until(async () => (await read()) !== 'open');
    expect(await world.faults()).toEqual([]);
    return read();
  }

  const cancel = (what: What, state: keyof typeof LEAD_TO) => async () => {
    const id = await lead(what, state);
    const noun = what === 'payment' ? 'payment' : 'transfer';
    await asOperator(world.databaseUrl, 'sven', (db) => operate(db, noun, 'cancel', id));
    const end = await heal(id);
    if (state !== 'sent') expect(end).toBe('dead');
    const audited = await world.db.query(
      `SELECT FROM audit_log WHERE action = '${noun}.cancel_asked' AND details::text LIKE '%' || $1 || '%'`,
      [id],
    );
    expect(audited).toHaveLength(1);
  };

  /** A transfer that was requested and that Circle does not know; test/custody/lostTransfers has the other states. */
  const decide = (verb: 'adopt' | 'never-made', state: 'new' | 'submitted') => async () => {
    const { control } = sending.double;
    if (verb === 'never-made') control.turn({ fate: { state: 'DENIED', count: 1 } });
    if (state === 'new')
      control.turn({ answers: { kind: 'cut_after', only: TRANSFER, count: 1 }, list_lag_ms: 3_000_000 });
    control.turn({ hold: 'INITIATED' });
    const id = await begin('payment');
    await sending.until(async () => (await rowOf(id))?.provider_state === state);
    const known = circleId(id)!;
    control.turn({ lost: [known], keys_live_ms: 0 });
    sending.life.keyMs = 0;
    await sending.until(async () => (await rowOf(id))!.held_at !== null);
    await decideTransfer(world.databaseUrl, verb, id, ...(verb === 'adopt' ? [known] : []));
    if (verb === 'never-made') await sending.until(async () => (await rowOf(id))!.provider_state === 'failed');
    expect(await heal(id)).toBe(verb === 'adopt' ? 'done' : 'dead');
  };

  runAll('Provider transfer', {
    'new: florin payment cancel': cancel('payment', 'new'),
    'new: florin transfer cancel': cancel('settlement', 'new'),
    'held: florin transfer adopt': decide('adopt', 'new'),
    'held: florin transfer never-made': decide('never-made', 'submitted'),
    'held: florin transfer approve': decide('never-made', 'new'),
    'submitted: florin payment cancel': cancel('payment', 'submitted'),
    'submitted: florin transfer cancel': cancel('settlement', 'submitted'),
    'sent: florin payment cancel': cancel('payment', 'sent'),
    'sent: florin transfer cancel': cancel('settlement', 'sent'),
  });

  it('florin transfer cancel: refuses a payment, and a transfer that has ended', async () => {
    const asked = (id: string) => asOperator(world.databaseUrl, 'sven', (db) => operate(db, 'transfer', 'cancel', id));
    const payment = await lead('payment', 'submitted');
    await expect(asked(payment)).rejects.toThrow(`florin payment cancel ${payment}`);
    await heal(payment);
    const [ended] = await world.db.query<{ id: string }>(
      `SELECT move_id AS id FROM coin_moves WHERE state <> 'open' AND purpose = 'settlement' LIMIT 1`,
    );
    await expect(asked(ended!.id)).rejects.toThrow('has ended');
    await expect(asked(randomUUID())).rejects.toThrow('there is no transfer');
  });
});

describe('payouts', () => {
  const database = useTestDatabase();
  const { db } = database;
  let key: PayoutKey;
  let nth = 0;
  const { check, confirm, run, rows, get } = drivePayouts(database, () => key);
  const as = (who: OperatorName, ...words: string[]) =>
    asOperator(database.url, who, (operator) => operate(operator, ...words));
  const stateOf = async (id: string) => (await get(id)).state;

  beforeAll(async () => {
    await giveTreasury(database.url, '1');
    await db.query('SELECT ledger_set_home_asset(asset_id) FROM assets');
    await asAdmin(
      database.url,
      `INSERT INTO wallets (wallet_id, kind, provider, reference, address) VALUES ($1, 'treasury', 'local', 't', $2)`,
      [randomUUID(), randomAddress()],
    );
    for (const name of ['ann', 'ben']) await createPerson(db, name);
    key = await makeKey(database.url, 'robot');
    await nameOperators(database.url, { anna: 'admin', rita: 'risk', rolf: 'risk' });
  });
  beforeEach(() => {
    nth++;
  });

  /** One row that waits for money, behind one that is paid or sent. */
  async function lead(state: string, to = 'ann'): Promise<string> {
    await giveTreasury(database.url, '0.000001');
    const id = await check(`row-${nth}-1,${to},0.000001,\nrow-${nth}-2,ben,900,\n`);
    if (state === 'checked') return id;
    await confirm(id, state === 'approving' ? 0n : undefined);
    if (state === 'waiting' || state === 'sent' || state === 'stopping') await run(id);
    if (state === 'stopping') await as('rita', 'payment', 'deny-payout', id, '--why', 'not agreed');
    expect(await stateOf(id)).toBe(state === 'sent' ? 'waiting' : state);
    return id;
  }

  const deny = (state: string) => async () => {
    const id = await lead(state);
    expect(await rows(id)).toContain('ready');
    await as('rita', 'payment', 'deny-payout', id, '--why', 'not agreed');
    expect(await stateOf(id)).toBe('cancelled');
    expect(await rows(id)).not.toContain('ready');
    if (state !== 'checked') await run(id);
    expect(await stateOf(id)).toBe('cancelled');
  };

  const cancelSent = (state: 'sent' | 'stopping') => async () => {
    const id = await lead(state, randomAddress());
    expect(await rows(id)).toContain('sent');
    const [sent] = await db.query<{ id: string }>(
      `SELECT payment_id AS id FROM payout_items WHERE payout_id = $1 AND state = 'sent'`,
      [id],
    );
    await as('rita', 'payment', 'cancel', sent!.id);
    if (state === 'sent') await as('rita', 'payment', 'deny-payout', id, '--why', 'not agreed');
    await run(id);
    expect(await stateOf(id)).toBe('cancelled');
    expect(await rows(id)).toEqual(['failed payment.ended', 'cancelled']);
  };

  runAll('Payout', {
    'checked: florin payment deny-payout': deny('checked'),
    'approving: florin payment deny-payout': deny('approving'),
    'approving: florin payment approve-payout': async () => {
      const id = await lead('approving');
      for (const who of ['rita', 'rolf'] as const) await as(who, 'payment', 'approve-payout', id);
      await giveTreasury(database.url, '900');
      await run(id);
      expect(await stateOf(id)).toBe('complete');
    },
    'running: florin payment deny-payout': deny('running'),
    'waiting: florin payment deny-payout': deny('waiting'),
    'waiting: florin pause remove': async () => {
      await as('anna', 'pause', 'add', 'all', '--why', 'a test');
      const id = await lead('waiting');
      await as('anna', 'pause', 'remove', 'all');
      await giveTreasury(database.url, '900');
      await run(id);
      expect(await stateOf(id)).toBe('complete');
    },
    'stopping: florin payment cancel': cancelSent('stopping'),
  });
  runAll('Payout row', {
    'ready: florin payment deny-payout': deny('running'),
    'sent: florin payment cancel': cancelSent('sent'),
  });
});
