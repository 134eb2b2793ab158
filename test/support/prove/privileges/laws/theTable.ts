/**
 * THE TABLE: which login may change what, directly or through functions, and why. Anything else is a fault. Do not add
 * a row only to make a fault disappear: first decide whether the login needs that permission.
 */
import type { Actor } from '../logins.ts';
import type { Change } from '../recorder.ts';
import type { Deed } from './law.ts';
import { may, type Op, type Permission } from './permission.ts';

const BALANCE = 'available, held, entries, last_seq, last_entry';
const COUNTERS = 'hour, hour_payments, hour_spent, day_payments, day_spent, month_spent';

/** Every login that moves money; the laws of books, movements and limits say when. */
const MONEY = [
  ...may('INSERT', 'transfers', 'the ledger only grows'),
  ...may('UPDATE', `accounts(${BALANCE}, ${COUNTERS})`, 'balances follow the rows'),
  ...may('INSERT UPDATE', 'spendings', 'what counts towards limits'),
  ...may('INSERT', 'payment_events payees recipients', 'consequences of a payment'),
];
const SENDS = [
  ...MONEY,
  ...may('INSERT', 'payments', 'an accepted send'),
  ...may('UPDATE', 'payments(state, tx_hash, network_fee, error_reason, updated_at)', 'a send that continues or ends'),
  ...may('INSERT UPDATE DELETE', 'key_spendings key_refunds', 'what counts towards the limits of keys'),
  ...may('UPDATE', 'key_budgets(hour, hour_spent, day_spent, month_spent)', 'the same'),
  ...may('INSERT UPDATE', 'jobs(run_at, waits_for, claim, attempts)', 'scheduled work'),
  ...may('INSERT UPDATE', 'job_topics', 'only to be locked, so that a job that is about to wait is noticed'),
];
const opensAccounts = may(
  'INSERT',
  'accounts',
  'an empty account',
  ({ after }) => after?.available === '0' && after.held === '0',
);
const opensAssets = may('INSERT', 'networks assets wallet_rescans', 'a new blockchain');
const EPOCHS = [
  ...may('INSERT DELETE', 'epochs', 'invalidates the caches of processes'),
  ...may(
    'UPDATE',
    'ledger_state(names_epoch, names_random, names_changed, sessions_epoch, sessions_random, seq_base)',
    'the same',
  ),
];
const AUDIT = may('INSERT', 'audit_log', 'the law of the audit log says in whose name');
/** An unexplained move on the chain turns out to be a payment. */
const IMPORTS = [
  ...may('UPDATE', 'unexplained_moves(imported_as)', 'it is explained'),
  ...may('INSERT', 'debts deposits coin_moves authorizations', 'consequences of an import'),
  ...may('DELETE', 'pauses', 'the last move is explained', ({ before }) =>
    ['unexplained', 'drift'].includes(before?.cause ?? ''),
  ),
  ...may('UPDATE', 'jobs(run_at, waits_for)', 'sends continue'),
  ...opensAccounts,
];
const CANCELS = [
  ...may('UPDATE', 'coin_moves(cancel_wanted_at, started_at, state, reserved)', 'a cancelled send'),
  ...may('INSERT', 'coin_moves authorizations', 'a send from before a restore, to be cancelled on the chain'),
  ...may(
    'INSERT',
    'provider_transfers',
    'a send from before a restore, only to be searched for at its provider',
    ({ after }) => after?.attempts === '0',
  ),
  ...may('UPDATE', 'holdings(reserved, outgoing, incoming, ledger, surplus)', 'its coins are free'),
];
const IDENTITY = may('INSERT', 'database_identity', 'the first caller records the identity of this database');
const RESTORES = [
  ...may('INSERT', 'restores', 'the database is older than a process remembers'),
  ...IDENTITY,
  ...EPOCHS,
];
const WEBHOOKS = [
  ...may('INSERT UPDATE', 'webhook_endpoints', 'who receives events'),
  ...may('INSERT UPDATE DELETE', 'webhook_secrets', 'their signing secrets'),
  ...may('INSERT UPDATE', 'webhook_deliveries', 'tests and repetitions'),
];
const TIER_CHANGES = [
  ...may(
    'UPDATE',
    'tiers(payment_limit, day_limit, month_limit, day_payments) kyc_tiers(tier) accounts(tier)',
    'limits',
  ),
  ...may('INSERT', 'tier_changes kyc_tier_changes', 'their history'),
];
const namesPerson = ({ scope }: { readonly scope?: string | null }): boolean => scope?.startsWith('user:') === true;
const PAUSES_PEOPLE = [
  ...may('INSERT UPDATE DELETE', 'pauses', 'a person may not pay', ({ before, after }) =>
    namesPerson((after ?? before)!),
  ),
  ...may('UPDATE', 'accounts(paused)', 'the same'),
];
const PAUSES = [
  ...PAUSES_PEOPLE,
  ...may('INSERT UPDATE DELETE', 'pauses', 'pauses of everything or of a chain'),
  ...may('UPDATE', 'jobs(run_at, waits_for)', 'sends continue'),
];
const DECIDES = [
  ...may('INSERT', 'approvals payout_approvals', 'one of two people'),
  ...may(
    'INSERT UPDATE',
    'payouts(state, waits_for, waits_until, cancelled_at, ended_at) payout_items(state, error)',
    'a payout starts or is denied',
  ),
  ...may('INSERT', 'payout_events payment_events', 'the same'),
  ...may(
    'INSERT UPDATE',
    'corrections refunds refund_totals transfer_decisions',
    'proposals, and what two people decide',
  ),
  ...may('INSERT UPDATE DELETE', 'payment_notes', 'the note of a refund; a denied one has none'),
  ...may(
    'INSERT UPDATE',
    'holdings(coins, surplus, unchecked) asset_positions(coins) drifts(difference)',
    'coins that a correction counts',
  ),
  ...may('INSERT', 'holdings', 'the same'),
  ...may(
    'UPDATE',
    'provider_transfers(provider_id, provider_state, held_at, asked_at, updated_at)',
    'a held transfer was decided',
  ),
];
const rebases = may('UPDATE', 'ledger_state(seq_base)', 'the feed continues after a restore');

