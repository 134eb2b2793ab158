/**
 * Operators correct the books: what the chain has done is imported regardless of permissions and balances; two people
 * book to loss.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { formatUsdc } from '../../server/src/core/money.ts';
import { settleWallets } from '../../server/src/custody/coins/settleWallets.ts';
import { explainAsSettlement, listUnexplained } from '../../server/src/custody/watch/unexplainedMoves.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { parseTypes } from '../../server/src/events/eventTypes.ts';
import { START } from '../../server/src/events/feedPosition.ts';
import { readFeed } from '../../server/src/events/readFeed.ts';
import { approveCorrection } from '../../server/src/ledger/corrections.ts';
import { readPayments } from '../../server/src/payments/read/readPayments.ts';
import { importedId, importPayment } from '../../server/src/payments/tracking/importPayment.ts';
import { trackPayments } from '../../server/src/payments/tracking/trackPayments.ts';
import { backUp } from '../support/chain/backUp.ts';
import { type CustodyWorld, type Holder, randomAddress, startCustody } from '../support/chain/custody.ts';
import { TEST_PROVIDER } from '../support/chain/provider.ts';
import { asAdmin, urlAs } from '../support/database.ts';
import { operate, planOf } from '../support/operate.ts';
import { asOperator, loginOf, nameOperators, type OperatorName } from '../support/operators.ts';
import { explainBalances } from '../support/properties/explainBalances.ts';
import { HOME } from '../support/values.ts';

let world: CustodyWorld;
let alice: Holder;
let bob: Holder;
/** An operator's login: no command can do more than the login may. */
let operator: Db;
const books = (who: OperatorName, ...args: string[]) =>
  asOperator(world.databaseUrl, who, (db) => operate(db, 'books', ...args));
/** Returns the id of the correction. */
async function propose(who: OperatorName, ...args: string[]): Promise<string> {
  return /Proposed as ([0-9a-f-]+)\./.exec(await books(who, 'correct', HOME, ...args))![1]!;
}
const open = () => {
  operator = openDatabase(urlAs(world.databaseUrl, 'anna'), { maxConnections: 2 });
};

beforeAll(async () => {
  world = await startCustody({}, { walletProvider: TEST_PROVIDER });
  ({ alice, bob } = await world.fund({ alice: '100', bob: '10' }));
  await nameOperators(world.databaseUrl, { anna: 'admin', rita: 'risk', sven: 'support' });
  open();
});
afterAll(async () => {
  await operator.close();
  await world.stop();
});
afterEach(async () => {
  expect(await explainBalances(world), 'M27').toEqual([]);
});

async function owed(...kinds: readonly (Holder | 'loss')[]): Promise<bigint[]> {
  const rows = await world.db.query<{ user_id: string | null; kind: string; owed: bigint }>(
    'SELECT user_id, kind, available + held AS owed FROM accounts',
  );
  return kinds.map(
    (one) => rows.find((row) => (one === 'loss' ? row.kind === one : row.user_id === one.userId))?.owed ?? 0n,
  );
}

const importAll = async () => {
  for (const move of await listUnexplained(operator)) {
    await operator.tx((tx) => importPayment(tx, importedId(move), move));
  }
};

/** Coins leave Alice's wallet, and nothing in this database explains it. */
async function leaveUnknown(amount: bigint, to = randomAddress()): Promise<void> {
  const [{ reference } = { reference: '' }] = await world.db.query<{ reference: string }>(
    'SELECT reference FROM wallets WHERE wallet_id = $1',
    [alice.walletId],
  );
  await world.provider.steal(reference, to, amount);
  await world.mine(5);
  while (await trackPayments(world, world.network));
}

