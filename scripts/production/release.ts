/**
 * `npm run release`: builds, and writes the files of a release into `dist-release/`: the server as an archive, the
 * client package, a bill of materials (CycloneDX and SPDX), licences, the section of the changelog, provenance and
 * checksums. Publishes and tags nothing: docs/operating/releasing.md. The archive of the server is the same, byte for
 * byte, whenever it is built from the same commit.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCommandLine } from '../readCommandLine.ts';
import { megabytes } from './image/inspect.ts';
import { describeProvenance, hashOf } from './release/describeProvenance.ts';
import { isAllowed, listLicensed, renderLicences } from './release/licences.ts';

readCommandLine('npm run release');

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const OUT = join(ROOT, 'dist-release');
const startedAt = new Date();
const run = (cwd: string, command: string, ...words: string[]) =>
  execFileSync(command, words, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  });

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const commit = run(ROOT, 'git', 'rev-parse', 'HEAD').trim();
const isChanged = run(ROOT, 'git', 'status', '--porcelain').trim() !== '';
if (isChanged)
  console.log('Files of this checkout are not committed: this is a rehearsal, and the provenance says so.');
const unlicensed = listLicensed().filter(({ licence }) => !isAllowed(licence));
if (unlicensed.length > 0)
  throw new Error(`cannot be shipped: ${unlicensed.map(({ name, licence }) => `${name} (${licence})`).join(', ')}`);

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT);
run(ROOT, 'npm', 'run', 'build');
const dist = join(ROOT, 'dist');
const committedAt = run(ROOT, 'git', 'log', '-1', '--format=%ct').trim();
writeFileSync(join(dist, 'THIRD-PARTY-LICENCES.txt'), renderLicences());
const archive = `florin-server-${version}.tar.gz`;
const tar = archive.replace(/\.gz$/, '');
run(
  ROOT,
  'sh',
  '-ec',
  `tar --sort=name --owner=0 --group=0 --numeric-owner --mode=go-w --mtime=@${committedAt} --exclude=node_modules \
    --transform='s|^dist|florin-${version}|' -cf dist-release/${tar} dist
  gzip -n dist-release/${tar}`,
);
run(ROOT, 'npm', 'pack', '--silent', '-w', '@florin/client', '--pack-destination', OUT);
for (const [format, name] of [
  ['cyclonedx', 'sbom.cdx.json'],
  ['spdx', 'sbom.spdx.json'],
] as const)
  writeFileSync(
    join(OUT, name),
    run(dist, 'npm', 'sbom', '--package-lock-only', '--omit=dev', `--sbom-format=${format}`),
  );
writeFileSync(join(OUT, 'THIRD-PARTY-LICENCES.txt'), renderLicences());
writeFileSync(join(OUT, 'CHANGES.md'), readChanges());

const files = readdirSync(OUT)
  .sort()
  .map((name) => join(OUT, name));
const npm = run(ROOT, 'npm', '--version').trim();
const provenance = describeProvenance({
  files,
  version,
  commit,
  isChanged,
  lockFile: join(ROOT, 'package-lock.json'),
  startedAt,
  npm,
});
const statement = join(OUT, 'provenance.json');
writeFileSync(statement, `${JSON.stringify(provenance, null, 2)}\n`);
const all = [...files, statement];
writeFileSync(join(OUT, 'SHA256SUMS'), all.map((file) => `${hashOf(file)}  ${basename(file)}\n`).join(''));
for (const file of all) console.log(`${megabytes(statSync(file).size).padStart(9)}  ${basename(file)}`);
console.log(JSON.stringify({ release: true, version, commit, changed: isChanged, files: all.length + 1 }));

/** The section of CHANGELOG.md about this version. */
function readChanges(): string {
  const sections = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8').split(/^(?=## )/m);
  const found = sections.find((section) => section.startsWith(`## ${version}`));
  if (!found) throw new Error(`CHANGELOG.md has no section for ${version}`);
  return found;
}
