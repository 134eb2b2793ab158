/** A durable PostgreSQL with people who each have a wallet with 100 USDC, on a chain that reports it. */
import { createHash } from 'node:crypto';
import type { Hex } from 'viem';
import type { Chain } from '../../server/src/core/ports.ts';
import { type Network, openNetwork } from '../../server/src/custody/network.ts';
import type { Db } from '../../server/src/db/database.ts';
import { startBenchPostgres } from './startBenchPostgres.ts';
import { printDurability } from './yardsticks/pgbench.ts';

const CHAIN_ID = 11_155_111;
const USDC: Hex = '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238';
export const COINS = 100_000_000n;

interface WalletWorld {
  /** With the rights of the owner, so that it can be filled without a deposit for each wallet. */
  createDatabase(name: string): Promise<Db>;
  stop(): Promise<void>;
}

export async function openWalletWorld(): Promise<WalletWorld> {
  const { url, createDatabase, stop } = await startBenchPostgres();
  await printDurability(url);
  return { createDatabase: async (name) => (await createDatabase(name)).db, stop };
}

/** Every wallet has what its owner is owed, and nothing uncounted is known. */
export async function openFilledNetwork(db: Db, blockchain: string, wallets: number): Promise<Network> {
  const network = await openNetwork(db, createChain(blockchain));
  const { assetId } = network.assets[0]!;
  await db.query(
    `INSERT INTO users (user_id, issuer, subject) SELECT gen_random_uuid(), 'bench', i::text
       FROM generate_series(1, $1::int) i`,
    [wallets],
  );
  await db.query(
    `INSERT INTO wallets (wallet_id, kind, user_id, provider, reference, address)
     SELECT gen_random_uuid(), 'user', user_id, 'local', subject, '0x' || substr(encode(sha256(subject::bytea), 'hex'), 1, 40)
       FROM users`,
  );
  await db.query(`INSERT INTO accounts (asset_id, kind, user_id, tier) SELECT $1, 'user', user_id, 0 FROM users`, [
    assetId,
  ]);
  const deposit = () =>
    db.query(
      `SELECT ledger_deposit($1, array_agg(gen_random_uuid()), array_agg(account_id), array_agg($2::bigint), array_agg('0x0'::text))
         FROM (SELECT account_id FROM accounts WHERE kind = 'user' AND entries = 0 LIMIT 2000) poor HAVING count(*) > 0`,
      [assetId, COINS],
    );
  while ((await deposit()).length > 0);
  await db.query(
    `INSERT INTO holdings (asset_id, wallet_id, coins, unchecked) SELECT $1, wallet_id, $2, false FROM wallets`,
    [assetId, COINS],
  );
  await db.query('DELETE FROM wallet_rescans');
  await db.query(
    `INSERT INTO chain_cursors (network_id, block_number, block_hash, block_seconds, head_number, first_block)
     VALUES ($1, 1, $2, 1, 1, 1)`,
    [network.networkId, hashOf('block 1')],
  );
  await db.query('VACUUM ANALYZE');
  return network;
}

const hashOf = (words: string): Hex => `0x${createHash('sha256').update(words).digest('hex')}`;

/** Answers immediately, so that only our own work is measured. */
function createChain(blockchain: string): Chain {
  const chain: Partial<Chain> = {
    blockchain,
    chainId: CHAIN_ID,
    tokens: [{ symbol: 'USDC', decimals: 6, contract: USDC }],
    check: async () => [{ name: 'USDC', version: '2', chainId: CHAIN_ID, verifyingContract: USDC }],
    findBlock: async () =>
      ({ number: 1n, hash: hashOf('block 1'), timeSeconds: 1n }) as Awaited<ReturnType<Chain['findBlock']>>,
    readBalances: async (_token, wallets) => wallets.map(() => COINS),
    readRefusals: async (_token, addresses) => ({ isPaused: false, blacklisted: addresses.map(() => false) }),
  };
  return chain as Chain;
}
