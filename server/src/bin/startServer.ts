import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { viemChain } from '../adapters/chain/viemChain.ts';
import { idTokens } from '../adapters/identity/idTokens.ts';
import { sumsubKyc } from '../adapters/kyc/sumsubKyc.ts';
import { remoteSigner } from '../adapters/signer/remoteSigner.ts';
import { PayError } from '../core/errors.ts';
import { openServiceCallers, type ServiceCaller } from '../customers/keys/serviceKeys.ts';
import { createRateLimits } from '../customers/limits/createRateLimits.ts';
import { openCallers } from '../customers/sessions/openCallers.ts';
import { openDatabase } from '../db/database.ts';
import { openLane } from '../db/openLane.ts';
import { authorize as authorizeBackend } from '../http/backend/authorize.ts';
import { type BackendApp, backendOperations } from '../http/backend/operations.ts';
import { createCallLimits } from '../http/calls/createCallLimits.ts';
import { openDestinations } from '../http/calls/openDestinations.ts';
import { type Arrival, type Authorize, createApi, type Visit } from '../http/contract/createApi.ts';
import type { Seen } from '../http/contract/exchange.ts';
import { readDocument } from '../http/contract/readDocument.ts';
import { createOps } from '../http/ops/createOps.ts';
import { createMetrics, type Metrics } from '../http/ops/metrics.ts';
import { observeDatabase } from '../http/ops/observeDatabase.ts';
import { authorize as authorizeWeb3 } from '../http/web3/authorize.ts';
import { web3Operations } from '../http/web3/operations.ts';
import { keepOverviewWarm } from '../overview/keepOverviewWarm.ts';
import { openOverview } from '../overview/openOverview.ts';
import { openHistory } from '../payments/read/openHistory.ts';
import { openSends } from '../payments/sends/openSends.ts';
import { openUserPayments } from '../payments/users/openUserPayments.ts';
import { openRates } from './config/chains.ts';
import type { Config } from './config/config.ts';
import { expiryOf, type TlsFiles } from './config/tlsFiles.ts';
import { prepare } from './prepare.ts';
import { NOT_READY, readReadiness } from './readReadiness.ts';
import type { Running } from './runProcess.ts';
import { type TlsWatch, watchTls, withoutClients } from './watchTls.ts';

const WARMTH = { balancesEveryMs: 1_000, ratesEveryMs: 10_000 };

interface RunningServer extends Running {
  readonly facts: { readonly web3_url: string; readonly backend_url: string; readonly ops_url: string };
  reload(): void;
}

