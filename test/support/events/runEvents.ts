/**
 * Payments under load while server and worker are killed, with two readers of the feed and four webhook receivers: a
 * quick one, a slow one, one that fails half of the time, and one with ordered delivery. Every event must reach all of
 * them; the feed and the last receiver in order; and no uncommitted event may reach anyone.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type FlorinClient } from '../../../sdk/src/client/createClient.ts';
import { SANDBOX_IDENTITY } from '../../../server/src/bin/config/faults/modeFaults.ts';
import { type Db, openDatabase } from '../../../server/src/db/database.ts';
import { checkBooks } from '../../../server/src/ledger/checkBooks.ts';
import { createTestDatabase } from '../database.ts';
import { type Receiver, startReceiver } from '../http/startReceiver.ts';
import { operate } from '../operate.ts';
import { createPerson, type Person } from '../payments.ts';
import { judgeEndOf } from '../properties/judgeEnd.ts';
import { type Processes, startProcesses } from './processes.ts';

interface EventsRun {
  readonly payments: number;
  readonly serverKills: number;
  readonly workerKills: number;
  /** Ends the pauses before retries and the claims of killed workers immediately. */
  readonly hurries: boolean;
  readonly onProgress?: (line: string) => void;
}

interface Received {
  readonly name: string;
  /** Verified calls, also those that got a bad answer. */
  readonly calls: number;
  readonly events: number;
}

interface EventsReport {
  readonly payments: number;
  readonly events: number;
  readonly serverKills: number;
  readonly workerKills: number;
  readonly readers: readonly number[];
  readonly receivers: readonly Received[];
  readonly seconds: number;
  /** Empty when everything is correct. */
  readonly faults: readonly string[];
}

type Name = 'quick' | 'slow' | 'failing' | 'in order';
type Registered = Receiver & { readonly webhookId: string; readonly secret: string };

const PAYERS = 24;
const PATIENCE_MS = 900_000;
/** Longer than a usual answer, shorter than our time-out. */
const SLOW_MS = 150;
const KILL_AT_LATEST_MS = 2_000;

