/** Builds a site with Vite into its folder `dist`, and fails if the files that a browser loads exceed their budgets. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { MADE_OF } from './siteSources.ts';

interface Site {
  readonly root: string;
  /** The hash of the sources. */
  readonly madeOf: string;
  /** Budgets for compressed JavaScript: before the first screen is drawn, and everything together. */
  readonly initialBudgetBytes: number;
  readonly totalBudgetBytes: number;
  /** The last step, in the folder of the built files. */
  readonly finish?: (folder: string) => void;
}

export interface BuiltSite {
  readonly initialBytes: number;
  readonly totalBytes: number;
}

/** The style sheet becomes part of the page, which saves a request before anything is shown. */
export async function buildSite(site: Site): Promise<BuiltSite> {
  const { build } = await import('vite');
  const { root, madeOf } = site;
  // Built in a temporary folder and moved: a server that starts during the build never reads half of it.
  const folder = mkdtempSync(join(root, 'dist-'));
  // Another user may run the server.
  chmodSync(folder, 0o755);
  try {
    await build({ root, build: { outDir: folder, emptyOutDir: false }, logLevel: 'warn' });
    refuseSources(folder, root);
    const html = inlineStyles(folder);
    const initialBytes = measureInitial(folder, html);
    const totalBytes = listScripts(folder).reduce(addSize(folder), 0);
    refuseLarge('the first screen needs', initialBytes, site.initialBudgetBytes);
    refuseLarge('all screens need', totalBytes, site.totalBudgetBytes);
    writeFileSync(join(folder, 'index.html'), html);
    site.finish?.(folder);
    writeFileSync(join(folder, MADE_OF), madeOf);
    const place = join(root, 'dist');
    rmSync(place, { recursive: true, force: true });
    renameSync(folder, place);
    return { initialBytes, totalBytes };
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
function refuseSources(folder: string, root: string): void {
  for (const name of readdirSync(join(folder, 'assets'))) {
    const text = readFileSync(join(folder, 'assets', name), 'utf8');
    if (text.includes(root) || text.includes('.tsx"')) throw new Error(`${name} was built for development`);
  }
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
