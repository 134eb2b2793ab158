import { setTimeout as sleep } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';
import { listRunways } from '../../custody/eip3009/relaying/listRunways.ts';
import { IS_HELD } from '../../custody/provider/heldTransfers.ts';
import type { Queryable } from '../../db/database.ts';
import { findLosses, readDurability } from '../../db/durability.ts';
import { WAITS_FOR_APPROVAL } from '../../payments/sends/approvePayment.ts';
import { CURRENCY } from '../currency.ts';

/** SQL: a row for every payment to an address that is not final. Partial indexes find both halves. */
const OPEN_PAYMENTS = `(
  SELECT n.blockchain, p.state, t.created_at AS since, payment_waits(p) AS waits
    FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id AND t.kind = 'hold' JOIN assets USING (asset_id)
    JOIN networks n USING (network_id) WHERE p.state IN ('INITIATED', 'CLEARED')
  UNION ALL
  SELECT n.blockchain, p.state, m.created_at, false FROM coin_moves m JOIN payments p ON p.payment_id = m.move_id
    JOIN assets s ON s.asset_id = m.asset_id JOIN networks n USING (network_id)
   WHERE m.state = 'open' AND m.purpose = 'send' AND NOT payment_is_final(p.state)
     AND p.state NOT IN ('INITIATED', 'CLEARED')) o`;

/** SQL: a row for everything else that has begun and not ended. docs/operating/exits.md says what ends it. */
const UNENDED = `(
  SELECT n.blockchain, 'settlement' AS what, m.created_at AS since FROM coin_moves m JOIN assets s USING (asset_id)
    JOIN networks n USING (network_id) WHERE m.state = 'open' AND m.purpose = 'settlement'
  UNION ALL
  SELECT n.blockchain, 'held transfer', p.held_at FROM provider_transfers p JOIN coin_moves m USING (move_id)
    JOIN assets s USING (asset_id) JOIN networks n USING (network_id)
   WHERE ${IS_HELD} AND m.state = 'open'
  UNION ALL
  SELECT n.blockchain, 'held log', h.held_at FROM held_logs h JOIN assets s USING (asset_id) JOIN networks n USING (network_id)
  UNION ALL
  SELECT n.blockchain, 'arrival', a.listed_at FROM open_arrivals a JOIN networks n USING (network_id)
  UNION ALL
  SELECT n.blockchain, 'unowned arrival', a.decided_at FROM arrivals a JOIN networks n USING (network_id)
   WHERE a.verdict = 'unowned'
  UNION ALL
  SELECT 'all', 'payout', confirmed_at FROM payouts WHERE state IN ('running', 'stopping')) o`;

type Row = Record<string, string> & { value: number };

interface Shown {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly sql?: string;
  read?(db: Queryable): Promise<readonly (Record<string, string | number> & { value: number })[]>;
}

