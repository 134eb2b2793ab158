/**
 * A thief has one database login and types SQL. Each attack worked in early builds of 0.3.0 (S11 to S15); now
 * PostgreSQL refuses it and nothing changes. SECURITY.md says what each login may do by design.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { checkBooks } from '../../server/src/ledger/checkBooks.ts';
import { openTestDatabase, type TestDatabase } from '../support/database/openTestDatabase.ts';
import { type Logins, urlAs } from '../support/database.ts';
import { operate } from '../support/operate.ts';
import { loginOf, nameOperators } from '../support/operators.ts';
import { createPerson, type Person } from '../support/payments.ts';
import { giveTreasury } from '../support/payouts/giveTreasury.ts';
import { makeKey } from '../support/payouts/makeKey.ts';

let database: TestDatabase;
let victim: Person;
let thief: Person;
let keyId: string;
const open = new Map<keyof Logins, Db>();
const as = (login: keyof Logins): Db => {
  const db = open.get(login) ?? openDatabase(urlAs(database.url, login), { maxConnections: 2 });
  open.set(login, db);
  return db;
};

beforeAll(async () => {
  database = await openTestDatabase();
  victim = await createPerson(database.db, 'victim', '100');
  thief = await createPerson(database.db, 'thief', '1');
  await database.db.query('SELECT ledger_set_home_asset(asset_id) FROM assets');
  ({ keyId } = await makeKey(database.url, 'robot'));
  // Mallory is no longer an operator.
  await nameOperators(database.url, { ada: 'admin', sven: 'support' });
});
afterAll(async () => {
  for (const db of open.values()) await db.close();
  await database.remove();
});

const readBalances = () =>
  database.admin.query<object>('SELECT account_id, available, held, entries, day_spent FROM accounts ORDER BY 1');

/** The statement is refused and changes nothing. Returns PostgreSQL's message. */
async function refuse(login: keyof Logins, sql: string, values: readonly unknown[] = []): Promise<string> {
  const before = await readBalances();
  const said = await as(login)
    .query(sql, values)
    .then(
      (rows) => `accepted: ${JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value))}`,
      (error: Error) => error.message,
    );
  expect(await readBalances(), sql).toEqual(before);
  expect((await checkBooks(database.admin)).faults, sql).toEqual([]);
  expect(said, sql).not.toMatch(/^accepted/);
  return said;
}

describe('a stolen login of a server (S11)', () => {
  const BATCH = {
    accounts: (): string => `{${victim.accountId},${thief.accountId}}`,
    net: '{-90000000,90000000}',
    out: '{90000000,0}',
    sends: '{1,0}',
    touches: '{1,1}',
    lasts: '{1,1}',
    ids: () => `{${randomUUID()}}`,
    keyed: '{f}',
    debits: '{1}',
    credits: '{2}',
    amounts: '{90000000}',
    froms: '{victim}',
    tos: '{thief}',
    typed: '{NULL}',
  };
  type Changes = Partial<Record<keyof typeof BATCH, string | null>>;
  const values = (changes: Changes) =>
    Object.entries({ ...BATCH, ...changes }).map(([, value]) => (typeof value === 'function' ? value() : value));
  const PAY = `SELECT b.* FROM ledger_state s, ledger_pay_batch(NULL, NULL, s.home_asset, s.names_epoch, s.names_random,
    $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) b`;

  const ATTACKS: [string, Changes][] = [
    ['a payer out of range', { debits: '{3}' }],
    ['a payer below the range', { debits: '{-1}' }],
    ['a receiver out of range', { credits: '{3}' }],
    ['no payer', { debits: '{NULL}' }],
    ['no receiver', { credits: '{NULL}' }],
    ['a negative amount', { debits: '{2}', credits: '{1}', amounts: '{-90000000}' }],
    ['no amount', { amounts: '{NULL}' }],
    ['nothing to pay', { amounts: '{0}' }],
    ['more than any amount', { amounts: '{9223372036854775807}' }],
    ['two amounts for one payment', { amounts: '{1,1}' }],
    ['fewer payers than payments', { debits: '{}' }],
    ['no list of payers', { debits: null }],
    ['a table of payers', { debits: '{{1}}' }],
    ['payers numbered from 5', { debits: '[5:5]={1}' }],
    ['amounts numbered from 0', { amounts: '[0:0]={90000000}' }],
    ['a payment without an id', { ids: '{NULL}' }],
    // The spending would count in the hour of the last payment, which may be long ago.
    ['a payer who is not counted as one', { sends: '{0,0}', touches: '{0,0}', net: '{0,0}', out: '{0,0}' }],
  ];
  it.each(ATTACKS)('cannot move money with %s', async (_, changes) => {
    await refuse('server', PAY, values(changes));
  });

  it('pays the stated amount, as servers do, whatever else it claims about the accounts', async () => {
    const lies = { net: '{5,7}', out: '{3,9}', touches: '{9,0}', lasts: '{7,0}', amounts: '{1000000}' };
    const [paid] = await as('server').query<{ o_available: bigint[] }>(PAY, values(lies));
    expect(paid!.o_available.map(BigInt)).toEqual([99_000_000n]);
    expect((await checkBooks(database.admin)).faults).toEqual([]);
  });

  it('cannot pay under the rules of an old snapshot', async () => {
    const stopped = operate(as('ada'), 'pause', 'add', 'all', '--why', 'a theft');
    const before = await readBalances();
    const paid = as('server').tx(async (tx) => {
      await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
      await tx.query('SELECT FROM pauses');
      await stopped;
      await tx.query(PAY, values({ amounts: '{1000000}' }));
    });
    await expect(paid).rejects.toThrow(/READ COMMITTED/);
    expect(await readBalances()).toEqual(before);
    await operate(as('ada'), 'pause', 'remove', 'all');
  });
});

