/** The processes of the service. Any number of each may run on one database. */
import { loadConfig, loadConsoleConfig, loadSignerConfig } from '../config/config.ts';
import { type Verb, verb } from '../program/command.ts';
import { runProcess } from '../runProcess.ts';

const ABOUT = `It runs until SIGTERM or Ctrl-C and logs JSON lines to standard output. Its configuration comes from the
environment or --env-file; .env.example lists every variable, and florin doctor --as NAME checks them.`;

const server = verb({
  summary: 'Runs both APIs and the operations port',
  about: ABOUT,
  ignoresSandbox: true,
  examples: ['server --env-file server.env'],
  async run() {
    const { startServer } = await import('../startServer.ts');
    return runProcess(loadConfig, startServer);
  },
});

const worker = verb({
  summary: 'Runs a worker: it watches the chains, sends payments, settles and reconciles',
  about: ABOUT,
  ignoresSandbox: true,
  examples: ['worker --env-file worker.env'],
  async run() {
    const { startWorker } = await import('../startWorker.ts');
    return runProcess(loadConfig, startWorker);
  },
});

const signer = verb({
  summary: 'Runs a signer: only it has the keys, and it signs only committed payments',
  about: `${ABOUT} Before its first start: florin seed create.`,
  ignoresSandbox: true,
  examples: ['signer --env-file signer.env'],
  async run() {
    const { startSigner } = await import('../startSigner.ts');
    return runProcess(loadSignerConfig, startSigner);
  },
});

const consoleVerb = verb({
  summary: 'Runs the operator console: a website for the people who run the service',
  about: `${ABOUT} Operators log in with their OpenID account (florin operator link) and the password of
their database login.`,
  ignoresSandbox: true,
  examples: ['console --env-file console.env'],
  async run() {
    const { startConsole } = await import('../startConsole.ts');
    return runProcess(loadConsoleConfig, startConsole);
  },
});

export default { server, worker, signer, console: consoleVerb } satisfies Record<string, Verb>;
