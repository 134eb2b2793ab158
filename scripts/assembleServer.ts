/**
 * The last step of `npm run build`: `dist/` gets what production runs, and nothing else. That is the compiled server,
 * the wallet, the console, the documents and SQL that it reads, and a list of its own packages, with the versions and checksums of
 * this repository.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCommandLine } from './readCommandLine.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** Only one script of this package is shipped: the viewer of the API reference. */
export const VIEWER_PACKAGE = '@scalar/fastify-api-reference';

const readJson = <T>(file: string): T => JSON.parse(readFileSync(join(root, file), 'utf8')) as T;

/** `package.json` and `package-lock.json` of the server alone. */
export function describeServer(): { readonly manifest: object; readonly lock: Lock } {
  const { packages } = readJson<Lock>('package-lock.json');
  const own = readJson<{ version: string; engines: object; license: string }>('package.json');
  const { dependencies } = readJson<Required<Pick<LockedPackage, 'dependencies'>>>('server/package.json');
  const about = { name: 'florin-server', version: own.version, license: own.license };
  const kept = new Map<string, LockedPackage>();

  /** As Node finds it: in the nearest `node_modules`, then in those above. */
  function keep(name: string, from: string, isOptional: boolean): void {
    for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
      const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
      const found = packages[path];
      if (found) {
        if (!kept.has(path)) {
          kept.set(path, found);
          keepAll(found, path);
        }
        return;
      }
      if (folder === '') break;
    }
    if (!isOptional) throw new Error(`${name}, which ${from || 'the server'} needs, is not in package-lock.json`);
  }

  function keepAll(given: LockedPackage, path: string): void {
    const { optionalDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = given;
    for (const name of Object.keys(given.dependencies ?? {})) keep(name, path, name in optionalDependencies);
    for (const name of Object.keys(optionalDependencies)) keep(name, path, true);
    for (const name of Object.keys(peerDependencies))
      if (!peerDependenciesMeta[name]?.optional) keep(name, path, false);
  }

  const nested = Object.keys(packages).filter((path) => path.startsWith('server/node_modules/'));
  if (nested.length > 0) throw new Error(`the server has packages that are not shared: ${nested.join(', ')}`);
  keepAll({ dependencies }, '');
  const exact = Object.fromEntries(
    Object.keys(dependencies).map((name) => [name, packages[`node_modules/${name}`]!.version!]),
  );
  const sorted = [...kept].sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    manifest: {
      ...about,
      private: true,
      type: 'module',
      bin: { florin: 'florin' },
      engines: own.engines,
      dependencies: exact,
    },
    lock: {
      ...about,
      lockfileVersion: 3,
      requires: true,
      packages: { '': { ...about, dependencies: exact, engines: own.engines }, ...Object.fromEntries(sorted) },
    } as Lock,
  };
}

function assemble(): void {
  const folder = join(root, 'dist');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const { manifest, lock } = describeServer();
  const write = (file: string, content: object) =>
    writeFileSync(join(folder, file), `${JSON.stringify(content, null, 2)}\n`);
  write('package.json', manifest);
  write('package-lock.json', lock);
  const parts = ['florin', 'server/dist', 'openapi', 'docs', 'sql', 'LICENSE', '.env.example', '.npmrc'];
  for (const part of [...parts, 'web/wallet/dist', 'web/console/dist'])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  // See `readViewer`.
  cpSync(join(root, 'node_modules', VIEWER_PACKAGE, 'dist/js/standalone.js'), join(folder, 'docs/handbook/viewer.js'));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  readCommandLine('npm run build');
  assemble();
}