describe('a stolen login of a worker (S12)', () => {
  const accounts = () => [victim.accountId, thief.accountId];
  it('cannot move money between balances', async () => {
    const move = `SELECT * FROM ledger_move(gen_random_uuid(), 'internal', $1, $2, 90000000, NULL, NULL)`;
    expect(await refuse('worker', move, accounts())).toMatch(/permission denied/);
    const apply = `SELECT * FROM ledger_apply(gen_random_uuid(), 'internal', $1, $2, 90000000, NULL, NULL)`;
    expect(await refuse('worker', apply, accounts())).toMatch(/permission denied/);
  });

  it('cannot credit a deposit without its log, or a deposit twice', async () => {
    await refuse('worker', 'SELECT credit_deposits(1::smallint, ARRAY[gen_random_uuid()])');
    await refuse('worker', 'SELECT credit_deposits(1::smallint, NULL)');
    await refuse(
      'worker',
      `SELECT ledger_deposit(1::smallint, ARRAY[gen_random_uuid()], ARRAY[$1::bigint], '{5}', '{x}')`,
      [thief.accountId],
    );
  });

  it('cannot end a hold that does not exist, or write off a deposit that is not lost', async () => {
    await refuse('worker', 'SELECT post_holds(ARRAY[gen_random_uuid()])');
    await refuse('worker', 'SELECT post_holds(NULL)');
    await refuse('worker', 'SELECT write_off_deposits(1::smallint, ARRAY[gen_random_uuid()])');
    await refuse('worker', `SELECT payment_release(gen_random_uuid(), gen_random_uuid(), NULL, NULL, NULL)`);
  });
});

describe('NULL instead of a number (S13)', () => {
  it('cannot start a payout that two people must approve', async () => {
    await giveTreasury(database.url, '1000');
    await as('worker').query('SELECT keep_send_rules(100000000, 0, false)');
    const create = async (known: { count: number; total: string }) => {
      const id = randomUUID();
      const payout = {
        id,
        currency: 'USDC',
        key: keyId,
        payer: null,
        wallet: null,
        on_shortage: 'wait',
        content_type: 'text/csv',
      };
      const row = { id: randomUUID(), reference: id, username: 'thief', person: thief.userId, amount: '500000000' };
      const home = { blockchain: 'ETH-SEPOLIA', note: null, destination: null };
      const [kept] = await as('server').query<{ said: unknown }>('SELECT create_payout($1, $2, $3) AS said', [
        JSON.stringify({ ...payout, client: '127.0.0.1', known_count: known.count, known_total: known.total }),
        JSON.stringify([{ ...row, ...home }]),
        Buffer.from('a file'),
      ]);
      expect(kept!.said).toBeNull();
      return id;
    };
    const confirm = (id: string, count: number | null, total: string | null) =>
      as('server')
        .query(`SELECT confirm_payout($1, $2, $3, $4, NULL, NULL, '127.0.0.1')`, [id, keyId, count, total])
        .catch(() => undefined);
    const stateOf = async (id: string) =>
      (await database.admin.query<{ state: string }>('SELECT state FROM payouts WHERE payout_id = $1', [id]))[0]!.state;

    const id = await create({ count: 0, total: '0' });
    for (const [count, total] of [
      [null, null],
      [1, null],
      [null, '500000000'],
    ] as const) {
      await confirm(id, count, total);
      expect(await stateOf(id)).toBe('checked');
    }
    await confirm(id, 1, '500000000');
    expect(await stateOf(id)).toBe('approving');
    // Declared as paid before, which would make the total zero.
    const lied = await create({ count: 1, total: '500000000' });
    await confirm(lied, 0, '0');
    expect(await stateOf(lied)).toBe('approving');
  });
});

