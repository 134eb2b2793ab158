/** Licences of third-party code in a release: of the server, the web wallet, the console and the API reference. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeServer, VIEWER_PACKAGE } from '../../assembleServer.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * All of them let us ship the code, changed or not, as long as their text goes with it. Another licence needs a
 * decision.
 */
const ALLOWED = ['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'CC0-1.0'];

interface Licensed {
  readonly name: string;
  readonly version: string;
  /** As the package declares it; an SPDX expression. */
  readonly licence: string | undefined;
  /** Where it is installed, below the repository. */
  readonly path: string;
}

interface Locked {
  readonly version?: string;
  readonly license?: string;
}

export function listLicensed(): Licensed[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const ofServer = Object.keys(describeServer().lock.packages).filter((path) => path !== '');
  const ofSites = ['web/wallet', 'web/console'].flatMap((site) => {
    const { devDependencies } = JSON.parse(readFileSync(join(ROOT, site, 'package.json'), 'utf8')) as {
      devDependencies: Record<string, string>;
    };
    return Object.keys(devDependencies).map(
      (name) => [`${site}/node_modules/${name}`, `node_modules/${name}`].find((path) => packages[path])!,
    );
  });
  return [...new Set([...ofServer, ...ofSites, `node_modules/${VIEWER_PACKAGE}`])].sort().map((path) => ({
    name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
    version: packages[path]!.version!,
    licence: packages[path]!.license,
    path,
  }));
}

/** `MIT`, `(MIT OR CC0-1.0)`, `MIT AND Zlib`: one of the alternatives has to be allowed, and all of the parts. */
export function isAllowed(licence: string | undefined, allowed: readonly string[] = ALLOWED): boolean {
  const text = licence?.replace(/^\((.*)\)$/, '$1');
  if (!text || /[()]/.test(text)) return false;
  return text.split(' OR ').some((choice) => choice.split(' AND ').every((part) => allowed.includes(part)));
}

/** The texts that have to go with the code, one after another. */
export function renderLicences(licensed: readonly Licensed[] = listLicensed()): string {
  const parts = licensed.map(({ name, version, licence, path }) => {
    const folder = join(ROOT, path);
    const file = existsSync(folder)
      ? readdirSync(folder).find((one) => /^(licen[cs]e|copying)([.-].*)?$/i.test(one))
      : undefined;
    const text = file ? readFileSync(join(folder, file), 'utf8').trim() : 'The package has no text of its licence.';
    return `${name} ${version}: ${licence}\n\n${text}\n`;
  });
  return `Florin contains code of others. It is given out under these licences.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}