/** Values that alerts are built on, read from the database at every scrape. They contain no personal data. */
const GAUGES: readonly Shown[] = [
  {
    name: 'florin_sends_paused',
    help: '1 for every cause for which the service has paused sends on a blockchain, or an operator has paused signing there.',
    labelNames: ['blockchain', 'cause'],
    sql: `SELECT substr(scope, 7) AS blockchain, cause, 1::float8 AS value FROM pauses
           WHERE scope LIKE 'chain:%' AND (cause <> 'operator' OR stops = 'accepting and signing')`,
  },
  {
    name: 'florin_payments_paused',
    help: '1 for every scope that operators have paused: all, user, chain, or chain:<blockchain>.',
    labelNames: ['scope'],
    sql: `SELECT scope, 1::float8 AS value FROM pauses WHERE cause = 'operator' AND scope NOT LIKE 'user:%'`,
  },
  {
    name: 'florin_people_paused',
    help: 'How many people operators have paused.',
    labelNames: [],
    sql: `SELECT count(*)::float8 AS value FROM pauses WHERE scope LIKE 'user:%'`,
  },
  {
    name: 'florin_drift_usdc',
    help: 'Coins that reconciliation finds missing.',
    labelNames: ['blockchain', 'subject'],
    sql: `SELECT n.blockchain, CASE WHEN s.symbol = '${CURRENCY.symbol}' THEN d.subject ELSE d.subject || ' ' || s.symbol END AS subject,
                 (d.difference / 1000000)::float8 AS value
            FROM drifts d JOIN assets s USING (asset_id) JOIN networks n USING (network_id) WHERE d.difference < 0`,
  },
  {
    name: 'florin_surplus_usdc',
    help: 'Coins that the chain has beyond what was counted, over all wallets. A surplus pauses nothing.',
    labelNames: ['blockchain'],
    sql: `SELECT n.blockchain, (sum(d.difference) / 1000000)::float8 AS value
            FROM drifts d JOIN assets s USING (asset_id) JOIN networks n USING (network_id)
           WHERE d.difference > 0 GROUP BY 1`,
  },
  {
    name: 'florin_audit_faults',
    help: 'Accounts, movements and assets that the audit of the ledger found to be wrong.',
    labelNames: ['blockchain'],
    sql: `SELECT n.blockchain, count(f.subject)::float8 AS value
            FROM networks n JOIN assets s USING (network_id) LEFT JOIN book_faults f USING (asset_id) GROUP BY 1`,
  },
  {
    name: 'florin_audit_position_age_seconds',
    help: 'Time since the audit last compared all balances with the movements.',
    labelNames: [],
    sql: 'SELECT extract(epoch FROM clock_timestamp() - compared_at)::float8 AS value FROM book_audits',
  },
  {
    name: 'florin_audit_cycle_seconds',
    help: 'How long the last audit of the whole ledger took.',
    labelNames: [],
    sql: 'SELECT cycle_seconds AS value FROM book_audits WHERE cycle_seconds IS NOT NULL',
  },
  {
    name: 'florin_audit_rows_total',
    help: 'Movements that the audit has read since it began.',
    labelNames: [],
    sql: 'SELECT rows_total::float8 AS value FROM book_audits',
  },
  {
    name: 'florin_payments_open',
    help: 'Payments to addresses that are not final, by state.',
    labelNames: ['blockchain', 'state'],
    sql: `SELECT blockchain, state, count(*)::float8 AS value FROM ${OPEN_PAYMENTS} GROUP BY 1, 2`,
  },
  {
    name: 'florin_payments_oldest_seconds',
    help: 'Age of the oldest payment to an address that is not final, by state; excludes payments that wait for approval or for their time.',
    labelNames: ['blockchain', 'state'],
    sql: `SELECT blockchain, state, max(extract(epoch FROM clock_timestamp() - since))::float8 AS value
            FROM ${OPEN_PAYMENTS} WHERE NOT waits GROUP BY 1, 2`,
  },
  {
    name: 'florin_jobs',
    help: 'Jobs that are due, by kind: the backlog.',
    labelNames: ['job'],
    sql: `SELECT kind AS job, count(*) FILTER (WHERE run_at <= clock_timestamp())::float8 AS value FROM jobs GROUP BY 1`,
  },
  {
    name: 'florin_jobs_overdue_seconds',
    help: 'How long the most overdue job has been waiting for a worker.',
    labelNames: ['job'],
    sql: `SELECT kind AS job, greatest(0, max(extract(epoch FROM clock_timestamp() - run_at)))::float8 AS value
            FROM jobs GROUP BY 1`,
  },
  {
    name: 'florin_job_attempts',
    help: 'Failed attempts of the job that has failed most often.',
    labelNames: ['job'],
    sql: `SELECT kind AS job, max(CASE WHEN last_error IS NULL THEN 0 ELSE attempts END)::float8 AS value FROM jobs GROUP BY 1`,
  },
  {
    name: 'florin_relayer_payments_left',
    help: 'For how many payments a relayer can still pay gas, if each has its own relay transaction.',
    labelNames: ['blockchain', 'address'],
    read: async (db: Queryable) =>
      (await listRunways(db))
        .filter(({ isNeeded }) => isNeeded)
        .flatMap(({ blockchain, address, payments }) =>
          payments === undefined ? [] : [{ blockchain, address, value: Number(payments) }],
        ),
  },
  {
    name: 'florin_relayer_stopped',
    help: '1 if a relayer does not work: someone else used its key, or it cannot pay for gas.',
    labelNames: ['blockchain', 'address'],
    read: async (db: Queryable) =>
      (await listRunways(db)).map(({ blockchain, address, fault }) => ({ blockchain, address, value: fault ? 1 : 0 })),
  },
  {
    name: 'florin_deposits_pending',
    help: 'Deposits that are on a chain but not final yet.',
    labelNames: ['blockchain'],
    sql: `SELECT n.blockchain, count(d.tx_hash)::float8 AS value
            FROM networks n JOIN assets s USING (network_id) LEFT JOIN pending_deposits d USING (asset_id) GROUP BY 1`,
  },
  {
    name: 'florin_events_held_seconds',
    help: 'How long committed events have been held back because an earlier database transaction is still open.',
    labelNames: [],
    sql: `SELECT coalesce(greatest(0, extract(epoch FROM clock_timestamp() - events_held_since())), 0)::float8 AS value`,
  },
  {
    name: 'florin_chain_head_block',
    help: 'The newest block that the servers have seen.',
    labelNames: ['blockchain'],
    sql: 'SELECT n.blockchain, h.block_number::float8 AS value FROM chain_heads h JOIN networks n USING (network_id)',
  },
  {
    name: 'florin_chain_head_seen_seconds',
    help: 'Time since a server last read the head of the chain.',
    labelNames: ['blockchain'],
    sql: `SELECT n.blockchain, extract(epoch FROM clock_timestamp() - h.seen_at)::float8 AS value
            FROM chain_heads h JOIN networks n USING (network_id)`,
  },
  {
    name: 'florin_chain_lag_blocks',
    help: 'Final blocks that the worker has not applied yet.',
    labelNames: ['blockchain'],
    sql: `SELECT n.blockchain, greatest(0, h.final_number - c.block_number)::float8 AS value
            FROM chain_heads h JOIN chain_cursors c USING (network_id) JOIN networks n USING (network_id)`,
  },
  {
    name: 'florin_relayer_gas_ether',
    help: 'What a relayer can still pay for gas.',
    labelNames: ['blockchain', 'address'],
    sql: 'SELECT n.blockchain, r.address, (r.gas_wei / 1e18)::float8 AS value FROM relayers r JOIN networks n USING (network_id)',
  },
  {
    name: 'florin_open_authorizations',
    help: 'Transfers with reserved coins that are not final yet.',
    labelNames: ['blockchain'],
    sql: `SELECT n.blockchain, count(m.move_id)::float8 AS value
            FROM networks n JOIN assets s USING (network_id)
            LEFT JOIN coin_moves m ON m.asset_id = s.asset_id AND m.state = 'open' GROUP BY 1`,
  },
  {
    name: 'florin_waiting_approvals',
    help: 'Sends that wait for approval by operators.',
    labelNames: ['blockchain'],
    sql: `SELECT n.blockchain, count(p.payment_id)::float8 AS value
            FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id AND t.kind = 'hold'
            JOIN assets USING (asset_id) JOIN networks n USING (network_id)
           WHERE ${WAITS_FOR_APPROVAL} GROUP BY 1`,
  },
  {
    name: 'florin_waiting_payouts',
    help: 'Payouts that wait for approval by operators.',
    labelNames: [],
    sql: "SELECT count(*)::float8 AS value FROM payouts WHERE state = 'approving'",
  },
  {
    name: 'florin_unended_oldest_seconds',
    help: 'Age of the oldest unfinished work other than payments: settlement, held transfer, held log, arrival, payout.',
    labelNames: ['blockchain', 'what'],
    sql: `SELECT blockchain, what, max(extract(epoch FROM clock_timestamp() - since))::float8 AS value FROM ${UNENDED} GROUP BY 1, 2`,
  },
  {
    name: 'florin_wallets_refused',
    help: 'Wallets with coins that other wallets need and whose last transfer was refused: frozen at their provider, or without gas.',
    labelNames: ['blockchain'],
    sql: `SELECT n.blockchain, count(h.wallet_id)::float8 AS value FROM networks n JOIN assets s USING (network_id)
            LEFT JOIN holdings h ON h.asset_id = s.asset_id AND h.surplus > 0 AND h.refusals > 0 GROUP BY 1`,
  },
  {
    name: 'florin_node_faults',
    help: 'How often a node was silent, behind, without the state of the final block, or contradicted the others.',
    labelNames: ['blockchain', 'host', 'kind'],
    sql: `SELECT blockchain, host, kind, times::float8 AS value FROM node_faults
           WHERE seen_at > clock_timestamp() - interval '1 minute'`,
  },
  {
    name: 'florin_webhooks',
    help: 'Webhooks by state; failed: switched off after days of failed deliveries.',
    labelNames: ['state'],
    sql: `SELECT s.state, count(e.endpoint_id)::float8 AS value FROM unnest(ARRAY['on', 'off', 'failed']) s(state)
            LEFT JOIN webhook_endpoints e ON e.state = s.state AND e.removed_at IS NULL GROUP BY 1`,
  },
  {
    name: 'florin_webhook_failing_seconds',
    help: 'How long all deliveries to a webhook have failed.',
    labelNames: ['webhook'],
    sql: `SELECT endpoint_id::text AS webhook, extract(epoch FROM clock_timestamp() - failing_since)::float8 AS value
            FROM webhook_endpoints WHERE state = 'on' AND failing_since IS NOT NULL`,
  },
  {
    name: 'florin_database_can_lose',
    help: '1 while the loss of one machine could lose an answered payment; /readyz says how.',
    labelNames: [],
    read: async (db: Queryable) => [{ value: findLosses(await readDurability(db)).length > 0 ? 1 : 0 }],
  },
  {
    name: 'florin_database_standbys',
    help: 'Connected standbys, by whether they confirm every commit; absent if the login lacks the privilege to see them.',
    labelNames: ['confirms'],
    async read(db: Queryable) {
      const { standbys, synchronous_standbys: sure } = await readDurability(db);
      if (sure === null) return [];
      return [
        { confirms: 'yes', value: sure },
        { confirms: 'no', value: standbys - sure },
      ];
    },
  },
  {
    name: 'florin_database_standby_lag_seconds',
    help: 'How far the slowest standby is behind; absent if the login lacks the privilege to see it.',
    labelNames: [],
    async read(db: Queryable) {
      const { lag_seconds: seconds } = await readDurability(db);
      return seconds === null ? [] : [{ value: seconds }];
    },
  },
  {
    name: 'florin_watcher_block',
    help: 'The last final block that was read.',
    labelNames: ['blockchain'],
    sql: 'SELECT n.blockchain, c.block_number::float8 AS value FROM chain_cursors c JOIN networks n USING (network_id)',
  },
];

/** A scrape waits no longer for a slow or unavailable database. These gauges are then empty; the others are not. */
const PATIENCE_MS = 2_000;

export function observeDatabase(registry: Registry, db: Queryable): void {
  // One statement at a time: concurrent scrapes together use one connection, so they do not slow down payments.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  };
  for (const { name, help, labelNames, sql, read } of GAUGES) {
    const gauge = new Gauge<string>({
      name,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      async collect() {
        let isLate = false;
        const rows = inTurn(async () => (isLate ? [] : read ? read(db) : db.query<Row>(sql!)));
        const late = sleep(PATIENCE_MS, [], { ref: false });
        const found = await Promise.race([rows.catch(() => []), late]);
        isLate = true;
        gauge.reset();
        for (const { value, ...labels } of found) gauge.set(labels, value);
      },
    });
  }
}