describe('an import', () => {
  it('succeeds although its sender is paused, may send nothing and has too little, and shows the debt', async () => {
    await world.payUser(alice, 'bob', '70');
    await leaveUnknown(50_000_000n);
    await operate(operator, 'pause', 'add', `user:${alice.userId}`, '--why', 'a test');
    await asAdmin(world.databaseUrl, 'UPDATE kyc_tiers SET tier = (SELECT tier FROM tiers WHERE payment_limit = 0)');
    await importAll();
    await operate(operator, 'pause', 'remove', `user:${alice.userId}`);
    // Alice had 30 of the 50; the service has paid the rest.
    expect(await owed(alice, bob, 'loss')).toEqual([0n, 80_000_000n, -20_000_000n]);
    expect(await world.db.query('SELECT FROM pauses')).toEqual([]);
    expect(await world.faults()).toEqual([]);
    expect(await books('anna', 'check')).toMatch(new RegExp(`user ${alice.userId}\nowes +20 USDC\nhas +0 USDC\n`));
  });

  it('leaves a debt that is collected when its owner has money again', async () => {
    await world.turn('/faucet', { address: alice.coinsAddress, usdc: '15' });
    await world.credit();
    const [debt] = await world.db.query<{ payment_id: string }>('SELECT payment_id FROM debts');
    expect(await books('anna', 'collect', debt!.payment_id)).toBe('15 USDC collected.\n');
    expect(await owed(alice, 'loss')).toEqual([0n, -5_000_000n]);
    await world.turn('/faucet', { address: alice.coinsAddress, usdc: '15' });
    await world.credit();
    expect(
      await asOperator(world.databaseUrl, 'anna', (db) => planOf(db, 'books', 'collect', debt!.payment_id)),
    ).toMatch(/owner +alice \(user .*\)\ndebt +5 USDC → 0 USDC\ntheir balance +15 USDC → 10 USDC\n$/);
    await books('anna', 'collect', debt!.payment_id);
    await expect(books('anna', 'collect', debt!.payment_id)).rejects.toThrow(/has no open debt: florin books check/);
    expect(await owed(alice, 'loss')).toEqual([10_000_000n, 0n]);
    expect(await books('anna', 'check')).toMatch(/no debts/);
    await expect(asAdmin(world.databaseUrl, 'UPDATE debts SET collected = amount + 1')).rejects.toThrow(
      /debts_collected_once/,
    );
    expect(await world.faults()).toEqual([]);
  });

  it('stays when a reorg below finality reverts its transfers, which count again when they return', async () => {
    await world.mine(12);
    await leaveUnknown(1_000_000n);
    await leaveUnknown(2_000_000n, bob.coinsAddress);
    await importAll();
    const before = await owed(alice, bob, 'loss');
    const imported = () => world.db.query('SELECT imported_as FROM unexplained_moves ORDER BY imported_as');
    const kept = await imported();
    // Twice: what has come back can be reverted again.
    for (let i = 0; i < 2; i++) {
      await world.turn('/reorg', { depth: 12, orphans: 'return' });
      await world.mine(5);
      while (await trackPayments(world, world.network));
      expect(await listUnexplained(operator)).toEqual([]);
      expect(await imported()).toEqual(kept);
      expect(await owed(alice, bob, 'loss')).toEqual(before);
      expect(await world.faults()).toEqual([]);
    }
    const pauses = await world.db.query<{ cause: string }>('SELECT cause FROM pauses');
    expect(pauses.map(({ cause }) => cause)).not.toContain('unexplained');
    await operate(operator, 'pause', 'remove', `chain:${HOME}`, '--cause', 'reorg');
  });

  it('whose transfer never returns after a reorg pauses sends until a person has checked', async () => {
    await world.mine(12);
    await leaveUnknown(1_000_000n);
    await importAll();
    await world.turn('/reorg', { depth: 7, orphans: 'drop' });
    while (await trackPayments(world, world.network));
    await world.mine(8);
    while (await trackPayments(world, world.network));
    const pauses = await world.db.query<{ cause: string; reason: string }>('SELECT cause, reason FROM pauses');
    expect(pauses.map(({ cause }) => cause).sort()).toEqual(['contradicted', 'reorg']);
    expect(pauses.find(({ cause }) => cause === 'contradicted')!.reason).toMatch(/imported payment of 1 USDC vanished/);
    // Importing another transfer does not explain this one.
    await leaveUnknown(500_000n);
    await importAll();
    expect(await world.db.query('SELECT FROM pauses')).toHaveLength(2);
    // The coins are back, while the ledger has recorded that they left.
    expect(await world.faults()).toEqual([expect.stringMatching(/the ledger owes/)]);
    await books('rita', 'approve', await propose('anna', '--more', '1', '--why', 'it never happened'));
    expect(await world.faults()).toEqual([]);
    for (const cause of ['reorg', 'contradicted']) {
      await operate(operator, 'pause', 'remove', `chain:${HOME}`, '--cause', cause);
    }
  });

  it('of a provider’s settlement that the database lost is recorded as the operator describes it', async () => {
    await operator.close();
    const goBack = await backUp(world);
    // Coins of Bob that are in Alice's wallet move to his: no one pays anyone.
    const before = await owed(alice, bob);
    await settleWallets(world, world.network, world.usdc);
    await world.settleDown();
    await goBack();
    open();
    while (await trackPayments(world, world.network));
    expect(await owed(alice, bob)).toEqual(before);
    const [move, ...others] = await listUnexplained(operator);
    expect([others, move]).toEqual([[], expect.objectContaining({ toWallet: bob.walletId, hasNonce: false })]);
    expect(await operator.tx((tx) => explainAsSettlement(tx, move!))).toBe(true);
    expect(await operator.tx((tx) => explainAsSettlement(tx, move!))).toBe(false);
    await importAll();
    expect(await owed(alice, bob)).toEqual(before);
    expect(await world.db.query('SELECT FROM pauses')).toEqual([]);
    expect(await settleWallets(world, world.network, world.usdc)).toMatchObject({ transfers: 0 });
    expect(await world.faults()).toEqual([]);

    // A reorg removes it from the chain and brings it back: we cannot ask a provider about it, so a person decides.
    const { number: head } = await world.chain.getHead();
    await world.turn('/reorg', { depth: Number(head - move!.blockNumber) + 1, orphans: 'return' });
    for (let i = 0; i < 8; i++) {
      await world.mine();
      await world.work();
    }
    const [again, ...more] = await listUnexplained(operator);
    expect([more, again]).toEqual([[], expect.objectContaining({ toWallet: bob.walletId, txHash: move!.txHash })]);
    expect(await operator.tx((tx) => explainAsSettlement(tx, again!))).toBe(true);
    const pauses = await world.db.query<{ cause: string }>('SELECT cause FROM pauses');
    expect(pauses.map(({ cause }) => cause)).not.toContain('unexplained');
    expect(await world.db.query(`SELECT FROM coin_moves WHERE state = 'open'`)).toEqual([]);
    expect(await owed(alice, bob)).toEqual(before);
    expect(await world.faults()).toEqual([]);
    for (const { cause } of pauses) await operate(operator, 'pause', 'remove', `chain:${HOME}`, '--cause', cause);
  });
});

