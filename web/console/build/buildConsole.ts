/**
 * `npm run build -w @florin/console`: builds the operator console into `web/console/dist`, and fails if the files that a
 * browser loads exceed their budget.
 */
import { pathToFileURL } from 'node:url';
import { type BuiltSite, buildSite } from '../../wallet/build/buildSite.ts';
import { CONSOLE, hashSources } from './consoleSources.ts';

/** The budgets for compressed JavaScript: before the first screen, and everything together. */
const BUDGET_BYTES = 45_000;
const TOTAL_BUDGET_BYTES = 120_000;

export const buildConsole = (): Promise<BuiltSite> =>
  buildSite({
    root: CONSOLE,
    madeOf: hashSources(),
    initialBudgetBytes: BUDGET_BYTES,
    totalBudgetBytes: TOTAL_BUDGET_BYTES,
  });

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { initialBytes, totalBytes } = await buildConsole();
  const [before, all] = [initialBytes, totalBytes].map((bytes) => (bytes / 1000).toFixed(1));
  console.log(
    `The console is built: ${before} kB of JavaScript (gzip) before the first screen, ${all} kB for all screens.`,
  );
}