describe('operator and dashboard logins (S14)', () => {
  const HARM: [string, string][] = [
    ['end every session and key', `SELECT note_restore('a lie')`],
    ['fix the token of a new chain', `SELECT ledger_describe_asset(1::smallint, 666, '0xabc')`],
    ['name the token of a new chain', `SELECT ledger_name_token(1::smallint, 'Evil')`],
    ['add a blockchain', `SELECT ledger_open_token('EVIL-CHAIN', 'USDC')`],
  ];
  for (const login of ['sven', 'mallory', 'reader', 'console'] as const) {
    it.each(HARM)(`${login} cannot %s`, async (_, sql) => {
      expect(await refuse(login, sql)).toMatch(/may not do this|is not an operator|permission denied/);
    });
  }

  it('a dashboard login cannot block signing, pauses or keys with a lock', async () => {
    const reader = as('reader');
    await reader.tx(async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock(n) FROM generate_series(7310460, 7310480) n');
      await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended(t, 0)) FROM unnest(ARRAY['resume', 'coins 1']) t`);
      const patient = async (login: keyof Logins, sql: string) =>
        as(login).tx(async (other) => {
          await other.query(`SET LOCAL lock_timeout = '5s'`);
          await other.query(sql);
        });
      await patient('signer', `SELECT commit_signatures('{}', '{}', 1, '{}', NULL)`);
      await patient(
        'worker',
        `SELECT pause_payments('chain:ETH-SEPOLIA', 'drift', 'a test', 'accepting and signing', 'x')`,
      );
      await patient('worker', `SELECT resume_payments('chain:ETH-SEPOLIA', 'drift')`);
    });
    const takers = await database.admin.query<{ name: string }>(
      `SELECT proname AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosrc LIKE '%pg_advisory%'`,
    );
    expect(takers).toEqual([]);
  });
});

describe('the audit log (S15)', () => {
  const ADA = `operator:${loginOf('ada')}`;
  const ACTORS = [ADA, 'user:x', 'key:x', 'provider:sumsub', 'service:florin', 'nobody', ''];
  const MAY: Partial<Record<keyof Logins, string[]>> = {
    server: ['user:x', 'key:x', 'provider:sumsub'],
    worker: ['service:florin'],
    ada: [ADA],
    // Recorded under their own login, whatever they claim.
    sven: [ADA],
    mallory: [],
    reader: [],
    console: [],
    signer: [],
  };
  it.each(Object.keys(MAY) as (keyof typeof MAY)[])('records for %s only its own actions', async (login) => {
    const countOfAda = async () =>
      (await database.admin.query<{ n: bigint }>('SELECT count(*) AS n FROM audit_log WHERE actor = $1', [ADA]))[0]!.n;
    const before = await countOfAda();
    const done: string[] = [];
    for (const actor of [...ACTORS, null]) {
      const sql = `SELECT record_audit($1, 'payments.paused', NULL, '{}')`;
      const ok = await as(login)
        .query(sql, [actor])
        .then(
          () => true,
          () => false,
        );
      if (ok) done.push(actor!);
    }
    expect(done).toEqual(MAY[login]);
    expect((await countOfAda()) - before).toBe(login === 'ada' ? 1n : 0n);
  });

  it('cannot be shortened by any process or operator', async () => {
    await database.admin.query(
      `INSERT INTO audit_log (at, actor, action) VALUES (now() - interval '800 days', 'operator:old', 'login')`,
    );
    for (const login of ['server', 'worker', 'signer', 'ada', 'reader', 'console'] as const) {
      for (const sql of [
        `SELECT forget_some('audit', 400, 1000)`,
        'SELECT forget_some(NULL, 400, 1000)',
        'SELECT forget_audit(400)',
        `SELECT forget_audit(400, '(0,0)', '(9,0)')`,
        'DELETE FROM audit_log',
      ]) {
        await expect(as(login).query(sql), `${login}: ${sql}`).rejects.toThrow();
      }
    }
    const [old] = await database.admin.query(`SELECT FROM audit_log WHERE at < now() - interval '700 days'`);
    expect(old).toBeDefined();
  });
});

describe('functions that logins may call', () => {
  it('check their arguments before anything else', async () => {
    const unchecked = await database.admin.query<{ name: string }>(
      `SELECT p.proname AS name FROM pg_proc p
        WHERE p.pronamespace = 'public'::regnamespace AND p.prosecdef AND p.provolatile = 'v' AND p.prorettype <> 'trigger'::regtype
          AND EXISTS (SELECT FROM pg_roles r WHERE r.rolname LIKE '%\\_template\\_%' AND NOT r.rolsuper
                        AND r.rolname NOT LIKE '%\\_owner' AND has_function_privilege(r.oid, p.oid, 'EXECUTE'))
          AND p.prosrc !~ '\\mBEGIN\\s+(--[^\\n]*\\s+)*(PERFORM require_arguments|IF \\(n BETWEEN 1)'
          AND p.proname NOT IN ('ledger_rebase', 'accept_sends') ORDER BY 1`,
    );
    expect(unchecked.map(({ name }) => name)).toEqual([]);
  });

  it('give no login the general money movement', async () => {
    const movers = await database.admin.query<{ name: string }>(
      `SELECT DISTINCT p.proname AS name FROM pg_proc p, pg_roles r
        WHERE p.pronamespace = 'public'::regnamespace AND p.proname IN ('ledger_apply', 'ledger_move', 'ledger_deposit',
              'ledger_hold_many', 'ledger_pay_many', 'ledger_refund', 'ledger_hold_paid', 'write_audit', 'write_restore')
          AND r.rolname ~ '_template_(server|worker|signer|operator|reader|console)$' AND has_function_privilege(r.oid, p.oid, 'EXECUTE')`,
    );
    expect(movers).toEqual([]);
  });
});
