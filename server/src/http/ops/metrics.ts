import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  readonly registry: Registry;
  observeRequest(seen: { api: string; route: string; method: string; status: number; ms: number }): void;
  setReady(dependency: string, ready: boolean): void;
  setCertificateExpiry(seconds: number): void;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // Routes are templates and unmatched paths share one label, so nobody can make new time series by asking.
  const labelNames = ['api', 'route', 'method', 'status'] as const;
  const requests = new Counter({
    name: 'florin_http_requests_total',
    help: 'Answers given, by API, route, method and status.',
    labelNames,
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'florin_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its answer.',
    labelNames: ['api', 'route', 'method'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const ready = new Gauge({
    name: 'florin_dependency_ready',
    help: '1 when the dependency answered the last readiness check.',
    labelNames: ['dependency'] as const,
    registers: [registry],
  });
  const expiry = new Gauge({
    name: 'florin_tls_certificate_expiry_seconds',
    help: 'When the certificate that the APIs show ends, in seconds since 1970; 0 when TLS ends before them.',
    registers: [registry],
  });
  return {
    registry,
    observeRequest({ api, route, method, status, ms }) {
      requests.inc({ api, route, method, status });
      seconds.observe({ api, route, method }, ms / 1000);
    },
    setReady: (dependency, isReady) => ready.set({ dependency }, isReady ? 1 : 0),
    setCertificateExpiry: (at) => expiry.set(at),
  };
}
