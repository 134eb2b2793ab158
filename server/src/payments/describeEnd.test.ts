import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { errorTable } from '../core/errors.ts';
import { describeEnd } from './describeEnd.ts';
import { describeFault } from './payouts/payout.ts';

const SECRET =
  'execution reverted at block 2757: 0x52908400098527886E0F7030069857D2E4169EE7 has 42 wei, https://node.example.com';
const INTERNAL = /\d|0x|wei|https?:|reverted/;

it.each([
  ['FAILED', SECRET, 'it could not be sent'],
  ['FAILED', `the signer refused: ${SECRET}`, 'it could not be signed'],
  ['FAILED', `the provider of the wallet could not send it: ${SECRET}`, 'the provider of the wallet could not send it'],
  ['FAILED', 'its key was used for another transfer before', 'it could not be sent'],
  ['FAILED', 'its chain transaction ran out of gas', 'the blockchain did not take it in time'],
  ['FAILED', 'the funding wallet is blacklisted by the token', 'the token refuses payments from this wallet'],
  ['DENIED', 'the destination is blacklisted by the token', 'the token refuses payments to this address'],
  ['DENIED', `denied by an operator: ${SECRET}`, 'the operator of this service has denied it'],
  ['DENIED', 'denied by an operator: cancelled on chain', 'the operator of this service has denied it'],
  ['CANCELLED', 'cancelled on chain', 'cancelled on chain'],
  ['CANCELLED', `cancelled on chain; ${SECRET}`, 'it was cancelled'],
  ['COMPLETE', SECRET, null],
  ['FAILED', null, null],
] as const)('%s, %s', (state, stored, words) => {
  expect(describeEnd(state, stored)).toBe(words);
  const item = describeFault({ code: 'payment.ended', details: { state, reason: stored } });
  expect(item).not.toMatch(INTERNAL);
  if (words !== null) expect(item).toContain(words);
});

it('has prepared words for every reason that the code ends payments with', () => {
  const source = ['sends/cancelPayment.ts', 'tracking/applyLogs.ts'].map((file) =>
    readFileSync(new URL(file, import.meta.url), 'utf8'),
  );
  const reasons = source.flatMap((text) => [...text.matchAll(/releasePayment\(tx, hold, 'CANCELLED', '([^']+)'/g)]);
  expect(reasons.length).toBeGreaterThan(1);
  for (const [, reason] of reasons) expect(describeEnd('CANCELLED', reason!)).toBe(reason);
});

it('no problem of the API says where we run or what we run on', () => {
  for (const { title, detail } of Object.values(errorTable))
    expect(title + detail).not.toMatch(/https?:|0x[0-9a-f]|\bwei\b|relayer/i);
});
