/**
 * Each dependency is cut in turn. The operator sees it in `/readyz`, in the metrics, by the alert that fires and in a
 * log line; the waiting person sees it in the timeline; and people keep paying each other.
 */
import { createServer, type Server } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestChain, type TestChain } from '../support/chain/chain.ts';
import { randomAddress } from '../support/chain/custody.ts';
import { type Cable, layCable } from '../support/database/cable.ts';
import { asAdmin } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { findFiring } from '../support/http/alerts.ts';
import { listen } from '../support/http/listen.ts';
import { serveKeys } from '../support/http/serveKeys.ts';
import { layWire, type Wire } from '../support/http/wire.ts';
import { judgeEndOf } from '../support/properties/judgeEnd.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { startTestSumsub } from '../support/sumsub.ts';
import { SECRET } from '../support/values.ts';

const NETWORK = 'ETH-SEPOLIA';
let chain: TestChain;
let node: Wire;
let kyc: Wire;
let double: Awaited<ReturnType<typeof startTestSumsub>>;
let issuer: Server;
let issuerUrl: string;
let cable: Cable;
let florin: TestServer;
let worker: Awaited<ReturnType<TestServer['startWorker']>>;
let collector: Server;
const spans: Span[] = [];
let anna: string;
interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly links?: readonly { readonly traceId: string }[];
}

beforeAll(async () => {
  [chain, double, [issuer, issuerUrl]] = await Promise.all([startTestChain(), startTestSumsub(), serveKeys()]);
  [node, kyc] = await Promise.all([layWire(chain.url), layWire(double.url)]);
  collector = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    for (const { scopeSpans } of JSON.parse(text).resourceSpans) spans.push(...scopeSpans[0].spans);
    response.end('{}');
  });
  const collectorUrl = `http://127.0.0.1:${await listen(collector)}`;
  const nodes = [{ blockchain: NETWORK, chain_id: chain.chainId, rpc_urls: [node.url], finality: 'finalized' }];
  florin = await startTestServer(
    {
      ...double.env,
      FLORIN_SUMSUB_URL: kyc.url,
      FLORIN_CHAINS: JSON.stringify(nodes),
      FLORIN_OTLP_URL: collectorUrl,
      FLORIN_LOOK_SECONDS: '0.5',
    },
    async (databaseUrl) => {
      cable = await layCable(databaseUrl);
      return cable.url;
    },
    [{ issuer: issuerUrl, audience: 'florin' }],
  );
  await eventually(async () => expect((await fetch(`${florin.opsUrl}/readyz`)).status).toBe(200));
  await chain.fuel(florin.seedFile, SECRET);
  worker = await florin.startWorker();
  const people = await Promise.all(['anna', 'bert'].map((name) => florin.logIn(`${name}@example.com`)));
  for (const [i, name] of ['anna', 'bert'].entries())
    await florin.call('POST', '/api/v1/set_username', { user_id: people[i]!.body.user.user_id, username: name });
  anna = people[0]!.body.user.user_id;
  await chain.mint(people[0]!.body.wallet.address, '50');
  await soonMined(async () => expect((await pay()).status).toBe(200));
});
// A test that fails half-way leaves nothing broken for the next one.
afterEach(async () => {
  node.restore();
  kyc.restore();
  cable.restore();
  if (!issuer.listening) await restartIssuer();
});
afterAll(async () => {
  await florin.stop();
  await Promise.all([node.remove(), kyc.remove(), cable.remove()]);
  await Promise.all([chain.stop(), double.stop(), close(issuer), close(collector)]);
});

/** While blocks come. */
const soonMined = (check: () => Promise<void>): Promise<void> =>
  eventually(async () => {
    await chain.mine();
    await check();
  });

const pay = (headers: Record<string, string> = {}) => {
  const body = { sender_user_id: anna, receiver_username: 'bert', amount: 0.01 };
  return florin.call('POST', '/api/v1/send_usdc', body, headers);
};
const send = async (headers: Record<string, string> = {}) => {
  const body = { destination_address: randomAddress(), amount: 0.1, blockchain: NETWORK, wallet_username: 'anna' };
  return florin.call('POST', '/wallet/send-usdc', body, headers);
};
const timelineOf = async (id: string): Promise<string[]> =>
  (await florin.call('GET', `/circle/transaction/${id}`)).body.timeline.map(({ note }: { note: string }) => note);

interface Ready {
  readonly status: string;
  readonly dependencies: readonly { readonly name: string; readonly status: string; readonly says?: string }[];
}
const ready = async (url = florin.opsUrl) => {
  const answer = await fetch(`${url}/readyz`);
  const body = (await answer.json()) as Ready;
  const find = (name: string) => body.dependencies.find((one) => one.name === name);
  return { code: answer.status, status: body.status, find };
};
const metrics = async (url = florin.opsUrl) => (await fetch(`${url}/metrics`)).text();
const firing = async (url = florin.opsUrl) => findFiring(await metrics(url));
const linesOf = (lines: readonly string[], part: Record<string, unknown>) =>
  lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => Object.entries(part).every(([key, value]) => line[key] === value));

