/**
 * `npm run image`: the content of the image of `deploy/Dockerfile`, without a container engine. Performs its steps in a
 * plain folder, starts migration, signer, server and worker from it as the users of `deploy/compose.yaml` on a read-only file system,
 * runs the image's own health check, and prints size and packages. Fails when some of it is not for production or is
 * for one kind of processor only. Checks the manifests with `yamllint` if it exists. Needs root (chroot) and a package
 * registry.
 *
 * `-- --before` also measures the state before: the packages of the previous release, and a plain `npm ci --omit=dev`
 * of this one. `-- --packages` prints every package.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseYaml } from '@redocly/openapi-core';
import { createLogin } from '../../sandbox/src/createLogin.ts';
import { runAsAdmin } from '../../test/support/database.ts';
import { createCertificate } from '../../test/support/http/certificate.ts';
import { startTlsIssuer } from '../../test/support/http/tlsIssuer.ts';
import { useTestPostgres } from '../../test/support/startTestPostgres.ts';
import { getPrevious } from '../../test/support/upgrade/previousRelease.ts';
import { SECRET, SIGNER_TOKENS } from '../../test/support/values.ts';
import { describeServer } from '../assembleServer.ts';
import { readCommandLine } from '../readCommandLine.ts';
import { buildStages } from './image/buildStages.ts';
import { inspect, megabytes } from './image/inspect.ts';
import { openJail } from './image/openJail.ts';
import { parseDockerfile, type Stage } from './image/parseDockerfile.ts';

const { values } = readCommandLine('npm run image -- [--before] [--packages]', {
  options: { before: { type: 'boolean' }, packages: { type: 'boolean' } },
});

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const READY_WITHIN_MS = 120_000;
const OPS_PORTS = { server: 9464, worker: 9465, signer: 9466 };
const faults: string[] = [];
const expect = (is: boolean, fault: string) => void (is || faults.push(fault));

if (process.getuid?.() !== 0) throw new Error('needs root, because the steps of the last stage run in a chroot');
const folder = mkdtempSync(join(tmpdir(), 'florin-image-'));
try {
  lint();
  const stages = parseDockerfile(readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8'));
  const image = stages.at(-1)!;
  const home = buildStages(ROOT, folder, stages, (line) => console.log(line));
  const content = inspect(join(home, 'app'));
  const { lock } = describeServer();
  const known = Object.entries(lock.packages).map(
    ([path, one]) => `${path.slice(path.lastIndexOf('node_modules/') + 13)}@${one.version}`,
  );
  expect(content.packages.length > 0, 'no package is installed');
  for (const one of content.packages.filter((name) => !known.includes(name)))
    faults.push(`${one} does not belong to the server`);
  for (const one of content.foreign) faults.push(`${one} is not for production`);
  for (const one of content.unbuilt) faults.push(`${one} imports a source, which does not exist there`);
  for (const one of content.compiled) faults.push(`${one} is compiled for one kind of processor`);
  expect(!readdirSync(join(home, 'usr/local/bin')).includes('npm'), 'npm is in the image');
  if (values.packages) console.log(content.packages.join('\n'));
  await runProcesses(home, image);
  const before = values.before ? measureBefore() : undefined;
  const { bytes, files, packages } = content;
  console.log(`The image adds to its base ${megabytes(bytes)} in ${files} files, ${packages.length} packages.`);
  for (const fault of faults) console.log(`WRONG: ${fault}`);
  console.log(
    JSON.stringify({ image: true, bytes, files, packages: packages.length, ...before, faults: faults.length }),
  );
  if (faults.length > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

interface Compose {
  readonly services: Readonly<
    Record<'server' | 'worker' | 'signer', { readonly user: string; readonly volumes: readonly string[] }>
  >;
}

async function runProcesses(home: string, image: Stage): Promise<void> {
  const certificate = createCertificate();
  writeFileSync(join(home, 'etc/authority.pem'), certificate.cert);
  const { services } = parseYaml(readFileSync(join(ROOT, 'deploy/compose.yaml'), 'utf8')) as Compose;
  const jail = openJail(home, image.user!, join(folder, 'volume'));
  const program = [...image.entrypoint];
  const common = { ...image.env, NODE_EXTRA_CA_CERTS: '/etc/authority.pem', FLORIN_HOST: '127.0.0.1' };

  const who = await jail.run(['node', '-e', 'console.log(process.getuid(), process.getgid())']);
  expect(who.said.trim() === image.user!.replace(':', ' '), `it runs as ${who.said.trim()}`);
  const writing = `for (const f of ['/x', '/app/x', '/tmp/x']) try { require('fs').writeFileSync(f, ''); console.log(f) } catch {}`;
  const written = await jail.run(['node', '-e', writing]);
  expect(written.code === 0 && written.said === '', `it can write ${written.said.trim()}`);
  expect((await jail.run([...image.healthcheck])).code === 1, 'the health check is content although nothing runs');

  const postgres = await useTestPostgres();
  const issuer = await startTlsIssuer(certificate);
  const children: ReturnType<typeof jail.start>[] = [];
  try {
    await runAsAdmin('CREATE DATABASE florin_image');
    const admin = new URL(postgres.url);
    admin.pathname = '/florin_image';
    const migrated = await jail.run([...program, 'migrate'], { ...common, FLORIN_OWNER_DATABASE_URL: admin.href });
    expect(migrated.code === 0, `migrate: ${migrated.said}`);
    const signing = { FLORIN_SIGNER_URL: 'unix:/run/florin/signer.sock' };
    const seed = { FLORIN_WALLET_SEED_FILE: '/run/florin/seed.json', FLORIN_WALLET_SECRET: SECRET };
    const made = await jail.run([...program, 'seed', 'create'], { ...common, ...seed }, services.signer);
    expect(made.code === 0, `seed create: ${made.said}`);
    const calling = {
      ...signing,
      FLORIN_OIDC_ISSUERS: JSON.stringify([{ issuer: issuer.url, audience: 'florin' }]),
      FLORIN_WEB3_PORT: '0',
      FLORIN_BACKEND_PORT: '0',
    };
    const settings = {
      signer: {
        ...signing,
        ...seed,
        FLORIN_SIGNER_TOKENS: `server=${SIGNER_TOKENS.server}, worker=${SIGNER_TOKENS.worker}`,
        FLORIN_SIGNER_LIMITS: 'none',
      },
      server: { ...calling, FLORIN_SIGNER_TOKEN: SIGNER_TOKENS.server },
      worker: { ...calling, FLORIN_SIGNER_TOKEN: SIGNER_TOKENS.worker },
    };
    for (const name of ['signer', 'server', 'worker'] as const) {
      const login = await createLogin(admin.href, { name: `image_${name}`, roles: [name] });
      const child = jail.start(
        [...program, name],
        { ...common, ...settings[name], DATABASE_URL: login },
        services[name],
      );
      children.push(child);
      let said = '';
      for (const stream of [child.stdout!, child.stderr!])
        stream.on('data', (text) => (said = (said + text).slice(-4_000)));
      const isReady = await waitFor(`http://127.0.0.1:${OPS_PORTS[name]}/readyz`, () => child.exitCode === null);
      expect(isReady, `${name} is not ready: ${said}`);
      const health = await jail.run([...image.healthcheck]);
      expect(health.code === 0, `the health check fails beside ${name}: ${health.said}`);
      console.log(`${name} runs from the image's content, ${isReady ? 'ready' : 'not ready'}`);
    }
  } finally {
    await Promise.all(
      children.map(async (child) => {
        if (child.exitCode !== null) return;
        const gone = new Promise((done) => child.once('exit', done));
        child.kill('SIGTERM');
        await gone;
      }),
    );
    await issuer.stop();
    await postgres.stop();
  }
}

async function waitFor(url: string, isRunning: () => boolean): Promise<boolean> {
  for (
    const endsMs = performance.now() + READY_WITHIN_MS;
    performance.now() < endsMs && isRunning();
    await sleep(100)
  ) {
    const answer = await fetch(url).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.status === 200) return true;
  }
  return false;
}

/**
 * Measures the installations before this image: the previous release installed as its page says, and the whole
 * repository installed by npm.
 */
