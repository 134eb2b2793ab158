/** The database is down, at the start or later: calls get 503, and nothing has to be restarted afterwards. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cable, layCable } from '../support/database/cable.ts';
import { judgeEndOf } from '../support/properties/judgeEnd.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { UNKNOWN_USER_ID } from '../support/values.ts';

let cable: Cable;
let florin: TestServer;

const CLAIM = { user_id: UNKNOWN_USER_ID, username: 'nobody_here' };
const claim = () => florin.call('POST', '/api/v1/set_username', CLAIM);
const ready = async () => (await fetch(`${florin.opsUrl}/readyz`)).status;

async function until<T>(read: () => Promise<T>, wanted: T): Promise<void> {
  while ((await read()) !== wanted) await new Promise((done) => setTimeout(done, 50));
}

beforeAll(async () => {
  florin = await startTestServer({}, async (databaseUrl) => {
    cable = await layCable(databaseUrl);
    cable.cut();
    return cable.url;
  });
});
afterAll(async () => {
  await florin.stop();
  await cable.remove();
});

describe('a database that is down', () => {
  it('at the start: the server listens, answers 503, and works as soon as the database is up', async () => {
    const early = await claim();
    expect([early.status, early.body.code, early.body.retryable]).toEqual([503, 'service.unavailable', true]);
    expect(early.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await ready()).toBe(503);
    expect((await fetch(`${florin.opsUrl}/healthz`)).status).toBe(200);
    cable.restore();
    await until(ready, 200);
    expect((await claim()).status).toBe(404);
  });

  it('later: the same, also for running calls', async () => {
    const underWay = Array.from({ length: 20 }, claim);
    cable.cut();
    for (const answer of await Promise.all(underWay)) expect([404, 503]).toContain(answer.status);
    expect((await claim()).body).toMatchObject({ status: 503, code: 'service.unavailable', dependency: 'database' });
    expect(await ready()).toBe(503);
    cable.restore();
    await until(async () => (await claim()).status, 404);
    await until(ready, 200);
  });

  it('is not described further to the caller', async () => {
    expect(JSON.stringify((await claim()).body)).not.toMatch(/ECONN|postgres|pg_|stack/i);
  });
});

it('in the end everything has ended, and every balance is explained', async () => {
  await florin.startWorker();
  expect(await judgeEndOf(florin)).toEqual([]);
});
