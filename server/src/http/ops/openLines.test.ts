import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../../../test/support/eventually.ts';
import { openLines } from './openLines.ts';
import { openRequestLines } from './openRequestLines.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'florin-lines-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

it('lines arrive completely and in order; the last ones when the process ends', async () => {
  const file = join(folder, 'log');
  const fd = openSync(file, 'w');
  const lines = openLines(fd);
  const all = Array.from({ length: 5_000 }, (_, i) => `line ${i} ${'ü'.repeat(i % 50)}\n`);
  for (const line of all.slice(0, 4_000)) lines.write(line);
  await eventually(() => expect(readFileSync(file, 'utf8')).toBe(all.slice(0, 4_000).join('')));
  for (const line of all.slice(4_000)) lines.write(line);
  lines.close();
  expect(readFileSync(file, 'utf8')).toBe(all.join(''));
  closeSync(fd);
});

it('a full disk costs lines, which are counted, and nothing else', async () => {
  const fd = openSync('/dev/full', 'w');
  const lines = openLines(fd, { retryMs: 10, maxWaiting: 1_000 });
  for (let i = 0; i < 100; i++) lines.write(`${'x'.repeat(99)}\n`);
  await eventually(() => {
    lines.write(`${'x'.repeat(99)}\n`);
    expect(lines.lost()).toBeGreaterThan(100);
  });
  lines.close();
  await sleep(50);
  closeSync(fd);
});

it('a stalled reader loses lines; when it reads again, a line says how many', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const fd = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  const lines = openLines(fd, { retryMs: 10, maxWaiting: 10_000 });
  for (let i = 0; i < 50; i++) {
    for (let j = 0; j < 100; j++) lines.write(`{"n":${i * 100 + j},"text":"${'x'.repeat(80)}"}\n`);
    await sleep(10);
  }
  expect(lines.lost()).toBeGreaterThan(0);
  let read = '';
  const buffer = Buffer.alloc(65_536);
  await eventually(() => {
    lines.write('{"n":"more"}\n');
    try {
      read += buffer.toString('utf8', 0, readSync(fd, buffer));
    } catch {
      // Nothing is there yet.
    }
    const whole = read.split('\n').slice(0, -1);
    const reported = whole.map((line) => (JSON.parse(line) as { lines?: number }).lines ?? 0);
    expect(reported.reduce((sum, one) => sum + one)).toBe(lines.lost());
  });
  lines.close();
  await sleep(50);
  closeSync(fd);
});

it('a request is one line of JSON, with its own fields and nothing else', () => {
  const written: string[] = [];
  const write = openRequestLines({ write: (line) => void written.push(line) });
  const seen = {
    api: 'backend',
    route: '/api/v1/send_usdc',
    method: 'POST',
    status: 200,
    ms: 1.23456,
    requestId: 'abc-1',
    operation: 'send_usdc',
    code: undefined,
    paymentId: 'e0f8b2f6-3a0c-5d5e-9f3e-0c1d2e3f4a5b',
    keyId: undefined,
    traceparent: undefined,
  };
  write(seen);
  write({ ...seen, operation: '', status: 404, code: 'user.unknown', paymentId: undefined, keyId: 'k' });
  const frame = { level: 'info', time: expect.stringMatching(/^\d{4}-.*Z$/), pid: process.pid, msg: 'request' };
  expect(written.every((line) => line.endsWith('}\n'))).toBe(true);
  expect(written.map((line) => JSON.parse(line))).toEqual([
    {
      ...frame,
      request_id: 'abc-1',
      api: 'backend',
      method: 'POST',
      operation: 'send_usdc',
      status: 200,
      ms: 1.23,
      payment_id: seen.paymentId,
    },
    {
      ...frame,
      request_id: 'abc-1',
      api: 'backend',
      method: 'POST',
      operation: '/api/v1/send_usdc',
      status: 404,
      ms: 1.23,
      code: 'user.unknown',
      key_id: 'k',
    },
  ]);
});
