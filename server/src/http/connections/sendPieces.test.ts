/** Answers of unknown length: generated as they are read, cut when they fail. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { raw } from '../../../../test/support/http/raw.ts';
import { type ServedOperations, serveOperations } from '../../../../test/support/http/serveOperations.ts';
import { PayError } from '../../core/errors.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** An operation without parameters, which answers with these pieces. */
async function serve(pieces: () => AsyncIterable<string>): Promise<ServedOperations> {
  const served = await serveOperations('backend', { list_sessions: async () => ({ body: null, pieces: pieces() }) });
  closing.push(() => served.close());
  return served;
}
const GET = 'GET /api/v1/sessions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';

it('generates no more pieces than a client reads, and stops when it disconnects', async () => {
  let made = 0;
  const piece = 'x'.repeat(65_536);
  const { url } = await serve(async function* () {
    for (;;) {
      made++;
      yield piece;
    }
  });
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.pause();
  socket.write(GET);
  await expect.poll(() => made).toBeGreaterThan(0);
  // The sockets of both sides hold some megabytes; then nothing is generated until the client reads.
  let before = 0;
  while (made > before) {
    before = made;
    await sleep(300);
  }
  expect(made).toBeLessThan(1_000);
  socket.resume();
  await expect.poll(() => made).toBeGreaterThan(before + 100);
  socket.destroy();
  let after = 0;
  while (made > after) {
    after = made;
    await sleep(300);
  }
  expect(made).toBe(after);
});

it('ends the generator when the client has disconnected', async () => {
  let made = 0;
  let hasEnded = false;
  const { url } = await serve(async function* () {
    try {
      for (;;) {
        made++;
        yield 'x';
        await sleep(20);
      }
    } finally {
      hasEnded = true;
    }
  });
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(GET);
  await expect.poll(() => made).toBeGreaterThan(3);
  expect(hasEnded).toBe(false);
  socket.destroy();
  await expect.poll(() => hasEnded).toBe(true);
});

it('answers a failure before the first piece like any other error', async () => {
  // biome-ignore lint/correctness/useYield: it fails before
  const { url } = await serve(async function* () {
    throw new PayError('user.unknown');
  });
  const answer = await fetch(`${url}/api/v1/sessions`);
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([404, 'user.unknown']);
});

it('cuts the connection when a later piece fails, so that the text is visibly incomplete', async () => {
  const { url } = await serve(async function* () {
    yield '{"half":';
    throw new Error('the database went away');
  });
  // The end of a chunked text is a chunk of no bytes.
  expect(await raw(url, GET)).not.toMatch(/\r\n0\r\n\r\n$/);
  await expect(fetch(`${url}/api/v1/sessions`).then((answer) => answer.text())).rejects.toThrow();
});
