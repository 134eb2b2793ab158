/** The stored position of every wallet equals what the books say, without a computation over all wallets. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { followLedger } from '../../server/src/custody/coins/keptPositions.ts';
import { openDatabase } from '../../server/src/db/database.ts';
import { openHouseAccount } from '../../server/src/ledger/accounts.ts';
import { type CustodyWorld, type Holder, startCustody } from '../support/chain/custody.ts';
import { asAdmin } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { openUserAccount } from '../support/ledger/openUserAccount.ts';

let world: CustodyWorld;
let assetId: number;
const people: Holder[] = [];

beforeAll(async () => {
  world = await startCustody();
  assetId = world.usdc.assetId;
  await world.treasury();
  for (let i = 0; i < 8; i++) people.push(await world.person(`person_${'abcdefgh'[i]}`));
});
afterAll(() => world.stop());

/** A repeatable sequence of numbers below `n`. */
function dice(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * n);
  };
}

const kept = () =>
  world.db.query(
    `SELECT wallet_id, ledger, coins, reserved, incoming, outgoing FROM holdings
      WHERE asset_id = $1 AND (ledger, coins, reserved, incoming, outgoing) <> (0, 0, 0, 0, 0) ORDER BY wallet_id`,
    [assetId],
  );
const computed = () =>
  world.db.query(
    `SELECT wallet_id, ledger, coins, reserved, incoming, outgoing FROM wallet_positions($1)
      WHERE (ledger, coins, reserved, incoming, outgoing) <> (0, 0, 0, 0, 0) ORDER BY wallet_id`,
    [assetId],
  );

/** Money moves in the ledger, coins move in custody, and wallets are replaced, in any order. */
async function live(seed: number, steps: number): Promise<void> {
  const roll = dice(seed);
  const accounts = await Promise.all(
    people.map((one) => world.db.tx((tx) => openUserAccount(tx, assetId, one.userId!))),
  );
  const openService = async (kind: 'chain' | 'fees' | 'treasury') =>
    world.db.tx((tx) => openHouseAccount(tx, assetId, kind));
  const chain = await openService('chain');
  const move = (kind: string, debit: bigint, credit: bigint, amount: number, hold: string | null = null) =>
    world.db.query('SELECT testing.move($1, $2, $3, $4, $5, $6, NULL)', [
      randomUUID(),
      kind,
      debit,
      credit,
      amount,
      hold,
    ]);
  const openMoves = () =>
    world.db.query<{ move_id: string }>(`SELECT move_id FROM coin_moves WHERE state = 'open' ORDER BY created_at`);
  const walletOf = async (nth: number) =>
    (
      await world.db.query<{ wallet_id: string; address: string }>(
        'SELECT wallet_id, address FROM owner_wallets WHERE asset_id = $1 AND user_id = $2',
        [assetId, people[nth]!.userId],
      )
    )[0]!;
  const replaceWallet = async () => {
    const nth = roll(people.length);
    const old = await walletOf(nth);
    await asAdmin(world.databaseUrl, 'UPDATE wallets SET replaced_at = now() WHERE wallet_id = $1', [old.wallet_id]);
    const next = await world.wallets.create({ kind: 'user', issuer: 'test', subject: randomUUID() });
    await world.db.query(
      `INSERT INTO wallets (wallet_id, kind, user_id, provider, reference, address) VALUES ($1, 'user', $2, 'local', $3, $4)`,
      [randomUUID(), people[nth]!.userId, next.reference, next.address],
    );
  };
  const settle = async () => {
    const [from, to] = [await walletOf(roll(8)), await walletOf(roll(8))];
    if (from.wallet_id === to.wallet_id) return;
    const settlementId = randomUUID();
    await world.db.tx(async (tx) => {
      const [row] = await tx.query<{ free: bigint }>(
        'SELECT coins - reserved AS free FROM holdings WHERE asset_id = $1 AND wallet_id = $2 FOR NO KEY UPDATE',
        [assetId, from.wallet_id],
      );
      if (!row || row.free === 0n) return;
      await tx.query('INSERT INTO settlements (settlement_id, asset_id) VALUES ($1, $2)', [settlementId, assetId]);
      await tx.query(
        `INSERT INTO coin_moves (move_id, asset_id, wallet_id, purpose, settlement_id, to_wallet, rail, from_address,
           to_address, amount, reserved) VALUES ($1, $2, $3, 'settlement', $4, $5, 'eip3009', $6, $7, $8, $8)`,
        [randomUUID(), assetId, from.wallet_id, settlementId, to.wallet_id, from.address, to.address, row.free],
      );
    });
  };
  const deeds = [
    async () => {
      const nth = roll(8);
      await move('deposit', chain, accounts[nth]!, 1 + roll(1_000));
      const { wallet_id: id } = await walletOf(nth);
      await world.db.query(
        `INSERT INTO holdings AS h (asset_id, wallet_id, coins) VALUES ($1, $2, $3)
         ON CONFLICT (asset_id, wallet_id) DO UPDATE SET coins = h.coins + excluded.coins`,
        [assetId, id, 1 + roll(1_000)],
      );
    },
    async () => void (await move('deposit', chain, await openService('treasury'), 1 + roll(1_000))),
    async () => void (await move('internal', accounts[roll(8)]!, await openService('fees'), 1 + roll(50))),
    async () => {
      const [from, to] = [roll(8), roll(8)];
      if (from !== to) await move('internal', accounts[from]!, accounts[to]!, 1 + roll(100));
    },
    async () => void (await move('hold', accounts[roll(8)]!, chain, 1 + roll(100))),
    settle,
    async () => {
      const moves = await openMoves();
      const one = moves[roll(moves.length || 1)];
      const state = roll(2) ? 'done' : 'dead';
      if (one)
        await world.db.query('UPDATE coin_moves SET state = $2, reserved = 0 WHERE move_id = $1', [one.move_id, state]);
    },
    // A deep reorg.
    async () =>
      void (await world.db.query(
        `UPDATE coin_moves SET state = 'open' WHERE move_id = (SELECT move_id FROM coin_moves WHERE state = 'done' LIMIT 1)`,
      )),
    replaceWallet,
    async () => void (await followLedger(world.db)),
  ];
  for (let i = 0; i < steps; i++) await deeds[roll(deeds.length)]!();
}

