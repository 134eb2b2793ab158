import type { Logger } from 'pino';
import { expect, it } from 'vitest';
import { PayError } from '../../core/errors.ts';
import { openRetries } from './openRetries.ts';

function open() {
  const lines: Record<string, unknown>[] = [];
  let nowMs = 0;
  const note = (fields: object, msg: string) => void lines.push({ ...fields, msg });
  const log = { warn: note, info: note } as unknown as Logger;
  return { lines, retries: openRetries(log, 60_000, () => nowMs), after: (ms: number) => (nowMs += ms) };
}

const away = () =>
  new PayError('service.unavailable', { dependency: 'ETH' }, { cause: new Error('node.example gave no answer') });

it('an unreachable network is one line with host and cause, then one a minute, then one when all work again', () => {
  const { lines, retries, after } = open();
  for (let i = 0; i < 30; i++) {
    for (const job of ['carry ETH', 'track ETH']) retries.failed(job, away(), 'a job failed');
    after(1_000);
  }
  expect(lines).toEqual([
    { what: 'ETH', why: 'ETH does not answer: node.example gave no answer', msg: 'a job failed' },
  ]);
  after(30_000);
  retries.failed('carry ETH', away(), 'a job failed');
  retries.failed('carry ETH', away(), 'a job failed');
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatchObject({ what: 'ETH', times: 61, since: new Date(0) });
  retries.worked('carry ETH');
  expect(lines).toHaveLength(2);
  retries.worked('track ETH');
  expect(lines[2]).toMatchObject({ what: 'ETH', times: 62, msg: 'recovered' });
  expect(retries.counts().get('ETH')).toBe(62);
});

it('a defect keeps its stack, and is logged again when it returns much later', () => {
  const { lines, retries, after } = open();
  const error = new Error('x is not a function');
  retries.failed('settle ETH', error, 'a job failed');
  expect(lines).toEqual([{ what: 'settle ETH', why: 'x is not a function', err: error, msg: 'a job failed' }]);
  after(3_600_000);
  retries.failed('settle ETH', error, 'a job failed');
  expect(lines[1]).toMatchObject({ what: 'settle ETH', err: error });
});
