/** The service of one seed: its own database, chain, nodes and Circle, and processes that can die and start again. */
import { join } from 'node:path';
import pg from 'pg';
import { localWallets } from '../../../../server/src/adapters/wallets/local/localWallets.ts';
import type { WalletMaker } from '../../../../server/src/core/providers.ts';
import type { Network } from '../../../../server/src/custody/network.ts';
import { prepareServiceWallets } from '../../../../server/src/customers/wallets/serviceWallets.ts';
import { type Db, openDatabase } from '../../../../server/src/db/database.ts';
import { serveSigner } from '../../../../server/src/http/signer/serveSigner.ts';
import { createTestDatabase, PATIENT } from '../../database.ts';
import { nameOperators } from '../../operators.ts';
import { HOME, SIGNER_TOKENS } from '../../values.ts';
import { openNames } from './openNames.ts';
import { openPlaces } from './openPlaces.ts';
import { openProcesses, type Processes } from './openProcesses.ts';
import type { WorldStage } from './openStage.ts';
import type { Setting } from './setting.ts';

const OPERATORS = ['anna', 'rita', 'rolf', 'ada'] as const;
export type OperatorName = (typeof OPERATORS)[number];

/** A fixed seed, so that addresses are the same in every run. */
const SEED = Buffer.alloc(64, 42);

/** The limits of approved people. Rejected people may not pay at all. */
const LIMITS = `
  UPDATE kyc_tiers SET tier = CASE kyc_status WHEN 'rejected' THEN 30 ELSE 20 END;
  UPDATE tiers SET payment_limit = 60000000, day_limit = 250000000, month_limit = NULL, day_payments = 40 WHERE tier = 20;
  UPDATE tiers SET payment_limit = 0 WHERE tier = 30;
  UPDATE send_rules SET has_open_treasury = false`;

export type World = Awaited<ReturnType<typeof openWorld>>;

let worlds = 0;

export async function openWorld(stage: WorldStage, setting: Setting) {
  const [database, places] = await Promise.all([createTestDatabase(), openPlaces(setting)]);
  const owner = new pg.Client({ connectionString: database.adminUrl });
  owner.on('error', () => {});
  await owner.connect();
  // The large statements of observers: planning them takes longer than running them.
  await owner.query('SET plan_cache_mode = force_generic_plan');
  const db = openDatabase(database.url, { ...PATIENT, maxConnections: 2 });
  const seed = localWallets(SEED);
  const provider = places.circle ? 'circle' : places.sending ? 'circle_send' : 'local';
  const maker = places.circle ?? places.sending?.accounts ?? seed;
  await owner.query('SELECT ledger_open_asset($1)', [HOME]);
  const accounts = places.double ? { circle: places.double.walletSetId, circle_send: places.double.walletSetId } : {};
  // With an unknown reference, no existing wallet is found, and the treasury's wallet is created.
  const home = { referenceOf: () => 'unknown', ...(maker as Partial<typeof seed>), provider } as unknown as WalletMaker;
  await prepareServiceWallets(db, seed, { provider, networks: {}, from: undefined, accounts, makers: [home] });
  await owner.query(`${LIMITS}; UPDATE networks SET wallet_provider = '${provider}'`);
  for (const kind of ['chain', 'treasury', 'fees', 'loss'])
    await owner.query('SELECT ledger_open_house_account(1::smallint, $1)', [kind]);
  await nameOperators(database.url, { anna: 'admin', rita: 'risk', rolf: 'risk', ada: 'admin' });
  const relayer = await seed.create({ kind: 'relayer', number: 0 });
  await places.turn('/faucet', { address: relayer.address, eth: '100' });
  await places.mine();

  const socket = join(stage.folder, `signer${worlds++}.sock`);
  let processes: Processes;
  let holder: typeof provider = provider;
  const signer = new Proxy({} as Processes['signer'], { get: (_, name) => Reflect.get(processes.signer, name) });
  const tokens = [{ caller: 'server', token: SIGNER_TOKENS.server }] as const;
  const served = serveSigner({ signer, tokens, onFault: () => {} });
  await new Promise<void>((done) => served.listen({ path: socket }, done));
  const open = (known?: Network) =>
    openProcesses({ stage, places, setting, database, seed, holder, signerUrl: `unix:${socket}`, known });
  await stage.standby?.catchUp();
  processes = await open();
  const operators = Object.fromEntries(
    OPERATORS.map((name) => [name, openDatabase(database.urlOf(name), { ...PATIENT, maxConnections: 2 })]),
  ) as Record<OperatorName, Db>;

  return {
    stage,
    setting,
    places,
    database,
    /** A connection with all rights. */
    owner,
    /** A connection that reads with the rights of all processes. */
    db,
    operators,
    relayer,
    names: openNames(),
    get processes() {
      return processes;
    },
    /** Workers wait a second and more before they try again, which would make their work depend on the clock. */
    async endBackoffs(): Promise<void> {
      await owner.query(`UPDATE authorizations SET carry_after = now() WHERE carry_after > now()`);
    },
    /** A wallet whose coins could not be moved is left alone for a minute and more, longer than a seed takes. */
    async endRefusals(): Promise<void> {
      await owner.query(`UPDATE holdings SET refused_until = now() WHERE refused_until > now()`);
    },
    /** All processes, as after a restore. */
    async reopen(): Promise<void> {
      const { network } = processes.app;
      await processes.close();
      processes = await open(network);
    },
    /** From Circle to own keys, or back: operators change the setting and restart all processes. */
    async moveWallets(): Promise<void> {
      const from = holder;
      holder = from === 'local' ? provider : 'local';
      const makers = [holder === 'local' ? { ...seed, provider: holder } : home];
      await prepareServiceWallets(db, seed, { provider: holder, networks: {}, from, accounts, makers });
      await this.reopen();
    },
    async close(): Promise<void> {
      await processes.close();
      await Promise.all([db, ...Object.values(operators)].map((one) => one.close()));
      await owner.end();
      await new Promise<void>((done) => {
        served.close(() => done());
        served.closeAllConnections();
      });
      await places.close();
      await database.drop();
    },
  };
}
