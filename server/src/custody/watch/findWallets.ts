import type { TokenLog } from '../../core/ports.ts';
import type { Queryable } from '../../db/database.ts';

/** Our wallets by lower-case address. */
export type WalletsByAddress = ReadonlyMap<string, string>;

const addressesOf = (log: TokenLog): string[] => (log.kind === 'transfer' ? [log.from, log.to] : [log.authorizer]);

/**
 * Finds our wallets among the parties of these logs. This queries the database each time: a cache of a hundred thousand
 * wallets would be faster, but it would be wrong after the database was restored.
 */
export async function findWallets(
  db: Queryable,
  networkId: number,
  logs: readonly TokenLog[],
): Promise<WalletsByAddress> {
  const addresses = new Set(logs.flatMap(addressesOf).map((address) => address.toLowerCase()));
  if (addresses.size === 0) return new Map();
  const rows = await db.query<{ wallet_id: string; address: string }>(
    // OFFSET 0 keeps this one index lookup per address. With a plain join, up to some ten thousand wallets, PostgreSQL
    // would read and hash all of them for each new block.
    `SELECT w.wallet_id, a.address
       FROM networks n, unnest($2::text[]) AS a(address),
            LATERAL (SELECT wallet_id FROM wallets WHERE family = 'evm' AND lower(address) = a.address OFFSET 0) w
      WHERE n.network_id = $1 AND n.family = 'evm'`,
    [networkId, [...addresses]],
  );
  return new Map(rows.map((row) => [row.address, row.wallet_id]));
}

/** Returns the logs from, to or about one of these wallets. */
export const pickOurs = (logs: readonly TokenLog[], wallets: WalletsByAddress): TokenLog[] =>
  wallets.size === 0 ? [] : logs.filter((log) => addressesOf(log).some((one) => wallets.has(one.toLowerCase())));
