/** OpenTelemetry's own variables for traces, as its specification describes them. */
import { z } from 'zod';
import type { Sampling } from '../../http/ops/openSampler.ts';
import { list, type Variable } from './shapes.ts';

/** W3C Baggage: `key=value`, with escaped characters in the value. */
const attributes = list.transform((items, context) => {
  const given: Record<string, string> = {};
  for (const item of items) {
    const [, name, value] = /^([^\s=,;]{1,255})\s*=\s*([^\s,;]{0,1000})$/.exec(item) ?? [];
    const text = value === undefined ? undefined : decode(value);
    if (name !== undefined && text !== undefined) given[name] = text;
    else context.addIssue({ code: 'custom', message: 'is not key=value' });
  }
  return given;
});

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const SAMPLERS = [
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
  'always_on',
  'always_off',
  'traceidratio',
] as const;

export const tracingVariables = {
  OTEL_SERVICE_NAME: {
    schema: z.string().min(1).max(255).optional(),
    help: 'The `service.name` of the traces of this process. Default: the one in OTEL_RESOURCE_ATTRIBUTES, or else florin-server or florin-worker.',
    example: 'florin-server',
  },
  OTEL_RESOURCE_ATTRIBUTES: {
    schema: attributes,
    help: 'Attributes of every trace: key=value (separated by commas), with %2C for a comma in a value.',
    example: 'deployment.environment.name=production,service.namespace=payments',
  },
  OTEL_TRACES_SAMPLER: {
    schema: z.enum(SAMPLERS).default('parentbased_always_on'),
    help: `The traces to send: ${SAMPLERS.join(', ')}. With parentbased, the caller's traceparent decides for its own requests.`,
    example: 'parentbased_traceidratio',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    schema: z.coerce.number().min(0).max(1).default(1),
    help: 'The share of traces that traceidratio sends, from 0 to 1.',
    example: '0.1',
  },
} as const satisfies Record<string, Variable>;

interface TracingValues {
  readonly OTEL_SERVICE_NAME?: string | undefined;
  readonly OTEL_RESOURCE_ATTRIBUTES: Readonly<Record<string, string>>;
  readonly OTEL_TRACES_SAMPLER: (typeof SAMPLERS)[number];
  readonly OTEL_TRACES_SAMPLER_ARG: number;
}

export interface Tracing {
  readonly attributes: Readonly<Record<string, string>>;
  readonly sampling: Sampling;
}

export function toTracing(values: TracingValues): Tracing {
  const { OTEL_SERVICE_NAME: name, OTEL_RESOURCE_ATTRIBUTES: given, OTEL_TRACES_SAMPLER: sampler } = values;
  const share = sampler.endsWith('traceidratio')
    ? values.OTEL_TRACES_SAMPLER_ARG
    : sampler.endsWith('always_on')
      ? 1
      : 0;
  return {
    attributes: { ...given, ...(name !== undefined && { 'service.name': name }) },
    sampling: { share, followsParent: sampler.startsWith('parentbased') },
  };
}
