import type { Logger } from 'pino';
import { unreadChain } from '../adapters/chain/unreadChain.ts';
import { viemChain } from '../adapters/chain/viemChain.ts';
import { idTokens } from '../adapters/identity/idTokens.ts';
import { checkSumsub, sumsubKyc } from '../adapters/kyc/sumsubKyc.ts';
import { exportSpans } from '../adapters/otlp/exportSpans.ts';
import { remoteSigner } from '../adapters/signer/remoteSigner.ts';
import { PayError } from '../core/errors.ts';
import { openServiceCallers, type ServiceCaller } from '../customers/keys/serviceKeys.ts';
import { createRateLimits } from '../customers/limits/createRateLimits.ts';
import { openCallers } from '../customers/sessions/openCallers.ts';
import { PATIENCE_MS } from '../db/createBatcher.ts';
import { openDatabase } from '../db/database.ts';
import { openDedicatedConnection } from '../db/openDedicatedConnection.ts';
import { openReads, readOn } from '../db/standbys/openReads.ts';
import { openFollower } from '../events/openFollower.ts';
import { openPaymentWaits } from '../events/openPaymentWaits.ts';
import { authorize as authorizeBackend, authorizePerson } from '../http/backend/authorize.ts';
import { type BackendApp, backendOperations } from '../http/backend/operations.ts';
import { createCallLimits } from '../http/calls/createCallLimits.ts';
import { limitHeldAnswers } from '../http/connections/limitHeldAnswers.ts';
import { createApi } from '../http/contract/createApi.ts';
import type { Seen } from '../http/contract/exchange.ts';
import type { Authorize, IncomingCall, Visit } from '../http/contract/operation.ts';
import { readDocument } from '../http/contract/readDocument.ts';
import { CURRENCY } from '../http/currency.ts';
import { createMetrics, type Metrics } from '../http/ops/metrics.ts';
import { observeDatabase } from '../http/ops/observeDatabase.ts';
import { openCalls } from '../http/ops/openCalls.ts';
import { openOps } from '../http/ops/openOps.ts';
import { openRequestLines } from '../http/ops/openRequestLines.ts';
import { openRetries } from '../http/ops/openRetries.ts';
import { openTraces } from '../http/ops/openTraces.ts';
import {
  probeDatabase,
  probeNetworks,
  probeOutside,
  probeRelayers,
  probeSigner,
  probeStandbys,
  probeWorkers,
} from '../http/ops/probes.ts';
import { readExamples } from '../http/reference/readExamples.ts';
import { authorize as authorizeWeb3 } from '../http/web3/authorize.ts';
import { web3Operations } from '../http/web3/operations.ts';
import { keepOverviewWarm } from '../overview/keepOverviewWarm.ts';
import { openOverview } from '../overview/openOverview.ts';
import { openDestinations } from '../payments/destinations/openDestinations.ts';
import { openHistory } from '../payments/read/openHistory.ts';
import { openSends } from '../payments/sends/openSends.ts';
import { openUserPayments } from '../payments/users/openUserPayments.ts';
import { openRates } from './config/chains.ts';
import type { Config } from './config/config.ts';
import { expiryOf, type TlsFiles } from './config/tlsFiles.ts';
import { findOutput, scrub } from './logger.ts';
import { choosePasskeySite, choosePeoplesOperations, openWallet } from './openWallet.ts';
import { prepare } from './prepare.ts';
import type { Running } from './runProcess.ts';
import { type TlsWatch, watchTls, withoutClients } from './watchTls.ts';

const WARMTH = { balancesEveryMs: 1_000, ratesEveryMs: 10_000 };

interface RunningServer extends Running {
  readonly facts: {
    readonly web3_url: string;
    readonly backend_url: string;
    readonly wallet_url?: string;
    readonly ops_url: string;
  };
  reload(): void;
}

