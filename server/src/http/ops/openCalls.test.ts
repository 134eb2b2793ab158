import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { KeptCall } from '../contract/exchange.ts';
import { openCalls } from './openCalls.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'florin-calls-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const callOf = (nth: number, more: Partial<KeptCall> = {}): KeptCall => ({
  api: 'backend',
  route: '/api/v1/send_usdc',
  method: 'POST',
  status: 200,
  ms: 1.2345,
  requestId: `request-${nth}`,
  operation: 'send_usdc',
  code: undefined,
  paymentId: undefined,
  keyId: undefined,
  traceparent: undefined,
  path: '/api/v1/send_usdc',
  idempotencyKey: undefined,
  request: Buffer.from('{"amount":1}'),
  answer: '{}',
  ...more,
});
const turn = () => new Promise((done) => setImmediate(done));
const read = (name: string): { request_id: string; request?: string; answer?: string }[] =>
  readFileSync(join(folder, name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

it('writes the calls of a turn, readable only by their owner', async () => {
  const calls = openCalls(join(folder, 'calls'), (line) => line);
  for (const nth of [1, 2]) calls.keep(callOf(nth));
  await turn();
  expect(read('calls').map((one) => one.request_id)).toEqual(['request-1', 'request-2']);
  expect(statSync(join(folder, 'calls')).mode & 0o777).toBe(0o600);
  calls.keep(callOf(3));
  calls.close();
  expect(read('calls')).toHaveLength(3);
});

it('stays within two files, also over restarts, and always has the latest calls', async () => {
  const limit = 5_000;
  for (let nth = 0; nth < 200; nth++) {
    const calls = openCalls(join(folder, 'calls'), (line) => line, limit);
    calls.keep(callOf(nth));
    await turn();
    calls.close();
  }
  expect(readdirSync(folder).sort()).toEqual(['calls', 'calls.1']);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).size).toBeLessThan(limit + 1_000);
  expect(read('calls').at(-1)!.request_id).toBe('request-199');
});

it('cuts long bodies, and hides what the log hides', async () => {
  const hide = (line: string) => line.replaceAll(/fla_\w+/g, '[hidden]');
  const calls = openCalls(join(folder, 'calls'), hide);
  calls.keep(callOf(1, { request: Buffer.from('x'.repeat(10_000)), answer: '{"access_token":"fla_secret"}' }));
  calls.keep(callOf(2, { request: undefined, answer: '' }));
  await turn();
  calls.close();
  const [long, short] = read('calls');
  expect([long!.request, long!.answer]).toEqual([
    `${'x'.repeat(4_000)}… (10000 characters)`,
    '{"access_token":"[hidden]"}',
  ]);
  expect(short).not.toHaveProperty('request');
  expect(short).not.toHaveProperty('answer');
});

it('does not disturb calls when it cannot write', async () => {
  const calls = openCalls(join(folder, 'gone', 'calls'), (line) => line);
  calls.keep(callOf(1));
  await turn();
  calls.keep(callOf(2));
  await turn();
  calls.close();
});
