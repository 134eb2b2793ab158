import type { Db } from '../../db/database.ts';
import { type AuditActor, recordAudit } from '../../operators/recordAudit.ts';

/**
 * Requests that a worker reads the wallet's history again, starting at this block. Returns false if there is no such
 * wallet or network.
 */
export const askRescan = (
  db: Db,
  { blockchain, walletId, fromBlock }: { blockchain: string; walletId: string; fromBlock: bigint },
  actor: AuditActor,
): Promise<boolean> =>
  db.tx(async (tx) => {
    const [row] = await tx.query<{ is_asked: boolean }>(
      'SELECT ask_rescan(network_id, $2, $3) AS is_asked FROM networks WHERE blockchain = $1',
      [blockchain, walletId, fromBlock],
    );
    if (!row?.is_asked) return false;
    const details = { blockchain, wallet_id: walletId, block: String(fromBlock) };
    await recordAudit(tx, { actor, action: 'wallet.rescan_asked', details });
    return true;
  });
