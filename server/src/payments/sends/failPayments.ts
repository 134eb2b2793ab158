import { endDead, findDead } from '../../custody/eip3009/findDead.ts';
import type { CustodyApp, Network } from '../../custody/network.ts';
import { lockAccounts } from '../../ledger/moveMany.ts';
import { lockPayments, releasePayment } from './finishPayment.ts';

/**
 * Ends what is proved dead: the hold is given back and the payment FAILED, or CANCELLED when somebody wanted that; in
 * one commit with its authorization.
 */
export async function failPayments(app: CustodyApp, network: Network): Promise<void> {
  for (const dead of await findDead(app, network)) {
    await app.db.tx(async (tx) => {
      const hold = (await lockPayments(tx, [dead.authorizationId])).get(dead.authorizationId);
      if (hold) await lockAccounts(tx, [hold.debitAccount]);
      const ended = await endDead(tx, dead);
      if (!ended || !hold) return;
      await releasePayment(tx, hold, ended === 'failed' ? 'FAILED' : 'CANCELLED', dead.reason);
    });
  }
}
