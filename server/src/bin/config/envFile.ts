import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigError } from './configError.ts';

/** What a running sandbox writes into its data folder, for operators' commands: an ordinary file of variables. */
const SANDBOX_ENV = 'operator.env';
const SANDBOX_FOLDER = '.florin';

/** Of the sandbox that runs in this folder or one above it. */
export function findSandboxEnv(dataDir: string | undefined, from = process.cwd()): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const file = join(resolve(folder, dataDir || SANDBOX_FOLDER), SANDBOX_ENV);
    if (existsSync(file)) return file;
    if (folder === dirname(folder)) return undefined;
  }
}

/** `NAME=value` lines, as Node reads them. */
export function readEnvFile(file: string): Readonly<Record<string, string>> {
  try {
    return parseEnv(readFileSync(file, 'utf8')) as Record<string, string>;
  } catch (error) {
    throw new ConfigError([
      `${file} cannot be read (${(error as NodeJS.ErrnoException).code}): name another --env-file`,
    ]);
  }
}