/** `prepared` resolves when the database is ready; until then, calls are answered with 503. */
export async function startServer(config: Config, log: Logger): Promise<RunningServer> {
  const metrics = createMetrics();
  const tls = config.tls && openTls(config.tls, metrics, log);
  const signer = remoteSigner(config.signer);
  const output = findOutput(log);
  const retries = openRetries(log);
  const tokens = idTokens(config.issuers);
  const db = openDatabase(config.databaseUrl, {
    maxConnections: config.databaseConnections,
    patienceMs: PATIENCE_MS,
    onCommitted(news) {
      metrics.countNews(news);
      for (const one of news) log.info(one, 'payment');
      traces?.payments(news);
    },
  });
  // Probes have short timeouts, and must not wait for connections that calls have taken.
  const probeDb = openDatabase(config.databaseUrl, { maxConnections: 6, applicationName: 'florin-probes' });
  const reads =
    config.databaseReadUrl === undefined
      ? undefined
      : openReads({
          databaseUrl: config.databaseUrl,
          readUrl: config.databaseReadUrl,
          db,
          maxConnections: config.databaseConnections,
          onRead: metrics.countRead,
        });
  const read = reads?.read ?? readOn(db);
  const spans = config.otlp && exportSpans({ ...config.otlp, service: 'florin-server' });
  const traces = spans && openTraces(spans, db, config.otlp!.sampling);
  const chains = config.chains.map(viemChain);
  const places = [...chains, ...config.elsewhere.map(unreadChain)];
  const rates = openRates(config.prices, chains, config.homeBlockchain);
  const overviews = openOverview({
    databaseUrl: config.databaseUrl,
    chains,
    currency: CURRENCY.symbol,
    openReadConnection: reads?.openConnection,
  });
  const callers = openCallers(config.databaseUrl);
  const serviceCallers = openServiceCallers(db);
  const follower = openFollower(db, {
    onFault: (error) => retries.failed('events', error, 'events are delayed'),
    onWork: () => retries.worked('events'),
  });
  const sends = openSends({ db, sendRules: config.sendRules });
  const rateConnection = openDedicatedConnection(config.databaseUrl, { applicationName: 'florin-limits' });
  const rateLimits = createRateLimits(rateConnection);
  const limits = createCallLimits(rateLimits, config.rates);
  const app: BackendApp = {
    db,
    read,
    signer,
    limits: rateLimits,
    names: limits.names,
    mode: config.mode,
    callers,
    serviceCallers,
    follower,
    paymentWaits: openPaymentWaits(db, follower),
    heldAnswers: limitHeldAnswers(),
    eventsKeptDays: config.retention.events,
    requiresKeys: config.requiresIdempotencyKeys,
    // The sandbox hands out the same ID token repeatedly.
    spendsIdTokens: config.mode === 'production',
    idTokens: tokens,
    sessions: config.sessions,
    usernames: { cooldownDays: config.usernameCooldownDays },
    homeBlockchain: config.homeBlockchain,
    kyc: config.sumsub && sumsubKyc(config.sumsub),
    warn: (error, about) => retries.failed(about, error, about),
    userPayments: openUserPayments({
      databaseUrl: config.databaseUrl,
      db,
      homeBlockchain: config.homeBlockchain,
      currency: CURRENCY.symbol,
      sessions: callers.sessions,
    }),
    history: openHistory({
      databaseUrl: config.databaseUrl,
      db,
      sessions: callers.sessions,
      openReadConnection: reads?.openConnection,
    }),
    overviews,
    destinations: openDestinations(places, CURRENCY.symbol),
    sends,
    sendRules: config.sendRules,
    passkeySite: config.wallet && choosePasskeySite(config.wallet),
  };

  let isPrepared = false;
  const afterPreparing =
    (authorize: Authorize): Authorize =>
    (call) => {
      if (!isPrepared) throw new PayError('service.unavailable', { dependency: 'database' });
      return authorize(call);
    };
  const writeLine = log.isLevelEnabled('info') ? openRequestLines(output) : undefined;
  const calls = config.callsFile === undefined ? undefined : openCalls(config.callsFile, scrub);
  const frontier = {
    browsers: config.browsers,
    proxies: config.proxies,
    connections: config.connections,
    admit: (visit: Visit) => (isPrepared ? limits.admit(visit) : undefined),
    behindTls: config.mode === 'production',
    observe: (seen: Seen) => {
      metrics.observeRequest(seen);
      writeLine?.(seen);
      traces?.request(seen);
    },
    keep: calls?.keep,
    reference: {
      isOpen: config.mode === 'sandbox',
      blockchains: places.map(({ blockchain }) => blockchain),
      urls: config.publicUrls,
      readExamples: () => readExamples(config.examplesFile),
    },
    logger: log,
  };
  for (const name of ['web3', 'backend'] as const) metrics.expectRoutes(name, readDocument(name).paths);
  const web3 = createApi({
    ...frontier,
    tls,
    name: 'web3',
    findKeyId: (caller) => (caller as ServiceCaller | undefined)?.keyId,
    document: readDocument('web3'),
    operations: web3Operations({
      db,
      read,
      destinations: app.destinations,
      overviews,
      requiresKeys: app.requiresKeys,
      sends,
      paymentWaits: app.paymentWaits,
      heldAnswers: app.heldAnswers,
    }),
    items: 'full',
    authorize: afterPreparing(
      limits.around((call: IncomingCall) => authorizeWeb3({ mode: config.mode, serviceCallers }, call)),
    ),
  });
  const backend = createApi({
    ...frontier,
    tls: tls && withoutClients(tls),
    name: 'backend',
    findKeyId: (caller) => (caller as Partial<ServiceCaller> | undefined)?.keyId,
    document: readDocument('backend'),
    operations: backendOperations(app),
    items: 'brief',
    authorize: afterPreparing(limits.around((call: IncomingCall) => authorizeBackend(app, call))),
  });
  const wallet =
    config.wallet &&
    createApi({
      ...frontier,
      ...openWallet(config, config.wallet, { ...app, countLogin: limits.countLogin }, () => {
        if (!isPrepared) throw new PayError('service.unavailable', { dependency: 'database' });
      }),
      tls: tls && withoutClients(tls),
      name: 'wallet',
      document: readDocument('backend'),
      operations: choosePeoplesOperations(backendOperations(app)),
      partial: true,
      items: 'brief',
      authorize: afterPreparing(limits.around((call: IncomingCall) => authorizePerson(app, call))),
    });
  const { sumsub, lookEveryMs } = config;
  const ops = openOps({
    process: 'server',
    place: { host: config.opsHost, hosts: config.opsHosts, port: config.opsPort },
    metrics,
    log,
    isPrepared: () => isPrepared,
    probes: (keep) => [
      probeDatabase(probeDb, keep),
      ...(reads ? [probeStandbys(reads)] : []),
      probeNetworks(probeDb, chains),
      probeSigner(signer, lookEveryMs),
      probeOutside(tokens.names, lookEveryMs, tokens.probe),
      ...(sumsub ? [probeOutside(['kyc'], lookEveryMs, async () => [await checkSumsub(sumsub)])] : []),
      probeWorkers(probeDb, places),
      probeRelayers(probeDb, chains),
    ],
  });
  metrics.showNodes(chains);
  metrics.showRetries(retries.counts);
  metrics.showLostLines(() => output.lost?.() ?? 0);
  observeDatabase(metrics.registry, probeDb);

  const giveUp = new AbortController();
  let warming: Promise<void> | undefined;
  async function stop(): Promise<void> {
    giveUp.abort();
    tls?.stop();
    // Ends streams and held answers, which would otherwise keep the servers open.
    await follower.close();
    await Promise.all([web3.close(), backend.close(), wallet?.close(), ops.close()]);
    await warming;
    await Promise.all([
      app.userPayments.close(),
      app.history.close(),
      sends.close(),
      app.callers.close(),
      overviews.close(),
      rateConnection.close(),
    ]);
    signer.close();
    calls?.close();
    await spans?.close();
    await Promise.all([db.close(), probeDb.close(), reads?.close()]);
  }
  try {
    const facts = {
      web3_url: await web3.listen({ host: config.host, port: config.web3Port }),
      backend_url: await backend.listen({ host: config.host, port: config.backendPort }),
      ...(wallet && {
        wallet_url: await wallet.listen({ host: config.host, port: config.wallet!.port }),
      }),
      ops_url: await ops.listen(),
    };
    const prepared = prepare({ config, db, log, role: 'server' }, giveUp.signal).then(() => {
      isPrepared = true;
      warming = keepOverviewWarm(
        { db, chains, rates },
        {
          ...WARMTH,
          signal: giveUp.signal,
          onFault: (what, error) => retries.failed(what, error, 'the overview is becoming stale'),
          onWork: (what) => retries.worked(what),
        },
      );
    });
    return { facts, prepared, reload: () => tls?.reload(), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function openTls(files: TlsFiles, metrics: Metrics, log: Logger): TlsWatch {
  const watch = watchTls(files, {
    onRenewed(next) {
      metrics.setCertificateExpiry(expiryOf(next));
      log.info('the TLS certificates were renewed');
    },
    onFault: (faults) =>
      log.error({ faults }, 'the TLS files have changed and cannot be used; the old ones stay in use'),
  });
  metrics.setCertificateExpiry(expiryOf(watch.current));
  return watch;
}
