/**
 * Pages of history at 64 connections, each request for another of 1,000 people with their own credential, while others
 * pay each other through the same server; against a bare Fastify that sends the same bytes.
 */
import { execFile, fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import autocannon from 'autocannon';
import type { Db } from '../../server/src/db/database.ts';
import { buildServer } from '../support/buildServer.ts';
import { createPeople, median, SECONDS } from '../support/ledgerWorld.ts';
import { type LoggedIn, logIn } from '../support/logIn.ts';
import { isShort, sized } from '../support/short.ts';
import { compileServer, prepareServers } from '../support/startBuiltServer.ts';
import { applyLoad } from './p2pLoad.ts';
import { hasWrk } from './runWrk.ts';

interface PagesMeasured {
  readonly pagesPerSecond: number;
  readonly barePerSecond: number;
  readonly paymentsPerSecond: number;
  readonly bytes: number;
  /** Pages that were checked to show a payment that was answered just before. */
  readonly checked: number;
}

const PEOPLE = sized(1_000, 20);
const HALF = PEOPLE / 2;
const ROUNDS = sized(3, 1);
const PATH = '/api/v1/latest_transactions_by_username/';

export async function measurePages({ databaseUrl, db }: { databaseUrl: string; db: Db }): Promise<PagesMeasured> {
  if (!hasWrk() && !isShort) throw new Error('this benchmark needs wrk');
  const people = await logIn(db, await createPeople(db, PEOPLE));
  // The people of a sandbox, for a server in that mode.
  await db.query(`UPDATE users SET issuer = 'florin-sandbox'`);
  await compileServer();
  // The limits count, but are never reached.
  const plenty = ['address', 'login', 'user', 'key', 'kyc'].map((rate) => `${rate}=1000000`).join(',');
  const servers = await prepareServers('sandbox', databaseUrl, db, plenty);
  const server = await servers.start();
  const folder = mkdtempSync(join(tmpdir(), 'florin-pages-'));
  const stopBare: (() => void)[] = [];
  try {
    const url = server.backendUrl;
    await payUntilFull(db, url, people);
    const { body, headers } = await askPage(url, people[0]!);
    const bare = await startBare(body, headers);
    stopBare.push(bare.stop);
    const script = writeScript(folder, people);
    const load = (target: string, seconds: number) =>
      hasWrk() ? loadByWrk(script, target, seconds) : loadByAutocannon(people, target, seconds);
    const seconds = sized(Math.max(3, Math.ceil(SECONDS / ROUNDS)), 1);
    if (!isShort) await load(bare.url, 2);
    const [pages, bares, payments] = [[] as number[], [] as number[], [] as number[]];
    let checked = 0;
    for (let round = sized(0, 1); round <= ROUNDS; round++) {
      const bareRate = await load(bare.url, seconds);
      const paying = applyLoad({ url, people, connections: 4, hot: false, seconds: seconds + sized(2, 0) });
      const checking = checkFresh(url, people, seconds);
      const rate = await load(url, seconds);
      checked += await checking;
      const paid = await paying;
      if (paid.refused > 0) throw new Error('a payment was refused or lost');
      // The first round only warms up.
      if (round === 0) continue;
      bares.push(bareRate);
      pages.push(rate);
      payments.push(paid.perSecond);
    }
    return {
      pagesPerSecond: median(pages),
      barePerSecond: median(bares),
      paymentsPerSecond: median(payments),
      bytes: Buffer.byteLength(body),
      checked,
    };
  } finally {
    for (const stop of stopBare) stop();
    await server.stop();
    servers.remove();
    rmSync(folder, { recursive: true });
  }
}

/** Pays until everyone has more than one page of history. */
async function payUntilFull(db: Db, url: string, people: readonly LoggedIn[]): Promise<void> {
  for (;;) {
    const [row] = await db.query<{ least: bigint }>(
      `SELECT min(entries) AS least FROM accounts WHERE kind = 'user' AND user_id = ANY ($1)`,
      [people.map(({ userId }) => userId)],
    );
    if (row!.least > 60n) return;
    await applyLoad({ url, people, connections: 64, hot: false, seconds: sized(5, 1) });
  }
}

/** Pays, and then reads the histories of both, which must show it. */
async function checkFresh(url: string, people: readonly LoggedIn[], seconds: number): Promise<number> {
  let checked = 0;
  for (const until = performance.now() + seconds * 1000; performance.now() < until; ) {
    const [from, to] = [people[checked % HALF]!, people[HALF + (checked % HALF)]!];
    const answer = await fetch(`${url}/api/v1/send_usdc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${from.accessToken}` },
      body: JSON.stringify({ sender_user_id: from.userId, receiver_username: to.username, amount: 0.001 }),
    });
    const { transaction_id: id } = (await answer.json()) as { transaction_id: string };
    for (const { body } of await Promise.all([from, to].map((person) => askPage(url, person)))) {
      const { transactions } = JSON.parse(body) as { transactions: { transaction_id: string }[] };
      if (transactions.length !== 50 || !transactions.some((one) => one.transaction_id === id)) {
        throw new Error(`a page of ${transactions.length} does not show payment ${id}, which was answered before`);
      }
      checked++;
    }
  }
  return checked;
}

