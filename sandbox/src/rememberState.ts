import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findFolderFault, StartFault } from './fault.ts';
import { removePostgres } from './postgres/removePostgres.ts';
import type { WalletKeys } from './readOptions.ts';
import { writePrivateFile } from './writePrivateFile.ts';

/** The content of `secrets.json`: values that must be the same at the next start. */
interface Remembered {
  readonly walletSecret: string;
  readonly issuerPort?: number;
  readonly opsPort?: number;
  readonly kycPort?: number;
  readonly kycKeys?: KycKeys;
  readonly signerPort?: number;
  readonly signerTokens?: SignerTokens;
  readonly circlePort?: number;
  readonly faucetPort?: number;
  /** The holder of the wallets' keys. It cannot change once people have wallets. */
  readonly wallets?: WalletKeys;
}

/** The tokens with which the API and the worker call the signer. */
export interface SignerTokens {
  readonly server: string;
  readonly worker: string;
}

/** Secrets that the KYC double and the server share. */
export interface KycKeys {
  readonly appToken: string;
  readonly secretKey: string;
  readonly webhookSecret: string;
}

const SECRETS = 'secrets.json';

export const filesOf = (dataDir: string) => ({
  issuerKey: join(dataDir, 'issuer-key.json'),
  applicants: join(dataDir, 'applicants.json'),
  walletSeed: join(dataDir, 'wallet-seed.json'),
  circle: join(dataDir, 'circle.journal'),
  serverLog: join(dataDir, 'server.log'),
  serverPid: join(dataDir, 'server.pid'),
  workerLog: join(dataDir, 'worker.log'),
  workerPid: join(dataDir, 'worker.pid'),
  signerLog: join(dataDir, 'signer.log'),
  signerPid: join(dataDir, 'signer.pid'),
  consoleLog: join(dataDir, 'console.log'),
  consolePid: join(dataDir, 'console.pid'),
  examples: join(dataDir, 'examples.json'),
  /** The latest calls, for `florin call show`. */
  calls: join(dataDir, 'calls.log'),
  sandbox: join(dataDir, 'sandbox.json'),
  /** The variables with which `florin` acts as the admin of this sandbox; it searches for this file name. */
  operatorEnv: join(dataDir, 'operator.env'),
  /** The same for the other operators: `florin … --env-file FILE`. */
  riskEnv: join(dataDir, 'operator-risk.env'),
  supportEnv: join(dataDir, 'operator-support.env'),
});

export function readRemembered(dataDir: string): Remembered {
  try {
    return JSON.parse(readFileSync(join(dataDir, SECRETS), 'utf8')) as Remembered;
  } catch (error) {
    if (error instanceof SyntaxError) {
      throw new StartFault(`${join(dataDir, SECRETS)} is damaged. Restore it, or start over: npm start -- --fresh`);
    }
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw findFolderFault(error, dataDir) ?? error;
    return { walletSecret: newSecret() };
  }
}

const newSecret = (): string => randomBytes(32).toString('base64url');

export const newSignerTokens = (): SignerTokens => ({ server: newSecret(), worker: newSecret() });

export const newKycKeys = (): KycKeys => ({
  // Sumsub's prefix for sandbox tokens.
  appToken: `sbx:${newSecret()}`,
  secretKey: newSecret(),
  webhookSecret: newSecret(),
});

export const remember = (dataDir: string, state: Remembered): void =>
  writePrivateFile(join(dataDir, SECRETS), `${JSON.stringify(state, null, 2)}\n`);

/** Removes our own files by name, never the whole folder: FLORIN_DATA_DIR may be someone's home folder. */
export async function emptyDataDir(dataDir: string): Promise<void> {
  await removePostgres(dataDir);
  const { serverLog, workerLog, signerLog, consoleLog, calls } = filesOf(dataDir);
  const old = [serverLog, workerLog, signerLog, consoleLog, calls].map((log) => `${log}.1`);
  for (const file of [...Object.values(filesOf(dataDir)), ...old, join(dataDir, SECRETS)]) {
    rmSync(file, { force: true });
  }
  rmSync(join(dataDir, 'chain'), { recursive: true, force: true });
}
