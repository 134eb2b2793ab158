import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { countRequests } from './requestSeries.ts';

const route = '/api/v1/send_usdc';

it('renders what Prometheus expects: cumulative buckets in seconds, a sum and a count', async () => {
  const registry = new Registry();
  const { observe } = countRequests(registry);
  for (const ms of [0.4, 1, 7, 7, 60_000]) observe({ api: 'backend', route, method: 'POST', status: 200, ms });
  observe({ api: 'backend', route, method: 'POST', status: 409, ms: 3 });

  const lines = (await registry.metrics()).split('\n');
  const where = `api="backend",route="${route}",method="POST"`;
  expect(lines).toContain('# TYPE florin_http_requests_total counter');
  expect(lines).toContain(`florin_http_requests_total{${where},status="200"} 5`);
  expect(lines).toContain(`florin_http_requests_total{${where},status="409"} 1`);
  expect(lines).toContain('# TYPE florin_http_request_duration_seconds histogram');
  const buckets = lines.filter((line) => line.includes('_bucket')).map((line) => /le="([^"]+)".* (\d+)$/.exec(line)!);
  expect(buckets.map(([, le, count]) => `${le}:${count}`).join(' ')).toBe(
    '0.001:2 0.0025:2 0.005:3 0.01:5 0.025:5 0.05:5 0.1:5 0.25:5 0.5:5 1:5 2.5:5 10:5 +Inf:6',
  );
  expect(lines).toContain(`florin_http_request_duration_seconds_sum{${where}} 60.0184`);
  expect(lines).toContain(`florin_http_request_duration_seconds_count{${where}} 6`);
});

it('keeps routes and methods apart', async () => {
  const registry = new Registry();
  const { observe } = countRequests(registry);
  observe({ api: 'web3', route: '', method: 'GET', status: 404, ms: 1 });
  observe({ api: 'web3', route, method: 'GET', status: 405, ms: 1 });
  expect((await registry.metrics()).match(/^florin_http_requests_total\{.*$/gm)).toEqual([
    'florin_http_requests_total{api="web3",route="",method="GET",status="404"} 1',
    `florin_http_requests_total{api="web3",route="${route}",method="GET",status="405"} 1`,
  ]);
});

it('shows that an expected route has answered no defect, until it does', async () => {
  const registry = new Registry();
  const { observe, expectRoute } = countRequests(registry);
  expectRoute({ api: 'backend', route, method: 'POST' });
  const where = `api="backend",route="${route}",method="POST",code="internal.error"`;
  const lines = async () => (await registry.metrics()).split('\n').filter((line) => line.includes(where));
  expect(await lines()).toEqual([`florin_http_errors_total{${where}} 0`]);
  observe({ api: 'backend', route, method: 'POST', status: 404, ms: 1, code: 'user.unknown' });
  expect(await lines()).toEqual([`florin_http_errors_total{${where}} 0`]);
  observe({ api: 'backend', route, method: 'POST', status: 500, ms: 1, code: 'internal.error' });
  expect(await lines()).toEqual([`florin_http_errors_total{${where}} 1`]);
});
