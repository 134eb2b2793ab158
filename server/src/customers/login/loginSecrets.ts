import { randomBytes } from 'node:crypto';
import type { Db, Queryable } from '../../db/database.ts';

/** Authenticates logins that are begun in the web wallet. All servers share it. */
interface LoginSecret {
  readonly secretId: string;
  readonly secret: Buffer;
}

interface Row {
  readonly secret_id: string;
  readonly secret: Buffer;
}

const SECRET_BYTES = 32;

/** The secret for new logins. The first login of a day replaces it. */
export async function getLoginSecret({ db }: { readonly db: Db }): Promise<LoginSecret> {
  const [current] = await db.query<Row>(
    `SELECT secret_id::text, secret FROM login_secrets WHERE created_at > now() - interval '1 day'
      ORDER BY secret_id DESC LIMIT 1`,
  );
  const { secret_id: secretId, secret } = current ?? (await replaceSecret(db));
  return { secretId, secret };
}

/**
 * The secret of a login that was begun earlier; undefined if it has expired. A login lasts ten minutes, so a secret is
 * accepted a little longer than it is used.
 */
export async function findLoginSecret(db: Queryable, secretId: string): Promise<Buffer | undefined> {
  const [found] = await db.query<{ secret: Buffer }>(
    `SELECT secret FROM login_secrets
      WHERE secret_id = $1::bigint AND created_at > now() - interval '1 day 15 minutes'`,
    [secretId],
  );
  return found?.secret;
}

/** Two servers that do this at the same time add two secrets, and both are accepted. */
const replaceSecret = (db: Db): Promise<Row> =>
  db.tx(async (tx) => {
    await tx.query(`DELETE FROM login_secrets WHERE created_at < now() - interval '2 days'`);
    const [added] = await tx.query<Row>(
      'INSERT INTO login_secrets (secret) VALUES ($1) RETURNING secret_id::text, secret',
      [randomBytes(SECRET_BYTES)],
    );
    return added!;
  });