const isWell = () =>
  eventually(async () => {
    expect((await ready()).status).toBe('ready');
    expect((await ready(worker.opsUrl)).status).toBe('ready');
    expect([...(await firing()), ...(await firing(worker.opsUrl))]).toEqual([]);
  });

it('everything is healthy: ready, and no alert fires', async () => {
  await isWell();
  const { find } = await ready();
  expect(find(`network ${NETWORK}`)).toMatchObject({
    head: expect.any(Number),
    lag_blocks: expect.any(Number),
    nodes: [],
  });
  expect(find(`relayers ${NETWORK}`)).toMatchObject({ relayers: [{ payments_left: expect.any(Number), fault: null }] });
  expect(await metrics()).not.toContain('florin_tls_certificate_expiry_seconds');
});

it('every process has an operations port', async () => {
  const shown: unknown[] = [];
  for (const url of [florin.opsUrl, worker.opsUrl, florin.signerOpsUrl]) {
    const { process, dependencies } = (await (await fetch(`${url}/readyz`)).json()) as Ready & { process: string };
    const text = await metrics(url);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(text).toContain('florin_dependency_ready{dependency="database"} 1');
    expect(text).toContain('process_resident_memory_bytes');
    shown.push([process, dependencies.map(({ name }) => name.split(' ')[0])]);
  }
  expect(shown).toEqual([
    ['server', ['database', 'network', 'signer', 'issuer', 'issuer', 'kyc', 'worker', 'relayers']],
    ['worker', ['database', 'network', 'signer', 'last', 'relayers']],
    ['signer', ['database']],
  ]);
});

describe('log lines', () => {
  it('a payment between people is one line: its request’s', async () => {
    const before = florin.logLines.length;
    const paid = await pay({ 'x-request-id': 'one-line' });
    expect(linesOf(florin.logLines.slice(before), { payment_id: paid.body.transaction_id })).toEqual([
      expect.objectContaining({ msg: 'request', request_id: 'one-line', operation: 'send_usdc', status: 200 }),
    ]);
  });

  it('a refused request has its code; a token is not a request id; nothing identifies the caller', async () => {
    const before = florin.logLines.length;
    const token = 'fla_k_Fj9OliCfOlUC2vu9X8DyMHOkr4geyJqb6yHoVuwxk';
    await florin.call('POST', '/api/v1/send_usdc', { sender_user_id: anna, receiver_username: 'nobody_x', amount: 1 });
    await florin.call('GET', '/api/v1/latest_transactions_by_username/anna', undefined, { 'x-request-id': token });
    const lines = florin.logLines.slice(before);
    expect(linesOf(lines, { msg: 'request' })).toMatchObject([
      { status: 404, code: 'username.unknown' },
      { status: 200, operation: 'latest_transactions_by_username' },
    ]);
    for (const secret of ['anna', 'nobody_x', token, '127.0.0.1']) expect(lines.join('')).not.toContain(secret);
  });

  it('a send is its request’s line in the server, and a line per later state in the worker', async () => {
    const sent = await send({ 'x-request-id': 'a-send' });
    const { transaction_id: id } = sent.body;
    // No block before that: it would show it as confirmed immediately.
    await eventually(() => expect(linesOf(worker.logLines, { payment_id: id, state: 'SENT' })).toHaveLength(1));
    await soonMined(async () =>
      expect(linesOf(worker.logLines, { payment_id: id, state: 'COMPLETE' })).toHaveLength(1),
    );
    expect(linesOf(florin.logLines, { payment_id: id, request_id: 'a-send' })).toHaveLength(1);
    const states = linesOf(worker.logLines, { payment_id: id, msg: 'payment' }).map(({ state }) => state);
    expect(states).toEqual([...new Set(states)]);
    expect(states).toEqual(expect.arrayContaining(['QUEUED', 'SENT', 'COMPLETE']));
    expect(await metrics(worker.opsUrl)).toMatch(/florin_payment_states_total\{kind="send",state="COMPLETE"\} [1-9]/);
    expect(linesOf(worker.logLines, { kind: 'deposit', state: 'COMPLETE' })).toHaveLength(1);
  });

  it('a pause is a line when it is set and one when it is over', async () => {
    await asAdmin(florin.databaseUrl, `SELECT pause_payments('chain', 'operator', 'a drill', 'accepting', 'somebody')`);
    await eventually(async () => {
      await ready();
      expect(linesOf(florin.logLines, { incident: 'pause', scope: 'chain', reason: 'a drill' })).toHaveLength(1);
    });
    await asAdmin(florin.databaseUrl, `SELECT resume_payments('chain', 'operator')`);
    await eventually(async () => {
      await ready();
      expect(linesOf(florin.logLines, { scope: 'chain', msg: 'payments have resumed' })).toHaveLength(1);
    });
  });
});

