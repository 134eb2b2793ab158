import { operate } from '../operate.ts';
import { asOperator } from '../operators.ts';

/** Anna decides about a held transfer, and Rita agrees. `words`: the verb, the move and, to adopt it, Circle's id. */
export async function decideTransfer(databaseUrl: string, ...words: readonly string[]): Promise<void> {
  const said = await asOperator(databaseUrl, 'anna', (db) =>
    operate(db, 'transfer', ...words, '--why', 'asked Circle'),
  );
  const [, id] = /Proposed as ([0-9a-f-]+)\./.exec(said)!;
  await asOperator(databaseUrl, 'rita', (db) => operate(db, 'transfer', 'approve', id!));
}