const ofAccount: Permission['when'] = ({ before, after }) => (before ?? after)?.user_id != null;
const belongsToAccount: Permission['when'] = ({ after: row }, { before, after }) =>
  after.find('service_keys', row!.key_id)?.user_id != null && !before.find('service_keys', row!.key_id);
const SESSIONS = [
  ...may('UPDATE', 'sessions(ended_at, ended_because, changed_epoch)', 'a person’s sessions end'),
  ...EPOCHS,
  ...may('UPDATE', 'service_keys(revoked_at)', 'a person’s keys end with the sessions', ofAccount),
  ...may('INSERT', 'key_events', 'tells the person'),
];
const SUPPORT: Permission[] = [...SENDS, ...CANCELS, ...PAUSES_PEOPLE, ...SESSIONS, ...AUDIT, ...IDENTITY, ...rebases];
/** Two operators remove the passkeys of a person who has lost them. */
const REMOVES_PASSKEYS = [
  ...may('INSERT DELETE', 'passkey_removals', 'a removal waits for the person and for a second operator'),
  ...may('DELETE', 'passkeys passkey_challenges', 'two operators and a day'),
  ...may('UPDATE', 'users(passkey_above) accounts(passkey_above)', 'nothing is asked without a passkey'),
];
const RISK: Permission[] = [
  ...REMOVES_PASSKEYS,
  ...SUPPORT,
  ...TIER_CHANGES,
  ...PAUSES,
  ...DECIDES,
  ...opensAccounts,
  ...opensAssets,
];
const ADMIN: Permission[] = [
  ...RISK,
  ...IMPORTS,
  ...may('INSERT UPDATE', 'arrivals open_arrivals(by_address, due_at)', 'an arrival that waits is decided'),
  ...may('DELETE', 'open_arrivals', 'the same'),
  ...RESTORES,
  ...WEBHOOKS,
  ...may(
    'UPDATE',
    'networks(chain_id) assets(contract, token_name)',
    'describes a token the first time',
    ({ before, after }) =>
      Object.keys(after!).every((column) => before![column] === after![column] || before![column] === null),
  ),
  ...may('INSERT UPDATE', 'service_keys key_rules key_budgets', 'keys'),
  ...may('INSERT DELETE', 'key_payers key_destinations key_changes', 'what a key may do'),
  ...may('INSERT UPDATE DELETE', 'operators operator_identities', 'who is an operator'),
  ...may(
    'UPDATE',
    'restores(keys_confirmed_at, keys_confirmed_by, sessions_confirmed_at, sessions_confirmed_by)',
    'an operator has checked',
  ),
  ...may('UPDATE', 'debts(collected)', 'a debt is collected'),
  ...may(
    'INSERT UPDATE',
    'settlements wallet_rescans chain_cursors(wallet_checks) arrival_cursors(back_since, back_after)',
    'explains moves, asks for a rescan',
  ),
  ...may('UPDATE', 'relayers(stopped, ahead_since, foreign_since, next_nonce)', 'restarts a relayer'),
  ...may('INSERT', 'carriers', 'the same'),
];

