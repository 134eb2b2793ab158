import { createHash } from 'node:crypto';
import { shapeUuid } from '../../server/src/core/ids.ts';
import { parseUsdc } from '../../server/src/core/money.ts';
import { openDatabase } from '../../server/src/db/database.ts';
import { openAsset, openHouseAccount, openUserAccount } from '../../server/src/ledger/accounts.ts';
import { transfer } from '../../server/src/ledger/moveMoney.ts';

/** What everybody starts with. */
const STARTING_USDC = parseUsdc('1000');

/**
 * Money from outside is a deposit: the `chain` account goes as far below zero as people go above it. The id of a
 * person's first deposit follows from who they are, so starting again gives nobody more.
 */
export async function seedMoney(options: {
  readonly databaseUrl: string;
  readonly blockchain: string;
  readonly userIds: readonly string[];
  readonly fromAddress: string;
}): Promise<void> {
  const db = openDatabase(options.databaseUrl, { maxConnections: 2 });
  try {
    const assetId = await openAsset(db, options.blockchain);
    const chain = await openHouseAccount(db, assetId, 'chain');
    for (const userId of options.userIds) {
      const creditAccount = await openUserAccount(db, assetId, userId);
      await db.tx((tx) =>
        transfer(tx, 'deposit', {
          transferId: shapeUuid(createHash('sha256').update(`sandbox money for ${userId}`).digest()),
          debitAccount: chain,
          creditAccount,
          amount: STARTING_USDC,
          fromAddress: options.fromAddress,
        }),
      );
    }
  } finally {
    await db.close();
  }
}
