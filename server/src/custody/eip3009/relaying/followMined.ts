import type { Receipt } from '../../../core/ports.ts';
import type { Network } from '../../network.ts';
import type { CustodyApp } from '../../rail.ts';
import { endRelayTx, type MinedRelayTx } from '../endRelayTx.ts';
import type { WaitingRelayTx } from '../relayTxs.ts';
import type { Poll } from './pollChain.ts';

/** The number of concurrent requests for receipts. */
const AT_ONCE = 8;

/** Returns all answers, in order, with at most `AT_ONCE` concurrent requests. */
async function askAll<Item, Answer>(items: readonly Item[], ask: (item: Item) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let i = 0; i < items.length; i += AT_ONCE) {
    answers.push(...(await Promise.all(items.slice(i, i + AT_ONCE).map(ask))));
  }
  return answers;
}

/**
 * Records which of the waiting relay transactions are in a block, and returns the others. A nonce that the chain has
 * not used cannot be mined, so receipts are requested only below it. They are occasionally requested above it too,
 * because that number may be wrong.
 */
export async function noteMined(
  app: CustodyApp,
  network: Network,
  { relayers }: Poll,
  waiting: readonly WaitingRelayTx[],
): Promise<WaitingRelayTx[]> {
  const used = new Map(relayers.map((relayer) => [relayer.relayerId, relayer.usedNonces]));
  const isWorthAsking = ({ relayerId, nonce, attempts: [newest] }: WaitingRelayTx) =>
    nonce < (used.get(relayerId) ?? 0n) || (newest?.silentMs ?? 0) > network.settings.rebroadcastAfterMs;
  const asked = waiting.filter(isWorthAsking);
  const receipts = await askAll(asked, (relayTx) => findReceipt(network, relayTx));
  const mined = new Map(asked.flatMap((relayTx, i) => (receipts[i] ? [[relayTx, receipts[i]] as const] : [])));
  for (const [{ relayTxId }, receipt] of mined) {
    await app.db.query(
      `UPDATE carriers SET mined_block = $2, mined_hash = $3, mined_at = clock_timestamp(), missing_since = NULL
        WHERE carrier_id = $1 AND state = 'pending' AND mined_block IS NULL`,
      [relayTxId, receipt.blockNumber, receipt.hash],
    );
  }
  return waiting.filter((relayTx) => !mined.has(relayTx));
}

async function findReceipt(network: Network, relayTx: WaitingRelayTx): Promise<Receipt | undefined> {
  for (const { hash } of relayTx.attempts) {
    const receipt = await network.chain.findReceipt(hash);
    if (receipt) return receipt;
  }
  return undefined;
}

const NOT_MINED = 'mined_block = NULL, mined_hash = NULL, mined_at = NULL';

/** The chain no longer counts the nonce as used: a reorg removed the block, and the relay transaction waits again. */
export async function forgetUnmined(app: CustodyApp, { relayers }: Poll): Promise<void> {
  await app.db.query(
    `UPDATE carriers c SET ${NOT_MINED} FROM unnest($1::integer[], $2::bigint[]) AS u(relayer_id, used)
      WHERE c.relayer_id = u.relayer_id AND c.state = 'pending' AND c.mined_block IS NOT NULL AND c.nonce >= u.used`,
    [relayers.map((relayer) => relayer.relayerId), relayers.map((relayer) => relayer.usedNonces)],
  );
}

/** Ends those whose block is final. One that is no longer in that block waits again. */
export async function endMined(app: CustodyApp, network: Network): Promise<void> {
  const mined = await app.db.query<MinedRelayTx>(
    `SELECT c.carrier_id AS "relayTxId", c.mined_hash AS hash
       FROM relayers r JOIN chain_cursors n USING (network_id) JOIN carriers c USING (relayer_id)
      WHERE r.network_id = $1 AND c.state = 'pending' AND c.mined_block <= n.block_number
      ORDER BY c.mined_block, c.relayer_id, c.nonce LIMIT 100`,
    [network.networkId],
  );
  await askAll(mined, async (relayTx) => {
    if (await endRelayTx(app, network, relayTx)) return;
    await app.db.query(
      `UPDATE carriers SET ${NOT_MINED} WHERE carrier_id = $1 AND state = 'pending' AND mined_hash = $2`,
      [relayTx.relayTxId, relayTx.hash],
    );
  });
}
