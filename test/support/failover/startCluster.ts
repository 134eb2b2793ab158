/**
 * Three PostgreSQL servers under Patroni with three etcd, on this machine, from Debian's packages and with the
 * configuration of `deploy/ha/`: only names, addresses, folders and passwords are exchanged.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { arch, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '../../../sandbox/src/ports.ts';
import { findProcessesIn, signalProcess } from '../../../sandbox/src/processes.ts';

const KIT = fileURLToPath(new URL('../../../deploy/ha/', import.meta.url));
const NAMES = ['db1', 'db2', 'db3'] as const;
const PASSWORD = 'of-a-test-only';
const LOCAL = '127.0.0.1';

export interface Cluster {
  /** Of Patroni. */
  readonly version: string;
  /** In seconds: how long a leader's lease lasts without it. */
  readonly ttl: number;
  /** Of the administrator, on the node that is the primary now. */
  adminUrl(): Promise<string>;
  /** The same URL with the hosts of all nodes. */
  withAllHosts(url: string): string;
  /** Which node is the primary; throws while none is. */
  findPrimary(): Promise<Node>;
  readonly nodes: readonly Node[];
  switchOver(): Promise<void>;
  stopEtcd(): Promise<void>;
  startEtcd(): void;
  /** Every node runs, one is the primary, and a standby confirms commits where that is wanted. */
  heal(): Promise<void>;
  stop(): Promise<void>;
}

interface Node {
  readonly name: string;
  readonly port: number;
  start(): void;
  /** kill -9 of PostgreSQL and Patroni. */
  kill(): void;
  /** PostgreSQL alone, or with its Patroni; the answer lets them go on. */
  freeze(what: 'postgres' | 'node'): () => void;
}

/** What has to be installed first, if anything. */
export function findMissingTools(): string[] {
  const tools = { patroni: 'patroni', etcd: 'etcd-server', '/usr/lib/postgresql/15/bin/postgres': 'postgresql-15' };
  const isThere = (tool: string) => existsSync(tool) || spawnSync('which', [tool]).status === 0;
  return Object.entries(tools).flatMap(([tool, name]) => (isThere(tool) ? [] : [name]));
}

