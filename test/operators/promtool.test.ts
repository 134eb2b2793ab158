/**
 * Prometheus itself evaluates every rule of alerts.yml: it is silent before, waits as long as the rule says, fires with
 * the labels and the summary that operators read, and stops. Skipped without `promtool` (Debian: `prometheus`).
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { readAlerts } from '../support/http/alerts.ts';

const RULES = fileURLToPath(new URL('../../docs/operating/alerts.yml', import.meta.url));
const HAS_PROMTOOL = spawnSync('promtool', ['--version']).status === 0;
/** Samples before the fault and after it. The longest range of a rule is ten minutes. */
const [BEFORE, AFTER] = [5, 15];

type Value = number | 'stale';

interface Case {
  /** Name and labels. */
  readonly series: string;
  readonly good: Value | 'now';
  readonly bad: Value;
  /** After the fault, if not `good`: counters do not go back. */
  readonly back?: number;
  readonly summary: string;
  /** Series that stay as they are. */
  readonly others?: readonly string[];
  /** Labels of the alert, if not those of the series. */
  readonly labels?: Readonly<Record<string, string>>;
}

const up = (name: string) => `up{job="florin-${name}",instance="${name}:1"}`;
const ups = (...names: string[]) => names.map(up);
const gone = (name: string, others: string[]): Case => ({
  series: up(name),
  good: 1,
  bad: 'stale',
  others: ups(...others),
  labels: { job: `florin-${name}` },
  summary: `florin-${name} does not answer Prometheus`,
});
const errors = 'florin_http_errors_total{api="backend",code="internal.error",method="POST",route="/api/v1/login"}';
const defect = { series: errors, bad: 1, back: 1, summary: '/api/v1/login returned internal.error' };
const ready = (dependency: string) => `florin_dependency_ready{dependency="${dependency}",instance="a:1"}`;
const faulty = { host: 'one.example', blockchain: 'ETH' };

