/** Wallets from which Circle sends by itself: one transfer per payment, whatever is lost on the way. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { reconcile } from '../../server/src/custody/coins/reconcile.ts';
import { settleWallets } from '../../server/src/custody/coins/settleWallets.ts';
import { listRunways } from '../../server/src/custody/eip3009/relaying/listRunways.ts';
import { listHeldTransfers } from '../../server/src/custody/provider/heldTransfers.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { pausePayments, resumePayments } from '../../server/src/operators/pauses.ts';
import { readPayment } from '../../server/src/payments/read/readPayment.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { type CustodyWorld, type Holder, randomAddress } from '../support/chain/custody.ts';
import { expectOneEnd } from '../support/chain/expectOneEnd.ts';
import { type SendingWorld, startSendingWorld } from '../support/circle/sendingWorld.ts';
import { asAdmin, urlAs } from '../support/database.ts';
import { operate } from '../support/operate.ts';
import { asOperator, nameOperators, type OperatorName } from '../support/operators.ts';

let sending: SendingWorld;
let world: CustodyWorld;
let alice: Holder;
/** With the rights of a signer process only. */
let signersDb: Db;

beforeAll(async () => {
  sending = await startSendingWorld();
  world = sending.world;
  signersDb = openDatabase(urlAs(world.databaseUrl, 'signer'));
  await nameOperators(world.databaseUrl, { anna: 'admin', rita: 'risk', sven: 'support' });
  ({ alice } = await world.fund({ alice: '1000', treasury: '1000' }));
});
afterEach(async () => {
  sending.double.control.reset();
  sending.life.keyMs = 3_600_000;
  // Releases transfers that were kept in a state, so that they do not block the next test.
  await world.mine();
});
afterAll(async () => {
  await signersDb.close();
  await world.stop();
});

const cancel = (id: string) => world.db.tx((tx) => cancelPayment(tx, { paymentId: id }));
const TRANSFER = 'POST /v1/w3s/developer/transactions/transfer';
const outbound = (id: string) => sending.double.control.transactions().filter(({ refId }) => refId === id);
const rowOf = async (id: string) => {
  const [row] = await world.db.query<{
    attempts: number;
    provider_state: string;
    held_at: Date | null;
    waits_for: string;
  }>('SELECT attempts, provider_state, held_at, waits_for FROM provider_transfers WHERE move_id = $1', [id]);
  return row!;
};