export async function runEvents(run: EventsRun): Promise<EventsReport> {
  const began = performance.now();
  const say = (line: string) =>
    run.onProgress?.(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${line}`);
  const database = await createTestDatabase();
  const db = openDatabase(database.url, { maxConnections: 4 });
  const admin = openDatabase(database.adminUrl, { maxConnections: 2 });
  const processes = await startProcesses(database);
  const faults: string[] = [];
  const over = new AbortController();
  const receivers = new Map<Name, Registered>();
  try {
    const rights = ['--scope', 'events', '--scope', 'webhooks'];
    const [serviceKey] = /fsk_\S+/.exec(await operate(db, 'key', 'create', 'run', ...rights))!;
    const client = openClient(processes, serviceKey);
    for (const name of ['quick', 'slow', 'failing', 'in order'] as const)
      receivers.set(name, await register(client, name));
    const [quick, slow, failing] = ['quick', 'slow', 'failing'].map((name) => receivers.get(name as Name)!);
    const kill = { worker: false };
    const proofs: Promise<void>[] = [];
    quick!.answer((response, { data }) => {
      // The event is committed and sent, and the worker dies before it knows that it was accepted.
      if (kill.worker) {
        kill.worker = false;
        processes.worker.crash().catch(() => {});
      }
      if (Math.random() < 0.02) proofs.push(proveCommitted(db, String(data.transaction_id), faults));
      response.writeHead(204).end();
    });
    slow!.answer((response) => void setTimeout(() => response.writeHead(200).end('late'), SLOW_MS));
    failing!.answer((response) =>
      Math.random() < 0.5 ? response.writeHead(500).end('not today') : response.writeHead(204).end(),
    );

    const people: Person[] = [];
    for (const letter of 'abcdefgh') people.push(await createPerson(db, `payer_${letter}`, '100000'));
    // As if they had come from the sandbox's own issuer: a restarted server checks.
    await admin.query('UPDATE users SET issuer = $1', [SANDBOX_IDENTITY]);
    const readers = [readByClient(client, over.signal), readByPages(processes, serviceKey, over.signal)];
    let paid = 0;
    const payer = async (nth: number) => {
      for (let i = nth; i < run.payments; i += PAYERS) {
        await payOnce(processes, people[i % people.length]!, people[(i + 1 + (i % 7)) % people.length]!);
        paid++;
      }
    };
    const paying = Promise.all(Array.from({ length: PAYERS }, (_, nth) => payer(nth)));
    const killing = killInTurn(run, processes, () => paid, kill);
    const rotating = (async () => {
      await until(() => paid >= run.payments / 2);
      quick!.trustAny(quick!.secret, await rotate(client, quick!.webhookId));
      say('the secret of the quick receiver was rotated');
    })();
    await Promise.all([paying, killing, rotating]);
    say(`${paid} payments, ${processes.server.kills} kills of the server, ${processes.worker.kills} of the worker`);

    await until(
      async () => (await db.query('SELECT FROM feed WHERE seq >= ledger_settled_seq() LIMIT 1')).length === 0,
    );
    const all = (
      await db.query<{ id: string }>('SELECT event_id(seq, type, subject_id, at) AS id FROM feed ORDER BY seq')
    ).map(({ id }) => id);
    const last = all.at(-1)!;
    await until(() => readers.every(({ seen }) => seen.at(-1) === last));
    say(`${all.length} events, which both readers have read`);
    const heardBy = (name: Name) => new Set(receivers.get(name)!.heard.map(({ id }) => id));
    const hurry = openHurry(admin, run.hurries ? 300 : 1_500);
    const waitFor = async (names: readonly Name[], hurries: boolean) => {
      await until(async () => {
        if (hurries) await hurry();
        return names.every((name) => heardBy(name).size >= all.length);
      });
      say(`${names.join(', ')}: received everything`);
    };
    await waitFor(['quick', 'in order', 'slow'], run.hurries);
    // Its retries are minutes and hours apart.
    await waitFor(['failing'], true);
    await until(async () => {
      await hurry();
      return (await db.query(`SELECT FROM webhook_deliveries WHERE state = 'waiting' LIMIT 1`)).length === 0;
    });

    for (const [nth, { seen }] of readers.entries())
      if (seen.join() !== all.join()) faults.push(`reader ${nth + 1}: ${describeDifference(seen, all)}`);
    for (const [name, { heard, doubts }] of receivers) {
      const difference = describeDifference([...new Set(heard.map(({ id }) => id))].sort(), all);
      if (difference) faults.push(`${name}: ${difference}`);
      if (doubts.length > 0) faults.push(`${name} refused ${doubts.length} calls: ${doubts[0]}`);
    }
    const inOrder = [...new Set(receivers.get('in order')!.heard.map(({ id }) => id))];
    if (inOrder.join() !== all.join()) faults.push(`in order: ${describeDifference(inOrder, all)}`);
    const made = await db.query(`SELECT FROM transfers WHERE kind = 'user'`);
    if (made.length !== run.payments) faults.push(`${made.length} payments instead of ${run.payments}`);
    faults.push(...(await checkBooks(db)).faults, ...(await judgeEndOf({ databaseUrl: database.url })));
    over.abort();
    await Promise.all([...readers.map(({ ended }) => ended), ...proofs]);
    return {
      payments: paid,
      events: all.length,
      serverKills: processes.server.kills,
      workerKills: processes.worker.kills,
      readers: readers.map(({ seen }) => seen.length),
      receivers: [...receivers].map(([name, { heard }]) => ({
        name,
        calls: heard.length,
        events: new Set(heard.map(({ id }) => id)).size,
      })),
      seconds: Math.round((performance.now() - began) / 1000),
      faults,
    };
  } finally {
    over.abort();
    await processes.stop();
    await Promise.all([...receivers.values()].map((one) => one.stop()));
    await Promise.all([db.close(), admin.close()]);
    await database.drop();
  }
}

/** Each new server has another port. */
const toCurrent = ({ server }: Processes, url: string) => server.url + url.replace('http://backend', '');

const openClient = (processes: Processes, serviceKey: string): FlorinClient =>
  createClient({
    backendUrl: 'http://backend',
    backendKey: serviceKey,
    fetch: (url, init) => fetch(toCurrent(processes, url), init),
    retry: { firstPauseMs: 50 },
  });

async function register(client: FlorinClient, name: Name): Promise<Registered> {
  const receiver = await startReceiver();
  const order = name === 'in order' ? ('in_order' as const) : ('any' as const);
  const body = { url: receiver.url, types: ['*'], description: name, order };
  const { webhook_id: webhookId, secret } = await client.webhookEndpoints.create(body);
  receiver.trust(secret);
  return Object.assign(receiver, { webhookId, secret });
}

/** Repeated when a server is killed meanwhile: the secret before the last one signs for a day. */
async function rotate(client: FlorinClient, webhookId: string): Promise<string> {
  for (;;) {
    const asked = { former_ends_at: null };
    const answer = await client.webhookEndpoints.rotateSecret(webhookId, asked).catch(() => undefined);
    if (answer) return answer.secret;
    await sleep(100);
  }
}

interface Reading {
  /** Event ids in the order in which they came. */
  readonly seen: readonly string[];
  readonly ended: Promise<void>;
}

/** Follows the feed as the client package does. */
function readByClient(client: FlorinClient, signal: AbortSignal): Reading {
  const seen: string[] = [];
  const read = async () => {
    for await (const { id } of client.events({ after: 'start' }, { signal })) seen.push(id);
  };
  const ended = read().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return { seen, ended };
}

/** Reads small pages, and continues from the cursor of the last complete one. */
function readByPages(processes: Processes, serviceKey: string, signal: AbortSignal): Reading {
  const seen: string[] = [];
  const read = async () => {
    for (let after = 'start'; !signal.aborted; ) {
      const url = toCurrent(processes, `http://backend/api/v1/events?limit=40&after=${after}`);
      const headers = { authorization: `Bearer ${serviceKey}`, prefer: 'wait=5' };
      const answer = await fetch(url, { headers, signal }).catch(() => undefined);
      const page = answer?.ok ? await answer.json().catch(() => undefined) : undefined;
      if (page === undefined) await sleep(20);
      else {
        const { events, next_cursor } = page as { events: { id: string }[]; next_cursor: string };
        seen.push(...events.map(({ id }) => id));
        after = next_cursor;
      }
    }
  };
  return { seen, ended: read() };
}

