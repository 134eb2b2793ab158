/** How the watcher reads blocks: once each, in small commits, and never the same coins twice. */
import { createHash, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shapeUuid } from '../../server/src/core/ids.ts';
import { parseUsdc } from '../../server/src/core/money.ts';
import type { Block, Chain, Hex, TokenLog } from '../../server/src/core/ports.ts';
import { reconcile } from '../../server/src/custody/coins/reconcile.ts';
import { type Network, openNetwork } from '../../server/src/custody/network.ts';
import { type Db, openDatabase, type Tx } from '../../server/src/db/database.ts';
import { checkBooks } from '../../server/src/ledger/checkBooks.ts';
import { trackPayments } from '../../server/src/payments/tracking/trackPayments.ts';
import { openUserPayments } from '../../server/src/payments/users/openUserPayments.ts';
import { sendToUser } from '../../server/src/payments/users/sendToUser.ts';
import { backUp } from '../support/chain/backUp.ts';
import { createMortal } from '../support/chain/crash.ts';
import { type CustodyWorld, type Holder, randomAddress, startCustody } from '../support/chain/custody.ts';
import { asAdmin } from '../support/database.ts';
import { HOME } from '../support/values.ts';

let world: CustodyWorld;
beforeEach(async () => {
  world = await startCustody();
});
afterEach(() => world.stop());

async function track(network: Network = world.network): Promise<void> {
  while (await trackPayments(world, network));
}

const randomHash = (): Hex => `0x${randomBytes(32).toString('hex')}`;

async function readAvailable({ userId }: Holder, assetId = world.usdc.assetId): Promise<bigint | undefined> {
  const [row] = await world.db.query<{ available: bigint }>(
    'SELECT available FROM accounts WHERE user_id = $1 AND asset_id = $2',
    [userId, assetId],
  );
  return row?.available;
}

