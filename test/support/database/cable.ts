/** A connection to PostgreSQL that tests can cut and restore. */
import { proxyDatabase } from './proxyDatabase.ts';

export interface Cable {
  /** The same database, reached through the cable. */
  readonly url: string;
  cut(): void;
  restore(): void;
  remove(): Promise<void>;
}

export async function layCable(databaseUrl: string): Promise<Cable> {
  let isCut = false;
  const { url, breakConnections, remove } = await proxyDatabase(databaseUrl, (near, far, end) => {
    if (isCut) return end();
    near.pipe(far).pipe(near);
  });
  return {
    url,
    cut() {
      isCut = true;
      breakConnections();
    },
    restore() {
      isCut = false;
    },
    remove,
  };
}
