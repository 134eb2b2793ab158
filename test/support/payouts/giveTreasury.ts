import { randomUUID } from 'node:crypto';
import { parseUsdc } from '../../../server/src/core/money.ts';
import { asAdmin } from '../database.ts';
import { HOME } from '../values.ts';

/** Money for the treasury in the ledger, for tests without a chain. */
export async function giveTreasury(databaseUrl: string, amount: string, blockchain = HOME): Promise<void> {
  await asAdmin(
    databaseUrl,
    `SELECT testing.move($1, 'deposit', ledger_open_house_account(a, 'chain'), ledger_open_house_account(a, 'treasury'),
                        $2, NULL, NULL)
       FROM ledger_open_token($3, 'USDC') AS a`,
    [randomUUID(), parseUsdc(amount), blockchain],
  );
}
