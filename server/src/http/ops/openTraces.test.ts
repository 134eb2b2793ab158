import { expect, it } from 'vitest';
import type { Span } from '../../adapters/otlp/exportSpans.ts';
import type { Queryable } from '../../db/database.ts';
import type { Seen } from '../contract/exchange.ts';
import { openTraces } from './openTraces.ts';

/** The trace ids of a request with this `traceparent`, and of a request that belongs to a payment. */
function trace(share: number, followsParent: boolean, traceparent: string | undefined, paymentId: string): string[] {
  const sent: string[] = [];
  const spans = { add: (span: Span) => sent.push(span.traceId), lost: () => 0, close: async () => {} };
  const traces = openTraces(spans, undefined as unknown as Queryable, { share, followsParent });
  const seen = { api: 'web3', operation: 'pay', route: '/pay', method: 'POST', status: 200, ms: 1, requestId: 'r' };
  traces.request({ ...seen, code: undefined, keyId: undefined, paymentId, traceparent } as Seen);
  return sent;
}

const PAYMENT = '0af76519-16cd-43dd-8448-eb211c80319c';
const OTHER = '11111111111111111111111111111111';
const parentWith = (flags: string) => `00-${OTHER}-b7ad6b7169203331-${flags}`;

it("sends a request in its caller's trace if the caller sends its own spans", () => {
  expect(trace(0, true, parentWith('01'), PAYMENT)).toEqual([OTHER]);
  // Bit 1 says that the trace id is random; only bit 0 says that it is sampled.
  expect(trace(1, true, parentWith('02'), PAYMENT)).toEqual([]);
  expect(trace(1, false, parentWith('00'), PAYMENT)).toEqual([OTHER]);
});

it('chooses other requests by the id of their payment', () => {
  const id = PAYMENT.replaceAll('-', '');
  expect(trace(1, true, undefined, PAYMENT)).toEqual([id]);
  expect(trace(0, true, undefined, PAYMENT)).toEqual([]);
  // The last 14 digits, 48eb211c80319c, are above 0.28 of the largest number and below 0.29.
  expect(trace(0.71, true, undefined, PAYMENT)).toEqual([]);
  expect(trace(0.72, true, undefined, PAYMENT)).toEqual([id]);
});
