/** Everything that PostgreSQL's catalogue says about a schema, as texts that can be compared between two databases. */
import pg from 'pg';

const OF_PUBLIC = `'public'::regnamespace`;

/** `$1` is the prefix of the roles. Grants to other roles, such as logins of tests, are left out. */
const ROLE = `CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE (SELECT substr(rolname, length($1) + 2) FROM pg_roles
                 WHERE oid = a.grantee AND starts_with(rolname, $1 || '_')) END`;
const grants = (object: string, acl: string, from: string) => `
  SELECT concat_ws(' ', ${object}, ${ROLE}, a.privilege_type, a.is_grantable)
    FROM ${from}, aclexplode(${acl}) a WHERE ${ROLE} <> 'owner'`;

const QUERIES: Readonly<Record<string, string>> = {
  relations: `
    SELECT concat_ws(' ', relkind, relpersistence, relname, relowner::regrole, reloptions, relreplident, relrowsecurity)
      FROM pg_class WHERE relnamespace = ${OF_PUBLIC}`,
  columns: `
    SELECT concat_ws(' ', c.relname, row_number() OVER (PARTITION BY c.oid ORDER BY a.attnum), a.attname,
                     format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attcollation::regcollation, a.attidentity,
                     a.attgenerated, a.attstorage, a.attcompression, coalesce(a.attstattarget, -1),
                     -- PostgreSQL 15.20 keeps its own numbers of row formats there.
                     ARRAY(SELECT o FROM unnest(a.attoptions) AS o WHERE o NOT LIKE 'pg\\_attver=%' ORDER BY o),
                     pg_get_expr(d.adbin, d.adrelid))
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
     WHERE c.relnamespace = ${OF_PUBLIC} AND c.relkind IN ('r', 'v', 'c') AND a.attnum > 0 AND NOT a.attisdropped`,
  // PostgreSQL removes parentheses of nested ANDs when it reads a check again. Version 18 has a constraint for every NOT NULL.
  constraints: `
    SELECT concat_ws(' ', conrelid::regclass, conname, translate(pg_get_constraintdef(oid), '()', ''), convalidated)
      FROM pg_constraint WHERE connamespace = ${OF_PUBLIC} AND contype <> 'n'`,
  indexes: `
    SELECT concat_ws(' ', pg_get_indexdef(indexrelid), indisvalid, indisclustered, indisreplident)
      FROM pg_index JOIN pg_class ON oid = indexrelid WHERE relnamespace = ${OF_PUBLIC}`,
  sequences: `
    SELECT concat_ws(' ', s.seqrelid::regclass, s.seqtypid::regtype, s.seqstart, s.seqincrement, s.seqmin, s.seqmax, s.seqcache,
                     s.seqcycle, d.refobjid::regclass, d.refobjsubid)
      FROM pg_sequence s LEFT JOIN pg_depend d ON d.objid = s.seqrelid AND d.deptype IN ('a', 'i')`,
  // A column of a UNION without a name gets one when PostgreSQL reads the view again.
  views: `
    SELECT concat_ws(' ', oid::regclass, replace(pg_get_viewdef(oid), '::text AS text', '::text'))
      FROM pg_class WHERE relnamespace = ${OF_PUBLIC} AND relkind = 'v'`,
  functions: `
    SELECT concat_ws(' ', proowner::regrole, pg_get_functiondef(oid)) FROM pg_proc WHERE pronamespace = ${OF_PUBLIC}`,
  triggers: `
    SELECT concat_ws(' ', t.tgenabled, pg_get_triggerdef(t.oid)) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
     WHERE c.relnamespace = ${OF_PUBLIC} AND NOT t.tgisinternal`,
  'grants on relations': grants(
    'c.relname',
    `coalesce(c.relacl, acldefault(CASE c.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", c.relowner))`,
    `(SELECT * FROM pg_class WHERE relnamespace = ${OF_PUBLIC} AND relkind IN ('r', 'v', 'S')) c`,
  ),
  'grants on columns': grants(
    `c.relname || '.' || t.attname`,
    't.attacl',
    `(SELECT * FROM pg_class WHERE relnamespace = ${OF_PUBLIC}) c JOIN pg_attribute t ON t.attrelid = c.oid`,
  ),
  'grants on functions': grants(
    'f.oid::regprocedure',
    `coalesce(f.proacl, acldefault('f', f.proowner))`,
    `(SELECT * FROM pg_proc WHERE pronamespace = ${OF_PUBLIC}) f`,
  ),
  'grants on the schema': grants('nspname', 'nspacl', `(SELECT * FROM pg_namespace WHERE nspname = 'public') n`),
  comments: `
    SELECT concat_ws(' ', i.type, i.identity, d.description)
      FROM pg_description d, pg_identify_object(d.classoid, d.objoid, d.objsubid) i WHERE i.schema = 'public'
        OR d.classoid = 'pg_class'::regclass AND (SELECT relnamespace FROM pg_class WHERE oid = d.objoid) = ${OF_PUBLIC}`,
  'what we do not use': `
    SELECT 'policy ' || polname FROM pg_policy UNION ALL SELECT 'statistics ' || stxname FROM pg_statistic_ext
    UNION ALL SELECT 'publication ' || pubname FROM pg_publication
    UNION ALL SELECT 'default privileges' FROM pg_default_acl
    UNION ALL SELECT 'rule ' || rulename FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
               WHERE c.relnamespace = ${OF_PUBLIC} AND rulename <> '_RETURN'`,
};

/** `kinds` are keys of the result; without them, all. */
export async function readCatalogue(
  databaseUrl: string,
  rolePrefix: string,
  kinds = Object.keys(QUERIES),
): Promise<Record<string, string[]>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const found: Record<string, string[]> = {};
    for (const name of kinds) {
      const query = QUERIES[name]!;
      const values = query.includes('$1') ? [rolePrefix] : [];
      const { rows } = await client.query<string[]>({ text: query, values, rowMode: 'array' });
      found[name] = rows.map(([text]) => text!).sort();
    }
    return found;
  } finally {
    await client.end();
  }
}
