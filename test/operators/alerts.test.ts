/**
 * Alert rules, their pages and the dashboard match each other and the metrics. test/stories/seeing tests which alerts
 * fire.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createMetrics } from '../../server/src/http/ops/metrics.ts';
import { observeDatabase } from '../../server/src/http/ops/observeDatabase.ts';
import { openPasses } from '../../server/src/http/ops/probes.ts';
import { evaluate, metricOf, readAlerts } from '../support/http/alerts.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const alerts = readAlerts();

async function listMetrics(): Promise<Set<string>> {
  const metrics = createMetrics();
  metrics.showDependencies(() => []);
  metrics.showNodes([]);
  metrics.showPasses(openPasses());
  metrics.showRetries(() => new Map());
  metrics.showLostLines(() => 0);
  metrics.setCertificateExpiry(0);
  observeDatabase(metrics.registry, { query: async () => [] });
  const text = await metrics.registry.metrics();
  return new Set([...text.matchAll(/^# HELP (\w+)/gm)].map(([, name]) => name!));
}

it('every alert uses an existing metric, and has a page that says what to do', async () => {
  const known = await listMetrics();
  expect(alerts.length).toBeGreaterThan(15);
  for (const { name, expr, runbook } of alerts) {
    const metric = metricOf(expr);
    if (metric !== 'up') expect([...known], name).toContain(metric);
    expect(runbook).toBe(`docs/operating/alerts/${name}.md`);
    expect(existsSync(join(root, runbook)), runbook).toBe(true);
    const page = readFileSync(join(root, runbook), 'utf8');
    expect(page).toContain(`\`\`\`promql\n${expr}\n\`\`\``);
    for (const part of ['## What it means', '## What people notice', '## What to do\n\n1. '])
      expect(page).toContain(part);
  }
});

it('every page has its alert', () => {
  const pages = readdirSync(join(root, 'docs/operating/alerts')).map((file) => file.replace(/\.md$/, ''));
  expect(pages.sort()).toEqual(alerts.map(({ name }) => name).sort());
});

it('the dashboard shows existing metrics', async () => {
  const known = await listMetrics();
  const { panels } = JSON.parse(readFileSync(join(root, 'docs/operating/dashboard.json'), 'utf8')) as {
    panels: { targets?: { expr: string }[] }[];
  };
  const named = panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => expr.match(/florin_\w+/g) ?? []));
  expect(named.length).toBeGreaterThan(15);
  expect(named.map((name) => name.replace(/_bucket$/, '')).filter((name) => !known.has(name))).toEqual([]);
});

it('expressions are evaluated as in Prometheus', () => {
  const text = 'a{x="1",y="track ETH"} 0\na{x="2",y="other"} 0\nb 7\nc{code="z"} 5\n';
  expect(evaluate('a{y=~"(carry|track) .*"} == 0', text)).toEqual([{ x: '1', y: 'track ETH' }]);
  expect(evaluate('a == 0', text)).toHaveLength(2);
  expect(evaluate('a > 0', text)).toEqual([]);
  expect(evaluate('b != 0', text)).toEqual([{}]);
  expect(evaluate('time() - b > 100', text)).toEqual([{}]);
  expect(evaluate('b - time() < 100', text)).toEqual([{}]);
  expect(evaluate('increase(c{code="z"}[5m]) > 0', text, text)).toEqual([]);
  expect(evaluate('increase(c{code="z"}[5m]) > 0', text, 'c{code="z"} 4\n')).toEqual([{ code: 'z' }]);
  expect(evaluate('increase(c{code="z"}[5m]) > 0', text, '')).toEqual([]);
  const first = 'c{code="z"} > 0 unless c{code="z"} offset 5m';
  expect(evaluate(first, text, '')).toEqual([{ code: 'z' }]);
  expect(evaluate(first, text, text)).toEqual([]);
  expect(evaluate('a == 7 or absent(a{x="3"})', text)).toEqual([{}]);
  expect(evaluate('a == 7 or absent(a{x="2"}) or b == 7', text)).toEqual([{}]);
  expect(() => evaluate('sum(a) > 0', text)).toThrow('not a supported expression');
});
