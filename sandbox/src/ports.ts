import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartFault } from './fault.ts';

const HOST = '127.0.0.1';

/**
 * A port is chosen seconds before a process listens on it. These ports lie below those that systems usually assign
 * automatically (from 32768 on Linux, from 49152 on other systems), and concurrent processes choose from separate
 * ranges, so a chosen port is very likely still free.
 */
const RANGES = { from: 12_000, count: 640, width: 32 };

interface NamedPort {
  readonly port: number;
  /** The program that listens there, for messages. */
  readonly of: string;
  readonly variable: string;
}

export async function isPortFree(port: number): Promise<boolean> {
  return typeof (await tryListen(port)) === 'number';
}

let given = 0;

export async function findFreePort(preferred?: number): Promise<number> {
  if (preferred !== undefined && (await isPortFree(preferred))) return preferred;
  const first = RANGES.from + (process.pid % RANGES.count) * RANGES.width;
  for (let tried = 0; tried < RANGES.width; tried++) {
    const next = first + (given++ % RANGES.width);
    if (await isPortFree(next)) return next;
  }
  const port = await tryListen(0);
  if (typeof port !== 'number') throw new StartFault(`There is no free port on ${HOST}.`);
  return port;
}

/** Checked before anything starts, so that a taken port is reported immediately. */
export async function checkPorts(ports: readonly NamedPort[], options: { patienceMs: number }): Promise<void> {
  const deadline = Date.now() + options.patienceMs;
  for (const { port, of, variable } of ports) {
    let found = await tryListen(port);
    while (found === 'taken' && Date.now() < deadline) {
      await sleep(100);
      found = await tryListen(port);
    }
    if (typeof found === 'number') continue;
    const other = await findFreePort(port < 1024 ? port + 8000 : Math.min(port + 100, 65_535));
    const why = found === 'taken' ? 'is taken by another program. Stop it' : 'may only be used by root';
    throw new StartFault(`Port ${port} (${of}) ${why}, or choose another: ${variable}=${other} npm start`);
  }
}

function tryListen(port: number): Promise<number | 'taken' | 'forbidden'> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve('taken');
      else if (error.code === 'EACCES') resolve('forbidden');
      else reject(error);
    });
    server.listen({ port, host: HOST, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : port));
    });
  });
}
