/** Rows of other people: as many as an hour of traffic leaves, made in seconds. Triggers and foreign keys do not run. */
const ROWS = 3_000;

const FILLINGS: Readonly<Record<string, string>> = {
  users: `(user_id, issuer, subject) SELECT gen_random_uuid(), 'fill', n::text`,
  usernames: `(username, user_id, claimed_at) SELECT 'fill_' || n, gen_random_uuid(), now()`,
  wallets: `(wallet_id, kind, user_id, provider, reference, address)
    SELECT gen_random_uuid(), 'user', gen_random_uuid(), 'local', n::text, '0x' || lpad(to_hex(n), 40, '0')`,
  holdings: '(asset_id, wallet_id, unchecked) SELECT 1, gen_random_uuid(), false',
  accounts: `(asset_id, kind, user_id, tier) SELECT 1, 'user', gen_random_uuid(), 0`,
  transfers: `(transfer_id, seq, debit_account, credit_account, amount, debit_entry, debit_available, debit_held, created_at,
    asset_id, kind) SELECT gen_random_uuid(), n, -n, -n - 1, 1, 1, 0, 1, now(), 1, 'hold'`,
  payments: `(payment_id, state, destination, wallet_id, amount)
    SELECT gen_random_uuid(), 'COMPLETE', '0x', gen_random_uuid(), 1`,
  payment_events: `(seq, payment_id, state, at) SELECT n, gen_random_uuid(), 'COMPLETE', now()`,
  coin_moves: `(move_id, asset_id, wallet_id, purpose, rail, from_address, to_address, amount, reserved, state)
    SELECT gen_random_uuid(), 1, gen_random_uuid(), 'send', 'eip3009', '0x', '0x', 1, 0, 'done'`,
  authorizations: '(move_id, nonce, carried) SELECT gen_random_uuid(), sha256(n::text::bytea), true',
  signatures: `(move_id, valid_before, signature) SELECT gen_random_uuid(), 1, decode(repeat('00', 65), 'hex')`,
  deposits: `(asset_id, tx_hash, wallet_id, ordinal, from_address, amount, block_number, block_hash, transfer_id, log_index)
    SELECT 1, n::text, gen_random_uuid(), 0, '0x', 1, 1, '0x', gen_random_uuid(), 0`,
  payouts: `(payout_id, key_id, payer_id, on_shortage, state, row_count, total, known_count, known_total, created_at,
    confirmed_at, waits_until, ended_at, currency)
    SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'wait', 'complete', 1, 1, 0, 0, now(), now(), now(), now(),
           'USDC'`,
  payout_items: `(payout_id, nth, payment_id, reference, destination, blockchain, amount, state)
    SELECT gen_random_uuid(), 1, gen_random_uuid(), 'fill', '0x', 'x', 1, 'paid'`,
  payout_events: `(seq, payout_id, state, at) SELECT -n, gen_random_uuid(), 'complete', now()`,
  money_requests: `(request_id, asker_id, payer_id, by_link, amount, state, created_at, expires_at, ended_at)
    SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), false, 1, 'paid', now(), now() + interval '1 day', now()`,
  money_request_events: `(seq, request_id, state, at) SELECT -n, gen_random_uuid(), 'paid', now()`,
  key_events: `(seq, key_id, user_id, state, at) SELECT -n, gen_random_uuid(), gen_random_uuid(), 'created', now()`,
  kyc_events: `(seq, user_id, status, at) SELECT -n, gen_random_uuid(), 'approved', now()`,
  sessions: `(session_id, user_id, created_at, last_used_at, expires_at)
    SELECT gen_random_uuid(), gen_random_uuid(), now(), now(), now() + interval '1 day'`,
  recipients: `(wallet_id, address) SELECT gen_random_uuid(), '0x' || lpad(to_hex(n), 40, '0')`,
  refunds: `(refund_id, payment_id, source, amount, reason, proposed_by, booked_at)
    SELECT gen_random_uuid(), gen_random_uuid(), 'receiver', 1, 'fill', 'fill', now()`,
  refund_totals: '(payment_id, paid) SELECT gen_random_uuid(), 1',
  spendings: '(account_id, hour, payments, spent) SELECT -n, 1, 1, 1',
  idempotency_records: `(record_id, request_hash) SELECT gen_random_uuid(), sha256('')`,
};

export const FILLED: readonly string[] = Object.keys(FILLINGS);

/** Rows of the service itself, which stay. */
const KEPT: Readonly<Record<string, string>> = {
  accounts: 'user_id IS NULL',
  wallets: 'user_id IS NULL',
  holdings: `wallet_id IN (SELECT wallet_id FROM wallets WHERE kind = 'treasury')`,
};

const withoutTriggers = (statements: readonly string[]): string =>
  ['SET session_replication_role = replica', ...statements, 'SET session_replication_role = origin'].join(';\n');

export const FILL = withoutTriggers(
  FILLED.map((table) => `INSERT INTO ${table} ${FILLINGS[table]} FROM generate_series(1, ${ROWS}) n`),
);

export const CLEAR = withoutTriggers(
  FILLED.map((table) => `DELETE FROM ${table} WHERE NOT (${KEPT[table] ?? 'false'})`),
);
