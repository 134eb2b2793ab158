/**
 * Reads what the model predicts from PostgreSQL: from the rows themselves, without any function that decides about
 * money.
 */
import type {
  Correction,
  Job,
  Key,
  Limits,
  Payout,
  Person,
  Refund,
  Request,
  Send,
  State,
  Transfer,
  UnknownMove,
} from '../model/state.ts';
import { PEOPLE, type Scene } from './buildScene.ts';
import type { RaceWorld } from './openWorld.ts';

/** The columns of all queries below; each has some of them. */
interface Row {
  readonly id: string;
  readonly kyc: string;
  readonly name: string | null;
  readonly old_names: string[];
  readonly closed: boolean;
  readonly paused: boolean;
  readonly paused_for: string[];
  readonly tier: number;
  readonly available: string;
  readonly held: string;
  readonly owed: string;
  readonly spent: string;
  readonly payments: string;
  readonly entries: string;
  readonly sessions: string[];
  readonly refreshes: number;
  readonly refreshed_under: string | null;
  readonly history: string[];
  readonly payer: string;
  readonly amount: string;
  readonly state: string;
  readonly approvals: string[];
  readonly needed: number;
  readonly ends: ('post' | 'release')[];
  readonly move: Send['move'];
  readonly started: boolean;
  readonly cancel_wanted: boolean;
  readonly signed: boolean;
  readonly carried: number;
  readonly version: number;
  readonly attempts: number[];
  readonly key_id: string | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly code: string;
  readonly asker_id: string;
  readonly payer_id: string;
  readonly user_id: string;
  readonly payment_id: string;
  readonly revoked: boolean;
  readonly day: string;
  readonly left: string;
  readonly source: Refund['source'];
  readonly booked: boolean;
  readonly denied: boolean;
  readonly imported: boolean;
  readonly kind: string;
  readonly claimed: boolean;
  readonly noted: boolean;
  readonly taken: number;
  readonly later: boolean;
  readonly type: string;
  readonly from_name: string | null;
  readonly items: { to: string | null; amount: string; state: string }[];
  readonly treasury: string;
  readonly sum: string;
  readonly pauses: string[];
  readonly has_moved: boolean;
  readonly block: number;
  readonly limits: Readonly<Record<string, Readonly<Record<keyof Limits, number | null>> & { readonly tier: number }>>;
}

const ours = (column: string): string => `${column} = ANY ($1::uuid[])`;
const others = (column: string): string => `${column} = ANY ($3::uuid[])`;

