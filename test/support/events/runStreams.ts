/**
 * Thousands of people follow their events, and one of them does not read. Everyone else must receive all their events,
 * in order; the one who does not read is disconnected in the end; and the server's memory stays bounded meanwhile.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../../server/src/db/database.ts';
import { createTestDatabase } from '../database.ts';
import { createVisitor, type Visitor } from '../people/requests.ts';
import { startProcesses } from './processes.ts';

interface StreamsRun {
  readonly streams: number;
  /** The number of payments. The person with the unread stream makes all of them. */
  readonly payments: number;
  /** Waits until the unread stream is closed by the server, which takes half a minute. */
  readonly waitsForCut: boolean;
  readonly onProgress?: (line: string) => void;
}

interface StreamsReport {
  readonly streams: number;
  readonly payments: number;
  /** Events that streams have received. */
  readonly events: number;
  readonly cut: boolean;
  /** The server process: before the streams, with all of them, and the maximum while events came. */
  readonly rssMb: { readonly before: number; readonly idle: number; readonly most: number };
  readonly seconds: number;
  readonly faults: readonly string[];
}

const STREAMS_OF_A_PERSON = 10;
const AT_ONCE = 50;
const PAYERS = 16;
const PATIENCE_MS = 600_000;
/** Longer than the server waits for a client that reads nothing. */
const CUT_WITHIN_MS = 45_000;
/**
 * The memory that the server may use beyond that of the streams themselves: events in transit, payments, and garbage
 * not collected yet. With 5,000 streams it was 315 MB, for 60,000 payments as for 20,000; a leak would grow with the
 * payments.
 */
const MOST_GROWTH_MB = 400;

export async function runStreams(run: StreamsRun): Promise<StreamsReport> {
  const say = run.onProgress ?? (() => {});
  const began = performance.now();
  const database = await createTestDatabase();
  const db = openDatabase(database.url, { maxConnections: 4 });
  const all = run.streams + 1_000;
  const { server, stop } = await startProcesses(database, { FLORIN_CONNECTIONS: `all=${all}, address=${all}` });
  const agent = new Agent({ keepAlive: false });
  const opened: Followed[] = [];
  const faults: string[] = [];
  try {
    const lazy = await createVisitor(db, 'lazy_lou', '100000');
    const people: Visitor[] = [];
    for (let nth = 0; nth < run.streams / STREAMS_OF_A_PERSON; nth++)
      people.push(await createVisitor(db, `follower_${letters(nth)}`));
    const rss = () =>
      Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))![1]) / 1024);
    const before = rss();
    for (let nth = 0; nth < run.streams; nth += AT_ONCE) {
      const some = Array.from(
        { length: Math.min(AT_ONCE, run.streams - nth) },
        (_, i) => people[(nth + i) % people.length]!,
      );
      opened.push(...(await Promise.all(some.map((person) => follow(server.url, person, agent)))));
    }
    const stalled = await openStream(server.url, lazy, agent);
    let isCut = false;
    stalled.on('close', () => {
      isCut = true;
    });
    stalled.on('error', () => {});
    const idle = rss();
    say(`${opened.length} streams and one unread stream: ${before} MB before, ${idle} MB now`);

    let most = idle;
    const watching = setInterval(() => {
      most = Math.max(most, rss());
    }, 200);
    const paid = new Map<string, string[]>();
    let next = 0;
    const payer = async () => {
      for (let nth = next++; nth < run.payments; nth = next++) {
        const to = people[nth % people.length]!;
        const id = await pay(server.url, lazy, to);
        paid.set(to.userId, [...(paid.get(to.userId) ?? []), id]);
      }
    };
    await Promise.all(Array.from({ length: PAYERS }, payer));
    say(`${run.payments} payments`);
    const isDone = () => opened.every(({ person, heard }) => heard.length >= (paid.get(person.userId)?.length ?? 0));
    await until(isDone);
    if (run.waitsForCut) {
      // A client that does not read does not notice the disconnect either: it reads what came before, and then the end.
      await sleep(CUT_WITHIN_MS);
      stalled.resume();
      await until(() => isCut);
    }
    clearInterval(watching);
    say(`everyone received their events; the unread stream ${isCut ? 'was closed' : 'is open'}; at most ${most} MB`);

    const order = new Map<string, readonly string[]>();
    for (const { person, heard, isOver } of opened) {
      // Only the feed knows the order of payments made at the same moment: all streams of a person must agree.
      const first = order.get(person.userId) ?? heard;
      order.set(person.userId, first);
      const wanted = new Set(paid.get(person.userId));
      const isWhole =
        heard.length === wanted.size && new Set(heard).size === wanted.size && heard.every((id) => wanted.has(id));
      if (!isWhole || heard.join() !== first.join())
        faults.push(`${person.username}: ${heard.length} of ${wanted.size} events`);
      if (isOver()) faults.push(`a stream of ${person.username} has ended`);
    }
    if (most - idle > MOST_GROWTH_MB) faults.push(`the server's memory grew from ${idle} to ${most} MB`);
    const events = opened.reduce((sum, { heard }) => sum + heard.length, 0);
    const seconds = Math.round((performance.now() - began) / 1000);
    const { streams, payments } = run;
    return { streams, payments, events, cut: isCut, rssMb: { before, idle, most }, seconds, faults };
  } finally {
    await stop();
    agent.destroy();
    await db.close();
    await database.drop();
  }
}

interface Followed {
  readonly person: Visitor;
  /** Payment ids in the order in which they arrived. */
  readonly heard: readonly string[];
  isOver(): boolean;
}

async function follow(url: string, person: Visitor, agent: Agent): Promise<Followed> {
  const stream = await openStream(url, person, agent);
  const heard: string[] = [];
  let isOver = false;
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      const id = line.startsWith('data: ') ? /"transaction_id":"([^"]+)"/.exec(line)?.[1] : undefined;
      if (id !== undefined) heard.push(id);
    }
  });
  stream.on('error', () => {});
  stream.on('close', () => {
    isOver = true;
  });
  return { person, heard, isOver: () => isOver };
}

const openStream = (url: string, { accessToken }: Visitor, agent: Agent): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${accessToken}` };
    get(`${url}/api/v1/events/stream`, { agent, headers }, (answer) => {
      if (answer.statusCode === 200) resolve(answer);
      else reject(new Error(`a stream was answered with ${answer.statusCode}`));
    }).on('error', reject);
  });

async function pay(url: string, from: Visitor, to: Visitor): Promise<string> {
  const answer = await fetch(`${url}/api/v1/send_usdc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
    body: JSON.stringify({ sender_user_id: from.userId, receiver_username: to.username, amount: 0.001 }),
  });
  const body = (await answer.json()) as { transaction_id: string };
  if (!answer.ok) throw new Error(`a payment was refused: ${JSON.stringify(body)}`);
  return body.transaction_id;
}

/** Names with digits could look alike, which is refused. */
const letters = (nth: number): string =>
  [...nth.toString(8).padStart(4, '0')].map((digit) => 'abcdefgh'[Number(digit)]).join('');

async function until(check: () => boolean): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !check(); await sleep(50))
    if (Date.now() > end) throw new Error(`still not true: ${check}`);
}