describe('traces', () => {
  const parent = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };

  it('go from the request to the chain, under the payment’s id, in both processes', async () => {
    const { transaction_id: id } = (await send()).body;
    const trace = id.replaceAll('-', '');
    const names = () => spans.filter(({ traceId }) => traceId === trace).map(({ name }) => name);
    // Both processes export their spans asynchronously.
    const wanted = ['payment', 'POST /wallet/send-usdc', 'payment QUEUED', 'payment SENT', 'payment COMPLETE'];
    await eventually(() => expect(names()).toContain('payment SENT'));
    await soonMined(async () => expect(names()).toEqual(expect.arrayContaining(wanted)));
    const root = spans.find(({ traceId, name }) => traceId === trace && name === 'payment')!;
    const steps = spans.filter(({ traceId, name }) => traceId === trace && name.startsWith('payment '));
    expect(steps.every(({ parentSpanId }) => parentSpanId === root.spanId)).toBe(true);
  });

  it('continue the caller’s trace, linked to the payment', async () => {
    const { transaction_id: id } = (await pay(parent)).body;
    await eventually(() =>
      expect(spans.find(({ parentSpanId }) => parentSpanId === 'b7ad6b7169203331')).toMatchObject({
        traceId: '0af7651916cd43dd8448eb211c80319c',
        name: 'POST /api/v1/send_usdc',
        links: [{ traceId: id.replaceAll('-', '') }],
      }),
    );
  });
});

describe.each([
  ['is down', () => kyc.cut()],
  ['never answers', () => kyc.hang()],
])('the provider of identity checks %s', (_, cut) => {
  it('is visible, and people keep paying', async () => {
    const before = florin.logLines.length;
    cut();
    await eventually(async () => expect((await ready()).find('kyc')).toMatchObject({ status: 'down' }));
    const { code, status } = await ready();
    expect([code, status]).toEqual([200, 'degraded']);
    expect(await firing()).toContain('FlorinKycDown');
    await eventually(() =>
      expect(linesOf(florin.logLines.slice(before), { dependency: 'kyc', status: 'down' })).toHaveLength(1),
    );
    expect((await pay()).status).toBe(200);
    kyc.restore();
    await eventually(async () => expect((await ready()).find('kyc')).toMatchObject({ status: 'ok' }));
  });
});

const seeNode = (says: string, cut: () => void) =>
  it(`the only node ${says}: is visible everywhere, the payment shows it, and people keep paying each other`, async () => {
    const name = `network ${NETWORK}`;
    const { host } = new URL(node.url);
    const up = (value: 0 | 1) => `florin_node_up{blockchain="${NETWORK}",host="${host}"} ${value}`;
    await eventually(async () => expect((await ready()).find(name)).toMatchObject({ status: 'ok', nodes: [] }));
    const before = { server: florin.logLines.length, worker: worker.logLines.length };
    cut();
    const sent = await send();
    expect(sent.status).toBe(200);
    await eventually(async () => {
      const server = await ready();
      expect([server.code, server.status]).toEqual([200, 'degraded']);
      expect(server.find(name)).toMatchObject({ status: 'down', says: expect.stringContaining(host) });
      expect((await ready(worker.opsUrl)).find(name)).toMatchObject({ status: 'down' });
    });
    await eventually(async () =>
      expect(await firing()).toEqual(expect.arrayContaining(['FlorinNetworkDown', 'FlorinNodeFaulty'])),
    );
    // Each process detects this by itself: one sees the other's silent node before its own request times out.
    for (const url of [florin.opsUrl, worker.opsUrl])
      await eventually(async () => expect(await metrics(url)).toContain(up(0)));
    const ofServer = linesOf(florin.logLines.slice(before.server), { dependency: name, status: 'down' });
    expect(ofServer).toMatchObject([{ incident: 'dependency', says: expect.stringContaining(host) }]);
    // A retry logs its reason once; after that, at most once a minute, the number of retries.
    await eventually(() => {
      const said = linesOf(worker.logLines.slice(before.worker), { what: NETWORK, level: 'warn', times: undefined });
      expect(said).toMatchObject([{ why: expect.stringContaining(host) }]);
    });
    await eventually(async () =>
      expect((await timelineOf(sent.body.transaction_id)).at(-1)).toBe(`waits until ${NETWORK} can be reached`),
    );
    expect((await pay()).body).toMatchObject({ state: 'COMPLETE' });

    node.restore();
    await soonMined(async () => expect((await timelineOf(sent.body.transaction_id)).at(-1)).toBe('final'));
    for (const url of [florin.opsUrl, worker.opsUrl])
      await eventually(async () => expect(await metrics(url)).toContain(up(1)));
    await eventually(() =>
      expect(linesOf(worker.logLines.slice(before.worker), { what: NETWORK, msg: 'recovered' })).toHaveLength(1),
    );
  });

