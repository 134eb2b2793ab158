/**
 * `adapters/otlp` sends spans to an OpenTelemetry collector: OTLP over HTTP with JSON, in batches. It never blocks its
 * callers: a collector that is down, slow or full only costs spans (docs/decisions/0030-traces-by-hand.md).
 */
export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly parentSpanId?: string | undefined;
  readonly name: string;
  readonly kind: 'server' | 'internal';
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
  readonly isError?: boolean;
  /** A related trace. */
  readonly link?: { readonly traceId: string; readonly spanId: string } | undefined;
}

export interface Spans {
  add(span: Span): void;
  /** The number of spans that the collector did not accept. */
  lost(): number;
  close(): Promise<void>;
}

interface ExportOptions {
  /** The collector's base URL, or the full `…/v1/traces` URL. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The name of the process, for example `florin-server`, unless the attributes have a `service.name`. */
  readonly service: string;
  /** Of the resource. */
  readonly attributes?: Readonly<Record<string, string>>;
  readonly everyMs?: number;
  readonly timeoutMs?: number;
}

const EVERY_MS = 1_000;
const TIMEOUT_MS = 5_000;
const BATCH = 500;
/** A few seconds of a busy server. */
const MAX_WAITING = 20_000;

export function exportSpans({
  url,
  headers,
  service,
  attributes,
  everyMs = EVERY_MS,
  timeoutMs = TIMEOUT_MS,
}: ExportOptions): Spans {
  const place = /\/v1\/traces\/?$/.test(url) ? url : `${url.replace(/\/+$/, '')}/v1/traces`;
  const resource = { attributes: toAttributes({ 'service.name': service, ...attributes }) };
  let waiting: Span[] = [];
  let lost = 0;
  let underWay: Promise<void> | undefined;

  async function send(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH);
      waiting = waiting.slice(BATCH);
      const spans = batch.map(renderSpan);
      const body = JSON.stringify({
        resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'florin' }, spans }] }],
      });
      const isTaken = await fetch(place, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      }).then(
        async (answer) => {
          await answer.body?.cancel();
          return answer.ok;
        },
        () => false,
      );
      // Do not retry: a trace shows that spans are missing, and payments have their own timelines.
      if (!isTaken) {
        lost += batch.length;
        return;
      }
    }
  }

  const flush = (): Promise<void> => {
    underWay ??= send().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
  const timer = setInterval(() => void flush(), everyMs);
  timer.unref();

  return {
    add(span) {
      if (waiting.length < MAX_WAITING) waiting.push(span);
      else lost++;
    },
    lost: () => lost,
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}

const KINDS = { internal: 1, server: 2 } as const;

const renderSpan = (span: Span) => ({
  traceId: span.traceId,
  spanId: span.spanId,
  ...(span.parentSpanId && { parentSpanId: span.parentSpanId }),
  name: span.name,
  kind: KINDS[span.kind],
  startTimeUnixNano: toNanos(span.startMs),
  endTimeUnixNano: toNanos(span.endMs),
  attributes: toAttributes(span.attributes),
  ...(span.link && { links: [span.link] }),
  status: span.isError ? { code: 2 } : {},
});

/** Nanoseconds exceed the exact range of a number. Microseconds are precise enough. */
const toNanos = (ms: number): string => `${BigInt(Math.round(ms * 1_000)) * 1_000n}`;

const toAttributes = (values: Span['attributes']) =>
  Object.entries(values).flatMap(([key, value]) =>
    value === undefined
      ? []
      : [{ key, value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value } }],
  );