function measureBefore(): Record<string, number> {
  const measure = (name: string, commit: string | undefined, words: readonly string[]) => {
    const place = join(folder, name);
    const read = (file: string) =>
      commit ? execFileSync('git', ['show', `${commit}:${file}`], { cwd: ROOT }) : readFileSync(join(ROOT, file));
    const { workspaces } = JSON.parse(read('package.json').toString()) as { workspaces: string[] };
    for (const file of [
      'package.json',
      'package-lock.json',
      '.npmrc',
      ...workspaces.map((one) => `${one}/package.json`),
    ]) {
      mkdirSync(dirname(join(place, file)), { recursive: true });
      writeFileSync(join(place, file), read(file));
    }
    execFileSync('npm', ['ci', '--ignore-scripts', ...words], { cwd: place, stdio: 'inherit' });
    const { bytes, packages } = inspect(place);
    console.log(`${name}: ${megabytes(bytes)}, ${packages.length} packages`);
    return bytes;
  };
  const { version, commit } = getPrevious();
  return {
    [`bytes of npm ci, as ${version} said`]: measure(`npm ci of ${version}`, commit, []),
    'bytes of npm ci --omit=dev of the repository': measure('npm ci --omit=dev of the repository', undefined, [
      '--omit=dev',
    ]),
  };
}

/** Checks the manifests with `yamllint`, if it is installed. `deploy.test.ts` has our own rules. */
function lint(): void {
  if (spawnSync('which', ['yamllint']).status === 0) {
    const { status, stdout } = spawnSync(
      'yamllint',
      ['-d', '{extends: relaxed, rules: {line-length: disable}}', 'deploy'],
      { cwd: ROOT, encoding: 'utf8' },
    );
    expect(status === 0, stdout);
    console.log('yamllint accepts the manifests');
  } else console.log('yamllint is not installed: manifests were not checked with it');
}
