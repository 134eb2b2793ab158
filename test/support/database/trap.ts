/** A connection to PostgreSQL that breaks just before or just after the commit of a payment. */
import { proxyDatabase } from './proxyDatabase.ts';

export interface Trap {
  readonly url: string;
  /** The number of times that it has broken. */
  readonly sprung: number;
  /**
   * Breaks at the next statement that pays: `before` loses the statement, so that nothing is done; `after` loses the
   * answer, so that PostgreSQL has committed and the client does not know. Happens `times` times.
   */
  set(when: 'before' | 'after', times?: number): void;
  remove(): Promise<void>;
}

/** The name of the batch statement, which appears only in the message that binds its parameters. */
const PAYS = 'pay_users';

export async function layTrap(databaseUrl: string): Promise<Trap> {
  let armed: 'before' | 'after' | undefined;
  let left = 0;
  let sprung = 0;
  const { url, remove } = await proxyDatabase(databaseUrl, (near, far, end) => {
    let swallow = false;
    near.on('data', (chunk) => {
      if (armed && left > 0 && chunk.includes(PAYS)) {
        left--;
        sprung++;
        if (armed === 'before') return end();
        swallow = true;
      }
      far.write(chunk);
    });
    far.on('data', (chunk) => {
      // The answer has arrived, so the commit is done. It is not forwarded.
      if (swallow) return end();
      near.write(chunk);
    });
  });
  return {
    url,
    get sprung() {
      return sprung;
    },
    set(when, times = 1) {
      armed = when;
      left = times;
    },
    remove,
  };
}