/** The headers exclude those that Node writes by itself. */
async function askPage(url: string, { username, accessToken }: LoggedIn) {
  const answer = await fetch(url + PATH + username, { headers: { authorization: `Bearer ${accessToken}` } });
  const body = await answer.text();
  if (answer.status !== 200) throw new Error(`a page was answered with ${answer.status}: ${body}`);
  const own = ['connection', 'keep-alive', 'date', 'content-length'];
  return { body, headers: Object.fromEntries([...answer.headers].filter(([name]) => !own.includes(name))) };
}

function writeScript(folder: string, people: readonly LoggedIn[]): string {
  const file = join(folder, 'people.txt');
  writeFileSync(file, people.map(({ username, accessToken }) => `${username} ${accessToken}\n`).join(''));
  const script = join(folder, 'pages.lua');
  writeFileSync(
    script,
    `local requests = {}
for line in io.lines('${file}') do
  local name, token = line:match('^(%S+) (%S+)$')
  requests[#requests + 1] = 'GET ${PATH}' .. name .. ' HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nAuthorization: Bearer ' .. token .. '\\r\\n\\r\\n'
end
local at = 0
function request() at = at % #requests + 1; return requests[at] end
function done(summary)
  local errors = summary.errors
  print(string.format('RESULT {"requests":%d,"micros":%d,"broken":%d}', summary.requests, summary.duration,
    errors.status + errors.connect + errors.read + errors.write + errors.timeout))
end
`,
  );
  return script;
}

async function loadByWrk(script: string, url: string, seconds: number): Promise<number> {
  const args = ['-t', '1', '-c', '64', '-d', `${seconds}s`, '--timeout', '10s', '-s', script, url];
  const { stdout } = await promisify(execFile)('wrk', args);
  const result = JSON.parse(/^RESULT (.*)$/m.exec(stdout)?.[1] ?? 'null');
  if (!result || result.broken > 0) throw new Error(`not every page was answered with 200:\n${stdout}`);
  return result.requests / (result.micros / 1e6);
}

async function loadByAutocannon(people: readonly LoggedIn[], url: string, seconds: number): Promise<number> {
  let at = 0;
  const setupRequest = (request: Record<string, unknown>) => {
    const { username, accessToken } = people[at++ % people.length]!;
    return { ...request, path: PATH + username, headers: { authorization: `Bearer ${accessToken}` } };
  };
  const options = { url, method: 'GET', headers: {}, body: '', connections: 64, duration: seconds } as const;
  const result = await autocannon({ ...options, requests: [{ setupRequest }] });
  if (result.non2xx + result.errors > 0) throw new Error('not every page was answered with 200');
  return result['2xx'] / result.duration;
}

async function startBare(body: string, headers: Record<string, string>): Promise<{ url: string; stop(): void }> {
  const { file, execArgv } = await buildServer(new URL('./bareServer.ts', import.meta.url));
  const child = fork(file, [], { execArgv });
  const listening = new Promise<string>((resolve) => child.once('message', (message) => resolve(String(message))));
  child.send({ body, headers });
  return { url: await listening, stop: () => child.kill() };
}