/** One list of rows per name; each query gets the ids of the people, and the place in the ledger where the scene began. */
const QUERIES: Readonly<Record<string, string>> = {
  people: `SELECT u.user_id AS id, u.kyc_status AS kyc, u.closed_at IS NOT NULL AS closed, a.paused, a.tier, a.available,
      ARRAY(SELECT cause FROM pauses WHERE scope = 'user:' || u.user_id ORDER BY cause) AS paused_for, a.held,
      coalesce((SELECT sum(amount - collected) FROM debts d WHERE d.account_id = a.account_id), 0)::bigint AS owed,
      l.day_spent AS spent, l.payments,
      ARRAY(SELECT session_id FROM sessions s WHERE s.user_id = u.user_id AND ended_at IS NULL ORDER BY created_at) AS sessions,
      ARRAY(SELECT x.kind || ' ' || x.available FROM (
        SELECT debit_entry AS entry, kind, debit_available AS available FROM transfers WHERE debit_account = a.account_id AND seq >= $2::bigint
        UNION ALL
        SELECT credit_entry, kind, credit_available FROM transfers WHERE credit_account = a.account_id AND credit_entry IS NOT NULL AND seq >= $2::bigint) x
        ORDER BY x.entry) AS history,
      a.entries,
      coalesce((SELECT max(generation) FROM session_tokens t JOIN sessions s USING (session_id) WHERE s.user_id = u.user_id), 0) AS refreshes,
      (SELECT encode(t.spent_under, 'hex') FROM session_tokens t JOIN sessions s USING (session_id)
        WHERE s.user_id = u.user_id AND t.kind = 'refresh' AND t.generation = 0 AND t.spent_under IS NOT NULL) AS refreshed_under,
      (SELECT username FROM usernames n WHERE n.user_id = u.user_id AND redirect_until IS NULL) AS name,
      ARRAY(SELECT username FROM usernames n WHERE n.user_id = u.user_id AND redirect_until IS NOT NULL ORDER BY claimed_at, username) AS old_names
    FROM users u JOIN accounts a USING (user_id) CROSS JOIN LATERAL (SELECT * FROM limits_left(u.user_id, 'USDC') LIMIT 1) l WHERE ${ours('u.user_id')}`,
  sends: `SELECT p.payment_id AS id, a.user_id AS payer, t.amount, p.state, p.approvals_needed AS needed, p.key_id,
      ARRAY(SELECT operator FROM approvals x WHERE x.payment_id = p.payment_id ORDER BY approved_at) AS approvals,
      ARRAY(SELECT e.kind FROM transfers e WHERE e.hold_id = p.payment_id) AS ends,
      m.state AS move, m.started_at IS NOT NULL AS started, m.cancel_wanted_at IS NOT NULL AS cancel_wanted,
      EXISTS (SELECT FROM signatures g WHERE g.move_id = p.payment_id) AS signed,
      (SELECT count(*) FROM carrier_calls l WHERE l.move_id = p.payment_id) AS carried,
      coalesce((SELECT max(c.version) FROM carrier_calls l JOIN carriers c USING (carrier_id) WHERE l.move_id = p.payment_id), 0) AS version,
      ARRAY(SELECT t.version FROM carrier_calls l JOIN carrier_attempts t USING (carrier_id) WHERE l.move_id = p.payment_id
             ORDER BY t.version) AS attempts
    FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id AND t.kind = 'hold' AND t.seq >= $2::bigint
    JOIN accounts a ON a.account_id = t.debit_account LEFT JOIN coin_moves m ON m.move_id = p.payment_id WHERE ${ours('a.user_id')}`,
  transfers: `SELECT t.transfer_id AS id, d.user_id AS "from", c.user_id AS "to", t.amount FROM transfers t
    JOIN accounts d ON d.account_id = t.debit_account JOIN accounts c ON c.account_id = t.credit_account
    WHERE t.kind = 'user' AND t.seq >= $2::bigint AND (${ours('d.user_id')} OR ${ours('c.user_id')})`,
  requests: `SELECT request_id AS id, asker_id, payer_id, amount, state FROM money_requests WHERE ${ours('asker_id')} ORDER BY created_at`,
  payouts: `SELECT payout_id AS id, key_id, payer_id, state, approvals_needed AS needed,
      ARRAY(SELECT operator FROM payout_approvals x WHERE x.payout_id = p.payout_id ORDER BY approved_at) AS approvals,
      (SELECT json_agg(json_build_object('to', i.user_id, 'amount', i.amount::text, 'state', i.state) ORDER BY nth)
         FROM payout_items i WHERE i.payout_id = p.payout_id) AS items
    FROM payouts p WHERE ${ours('payer_id')}`,
  feed: `SELECT f.type, f.subject_id AS id, t.from_name FROM feed f LEFT JOIN transfers t ON f.type = 'debt.complete' AND t.seq = f.seq
    WHERE f.seq >= $2::bigint AND (f.people && $1::uuid[] OR f.source = 'payout_events' AND f.subject_id IN (SELECT payout_id FROM payouts WHERE ${ours('payer_id')}))
    ORDER BY f.seq`,
};

/** The same, with the ids of the scene's other things. */
const OTHERS: Readonly<Record<string, string>> = {
  keys: `SELECT k.key_id AS id, k.revoked_at IS NOT NULL AS revoked, b.day_limit AS day, b.day_limit - b.day_spent - b.hour_spent
      + coalesce((SELECT sum(amount) FROM key_refunds r WHERE r.key_id = k.key_id), 0)::bigint AS left
    FROM service_keys k JOIN key_budgets b ON b.key_id = k.key_id AND b.pays = 'people' WHERE ${others('k.key_id')}`,
  refusals: `SELECT payment_id AS id, code FROM refusals WHERE ${others('payment_id')}
    UNION ALL SELECT record_id, answer->>'code' FROM idempotency_records WHERE ${others('record_id')} AND answer->>'code' IS NOT NULL`,
  refunds: `SELECT refund_id AS id, payment_id, source, amount, booked_at IS NOT NULL AS booked, denied_at IS NOT NULL AS denied
    FROM refunds WHERE ${others('payment_id')}`,
  corrections: `SELECT c.correction_id AS id, w.user_id, c.amount, c.booked_at IS NOT NULL AS booked
    FROM corrections c JOIN wallets w USING (wallet_id) WHERE ${others('correction_id')}`,
  moves: `SELECT w.user_id, m.amount, m.imported_as IS NOT NULL AS imported FROM unexplained_moves m JOIN wallets w USING (wallet_id)
    WHERE ${others('wallet_id')} ORDER BY m.block_number, m.log_index`,
  jobs: `SELECT split_part(kind, ' ', 1) AS kind, key AS id, claim IS NOT NULL AS claimed,
      waits_for IS NOT NULL AS noted, run_at > clock_timestamp() AS later FROM jobs WHERE key = ANY (($3::uuid[])::text[])`,
  deposits: `SELECT transfer_id AS id FROM deposits WHERE ${others('wallet_id')}`,
  deliveries: `SELECT event_id AS id, attempts AS taken FROM webhook_deliveries WHERE ${others('endpoint_id')}`,
  house: `SELECT (SELECT available FROM accounts WHERE kind = 'treasury') AS treasury,
      (SELECT sum(available + held) FROM accounts)::text AS sum, ARRAY(SELECT DISTINCT cause FROM pauses WHERE scope LIKE 'chain%') AS pauses,
      (SELECT block_number FROM chain_cursors) AS block,
      EXISTS (SELECT FROM wallets WHERE replaced_at IS NULL AND ${ours('user_id')} GROUP BY user_id HAVING count(*) > 1) AS has_moved,
      (SELECT json_object_agg(k.kyc_status, json_build_object('tier', t.tier, 'payment', t.payment_limit, 'day', t.day_limit, 'count', t.day_payments))
         FROM kyc_tiers k JOIN tiers t USING (tier) WHERE k.kyc_status IN ('approved', 'rejected')) AS limits,
      cardinality($3::uuid[]) AS ids`,
};

