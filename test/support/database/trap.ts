/** A wire to PostgreSQL that can be made to break at the worst moment. */
import { proxyDatabase } from './proxyDatabase.ts';

export interface Trap {
  readonly url: string;
  /** How often it has sprung. */
  readonly sprung: number;
  /**
   * The next statement that pays: `before` loses the question, so that nothing was done; `after` loses the answer,
   * so that PostgreSQL has committed and nobody knows. Springs `times` times.
   */
  set(when: 'before' | 'after', times?: number): void;
  remove(): Promise<void>;
}

/** The parameters of the batch statement, and nothing else that is sent, carry its name when it is bound. */
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
      // The answer is here, so the commit is done. It goes no further.
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