describe('a send', () => {
  it('is made by Circle under the payment’s id, by a signer with no other rights, and paid when it is on the chain', async () => {
    const destination = randomAddress();
    const id = await world.send({ amount: '2.5', destination, walletUsername: 'alice' });
    await world.work({ signer: world.openSigner({ db: signersDb }) });
    expect(outbound(id)).toMatchObject([{ amounts: ['2.5'], refId: id, feeLevel: 'MEDIUM' }]);
    await sending.finish(id);
    await expectOneEnd(world, id, destination, 'COMPLETE');
    const notes = (await readPayment(world.db, id))!.timeline.map(({ state, note }) => state ?? note);
    expect(notes).toContain('the provider of the wallet names this chain transaction');
    expect(await rowOf(id)).toMatchObject({ attempts: 1 });
  });

  it.each([
    ['the answer is cut off', { answers: { kind: 'cut_after', only: TRANSFER, count: 1 } }],
    ['Circle fails after it has accepted it', { answers: { kind: 'error_after', only: TRANSFER, count: 1 } }],
    ['it is not in the list yet', { answers: { kind: 'cut_after', only: TRANSFER, count: 1 }, list_lag_ms: 3_000_000 }],
    ['Circle fails before it has accepted it', { answers: { kind: 'error', only: TRANSFER, count: 1 } }],
  ] as const)('is made once when %s', async (_, fault) => {
    sending.double.control.turn(fault);
    const destination = randomAddress();
    const id = await world.send({ amount: '1', destination, walletUsername: 'alice' });
    await world.work();
    expect(await rowOf(id)).toMatchObject({ attempts: 1, provider_state: 'new' });
    await sending.finish(id);
    await expectOneEnd(world, id, destination, 'COMPLETE');
    expect(outbound(id)).toHaveLength(1);
  });

  it('waits when Circle is over its rate limit, because nothing was requested', async () => {
    sending.double.control.turn({ answers: { kind: 'busy', only: TRANSFER, count: 1 } });
    const destination = randomAddress();
    const id = await world.send({ amount: '1', destination, walletUsername: 'alice' });
    await world.work();
    expect(await rowOf(id)).toMatchObject({ attempts: 0, provider_state: 'new' });
    await sending.finish(id);
    await expectOneEnd(world, id, destination, 'COMPLETE');
  });

  it('is FAILED when Circle refuses the first request; a refused repetition proves nothing', async () => {
    sending.double.control.turn({ freeze: [alice.address] });
    const refused = await world.send({ amount: '1', destination: randomAddress(), walletUsername: 'alice' });
    await sending.finish(refused);
    expect(await world.get(refused)).toMatchObject({ state: 'FAILED', errorDetail: expect.stringMatching(/frozen/) });

    sending.double.control.reset();
    sending.double.control.turn({ answers: { kind: 'cut_after', only: TRANSFER, count: 1 }, list_lag_ms: 3_000_000 });
    const destination = randomAddress();
    const id = await world.send({ amount: '1', destination, walletUsername: 'alice' });
    await world.work();
    // The transfer was made. Circle forgets the key and refuses the repetition as a conflicting request.
    sending.double.control.turn({ keys_live_ms: 0, freeze: [alice.address] });
    await world.work();
    await world.work();
    expect(await rowOf(id)).toMatchObject({ provider_state: 'new' });
    expect((await rowOf(id)).attempts).toBeGreaterThan(1);
    const end = world.db.query(
      `UPDATE provider_transfers SET provider_state = 'failed', ended_head = 1 WHERE move_id = $1`,
      [id],
    );
    await expect(end).rejects.toThrow(/may have made/);
    sending.double.control.reset();
    await sending.finish(id);
    await expectOneEnd(world, id, destination, 'COMPLETE');
    expect(outbound(id)).toHaveLength(1);
  });

  it.each([
    ['DENIED', undefined, /Circle denied it/],
    ['FAILED', 'INSUFFICIENT_TOKEN', /too few coins/],
  ] as const)('that Circle ends as %s is FAILED, and the money is returned', async (state, reason, says) => {
    sending.double.control.turn({ fate: { state, ...(reason && { reason }), count: 1 } });
    const destination = randomAddress();
    const id = await world.send({ amount: '1', destination, walletUsername: 'alice' });
    await sending.finish(id);
    await expectOneEnd(world, id, destination, 'FAILED');
    expect((await world.get(id)).errorDetail).toMatch(says);
  });

  it('waits for earlier sends of its wallet, and can be cancelled immediately meanwhile', async () => {
    sending.double.control.turn({ hold: 'QUEUED' });
    const first = await world.send({ amount: '1', destination: randomAddress(), walletUsername: 'alice' });
    const second = await world.send({ amount: '1', destination: randomAddress(), walletUsername: 'alice' });
    for (let i = 0; i < 3; i++) await world.work();
    expect(outbound(second)).toEqual([]);
    await cancel(second);
    sending.double.control.reset();
    await sending.finish(first, second);
    expect((await world.get(first)).state).toBe('COMPLETE');
    expect((await world.get(second)).state).toBe('CANCELLED');
    expect(outbound(second)).toEqual([]);
  });

  it.each(['CANCELLED', 'CANCELED'] as const)('is cancelled at Circle, which calls it %s', async (word) => {
    sending.double.control.turn({ hold: 'QUEUED', cancelled_word: word });
    const destination = randomAddress();
    const id = await world.send({ amount: '1', destination, walletUsername: 'alice' });
    await sending.until(async () => outbound(id)[0]?.state === 'QUEUED');
    expect(await cancel(id)).toBe('asked');
    await sending.finish(id);
    await expectOneEnd(world, id, destination, 'CANCELLED');
  });

  it('beyond the signer’s daily limit waits before any request to Circle', async () => {
    const [row] = await asAdmin<{ signed: bigint }>(
      world.databaseUrl,
      'SELECT coalesce(sum(amount), 0)::bigint AS signed FROM signed_hours',
    );
    world.signingLimits = { payment: undefined, day: BigInt(row!.signed) + 500_000n };
    const id = await world.send({ amount: '1', destination: randomAddress(), walletUsername: 'alice' });
    await world.work();
    expect(await rowOf(id)).toMatchObject({ attempts: 0, waits_for: expect.stringMatching(/24 hours/) });
    expect(outbound(id)).toEqual([]);
    world.signingLimits = { payment: undefined, day: undefined };
    await sending.finish(id);
    expect((await world.get(id)).state).toBe('COMPLETE');
  });
});

