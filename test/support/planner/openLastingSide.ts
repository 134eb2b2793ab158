/** A server or worker whose sessions stay open while nothing happens: PostgreSQL keeps their plans. */
import pg from 'pg';
import { type Db, type Tx, types } from '../../../server/src/db/database.ts';
import { openSends } from '../../../server/src/payments/sends/openSends.ts';
import { openUserPayments } from '../../../server/src/payments/users/openUserPayments.ts';
import type { TestDatabase } from '../database.ts';
import { openSide, type Side } from '../prove/races/openSide.ts';
import { HOME } from '../values.ts';

export function openLastingSide(database: TestDatabase, settings: string): Side {
  const through = (url: string) => `${url}?options=${encodeURIComponent(settings)}`;
  const side = openSide(database, through);
  const db = openLasting(through(database.url));
  const { sessions } = side.callers;
  const databaseUrl = through(database.url);
  const userPayments = openUserPayments({
    databaseUrl,
    db,
    homeBlockchain: HOME,
    currency: 'USDC',
    sessions,
    concurrency: 1,
  });
  const sends = openSends({ db, sendRules: { approvalThreshold: undefined, newRecipientDelaySeconds: 0 } });
  return {
    ...side,
    db,
    userPayments,
    sends,
    custody: { ...side.custody, db },
    async close() {
      await Promise.all([userPayments.close(), sends.close()]);
      await Promise.all([db.close(), side.close()]);
    },
  };
}

function openLasting(connectionString: string): Db {
  const pool = new pg.Pool({ connectionString, idleTimeoutMillis: 0, max: 1, types });
  return {
    query: async (sql, values) => (await pool.query(sql, values as unknown[])).rows,
    async tx(work) {
      const client = await pool.connect();
      const query = async (sql: string, values?: readonly unknown[]) =>
        (await client.query(sql, values as unknown[])).rows;
      try {
        await client.query('BEGIN');
        const result = await work({ query, afterCommit: () => {} } as unknown as Tx);
        await client.query('COMMIT');
        return result;
      } catch (error) {
        await client.query('ROLLBACK');
        throw error;
      } finally {
        client.release();
      }
    },
    close: () => pool.end(),
  };
}
