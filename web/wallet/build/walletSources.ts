/** The sources of the built wallet, and whether it is up to date. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const WALLET = resolve(import.meta.dirname, '..');
const SDK = resolve(WALLET, '../../sdk/src');
const LOCK = resolve(WALLET, '../../package-lock.json');

/** In the built folder: the hash of its sources. */
export const MADE_OF = join(WALLET, 'dist/made-of.txt');

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
    .map((entry) => join(entry.parentPath, entry.name));
}

export function hashSources(): string {
  const own = ['index.html', 'vite.config.ts', 'package.json'].map((name) => join(WALLET, name));
  const files = [
    ...own,
    ...listFiles(import.meta.dirname),
    ...listFiles(join(WALLET, 'src')),
    ...listFiles(join(WALLET, 'public')),
    ...listFiles(SDK),
    LOCK,
  ];
  const hash = createHash('sha256');
  for (const file of files.toSorted())
    hash
      .update(file.slice(WALLET.length - 10))
      .update('\0')
      .update(readFileSync(file));
  return hash.digest('hex');
}

export const isWalletBuilt = (): boolean => existsSync(MADE_OF) && readFileSync(MADE_OF, 'utf8') === hashSources();
