/**
 * The server, the worker and the signer of one service, until they die. The server is real and has real sockets. The
 * worker's jobs run one at a time, on demand.
 */
import { viemChain } from '../../../../server/src/adapters/chain/viemChain.ts';
import { readConfig } from '../../../../server/src/bin/config/config.ts';
import { createLogger } from '../../../../server/src/bin/logger.ts';
import { startServer } from '../../../../server/src/bin/startServer.ts';
import type { Usdc } from '../../../../server/src/core/money.ts';
import type { Keyring } from '../../../../server/src/core/ports.ts';
import type { ProviderSender } from '../../../../server/src/core/providers.ts';
import { registerRelayers, watchGas } from '../../../../server/src/custody/eip3009/relayers.ts';
import { type Network, openNetwork } from '../../../../server/src/custody/network.ts';
import { openSigner } from '../../../../server/src/custody/signing/openSigner.ts';
import { type Db, openDatabase } from '../../../../server/src/db/database.ts';
import { keepSendRules } from '../../../../server/src/payments/sends/keepSendRules.ts';
import type { SendRules } from '../../../../server/src/payments/sends/sendCommand.ts';
import { createMortal, type When } from '../../chain/crash.ts';
import { PLACE } from '../../chain/serveTestChain.ts';
import { PATIENT, type TestDatabase } from '../../database.ts';
import { type Answer, readAnswer } from '../../http/answer.ts';
import { fetchChecked } from '../../http/fetchChecked.ts';
import { HOME, SIGNER_TOKENS } from '../../values.ts';
import type { WorkerApp } from './jobs.ts';
import { openCrashGate } from './openCrashGate.ts';
import type { Places } from './openPlaces.ts';
import type { WorldStage } from './openStage.ts';
import { RAILS } from './rails.ts';
import { type Setting, VALIDITY_SECONDS } from './setting.ts';

const SETTINGS = {
  startBlock: 0n,
  validitySeconds: VALIDITY_SECONDS,
  rebroadcastAfterMs: 0,
  // Longer than any seed takes, so that only the passing of time as a step makes attempts old.
  bumpAfterMs: 1_800_000,
  stuckAfterMs: 3_600_000,
  missingAfterMs: 0,
  askProviderMs: 0,
};

interface Given {
  readonly stage: WorldStage;
  readonly places: Places;
  readonly setting: Setting;
  readonly database: TestDatabase;
  readonly seed: Keyring;
  /** Who makes the wallets of people now. */
  readonly holder: 'local' | 'circle' | 'circle_send';
  readonly signerUrl: string;
  /** The network as an earlier worker opened it, because a node may be unavailable now. */
  readonly known?: Network | undefined;
}

