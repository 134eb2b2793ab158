/** Every command of operators with an operator's login: a member of that role and of no other. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseUsdc } from '../../server/src/core/money.ts';
import { reconcile } from '../../server/src/custody/coins/reconcile.ts';
import { restartRelayer } from '../../server/src/custody/eip3009/restartRelayer.ts';
import { openNetwork } from '../../server/src/custody/network.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { type CustodyWorld, startCustody } from '../support/chain/custody.ts';
import { urlAs } from '../support/database.ts';
import { operate } from '../support/operate.ts';
import { asOperator, loginOf } from '../support/operators.ts';

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
  it('names operators, keys and limits, and pauses', async () => {
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
    for (const name of ['anna', 'rita'] as const) {
      await asOperator(world.databaseUrl, name, (own) => operate(own, 'payment', 'approve', approved));
    }
    await operate(db, 'payment', 'deny', denied, '--why', 'a test');
    await db.tx((tx) => cancelPayment(tx, { paymentId: cancelled, actor: `operator:${loginOf('anna')}` }));
    await world.settleDown();
    const states = await Promise.all([approved, denied, cancelled].map(async (id) => (await world.get(id)).state));
    expect(states).toEqual(['COMPLETE', 'DENIED', 'CANCELLED']);
  });

  it('cancels what is signed', async () => {
    world.sendRules = { approvalThreshold: undefined, newRecipientDelaySeconds: 0 };
    const id = await send();
    await world.work();
    expect(await db.tx((tx) => cancelPayment(tx, { paymentId: id, actor: `operator:${loginOf('anna')}` }))).toBe(
      'asked',
    );
    await world.settleDown();
  });

  it('reconciles, and starts a relayer again', async () => {
    const network = await openNetwork(db, world.chain);
    const app = { db };
    expect((await reconcile(app, network, network.assets[0]!))!.difference).toBe(0n);
    const [relayer] = await db.query<{ address: `0x${string}` }>('SELECT address FROM relayers');
    expect(await restartRelayer(app, network, relayer!.address, `operator:${loginOf('anna')}`)).toBe(0n);
  });
});