/** All of it in one round trip, and so in one snapshot. */
const ALL = `SELECT json_build_object(${Object.entries({ ...QUERIES, ...OTHERS })
  .map(([name, sql]) => `'${name}', (SELECT coalesce(json_agg(x), '[]') FROM (${sql}) x)`)
  .join(',\n')}) AS tables`;

export interface Observed {
  readonly state: State;
  /** Faults that no operation may cause. */
  readonly faults: readonly string[];
}

export async function observe(world: RaceWorld, scene: Scene): Promise<Observed> {
  const people = PEOPLE.map((who) => scene.id(who));
  const { rows } = await world.owner.query<{ tables: Record<string, Row[]> }>({
    // Prepared: planning all of it takes longer than reading it.
    name: 'observe',
    text: ALL,
    values: [people, scene.since, scene.ids()],
  });
  const { tables } = rows[0]!;
  return { state: toState(scene, tables), faults: findFaults(scene, tables) };
}

/** Amounts of these scenes are far below where JSON's numbers become inexact. */
const big = (value: string | number): bigint => BigInt(value);

/** Things whose ids were made by the server have the name of their kind, and a number from the second on. */
function nameAll<T>(scene: Scene, kind: string, rows: readonly Row[], make: (row: Row) => T): Record<string, T> {
  const named: Record<string, T> = {};
  for (const row of rows) {
    let name = scene.nameOf(row.id) ?? kind;
    while (name in named) name += '2';
    named[name] = make(row);
  }
  return named;
}

function nameSessions(scene: Scene, ids: readonly string[]): string[] {
  const names: string[] = [];
  for (const id of ids) {
    let name = scene.nameOf(id) ?? 'new';
    while (names.includes(name)) name += '2';
    names.push(name);
  }
  return names;
}

const operatorName = (login: string): string => login.slice(login.lastIndexOf('_') + 1);

