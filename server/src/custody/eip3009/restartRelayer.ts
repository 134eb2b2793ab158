import type { Hex } from '../../core/ports.ts';
import { type AuditActor, recordAudit } from '../../operators/recordAudit.ts';
import type { Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { insertForeign } from './relaying/passForeignNonces.ts';

/**
 * After an operator has checked it: records the nonces that the chain has used and we do not know as `foreign`, so that
 * the next one follows without a gap, and lets the relayer work again. Returns how many there were.
 */
export async function restartRelayer(
  app: Pick<CustodyApp, 'db'>,
  network: Network,
  address: Hex,
  actor: AuditActor,
): Promise<bigint> {
  const final = await network.chain.getFinalized();
  const used = BigInt(await network.chain.getNonce(address, final));
  return app.db.tx(async (tx) => {
    const [relayer] = await tx.query<{ relayer_id: number }>(
      'SELECT relayer_id FROM relayers WHERE network_id = $1 AND lower(address) = lower($2) FOR UPDATE',
      [network.networkId, address],
    );
    if (!relayer) throw new Error(`${network.chain.blockchain} has no relayer ${address}`);
    const nonces = await insertForeign(tx, relayer.relayer_id, used, final.number);
    await tx.query(
      'UPDATE relayers SET stopped = NULL, ahead_since = NULL, foreign_since = NULL WHERE relayer_id = $1',
      [relayer.relayer_id],
    );
    const details = { blockchain: network.chain.blockchain, relayer: address, nonces: String(nonces) };
    await recordAudit(tx, { actor, action: 'relayer.restarted', details });
    return nonces;
  });
}
