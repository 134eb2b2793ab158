/**
 * Makes the encrypted seed file that the signer needs; it never replaces an existing one. To exchange its secret while
 * signers run (docs/operating/signer.md):
 *
 *   walletSeed add-secret    the file opens with FLORIN_WALLET_SECRET_NEXT too
 *   walletSeed keep-secret   the file opens with FLORIN_WALLET_SECRET alone
 */
import { existsSync } from 'node:fs';
import { addSecret, createSeedFile, keepOnlySecret, readSeedFile } from '../adapters/wallets/local/seedFile.ts';
import { loadSeedConfig } from './config/config.ts';

async function run(command: string | undefined): Promise<string> {
  const { walletSeedFile: file, walletSecret, nextSecret } = loadSeedConfig(command === 'add-secret');
  if (command === 'add-secret') {
    await addSecret(file, walletSecret, nextSecret!);
    return `${file} opens with both secrets now. Start every signer with the new one, then: walletSeed keep-secret.`;
  }
  if (command === 'keep-secret') {
    await keepOnlySecret(file, walletSecret);
    return `${file} opens with this secret alone. Copies of the file still open with the one they were made with.`;
  }
  if (command !== undefined) throw new Error('usage: walletSeed [add-secret | keep-secret]');
  const existed = existsSync(file);
  await createSeedFile(file, walletSecret);
  await readSeedFile(file, walletSecret);
  return existed
    ? `${file} exists already and opens with this secret; it was not changed.`
    : `${file} made. Copy it to a safe place, and keep FLORIN_WALLET_SECRET somewhere else: without both, no wallet can be opened again.`;
}

try {
  console.log(await run(process.argv[2]));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
