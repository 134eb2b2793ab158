import type { Hex } from '../../core/ports.ts';
import { type AuditActor, recordAudit } from '../../operators/recordAudit.ts';
import type { Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';

/**
 * After a person has looked: writes down the nonces that the chain has used and we do not know, as `foreign`, so that
 * the next one follows without a gap, and lets the relayer work again. Answers how many they were.
 */
export async function restartRelayer(
  app: Pick<CustodyApp, 'db'>,
  network: Network,
  address: Hex,
  actor: AuditActor,
): Promise<bigint> {
  const used = BigInt(await network.chain.getNonce(address, await network.chain.getFinalized()));
  return app.db.tx(async (tx) => {
    const [relayer] = await tx.query<{ relayer_id: number; first_nonce: bigint }>(
      'SELECT relayer_id, first_nonce FROM relayers WHERE network_id = $1 AND lower(address) = lower($2) FOR UPDATE',
      [network.networkId, address],
    );
    if (!relayer) throw new Error(`${network.chain.blockchain} has no relayer ${address}`);
    const [top] = await tx.query<{ next: bigint }>(
      'SELECT coalesce(max(nonce) + 1, $2::bigint) AS next FROM carriers WHERE relayer_id = $1',
      [relayer.relayer_id, relayer.first_nonce],
    );
    for (let nonce = top!.next; nonce < used; nonce++) {
      await tx.query(
        `INSERT INTO carriers (carrier_id, relayer_id, nonce, previous_nonce, target, data, gas_limit, state)
         VALUES (gen_random_uuid(), $1, $2, $3, '', '', 0, 'foreign')`,
        [relayer.relayer_id, nonce, nonce === relayer.first_nonce ? null : nonce - 1n],
      );
    }
    await tx.query('UPDATE relayers SET stopped = NULL WHERE relayer_id = $1', [relayer.relayer_id]);
    const nonces = used > top!.next ? used - top!.next : 0n;
    const details = { blockchain: network.chain.blockchain, relayer: address, nonces: String(nonces) };
    await recordAudit(tx, { actor, action: 'relayer.restarted', details });
    return nonces;
  });
}
