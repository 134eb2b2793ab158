import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findStartTime } from './processes.ts';
import { takeLock } from './takeLock.ts';

let folder: string;
const hold = (content: unknown) => writeFileSync(join(folder, 'lock'), JSON.stringify(content));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'florin-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('is held once and released', () => {
  const lock = takeLock(folder);
  expect(lock.takenOver).toBe(false);
  expect(() => takeLock(folder)).toThrow(`already runs in ${folder} (pid ${process.pid}; it is still starting)`);
  lock.release();
  expect(readdirSync(folder)).toEqual([]);
  expect(takeLock(folder).takenOver).toBe(false);
});

it.each([
  ['a process that has ended', { pid: 2 ** 22 + 1, started: '1' }],
  ['a pid that now belongs to another program', { pid: process.ppid, started: '1' }],
  ['a damaged file', 'rubbish'],
])('is taken over from %s', (_, content) => {
  hold(content);
  expect(takeLock(folder).takenOver).toBe(true);
  expect(JSON.parse(readFileSync(join(folder, 'lock'), 'utf8')).pid).toBe(process.pid);
  expect(readdirSync(folder)).toEqual(['lock']);
});

it('is not removed if another process now holds it', () => {
  const lock = takeLock(folder);
  hold({ pid: process.ppid, started: findStartTime(process.ppid) });
  lock.release();
  expect(readdirSync(folder)).toEqual(['lock']);
});
