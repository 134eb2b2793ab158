/** The ledger against a ten-line model, and with several concurrent processes. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { argumentsOf } from '../../sandbox/src/processes.ts';
import type { Usdc } from '../../server/src/core/money.ts';
import { setUsername } from '../../server/src/customers/usernames/setUsername.ts';
import { openAsset, openHouseAccount } from '../../server/src/ledger/accounts.ts';
import { checkBooks } from '../../server/src/ledger/checkBooks.ts';
import { openUserPayments } from '../../server/src/payments/users/openUserPayments.ts';
import { sendToUser } from '../../server/src/payments/users/sendToUser.ts';
import { eventually } from '../support/eventually.ts';
import { hold, postHold, releaseHold, transfer } from '../support/ledger/moveMoney.ts';
import type { WorkerReport, WorkerTask } from '../support/ledgerWorker.ts';
import { createPerson, type PaymentsServer, type Person, readBalances, startPayments } from '../support/payments.ts';
import { howMany } from '../support/run/thorough.ts';
import { HOME } from '../support/values.ts';

let florin: PaymentsServer;
let chain: bigint;
beforeAll(async () => {
  florin = await startPayments();
  chain = await openHouseAccount(florin.db, await openAsset(florin.db, HOME, 'USDC'), 'chain');
});
afterAll(() => florin.stop());

const createPeople = (prefix: string, count: number, amount: string): Promise<Person[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => createPerson(florin.db, `${prefix}_${'abcdefgh'[i]}`, amount)));
const balances = (people: readonly Person[]) => readBalances(florin.db, people);

describe('the ledger', () => {
  it('does what a ten-line model does, over random sequences in batches', async () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const random = createRandom(seed);
    const people = await createPeople('model', 5, '20');
    // The model: what each person has and holds, and what was decided under each key.
    const money = people.map(() => 20_000_000n);
    const held = people.map(() => 0n);
    const decided = new Map<string, { asked: string; answer: string }>();
    const model = (key: string, from: number, to: number, amount: bigint): string => {
      const asked = `${to} ${amount}`;
      const before = decided.get(`${from} ${key}`);
      if (before) return before.asked === asked ? before.answer : 'idempotency.mismatch';
      const refused = to === 5 ? 'username.unknown' : from === to ? 'payment.self' : money[from]! < amount;
      if (refused === false) [money[from], money[to]] = [money[from]! - amount, money[to]! + amount];
      const answer = refused === false ? `paid ${money[from]}` : refused === true ? 'balance.insufficient' : refused;
      decided.set(`${from} ${key}`, { asked, answer });
      return answer;
    };

    // One dedicated connection, so that commands submitted together form one batch, in that order.
    const { databaseUrl, db } = florin;
    const userPayments = openUserPayments({ databaseUrl, db, homeBlockchain: HOME, currency: 'USDC', concurrency: 1 });
    const ask = async (key: string, from: number, to: number, amount: bigint): Promise<string> => {
      const { userId: senderId } = people[from]!;
      const request = { senderId, receiver: people[to]?.username ?? 'model_nobody', amount: amount as Usdc };
      try {
        const answer = await sendToUser(
          { userPayments },
          { ...request, key: { caller: senderId, route: 'r', text: key } },
        );
        if ('refusal' in answer.result) return answer.result.refusal.code;
        return `paid ${answer.result.available}`;
      } catch (error) {
        return (error as Error).message;
      }
    };
    let compared = 0;
    for (let sequence = 0; sequence < howMany(300, 2_000); sequence++) {
      // A key may be repeated in a later batch, with the same or with another request.
      const commands = Array.from({ length: 1 + random(12) }, () => ({
        key: `k${sequence - random(3)}-${random(8)}`,
        from: random(5),
        to: random(6),
        amount: BigInt(1 + random(random(4) === 0 ? 30_000_000 : 3)),
      }));
      const once = [...new Map(commands.map((command) => [`${command.from} ${command.key}`, command])).values()];
      const expected = once.map(({ key, from, to, amount }) => model(key, from, to, amount));
      const answers = await Promise.all(once.map(({ key, from, to, amount }) => ask(key, from, to, amount)));
      expect(answers, `seed ${seed}, sequence ${sequence}`).toEqual(expected);
      compared += answers.length;
      if (sequence % 20 === 0) await holdLikeTheModel(random, people, money, held);
    }
    await userPayments.close();
    expect(compared).toBeGreaterThan(howMany(1_200, 8_000));
    expect(await balances(people), `seed ${seed}`).toEqual(people.map((_, i) => [money[i], held[i]]));
    expect((await checkBooks(florin.db)).faults).toEqual([]);
  });

  async function holdLikeTheModel(random: (n: number) => number, people: Person[], money: bigint[], held: bigint[]) {
    const who = random(5);
    const amount = BigInt(1 + random(25_000_000)) as Usdc;
    const accounts = { debitAccount: people[who]!.accountId, creditAccount: chain };
    const holdId = randomUUID();
    const placed = await florin.db.tx((tx) => hold(tx, { transferId: holdId, ...accounts, amount })).catch(String);
    expect(placed).toBe(money[who]! >= amount ? 'applied' : 'PayError: balance.insufficient');
    if (placed !== 'applied') return;
    money[who] = money[who]! - amount;
    held[who] = held[who]! + amount;
    const posted = [0n, amount, amount / 2n][random(3)]!;
    if (random(4) === 0) return;
    const end = { transferId: randomUUID(), holdId, ...accounts };
    await florin.db.tx((tx) =>
      posted === 0n ? releaseHold(tx, { ...end, amount }) : postHold(tx, { ...end, amount: posted as Usdc }),
    );
    money[who] = money[who]! + amount - posted;
    held[who] = held[who]! - amount;
  }

  it('is correct with several concurrent processes', async () => {
    const people = await createPeople('many', 4, '50');
    const { databaseUrl } = florin;
    const task: WorkerTask = {
      databaseUrl,
      people: people.map((person) => ({ ...person, accountId: String(person.accountId) })),
      chain: String(chain),
      sharedKeys: Array.from({ length: 20 }, () => randomUUID()),
      commands: 600,
    };
    const reports = await Promise.all([1, 2, 3].map(() => runWorker(task)));
    expect(reports.flatMap(({ faults }) => faults)).toEqual([]);
    const reported = reports.flatMap(({ paid }) => paid);
    const rows = await florin.db.query<{ transfer_id: string }>(
      `SELECT transfer_id FROM transfers WHERE kind = 'user' AND debit_account = ANY ($1)`,
      [people.map(({ accountId }) => accountId)],
    );
    expect(new Set(rows.map((row) => row.transfer_id))).toEqual(new Set(reported));
    expect(reported.length).toBeGreaterThan(new Set(reported).size);
    expect((await checkBooks(florin.db)).faults).toEqual([]);
    for (const [available, held] of await balances(people)) {
      expect(available! >= 0n).toBe(true);
      expect(held).toBe(0n);
    }
    // No deadlocks, because all processes lock accounts in the order of their ids.
    const [stat] = await florin.db.query('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()');
    expect(stat).toEqual({ deadlocks: 0n });
  });

  it('follows a name immediately, in every process: to the new name of its owner, and to a new owner', async () => {
    const [payer, first, second] = (await createPeople('mover', 3, '100')) as [Person, Person, Person];
    const { databaseUrl, db } = florin;
    const processes = [1, 2].map(() => openUserPayments({ databaseUrl, db, homeBlockchain: HOME, currency: 'USDC' }));
    const payAll = async (receiver: string) => {
      const paidTo = new Set<string>();
      for (const userPayments of [...processes, ...processes]) {
        const { result } = await sendToUser({ userPayments }, { senderId: payer.userId, receiver, amount: 1n as Usdc });
        if ('refusal' in result) throw result.refusal;
        paidTo.add(JSON.stringify(result.payment.to));
      }
      return [...paidTo].map((party) => JSON.parse(party));
    };
    const rename = (userId: string, username: string) =>
      db.tx((tx) => setUsername(tx, { cooldownDays: 0 }, { userId, username }));
    for (const [old, next] of [
      ['mover_b', 'moved_b'],
      ['moved_b', 'moving'],
      ['moving', 'mover_b'],
    ] as const) {
      expect(await payAll(old)).toEqual([{ username: old }]);
      await rename(first.userId, next);
      expect(await payAll(old)).toEqual([{ username: next, redirectedFrom: old }]);
    }
    await db.query(`UPDATE usernames SET redirect_until = now() WHERE username = 'moving'`);
    await rename(second.userId, 'moving');
    expect(await payAll('moving')).toEqual([{ username: 'moving' }]);
    const [row] = await db.query<{ credit_account: bigint }>(
      `SELECT credit_account FROM transfers WHERE debit_account = $1 ORDER BY debit_entry DESC LIMIT 1`,
      [payer.accountId],
    );
    expect(row!.credit_account).toBe(second.accountId);
    await Promise.all(processes.map((one) => one.close()));
  });

  it('has a feed that skips nothing, even when a transaction commits late', async () => {
    const [a, b] = (await createPeople('feed', 2, '10')) as [Person, Person];
    // `ledger_settled_seq` waits for transactions in all databases of this server, and other tests use theirs.
    const start = await eventually(async () => {
      const now = await settled();
      const [newest] = await florin.db.query<{ seq: bigint }>('SELECT max(seq) AS seq FROM transfers');
      expect(now).toBeGreaterThan(newest!.seq);
      return now;
    });
    const move = { debitAccount: chain, creditAccount: a.accountId, amount: 1n as Usdc };
    let open = () => {};
    const gate = new Promise<void>((done) => {
      open = done;
    });
    let place = () => {};
    const placed = new Promise<void>((done) => {
      place = done;
    });
    const late = florin.db.tx(async (tx) => {
      // Takes its position in the order, but locks nothing that the payment below needs.
      await tx.query('SELECT pg_current_xact_id()');
      place();
      await gate;
      await transfer(tx, 'deposit', { transferId: randomUUID(), ...move });
    });
    await Promise.race([placed, late]);
    await sendToUser(florin, { senderId: a.userId, receiver: b.username, amount: 1n as Usdc });
    expect(await readFeed(start)).toEqual([]);
    open();
    await late;
    await eventually(async () => expect(await readFeed(start)).toEqual(['deposit', 'user']));
  });

  it.each(['a process starts', 'servers keep running'])(
    'works after a logical restore, where transaction ids start low again: %s',
    async (how) => {
      const [a, b] = (await createPeople(how.replaceAll(' ', '_'), 2, '10')) as [Person, Person];
      const state = () => florin.db.query('SELECT seq_base FROM ledger_state');
      const before = await state();
      await florin.db.query('SELECT ledger_rebase()');
      expect(await state()).toEqual(before);
      // A row of the old cluster: its transaction ids were far ahead of ours.
      const far = how === 'servers keep running' ? 2000000000000n : 1000000000000n;
      await florin.admin.query('ALTER TABLE transfers DISABLE TRIGGER transfers_append_only');
      await florin.admin.query('UPDATE transfers SET seq = seq + $2 WHERE credit_account = $1', [a.accountId, far]);
      await florin.admin.query('ALTER TABLE transfers ENABLE TRIGGER transfers_append_only');
      if (how === 'servers keep running')
        await florin.admin.query('INSERT INTO kept_positions (seq) VALUES ($1)', [far]);
      else await florin.db.query('SELECT ledger_rebase()');
      await sendToUser(florin, { senderId: a.userId, receiver: b.username, amount: 1n as Usdc });
      const after = await state();
      const order = await florin.db.query<{ kind: string }>(
        'SELECT kind FROM transfers WHERE $1 IN (debit_account, credit_account) ORDER BY seq',
        [a.accountId],
      );
      expect(order.map(({ kind }) => kind)).toEqual(['deposit', 'user']);
      await florin.db.query('SELECT ledger_rebase()');
      expect(await state()).toEqual(after);
    },
  );

  const settled = async () => (await florin.db.query<{ seq: bigint }>('SELECT ledger_settled_seq() AS seq'))[0]!.seq;
  async function readFeed(after: bigint): Promise<string[]> {
    const rows = await florin.db.query<{ kind: string }>(
      `SELECT t.kind FROM feed e JOIN transfers t ON t.seq = e.seq
        WHERE e.seq >= $1 AND e.seq < ledger_settled_seq() ORDER BY e.seq`,
      [after],
    );
    return rows.map(({ kind }) => kind);
  }

  it.each(['deposit', 'hold'] as const)('applies a %s once, and refuses every other under its id', async (kind) => {
    const [a, b, c] = (await createPeople(kind, 3, '1')) as [Person, Person, Person];
    const accounts =
      kind === 'deposit'
        ? { debitAccount: chain, creditAccount: a.accountId }
        : { debitAccount: a.accountId, creditAccount: chain };
    const first = { transferId: randomUUID(), ...accounts, amount: 5n as Usdc };
    const make = (changes = {}, as: 'deposit' | 'hold' | 'internal' = kind) =>
      florin.db.tx((tx) => {
        const movement = { ...first, ...changes };
        return as === 'hold' ? hold(tx, movement) : transfer(tx, as, movement);
      });
    expect([await make(), await make(), await make()]).toEqual(['applied', 'duplicate', 'duplicate']);
    const after = await balances([a, b, c]);
    expect(after[0]).toEqual(kind === 'deposit' ? [1_000_005n, 0n] : [999_995n, 5n]);
    for (const changes of [
      { amount: 4n },
      { amount: 6n },
      { debitAccount: b.accountId },
      { creditAccount: c.accountId },
      { debitAccount: accounts.creditAccount, creditAccount: accounts.debitAccount },
    ])
      await expect(
        make(changes),
        JSON.stringify(changes, (_, value) => String(value)),
      ).rejects.toThrow('mismatch');
    await expect(make({}, kind === 'hold' ? 'internal' : 'hold')).rejects.toThrow('mismatch');
    expect(await balances([a, b, c])).toEqual(after);
  });
});

function runWorker(task: WorkerTask): Promise<WorkerReport> {
  const child = spawn(process.execPath, argumentsOf('test/support/ledgerWorker'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.send(task);
  return new Promise((resolve, reject) => {
    child.once('message', (report) => resolve(report as WorkerReport));
    child.once('exit', (code) => reject(new Error(`a worker ended with ${code}`)));
  });
}

/** A small seeded generator (mulberry32), so that a failure can be reproduced. */
function createRandom(seed: number): (count: number) => number {
  let state = seed;
  return (count) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % count;
  };
}
