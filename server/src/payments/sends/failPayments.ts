import { endDead } from '../../custody/coins/endMove.ts';
import type { Network } from '../../custody/network.ts';
import { type CustodyApp, distinctRails } from '../../custody/rail.ts';
import { lockAccounts } from '../../ledger/lockAccounts.ts';
import { lockPayments, releasePayment } from './finishPayment.ts';

/**
 * Ends payments whose moves are proved dead: the hold is released and the payment becomes FAILED, or CANCELLED if that
 * was requested, in one commit with its move.
 */
export async function failPayments(app: CustodyApp, network: Network): Promise<void> {
  for (const rail of distinctRails(app.rails)) {
    for (const dead of await rail.findDead(app, network)) {
      await app.db.tx(async (tx) => {
        const hold = (await lockPayments(tx, [dead.moveId])).get(dead.moveId);
        if (hold) await lockAccounts(tx, [hold.debitAccount]);
        const ended = await endDead(tx, dead);
        if (!ended || !hold) return;
        await releasePayment(tx, hold, ended === 'failed' ? 'FAILED' : 'CANCELLED', dead.reason);
      });
    }
  }
}
