import { smaller } from '../../../core/bigints.ts';
import type { Bid, Block, Fees, Hex } from '../../../core/ports.ts';
import type { Queryable } from '../../../db/database.ts';
import { assetIdsOf, type Network } from '../../network.ts';
import type { CustodyApp } from '../../rail.ts';
import { MAX_AHEAD_SECONDS } from '../signAuthorizations.ts';
import { firstBid } from './bids.ts';

/** A relayer and a node's report about it. These are hints; no payment depends on them. */
export interface PolledRelayer {
  readonly relayerId: number;
  readonly address: Hex;
  /** The nonce after the last one that we have used or skipped. */
  readonly nextNonce: bigint;
  readonly isStopped: boolean;
  /** It could not pay for one of its relay transactions. */
  readonly isInTrouble: boolean;
  /** The number of mined nonces. */
  readonly usedNonces: bigint;
  readonly balanceWei: bigint;
}

export interface Poll {
  readonly head: Block;
  /** The chain's time, limited to a plausible value. */
  readonly nowSeconds: bigint;
  readonly fees: Fees;
  /** The bid of a new relay transaction. */
  readonly bid: Bid;
  readonly relayers: readonly PolledRelayer[];
}

/** Returns the state of the chain, read once per pass; undefined when there is nothing to relay. */
export async function pollChain(app: Pick<CustodyApp, 'db'>, network: Network): Promise<Poll | undefined> {
  if (!(await isBusy(app.db, network))) return undefined;
  const { chain, settings } = network;
  const rows = await app.db.query<Omit<PolledRelayer, 'usedNonces' | 'balanceWei'>>(
    `SELECT relayer_id AS "relayerId", address, coalesce(next_nonce, first_nonce) AS "nextNonce",
            stopped IS NOT NULL AS "isStopped", trouble IS NOT NULL AS "isInTrouble"
       FROM relayers WHERE network_id = $1 ORDER BY relayer_id`,
    [network.networkId],
  );
  const [head, fees, ...relayers] = await Promise.all([
    chain.getHead(),
    chain.getFees(),
    ...rows.map(async (row): Promise<PolledRelayer> => {
      const [used, balanceWei] = await Promise.all([
        chain.getNonce(row.address, 'latest'),
        chain.getGasBalance(row.address),
      ]);
      return { ...row, usedNonces: BigInt(used), balanceWei };
    }),
  ]);
  const latest = BigInt(Math.floor(Date.now() / 1000)) + MAX_AHEAD_SECONDS;
  const nowSeconds = smaller(head.timeSeconds, latest);
  return { head, nowSeconds, fees, bid: firstBid(fees, settings.maxFeePerGasWei), relayers };
}

async function isBusy(db: Queryable, network: Network): Promise<boolean> {
  const [row] = await db.query<{ busy: boolean }>(
    `SELECT EXISTS (SELECT FROM coin_moves WHERE asset_id = ANY ($2) AND rail = 'eip3009' AND state = 'open')
         OR EXISTS (SELECT FROM carriers JOIN relayers USING (relayer_id)
                     WHERE network_id = $1 AND state = 'pending') AS busy`,
    [network.networkId, assetIdsOf(network)],
  );
  return row!.busy;
}
