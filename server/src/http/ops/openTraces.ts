import { randomBytes } from 'node:crypto';
import type { Spans } from '../../adapters/otlp/exportSpans.ts';
import type { News, Queryable } from '../../db/database.ts';
import type { Seen } from '../contract/exchange.ts';
import { openSampler, type Sampling } from './openSampler.ts';

/** Spans of requests and of the later steps of payments, in any process. */
interface Traces {
  request(seen: Seen): void;
  payments(news: readonly News[]): void;
}

interface Step {
  readonly payment_id: string;
  readonly state: string;
  readonly tx_hash: string | null;
  readonly at: Date;
  readonly since: Date | null;
  readonly began: Date;
  readonly is_last: boolean;
}

/** version, trace id, parent's span id, flags */
const TRACEPARENT = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-.*)?$/;
const SAMPLED = 1;

/**
 * A payment's id has as many bits as a trace's, so it serves as the trace id and no context needs to be passed along. A
 * request with a `traceparent` stays in the caller's trace and is linked to the payment's trace.
 */
const traceOf = (paymentId: string): string => paymentId.replaceAll('-', '');
/** The id of the span that covers the whole payment. */
const rootSpanOf = (paymentId: string): string => traceOf(paymentId).slice(0, 16);

export function openTraces(spans: Spans, db: Queryable, sampling: Sampling): Traces {
  const isSampled = openSampler(sampling);
  return {
    request({ api, operation, route, method, status, ms, requestId, code, paymentId, traceparent }) {
      const [, parentTraceId, parentSpanId, flags = ''] = TRACEPARENT.exec(traceparent ?? '') ?? [];
      const traceId = parentTraceId ?? (paymentId ? traceOf(paymentId) : newId(16));
      const isParentSampled = parentTraceId === undefined ? undefined : (Number.parseInt(flags, 16) & SAMPLED) !== 0;
      if (!isSampled(traceId, isParentSampled)) return;
      const endMs = Date.now();
      spans.add({
        traceId,
        spanId: newId(8),
        parentSpanId,
        name: `${method} ${route || 'unmatched'}`,
        kind: 'server',
        startMs: endMs - ms,
        endMs,
        isError: status >= 500,
        attributes: {
          'http.request.method': method,
          'http.route': route,
          'http.response.status_code': status,
          'florin.api': api,
          'florin.operation': operation,
          'florin.request_id': requestId,
          'florin.payment_id': paymentId,
          'error.type': code,
        },
        link: parentTraceId && paymentId ? { traceId: traceOf(paymentId), spanId: rootSpanOf(paymentId) } : undefined,
      });
    },
    payments(news) {
      const ids = [
        ...new Set(news.flatMap(({ payment_id: id, kind }) => (id && kind !== 'deposit' ? [id] : []))),
      ].filter((id) => isSampled(traceOf(id)));
      if (ids.length === 0) return;
      const isNews = new Set(news.map(({ payment_id: id, state }) => `${id} ${state}`));
      readSteps(db, ids).then(
        (steps) => {
          for (const step of steps)
            if (isNews.has(`${step.payment_id} ${step.state}`)) for (const span of toSpans(step)) spans.add(span);
        },
        // Traces are for people; nothing else depends on them.
        () => {},
      );
    },
  };
}

const readSteps = (db: Queryable, ids: readonly string[]): Promise<Step[]> =>
  db.query<Step>(
    `SELECT payment_id, state, tx_hash, at, lag(at) OVER steps AS since, first_value(at) OVER steps AS began,
            payment_is_final(state) AS is_last
       FROM payment_events WHERE payment_id = ANY ($1) WINDOW steps AS (PARTITION BY payment_id ORDER BY seq)`,
    [ids],
  );

/** The step that led to a state; after the last step, the whole payment. */
function toSpans({ payment_id: id, state, tx_hash: hash, at, since, began, is_last: isLast }: Step) {
  const shared = {
    traceId: traceOf(id),
    kind: 'internal' as const,
    endMs: at.getTime(),
    isError: state === 'FAILED',
    attributes: { 'florin.payment_id': id, 'florin.state': state, 'florin.tx_hash': hash ?? undefined },
  };
  const step = {
    ...shared,
    spanId: newId(8),
    parentSpanId: rootSpanOf(id),
    name: `payment ${state}`,
    startMs: (since ?? at).getTime(),
  };
  return isLast ? [step, { ...shared, spanId: rootSpanOf(id), name: 'payment', startMs: began.getTime() }] : [step];
}

const newId = (bytes: number): string => randomBytes(bytes).toString('hex');