/** Repeated under the same key until it is answered, whichever process dies meanwhile. */
async function payOnce(processes: Processes, from: Person, to: Person): Promise<void> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
  const body = JSON.stringify({ sender_user_id: from.userId, receiver_username: to.username, amount: 0.01 });
  for (;;) {
    const url = `${processes.server.url}/api/v1/send_usdc`;
    const answer = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined);
    const text = await answer?.text().catch(() => undefined);
    if (answer?.ok && text !== undefined) return;
    if (answer && answer.status < 500 && answer.status !== 409) throw new Error(`a payment was refused: ${text}`);
    await sleep(20);
  }
}

/** Kills at regular intervals: the server immediately, the worker in the middle of a call that it makes. */
async function killInTurn(
  { payments, serverKills, workerKills }: EventsRun,
  { server, worker }: Processes,
  paid: () => number,
  kill: { worker: boolean },
): Promise<void> {
  const all = serverKills + workerKills;
  for (let nth = 1; nth <= all; nth++) {
    await until(() => paid() >= (payments * nth) / (all + 1));
    if (server.kills * all < nth * serverKills) await server.crash();
    else if (worker.kills < workerKills) {
      const before = worker.kills;
      kill.worker = true;
      const latest = Date.now() + KILL_AT_LATEST_MS;
      // Waits for a requested one: it comes when the previous worker is ready.
      await until(() => worker.kills > before || (kill.worker && Date.now() > latest));
      // Nothing is left to deliver.
      if (kill.worker) {
        kill.worker = false;
        await worker.crash();
      }
    }
  }
}

async function proveCommitted(db: Db, transactionId: string, faults: string[]): Promise<void> {
  const found = await db
    .query('SELECT FROM transfers WHERE transfer_id = $1', [transactionId])
    // A failed connection on a busy machine proves nothing.
    .catch(() => undefined);
  if (found?.length === 0) faults.push(`received ${transactionId}, which is not committed`);
}

/**
 * Ends the pauses before the next attempts and the claims of killed workers; only now and then, because it repeats
 * calls that are in progress.
 */
function openHurry(admin: Db, everyMs: number): () => Promise<void> {
  let nextMs = 0;
  return async () => {
    if (Date.now() < nextMs) return;
    await admin.query(
      `UPDATE webhook_deliveries d SET due_at = now() FROM (SELECT endpoint_id, event_id FROM webhook_deliveries
        WHERE due_at > now() FOR UPDATE SKIP LOCKED) w WHERE (d.endpoint_id, d.event_id) = (w.endpoint_id, w.event_id)`,
    );
    nextMs = Date.now() + everyMs;
  };
}

function describeDifference(seen: readonly string[], all: readonly string[]): string | undefined {
  const at = all.findIndex((id, nth) => seen[nth] !== id);
  if (at < 0 && seen.length === all.length) return undefined;
  const [had, wanted] = [new Set(seen), new Set(all)];
  const missed = all.filter((id) => !had.has(id)).length;
  const strange = seen.filter((id) => !wanted.has(id)).length;
  return `${seen.length} of ${all.length} events, ${missed} missed, ${strange} unknown, the first difference at ${at}`;
}

async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !(await check()); await sleep(50))
    if (Date.now() > end) throw new Error(`still not true: ${check}`);
}
