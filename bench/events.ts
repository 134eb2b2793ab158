/**
 * Measures the cost of clients that follow events, and the delay of the events.
 *
 * First, payments per second over HTTP at 256 connections, with 1,000 idle streams and without streams. A machine
 * changes its speed within minutes, so the two are measured in short alternating rounds, and each round with streams is
 * compared with the rounds just before and just after it; the median counts.
 *
 * Then 1,000 payments a second to 1,000 people who follow their events, and as many with one webhook: the time from the
 * payment, before its commit, to its event in the app, and to the call of the endpoint.
 */
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { SANDBOX_IDENTITY } from '../server/src/bin/config/faults/modeFaults.ts';
import type { Db } from '../server/src/db/database.ts';
import { createEndpoint } from '../server/src/events/webhooks/endpoints.ts';
import { openHook } from './load/openHook.ts';
import { openStreams } from './load/openStreams.ts';
import { applyLoad } from './load/p2pLoad.ts';
import { finish } from './support/finish.ts';
import { createPeople, median, openWorld, percentile, proveBooks, round, SECONDS } from './support/ledgerWorld.ts';
import { type LoggedIn, logIn } from './support/logIn.ts';
import { isShort, sized } from './support/short.ts';
import { compileServer, prepareServers } from './support/startBuiltServer.ts';

const PEOPLE = sized(10_000, 100);
const STREAMS = sized(1_000, 10);
const ROUNDS = sized(10, 1);
const PAID_PER_SECOND = sized(1_000, 100);
const BURST_MS = 10;
const ARRIVES_WITHIN_MS = 60_000;
const SETTLE_MS = sized(2_000, 100);
/** All clients here have the same address. */
const RATE_LIMITS = 'address=10000000, login=30, user=100000, key=6000, kyc=10';
const CONNECTIONS = { FLORIN_CONNECTIONS: 'all=6000, address=6000' };

interface Rates {
  readonly alone: readonly number[];
  readonly followed: readonly number[];
}

export default async function benchEvents(): Promise<void> {
  await compileServer();
  const world = await openWorld();
  try {
    const rates = await withServer(world, 'production', ({ url, people }) => measureRates(url, people));
    const { streamed, called } = await withServer(world, 'sandbox', async ({ url, people, db, startWorker }) => ({
      streamed: await measureStreams(url, people),
      called: await measureCalls(url, people, db, startWorker),
    }));
    report(rates, streamed, called);
  } finally {
    await world.stop();
  }
}

interface Opened {
  readonly url: string;
  readonly people: readonly LoggedIn[];
  readonly db: Db;
  startWorker(): Promise<() => Promise<void>>;
}

/** Only a sandbox calls webhooks on this machine. */
async function withServer<T>(
  world: Awaited<ReturnType<typeof openWorld>>,
  mode: 'production' | 'sandbox',
  measure: (opened: Opened) => Promise<T>,
): Promise<T> {
  const { databaseUrl, db } = await world.createDatabase(`florin_${mode}`);
  const people = await logIn(db, await createPeople(db, PEOPLE, mode === 'sandbox' ? SANDBOX_IDENTITY : 'bench'));
  const servers = await prepareServers(mode, databaseUrl, db, RATE_LIMITS, CONNECTIONS);
  const server = await servers.start();
  try {
    const measured = await measure({ url: server.backendUrl, people, db, startWorker: servers.startWorker });
    await proveBooks(db);
    return measured;
  } finally {
    await server.stop();
    servers.remove();
  }
}

/** New streams read the past first, and closed ones are cleaned up: neither is measured. */
const settle = () => new Promise((done) => setTimeout(done, SETTLE_MS));

/** One more round without streams than with them. */
async function measureRates(url: string, people: readonly LoggedIn[]): Promise<Rates> {
  const tokens = people.slice(0, STREAMS).map(({ accessToken }) => accessToken);
  const others = people.slice(STREAMS);
  const seconds = Math.max(1, Math.ceil(SECONDS / ROUNDS));
  const load = async () => {
    const { perSecond, refused } = await applyLoad({ url, people: others, connections: 256, hot: false, seconds });
    if (refused > 0) throw new Error('a payment was refused or lost');
    return perSecond;
  };
  // To warm up.
  if (!isShort) await load();
  const alone = [await load()];
  const followed: number[] = [];
  for (let nth = 0; nth < ROUNDS; nth++) {
    const streams = await openStreams(url, tokens);
    await settle();
    followed.push(await load());
    streams.close();
    await settle();
    alone.push(await load());
  }
  return { alone, followed };
}

