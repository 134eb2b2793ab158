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
    await manageOperators(db, ['set', '--name', loginOf('anna'), '--role', 'admin']);
    await manageOperators(db, ['set', '--name', loginOf('rita'), '--role', 'risk']);
    await manageOperators(db, ['set', '--name', loginOf('sven'), '--role', 'support']);
    await manageOperators(db, ['remove', '--name', loginOf('sven')]);
    const key = await manageKeys(db, ['create', '--name', 'robot', '--scope', 'read']);
    await manageKeys(db, ['revoke', '--id', /Key (\S+)/.exec(key)![1]!]);
    expect(await manageKeys(db, ['list'])).toMatch(/robot .* revoked/);
    await manageLimits(db, ['set', '--tier', 'verified', '--count', '9', '--why', 'a test']);
    await manageLimits(db, ['give', '--kyc', 'pending', '--tier', 'verified', '--why', 'a test']);
    expect(await manageLimits(db, ['history'])).toContain(`operator:${loginOf('anna')}`);
    await pause(db, ['all', '--why', 'a test']);
    expect(await pause(db, ['list'])).toMatch(/a test/);
    await resume(db, ['all']);
  });

  it('approves, denies and cancels payments', async () => {
    world.sendRules = { approvalThreshold: parseUsdc('100'), newRecipientDelaySeconds: 0 };
    const [approved, denied, cancelled] = [await send(), await send(), await send()];
    for (const name of ['anna', 'rita'] as const) {
      await asOperator(world.databaseUrl, name, (own) => manageApprovals(own, [approved]));
    }
    await manageApprovals(db, ['deny', denied, '--why', 'a test']);
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
