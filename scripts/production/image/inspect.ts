/** The content of a folder: its size, its packages, and whether anything in it is not for production. */
import { closeSync, existsSync, lstatSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';

interface Content {
  readonly bytes: number;
  readonly files: number;
  /** `name@version`, as npm installed them. */
  readonly packages: readonly string[];
  /** Compiled for one kind of processor. */
  readonly compiled: readonly string[];
  /** Development files: tests, our sources. */
  readonly foreign: readonly string[];
  /** Built files that import a source, which does not exist there. */
  readonly unbuilt: readonly string[];
}

export function inspect(folder: string): Content {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const short = (file: string) => file.slice(folder.length + 1);
  return {
    bytes: files.reduce((sum, file) => sum + lstatSync(file).size, 0),
    files: files.length,
    packages: listPackages(folder),
    unbuilt: files
      .filter((file) => /server\/dist\/.*\.js$/.test(file))
      .filter((file) => /(?:from|import)\s*\(?['"]\.[^'"]*\.ts['"]/.test(readFileSync(file, 'utf8')))
      .map(short),
    compiled: files.filter(isCompiled).map(short),
    foreign: files
      .map(short)
      .filter(
        (file) =>
          !file.startsWith('node_modules/') && /\.test\.\w+$|\.tsx?$|^(?:test|bench|sandbox|scripts)\//.test(file),
      ),
  };
}

function listPackages(folder: string): string[] {
  const list = join(folder, 'node_modules/.package-lock.json');
  if (!existsSync(list)) return [];
  const { packages } = JSON.parse(readFileSync(list, 'utf8')) as {
    packages: Record<string, { version: string; link?: boolean }>;
  };
  return Object.entries(packages)
    .filter(([, one]) => !one.link)
    .map(([path, one]) => `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${one.version}`)
    .sort();
}

/** Programs and libraries of Linux and macOS, but not WebAssembly, which runs everywhere. */
function isCompiled(file: string): boolean {
  if (file.endsWith('.node')) return true;
  const bytes = Buffer.alloc(4);
  const handle = openSync(file, 'r');
  try {
    readSync(handle, bytes, 0, 4, 0);
  } finally {
    closeSync(handle);
  }
  return ['7f454c46', 'cffaedfe', 'cafebabe'].includes(bytes.toString('hex'));
}

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