describe('a transfer that Circle never answered about and no longer knows', () => {
  async function hold(): Promise<{ id: string; destination: `0x${string}` }> {
    const { control } = sending.double;
    control.turn({
      answers: { kind: 'cut_after', only: TRANSFER, count: 1 },
      list_lag_ms: 3_000_000,
      hold: 'INITIATED',
    });
    const destination = randomAddress();
    const id = await world.send({ amount: '1', destination, walletUsername: 'alice' });
    await world.work();
    control.turn({ keys_live_ms: 0 });
    sending.life.keyMs = 0;
    await world.work();
    expect((await rowOf(id)).held_at).not.toBeNull();
    return { id, destination };
  }
  const transfer = (who: OperatorName, ...words: string[]) =>
    asOperator(world.databaseUrl, who, (db) => operate(db, 'transfer', ...words));

  /** One operator proposes, and cannot decide alone. */
  async function decide(...words: string[]): Promise<void> {
    const [, id] = /Proposed as ([0-9a-f-]+)\./.exec(await transfer('anna', ...words, '--why', 'asked Circle'))!;
    await expect(transfer('anna', 'approve', id!)).rejects.toThrow(/another person/);
    await expect(transfer('sven', 'approve', id!)).rejects.toThrow(/may not do this/);
    expect(await transfer('rita', 'approve', id!)).toMatch(/Decided/);
  }

  it('is held and never requested again; two people adopt it', async () => {
    const { id, destination } = await hold();
    for (let i = 0; i < 3; i++) await world.work();
    expect(await rowOf(id)).toMatchObject({ attempts: 1 });
    const held = await listHeldTransfers(world.db);
    expect(held).toMatchObject([{ moveId: id, to: destination, amount: 1_000_000n, attempts: 1, decision: null }]);
    await decide('adopt', id, outbound(id)[0]!.id);
    sending.double.control.reset();
    await sending.finish(id);
    await expectOneEnd(world, id, destination, 'COMPLETE');
  });

  it('ends with the money returned when two people declare it never made and it is not on the chain', async () => {
    sending.double.control.turn({ fate: { state: 'DENIED', count: 1 } });
    const { id, destination } = await hold();
    await decide('never-made', id);
    const [held] = await listHeldTransfers(world.db);
    expect(held?.decision).toMatchObject({ verdict: 'never_made', approvedBy: expect.any(String) });
    expect(held?.decision?.approvedBy).not.toBe(held?.decision?.by);
    await sending.finish(id);
    expect(await listHeldTransfers(world.db)).toEqual([]);
    await expectOneEnd(world, id, destination, 'FAILED');
  });

  it('ends while signing is paused, because nothing is requested', async () => {
    sending.double.control.turn({ fate: { state: 'DENIED', count: 1 } });
    const { id, destination } = await hold();
    await decide('never-made', id);
    await pausePayments(world.db, { scope: 'chain', reason: 'looks odd', stops: 'accepting and signing' });
    for (let i = 0; i < 3; i++) await world.work();
    expect(await rowOf(id)).toMatchObject({ provider_state: 'failed', attempts: 1 });
    await sending.finish(id);
    await resumePayments(world.db, 'chain', 'operator');
    await expectOneEnd(world, id, destination, 'FAILED');
  });

  it('is found when Circle lists it later', async () => {
    const { id, destination } = await hold();
    sending.double.control.reset();
    await sending.finish(id);
    await expectOneEnd(world, id, destination, 'COMPLETE');
    expect(outbound(id)).toHaveLength(1);
  });
});

