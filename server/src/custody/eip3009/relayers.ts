import { larger, smaller } from '../../core/bigints.ts';
import { PayError } from '../../core/errors.ts';
import type { Hex } from '../../core/ports.ts';
import { SENDING_PROVIDERS } from '../../core/signer.ts';
import type { Queryable } from '../../db/database.ts';
import { liftPause, pauseSends } from '../../operators/pauses.ts';
import { assetIdsOf, type Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { firstBid } from './relaying/bids.ts';
import { ONE_CALL } from './relaying/gas.ts';
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
 * The first nonce is the chain's own count, asked once in the life of a relayer; from then on we count. As a majority of
 * nodes says at a final block: one that is too high would leave a gap which nothing fills. What was used since is passed
 * over later (`passNoncesAhead`).
 */
export async function registerRelayers(app: Pick<CustodyApp, 'db' | 'signer'>, network: Network): Promise<void> {
  const known = await listRelayers(app.db, network.networkId);
  // A process of the release before may have made or ended a carrier between two steps of the migration.
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
 * Writes down how much gas money each relayer has and what gas costs, and stops accepting sends before the last one runs
 * dry. One that could not pay for a carrier works again when it has what it needs.
 *
 * Also passes over nonces that the chain has used and this database does not know, as after a restore. That is done here
 * because it takes until they are final, and the first send after a restore should not have to wait for it.
 */
export async function watchGas(app: Pick<CustodyApp, 'db'>, network: Network): Promise<void> {
  const { networkId, chain, settings } = network;
  const relayers = await listRelayers(app.db, networkId);
  const fees = await chain.getFees();
  const gasPrice = smaller(fees.baseFeePerGas + fees.maxPriorityFeePerGas, settings.maxFeePerGasWei);
  const oneCall = ONE_CALL * firstBid(fees, settings.maxFeePerGasWei).maxFeeWei;
  const needed = larger(settings.minGasWei, oneCall);
  const faults: string[] = [];
  for (const { relayer_id: relayerId, address, stopped, next_nonce: nextNonce } of relayers) {
    const gasWei = await chain.getGasBalance(address);
    const usedNonces = BigInt(await chain.getNonce(address, 'latest'));
    await passNoncesAhead(app, network, { relayerId, address, nextNonce, usedNonces, isStopped: stopped !== null });
    const [now] = await app.db.query<{ trouble: string | null }>(
      `UPDATE relayers SET gas_wei = $2, gas_price_wei = $3,
              trouble = CASE WHEN needs_wei > $2 THEN trouble END,
              needs_wei = CASE WHEN needs_wei > $2 THEN needs_wei END
        WHERE relayer_id = $1 RETURNING trouble`,
      [relayerId, gasWei, gasPrice],
    );
    const isPoor = gasWei < needed ? `it has ${gasWei} wei and needs ${needed}` : undefined;
    const fault = stopped ?? now?.trouble ?? isPoor;
    if (fault) faults.push(`${address}: ${fault}`);
  }
  if (faults.length < relayers.length || !(await needsRelayers(app.db, networkId)))
    await liftPause(app.db, chain.blockchain, 'gas');
  else {
    // One that is stopped says which command lets it go on.
    const what = relayers.some(({ stopped }) => stopped !== null) ? 'no relayer works' : 'no relayer can pay for gas';
    await pauseSends(app.db, chain.blockchain, 'gas', `${what}; ${faults.join('; ')}`.slice(0, 500));
  }
}

/** Where the provider of wallets sends by itself, relayers carry only what comes from others. */
async function needsRelayers(db: Queryable, networkId: number): Promise<boolean> {
  const [network] = await db.query<{ wallet_provider: string }>(
    'SELECT wallet_provider FROM networks WHERE network_id = $1',
    [networkId],
  );
  return !SENDING_PROVIDERS.some((provider) => provider === network?.wallet_provider);
}
