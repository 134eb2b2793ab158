/** An acknowledged payment is kept exactly once when a connection, a server or PostgreSQL dies. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFreePort } from '../../sandbox/src/ports.ts';
import { type RunningPostgres, startPostgres } from '../../sandbox/src/postgres/startPostgres.ts';
import { argumentsOf } from '../../sandbox/src/processes.ts';
import type { Usdc } from '../../server/src/core/money.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { migrate } from '../../server/src/db/migrate.ts';
import { checkBooks } from '../../server/src/ledger/checkBooks.ts';
import { layTrap, type Trap } from '../support/database/trap.ts';
import { liftLimits, runAsAdmin } from '../support/database.ts';
import { fetchChecked } from '../support/http/fetchChecked.ts';
import { openTesting } from '../support/ledger/openTesting.ts';
import { createPerson, type PaymentsServer, type Person, startPayments } from '../support/payments.ts';
import { judgeEndOf } from '../support/properties/judgeEnd.ts';
import { howMany } from '../support/run/thorough.ts';

describe('a connection that dies', () => {
  let trap: Trap;
  let florin: PaymentsServer;
  let alice: Person;
  let bob: Person;
  beforeAll(async () => {
    const reach = async (url: string) => {
      trap = await layTrap(url);
      return trap.url;
    };
    florin = await startPayments({ reach, maxQueue: 40, giveUpAfterMs: 6_000 });
    alice = await createPerson(florin.db, 'alice', '100');
    bob = await createPerson(florin.db, 'bob');
  });
  afterAll(async () => {
    await florin.stop();
    await trap.remove();
  });
  const pay = (amount: number, headers?: Record<string, string>) =>
    florin.send({ sender_user_id: alice.userId, receiver_username: 'bob', amount }, headers);
  const rowsOf = (micro: number) => florin.db.query('SELECT FROM transfers WHERE amount = $1', [micro]);

  it.each(['before', 'after'] as const)('just %s the commit: the payment is made once, and answered', async (when) => {
    for (const [amount, headers] of [
      [0.000_1, {}],
      [0.000_2, { 'idempotency-key': `${when}-key` }],
    ] as const) {
      const earlier = (await rowsOf(amount * 1e6)).length;
      await pay(1);
      const sprung = trap.sprung;
      trap.set(when, 3);
      const answer = await pay(amount, headers);
      expect([answer.status, trap.sprung]).toEqual([200, sprung + 3]);
      expect(await rowsOf(amount * 1e6)).toHaveLength(earlier + 1);
      expect(answer.body.state).toBe('COMPLETE');
    }
  });

  it('in the middle of a batch: every payment of it is made once', async () => {
    trap.set('after', 2);
    const answers = await Promise.all(Array.from({ length: 30 }, () => pay(0.000_3)));
    expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(200));
    expect(await rowsOf(300)).toHaveLength(30);
  });

  it('permanently: 503, the outcome is unknown, and the same key returns it later', async () => {
    trap.set('after', 1_000);
    const headers = { 'idempotency-key': 'unlucky' };
    const lost = await pay(0.000_4, headers);
    expect([lost.status, lost.body.code, lost.headers.get('retry-after')]).toEqual([503, 'service.unavailable', '1']);
    trap.set('after', 0);
    expect((await pay(0.000_4, headers)).status).toBe(200);
    expect(await rowsOf(400)).toHaveLength(1);
  });

  it('while too many wait: the others get 503 with Retry-After immediately', async () => {
    trap.set('before', 10);
    const answers = await Promise.all(Array.from({ length: 120 }, () => pay(0.000_5)));
    trap.set('before', 0);
    const away = answers.filter(({ body }) => body.code === 'service.overloaded');
    expect(away.length).toBeGreaterThan(0);
    for (const { status, headers } of away) expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    expect(await rowsOf(500)).toHaveLength(answers.filter(({ status }) => status === 200).length);
  });

  it('a command that fails does not affect the others', async () => {
    const command = {
      keyed: false,
      senderId: alice.userId,
      receiver: 'bob',
      receiverText: 'bob',
      amount: 600n as Usdc,
    };
    const ids = Array.from({ length: 20 }, (_, i) => (i === 7 ? 'not a uuid' : randomUUID()));
    const settled = await Promise.allSettled(
      ids.map((paymentId) => florin.userPayments.submit({ ...command, paymentId })),
    );
    expect(settled.flatMap(({ status }, i) => (status === 'rejected' ? [i] : []))).toEqual([7]);
    expect(await rowsOf(600)).toHaveLength(19);
    expect((await checkBooks(florin.db)).faults).toEqual([]);
    expect(await judgeEndOf({ databaseUrl: florin.adminUrl })).toEqual([]);
    expect(bob.username).toBe('bob');
  });
});

describe('kill -9', () => {
  const SERVERS = 3;
  const SERVER_KILLS = howMany(5, 20);
  const POSTGRES_KILLS = howMany(1, 5);
  const CLIENTS = 12;
  let folder: string;
  let postgres: RunningPostgres;
  let db: Db;
  let people: Person[];
  let servers: Server[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'florin-crash-'));
    chmodSync(folder, 0o711);
    // Durable, unlike the usual test server.
    postgres = await startPostgres({ dataDir: folder, settings: { shared_buffers: '64MB' } });
    const admin = new pg.Client({ connectionString: postgres.url('postgres') });
    await admin.connect();
    await admin.query('CREATE DATABASE crash');
    await admin.end();
    await migrate(postgres.url('crash'));
    await liftLimits(postgres.url('crash'));
    await runAsAdmin(openTesting(new URL(postgres.url('crash')).username), postgres.url('crash'));
    db = openDatabase(postgres.url('crash'), { maxConnections: 3 });
    people = [];
    for (const letter of 'abcdefgh') people.push(await createPerson(db, `crash_${letter}`, '1000'));
    servers = await Promise.all(Array.from({ length: SERVERS }, () => startServer(postgres.url('crash'))));
  });
  afterAll(async () => {
    for (const server of servers ?? []) server.stop();
    await db?.close();
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it(`of a server ${SERVER_KILLS} times and of PostgreSQL ${POSTGRES_KILLS} times loses and duplicates nothing`, {
    timeout: 960_000,
  }, async () => {
    const story = new AbortController();
    const reported: Reported[] = [];
    const clients = Array.from({ length: CLIENTS }, (_, i) => runClient(i, story.signal, reported));
    let [serverKills, postgresKills] = [0, 0];
    const progress = () => reported.filter(({ answer }) => answer === 'paid').length;
    while (serverKills < SERVER_KILLS || postgresKills < POSTGRES_KILLS) {
      // Waits for a payment between two kills, so that each kill interrupts work.
      const before = progress();
      while (progress() < before + 20) await sleep(10);
      await sleep(Math.random() * 100);
      if (postgresKills * 4 < serverKills && postgresKills < POSTGRES_KILLS) {
        process.kill(postgres.pid, 'SIGKILL');
        postgresKills++;
      } else {
        servers[serverKills++ % SERVERS]!.crash();
      }
    }
    story.abort();
    await Promise.all(clients);
    await sleep(100);

    const rows = await db.query<{ amount: bigint; transfer_id: string }>(
      `SELECT amount, transfer_id FROM transfers WHERE kind = 'user'`,
    );
    const found = new Map<bigint, string[]>();
    for (const { amount, transfer_id } of rows) found.set(amount, [...(found.get(amount) ?? []), transfer_id]);
    const wrong = reported.filter(({ answer, micro, ids }) => {
      const made = found.get(micro) ?? [];
      if (answer === 'paid') return made.length !== 1 || ids.some((id) => id !== made[0]);
      return made.length > 1;
    });
    expect(wrong).toEqual([]);
    expect(found.size).toBe(rows.length);
    expect((await checkBooks(db)).faults).toEqual([]);
    expect(await judgeEndOf({ databaseUrl: postgres.url('crash') })).toEqual([]);
    const keyed = reported.filter(({ key }) => key !== undefined);
    expect(keyed.every(({ answer }) => answer === 'paid')).toBe(true);
    expect([serverKills, postgresKills]).toEqual([SERVER_KILLS, POSTGRES_KILLS]);
    const repeated = keyed.filter(({ tries }) => tries > 1).length;
    const unknown = reported.filter(({ answer }) => answer === 'unknown').length;
    console.log(
      `crash story: ${progress()} payments acknowledged, ${repeated} keys repeated until answered, ` +
        `${unknown} without a key left unknown; ${rows.length} rows, none lost, none duplicated.`,
    );
  });

  interface Reported {
    readonly key: string | undefined;
    /** Each payment has a unique amount, which identifies its rows. */
    readonly micro: bigint;
    answer: 'paid' | 'unknown';
    tries: number;
    /** All ids that were answered. */
    readonly ids: string[];
  }

  async function runClient(number: number, signal: AbortSignal, reported: Reported[]): Promise<void> {
    for (let i = 0; !signal.aborted; i++) {
      const key = Math.random() < 0.7 ? randomUUID() : undefined;
      const one: Reported = { key, micro: BigInt(1 + number + i * CLIENTS), answer: 'unknown', tries: 0, ids: [] };
      const [from, to] = [i % people.length, (i + 1 + (number % 7)) % people.length];
      const body = JSON.stringify({
        sender_user_id: people[from]!.userId,
        receiver_username: people[to]!.username,
        amount: Number(one.micro) / 1e6,
      });
      // With a key a client repeats until it gets an answer; without one it must not repeat.
      do {
        one.tries++;
        const id = await ask(body, key);
        if (id === undefined) await sleep(30);
        else one.ids.push(id);
      } while (key !== undefined && one.ids.length === 0);
      // Some clients lose the answer and repeat the call.
      if (key !== undefined && Math.random() < 0.2)
        one.ids.push(...[await ask(body, key)].filter((id) => id !== undefined));
      if (one.ids.length > 0) one.answer = 'paid';
      reported.push(one);
    }
  }

  async function ask(body: string, key: string | undefined): Promise<string | undefined> {
    try {
      const answer = await fetchChecked(`${servers[Math.floor(Math.random() * SERVERS)]!.url}/api/v1/send_usdc`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) },
        body,
        signal: AbortSignal.timeout(10_000),
      });
      if (answer.status === 200) return ((await answer.json()) as { transaction_id: string }).transaction_id;
      if (answer.status !== 503) throw new Error(`unexpected answer ${answer.status}: ${await answer.text()}`);
    } catch (error) {
      if ((error as Error).message.startsWith('unexpected')) throw error;
    }
    return undefined;
  }
});

interface Server {
  readonly url: string;
  /** kill -9; it is restarted on the same port. */
  crash(): void;
  stop(): void;
}

async function startServer(databaseUrl: string): Promise<Server> {
  const port = await findFreePort();
  let child: ChildProcess;
  let wanted = true;
  const launch = () =>
    new Promise<void>((ready) => {
      const args = [...argumentsOf('bench/support/p2pServer'), databaseUrl, String(port)];
      child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
      child.once('message', () => ready());
      child.once('exit', () => wanted && void launch());
    });
  await launch();
  return {
    url: `http://127.0.0.1:${port}`,
    crash: () => child.kill('SIGKILL'),
    stop() {
      wanted = false;
      child.kill('SIGKILL');
    },
  };
}