it('after any history equals what wallet_positions computes', async () => {
  for (const seed of [1, 2, 3]) {
    await live(seed, 60);
    await followLedger(world.db);
    const truth = await computed();
    expect(truth.length).toBeGreaterThan(3);
    expect(await kept(), `seed ${seed}`).toEqual(truth);
  }
  // All positions are lost, as after an upgrade: everything is computed once.
  await world.db.query('DELETE FROM kept_positions');
  await asAdmin(world.databaseUrl, 'UPDATE holdings SET ledger = 0, incoming = 5, outgoing = 7');
  await followLedger(world.db);
  expect(await kept()).toEqual(await computed());
});

it('follows the ledger again when a restored database reuses lower transfer numbers', async () => {
  await world.db.query('UPDATE kept_positions SET seq = seq + 1000000000000');
  await live(4, 30);
  await followLedger(world.db);
  expect(await kept()).toEqual(await computed());
});

it('misses no transfer that commits while it reads', async () => {
  await followLedger(world.db);
  const [{ seq: from }] = (await world.db.query('SELECT seq FROM kept_positions')) as [{ seq: bigint }];
  const [payer, payee] = await Promise.all(
    people.slice(0, 2).map((one) => world.db.tx((tx) => openUserAccount(tx, assetId, one.userId!))),
  );
  const GATE = 7_301;
  // The statement has its snapshot and waits; then another transfer commits; then the statement continues.
  const patient = openDatabase(world.databaseUrl, { maxConnections: 1, statementTimeoutMs: 300_000 });
  const reading = await world.db.tx(async (tx) => {
    await tx.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    await tx.query('SELECT pg_advisory_xact_lock($1)', [GATE]);
    const answer = patient.query<{ to_seq: bigint; wallets: string[] }>(
      `WITH gate AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared($1)::text AS passed)
       SELECT t.* FROM gate, touched_wallets($2 + length(gate.passed), 1000) t`,
      [GATE, from],
    );
    await eventually(async () => {
      const waiting = await world.db.query(
        `SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
          WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.objid = $1 AND NOT l.granted`,
        [GATE],
      );
      expect(waiting).toHaveLength(1);
    });
    await world.db.query(`SELECT testing.move($1, 'internal', $2, $3, 1, NULL, NULL)`, [randomUUID(), payer, payee]);
    // Transactions in other databases of this server delay it too.
    await eventually(async () => {
      expect(await world.db.query('SELECT FROM transfers WHERE seq >= ledger_settled_seq()')).toEqual([]);
    });
    return { answer };
  });
  const [row] = await reading.answer;
  await patient.close();
  const missed = await world.db.query('SELECT FROM transfers WHERE seq >= $1 AND seq < $2', [from, row!.to_seq]);
  expect(row!.wallets.length > 0 || missed.length === 0).toBe(true);
});
