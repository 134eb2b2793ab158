import { expect, it } from 'vitest';
import { toTracing, tracingVariables } from './tracing.ts';
import { readValues } from './values.ts';

const read = (env: Record<string, string>) => {
  const { values, faults } = readValues(env, Object.keys(tracingVariables));
  return { tracing: () => toTracing(values as Parameters<typeof toTracing>[0]), faults };
};

it("takes OpenTelemetry's own variables", () => {
  const env = {
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=x, team=a%2Cb%20c,empty=',
    OTEL_SERVICE_NAME: 'payments',
    OTEL_TRACES_SAMPLER_ARG: '0.1',
  };
  expect(read({ ...env, OTEL_TRACES_SAMPLER: 'traceidratio' }).tracing()).toEqual({
    attributes: { 'service.name': 'payments', team: 'a,b c', empty: '' },
    sampling: { share: 0.1, followsParent: false },
  });
  const samplers = ['always_on', 'always_off', 'parentbased_always_off', 'parentbased_traceidratio', ''];
  expect(samplers.map((one) => read({ ...env, OTEL_TRACES_SAMPLER: one }).tracing().sampling)).toEqual([
    { share: 1, followsParent: false },
    { share: 0, followsParent: false },
    { share: 0, followsParent: true },
    { share: 0.1, followsParent: true },
    { share: 1, followsParent: true },
  ]);
});

it('sends everything by default, under the name of the process', () => {
  expect(read({}).tracing()).toEqual({ attributes: {}, sampling: { share: 1, followsParent: true } });
});

it('refuses what it does not understand', () => {
  const env = { OTEL_TRACES_SAMPLER: 'jaeger_remote', OTEL_TRACES_SAMPLER_ARG: '2', OTEL_RESOURCE_ATTRIBUTES: 'a=%' };
  expect(read(env).faults.map((fault) => fault.split(' ', 1)[0])).toEqual([
    'OTEL_RESOURCE_ATTRIBUTES',
    'OTEL_TRACES_SAMPLER',
    'OTEL_TRACES_SAMPLER_ARG',
  ]);
});
