/**
 * The rail on which a wallet's provider sends by itself (port `Sender`). The provider's reports only show progress;
 * a payment is paid when a final log of the chain shows it, as on every rail. Until the provider has reported which
 * chain transaction is ours, a log that may be the one is held: see `identify`.
 */
import { assetIdsOf, type Network } from '../network.ts';
import type { CustodyApp, Progress, Rail } from '../rail.ts';
import { cancelTransfers } from './cancelTransfers.ts';
import { findDead } from './findDead.ts';
import { followTransfers } from './followTransfers.ts';
import { identify } from './identify.ts';
import { readSteps } from './readSteps.ts';
import { repeatUnanswered, submitTransfers } from './submitTransfers.ts';

export const providerRail: Rail = {
  name: 'provider',
  async start(app, network, { mayStart }) {
    await repeatUnanswered(app, network, mayStart);
    if (mayStart) await submitTransfers(app, network);
  },
  async advance(app, network) {
    await followTransfers(app, network);
    await cancelTransfers(app, network);
    return listProgress(app, network);
  },
  // Transfers that a restored database does not know are found again under the same key: see `identify`.
  recoverFromLogs: async () => [],
  identify,
  // The provider pays the gas and charges for it separately.
  readFees: async () => new Map(),
  findDead,
  async reopen(tx, _network, _after, moveIds) {
    // The provider is asked again for the chain transaction.
    await tx.query(
      `UPDATE provider_transfers SET provider_state = 'sent', tx_hash = NULL, ended_head = NULL, asked_at = NULL
        WHERE move_id = ANY ($1) AND provider_id IS NOT NULL`,
      [moveIds],
    );
  },
  readSteps,
};

const listProgress = (app: CustodyApp, network: Network): Promise<Progress[]> =>
  app.db.query<Progress>(
    `SELECT m.move_id AS "moveId", p.tx_hash AS "txHash",
            p.submitted_at < clock_timestamp() - $2 * interval '1 millisecond' AS "isStuck"
       FROM coin_moves m JOIN provider_transfers p USING (move_id)
      WHERE m.asset_id = ANY ($1) AND m.rail = 'provider' AND m.state = 'open' AND p.provider_state IN ('sent', 'done')`,
    [assetIdsOf(network), network.settings.stuckAfterMs],
  );