seeNode('is down', () => node.cut());

it('an issuer that is down: logins continue with the cached keys, and it is visible', async () => {
  const before = florin.logLines.length;
  const name = `issuer ${issuerUrl}`;
  const says = expect.stringContaining('logins use the cached keys');
  await close(issuer);
  await eventually(async () => expect((await ready()).find(name)).toMatchObject({ status: 'degraded', says }));
  expect(await firing()).toContain('FlorinIssuerDown');
  expect(linesOf(florin.logLines.slice(before), { dependency: name, status: 'degraded' })).toHaveLength(1);
  await restartIssuer();
  await eventually(async () => expect((await ready()).find(name)).toMatchObject({ status: 'ok' }));
});

it('the database is down: 503, an alert, a line, and ready again by itself', async () => {
  const before = florin.logLines.length;
  cable.cut();
  await eventually(async () => {
    const { code, status, find } = await ready();
    expect([code, status, find('database')?.status, find('worker')?.status]).toEqual([503, 'down', 'down', 'unknown']);
  });
  expect(await firing()).toContain('FlorinDatabaseDown');
  expect((await pay()).body).toMatchObject({ status: 503, code: 'service.unavailable' });
  expect(linesOf(florin.logLines.slice(before), { dependency: 'database', status: 'down' })).toHaveLength(1);
  expect(linesOf(florin.logLines.slice(before), { code: 'service.unavailable', msg: 'request' })).toHaveLength(1);
  cable.restore();
  await eventually(async () => {
    const { code, find } = await ready();
    expect([code, find('database')?.status, find('worker')?.status]).toEqual([200, 'ok', 'ok']);
  });
  expect((await pay()).status).toBe(200);
});

// Not right after the other: a fault is cached for a while, and the tests in between do not mind.
seeNode('never answers', () => node.hang());

it('no worker runs: its jobs are overdue, the payment shows it, and people keep paying', async () => {
  // A worker that stops while no node answers leaves that as the reason.
  await eventually(async () => expect((await ready()).find(`network ${NETWORK}`)).toMatchObject({ status: 'ok' }));
  await worker.stop();
  const sent = await send();
  try {
    await asAdmin(
      florin.databaseUrl,
      `UPDATE jobs SET run_at = run_at - interval '5 minutes' WHERE kind ~ '^(track|carry|gas)'`,
    );
    await eventually(async () => expect((await ready()).find('worker')).toMatchObject({ status: 'down' }));
    expect((await ready()).code).toBe(200);
    await eventually(async () => expect(await firing()).toContain('FlorinWorkerAway'));
    expect((await timelineOf(sent.body.transaction_id)).at(-1)).toBe('waits for its turn; it is delayed');
    expect((await pay()).status).toBe(200);
  } finally {
    worker = await florin.startWorker();
  }
  await soonMined(async () => expect((await timelineOf(sent.body.transaction_id)).at(-1)).toBe('final'));
  await eventually(async () => expect((await ready()).find('worker')).toMatchObject({ status: 'ok' }));
});

it('after all that everything is ready again, no alert fires, everything has ended, and every balance is explained', async () => {
  await isWell();
  expect(await judgeEndOf({ databaseUrl: florin.databaseUrl, mine: chain.mine })).toEqual([]);
});

it('the signer is down: sends wait and show it, and people keep paying', async () => {
  const before = florin.logLines.length;
  await florin.stopSigner();
  const sent = await send();
  await eventually(async () => expect((await ready()).find('signer')).toMatchObject({ status: 'down' }));
  expect(await firing()).toContain('FlorinSignerDown');
  await eventually(async () => expect(await firing(worker.opsUrl)).toContain('FlorinSignerDown'));
  expect(linesOf(florin.logLines.slice(before), { dependency: 'signer', status: 'down' })).toHaveLength(1);
  await soonMined(async () =>
    expect((await timelineOf(sent.body.transaction_id)).join()).toContain('not signed yet; it is tried again'),
  );
  expect((await pay()).status).toBe(200);
});

const close = (server: Server): Promise<void> =>
  new Promise((done) => {
    server.close(() => done());
    server.closeAllConnections();
  });

const restartIssuer = async () => {
  [issuer] = await serveKeys(Number(new URL(issuerUrl).port));
};
