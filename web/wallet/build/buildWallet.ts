/**
 * `npm run build -w @florin/wallet`: builds the web wallet into `web/wallet/dist`, and fails if the files that a
 * browser loads first exceed their budget.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuiltSite, buildSite } from './buildSite.ts';
import { hashSources, WALLET } from './walletSources.ts';

/** The budgets for compressed JavaScript: what the balance waits for in English, and everything together. */
const BUDGET_BYTES = 45_000;
const TOTAL_BUDGET_BYTES = 150_000;

export async function buildWallet(): Promise<BuiltSite> {
  const madeOf = hashSources();
  return buildSite({
    root: WALLET,
    madeOf,
    initialBudgetBytes: BUDGET_BYTES,
    totalBudgetBytes: TOTAL_BUDGET_BYTES,
    finish: (folder) => fillWorker(folder, madeOf),
  });
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

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { initialBytes } = await buildWallet();
  console.log(
    `The wallet is built: ${(initialBytes / 1000).toFixed(1)} kB of JavaScript (gzip) before the first screen.`,
  );
}