const THE_TABLE: Readonly<Record<Actor, readonly Permission[]>> = {
  server: [
    ...SENDS,
    ...opensAccounts,
    ...opensAssets,
    ...EPOCHS,
    ...AUDIT,
    ...IMPORTS,
    ...CANCELS,
    ...RESTORES,
    ...WEBHOOKS,
    ...may('INSERT', 'users username_changes kyc_events', 'people'),
    ...may(
      'UPDATE',
      'users(email, email_verified, kyc_status, discoverable, closed_at)',
      'data from people and identity checks',
    ),
    ...may('UPDATE', 'accounts(tier)', 'the tier follows the identity check', ({ after }, { after: state }) => {
      const status = state.find('users', after!.user_id)?.kyc_status;
      const currency = state.find('assets', after!.asset_id)?.symbol;
      return state
        .rows('kyc_tiers')
        .some((row) => row.kyc_status === status && row.currency === currency && row.tier === after!.tier);
    }),
    ...may('INSERT DELETE', 'public_names', 'a trigger lists the names of people who let others find them'),
    ...may(
      'INSERT UPDATE DELETE',
      'sessions session_tokens usernames username_skeletons spent_id_tokens login_secrets kyc_checks',
      'its own tables',
    ),
    ...may(
      'INSERT UPDATE DELETE',
      'rate_windows idempotency_records chain_heads onchain_balances rates',
      'its own tables',
    ),
    ...may('UPDATE', 'service_keys(last_used_at)', 'a key was used'),
    ...may(
      'INSERT UPDATE',
      'service_keys(revoked_at)',
      'a person creates and revokes keys of their account',
      ofAccount,
    ),
    ...may('INSERT', 'key_rules key_budgets key_payers key_changes', 'what such a key may do', belongsToAccount),
    ...may('INSERT', 'key_events', 'tells the person'),
    ...may('INSERT UPDATE DELETE', 'passkeys passkey_challenges', 'people add, use and remove passkeys'),
    ...may('DELETE', 'passkey_removals', 'the person objects'),
    ...may('UPDATE', 'users(passkey_above) accounts(passkey_above)', 'people set when they are asked for a passkey'),
    ...may('INSERT', 'refusals', 'the answer to a repeated request'),
    ...may('INSERT UPDATE', 'payment_notes', 'what people write about their payments and requests'),
    ...may('INSERT UPDATE', 'money_requests money_request_events', 'people ask for money'),
    ...may('INSERT UPDATE', 'payees payee_reads', 'whom people have paid'),
    ...may('INSERT UPDATE', 'payouts payout_items(state, error)', 'files of payouts'),
    ...may('INSERT', 'payout_files payout_events', 'files of payouts'),
    ...may('INSERT', 'pauses', 'a closed account pays nothing', ({ after }) => after?.cause === 'closed'),
    ...may('UPDATE', 'accounts(paused)', 'a closed account pays nothing', ({ after }) => after?.paused === 'true'),
    ...may('UPDATE', 'provider_transfers(asked_at)', 'a provider reports that something has happened'),
  ],
  worker: [
    ...SENDS,
    ...opensAccounts,
    ...opensAssets,
    ...EPOCHS,
    ...AUDIT,
    ...RESTORES,
    ...may('INSERT UPDATE DELETE', 'jobs', 'its own bookkeeping'),
    ...may('INSERT UPDATE DELETE', 'book_audits book_faults', 'what its audit of the ledger has found'),
    ...may(
      'INSERT UPDATE',
      'holdings settlements coin_moves authorizations relayers carriers carrier_calls',
      'where coins are, and what moves them',
    ),
    ...may(
      'INSERT UPDATE',
      'chain_cursors deposits asset_positions provider_transfers arrivals arrival_cursors blacklist_reads',
      'what the chains report',
    ),
    ...may(
      'INSERT UPDATE DELETE',
      'open_arrivals chain_blocks pending_deposits held_logs forgotten_nonces kept_positions node_faults drifts',
      'what the chains report',
    ),
    ...may('INSERT UPDATE DELETE', 'unexplained_moves wallet_rescans', 'what the chains report'),
    ...may('UPDATE', 'debts(collected)', 'the debt of a reversed import'),
    ...may('INSERT', 'ever_blacklisted', 'what the chains report'),
    ...may('UPDATE', 'carrier_attempts(broadcast_at, answer, raw)', 'bytes were broadcast, or are no longer needed'),
    ...may(
      'UPDATE',
      'networks(chain_id) assets(contract, token_name)',
      'describes a token the first time',
      ({ before, after }) =>
        Object.keys(after!).every((column) => before![column] === after![column] || before![column] === null),
    ),
    ...may(
      'INSERT UPDATE',
      'pauses',
      'the service pauses itself',
      ({ after }) => after?.cause !== 'operator' && after?.cause !== 'closed',
    ),
    ...may(
      'DELETE',
      'pauses',
      'the service resumes what it has paused',
      ({ before }) => before?.cause !== 'operator' && before?.cause !== 'closed',
    ),
    ...may('UPDATE', 'send_rules', 'its configuration'),
    ...may(
      'UPDATE',
      'payouts(state, waits_for, ended_at) payout_items(state, error, payment_id)',
      'pays confirmed payouts',
    ),
    ...may('INSERT', 'payout_events money_request_events', 'the same; expired requests'),
    ...may('UPDATE', 'money_requests(state, ended_at)', 'expired requests', ({ after }) => after?.state === 'expired'),
    ...may(
      'INSERT UPDATE',
      'webhook_deliveries webhook_endpoints(place, state, failure, failing_since)',
      'tells others',
    ),
    ...may(
      'DELETE',
      'spendings refusals sessions session_tokens spent_id_tokens idempotency_records webhook_deliveries',
      'deletes old rows',
    ),
    ...may('UPDATE', 'retention', 'how far it has deleted'),
    ...may('INSERT UPDATE DELETE', 'payment_notes', 'notes of payout rows; it removes old notes'),
  ],
  signer: [
    ...may(
      'INSERT',
      'wallets wallet_seeds wallet_providers signatures cancellations carrier_attempts provider_webhook_keys',
      'only it has keys',
    ),
    ...may('INSERT', 'wallet_rescans holdings jobs job_topics', 'a new wallet'),
    ...may(
      'UPDATE',
      'wallet_seeds networks(wallet_provider) jobs(run_at, waits_for) wallets(replaced_at)',
      'who holds the keys of wallets',
    ),
    ...may(
      'INSERT UPDATE',
      'authorizations(valid_before, waits_for, waits_since) signed_hours provider_turns',
      'its signatures',
    ),
    ...may('UPDATE', 'coin_moves(started_at)', 'a signed move is started'),
    ...may('UPDATE', 'holdings(ledger, surplus) asset_positions', 'follows the owners of wallets'),
    ...may('UPDATE', 'provider_transfers(attempts, first_asked_at, counted_at, waits_for, held_at)', 'asks providers'),
    ...IDENTITY,
  ],
  admin: ADMIN,
  risk: RISK,
  support: SUPPORT,
  removed: [...IDENTITY, ...rebases],
  reader: [],
  console: [],
};

