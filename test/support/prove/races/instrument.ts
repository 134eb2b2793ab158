/** Puts stop points into every PL/pgSQL function of a database that only races use. */
import type pg from 'pg';
import { splitStatements } from './splitStatements.ts';
import { findInert, isInert } from './touches.ts';

/** Stops on this advisory lock, which the controller holds. */
export const STOP_LOCK = 7_310_557;

/**
 * A side of a race is a setting of its connections. Only side `a` stops: at the step whose number is in `races.target`.
 * Numbers come from a sequence, because a transaction that is rolled back must not count its steps again. The client gets a
 * notice of each step immediately.
 */
const SCHEMA = `
CREATE SCHEMA races;
CREATE SEQUENCE races.steps;
CREATE TABLE races.target (stop_at bigint NOT NULL);
INSERT INTO races.target VALUES (0);
CREATE FUNCTION races.stop_point(p_function text, p_nth integer) RETURNS boolean LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = races, pg_catalog SET client_min_messages = notice SET lock_timeout = 0 AS $$
DECLARE
  step bigint := CASE current_setting('races.side') WHEN 'a' THEN nextval('races.steps') ELSE 0 END;
BEGIN
  IF step > 0 AND step = (SELECT stop_at FROM races.target) THEN
    RAISE NOTICE 'races stop % % %', step, p_function, p_nth;
    PERFORM pg_advisory_lock(${STOP_LOCK});
    PERFORM pg_advisory_unlock(${STOP_LOCK});
  ELSE
    RAISE NOTICE 'races pass % % %', step, p_function, p_nth;
  END IF;
  RETURN true;
END $$;
GRANT USAGE ON SCHEMA races TO PUBLIC;
GRANT EXECUTE ON FUNCTION races.stop_point TO PUBLIC;
`;

export interface Instrumented {
  readonly functions: number;
  readonly stopPoints: number;
  /** Statements that touch no table: a stop before them is the same as one before the next statement. */
  readonly inert: number;
  /** PL/pgSQL that the reader does not understand, and functions of several statements in another language. */
  readonly left: readonly string[];
  /** Changes the body of a function and instruments it again; what it returns takes the change back. */
  plant(name: string, change: (source: string) => string): Promise<() => Promise<void>>;
  /** The bodies, by function. */
  readonly sources: ReadonlyMap<string, string>;
}

interface FunctionRow {
  readonly name: string;
  readonly language: string;
  readonly is_immutable: boolean;
  readonly source: string;
  readonly definition: string;
}

export async function instrument(owner: pg.Client): Promise<Instrumented> {
  await owner.query(SCHEMA);
  const { rows } = await owner.query<FunctionRow>(
    `SELECT p.proname AS name, l.lanname AS language, p.provolatile = 'i' AS is_immutable, p.prosrc AS source,
            pg_get_functiondef(p.oid) AS definition
       FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
      WHERE p.pronamespace = 'public'::regnamespace AND p.prokind = 'f' AND l.lanname IN ('plpgsql', 'sql')
        AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
      ORDER BY p.oid`,
  );
  const inertNames = findInert(rows);
  const known = new Set(rows.map(({ name }) => name));
  const stopsOf = ({ name, source }: FunctionRow) => {
    const { statements, end } = splitStatements(source);
    const places = statements.flatMap(({ at, head }) => (isInert(head, known, inertNames) ? [] : [at]));
    const all = end === undefined ? places : [...places, end];
    return { text: addStops(source, name, all), stops: all.length, inert: statements.length - places.length };
  };
  const left: string[] = [];
  let [functions, stopPoints, inert] = [0, 0, 0];
  const own = rows.filter(({ language }) => language === 'plpgsql');
  for (const { name, language, source } of rows) {
    if (language === 'sql' && source.trim().replace(/;$/, '').includes(';')) left.push(name);
  }
  for (const row of own) {
    try {
      const { text, stops, inert: some } = stopsOf(row);
      await owner.query(replaceBody(row, text));
      functions++;
      stopPoints += stops;
      inert += some;
    } catch (error) {
      left.push(`${row.name} (${(error as Error).message})`);
    }
  }
  return {
    functions,
    stopPoints,
    inert,
    left,
    sources: new Map(own.map(({ name, source }) => [name, source])),
    async plant(name, change) {
      const row = own.find((one) => one.name === name);
      if (!row) throw new Error(`there is no function ${name}`);
      const source = change(row.source);
      if (source === row.source) throw new Error(`nothing changes in ${name}`);
      await owner.query(replaceBody(row, stopsOf({ ...row, source }).text));
      return async () => void (await owner.query(replaceBody(row, stopsOf(row).text)));
    },
  };
}

function replaceBody({ definition, source }: FunctionRow, text: string): string {
  const at = definition.lastIndexOf(source);
  if (at < 0) throw new Error('the body is not in the definition');
  return definition.slice(0, at) + text + definition.slice(at + source.length);
}

/** ASSERT, unlike PERFORM, leaves FOUND as it is. Connections without a side pay only for the comparison. */
function addStops(source: string, name: string, places: readonly number[]): string {
  let [text, from] = ['', 0];
  for (const [i, at] of places.entries()) {
    text += `${source.slice(from, at)}ASSERT current_setting('races.side', true) IS NULL OR races.stop_point('${name}', ${i + 1}); `;
    from = at;
  }
  return text + source.slice(from);
}
