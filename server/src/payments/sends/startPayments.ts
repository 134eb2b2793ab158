import { fundSend } from '../../custody/coins/fundSend.ts';
import { listLacking, reserveSettlements } from '../../custody/coins/reserveSend.ts';
import { hasMoves } from '../../custody/hasMoves.ts';
import type { Network } from '../../custody/network.ts';
import { type CustodyApp, distinctRails } from '../../custody/rail.ts';
import type { Tx } from '../../db/database.ts';
import { isSigningPaused } from '../../operators/pauses.ts';
import { lockPayments } from './finishPayment.ts';

/**
 * One pass over a blockchain: every rail starts its reserved moves by signing them or handing them to a provider.
 * `carryPayments` continues started moves, however long this takes.
 */
export async function startPayments(app: CustodyApp, network: Network): Promise<void> {
  if (!(await hasMoves(app.db, network))) return;
  const mayStart = !(await isSigningPaused(app.db, network.chain.blockchain));
  if (mayStart) await topUp(app, network);
  for (const rail of distinctRails(app.rails)) await rail.start(app, network, { mayStart });
}

/** Provides coins for sends and settlements that have lost their reservations. */
async function topUp(app: CustodyApp, network: Network): Promise<void> {
  await reserveSettlements(app.db, network);
  for (const send of await listLacking(app.db, network)) {
    const lock = async (tx: Tx) => (await lockPayments(tx, [send.paymentId])).size > 0;
    await fundSend(app, network, send, { lock });
  }
}
