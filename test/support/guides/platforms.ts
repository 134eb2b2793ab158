/** Where the client runs besides browsers. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../..');

/** A program from its npm package if that supports this machine, from the variable, or from the path. */
function findProgram(name: string, packages: readonly string[]): string | undefined {
  const named = process.env[`${name.toUpperCase()}_PATH`];
  const places = named
    ? [named]
    : [
        ...packages.map((place) => join(root, 'node_modules', place)),
        ...(process.env.PATH ?? '').split(delimiter).map((place) => join(place, name)),
      ];
  return places.find((place) => {
    try {
      accessSync(place, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

const machine = `${process.platform}-${process.arch === 'arm64' ? 'aarch64' : process.arch}`;
/** It may reach the service and read the package, and nothing else. */
const DENO = ['run', '--allow-net', '--allow-read', '--allow-env'];
export const PLATFORMS = [
  { name: 'Node.js', program: process.execPath, args: [] },
  { name: 'Deno', program: findProgram('deno', [`@deno/${machine}-glibc/deno`]), args: DENO },
  { name: 'Bun', program: findProgram('bun', [`@oven/bun-${machine}/bin/bun`]), args: ['run'] },
];
