import { PayError } from '../../core/errors.ts';
import { idFromKey, newId } from '../../core/ids.ts';
import { formatUsdc, type Usdc } from '../../core/money.ts';
import type { Payment } from '../../core/payment.ts';
import { findPaid } from '../../custody/findPaid.ts';
import type { UnexplainedMove } from '../../custody/watch/unexplainedMoves.ts';
import { getFundingWallet } from '../../customers/wallets/findFundingWallet.ts';
import type { Db, Queryable, Tx } from '../../db/database.ts';
import { hashRequest, type Replayable, replayOrRun } from '../../db/idempotency.ts';
import { openAsset } from '../../ledger/accounts.ts';
import { refuseOutcome } from '../../ledger/moveMoney.ts';
import { findPayment } from '../read/findPayment.ts';
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

/** What a payment waits for before its coins are reserved; decided when it is accepted, for good. */
export interface SendRules {
  /** Two operators approve amounts from here on; undefined: no approval is needed. */
  readonly approvalThreshold: Usdc | undefined;
  /** How long a payment to an address that its wallet has never paid waits. */
  readonly newRecipientDelaySeconds: number;
}

export interface SendApp {
  readonly db: Db;
  readonly sendRules: SendRules;
}

/** The job that `submitPayments` does. Each blockchain has its own queue: one that is down holds up no other. */
export const submitJob = (blockchain: string): string => `submit ${blockchain}`;

/**
 * Accepts a payment to an address: its hold, its row and the job that will bring it on its way are one commit. From
 * here on it is carried out, also when a process crashes. Under a key the answer is stored in the same commit.
 */
export async function sendToAddress(app: SendApp, request: SendToAddress): Promise<Replayable<string>> {
  const { key } = request;
  const assetId = await openAsset(app.db, request.blockchain);
  const paymentId = key ? idFromKey(key.caller, key.route, key.text) : newId();
  if (!key)
    return { replayed: false, result: { answer: await accept(app.db, app.sendRules, assetId, paymentId, request) } };
  const hash = hashRequest(
    request.destination.toLowerCase(),
    formatUsdc(request.amount),
    request.blockchain,
    request.walletUsername?.toLowerCase() ?? null,
    request.walletId?.toLowerCase() ?? null,
  );
  return app.db.tx((tx) =>
    replayOrRun(tx, { caller: key.caller, route: key.route, key: key.text, hash }, async () => {
      const paid = await findPaid(tx, paymentId);
      return paid ? recognize(tx, paymentId, paid, request) : accept(tx, app.sendRules, assetId, paymentId, request);
    }),
  );
}

async function accept(
  db: Queryable,
  rules: SendRules,
  assetId: number,
  paymentId: string,
  request: SendToAddress,
): Promise<string> {
  const { walletId, walletUsername: username, destination, amount, blockchain } = request;
  const funding = await getFundingWallet(db, { assetId, walletId, username });
  // It would cost gas and move nothing; the caller has copied the wrong line of a history.
  if (funding.address.toLowerCase() === destination.toLowerCase()) throw new PayError('payment.self');
  const shown = walletId === undefined && username !== undefined ? 'username' : 'wallet';
  const [row] = await db.query<{ outcome: string; details: Record<string, string> | null }>(
    'SELECT outcome, details FROM accept_send($1, $2, $3, $4, $5, $6, $7, $8, $9)',
    [
      paymentId,
      assetId,
      funding.walletId,
      shown,
      destination,
      amount,
      submitJob(blockchain),
      rules.approvalThreshold ?? null,
      rules.newRecipientDelaySeconds,
    ],
  );
  const { outcome, details } = row!;
  if (outcome === 'lookalike') throw new PayError('address.lookalike');
  refuseOutcome(outcome, details);
  if (outcome !== 'applied') throw new Error(`payment ${paymentId}: ${outcome}`);
  return paymentId;
}

/**
 * This database was restored from before the payment, and the chain has paid it under the same id. It is written down as
 * what it is, in spite of any pause, and nothing is paid again.
 */
async function recognize(tx: Tx, paymentId: string, paid: UnexplainedMove, request: SendToAddress): Promise<string> {
  if (paid.importedAs !== null) return paid.importedAs;
  const { destination, amount, walletId, walletUsername: username } = request;
  const funding = await getFundingWallet(tx, { assetId: paid.assetId, walletId, username });
  const isSame = paid.toAddress.toLowerCase() === destination.toLowerCase() && paid.amount === amount;
  if (!isSame || paid.walletId !== funding.walletId) throw new PayError('idempotency.mismatch');
  const imported = await importPayment(tx, paymentId, paid);
  // It went to a wallet of ours that is still being read.
  if (!imported) throw new PayError('service.unavailable', { dependency: 'custody' });
  return imported.importedAs;
}

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
    // What was imported from the chain after a lost database was never INITIATED here.
    timeline: [payment.timeline.find((step) => step.state === 'INITIATED') ?? payment.timeline[0]!],
  };
}