export async function startCluster({ synchronous }: { readonly synchronous: boolean }): Promise<Cluster> {
  const root = mkdtempSync(join(tmpdir(), 'florin-cluster-'));
  chmodSync(root, 0o755);
  const account = findAccount();
  const ports = await takePorts(NAMES.length * 4);
  const places = NAMES.map((name, i) => {
    const [client, peer, rest, port] = ports.slice(i * 4, i * 4 + 4) as [number, number, number, number];
    const folder = join(root, name);
    mkdirSync(folder, { mode: 0o700 });
    if (account) chownSync(folder, account.uid, account.gid);
    return { name, folder, client, peer, rest, port };
  });
  const etcds = new Map<string, ChildProcess>();
  const patronis = new Map<string, ChildProcess>();
  const launch = (
    command: string,
    words: string[],
    place: (typeof places)[number],
    env: Record<string, string> = {},
  ) => {
    const log = openSync(join(root, `${place.name}-${command}.log`), 'a');
    const child = spawn(command, words, {
      ...account,
      cwd: place.folder,
      detached: true,
      stdio: ['ignore', log, log],
      env: { PATH: process.env.PATH, HOME: place.folder, LC_ALL: 'C', ...env },
    });
    child.on('error', () => {});
    return child;
  };
  const etcdHosts = places.map(({ client }) => `${LOCAL}:${client}`).join(',');
  const members = places.map(({ name, peer }) => `${name}=http://${LOCAL}:${peer}`).join(',');

  function startEtcd(): void {
    for (const place of places) {
      const file = join(root, `${place.name}-etcd.yml`);
      const given = readFileSync(join(KIT, 'etcd.conf.yml'), 'utf8');
      const text = exchange(given, [
        [/^name: .*$/m, `name: ${place.name}`],
        [/^data-dir: .*$/m, `data-dir: ${join(place.folder, 'etcd')}`],
        [/^(listen-client-urls): .*$/m, `$1: http://${LOCAL}:${place.client}`],
        [/^(advertise-client-urls): .*$/m, `$1: http://${LOCAL}:${place.client}`],
        [/^(listen-peer-urls): .*$/m, `$1: http://${LOCAL}:${place.peer}`],
        [/^(initial-advertise-peer-urls): .*$/m, `$1: http://${LOCAL}:${place.peer}`],
        [/^(initial-cluster): .*$/m, `$1: ${members}`],
      ]);
      writeFileSync(file, text);
      const unusual: Record<string, string> = arch() === 'arm64' ? { ETCD_UNSUPPORTED_ARCH: 'arm64' } : {};
      etcds.set(place.name, launch('etcd', ['--config-file', file], place, unusual));
    }
  }

  const nodes: (Node & { readonly rest: number })[] = places.map((place) => {
    const file = join(root, `${place.name}-patroni.yml`);
    const data = join(place.folder, 'data');
    writeFileSync(file, describeNode(place, data, etcdHosts, synchronous));
    const ours = (what: 'postgres' | 'node') => {
      const patroni = patronis.get(place.name)?.pid;
      return [...findProcessesIn(data), ...(what === 'node' && patroni ? [patroni] : [])];
    };
    return {
      name: place.name,
      port: place.port,
      rest: place.rest,
      start: () => void patronis.set(place.name, launch('patroni', [file], place)),
      kill: () =>
        ours('node')
          .reverse()
          .forEach((pid) => void signalProcess(pid, 'SIGKILL')),
      freeze(what) {
        const frozen = ours(what);
        for (const pid of frozen) signalProcess(pid, 'SIGSTOP');
        return () => frozen.forEach((pid) => void signalProcess(pid, 'SIGCONT'));
      },
    };
  });

  const isPrimary = async ({ rest }: { readonly rest: number }): Promise<boolean> => {
    const answer = await fetch(`http://${LOCAL}:${rest}/primary`, { signal: AbortSignal.timeout(2_000) }).catch(
      () => undefined,
    );
    return answer?.status === 200;
  };
  async function findPrimary() {
    const found = await Promise.all(nodes.map(isPrimary));
    const at = found.indexOf(true);
    if (at === -1) throw new Error('no node is the primary');
    return nodes[at]!;
  }
  const adminUrl = async () => `postgres://postgres:${PASSWORD}@${LOCAL}:${(await findPrimary()).port}/postgres`;

  const cluster: Cluster = {
    version: spawnSync('patroni', ['--version'], { encoding: 'utf8' }).stdout.trim(),
    ttl: Number(/^ {4}ttl: (\d+)/m.exec(readFileSync(join(KIT, 'patroni.yml'), 'utf8'))![1]),
    nodes,
    adminUrl,
    findPrimary,
    withAllHosts(url) {
      const { host } = new URL(url);
      return url.replace(host, nodes.map(({ port }) => `${LOCAL}:${port}`).join(','));
    },
    async switchOver() {
      const { rest, name } = await findPrimary();
      const body = JSON.stringify({ leader: name });
      const answer = await fetch(`http://${LOCAL}:${rest}/switchover`, { method: 'POST', body });
      if (!answer.ok) throw new Error(`Patroni refuses to switch over: ${await answer.text()}`);
    },
    async stopEtcd() {
      for (const child of etcds.values()) child.kill('SIGKILL');
    },
    startEtcd,
    async heal() {
      await until('the cluster is whole', async () => {
        const seen = await Promise.all(nodes.map(({ rest }) => describe(rest)));
        const roles = seen.map((one) => one?.role);
        const isWhole = roles.filter((role) => role === 'master' || role === 'primary').length === 1;
        const streams = seen.every(
          (one) => one?.role !== 'replica' || one.replication_state === 'streaming' || one.state === 'running',
        );
        return (
          isWhole &&
          streams &&
          roles.filter((role) => role === 'replica').length === nodes.length - 1 &&
          (!synchronous || seen.some((one) => one?.sync_standby))
        );
      });
    },
    async stop() {
      for (const child of patronis.values()) child.kill('SIGKILL');
      for (const node of nodes) node.kill();
      for (const child of etcds.values()) child.kill('SIGKILL');
      await sleep(500);
      rmSync(root, { recursive: true, force: true });
    },
  };
  try {
    startEtcd();
    for (const node of nodes) node.start();
    await cluster.heal();
  } catch (error) {
    const said = NAMES.map((name) => readFileSync(join(root, `${name}-patroni.log`), 'utf8').slice(-1_500)).join('\n');
    await cluster.stop();
    throw new Error(`the cluster did not start:\n${said}`, { cause: error });
  }
  return cluster;
}

