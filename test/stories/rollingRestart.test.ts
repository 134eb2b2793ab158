/**
 * Two servers behind HAProxy are replaced under load, as Kubernetes does it with deploy/kubernetes: the new one first;
 * then the old one's preStop command runs while the balancer learns that it leaves; then SIGTERM. No call fails, and no
 * call is repeated. Skipped without HAProxy.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { parseYaml } from '@redocly/openapi-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFreePort } from '../../sandbox/src/ports.ts';
import { SEPOLIA_ID, startTestChain, type TestChain } from '../support/chain/chain.ts';
import { eventually } from '../support/eventually.ts';
import { hasHaproxy, type Place, startBalancer } from '../support/failover/startBalancer.ts';
import { type Production, startProduction } from '../support/production.ts';

const PEOPLE = ['roll_anna', 'roll_bert', 'roll_cora', 'roll_dirk'];
/** Calls that a balancer may still send to a server that is leaving, before it learns of it. */
const LATE_CALLS = 5;

/** Of the server's deployment. */
function readPreStop(): readonly [string, ...string[]] {
  const text = readFileSync(new URL('../../deploy/kubernetes/florin.yaml', import.meta.url), 'utf8');
  const documents = text.split(/^---$/m).map((one) => parseYaml(one) as Deployment);
  const server = documents.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'florin-server')!;
  return server.spec.template.spec.containers[0].lifecycle.preStop.exec.command;
}

interface Deployment {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly [
          {
            readonly lifecycle: {
              readonly preStop: { readonly exec: { readonly command: readonly [string, ...string[]] } };
            };
          },
        ];
      };
    };
  };
}

describe.skipIf(!hasHaproxy())('a rolling restart', () => {
  let chain: TestChain;
  let florin: Production;
  const places: Place[] = [];
  const envOf = ({ port, opsPort }: Place) => ({
    FLORIN_BACKEND_PORT: String(port),
    FLORIN_OPS_PORT: String(opsPort),
  });

  beforeAll(async () => {
    for (const name of ['first', 'second', 'third', 'fourth'])
      places.push({ name, port: await findFreePort(), opsPort: await findFreePort() });
    chain = await startTestChain(SEPOLIA_ID);
    florin = await startProduction(
      {
        FLORIN_RATE_LIMITS: 'address=1000000, login=1000, user=1000000, key=1000000, kyc=10',
        ...envOf(places[0]!),
      },
      { chain },
    );
  });
  afterAll(async () => {
    await florin?.stop();
    await chain?.stop();
  });

  it('fails no call', async () => {
    const [first, second, third, fourth] = places as [Place, Place, Place, Place];
    const balancer = await startBalancer(places);
    try {
      const old = await florin.startAnother(envOf(second));
      await balancer.untilReady(first.name);
      await balancer.untilReady(second.name);
      const people = await Promise.all(PEOPLE.map((name) => enter(name)));
      await chain.mineUntil(async () => {
        for (const { headers } of people) {
          const { body } = await florin.call('GET', '/api/v1/me/overview', undefined, headers);
          expect(body.balances[0].available).toBe('100');
        }
      });
      const load = startLoad(balancer.url, people);

      /** What the kubelet and the endpoints do with a pod that is being deleted. */
      const remove = async ({ name }: Place, end: () => Promise<number | null>) => {
        const [program, ...words] = readPreStop();
        await Promise.all([
          promisify(execFile)(program, words),
          load.more(LATE_CALLS).then(() => balancer.drain(name)),
        ]);
        expect(await end()).toBe(0);
      };
      await florin.startAnother(envOf(third));
      await balancer.untilReady(third.name);
      await remove(first, florin.end);
      await florin.startAnother(envOf(fourth));
      await balancer.untilReady(fourth.name);
      await remove(second, old.end);
      await load.more(50);
      const { calls, failures } = await load.stop();
      expect(failures).toEqual([]);
      expect(calls).toBeGreaterThan(100);
    } finally {
      await balancer.stop();
    }
  });

  async function enter(name: string): Promise<Person> {
    const idToken = await florin.issuer.sign({ sub: name, email: `${name}@example.com`, email_verified: true });
    const { body } = await florin.call('POST', '/api/v1/login', { id_token: idToken });
    const headers = { authorization: `Bearer ${body.access_token}` };
    await florin.call('POST', '/api/v1/set_username', { user_id: body.user.user_id, username: name }, headers);
    const address = await eventually(async () => {
      const { body: me } = await florin.call('GET', '/api/v1/me', undefined, headers);
      expect(me.wallet.address).toMatch(/^0x/);
      return me.wallet.address as string;
    });
    await chain.mint(address, '100');
    return { name, userId: body.user.user_id, headers };
  }
});

interface Person {
  readonly name: string;
  readonly userId: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Everyone pays the next one and looks at their balance, again and again, over connections that stay open. */
function startLoad(url: string, people: readonly Person[]) {
  const failures: string[] = [];
  let calls = 0;
  let isOver = false;
  const call = async (path: string, init: RequestInit) => {
    try {
      const answer = await fetch(url + path, init);
      const text = await answer.text();
      if (answer.status !== 200) failures.push(`${path}: ${answer.status} ${text}`);
    } catch (error) {
      failures.push(`${path}: ${String((error as Error).cause ?? error)}`);
    }
    calls++;
  };
  const runs = people.map(async ({ userId, headers }, i) => {
    const receiver = people[(i + 1) % people.length]!.name;
    while (!isOver && failures.length < 20) {
      await call('/api/v1/send_usdc', {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': randomUUID() },
        body: JSON.stringify({ sender_user_id: userId, receiver_username: receiver, amount: 0.01 }),
      });
      await call('/api/v1/me/overview', { headers });
    }
  });
  return {
    async more(count: number) {
      const wanted = calls + count;
      await eventually(() => expect(failures.length > 0 || calls >= wanted).toBe(true));
    },
    async stop() {
      isOver = true;
      await Promise.all(runs);
      return { calls, failures };
    },
  };
}
