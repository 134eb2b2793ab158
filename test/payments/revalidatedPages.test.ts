/** A page from the cache shows everything that was committed before it was requested, and only to its owner. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Usdc } from '../../server/src/core/money.ts';
import { type Callers, openCallers } from '../../server/src/customers/sessions/openCallers.ts';
import { openSession } from '../../server/src/customers/sessions/sessions.ts';
import { setUsername } from '../../server/src/customers/usernames/setUsername.ts';
import { openAsset, openHouseAccount } from '../../server/src/ledger/accounts.ts';
import { type History, openHistory } from '../../server/src/payments/read/openHistory.ts';
import { backUp } from '../support/database/turnBack.ts';
import { transfer } from '../support/ledger/moveMoney.ts';
import { openUserAccount } from '../support/ledger/openUserAccount.ts';
import { createPerson, type PaymentsServer, type Person, startPayments } from '../support/payments.ts';

const RULES = { accessTokenSeconds: 900, refreshTokenSeconds: 9_000, sessionSeconds: 90_000 };

/** The cache of one server process. */
interface Process {
  readonly callers: Callers;
  readonly history: History;
}

let florin: PaymentsServer;
let processes: [Process, Process];
let people: Person[];
const tokens = new Map<Person, { accessToken: string; sessionId: string }>();
beforeAll(async () => {
  florin = await startPayments();
  const { databaseUrl, db } = florin;
  const start = (): Process => {
    const callers = openCallers(databaseUrl);
    return { callers, history: openHistory({ databaseUrl, db, sessions: callers.sessions }) };
  };
  processes = [start(), start()];
  people = await Promise.all(['alice', 'bob', 'carol'].map((name) => createPerson(db, name, '1000')));
  for (const person of people) {
    tokens.set(person, await db.tx((tx) => openSession(tx, RULES, person.userId, null)));
  }
});
afterAll(async () => {
  for (const { callers, history } of processes) {
    await history.close();
    await callers.close();
  }
  await florin.stop();
});

/** The ids on the newest page. */
async function read({ callers, history }: Process, person: Person, name = person.username): Promise<string[]> {
  const caller = await callers.recall(tokens.get(person)!.accessToken);
  const page = await history.read({ name, caller, limit: 10 });
  return page!.payments.map(({ paymentId }) => paymentId);
}

const pay = async (from: Person, to: Person): Promise<string> => {
  const answer = await florin.send({ sender_user_id: from.userId, receiver_username: to.username, amount: 0.5 });
  return answer.body.transaction_id;
};

it('in every process, also while others pay', async () => {
  const [alice, bob, carol] = people as [Person, Person, Person];
  let isOver = false;
  const others = (async () => {
    while (!isOver) await Promise.all([pay(carol, bob), read(processes[0], carol), read(processes[1], carol)]);
  })();
  for (let i = 0; i < 20; i++) {
    const id = await pay(...((i % 2 ? [alice, bob] : [bob, alice]) as [Person, Person]));
    const pages = processes.flatMap((one) => [alice, bob, alice].map((person) => read(one, person)));
    for (const page of await Promise.all(pages)) expect(page).toContain(id);
  }
  isOver = true;
  await others;
});

it('without reading again while nothing has arrived', async () => {
  const [alice, bob] = people as [Person, Person, Person];
  const before = await read(processes[0], alice);
  const [definition] = await florin.admin.query<{ sql: string }>(
    `SELECT pg_get_functiondef('history_pages'::regproc) AS sql`,
  );
  await florin.admin.query(definition!.sql.replace('BEGIN\n', `BEGIN\nRAISE 'pages are read';\n`));
  try {
    expect(await read(processes[0], alice)).toEqual(before);
    await pay(alice, bob);
    await expect(read(processes[0], alice)).rejects.toThrow('pages are read');
  } finally {
    await florin.admin.query(definition!.sql);
  }
});

