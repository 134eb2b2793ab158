/** Every command of operators with an operator's login: a member of that role and of no other. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { manageApprovals } from '../../server/src/bin/cli/approval.ts';
import { manageKeys } from '../../server/src/bin/cli/key.ts';
import { manageLimits } from '../../server/src/bin/cli/limit.ts';
import { manageOperators } from '../../server/src/bin/cli/operator.ts';
import { pause, resume } from '../../server/src/bin/cli/pause.ts';
import { parseUsdc } from '../../server/src/core/money.ts';
import { reconcile } from '../../server/src/custody/coins/reconcile.ts';
import { restartRelayer } from '../../server/src/custody/eip3009/restartRelayer.ts';
import { openNetwork } from '../../server/src/custody/network.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { type CustodyWorld, startCustody } from '../support/chain/custody.ts';
import { urlAs } from '../support/database.ts';

let world: CustodyWorld;
let db: Db;
beforeAll(async () => {
  world = await startCustody();
  await world.fund({ alice: '1000', treasury: '1000' });
  db = openDatabase(urlAs(world.databaseUrl, 'operator'), { maxConnections: 2 });
});
afterAll(async () => {
  await db.close();
  await world.stop();
});

const send = () => world.send({ amount: '100', walletUsername: 'alice' });

describe('an operator', () => {
  it('names operators, keys and limits, and pauses', async () => {
    await manageOperators(db, ['set', '--name', 'anna', '--role', 'admin'], 'operator:root');
    await manageOperators(db, ['set', '--name', 'rita', '--role', 'risk'], 'operator:anna');
    await manageOperators(db, ['set', '--name', 'sven', '--role', 'support'], 'operator:anna');
    await manageOperators(db, ['remove', '--name', 'sven'], 'operator:anna');
    const key = await manageKeys(db, ['create', '--name', 'robot', '--scope', 'read'], 'operator:anna');
    await manageKeys(db, ['revoke', '--id', /Key (\S+)/.exec(key)![1]!], 'operator:anna');
    expect(await manageKeys(db, ['list'], 'operator:anna')).toMatch(/robot .* revoked/);
    await manageLimits(db, ['set', '--tier', 'verified', '--count', '9', '--why', 'a test'], 'operator:anna');
    await manageLimits(db, ['give', '--kyc', 'pending', '--tier', 'verified', '--why', 'a test'], 'operator:anna');
    expect(await manageLimits(db, ['history'], 'operator:anna')).toMatch(/operator:anna/);
    await pause(db, ['all', '--why', 'a test'], 'operator:anna');
    expect(await pause(db, ['list'], 'operator:anna')).toMatch(/a test/);
    await resume(db, ['all'], 'operator:anna');
  });

  it('approves, denies and cancels payments', async () => {
    world.sendRules = { approvalThreshold: parseUsdc('100'), newRecipientDelaySeconds: 0 };
    const [approved, denied, cancelled] = [await send(), await send(), await send()];
    for (const name of ['anna', 'rita'] as const) await manageApprovals(db, [approved], `operator:${name}`);
    await manageApprovals(db, ['deny', denied, '--why', 'a test'], 'operator:rita');
    await db.tx((tx) => cancelPayment(tx, { paymentId: cancelled, actor: 'operator:anna' }));
    await world.settleDown();
    const states = await Promise.all([approved, denied, cancelled].map(async (id) => (await world.get(id)).state));
    expect(states).toEqual(['COMPLETE', 'DENIED', 'CANCELLED']);
  });

  it('cancels what is signed', async () => {
    world.sendRules = { approvalThreshold: undefined, newRecipientDelaySeconds: 0 };
    const id = await send();
    await world.work();
    expect(await db.tx((tx) => cancelPayment(tx, { paymentId: id, actor: 'operator:anna' }))).toBe('asked');
    await world.settleDown();
  });

  it('reconciles, and starts a relayer again', async () => {
    const network = await openNetwork(db, world.chain);
    const app = { db };
    expect((await reconcile(app, network, network.assets[0]!))!.difference).toBe(0n);
    const [relayer] = await db.query<{ address: `0x${string}` }>('SELECT address FROM relayers');
    expect(await restartRelayer(app, network, relayer!.address, 'operator:anna')).toBe(0n);
  });
});
