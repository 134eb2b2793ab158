import { constants, existsSync } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readSeedFile } from '../../../adapters/wallets/local/seedFile.ts';

interface SeedFault {
  readonly says: string;
  readonly fix: string;
  /** It works, but should be changed. */
  readonly isWarning?: true;
}

/** The faults of the seed file and its secret. Never shows the secret. */
export async function findSeedFileFaults(file: string, secret: string): Promise<SeedFault[]> {
  const folder = dirname(file);
  if (!existsSync(folder))
    return [
      {
        says: `FLORIN_WALLET_SEED_FILE: the folder ${folder} does not exist`,
        fix: `as the signer's user: mkdir -p -m 700 ${folder}; then florin seed create, or copy the seed file there`,
      },
    ];
  if (!existsSync(file))
    return [
      {
        says: `FLORIN_WALLET_SEED_FILE: ${file} does not exist`,
        fix: 'florin seed create makes a new one; if there are wallets already, copy their seed file there',
      },
    ];
  try {
    await access(file, constants.R_OK);
  } catch {
    return [
      {
        says: `FLORIN_WALLET_SEED_FILE: no permission to read ${file}`,
        fix: `give it to the signer's user: chown florin-signer ${file}`,
      },
    ];
  }
  try {
    await readSeedFile(file, secret);
  } catch (error) {
    return [
      {
        says: (error as Error).message,
        fix: 'set FLORIN_WALLET_SECRET to the secret that the file was made with, or use the right file',
      },
    ];
  }
  const { mode } = await stat(file);
  if ((mode & 0o077) === 0) return [];
  return [{ says: `${file} can be read by other users of this machine`, fix: `chmod 600 ${file}`, isWarning: true }];
}
