/** Puts a stop point before every statement of every PL/pgSQL function of a database that only races use. */
import type pg from 'pg';
import { splitStatements } from './splitStatements.ts';

/** Stops on this advisory lock, which the controller holds. */
export const STOP_LOCK = 7_310_557;

/**
 * A side of a race is a setting of its connections. Only side `a` stops: at the step whose number is in `races.target`.
 * Numbers come from a sequence, because a transaction that is rolled back must not count its steps again. Each step is
 * told to the client at once, by a notice.
 */
const SCHEMA = `
CREATE SCHEMA races;
CREATE SEQUENCE races.steps;
CREATE TABLE races.target (stop_at bigint NOT NULL);
INSERT INTO races.target VALUES (0);
CREATE FUNCTION races.stop_point(p_function text, p_nth integer) RETURNS boolean LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = races, pg_catalog SET client_min_messages = notice SET lock_timeout = 0 AS $$
DECLARE
  step bigint;
BEGIN
  step := nextval('races.steps');
  IF step = (SELECT stop_at FROM races.target) THEN
    RAISE NOTICE 'races stop % %', p_function, p_nth;
    PERFORM pg_advisory_lock(${STOP_LOCK});
    PERFORM pg_advisory_unlock(${STOP_LOCK});
  ELSE
    RAISE NOTICE 'races pass % %', p_function, p_nth;
  END IF;
  RETURN true;
END $$;
GRANT USAGE ON SCHEMA races TO PUBLIC;
GRANT EXECUTE ON FUNCTION races.stop_point TO PUBLIC;
`;

export interface Instrumented {
  readonly functions: number;
  readonly stopPoints: number;
  /** PL/pgSQL that the reader does not understand, and functions of several statements in another language. */
  readonly left: readonly string[];
}

interface FunctionRow {
  readonly name: string;
  readonly language: string;
  readonly source: string;
  readonly definition: string;
}

export async function instrument(owner: pg.Client): Promise<Instrumented> {
  await owner.query(SCHEMA);
  const { rows } = await owner.query<FunctionRow>(
    `SELECT p.proname AS name, l.lanname AS language, p.prosrc AS source, pg_get_functiondef(p.oid) AS definition
       FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
      WHERE p.pronamespace = 'public'::regnamespace AND p.prokind = 'f' AND l.lanname IN ('plpgsql', 'sql')
        AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
      ORDER BY p.oid`,
  );
  const left: string[] = [];
  let [functions, stopPoints] = [0, 0];
  for (const { name, language, source, definition } of rows) {
    if (language === 'sql') {
      if (source.trim().replace(/;$/, '').includes(';')) left.push(name);
      continue;
    }
    try {
      const places = splitStatements(source);
      const [before, after] = cutAt(definition, source);
      await owner.query(before + addStops(source, name, places) + after);
      functions++;
      stopPoints += places.length;
    } catch (error) {
      left.push(`${name} (${(error as Error).message})`);
    }
  }
  return { functions, stopPoints, left };
}

function cutAt(definition: string, source: string): [string, string] {
  const at = definition.lastIndexOf(source);
  if (at < 0) throw new Error('the body is not in the definition');
  return [definition.slice(0, at), definition.slice(at + source.length)];
}

/** ASSERT, unlike PERFORM, leaves FOUND as it is. Side B pays only for the comparison. */
function addStops(source: string, name: string, places: readonly number[]): string {
  let [text, from] = ['', 0];
  for (const [i, at] of places.entries()) {
    text += `${source.slice(from, at)}ASSERT current_setting('races.side', true) IS DISTINCT FROM 'a' OR races.stop_point('${name}', ${i + 1}); `;
    from = at;
  }
  return text + source.slice(from);
}
