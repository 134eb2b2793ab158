import type { Hex } from '../../core/ports.ts';
import type { Queryable } from '../../db/database.ts';
import { liftPause, pauseSends } from '../../operators/pauses.ts';
import type { Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';

interface Relayer {
  readonly relayer_id: number;
  readonly reference: string;
  readonly address: Hex;
  readonly stopped: string | null;
}

const listRelayers = (db: Queryable, networkId: number): Promise<Relayer[]> =>
  db.query<Relayer>(
    'SELECT relayer_id, reference, address, stopped FROM relayers WHERE network_id = $1 ORDER BY relayer_id',
    [networkId],
  );

/** The first nonce is the chain's own count, asked once in the life of a relayer; from then on we count. */
export async function registerRelayers(app: Pick<CustodyApp, 'db' | 'wallets'>, network: Network): Promise<void> {
  const known = await listRelayers(app.db, network.networkId);
  for (let number = known.length; number < network.settings.relayers; number++) {
    const { reference, address } = await app.wallets.create({ kind: 'relayer', number });
    const nonce = await network.chain.getNonce(address, 'latest');
    await app.db.query(
      `INSERT INTO relayers (network_id, reference, address, first_nonce) VALUES ($1, $2, $3, $4)
       ON CONFLICT (network_id, address) DO NOTHING`,
      [network.networkId, reference, address, nonce],
    );
  }
}

/** Writes down how much gas money each relayer has, and stops accepting sends before the last one runs dry. */
export async function watchGas(app: Pick<CustodyApp, 'db'>, network: Network): Promise<void> {
  const { networkId, chain, settings } = network;
  const relayers = await listRelayers(app.db, networkId);
  let working = 0;
  for (const { relayer_id: relayerId, address, stopped } of relayers) {
    const gasWei = await chain.getGasBalance(address);
    await app.db.query('UPDATE relayers SET gas_wei = $2 WHERE relayer_id = $1', [relayerId, gasWei]);
    if (stopped === null && gasWei >= settings.minGasWei) working++;
  }
  if (working > 0) await liftPause(app.db, chain.blockchain, 'gas');
  else await pauseSends(app.db, chain.blockchain, 'gas', 'no relayer can pay for gas');
}
