import { PayError } from '../core/errors.ts';
import { idFromKey, newId } from '../core/ids.ts';
import { formatUsdc, type Usdc } from '../core/money.ts';
import type { Payment } from '../core/payment.ts';
import { findPause } from '../custody/pauses.ts';
import { findStrange } from '../custody/strangeMoves.ts';
import { type FundingWallet, getFundingWallet } from '../customers/findFundingWallet.ts';
import type { Db, Tx } from '../db/database.ts';
import { hashRequest, type Replayable, replayOrRun } from '../db/idempotency.ts';
import { addJobs } from '../jobs/jobs.ts';
import { openAsset, openHouseAccount, openUserAccount } from '../ledger/accounts.ts';
import { hold } from '../ledger/moveMoney.ts';
import { findPayment } from './findPayment.ts';
import { importPayment } from './importPayment.ts';

export interface SendToAddress {
  /** Checksummed, and one that the token takes. */
  readonly destination: string;
  readonly amount: Usdc;
  readonly blockchain: string;
  readonly walletUsername?: string | undefined;
  readonly walletId?: string | undefined;
  readonly key?: { readonly caller: string; readonly route: string; readonly text: string } | undefined;
}

/** The job that `submitPayments` does. Each blockchain has its own queue: one that is down holds up no other. */
export const submitJob = (blockchain: string): string => `submit ${blockchain}`;

/**
 * Accepts a payment to an address: its hold, its row and the job that will bring it on its way are one commit. From
 * here on it is carried out, whoever crashes. Under a key the answer is stored in the same commit.
 */
export async function sendToAddress(app: { readonly db: Db }, request: SendToAddress): Promise<Replayable<string>> {
  const { key } = request;
  const assetId = await openAsset(app.db, request.blockchain);
  const paymentId = key ? idFromKey(key.caller, key.route, key.text) : newId();
  return app.db.tx(async (tx) => {
    const work = () => accept(tx, assetId, paymentId, request);
    if (!key) return { replayed: false, result: { answer: await work() } };
    const hash = hashRequest(
      request.destination.toLowerCase(),
      formatUsdc(request.amount),
      request.blockchain,
      request.walletUsername?.toLowerCase() ?? null,
      request.walletId?.toLowerCase() ?? null,
    );
    return replayOrRun(tx, { caller: key.caller, route: key.route, key: key.text, hash }, work);
  });
}

async function accept(tx: Tx, assetId: number, paymentId: string, request: SendToAddress): Promise<string> {
  const { destination, amount } = request;
  const funding = await getFundingWallet(tx, { walletId: request.walletId, username: request.walletUsername });
  // This database was restored from before the payment, and the chain has paid it: its nonce says so.
  const strange = request.key && (await findStrange(tx, paymentId));
  if (strange) {
    if (strange.importedAs !== null) return strange.importedAs;
    const isSame = strange.toAddress.toLowerCase() === destination.toLowerCase() && strange.amount === amount;
    if (!isSame || strange.walletId !== funding.walletId) throw new PayError('idempotency.mismatch');
    await importPayment(tx, paymentId, strange);
    return paymentId;
  }
  const paused = await findPause(tx, assetId);
  if (paused !== undefined) throw new PayError('service.paused', { reason: paused });
  const account = await openAccount(tx, assetId, funding);
  const chain = await openHouseAccount(tx, assetId, 'chain');
  await hold(tx, { transferId: paymentId, debitAccount: account, creditAccount: chain, amount });
  const shown = request.walletId === undefined && request.walletUsername !== undefined ? 'username' : 'wallet';
  await tx.query(
    `INSERT INTO payments (payment_id, state, destination, wallet_id, sender_shown)
     VALUES ($1, 'INITIATED', $2, $3, $4)`,
    [paymentId, destination, funding.walletId, shown],
  );
  await addJobs(tx, submitJob(request.blockchain), [paymentId]);
  return paymentId;
}

const openAccount = (tx: Tx, assetId: number, { userId }: FundingWallet): Promise<bigint> =>
  userId === null ? openHouseAccount(tx, assetId, 'treasury') : openUserAccount(tx, assetId, userId);

/** The payment as it was when it was accepted: what the first answer under its key said. */
export async function getAccepted(app: { readonly db: Db }, paymentId: string): Promise<Payment> {
  const payment = await findPayment(app.db, paymentId);
  if (!payment) throw new Error(`payment ${paymentId} was accepted and is gone`);
  return {
    ...payment,
    state: 'INITIATED',
    txHash: null,
    networkFee: null,
    errorReason: null,
    updatedAt: payment.createdAt,
    timeline: payment.timeline.slice(0, 1),
  };
}
