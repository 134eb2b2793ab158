/**
 * The rights of every role in the database: according to PostgreSQL's catalogue, and according to its answers to every attempt.
 */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { migrate } from '../../server/src/db/migrate.ts';
import { ROLES } from '../../server/src/db/roles.ts';
import { asAdmin, createTestDatabase, runAsAdmin, type TestDatabase } from '../support/database.ts';

/** Only functions that run as the owner write these. */
const MONEY = [
  'accounts',
  'assets',
  'ledger_state',
  'money_requests',
  'payment_notes',
  'payments',
  'payout_items',
  'payouts',
  'recipients',
  'refunds',
  'refund_totals',
  'refusals',
  'spendings',
  'tiers',
];
const HISTORY = [
  'approvals',
  'audit_log',
  'key_events',
  'kyc_events',
  'kyc_tier_changes',
  'money_request_events',
  'payment_events',
  'payout_approvals',
  'payout_events',
  'payout_files',
  'tier_changes',
  'transfers',
];
const CONTROL = [
  'applied_functions',
  'key_budgets',
  'key_rules',
  'kyc_tiers',
  'migrations',
  'operator_identities',
  'operators',
  'passkey_challenges',
  'passkey_removals',
  'passkeys',
  'pauses',
  'releases',
  'role_names',
  'send_rules',
];
const GUARDED = [...MONEY, ...HISTORY, ...CONTROL];
/** The worker's; the signer adds signatures, and operators a relay transaction for a skipped nonce. */
const COINS = ['authorizations', 'cancellations', 'carriers', 'deposits', 'holdings', 'settlements', 'signatures'];
const WRITES = ['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE'];

let database: TestDatabase;
let admin: Db;
beforeAll(async () => {
  database = await createTestDatabase();
  admin = openDatabase(database.adminUrl, { maxConnections: 2 });
});
afterAll(async () => {
  await admin.close();
  await database.drop();
});

/** `worker INSERT signatures`, also when only some columns are granted. */
async function listWrites(tables: readonly string[]): Promise<string[]> {
  const rows = await admin.query<{ line: string }>(
    `SELECT format('%s %s %s', r.role, w.what, t.name) AS line
       FROM unnest($1::text[]) AS r(role), unnest($2::text[]) AS w(what), unnest($3::text[]) AS t(name), role_names n
      WHERE has_table_privilege(n.prefix || '_' || r.role, t.name, w.what)
         OR (w.what IN ('INSERT', 'UPDATE') AND has_any_column_privilege(n.prefix || '_' || r.role, t.name, w.what))
      ORDER BY line`,
    [ROLES.filter((role) => role !== 'owner'), WRITES, tables],
  );
  return rows.map(({ line }) => line);
}

