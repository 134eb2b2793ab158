/** For operators: payments to addresses that have not ended, and why each waits. */
import type { PaymentState } from '../../core/payment.ts';
import type { Queryable } from '../../db/database.ts';
import { BEFORE_SIGNING } from '../read/findWait.ts';
import { NETWORK_WAITS, type NetworkWait } from './networkWaits.ts';

type Why = 'approval' | 'delay' | NetworkWait | 'provider' | 'chain' | 'signing';

/** Columns of the list. */
export const STUCK_SORTS = ['since', 'amount', 'state', 'why', 'blockchain'] as const;
export const WHYS = [
  'approval',
  'delay',
  'pause',
  'node',
  'worker',
  'gas',
  'coins',
  'provider',
  'signing',
  'chain',
] as const satisfies readonly Why[];

interface Asked {
  readonly why?: string | undefined;
  readonly blockchain?: string | undefined;
  readonly sort: (typeof STUCK_SORTS)[number];
  readonly isDescending: boolean;
  readonly limit: number;
  readonly offset: number;
}

interface Stuck {
  readonly paymentId: string;
  readonly state: PaymentState;
  readonly amount: bigint;
  readonly blockchain: string;
  readonly payerId: string | null;
  readonly payer: string | null;
  readonly destination: string;
  /** When it reached its last state. */
  readonly since: Date;
  readonly createdAt: Date;
  readonly why: Why;
}

interface StuckCount {
  readonly why: Why;
  readonly count: number;
  readonly amount: bigint;
}

/**
 * Each network's reasons are read once, and each open payment is one row of narrow columns, so that a hundred thousand
 * of them are sorted in memory. Names are read for the shown page only. The order of the cases is that of `findWait`.
 */
const OPEN = `network AS MATERIALIZED (
  SELECT s.asset_id, n.blockchain,
         EXISTS (SELECT FROM pauses WHERE scope IN ('all', 'chain', 'chain:' || n.blockchain)
                    AND stops = 'accepting and signing') AS is_paused,
         EXISTS (SELECT FROM pauses WHERE scope = 'chain:' || n.blockchain AND cause = 'gas') AS lacks_gas,
         t.last_error IS NOT NULL AND (t.attempts > 2 OR EXISTS (SELECT FROM node_faults f
            WHERE f.blockchain = n.blockchain AND f.kind = 'silent'
              AND f.seen_at > clock_timestamp() - interval '1 minute')) AS is_silent,
         coalesce(t.run_at < clock_timestamp() - interval '30 seconds', false) AS is_overdue
    FROM assets s JOIN networks n USING (network_id)
    LEFT JOIN jobs t ON t.kind = 'track ' || n.blockchain AND t.key = n.blockchain
), coins AS MATERIALIZED (
  SELECT key FROM jobs WHERE waits_for LIKE 'coins %' AND run_at > clock_timestamp()
), ids AS (
  SELECT payment_id FROM payments WHERE state IN ('INITIATED', 'CLEARED')
  UNION SELECT move_id FROM coin_moves WHERE state = 'open' AND purpose = 'send'
), open AS MATERIALIZED (
  SELECT p.payment_id, p.state, coalesce(p.amount, t.amount) AS amount, n.blockchain, p.destination, p.updated_at AS since,
         t.created_at, t.debit_account,
         CASE WHEN p.state = 'INITIATED' AND p.not_before > clock_timestamp() THEN 'delay'
              WHEN p.state = 'INITIATED' AND p.approvals_needed > 0 THEN 'approval'
              WHEN n.is_paused AND p.state = ANY ($1) THEN 'pause'
              WHEN n.is_silent THEN 'node'
              WHEN n.is_overdue THEN 'worker'
              WHEN n.lacks_gas AND p.state <> 'CONFIRMED' THEN 'gas'
              WHEN c.key IS NOT NULL AND p.state = ANY ($1) THEN 'coins'
              WHEN v.move_id IS NOT NULL THEN 'provider'
              WHEN p.state = ANY ($1) THEN 'signing' ELSE 'chain' END AS why
    FROM ids JOIN payments p USING (payment_id) JOIN transfers t ON t.transfer_id = p.payment_id
    JOIN network n USING (asset_id) LEFT JOIN coins c ON c.key = p.payment_id::text
    LEFT JOIN provider_transfers v ON v.move_id = p.payment_id
)`;

export async function listStuck(
  db: Queryable,
  { why, blockchain, sort, isDescending, limit, offset }: Asked,
): Promise<{ readonly rows: readonly Stuck[]; readonly byWhy: readonly StuckCount[] }> {
  const byWhy = await db.query<StuckCount>(
    `WITH ${OPEN} SELECT why, count(*)::int AS count, sum(amount)::bigint AS amount FROM open
      WHERE ($2::text IS NULL OR blockchain = $2) GROUP BY why ORDER BY count(*) DESC, why`,
    [BEFORE_SIGNING, blockchain ?? null],
  );
  // `sort` is one of the names above.
  const order = `${sort} ${isDescending ? 'DESC' : 'ASC'}`;
  const rows = await db.query<Stuck>(
    `WITH ${OPEN}, page AS (
       SELECT * FROM open WHERE ($2::text IS NULL OR blockchain = $2) AND ($3::text IS NULL OR why = $3)
        ORDER BY ${order}, created_at, payment_id LIMIT $4 OFFSET $5)
     SELECT g.payment_id AS "paymentId", g.state, g.amount, g.blockchain, a.user_id AS "payerId", u.username AS payer,
            g.destination, g.since, g.created_at AS "createdAt", g.why
       FROM page g JOIN accounts a ON a.account_id = g.debit_account
       LEFT JOIN usernames u ON u.user_id = a.user_id AND u.redirect_until IS NULL
      ORDER BY ${order}, "createdAt", "paymentId"`,
    [BEFORE_SIGNING, blockchain ?? null, why ?? null, limit, offset],
  );
  return { rows, byWhy };
}

const OWN_WAITS: Readonly<Record<Exclude<Why, NetworkWait>, { readonly detail: string; readonly ends: string }>> = {
  approval: {
    detail: 'waits for approvals: florin payment waiting',
    ends: 'Two operators approve it, or one denies it.',
  },
  delay: {
    detail: 'waits, because the address is new to this wallet',
    ends: 'It continues by itself when the delay is over.',
  },
  provider: {
    detail: 'its provider sends it',
    ends: 'The provider reports its end. If it does not know: florin transfer held.',
  },
  chain: { detail: 'was broadcast, and waits for a final block', ends: 'Its block becomes final.' },
  signing: {
    detail: 'waits to be signed',
    ends: 'A worker asks the signer (florin signer); florin doctor checks both.',
  },
};

/** Why it waits, and what ends that. */
export function explainWhy(why: Why, blockchain: string): { readonly detail: string; readonly ends: string } {
  const words = why in OWN_WAITS ? OWN_WAITS[why as keyof typeof OWN_WAITS] : undefined;
  return words ?? NETWORK_WAITS[why as NetworkWait](blockchain);
}