/** `prepared` resolves when the database is ready; until then calls are answered with 503. */
export async function startServer(config: Config, log: Logger): Promise<RunningServer> {
  const metrics = createMetrics();
  const tls = config.tls && openTls(config.tls, metrics, log);
  const signer = remoteSigner(config.signer);
  const db = openDatabase(config.databaseUrl, { maxConnections: config.databaseConnections });
  const chains = config.chains.map(viemChain);
  const rates = openRates(config.prices, chains, config.homeBlockchain);
  const overviews = openOverview({ databaseUrl: config.databaseUrl, chains });
  const callers = openCallers(config.databaseUrl);
  const sends = openSends({ db, sendRules: config.sendRules });
  const app: BackendApp = {
    db,
    signer,
    mode: config.mode,
    callers,
    requiresKeys: config.requiresIdempotencyKeys,
    // The sandbox hands out the same ID token again and again.
    spendsIdTokens: config.mode === 'production',
    idTokens: idTokens(config.issuers),
    sessions: config.sessions,
    usernames: { cooldownDays: config.usernameCooldownDays },
    homeBlockchain: config.homeBlockchain,
    kyc: config.sumsub && sumsubKyc(config.sumsub),
    warn: (error, about) => log.warn({ err: error }, about),
    userPayments: openUserPayments({
      databaseUrl: config.databaseUrl,
      db,
      homeBlockchain: config.homeBlockchain,
      sessions: callers.sessions,
    }),
    history: openHistory({ databaseUrl: config.databaseUrl, db, sessions: callers.sessions }),
    overviews,
    destinations: openDestinations(chains),
    sends,
    sendRules: config.sendRules,
  };

  const serviceCallers = openServiceCallers(db);

  let isPrepared = false;
  const afterPreparing =
    (authorize: Authorize): Authorize =>
    (call) => {
      if (!isPrepared) throw new PayError('service.unavailable', { dependency: 'database' });
      return authorize(call);
    };
  const rateLane = openLane(config.databaseUrl, { applicationName: 'florin-limits' });
  const limits = createCallLimits(createRateLimits(rateLane), config.rates);
  const frontier = {
    browsers: config.browsers,
    proxies: config.proxies,
    connections: config.connections,
    admit: (visit: Visit) => (isPrepared ? limits.admit(visit) : undefined),
    behindTls: config.mode === 'production',
    observe: (seen: Seen) => {
      metrics.observeRequest(seen);
      if (seen.caller !== undefined) log.info(renderCall(seen), 'call');
    },
    logger: log,
  };
  const web3 = createApi({
    ...frontier,
    tls,
    name: 'web3',
    describeCaller: (caller) => (caller === undefined ? undefined : `key:${(caller as ServiceCaller).keyId}`),
    document: readDocument('web3'),
    operations: web3Operations({
      db,
      chains,
      overviews,
      requiresKeys: app.requiresKeys,
      sends,
    }),
    items: 'full',
    authorize: afterPreparing(
      limits.around((call: Arrival) => authorizeWeb3({ mode: config.mode, serviceCallers }, call)),
    ),
  });
  const backend = createApi({
    ...frontier,
    tls: tls && withoutClients(tls),
    name: 'backend',
    document: readDocument('backend'),
    operations: backendOperations(app),
    items: 'brief',
    authorize: afterPreparing(limits.around((call: Arrival) => authorizeBackend(app, call))),
  });
  const ops = createOps({
    hosts: [config.opsHost, ...config.opsHosts],
    registry: metrics.registry,
    readiness: async () => {
      const found = isPrepared ? await readReadiness(db, signer) : NOT_READY;
      metrics.setReady('database', found.checks.database === 'ok');
      metrics.setReady('signer', found.degraded.length === 0);
      return found;
    },
  });
  observeDatabase(metrics.registry, db);

  const giveUp = new AbortController();
  let warming: Promise<void> | undefined;
  async function stop(): Promise<void> {
    giveUp.abort();
    tls?.stop();
    await Promise.all([web3.close(), backend.close(), new Promise((done) => ops.close(done))]);
    await warming;
    await Promise.all([
      app.userPayments.close(),
      app.history.close(),
      sends.close(),
      app.callers.close(),
      overviews.close(),
      rateLane.close(),
    ]);
    signer.close();
    await db.close();
  }
  try {
    const facts = {
      web3_url: await listen(web3, config.host, config.web3Port, config.tls !== undefined),
      backend_url: await listen(backend, config.host, config.backendPort, config.tls !== undefined),
      ops_url: await listenOps(ops, config.opsHost, config.opsPort),
    };
    const prepared = prepare({ config, db, log, role: 'server' }, giveUp.signal).then(() => {
      isPrepared = true;
      warming = keepOverviewWarm(
        { db, chains, rates },
        {
          ...WARMTH,
          signal: giveUp.signal,
          onFault: (what, error) => log.warn({ err: error, what }, 'the overview grows stale'),
        },
      );
    });
    return { facts, prepared, reload: () => tls?.reload(), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** One line per call of a service key, so that what it did can be found by its id. */
const renderCall = ({ requestId, caller, method, route, status, code, ms }: Seen) => ({
  request_id: requestId,
  caller,
  method,
  route,
  status,
  ...(code && { code }),
  ms: Math.round(ms),
});

async function listen(api: FastifyInstance, host: string, port: number, isTls: boolean): Promise<string> {
  const url = await api.listen({ host, port });
  // Fastify does not know that the server we gave it speaks TLS.
  return isTls ? url.replace(/^http:/, 'https:') : url;
}

function openTls(files: TlsFiles, metrics: Metrics, log: Logger): TlsWatch {
  const watch = watchTls(files, {
    onRenewed(next) {
      metrics.setCertificateExpiry(expiryOf(next));
      log.info('the TLS certificates were renewed');
    },
    onFault: (faults) => log.error({ faults }, 'the TLS files have changed and cannot be used; the old ones stay'),
  });
  metrics.setCertificateExpiry(expiryOf(watch.current));
  return watch;
}

const listenOps = (server: Server, host: string, port: number): Promise<string> =>
  new Promise((done, fail) => {
    server.once('error', fail);
    server.listen(port, host, () => {
      const { port: taken } = server.address() as AddressInfo;
      done(`http://${host.includes(':') ? `[${host}]` : host}:${taken}`);
    });
  });
