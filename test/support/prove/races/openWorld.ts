/** A database for races: instrumented, with a blockchain, a treasury, operators and limits, and no people yet. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { createTestDatabase } from '../../database.ts';
import { nameOperators } from '../../operators.ts';
import { HOME } from '../../values.ts';
import { FIRST_BLOCK } from '../model/predict.ts';
import { type Instrumented, instrument } from './instrument.ts';
import { COINS, RELAYER, TOKEN } from './openChain.ts';
import { type Gate, openGate } from './openGate.ts';
import { openSide, type Side } from './openSide.ts';
import { usdc } from './usdc.ts';

/** The day's limit of approved people. */
const DAY_LIMIT = usdc(12);

/**
 * Removes the rows that a race leaves in tables that all scenes share. Triggers would refuse most of these deletions.
 */
export const RESET = `
  SET session_replication_role = replica;
  DELETE FROM jobs;
  DELETE FROM pauses WHERE scope LIKE 'chain%' OR scope = 'all';
  UPDATE tiers SET day_limit = ${DAY_LIMIT} WHERE tier = 20 AND day_limit <> ${DAY_LIMIT};
  UPDATE kyc_tiers SET tier = 30 WHERE kyc_status = 'rejected' AND tier <> 30;
  DELETE FROM carrier_attempts;
  DELETE FROM carrier_calls;
  DELETE FROM carriers;
  DELETE FROM cancellations;
  DELETE FROM signatures;
  DELETE FROM authorizations;
  DELETE FROM wallet_rescans;
  UPDATE relayers SET next_nonce = NULL WHERE next_nonce IS NOT NULL;
  UPDATE chain_cursors SET block_number = ${FIRST_BLOCK}, block_hash = '0xblock' WHERE block_number <> ${FIRST_BLOCK};
  SET session_replication_role = origin`;

export interface RaceWorld {
  /** A connection with all rights, not through the gates. */
  readonly owner: pg.Client;
  /** For queries while `owner` holds the stop lock. */
  readonly watcher: pg.Client;
  /** Runs `RESET`, whose `session_replication_role` discards all plans of its connection. */
  readonly cleaner: pg.Client;
  /** Prepares a race, not through the gates. */
  readonly setup: Side;
  readonly gates: { readonly a: Gate; readonly b: Gate };
  readonly sides: { readonly a: Side; readonly b: Side };
  readonly instrumented: Instrumented;
  close(): Promise<void>;
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return client;
}

export async function openWorld(): Promise<RaceWorld> {
  const database = await createTestDatabase();
  const owner = await connect(database.adminUrl);
  const [watcher, cleaner] = [await connect(database.adminUrl), await connect(database.adminUrl)];
  await build(owner, randomUUID());
  await nameOperators(database.url, { anna: 'admin', rita: 'risk', rolf: 'risk', ada: 'admin' });
  // Scenes have keys, which only an operator makes.
  await owner.query(`INSERT INTO operators (name, role) VALUES (session_user, 'admin')`);
  const instrumented = await instrument(owner);
  await owner.query(ADD_PERSON);
  // Plans are made once, and do not depend on statistics, which are not gathered here.
  await owner.query('SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET jit = off');
  const gates = { a: await openGate(database.url, 'a'), b: await openGate(database.url, 'b') };
  const sides = { a: openSide(database, gates.a.through), b: openSide(database, gates.b.through) };
  const setup = openSide(database, (url) => url);
  return {
    owner,
    watcher,
    cleaner,
    setup,
    gates,
    sides,
    instrumented,
    async close() {
      await Promise.all([sides.a.close(), sides.b.close(), setup.close()]);
      await Promise.all([gates.a.remove(), gates.b.remove(), ...[owner, watcher, cleaner].map((one) => one.end())]);
      await database.drop();
    },
  };
}

