import type { Hex, TokenLog } from '../../core/ports.ts';
import type { Queryable } from '../../db/database.ts';
import { type KnownMove, MOVE_COLUMNS } from '../coins/moves.ts';
import type { NetworkAsset } from '../network.ts';
import { type Identified, placeOf } from '../rail.ts';

type TransferLog = Extract<TokenLog, { kind: 'transfer' }>;

interface Candidate {
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
  /** Undefined: an accepted payment without a move, or a move that was not handed over. */
  readonly move: KnownMove | undefined;
  readonly txHash: Hex | null;
  /** The provider reports that it ended without a transfer. */
  readonly isEnded: boolean;
}

/**
 * A provider's transfer does not contain our move's id. It is recognized by its chain transaction, once the provider
 * has reported that, and by wallet, destination and amount. The result for a log that matches an open move:
 *
 * - yes: the provider has reported its chain transaction; or the provider reports that the transfer failed, but the
 *   chain has it.
 * - maybe: the provider has not reported a chain transaction yet, or reported one that it may have replaced; or the log
 *   matches a payment or settlement that waits to be handed over. A restored database may not know that it was handed
 *   over, and finds it again under the same key.
 *
 * All other logs are not ours.
 */
export async function identify(
  db: Queryable,
  { assetId }: NetworkAsset,
  logs: readonly TokenLog[],
  providers: readonly string[],
): Promise<Identified> {
  const transfers = logs.filter((log) => log.kind === 'transfer');
  const candidates = await readCandidates(db, assetId, transfers, providers);
  const yes = new Map<string, KnownMove>();
  const maybe = new Set<string>();
  const taken = new Set<Candidate>();
  const claim = (log: TransferLog, fits: (one: Candidate) => boolean): boolean => {
    const found = candidates.find((one) => one.move && !taken.has(one) && isSame(one, log) && fits(one));
    if (!found) return false;
    taken.add(found);
    yes.set(placeOf(log), found.move!);
    return true;
  };
  // Logs with a reported chain transaction come first, so that the other moves do not claim them.
  const unnamed = transfers.filter((log) => !claim(log, (one) => one.txHash === log.txHash));
  for (const log of unnamed) {
    if (candidates.some((one) => !taken.has(one) && isSame(one, log) && !one.isEnded)) maybe.add(placeOf(log));
    else claim(log, (one) => one.isEnded);
  }
  return { yes, maybe, canceled: [] };
}

const isSame = (one: Candidate, log: TransferLog): boolean =>
  one.from === log.from.toLowerCase() && one.to === log.to.toLowerCase() && one.amount === log.amount;

async function readCandidates(
  db: Queryable,
  assetId: number,
  transfers: readonly TransferLog[],
  providers: readonly string[],
): Promise<Candidate[]> {
  const senders = [...new Set(transfers.map((log) => log.from.toLowerCase()))];
  if (senders.length === 0) return [];
  const moves = await db.query<KnownMove & { from: string; to: string; tx_hash: Hex | null; is_ended: boolean }>(
    `SELECT ${MOVE_COLUMNS}, lower(m.from_address) AS from, lower(m.to_address) AS to, p.tx_hash,
            p.provider_state IN ('failed', 'cancelled') AS is_ended
       FROM coin_moves m JOIN provider_transfers p USING (move_id)
      WHERE m.asset_id = $1 AND m.rail = 'provider' AND m.state = 'open' AND lower(m.from_address) = ANY ($2)
      ORDER BY m.created_at, m.move_id`,
    [assetId, senders],
  );
  const payments = await db.query<{ from: string; to: string; amount: bigint }>(
    `SELECT lower(w.address) AS from, lower(p.destination) AS to, coalesce(p.amount, t.amount) AS amount
       FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id AND t.kind = 'hold'
       JOIN wallets w ON w.wallet_id = p.wallet_id
      WHERE (payment_is_unreserved(p.state) OR p.state = 'QUEUED') AND t.asset_id = $1 AND w.provider = ANY ($3)
        AND lower(w.address) = ANY ($2)
        AND NOT EXISTS (SELECT FROM provider_transfers h WHERE h.move_id = p.payment_id)
     UNION ALL
     SELECT lower(m.from_address), lower(m.to_address), m.amount FROM coin_moves m
      WHERE m.asset_id = $1 AND m.rail = 'provider' AND m.state = 'open' AND m.purpose = 'settlement'
        AND lower(m.from_address) = ANY ($2)
        AND NOT EXISTS (SELECT FROM provider_transfers h WHERE h.move_id = m.move_id)`,
    [assetId, senders, providers],
  );
  return [
    ...moves.map(({ from, to, tx_hash: txHash, is_ended: isEnded, ...move }) => ({
      from,
      to,
      amount: move.amount,
      move,
      txHash,
      isEnded,
    })),
    ...payments.map((one) => ({ ...one, move: undefined, txHash: null, isEnded: false })),
  ];
}
