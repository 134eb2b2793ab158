import { openDatabase } from '../../../server/src/db/database.ts';
import { PATIENT, runAsAdmin } from '../database.ts';
import type { CustodyWorld } from './custody.ts';

/** Copies the database; the returned function restores that copy. */
export async function backUp(world: CustodyWorld): Promise<() => Promise<void>> {
  const name = new URL(world.databaseUrl).pathname.slice(1);
  await world.db.close();
  await runAsAdmin(`CREATE DATABASE ${name}_old TEMPLATE ${name}`);
  world.db = openDatabase(world.databaseUrl, PATIENT);
  return async () => {
    await world.db.close();
    const url = new URL(world.databaseUrl);
    url.pathname = `/${name}_old`;
    world.databaseUrl = url.href;
    world.db = openDatabase(url.href, PATIENT);
  };
}
