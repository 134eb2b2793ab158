/**
 * Performs the steps of `deploy/Dockerfile` in plain folders, one per stage. The base image is not available: a stage
 * begins with this machine's node, npm, shell and `rm`, and the libraries they need. Steps of the last stage run with
 * that folder as their root; those of the others in it as a working folder, and may therefore name no absolute path.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { createIgnore, type Stage } from './parseDockerfile.ts';

export function buildStages(
  root: string,
  folder: string,
  stages: readonly Stage[],
  say: (line: string) => void,
): string {
  const isIgnored = createIgnore(readFileSync(join(root, 'deploy/Dockerfile.dockerignore'), 'utf8'));
  const context = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file && !isIgnored(file));
  const rootOf = (name: string | undefined) => join(folder, name ?? 'image');

  for (const stage of stages) {
    const isLast = stage === stages.at(-1);
    const home = rootOf(stage.name);
    mkdirSync(home, { recursive: true });
    if (isLast) addBase(home);
    for (const step of stage.steps) {
      const within = (path: string) => join(home, path.startsWith('/') ? path : join(step.folder, path));
      mkdirSync(join(home, step.folder), { recursive: true });
      if (step.kind === 'run') {
        say(`RUN ${step.command}`);
        run(step.command, home, step.folder, isLast);
      } else if (step.from) {
        for (const source of step.sources)
          cpSync(join(rootOf(step.from), source), within(step.target), { recursive: true, verbatimSymlinks: true });
      } else copyFromContext(root, context, step.sources, within(step.target), step.target.endsWith('/'));
    }
  }
  return rootOf(stages.at(-1)!.name);
}

function copyFromContext(
  root: string,
  context: readonly string[],
  sources: readonly string[],
  target: string,
  isFolder: boolean,
): void {
  for (const source of sources.map((one) => normalize(one))) {
    const prefix = source === '.' ? '' : `${source}/`;
    const files = context.filter((file) => file === source || file.startsWith(prefix));
    if (files.length === 0) throw new Error(`COPY ${source}: no such file`);
    for (const file of files) {
      const inside = file === source ? file.split('/').at(-1)! : file.slice(prefix.length);
      const place = file === source && !isFolder ? target : join(target, inside);
      mkdirSync(dirname(place), { recursive: true });
      cpSync(join(root, file), place, { verbatimSymlinks: true });
    }
  }
}

function run(command: string, home: string, folder: string, isRoot: boolean): void {
  if (isRoot) {
    execFileSync('chroot', [home, '/bin/sh', '-c', command], { stdio: 'inherit' });
    return;
  }
  if (/(?:^|[\s=])\//.test(command)) throw new Error(`a step before the last stage names an absolute path: ${command}`);
  execFileSync('/bin/sh', ['-c', command], { cwd: join(home, folder), stdio: 'inherit' });
}

/** As in `node:…-slim`: node and npm below /usr/local, a shell, and what a resolver and a user database need. */
function addBase(home: string): void {
  const programs = {
    [process.execPath]: '/usr/local/bin/node',
    [realpathSync('/bin/sh')]: '/bin/sh',
    [realpathSync('/bin/rm')]: '/bin/rm',
  };
  for (const [source, target] of Object.entries(programs)) {
    copy(source, join(home, target));
    for (const library of librariesOf(source)) copy(library, join(home, library));
  }
  const npm = join(dirname(dirname(realpathSync(process.execPath))), 'lib/node_modules/npm');
  if (existsSync(npm)) {
    cpSync(npm, join(home, 'usr/local/lib/node_modules/npm'), { recursive: true, verbatimSymlinks: true });
    symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(home, 'usr/local/bin/npm'));
  }
  for (const file of ['/etc/hosts', '/etc/resolv.conf', '/etc/nsswitch.conf', '/etc/passwd', '/etc/group'])
    if (existsSync(file)) copy(file, join(home, file));
  mkdirSync(join(home, 'tmp'), { mode: 0o1777 });
}

const librariesOf = (program: string): string[] =>
  [...execFileSync('ldd', [program], { encoding: 'utf8' }).matchAll(/(?:=> )?(\/\S+) \(0x/g)].map((match) => match[1]!);

function copy(source: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true });
  cpSync(source, target, { dereference: true });
}
