import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { readDocument } from '../../server/src/http/contract/readDocument.ts';
import { describeServed } from '../../server/src/http/reference/describeServed.ts';
import type { Client, Court, Installed } from './judge.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');

/** Everything is written into the folder; what is installed there already, from an earlier run, is used again. */
export function openCourt(folder: string): Court {
  let client: Promise<Client> | undefined;
  return {
    folder,
    install: (name, packages) => install(join(folder, name), packages),
    documents: (mode) => writeDocuments(join(folder, 'documents', mode), mode === 'sandbox'),
    client: () => (client ??= packClient(join(folder, 'client'))),
  };
}

async function install(folder: string, packages: Readonly<Record<string, string>>): Promise<Installed> {
  const file = join(folder, 'package.json');
  const wanted = JSON.stringify({ private: true, type: 'module', dependencies: packages }, null, 2);
  const isThere = existsSync(join(folder, 'node_modules')) && readFileSync(file, 'utf8') === wanted;
  if (!isThere) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, wanted);
    // Scripts of packages are not run: nothing here needs them.
    await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'], { cwd: folder });
  }
  const pathOf = (path: string) => join(folder, 'node_modules', path);
  return {
    folder,
    pathOf,
    versionOf: (name) => JSON.parse(readFileSync(pathOf(join(name, 'package.json')), 'utf8')).version,
    load: (name) => import(pathToFileURL(createRequire(join(folder, 'any.js')).resolve(name)).href),
  };
}

/** The hosts are not those of examples, which linters refuse. */
function writeDocuments(folder: string, isOpen: boolean): Readonly<Record<'web3' | 'backend', string>> {
  mkdirSync(folder, { recursive: true });
  const urls = { web3: 'https://web3.shop.test', backend: 'https://api.shop.test' };
  const reference = { isOpen, blockchains: ['ETH'], urls, readExamples: () => ({}) };
  const files = { web3: join(folder, 'web3.json'), backend: join(folder, 'backend.json') };
  for (const name of ['web3', 'backend'] as const)
    writeFileSync(files[name], JSON.stringify(describeServed(readDocument(name), name, reference), null, 2));
  return files;
}

/** `npm pack`, which builds, and `npm install` of the result, as integrators get it. */
async function packClient(folder: string): Promise<Client> {
  const consumer = join(folder, `consumer-${process.pid}`);
  mkdirSync(consumer, { recursive: true });
  writeFileSync(join(consumer, 'package.json'), JSON.stringify({ name: 'shop', private: true, type: 'module' }));
  await run('npm', ['pack', '--pack-destination', consumer], { cwd: join(ROOT, 'sdk') });
  const tarball = join(consumer, readdirSync(consumer).find((name) => name.endsWith('.tgz'))!);
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: consumer });
  return { tarball, consumer };
}
