/**
 * Every alert is fired once, based on what a process returns at `/metrics`, and does not fire before and after. Alerts
 * that another test fires are named here with that test.
 */
import { closeSync, openSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordNodes } from '../../server/src/custody/nodeFaults.ts';
import { createMetrics } from '../../server/src/http/ops/metrics.ts';
import { openLines } from '../../server/src/http/ops/openLines.ts';
import { openPasses } from '../../server/src/http/ops/probes.ts';
import { pausePayments, resumePayments } from '../../server/src/operators/pauses.ts';
import { PAUSE_CASES } from '../support/alarms/pauseCases.ts';
import { startTestChain, type TestChain } from '../support/chain/chain.ts';
import { randomAddress } from '../support/chain/custody.ts';
import { openAsAdmin } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { evaluate, readAlerts } from '../support/http/alerts.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { HOME, SECRET } from '../support/values.ts';

/** A test that fires the alert, and checks that it does not fire when everything is healthy. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  'test/stories/seeing.test.ts': [
    'FlorinDatabaseDown',
    'FlorinNetworkDown',
    'FlorinNodeFaulty',
    'FlorinIssuerDown',
    'FlorinKycDown',
    'FlorinSignerDown',
    'FlorinWorkerAway',
  ],
  'test/custody/circleRefusals.test.ts': ['FlorinWalletsRefused'],
  'test/http/webhooks.test.ts': ['FlorinWebhookOff'],
  'test/payouts/payouts.test.ts': ['FlorinPayoutsWait'],
  'test/operators/durability.test.ts': ['FlorinDatabaseCanLose'],
};

let chain: TestChain;
let florin: TestServer;
let stoppedUrl: string;
let admin: ReturnType<typeof openAsAdmin>;
let walletUser: string;

beforeAll(async () => {
  chain = await startTestChain();
  const nodes = [{ blockchain: HOME, chain_id: chain.chainId, rpc_urls: [chain.url], finality: 'finalized' }];
  florin = await startTestServer({
    FLORIN_CHAINS: JSON.stringify(nodes),
    FLORIN_APPROVAL_THRESHOLD: '10',
    FLORIN_LOOK_SECONDS: '0.5',
  });
  await chain.fuel(florin.seedFile, SECRET);
  const worker = await florin.startWorker();
  const { body } = await florin.logIn('anna@example.com');
  walletUser = body.user.user_id;
  await florin.call('POST', '/api/v1/set_username', { user_id: walletUser, username: 'anna' });
  await chain.mint(body.wallet.address, '100');
  // An account with money: the worker has read the chain, compared the books and filled in its jobs.
  admin = openAsAdmin(florin.databaseUrl);
  await chain.mineUntil(async () => {
    const [row] = await admin.query<{ isReady: boolean }>(
      `SELECT EXISTS (SELECT FROM accounts WHERE user_id = $1 AND available > 0) AND EXISTS (SELECT FROM book_audits)
          AND (SELECT count(*) FROM jobs WHERE kind ~ '^(carry|track|gas) ') = 3 AS "isReady"`,
      [walletUser],
    );
    expect(row!.isReady).toBe(true);
  });
  stoppedUrl = worker.opsUrl;
  expect(await listFiring(await scrape(stoppedUrl))).toEqual([]);
  // From here on nothing changes by itself.
  await worker.stop();
});
afterAll(async () => {
  await admin.close();
  await florin.stop();
  await chain.stop();
});

/** What Prometheus has of a process after a scrape. */
async function scrape(url = florin.opsUrl): Promise<string> {
  const answer = await fetch(`${url}/metrics`).catch(() => undefined);
  const ups = ['server', 'worker', 'signer'].map(
    (name) => `up{job="florin-${name}",instance="${new URL(url).host}"} ${answer?.ok ? 1 : 0}\n`,
  );
  return `${ups.join('')}${(await answer?.text()) ?? ''}`;
}

