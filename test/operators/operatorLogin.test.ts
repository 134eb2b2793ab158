/** Every operator command with an operator's login: a member of that role and of no other. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import compareAll from '../../server/src/bin/cli/reconcile.ts';
import type { Context } from '../../server/src/bin/program/command.ts';
import { EXIT } from '../../server/src/bin/program/faults.ts';
import { parseUsdc } from '../../server/src/core/money.ts';
import { reconcile } from '../../server/src/custody/coins/reconcile.ts';
import { restartRelayer } from '../../server/src/custody/eip3009/restartRelayer.ts';
import { openNetwork } from '../../server/src/custody/network.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { openAsset } from '../../server/src/ledger/accounts.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { type CustodyWorld, startCustody } from '../support/chain/custody.ts';
import { asAdmin, urlAs } from '../support/database.ts';
import { operate, planOf } from '../support/operate.ts';
import { asOperator, loginOf, nameOperators, type OperatorName } from '../support/operators.ts';

let world: CustodyWorld;
let db: Db;
beforeAll(async () => {
  world = await startCustody();
  await world.fund({ alice: '1000', treasury: '1000' });
  db = openDatabase(urlAs(world.databaseUrl, 'anna'), { maxConnections: 2 });
});
afterAll(async () => {
  await db.close();
  await world.stop();
});

const send = () => world.send({ amount: '100', walletUsername: 'alice' });

describe('an operator', () => {
  it('sets operators, keys and limits, and pauses', async () => {
    await operate(db, 'operator', 'add', loginOf('anna'), '--role', 'admin');
    await operate(db, 'operator', 'add', loginOf('rita'), '--role', 'risk');
    await operate(db, 'operator', 'add', loginOf('sven'), '--role', 'support');
    await operate(db, 'operator', 'remove', loginOf('sven'));
    const key = await operate(db, 'key', 'create', 'robot', '--scope', 'read');
    await operate(db, 'key', 'revoke', /Key (\S+)/.exec(key)![1]!);
    expect(await operate(db, 'key', 'list')).toMatch(/robot\n.*state +revoked/s);
    await operate(db, 'limit', 'set', 'verified', '--count', '9', '--why', 'a test');
    await operate(db, 'limit', 'give', 'pending', 'verified', '--why', 'a test');
    expect(await operate(db, 'limit', 'history')).toContain(`operator:${loginOf('anna')}`);
    await operate(db, 'pause', 'add', 'all', '--why', 'a test');
    expect(await operate(db, 'pause', 'list')).toMatch(/a test/);
    await operate(db, 'pause', 'remove', 'all');
  });

  it('approves, denies and cancels payments', async () => {
    world.sendRules = { approvalThreshold: parseUsdc('100'), newRecipientDelaySeconds: 0 };
    const [approved, denied, cancelled] = [await send(), await send(), await send()];
    await operate(db, 'payment', 'approve', approved);
    await expect(operate(db, 'payment', 'approve', approved)).rejects.toMatchObject({ exitCode: EXIT.forbidden });
    await asOperator(world.databaseUrl, 'rita', (own) => operate(own, 'payment', 'approve', approved));
    await operate(db, 'payment', 'deny', denied, '--why', 'a test');
    await expect(planOf(db, 'payment', 'deny', denied, '--why', 'again')).rejects.toThrow('does not wait for approval');
    await db.tx((tx) => cancelPayment(tx, { paymentId: cancelled, actor: `operator:${loginOf('anna')}` }));
    await world.settleDown();
    const states = await Promise.all([approved, denied, cancelled].map(async (id) => (await world.get(id)).state));
    expect(states).toEqual(['COMPLETE', 'DENIED', 'CANCELLED']);
  });

  it('cancels a signed payment', async () => {
    world.sendRules = { approvalThreshold: undefined, newRecipientDelaySeconds: 0 };
    const id = await send();
    await world.work();
    expect(await db.tx((tx) => cancelPayment(tx, { paymentId: id, actor: `operator:${loginOf('anna')}` }))).toBe(
      'asked',
    );
    await world.settleDown();
  });

  it('reconciles, and restarts a relayer', async () => {
    const network = await openNetwork(db, world.chain);
    const app = { db };
    expect((await reconcile(app, network, network.assets[0]!))!.difference).toBe(0n);
    const [relayer] = await db.query<{ address: `0x${string}` }>('SELECT address FROM relayers');
    expect(await restartRelayer(app, network, relayer!.address, `operator:${loginOf('anna')}`)).toBe(0n);
  });
});

describe('on unwatched chains, an operator', () => {
  const address = '7Z1vRk9PpUaGm3sYt2HcN5xWqJ8dLbEf4KoVgTiXnSQr';
  let home: string;
  beforeAll(async () => {
    const blockchain = 'SOL-DEVNET';
    await openAsset(world.db, blockchain, 'USDC');
    await asAdmin(world.databaseUrl, `UPDATE networks SET wallet_provider = 'circle_send' WHERE blockchain = $1`, [
      blockchain,
    ]);
    const [alice] = await world.db.query<{ user_id: string; address: string }>(
      `SELECT user_id, address FROM wallets JOIN usernames USING (user_id) WHERE username = 'alice'`,
    );
    home = alice!.address;
    await world.db.query(
      `INSERT INTO wallets (wallet_id, kind, user_id, provider, family, reference, address)
       VALUES ($1, 'user', $2, 'circle_send', 'solana', 'of alice', $3)`,
      [randomUUID(), alice!.user_id, address],
    );
  });

  it('sees the address with the person and with their other wallet, before any money has arrived there', async () => {
    expect(await operate(db, 'user', 'show', 'alice')).toMatch(new RegExp(`SOL-DEVNET +0 USDC +0 USDC +${address}\n`));
    expect(await operate(db, 'wallet', 'show', 'alice')).toMatch(new RegExp(`\non SOL-DEVNET +${address}\n`));
    const found = JSON.parse(await operate(db, 'wallet', 'show', address, '--json'));
    expect(found).toMatchObject({
      address,
      username: 'alice',
      blockchains: ['SOL-DEVNET'],
      others: [{ blockchain: 'ETH-SEPOLIA', address: home }],
    });
    expect(JSON.parse(await operate(db, 'user', 'show', address, '--json'))).toMatchObject({ username: 'alice' });
  });

  it('sees in florin reconcile that the worker compares it', async () => {
    const context = { db, chains: async () => [world.chain] } as unknown as Context;
    const answer = await compareAll.run!(context, { words: [], options: {} });
    expect(answer).toMatchObject({
      text: expect.stringMatching(/^ETH-SEPOLIA at block .*\nNot compared here: SOL-DEVNET\. The worker compares /s),
      json: [
        { blockchain: 'ETH-SEPOLIA', difference: '0' },
        { blockchain: 'SOL-DEVNET', symbol: 'USDC', block: null, compared_by: 'worker' },
      ],
      isBad: false,
    });
  });
});

describe('in hand-written SQL', () => {
  beforeAll(() => nameOperators(world.databaseUrl, { sven: 'support' }));
  const anyId = '00000000-0000-4000-8000-00000000000a';
  const typed = (name: OperatorName, sql: string) => asOperator(world.databaseUrl, name, (own) => own.query(sql));

  it.each([
    ['pauses everything', `SELECT pause_payments('all', 'operator', 'a test', 'accepting', 'x')`],
    ['pause as the service does', `SELECT pause_payments('chain:ETH-SEPOLIA', 'gas', 'a test', 'accepting', 'florin')`],
    ['end a pause', `SELECT resume_payments('chain:ETH-SEPOLIA', 'drift')`],
    ['deny a payment', `SELECT payment_release('${anyId}', gen_random_uuid(), 'DENIED', 'a test', NULL)`],
    ['fail a payment', `SELECT payment_release('${anyId}', gen_random_uuid(), 'FAILED', 'a test', NULL)`],
    ['import a payment', `SELECT import_payment('${anyId}', gen_random_uuid(), 1::smallint, '0x', 0)`],
    ['declare a move a settlement', `SELECT explain_settlement(1::smallint, '0x', 0)`],
    ['collect a debt', `SELECT collect_debt('${anyId}')`],
    ['rescan a wallet', `SELECT ask_rescan(1::smallint, '${anyId}', 0)`],
    ['restart a relayer', 'UPDATE relayers SET stopped = NULL'],
    ['skip a nonce', `INSERT INTO carriers (carrier_id) VALUES ('${anyId}')`],
    ['add an operator', `SELECT set_operator('${loginOf('sven')}', 'admin')`],
  ])('the role support cannot %s', async (_, sql) => {
    await expect(typed('sven', sql)).rejects.toThrow(/role support, which may not do this/);
    await expect(typed('mallory', sql)).rejects.toThrow(/not an operator of this service/);
  });

  it('no worker or server pauses in the name of an operator, or ends an operator’s pause', async () => {
    await typed('rita', `SELECT pause_payments('all', 'operator', 'by hand', 'accepting', 'operator:somebody')`);
    const worker = openDatabase(urlAs(world.databaseUrl, 'worker'), { maxConnections: 1 });
    for (const sql of [
      `SELECT pause_payments('chain', 'operator', 'a test', 'accepting', 'operator:ada')`,
      `SELECT resume_payments('all', 'operator')`,
    ]) {
      await expect(worker.query(sql)).rejects.toThrow(/is not the login of an operator/);
    }
    await worker.query(`SELECT pause_payments('chain:ETH-SEPOLIA', 'gas', 'a test', 'accepting', 'florin')`);
    await worker.query(`SELECT resume_payments('chain:ETH-SEPOLIA', 'gas')`);
    await worker.close();
    await typed('rita', `SELECT resume_payments('all', 'operator')`);
    const log = await world.db.query(
      `SELECT action, details FROM audit_log WHERE actor = $1 AND action LIKE 'payments.%' ORDER BY audit_id`,
      [`operator:${loginOf('rita')}`],
    );
    expect(log).toEqual([
      { action: 'payments.paused', details: { scope: 'all', reason: 'by hand' } },
      { action: 'payments.resumed', details: { scope: 'all' } },
    ]);
  });

  it('operators are added and removed with an audit entry, and one admin always remains', async () => {
    await typed('anna', `SELECT set_operator('${loginOf('rolf')}', 'risk'), remove_operator('${loginOf('rolf')}')`);
    await expect(typed('anna', `SELECT remove_operator('${loginOf('anna')}')`)).rejects.toThrow(
      /one admin must be left/,
    );
    await expect(typed('anna', `SELECT set_operator('${loginOf('anna')}', 'risk')`)).rejects.toThrow(/one admin must/);
    const log = await world.db.query(
      `SELECT action, details FROM audit_log WHERE action LIKE 'operator.%' AND details->>'name' = $1 ORDER BY audit_id`,
      [loginOf('rolf')],
    );
    expect(log).toEqual([
      { action: 'operator.set', details: { name: loginOf('rolf'), role: 'risk' } },
      { action: 'operator.removed', details: { name: loginOf('rolf') } },
    ]);
  });
});
