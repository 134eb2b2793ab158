/** The sources of the built console, and whether it is up to date. */
import { join, resolve } from 'node:path';
import { hashFiles, isSiteBuilt, listFiles } from '../../wallet/build/siteSources.ts';
import { WALLET } from '../../wallet/build/walletSources.ts';

export const CONSOLE = resolve(import.meta.dirname, '..');
const ROOT = resolve(CONSOLE, '../..');

/** Also the wallet's, whose parts the console shares. */
export const hashSources = (): string =>
  hashFiles(CONSOLE, [
    ...['index.html', 'vite.config.ts', 'package.json'].map((name) => join(CONSOLE, name)),
    ...['build', 'src', 'public'].flatMap((name) => listFiles(join(CONSOLE, name))),
    ...['build', 'src'].flatMap((name) => listFiles(join(WALLET, name))),
    join(WALLET, 'vite.config.ts'),
    ...listFiles(join(ROOT, 'sdk/src')),
    join(ROOT, 'package-lock.json'),
  ]);

export const isConsoleBuilt = (): boolean => isSiteBuilt(CONSOLE, hashSources());
