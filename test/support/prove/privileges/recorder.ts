/**
 * Records every changed row, whichever function or trigger changes it. It belongs to the superuser, so no login under
 * test can reach or stop it.
 */
import type pg from 'pg';

/** Values as PostgreSQL writes them in JSON, as text, so that numbers keep all their digits. */
export type Row = Readonly<Record<string, string | null>>;

export interface Change {
  readonly table: string;
  readonly key: string;
  /** Before; some keys can be changed. */
  readonly oldKey: string;
  readonly before: Row | undefined;
  readonly after: Row | undefined;
}

const TEXT_OF = (row: string): string => `(SELECT jsonb_object_agg(f.key, f.value) FROM jsonb_each_text(${row}) f)`;

export async function installRecorder(owner: pg.Client): Promise<void> {
  await owner.query(`
    CREATE SCHEMA prove;
    CREATE UNLOGGED TABLE prove.changes (n bigserial PRIMARY KEY, tab text NOT NULL, before jsonb, after jsonb);
    CREATE FUNCTION prove.note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = prove, pg_temp AS $$
    BEGIN
      INSERT INTO prove.changes (tab, before, after)
      VALUES (TG_TABLE_NAME, CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END, CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) END);
      RETURN NULL;
    END $$;
    DO $$
    DECLARE t regclass;
    BEGIN
      FOR t IN SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' LOOP
        EXECUTE format('CREATE TRIGGER zz_prove AFTER INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW EXECUTE FUNCTION prove.note()', t);
        EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER zz_prove', t);
      END LOOP;
    END $$;`);
}

/** Columns that identify a row; for tables without a primary key, the columns that do so in practice. */
export async function readKeys(owner: pg.Client): Promise<Map<string, readonly string[]>> {
  const { rows } = await owner.query<{ table: string; columns: string[] | null }>(
    `SELECT c.relname AS table, (SELECT json_agg(a.attname ORDER BY a.attnum) FROM pg_index i JOIN pg_attribute a
              ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey) WHERE i.indrelid = c.oid AND i.indisprimary) AS columns
       FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'`,
  );
  const others: Record<string, string[]> = {
    transfers: ['transfer_id'],
    key_payers: ['key_id', 'user_id', 'wallet_id'],
  };
  return new Map(rows.map(({ table, columns }) => [table, columns ?? others[table] ?? []]));
}

export const keyOfRow = (columns: readonly string[], row: Row): string =>
  (columns.length > 0 ? columns.map((column) => row[column]) : Object.values(row)).join(' ');

/** The changes since the last call, one per row. */
export async function takeChanges(owner: pg.Client, keys: ReadonlyMap<string, readonly string[]>): Promise<Change[]> {
  const { rows } = await owner.query<{ tab: string; before: Row | null; after: Row | null }>(
    `WITH taken AS (DELETE FROM prove.changes RETURNING *)
     SELECT tab, ${TEXT_OF('before')} AS before, ${TEXT_OF('after')} AS after FROM taken ORDER BY n`,
  );
  const changes = new Map<string, Change>();
  for (const { tab, before, after } of rows) {
    const columns = keys.get(tab)!;
    const old = keyOfRow(columns, (before ?? after)!);
    const known = changes.get(`${tab} ${old}`);
    changes.delete(`${tab} ${old}`);
    const key = keyOfRow(columns, (after ?? before)!);
    changes.set(`${tab} ${key}`, {
      table: tab,
      key,
      oldKey: known?.oldKey ?? old,
      before: known ? known.before : (before ?? undefined),
      after: after ?? undefined,
    });
  }
  return [...changes.values()].filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after));
}

/** Every row of every table. */
export async function readAll(
  owner: pg.Client,
  keys: ReadonlyMap<string, readonly string[]>,
): Promise<Map<string, Map<string, Row>>> {
  const parts = [...keys.keys()].map((table) => `SELECT '${table}' AS tab, to_jsonb(t) AS row FROM public.${table} t`);
  const { rows } = await owner.query<{ tab: string; row: Row }>(
    `SELECT tab, ${TEXT_OF('row')} AS row FROM (${parts.join(' UNION ALL ')}) r`,
  );
  const all = new Map([...keys.keys()].map((table) => [table, new Map<string, Row>()]));
  for (const { tab, row } of rows) all.get(tab)!.set(keyOfRow(keys.get(tab)!, row), row);
  return all;
}
