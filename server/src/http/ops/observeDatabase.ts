import { Gauge, type Registry } from 'prom-client';
import type { Queryable } from '../../db/database.ts';
import { WAITS_FOR_APPROVAL } from '../../payments/sends/approvePayment.ts';

/** What alerts can be built on; read from the database at every scrape. Contains no personal data. */
const GAUGES = [
  {
    name: 'florin_sends_paused',
    help: '1 for every cause for which the service has paused sends on a blockchain, or an operator their signing.',
    labelNames: ['blockchain', 'cause'],
    sql: `SELECT substr(scope, 7) AS blockchain, cause, 1::float8 AS value FROM pauses
           WHERE scope LIKE 'chain:%' AND (cause <> 'operator' OR stops = 'accepting and signing')`,
  },
  {
    name: 'florin_payments_paused',
    help: '1 for everything that operators have paused: all, user, chain, or chain:<blockchain>.',
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
    help: 'Differences that reconciliation sees.',
    labelNames: ['blockchain', 'subject'],
    sql: `SELECT n.blockchain, CASE WHEN s.symbol = 'USDC' THEN d.subject ELSE d.subject || ' ' || s.symbol END AS subject,
                 (d.difference / 1000000)::float8 AS value
            FROM drifts d JOIN assets s USING (asset_id) JOIN networks n USING (network_id)`,
  },
  {
    name: 'florin_relayer_gas_ether',
    help: 'What a relayer can still pay for gas.',
    labelNames: ['blockchain', 'address'],
    sql: 'SELECT n.blockchain, r.address, (r.gas_wei / 1e18)::float8 AS value FROM relayers r JOIN networks n USING (network_id)',
  },
  {
    name: 'florin_open_authorizations',
    help: 'Transfers whose coins are reserved and that are not yet final.',
    labelNames: ['blockchain'],
    sql: `SELECT n.blockchain, count(m.move_id)::float8 AS value
            FROM networks n JOIN assets s USING (network_id)
            LEFT JOIN coin_moves m ON m.asset_id = s.asset_id AND m.state = 'open' GROUP BY 1`,
  },
  {
    name: 'florin_waiting_approvals',
    help: 'Sends that wait until operators have approved them.',
    labelNames: ['blockchain'],
    sql: `SELECT n.blockchain, count(p.payment_id)::float8 AS value
            FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id AND t.kind = 'hold'
            JOIN assets USING (asset_id) JOIN networks n USING (network_id)
           WHERE ${WAITS_FOR_APPROVAL} GROUP BY 1`,
  },
  {
    name: 'florin_node_faults',
    help: 'How often a node was silent, behind, without the state of the final block, or contradicted the others.',
    labelNames: ['blockchain', 'host', 'kind'],
    sql: `SELECT blockchain, host, kind, times::float8 AS value FROM node_faults
           WHERE seen_at > clock_timestamp() - interval '1 minute'`,
  },
  {
    name: 'florin_watcher_block',
    help: 'The last final block that was read.',
    labelNames: ['blockchain'],
    sql: 'SELECT n.blockchain, c.block_number::float8 AS value FROM chain_cursors c JOIN networks n USING (network_id)',
  },
] as const;

export function observeDatabase(registry: Registry, db: Queryable): void {
  for (const { name, help, labelNames, sql } of GAUGES) {
    const gauge = new Gauge<string>({
      name,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      async collect() {
        // Without the database this gauge is empty; the other metrics are still served.
        const rows = await db.query<Record<string, string> & { value: number }>(sql).catch(() => []);
        gauge.reset();
        for (const { value, ...labels } of rows) gauge.set(labels, value);
      },
    });
  }
}
