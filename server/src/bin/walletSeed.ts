/** Makes the encrypted seed file that production needs. It never replaces an existing one. */
import { existsSync } from 'node:fs';
import { createSeedFile, readSeedFile } from '../adapters/wallets/local/seedFile.ts';
import { loadSeedConfig } from './config/config.ts';

try {
  const { walletSeedFile, walletSecret } = loadSeedConfig();
  const existed = existsSync(walletSeedFile);
  await createSeedFile(walletSeedFile, walletSecret);
  await readSeedFile(walletSeedFile, walletSecret);
  console.log(
    existed
      ? `${walletSeedFile} exists already and opens with this secret; it was not changed.`
      : `${walletSeedFile} made. Copy it to a safe place, and keep FLORIN_WALLET_SECRET somewhere else: without both, no wallet can be opened again.`,
  );
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
