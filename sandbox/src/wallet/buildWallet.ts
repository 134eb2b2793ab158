import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isConsoleBuilt } from '../../../web/console/build/consoleSources.ts';
import { isWalletBuilt } from '../../../web/wallet/build/walletSources.ts';
import { StartFault } from '../fault.ts';

/** Builds the web wallet unless it is up to date with its sources. Returns whether it was built. */
export async function buildWallet(root: string): Promise<boolean> {
  if (isWalletBuilt()) return false;
  await build(root, 'web/wallet/build/buildWallet.ts', 'wallet');
  return true;
}

/** The same for the operator console. */
export async function buildConsole(root: string): Promise<boolean> {
  if (isConsoleBuilt()) return false;
  await build(root, 'web/console/build/buildConsole.ts', 'console');
  return true;
}

/** A separate process: the bundler is large, and nothing else here needs it. */
async function build(root: string, program: string, what: string): Promise<void> {
  const args = ['--import', import.meta.resolve('tsx'), join(root, program)];
  await promisify(execFile)(process.execPath, args, { cwd: root }).catch((cause: Error & { stderr?: string }) => {
    throw new StartFault(`The ${what} cannot be built: ${cause.stderr || cause.message}`, { cause });
  });
}
