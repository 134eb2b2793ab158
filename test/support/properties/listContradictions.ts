/**
 * Property (c): the tables agree about each payment, at any moment. An unpaid end has moved nothing; no hold was both
 * released and paid on the chain; no send is funded with more than it needs; each authorization has the nonce derived
 * from its id; every change of a state is one event, in an allowed order.
 */
import { keccak256 } from 'viem';
import type { Queryable } from '../../../server/src/db/database.ts';
import { START } from '../../../server/src/events/feedPosition.ts';
import { readFeed } from '../../../server/src/events/readFeed.ts';

interface Contradiction {
  /** The id by which a story knows it. */
  readonly id: string;
  readonly says: string;
}

/**
 * Each finds rows `id`, `says`. They use the tables and none of the service's functions, except the table of states.
 */
const QUESTIONS: readonly string[] = [
  `SELECT p.payment_id AS id, 'payment ' || p.payment_id || ' is ' || p.state || ', and its hold was posted' AS says
     FROM payments p JOIN transfers e ON e.hold_id = p.payment_id AND e.kind = 'post'
    WHERE p.state IN ('FAILED', 'DENIED', 'CANCELLED')`,
  `SELECT p.payment_id AS id, 'payment ' || p.payment_id || ' is ' || p.state || ', and its hold was not released' AS says
     FROM payments p WHERE p.state IN ('FAILED', 'DENIED', 'CANCELLED')
      AND NOT EXISTS (SELECT FROM transfers e WHERE e.hold_id = p.payment_id AND e.kind = 'release')`,
  `SELECT p.payment_id AS id, 'payment ' || p.payment_id || ' is COMPLETE, and its hold was not posted' AS says
     FROM payments p WHERE p.state = 'COMPLETE'
      AND NOT EXISTS (SELECT FROM transfers e WHERE e.hold_id = p.payment_id AND e.kind = 'post')`,
  `SELECT m.move_id AS id, 'the hold ' || m.move_id || ' was released, and the chain has paid it in ' || m.tx_hash AS says
     FROM coin_moves m JOIN transfers e ON e.hold_id = m.move_id AND e.kind = 'release'
    WHERE m.purpose = 'send' AND m.state = 'done'`,
  `SELECT u.imported_as AS id, 'the hold ' || u.imported_as || ' was released, and ' || u.tx_hash || ' is imported as it' AS says
     FROM unexplained_moves u JOIN transfers e ON e.hold_id = u.imported_as AND e.kind = 'release'`,
  `SELECT m.move_id AS id, 'the move ' || m.move_id || ' is not what its payment says' AS says
     FROM coin_moves m JOIN payments p ON p.payment_id = m.move_id
     JOIN transfers h ON h.transfer_id = m.move_id AND h.kind = 'hold'
    WHERE m.purpose = 'send' AND m.state <> 'dead' AND (m.amount <> h.amount OR lower(m.to_address) <> lower(p.destination) OR m.asset_id <> h.asset_id)`,
  `SELECT i.payment_id AS id, 'row ' || i.nth || ' of payout ' || i.payout_id || ' is ' || i.state || ', and is paid' AS says
     FROM payout_items i JOIN transfers t ON (t.transfer_id = i.payment_id AND t.kind = 'user')
       OR (t.hold_id = i.payment_id AND t.kind = 'post')
    WHERE i.state IN ('failed', 'cancelled')`,
  `SELECT i.payment_id AS id, 'row ' || i.nth || ' of payout ' || i.payout_id || ' is paid by nothing' AS says
     FROM payout_items i WHERE i.state = 'paid' AND NOT EXISTS (SELECT FROM transfers t
       WHERE (t.transfer_id = i.payment_id AND t.kind = 'user') OR (t.hold_id = i.payment_id AND t.kind = 'post'))`,
  `SELECT r.request_id AS id, 'request ' || r.request_id || ' is ' || r.state || ', and is paid' AS says
     FROM money_requests r JOIN transfers t ON t.transfer_id = r.request_id WHERE r.state NOT IN ('paid', 'open')`,
  `SELECT r.refund_id AS id, 'refund ' || r.refund_id || ' is denied, and is booked' AS says
     FROM refunds r JOIN transfers t ON t.transfer_id = r.refund_id WHERE r.denied_at IS NOT NULL`,
  `SELECT o.payment_id AS id, 'payment ' || o.payment_id || ' went from ' || coalesce(o.before, 'nothing') || ' to ' || o.state AS says
     FROM (SELECT payment_id, state, lag(state) OVER (PARTITION BY payment_id ORDER BY seq) AS before FROM payment_events) o
    WHERE o.before IS NOT NULL AND NOT payment_may_become(o.before, o.state)`,
  `SELECT p.payment_id AS id, 'payment ' || p.payment_id || ' is ' || p.state || ', its last event is ' || coalesce(e.state, 'none') AS says
     FROM payments p LEFT JOIN LATERAL (
       SELECT state FROM payment_events WHERE payment_id = p.payment_id ORDER BY seq DESC LIMIT 1) e ON true
    WHERE e.state IS DISTINCT FROM p.state`,
  `SELECT r.request_id AS id, 'request ' || r.request_id || ' is ' || r.state || ', its last event is ' || coalesce(e.state, 'none') AS says
     FROM money_requests r LEFT JOIN LATERAL (
       SELECT state FROM money_request_events WHERE request_id = r.request_id ORDER BY seq DESC LIMIT 1) e ON true
    WHERE e.state IS DISTINCT FROM r.state`,
  `SELECT n.payment_id AS id, 'the note of ' || n.payment_id || ' belongs to nothing' AS says FROM payment_notes n
    WHERE NOT EXISTS (SELECT FROM transfers t WHERE t.transfer_id = n.payment_id)
      AND NOT EXISTS (SELECT FROM refusals r WHERE r.payment_id = n.payment_id)
      AND NOT EXISTS (SELECT FROM money_requests r WHERE r.request_id = n.payment_id)
      AND NOT EXISTS (SELECT FROM refunds r WHERE r.refund_id = n.payment_id AND r.denied_at IS NULL)`,
];

