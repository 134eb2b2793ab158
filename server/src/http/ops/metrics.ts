import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { countRequests, type SeenRequest } from './requestSeries.ts';

export interface Metrics {
  readonly registry: Registry;
  observeRequest(seen: SeenRequest): void;
  setReady(dependency: string, ready: boolean): void;
  setCertificateExpiry(seconds: number): void;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
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
    observeRequest: countRequests(registry),
    setReady: (dependency, isReady) => ready.set({ dependency }, isReady ? 1 : 0),
    setCertificateExpiry: (at) => expiry.set(at),
  };
}
