/** Accepts a send as release 0.2.0 did: alone, in several statements. A batch must make the same decisions. */
import { PayError } from '../../server/src/core/errors.ts';
import type { Db, Tx } from '../../server/src/db/database.ts';
import { replayOrRun } from '../../server/src/db/idempotency.ts';
import { openAsset } from '../../server/src/ledger/accounts.ts';
import type { SendCommand, SendDecision, SendRules } from '../../server/src/payments/sends/sendCommand.ts';
import { getAccepted } from '../../server/src/payments/sends/sendToAddress.ts';
import { refuseOutcome } from './ledger/moveMoney.ts';

export async function acceptAlone(db: Db, rules: SendRules, command: SendCommand): Promise<SendDecision> {
  const { paymentId, request, hash } = command;
  const key = request.key && { ...request.key, key: request.key.text, hash: hash! };
  try {
    const decided = await db.tx(async (tx) =>
      key ? replayOrRun(tx, key, () => accept(tx, rules, command)) : accept(tx, rules, command),
    );
    if (typeof decided === 'string') return { outcome: 'accepted', payment: await getAccepted({ db }, paymentId) };
    const { replayed, result } = decided;
    if (replayed && 'answer' in result) return { outcome: 'replayed', stored: result };
    if (replayed && 'refusal' in result) {
      const { code, details } = result.refusal;
      return { outcome: 'replayed', stored: { code, details } };
    }
    if ('refusal' in result) return { outcome: 'refused', refusal: result.refusal };
    return { outcome: 'accepted', payment: await getAccepted({ db }, paymentId) };
  } catch (error) {
    if (!(error instanceof PayError)) throw error;
    return error.code === 'idempotency.mismatch' ? { outcome: 'mismatch' } : { outcome: 'refused', refusal: error };
  }
}

async function accept(tx: Tx, rules: SendRules, { paymentId, request }: SendCommand): Promise<string> {
  const { walletId, walletUsername, destination, amount, blockchain } = request;
  const assetId = await openAsset(tx, blockchain, 'USDC');
  const funding = await findFunding(tx, assetId, walletId, walletUsername);
  if (funding.address.toLowerCase() === destination.toLowerCase()) throw new PayError('payment.self');
  const [row] = await tx.query<{ outcome: string; details: Record<string, string> | null }>(
    'SELECT outcome, details FROM accept_send($1, $2, $3, $4, $5, $6, $7, $8, $9)',
    [
      paymentId,
      assetId,
      funding.wallet_id,
      walletId === undefined && walletUsername !== undefined ? 'username' : 'wallet',
      destination,
      amount,
      `submit ${blockchain}`,
      rules.approvalThreshold ?? null,
      rules.newRecipientDelaySeconds,
    ],
  );
  if (row!.outcome === 'lookalike') throw new PayError('address.lookalike');
  refuseOutcome(row!.outcome, row!.details);
  if (row!.outcome !== 'applied') throw new Error(row!.outcome);
  return paymentId;
}

async function findFunding(tx: Tx, assetId: number, walletId: string | undefined, username: string | undefined) {
  const find = async (condition: string, value: string) =>
    (
      await tx.query<{ wallet_id: string; address: string }>(
        `SELECT w.wallet_id, w.address FROM owner_wallets w WHERE w.asset_id = $1 AND ${condition}`,
        [assetId, value],
      )
    )[0];
  if (walletId !== undefined) {
    const isId = /^[0-9a-f-]{36}$/i.test(walletId);
    const found = isId ? await find('w.wallet_id = $2::uuid', walletId) : undefined;
    if (!found) throw new PayError('wallet.unknown');
    return found;
  }
  const owner = 'w.user_id = (SELECT user_id FROM usernames WHERE username = $2)';
  const found = await find(owner, (username ?? '').toLowerCase());
  if (!found) throw new PayError('username.unknown');
  return found;
}
