/**
 * What it costs that people follow their events, and how late the events are. Payments per second over HTTP with 1,000
 * streams of people to whom nothing happens, against none, in alternating rounds; then 1,000 payments a second to 1,000
 * people who follow: the time from the payment, before its commit, to its event in the app.
 */
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { openStreams } from './load/openStreams.ts';
import { applyLoad } from './load/p2pLoad.ts';
import { createPeople, openWorld, percentile, proveBooks, round, SECONDS } from './support/ledgerWorld.ts';
import { type LoggedIn, logIn } from './support/logIn.ts';
import { compileServer, prepareServers } from './support/startBuiltServer.ts';

const PEOPLE = 10_000;
const STREAMS = 1_000;
const ROUNDS = 5;
const PAID_PER_SECOND = 1_000;
const BURST_MS = 10;
/** Everybody here has the same address. */
const RATE_LIMITS = 'address=10000000, login=30, user=100000, key=6000, kyc=10';

export default async function benchEvents(): Promise<void> {
  await compileServer();
  const world = await openWorld();
  try {
    const { databaseUrl, db } = await world.createDatabase('florin_events');
    const people = await logIn(db, await createPeople(db, PEOPLE, 'bench'));
    const more = { FLORIN_CONNECTIONS: 'all=6000, address=6000' };
    const servers = await prepareServers('production', databaseUrl, db, RATE_LIMITS, more);
    const server = await servers.start();
    const [followers, others] = [people.slice(0, STREAMS), people.slice(STREAMS)];
    const tokens = followers.map(({ accessToken }) => accessToken);
    const rates = await measureRates(server.backendUrl, tokens, others);
    const delays = await measureDelays(server.backendUrl, followers, others);
    await server.stop();
    servers.remove();
    await proveBooks(db);

    const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
    const ratio = round(median(rates.followed.map((rate, nth) => rate / rates.alone[nth]!)), 3);
    console.log('256 connections           payments/s   × alone');
    console.log(`alone                    ${String(Math.round(median(rates.alone))).padStart(11)}         1`);
    console.log(`with ${STREAMS} streams        ${String(Math.round(median(rates.followed))).padStart(11)}   ${ratio}`);
    console.log(
      `${delays.length} events at ${PAID_PER_SECOND}/s: p50 ${percentile(delays, 0.5)} ms, p99 ${percentile(delays, 0.99)} ms`,
    );
    console.log(
      JSON.stringify({
        bench: 'events',
        sse_p50_ms: percentile(delays, 0.5),
        sse_p99_ms: percentile(delays, 0.99),
        payments_ratio: ratio,
      }),
    );
  } finally {
    await world.stop();
  }
}

async function measureRates(url: string, tokens: readonly string[], people: readonly LoggedIn[]) {
  const rates = { alone: [] as number[], followed: [] as number[] };
  const seconds = Math.max(2, Math.ceil(SECONDS / ROUNDS));
  for (let nth = 0; nth <= ROUNDS; nth++) {
    for (const kind of ['alone', 'followed'] as const) {
      const streams = kind === 'followed' ? await openStreams(url, tokens) : undefined;
      const { perSecond, refused } = await applyLoad({ url, people, connections: 256, hot: false, seconds });
      streams?.close();
      if (refused > 0) throw new Error('a payment was refused or lost');
      // The first round only warms up.
      if (nth > 0) rates[kind].push(perSecond);
    }
  }
  return rates;
}

async function measureDelays(
  url: string,
  receivers: readonly LoggedIn[],
  payers: readonly LoggedIn[],
): Promise<number[]> {
  const streams = await openStreams(
    url,
    receivers.map(({ accessToken }) => accessToken),
  );
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const pick = <T>(some: readonly T[]) => some[Math.floor(Math.random() * some.length)]!;
  const burst = (PAID_PER_SECOND * BURST_MS) / 1_000;
  const until = performance.now() + SECONDS * 1_000;
  let paid = 0;
  for (let due = performance.now(); due < until; due += BURST_MS) {
    await new Promise((done) => setTimeout(done, Math.max(0, due - performance.now())));
    for (let i = 0; i < burst; i++) {
      paid++;
      pay(url, agent, pick(payers), pick(receivers));
    }
  }
  // What is under way arrives.
  await new Promise((done) => setTimeout(done, 2_000));
  const delays = streams.takeDelays().sort((a, b) => a - b);
  streams.close();
  agent.destroy();
  if (delays.length !== paid) throw new Error(`${paid} payments were made and ${delays.length} events received`);
  return delays;
}

function pay(url: string, agent: Agent, from: LoggedIn, to: LoggedIn): void {
  const body = JSON.stringify({ sender_user_id: from.userId, receiver_username: to.username, amount: 0.001 });
  const headers = {
    'content-type': 'application/json',
    'content-length': body.length,
    'idempotency-key': randomUUID(),
    authorization: `Bearer ${from.accessToken}`,
  };
  request(`${url}/api/v1/send_usdc`, { agent, method: 'POST', headers }, (answer) => answer.resume()).end(body);
}
