import { openDatabase } from '../../../server/src/db/database.ts';
import { urlAs } from '../database.ts';
import { operate } from '../operate.ts';

export interface PayoutKey {
  readonly key: string;
  readonly keyId: string;
}

/** A key that may pay from the treasury, up to large limits of its own, and from everyone's wallet. */
export async function makeKey(databaseUrl: string, name: string, ...options: string[]): Promise<PayoutKey> {
  const db = openDatabase(urlAs(databaseUrl, 'operator'), { maxConnections: 2 });
  try {
    const may = options.length > 0 ? options : ['--any-wallet', ...treasuryUpTo('1000000')];
    const said = await operate(db, 'key', 'create', name, '--scope', 'payouts', ...may);
    return { key: said.split('\n')[0]!, keyId: /Key (\S+)/.exec(said)![1]! };
  } finally {
    await db.close();
  }
}

export const treasuryUpTo = (amount: string): string[] => [
  '--treasury',
  ...['payment', 'day', 'month'].flatMap((limit) => [`--treasury-${limit}`, amount]),
];