describe('a difference', () => {
  it('is booked to loss by two named people, and PostgreSQL refuses one person twice', async () => {
    await expect(propose('sven', '--less', '3', '--why', 'a test')).rejects.toThrow(/may not do this/);
    const id = await propose('anna', '--less', '3', '--force', '--why', 'coins that are lost forever');
    const before = await owed(alice, 'loss');
    await expect(books('anna', 'approve', id, '--force')).rejects.toThrow(/another person/);
    await expect(books('sven', 'approve', id, '--force')).rejects.toThrow(/may not do this/);
    // Without the command, too.
    const bySven = asOperator(world.databaseUrl, 'sven', (db) => approveCorrection(db, id, { isForced: true }));
    expect(await bySven).toBe('not_operator');
    expect(await owed(alice, 'loss')).toEqual(before);
    await books('rita', 'approve', id, '--force');
    await expect(books('rita', 'approve', id)).rejects.toThrow(/no such correction/);
    expect(await owed('loss')).toEqual([before[1]! - 3_000_000n]);
    await expect(asAdmin(world.databaseUrl, 'UPDATE corrections SET approved_by = proposed_by')).rejects.toThrow(
      /corrections_two_people/,
    );

    // Reversed, and to a person: an owner's credit comes out of loss.
    const hers = ['--wallet', alice.walletId, '--why'];
    await books('rita', 'approve', await propose('anna', '--more', '3', '--why', 'they were found'));
    await books('rita', 'approve', await propose('anna', '--more', '2', ...hers, 'owed since March'));
    expect(await owed(alice, 'loss')).toEqual([before[0]! + 2_000_000n, before[1]! - 2_000_000n]);
    const much = await propose('anna', '--less', '1000', ...hers, 'more than she has');
    await expect(books('rita', 'approve', much)).rejects.toThrow(/less than that/);
    await books('rita', 'approve', await propose('anna', '--less', '2', ...hers, 'back'));
    expect(await owed(alice, 'loss')).toEqual(before);
    expect(await world.faults()).toEqual([]);
  });

  it('is not created by a correction that no one needs, unless both operators say so', async () => {
    const before = [await owed(alice, 'loss'), await world.db.query('SELECT FROM corrections')];
    const effect = /would create a difference.*coins − ledger: 0 USDC → -1 USDC.*florin reconcile.*--force/s;
    await expect(propose('anna', '--more', '1', '--why', 'x')).rejects.toThrow(effect);
    await expect(propose('anna', '--less', '1', '--why', 'x')).rejects.toThrow(/coins − ledger: 0 USDC → 1 USDC/);
    expect([await owed(alice, 'loss'), await world.db.query('SELECT FROM corrections')]).toEqual(before);
    const forced = await propose('anna', '--less', '1', '--force', '--why', 'x');
    // Without the command, PostgreSQL refuses it too.
    const byRita = asOperator(world.databaseUrl, 'rita', (db) => approveCorrection(db, forced, { isForced: false }));
    expect(await byRita).toBe('difference');
    expect(await owed(alice, 'loss')).toEqual(before[0]);
    await books('rita', 'approve', forced, '--force');
    const audited = await world.db.query(
      `SELECT actor, details->>'forced' AS forced FROM audit_log
        WHERE action = 'correction.booked' AND details->>'correction_id' = $1`,
      [forced],
    );
    expect(audited).toEqual([{ actor: `operator:${loginOf('rita')}`, forced: 'true' }]);
    // Two operators correct the same difference: only the first approval has one to end.
    const [first, second] = [
      await propose('anna', '--more', '1', '--why', 'first'),
      await propose('anna', '--more', '1', '--why', 'second'),
    ];
    const plan = (id: string) => asOperator(world.databaseUrl, 'rita', (db) => planOf(db, 'books', 'approve', id));
    expect(await plan(first)).toMatch(
      /^Book this correction.\ncorrection +the chain has 1 USDC more on ETH-SEPOLIA\nbooked to +loss; .*\nwhy +first\nproposed by +\w+_anna at .*\ncoins − ledger +1 USDC → 0 USDC\n$/,
    );
    await books('rita', 'approve', first);
    await expect(books('rita', 'approve', second)).rejects.toThrow(effect);
    await asAdmin(world.databaseUrl, `DELETE FROM corrections WHERE reason = 'second'`);
    expect(await owed(alice, 'loss')).toEqual(before[0]);
    expect(await world.faults()).toEqual([]);
  });

  it('shows who gets or loses it, and refuses what does not exist', async () => {
    const plan = (...args: string[]) =>
      asOperator(world.databaseUrl, 'anna', (db) => planOf(db, 'books', 'correct', ...args, '--why', 'x'));
    const [balance] = await owed(alice);
    const had = formatUsdc(balance!);
    expect(await plan(HOME, '--more', '4', '--wallet', alice.walletId)).toMatch(
      new RegExp(
        `owner +alice \\(user ${alice.userId}, identity check: .*\\)\nloss bears it +yes\nwhy +x\ntheir balance +${had} USDC → ${formatUsdc(balance! + 4_000_000n)} USDC\ncoins − ledger +0 USDC \\(no change\\)\n$`,
      ),
    );
    expect(await plan(HOME, '--less', '2000', '--wallet', alice.walletId)).toMatch(
      /WARNING: the owner has less than that/,
    );
    await expect(plan('ETH-SEPOLA', '--more', '2')).rejects.toThrow(/no blockchain ETH-SEPOLA \(ETH-SEPOLIA\?\)/);
    await expect(plan(HOME, '--more', '2', '--wallet', alice.userId!)).rejects.toThrow(/is not one of our wallets/);
    // A plan opens nothing either.
    await asAdmin(
      world.databaseUrl,
      `INSERT INTO networks (blockchain, family, wallet_provider) VALUES ('BASE-SEPOLIA', 'evm', 'local')`,
    );
    await expect(plan('BASE-SEPOLIA', '--more', '2')).rejects.toThrow(/no USDC on BASE-SEPOLIA/);
    expect(await world.db.query(`SELECT FROM networks WHERE blockchain = 'ETH-SEPOLA'`)).toEqual([]);
  });

  it('M27: is a row of the person’s history with a kind and an explanation, and an event', async () => {
    const history = (kind: 'correction' | 'debt') =>
      readPayments(world.db, { userId: alice.userId!, limit: 10, kind }).then(({ items }) =>
        items.map(({ payment: { state, amount, from, to, timeline } }) => ({
          state,
          amount,
          from,
          to,
          note: timeline[0]!.note,
        })),
      );
    const [service, her] = [{ address: null }, { username: 'alice' }];
    const [back, got] = await history('correction');
    const correction = { state: 'COMPLETE', amount: 2_000_000n };
    expect(back).toEqual({ ...correction, from: her, to: service, note: 'correction by the service: back' });
    expect(got).toEqual({ ...correction, from: service, to: her, note: 'correction by the service: owed since March' });
    const [debt] = await world.db.query<{ payment_id: string }>('SELECT payment_id FROM debts');
    const debts = await history('debt');
    expect(debts.map(({ amount, from, to }) => [amount, from, to])).toEqual([
      [5_000_000n, her, service],
      [15_000_000n, her, service],
      [20_000_000n, service, her],
    ]);
    for (const { note } of debts) expect(note).toContain(debt!.payment_id);
    const { events } = await readFeed(world.db, {
      after: START,
      types: parseTypes('correction.*,debt.*'),
      limit: 50,
      userId: alice.userId!,
    });
    expect(events.map(({ type }) => type)).toEqual([
      ...Array(3).fill('debt.complete'),
      ...Array(2).fill('correction.complete'),
    ]);
  });

  it('is booked once for a wallet, although a second booking would show in no difference', async () => {
    const before = await owed(alice, 'loss');
    const hers = ['--wallet', alice.walletId, '--why', 'owed since June'];
    const first = await propose('anna', '--more', '3', ...hers);
    await expect(propose('anna', '--more', '3', ...hers)).rejects.toThrow(/same amount .* waits for a second operator/);
    const second = await propose('anna', '--more', '3', '--force', ...hers);
    // Both questions are open at the same time.
    const outcomes = await Promise.allSettled([first, second].map((id) => books('rita', 'approve', id)));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await owed(alice, 'loss')).toEqual([before[0]! + 3_000_000n, before[1]! - 3_000_000n]);
    await asAdmin(world.databaseUrl, 'DELETE FROM corrections WHERE booked_at IS NULL');
    await expect(propose('anna', '--more', '3', ...hers)).rejects.toThrow(/same amount .* was booked at/);
    await books('rita', 'approve', await propose('anna', '--less', '3', ...hers));
    expect(await owed(alice, 'loss')).toEqual(before);
  });
});