const makesWallets = [
  ...may('INSERT', 'wallets wallet_seeds', 'processes of the previous release have the seed'),
  ...may('INSERT', 'wallet_rescans holdings', 'a new wallet'),
  ...may('UPDATE', 'holdings(ledger, surplus)', 'a new wallet'),
];
const schedules = may('INSERT', 'jobs', 'its commands schedule what an approval starts');

/** Until an upgrade is finished: what `sql/privileges.previous.sql` grants to processes of the previous release. */
const OF_PREVIOUS: Readonly<Partial<Record<Actor, readonly Permission[]>>> = {
  server: makesWallets,
  worker: [
    ...makesWallets,
    ...may('INSERT', 'signatures cancellations', 'its workers sign by themselves'),
    ...may('INSERT UPDATE', 'carrier_attempts', 'its workers sign by themselves'),
  ],
  admin: schedules,
  risk: schedules,
  support: schedules,
  removed: schedules,
};

const permissionsOf = ({ variant, actor }: Deed): readonly Permission[] => [
  ...THE_TABLE[actor],
  ...(variant === 'unfinished' ? (OF_PREVIOUS[actor] ?? []) : []),
];

const opOf = ({ before, after }: Change): Op => (!before ? 'INSERT' : !after ? 'DELETE' : 'UPDATE');

/** Columns of an update that differ. */
const differing = ({ before, after }: Change): string[] =>
  before && after ? Object.keys(after).filter((column) => before[column] !== after[column]) : [];

/** Returns the part of the change that no permission allows; undefined if the permissions together allow all of it. */
export function findUnallowed(change: Change, deed: Deed): string | undefined {
  const op = opOf(change);
  const fitting = permissionsOf(deed).filter(
    ({ tables, ops, when }) => tables.includes(change.table) && ops.includes(op) && (when?.(change, deed) ?? true),
  );
  if (fitting.length === 0) return op;
  if (op !== 'UPDATE') return undefined;
  const left = differing(change).filter(
    (column) => !fitting.some(({ columns }) => !columns || columns.includes(column)),
  );
  return left.length > 0 ? `UPDATE (${left.join(', ')})` : undefined;
}
