/** One run: the service, its clients, the killer, and what the checker says in the end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { readCpuSeconds } from '../../../bench/support/yardsticks/cpuSeconds.ts';
import { openDatabase } from '../../../server/src/db/database.ts';
import { runAsAdmin } from '../database.ts';
import { judgeEndOf } from '../properties/judgeEnd.ts';
import { settlePeople } from '../upgrade/settlePeople.ts';
import { startClients } from './clients.ts';
import { explainRecovery, type Waits } from './explainRecovery.ts';
import { gather, readSends } from './gather.ts';
import { type Operation, openHistory, readHistory } from './history.ts';
import { type Faults, judge } from './judge.ts';
import { type Killed, killUntil } from './killer.ts';
import { type MachineLoad, watchMachine } from './machine.ts';
import { startTarget, type Target } from './startTarget.ts';
import { watchRecovery } from './watchRecovery.ts';

const RICH = Array.from({ length: 8 }, (_, i) => ({ username: `rich_${'abcdefgh'[i]}`, usdc: 1_000 }));
const POOR = ['poor_a', 'poor_b'].map((username) => ({ username, usdc: 5 }));
const PATIENCE_MS = 60_000;
const REPORT_EVERY_KILLS = 20;

export interface ChaosResult extends Killed {
  readonly operations: readonly Operation[];
  readonly faults: Faults;
  readonly machine: MachineLoad;
  /** Of each recovery, what it waited for. */
  readonly waits: readonly Waits[];
  readonly cpu: Readonly<Record<string, number>>;
  readonly failedStarts: readonly string[];
  readonly seconds: number;
  /** The pace of the clients. */
  readonly callsPerSecond: number;
}

export async function runChaos(
  { seed, minutes, historyFile }: { readonly seed: number; readonly minutes: number; readonly historyFile: string },
  say: (line: string) => void,
): Promise<ChaosResult> {
  say('compiling the server and starting it');
  const target = await startTarget();
  try {
    return await run(target, { seed, minutes, historyFile }, say);
  } finally {
    await target.stop();
  }
}

async function run(
  target: Target,
  { seed, minutes, historyFile }: { readonly seed: number; readonly minutes: number; readonly historyFile: string },
  say: (line: string) => void,
): Promise<ChaosResult> {
  const { fleet, processes, servers } = target;
  const rights = ['--any-wallet', '--scope', 'read', '--scope', 'send'];
  const shopKey = /fsk_\S+/.exec(await fleet.run('old', 'keys', 'create', 'shop', ...rights, '--yes'))![0];
  const db = openDatabase(fleet.adminUrl, { maxConnections: 1 });
  const people = await settlePeople(fleet, db, servers[0]!.backendUrl, [...RICH, ...POOR]);
  await db.close();
  // A service that has run for a while has a checkpoint behind it, not all of its migrations.
  await runAsAdmin('CHECKPOINT');

  const history = openHistory(historyFile);
  for (const { name, onNews } of processes) onNews((type) => history.write({ type, what: name }));
  const recovery = watchRecovery(history, fleet.adminUrl);
  let acknowledged = 0;
  history.onLine(({ type }) => {
    if (type === 'ok') acknowledged++;
  });
  const machine = watchMachine();
  const [ownCpu, postgresCpu] = [readCpuSeconds(process.pid), target.readPostgresCpu()];
  const begunMs = Date.now();
  const seconds = () => Math.round((Date.now() - begunMs) / 1_000);
  const crowd = { rich: people.slice(0, RICH.length), poor: people.slice(RICH.length) };
  const clients = startClients(servers, crowd, shopKey, history, seed);
  const killed = await killUntil(target, history, recovery, clients, {
    seed,
    endMs: begunMs + minutes * 60_000,
    onKill(kills) {
      if (kills % REPORT_EVERY_KILLS === 0) say(`${seconds()} s: ${kills} kills, ${acknowledged} calls acknowledged`);
    },
  });
  await recovery.close();
  const load = machine.stop();
  const cpu: Record<string, number> = {
    harness: readCpuSeconds(process.pid) - ownCpu,
    PostgreSQL: target.readPostgresCpu() - postgresCpu,
  };
  for (const { name, cpu: used } of processes) {
    cpu[`${name}: ${used.starts} starts`] = used.toReady;
    cpu[`${name}: afterwards`] = used.afterwards;
  }
  const ran = seconds();
  say(`${ran} s: no more kills; every client repeats its last call until it is answered`);
  const isAnswered = await clients.stop(PATIENCE_MS);
  while (!processes.every(({ isReady }) => isReady)) await sleep(100);
  history.close();

  say('waiting until everything has ended, then checking');
  const books = await judgeEndOf({ databaseUrl: fleet.adminUrl });
  const funds = new Map([...RICH, ...POOR].map(({ username, usdc }) => [username, usdc * 1_000_000]));
  const evidence = await gather({
    historyFile,
    databaseUrl: fleet.adminUrl,
    backendUrl: servers[0]!.backendUrl,
    people: people.map((person) => ({ ...person, deposit: funds.get(person.username)! })),
    nodeUrl: fleet.chain.url,
    token: fleet.chain.usdc,
  });
  const lines = readHistory(historyFile);
  const sends = await readSends(fleet.adminUrl);
  const waits = killed.recoveries.map((one) => explainRecovery(one, lines, sends));
  const faults = judge(evidence);
  faults.stuck.push(...killed.unrecovered, ...(isAnswered ? [] : ['calls are still not answered']));
  faults.wrong.push(...books, ...processes.flatMap(({ deaths }) => deaths));
  return {
    ...killed,
    operations: evidence.operations,
    faults,
    machine: load,
    waits,
    cpu,
    failedStarts: processes.flatMap((one) => one.failedStarts),
    seconds: ran,
    callsPerSecond: clients.callsPerSecond,
  };
}
