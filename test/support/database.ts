import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Db, openDatabase } from '../../server/src/db/database.ts';

export const TEMPLATE = 'florin_template';

/** The server that `globalSetup.ts` started, or the given one. Its user may create databases. */
function getAdminUrl(): string {
  const url = process.env.FLORIN_TEST_DATABASE_URL;
  if (!url) throw new Error('FLORIN_TEST_DATABASE_URL is not set: run tests with vitest, which starts PostgreSQL');
  return url;
}

/**
 * URLs of logins with the template's roles: one login per role, some operators by name, and `tester` with the roles of
 * all processes. A test fails when a privilege is missing, and none of these logins can do what only the owner may.
 */
export interface Logins {
  readonly tester: string;
  readonly server: string;
  readonly worker: string;
  readonly signer: string;
  readonly operator: string;
  readonly reader: string;
  readonly console: string;
  /** Operators, for tests in which it matters who acts (`operators.ts`). */
  readonly ada: string;
  readonly anna: string;
  readonly mallory: string;
  readonly rita: string;
  readonly rolf: string;
  readonly sven: string;
}

export interface TestDatabase {
  /** The URL of the login `tester`. */
  readonly url: string;
  /** A login with all rights, for what no process of ours may do. */
  readonly adminUrl: string;
  urlOf(login: keyof Logins): string;
  drop(): Promise<void>;
}

/** The time that tests wait for PostgreSQL, long enough for a machine that is several times slower. */
export const PATIENT = { connectTimeoutMs: 60_000, statementTimeoutMs: 60_000 };

/**
 * A new database with every migration applied, copied from the template file by file: page by page, through the log,
 * takes twice the processor time.
 */
export const createTestDatabase = (): Promise<TestDatabase> => createDatabase(TEMPLATE);

/** A new database without anything of ours. To empty a migrated one takes a second of processor time. */
export const createEmptyDatabase = (): Promise<TestDatabase> => createDatabase('template0');

async function createDatabase(template: string): Promise<TestDatabase> {
  const name = `florin_test_${process.pid}_${randomBytes(6).toString('hex')}`;
  await runAsAdmin(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  const adminUrl = new URL(getAdminUrl());
  adminUrl.pathname = `/${name}`;
  return {
    url: urlAs(adminUrl.href, 'tester'),
    adminUrl: adminUrl.href,
    urlOf: (login) => urlAs(adminUrl.href, login),
    // FORCE: a pool that a failed test left open must not keep its database alive.
    drop: () => runAsAdmin(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

/** The same database with another login. */
export function urlAs(databaseUrl: string, login: keyof Logins): string {
  const logins = JSON.parse(process.env.FLORIN_TEST_LOGINS ?? '{}') as Logins;
  const url = new URL(logins[login]);
  url.pathname = new URL(databaseUrl).pathname;
  return url.href;
}

/** Runs a statement in the database of `databaseUrl` with all rights, for what no process of ours may do. */
export async function asAdmin<Row>(databaseUrl: string, sql: string, values?: readonly unknown[]): Promise<Row[]> {
  const db = openAsAdmin(databaseUrl);
  try {
    return await db.query<Row>(sql, values);
  } finally {
    await db.close();
  }
}

/** Opens the database with a login that has all rights. The caller closes it. */
export function openAsAdmin(databaseUrl: string): Db {
  const url = new URL(getAdminUrl());
  url.pathname = new URL(databaseUrl).pathname;
  return openDatabase(url.href, { ...PATIENT, maxConnections: 1 });
}

/** Lifts all limits in a database without people. Most tests do not concern limits; those that do set their own. */
export async function liftLimits(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('UPDATE kyc_tiers SET tier = 0');
  await client.end();
}

/** Adds a currency as a migration would, without limits. */
export const addCurrency = (databaseUrl: string, currency: string, decimals: number): Promise<unknown> =>
  asAdmin(
    databaseUrl,
    `WITH added AS (INSERT INTO currencies VALUES ($1, $2) RETURNING currency),
          tier AS (INSERT INTO tiers (tier, name, currency) SELECT 40, 'unlimited ' || currency, currency FROM added
                   RETURNING tier, currency)
     INSERT INTO kyc_tiers (kyc_status, tier, currency)
     SELECT k.kyc_status, t.tier, t.currency FROM tier t, kyc_tiers k`,
    [currency, decimals],
  );

/** Test files run in parallel, and PostgreSQL copies a template only while it has no connections. */
const isBusy = (error: unknown): boolean =>
  ['55006', '53300', '57P03'].includes((error as { code?: string }).code ?? '');

export async function runAsAdmin(statement: string, url?: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await (url ? runOnce(statement, url) : runOnKept(statement));
    } catch (error) {
      if (!isBusy(error) || attempt >= 800) throw error;
      await sleep(50 + Math.random() * 50);
    }
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return client;
}

async function runOnce(statement: string, url: string): Promise<void> {
  const client = await connect(url);
  try {
    await client.query(statement);
  } finally {
    await client.end().catch(() => {});
  }
}

const kept = new Map<string, Promise<pg.Client>>();

/** Databases are created and dropped all the time, and a new connection each time would double the cost. */
function connectOnce(url: string): Promise<pg.Client> {
  const known = kept.get(url);
  if (known) return known;
  const forget = () => kept.delete(url);
  const connecting = connect(url).then((client) => client.on('end', forget));
  connecting.catch(forget);
  kept.set(url, connecting);
  return connecting;
}

let last: Promise<unknown> = Promise.resolve();

/** Statements run one after another. Between statements the connection keeps no process alive. */
function runOnKept(statement: string): Promise<void> {
  const run = async () => {
    const client = await connectOnce(getAdminUrl());
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
    stream.ref();
    await client.query(statement).finally(() => stream.unref());
  };
  const ran = last.then(run);
  last = ran.catch(() => {});
  return ran;
}
