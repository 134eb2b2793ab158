/** The previous release (`sql/released.json`), as programs that can run beside those of this build. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundlePrograms } from '../../../sandbox/src/programs/bundlePrograms.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

interface ReleaseEntry {
  readonly version: string;
  readonly commit: string;
}

type OldProgram = 'server' | 'worker' | 'signer' | 'migrate' | 'keys';

export interface Release {
  readonly version: string;
  /** Before 0.3.0 every server and worker had the seed, and each program was a file of its own. */
  readonly hasSigner: boolean;
  /** The arguments of `node`. */
  argumentsOf(program: OldProgram): string[];
  remove(): void;
}

const readJson = <T>(file: string): T => JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as T;

/** The last released version that is not the one in `package.json`. */
export function getPrevious(): ReleaseEntry {
  const { version } = readJson<{ version: string }>('package.json');
  const found = readJson<ReleaseEntry[]>('sql/released.json').findLast((one) => one.version !== version);
  if (!found) throw new Error('sql/released.json has no release before this one');
  return found;
}

/** A checkout without history does not have it. */
export const isInHistory = ({ commit }: ReleaseEntry): boolean =>
  spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT, stdio: 'ignore' }).status === 0;

/**
 * Its sources, bundled with the packages that are installed here. The packages that matter for payments (fastify, pg,
 * viem, jose, zod, pino) have not changed since 0.2.0; only those of the reference pages have. `installRelease` has its
 * own packages, and needs a registry.
 */
export async function bundleRelease({ version, commit }: ReleaseEntry): Promise<Release> {
  const cache = join(ROOT, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'florin-previous-'));
  chmodSync(folder, 0o755);
  const sources = execFileSync('git', ['archive', commit, 'package.json', 'server', 'sql', 'openapi'], {
    cwd: ROOT,
    maxBuffer: 256 * 1024 * 1024,
  });
  execFileSync('tar', ['-x', '-C', folder], { input: sources });
  const { hasSigner, placeOf } = describe(join(folder, 'server/src/bin'));
  const programs = new Set((['server', 'worker', 'migrate', 'keys'] as const).map((one) => placeOf(one)[0]!));
  await bundlePrograms({
    root: folder,
    programs: [...programs].map((program) => `server/src/bin/${program}`),
    folder: join(folder, 'built'),
  });
  return {
    version,
    hasSigner,
    argumentsOf(program) {
      const [file, ...words] = placeOf(program);
      return [join(folder, 'built/server/src/bin', `${file}.js`), ...words];
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** In a git worktree, with its own packages, built as its own page says. */
export function installRelease({ version, commit }: ReleaseEntry, folder: string): Release {
  const run = (command: string, ...words: string[]) => execFileSync(command, words, { cwd: folder, stdio: 'inherit' });
  execFileSync('git', ['worktree', 'add', '--detach', folder, commit], { cwd: ROOT, stdio: 'inherit' });
  run('npm', 'ci', '--ignore-scripts');
  run('npm', 'run', 'build');
  const { hasSigner, placeOf } = describe(join(folder, 'server/src/bin'));
  return {
    version,
    hasSigner,
    argumentsOf(program) {
      const [file, ...words] = placeOf(program);
      return [join(folder, 'server/dist/bin', `${file}.js`), ...words];
    },
    remove: () => void execFileSync('git', ['worktree', 'remove', '--force', folder], { cwd: ROOT }),
  };
}

function describe(bin: string) {
  const hasSigner = existsSync(join(bin, 'florin.ts'));
  const placeOf = (program: OldProgram): string[] =>
    hasSigner ? ['florin', program === 'keys' ? 'key' : program] : [program];
  return { hasSigner, placeOf };
}
