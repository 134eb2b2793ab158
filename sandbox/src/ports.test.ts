import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { findFreePort } from './ports.ts';

/**
 * The lowest port that the system assigns automatically. On some machines this range covers nearly all ports, so no
 * port is safe from a collision.
 */
const handsOutFrom = (): number => {
  const file = '/proc/sys/net/ipv4/ip_local_port_range';
  return existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : 49_152;
};

const open: Server[] = [];

const listen = (port: number): Promise<number> =>
  new Promise((done, fail) => {
    const server = createServer().once('error', fail);
    server.listen(port, '127.0.0.1', () => {
      open.push(server);
      done((server.address() as { port: number }).port);
    });
  });

afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => new Promise((done) => server.close(done))));
});

describe('a free port', () => {
  it.skipIf(handsOutFrom() < 32_768)('is not one that the system assigns automatically', async () => {
    const chosen = await Promise.all(Array.from({ length: 12 }, () => findFreePort()));
    const handed = await Promise.all(Array.from({ length: 50 }, () => listen(0)));
    expect(Math.max(...chosen)).toBeLessThan(Math.min(...handed));
  });

  it('is chosen once: two concurrent choices differ', async () => {
    const chosen = await Promise.all(Array.from({ length: 12 }, () => findFreePort()));
    expect(new Set(chosen).size).toBe(12);
  });

  it('is the preferred one, unless it is taken', async () => {
    const wanted = await findFreePort();
    expect(await findFreePort(wanted)).toBe(wanted);
    await listen(wanted);
    expect(await findFreePort(wanted)).not.toBe(wanted);
  });
});
