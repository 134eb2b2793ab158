import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigError } from './configError.ts';

/** An ordinary file of variables that a running sandbox writes to its data folder, for operators' commands. */
const SANDBOX_ENV = 'operator.env';
const SANDBOX_FOLDER = '.florin';

/** The file of the sandbox that runs in this folder or one above it. */
export function findSandboxEnv(dataDir: string | undefined, from = process.cwd()): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const file = join(resolve(folder, dataDir || SANDBOX_FOLDER), SANDBOX_ENV);
    if (existsSync(file)) return file;
    if (folder === dirname(folder)) return undefined;
  }
}

/** `NAME=value` lines, parsed like Node does. */
export function readEnvFile(file: string): Readonly<Record<string, string>> {
  try {
    return parseEnv(readFileSync(file, 'utf8')) as Record<string, string>;
  } catch (error) {
    throw new ConfigError([
      `${file} cannot be read (${(error as NodeJS.ErrnoException).code}): give another --env-file`,
    ]);
  }
}
