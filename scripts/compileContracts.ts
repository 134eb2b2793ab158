/**
 * `npm run contracts`: compiles `sandbox/contracts/*.sol` into `artifacts.json` beside them, which is checked in, so
 * that the sandbox runs without the compiler. A test compiles again and compares.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCommandLine } from './readCommandLine.ts';

const folder = fileURLToPath(new URL('../sandbox/contracts/', import.meta.url));
export const ARTIFACTS = join(folder, 'artifacts.json');
const WANTED = ['Multicall3', 'TestUsdc', 'UsdcUsdFeed', 'EthUsdFeed', 'EurUsdFeed'];

interface CompilerOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts: Record<
    string,
    Record<string, { abi: unknown[]; evm: { deployedBytecode: { object: string; immutableReferences: object } } }>
  >;
}

const listSources = (): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.sol'))
    .sort();

/** Checks without the compiler whether `artifacts.json` belongs to these sources. */
export function hashSources(): string {
  const hash = createHash('sha256');
  for (const name of listSources()) hash.update(`${name}\n`).update(readFileSync(join(folder, name)));
  return hash.digest('hex');
}

/** The text of `artifacts.json`: by contract name, its ABI and the code for the genesis state. */
export function compileContracts(): string {
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string; version(): string };
  const files = listSources();
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(files.map((name) => [name, { content: readFileSync(join(folder, name), 'utf8') }])),
    settings: {
      // Circle's own build of the token optimizes for 10,000,000 runs.
      optimizer: { enabled: true, runs: 10_000_000 },
      evmVersion: 'cancun',
      metadata: { bytecodeHash: 'none' },
      outputSelection: { '*': { '*': ['abi', 'evm.deployedBytecode'] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as CompilerOutput;
  const faults = output.errors?.filter(({ severity }) => severity === 'error') ?? [];
  if (faults.length > 0) throw new Error(faults.map(({ formattedMessage }) => formattedMessage).join('\n'));
  const artifacts: Record<string, unknown> = {};
  for (const contract of Object.values(output.contracts)) {
    for (const [name, { abi, evm }] of Object.entries(contract)) {
      if (WANTED.includes(name)) artifacts[name] = { code: `0x${evm.deployedBytecode.object}`, abi };
    }
  }
  const lines = WANTED.map((name) => `  ${JSON.stringify(name)}: ${JSON.stringify(artifacts[name])}`);
  return `{\n  "compiler": ${JSON.stringify(solc.version())},\n  "sources": "${hashSources()}",\n${lines.join(',\n')}\n}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  readCommandLine('npm run contracts');
  writeFileSync(ARTIFACTS, compileContracts());
}