/** Only the alerts that this file fires: others need a healthy world, and this one has a stopped worker. */
const listFiring = (text: string, before = text): string[] =>
  readAlerts()
    .filter(({ name, expr }) => CASES.some((one) => one.alert === name) && evaluate(expr, text, before).length > 0)
    .map(({ name }) => name);

const send = (amount: number) =>
  florin.call('POST', '/wallet/send-usdc', {
    destination_address: randomAddress(),
    amount,
    blockchain: HOME,
    wallet_username: 'anna',
  });
const byHand = (...statements: string[]) =>
  admin.tx(async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    for (const sql of statements) await tx.query(sql);
  });
const LIE = { kind: 'contradicts', about: 'balances', times: 1, since: new Date() } as const;
const nodeOf = (fault?: typeof LIE) => ({
  blockchain: HOME,
  nodes: () => [{ host: 'one.example', ...(fault && { fault }) }],
});

interface Case {
  readonly alert: string;
  fire(): Promise<unknown>;
  heal(): Promise<unknown>;
  /** A process other than the server. */
  read?(): Promise<string>;
}

const metrics = createMetrics();
const passes = openPasses();
metrics.showPasses(passes);
let lost = () => 0;
metrics.showLostLines(() => lost());
const readOwn = () => metrics.registry.metrics();
const inDays = (days: number) => Date.now() / 1_000 + days * 86_400;

