/**
 * A logical restore: the rows were COPYed into a fresh cluster, whose transaction ids are small. The feed position of a
 * new entry follows from the transaction id, so every process raises its base before it writes.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Config } from '../../server/src/bin/config/config.ts';
import { SANDBOX_IDENTITY } from '../../server/src/bin/config/faults/modeFaults.ts';
import { createLogger } from '../../server/src/bin/logger.ts';
import { prepare } from '../../server/src/bin/prepare.ts';
import { followLedger } from '../../server/src/custody/coins/keptPositions.ts';
import { openAsset } from '../../server/src/ledger/accounts.ts';
import { openTestDatabase, type TestDatabase } from '../support/database/openTestDatabase.ts';
import { operate } from '../support/operate.ts';
import { asOperator, nameOperators } from '../support/operators.ts';
import { createPerson } from '../support/payments.ts';
import { HOME } from '../support/values.ts';

/** Further than this server's transaction ids will get. */
const FAR = 10n ** 15n;

let database: TestDatabase;
let assetId: number;
let name = 0;
beforeAll(async () => {
  database = await openTestDatabase();
  assetId = await openAsset(database.db, HOME, 'USDC');
});
afterAll(() => database.remove());

beforeEach(async () => {
  await database.admin.tx(async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query('UPDATE ledger_state SET seq_base = 0');
    for (const table of [
      'transfers',
      'payment_events',
      'payout_events',
      'money_request_events',
      'kyc_events',
      'key_events',
      'settlements',
    ])
      await tx.query(`DELETE FROM ${table}`);
    await tx.query('DELETE FROM webhook_endpoints');
    await tx.query('DELETE FROM kept_positions');
  });
});

/** As foreign rows would be after COPY. */
const insertOld = (sql: string, values: unknown[]) =>
  database.admin.tx(async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query(sql, values);
  });
const INSERT_WEBHOOK = `INSERT INTO webhook_endpoints (endpoint_id, url, description, types, in_order, place)
   VALUES ($1, 'https://example.com', '', '{*}', false, $2)`;

const OLD = {
  'a transfer': () =>
    insertOld(
      `INSERT INTO transfers (transfer_id, seq, debit_account, credit_account, amount, debit_entry, credit_entry,
         debit_available, credit_available, created_at, asset_id, kind)
       VALUES ($1, $2, 901, 902, 1, 1, 1, 1, 1, now(), $3, 'user')`,
      [randomUUID(), FAR, assetId],
    ),
  'a state of a payment to an address': () =>
    insertOld(`INSERT INTO payment_events (seq, payment_id, state, at) VALUES ($2, $1, 'INITIATED', now())`, [
      randomUUID(),
      FAR,
    ]),
  'a state of a payout': () =>
    insertOld(`INSERT INTO payout_events (seq, payout_id, state, at) VALUES ($2, $1, 'checked', now())`, [
      randomUUID(),
      FAR,
    ]),
  'a state of a request for money': () =>
    insertOld(`INSERT INTO money_request_events (seq, request_id, state, at) VALUES ($2, $1, 'open', now())`, [
      randomUUID(),
      FAR,
    ]),
  'a status of an identity check': () =>
    insertOld(`INSERT INTO kyc_events (seq, user_id, status, at) VALUES ($2, $1, 'pending', now())`, [
      randomUUID(),
      FAR,
    ]),
  'a key of an account': () =>
    insertOld(
      `INSERT INTO key_events (seq, key_id, user_id, state, at) VALUES ($2, $1, gen_random_uuid(), 'created', now())`,
      [randomUUID(), FAR],
    ),
  // Added after the last event: its position belongs to no event.
  'the position of a webhook': () => insertOld(INSERT_WEBHOOK, [randomUUID(), FAR]),
  'a settlement': () =>
    insertOld(
      'INSERT INTO settlements (settlement_id, asset_id, covers_seq, completed_at) VALUES ($1, $3, $2, now())',
      [randomUUID(), FAR, assetId],
    ),
};

const start = (role: 'server' | 'worker') => () =>
  prepare(
    {
      config: { mode: 'sandbox', homeBlockchain: HOME, chains: [], databaseUrl: database.url } as unknown as Config,
      db: database.db,
      log: createLogger('silent'),
      role,
    },
    new AbortController().signal,
  );
/** The worker had followed the ledger up to there when the backup was made. */
const follow = () =>
  database.admin.query(
    'INSERT INTO kept_positions (seq) VALUES ($1) ON CONFLICT (only_one) DO UPDATE SET seq = excluded.seq',
    [FAR],
  );
const STARTS = {
  'by servers that keep running': follow,
  'while a worker keeps running': async () => {
    await follow();
    await followLedger(database.db);
    await database.admin.query('DELETE FROM kept_positions');
  },
  'after the start of a server': start('server'),
  'after the start of a worker': start('worker'),
  "after an operator's command": async () => {
    await nameOperators(database.url, { anna: 'admin' });
    await asOperator(database.url, 'anna', (db) => operate(db, 'pause', 'add', 'chain', '--why', 'a test'));
  },
};

for (const [old, insert] of Object.entries(OLD)) {
  for (const [when, begin] of Object.entries(STARTS)) {
    it(`writes ${when} come after the restored ${old}`, async () => {
      await insert();
      await Promise.all([begin(), begin()]);
      // A deposit, as the worker books it.
      await createPerson(database.db, `person_${name++}`, '1');
      await database.admin.query('UPDATE users SET issuer = $1', [SANDBOX_IDENTITY]);
      const [deposit] = await database.db.query<{ seq: bigint }>(`SELECT seq FROM transfers WHERE kind = 'deposit'`);
      expect(deposit!.seq).toBeGreaterThan(FAR);
      const [state] = await database.db.query<{ base: bigint }>('SELECT seq_base AS base FROM ledger_state');
      await begin();
      expect(await database.db.query('SELECT seq_base AS base FROM ledger_state')).toEqual([state]);
    });
  }
}