it('of 64 parallel sends against a balance for four, four are made, once each', async () => {
  const { rosa } = await world.fund({ rosa: '4' });
  const sends = await Promise.all(
    Array.from({ length: 64 }, async () => {
      const destination = randomAddress();
      const id = await world.send({ amount: '1', destination, walletId: rosa.walletId }).catch(() => undefined);
      return { destination, id };
    }),
  );
  const accepted = sends.flatMap(({ id }) => id ?? []);
  expect(accepted).toHaveLength(4);
  await sending.finish(...accepted);
  for (const { destination, id } of sends) {
    if (id) await expectOneEnd(world, id, destination, 'COMPLETE');
    else expect(await world.balance(destination)).toBe(0n);
  }
  expect(await world.faults()).toEqual([]);
});

it('many parallel sends all end under Circle’s rate limits, none lost, none duplicated', async () => {
  const people = await world.fund({ uma: '20', vera: '20', wim: '20', xena: '20' });
  const payers = Object.values(people);
  sending.limits.isOn = true;
  sending.double.control.turn({ limits: true });
  const sends = await Promise.all(
    Array.from({ length: 12 }, async (_, i) => {
      const destination = randomAddress();
      return { destination, id: await world.send({ amount: '1', destination, walletId: payers[i % 4]!.walletId }) };
    }),
  );
  await sending.finish(...sends.map(({ id }) => id));
  sending.limits.isOn = false;
  for (const { destination, id } of sends) await expectOneEnd(world, id, destination, 'COMPLETE');
  expect(await world.faults()).toEqual([]);
});

it('needs no gas in a relayer, because Circle sends and we relay nothing', async () => {
  expect(await listRunways(world.db)).toMatchObject([{ isNeeded: false }]);
});

describe('coins', () => {
  it('follow the ledger from wallet to wallet, sent by Circle', async () => {
    const { tina } = await world.fund({ tina: '0' });
    await world.payUser(alice, 'tina', '4');
    await world.work();
    await settleWallets(world, world.network, world.usdc);
    await sending.until(async () => {
      const open = await world.db.query(`SELECT FROM coin_moves WHERE state = 'open'`);
      return open.length === 0;
    });
    expect(await world.balance(tina.address)).toBe(4_000_000n);
    const { wallets } = (await reconcile(world, world.network, world.usdc))!;
    for (const wallet of wallets) expect(wallet.coins).toBe(wallet.ledger);
    expect(await world.faults()).toEqual([]);
  });
});

it('in a plain account need gas of their own: a send fails without it, and Circle makes it with it', async () => {
  const plain = await startSendingWorld({ accountType: 'EOA' });
  try {
    const { paul } = await plain.world.fund({ paul: '10' });
    const [poor, rich] = [randomAddress(), randomAddress()];
    const first = await plain.world.send({ amount: '1', destination: poor, walletId: paul.walletId });
    await plain.finish(first);
    await expectOneEnd(plain.world, first, poor, 'FAILED');
    expect((await plain.world.get(first)).errorDetail).toMatch(/could not pay the chain's fee/);
    await plain.world.turn('/faucet', { address: paul.address, eth: '1' });
    await plain.world.mine();
    const second = await plain.world.send({ amount: '1', destination: rich, walletId: paul.walletId });
    await plain.finish(second);
    await expectOneEnd(plain.world, second, rich, 'COMPLETE');
  } finally {
    await plain.world.stop();
  }
});

it('that no block takes are accelerated, and sent once', async () => {
  const plain = await startSendingWorld({ accountType: 'EOA' });
  try {
    const { sue } = await plain.world.fund({ sue: '10' });
    await plain.world.turn('/faucet', { address: sue.address, eth: '1' });
    await plain.world.mine();
    plain.double.control.turn({ fate: { state: 'STUCK', count: 1 } });
    const destination = randomAddress();
    const id = await plain.world.send({ amount: '1', destination, walletId: sue.walletId });
    await plain.finish(id);
    await expectOneEnd(plain.world, id, destination, 'COMPLETE');
    const notes = (await readPayment(plain.world.db, id))!.timeline.map(({ note }) => note).join();
    expect(notes).toMatch(/sent with a higher fee/);
  } finally {
    await plain.world.stop();
  }
});
