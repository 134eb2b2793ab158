import { expect, it } from 'vitest';
import { newId } from '../../core/ids.ts';
import type { Usdc } from '../../core/money.ts';
import type { Queryable } from '../../db/database.ts';
import { openUserPayments } from './openUserPayments.ts';

it('drops a payment that does not fit into its cache, so that the same id is looked up again', async () => {
  const payments = openUserPayments({
    databaseUrl: 'postgres://nobody@127.0.0.1:9/none',
    db: {} as Queryable,
    homeBlockchain: 'ETH-SEPOLIA',
    currency: 'USDC',
    maxQueue: 0,
  });
  const command = {
    paymentId: newId(),
    keyed: true,
    senderId: newId(),
    receiver: 'bob',
    receiverText: 'bob',
    amount: 1n as Usdc,
  };
  for (let i = 0; i < 2; i++) {
    await expect(payments.submit(command)).rejects.toMatchObject({ code: 'service.overloaded' });
  }
  await payments.close();
});