function toState(scene: Scene, tables: Readonly<Record<string, Row[]>>): State {
  const name = (id: string | null): string => (id === null ? 'treasury' : (scene.nameOf(id) ?? '?'));
  const all = <T>(kind: string, table: string, make: (row: Row) => T) => nameAll(scene, kind, tables[table]!, make);
  const house = tables.house![0]!;
  const requests = all(
    'asked',
    'requests',
    (row): Request => ({
      asker: name(row.asker_id),
      payer: name(row.payer_id),
      amount: big(row.amount),
      state: row.state,
    }),
  );
  // New requests were just named, in their order.
  const newRequests = Object.keys(requests).filter((one) => one.startsWith('asked'));
  const feedName = (row: Row): string => {
    if (row.from_name) return name(row.from_name);
    return scene.nameOf(row.id) ?? newRequests.shift() ?? '?';
  };
  return {
    people: all(
      '?',
      'people',
      (row): Person => ({
        name: row.name === null ? null : scene.shortUsername(row.name),
        oldNames: row.old_names.map(scene.shortUsername),
        kyc: row.kyc,
        closed: row.closed,
        pausedFor: row.paused_for,
        paused: row.paused,
        tier: row.tier,
        available: big(row.available),
        held: big(row.held),
        owed: big(row.owed),
        spent: big(row.spent),
        payments: Number(row.payments),
        sessions: nameSessions(scene, row.sessions),
        refreshes: row.refreshes,
        refreshedUnder: row.refreshed_under && (scene.nameOf(row.refreshed_under) ?? '?'),
        history: row.history,
      }),
    ),
    treasury: big(house.treasury),
    sends: all(
      '?',
      'sends',
      (row): Send => ({
        payer: name(row.payer),
        amount: big(row.amount),
        state: row.state,
        approvals: row.approvals.map(operatorName),
        needed: row.needed,
        ended: row.ends[0] ?? null,
        move: row.move,
        started: row.started,
        cancelWanted: row.cancel_wanted,
        signed: row.signed,
        carried: row.carried,
        version: row.version,
        attempts: row.attempts,
        key: row.key_id === null ? null : name(row.key_id),
      }),
    ),
    transfers: all(
      '?',
      'transfers',
      (row): Transfer => ({ from: name(row.from), to: name(row.to), amount: big(row.amount) }),
    ),
    refusals: all('?', 'refusals', (row): string => row.code),
    requests,
    keys: all('?', 'keys', (row): Key => ({ revoked: row.revoked, day: big(row.day), left: big(row.left) })),
    payouts: all(
      '?',
      'payouts',
      (row): Payout => ({
        key: name(row.key_id),
        payer: name(row.payer_id),
        state: row.state,
        approvals: row.approvals.map(operatorName),
        needed: row.needed,
        rows: row.items.map((item) => ({
          to: item.to === null ? 'an address' : name(item.to),
          amount: big(item.amount),
          state: item.state,
        })),
      }),
    ),
    refunds: all(
      '?',
      'refunds',
      (row): Refund => ({
        payment: name(row.payment_id),
        source: row.source,
        amount: big(row.amount),
        state: row.booked ? 'booked' : row.denied ? 'denied' : 'proposed',
      }),
    ),
    corrections: all(
      '?',
      'corrections',
      (row): Correction => ({
        person: name(row.user_id),
        amount: big(row.amount),
        booked: row.booked,
      }),
    ),
    moves: Object.fromEntries(
      tables.moves!.map((row): [string, UnknownMove] => [
        'move',
        { person: name(row.user_id), amount: big(row.amount), imported: row.imported },
      ]),
    ),
    jobs: Object.fromEntries(tables.jobs!.map((row) => [`${row.kind} ${name(row.id)}`, toJob(row)])),
    deposits: tables.deposits!.map((row) => name(row.id)),
    deliveries: Object.fromEntries(tables.deliveries!.map((row) => [row.id, row.taken])),
    hasMoved: house.has_moved,
    block: house.block,
    tiers: Object.fromEntries(Object.entries(house.limits).map(([kyc, { tier }]) => [kyc, tier])),
    limits: Object.fromEntries(Object.entries(house.limits).map(([kyc, limits]) => [kyc, toLimits(limits)])),
    feed: tables.feed!.map((row) => `${row.type} ${feedName(row)}`),
    pauses: house.pauses,
    bodies: {},
  };
}

function toJob({ claimed, noted, later }: Row): Job {
  if (claimed) return noted ? 'claimed, noted' : 'claimed';
  if (noted) return later ? 'asleep' : 'noted';
  return 'free';
}

const toLimits = ({ payment, day, count }: Row['limits'][string]): Limits => ({
  payment: payment === null ? null : big(payment),
  day: day === null ? null : big(day),
  count,
});

/** Laws that need no model. */
function findFaults(scene: Scene, { house, people, sends }: Readonly<Record<string, Row[]>>): string[] {
  const faults: string[] = [];
  if (house![0]!.sum !== '0') faults.push(`money is not conserved: all accounts together have ${house![0]!.sum}`);
  for (const row of people!) {
    const who = scene.nameOf(row.id);
    const history = row.history;
    if (history.length !== Number(row.entries))
      faults.push(`${who} has ${row.entries} entries, ${history.length} rows`);
    const last = history.at(-1)?.split(' ')[1] ?? '0';
    if (last !== String(row.available)) faults.push(`${who} has ${row.available}, the history says ${last}`);
    if (big(row.available) < 0n || big(row.held) < 0n) faults.push(`${who} has less than nothing`);
  }
  for (const row of sends!) {
    const [id, ends] = [scene.nameOf(row.id), row.ends];
    if (ends.length > 1) faults.push(`the hold of ${id} has ended ${ends.length} times`);
    if (['FAILED', 'DENIED', 'CANCELLED'].includes(row.state) && ends[0] !== 'release')
      faults.push(`${id} failed and kept its money`);
    if (['FAILED', 'DENIED', 'CANCELLED'].includes(row.state) && row.move === 'done')
      faults.push(`${id} failed and has a transfer`);
    if (row.state === 'COMPLETE' && ends[0] !== 'post') faults.push(`${id} is COMPLETE and not paid`);
  }
  return faults;
}
