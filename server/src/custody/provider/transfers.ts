import type { ProviderTransfer, Transfers } from '../../core/ports.ts';
import type { Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';

export function getTransfers(app: CustodyApp, provider: string): Transfers {
  const transfers = app.transfers[provider];
  if (!transfers) throw new Error(`there are wallets of ${provider}, and this process cannot reach it`);
  return transfers;
}

/** What the provider said, or that it refused for good. */
type Said = ProviderTransfer | { readonly state: 'failed'; readonly error: string };

/**
 * Writes down what the provider said. When it says that the transfer ended without coins moving, the head of the chain is
 * noted: blocks up to there may still have it, whatever the provider says.
 */
export async function recordSaid(app: CustodyApp, network: Network, moveId: string, said: Said): Promise<void> {
  const isEnded = said.state === 'failed' || said.state === 'cancelled';
  const head = isEnded ? (await network.chain.getHead()).number : null;
  const transfer = 'providerId' in said ? said : undefined;
  await app.db.query(
    `UPDATE provider_transfers
        SET provider_id = coalesce(provider_id, $2), provider_state = $3, tx_hash = coalesce($4, tx_hash), error = $5,
            ended_head = CASE WHEN $6::bigint IS NOT NULL THEN coalesce(ended_head, $6) END,
            updated_at = CASE WHEN (provider_state, tx_hash) IS DISTINCT FROM ($3, coalesce($4, tx_hash))
                              THEN clock_timestamp() ELSE updated_at END
      WHERE move_id = $1`,
    [moveId, transfer?.providerId ?? null, said.state, transfer?.txHash ?? null, said.error ?? null, head],
  );
}

/** Noted before the call, also when it fails. */
export const noteAsked = (app: CustodyApp, moveId: string): Promise<unknown> =>
  app.db.query('UPDATE provider_transfers SET asked_at = clock_timestamp() WHERE move_id = $1', [moveId]);

/** `p` was not asked about for as long as the network's settings say; `$n` is that time. */
export const isDue = (parameter: string): string =>
  `(p.asked_at IS NULL OR p.asked_at <= clock_timestamp() - ${parameter} * interval '1 millisecond')`;
