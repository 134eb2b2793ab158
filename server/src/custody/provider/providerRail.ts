/**
 * The rail on which a wallet's provider sends by itself (port `Transfers`). What the provider says is only progress; paid is
 * a final log of the chain, as on every rail. Until the provider has told which chain transaction is ours, a log that
 * may be the one is held: see `identify`.
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
  // What a restored database has forgotten is found again under the same key: see `identify`.
  learn: async () => [],
  identify,
  // The provider pays the gas, and charges for it as it likes.
  readFees: async () => new Map(),
  findDead,
  async reopen(tx, _network, _after, moveIds) {
    // The provider is asked again which chain transaction it is.
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