/** A person of a scene, with a wallet, money, a session and an identity check. */
const ADD_PERSON = `
CREATE FUNCTION races.add_person(p_user uuid, p_name text, p_wallet uuid, p_address text, p_session uuid, p_access text,
  p_refresh text, p_deposit uuid, p_funds bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO users (user_id, issuer, subject, kyc_status) VALUES (p_user, 'test', p_name, 'approved');
  INSERT INTO username_skeletons (skeleton, user_id) VALUES (username_skeleton(p_name), p_user);
  INSERT INTO usernames (username, user_id, claimed_at) VALUES (p_name, p_user, now());
  INSERT INTO wallets (wallet_id, kind, user_id, provider, reference, address)
  VALUES (p_wallet, 'user', p_user, 'local', p_name, p_address);
  PERFORM ledger_open_user_accounts(1::smallint, ARRAY[p_user]);
  INSERT INTO sessions (session_id, user_id, created_at, last_used_at, expires_at)
  VALUES (p_session, p_user, now(), now(), now() + interval '30 days');
  INSERT INTO session_tokens (hash, session_id, kind, generation, expires_at)
  VALUES (sha256(convert_to(p_access, 'UTF8')), p_session, 'access', 0, now() + interval '1 day'),
         (sha256(convert_to(p_refresh, 'UTF8')), p_session, 'refresh', 0, now() + interval '1 day');
  INSERT INTO kyc_checks (user_id, applicant_id, level, was_approved, asked) VALUES (p_user, p_user::text, 'basic', true, 1);
  IF p_funds > 0 THEN
    PERFORM ledger_apply(p_deposit, 'deposit', (SELECT account_id FROM accounts WHERE kind = 'chain' AND asset_id = 1),
      (SELECT account_id FROM accounts WHERE user_id = p_user), p_funds, NULL, '0xf');
  END IF;
  INSERT INTO holdings (asset_id, wallet_id, coins, ledger) VALUES (1, p_wallet, ${COINS}, ${COINS})
  ON CONFLICT (asset_id, wallet_id) DO UPDATE SET coins = excluded.coins;
END $$`;

async function build(owner: pg.Client, treasuryWallet: string): Promise<void> {
  const { rows } = await owner.query<{ asset: number }>(`SELECT ledger_open_token($1, 'USDC') AS asset`, [HOME]);
  const asset = rows[0]!.asset;
  await owner.query('SELECT ledger_set_home_asset($1)', [asset]);
  await owner.query('SELECT ledger_describe_asset($1, 1, $2)', [asset, TOKEN]);
  await owner.query(`SELECT ledger_name_token($1, 'USDC')`, [asset]);
  for (const kind of ['chain', 'treasury', 'fees', 'loss']) {
    await owner.query('SELECT ledger_open_house_account($1, $2)', [asset, kind]);
  }
  await owner.query(`
    UPDATE kyc_tiers SET tier = CASE kyc_status WHEN 'rejected' THEN 30 ELSE 20 END;
    UPDATE tiers SET payment_limit = ${usdc(100)}, day_limit = ${DAY_LIMIT}, month_limit = NULL, day_payments = 6 WHERE tier = 20;
    UPDATE tiers SET payment_limit = 0 WHERE tier = 30;
    UPDATE send_rules SET approval_threshold = NULL, new_recipient_delay = 0, has_open_treasury = false;
    INSERT INTO chain_cursors (network_id, block_number, block_hash, block_seconds, head_number)
    SELECT network_id, ${FIRST_BLOCK}, '0xblock', 1760000000, ${FIRST_BLOCK} FROM assets;
    INSERT INTO relayers (network_id, reference, address, first_nonce)
    SELECT network_id, '${RELAYER.reference.replaceAll("'", "''")}', '${RELAYER.address}', 0 FROM assets;
    INSERT INTO wallets (wallet_id, kind, provider, reference, address)
    VALUES ('${treasuryWallet}', 'treasury', 'local', 'treasury', '0x${'9'.repeat(40)}');
    SELECT ledger_apply('${randomUUID()}', 'deposit', (SELECT account_id FROM accounts WHERE kind = 'chain'),
      (SELECT account_id FROM accounts WHERE kind = 'treasury'), ${usdc(1_000_000)}, NULL, '0xf');
    INSERT INTO holdings (asset_id, wallet_id, coins, ledger)
    VALUES (${asset}, '${treasuryWallet}', ${usdc(1_000_000)}, ${usdc(1_000_000)})
    ON CONFLICT (asset_id, wallet_id) DO UPDATE SET coins = excluded.coins, ledger = excluded.ledger`);
}
