/** Ways to back up and restore a database. */
import { openDatabase } from '../../../server/src/db/database.ts';
import { backUp as keepTables } from '../database/turnBack.ts';
import { asAdmin, runAsAdmin } from '../database.ts';

/** `url`: of the database, with any login. The returned function restores it; its URL stays the same. */
export interface Way {
  readonly name: string;
  /** No connection may be open while it is backed up. */
  readonly needsSilence: boolean;
  backUp(url: string): Promise<() => Promise<void>>;
}

/** All rows come back in one commit, under connections that stay open: how any restore looks through a pooler. */
export const inPlace: Way = {
  name: 'in place',
  needsSilence: false,
  async backUp(url) {
    const admin = openDatabase(await adminUrlOf(url), { maxConnections: 1 });
    const restore = await keepTables(admin);
    return async () => {
      await restore();
      await admin.close();
    };
  },
};

/** A copy of the files of one database, which replaces the original. */
export const copied: Way = {
  name: 'copied',
  needsSilence: true,
  async backUp(url) {
    const name = new URL(url).pathname.slice(1);
    await runAsAdmin(`CREATE DATABASE ${name}_copy TEMPLATE ${name}`);
    return async () => {
      await runAsAdmin(`DROP DATABASE ${name} WITH (FORCE)`);
      await runAsAdmin(`ALTER DATABASE ${name}_copy RENAME TO ${name}`);
    };
  },
};

async function adminUrlOf(url: string): Promise<string> {
  await asAdmin(url, 'SELECT 1');
  const admin = new URL(process.env.FLORIN_TEST_DATABASE_URL!);
  admin.pathname = new URL(url).pathname;
  return admin.href;
}