/** Held transfers wait for people: other coins replace them meanwhile. The same applies to unexplained coins. */
const OVERFUNDED = `SELECT m.move_id AS id, 'send ' || m.move_id || ' of ' || m.amount || ' has ' || m.reserved || ' and is funded with ' || f.sum AS says
     FROM coin_moves m JOIN LATERAL (
       SELECT coalesce(sum(f.amount) FILTER (WHERE f.state = 'open'), 0) AS sum, coalesce(sum(f.amount), 0) AS ever
         FROM coin_moves f LEFT JOIN provider_transfers t ON t.move_id = f.move_id
        WHERE f.funds = m.move_id AND f.state <> 'dead' AND t.held_at IS NULL) f ON true
    WHERE m.purpose = 'send' AND (m.state = 'open' AND m.reserved + f.sum > m.amount OR f.ever > m.amount)
      AND NOT EXISTS (SELECT FROM unexplained_moves u WHERE u.wallet_id = m.wallet_id)`;

export async function listContradictions(db: Queryable): Promise<Contradiction[]> {
  return [...(await listRows(db)), ...(await compareEvents(db))];
}

/** In words, without reading the feed. */
export const listContradictoryRows = async (db: Queryable): Promise<string[]> =>
  (await listRows(db)).map(({ says }) => says);

async function listRows(db: Queryable): Promise<Contradiction[]> {
  const found: Contradiction[] = [];
  for (const question of [...QUESTIONS, OVERFUNDED]) found.push(...(await ask(db, question)));
  return [...found, ...(await compareNonces(db))];
}

/** Throws when a send gets more coins than it lacks, which is visible only during the send. */
export async function refuseOverfunded(db: Queryable): Promise<void> {
  const [first] = await ask(db, OVERFUNDED);
  if (first) throw new Error(first.says);
}

const ask = (db: Queryable, question: string): Promise<Contradiction[]> =>
  db.query<Contradiction>(`SELECT id::text, says FROM (${question}) q ORDER BY 1, 2`);

/** Computed again as docs/decisions/0007 defines it. */
function nonceOf(moveId: string, purpose: string): string {
  const bare = moveId.replaceAll('-', '');
  return purpose === 'send' ? keccak256(`0x${bare}`).slice(2) : Buffer.from('florin-settle-01').toString('hex') + bare;
}

/** Only for what was signed here: an import keeps the nonce that it had on the chain. */
async function compareNonces(db: Queryable): Promise<Contradiction[]> {
  const rows = await db.query<{ id: string; purpose: string; nonce: string }>(
    `SELECT move_id::text AS id, purpose, encode(nonce, 'hex') AS nonce FROM authorizations JOIN coin_moves USING (move_id)
      WHERE EXISTS (SELECT FROM signatures s WHERE s.move_id = authorizations.move_id)`,
  );
  return rows
    .filter(({ id, purpose, nonce }) => nonce !== nonceOf(id, purpose))
    .map(({ id, purpose, nonce }) => ({ id, says: `the ${purpose} ${id} is authorized under the nonce ${nonce}` }));
}

/** More would take too long to read one by one. */
const MOST_EVENTS = 2_000;

/** SQL: for transfer `t`. Transfers between the service's own accounts have no event. */
const IS_OF_A_PERSON = `EXISTS (SELECT FROM accounts a WHERE a.account_id IN (t.debit_account, t.credit_account) AND a.user_id IS NOT NULL)`;

/** The whole feed has each change of a state once. */
async function compareEvents(db: Queryable): Promise<Contradiction[]> {
  const wanted = await db.query<{ seq: bigint; id: string }>(
    `SELECT seq, transfer_id::text AS id FROM transfers t WHERE kind IN ('user', 'deposit') OR kind = 'internal' AND ${IS_OF_A_PERSON}
     UNION ALL SELECT seq, payment_id::text FROM payment_events
     UNION ALL SELECT seq, request_id::text FROM money_request_events
     UNION ALL SELECT seq, user_id::text FROM kyc_events
     UNION ALL SELECT seq, key_id::text FROM key_events
     UNION ALL SELECT seq, payout_id::text FROM payout_events
      ORDER BY 1 LIMIT ${MOST_EVENTS + 1}`,
  );
  if (wanted.length > MOST_EVENTS) return [];
  // Transactions of others may hold back what was committed just now.
  const [held] = await db.query<{ seq: bigint }>('SELECT ledger_settled_seq() AS seq');
  const settled = wanted.filter(({ seq }) => seq < held!.seq);
  const shown: string[] = [];
  for (let after = START; ; ) {
    const page = await readFeed(db, { after, types: undefined, limit: 500 });
    shown.push(...page.events.map(({ place, subjectId }) => `${place.seq} ${subjectId}`));
    if (page.isAll) break;
    after = page.next;
  }
  const missing = settled.filter(({ seq, id }) => !shown.includes(`${seq} ${id}`));
  const doubled = shown.filter((one, i) => shown.indexOf(one) !== i);
  return [
    ...missing.map(({ seq, id }) => ({ id, says: `the feed lacks the event ${seq} of ${id}` })),
    ...doubled.map((one) => ({ id: one.split(' ')[1]!, says: `the feed has the event ${one} twice` })),
  ];
}
