import type { Db } from '../../../server/src/db/database.ts';

/**
 * Keeps a copy of the whole database, and returns a function that restores it in place and in one commit: no connection
 * breaks, so no process can notice it that way, just as behind a pooler. Sequences return the same numbers again. Only
 * the audit log stays, because nothing may delete from it.
 */
export async function backUp(admin: Db): Promise<() => Promise<void>> {
  const tables = await admin.query<{ name: string; columns: string }>(
    `SELECT c.relname AS name, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) AS columns
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> 'audit_log'
        AND a.attgenerated = '' GROUP BY c.relname`,
  );
  await admin.tx(async (tx) => {
    await tx.query('DROP SCHEMA IF EXISTS backup CASCADE');
    await tx.query('CREATE SCHEMA backup');
    for (const { name } of tables) await tx.query(`CREATE TABLE backup.${name} AS TABLE public.${name}`);
  });
  const sequences = await admin.query<{ name: string }>(
    `SELECT sequencename AS name FROM pg_sequences WHERE schemaname = 'public' AND sequencename NOT LIKE 'audit_log%'`,
  );
  const places = await Promise.all(
    sequences.map(async ({ name }) => {
      const [place] = await admin.query<{ last_value: bigint; is_called: boolean }>(
        `SELECT last_value, is_called FROM ${name}`,
      );
      return [name, place!.last_value, place!.is_called];
    }),
  );
  return () =>
    admin.tx(async (tx) => {
      // Triggers and foreign keys do not fire, as in a restore.
      await tx.query('SET LOCAL session_replication_role = replica');
      for (const { name, columns } of tables) {
        await tx.query(`DELETE FROM public.${name}`);
        await tx.query(
          `INSERT INTO public.${name} (${columns}) OVERRIDING SYSTEM VALUE SELECT ${columns} FROM backup.${name}`,
        );
      }
      for (const place of places) await tx.query('SELECT setval($1::regclass, $2, $3)', place);
    });
}