describe('dust', () => {
  const DUST = 4_000;
  /** In one chain transaction: more than one commit takes. */
  const TOGETHER = 1_500;

  /** A chain whose block of this number has many more transfers to these wallets than it really has. */
  function sprinkle(number: () => bigint | undefined, receivers: readonly Hex[]): Chain {
    const { chain } = world;
    let dust: TokenLog[] | undefined;
    const inBlock = (block: { number: bigint; hash: Hex }): TokenLog[] => {
      const together = randomHash();
      dust ??= Array.from({ length: DUST }, (_, i) => ({
        kind: 'transfer',
        token: world.usdc.contract,
        blockNumber: block.number,
        blockHash: block.hash,
        txHash: i < TOGETHER ? together : randomHash(),
        logIndex: 1_000 + i,
        from: world.usdc.contract,
        to: receivers[i % receivers.length]!,
        amount: 1n,
      }));
      return dust;
    };
    return {
      ...chain,
      async listBlockLogs(block, wallets) {
        const logs = await chain.listBlockLogs(block, wallets);
        return block.number === number() ? [...logs, ...inBlock(block)] : logs;
      },
      async listTokenLogs(range) {
        const logs = await chain.listTokenLogs(range);
        const dusty = number();
        if (dusty === undefined || dusty < range.from || dusty > range.to.number) return logs;
        return [...logs, ...inBlock((await chain.findBlock(dusty))!)].sort(
          (a, b) => Number(a.blockNumber - b.blockNumber) || a.logIndex - b.logIndex,
        );
      },
    };
  }

  it('in one block is processed in small commits, once, across a crash, while people pay', async () => {
    const { alice, bob } = await world.fund({ alice: '100', bob: '100', treasury: '100' });
    let dusty: bigint | undefined;
    const chain = sprinkle(() => dusty, [alice.address, bob.address]);
    const network = { ...world.network, chain };
    const send = await world.send({ amount: '5', walletUsername: 'alice' });
    await world.work({ chain });
    dusty = (await chain.getHead()).number + 1n;
    await world.mine(4);

    // The worker dies after a few commits.
    let commits = 0;
    const mortal = createMortal(world, ({ name, sql }) => {
      if (name === 'tx.query' && sql.includes('part_number = $2')) commits++;
      return commits === 3 ? 'after' : undefined;
    });
    await expect(trackPayments({ ...world, ...mortal }, network)).rejects.toThrow();
    const count = async () =>
      (await world.db.query<{ n: number }>(`SELECT count(*)::int AS n FROM deposits WHERE amount = 1`))[0]!.n;
    expect(await count()).toBeGreaterThan(0);
    expect(await count()).toBeLessThan(DUST);
    // Coins are ahead of the cursor: nothing can be compared.
    expect(await reconcile(world, network, world.usdc)).toBeUndefined();

    const userPayments = openUserPayments({
      databaseUrl: world.databaseUrl,
      db: world.db,
      homeBlockchain: HOME,
      currency: 'USDC',
    });
    let isDone = false;
    let paidMeanwhile = 0;
    const tracking = track(network).finally(() => {
      isDone = true;
    });
    while (!isDone) {
      const request = { senderId: alice.userId!, receiver: 'bob', amount: parseUsdc('0.01') };
      const { result } = await sendToUser({ userPayments }, request);
      expect(result).toMatchObject({ payment: { state: 'COMPLETE' } });
      if (!isDone) paidMeanwhile++;
    }
    await tracking;
    await userPayments.close();

    expect(paidMeanwhile).toBeGreaterThan(3);
    expect(await count()).toBe(DUST);
    expect((await world.get(send)).state).toBe('COMPLETE');
    const sum = (await readAvailable(alice))! + (await readAvailable(bob))!;
    expect(sum).toBe(195_000_000n + BigInt(DUST));
    const [{ coins } = { coins: 0n }] = await world.db.query<{ coins: bigint }>(
      'SELECT sum(coins)::bigint AS coins FROM holdings',
    );
    expect(coins).toBe(295_000_000n + BigInt(DUST));
    expect((await checkBooks(world.db)).faults).toEqual([]);
  });

  it('never takes more feed positions than one commit has', async () => {
    const { alice } = await world.fund({ alice: '100' });
    const [accounts] = await world.db.query<{ chain: bigint; mine: bigint }>(
      `SELECT (SELECT account_id FROM accounts WHERE kind = 'chain') AS chain,
              (SELECT account_id FROM accounts WHERE user_id = $1) AS mine`,
      [alice.userId],
    );
    const { chain, mine } = accounts!;
    const fill = `INSERT INTO transfers (transfer_id, seq, debit_account, credit_account, amount, debit_entry, credit_entry,
        debit_available, credit_available, created_at, asset_id, kind)
      VALUES (gen_random_uuid(), ledger_tx_seq() + 65535, ${chain}, ${mine}, 1, 1000, 1000, 0, 0, now(),
        ${world.usdc.assetId}, 'deposit')`;
    const move = `PERFORM testing.move(gen_random_uuid(), 'deposit', ${chain}, ${mine}, 1, NULL, NULL)`;
    await expect(asAdmin(world.databaseUrl, `DO $$ BEGIN ${fill}; ${move}; END $$`)).rejects.toThrow(
      /too many movements in one commit/,
    );
    await expect(
      world.db.query(
        `SELECT testing.deposit($1, array_agg(gen_random_uuid()), array_agg($2::bigint), array_agg(1::bigint), array_agg('x'::text))
           FROM generate_series(1, 32769)`,
        [world.usdc.assetId, mine],
      ),
    ).rejects.toThrow(/too many movements in one commit/);
  });
});

describe('a first deposit', () => {
  it('opens the account before the commit that credits it: no one who needs a new name or account waits', async () => {
    await world.fund({ alice: '100' });
    const newcomer = await world.person('newcomer', '5');
    await world.mine(4);
    let credited = 0;
    const query = async <Row>(tx: Tx, sql: string, values?: readonly unknown[]): Promise<Row[]> => {
      const rows = await tx.query<Row>(sql, values);
      if (sql.includes('credit_deposits')) {
        credited++;
        // The row that everyone who opens an account or takes a name updates.
        await asAdmin(world.databaseUrl, 'SELECT FROM ledger_state FOR UPDATE NOWAIT');
      }
      return rows;
    };
    const db: Db = {
      ...world.db,
      tx: (work) => world.db.tx((tx) => work({ ...tx, query: (sql, values) => query(tx, sql, values) })),
    };
    while (await trackPayments({ ...world, db }, world.network));
    expect(credited).toBe(1);
    expect(await readAvailable(newcomer)).toBe(5_000_000n);
  });
});

