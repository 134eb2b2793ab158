/** `/readyz` and `/metrics` show everything that is paused, without the names of people. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordNodes } from '../../server/src/custody/nodeFaults.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { probeNetworks } from '../../server/src/http/ops/probes.ts';
import { keepProbing } from '../../server/src/http/ops/readiness.ts';
import { liftPause, pauseSends } from '../../server/src/operators/pauses.ts';
import { asAdmin } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { operate } from '../support/operate.ts';
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

const stop = (scope: string, why: string) => operate(db, 'pause', 'add', scope, '--why', why);
const go = (scope: string) => operate(db, 'pause', 'remove', scope);
const ready = async () => {
  const answer = await fetch(`${florin.opsUrl}/readyz`);
  return { status: answer.status, text: await answer.text() };
};
const metrics = async () =>
  (await (await fetch(`${florin.opsUrl}/metrics`)).text())
    .split('\n')
    .filter((line) => /^florin_(payments|people|sends)_paused/.test(line));

describe('the list of pauses', () => {
  it('is empty at first', async () => {
    await eventually(async () =>
      expect(JSON.parse((await ready()).text)).toMatchObject({ status: 'ready', paused: [], paused_people: 0 }),
    );
    await eventually(async () => expect(await metrics()).toEqual(['florin_people_paused 0']));
  });

  it('is shown beside the pauses of custody, and does not make a process unready', async () => {
    const people = await Promise.all(['a@example.com', 'b@example.com'].map((email) => florin.logIn(email)));
    const ids: string[] = people.map(({ body }) => body.user.user_id);
    await stop('all', 'moving the database');
    await stop('chain', 'the node is upgraded');
    await stop('chain:ETH-SEPOLIA', 'fees are mad');
    for (const id of ids) await stop(`user:${id}`, 'reported as stolen');
    await pauseSends(db, 'ETH-SEPOLIA', 'drift', 'a wallet differs');

    // A probe that began before the last pause may still be in progress and be answered.
    const { status, text } = await eventually(async () => {
      const found = await ready();
      expect(JSON.parse(found.text)).toMatchObject({ paused: { length: 4 }, paused_people: 2 });
      return found;
    });
    expect(status).toBe(200);
    const shown = JSON.parse(text);
    expect(shown.paused_people).toBe(2);
    expect(shown.paused).toEqual([
      { scope: 'all', cause: 'operator', reason: 'moving the database', paused_at: expect.stringMatching(/Z$/) },
      { scope: 'chain', cause: 'operator', reason: 'the node is upgraded', paused_at: expect.any(String) },
      { scope: 'chain:ETH-SEPOLIA', cause: 'operator', reason: 'fees are mad', paused_at: expect.any(String) },
      { scope: 'chain:ETH-SEPOLIA', cause: 'drift', reason: 'a wallet differs', paused_at: expect.any(String) },
    ]);
    const counted = await eventually(async () => {
      const found = await metrics();
      expect(found.sort()).toEqual([
        'florin_payments_paused{scope="all"} 1',
        'florin_payments_paused{scope="chain"} 1',
        'florin_payments_paused{scope="chain:ETH-SEPOLIA"} 1',
        'florin_people_paused 2',
        'florin_sends_paused{blockchain="ETH-SEPOLIA",cause="drift"} 1',
      ]);
      return found;
    });
    for (const secret of [...ids, 'reported as stolen', 'example.com']) {
      expect(text + counted.join()).not.toContain(secret);
    }

    for (const scope of ['all', 'chain', 'chain:ETH-SEPOLIA', ...ids.map((id) => `user:${id}`)]) await go(scope);
    await liftPause(db, 'ETH-SEPOLIA', 'drift');
    await eventually(async () =>
      expect(JSON.parse((await ready()).text)).toMatchObject({ paused: [], paused_people: 0 }),
    );
    await eventually(async () => expect(await metrics()).toEqual(['florin_people_paused 0']));
  });
});

describe('a node that contradicts the others', () => {
  const fault = { kind: 'contradicts', about: 'balances', times: 4, since: new Date() } as const;
  const probe = async () => {
    const nodes = () => ['one.example', 'two.example:8545', 'three.example'].map((host) => ({ host }));
    const probing = keepProbing([probeNetworks(db, [{ blockchain: 'ETH', nodes }])]);
    const found = await probing.read();
    await probing.stop();
    return found.dependencies[0]!;
  };

  it('is named by its host', async () => {
    const nodes = () => [{ host: 'one.example' }, { host: 'two.example:8545', fault }];
    await recordNodes(db, { blockchain: 'ETH', nodes });
    await eventually(async () =>
      expect(await probe()).toMatchObject({
        name: 'network ETH',
        says: expect.stringContaining('two.example:8545 contradicts the others'),
        nodes: [{ host: 'two.example:8545', kind: 'contradicts', about: 'balances', times: 4 }],
      }),
    );
    const series = async () => (await fetch(`${florin.opsUrl}/metrics`)).text();
    const wanted = 'florin_node_faults{blockchain="ETH",host="two.example:8545",kind="contradicts"} 4';
    await eventually(async () => expect(await series()).toContain(wanted));
  });

  it('is dropped when no process has seen it for a minute', async () => {
    await asAdmin(florin.databaseUrl, `UPDATE node_faults SET seen_at = seen_at - interval '61 seconds'`);
    await eventually(async () => expect(await probe()).toMatchObject({ nodes: [] }));
    await recordNodes(db, { blockchain: 'ETH', nodes: () => [{ host: 'two.example:8545' }] });
    expect(await db.query('SELECT host FROM node_faults')).toEqual([]);
  });
});
