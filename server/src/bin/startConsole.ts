import type { IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { codeFlow } from '../adapters/identity/codeFlow.ts';
import { idTokens } from '../adapters/identity/idTokens.ts';
import { PayError } from '../core/errors.ts';
import { type Db, openDatabase } from '../db/database.ts';
import { openConsoleLogin } from '../http/console/consoleLogin.ts';
import { createConsoleSite } from '../http/console/createConsoleSite.ts';
import { openSessions } from '../http/console/openSessions.ts';
import { createApi } from '../http/contract/createApi.ts';
import type { Seen } from '../http/contract/exchange.ts';
import { createMetrics } from '../http/ops/metrics.ts';
import { openOps } from '../http/ops/openOps.ts';
import { openRequestLines } from '../http/ops/openRequestLines.ts';
import { probeOutside } from '../http/ops/probes.ts';
import type { Probe } from '../http/ops/readiness.ts';
import { chooseCookies } from '../http/wallet/cookies.ts';
import { readFiles } from '../http/wallet/readFiles.ts';
import type { ConsoleConfig } from './config/console/consoleConfig.ts';
import { explainFault } from './console/explainFault.ts';
import { READINGS } from './console/readings.ts';
import { findOutput } from './logger.ts';
import { EXPLORERS } from './openWallet.ts';
import { prepareConsole } from './prepare.ts';
import type { Running } from './runProcess.ts';
import { watchTls, withoutClients } from './watchTls.ts';

/** Where `npm run build` and the sandbox put the built console. */
const BUILT_CONSOLE = fileURLToPath(new URL('../../../web/console/dist/', import.meta.url));
const CONNECTIONS = 3;
/** Of one operator: a page sends several requests at once. */
const OPERATORS_CONNECTIONS = 3;
const STATEMENT_TIMEOUT_MS = 20_000;
const LOOK_EVERY_MS = 15_000;
const CONNECTION_LIMITS = { all: 500, address: 100 };

/** `prepared` resolves when the database fits; until then, the console answers 503. */
export async function startConsole(config: ConsoleConfig, log: Logger): Promise<Running> {
  const { mode, url, sandbox } = config;
  const rules = { idleSeconds: config.idleSeconds, longestSeconds: config.sessionSeconds };
  const originOf = (request: IncomingMessage): string => url ?? `http://${request.headers.host}`;
  const db = openDatabase(config.databaseUrl, { maxConnections: CONNECTIONS, applicationName: 'florin-console' });
  const sessions = openSessions(rules);
  const tokens = idTokens(config.issuers);
  const operators = sandbox?.operators ?? [];
  const metrics = createMetrics();
  const output = findOutput(log);
  const writeLine = log.isLevelEnabled('info') ? openRequestLines(output) : undefined;
  const tls =
    config.tls &&
    watchTls(config.tls, {
      onRenewed: () => log.info('the TLS certificates were renewed'),
      onFault: (faults) =>
        log.error({ faults }, 'the TLS files have changed and cannot be used; the old ones stay in use'),
    });
  let isPrepared = false;
  const login = openConsoleLogin({
    db,
    idTokens: tokens,
    flow: codeFlow(config.login),
    cookies: chooseCookies(url?.startsWith('https:') ?? false, 'florin-console'),
    sessions,
    rules,
    originOf,
    connect: (operator, password) =>
      openDatabase(asOperator(config.databaseUrl, operator, password), {
        maxConnections: OPERATORS_CONNECTIONS,
        applicationName: 'florin-console-operator',
        statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      }),
    findPassword: (operator) => operators.find(({ name }) => name === operator)?.password,
    findHint: (operator) => operators.find(({ name }) => name === operator)?.email,
  });
  const site = createConsoleSite({
    facts: {
      name: config.brand.name ?? 'Florin',
      home_blockchain: config.homeBlockchain,
      explorers: config.brand.explorers ?? (mode === 'sandbox' ? {} : EXPLORERS),
      wallet_url: config.walletUrl ?? null,
      idle_seconds: config.idleSeconds,
      session_seconds: config.sessionSeconds,
      sandbox: sandbox ? { operators: operators.map(({ name, role }) => ({ name, role })) } : null,
    },
    login,
    readings: READINGS,
    originOf,
    explain: explainFault,
    beReady() {
      if (!isPrepared) throw new PayError('service.unavailable', { dependency: 'database' });
    },
    files: readFiles(BUILT_CONSOLE),
  });
  const api = createApi({
    name: 'console',
    document: NO_OPERATIONS,
    operations: {},
    partial: true,
    items: 'brief',
    authorize: () => undefined,
    site,
    browsers: { hosts: url ? [new URL(url).hostname] : SANDBOX_HOSTS, origins: url ? [url] : [], loopback: false },
    proxies: config.proxies,
    connections: CONNECTION_LIMITS,
    tls: tls && withoutClients(tls),
    behindTls: mode === 'production',
    observe(seen: Seen) {
      metrics.observeRequest(seen);
      writeLine?.(seen);
    },
    logger: log,
  });
  const ops = openOps({
    process: 'console',
    place: config.ops,
    metrics,
    log,
    isPrepared: () => isPrepared,
    probes: () => [probeRoster(db), probeOutside(tokens.names, LOOK_EVERY_MS, tokens.probe)],
  });
  metrics.showLostLines(() => output.lost?.() ?? 0);
  const giveUp = new AbortController();
  async function stop(): Promise<void> {
    giveUp.abort();
    tls?.stop();
    await Promise.all([api.close(), ops.close()]);
    await Promise.all([sessions.close(), db.close()]);
  }
  try {
    const facts = {
      console_url: await api.listen({ host: config.host, port: config.port }),
      ops_url: await ops.listen('elsewhere'),
    };
    const prepared = prepareConsole({ config, db, log }, giveUp.signal).then(() => {
      isPrepared = true;
    });
    return { facts, prepared, reload: () => tls?.reload(), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What a login needs. */
const probeRoster = (db: Db): Probe => ({
  names: ['database'],
  isVital: true,
  async run() {
    await db.query('SELECT FROM operator_identities LIMIT 1');
    return [{ name: 'database', status: 'ok' }];
  },
});

/** The names under which the sandbox's console is opened. The first has cookies of its own in every browser. */
const SANDBOX_HOSTS = ['console.localhost', 'localhost', '127.0.0.1'];

/** The console has no published API: its page is its only client. */
const NO_OPERATIONS = { openapi: '3.1.0', info: { title: 'Florin console', version: '0' }, paths: {} };

/** The console's database, with another login. */
function asOperator(databaseUrl: string, operator: string, password: string): string {
  const found = /^(\w+:\/\/)(?:[^@/]*@)?(.*)$/.exec(databaseUrl)!;
  const rest = found[2]!.replace(/([?&])(?:user|password)=[^&]*&?/g, '$1');
  return `${found[1]}${encodeURIComponent(operator)}:${encodeURIComponent(password)}@${rest}`;
}