const CASES: Readonly<Record<string, readonly Case[]>> = {
  FlorinProcessGone: [
    {
      series: up('server'),
      good: 1,
      bad: 0,
      others: ups('worker', 'signer'),
      summary: 'florin-server (server:1) does not answer Prometheus',
    },
    gone('server', ['worker', 'signer']),
    gone('worker', ['server', 'signer']),
    gone('signer', ['server', 'worker']),
  ],
  FlorinDatabaseDown: [{ series: ready('database'), good: 1, bad: 0, summary: 'the database does not answer a:1' }],
  FlorinDatabaseCanLose: [
    {
      series: 'florin_database_can_lose',
      good: 0,
      bad: 1,
      summary: 'if one machine fails, acknowledged payments could be lost',
    },
  ],
  FlorinNetworkDown: [{ series: ready('network ETH'), good: 1, bad: 0, summary: 'network ETH cannot be read' }],
  FlorinNodeFaulty: [
    {
      series: series('florin_node_faults', { ...faulty, kind: 'silent' }),
      good: 0,
      bad: 1,
      summary: 'node one.example of ETH is faulty: silent',
    },
  ],
  FlorinNodeLies: [
    {
      series: series('florin_node_faults', { ...faulty, kind: 'contradicts' }),
      good: 0,
      bad: 1,
      summary: 'node one.example of ETH contradicts the majority',
    },
  ],
  FlorinNetworkLags: [
    {
      series: 'florin_chain_lag_blocks{blockchain="ETH"}',
      good: 100,
      bad: 101,
      summary: 'the worker is 101 final blocks behind on ETH',
    },
  ],
  FlorinIssuerDown: [
    {
      series: ready('issuer https://login.example'),
      good: 1,
      bad: 0.5,
      summary: 'the keys of issuer https://login.example cannot be fetched',
    },
  ],
  FlorinKycDown: [
    { series: ready('kyc'), good: 1, bad: 0, summary: 'the provider of identity checks does not answer' },
  ],
  FlorinSignerDown: [{ series: ready('signer'), good: 1, bad: 0, summary: 'the signer does not answer a:1' }],
  FlorinWorkerAway: [
    {
      series: 'florin_jobs_overdue_seconds{job="carry ETH"}',
      good: 60,
      bad: 61,
      summary: 'no worker runs the job `carry ETH`',
    },
  ],
  FlorinWorkerHangs: [
    {
      series: 'florin_job_last_pass_seconds{instance="a:1",job="track ETH"}',
      good: 'now',
      bad: 0,
      summary: 'the job `track ETH` hangs in a:1',
    },
  ],
  FlorinGasLow: [
    {
      series: 'florin_relayer_payments_left{address="0x1",blockchain="ETH"}',
      good: 50,
      bad: 49,
      summary: 'relayer 0x1 has gas for 49 payments on ETH',
    },
  ],
  FlorinRelayerStopped: [
    {
      series: 'florin_relayer_stopped{address="0x1",blockchain="ETH"}',
      good: 0,
      bad: 1,
      summary: 'relayer 0x1 does not work on ETH',
    },
  ],
  FlorinSendsPaused: [
    {
      series: 'florin_sends_paused{blockchain="ETH",cause="drift"}',
      good: 'stale',
      bad: 1,
      summary: 'sends on ETH are paused: drift',
    },
  ],
  FlorinEveryonePaused: ['all', 'user'].map((scope) => ({
    series: `florin_payments_paused{scope="${scope}"}`,
    good: 'stale',
    bad: 1,
    others: ['florin_payments_paused{scope="chain:ETH"}'],
    summary: `people cannot pay each other: an operator has paused \`${scope}\` for everyone`,
  })),
  FlorinPauseForgotten: [
    {
      series: 'florin_payments_paused{scope="service"}',
      good: 0,
      bad: 1,
      summary: 'service has been paused for a day',
    },
  ],
  FlorinDrift: [
    {
      series: 'florin_drift_usdc{blockchain="ETH",subject="treasury"}',
      good: 0,
      bad: -1.5,
      summary: 'treasury on ETH differs by -1.5 USDC',
    },
  ],
  FlorinAuditFault: [
    { series: 'florin_audit_faults{blockchain="ETH"}', good: 0, bad: 2, summary: 'the ledger of ETH has 2 faults' },
  ],
  FlorinAuditBehind: [
    {
      series: 'florin_audit_position_age_seconds',
      good: 300,
      bad: 360,
      summary: 'the ledger has not been audited for 6m 0s',
    },
  ],
  FlorinPaymentsOld: [
    {
      series: 'florin_payments_oldest_seconds{blockchain="ETH",state="QUEUED"}',
      good: 1_800,
      bad: 3_600,
      summary: 'a payment on ETH has been QUEUED for 1h 0m 0s',
    },
  ],
  FlorinBacklog: [
    { series: 'florin_jobs{job="submit ETH"}', good: 1_000, bad: 1_001, summary: '1001 sends wait for `submit ETH`' },
  ],
  FlorinJobFails: [
    {
      series: 'florin_job_attempts{job="track ETH"}',
      good: 20,
      bad: 21,
      summary: '`track ETH` has failed 21 times in a row',
    },
  ],
  // The same with a series that begins with the first defect.
  FlorinDefects: [
    { ...defect, good: 0 },
    { ...defect, good: 'stale' },
  ],
  FlorinApprovalsWait: [
    {
      series: 'florin_waiting_approvals{blockchain="ETH"}',
      good: 0,
      bad: 3,
      summary: '3 sends on ETH wait for two operators',
    },
  ],
  FlorinPayoutsWait: [
    { series: 'florin_waiting_payouts', good: 0, bad: 2, summary: '2 payouts wait for two operators' },
  ],
  FlorinMoneyStuck: [
    {
      series: 'florin_unended_oldest_seconds{blockchain="ETH",what="deposit"}',
      good: 7_200,
      bad: 10_800,
      summary: 'a deposit on ETH has been open for 3h 0m 0s',
    },
  ],
  FlorinWalletsRefused: [
    {
      series: 'florin_wallets_refused{blockchain="ETH"}',
      good: 0,
      bad: 1,
      summary: 'coins of 1 wallets on ETH cannot be moved',
    },
  ],
  FlorinCertificateEnds: [
    {
      series: 'florin_tls_certificate_expiry_seconds{instance="a:1"}',
      good: 10_000_000,
      bad: 600_000,
      summary: 'the certificate of a:1 has expired, or expires within a week',
    },
  ],
  FlorinLogLost: [
    {
      series: 'florin_log_lines_lost{instance="a:1"}',
      good: 0,
      bad: 5,
      back: 5,
      summary: 'a:1 could not write its log',
    },
  ],
  FlorinWebhookOff: [
    {
      series: 'florin_webhooks{state="failed"}',
      good: 0,
      bad: 1,
      summary: '1 webhooks are disabled because their deliveries failed',
    },
  ],
  FlorinWebhookFails: [
    {
      series: 'florin_webhook_failing_seconds{webhook="w1"}',
      good: 3_600,
      bad: 7_200,
      summary: 'all deliveries to the webhook w1 have failed for 2h 0m 0s',
    },
  ],
};