it('with payments to an account that was opened since', async () => {
  const [alice, bob] = people as [Person, Person, Person];
  for (const process of processes) await read(process, bob);
  const assetId = await openAsset(florin.db, 'BASE-SEPOLIA', 'USDC');
  const debitAccount = await openHouseAccount(florin.db, assetId, 'chain');
  const creditAccount = await openUserAccount(florin.db, assetId, bob.userId);
  // The name cache is up to date before the deposit comes.
  for (const process of processes) await read(process, alice);
  const transferId = randomUUID();
  const move = { transferId, debitAccount, creditAccount, amount: 2_000_000n as Usdc };
  await florin.db.tx((tx) => transfer(tx, 'deposit', { ...move, fromAddress: `0x${'e'.repeat(40)}` }));
  for (const process of processes) expect(await read(process, bob)).toContain(transferId);
});

it('after commits were lost, and another payment has the numbers of a lost one', async () => {
  const [alice, , carol] = people as [Person, Person, Person];
  const restore = await backUp(florin.admin);
  const lost = await pay(alice, carol);
  const lostSeq = await readSeq(lost);
  for (const process of processes) expect(await read(process, alice)).toContain(lost);
  await restore();
  const made = await pay(carol, alice);
  // As after a restore of the files: transactions get the same numbers again, and a payment its `seq` from them.
  const seqs = [await readSeq(made), lostSeq];
  await florin.admin.tx(async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query('UPDATE transfers SET seq = $2 WHERE seq = $1', seqs);
    await tx.query('UPDATE accounts SET last_seq = $2 WHERE last_seq = $1', seqs);
  });
  for (const process of processes) {
    const page = await read(process, alice);
    expect(page).toContain(made);
    expect(page).not.toContain(lost);
  }
});

async function readSeq(paymentId: string): Promise<bigint> {
  const [row] = await florin.db.query<{ seq: bigint }>('SELECT seq FROM transfers WHERE transfer_id = $1', [paymentId]);
  return row!.seq;
}

it('not to another person who has taken the name', async () => {
  const [alice, , carol] = people as [Person, Person, Person];
  for (const { history } of processes) expect(await history.read({ name: 'alice', limit: 10 })).toBeDefined();
  const rename = (person: Person, username: string) =>
    florin.db.tx((tx) => setUsername(tx, { cooldownDays: 0 }, { userId: person.userId, username }));
  await rename(alice, 'alison');
  await florin.admin.query(`DELETE FROM usernames WHERE username = 'alice'`);
  await florin.admin.query(`UPDATE username_skeletons SET user_id = $1 WHERE skeleton = 'alice'`, [carol.userId]);
  await rename(carol, 'alice');
  for (const { history } of processes) {
    const page = await history.read({ name: 'alice', limit: 10 });
    expect(page!.payments.map(({ paymentId }) => paymentId)).toEqual(await read(processes[0], carol, 'alice'));
    expect(await history.read({ name: 'alison', limit: 10 })).toMatchObject({ username: 'alison' });
  }
});

it('not to a session that has ended, expired or lost its token, but to the others of the same moment', async () => {
  const { db } = florin;
  const friends = await Promise.all(['dora', 'emil', 'fred', 'gina'].map((name) => createPerson(db, name, '10')));
  const [ended, lapsed, lost, well] = friends as [Person, Person, Person, Person];
  for (const person of friends) {
    tokens.set(person, await db.tx((tx) => openSession(tx, RULES, person.userId, null)));
    for (const process of processes) expect(await read(process, person)).toHaveLength(1);
  }
  const change = (person: Person, sql: string) => db.query(sql, [tokens.get(person)!.sessionId]);
  await change(ended, `UPDATE sessions SET ended_at = now(), ended_because = 'revoked' WHERE session_id = $1`);
  await change(lapsed, `UPDATE session_tokens SET expires_at = now() WHERE session_id = $1`);
  await change(lost, `DELETE FROM session_tokens WHERE session_id = $1`);
  for (const process of processes) {
    // Requested together, as the process has cached them.
    const callers = await Promise.all(friends.map((one) => process.callers.recall(tokens.get(one)!.accessToken)));
    const pages = await Promise.allSettled(
      friends.map(({ username: name }, i) => process.history.read({ name, caller: callers[i], limit: 10 })),
    );
    expect(pages.map((one) => (one.status === 'rejected' ? one.reason.details.reason : one.value?.username))).toEqual([
      'revoked',
      'expired',
      'unknown',
      well.username,
    ]);
  }
});
