/**
 * Three PostgreSQL servers under Patroni with three etcd, on this machine, from Debian's packages and with the
 * configuration of `deploy/ha/`: only names, addresses, folders and passwords are replaced.
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
import { rm } from 'node:fs/promises';
import { arch, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findFreePort } from '../../../sandbox/src/ports.ts';
import { findAccount } from '../../../sandbox/src/postgres/chooseHome.ts';
import { findCommandLine, findProcessesIn, signalProcess } from '../../../sandbox/src/processes.ts';
import { exchange, readKit, runAs } from './kit.ts';

const NAMES = ['db1', 'db2', 'db3'] as const;
const PASSWORD = 'of-a-test-only';
const LOCAL = '127.0.0.1';
const BINARIES = '/usr/lib/postgresql/15/bin';
/** A Patroni other than the installed one: `FLORIN_PATRONI='python3 …/patroni.py'`. */
const PATRONI = (process.env.FLORIN_PATRONI ?? 'patroni').split(' ') as [string, ...string[]];

export interface Cluster {
  /** Patroni's version. */
  readonly version: string;
  /** In seconds: how long a leader's lease lasts without renewal. */
  readonly ttl: number;
  /** The administrator's URL, on the current primary. */
  adminUrl(): Promise<string>;
  /** The same URL with the hosts of all nodes. */
  withAllHosts(url: string): string;
  /** Which node is the primary; waits for one. */
  findPrimary(): Promise<Node>;
  readonly nodes: readonly Node[];
  /** Whether standbys confirm commits from now on. */
  confirm(isWanted: boolean): Promise<void>;
  /** Waits until every standby shows what was committed before. */
  settle(): Promise<void>;
  /** A backup of the current primary. The returned function restores it: every node starts over from it. */
  backUp(): Promise<() => Promise<void>>;
  switchOver(): Promise<void>;
  stopEtcd(): Promise<void>;
  startEtcd(): void;
  /** Every node runs, one is the primary, and a standby confirms commits where that is configured. */
  heal(): Promise<void>;
  stop(): Promise<void>;
}

export interface Node {
  readonly name: string;
  readonly port: number;
  start(): void;
  /** kill -9 of PostgreSQL alone, or with its Patroni. */
  kill(what: 'postgres' | 'node'): void;
  /** Freezes the same processes, or those that send the log to standbys; the returned function continues them. */
  freeze(what: 'postgres' | 'node' | 'senders'): () => void;
}

/** Returns the packages that must be installed first. */
export function findMissingTools(): string[] {
  const tools = { [PATRONI[0]]: 'patroni', etcd: 'etcd-server', [`${BINARIES}/postgres`]: 'postgresql-15' };
  const isThere = (tool: string) => existsSync(tool) || spawnSync('which', [tool]).status === 0;
  return Object.entries(tools).flatMap(([tool, name]) => (isThere(tool) ? [] : [name]));
}

