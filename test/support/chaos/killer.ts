/** Kills and disturbs one part after another, in an order that the seed decides, and measures each recovery. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openRandom } from '../prove/random.ts';
import type { Clients } from './clients.ts';
import type { Recovered } from './explainRecovery.ts';
import type { History } from './history.ts';
import { DISTURBANCES } from './openLink.ts';
import type { Target } from './startTarget.ts';
import { LONGEST_RECOVERY_MS, type Recovery } from './watchRecovery.ts';

export interface Killed {
  /** How often each part was killed, and each link disturbed. */
  readonly kills: ReadonlyMap<string, number>;
  readonly disturbances: ReadonlyMap<string, number>;
  readonly recoveries: readonly Recovered[];
  /** Kills after which nothing worked again for a minute. */
  readonly unrecovered: readonly string[];
}

interface Victim {
  /** What it is counted as. */
  readonly kind: string;
  readonly name: string;
  readonly isPostgres: boolean;
  isReady(): boolean;
  /** Resolves when it is gone. */
  kill(): Promise<void>;
  /** Lets a client try at once, and again until it succeeds. */
  probe(): void;
  untilWorks(goneMs: number): Promise<boolean>;
}

/** Of a hundred rounds. The others disturb a link. */
const KILL_ONE = 65;
const KILL_TWO = 75;
const KILL_DURING_DISTURBANCE = 85;
const SHORTEST_CALM_MS = 300;
const CALM_SPREAD_MS = 1_200;
const SHORTEST_DISTURBANCE_MS = 500;
const DISTURBANCE_SPREAD_MS = 2_000;
const READY_POLL_MS = 25;

function listVictims(
  { processes, killPostgres }: Target,
  history: History,
  recovery: Recovery,
  clients: Clients,
): Victim[] {
  const postgres = (how: 'stopped' | 'backend', name: string): Victim => ({
    kind: name,
    name,
    isPostgres: true,
    isReady: () => true,
    kill: () => killPostgres(how),
    // People pay anyway, without a pause in the end: they repeat what has failed.
    probe: () => void recovery.untilAnswering().then(() => history.write({ type: 'ready', what: name })),
    untilWorks: (goneMs) => recovery.untilPaid(goneMs),
  });
  return [
    ...processes.map(
      (process): Victim => ({
        kind: process.name.split(' ')[0]!,
        name: process.name,
        isPostgres: false,
        isReady: () => process.isReady,
        kill: () => process.kill(),
        probe: () => (process.name.startsWith('server') ? clients.payAt(process.name) : clients.send()),
        untilWorks: (goneMs) =>
          process.name.startsWith('server') ? recovery.untilPaid(goneMs, process.name) : recovery.untilSent(goneMs),
      }),
    ),
    postgres('stopped', 'PostgreSQL'),
    postgres('backend', 'a process of PostgreSQL'),
  ];
}

export async function killUntil(
  target: Target,
  history: History,
  recovery: Recovery,
  clients: Clients,
  { seed, endMs, onKill }: { readonly seed: number; readonly endMs: number; onKill(kills: number): void },
): Promise<Killed> {
  const random = openRandom(seed);
  const victims = listVictims(target, history, recovery, clients);
  const kills = new Map<string, number>();
  const disturbances = new Map<string, number>();
  const recoveries: Recovered[] = [];
  const unrecovered: string[] = [];
  const count = (counts: Map<string, number>, kind: string) => counts.set(kind, (counts.get(kind) ?? 0) + 1);
  let killed = 0;

  /** `disturbed` resolves when the link that is disturbed meanwhile is restored. */
  async function kill(victim: Victim, disturbed?: Promise<void>): Promise<void> {
    const { kind, name } = victim;
    while (!victim.isReady()) await sleep(READY_POLL_MS);
    const killMs = Date.now();
    count(kills, kind);
    killed++;
    history.write({ type: 'kill', what: name });
    await victim.kill();
    const goneMs = Date.now();
    history.write({ type: 'gone', what: name });
    victim.probe();
    await disturbed;
    const fromMs = disturbed ? Date.now() : killMs;
    if (await victim.untilWorks(goneMs)) {
      recoveries.push({ kind, name, killMs, goneMs, fromMs, recoveredMs: Date.now() });
      history.write({ type: 'recovered', what: name });
    } else unrecovered.push(`${name}: nothing worked for ${LONGEST_RECOVERY_MS / 1_000} s after its kill`);
    onKill(killed);
  }

  async function disturb(): Promise<void> {
    const [ends, links] = random.pick([...target.links]);
    const how = random.pick(DISTURBANCES);
    count(disturbances, `${how}: ${ends.replace(/ \d/g, '')}`);
    history.write({ type: 'disturb', what: `${how}: ${ends}` });
    const restores = links.map((link) => link.disturb(how));
    await sleep(SHORTEST_DISTURBANCE_MS + random.int(DISTURBANCE_SPREAD_MS));
    for (const restore of restores) restore();
    history.write({ type: 'restore', what: ends });
  }

  while (Date.now() < endMs) {
    const dice = random.int(100);
    const one = random.pick(victims);
    // Two kills of PostgreSQL at the same time would be one.
    const two = random.pick(victims.filter(({ isPostgres }) => !isPostgres || !one.isPostgres));
    if (dice < KILL_ONE) await kill(one);
    else if (dice < KILL_TWO && two !== one) await Promise.all([kill(one), kill(two)]);
    else if (dice < KILL_DURING_DISTURBANCE) await kill(one, disturb());
    else await disturb();
    await sleep(SHORTEST_CALM_MS + random.int(CALM_SPREAD_MS));
  }
  return { kills, disturbances, recoveries, unrecovered };
}
