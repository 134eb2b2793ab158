/** HAProxy in front of servers, as a service with an ingress: it sends requests to those that are ready. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../../sandbox/src/ports.ts';
import { eventually } from '../eventually.ts';

/** Where a server answers calls and its readiness. */
export interface Place {
  readonly name: string;
  readonly port: number;
  readonly opsPort: number;
}

interface Balancer {
  readonly url: string;
  /** Resolves when it sends requests there. */
  untilReady(name: string): Promise<void>;
  /** From now on, no new request goes there; running ones end. */
  drain(name: string): Promise<void>;
  stop(): Promise<void>;
}

const env = { PATH: `${process.env.PATH}:/usr/sbin` };

export const hasHaproxy = (): boolean => spawnSync('haproxy', ['-v'], { env }).status === 0;

export async function startBalancer(places: readonly Place[]): Promise<Balancer> {
  const folder = mkdtempSync(join(tmpdir(), 'florin-balancer-'));
  const [port, admin] = [await findFreePort(), join(folder, 'admin.sock')];
  const lines = [
    'global',
    `  stats socket ${admin} mode 600 level admin`,
    'defaults',
    '  mode http',
    '  timeout connect 60s',
    // A slow machine is not a server that has ended: that one refuses connections.
    '  timeout check 60s',
    '  timeout client 120s',
    '  timeout server 120s',
    'listen api',
    `  bind 127.0.0.1:${port}`,
    // A failed call must be seen, not repeated.
    '  retries 0',
    '  option httpchk GET /readyz',
    ...places.map(
      (one) => `  server ${one.name} 127.0.0.1:${one.port} check inter 500 fall 3 rise 1 port ${one.opsPort}`,
    ),
  ];
  writeFileSync(join(folder, 'haproxy.cfg'), `${lines.join('\n')}\n`);
  const child = spawn('haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], { env, stdio: 'ignore' });
  const ask = (command: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let said = '';
      const socket = connect(admin);
      socket
        .on('connect', () => socket.end(`${command}\n`))
        .on('data', (text) => (said += text))
        .on('error', reject)
        .on('end', () => resolve(said));
    });
  await eventually(() => ask('show info'));
  return {
    url: `http://127.0.0.1:${port}`,
    untilReady: (name) =>
      eventually(async () => {
        const row = (await ask('show stat')).split('\n').find((line) => line.startsWith(`api,${name},`));
        if (!row?.includes(',UP,')) throw new Error(`${name} is not ready: ${row}`);
      }),
    async drain(name) {
      const said = (await ask(`set server api/${name} state drain`)).trim();
      if (said) throw new Error(said);
    },
    async stop() {
      const gone = new Promise((done) => child.once('exit', done));
      if (child.exitCode === null && child.kill('SIGKILL')) await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
