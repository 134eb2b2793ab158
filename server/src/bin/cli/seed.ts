import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { addSecret, createSeedFile, keepOnlySecret, readSeedFile } from '../../adapters/wallets/local/seedFile.ts';
import { loadSeedConfig } from '../config/config.ts';
import { type Noun, verb } from '../program/command.ts';
import { CommandFault, EXIT } from '../program/faults.ts';
import { wrap } from '../program/render.ts';

const render = (text: string): string => `${wrap(text).join('\n')}\n`;

const create = verb({
  summary: 'Creates the encrypted seed file that the signer needs; never overwrites one',
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
    return render(
      existed
        ? `${file} already exists and opens with this secret; it was not changed.`
        : `Created ${file}. Copy it to a safe place, and keep FLORIN_WALLET_SECRET somewhere else: without both, no wallet can be opened again.`,
    );
  },
});

const check = verb({
  summary: 'Checks that the seed file exists and opens with the secret',
  ignoresSandbox: true,
  async run() {
    const { walletSeedFile: file, walletSecret } = loadSeedConfig(false);
    await openWith(file, walletSecret);
    return render(`${file} opens with this secret.`);
  },
});

const addSecretVerb = verb({
  summary: 'Adds FLORIN_WALLET_SECRET_NEXT to the file, to rotate the secret',
  about: 'Signers keep running: docs/operating/signer.md.',
  ignoresSandbox: true,
  async run() {
    const { walletSeedFile: file, walletSecret, nextSecret } = loadSeedConfig(true);
    await asCommandFault(() => addSecret(file, walletSecret, nextSecret!));
    return render(
      `${file} now opens with both secrets. Start every signer with the new one, then: florin seed keep-secret`,
    );
  },
});

const keepSecret = verb({
  summary: 'Removes every secret except FLORIN_WALLET_SECRET from the file',
  ignoresSandbox: true,
  async plan() {
    const { walletSeedFile: file, walletSecret } = loadSeedConfig(false);
    await openWith(file, walletSecret);
    return {
      title: `Remove every secret from ${file} except FLORIN_WALLET_SECRET. This cannot be undone.`,
      changes: [{ what: 'it opens with', before: 'every secret that was added', after: 'this secret only' }],
      warning: 'a signer that still has another secret cannot start again',
      async carryOut() {
        await asCommandFault(() => keepOnlySecret(file, walletSecret));
        return render(
          `${file} now opens only with this secret. Copies of the file still open with the secret that they were made with.`,
        );
      },
    };
  },
});

export default {
  about: 'The encrypted seed of all wallets. Only the signer has it (docs/operating/signer.md).',
  verbs: { create, check, 'add-secret': addSecretVerb, 'keep-secret': keepSecret },
} satisfies Noun;

const openWith = (file: string, secret: string): Promise<unknown> => asCommandFault(() => readSeedFile(file, secret));

/** The messages are for operators and name the fault of the file or the secret. */
async function asCommandFault<T>(work: () => Promise<T>): Promise<T> {
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
      `The folder ${folder} does not exist. Create it as the signer's user: mkdir -p -m 700 ${folder}`,
      EXIT.configuration,
    );
}
