import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database/openTestDatabase.ts';
import type { TokenLog } from '../../core/ports.ts';
import { findWallets } from './findWallets.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.remove());

const addressOf = (nth: number): `0x${string}` => `0x${nth.toString(16).toUpperCase().padStart(40, '0')}`;
const transfer = (from: number, to: number) =>
  ({ kind: 'transfer', from: addressOf(from), to: addressOf(to) }) as TokenLog;

it('finds our wallets among the parties of many foreign transfers, without reading all wallets', async () => {
  const { db, admin } = database;
  await admin.query(`INSERT INTO networks (blockchain, chain_id, family) VALUES ('ETH-SEPOLIA', 1, 'evm')`);
  await admin.query(
    `WITH people AS (
       INSERT INTO users (user_id, issuer, subject) SELECT gen_random_uuid(), 'test', i::text FROM generate_series(1, 5000) i
       RETURNING user_id, subject
     ) INSERT INTO wallets (wallet_id, kind, user_id, provider, reference, address)
       SELECT gen_random_uuid(), 'user', user_id, 'local', subject, '0x' || lpad(to_hex(subject::int), 40, '0') FROM people`,
  );
  await admin.query('VACUUM ANALYZE wallets');
  const foreign = Array.from({ length: 200 }, (_, i) => transfer(1_000_000 + i, 2_000_000 + i));
  const [network] = await db.query<{ networkId: number }>('SELECT network_id AS "networkId" FROM networks');
  await db.tx(async (tx) => {
    const found = await findWallets(tx, network!.networkId, [...foreign, transfer(1_000_000, 17), transfer(4_711, 1)]);
    expect([...found.keys()].sort()).toEqual([1, 17, 4_711].map((nth) => addressOf(nth).toLowerCase()).sort());
    const [read] = await tx.query<{ whole: number }>(
      `SELECT seq_scan::int AS whole FROM pg_stat_xact_user_tables WHERE relname = 'wallets'`,
    );
    expect(read!.whole).toBe(0);
  });
});
