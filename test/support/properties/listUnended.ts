/**
 * Unfinished work, in words that name it and its state. Where only an operator can end it, the words say so. Final
 * states are those of docs/operating/exits.md.
 */
import type { Queryable } from '../../../server/src/db/database.ts';

interface Unended {
  /** The id by which a story knows it. */
  readonly id: string;
  readonly says: string;
}

/** Each finds rows `id`, `says`. */
const QUESTIONS: readonly string[] = [
  `SELECT payment_id AS id, 'payment ' || payment_id || ' is ' || p.state
          || CASE WHEN NOT payment_waits(p) THEN '' WHEN p.not_before > clock_timestamp() THEN ' until its delay is over'
                  ELSE ': two operators must decide' END AS says
     FROM payments p WHERE NOT payment_is_final(p.state)`,
  `SELECT h.transfer_id AS id, 'hold ' || h.transfer_id || ' of ' || h.amount || ' is neither posted nor released' AS says
     FROM transfers h WHERE h.kind = 'hold' AND NOT EXISTS (SELECT FROM transfers e WHERE e.hold_id = h.transfer_id)
      AND NOT EXISTS (SELECT FROM payments p WHERE p.payment_id = h.transfer_id AND NOT payment_is_final(p.state))`,
  `SELECT move_id AS id, purpose || ' move ' || move_id || ' is ' || m.state
          || CASE WHEN cancel_wanted_at IS NULL THEN '' ELSE ' and shall be cancelled' END
          || coalesce(', its provider''s transfer is ' || t.provider_state
               || CASE WHEN t.held_at IS NULL OR t.provider_state IN ('failed', 'cancelled') THEN '' ELSE ' and held: two operators must decide' END
               || coalesce(', cancellation ' || t.cancel_answer, ''), '') AS says
     FROM coin_moves m LEFT JOIN provider_transfers t USING (move_id) WHERE m.state = 'open'`,
  `SELECT settlement_id AS id, 'settlement ' || settlement_id || ' is not completed' AS says
     FROM settlements s WHERE completed_at IS NULL
      AND NOT EXISTS (SELECT FROM coin_moves m WHERE m.settlement_id = s.settlement_id AND m.state = 'open')`,
  `SELECT payout_id AS id, 'payout ' || payout_id || ' is ' || state
          || CASE state WHEN 'approving' THEN ': two operators must decide'
                        WHEN 'waiting' THEN ' for ' || waits_for::text ELSE '' END AS says
     FROM payouts WHERE state NOT IN ('checked', 'complete', 'cancelled')`,
  `SELECT i.payout_id AS id, 'row ' || i.nth || ' of payout ' || i.payout_id || ' is ' || i.state AS says
     FROM payout_items i JOIN payouts p USING (payout_id)
    WHERE i.state IN ('ready', 'sent') AND p.state NOT IN ('checked', 'approving')`,
  `SELECT r.request_id AS id, 'request ' || r.request_id || ' is open, and its payment exists' AS says
     FROM money_requests r WHERE r.state = 'open' AND EXISTS (SELECT FROM transfers t WHERE t.transfer_id = r.request_id)`,
  `SELECT refund_id AS id, 'refund ' || refund_id || ' is proposed: a second operator must decide' AS says
     FROM refunds WHERE booked_at IS NULL AND denied_at IS NULL`,
  `SELECT provider_id AS id, 'arrival ' || provider_id || ' is not decided' AS says FROM open_arrivals`,
  `SELECT provider_id AS id, 'arrival ' || provider_id || ' belongs to no wallet' AS says
     FROM arrivals WHERE verdict = 'unowned'`,
  `SELECT tx_hash AS id, 'log ' || tx_hash || ':' || log_index || ' of ' || amount || ' is held' AS says FROM held_logs`,
  `SELECT tx_hash AS id, 'deposit ' || tx_hash || ':' || log_index || ' is not final' AS says FROM pending_deposits`,
  `SELECT tx_hash AS id, 'move ' || tx_hash || ':' || log_index || ' is unexplained: an operator must import it' AS says
     FROM unexplained_moves WHERE imported_as IS NULL AND log_index >= 0`,
  // Other jobs recur forever.
  `SELECT key AS id, 'job ' || kind || ' ' || key || ' is not done' || coalesce(': ' || last_error, '') AS says
     FROM jobs WHERE kind LIKE 'submit %' OR kind IN ('payout', 'wallet')`,
];

export async function listUnended(db: Queryable): Promise<Unended[]> {
  const found: Unended[] = [];
  for (const question of QUESTIONS) {
    const rows = await db.query<{ id: string; says: string }>(
      `SELECT id::text, says FROM (${question}) q ORDER BY 1, 2`,
    );
    found.push(...rows);
  }
  return found;
}
