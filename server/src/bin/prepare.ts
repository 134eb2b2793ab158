import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Keyring } from '../core/ports.ts';
import { OtherWallets, prepareServiceWallets, type WalletChoice } from '../customers/wallets/serviceWallets.ts';
import { findMigrationFaults, findRoleFaults } from '../db/checkDatabase.ts';
import type { Db } from '../db/database.ts';
import { findLosses, readDurability } from '../db/durability.ts';
import { CURRENCY } from '../http/currency.ts';
import { openRetries } from '../http/ops/openRetries.ts';
import { openAsset, rebase, setHomeAsset } from '../ledger/accounts.ts';
import { checkIdentity } from '../operators/restores.ts';
import type { Config } from './config/config.ts';
import { ConfigError } from './config/configError.ts';
import { SANDBOX_IDENTITY } from './config/faults/modeFaults.ts';
import { describeProviderFault } from './doctor/checkProviders.ts';
import { describeOutage } from './doctor/describeOutage.ts';

const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 1_000;

const RESTORED =
  'this database is a copy: sessions and service keys from before wait for an operator (docs/operating/restore.md)';

const NO_CHAINS =
  'FLORIN_CHAINS names no blockchain: people can pay each other, but no one can deposit or send to an address';

interface Process {
  readonly config: Pick<Config, 'mode' | 'databaseUrl'>;
  readonly db: Db;
  readonly log: Logger;
  readonly role: 'server' | 'worker' | 'signer';
}

/** Prepares a server or a worker. `begin`: what this process writes before its work; repeated after an outage. */
export function prepare(
  app: Process & { readonly config: Pick<Config, 'homeBlockchain' | 'chains'> },
  signal: AbortSignal,
  begin: () => Promise<void> = async () => {},
): Promise<void> {
  if (app.config.chains.length === 0) app.log.warn(NO_CHAINS);
  return untilReady(app, signal, async () => {
    await rebase(app.db);
    await setHomeAsset(app.db, await openAsset(app.db, app.config.homeBlockchain, CURRENCY.symbol));
    await begin();
  });
}

/** Prepares the signer: seed, database and any other holder of keys must belong together. */
export const prepareSigner = (
  app: Process & {
    readonly seed: Keyring;
    choose(db: Db, onMessage: (message: string) => void): Promise<WalletChoice>;
  },
  signal: AbortSignal,
): Promise<void> =>
  untilReady(app, signal, async () => {
    try {
      const choice = await app.choose(app.db, (message) => app.log.info(message));
      await prepareServiceWallets(app.db, app.seed, choice);
    } catch (error) {
      throw error instanceof OtherWallets ? new ConfigError([error.message], UNUSABLE) : error;
    }
  });

/** Prepares the operator console, whose own login reads only the roster: it checks the database and its login. */
export const prepareConsole = (
  app: { readonly config: Pick<Config, 'mode' | 'databaseUrl'>; readonly db: Db; readonly log: Logger },
  signal: AbortSignal,
): Promise<void> =>
  untilUp(app, signal, async () => {
    const faults = await findMigrationFaults(app.db);
    if (faults.length === 0 && app.config.mode === 'production')
      faults.push(...(await findRoleFaults(app.db, 'console')));
    if (faults.length > 0) throw new ConfigError(faults, UNUSABLE);
  });

/**
 * Checks the conditions for serving the first request: the database is migrated for this build, the login has exactly
 * the privileges of this process, and production has no sandbox data; then the conditions of this kind of process. It
 * waits for a database that is down, and for a provider if the signer needs it to start. Any other fault ends the
 * process with a list: serving would make it worse, and waiting does not fix a wrong password. `florin doctor` reports
 * the same and more.
 */
const untilReady = (app: Process, signal: AbortSignal, begin: () => Promise<void>): Promise<void> =>
  untilUp(app, signal, async () => {
    await refuseUnfit(app);
    if (await checkIdentity(app.db)) app.log.warn(RESTORED);
    await warnOfLosses(app);
    await begin();
  });

async function untilUp(
  app: Pick<Process, 'config' | 'log'>,
  signal: AbortSignal,
  attempt: () => Promise<void>,
): Promise<void> {
  const retries = openRetries(app.log);
  for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)) {
    try {
      await attempt();
      retries.worked('prepare');
      return;
    } catch (error) {
      const ofProvider = describeProviderFault(error);
      const outage = ofProvider ?? describeOutage(error, app.config.databaseUrl);
      if (!outage) throw error;
      const heading = ofProvider ? `${ofProvider.title} refuses this signer` : UNUSABLE;
      if (outage.isLasting) throw new ConfigError([`${outage.says}: ${outage.fix}`], heading);
      retries.failed('prepare', error, `${outage.says}; retrying`);
      await sleep(retryMs, undefined, { signal });
    }
  }
}

/** A sandbox's money is not real. */
async function warnOfLosses({ config, db, log }: Process): Promise<void> {
  if (config.mode === 'sandbox') return;
  for (const loss of findLosses(await readDurability(db))) log.warn({ incident: 'durability' }, loss);
}

const UNUSABLE = 'The database cannot be used in its current state';

/** Only in the sandbox may a process use the owner's login. No process migrates the database itself. */
async function refuseUnfit({ config, db, role }: Process): Promise<void> {
  const faults = await findMigrationFaults(db);
  if (faults.length === 0) {
    if (config.mode === 'production') faults.push(...(await findRoleFaults(db, role)));
    faults.push(...(await findOtherModesData(db, config.mode)));
  }
  if (faults.length > 0) throw new ConfigError(faults, UNUSABLE);
}

/** A sandbox would let anyone on this machine pay from real accounts; production would trust the sandbox's people. */
async function findOtherModesData(db: Db, mode: Config['mode']): Promise<string[]> {
  const [invented] = await db.query('SELECT 1 FROM users WHERE issuer = $1 LIMIT 1', [SANDBOX_IDENTITY]);
  const [real] = await db.query('SELECT 1 FROM users WHERE issuer <> $1 LIMIT 1', [SANDBOX_IDENTITY]);
  if (mode === 'production' && invented)
    return ['this database contains people of a sandbox; production needs its own database'];
  if (mode === 'sandbox' && real)
    return ['this database contains people of a production server; the sandbox needs its own database'];
  return [];
}