const CASES: readonly Case[] = [
  {
    alert: 'FlorinProcessGone',
    async fire() {},
    async heal() {
      stoppedUrl = florin.opsUrl;
    },
    read: () => scrape(stoppedUrl),
  },
  {
    alert: 'FlorinEveryonePaused',
    fire: () => pausePayments(admin, { scope: 'user', reason: 'a test', stops: 'accepting' }),
    heal: () => resumePayments(admin, 'user', 'operator'),
  },
  {
    alert: 'FlorinPaymentsOld',
    async fire() {
      expect((await send(1)).status).toBe(200);
      await byHand(`UPDATE transfers SET created_at = created_at - interval '40 minutes' WHERE kind = 'hold'`);
    },
    heal: () => byHand(`UPDATE transfers SET created_at = created_at + interval '40 minutes' WHERE kind = 'hold'`),
  },
  {
    alert: 'FlorinApprovalsWait',
    fire: () => send(20),
    async heal() {
      const [one] = await admin.query<{ id: string }>(
        'SELECT payment_id AS id FROM payments WHERE approvals_needed > 0',
      );
      await florin.call('POST', `/api/v1/transactions/${one!.id}/cancel`);
    },
  },
  {
    alert: 'FlorinBacklog',
    fire: () =>
      byHand(`INSERT INTO jobs (kind, key) SELECT 'submit ${HOME}', 'k' || i FROM generate_series(1, 1001) i`),
    heal: () => byHand(`DELETE FROM jobs WHERE key LIKE 'k%' AND kind = 'submit ${HOME}'`),
  },
  {
    alert: 'FlorinJobFails',
    fire: () => byHand(`UPDATE jobs SET attempts = 21, last_error = 'a test' WHERE kind = 'track ${HOME}'`),
    heal: () => byHand(`UPDATE jobs SET attempts = 0, last_error = NULL WHERE kind = 'track ${HOME}'`),
  },
  {
    alert: 'FlorinAuditBehind',
    fire: () => byHand(`UPDATE book_audits SET compared_at = now() - interval '6 minutes'`),
    heal: () => byHand('UPDATE book_audits SET compared_at = now()'),
  },
  {
    alert: 'FlorinNodeLies',
    fire: () => recordNodes(admin, nodeOf(LIE)),
    async heal() {
      await byHand(`UPDATE node_faults SET seen_at = seen_at - interval '1 minute'`);
      await recordNodes(admin, nodeOf());
    },
  },
  {
    alert: 'FlorinMoneyStuck',
    fire: () =>
      byHand(
        `INSERT INTO open_arrivals (network_id, provider_id, listed_at)
         SELECT network_id, gen_random_uuid(), now() - interval '3 hours' FROM networks`,
      ),
    heal: () => byHand('DELETE FROM open_arrivals'),
  },
  {
    alert: 'FlorinWebhookFails',
    fire: () =>
      byHand(
        `INSERT INTO webhook_endpoints (endpoint_id, url, description, types, in_order, place, failing_since)
         VALUES (gen_random_uuid(), 'https://example.com', '', '{*}', false, 0, now() - interval '2 hours')`,
      ),
    heal: () => byHand('UPDATE webhook_endpoints SET failing_since = NULL'),
  },
  {
    alert: 'FlorinDefects',
    // The first of its kind: a series that begins with it would show no increase.
    async fire() {
      await byHand('ALTER TABLE usernames RENAME TO usernames_away');
      const { status } = await florin.call('POST', '/api/v1/set_username', { user_id: walletUser, username: 'bert' });
      expect(status).toBe(500);
    },
    heal: () => byHand('ALTER TABLE usernames_away RENAME TO usernames'),
  },
  {
    alert: 'FlorinNetworkLags',
    fire: () => chain.mine(150),
    async heal() {
      const worker = await florin.startWorker();
      await eventually(async () =>
        expect(evaluate('florin_chain_lag_blocks > 100', await scrape(worker.opsUrl))).toEqual([]),
      );
      await worker.stop();
    },
  },
  {
    alert: 'FlorinWorkerHangs',
    fire: async () => passes.note(`track ${HOME}`, Date.now() - 200_000),
    heal: async () => passes.note(`track ${HOME}`),
    read: readOwn,
  },
  {
    alert: 'FlorinCertificateEnds',
    fire: async () => metrics.setCertificateExpiry(inDays(6)),
    heal: async () => metrics.setCertificateExpiry(inDays(8)),
    read: readOwn,
  },
  {
    alert: 'FlorinLogLost',
    async fire() {
      const fd = openSync('/dev/full', 'w');
      const lines = openLines(fd, { retryMs: 10, maxWaiting: 1_000 });
      ({ lost } = lines);
      await eventually(() => {
        lines.write(`${'x'.repeat(99)}\n`);
        expect(lines.lost()).toBeGreaterThan(0);
      });
      lines.close();
      await eventually(() => closeSync(fd));
    },
    async heal() {},
    read: readOwn,
  },
];

it.each(CASES)('$alert fires only in its state', async ({ alert, fire, heal, read = scrape }) => {
  // A process that is gone existed before.
  const isGone = alert === 'FlorinProcessGone';
  const before = await read();
  if (!isGone) expect(listFiring(before)).not.toContain(alert);
  await fire();
  await eventually(async () => expect(listFiring(await read(), before)).toContain(alert));
  await heal();
  // Metrics do not wait long for a busy database.
  await eventually(async () => {
    const text = await read();
    expect(text).not.toBe('');
    expect(listFiring(text)).not.toContain(alert);
  });
});

it('every alert is fired by a test', () => {
  const root = new URL('../../', import.meta.url);
  for (const [file, alerts] of Object.entries(ELSEWHERE)) {
    const text = readFileSync(new URL(file, root), 'utf8');
    for (const name of alerts) expect(text, `${file} fires ${name}`).toContain(`'${name}'`);
  }
  const fired = [
    ...CASES.map(({ alert }) => alert),
    ...PAUSE_CASES.flatMap(({ alerts = [] }) => alerts),
    // Every case of test/operators/pauseReasons.test.ts.
    'FlorinSendsPaused',
    ...Object.values(ELSEWHERE).flat(),
  ];
  expect(fired.toSorted()).toEqual(
    readAlerts()
      .map(({ name }) => name)
      .toSorted(),
  );
});
