/**
 * Three PostgreSQL servers under Patroni with three etcd, on this machine, from Debian's packages and with the files of
 * `deploy/ha/` as they are: names, addresses, folders and passwords are values of `patroni.env` and `etcd.env`.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
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
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { findFreePort } from '../../../sandbox/src/ports.ts';
import { findAccount } from '../../../sandbox/src/postgres/chooseHome.ts';
import { findCommandLine, findProcessesIn, signalProcess } from '../../../sandbox/src/processes.ts';
import { canLeaveTwoPrimaries } from '../../../server/src/bin/doctor/checkPatroni.ts';
import { createAuthority } from '../http/certificate.ts';
import { readKit, readVariables, runAs } from './kit.ts';

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

const readPatroniVersion = (): string =>
  spawnSync(PATRONI[0], [...PATRONI.slice(1), '--version'], { encoding: 'utf8' }).stdout.trim();

/** What is wrong with the installed Patroni and where the page says how to get a good one; undefined: nothing. */
export function findPatroniFault(): string | undefined {
  const version = readPatroniVersion();
  const number = /\d[\d.]*/.exec(version)?.[0];
  if (number && !canLeaveTwoPrimaries(number)) return undefined;
  return `${version || 'Patroni without a version'} can leave two primaries, and then acknowledged payments are lost: docs/operating/high-availability.md#getting-a-good-patroni`;
}

/** Returns the packages that must be installed first. */
export function findMissingTools(): string[] {
  const tools = { [PATRONI[0]]: 'patroni', etcd: 'etcd-server', [`${BINARIES}/postgres`]: 'postgresql-15' };
  const isThere = (tool: string) => existsSync(tool) || spawnSync('which', [tool]).status === 0;
  return Object.entries(tools).flatMap(([tool, name]) => (isThere(tool) ? [] : [name]));
}

export async function startCluster(): Promise<Cluster> {
  let synchronous = true;
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
  const authority = createAuthority();
  const ca = join(root, 'ca.pem');
  writeFileSync(ca, authority.cert);
  const configuration = fileURLToPath(new URL('../../../deploy/ha/patroni.yml', import.meta.url));
  // The account may not be able to enter the checkout.
  const copy = join(root, 'patroni.yml');
  copyFileSync(configuration, copy);

  function startEtcd(): void {
    const members = places.map(({ name, peer }) => `${name}=http://${LOCAL}:${peer}`).join(',');
    for (const place of places) {
      const [client, peer] = [`http://${LOCAL}:${place.client}`, `http://${LOCAL}:${place.peer}`];
      const env = readVariables('etcd.env', {
        ETCD_NAME: place.name,
        ETCD_DATA_DIR: join(place.folder, 'etcd'),
        ETCD_LISTEN_CLIENT_URLS: client,
        ETCD_ADVERTISE_CLIENT_URLS: client,
        ETCD_LISTEN_PEER_URLS: peer,
        ETCD_INITIAL_ADVERTISE_PEER_URLS: peer,
        ETCD_INITIAL_CLUSTER: members,
      });
      const unusual = arch() === 'arm64' ? { ETCD_UNSUPPORTED_ARCH: 'arm64' } : {};
      etcds.set(place.name, launch('etcd', 'etcd', [], place, { ...env, ...unusual }));
    }
  }

  function describeNode({ name, folder, rest, port }: (typeof places)[number], data: string): Record<string, string> {
    const tls = join(folder, 'tls');
    mkdirSync(tls);
    const { cert, key } = authority.issue();
    writeFileSync(join(tls, 'server.pem'), cert);
    writeFileSync(join(tls, 'server.key'), key, { mode: 0o600 });
    if (account) chownSync(join(tls, 'server.key'), account.uid, account.gid);
    return readVariables('patroni.env', {
      PATRONI_NAME: name,
      PATRONI_ETCD3_HOSTS: places.map(({ client }) => `${LOCAL}:${client}`).join(','),
      PATRONI_RESTAPI_LISTEN: `${LOCAL}:${rest}`,
      PATRONI_RESTAPI_CONNECT_ADDRESS: `${LOCAL}:${rest}`,
      PATRONI_POSTGRESQL_LISTEN: `${LOCAL}:${port}`,
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${LOCAL}:${port}`,
      PATRONI_POSTGRESQL_DATA_DIR: data,
      PATRONI_POSTGRESQL_BIN_DIR: BINARIES,
      PATRONI_POSTGRESQL_PGPASS: join(folder, 'pgpass'),
      PATRONI_SUPERUSER_SSLROOTCERT: ca,
      PATRONI_REPLICATION_SSLROOTCERT: ca,
      PATRONI_REWIND_SSLROOTCERT: ca,
      PATRONI_SUPERUSER_PASSWORD: PASSWORD,
      PATRONI_REPLICATION_PASSWORD: PASSWORD,
      PATRONI_REWIND_PASSWORD: PASSWORD,
    });
  }

  const nodes: (Node & { readonly rest: number; readonly data: string })[] = places.map((place) => {
    const data = join(place.folder, 'data');
    const env = describeNode(place, data);
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
      start: () =>
        void patronis.set(place.name, launch('patroni', PATRONI[0], [...PATRONI.slice(1), copy], place, env)),
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
  const urlOf = (user: string, port: number) =>
    `postgres://${user}:${PASSWORD}@${LOCAL}:${port}/postgres?sslmode=verify-full&sslrootcert=${ca}`;
  const adminUrl = async () => urlOf('postgres', (await findPrimary()).port);

  /** From etcd. */
  async function forget(key: string): Promise<void> {
    const body = JSON.stringify({ key: Buffer.from(`/service/florin/${key}`).toString('base64') });
    const answer = await fetch(`http://${LOCAL}:${places[0]!.client}/v3/kv/deleterange`, { method: 'POST', body });
    if (!answer.ok) throw new Error(`etcd keeps ${key}: ${await answer.text()}`);
  }

  const cluster: Cluster = {
    version: readPatroniVersion(),
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
      const from = urlOf('replicator', port);
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
