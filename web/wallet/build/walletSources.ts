/** The sources of the built wallet, and whether it is up to date. */
import { join, resolve } from 'node:path';
import { hashFiles, isSiteBuilt, listFiles } from './siteSources.ts';

export const WALLET = resolve(import.meta.dirname, '..');
const SDK = resolve(WALLET, '../../sdk/src');
const LOCK = resolve(WALLET, '../../package-lock.json');

export const hashSources = (): string =>
  hashFiles(WALLET, [
    ...['index.html', 'vite.config.ts', 'package.json'].map((name) => join(WALLET, name)),
    ...['build', 'src', 'public'].flatMap((name) => listFiles(join(WALLET, name))),
    ...listFiles(SDK),
    LOCK,
  ]);

export const isWalletBuilt = (): boolean => isSiteBuilt(WALLET, hashSources());
