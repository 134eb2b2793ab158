/**
 * The server, the worker and the signer of one service, until they die. The server is the real one with its real sockets; the
 * jobs of the worker run one at a time when they are asked to.
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
import type { Setting } from './setting.ts';

const SETTINGS = {
  startBlock: 0n,
  rebroadcastAfterMs: 0,
  bumpAfterMs: 60_000,
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
  readonly signerUrl: string;
  /** As an earlier worker has found it: a node may be away now. */
  readonly known?: Network | undefined;
}

export type Processes = Awaited<ReturnType<typeof openProcesses>>;

export async function openProcesses({ stage, places, setting, database, seed, signerUrl, known }: Given) {
  const gate = await openCrashGate(database.urlOf('server'));
  const sendRules = { approvalThreshold: setting.approvalThreshold as Usdc | undefined, newRecipientDelaySeconds: 0 };
  const config = readConfig({
    FLORIN_MODE: 'sandbox',
    FLORIN_WEB3_PORT: '0',
    FLORIN_BACKEND_PORT: '0',
    FLORIN_OPS_PORT: '0',
    DATABASE_URL: gate.url,
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
        places.circle
          ? { ...places.circle, provider: 'circle' }
          : places.sending
            ? { ...places.sending.accounts, provider: 'circle_send' }
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
    app,
    signer,
    /** A worker and a signer that die as `when` says. */
    mortal(when: When): { app: WorkerApp; readonly died: string | undefined } {
      const mortal = createMortal({ db: mortalDb, chain, wallets: seed, openSigner: open }, when);
      return {
        app: { ...app, db: mortal.db, signer: mortal.signer, network: { ...network, chain: mortal.chain } },
        get died() {
          return mortal.died;
        },
      };
    },
    /** Does not wait for the server: after a crash it cannot reach PostgreSQL and takes long to stop. */
    async close() {
      await Promise.all([db.close(), signersDb.close(), mortalDb.close()]);
      await gate.close();
      void server.stop().catch(() => {});
    },
  };
}
