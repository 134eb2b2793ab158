/**
 * The rail on which a wallet signs and we relay: `signAuthorizations`, `createRelayTx`, `relayTransactions`. In
 * `replaceCarried`, a cancellation replaces the transfer that it cancels.
 */
import type { Hex, TokenLog } from '../../core/ports.ts';
import type { Network } from '../network.ts';
import type { CustodyApp, Progress, Rail } from '../rail.ts';
import { createRelayTx } from './createRelayTx.ts';
import { findDead } from './findDead.ts';
import { identify } from './identify.ts';
import { readSteps } from './readSteps.ts';
import { endMined, forgetUnmined } from './relaying/followMined.ts';
import { isQuiet, notePass } from './relaying/isQuiet.ts';
import { fillFreeNonces, passNoncesAhead } from './relaying/passForeignNonces.ts';
import { pollChain } from './relaying/pollChain.ts';
import { dropLapsed } from './relaying/remakeRelayTx.ts';
import { relayTransactions } from './relayTransactions.ts';
import { reopenRelayTxs } from './reopenRelayTxs.ts';
import { replaceCarried } from './replaceCarried.ts';
import { signAuthorizations } from './signAuthorizations.ts';
import { signCancellations } from './signCancellations.ts';
import { recoverFromLogs } from './unknownNonces.ts';

const RELAY_TXS_PER_PASS = 8;

export const eip3009Rail: Rail = {
  name: 'eip3009',
  async start(app, network, { mayStart }) {
    await signCancellations(app, network);
    if (mayStart) await signAuthorizations(app, network);
  },
  async advance(app, network, { mayStart }) {
    await replaceCarried(app, network);
    await endMined(app, network);
    if (await isQuiet(app, network)) return [];
    await carry(app, network, mayStart ? 'all' : 'cancellations');
    return listCarried(app, network);
  },
  recoverFromLogs: (tx, { assetId }, logs, wallets) => recoverFromLogs(tx, assetId, logs, wallets),
  identify,
  readFees,
  findDead,
  reopen: reopenRelayTxs,
  readSteps,
};

async function carry(app: CustodyApp, network: Network, what: 'all' | 'cancellations'): Promise<void> {
  const poll = await pollChain(app, network);
  if (!poll) return notePass(network, true);
  await forgetUnmined(app, poll);
  for (const relayer of poll.relayers) await passNoncesAhead(app, network, relayer);
  await fillFreeNonces(app, network, poll);
  await dropLapsed(app, network);
  for (let made = 0; made < RELAY_TXS_PER_PASS && (await createRelayTx(app, network, poll, what)); ) made++;
  // Existing relay transactions are always continued: the chain may already have them.
  const waiting = await relayTransactions(app, network, poll);
  notePass(network, waiting === 0);
}

/** The watcher has already read a block that mined a relay transaction this long ago. */
const SHOWN_AFTER_MINED = `interval '1 minute'`;

/**
 * Returns the newest broadcast bytes of each move. Transactions that carry a cancellation do not count as attempts of
 * the move.
 */
const listCarried = (app: CustodyApp, network: Network): Promise<Progress[]> =>
  app.db.query<Progress>(
    `SELECT DISTINCT ON (l.move_id) l.move_id AS "moveId", t.hash AS "txHash",
            c.mined_block IS NULL AND c.created_at < clock_timestamp() - $2 * interval '1 millisecond' AS "isStuck"
       FROM carriers c JOIN relayers r USING (relayer_id) JOIN carrier_calls l USING (carrier_id)
       JOIN carrier_attempts t USING (carrier_id)
      WHERE r.network_id = $1 AND c.state = 'pending' AND t.broadcast_at IS NOT NULL
        AND (c.mined_at IS NULL OR c.mined_at > clock_timestamp() - ${SHOWN_AFTER_MINED})
        AND (l.cancelled_in IS NULL OR t.version < l.cancelled_in)
        AND (l.dropped_in IS NULL OR t.version < l.dropped_in)
      ORDER BY l.move_id, t.created_at DESC`,
    [network.networkId, network.settings.stuckAfterMs],
  );

const WEI_PER_MICRO = 1_000_000_000_000n;

/**
 * Returns each transfer's equal share of the cost of its chain transaction, rounded up; unavailable costs are left out.
 * So are chain transactions that someone else sent and paid for: anyone may relay an authorization that they have seen.
 */
async function readFees(
  { db }: Pick<CustodyApp, 'db'>,
  { chain, networkId }: Network,
  logs: readonly TokenLog[],
): Promise<Map<Hex, bigint>> {
  const fees = new Map<Hex, bigint>();
  const hashes = new Set(logs.flatMap((log) => (log.kind === 'used' ? [log.txHash] : [])));
  if (hashes.size === 0) return fees;
  const relayers = await db.query<{ address: string }>(
    'SELECT lower(address) AS address FROM relayers WHERE network_id = $1',
    [networkId],
  );
  const ours = new Set(relayers.map(({ address }) => address));
  for (const txHash of hashes) {
    const receipt = await chain.findReceipt(txHash);
    if (!receipt || !ours.has(receipt.from.toLowerCase())) continue;
    const count = BigInt(receipt.logs.filter(({ kind }) => kind === 'used').length);
    if (count > 0n) fees.set(txHash, (receipt.feeWei + count * WEI_PER_MICRO - 1n) / (count * WEI_PER_MICRO));
  }
  return fees;
}