describe('a block', () => {
  it('is read once, by hash, until it is final or replaced, and nothing is written while nothing happens', async () => {
    const { alice } = await world.fund({ alice: '100' });
    const read: string[] = [];
    let ranges = 0;
    let calls = 0;
    const counting: Chain = {
      ...world.chain,
      getHead: () => count(world.chain.getHead()),
      getFinalized: () => count(world.chain.getFinalized()),
      findBlock: (place) => count(world.chain.findBlock(place)),
      listBlockLogs(block, wallets) {
        read.push(block.hash);
        return count(world.chain.listBlockLogs(block, wallets));
      },
      listTokenLogs(range) {
        ranges++;
        return count(world.chain.listTokenLogs(range));
      },
    };
    function count<T>(answer: T): T {
      calls++;
      return answer;
    }
    const network = { ...world.network, chain: counting };
    await track(network);
    await world.turn('/faucet', { address: alice.address, usdc: '7' });
    const before = ranges;
    for (let i = 0; i < 8; i++) {
      await world.mine();
      await track(network);
      await track(network);
    }
    expect(await readAvailable(alice)).toBe(107_000_000n);
    await world.turn('/faucet', { address: alice.address, usdc: '3' });
    await world.mine();
    await track(network);

    const writes = () =>
      world.db.query(
        `SELECT (SELECT xmin::text FROM chain_cursors) AS cursor, (SELECT max(xmin::text) FROM pending_deposits) AS pending`,
      );
    const written = await writes();
    calls = 0;
    await track(network);
    expect(calls).toBe(2);
    expect(await writes()).toEqual(written);

    const seen = new Set(read);
    await world.turn('/reorg', { depth: 2, orphans: 'return' });
    await track(network);
    expect(read.filter((hash) => !seen.has(hash)).length).toBeGreaterThan(1);
    expect(new Set(read).size).toBe(read.length);
    expect(ranges).toBe(before);
    for (let i = 0; i < 4; i++) {
      await world.mine();
      await track(network);
    }
    expect(ranges).toBe(before);
    expect(await readAvailable(alice)).toBe(110_000_000n);
    expect(await world.faults()).toEqual([]);
  });

  it('that a worker showed before it stopped is no longer pending when another makes it final', async () => {
    const { alice } = await world.fund({ alice: '100' });
    await track();
    await world.turn('/faucet', { address: alice.address, usdc: '7' });
    await world.mine();
    const other = openDatabase(world.databaseUrl);
    while (await trackPayments({ ...world, db: other }, world.network));
    await other.close();
    const listPending = () => world.db.query('SELECT amount FROM pending_deposits');
    expect(await listPending()).toEqual([{ amount: 7_000_000n }]);
    await world.mine(8);
    await track();
    expect(await readAvailable(alice)).toBe(107_000_000n);
    expect(await listPending()).toEqual([]);
  });

  it('with the same chain transaction as one of another network is credited on both', async () => {
    const twin: Chain = { ...world.chain, blockchain: 'BASE-SEPOLIA', chainId: 84_532 };
    const network = await openNetwork(
      world.db,
      { ...twin, check: async () => (await world.chain.check()).map((one) => ({ ...one, chainId: twin.chainId })) },
      { startBlock: 0n },
    );
    const { alice } = await world.fund({ alice: '100' });
    await track(network);
    expect(await readAvailable(alice)).toBe(100_000_000n);
    expect(await readAvailable(alice, network.assets[0]!.assetId)).toBe(100_000_000n);
  });
});

