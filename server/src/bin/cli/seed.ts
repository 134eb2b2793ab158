import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { addSecret, createSeedFile, keepOnlySecret, readSeedFile } from '../../adapters/wallets/local/seedFile.ts';
import { loadSeedConfig } from '../config/config.ts';
import { type Noun, verb } from '../program/command.ts';
import { CommandFault, EXIT } from '../program/faults.ts';
import { wrap } from '../program/render.ts';

const tell = (text: string): string => `${wrap(text).join('\n')}\n`;

const create = verb({
  says: 'Makes the encrypted seed file that the signer needs; it never replaces one',
  about: 'Needs FLORIN_WALLET_SEED_FILE and FLORIN_WALLET_SECRET (openssl rand -base64 32).',
  ignoresSandbox: true,
  examples: ['seed create --env-file signer.env'],
  async run() {
    const { walletSeedFile: file, walletSecret } = loadSeedConfig(false);
    refuseWithoutFolder(file);
    const existed = existsSync(file);
    await createSeedFile(file, walletSecret).catch((error: NodeJS.ErrnoException) => {
      throw new CommandFault(`${file} cannot be written (${error.code ?? error.message})`, EXIT.configuration);
    });
    await openWith(file, walletSecret);
    return tell(
      existed
        ? `${file} exists already and opens with this secret; it was not changed.`
        : `${file} made. Copy it to a safe place, and keep FLORIN_WALLET_SECRET somewhere else: without both, no wallet can be opened again.`,
    );
  },
});

const check = verb({
  says: 'Whether the seed file is there and opens with the secret',
  ignoresSandbox: true,
  async run() {
    const { walletSeedFile: file, walletSecret } = loadSeedConfig(false);
    await openWith(file, walletSecret);
    return tell(`${file} opens with this secret.`);
  },
});

const addSecretVerb = verb({
  says: 'The file opens with FLORIN_WALLET_SECRET_NEXT too, while the secret is exchanged',
  about: 'Signers keep running: docs/operating/signer.md.',
  ignoresSandbox: true,
  async run() {
    const { walletSeedFile: file, walletSecret, nextSecret } = loadSeedConfig(true);
    await mend(() => addSecret(file, walletSecret, nextSecret!));
    return tell(
      `${file} opens with both secrets now. Start every signer with the new one, then: florin seed keep-secret`,
    );
  },
});

const keepSecret = verb({
  says: 'The file opens with FLORIN_WALLET_SECRET alone',
  ignoresSandbox: true,
  async run() {
    const { walletSeedFile: file, walletSecret } = loadSeedConfig(false);
    await mend(() => keepOnlySecret(file, walletSecret));
    return tell(
      `${file} opens with this secret alone. Copies of the file still open with the one they were made with.`,
    );
  },
});

export default {
  about: 'The encrypted seed of all wallets, which only the signer has (docs/operating/signer.md).',
  verbs: { create, check, 'add-secret': addSecretVerb, 'keep-secret': keepSecret },
} satisfies Noun;

const openWith = (file: string, secret: string): Promise<unknown> => mend(() => readSeedFile(file, secret));

/** Its messages are for operators, and name what is wrong with file or secret. */
async function mend<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new CommandFault((error as Error).message, EXIT.configuration);
  }
}

function refuseWithoutFolder(file: string): void {
  const folder = dirname(file);
  if (!existsSync(folder))
    throw new CommandFault(
      `The folder ${folder} does not exist: make it, only for the signer's user: mkdir -p -m 700 ${folder}`,
      EXIT.configuration,
    );
}
