import { formatUsdc } from '../core/money.ts';
import type { RailName } from '../core/providers.ts';
import type { Queryable } from '../db/database.ts';
import { eip3009Rail } from './eip3009/eip3009Rail.ts';
import { providerRail } from './provider/providerRail.ts';
import type { MoveStep, Rail } from './rail.ts';

const rails: Readonly<Record<RailName, Rail>> = { eip3009: eip3009Rail, provider: providerRail };

/** Returns all steps of a send, for the timeline of its payment. */
export async function readSteps(db: Queryable, paymentId: string): Promise<MoveStep[]> {
  const [move] = await db.query<{ rail: RailName; cancel_wanted_at: Date | null }>(
    'SELECT rail, cancel_wanted_at FROM coin_moves WHERE move_id = $1',
    [paymentId],
  );
  if (!move) return [];
  const funding = await db.query<{ at: Date; tx_hash: string | null; rail: RailName }>(
    'SELECT created_at AS at, tx_hash, rail FROM coin_moves WHERE funds = $1 ORDER BY created_at',
    [paymentId],
  );
  const steps: MoveStep[] = [
    ...(move.cancel_wanted_at ? [{ at: move.cancel_wanted_at, txHash: null, note: ASKED[move.rail] }] : []),
    ...funding.map(({ at, tx_hash: txHash, rail }) => ({
      at,
      txHash,
      ...(rail === 'eip3009' && move.rail === 'eip3009' ? CARRIED_IN_FRONT : ARRIVES_FIRST),
    })),
    ...(await rails[move.rail].readSteps(db, paymentId)),
  ];
  return steps.sort((a, b) => a.at.getTime() - b.at.getTime());
}

const CARRIED_IN_FRONT = {
  note: 'its coins are moved first, with the payment',
  detail: 'coins come from another wallet, settled just in time and carried in front',
};
const ARRIVES_FIRST = {
  note: 'its coins are moved first; the payment waits until they have arrived',
  detail: 'coins come from another wallet, settled just in time; the payment waits until they have arrived',
};
const ASKED: Readonly<Record<RailName, string>> = {
  eip3009:
    'a cancellation was asked for; what was signed is cancelled on chain, and the amount is held until one of the two is final',
  provider:
    'a cancellation was asked for; the wallet’s provider is asked to stop the transfer, and the amount is held until it is certain what happened',
};

/**
 * Finds the first settlement that covers a user's payment and is final, and before which none is open: from then on the
 * coins are in the payee's wallet. It covers neither amounts that were too small for a move, nor people whose wallets
 * it had to leave out.
 */
export async function findSettlement(db: Queryable, paymentId: string): Promise<MoveStep | undefined> {
  const [row] = await db.query<{ at: Date; settlement_id: string; leaves: bigint }>(
    `SELECT s.completed_at AS at, s.settlement_id, s.leaves
       FROM transfers_by_id(ARRAY[$1::uuid]) t JOIN settlements s USING (asset_id)
      WHERE t.kind = 'user' AND s.covers_seq > t.seq AND s.completed_at IS NOT NULL
        AND t.amount > s.leaves
        AND NOT EXISTS (SELECT FROM settlements o
              WHERE o.asset_id = s.asset_id AND o.completed_at IS NULL AND o.created_at < s.created_at)
        AND t.debit_account <> ALL (s.left_out) AND t.credit_account <> ALL (s.left_out)
      ORDER BY s.covers_seq LIMIT 1`,
    [paymentId],
  );
  if (!row) return undefined;
  const rest = row.leaves > 0n ? `; up to ${formatUsdc(row.leaves)} per wallet waits until it adds up` : '';
  const detail = `settled on chain, netted with others in settlement ${row.settlement_id}${rest}`;
  return { at: row.at, txHash: null, note: 'settled on the blockchain, together with other payments', detail };
}