async function measureStreams(url: string, people: readonly LoggedIn[]): Promise<number[]> {
  const [receivers, payers] = [people.slice(0, STREAMS), people.slice(STREAMS)];
  const streams = await openStreams(
    url,
    receivers.map(({ accessToken }) => accessToken),
  );
  const paid = await paySteadily(url, payers, receivers);
  await arrive(() => streams.delays.length, paid);
  streams.close();
  return sorted(streams.delays);
}

async function measureCalls(
  url: string,
  people: readonly LoggedIn[],
  db: Db,
  startWorker: Opened['startWorker'],
): Promise<number[]> {
  const hook = await openHook();
  const wish = { url: hook.url, description: 'bench', types: ['payment.*'], inOrder: false };
  await db.tx((tx) => createEndpoint(tx, 'operator:bench', wish, { allowsLoopback: true }));
  const stopWorker = await startWorker();
  // To warm up.
  let paid = await paySteadily(url, people.slice(STREAMS), people, sized(Math.min(3, SECONDS), 0.1));
  await arrive(() => hook.delays.length, paid);
  hook.delays.length = 0;
  paid = await paySteadily(url, people.slice(STREAMS), people);
  await arrive(() => hook.delays.length, paid);
  await stopWorker();
  await hook.close();
  return sorted(hook.delays);
}

/** The number of payments that were made. */
async function paySteadily(
  url: string,
  payers: readonly LoggedIn[],
  receivers: readonly LoggedIn[],
  seconds = SECONDS,
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const pick = <T>(some: readonly T[]) => some[Math.floor(Math.random() * some.length)]!;
  const burst = (PAID_PER_SECOND * BURST_MS) / 1_000;
  const until = performance.now() + seconds * 1_000;
  const paying: Promise<void>[] = [];
  for (let due = performance.now(); due < until; due += BURST_MS) {
    await new Promise((done) => setTimeout(done, Math.max(0, due - performance.now())));
    for (let i = 0; i < burst; i++) {
      const from = pick(payers);
      let to = pick(receivers);
      while (to === from) to = pick(receivers);
      paying.push(pay(url, agent, from, to));
    }
  }
  await Promise.all(paying);
  agent.destroy();
  return paying.length;
}

function pay(url: string, agent: Agent, from: LoggedIn, to: LoggedIn): Promise<void> {
  const body = JSON.stringify({ sender_user_id: from.userId, receiver_username: to.username, amount: 0.001 });
  const headers = {
    'content-type': 'application/json',
    'content-length': body.length,
    'idempotency-key': randomUUID(),
    authorization: `Bearer ${from.accessToken}`,
  };
  return new Promise((resolve, reject) => {
    request(`${url}/api/v1/send_usdc`, { agent, method: 'POST', headers }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`a payment was answered with ${answer.statusCode}`));
      answer.resume().on('end', resolve);
    })
      .on('error', reject)
      .end(body);
  });
}

/** Waits until all pending events have arrived, each once. */
async function arrive(count: () => number, wanted: number): Promise<void> {
  const latest = performance.now() + ARRIVES_WITHIN_MS;
  while (count() < wanted && performance.now() < latest) await new Promise((done) => setTimeout(done, 50));
  if (count() !== wanted) throw new Error(`${wanted} payments were made and ${count()} events received`);
}

const sorted = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);

function report({ alone, followed }: Rates, streamed: readonly number[], called: readonly number[]): void {
  const ratio = round(median(followed.map((rate, nth) => rate / ((alone[nth]! + alone[nth + 1]!) / 2))), 3);
  const line = (name: string, ...cells: readonly (string | number)[]) =>
    console.log(name.padEnd(28) + cells.map((cell) => String(cell).padStart(12)).join(''));
  line('256 connections', 'payments/s', '× alone');
  line('alone', Math.round(median(alone)), 1);
  line(`with ${STREAMS} idle streams`, Math.round(median(followed)), ratio);
  line(`at ${PAID_PER_SECOND} payments/s`, 'events', 'p50 ms', 'p99 ms');
  line('to the stream of an app', streamed.length, percentile(streamed, 0.5), percentile(streamed, 0.99));
  line('to a webhook', called.length, percentile(called, 0.5), percentile(called, 0.99));
  finish('events', {
    sse_p99_ms: percentile(streamed, 0.99),
    webhook_p99_ms: percentile(called, 0.99),
    payments_ratio: ratio,
  });
}
