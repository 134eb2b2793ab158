import type { Chain, Hex } from '../../../server/src/core/ports.ts';
import type { Queryable } from '../../../server/src/db/database.ts';

/** Every hold of a send that we signed ended as its authorization did on the chain. */
export async function compareEnds({ db, chain }: { readonly db: Queryable; readonly chain: Chain }): Promise<string[]> {
  const rows = await db.query<{ id: string; end: string; nonce: Buffer; from: string; to: string; amount: bigint }>(
    `SELECT m.move_id AS id, e.kind AS "end", a.nonce, lower(m.from_address) AS from, lower(m.to_address) AS to, m.amount
       FROM authorizations a JOIN coin_moves m USING (move_id)
       JOIN transfers e ON e.hold_id = m.move_id WHERE m.purpose = 'send' AND m.state <> 'open'`,
  );
  if (rows.length === 0) return [];
  const used = new Map<string, Hex>();
  const paid = new Set<string>();
  for (const log of await chain.listTokenLogs({ from: 0n, to: await chain.getHead(), wallets: 'all' })) {
    if (log.kind === 'used') used.set(log.nonce, log.txHash);
    if (log.kind === 'transfer')
      paid.add(`${log.txHash} ${log.from.toLowerCase()} ${log.to.toLowerCase()} ${log.amount}`);
  }
  return rows.flatMap(({ id, end, nonce, from, to, amount }) => {
    const hash = used.get(`0x${nonce.toString('hex')}`);
    // After a restore, the nonce may belong to an earlier request with the same key, or to an earlier wallet.
    const txHash = paid.has(`${hash} ${from} ${to} ${amount}`) ? hash : undefined;
    if (end === 'release') return txHash ? [`the hold ${id} was released, and the chain has paid it in ${txHash}`] : [];
    return txHash ? [] : [`the hold ${id} was posted, and the chain has not paid it`];
  });
}
