/** Databases with the fuzzer's world: one template per variant, and as many copies as a run needs. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrate } from '../../../../server/src/db/migrate.ts';
import { createTestDatabase, runAsAdmin, urlAs } from '../../database.ts';
import { type CatalogueFunction, listFunctions, listWritableTables, type WritableTable } from './catalogue.ts';
import { ACTORS, type Actor, keyOf, sessionUserOf } from './logins.ts';
import { installRecorder, type Row, readAll, readKeys } from './recorder.ts';
import { State, type Variant } from './state.ts';
import { buildWorld } from './world/buildWorld.ts';

export interface World {
  readonly owner: pg.Client;
  as(actor: Actor): Promise<pg.Client>;
  close(): Promise<void>;
}

export interface Worlds {
  readonly variant: Variant;
  readonly keys: ReadonlyMap<string, readonly string[]>;
  readonly baseline: State;
  readonly functions: ReadonlyMap<Actor, readonly CatalogueFunction[]>;
  readonly tables: ReadonlyMap<Actor, readonly WritableTable[]>;
  /** A fresh copy. */
  open(): Promise<World>;
  drop(): Promise<void>;
}

const PATIENCE = '-c statement_timeout=3000 -c lock_timeout=300 -c client_min_messages=error';

async function connect(url: string, options?: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, ...(options && { options }) });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** `mutate` plants a fault in the template. */
export async function openWorlds(variant: Variant, mutate?: (owner: pg.Client) => Promise<void>): Promise<Worlds> {
  const template = await createTestDatabase();
  const owner = await connect(template.adminUrl);
  let keys: Map<string, readonly string[]>;
  let all: Map<string, Map<string, Row>>;
  const functions = new Map<Actor, readonly CatalogueFunction[]>();
  const tables = new Map<Actor, readonly WritableTable[]>();
  try {
    await buildWorld(owner);
    if (variant === 'unfinished') {
      await owner.query(`INSERT INTO releases (version) VALUES ('0.2.0') ON CONFLICT DO NOTHING`);
      await migrate(template.adminUrl);
    }
    await mutate?.(owner);
    await installRecorder(owner);
    keys = await readKeys(owner);
    all = await readAll(owner, keys);
    for (const actor of ACTORS) {
      functions.set(actor, await listFunctions(owner, sessionUserOf(actor)));
      tables.set(actor, await listWritableTables(owner, sessionUserOf(actor)));
    }
  } finally {
    await owner.end();
  }
  const templateName = new URL(template.adminUrl).pathname.slice(1);
  return {
    variant,
    keys,
    baseline: new State(all),
    functions,
    tables,
    open: () => copyWorld(template.adminUrl, templateName),
    drop: () => template.drop(),
  };
}

async function copyWorld(adminUrl: string, template: string): Promise<World> {
  const name = `${template}_${randomBytes(4).toString('hex')}`;
  await runAsAdmin(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  const clients = new Map<Actor, Promise<pg.Client>>();
  const owner = await connect(url.href);
  return {
    owner,
    as(actor) {
      let client = clients.get(actor);
      if (!client) {
        client = connect(urlAs(url.href, keyOf(actor)), PATIENCE);
        clients.set(actor, client);
      }
      return client;
    },
    async close() {
      for (const client of clients.values()) await (await client).end().catch(() => {});
      await owner.end();
      await runAsAdmin(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}
