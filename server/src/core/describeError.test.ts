import { expect, it } from 'vitest';
import { describeError } from './describeError.ts';
import { PayError } from './errors.ts';

it('names the silent party, the host, and the cause that sockets hide in an empty AggregateError', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:8545'), { code: 'ECONNREFUSED' });
  const both = new AggregateError([refused, refused]);
  const fetched = new TypeError('fetch failed', { cause: both });
  const silent = new Error('node.example gave no answer to eth_blockNumber: fetch failed', { cause: fetched });
  const all = new AggregateError([silent], '2 of 3 nodes must agree about the head');
  expect(describeError(new PayError('service.unavailable', { dependency: 'ETH' }, { cause: all }))).toBe(
    'ETH does not answer: 2 of 3 nodes must agree about the head: node.example gave no answer to ' +
      'eth_blockNumber: fetch failed: connect ECONNREFUSED 127.0.0.1:8545',
  );
});

it('uses the code of an error without a message, and the cause of an unknown answer', () => {
  expect(describeError(Object.assign(new Error(''), { code: 'ECONNRESET' }))).toBe('ECONNRESET');
  expect(describeError({ outcome: 'unknown', cause: new Error('the signer hung up') })).toBe('the signer hung up');
  expect(describeError(new Error(''))).toBe('Error');
});

it('is one line of bounded length, also for errors that cause each other', () => {
  const circle = new Error('a\nb');
  circle.cause = new Error('c', { cause: circle });
  expect(describeError(circle)).not.toContain('\n');
  expect(describeError(new Error('x'.repeat(5_000))).length).toBeLessThanOrEqual(600);
});