describe('according to the catalogue,', () => {
  it('no role writes money, history, operators, pauses or migrations', async () => {
    expect(await listWrites(GUARDED)).toEqual([]);
  });

  it('only the worker writes where coins are, and no role changes or removes a signature', async () => {
    const writes = await listWrites(COINS);
    expect(writes.filter((line) => !line.startsWith('worker '))).toEqual([
      'operator INSERT carriers',
      'signer INSERT cancellations',
      'signer INSERT signatures',
    ]);
    expect(writes.filter((line) => /(UPDATE|DELETE|TRUNCATE) (signatures|cancellations)/.test(line))).toEqual([]);
    expect(writes.filter((line) => /DELETE|TRUNCATE/.test(line))).toEqual([]);
  });

  it('the server writes what belongs to people, operators what their commands need, and nothing else', async () => {
    const tables = await admin.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`,
    );
    const writes = await listWrites(tables.map(({ name }) => name));
    const written = new Set(writes.flatMap((line) => /^server \w+ (\w+)/.exec(line)?.[1] ?? []));
    expect([...written].sort()).toEqual([
      'chain_heads',
      'idempotency_records',
      'kyc_checks',
      'login_secrets',
      'onchain_balances',
      'rate_windows',
      'rates',
      'service_keys',
      'session_tokens',
      'sessions',
      'spent_id_tokens',
      'username_changes',
      'username_skeletons',
      'usernames',
      'users',
      'webhook_endpoints',
      'webhook_secrets',
    ]);
    expect(writes.filter((line) => /^(reader|console) /.test(line))).toEqual([]);
    expect(writes.filter((line) => line.startsWith('operator '))).toEqual([
      'operator DELETE webhook_secrets',
      'operator INSERT carriers',
      'operator INSERT webhook_endpoints',
      'operator INSERT webhook_secrets',
      'operator UPDATE relayers',
      'operator UPDATE webhook_endpoints',
      'operator UPDATE webhook_secrets',
    ]);
  });

  it('every function that runs as the owner belongs to the owner, and resolves names only in schemas that the owner writes', async () => {
    const rows = await admin.query<{ name: string; owner: string; path: string | null; defines: boolean }>(
      `SELECT p.proname AS name, substr(r.rolname, length(n.prefix) + 2) AS owner, p.prosecdef AS defines,
              (SELECT c FROM unnest(p.proconfig) AS c WHERE c LIKE 'search_path=%') AS path
         FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner, role_names n
        WHERE p.pronamespace = 'public'::regnamespace`,
    );
    expect(rows.filter(({ owner }) => owner !== 'owner')).toEqual([]);
    const definers = rows.filter(({ defines }) => defines);
    expect(definers.length).toBeGreaterThan(20);
    expect(definers.filter(({ path }) => path !== 'search_path=public, pg_temp')).toEqual([]);
  });

  it('the console reads the roster and whether the build fits, and calls nothing', async () => {
    const may = await admin.query<{ name: string }>(
      `SELECT c.relname AS name FROM pg_class c, role_names n WHERE c.relnamespace = 'public'::regnamespace
          AND c.relkind IN ('r', 'v') AND has_any_column_privilege(n.prefix || '_console', c.oid, 'SELECT')
       UNION ALL SELECT p.proname FROM pg_proc p, role_names n WHERE p.pronamespace = 'public'::regnamespace
          AND has_function_privilege(n.prefix || '_console', p.oid, 'EXECUTE')
        ORDER BY 1`,
    );
    expect(may.map(({ name }) => name)).toEqual([
      'applied_functions',
      'migrations',
      'operator_identities',
      'releases',
      'role_names',
    ]);
  });

  it('everything belongs to the owner, who cannot log in', async () => {
    const foreign = await admin.query(
      `SELECT relname FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner, role_names n
        WHERE relnamespace = 'public'::regnamespace AND r.rolname <> n.prefix || '_owner'`,
    );
    expect(foreign).toEqual([]);
    const [owner] = await admin.query(
      `SELECT rolcanlogin, rolsuper, rolcreaterole, rolbypassrls FROM pg_roles JOIN role_names ON rolname = prefix || '_owner'`,
    );
    expect(owner).toEqual({ rolcanlogin: false, rolsuper: false, rolcreaterole: false, rolbypassrls: false });
    const members = await admin.query(
      `SELECT m.rolname FROM pg_auth_members a JOIN pg_roles m ON m.oid = a.member JOIN pg_roles g ON g.oid = a.roleid
         JOIN role_names n ON g.rolname = n.prefix || '_owner' WHERE NOT m.rolsuper`,
    );
    expect(members).toEqual([]);
  });

  it('nothing is granted to PUBLIC', async () => {
    const open = await admin.query(
      `SELECT relname FROM pg_class c, aclexplode(c.relacl) a WHERE relnamespace = 'public'::regnamespace AND a.grantee = 0
       UNION ALL
       SELECT proname FROM pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
        WHERE pronamespace = 'public'::regnamespace AND a.grantee = 0`,
    );
    expect(open).toEqual([]);
  });

  it('read-only roles see no secret', async () => {
    const seen = await admin.query(
      `SELECT s.name, s.secret FROM role_names n, (VALUES ('session_tokens', 'hash'), ('session_tokens', 'spent_under'),
          ('service_keys', 'hash'), ('spent_id_tokens', 'hash'), ('login_secrets', 'secret'), ('idempotency_records', 'answer'),
          ('signatures', 'signature'), ('cancellations', 'signature'), ('carrier_attempts', 'raw')) AS s(name, secret),
          unnest(ARRAY['reader', 'operator']) AS r(role)
        WHERE has_column_privilege(n.prefix || '_' || r.role, s.name, s.secret, 'SELECT')`,
    );
    expect(seen).toEqual([]);
  });
});

/** The SQLSTATE is the same in every language. */
const DENIED = '42501';
const codeOf = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => 'done',
    (error: { code?: string }) => error.code,
  );

describe('PostgreSQL refuses', () => {
  /** Any write to these tables; the catalogue names a column of each. */
  async function listStatements(tables: readonly string[]): Promise<string[]> {
    const rows = await admin.query<{ table: string; column: string }>(
      `SELECT t.name AS "table", (SELECT attname FROM pg_attribute
                WHERE attrelid = t.name::regclass AND attnum > 0 AND attgenerated = '' AND attidentity = ''
                ORDER BY attnum DESC LIMIT 1) AS "column"
         FROM unnest($1::text[]) AS t(name)`,
      [tables],
    );
    return rows.flatMap(({ table, column }) => [
      `INSERT INTO ${table} DEFAULT VALUES`,
      `INSERT INTO ${table} (${column}) VALUES (NULL)`,
      `UPDATE ${table} SET ${column} = NULL`,
      `DELETE FROM ${table}`,
      `TRUNCATE ${table} CASCADE`,
    ]);
  }

  it.each([
    ['server', [...GUARDED, ...COINS]],
    ['worker', GUARDED],
    ['operator', GUARDED],
    ['reader', [...GUARDED, ...COINS]],
    ['console', [...GUARDED, ...COINS]],
  ] as const)('every direct write to a table of another role: %s', async (login, tables) => {
    const db = openDatabase(database.urlOf(login), { maxConnections: 1 });
    const passed: string[] = [];
    for (const statement of await listStatements(tables)) {
      if ((await codeOf(db.query(statement))) !== DENIED) passed.push(statement);
    }
    await db.close();
    expect(passed).toEqual([]);
  });

  it.each([
    `SELECT ledger_move(gen_random_uuid(), 'deposit', 1, 2, 5, NULL, NULL)`,
    `SELECT payments_advance(ARRAY[gen_random_uuid()], ARRAY['COMPLETE'], NULL, NULL, NULL)`,
    `SELECT approve_payment(gen_random_uuid(), 'anna')`,
    `SELECT set_operator('mallory', 'admin')`,
    `SELECT ledger_set_tier('unverified', '{"day": null}', 'operator:mallory', 'greed')`,
    `SELECT ledger_give_tier('none', 'unlimited', 'operator:mallory', 'greed')`,
    `SELECT resume_payments('all', 'operator')`,
    'SELECT hash FROM carrier_attempts, signatures s WHERE s.signature IS NOT NULL',
    'SELECT raw FROM carrier_attempts',
    'ALTER TABLE transfers DISABLE TRIGGER ALL',
    'ALTER TABLE accounts DROP CONSTRAINT accounts_never_overdrawn',
    'DROP TABLE audit_log',
    'CREATE TABLE public.mine (n int)',
    `CREATE OR REPLACE FUNCTION record_audit(text, text, uuid, jsonb) RETURNS void LANGUAGE sql AS ''`,
    'CREATE FUNCTION public.mine() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
    'SET ROLE florin_template_owner',
    `SET session_replication_role = 'replica'`,
  ])('a server that runs %s', async (statement) => {
    const db = openDatabase(database.urlOf('server'), { maxConnections: 1 });
    expect(await codeOf(db.query(statement))).toBe(DENIED);
    await db.close();
  });

  it('to resolve names to a table of the caller', async () => {
    const client = new pg.Client({ connectionString: database.urlOf('server') });
    await client.connect();
    await client.query('CREATE TEMP TABLE audit_log (actor text, action text, user_id uuid, details jsonb)');
    await client.query(`SET search_path = pg_temp, public`);
    await client.query(`SELECT public.record_audit('user:led-astray', 'login', NULL, '{}')`);
    expect((await client.query('SELECT FROM pg_temp.audit_log')).rowCount).toBe(0);
    await client.end();
    expect(await admin.query(`SELECT FROM audit_log WHERE actor = 'user:led-astray'`)).toHaveLength(1);
  });
});

describe('the migration', () => {
  const name = `florin_managed_${randomBytes(4).toString('hex')}`;
  const url = () => {
    const own = new URL(database.adminUrl);
    [own.pathname, own.username, own.password] = [`/${name}`, name, 'made-for-this-test'];
    return own.href;
  };
  beforeAll(async () => {
    await runAsAdmin(`CREATE ROLE ${name} LOGIN PASSWORD 'made-for-this-test'`);
    await runAsAdmin(`CREATE DATABASE ${name} OWNER ${name}`);
  });
  afterAll(async () => {
    await runAsAdmin(`DROP DATABASE ${name} WITH (FORCE)`);
    for (const role of ROLES) await runAsAdmin(`DROP ROLE IF EXISTS ${name}_${role}`);
    await runAsAdmin(`DROP ROLE ${name}`);
  });

  it('by a login that may not create roles prints what someone else has to run, and then works', async () => {
    const said = await migrate(url()).then(
      () => '',
      (error: Error) => error.message,
    );
    expect(said).toContain(`${name} may not create them`);
    const statements = [...said.matchAll(/^ {2}(.+;)$/gm)].map((match) => match[1]!);
    expect(statements).toEqual([
      ...ROLES.map((role) => `CREATE ROLE "${name}_${role}" NOLOGIN;`),
      `GRANT "${name}_owner" TO "${name}";`,
      `GRANT USAGE, CREATE ON SCHEMA public TO "${name}_owner";`,
      expect.stringMatching(/^GRANT USAGE ON SCHEMA public TO /),
    ]);
    await asAdmin(url(), statements.join('\n'));
    await migrate(url());
    await migrate(url());
    const [table] = await asAdmin<{ owner: string }>(
      url(),
      `SELECT tableowner AS owner FROM pg_tables WHERE tablename = 'transfers'`,
    );
    expect(table!.owner).toBe(`${name}_owner`);
  });

  it('returns a database that was restored without owners to its owner', async () => {
    await asAdmin(
      url(),
      `ALTER TABLE transfers OWNER TO ${name}; ALTER FUNCTION ledger_rebase() OWNER TO ${name};
       REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${name}_server`,
    );
    await migrate(url());
    const [after] = await asAdmin(
      url(),
      `SELECT (SELECT tableowner FROM pg_tables WHERE tablename = 'transfers') AS "table",
              (SELECT proowner::regrole::text FROM pg_proc WHERE proname = 'ledger_rebase') AS "function",
              has_table_privilege('${name}_server', 'transfers', 'SELECT') AS reads`,
    );
    expect(after).toEqual({ table: `${name}_owner`, function: `${name}_owner`, reads: true });
  });
});
