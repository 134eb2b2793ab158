import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { PayError } from '../core/errors.ts';
import type { Keyring } from '../core/ports.ts';
import { prepareServiceWallets } from '../customers/wallets/serviceWallets.ts';
import { findMigrationFaults, findRoleFaults } from '../db/checkDatabase.ts';
import { type Db, isOutage } from '../db/database.ts';
import { openRetries } from '../http/ops/openRetries.ts';
import { openAsset, rebase, setHomeAsset } from '../ledger/accounts.ts';
import { checkIdentity } from '../operators/restores.ts';
import { type Config, SANDBOX_IDENTITY } from './config/config.ts';

const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5_000;

const RESTORED =
  'this database is a copy: sessions and service keys from before wait for an operator (docs/operating/restore.md)';

interface Process {
  readonly config: Pick<Config, 'mode'>;
  readonly db: Db;
  readonly log: Logger;
  readonly role: 'server' | 'worker' | 'signer';
}

/** A server or a worker. */
export function prepare(
  app: Process & { readonly config: Pick<Config, 'homeBlockchain'> },
  signal: AbortSignal,
): Promise<void> {
  return untilReady(app, signal, async () => {
    await rebase(app.db);
    await setHomeAsset(app.db, await openAsset(app.db, app.config.homeBlockchain));
  });
}

/** The signer: seed and database belong together. */
export const prepareSigner = (app: Process & { readonly keys: Keyring }, signal: AbortSignal): Promise<void> =>
  untilReady(app, signal, async () => {
    await prepareServiceWallets(app);
  });

/**
 * What must be true before the first request is served: the database is migrated for this build, the login has the
 * rights of this process and no others, there is no sandbox data in production; then what this process needs beside that.
 * A database that is down is waited for; any other fault ends the process, because serving would make it worse.
 */
async function untilReady(app: Process, signal: AbortSignal, begin: () => Promise<void>): Promise<void> {
  const retries = openRetries(app.log);
  for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)) {
    try {
      await refuseUnfit(app);
      await refuseOtherModesData(app.db, app.config.mode);
      if (await checkIdentity(app.db)) app.log.warn(RESTORED);
      await begin();
      retries.worked('prepare');
      return;
    } catch (error) {
      if (!isWaitable(error)) throw error;
      retries.failed('prepare', error, 'the database does not answer; trying again');
      await sleep(retryMs, undefined, { signal });
    }
  }
}

const isWaitable = (error: unknown): boolean =>
  isOutage(error) ||
  (error instanceof PayError && error.code === 'service.unavailable') ||
  (error instanceof Error && error.cause !== undefined && isOutage(error.cause));

/** Only in the sandbox may a process use the owner's login. No process migrates the database itself. */
async function refuseUnfit({ config, db, role }: Process): Promise<void> {
  const faults = await findMigrationFaults(db);
  if (faults.length === 0 && config.mode === 'production') faults.push(...(await findRoleFaults(db, role)));
  if (faults.length === 0) return;
  throw new Error(`The database cannot be used as it is:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
}

/** A sandbox would let anyone on this machine pay from real accounts; production would trust the sandbox's people. */
async function refuseOtherModesData(db: Db, mode: Config['mode']): Promise<void> {
  const [invented] = await db.query('SELECT 1 FROM users WHERE issuer = $1 LIMIT 1', [SANDBOX_IDENTITY]);
  const [real] = await db.query('SELECT 1 FROM users WHERE issuer <> $1 LIMIT 1', [SANDBOX_IDENTITY]);
  if (mode === 'production' && invented) {
    throw new Error('this database holds people of a sandbox; production needs one of its own');
  }
  if (mode === 'sandbox' && real) {
    throw new Error('this database holds people of a production server; the sandbox needs one of its own');
  }
}
