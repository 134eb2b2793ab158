import { expect, it } from 'vitest';
import { splitStatements } from './splitStatements.ts';
import { findInert, isInert } from './touches.ts';

const FUNCTIONS = [
  { name: 'is_even', is_immutable: true, source: 'SELECT n % 2 = 0' },
  {
    name: 'check_even',
    is_immutable: false,
    source: `BEGIN IF NOT is_even(n) THEN RAISE EXCEPTION 'odd'; END IF; END`,
  },
  { name: 'find_one', is_immutable: false, source: 'SELECT x FROM things' },
  { name: 'ask_one', is_immutable: false, source: 'BEGIN RETURN find_one(); END' },
];
const NAMES = new Set(FUNCTIONS.map(({ name }) => name));
const INERT = findInert(FUNCTIONS);

const BODY = `
DECLARE
  n integer := 1; -- a comment from somewhere
BEGIN
  n := n + 1;
  PERFORM check_even(n);
  IF n IS DISTINCT FROM 2 THEN
    UPDATE things SET x = n;
  ELSIF ask_one() > 1 THEN
    n := 'from' || n;
  END IF;
  CONTINUE WHEN EXISTS (SELECT FROM things);
  INSERT INTO things VALUES (n);
END`;

it('functions that reach no table are found, also through others', () => {
  expect([...INERT]).toEqual(['is_even', 'check_even']);
});

it('a statement that touches no table needs no stop; a branch that asks one in any condition does', () => {
  const { statements, end } = splitStatements(BODY);
  const touching = statements
    .filter(({ head }) => !isInert(head, NAMES, INERT))
    .map(({ head }) => head.split(/\s+/)[0]);
  expect(touching).toEqual(['IF', 'UPDATE', 'CONTINUE', 'INSERT']);
  // After the last write there is a place before the commit.
  expect(BODY.slice(end)).toBe('END');
});

it('RETURN is the last place of a function', () => {
  const { statements, end } = splitStatements('BEGIN n := 1; RETURN n; END');
  expect(statements.filter(({ head }) => !isInert(head, NAMES, INERT)).map(({ head }) => head.trim())).toEqual([
    'RETURN n;',
  ]);
  expect(end).toBeUndefined();
});

it('a function goes on after RETURN QUERY', () => {
  const body = 'BEGIN RETURN QUERY UPDATE things SET x = 1 RETURNING x; END';
  expect(body.slice(splitStatements(body).end)).toBe('END');
});
