/** A small world with every object that the database's functions decide about. Built by the owner. */
import type pg from 'pg';
import { loginOf } from '../../../operators.ts';
import { buildCustody } from './buildCustody.ts';
import { buildPayments } from './buildPayments.ts';
import {
  addressOf,
  HOME_ASSET,
  HOME_CHAIN,
  idOf,
  NEW_CHAIN,
  OTHER_ASSET,
  OTHER_CHAIN,
  PEOPLE,
  SENDING_WALLET,
  THRESHOLD,
  TREASURY_WALLET,
  userOf,
  walletOf,
} from './names.ts';

/** Operators by their role; `removed` was one and still has a login. `second` proposes and approves beforehand. */
export const OPERATORS = { admin: 'ada', risk: 'rita', support: 'sven', removed: 'mallory', second: 'anna' } as const;

export async function buildWorld(owner: pg.Client): Promise<void> {
  await openChains(owner);
  await setLimits(owner);
  for (const [i, { name, kyc }] of PEOPLE.entries()) await addPerson(owner, name, kyc, i + 1);
  await owner.query(
    `INSERT INTO wallets (wallet_id, kind, provider, reference, address) VALUES ($1, 'treasury', 'local', 'treasury', $2);`,
    [TREASURY_WALLET, addressOf(100)],
  );
  await owner.query(
    `INSERT INTO wallets (wallet_id, kind, user_id, provider, reference, address)
     VALUES ($1, 'user', $2, 'circle_send', 'sending', $3)`,
    [SENDING_WALLET, userOf('bob'), addressOf(101)],
  );
  await buildPayments(owner);
  await nameOperators(owner);
  await buildCustody(owner);
  await closeAndPause(owner);
  await owner.query(
    `INSERT INTO audit_log (at, actor, action) SELECT now() - interval '500 days', 'user:long-ago', 'login'
       FROM generate_series(1, 3)`,
  );
}

async function openChains(owner: pg.Client): Promise<void> {
  for (const chain of [HOME_CHAIN, OTHER_CHAIN, NEW_CHAIN])
    await owner.query(`SELECT ledger_open_token($1, 'USDC')`, [chain]);
  await owner.query(`SELECT ledger_set_home_asset($1)`, [HOME_ASSET]);
  for (const asset of [HOME_ASSET, OTHER_ASSET]) {
    await owner.query('SELECT ledger_describe_asset($1, $2, $3)', [asset, asset + 100n, `0xtoken${asset}`]);
    await owner.query(`SELECT ledger_name_token($1, 'USDC')`, [asset]);
    for (const kind of ['chain', 'treasury', 'fees', 'loss']) {
      await owner.query('SELECT ledger_open_house_account($1, $2)', [asset, kind]);
    }
    await owner.query(
      `INSERT INTO chain_cursors (network_id, block_number, block_hash, block_seconds, head_number)
       SELECT network_id, 1000, '0xblock', 1760000000, 1003 FROM assets WHERE asset_id = $1`,
      [asset],
    );
    await owner.query('INSERT INTO asset_positions (asset_id, coins) VALUES ($1, 0) ON CONFLICT DO NOTHING', [asset]);
  }
  await owner.query(`INSERT INTO wallet_seeds (fingerprint, wallet_provider) VALUES ('seed', 'local')`);
}

/** Low enough that generated payments reach every limit. */
async function setLimits(owner: pg.Client): Promise<void> {
  await owner.query(`
    UPDATE kyc_tiers SET tier = CASE kyc_status WHEN 'approved' THEN 20 WHEN 'rejected' THEN 30 WHEN 'revoked' THEN 30 ELSE 10 END;
    UPDATE tiers SET payment_limit = 20000000, day_limit = 50000000, month_limit = 90000000, day_payments = 4 WHERE tier = 10;
    UPDATE tiers SET payment_limit = 150000000, day_limit = 400000000, month_limit = 700000000, day_payments = 30 WHERE tier = 20;
    UPDATE send_rules SET approval_threshold = ${THRESHOLD}, new_recipient_delay = 0, has_open_treasury = false;
    UPDATE retention SET next_page = 0, finished_at = NULL`);
}

async function addPerson(owner: pg.Client, name: string, kyc: string, nth: number): Promise<void> {
  const user = userOf(name);
  await owner.query(`INSERT INTO users (user_id, issuer, subject, kyc_status) VALUES ($1, 'test', $2, $3)`, [
    user,
    name,
    kyc,
  ]);
  await owner.query('INSERT INTO username_skeletons (skeleton, user_id) VALUES (username_skeleton($2), $1)', [
    user,
    name,
  ]);
  await owner.query('INSERT INTO usernames (username, user_id, claimed_at) VALUES ($2, $1, now())', [user, name]);
  await owner.query(
    `INSERT INTO wallets (wallet_id, kind, user_id, provider, reference, address) VALUES ($1, 'user', $2, 'local', $3, $4)`,
    [walletOf(name), user, name, addressOf(nth)],
  );
  for (const asset of [HOME_ASSET, OTHER_ASSET]) {
    await owner.query('SELECT ledger_open_user_accounts($1, ARRAY[$2::uuid])', [asset, user]);
  }
  await owner.query(
    `INSERT INTO sessions (session_id, user_id, created_at, last_used_at, expires_at)
     VALUES ($1, $2, now(), now(), now() + interval '30 days')`,
    [idOf('session', nth), user],
  );
  await owner.query(
    `INSERT INTO session_tokens (hash, session_id, kind, generation, expires_at)
     VALUES (sha256($1::uuid::text::bytea), $1::uuid, 'access', 0, now() + interval '1 hour')`,
    [idOf('session', nth)],
  );
}

async function nameOperators(owner: pg.Client): Promise<void> {
  for (const [name, role] of [
    ['ada', 'admin'],
    ['anna', 'admin'],
    ['rita', 'risk'],
    ['sven', 'support'],
  ] as const) {
    await owner.query(`INSERT INTO operators (name, role, added_at) VALUES ($1, $2, now() - interval '1 day')`, [
      loginOf(name),
      role,
    ]);
  }
}

async function closeAndPause(owner: pg.Client): Promise<void> {
  await owner.query('SELECT close_account($1, 30)', [userOf('clara_closed')]);
  await owner.query(`SELECT pause_payments('user:' || $1, 'operator', 'looks odd', 'accepting', 'operator:anna')`, [
    userOf('paul_paused'),
  ]);
}
