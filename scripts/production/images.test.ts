/** Images are named by their digests: a tag can name another image tomorrow. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseYaml } from '@redocly/openapi-core';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const FOLDERS = ['deploy', 'docs', '.github'];

/** The digest itself, a variable whose value follows the `@`, or the placeholder of the manifests. */
const DIGEST = /^[\w./:-]+@(?:sha256:[0-9a-f]{64}|\$\{\w+(?::\?[^}]+)?\}|sha256:DIGEST)$/;
/** What the next lines build. Compose must not look for it in a registry. */
const BUILT = /^ *image: florin\n(?: *#.*\n)* *pull_policy: build\n *build:/m;

/** Every image that a file names without a digest, whatever the format of the file. */
function listBareImages(text: string): string[] {
  const rest = text.replace(BUILT, 'build:');
  const stages = [...rest.matchAll(/^FROM\s+\S+\s+AS\s+(\S+)/gm)].map(([, name]) => name!);
  return [
    ...rest.matchAll(/^[ \t-]*["']?image["']?:[ \t]*(?:'([^']*)'|"([^"]*)"|([^\s#]+))/gm),
    ...rest.matchAll(/[{,]\s*["']?image["']?:\s*(?:'([^']*)'|"([^"]*)"|([^\s,}]+))/g),
    ...rest.matchAll(/^FROM\s+(?:--\S+\s+)*(\S+)/gm),
    ...rest.matchAll(/^COPY\s+.*--from=(\S+)/gm),
    ...rest.matchAll(/\b(?:docker|podman) (?:run|pull|create)\s+(?:-\S+\s+)*(\S+)/g),
  ]
    .map(([, ...found]) => found.find((one) => one !== undefined)!)
    .filter((image) => !stages.includes(image) && !DIGEST.test(image));
}

const DIGITS = '0123456789abcdef'.repeat(4);

it.each([
  ['image: postgres:17', ['postgres:17']],
  ['  - image: "florin"', ['florin']],
  [`image: '\${POSTGRES_IMAGE:?with a digest}'`, [`\${POSTGRES_IMAGE:?with a digest}`]],
  ['containers: [{ name: a, image: b:1 }]', ['b:1']],
  ['image: postgres@sha256:0123', ['postgres@sha256:0123']],
  ['FROM node:22 AS build\nFROM build\nCOPY --from=build a b\nCOPY --from=busybox:1 a b', ['node:22', 'busybox:1']],
  [`ARG NODE_IMAGE\nFROM \${NODE_IMAGE}`, [`\${NODE_IMAGE}`]],
  ['FROM --platform=linux/amd64 node', ['node']],
  ['docker run --rm postgres:17', ['postgres:17']],
  // Without its policy, Compose pulls an image that it should build.
  ['x:\n  image: florin\n  build: ..\n', ['florin']],
  ['x:\n  image: florin\n  pull_policy: build\n  build: ..\n', []],
  [`image: registry.example.com:5000/a/postgres:17@sha256:${DIGITS}`, []],
  [`image: 'postgres@\${POSTGRES_DIGEST:?sha256:… of postgres:17}'`, []],
  [`FROM node@\${NODE_DIGEST} AS build\nFROM build`, []],
])('in %j, finds the images without a digest', (text, bare) => {
  expect(listBareImages(text).sort()).toEqual([...bare].sort());
});

it('no file of the repository that names an image names it by its tag alone', () => {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\.(?:png|env)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  expect(files).toContain(join(root, 'deploy/kubernetes/migrate.yaml'));
  const bare = files.flatMap((file) => listBareImages(readFileSync(file, 'utf8')).map((image) => `${file}: ${image}`));
  expect(bare).toEqual([]);
});

it('compose.yaml requires the digests that the Dockerfile and PostgreSQL need', () => {
  const compose = readFileSync(join(root, 'deploy/compose.yaml'), 'utf8');
  const parsed = parseYaml(compose) as { 'x-florin': { build: { args: Record<string, string> } } };
  const given = Object.keys(parsed['x-florin'].build.args);
  const dockerfile = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8');
  expect(given).toEqual([...dockerfile.matchAll(/^ARG (\S+)$/gm)].map(([, name]) => name));
  const named = [...compose.matchAll(/\$\{(\w+DIGEST)(:\?)?/g)];
  expect(named.map(([, name, isRequired]) => [name, isRequired])).toEqual([
    ['NODE_DIGEST', ':?'],
    ['POSTGRES_DIGEST', ':?'],
  ]);
});

it('a placeholder of the manifests is replaced as their comment says, and is no name that Kubernetes accepts', () => {
  const [manifest, migration] = ['florin', 'migrate'].map((name) =>
    readFileSync(join(root, `deploy/kubernetes/${name}.yaml`), 'utf8'),
  ) as [string, string];
  const [, from, to] = /sed -i 's\|([^|]+)\|([^|]+)\|' florin\.yaml migrate\.yaml/.exec(manifest)!;
  // A reference to an image has no capital letter before its tag or digest.
  expect(from!.split('@')[0]).toMatch(/[A-Z]/);
  for (const [text, count] of [
    [manifest, 4],
    [migration, 1],
  ] as const) {
    const filled = text.replaceAll(from!, to!.replace('…', DIGITS));
    const images = [...filled.matchAll(/^ *image: (.*)$/gm)].map(([, image]) => image);
    expect(images).toEqual(Array(count).fill(`registry.example.com/florin@sha256:${DIGITS}`));
  }
});