export async function startCluster(options: { readonly synchronous: boolean }): Promise<Cluster> {
  let { synchronous } = options;
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
    what: 'etcd' | 'patroni',
    command: string,
    words: string[],
    place: (typeof places)[number],
    env: Record<string, string> = {},
  ) => {
    const log = openSync(join(root, `${place.name}-${what}.log`), 'a');
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
      const given = readKit('etcd.conf.yml');
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
      etcds.set(place.name, launch('etcd', 'etcd', ['--config-file', file], place, unusual));
    }
  }

  const nodes: (Node & { readonly rest: number; readonly data: string })[] = places.map((place) => {
    const file = join(root, `${place.name}-patroni.yml`);
    const data = join(place.folder, 'data');
    writeFileSync(file, describeNode(place, data, etcdHosts, synchronous));
    const ours = (what: 'postgres' | 'node' | 'senders') => {
      const patroni = patronis.get(place.name)?.pid;
      const found = findProcessesIn(data);
      if (what === 'senders') return found.filter((pid) => findCommandLine(pid)?.includes('walsender'));
      return [...found, ...(what === 'node' && patroni ? [patroni] : [])];
    };
    return {
      data,
      name: place.name,
      port: place.port,
      rest: place.rest,
      start: () => void patronis.set(place.name, launch('patroni', PATRONI[0], [...PATRONI.slice(1), file], place)),
      kill: (what) =>
        ours(what)
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
    const answer = await fetch(`http://${LOCAL}:${rest}/primary`, { signal: AbortSignal.timeout(5_000) }).catch(
      () => undefined,
    );
    return answer?.status === 200;
  };
  async function findPrimary() {
    let found: (typeof nodes)[number] | undefined;
    await until('a node is the primary', async () => {
      const asked = nodes.map(async (node) => ((await isPrimary(node)) ? node : Promise.reject(new Error(node.name))));
      // A frozen node does not answer; the primary does.
      found = await Promise.any(asked).catch(() => undefined);
      return found !== undefined;
    });
    return found!;
  }
  const adminUrl = async () => `postgres://postgres:${PASSWORD}@${LOCAL}:${(await findPrimary()).port}/postgres`;

  /** From etcd. */
  async function forget(key: string): Promise<void> {
    const body = JSON.stringify({ key: Buffer.from(`/service/florin/${key}`).toString('base64') });
    const answer = await fetch(`http://${LOCAL}:${places[0]!.client}/v3/kv/deleterange`, { method: 'POST', body });
    if (!answer.ok) throw new Error(`etcd keeps ${key}: ${await answer.text()}`);
  }

  const cluster: Cluster = {
    version: spawnSync(PATRONI[0], [...PATRONI.slice(1), '--version'], { encoding: 'utf8' }).stdout.trim(),
    ttl: Number(/^ {4}ttl: (\d+)/m.exec(readKit('patroni.yml'))![1]),
    nodes,
    adminUrl,
    findPrimary,
    withAllHosts(url) {
      const { host } = new URL(url);
      return url.replace(host, nodes.map(({ port }) => `${LOCAL}:${port}`).join(','));
    },
    async confirm(isWanted) {
      synchronous = isWanted;
      const { rest } = await findPrimary();
      const body = JSON.stringify({ synchronous_mode: isWanted, synchronous_mode_strict: isWanted });
      const answer = await fetch(`http://${LOCAL}:${rest}/config`, { method: 'PATCH', body });
      if (!answer.ok) throw new Error(`Patroni refuses its new configuration: ${await answer.text()}`);
      const ask = () => adminUrl().then(askSynchronous);
      await until('the primary applies it', async () => (await ask().catch(() => undefined)) === isWanted);
    },
    async settle() {
      const [[now]] = (await query(await adminUrl(), 'SELECT pg_current_wal_insert_lsn()')) as [[string]];
      await until('the standbys have everything', async () => {
        const [[behind]] = (await query(
          await adminUrl(),
          `SELECT count(*)::int FROM pg_stat_replication WHERE replay_lsn IS NULL OR replay_lsn < '${now}'`,
        )) as [[number]];
        return behind === 0;
      });
    },
    async backUp() {
      const folder = mkdtempSync(join(root, 'backup-'));
      if (account) chownSync(folder, account.uid, account.gid);
      const { port } = await findPrimary();
      const from = `postgres://replicator:${PASSWORD}@${LOCAL}:${port}/postgres`;
      await runAs(account, join(BINARIES, 'pg_basebackup'), ['-D', folder, '-d', from, '-X', 'stream', '-c', 'fast']);
      return async () => {
        for (const node of nodes) node.kill('node');
        await sleep(1_000);
        await Promise.all(nodes.map(({ data }) => rm(data, { recursive: true, force: true })));
        const [first, ...others] = nodes;
        await runAs(account, 'cp', ['-a', folder, first!.data]);
        // Patroni's history of the cluster is no longer true; its configuration is.
        for (const key of ['leader', 'status', 'optime/leader', 'sync', 'history', 'failsafe']) await forget(key);
        first!.start();
        await until('the restored node is the primary', () => isPrimary(first!));
        for (const node of others) node.start();
        await cluster.heal();
      };
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
      await until('the cluster is healthy', async () => {
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
      for (const node of nodes) node.kill('node');
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
  fetch(`http://${LOCAL}:${rest}/patroni`, { signal: AbortSignal.timeout(10_000) })
    .then((answer) => answer.json() as Promise<Described>)
    .catch(() => undefined);

function describeNode(
  place: { readonly name: string; readonly folder: string; readonly rest: number; readonly port: number },
  data: string,
  etcdHosts: string,
  synchronous: boolean,
): string {
  const given = readKit('patroni.yml');
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
    [/^ {2}bin_dir: .*$/m, `  bin_dir: ${BINARIES}`],
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

const askSynchronous = async (url: string): Promise<boolean> =>
  (await query(url, 'SHOW synchronous_standby_names'))[0]![0] !== '';

async function query(url: string, text: string): Promise<unknown[][]> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    return (await client.query<unknown[]>({ text, rowMode: 'array' })).rows;
  } finally {
    await client.end().catch(() => {});
  }
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
