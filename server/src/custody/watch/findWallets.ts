import type { TokenLog } from '../../core/ports.ts';
import type { Queryable } from '../../db/database.ts';

/** Wallets of ours by lower-case address. */
export type WalletsByAddress = ReadonlyMap<string, string>;

const addressesOf = (log: TokenLog): string[] => (log.kind === 'transfer' ? [log.from, log.to] : [log.authorizer]);

/**
 * Those among the parties of these logs. The database is asked each time: remembering a hundred thousand wallets would be
 * faster, but what is remembered of a database that was since restored is wrong.
 */
export async function findWallets(
  db: Queryable,
  networkId: number,
  logs: readonly TokenLog[],
): Promise<WalletsByAddress> {
  const addresses = new Set(logs.flatMap(addressesOf).map((address) => address.toLowerCase()));
  if (addresses.size === 0) return new Map();
  const rows = await db.query<{ wallet_id: string; address: string }>(
    `SELECT w.wallet_id, lower(w.address) AS address
       FROM unnest($2::text[]) AS a(address) JOIN wallets w ON w.family = 'evm' AND lower(w.address) = a.address
       JOIN networks n ON n.network_id = $1 AND n.family = w.family`,
    [networkId, [...addresses]],
  );
  return new Map(rows.map((row) => [row.address, row.wallet_id]));
}

/** Those from, to or about one of these wallets. */
export const pickOurs = (logs: readonly TokenLog[], wallets: WalletsByAddress): TokenLog[] =>
  wallets.size === 0 ? [] : logs.filter((log) => addressesOf(log).some((one) => wallets.has(one.toLowerCase())));
