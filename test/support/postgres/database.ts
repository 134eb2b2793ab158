import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

export const TEMPLATE = 'florin_template';

/** The server that `globalSetup.ts` started for this project, or the one that was given. Its user may create databases. */
function getAdminUrl(): string {
  const url = process.env.FLORIN_TEST_DATABASE_URL;
  if (!url) throw new Error('FLORIN_TEST_DATABASE_URL is not set: run tests with vitest, which starts PostgreSQL');
  return url;
}

/** A database of one's own with every migration applied, copied from the template in about 50 ms. */
export async function createTestDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `florin_test_${process.pid}_${randomBytes(6).toString('hex')}`;
  await runAsAdmin(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`);
  const url = new URL(getAdminUrl());
  url.pathname = `/${name}`;
  return {
    url: url.href,
    // FORCE: a pool that a failed test left open must not keep its database alive.
    drop: () => runAsAdmin(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

/** Most tests are not about limits; those that are set their own. For a database that nobody is in yet. */
export async function liftLimits(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('UPDATE kyc_tiers SET tier = 0');
  await client.end();
}

export async function runAsAdmin(statement: string, url = getAdminUrl()): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query(statement);
      return;
    } catch (error) {
      // Test files run side by side, and PostgreSQL copies a template only while nobody is connected to it.
      const busy = ['55006', '53300', '57P03'].includes((error as { code?: string }).code ?? '');
      if (!busy || attempt >= 50) throw error;
      await sleep(50 + Math.random() * 50);
    } finally {
      await client.end().catch(() => {});
    }
  }
}