function series(name: string, labels: Readonly<Record<string, string>>): string {
  return `${name}{${Object.entries(labels).map(([key, value]) => `${key}="${value}"`)}}`;
}

const labelsOf = (text: string) =>
  Object.fromEntries([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]));

type Alert = ReturnType<typeof readAlerts>[number];

/** Minutes between two samples: rules that wait for hours need no more. */
const stepOf = ({ holdMinutes }: { readonly holdMinutes: number }): number => (holdMinutes < 60 ? 1 : 10);

const samples = (value: Case['good'], from: number, count: number): string =>
  Array.from({ length: count }, (_, i) =>
    value === 'now' ? (from + i) * 60 : value === 'stale' && i > 0 ? '_' : value,
  ).join(' ');

/** Input and expectations of one case. */
function describeCase(alert: Alert, one: Case) {
  const step = stepOf(alert);
  const hold = alert.holdMinutes / step;
  // WorkerHangs and others that compare with the time are true only some minutes after the value stops.
  const late = one.good === 'now' ? 2 : 0;
  const ends = BEFORE + hold + late + 3;
  const values = [
    samples(one.good, 0, BEFORE),
    samples(one.bad, BEFORE, ends - BEFORE),
    samples(one.back ?? one.good, ends, AFTER),
  ].join(' ');
  const labels = { ...(one.labels ?? labelsOf(one.series)), severity: alert.severity };
  const firing = [{ exp_labels: labels, exp_annotations: { summary: one.summary, runbook: alert.runbook } }];
  const at = (nth: number, alerts: object[]) => ({
    eval_time: `${nth * step}m`,
    alertname: alert.name,
    exp_alerts: alerts,
  });
  return {
    input_series: [
      { series: one.series, values },
      ...(one.others ?? []).map((other) => ({ series: other, values: samples(1, 0, ends + AFTER) })),
    ],
    alert_rule_test: [
      at(BEFORE - 1, []),
      ...(hold > 0 ? [at(BEFORE + hold - 1, [])] : []),
      at(BEFORE + hold + late + 1, firing),
      at(ends + AFTER - 1, []),
    ],
  };
}

/** What FlorinNodeLies reports is also a fault for FlorinNodeFaulty, so the two are not in one test. */
const placeOf = ({ name }: Alert, nth: number): number => (name === 'FlorinNodeLies' ? 1 : nth);

const alerts = readAlerts();
const folder = mkdtempSync(join(tmpdir(), 'florin-promtool-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('every alert has a case here', () => {
  expect(Object.keys(CASES).sort()).toEqual(alerts.map(({ name }) => name).sort());
});

describe.skipIf(!HAS_PROMTOOL)('in Prometheus', () => {
  const run = (chosen: readonly Alert[], listCases: (alert: Alert) => readonly Case[]) => {
    const files = [1, 10].flatMap((step) => {
      const ofStep = chosen.filter((alert) => stepOf(alert) === step);
      // Cases of one test share a database, which is what takes time; those of one alert have the same series.
      const tests = [0, 1, 2, 3].flatMap((nth) => {
        const cases = ofStep.flatMap((alert) =>
          listCases(alert).flatMap((one, at) => (placeOf(alert, at) === nth ? [describeCase(alert, one)] : [])),
        );
        if (cases.length === 0) return [];
        return [
          {
            interval: `${step}m`,
            input_series: cases.flatMap((one) => one.input_series),
            alert_rule_test: cases.flatMap((one) => one.alert_rule_test),
          },
        ];
      });
      if (tests.length === 0) return [];
      const file = join(folder, `every-${step}.yml`);
      writeFileSync(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: `${step}m`, tests }));
      return [file];
    });
    return spawnSync('promtool', ['test', 'rules', ...files], { encoding: 'utf8' });
  };

  it('every alert fires in its state, after its time, and stops', () => {
    const { status, stdout, stderr } = run(alerts, ({ name }) => CASES[name]!);
    expect(`${stdout}${stderr}`).not.toMatch(/FAILED|exp:|got:/);
    expect(status).toBe(0);
  });

  it('an alert that should fire and does not is noticed', () => {
    const chosen = alerts.filter(({ name }) => name === 'FlorinGasLow');
    expect(run(chosen, ({ name }) => CASES[name]!.map((one) => ({ ...one, bad: 50 }))).status).toBe(1);
  });
});
