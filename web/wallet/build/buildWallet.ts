/**
 * `npm run build -w @florin/wallet`: builds the web wallet into `web/wallet/dist`, and fails if the files that a
 * browser loads first exceed their budget. The style sheet is part of the page, which saves a request before anything
 * is shown.
 */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { hashSources, MADE_OF, WALLET } from './walletSources.ts';

/** The budgets for compressed JavaScript: what the balance waits for in English, and everything together. */
const BUDGET_BYTES = 45_000;
const TOTAL_BUDGET_BYTES = 150_000;

interface BuiltWallet {
  readonly initialBytes: number;
}

export async function buildWallet(): Promise<BuiltWallet> {
  const { build } = await import('vite');
  const madeOf = hashSources();
  // Built in a temporary folder and moved: a server that starts during the build never reads half of it.
  const folder = mkdtempSync(join(WALLET, 'dist-'));
  // Another user may run the server.
  chmodSync(folder, 0o755);
  try {
    await build({ root: WALLET, build: { outDir: folder, emptyOutDir: false }, logLevel: 'warn' });
    refuseSources(folder);
    const html = inlineStyles(folder);
    const initialBytes = measureInitial(folder, html);
    refuseLarge('the first screen needs', initialBytes, BUDGET_BYTES);
    refuseLarge('all screens need', listScripts(folder).reduce(addSize(folder), 0), TOTAL_BUDGET_BYTES);
    writeFileSync(join(folder, 'index.html'), html);
    fillWorker(folder, madeOf);
    writeFileSync(join(folder, basename(MADE_OF)), madeOf);
    const place = join(WALLET, 'dist');
    rmSync(place, { recursive: true, force: true });
    renameSync(folder, place);
    return { initialBytes };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

function inlineStyles(folder: string): string {
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  const inlined = html.replace(/<link rel="stylesheet"[^>]*href="(\/assets\/[^"]+)"[^>]*>/g, (_, href: string) => {
    const css = readFileSync(join(folder, href), 'utf8').trim();
    rmSync(join(folder, href));
    return `<style>${css}</style>`;
  });
  if (!inlined.includes('<style>')) throw new Error('the page has no style sheet to inline');
  return inlined;
}

/** The shipped files must not contain paths of the machine that built them. */
function refuseSources(folder: string): void {
  for (const name of readdirSync(join(folder, 'assets'))) {
    const text = readFileSync(join(folder, 'assets', name), 'utf8');
    if (text.includes(WALLET) || text.includes('.tsx"')) throw new Error(`${name} was built for development`);
  }
}

/** The service worker caches every file of the wallet, under a name that is unique to the build. */
function fillWorker(folder: string, madeOf: string): void {
  const file = join(folder, 'sw.js');
  const assets = readdirSync(join(folder, 'assets')).map((name) => `/assets/${name}`);
  const filled = readFileSync(file, 'utf8')
    .replace("'shell-in-development'", `'shell-${madeOf.slice(0, 16)}'`)
    .replace("['/', '/icon.svg']", JSON.stringify(['/', '/icon.svg', ...assets]));
  if (!filled.includes(assets[0]!)) throw new Error('the service worker has no list of files to fill');
  writeFileSync(file, filled);
}

const listScripts = (folder: string): string[] =>
  readdirSync(join(folder, 'assets'))
    .filter((name) => name.endsWith('.js'))
    .map((name) => `/assets/${name}`);

const addSize = (folder: string) => (sum: number, path: string) =>
  sum + gzipSync(readFileSync(join(folder, path))).length;

/** The script of the page and its preloads: everything that is fetched before the first screen is drawn. */
function measureInitial(folder: string, html: string): number {
  const paths = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map((match) => match[1]!);
  return paths.reduce(addSize(folder), 0);
}

function refuseLarge(what: string, bytes: number, budget: number): void {
  if (bytes > budget) throw new Error(`${what} ${bytes} bytes of JavaScript (gzip); the budget is ${budget}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { initialBytes } = await buildWallet();
  console.log(
    `The wallet is built: ${(initialBytes / 1000).toFixed(1)} kB of JavaScript (gzip) before the first screen.`,
  );
}
