import type { Usdc } from '../../../server/src/core/money.ts';
import type { Tx } from '../../../server/src/db/database.ts';
import { openAsset, openHouseAccount } from '../../../server/src/ledger/accounts.ts';
import { transfer } from './moveMoney.ts';
import { openUserAccount } from './openUserAccount.ts';

interface Deposit {
  /** Derived from what permanently identifies the deposit, so that seeing it again credits nothing. */
  readonly depositId: string;
  readonly userId: string;
  readonly blockchain: string;
  readonly amount: Usdc;
  readonly fromAddress: string;
}

/** Credits coins whose arrival is final. Conservation holds: the `chain` account owes what custody received. */
export async function recordDeposit(tx: Tx, deposit: Deposit): Promise<'applied' | 'duplicate'> {
  const { depositId: transferId, userId, blockchain, amount, fromAddress } = deposit;
  const assetId = await openAsset(tx, blockchain, 'USDC');
  const debitAccount = await openHouseAccount(tx, assetId, 'chain');
  const creditAccount = await openUserAccount(tx, assetId, userId);
  return transfer(tx, 'deposit', { transferId, debitAccount, creditAccount, amount, fromAddress });
}
