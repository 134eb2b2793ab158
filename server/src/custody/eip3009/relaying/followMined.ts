import type { Receipt } from '../../../core/ports.ts';
import type { Network } from '../../network.ts';
import type { CustodyApp } from '../../rail.ts';
import type { WaitingCarrier } from '../carriers.ts';
import { endCarrier, type MinedCarrier } from '../endCarrier.ts';
import type { Look } from './lookAtChain.ts';

/** Receipts that are asked for at the same time. */
const AT_ONCE = 8;

/** All answers, in order, with at most `AT_ONCE` questions under way. */
async function askAll<Item, Answer>(items: readonly Item[], ask: (item: Item) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let i = 0; i < items.length; i += AT_ONCE) {
    answers.push(...(await Promise.all(items.slice(i, i + AT_ONCE).map(ask))));
  }
  return answers;
}

/**
 * Writes down which of the waiting carriers a block has taken, and answers the others. A nonce that the chain has not used
 * cannot be mined, so receipts are asked for only below it, and now and then above, because that number may be wrong.
 */
export async function noteMined(
  app: CustodyApp,
  network: Network,
  { relayers }: Look,
  waiting: readonly WaitingCarrier[],
): Promise<WaitingCarrier[]> {
  const used = new Map(relayers.map((relayer) => [relayer.relayerId, relayer.usedNonces]));
  const isWorthAsking = ({ relayerId, nonce, attempts: [newest] }: WaitingCarrier) =>
    nonce < (used.get(relayerId) ?? 0n) || (newest?.silentMs ?? 0) > network.settings.rebroadcastAfterMs;
  const asked = waiting.filter(isWorthAsking);
  const receipts = await askAll(asked, (carrier) => findReceipt(network, carrier));
  const mined = new Map(asked.flatMap((carrier, i) => (receipts[i] ? [[carrier, receipts[i]] as const] : [])));
  for (const [{ carrierId }, receipt] of mined) {
    await app.db.query(
      `UPDATE carriers SET mined_block = $2, mined_hash = $3, mined_at = clock_timestamp(), missing_since = NULL
        WHERE carrier_id = $1 AND state = 'pending' AND mined_block IS NULL`,
      [carrierId, receipt.blockNumber, receipt.hash],
    );
  }
  return waiting.filter((carrier) => !mined.has(carrier));
}

async function findReceipt(network: Network, carrier: WaitingCarrier): Promise<Receipt | undefined> {
  for (const { hash } of carrier.attempts) {
    const receipt = await network.chain.findReceipt(hash);
    if (receipt) return receipt;
  }
  return undefined;
}

const NOT_MINED = 'mined_block = NULL, mined_hash = NULL, mined_at = NULL';

/** A nonce that the chain has not used any more: a reorg took the block away, and the carrier waits again. */
export async function forgetUnmined(app: CustodyApp, { relayers }: Look): Promise<void> {
  await app.db.query(
    `UPDATE carriers c SET ${NOT_MINED} FROM unnest($1::integer[], $2::bigint[]) AS u(relayer_id, used)
      WHERE c.relayer_id = u.relayer_id AND c.state = 'pending' AND c.mined_block IS NOT NULL AND c.nonce >= u.used`,
    [relayers.map((relayer) => relayer.relayerId), relayers.map((relayer) => relayer.usedNonces)],
  );
}

/** Ends those whose block is final; one that is not in that block any more waits again. */
export async function endMined(app: CustodyApp, network: Network): Promise<void> {
  const mined = await app.db.query<MinedCarrier>(
    `SELECT c.carrier_id AS "carrierId", c.mined_hash AS hash
       FROM relayers r JOIN chain_cursors n USING (network_id) JOIN carriers c USING (relayer_id)
      WHERE r.network_id = $1 AND c.state = 'pending' AND c.mined_block <= n.block_number
      ORDER BY c.mined_block, c.relayer_id, c.nonce LIMIT 100`,
    [network.networkId],
  );
  await askAll(mined, async (carrier) => {
    if (await endCarrier(app, network, carrier)) return;
    await app.db.query(
      `UPDATE carriers SET ${NOT_MINED} WHERE carrier_id = $1 AND state = 'pending' AND mined_hash = $2`,
      [carrier.carrierId, carrier.hash],
    );
  });
}
