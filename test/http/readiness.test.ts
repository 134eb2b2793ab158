/** `/readyz` and `/metrics` show everything that is paused, without the names of people. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pause, resume } from '../../server/src/bin/cli/pause.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { liftPause, pauseSends } from '../../server/src/operators/pauses.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let florin: TestServer;
let db: Db;
beforeAll(async () => {
  florin = await startTestServer();
  db = openDatabase(florin.databaseUrl);
});
afterAll(async () => {
  await db.close();
  await florin.stop();
});

const stop = (scope: string, why: string) => pause(db, [scope, '--why', why], 'operator:ada');
const go = (scope: string) => resume(db, [scope], 'operator:ada');
const ready = async () => {
  const answer = await fetch(`${florin.opsUrl}/readyz`);
  return { status: answer.status, text: await answer.text() };
};
const metrics = async () =>
  (await (await fetch(`${florin.opsUrl}/metrics`)).text())
    .split('\n')
    .filter((line) => /^florin_(payments|people|sends)_paused/.test(line));

describe('what is paused', () => {
  it('is nothing at first', async () => {
    expect(JSON.parse((await ready()).text)).toMatchObject({ status: 'ready', paused: [], paused_people: 0 });
    expect(await metrics()).toEqual(['florin_people_paused 0']);
  });

  it('is shown beside what custody has stopped, and does not make a process unready', async () => {
    const people = await Promise.all(['a@example.com', 'b@example.com'].map((email) => florin.logIn(email)));
    const ids: string[] = people.map(({ body }) => body.user.user_id);
    await stop('all', 'moving the database');
    await stop('chain', 'the node is upgraded');
    await stop('chain:ETH-SEPOLIA', 'fees are mad');
    for (const id of ids) await stop(`user:${id}`, 'reported as stolen');
    await pauseSends(db, 'ETH-SEPOLIA', 'drift', 'a wallet differs');

    const { status, text } = await ready();
    expect(status).toBe(200);
    const shown = JSON.parse(text);
    expect(shown.paused_people).toBe(2);
    expect(shown.paused).toEqual([
      { scope: 'all', cause: 'operator', reason: 'moving the database', paused_at: expect.stringMatching(/Z$/) },
      { scope: 'chain', cause: 'operator', reason: 'the node is upgraded', paused_at: expect.any(String) },
      { scope: 'chain:ETH-SEPOLIA', cause: 'operator', reason: 'fees are mad', paused_at: expect.any(String) },
      { scope: 'chain:ETH-SEPOLIA', cause: 'drift', reason: 'a wallet differs', paused_at: expect.any(String) },
    ]);
    const counted = await metrics();
    expect(counted.sort()).toEqual([
      'florin_payments_paused{scope="all"} 1',
      'florin_payments_paused{scope="chain"} 1',
      'florin_payments_paused{scope="chain:ETH-SEPOLIA"} 1',
      'florin_people_paused 2',
      'florin_sends_paused{blockchain="ETH-SEPOLIA",cause="drift"} 1',
    ]);
    for (const secret of [...ids, 'reported as stolen', 'example.com']) {
      expect(text + counted.join()).not.toContain(secret);
    }

    for (const scope of ['all', 'chain', 'chain:ETH-SEPOLIA', ...ids.map((id) => `user:${id}`)]) await go(scope);
    await liftPause(db, 'ETH-SEPOLIA', 'drift');
    expect(JSON.parse((await ready()).text)).toMatchObject({ paused: [], paused_people: 0 });
    expect(await metrics()).toEqual(['florin_people_paused 0']);
  });
});
