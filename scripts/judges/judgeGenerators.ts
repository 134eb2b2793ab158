import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Court, Judge, Verdict } from './judge.ts';
import { GENERATORS, NODES } from './packages.ts';
import { runJudge } from './runJudge.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Generates a client of both documents with each generator, and compiles it in strict mode. */
export const judgeGenerators: Judge = async (court) => {
  const verdicts: Verdict[] = [];
  for (const generator of GENERATORS) verdicts.push(await askGenerator(court, generator));
  return verdicts;
};

async function askGenerator(court: Court, generator: (typeof GENERATORS)[number]): Promise<Verdict> {
  const { name, packages, program, args, extension, needsNode24 } = generator;
  const { folder, pathOf, versionOf } = await court.install(`generator-${name.replace(/\W+/g, '-')}`, packages);
  const node = needsNode24 ? (await court.install('nodes', NODES)).pathOf('node24/bin/node') : process.execPath;
  const output = join(folder, 'generated');
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output);
  const findings: string[] = [];
  for (const [api, input] of Object.entries(court.documents('production'))) {
    const place = join(output, api + extension);
    const { code, stdout, stderr } = await runJudge(node, [pathOf(program), ...args(input, place)], folder);
    if (code !== 0) findings.push(`${api}: the generator ended with ${code}: ${(stderr || stdout).slice(-300)}`);
  }
  findings.push(...(await compile(output)));
  const about = 'generates a client of each document, which compiles in strict mode, libraries included';
  return { judge: name, version: versionOf(name), about, findings };
}

/** The generated files beside the packages of their generator; also the declarations of these are checked. */
async function compile(folder: string): Promise<string[]> {
  const compilerOptions = {
    target: 'ES2022',
    lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
    module: 'ESNext',
    moduleResolution: 'bundler',
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }));
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { code, stdout } = await runJudge(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], folder);
  const faults = stdout.split('\n').filter((line) => line.includes('error TS'));
  return code !== 0 && faults.length === 0 ? [`the compiler ended with ${code}`] : faults;
}
