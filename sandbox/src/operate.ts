/**
 * `npm run operate -- COMMAND`, `npm run reconcile`, `npm run pause`, `npm run resume`: operators' commands. They use
 * the environment's configuration when DATABASE_URL is set, otherwise the sandbox that runs here.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { argumentsOf } from './processes.ts';
import { readOptions } from './readOptions.ts';
import { filesOf } from './rememberState.ts';
import type { SandboxState } from './startSandbox.ts';

const PROGRAMS: Readonly<Record<string, string>> = {
  operate: 'server/src/bin/cli/operate',
  pause: 'server/src/bin/pause',
  resume: 'server/src/bin/resume',
};
const [name = '', ...args] = process.argv.slice(2);
const asksForHelp = name !== 'operate' && (args.length === 0 || args.includes('--help') || args[0] === 'help');

function findSandbox(): Record<string, string> {
  const options = readOptions([], process.env);
  if (options === 'help') throw new Error('no arguments ask for no help');
  const { dataDir } = options;
  const files = filesOf(dataDir);
  if (!existsSync(files.sandbox)) {
    process.stderr.write('No sandbox is running here (npm start), and DATABASE_URL names no other server.\n');
    process.exit(2);
  }
  const state = JSON.parse(readFileSync(files.sandbox, 'utf8')) as SandboxState;
  return {
    FLORIN_MODE: 'sandbox',
    DATABASE_URL: state.database_url,
    FLORIN_CHAINS: JSON.stringify(
      state.chains.map(({ blockchain, chain_id, rpc_url }) => ({ blockchain, chain_id, rpc_urls: [rpc_url] })),
    ),
  };
}

const env = process.env.DATABASE_URL || asksForHelp ? process.env : { ...process.env, ...findSandbox() };
const child = spawn(process.execPath, [...argumentsOf(PROGRAMS[name]!), ...args], {
  env,
  stdio: 'inherit',
});
child.once('exit', (code) => {
  process.exitCode = code ?? 1;
});
