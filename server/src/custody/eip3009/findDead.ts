import type { Hex } from '../../core/ports.ts';
import type { Tx } from '../../db/database.ts';
import { assetIdsOf, byAsset, type CustodyApp, type Network } from '../network.ts';
import { toHex } from './authorizations.ts';
import { MAX_FAILURES } from './signAuthorizations.ts';

interface Dead {
  readonly authorizationId: string;
  /** The greatest validity that the proof covers. */
  readonly validBefore: bigint;
  readonly reason: string;
  /** By a cancellation in a final block, and not by its lapse. */
  readonly isCancelled: boolean;
}

type Ended = 'failed' | 'cancelled';

/**
 * Authorizations that can never happen any more, by proof: at one final block B, read by its hash, the time of B is
 * past the greatest validity ever committed, and the token has not seen the nonce. Only those that are given up or to be
 * cancelled are looked at; the others are signed again instead. Or: this very nonce was cancelled in a final block, by
 * a payment that a restored database has forgotten.
 */
export async function findDead(app: CustodyApp, network: Network): Promise<Dead[]> {
  return [...(await findCancelledBefore(app, network)), ...(await findLapsed(app, network))];
}

const findCancelledBefore = (app: CustodyApp, network: Network): Promise<Dead[]> =>
  app.db.query<Dead>(
    `SELECT a.authorization_id AS "authorizationId", a.valid_before AS "validBefore", true AS "isCancelled",
            'cancelled on chain' AS reason
       FROM authorizations a JOIN forgotten_cancellations f USING (asset_id, nonce)
      WHERE a.asset_id = ANY ($1) AND a.state = 'open'`,
    [assetIdsOf(network)],
  );

async function findLapsed(app: CustodyApp, network: Network): Promise<Dead[]> {
  const lapsed = await app.db.query<{
    authorization_id: string;
    asset_id: number;
    valid_before: bigint;
    from_address: Hex;
    nonce: Buffer;
    reason: string;
  }>(
    `SELECT a.authorization_id, a.asset_id, a.valid_before, a.from_address, a.nonce,
            CASE WHEN a.cancel_wanted_at IS NOT NULL THEN 'cancelled; what was signed has lapsed unused'
                 ELSE coalesce(a.failure_reason, 'it could not be carried in time') END AS reason
       FROM authorizations a JOIN chain_cursors c ON c.network_id = $3
      WHERE a.asset_id = ANY ($1) AND a.state = 'open' AND a.valid_before < c.block_seconds AND a.valid_before > 0
        AND (a.failures >= $2 OR a.cancel_wanted_at IS NOT NULL)
      LIMIT 100`,
    [assetIdsOf(network), MAX_FAILURES, network.networkId],
  );
  if (lapsed.length === 0) return [];
  const block = await network.chain.getFinalized();
  const dead: Dead[] = [];
  for (const { asset, rows } of byAsset(network, lapsed)) {
    const used = await network.chain.readAuthorizationStates(
      asset.contract,
      rows.map((one) => ({ authorizer: one.from_address, nonce: toHex(one.nonce) })),
      block,
    );
    rows.forEach(({ authorization_id: authorizationId, valid_before: validBefore, reason }, i) => {
      if (used[i] || block.timeSeconds <= validBefore) return;
      dead.push({ authorizationId, validBefore, reason, isCancelled: false });
    });
  }
  return dead;
}

/**
 * Undefined when the proof no longer holds: somebody signed it for longer meanwhile, or it was ended. Otherwise whether
 * it had failed, or was wanted `cancelled`.
 */
export async function endDead(tx: Tx, dead: Dead): Promise<Ended | undefined> {
  const { authorizationId, validBefore, isCancelled } = dead;
  const [ended] = await tx.query<{ how: Ended }>(
    `UPDATE authorizations SET state = 'dead', reserved = 0
      WHERE authorization_id = $1 AND state = 'open' AND valid_before = $2
     RETURNING CASE WHEN cancel_wanted_at IS NULL AND NOT $3 THEN 'failed' ELSE 'cancelled' END AS how`,
    [authorizationId, validBefore, isCancelled],
  );
  await tx.query(
    `UPDATE settlements s SET completed_at = date_trunc('milliseconds', clock_timestamp()), covers_seq = NULL
      WHERE completed_at IS NULL
        AND settlement_id = (SELECT settlement_id FROM authorizations WHERE authorization_id = $1)
        AND NOT EXISTS (SELECT FROM authorizations a WHERE a.settlement_id = s.settlement_id AND a.state = 'open')`,
    [authorizationId],
  );
  return ended?.how;
}
