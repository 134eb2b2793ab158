/**
 * Finds the tests that need nothing but Node: no database, local chain, browser or program that they start. `npm run
 * test:unit` runs them, in seconds. The imports decide, so there is no list to maintain.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Folders with tests. */
export const TEST_FOLDERS = [
  'server/src',
  'sandbox/src',
  'sdk/src',
  'web/wallet/src',
  'web/console/src',
  'test',
  'scripts',
];

/** A test that reaches one of these over imports is not a unit test. */
const HEAVY: readonly (string | RegExp)[] = [
  'test/support/database.ts',
  'bench/support/yardsticks/pgbench.ts',
  'sandbox/src/chain/createEvm.ts',
  'sandbox/src/processes.ts',
  /^sandbox\/src\/postgres\//,
  'playwright-core',
];

const isHeavy = (target: string): boolean =>
  HEAVY.some((heavy) => (typeof heavy === 'string' ? heavy === target : heavy.test(target)));

const IMPORT = /^(?:import|export)\s+(?!type\b)(?:([^;'"]*?)\s+from\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm;

/** An import of types alone loads nothing. */
const isOfTypes = (clause = ''): boolean => {
  const names = /^\{([^}]*)\}$/.exec(clause.trim())?.[1]?.split(',') ?? [];
  return names.length > 0 && names.every((name) => name.trim() === '' || name.trim().startsWith('type '));
};

function importsOf(file: string, text: string): string[] {
  return [...text.matchAll(IMPORT)]
    .filter(([, clause]) => !isOfTypes(clause))
    .map(([, , named, called]) => named ?? called!)
    .map((target) => (target.startsWith('.') ? join(dirname(file), target) : target));
}

const listTests = (root: string): string[] =>
  TEST_FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => join(folder, file)),
  );

export function findUnitTests(root: string, tests: readonly string[] = listTests(root)): string[] {
  const known = new Map<string, readonly string[]>();
  const read = (file: string): readonly string[] => {
    const path = join(root, file);
    const targets = existsSync(path) ? importsOf(file, readFileSync(path, 'utf8')) : [];
    known.set(file, targets);
    return targets;
  };
  const isUnit = (test: string): boolean => {
    const reached = new Set([test]);
    for (const file of reached) {
      if (isHeavy(file)) return false;
      for (const target of /\.tsx?$/.test(file) ? (known.get(file) ?? read(file)) : []) reached.add(target);
    }
    return true;
  };
  return tests.filter(isUnit);
}
