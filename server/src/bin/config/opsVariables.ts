/** The variables for monitoring the processes. */
import { z } from 'zod';
import { list, port, type Variable } from './shapes.ts';
import { tracingVariables } from './tracing.ts';

const httpUrl = z.url({ protocol: /^https?$/, message: 'is not an http URL' });

const headers = list.transform((items, context) => {
  const given: Record<string, string> = {};
  for (const item of items) {
    const [, name, value] = /^([\w-]{1,100})=([\x20-\x7e]{0,4000})$/.exec(item) ?? [];
    if (name !== undefined && value !== undefined) given[name] = value;
    else context.addIssue({ code: 'custom', message: 'is not name=value' });
  }
  return given;
});

export const opsVariables = {
  FLORIN_WORKER_OPS_PORT: {
    schema: port(9465),
    help: 'The port of /healthz, /readyz and /metrics of a worker. If another worker on this machine uses it, the worker takes a free port and logs it.',
    example: '9465',
  },
  FLORIN_SIGNER_OPS_PORT: {
    schema: port(9466),
    help: 'The port of /healthz, /readyz and /metrics of the signer.',
    example: '9466',
  },
  FLORIN_LOOK_SECONDS: {
    schema: z.coerce.number().min(0.1).max(3_600).default(15),
    help: 'The interval at which a process polls the signer, the issuers and the provider of identity checks, for /readyz and the metrics.',
    example: '15',
  },
  FLORIN_OTLP_URL: {
    schema: httpUrl.optional(),
    help: 'The URL of an OpenTelemetry collector for traces (OTLP over HTTP with JSON), for example http://127.0.0.1:4318. Default: OTEL_EXPORTER_OTLP_ENDPOINT. If neither is set, Florin sends no traces.',
    example: 'http://127.0.0.1:4318',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: { schema: httpUrl.optional(), help: "OpenTelemetry's own name for FLORIN_OTLP_URL." },
  OTEL_EXPORTER_OTLP_HEADERS: {
    schema: headers,
    help: 'Headers for every request to the collector: name=value (separated by commas).',
    secret: true,
  },
  ...tracingVariables,
} as const satisfies Record<string, Variable>;