describe('a chain that is rewound', () => {
  async function reorgFinalBlocks(orphans: 'return' | 'drop'): Promise<void> {
    await world.turn('/reorg', { depth: 7, orphans });
    await world.mine(5);
    await track();
  }

  it('brings a deposit back under the id that the previous release gave it, and credits it once', async () => {
    const alice = await world.person('alice');
    await world.mine(8);
    await track();
    await world.turn('/faucet', { address: alice.address, usdc: '9' });
    await world.mine(4);
    await track();
    const [deposit] = await world.db.query<{ transfer_id: string; tx_hash: string }>('SELECT * FROM deposits');
    const words = `deposit:${world.usdc.contract}:${deposit!.tx_hash}:${alice.address}:0`;
    const old = shapeUuid(createHash('sha256').update(words).digest());
    expect(old).not.toBe(deposit!.transfer_id);
    for (const table of ['deposits', 'transfers']) {
      await asAdmin(
        world.databaseUrl,
        `DO $$ BEGIN SET LOCAL session_replication_role = replica;
           UPDATE ${table} SET transfer_id = '${old}' WHERE transfer_id = '${deposit!.transfer_id}'; END $$`,
      );
    }
    await reorgFinalBlocks('return');
    expect(await world.db.query('SELECT transfer_id, state FROM deposits')).toEqual([
      { transfer_id: old, state: 'credited' },
    ]);
    expect(await readAvailable(alice)).toBe(9_000_000n);
    expect(await world.faults()).toEqual([]);
    await expect(
      world.db.query(
        `INSERT INTO deposits (asset_id, tx_hash, wallet_id, ordinal, from_address, amount, block_number, block_hash, transfer_id)
         SELECT asset_id, tx_hash, wallet_id, ordinal, from_address, amount, block_number, block_hash, gen_random_uuid()
           FROM deposits ON CONFLICT (asset_id, tx_hash, wallet_id, ordinal) DO UPDATE SET state = 'credited'`,
      ),
    ).rejects.toThrow(/known by another id/);
  });

  it('takes back a move that no payment accounts for, with its nonce', async () => {
    await world.fund({ treasury: '100' });
    await world.mine(8);
    await world.work();
    const goBack = await backUp(world);
    await world.send({ amount: '5', destination: randomAddress() });
    await world.work();
    await world.mine(5);
    await goBack();
    await track();
    const left = () =>
      world.db.query(`SELECT (SELECT count(*)::int FROM unexplained_moves) AS moves,
        (SELECT count(*)::int FROM forgotten_nonces) AS nonces, (SELECT coins FROM holdings) AS coins`);
    expect(await left()).toEqual([{ moves: 1, nonces: 1, coins: 95_000_000n }]);
    await reorgFinalBlocks('drop');
    expect(await left()).toEqual([{ moves: 0, nonces: 0, coins: 100_000_000n }]);
    expect(await world.faults()).toEqual([]);
  });

  it('in the middle of a block takes back what was applied of it', async () => {
    const { alice } = await world.fund({ alice: '100' });
    await world.turn('/faucet', { address: alice.address, usdc: '7' });
    await world.mine(4);
    const [log] = (await world.listTransfers(alice.address)).slice(-1);
    await track();
    expect(await readAvailable(alice)).toBe(107_000_000n);
    const cursor = await world.chain.findBlock(log!.blockNumber - 1n);
    await placeInside(cursor!, log!);
    await world.turn('/reorg', {
      depth: Number((await world.chain.getHead()).number - cursor!.number),
      orphans: 'drop',
    });
    await world.mine(6);
    await track();
    const [deposit] = await world.db.query<{ state: string }>('SELECT state FROM deposits WHERE amount = 7000000');
    expect(deposit!.state).toBe('lost');
    expect(await world.faults()).toEqual([]);
  });

  /** As if the commit with this log had been one of several. */
  async function placeInside(cursor: Block, log: TokenLog): Promise<void> {
    await asAdmin(world.databaseUrl, 'DELETE FROM chain_blocks WHERE block_number > $1', [cursor.number]);
    await asAdmin(
      world.databaseUrl,
      `UPDATE chain_cursors SET block_number = $1, block_hash = $2, part_number = $3, part_hash = $4, part_log = $5,
              recheck_to = $3`,
      [cursor.number, cursor.hash, log.blockNumber, log.blockHash, log.logIndex],
    );
    await asAdmin(world.databaseUrl, 'INSERT INTO chain_blocks SELECT network_id, $1, $2 FROM chain_cursors', [
      cursor.number,
      cursor.hash,
    ]);
    await expect(
      world.db.query(`UPDATE chain_cursors SET block_number = block_number + 9, block_hash = '0x9'`),
    ).rejects.toThrow(/applied in part/);
  }
});
