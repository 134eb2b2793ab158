import { larger, smaller } from '../../core/bigints.ts';
import { PayError } from '../../core/errors.ts';
import type { Hex } from '../../core/ports.ts';
import type { Queryable } from '../../db/database.ts';
import { liftPause, pauseSends } from '../../operators/pauses.ts';
import { assetIdsOf, type Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { firstBid } from './relaying/bids.ts';
import { describeShortage, ONE_CALL } from './relaying/gas.ts';
import { passNoncesAhead } from './relaying/passForeignNonces.ts';

interface Relayer {
  readonly relayer_id: number;
  readonly reference: string;
  readonly address: Hex;
  readonly stopped: string | null;
  readonly next_nonce: bigint;
}

const listRelayers = (db: Queryable, networkId: number): Promise<Relayer[]> =>
  db.query<Relayer>(
    `SELECT relayer_id, reference, address, stopped, coalesce(next_nonce, first_nonce) AS next_nonce
       FROM relayers WHERE network_id = $1 ORDER BY relayer_id`,
    [networkId],
  );

/**
 * The first nonce is the chain's own count, read once in the life of a relayer; from then on we count. It needs a
 * majority of nodes at a final block: a nonce that is too high would leave a gap that nothing fills. Nonces that were
 * used since are skipped later (`passNoncesAhead`).
 */
export async function registerRelayers(app: Pick<CustodyApp, 'db' | 'signer'>, network: Network): Promise<void> {
  const known = await listRelayers(app.db, network.networkId);
  // A process of the previous release may have made or ended a relay transaction between two steps of the migration.
  await app.db.query(
    `UPDATE authorizations a SET carried = NOT a.carried FROM coin_moves m
      WHERE m.asset_id = ANY ($1) AND m.rail = 'eip3009' AND m.state = 'open' AND a.move_id = m.move_id
        AND a.carried <> is_carried(a.move_id)`,
    [assetIdsOf(network)],
  );
  await app.db.query(
    `UPDATE relayers r SET next_nonce = c.nonce + 1 FROM carriers c
      WHERE r.network_id = $1 AND c.relayer_id = r.relayer_id AND c.nonce >= coalesce(r.next_nonce, r.first_nonce)
        AND NOT EXISTS (SELECT FROM carriers d WHERE d.relayer_id = c.relayer_id AND d.nonce > c.nonce)`,
    [network.networkId],
  );
  for (let number = known.length; number < network.settings.relayers; number++) {
    const found = await app.signer.findRelayer(number);
    if (found.outcome !== 'accepted')
      throw new PayError('service.unavailable', { dependency: 'signer' }, { cause: found });
    const { reference, address } = found;
    const nonce = await network.chain.getNonce(address, await network.chain.getFinalized());
    await app.db.query(
      `INSERT INTO relayers (network_id, reference, address, first_nonce) VALUES ($1, $2, $3, $4)
       ON CONFLICT (network_id, address) DO NOTHING`,
      [network.networkId, reference, address, nonce],
    );
  }
}

/**
 * Records each relayer's gas balance and the gas price, and stops accepting sends before the last relayer runs out of
 * gas. A relayer that could not pay works again when it has enough.
 *
 * It also skips nonces that the chain has used and this database does not know, for example after a restore. It does so
 * here because the nonces must become final first, and the first send after a restore should not have to wait for that.
 */
export async function watchGas(app: Pick<CustodyApp, 'db'>, network: Network): Promise<void> {
  const { networkId, chain, settings } = network;
  const relayers = await listRelayers(app.db, networkId);
  const fees = await chain.getFees();
  const fee = fees.baseFeePerGas + fees.maxPriorityFeePerGas;
  const gasPrice = smaller(fee, settings.maxFeePerGasWei);
  const oneCall = ONE_CALL * firstBid(fees, settings.maxFeePerGasWei).maxFeeWei;
  const needed = larger(settings.minGasWei, oneCall);
  const faults: string[] = [];
  for (const { relayer_id: relayerId, address, stopped, next_nonce: nextNonce } of relayers) {
    const gasWei = await chain.getGasBalance(address);
    const usedNonces = BigInt(await chain.getNonce(address, 'latest'));
    await passNoncesAhead(app, network, { relayerId, address, nextNonce, usedNonces, isStopped: stopped !== null });
    const [now] = await app.db.query<{ trouble: string | null }>(
      `UPDATE relayers SET gas_wei = $2, gas_price_wei = $3, fee_wei = $4, fee_cap_wei = $5,
              trouble = CASE WHEN needs_wei > $2 THEN trouble END,
              needs_wei = CASE WHEN needs_wei > $2 THEN needs_wei END
        WHERE relayer_id = $1 RETURNING trouble`,
      [relayerId, gasWei, gasPrice, fee, settings.maxFeePerGasWei],
    );
    const isPoor = gasWei < needed ? describeShortage(gasWei, needed) : undefined;
    const fault = stopped ?? now?.trouble ?? isPoor;
    if (fault) faults.push(`${address}: ${fault}`);
  }
  if (faults.length < relayers.length || !(await needsRelayers(app.db, networkId)))
    await liftPause(app.db, chain.blockchain, 'gas');
  else {
    // The fault of a stopped relayer names the command that restarts it.
    const what = relayers.some(({ stopped }) => stopped !== null) ? 'no relayer works' : 'no relayer can pay for gas';
    await pauseSends(app.db, chain.blockchain, 'gas', `${what}; ${faults.join('; ')}`.slice(0, 500));
  }
}

/** If the wallets' provider sends by itself, relayers are needed only for wallets of other providers. */
async function needsRelayers(db: Queryable, networkId: number): Promise<boolean> {
  const sending = await db.query(
    `SELECT FROM networks n JOIN wallet_providers p ON p.provider = n.wallet_provider
      WHERE n.network_id = $1 AND p.rail = 'provider'`,
    [networkId],
  );
  return sending.length === 0;
}