interface Described {
  readonly role: string;
  readonly state: string;
  readonly replication_state?: string;
  readonly sync_standby?: boolean;
}

const describe = (rest: number): Promise<Described | undefined> =>
  fetch(`http://${LOCAL}:${rest}/patroni`, { signal: AbortSignal.timeout(2_000) })
    .then((answer) => answer.json() as Promise<Described>)
    .catch(() => undefined);

function describeNode(
  place: { readonly name: string; readonly folder: string; readonly rest: number; readonly port: number },
  data: string,
  etcdHosts: string,
  synchronous: boolean,
): string {
  const given = readFileSync(join(KIT, 'patroni.yml'), 'utf8');
  return exchange(given, [
    [/^name: .*$/m, `name: ${place.name}`],
    [/^ {2}hosts: .*$/m, `  hosts: ${etcdHosts}`],
    [/^restapi:\n.*\n.*$/m, `restapi:\n  listen: ${LOCAL}:${place.rest}\n  connect_address: ${LOCAL}:${place.rest}`],
    [/^ {2}listen: .*:5432$/m, `  listen: ${LOCAL}:${place.port}`],
    [/^ {2}connect_address: .*:5432$/m, `  connect_address: ${LOCAL}:${place.port}`],
    [
      /^ {2}data_dir: .*$/m,
      `  data_dir: ${data}\n  parameters: { unix_socket_directories: '${place.folder}', max_connections: 300 }`,
    ],
    [/^ {2}bin_dir: .*$/m, '  bin_dir: /usr/lib/postgresql/15/bin'],
    [/^ {2}pgpass: .*$/m, `  pgpass: ${join(place.folder, 'pgpass')}`],
    [/hostssl replication.*$/m, `host replication replicator ${LOCAL}/32 scram-sha-256`],
    [/hostssl all .*$/m, `host all all ${LOCAL}/32 scram-sha-256`],
    [/^ {2}mode: automatic$/m, "  mode: 'off'"],
    [/change-me/g, PASSWORD],
    ...(synchronous
      ? []
      : ([
          [/synchronous_mode: true/, 'synchronous_mode: false'],
          [/synchronous_mode_strict: true/, 'synchronous_mode_strict: false'],
        ] as const)),
  ]);
}

/** Every one must be found: otherwise something else would be tested than what is in `deploy/`. */
function exchange(text: string, changes: readonly (readonly [RegExp, string])[]): string {
  return changes.reduce((now, [what, by]) => {
    if (!new RegExp(what.source, what.flags.replace('g', '')).test(now)) throw new Error(`not in the file: ${what}`);
    return now.replace(what, by);
  }, text);
}

/** PostgreSQL refuses to run as root. */
function findAccount(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const [, , uid, gid] = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((line) => line.startsWith('postgres:'))!
    .split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

async function takePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await findFreePort());
  return [...ports];
}

export async function until(what: string, check: () => Promise<boolean>, patienceMs = 180_000): Promise<void> {
  for (const endsMs = performance.now() + patienceMs; !(await check()); await sleep(250)) {
    if (performance.now() > endsMs) throw new Error(`not within ${patienceMs / 1000} s: ${what}`);
  }
}
