import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isWalletBuilt } from '../../../web/wallet/build/walletSources.ts';
import { StartFault } from '../fault.ts';

/** Builds the web wallet unless it is up to date with its sources. Returns whether it was built. */
export async function buildWallet(root: string): Promise<boolean> {
  if (isWalletBuilt()) return false;
  // A separate process: the bundler is large, and nothing else here needs it.
  const args = ['--import', import.meta.resolve('tsx'), join(root, 'web/wallet/build/buildWallet.ts')];
  await promisify(execFile)(process.execPath, args, { cwd: root }).catch((cause: Error & { stderr?: string }) => {
    throw new StartFault(`The wallet cannot be built: ${cause.stderr || cause.message}`, { cause });
  });
  return true;
}
