/** A database for races: instrumented, with a blockchain, a treasury, operators and limits, and no people yet. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { createTestDatabase } from '../../database.ts';
import { nameOperators } from '../../operators.ts';
import { HOME } from '../../values.ts';
import type { Rules } from '../model/money.ts';
import { type Instrumented, instrument } from './instrument.ts';
import { type Gate, openGate } from './openGate.ts';
import { openSide, type Side, TOKEN } from './openSide.ts';
import { usdc } from './usdc.ts';

/** The limits of this world, as the model has them. */
export const RULES: Rules = {
  limits: {
    approved: { payment: usdc(100), day: usdc(12), count: 6 },
    rejected: { payment: 0n, day: 0n, count: 0 },
  },
};

export interface RaceWorld {
  /** With all rights, past the gates. */
  readonly owner: pg.Client;
  /** For questions while `owner` is busy holding the stop lock. */
  readonly watcher: pg.Client;
  /** Acts before a race, past the gates. */
  readonly setup: Side;
  readonly gates: { readonly a: Gate; readonly b: Gate };
  readonly sides: { readonly a: Side; readonly b: Side };
  readonly treasuryWallet: string;
  readonly instrumented: Instrumented;
  close(): Promise<void>;
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** `mutate` plants a fault before the functions are instrumented. */
export async function openWorld(mutate?: (owner: pg.Client) => Promise<void>): Promise<RaceWorld> {
  const database = await createTestDatabase();
  const owner = await connect(database.adminUrl);
  const watcher = await connect(database.adminUrl);
  await mutate?.(owner);
  const treasuryWallet = randomUUID();
  await build(owner, treasuryWallet);
  await nameOperators(database.url, { anna: 'admin', rita: 'risk', rolf: 'risk', ada: 'admin' });
  // Scenes have keys, which only an operator makes.
  await owner.query(`INSERT INTO operators (name, role) VALUES (session_user, 'admin')`);
  const instrumented = await instrument(owner);
  const gates = { a: await openGate(database.url, 'a'), b: await openGate(database.url, 'b') };
  const sides = { a: openSide(database, gates.a.through), b: openSide(database, gates.b.through) };
  const setup = openSide(database, (url) => url);
  return {
    owner,
    watcher,
    setup,
    gates,
    sides,
    treasuryWallet,
    instrumented,
    async close() {
      await Promise.all([sides.a.close(), sides.b.close(), setup.close()]);
      await Promise.all([gates.a.remove(), gates.b.remove(), owner.end(), watcher.end()]);
      await database.drop();
    },
  };
}

async function build(owner: pg.Client, treasuryWallet: string): Promise<void> {
  const { rows } = await owner.query<{ asset: number }>('SELECT ledger_open_asset($1) AS asset', [HOME]);
  const asset = rows[0]!.asset;
  await owner.query('SELECT ledger_set_home_asset($1)', [asset]);
  await owner.query('SELECT ledger_describe_asset($1, 1, $2)', [asset, TOKEN]);
  await owner.query(`SELECT ledger_name_token($1, 'USDC')`, [asset]);
  for (const kind of ['chain', 'treasury', 'fees', 'loss']) {
    await owner.query('SELECT ledger_open_house_account($1, $2)', [asset, kind]);
  }
  await owner.query(`
    UPDATE kyc_tiers SET tier = CASE kyc_status WHEN 'rejected' THEN 30 ELSE 20 END;
    UPDATE tiers SET payment_limit = ${usdc(100)}, day_limit = ${usdc(12)}, month_limit = NULL, day_payments = 6 WHERE tier = 20;
    UPDATE tiers SET payment_limit = 0 WHERE tier = 30;
    UPDATE send_rules SET approval_threshold = NULL, new_recipient_delay = 0, has_open_treasury = false;
    INSERT INTO chain_cursors (network_id, block_number, block_hash, block_seconds, head_number)
    SELECT network_id, 1000, '0xblock', 1760000000, 1003 FROM assets;
    INSERT INTO wallets (wallet_id, kind, provider, reference, address)
    VALUES ('${treasuryWallet}', 'treasury', 'local', 'treasury', '0x${'9'.repeat(40)}');
    SELECT ledger_apply('${randomUUID()}', 'deposit', (SELECT account_id FROM accounts WHERE kind = 'chain'),
      (SELECT account_id FROM accounts WHERE kind = 'treasury'), ${usdc(1_000_000)}, NULL, '0xf');
    INSERT INTO holdings (asset_id, wallet_id, coins, ledger)
    VALUES (${asset}, '${treasuryWallet}', ${usdc(1_000_000)}, ${usdc(1_000_000)})
    ON CONFLICT (asset_id, wallet_id) DO UPDATE SET coins = excluded.coins, ledger = excluded.ledger`);
}
