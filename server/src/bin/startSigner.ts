import { chmod, unlink } from 'node:fs/promises';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Logger } from 'pino';
import { openSigner } from '../custody/signing/openSigner.ts';
import { openDatabase } from '../db/database.ts';
import { createMetrics } from '../http/ops/metrics.ts';
import { openOps } from '../http/ops/openOps.ts';
import { openRetries } from '../http/ops/openRetries.ts';
import { probeDatabase } from '../http/ops/probes.ts';
import { serveSigner } from '../http/signer/serveSigner.ts';
import { ConfigError } from './config/configError.ts';
import type { SignerConfig } from './config/signerConfig.ts';
import { readTls } from './config/tlsFiles.ts';
import { findOutput } from './logger.ts';
import { openKeys } from './openKeys.ts';
import { prepareSigner } from './prepare.ts';
import type { Running } from './runProcess.ts';

/** The members of the socket's group can call the signer, if they also have a token. */
const SOCKET_MODE = 0o660;
const CONNECTIONS = 8;

/** `prepared` resolves when it listens; before that, seed and database must match. */
export async function startSigner(config: SignerConfig, log: Logger): Promise<Running> {
  const keys = await openKeys(config);
  const db = openDatabase(config.databaseUrl, { maxConnections: CONNECTIONS, applicationName: 'florin-signer' });
  const { networks, limits } = config;
  const retries = openRetries(log);
  const server = serveSigner({
    signer: openSigner({
      db,
      ...keys,
      networks,
      limits,
      onFault: (error, about) => retries.failed(about, error, 'a provider of keys does not answer; retrying'),
    }),
    tokens: config.tokens,
    tls: config.tls && config.url.startsWith('https:') ? readIdentity(config.tls) : undefined,
    onFault: (error, about) => retries.failed(about, error, about),
  });
  const metrics = createMetrics();
  const output = findOutput(log);
  let isPrepared = false;
  const ops = openOps({
    process: 'signer',
    place: config.ops,
    metrics,
    log,
    isPrepared: () => isPrepared,
    probes: () => [probeDatabase(db, () => {})],
  });
  metrics.showRetries(retries.counts);
  metrics.showLostLines(() => output.lost?.() ?? 0);
  const giveUp = new AbortController();
  const facts: Record<string, unknown> = { ops_url: await ops.listen('elsewhere') };
  const prepared = prepareSigner({ ...keys, config, db, log, role: 'signer' }, giveUp.signal).then(async () => {
    facts.signer_url = await listen(server, config.url);
    isPrepared = true;
  });
  prepared.catch(() => {});
  return {
    prepared,
    facts,
    async stop() {
      giveUp.abort();
      await prepared.catch(() => {});
      await new Promise<void>((done) => {
        server.close(() => done());
        server.closeIdleConnections();
      });
      await ops.close();
      await db.close();
    },
  };
}

function readIdentity(files: NonNullable<SignerConfig['tls']>) {
  const { identity, faults } = readTls(files);
  if (!identity) throw new ConfigError(faults);
  return { cert: identity.cert, key: identity.key };
}

/** Returns the address it listens on; with port 0, a free port. */
async function listen(server: Server, url: string): Promise<string> {
  const begin = (where: { path: string } | { host: string; port: number }) =>
    new Promise<void>((done, fail) => {
      server.once('error', fail);
      server.listen(where, () => {
        server.removeListener('error', fail);
        done();
      });
    });
  if (url.startsWith('unix:')) {
    const path = url.slice('unix:'.length);
    await removeLeftSocket(path);
    await begin({ path });
    await chmod(path, SOCKET_MODE);
    return url;
  }
  const { protocol, hostname, port } = new URL(url);
  // The default port is not part of a parsed URL.
  const given = port || /:(\d+)$/.exec(url)![1]!;
  await begin({ host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(given) });
  return `${protocol}//${hostname}:${(server.address() as AddressInfo).port}`;
}

/** A killed signer leaves its socket behind. A socket that still answers belongs to a running signer. */
async function removeLeftSocket(path: string): Promise<void> {
  const isAlive = await new Promise<boolean>((answer) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      answer(true);
    });
    socket.once('error', () => answer(false));
  });
  if (isAlive) throw new Error(`another signer listens at ${path}`);
  await unlink(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}