/** The real server with its real sockets, behind a gate at which it can die. */
async function openServer({ stage, places, database, signerUrl }: Given, sendRules: SendRules) {
  const gate = await openCrashGate(database.urlOf('server'));
  const config = readConfig({
    FLORIN_MODE: 'sandbox',
    FLORIN_WEB3_PORT: '0',
    FLORIN_BACKEND_PORT: '0',
    FLORIN_OPS_PORT: '0',
    DATABASE_URL: gate.url,
    ...(stage.standby && { FLORIN_DATABASE_READ_URL: stage.standby.urlOf(database.urlOf('server')) }),
    FLORIN_OIDC_ISSUERS: JSON.stringify([
      { issuer: stage.issuer.issuerUrl, audience: 'florin-wallet', identity: 'florin-sandbox' },
    ]),
    ...stage.sumsub.env,
    FLORIN_SIGNER_URL: signerUrl,
    FLORIN_SIGNER_TOKEN: SIGNER_TOKENS.server,
    FLORIN_USERNAME_COOLDOWN_DAYS: '0',
    FLORIN_CHAINS: JSON.stringify([
      { blockchain: HOME, chain_id: PLACE.chainId, usdc_address: PLACE.usdc, rpc_urls: places.config.rpcUrls },
    ]),
  });
  const server = await startServer({ ...config, sendRules }, createLogger('silent'));
  await server.prepared;
  const call = async (
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<Answer> => {
    const base = /^\/(api|webhooks)\//.test(path) ? server.facts.backend_url : server.facts.web3_url;
    const response = await fetchChecked(base + path, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    return readAnswer(response);
  };
  return {
    gate,
    call,
    /** Since it started. */
    async countStandbyReads(): Promise<number> {
      const metrics = await (await fetch(`${server.facts.ops_url}/metrics`)).text();
      return Number(/^florin_reads_total\{place="standby".*\} (\d+)$/m.exec(metrics)?.[1] ?? 0);
    },
    /** Does not wait for the server: after a crash it cannot reach PostgreSQL and takes long to stop. */
    async close(): Promise<void> {
      await gate.close();
      void server.stop().catch(() => {});
    },
  };
}

export type Processes = Awaited<ReturnType<typeof openProcesses>>;

export async function openProcesses(given: Given) {
  const { places, setting, database, seed, holder, known } = given;
  const sendRules = { approvalThreshold: setting.approvalThreshold as Usdc | undefined, newRecipientDelaySeconds: 0 };
  let server = await openServer(given, sendRules);
  let standbyReads = 0;
  const db = openDatabase(database.urlOf('worker'), { ...PATIENT, maxConnections: 4 });
  const signersDb = openDatabase(database.urlOf('signer'), { ...PATIENT, maxConnections: 4 });
  // A worker that dies takes its signer along, and both act through one connection here.
  const mortalDb = openDatabase(database.url, { ...PATIENT, maxConnections: 4 });
  const chain = viemChain(places.config);
  await keepSendRules(db, sendRules, true);

  const open = (ports: { db: Db; keys?: Keyring; wrapSender?: (one: ProviderSender) => ProviderSender }) =>
    openSigner({
      db: ports.db,
      keyrings: { local: ports.keys ?? seed, ...(places.circle && { circle: places.circle }) },
      providers: [
        holder === 'circle'
          ? { ...places.circle!, provider: 'circle' }
          : holder === 'circle_send'
            ? { ...places.sending!.accounts, provider: 'circle_send' }
            : { ...seed, provider: 'local' },
      ],
      others: { ...(places.sending && { circle_send: places.sending.accounts }) },
      senders: places.sending ? { circle_send: (ports.wrapSender ?? ((one) => one))(places.sending.sender) } : {},
      networks: [{ ...chain, maxFeePerGasWei: 500_000_000_000n }],
      limits: { payment: undefined, day: undefined },
    });
  const signer = open({ db: signersDb });
  const network = known ? { ...known, chain } : await openNetwork(db, chain, SETTINGS);
  const app: WorkerApp = { db, signer, rails: RAILS, network, sendRules };
  if (!known) {
    await registerRelayers(app, network);
    await watchGas(app, network);
  }

  return {
    get gate() {
      return server.gate;
    },
    call: (...asked: Parameters<typeof server.call>) => server.call(...asked),
    countStandbyReads: async () => standbyReads + (await server.countStandbyReads()),
    app,
    signer,
    /** A worker and a signer that die when `when` says so. */
    mortal(when: When): { app: WorkerApp; readonly died: string | undefined } {
      const mortal = createMortal({ db: mortalDb, chain, wallets: seed, openSigner: open }, when);
      return {
        app: { ...app, db: mortal.db, signer: mortal.signer, network: { ...network, chain: mortal.chain } },
        get died() {
          return mortal.died;
        },
      };
    },
    /** After a crash of the server alone. */
    async restartServer(): Promise<void> {
      standbyReads += await server.countStandbyReads();
      await server.close();
      server = await openServer(given, sendRules);
    },
    async close() {
      await Promise.all([db.close(), signersDb.close(), mortalDb.close()]);
      await server.close();
    },
  };
}
