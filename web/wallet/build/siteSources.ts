/** The sources of a built site, and whether it is up to date. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** In the built folder: the hash of its sources. */
export const MADE_OF = 'made-of.txt';

/** Without tests. */
export const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
    .map((entry) => join(entry.parentPath, entry.name));

export function hashFiles(root: string, files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files.toSorted()) hash.update(relative(root, file)).update('\0').update(readFileSync(file));
  return hash.digest('hex');
}

export function isSiteBuilt(root: string, madeOf: string): boolean {
  const file = join(root, 'dist', MADE_OF);
  return existsSync(file) && readFileSync(file, 'utf8') === madeOf;
}
