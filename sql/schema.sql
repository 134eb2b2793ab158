-- The schema, written by `npm run schema` from sql/migrations, sql/functions, sql/comments and sql/privileges.sql with
-- PostgreSQL 18. Read it, compare it, or load it into an empty database whose roles exist, as a login that may SET ROLE:
--
--   psql -v ON_ERROR_STOP=1 -f sql/schema.sql DATABASE
--
-- It contains no rows. For a database that Florin can use, run `florin migrate`. test/db/schema.test.ts fails when this
-- file is stale.

SET client_encoding = 'UTF8';
SET check_function_bodies = false;
SET client_min_messages = warning;
SELECT pg_catalog.set_config('search_path', '', false);

GRANT USAGE, CREATE ON SCHEMA public TO florin_owner;
GRANT USAGE ON SCHEMA public TO florin_server, florin_worker, florin_signer, florin_operator, florin_reader, florin_console;
SET ROLE florin_owner;

-- Name: new_hold; Type: TYPE

CREATE TYPE public.new_hold AS (
    id uuid,
    debit bigint,
    credit bigint,
    amount bigint,
    budget_at integer,
    party text
);

-- Name: new_payment; Type: TYPE

CREATE TYPE public.new_payment AS (
    id uuid,
    credit bigint,
    amount bigint,
    to_name text,
    requested_name text
);

-- Name: new_payout; Type: TYPE

CREATE TYPE public.new_payout AS (
    id uuid,
    key uuid,
    certificate text,
    client inet,
    payer uuid,
    wallet uuid,
    on_shortage text,
    content_type text,
    known_count integer,
    known_total bigint,
    currency text
);

-- Name: new_payout_row; Type: TYPE

CREATE TYPE public.new_payout_row AS (
    id uuid,
    reference text,
    username text,
    person uuid,
    destination text,
    blockchain text,
    amount bigint,
    note text
);

-- Name: new_send; Type: TYPE

CREATE TYPE public.new_send AS (
    id uuid,
    caller uuid,
    certificate text,
    client inet,
    asked boolean,
    hash text,
    trace text,
    blockchain text,
    destination text,
    amount bigint,
    wallet uuid,
    username text,
    person uuid,
    session uuid,
    shown text,
    currency text,
    note text
);

-- Name: accounts; Type: TABLE

CREATE TABLE public.accounts (
    account_id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
    asset_id smallint NOT NULL,
    kind text NOT NULL,
    user_id uuid,
    tier smallint NOT NULL,
    paused boolean DEFAULT false NOT NULL,
    available bigint DEFAULT 0 NOT NULL,
    held bigint DEFAULT 0 NOT NULL,
    entries bigint DEFAULT 0 NOT NULL,
    hour integer DEFAULT 0 NOT NULL,
    hour_payments integer DEFAULT 0 NOT NULL,
    hour_spent bigint DEFAULT 0 NOT NULL,
    day_payments integer DEFAULT 0 NOT NULL,
    day_spent bigint DEFAULT 0 NOT NULL,
    month_spent bigint DEFAULT 0 NOT NULL,
    last_seq bigint,
    last_entry bigint,
    passkey_above bigint,
    CONSTRAINT accounts_check CHECK (((kind = 'user'::text) = (user_id IS NOT NULL))),
    CONSTRAINT accounts_day_payments_check CHECK ((day_payments >= 0)),
    CONSTRAINT accounts_day_spent_check CHECK ((day_spent >= 0)),
    CONSTRAINT accounts_held_check CHECK ((held >= 0)),
    CONSTRAINT accounts_hour_payments_check CHECK ((hour_payments >= 0)),
    CONSTRAINT accounts_hour_spent_check CHECK ((hour_spent >= 0)),
    CONSTRAINT accounts_kind_check CHECK ((kind = ANY (ARRAY['user'::text, 'treasury'::text, 'fees'::text, 'loss'::text, 'chain'::text]))),
    CONSTRAINT accounts_month_spent_check CHECK ((month_spent >= 0)),
    CONSTRAINT accounts_never_overdrawn CHECK (((available >= 0) OR (kind = ANY (ARRAY['chain'::text, 'loss'::text])))),
    CONSTRAINT accounts_passkey_above CHECK (((passkey_above IS NULL) OR ((passkey_above >= 0) AND (user_id IS NOT NULL))))
)
WITH (fillfactor=40);
COMMENT ON TABLE public.accounts IS 'Balances per owner and asset. Only the accounts chain (coins outside) and loss may be negative.';
COMMENT ON COLUMN public.accounts.kind IS 'user, or an account of the service: treasury, fees, loss, chain.';
COMMENT ON COLUMN public.accounts.tier IS 'Follows from the identity check.';
COMMENT ON COLUMN public.accounts.paused IS 'The owner cannot pay. The reason is in pauses.';
COMMENT ON COLUMN public.accounts.available IS 'Balance that the owner can spend, in millionths.';
COMMENT ON COLUMN public.accounts.held IS 'Reserved for sends that have not ended, in millionths.';
COMMENT ON COLUMN public.accounts.entries IS 'Number of rows of this account in transfers. It numbers them without gaps, under the lock of this row.';
COMMENT ON COLUMN public.accounts.hour IS 'Hour of the last spending, in hours since 1970; it only grows. The counters of a person are in the account of the home asset, also for spending in other assets.';
COMMENT ON COLUMN public.accounts.hour_payments IS 'Payments in that hour.';
COMMENT ON COLUMN public.accounts.hour_spent IS 'Spent in that hour, in millionths.';
COMMENT ON COLUMN public.accounts.day_payments IS 'Payments in the 24 hours that end with that hour.';
COMMENT ON COLUMN public.accounts.day_spent IS 'Spent in the 24 hours that end with that hour, in millionths.';
COMMENT ON COLUMN public.accounts.month_spent IS 'Spent in the 30 days that end with that hour, in millionths.';
COMMENT ON COLUMN public.accounts.last_seq IS 'transfers.seq of the account''s row number last_entry.';
COMMENT ON COLUMN public.accounts.last_entry IS 'The account''s last row while it equals entries; otherwise the next row names no previous one.';
COMMENT ON COLUMN public.accounts.passkey_above IS 'Copy of users.passkey_above, which payments read together with the balance.';

-- Name: applied_functions; Type: TABLE

CREATE TABLE public.applied_functions (
    name text NOT NULL,
    sha256 text NOT NULL,
    server_major integer NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);
COMMENT ON TABLE public.applied_functions IS 'Functions and comments as last applied. A function is applied again when its text or the version of PostgreSQL changes; comments when their text changes.';
COMMENT ON COLUMN public.applied_functions.name IS 'module/name of a function, or comments for all comments.';
COMMENT ON COLUMN public.applied_functions.sha256 IS 'Hash of the text that was applied.';
COMMENT ON COLUMN public.applied_functions.server_major IS 'Version of PostgreSQL when it was applied.';

-- Name: approvals; Type: TABLE

CREATE TABLE public.approvals (
    payment_id uuid NOT NULL,
    operator text NOT NULL,
    approved_at timestamp with time zone DEFAULT date_trunc('milliseconds'::text, clock_timestamp()) NOT NULL,
    CONSTRAINT approvals_operator_check CHECK (((length(operator) >= 1) AND (length(operator) <= 100)))
);
COMMENT ON TABLE public.approvals IS 'Operators'' approvals of sends.';
COMMENT ON COLUMN public.approvals.operator IS 'Login of the operator.';

-- Name: arrival_cursors; Type: TABLE

CREATE TABLE public.arrival_cursors (
    network_id smallint NOT NULL,
    since timestamp with time zone DEFAULT '2020-01-01 00:00:00+00'::timestamp with time zone NOT NULL,
    looked_back_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    page_after uuid,
    reached timestamp with time zone,
    back_since timestamp with time zone,
    back_after uuid,
    CONSTRAINT arrival_cursors_back CHECK (((back_after IS NULL) OR (back_since IS NOT NULL))),
    CONSTRAINT arrival_cursors_page CHECK (((page_after IS NULL) = (reached IS NULL)))
);
COMMENT ON TABLE public.arrival_cursors IS 'How far the provider''s list was read per unwatched chain.';
COMMENT ON COLUMN public.arrival_cursors.since IS 'Every transfer before this time is decided.';
COMMENT ON COLUMN public.arrival_cursors.page_after IS 'The last entry read of the current list.';
COMMENT ON COLUMN public.arrival_cursors.reached IS 'The newest time in it.';
COMMENT ON COLUMN public.arrival_cursors.back_since IS 'Start of the past period that is being read again; NULL otherwise.';
COMMENT ON COLUMN public.arrival_cursors.back_after IS 'While the past is read again: the last entry read.';

-- Name: arrivals; Type: TABLE

CREATE TABLE public.arrivals (
    network_id smallint NOT NULL,
    provider_id uuid NOT NULL,
    to_address text NOT NULL,
    verdict text NOT NULL,
    decided_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT arrivals_verdict_check CHECK ((verdict = ANY (ARRAY['credited'::text, 'own'::text, 'other'::text, 'unowned'::text, 'left'::text])))
);
COMMENT ON TABLE public.arrivals IS 'Decisions about transfers that a provider listed on unwatched chains.';
COMMENT ON COLUMN public.arrivals.to_address IS 'The address looked up among our wallets; for an outgoing transfer the sender.';
COMMENT ON COLUMN public.arrivals.verdict IS 'credited (a deposit), own (our move), other (another token or incomplete), unowned (no wallet of ours) or left (an outgoing transfer without a move).';

-- Name: asset_positions; Type: TABLE

CREATE TABLE public.asset_positions (
    asset_id smallint NOT NULL,
    paid_seq bigint DEFAULT 0 NOT NULL,
    coins bigint,
    checked_to uuid DEFAULT '00000000-0000-0000-0000-000000000000'::uuid NOT NULL
);
COMMENT ON TABLE public.asset_positions IS 'Progress of reconciliation per asset.';
COMMENT ON COLUMN public.asset_positions.paid_seq IS 'The newest payment between people that was followed.';
COMMENT ON COLUMN public.asset_positions.coins IS 'Sum of all coins, kept by the trigger sum_coins; NULL until counted.';
COMMENT ON COLUMN public.asset_positions.checked_to IS 'The wallet that the current round of reconciliation has reached.';

-- Name: assets; Type: TABLE

CREATE TABLE public.assets (
    asset_id smallint GENERATED ALWAYS AS IDENTITY NOT NULL,
    network_id smallint NOT NULL,
    symbol text NOT NULL,
    contract text,
    decimals smallint DEFAULT 6 NOT NULL,
    token_name text,
    CONSTRAINT assets_contract_check CHECK (((length(contract) >= 1) AND (length(contract) <= 100))),
    CONSTRAINT assets_decimals_check CHECK (((decimals >= 0) AND (decimals <= 18))),
    CONSTRAINT assets_symbol_check CHECK ((symbol ~ '^[A-Z][A-Z0-9.]{1,15}$'::text)),
    CONSTRAINT assets_token_name_check CHECK (((length(token_name) >= 1) AND (length(token_name) <= 100)))
);
COMMENT ON TABLE public.assets IS 'A token on a network.';
COMMENT ON COLUMN public.assets.symbol IS 'Its currency.';
COMMENT ON COLUMN public.assets.contract IS 'NULL until a worker read it; from then on only its logs count.';
COMMENT ON COLUMN public.assets.decimals IS 'Decimal places of the token, as those of its currency.';
COMMENT ON COLUMN public.assets.token_name IS 'Name in the token''s EIP-712 domain, read from the contract.';

-- Name: audit_log; Type: TABLE

CREATE TABLE public.audit_log (
    audit_id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    user_id uuid,
    details jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT audit_log_action_check CHECK ((action ~ '^[a-z_]+(\.[a-z_]+)*$'::text)),
    CONSTRAINT audit_log_details_check CHECK ((jsonb_typeof(details) = 'object'::text))
);
COMMENT ON TABLE public.audit_log IS 'Actions of people, operators, keys and the service. Append-only, without e-mail addresses and tokens.';
COMMENT ON COLUMN public.audit_log.actor IS 'user:<id>, operator:<name>, provider:<name>, service:<name> or key:<id>.';
COMMENT ON COLUMN public.audit_log.action IS 'For example session.replaced.';
COMMENT ON COLUMN public.audit_log.details IS 'Facts of the action, without personal data.';

-- Name: authorizations; Type: TABLE

CREATE TABLE public.authorizations (
    move_id uuid NOT NULL,
    nonce bytea NOT NULL,
    valid_before bigint DEFAULT 0 NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    failure_reason text,
    carry_after timestamp with time zone DEFAULT now() NOT NULL,
    carried boolean DEFAULT false NOT NULL,
    waits_for text,
    waits_since timestamp with time zone,
    cancel_refusals integer DEFAULT 0 NOT NULL,
    cancel_after timestamp with time zone,
    call_gas bigint,
    CONSTRAINT authorizations_call_gas_check CHECK ((call_gas > 0)),
    CONSTRAINT authorizations_cancel_refusals_check CHECK ((cancel_refusals >= 0)),
    CONSTRAINT authorizations_nonce_check CHECK ((octet_length(nonce) = 32)),
    CONSTRAINT authorizations_waits_for_check CHECK (((length(waits_for) >= 1) AND (length(waits_for) <= 300)))
)
WITH (fillfactor=60);
COMMENT ON TABLE public.authorizations IS 'Rail eip3009: the signed transfer of a move. The token accepts its nonce once.';
COMMENT ON COLUMN public.authorizations.nonce IS 'Derived from the id of the move.';
COMMENT ON COLUMN public.authorizations.valid_before IS 'The latest signed end of validity, in seconds of chain time; 0 if never signed.';
COMMENT ON COLUMN public.authorizations.failures IS 'Times that it was relayed without effect, or refused by the signer.';
COMMENT ON COLUMN public.authorizations.failure_reason IS 'Why the last attempt had no effect.';
COMMENT ON COLUMN public.authorizations.carry_after IS 'When it can be relayed again.';
COMMENT ON COLUMN public.authorizations.carried IS 'A pending relay transaction contains it. Kept by the trigger follow_carried.';
COMMENT ON COLUMN public.authorizations.waits_for IS 'Why the signer has not signed it; NULL if nothing prevents it.';
COMMENT ON COLUMN public.authorizations.waits_since IS 'Since when waits_for has a value.';
COMMENT ON COLUMN public.authorizations.cancel_refusals IS 'Refused cancellations.';
COMMENT ON COLUMN public.authorizations.cancel_after IS 'When a refused cancellation is requested again.';
COMMENT ON COLUMN public.authorizations.call_gas IS 'Gas for its call after it ran out of gas; NULL for the usual amount.';

-- Name: blacklist_reads; Type: TABLE

CREATE TABLE public.blacklist_reads (
    asset_id smallint NOT NULL,
    next_block bigint DEFAULT 0 NOT NULL,
    was_paused boolean DEFAULT false NOT NULL,
    is_paused boolean DEFAULT false NOT NULL,
    read_at timestamp with time zone,
    CONSTRAINT blacklist_reads_next_block_check CHECK ((next_block >= 0))
);
COMMENT ON TABLE public.blacklist_reads IS 'How far the blacklist logs of a token were read.';
COMMENT ON COLUMN public.blacklist_reads.next_block IS 'The first final block that was not read.';
COMMENT ON COLUMN public.blacklist_reads.was_paused IS 'The token was paused before next_block.';
COMMENT ON COLUMN public.blacklist_reads.is_paused IS 'The token is paused at the newest block.';
COMMENT ON COLUMN public.blacklist_reads.read_at IS 'When ever_blacklisted was last complete; NULL: never.';

-- Name: book_audits; Type: TABLE

CREATE TABLE public.book_audits (
    only_one boolean DEFAULT true NOT NULL,
    version bigint DEFAULT 0 NOT NULL,
    seed bigint NOT NULL,
    seq_base bigint NOT NULL,
    tail_seq bigint NOT NULL,
    tail_sums jsonb NOT NULL,
    compared_at timestamp with time zone NOT NULL,
    compared_seq bigint NOT NULL,
    cycle_upto bigint NOT NULL,
    cycle_wanted jsonb NOT NULL,
    cycle_seq bigint DEFAULT '-1'::integer NOT NULL,
    cycle_sums jsonb DEFAULT '{}'::jsonb NOT NULL,
    cycle_rows bigint DEFAULT 0 NOT NULL,
    cycle_began_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    cycle_names boolean DEFAULT false NOT NULL,
    cycle_ended_at timestamp with time zone,
    cycle_seconds double precision,
    rows_total bigint DEFAULT 0 NOT NULL,
    CONSTRAINT book_audits_only_one_check CHECK (only_one)
)
WITH (fillfactor=50);
COMMENT ON TABLE public.book_audits IS 'State of the continuous audit; one row.';
COMMENT ON COLUMN public.book_audits.version IS 'Counts changes, so that only one of two concurrent audits is saved.';
COMMENT ON COLUMN public.book_audits.seed IS 'Secret of the hash.';
COMMENT ON COLUMN public.book_audits.seq_base IS 'Copy of ledger_state.seq_base. If the two differ, the database was restored and the audit starts again.';
COMMENT ON COLUMN public.book_audits.tail_seq IS 'Movements up to this seq are in tail_sums.';
COMMENT ON COLUMN public.book_audits.tail_sums IS 'Per asset, the sum of a hash of all balances up to tail_seq.';
COMMENT ON COLUMN public.book_audits.compared_seq IS 'The last movement when the sums were last compared with the balances of all accounts.';
COMMENT ON COLUMN public.book_audits.cycle_upto IS 'The current cycle reads all movements up to here again.';
COMMENT ON COLUMN public.book_audits.cycle_wanted IS 'The sums that it must reach.';
COMMENT ON COLUMN public.book_audits.cycle_seq IS 'The last movement that the current cycle has read; -1 before the first.';
COMMENT ON COLUMN public.book_audits.cycle_sums IS 'The sums that the current cycle has reached.';
COMMENT ON COLUMN public.book_audits.cycle_rows IS 'Movements read in the current cycle.';
COMMENT ON COLUMN public.book_audits.cycle_names IS 'The last cycle failed; this one compares each movement to name the fault.';
COMMENT ON COLUMN public.book_audits.cycle_seconds IS 'Duration of the last complete cycle, in seconds.';
COMMENT ON COLUMN public.book_audits.rows_total IS 'Movements read in all cycles.';

-- Name: book_faults; Type: TABLE

CREATE TABLE public.book_faults (
    asset_id smallint NOT NULL,
    subject text NOT NULL,
    fault text NOT NULL,
    account_id bigint,
    seq bigint,
    since timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT book_faults_fault_check CHECK (((length(fault) >= 1) AND (length(fault) <= 500))),
    CONSTRAINT book_faults_subject_check CHECK (((length(subject) >= 1) AND (length(subject) <= 100)))
);
COMMENT ON TABLE public.book_faults IS 'Current faults of the ledger.';
COMMENT ON COLUMN public.book_faults.subject IS 'An account, a movement, or sum or history of an asset.';
COMMENT ON COLUMN public.book_faults.fault IS 'Description for operators.';
COMMENT ON COLUMN public.book_faults.since IS 'When the audit found it.';

-- Name: cancellations; Type: TABLE

CREATE TABLE public.cancellations (
    move_id uuid NOT NULL,
    signature bytea NOT NULL,
    signed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT cancellations_signature_check CHECK ((octet_length(signature) = 65))
);
COMMENT ON TABLE public.cancellations IS 'Signed cancellations of authorizations.';
COMMENT ON COLUMN public.cancellations.signature IS 'Signature of the cancelAuthorization call.';

-- Name: carrier_attempts; Type: TABLE

CREATE TABLE public.carrier_attempts (
    hash text NOT NULL,
    carrier_id uuid NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    raw bytea NOT NULL,
    max_fee_wei numeric(40,0) NOT NULL,
    priority_fee_wei numeric(40,0) NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    broadcast_at timestamp with time zone,
    answer text,
    gas_limit bigint,
    signed_at_block bigint
);
COMMENT ON TABLE public.carrier_attempts IS 'Signed versions of a relay transaction, committed before they are broadcast.';
COMMENT ON COLUMN public.carrier_attempts.hash IS 'Transaction hash, 0x and lower case.';
COMMENT ON COLUMN public.carrier_attempts.version IS 'carriers.version when it was signed.';
COMMENT ON COLUMN public.carrier_attempts.raw IS 'Signed bytes; emptied when no reorg can reach the block.';
COMMENT ON COLUMN public.carrier_attempts.max_fee_wei IS 'maxFeePerGas, in wei.';
COMMENT ON COLUMN public.carrier_attempts.priority_fee_wei IS 'maxPriorityFeePerGas, in wei.';
COMMENT ON COLUMN public.carrier_attempts.answer IS 'Last answer of a node to the broadcast.';
COMMENT ON COLUMN public.carrier_attempts.gas_limit IS 'Gas limit of this version; NULL if release 0.2.0 signed it.';
COMMENT ON COLUMN public.carrier_attempts.signed_at_block IS 'Head of the chain when it was signed.';

-- Name: carrier_calls; Type: TABLE

CREATE TABLE public.carrier_calls (
    carrier_id uuid NOT NULL,
    "position" integer NOT NULL,
    move_id uuid NOT NULL,
    cancelled_in integer,
    dropped_in integer,
    CONSTRAINT carrier_calls_cancelled_in_check CHECK ((cancelled_in > 0)),
    CONSTRAINT carrier_calls_dropped_in_check CHECK ((dropped_in > 1))
);
COMMENT ON TABLE public.carrier_calls IS 'Token calls in a relay transaction, one per authorization.';
COMMENT ON COLUMN public.carrier_calls."position" IS 'Place of the call in the transaction.';
COMMENT ON COLUMN public.carrier_calls.cancelled_in IS 'From this version on, the call is the cancellation.';
COMMENT ON COLUMN public.carrier_calls.dropped_in IS 'From this version on, the call is left out.';

-- Name: carriers; Type: TABLE

CREATE TABLE public.carriers (
    carrier_id uuid NOT NULL,
    relayer_id integer NOT NULL,
    nonce bigint NOT NULL,
    previous_nonce bigint,
    target text NOT NULL,
    data bytea NOT NULL,
    gas_limit bigint NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    block_number bigint,
    missing_since timestamp with time zone,
    mined_block bigint,
    mined_hash text,
    mined_at timestamp with time zone,
    has_bytes boolean DEFAULT true NOT NULL,
    refusal text,
    CONSTRAINT carriers_check CHECK ((previous_nonce = (nonce - 1))),
    CONSTRAINT carriers_refusal_check CHECK (((length(refusal) >= 1) AND (length(refusal) <= 500))),
    CONSTRAINT carriers_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'final'::text, 'foreign'::text])))
);
COMMENT ON TABLE public.carriers IS 'Relay transactions: a nonce of a relayer and the chain transaction that uses it. Nonces have no gaps.';
COMMENT ON COLUMN public.carriers.nonce IS 'Nonce of the relayer''s account.';
COMMENT ON COLUMN public.carriers.previous_nonce IS 'nonce - 1, so that a foreign key can refuse gaps; NULL for the first.';
COMMENT ON COLUMN public.carriers.target IS 'Address of the called contract.';
COMMENT ON COLUMN public.carriers.data IS 'Call data; emptied when no reorg can reach the block.';
COMMENT ON COLUMN public.carriers.gas_limit IS 'Gas limit of the transaction.';
COMMENT ON COLUMN public.carriers.version IS 'Raised when the transaction is rewritten under the same nonce.';
COMMENT ON COLUMN public.carriers.state IS 'foreign: something that we did not send used the nonce.';
COMMENT ON COLUMN public.carriers.missing_since IS 'The nonce is used, and none of our attempts was found.';
COMMENT ON COLUMN public.carriers.mined_block IS 'Seen in this block, which is not final yet.';
COMMENT ON COLUMN public.carriers.mined_hash IS 'Hash of that block.';
COMMENT ON COLUMN public.carriers.has_bytes IS 'False after data and raw were emptied, because no reorg can reach the block.';
COMMENT ON COLUMN public.carriers.refusal IS 'Why the signer last refused to sign it; NULL after it has signed.';

-- Name: chain_blocks; Type: TABLE

CREATE TABLE public.chain_blocks (
    network_id smallint NOT NULL,
    block_number bigint NOT NULL,
    block_hash text NOT NULL,
    block_seconds bigint
);
COMMENT ON TABLE public.chain_blocks IS 'Blocks that the cursor passed, to find the common ancestor after a reorg.';
COMMENT ON COLUMN public.chain_blocks.block_seconds IS 'Time of the block; NULL if release 0.2.0 wrote the row.';

-- Name: chain_cursors; Type: TABLE

CREATE TABLE public.chain_cursors (
    network_id smallint NOT NULL,
    block_number bigint NOT NULL,
    block_hash text NOT NULL,
    block_seconds bigint NOT NULL,
    head_number bigint NOT NULL,
    recheck_to bigint,
    moved_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    part_number bigint,
    part_hash text,
    part_log integer,
    first_block bigint,
    wallet_checks bigint DEFAULT 0 NOT NULL,
    CONSTRAINT chain_cursors_part_is_ahead CHECK (((part_number > block_number) AND (recheck_to >= part_number))),
    CONSTRAINT chain_cursors_whole_part CHECK ((num_nulls(part_number, part_hash, part_log) = ANY (ARRAY[0, 3])))
);
COMMENT ON TABLE public.chain_cursors IS 'How far final blocks were read. It moves in the same commit as everything the blocks caused.';
COMMENT ON COLUMN public.chain_cursors.block_seconds IS 'Time of the block, in seconds since 1970.';
COMMENT ON COLUMN public.chain_cursors.head_number IS 'Head of the chain when the cursor last moved.';
COMMENT ON COLUMN public.chain_cursors.recheck_to IS 'After a reorg below finality: blocks up to here are read again.';
COMMENT ON COLUMN public.chain_cursors.part_number IS 'While blocks after the cursor are partly applied: the block of the last applied log; otherwise NULL.';
COMMENT ON COLUMN public.chain_cursors.part_hash IS 'Hash of that block.';
COMMENT ON COLUMN public.chain_cursors.part_log IS 'Index of that log in the block.';
COMMENT ON COLUMN public.chain_cursors.first_block IS 'Where watching began.';
COMMENT ON COLUMN public.chain_cursors.wallet_checks IS 'Raised when new wallets were checked or the chain was rewound. Logs read before that are not applied.';

-- Name: chain_heads; Type: TABLE

CREATE TABLE public.chain_heads (
    network_id smallint NOT NULL,
    block_number bigint NOT NULL,
    block_hash text NOT NULL,
    block_time timestamp with time zone NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    final_number bigint NOT NULL
);
COMMENT ON TABLE public.chain_heads IS 'The newest block per network, for the wallet overview.';
COMMENT ON COLUMN public.chain_heads.block_time IS 'Time of the block.';
COMMENT ON COLUMN public.chain_heads.seen_at IS 'When it was last confirmed as head.';
COMMENT ON COLUMN public.chain_heads.final_number IS 'The newest final block.';

-- Name: coin_moves; Type: TABLE

CREATE TABLE public.coin_moves (
    move_id uuid NOT NULL,
    asset_id smallint NOT NULL,
    wallet_id uuid NOT NULL,
    purpose text NOT NULL,
    settlement_id uuid,
    to_wallet uuid,
    funds uuid,
    rail text NOT NULL,
    from_address text NOT NULL,
    to_address text NOT NULL,
    amount bigint NOT NULL,
    reserved bigint NOT NULL,
    state text DEFAULT 'open'::text NOT NULL,
    started_at timestamp with time zone,
    cancel_wanted_at timestamp with time zone,
    tx_hash text,
    block_number bigint,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT coin_moves_amount_check CHECK ((amount > 0)),
    CONSTRAINT coin_moves_check CHECK (((reserved >= 0) AND (reserved <= amount))),
    CONSTRAINT coin_moves_check1 CHECK (((purpose = 'settlement'::text) = ((settlement_id IS NOT NULL) AND (to_wallet IS NOT NULL)))),
    CONSTRAINT coin_moves_check2 CHECK (((funds IS NULL) OR (purpose = 'settlement'::text))),
    CONSTRAINT coin_moves_check3 CHECK (((state = 'open'::text) OR (reserved = 0))),
    CONSTRAINT coin_moves_purpose_check CHECK ((purpose = ANY (ARRAY['send'::text, 'settlement'::text]))),
    CONSTRAINT coin_moves_rail_check CHECK ((rail = ANY (ARRAY['eip3009'::text, 'provider'::text]))),
    CONSTRAINT coin_moves_state_check CHECK ((state = ANY (ARRAY['open'::text, 'done'::text, 'dead'::text])))
)
WITH (fillfactor=60);
COMMENT ON TABLE public.coin_moves IS 'A request to move coins from a wallet to an address, and its result. The id of a send is its payment''s id.';
COMMENT ON COLUMN public.coin_moves.purpose IS 'send (a payment to an address) or settlement (between own wallets).';
COMMENT ON COLUMN public.coin_moves.to_wallet IS 'Receiving wallet of a settlement.';
COMMENT ON COLUMN public.coin_moves.funds IS 'The send that waits for this settlement.';
COMMENT ON COLUMN public.coin_moves.rail IS 'How it is executed: eip3009 (we relay a signature) or provider (the provider sends).';
COMMENT ON COLUMN public.coin_moves.reserved IS 'Part of the amount reserved in its own wallet; settlements reserve the rest elsewhere.';
COMMENT ON COLUMN public.coin_moves.state IS 'done: a final transfer on the chain is this move. dead: it is proved that there will never be one.';
COMMENT ON COLUMN public.coin_moves.started_at IS 'First signature or first call to the provider. While NULL, no outside party knows the move, so it can end immediately.';
COMMENT ON COLUMN public.coin_moves.cancel_wanted_at IS 'A cancellation was requested. Nothing starts after that.';

-- Name: corrections; Type: TABLE

CREATE TABLE public.corrections (
    correction_id uuid NOT NULL,
    asset_id smallint NOT NULL,
    wallet_id uuid,
    amount bigint NOT NULL,
    reason text NOT NULL,
    proposed_by text NOT NULL,
    proposed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    approved_by text,
    booked_at timestamp with time zone,
    CONSTRAINT corrections_amount_check CHECK ((amount <> 0)),
    CONSTRAINT corrections_approved_by_check CHECK (((length(approved_by) >= 1) AND (length(approved_by) <= 100))),
    CONSTRAINT corrections_check CHECK (((approved_by IS NULL) = (booked_at IS NULL))),
    CONSTRAINT corrections_proposed_by_check CHECK (((length(proposed_by) >= 1) AND (length(proposed_by) <= 100))),
    CONSTRAINT corrections_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500))),
    CONSTRAINT corrections_two_people CHECK ((approved_by <> proposed_by))
);
COMMENT ON TABLE public.corrections IS 'Differences booked to the account loss: one operator proposes, another approves.';
COMMENT ON COLUMN public.corrections.wallet_id IS 'The owner of this wallet gets or gives the amount. NULL: the correction changes the amount that the ledger expects on the chain.';
COMMENT ON COLUMN public.corrections.amount IS 'Positive: the owner gets it, or the chain has it. Negative: the reverse.';

-- Name: currencies; Type: TABLE

CREATE TABLE public.currencies (
    currency text NOT NULL,
    decimals smallint NOT NULL,
    CONSTRAINT currencies_currency_check CHECK ((currency ~ '^[A-Z][A-Z0-9.]{1,15}$'::text)),
    CONSTRAINT currencies_decimals_check CHECK (((decimals >= 0) AND (decimals <= 18)))
);
COMMENT ON TABLE public.currencies IS 'Currencies that the ledger counts. A row never changes.';
COMMENT ON COLUMN public.currencies.currency IS 'For example USDC.';
COMMENT ON COLUMN public.currencies.decimals IS 'Decimal places of the tokens of this currency.';

-- Name: database_identity; Type: TABLE

CREATE TABLE public.database_identity (
    only_one boolean DEFAULT true NOT NULL,
    system_identifier text NOT NULL,
    database_oid text NOT NULL,
    CONSTRAINT database_identity_only_one_check CHECK (only_one)
);
COMMENT ON TABLE public.database_identity IS 'The cluster and database in which these tables were last found. A restored copy still has the values of its original, which shows that it is a copy.';
COMMENT ON COLUMN public.database_identity.system_identifier IS 'Identifier of the PostgreSQL cluster (pg_control_system).';
COMMENT ON COLUMN public.database_identity.database_oid IS 'OID of the database in the cluster.';

-- Name: debts; Type: TABLE

CREATE TABLE public.debts (
    payment_id uuid NOT NULL,
    account_id bigint NOT NULL,
    amount bigint NOT NULL,
    collected bigint DEFAULT 0 NOT NULL,
    owed_since timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT debts_amount_check CHECK ((amount > 0)),
    CONSTRAINT debts_collected_check CHECK ((collected >= 0)),
    CONSTRAINT debts_collected_once CHECK ((collected <= amount))
);
COMMENT ON TABLE public.debts IS 'Amounts that owners owe the service, because the chain paid more for them than they had.';
COMMENT ON COLUMN public.debts.payment_id IS 'The imported payment.';
COMMENT ON COLUMN public.debts.collected IS 'Part that was already collected, in millionths.';
COMMENT ON COLUMN public.debts.owed_since IS 'When the import created the debt.';

-- Name: deposits; Type: TABLE

CREATE TABLE public.deposits (
    asset_id smallint NOT NULL,
    tx_hash text NOT NULL,
    wallet_id uuid NOT NULL,
    ordinal integer NOT NULL,
    from_address text NOT NULL,
    amount bigint NOT NULL,
    block_number bigint NOT NULL,
    block_hash text NOT NULL,
    transfer_id uuid NOT NULL,
    credited_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    state text DEFAULT 'credited'::text NOT NULL,
    log_index integer,
    CONSTRAINT deposits_amount_check CHECK ((amount > 0)),
    CONSTRAINT deposits_state_check CHECK ((state = ANY (ARRAY['credited'::text, 'gone'::text, 'lost'::text])))
);
COMMENT ON TABLE public.deposits IS 'Credited deposits.';
COMMENT ON COLUMN public.deposits.ordinal IS 'Counts within a chain transaction and wallet. Unlike the log index, a reorg does not change it.';
COMMENT ON COLUMN public.deposits.transfer_id IS 'The movement in the ledger.';
COMMENT ON COLUMN public.deposits.state IS 'gone: its block was replaced. lost: it will not return, and the service bears the loss.';

-- Name: drifts; Type: TABLE

CREATE TABLE public.drifts (
    asset_id smallint NOT NULL,
    subject text NOT NULL,
    difference numeric NOT NULL,
    looks integer NOT NULL,
    since timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
COMMENT ON TABLE public.drifts IS 'Differences between coins and books, and how many polls in a row found them.';
COMMENT ON COLUMN public.drifts.subject IS 'A wallet, or the ledger.';
COMMENT ON COLUMN public.drifts.difference IS 'Coins minus books, in millionths.';
COMMENT ON COLUMN public.drifts.looks IS 'Consecutive polls.';
COMMENT ON COLUMN public.drifts.since IS 'When it was first seen.';

-- Name: epochs; Type: TABLE

CREATE TABLE public.epochs (
    kind text NOT NULL,
    counter bigint NOT NULL,
    random bigint NOT NULL,
    begun_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT epochs_kind_check CHECK ((kind = ANY (ARRAY['names'::text, 'sessions'::text])))
);
COMMENT ON TABLE public.epochs IS 'The last 10,000 epochs of each kind. A remembered epoch that is missing here was lost with its commits.';
COMMENT ON COLUMN public.epochs.kind IS 'names or sessions.';
COMMENT ON COLUMN public.epochs.counter IS 'Value of the counter in ledger_state.';
COMMENT ON COLUMN public.epochs.random IS 'Random part of the epoch.';

-- Name: ever_blacklisted; Type: TABLE

CREATE TABLE public.ever_blacklisted (
    asset_id smallint NOT NULL,
    address text NOT NULL,
    CONSTRAINT ever_blacklisted_address_check CHECK ((address ~ '^0x[0-9a-f]{40}$'::text))
);
COMMENT ON TABLE public.ever_blacklisted IS 'Addresses that a token has ever blacklisted.';

-- Name: forgotten_nonces; Type: TABLE

CREATE TABLE public.forgotten_nonces (
    asset_id smallint NOT NULL,
    nonce bytea NOT NULL,
    kind text NOT NULL,
    tx_hash text NOT NULL,
    log_index integer,
    block_number bigint NOT NULL,
    wallet_id uuid,
    CONSTRAINT forgotten_nonces_check CHECK (((kind = 'used'::text) = (log_index IS NOT NULL))),
    CONSTRAINT forgotten_nonces_kind_check CHECK ((kind = ANY (ARRAY['used'::text, 'canceled'::text]))),
    CONSTRAINT forgotten_nonces_nonce_check CHECK ((octet_length(nonce) = 32))
);
COMMENT ON TABLE public.forgotten_nonces IS 'Nonces that the token used or cancelled and that this restored database does not know.';
COMMENT ON COLUMN public.forgotten_nonces.nonce IS 'Nonce of the EIP-3009 authorization.';
COMMENT ON COLUMN public.forgotten_nonces.kind IS 'used (the transfer took place) or canceled.';
COMMENT ON COLUMN public.forgotten_nonces.log_index IS 'Log of the transfer; NULL for a cancelled nonce.';

-- Name: held_logs; Type: TABLE

CREATE TABLE public.held_logs (
    asset_id smallint NOT NULL,
    tx_hash text NOT NULL,
    log_index integer NOT NULL,
    block_number bigint NOT NULL,
    block_hash text NOT NULL,
    from_wallet uuid NOT NULL,
    to_wallet uuid,
    from_address text NOT NULL,
    to_address text NOT NULL,
    amount bigint NOT NULL,
    ordinal integer NOT NULL,
    held_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT held_logs_amount_check CHECK ((amount > 0))
);
COMMENT ON TABLE public.held_logs IS 'Final transfers out of our wallets that may belong to an open provider transfer whose hash is unknown.';
COMMENT ON COLUMN public.held_logs.from_wallet IS 'Our wallet that the coins left.';
COMMENT ON COLUMN public.held_logs.to_wallet IS 'Our wallet that received them; NULL for a foreign address.';
COMMENT ON COLUMN public.held_logs.ordinal IS 'As deposits.ordinal, for the receiving wallet.';

-- Name: holdings; Type: TABLE

CREATE TABLE public.holdings (
    asset_id smallint NOT NULL,
    wallet_id uuid NOT NULL,
    coins bigint DEFAULT 0 NOT NULL,
    reserved bigint DEFAULT 0 NOT NULL,
    ledger bigint DEFAULT 0 NOT NULL,
    incoming bigint DEFAULT 0 NOT NULL,
    outgoing bigint DEFAULT 0 NOT NULL,
    blocked_at timestamp with time zone,
    asked_at timestamp with time zone,
    unchecked boolean DEFAULT true NOT NULL,
    surplus bigint GENERATED ALWAYS AS ((((coins + incoming) - outgoing) - ledger)) STORED NOT NULL,
    refused_until timestamp with time zone,
    refusals integer DEFAULT 0 NOT NULL,
    refusal text,
    CONSTRAINT holdings_coins_check CHECK ((coins >= 0)),
    CONSTRAINT holdings_refusal_check CHECK (((length(refusal) >= 1) AND (length(refusal) <= 500))),
    CONSTRAINT holdings_refusals_check CHECK ((refusals >= 0)),
    CONSTRAINT holdings_reserved_check CHECK ((reserved >= 0)),
    CONSTRAINT holdings_reserved_once CHECK ((reserved <= coins))
)
WITH (fillfactor=50);
COMMENT ON TABLE public.holdings IS 'Coins per wallet and asset.';
COMMENT ON COLUMN public.holdings.coins IS 'Coins in the wallet, in millionths. Only final logs change it.';
COMMENT ON COLUMN public.holdings.reserved IS 'Reserved for open moves. Only the trigger move_reservation changes it.';
COMMENT ON COLUMN public.holdings.ledger IS 'The amount that the ledger owes the owner, as of the last update. It can be behind.';
COMMENT ON COLUMN public.holdings.incoming IS 'Open settlements to this wallet.';
COMMENT ON COLUMN public.holdings.outgoing IS 'Open settlements from this wallet.';
COMMENT ON COLUMN public.holdings.blocked_at IS 'Since when the token refuses this wallet.';
COMMENT ON COLUMN public.holdings.asked_at IS 'When the token contract was last asked whether it blocks the wallet.';
COMMENT ON COLUMN public.holdings.unchecked IS 'The coins changed since they were last compared with the chain.';
COMMENT ON COLUMN public.holdings.surplus IS 'Coins beyond what the owner is owed once open settlements have arrived; negative if coins are missing.';
COMMENT ON COLUMN public.holdings.refused_until IS 'Coins could not be moved out of the wallet. Until then no other wallet''s payment relies on them.';
COMMENT ON COLUMN public.holdings.refusals IS 'Consecutive refusals.';
COMMENT ON COLUMN public.holdings.refusal IS 'Why coins could not be moved out of the wallet.';

-- Name: idempotency_records; Type: TABLE

CREATE TABLE public.idempotency_records (
    record_id uuid NOT NULL,
    request_hash bytea NOT NULL,
    answer json,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT idempotency_records_request_hash_check CHECK ((octet_length(request_hash) = 32))
);
COMMENT ON TABLE public.idempotency_records IS 'Answers of calls with an idempotency key. Payments between people are recorded in transfers and refusals instead.';
COMMENT ON COLUMN public.idempotency_records.request_hash IS 'Hash of the request. The same key with another request is refused.';
COMMENT ON COLUMN public.idempotency_records.answer IS 'NULL only inside the transaction that works on it.';

-- Name: job_topics; Type: TABLE

CREATE TABLE public.job_topics (
    topic text NOT NULL
);
COMMENT ON TABLE public.job_topics IS 'Topics that jobs wait for. Rows exist to be locked.';
COMMENT ON COLUMN public.job_topics.topic IS 'For example resume, which wakes jobs when a pause ends.';

-- Name: jobs; Type: TABLE

CREATE TABLE public.jobs (
    job_id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
    kind text NOT NULL,
    key text NOT NULL,
    run_at timestamp with time zone DEFAULT now() NOT NULL,
    claim uuid,
    attempts integer DEFAULT 0 NOT NULL,
    last_error text,
    waits_for text,
    CONSTRAINT jobs_waits_for_check CHECK (((length(waits_for) >= 1) AND (length(waits_for) <= 100)))
)
WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=500, autovacuum_vacuum_cost_delay=0);
COMMENT ON TABLE public.jobs IS 'Work to be done later, committed with its cause.';
COMMENT ON COLUMN public.jobs.kind IS 'Selects the function that does the job.';
COMMENT ON COLUMN public.jobs.key IS 'Subject of the job, for example a payment. There is one job per kind and key.';
COMMENT ON COLUMN public.jobs.run_at IS 'When it is due. A claim sets it to the end of a short lease.';
COMMENT ON COLUMN public.jobs.claim IS 'Identifies the lease.';
COMMENT ON COLUMN public.jobs.attempts IS 'Claims since the last run that did not fail.';
COMMENT ON COLUMN public.jobs.last_error IS 'Error of the last attempt.';
COMMENT ON COLUMN public.jobs.waits_for IS 'The topic that makes it due; see job_topics.';

-- Name: kept_positions; Type: TABLE

CREATE TABLE public.kept_positions (
    only_one boolean DEFAULT true NOT NULL,
    seq bigint NOT NULL,
    kept_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT kept_positions_only_one_check CHECK (only_one)
);
COMMENT ON TABLE public.kept_positions IS 'The ledger position up to which holdings.ledger is current; one row, or none if unknown.';

-- Name: key_budgets; Type: TABLE

CREATE TABLE public.key_budgets (
    key_id uuid NOT NULL,
    pays text NOT NULL,
    allowed boolean NOT NULL,
    payment_limit bigint,
    day_limit bigint,
    month_limit bigint,
    counted_since timestamp with time zone,
    hour integer DEFAULT 0 NOT NULL,
    hour_spent bigint DEFAULT 0 NOT NULL,
    day_spent bigint DEFAULT 0 NOT NULL,
    month_spent bigint DEFAULT 0 NOT NULL,
    CONSTRAINT key_budgets_check CHECK ((month_spent >= day_spent)),
    CONSTRAINT key_budgets_check1 CHECK (((counted_since IS NULL) = (num_nonnulls(day_limit, month_limit) = 0))),
    CONSTRAINT key_budgets_day_limit_check CHECK ((day_limit > 0)),
    CONSTRAINT key_budgets_day_spent_check CHECK ((day_spent >= 0)),
    CONSTRAINT key_budgets_hour_spent_check CHECK ((hour_spent >= 0)),
    CONSTRAINT key_budgets_month_limit_check CHECK ((month_limit > 0)),
    CONSTRAINT key_budgets_payment_limit_check CHECK ((payment_limit > 0)),
    CONSTRAINT key_budgets_pays_check CHECK ((pays = ANY (ARRAY['people'::text, 'treasury'::text]))),
    CONSTRAINT key_budgets_treasury_is_limited CHECK (((pays <> 'treasury'::text) OR (NOT allowed) OR (num_nonnulls(payment_limit, day_limit, month_limit) = 3)))
)
WITH (fillfactor=50);
COMMENT ON TABLE public.key_budgets IS 'Spending limits of a key in rolling windows of whole hours, apart for people''s money and the treasury''s.';
COMMENT ON COLUMN public.key_budgets.pays IS 'Whose money is spent: people or treasury.';
COMMENT ON COLUMN public.key_budgets.allowed IS 'The key may spend this money at all.';
COMMENT ON COLUMN public.key_budgets.payment_limit IS 'Per payment, in millionths; NULL for no limit.';
COMMENT ON COLUMN public.key_budgets.day_limit IS 'In 24 hours, in millionths; NULL for no limit.';
COMMENT ON COLUMN public.key_budgets.month_limit IS 'In 30 days, in millionths; NULL for no limit.';
COMMENT ON COLUMN public.key_budgets.counted_since IS 'Spending is counted from then on; NULL while there is no limit per day or month.';
COMMENT ON COLUMN public.key_budgets.hour IS 'Hour of the last spending, in hours since 1970.';
COMMENT ON COLUMN public.key_budgets.hour_spent IS 'Spent in that hour.';
COMMENT ON COLUMN public.key_budgets.day_spent IS 'Spent in the hours of the day before that hour; the hours are rows of key_spendings.';
COMMENT ON COLUMN public.key_budgets.month_spent IS 'Spent in the hours of the month before that hour.';

-- Name: key_changes; Type: TABLE

CREATE TABLE public.key_changes (
    change_id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
    key_id uuid NOT NULL,
    before jsonb,
    after jsonb NOT NULL,
    changed_by text NOT NULL,
    reason text,
    changed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT key_changes_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500)))
);
COMMENT ON TABLE public.key_changes IS 'Each change of a key''s rules. Append-only.';
COMMENT ON COLUMN public.key_changes.before IS 'Rules before the change; NULL for a new key.';
COMMENT ON COLUMN public.key_changes.after IS 'Rules after the change.';
COMMENT ON COLUMN public.key_changes.changed_by IS 'The database login.';

-- Name: key_destinations; Type: TABLE

CREATE TABLE public.key_destinations (
    key_id uuid NOT NULL,
    first_address text COLLATE pg_catalog."C" NOT NULL,
    last_address text COLLATE pg_catalog."C" NOT NULL,
    CONSTRAINT key_destinations_check CHECK ((first_address <= last_address)),
    CONSTRAINT key_destinations_first_address_check CHECK ((first_address ~ '^0x[0-9a-f]{40}$'::text)),
    CONSTRAINT key_destinations_last_address_check CHECK ((last_address ~ '^0x[0-9a-f]{40}$'::text))
);
COMMENT ON TABLE public.key_destinations IS 'Ranges of addresses that a key may send to. A single address is first and last.';
COMMENT ON COLUMN public.key_destinations.first_address IS 'Lower case.';
COMMENT ON COLUMN public.key_destinations.last_address IS 'Lower case. Included in the range.';

-- Name: key_events; Type: TABLE

CREATE TABLE public.key_events (
    seq bigint NOT NULL,
    key_id uuid,
    user_id uuid NOT NULL,
    state text NOT NULL,
    at timestamp with time zone NOT NULL,
    CONSTRAINT key_events_state_check CHECK (
CASE
    WHEN (key_id IS NOT NULL) THEN (state = ANY (ARRAY['created'::text, 'revoked'::text]))
    ELSE (state = ANY (ARRAY['passkey.added'::text, 'passkey.removed'::text, 'passkey.rule_changed'::text, 'passkey.removal_begun'::text, 'passkey.removal_ended'::text]))
END)
);
COMMENT ON TABLE public.key_events IS 'Each account key that was created or revoked, and each change of a person''s passkeys, with its position in the feed.';
COMMENT ON COLUMN public.key_events.state IS 'Of a key: created or revoked. Without a key, the type of an event about passkeys.';

-- Name: key_payers; Type: TABLE

CREATE TABLE public.key_payers (
    key_id uuid NOT NULL,
    user_id uuid,
    wallet_id uuid,
    CONSTRAINT key_payers_check CHECK ((num_nonnulls(user_id, wallet_id) = 1))
);
COMMENT ON TABLE public.key_payers IS 'People or wallets whose money a key may spend.';

-- Name: key_refunds; Type: TABLE

CREATE TABLE public.key_refunds (
    payment_id uuid NOT NULL,
    key_id uuid NOT NULL,
    pays text NOT NULL,
    hour integer NOT NULL,
    amount bigint NOT NULL,
    CONSTRAINT key_refunds_amount_check CHECK ((amount > 0))
);
COMMENT ON TABLE public.key_refunds IS 'Amounts that return to a key''s budget because a payment ended unpaid. The next payment of the key applies them.';
COMMENT ON COLUMN public.key_refunds.pays IS 'The budget, as in key_budgets.';
COMMENT ON COLUMN public.key_refunds.hour IS 'Hour in which it was spent, in hours since 1970.';

-- Name: key_rules; Type: TABLE

CREATE TABLE public.key_rules (
    key_id uuid NOT NULL,
    expires_at timestamp with time zone,
    certificate bytea,
    any_person boolean NOT NULL,
    any_destination boolean NOT NULL,
    blockchains text[],
    client_ranges cidr[],
    CONSTRAINT key_rules_blockchains_check CHECK ((cardinality(blockchains) > 0)),
    CONSTRAINT key_rules_certificate_check CHECK ((octet_length(certificate) = 32)),
    CONSTRAINT key_rules_client_ranges_check CHECK ((cardinality(client_ranges) > 0))
);
COMMENT ON TABLE public.key_rules IS 'The permissions of a service key. A key without a row was created by release 0.2.0 and has no limits.';
COMMENT ON COLUMN public.key_rules.certificate IS 'SHA-256 of the client certificate that the key requires; NULL for none.';
COMMENT ON COLUMN public.key_rules.any_person IS 'The key may spend the money of every person; otherwise only of those in key_payers.';
COMMENT ON COLUMN public.key_rules.any_destination IS 'The key may send to every address; otherwise only to those in key_destinations.';
COMMENT ON COLUMN public.key_rules.blockchains IS 'NULL for all.';
COMMENT ON COLUMN public.key_rules.client_ranges IS 'Networks from which the key works; NULL for all.';

-- Name: key_spendings; Type: TABLE

CREATE TABLE public.key_spendings (
    key_id uuid NOT NULL,
    pays text NOT NULL,
    hour integer NOT NULL,
    spent bigint NOT NULL,
    CONSTRAINT key_spendings_spent_check CHECK ((spent >= 0))
);
COMMENT ON TABLE public.key_spendings IS 'Spending of a key per hour, for the rolling windows.';
COMMENT ON COLUMN public.key_spendings.pays IS 'The budget, as in key_budgets.';
COMMENT ON COLUMN public.key_spendings.hour IS 'In hours since 1970.';
COMMENT ON COLUMN public.key_spendings.spent IS 'In millionths.';

-- Name: kyc_checks; Type: TABLE

CREATE TABLE public.kyc_checks (
    user_id uuid NOT NULL,
    applicant_id text,
    level text NOT NULL,
    can_retry boolean DEFAULT false NOT NULL,
    reasons text[] DEFAULT '{}'::text[] NOT NULL,
    was_approved boolean DEFAULT false NOT NULL,
    asked bigint DEFAULT 0 NOT NULL,
    answered bigint DEFAULT 0 NOT NULL,
    stale boolean DEFAULT false NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT kyc_checks_check CHECK ((answered <= asked))
);
COMMENT ON TABLE public.kyc_checks IS 'Facts behind users.kyc_status.';
COMMENT ON COLUMN public.kyc_checks.applicant_id IS 'Id of the person at the provider; NULL after the provider deleted the applicant.';
COMMENT ON COLUMN public.kyc_checks.level IS 'The level of the check. Passing another level is not an approval.';
COMMENT ON COLUMN public.kyc_checks.can_retry IS 'The provider lets the person submit documents again.';
COMMENT ON COLUMN public.kyc_checks.reasons IS 'Sentences about a rejection that may be shown to the person.';
COMMENT ON COLUMN public.kyc_checks.was_approved IS 'The person was approved before; if not approved now, the status is revoked.';
COMMENT ON COLUMN public.kyc_checks.asked IS 'Number of the last request to the provider.';
COMMENT ON COLUMN public.kyc_checks.answered IS 'Number of the last answered request. An answer to an earlier request changes nothing.';
COMMENT ON COLUMN public.kyc_checks.stale IS 'The last request got no answer.';

-- Name: kyc_events; Type: TABLE

CREATE TABLE public.kyc_events (
    seq bigint NOT NULL,
    user_id uuid NOT NULL,
    status text NOT NULL,
    at timestamp with time zone NOT NULL
);
COMMENT ON TABLE public.kyc_events IS 'Each status that an identity check reached, with its position in the feed.';
COMMENT ON COLUMN public.kyc_events.status IS 'As users.kyc_status.';

-- Name: kyc_tier_changes; Type: TABLE

CREATE TABLE public.kyc_tier_changes (
    change_id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
    kyc_status text NOT NULL,
    before smallint,
    after smallint NOT NULL,
    changed_by text NOT NULL,
    reason text,
    changed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
COMMENT ON TABLE public.kyc_tier_changes IS 'Each change of kyc_tiers, written by a trigger.';
COMMENT ON COLUMN public.kyc_tier_changes.kyc_status IS 'As users.kyc_status.';
COMMENT ON COLUMN public.kyc_tier_changes.before IS 'Tier before the change; NULL for a new status.';
COMMENT ON COLUMN public.kyc_tier_changes.after IS 'Tier after the change.';

-- Name: kyc_tiers; Type: TABLE

CREATE TABLE public.kyc_tiers (
    kyc_status text NOT NULL,
    tier smallint NOT NULL,
    currency text NOT NULL
);
COMMENT ON TABLE public.kyc_tiers IS 'The tier of each status of the identity check, per currency. A change applies to everyone with that status, in the same commit.';
COMMENT ON COLUMN public.kyc_tiers.kyc_status IS 'As users.kyc_status.';
COMMENT ON COLUMN public.kyc_tiers.tier IS 'Tier of people with that status.';
COMMENT ON COLUMN public.kyc_tiers.currency IS 'Currency of the accounts that get the tier.';

-- Name: ledger_state; Type: TABLE

CREATE TABLE public.ledger_state (
    only_one boolean DEFAULT true NOT NULL,
    home_asset smallint,
    names_epoch bigint DEFAULT 1 NOT NULL,
    sessions_epoch bigint DEFAULT 0 NOT NULL,
    seq_base bigint DEFAULT 0 NOT NULL,
    names_random bigint DEFAULT 0 NOT NULL,
    sessions_random bigint DEFAULT 0 NOT NULL,
    names_changed bigint DEFAULT 0 NOT NULL,
    CONSTRAINT ledger_state_only_one_check CHECK (only_one)
);
COMMENT ON TABLE public.ledger_state IS 'Counters of the ledger; one row.';
COMMENT ON COLUMN public.ledger_state.home_asset IS 'The asset of payments between people; NULL until a server started.';
COMMENT ON COLUMN public.ledger_state.names_epoch IS 'Counts changes of usernames.';
COMMENT ON COLUMN public.ledger_state.sessions_epoch IS 'Counts ended sessions and access tokens. A payment compares it, so an ended session cannot pay.';
COMMENT ON COLUMN public.ledger_state.seq_base IS 'Added to transfers.seq; raised after a logical restore.';
COMMENT ON COLUMN public.ledger_state.names_random IS 'Random part of the names epoch; after lost commits the same counter has another one.';
COMMENT ON COLUMN public.ledger_state.sessions_random IS 'Random part of the sessions epoch.';
COMMENT ON COLUMN public.ledger_state.names_changed IS 'The last names epoch that made resolved names wrong.';

-- Name: login_secrets; Type: TABLE

CREATE TABLE public.login_secrets (
    secret_id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
    secret bytea NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT login_secrets_secret_check CHECK ((octet_length(secret) = 32))
);
COMMENT ON TABLE public.login_secrets IS 'Secrets that authenticate logins begun in the web wallet. A secret is used for one day.';
COMMENT ON COLUMN public.login_secrets.secret IS 'Key of HMAC-SHA256.';

-- Name: migrations; Type: TABLE

CREATE TABLE public.migrations (
    name text NOT NULL,
    sha256 text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);
COMMENT ON TABLE public.migrations IS 'Applied migrations.';
COMMENT ON COLUMN public.migrations.sha256 IS 'Hash of the file. A file that was changed after it was applied is refused.';

-- Name: money_request_events; Type: TABLE

CREATE TABLE public.money_request_events (
    seq bigint NOT NULL,
    request_id uuid NOT NULL,
    state text NOT NULL,
    at timestamp with time zone NOT NULL
);
COMMENT ON TABLE public.money_request_events IS 'Each state that a money request reached, with its position in the feed.';
COMMENT ON COLUMN public.money_request_events.state IS 'As money_requests.state.';

-- Name: money_requests; Type: TABLE

CREATE TABLE public.money_requests (
    request_id uuid NOT NULL,
    asker_id uuid NOT NULL,
    payer_id uuid,
    by_link boolean NOT NULL,
    amount bigint NOT NULL,
    state text DEFAULT 'open'::text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT money_requests_amount_check CHECK ((amount > 0)),
    CONSTRAINT money_requests_end CHECK (((state = 'open'::text) = (ended_at IS NULL))),
    CONSTRAINT money_requests_in_time CHECK (((ended_at IS NULL) OR ((state = 'expired'::text) = (ended_at >= expires_at)))),
    CONSTRAINT money_requests_lasting CHECK (((expires_at > created_at) AND (expires_at <= (created_at + '366 days'::interval)))),
    CONSTRAINT money_requests_links_stay_undeclined CHECK (((NOT by_link) OR (state <> 'declined'::text))),
    CONSTRAINT money_requests_of_two CHECK ((asker_id <> payer_id)),
    CONSTRAINT money_requests_payer CHECK (((payer_id IS NOT NULL) = ((NOT by_link) OR (state = 'paid'::text)))),
    CONSTRAINT money_requests_state_check CHECK ((state = ANY (ARRAY['open'::text, 'paid'::text, 'declined'::text, 'cancelled'::text, 'expired'::text])))
);
COMMENT ON TABLE public.money_requests IS 'Requests for money. They name people, not usernames.';
COMMENT ON COLUMN public.money_requests.request_id IS 'Also the id of its payment.';
COMMENT ON COLUMN public.money_requests.payer_id IS 'The person asked. NULL for a request by link until it is paid.';
COMMENT ON COLUMN public.money_requests.by_link IS 'Anyone with the id can pay.';
COMMENT ON COLUMN public.money_requests.state IS 'An open request counts as expired as soon as its time is over; a worker writes it soon after.';

-- Name: networks; Type: TABLE

CREATE TABLE public.networks (
    network_id smallint GENERATED ALWAYS AS IDENTITY NOT NULL,
    blockchain text NOT NULL,
    chain_id bigint,
    family text DEFAULT 'evm'::text NOT NULL,
    wallet_provider text DEFAULT 'local'::text NOT NULL,
    CONSTRAINT networks_blockchain_check CHECK ((blockchain ~ '^[A-Z0-9][A-Z0-9-]{1,31}$'::text)),
    CONSTRAINT networks_chain_id_check CHECK ((chain_id > 0)),
    CONSTRAINT networks_family_check CHECK ((family = ANY (ARRAY['evm'::text, 'solana'::text, 'aptos'::text]))),
    CONSTRAINT networks_wallet_provider_check CHECK ((wallet_provider ~ '^[a-z][a-z0-9_]*$'::text))
);
COMMENT ON TABLE public.networks IS 'Blockchains.';
COMMENT ON COLUMN public.networks.chain_id IS 'NULL until a worker read it from the nodes; from then on only nodes with this id are used.';
COMMENT ON COLUMN public.networks.family IS 'Form of addresses: evm, solana or aptos.';
COMMENT ON COLUMN public.networks.wallet_provider IS 'Provider of the wallets that hold people''s coins on this network.';

-- Name: node_faults; Type: TABLE

CREATE TABLE public.node_faults (
    blockchain text NOT NULL,
    host text NOT NULL,
    kind text NOT NULL,
    about text NOT NULL,
    times integer NOT NULL,
    since timestamp with time zone NOT NULL,
    seen_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT node_faults_about_check CHECK (((length(about) >= 1) AND (length(about) <= 200))),
    CONSTRAINT node_faults_blockchain_check CHECK ((blockchain ~ '^[A-Z0-9][A-Z0-9-]{1,31}$'::text)),
    CONSTRAINT node_faults_host_check CHECK ((((length(host) >= 1) AND (length(host) <= 300)) AND (host !~ '[/@?]'::text))),
    CONSTRAINT node_faults_kind_check CHECK ((kind = ANY (ARRAY['silent'::text, 'behind'::text, 'no state'::text, 'contradicts'::text]))),
    CONSTRAINT node_faults_times_check CHECK ((times > 0))
);
COMMENT ON TABLE public.node_faults IS 'Faults of blockchain nodes. A row that no worker confirmed for a minute is over.';
COMMENT ON COLUMN public.node_faults.host IS 'Host and port only; the rest of a URL may contain a key.';
COMMENT ON COLUMN public.node_faults.kind IS 'silent, behind, no state, or contradicts (the majority of nodes).';
COMMENT ON COLUMN public.node_faults.about IS 'Description for operators.';
COMMENT ON COLUMN public.node_faults.times IS 'How often it was seen.';
COMMENT ON COLUMN public.node_faults.since IS 'When it was first seen.';

-- Name: onchain_balances; Type: TABLE

CREATE TABLE public.onchain_balances (
    wallet_id uuid NOT NULL,
    asset_id smallint NOT NULL,
    amount numeric(78,0) NOT NULL,
    pending_in numeric(78,0) NOT NULL,
    block_number bigint NOT NULL,
    CONSTRAINT onchain_balances_amount_check CHECK ((amount >= (0)::numeric)),
    CONSTRAINT onchain_balances_pending_in_check CHECK ((pending_in >= (0)::numeric))
)
WITH (fillfactor=70);
COMMENT ON TABLE public.onchain_balances IS 'Balances on chain. Only wallets whose balance may have changed are read again.';
COMMENT ON COLUMN public.onchain_balances.amount IS 'In millionths, as of block_number.';
COMMENT ON COLUMN public.onchain_balances.pending_in IS 'Incoming amount in blocks that are not final.';

-- Name: open_arrivals; Type: TABLE

CREATE TABLE public.open_arrivals (
    network_id smallint NOT NULL,
    provider_id uuid NOT NULL,
    listed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    due_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    record jsonb,
    by_address boolean DEFAULT false NOT NULL,
    CONSTRAINT open_arrivals_record_check CHECK ((jsonb_typeof(record) = 'object'::text))
);
COMMENT ON TABLE public.open_arrivals IS 'Listed transfers that are not decided yet.';
COMMENT ON COLUMN public.open_arrivals.due_at IS 'When the provider is asked again.';
COMMENT ON COLUMN public.open_arrivals.record IS 'The provider''s data, if it is decided later; NULL: it is requested by id.';
COMMENT ON COLUMN public.open_arrivals.by_address IS 'An operator decided that it belongs to the wallet with its address.';

-- Name: operator_identities; Type: TABLE

CREATE TABLE public.operator_identities (
    issuer text NOT NULL,
    subject text NOT NULL,
    name text NOT NULL,
    added_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT operator_identities_issuer_check CHECK (((length(issuer) >= 1) AND (length(issuer) <= 500))),
    CONSTRAINT operator_identities_subject_check CHECK (((length(subject) >= 1) AND (length(subject) <= 255)))
);
COMMENT ON TABLE public.operator_identities IS 'The roster of the operator console: who logs in as which operator.';
COMMENT ON COLUMN public.operator_identities.issuer IS 'The OpenID issuer, as in users.';
COMMENT ON COLUMN public.operator_identities.subject IS 'The id of the operator at that issuer.';
COMMENT ON COLUMN public.operator_identities.name IS 'The operator, by database login.';

-- Name: operators; Type: TABLE

CREATE TABLE public.operators (
    name text NOT NULL,
    role text NOT NULL,
    added_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT operators_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
    CONSTRAINT operators_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'risk'::text, 'support'::text])))
);
COMMENT ON TABLE public.operators IS 'Operators and their roles. While no named admin has a login, every operator login may use all commands.';
COMMENT ON COLUMN public.operators.role IS 'admin, risk or support.';

-- Name: passkey_challenges; Type: TABLE

CREATE TABLE public.passkey_challenges (
    challenge_id uuid NOT NULL,
    challenge bytea NOT NULL,
    user_id uuid NOT NULL,
    session_id uuid NOT NULL,
    deed jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    proved_at timestamp with time zone,
    used_at timestamp with time zone,
    CONSTRAINT passkey_challenges_challenge_check CHECK ((length(challenge) = 32)),
    CONSTRAINT passkey_challenges_check CHECK (((used_at IS NULL) OR (proved_at IS NOT NULL) OR ((deed ->> 'do'::text) = 'register'::text))),
    CONSTRAINT passkey_challenges_deed_check CHECK ((jsonb_typeof(deed) = 'object'::text))
);
COMMENT ON TABLE public.passkey_challenges IS 'What people were asked to agree to with a passkey, and whether they did.';
COMMENT ON COLUMN public.passkey_challenges.challenge IS 'Drawn by PostgreSQL; the passkey signs it.';
COMMENT ON COLUMN public.passkey_challenges.deed IS 'What a proof allows, exactly; see ask_for_passkey.';
COMMENT ON COLUMN public.passkey_challenges.proved_at IS 'When a passkey signed it.';
COMMENT ON COLUMN public.passkey_challenges.used_at IS 'When the deed was done. Payments are not marked: their id allows only one.';

-- Name: passkey_removals; Type: TABLE

CREATE TABLE public.passkey_removals (
    user_id uuid NOT NULL,
    begun_by text NOT NULL,
    reason text NOT NULL,
    begun_at timestamp with time zone NOT NULL,
    due_at timestamp with time zone NOT NULL,
    CONSTRAINT passkey_removals_check CHECK ((due_at > begun_at)),
    CONSTRAINT passkey_removals_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500)))
);
COMMENT ON TABLE public.passkey_removals IS 'Lost passkeys that an operator is removing; the person can object, and another operator finishes it.';
COMMENT ON COLUMN public.passkey_removals.due_at IS 'From then on it can be finished.';

-- Name: passkeys; Type: TABLE

CREATE TABLE public.passkeys (
    passkey_id uuid NOT NULL,
    user_id uuid NOT NULL,
    credential bytea NOT NULL,
    public_key bytea NOT NULL,
    name text NOT NULL,
    rp_hash bytea NOT NULL,
    transports text[] NOT NULL,
    counter bigint NOT NULL,
    backed_up boolean NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    last_used_at timestamp with time zone,
    CONSTRAINT passkeys_counter_check CHECK ((counter >= 0)),
    CONSTRAINT passkeys_credential_check CHECK (((length(credential) >= 1) AND (length(credential) <= 1023))),
    CONSTRAINT passkeys_form_of_key CHECK (
CASE length(public_key)
    WHEN 77 THEN ((substr(public_key, 1, 10) = '\xa5010203262001215820'::bytea) AND (substr(public_key, 43, 3) = '\x225820'::bytea))
    WHEN 272 THEN ((substr(public_key, 1, 11) = '\xa401030339010020590100'::bytea) AND (substr(public_key, 268, 5) = '\x2143010001'::bytea))
    ELSE false
END),
    CONSTRAINT passkeys_name_check CHECK (((length(name) >= 1) AND (length(name) <= 60))),
    CONSTRAINT passkeys_rp_hash_check CHECK ((length(rp_hash) = 32))
);
COMMENT ON TABLE public.passkeys IS 'Passkeys of people, with which they agree to payments and to changes of these rules.';
COMMENT ON COLUMN public.passkeys.credential IS 'Id that the authenticator gave it.';
COMMENT ON COLUMN public.passkeys.public_key IS 'In COSE form.';
COMMENT ON COLUMN public.passkeys.rp_hash IS 'SHA-256 of the wallet''s host name, to which the passkey belongs.';
COMMENT ON COLUMN public.passkeys.transports IS 'How a browser reaches it, for example internal or usb. Only a hint.';
COMMENT ON COLUMN public.passkeys.counter IS 'Number of signatures as the passkey counts them; 0 if it does not.';
COMMENT ON COLUMN public.passkeys.backed_up IS 'It is copied to other devices of the person.';

-- Name: pauses; Type: TABLE

CREATE TABLE public.pauses (
    scope text NOT NULL,
    cause text DEFAULT 'operator'::text NOT NULL,
    reason text NOT NULL,
    stops text DEFAULT 'accepting'::text NOT NULL,
    paused_by text DEFAULT SESSION_USER NOT NULL,
    paused_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pauses_automatic_of_chain CHECK (
CASE cause
    WHEN 'operator'::text THEN true
    WHEN 'closed'::text THEN (scope ~~ 'user:%'::text)
    ELSE (scope ~~ 'chain:%'::text)
END),
    CONSTRAINT pauses_cause_check CHECK ((cause = ANY (ARRAY['operator'::text, 'closed'::text, 'drift'::text, 'unexplained'::text, 'contradicted'::text, 'audit'::text, 'reorg'::text, 'gas'::text]))),
    CONSTRAINT pauses_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500))),
    CONSTRAINT pauses_scope_check CHECK ((scope ~ '^(all|user|chain|chain:[A-Z0-9][A-Z0-9-]{1,31}|user:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$'::text)),
    CONSTRAINT pauses_signing_of_chain CHECK (((stops = 'accepting'::text) OR (scope !~ '^user'::text))),
    CONSTRAINT pauses_stop_by_cause CHECK (((cause = 'operator'::text) OR ((stops = 'accepting and signing'::text) = (cause = ANY (ARRAY['drift'::text, 'unexplained'::text, 'contradicted'::text, 'audit'::text]))))),
    CONSTRAINT pauses_stops_check CHECK ((stops = ANY (ARRAY['accepting'::text, 'accepting and signing'::text])))
);
COMMENT ON TABLE public.pauses IS 'Pauses of payments and their reasons, for operators. Each cause ends separately. Customers read pause_words.';
COMMENT ON COLUMN public.pauses.scope IS 'all, user (payments between people), chain (sends), chain:<blockchain> or user:<id>.';
COMMENT ON COLUMN public.pauses.cause IS 'operator, closed (the account was closed) or the automatic check that paused a chain.';
COMMENT ON COLUMN public.pauses.stops IS 'accepting: no new payments. accepting and signing: nothing is signed either.';

-- Name: payee_reads; Type: TABLE

CREATE TABLE public.payee_reads (
    account_id bigint NOT NULL,
    entry bigint NOT NULL,
    CONSTRAINT payee_reads_entry_check CHECK ((entry >= 0))
);
COMMENT ON TABLE public.payee_reads IS 'How much of each account''s history is in payees.';
COMMENT ON COLUMN public.payee_reads.entry IS 'Rows up to this number of the account are in payees.';

-- Name: payees; Type: TABLE

CREATE TABLE public.payees (
    user_id uuid NOT NULL,
    person uuid,
    address text,
    last_seq bigint NOT NULL,
    last_at timestamp with time zone NOT NULL,
    last_asset smallint NOT NULL,
    payments bigint NOT NULL,
    CONSTRAINT payees_address_check CHECK ((address ~ '^(0x([0-9a-f]{40}|[0-9a-f]{64})|[1-9A-HJ-NP-Za-km-z]{32,44})$'::text)),
    CONSTRAINT payees_one_kind CHECK (((person IS NULL) <> (address IS NULL))),
    CONSTRAINT payees_other CHECK ((person IS DISTINCT FROM user_id)),
    CONSTRAINT payees_payments_check CHECK ((payments > 0))
);
COMMENT ON TABLE public.payees IS 'People and addresses that a person has paid.';
COMMENT ON COLUMN public.payees.person IS 'The paid person; NULL if it is an address.';
COMMENT ON COLUMN public.payees.address IS 'Lower case, except base58, which keeps its case.';
COMMENT ON COLUMN public.payees.last_seq IS 'seq of the newest payment.';
COMMENT ON COLUMN public.payees.last_asset IS 'Asset of the newest payment.';
COMMENT ON COLUMN public.payees.payments IS 'Number of payments.';

-- Name: payment_events; Type: TABLE

CREATE TABLE public.payment_events (
    seq bigint NOT NULL,
    payment_id uuid NOT NULL,
    state text NOT NULL,
    tx_hash text,
    at timestamp with time zone NOT NULL
);
COMMENT ON TABLE public.payment_events IS 'Each state that a send reached, with its position in the feed.';
COMMENT ON COLUMN public.payment_events.state IS 'As payments.state.';

-- Name: payment_notes; Type: TABLE

CREATE TABLE public.payment_notes (
    payment_id uuid NOT NULL,
    note text,
    created_at timestamp with time zone DEFAULT date_trunc('milliseconds'::text, clock_timestamp()) NOT NULL,
    CONSTRAINT payment_notes_text CHECK ((((length(note) >= 1) AND (length(note) <= 140)) AND (note !~ '[\u0001-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]'::text)))
);
COMMENT ON TABLE public.payment_notes IS 'What payments are for, in the words of those who made them. Written in the payment''s commit; can be removed.';
COMMENT ON COLUMN public.payment_notes.payment_id IS 'The id of a payment, a stored refusal, a money request or a proposed refund.';
COMMENT ON COLUMN public.payment_notes.note IS 'NULL: removed.';

-- Name: payments; Type: TABLE

CREATE TABLE public.payments (
    payment_id uuid NOT NULL,
    state text NOT NULL,
    destination text NOT NULL,
    wallet_id uuid,
    sender_shown text DEFAULT 'username'::text NOT NULL,
    approvals_needed smallint DEFAULT 0 NOT NULL,
    not_before timestamp with time zone,
    tx_hash text,
    network_fee bigint,
    error_reason text,
    updated_at timestamp with time zone DEFAULT date_trunc('milliseconds'::text, clock_timestamp()) NOT NULL,
    key_id uuid,
    amount bigint,
    fee bigint DEFAULT 0 NOT NULL,
    CONSTRAINT payments_approvals_needed_check CHECK ((approvals_needed = ANY (ARRAY[0, 2]))),
    CONSTRAINT payments_network_fee_check CHECK ((network_fee >= 0)),
    CONSTRAINT payments_sender_shown_check CHECK ((sender_shown = ANY (ARRAY['username'::text, 'wallet'::text]))),
    CONSTRAINT payments_state_check CHECK ((state = ANY (ARRAY['INITIATED'::text, 'CLEARED'::text, 'QUEUED'::text, 'SENT'::text, 'STUCK'::text, 'CONFIRMED'::text, 'COMPLETE'::text, 'FAILED'::text, 'DENIED'::text, 'CANCELLED'::text])))
);
COMMENT ON TABLE public.payments IS 'State of a send to an address. Payments between people and deposits have only their row in transfers.';
COMMENT ON COLUMN public.payments.payment_id IS 'The id of the hold in transfers.';
COMMENT ON COLUMN public.payments.state IS 'State in the API. payment_may_become lists the allowed changes.';
COMMENT ON COLUMN public.payments.destination IS 'Receiving address.';
COMMENT ON COLUMN public.payments.wallet_id IS 'The wallet that the coins leave.';
COMMENT ON COLUMN public.payments.sender_shown IS 'Whether history shows the sender by username or by wallet.';
COMMENT ON COLUMN public.payments.approvals_needed IS 'Approvals of operators before anything is reserved or signed. Decided on acceptance.';
COMMENT ON COLUMN public.payments.not_before IS 'Nothing is reserved or signed before this time.';
COMMENT ON COLUMN public.payments.network_fee IS 'Share of the transaction fee, in millionths of the chain''s coin.';
COMMENT ON COLUMN public.payments.error_reason IS 'Why it ended unpaid, for operators. Customers read prepared words.';
COMMENT ON COLUMN public.payments.key_id IS 'The service key that requested it; NULL without a key.';
COMMENT ON COLUMN public.payments.amount IS 'Amount that the destination receives, in the smallest unit of the asset. The hold is amount + fee. NULL only in rows of release 0.2.0 until `florin migrate --finish`.';
COMMENT ON COLUMN public.payments.fee IS 'Amount that the service charges for the send, in the same unit. Always 0 today.';

-- Name: payout_approvals; Type: TABLE

CREATE TABLE public.payout_approvals (
    payout_id uuid NOT NULL,
    operator text NOT NULL,
    approved_at timestamp with time zone DEFAULT date_trunc('milliseconds'::text, clock_timestamp()) NOT NULL,
    CONSTRAINT payout_approvals_operator_check CHECK (((length(operator) >= 1) AND (length(operator) <= 100)))
);
COMMENT ON TABLE public.payout_approvals IS 'Operators'' approvals of payouts.';
COMMENT ON COLUMN public.payout_approvals.operator IS 'Login of the operator.';

-- Name: payout_events; Type: TABLE

CREATE TABLE public.payout_events (
    seq bigint NOT NULL,
    payout_id uuid NOT NULL,
    state text NOT NULL,
    at timestamp with time zone NOT NULL
);
COMMENT ON TABLE public.payout_events IS 'Each state that a payout reached, with its position in the feed.';
COMMENT ON COLUMN public.payout_events.state IS 'As payouts.state.';

-- Name: payout_files; Type: TABLE

CREATE TABLE public.payout_files (
    payout_id uuid NOT NULL,
    content_type text NOT NULL,
    content bytea NOT NULL,
    hash bytea NOT NULL,
    CONSTRAINT payout_files_hash CHECK ((hash = sha256(content)))
);
COMMENT ON TABLE public.payout_files IS 'The file as it was received.';
COMMENT ON COLUMN public.payout_files.content_type IS 'text/csv or application/json.';
COMMENT ON COLUMN public.payout_files.content IS 'Bytes as received.';
COMMENT ON COLUMN public.payout_files.hash IS 'SHA-256 of the content.';

-- Name: payout_items; Type: TABLE

CREATE TABLE public.payout_items (
    payout_id uuid NOT NULL,
    nth integer NOT NULL,
    payment_id uuid NOT NULL,
    reference text NOT NULL,
    username text,
    user_id uuid,
    destination text,
    blockchain text NOT NULL,
    amount bigint NOT NULL,
    note text,
    state text DEFAULT 'ready'::text NOT NULL,
    error jsonb,
    CONSTRAINT payout_items_amount_check CHECK ((amount > 0)),
    CONSTRAINT payout_items_error CHECK (((state = 'failed'::text) = (error IS NOT NULL))),
    CONSTRAINT payout_items_note_check CHECK (((length(note) >= 1) AND (length(note) <= 200))),
    CONSTRAINT payout_items_nth_check CHECK (((nth >= 1) AND (nth <= 10000))),
    CONSTRAINT payout_items_only_addresses_are_sent CHECK (((state <> 'sent'::text) OR (destination IS NOT NULL))),
    CONSTRAINT payout_items_reference_check CHECK (((length(reference) >= 1) AND (length(reference) <= 100))),
    CONSTRAINT payout_items_state_check CHECK ((state = ANY (ARRAY['ready'::text, 'sent'::text, 'paid'::text, 'failed'::text, 'cancelled'::text]))),
    CONSTRAINT payout_items_whom CHECK (((num_nonnulls(username, destination) = 1) AND ((user_id IS NULL) = (username IS NULL))))
)
WITH (fillfactor=50);
COMMENT ON TABLE public.payout_items IS 'A row of a payout file.';
COMMENT ON COLUMN public.payout_items.nth IS 'Row number in the file, from 1.';
COMMENT ON COLUMN public.payout_items.payment_id IS 'Derived from payer and reference: the same reference is the same payment. Or the payment that an operator imported.';
COMMENT ON COLUMN public.payout_items.reference IS 'The caller''s reference, unique in the file.';
COMMENT ON COLUMN public.payout_items.username IS 'As written in the file, in lower case.';
COMMENT ON COLUMN public.payout_items.user_id IS 'The person whom the name led to when the file was checked.';
COMMENT ON COLUMN public.payout_items.destination IS 'Receiving address; NULL if the row names a person.';
COMMENT ON COLUMN public.payout_items.note IS 'Text from the file.';
COMMENT ON COLUMN public.payout_items.state IS 'sent means accepted as a send to an address; the payment has its own state.';
COMMENT ON COLUMN public.payout_items.error IS 'Why it failed: code and details.';

-- Name: payouts; Type: TABLE

CREATE TABLE public.payouts (
    payout_id uuid NOT NULL,
    key_id uuid NOT NULL,
    payer_id uuid,
    on_shortage text NOT NULL,
    state text DEFAULT 'checked'::text NOT NULL,
    row_count integer NOT NULL,
    total bigint NOT NULL,
    known_count integer NOT NULL,
    known_total bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    confirmed_at timestamp with time zone,
    waits_until timestamp with time zone,
    waits_for jsonb,
    approvals_needed smallint DEFAULT 0 NOT NULL,
    certificate bytea,
    client inet,
    cancelled_at timestamp with time zone,
    ended_at timestamp with time zone,
    currency text NOT NULL,
    CONSTRAINT payouts_approvals_needed_check CHECK ((approvals_needed = ANY (ARRAY[0, 2]))),
    CONSTRAINT payouts_cancelled CHECK (((state = ANY (ARRAY['stopping'::text, 'cancelled'::text])) = (cancelled_at IS NOT NULL))),
    CONSTRAINT payouts_certificate_check CHECK ((octet_length(certificate) = 32)),
    CONSTRAINT payouts_check CHECK (((known_count >= 0) AND (known_count <= row_count))),
    CONSTRAINT payouts_check1 CHECK (((known_total >= 0) AND (known_total <= total))),
    CONSTRAINT payouts_confirmed CHECK (((state = ANY (ARRAY['checked'::text, 'cancelled'::text])) OR (num_nonnulls(confirmed_at, waits_until) = 2))),
    CONSTRAINT payouts_ended CHECK (((state = ANY (ARRAY['complete'::text, 'cancelled'::text])) = (ended_at IS NOT NULL))),
    CONSTRAINT payouts_on_shortage_check CHECK ((on_shortage = ANY (ARRAY['wait'::text, 'fail'::text]))),
    CONSTRAINT payouts_row_count_check CHECK (((row_count >= 1) AND (row_count <= 10000))),
    CONSTRAINT payouts_state_check CHECK ((state = ANY (ARRAY['checked'::text, 'approving'::text, 'running'::text, 'waiting'::text, 'stopping'::text, 'complete'::text, 'cancelled'::text]))),
    CONSTRAINT payouts_total_check CHECK ((total > 0)),
    CONSTRAINT payouts_waiting CHECK (((state = 'waiting'::text) = (waits_for IS NOT NULL)))
);
COMMENT ON TABLE public.payouts IS 'A payout file and its progress.';
COMMENT ON COLUMN public.payouts.key_id IS 'The service key that created it. It pays within the rules of this key.';
COMMENT ON COLUMN public.payouts.payer_id IS 'Whose money it spends; NULL for the treasury.';
COMMENT ON COLUMN public.payouts.on_shortage IS 'How rows that exceed the balance or a limit are treated: wait or fail.';
COMMENT ON COLUMN public.payouts.state IS 'checked, approving, running, waiting (see waits_for), stopping, complete or cancelled.';
COMMENT ON COLUMN public.payouts.row_count IS 'Number of rows.';
COMMENT ON COLUMN public.payouts.total IS 'Sum of the amounts, in millionths.';
COMMENT ON COLUMN public.payouts.known_count IS 'Rows whose reference was paid before.';
COMMENT ON COLUMN public.payouts.known_total IS 'Sum of their amounts, in millionths.';
COMMENT ON COLUMN public.payouts.waits_until IS 'When rows that wait for money or a limit fail.';
COMMENT ON COLUMN public.payouts.waits_for IS 'Why rows wait: code and details of an error.';
COMMENT ON COLUMN public.payouts.approvals_needed IS 'Approvals of operators before it runs: 0 or 2.';
COMMENT ON COLUMN public.payouts.certificate IS 'Client certificate of the caller who confirmed it.';
COMMENT ON COLUMN public.payouts.client IS 'Network address of the caller who confirmed it.';
COMMENT ON COLUMN public.payouts.currency IS 'Currency of all rows.';

-- Name: pending_deposits; Type: TABLE

CREATE TABLE public.pending_deposits (
    asset_id smallint NOT NULL,
    block_hash text NOT NULL,
    log_index integer NOT NULL,
    wallet_id uuid NOT NULL,
    tx_hash text NOT NULL,
    from_address text NOT NULL,
    amount bigint NOT NULL,
    block_number bigint NOT NULL
);
COMMENT ON TABLE public.pending_deposits IS 'Deposits in blocks that are not final.';

-- Name: provider_transfers; Type: TABLE

CREATE TABLE public.provider_transfers (
    move_id uuid NOT NULL,
    provider text NOT NULL,
    key uuid NOT NULL,
    provider_id text,
    provider_state text DEFAULT 'new'::text NOT NULL,
    tx_hash text,
    error text,
    ended_head bigint,
    cancel_asked_at timestamp with time zone,
    cancel_answer text,
    asked_at timestamp with time zone,
    submitted_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    first_asked_at timestamp with time zone,
    counted_at timestamp with time zone,
    held_at timestamp with time zone,
    waits_for text,
    accelerations integer DEFAULT 0 NOT NULL,
    accelerated_at timestamp with time zone,
    cancel_refusals integer DEFAULT 0 NOT NULL,
    CONSTRAINT provider_transfers_accelerations_check CHECK ((accelerations >= 0)),
    CONSTRAINT provider_transfers_attempts_check CHECK ((attempts >= 0)),
    CONSTRAINT provider_transfers_cancel_answer_check CHECK ((cancel_answer = ANY (ARRAY['accepted'::text, 'rejected'::text, 'unknown'::text]))),
    CONSTRAINT provider_transfers_cancel_refusals_check CHECK ((cancel_refusals >= 0)),
    CONSTRAINT provider_transfers_check CHECK (((provider_state = ANY (ARRAY['failed'::text, 'cancelled'::text])) = (ended_head IS NOT NULL))),
    CONSTRAINT provider_transfers_provider_state_check CHECK ((provider_state = ANY (ARRAY['new'::text, 'submitted'::text, 'sent'::text, 'done'::text, 'failed'::text, 'cancelled'::text]))),
    CONSTRAINT provider_transfers_waits_for_check CHECK (((length(waits_for) >= 1) AND (length(waits_for) <= 500)))
);
COMMENT ON TABLE public.provider_transfers IS 'Rail provider: a transfer that the provider makes. The row is committed before the first call.';
COMMENT ON COLUMN public.provider_transfers.provider IS 'Name of the provider, as wallets.provider.';
COMMENT ON COLUMN public.provider_transfers.key IS 'Idempotency key at the provider.';
COMMENT ON COLUMN public.provider_transfers.provider_state IS 'new: no answer yet. The others repeat the provider''s report; only a final log proves a payment.';
COMMENT ON COLUMN public.provider_transfers.tx_hash IS 'As reported by the provider; it can change.';
COMMENT ON COLUMN public.provider_transfers.error IS 'The provider''s reason for a failure.';
COMMENT ON COLUMN public.provider_transfers.ended_head IS 'Head of the chain when the provider reported an end without a transfer. The move is dead when final blocks up to here do not contain it.';
COMMENT ON COLUMN public.provider_transfers.cancel_answer IS 'Answer to the last cancellation: accepted, rejected or unknown.';
COMMENT ON COLUMN public.provider_transfers.attempts IS 'Times that the provider may have received the request.';
COMMENT ON COLUMN public.provider_transfers.counted_at IS 'Counted against the signer''s limit, once.';
COMMENT ON COLUMN public.provider_transfers.held_at IS 'The provider no longer knows the key; operators decide.';
COMMENT ON COLUMN public.provider_transfers.waits_for IS 'Why it was not handed over yet.';
COMMENT ON COLUMN public.provider_transfers.accelerations IS 'Times that the provider was asked to raise the fee.';
COMMENT ON COLUMN public.provider_transfers.cancel_refusals IS 'Refused cancellations. Each new one uses a new key.';

-- Name: provider_turns; Type: TABLE

CREATE UNLOGGED TABLE public.provider_turns (
    bucket text NOT NULL,
    taken timestamp with time zone[] DEFAULT '{}'::timestamp with time zone[] NOT NULL,
    yielding timestamp with time zone[] DEFAULT '{}'::timestamp with time zone[] NOT NULL,
    CONSTRAINT provider_turns_bucket_check CHECK (((length(bucket) >= 1) AND (length(bucket) <= 100)))
)
WITH (fillfactor=50);
COMMENT ON TABLE public.provider_turns IS 'Calls to a provider per rate limit, shared by all processes. Unlogged.';
COMMENT ON COLUMN public.provider_turns.bucket IS 'Name of the rate limit.';
COMMENT ON COLUMN public.provider_turns.taken IS 'Times of recent calls.';
COMMENT ON COLUMN public.provider_turns.yielding IS 'The calls among them that give way to more urgent ones.';

-- Name: provider_webhook_keys; Type: TABLE

CREATE TABLE public.provider_webhook_keys (
    adapter text NOT NULL,
    key_id text NOT NULL,
    public_key bytea NOT NULL,
    fetched_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT provider_webhook_keys_adapter_check CHECK (((length(adapter) >= 1) AND (length(adapter) <= 40))),
    CONSTRAINT provider_webhook_keys_key_id_check CHECK (((length(key_id) >= 1) AND (length(key_id) <= 100))),
    CONSTRAINT provider_webhook_keys_public_key_check CHECK (((octet_length(public_key) >= 50) AND (octet_length(public_key) <= 1000)))
);
COMMENT ON TABLE public.provider_webhook_keys IS 'Public keys of providers for webhook signatures.';
COMMENT ON COLUMN public.provider_webhook_keys.adapter IS 'The adapter whose webhook uses the key, for example circle.';
COMMENT ON COLUMN public.provider_webhook_keys.key_id IS 'As a webhook names it.';
COMMENT ON COLUMN public.provider_webhook_keys.public_key IS 'DER, SubjectPublicKeyInfo.';

-- Name: public_names; Type: TABLE

CREATE TABLE public.public_names (
    username text NOT NULL,
    user_id uuid NOT NULL
);
COMMENT ON TABLE public.public_names IS 'Current usernames of people who let strangers find them. Public pages read only this table.';
COMMENT ON COLUMN public.public_names.username IS 'As in usernames.';

-- Name: rate_windows; Type: TABLE

CREATE UNLOGGED TABLE public.rate_windows (
    bucket text NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    taken integer NOT NULL,
    CONSTRAINT rate_windows_taken_check CHECK ((taken >= 0))
);
COMMENT ON TABLE public.rate_windows IS 'Used parts of rate limits, shared by all processes. Unlogged: empty after a crash.';
COMMENT ON COLUMN public.rate_windows.bucket IS 'Name of the limit and its subject, for example an address.';
COMMENT ON COLUMN public.rate_windows.ends_at IS 'When the window ends and counting starts again.';
COMMENT ON COLUMN public.rate_windows.taken IS 'Requests that processes have taken from the window''s quota; they may not have made all of them yet.';

-- Name: rates; Type: TABLE

CREATE TABLE public.rates (
    pair text NOT NULL,
    price text NOT NULL,
    as_of timestamp with time zone NOT NULL,
    max_age_seconds integer NOT NULL,
    source text NOT NULL,
    CONSTRAINT rates_max_age_seconds_check CHECK ((max_age_seconds > 0)),
    CONSTRAINT rates_pair_check CHECK ((pair ~ '^[A-Z0-9]{2,10}/[A-Z0-9]{2,10}$'::text)),
    CONSTRAINT rates_price_check CHECK ((price ~ '^\d{1,20}(\.\d{1,18})?$'::text))
);
COMMENT ON TABLE public.rates IS 'Prices.';
COMMENT ON COLUMN public.rates.pair IS 'For example USDC/USD.';
COMMENT ON COLUMN public.rates.price IS 'Decimal number.';
COMMENT ON COLUMN public.rates.as_of IS 'When the source published the price.';
COMMENT ON COLUMN public.rates.max_age_seconds IS 'An older price is shown as stale.';
COMMENT ON COLUMN public.rates.source IS 'Name of the source.';

-- Name: address_look; Type: FUNCTION

CREATE FUNCTION public.address_look(address text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN lower((substr(address, 3, 4) || "right"(address, 4)));

-- Name: recipients; Type: TABLE

CREATE TABLE public.recipients (
    wallet_id uuid NOT NULL,
    look text GENERATED ALWAYS AS (public.address_look(address)) STORED NOT NULL,
    address text NOT NULL
);
COMMENT ON TABLE public.recipients IS 'Addresses with a completed send per wallet, used to detect look-alike addresses.';
COMMENT ON COLUMN public.recipients.look IS 'The first and last four digits, which people compare.';

-- Name: refund_totals; Type: TABLE

CREATE TABLE public.refund_totals (
    payment_id uuid NOT NULL,
    paid bigint NOT NULL,
    refunded bigint DEFAULT 0 NOT NULL,
    CONSTRAINT refund_totals_paid_check CHECK ((paid > 0)),
    CONSTRAINT refund_totals_refunded_check CHECK ((refunded >= 0)),
    CONSTRAINT refunds_never_more CHECK ((refunded <= paid))
);
COMMENT ON TABLE public.refund_totals IS 'Refunded amount per payment. Refunds of one payment lock this row, so their sum cannot exceed the payment.';
COMMENT ON COLUMN public.refund_totals.paid IS 'Amount of the payment, in millionths.';
COMMENT ON COLUMN public.refund_totals.refunded IS 'Sum of its refunds, in millionths.';

-- Name: refunds; Type: TABLE

CREATE TABLE public.refunds (
    refund_id uuid NOT NULL,
    payment_id uuid NOT NULL,
    source text NOT NULL,
    amount bigint NOT NULL,
    reason text NOT NULL,
    proposed_by text NOT NULL,
    proposed_at timestamp with time zone DEFAULT date_trunc('milliseconds'::text, clock_timestamp()) NOT NULL,
    approved_by text,
    booked_at timestamp with time zone,
    denied_by text,
    denied_at timestamp with time zone,
    CONSTRAINT refunds_amount_check CHECK ((amount > 0)),
    CONSTRAINT refunds_approved_by_check CHECK (((length(approved_by) >= 1) AND (length(approved_by) <= 100))),
    CONSTRAINT refunds_booked_or_denied CHECK (((denied_at IS NULL) OR (booked_at IS NULL))),
    CONSTRAINT refunds_check CHECK (((denied_by IS NULL) = (denied_at IS NULL))),
    CONSTRAINT refunds_denied_by_check CHECK (((length(denied_by) >= 1) AND (length(denied_by) <= 100))),
    CONSTRAINT refunds_of_another CHECK ((refund_id <> payment_id)),
    CONSTRAINT refunds_of_treasury_approved CHECK (
CASE source
    WHEN 'treasury'::text THEN ((approved_by IS NULL) = (booked_at IS NULL))
    ELSE ((approved_by IS NULL) AND (booked_at IS NOT NULL))
END),
    CONSTRAINT refunds_proposed_by_check CHECK (((length(proposed_by) >= 1) AND (length(proposed_by) <= 100))),
    CONSTRAINT refunds_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500))),
    CONSTRAINT refunds_source_check CHECK ((source = ANY (ARRAY['receiver'::text, 'treasury'::text]))),
    CONSTRAINT refunds_two_people CHECK ((approved_by <> proposed_by))
);
COMMENT ON TABLE public.refunds IS 'Refunds. Each is a payment of its own; its id is also its id in transfers.';
COMMENT ON COLUMN public.refunds.payment_id IS 'The payment that it returns, in whole or in part.';
COMMENT ON COLUMN public.refunds.source IS 'receiver, or treasury, which needs two operators.';
COMMENT ON COLUMN public.refunds.reason IS 'Shown to customers.';
COMMENT ON COLUMN public.refunds.booked_at IS 'When the money moved; NULL while it waits or after a denial.';

-- Name: refusals; Type: TABLE

CREATE TABLE public.refusals (
    payment_id uuid NOT NULL,
    receiver text NOT NULL,
    amount bigint NOT NULL,
    code text NOT NULL,
    details jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL
);
COMMENT ON TABLE public.refusals IS 'Refused payments under an idempotency key: a retry gets the same refusal.';
COMMENT ON COLUMN public.refusals.payment_id IS 'Derived from the key, like the id of a payment.';
COMMENT ON COLUMN public.refusals.receiver IS 'The receiver as the caller named it.';
COMMENT ON COLUMN public.refusals.code IS 'Error code.';
COMMENT ON COLUMN public.refusals.details IS 'Details of the error.';

-- Name: relayers; Type: TABLE

CREATE TABLE public.relayers (
    relayer_id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
    network_id smallint NOT NULL,
    reference text NOT NULL,
    address text NOT NULL,
    first_nonce bigint NOT NULL,
    stopped text,
    gas_wei numeric(40,0),
    next_nonce bigint,
    gas_price_wei numeric(40,0),
    trouble text,
    needs_wei numeric(40,0),
    ahead_since timestamp with time zone,
    foreign_since timestamp with time zone,
    fee_wei numeric(40,0),
    fee_cap_wei numeric(40,0),
    CONSTRAINT relayers_first_nonce_check CHECK ((first_nonce >= 0)),
    CONSTRAINT relayers_next_nonce_check CHECK ((next_nonce > first_nonce)),
    CONSTRAINT relayers_trouble_check CHECK (((trouble IS NULL) = (needs_wei IS NULL)))
);
COMMENT ON TABLE public.relayers IS 'Keys that pay gas.';
COMMENT ON COLUMN public.relayers.reference IS 'Identifies the key at the signer.';
COMMENT ON COLUMN public.relayers.first_nonce IS 'The first nonce that we use.';
COMMENT ON COLUMN public.relayers.stopped IS 'Why it is stopped until an operator acts; NULL while it works.';
COMMENT ON COLUMN public.relayers.gas_wei IS 'Balance of the chain''s coin, in wei.';
COMMENT ON COLUMN public.relayers.next_nonce IS 'Kept by the trigger follow_nonce; NULL if no nonce was used.';
COMMENT ON COLUMN public.relayers.gas_price_wei IS 'Current price of gas in wei, to estimate how many payments gas_wei covers.';
COMMENT ON COLUMN public.relayers.trouble IS 'Why it gets no new work for now. It ends without an operator.';
COMMENT ON COLUMN public.relayers.needs_wei IS 'The balance that ends the trouble, in wei.';
COMMENT ON COLUMN public.relayers.ahead_since IS 'Since when the chain has more nonces than this database.';
COMMENT ON COLUMN public.relayers.foreign_since IS 'When nonces used by someone else were first skipped.';
COMMENT ON COLUMN public.relayers.fee_wei IS 'What a unit of gas costs now, in wei; NULL before it was read.';
COMMENT ON COLUMN public.relayers.fee_cap_wei IS 'The highest bid for a unit of gas in wei, from FLORIN_MAX_FEE_GWEI of the worker.';

-- Name: releases; Type: TABLE

CREATE TABLE public.releases (
    version text NOT NULL,
    previous text,
    migrated_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone
);
COMMENT ON TABLE public.releases IS 'Builds that migrated this database.';
COMMENT ON COLUMN public.releases.version IS 'Three numbers, for example 0.2.0.';
COMMENT ON COLUMN public.releases.previous IS 'The older release whose processes may still run.';
COMMENT ON COLUMN public.releases.finished_at IS 'When florin migrate --finish confirmed that none is left.';

-- Name: restores; Type: TABLE

CREATE TABLE public.restores (
    restore_id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
    noted_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    reason text NOT NULL,
    noted_by text DEFAULT SESSION_USER NOT NULL,
    keys_confirmed_at timestamp with time zone,
    keys_confirmed_by text,
    sessions_confirmed_at timestamp with time zone,
    sessions_confirmed_by text,
    CONSTRAINT restores_check CHECK (((keys_confirmed_at IS NULL) = (keys_confirmed_by IS NULL))),
    CONSTRAINT restores_check1 CHECK (((sessions_confirmed_at IS NULL) = (sessions_confirmed_by IS NULL))),
    CONSTRAINT restores_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500)))
);
COMMENT ON TABLE public.restores IS 'Times when this database was found to be a restored copy. Older credentials need a confirmation.';

-- Name: retention; Type: TABLE

CREATE TABLE public.retention (
    what text NOT NULL,
    next_page bigint DEFAULT 0 NOT NULL,
    forgotten bigint DEFAULT 0 NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT retention_next_page_check CHECK ((next_page >= 0)),
    CONSTRAINT retention_what_check CHECK ((what = ANY (ARRAY['answers'::text, 'deliveries'::text, 'notes'::text, 'refusals'::text, 'sessions'::text, 'spendings'::text])))
);
COMMENT ON TABLE public.retention IS 'Progress of deleting old rows.';
COMMENT ON COLUMN public.retention.what IS 'The kind of rows that are deleted.';
COMMENT ON COLUMN public.retention.next_page IS 'The page of the table where the next pass starts.';
COMMENT ON COLUMN public.retention.forgotten IS 'Number of deleted rows.';

-- Name: role_names; Type: TABLE

CREATE TABLE public.role_names (
    only_one boolean DEFAULT true NOT NULL,
    prefix text NOT NULL,
    CONSTRAINT role_names_only_one_check CHECK (only_one)
);
COMMENT ON TABLE public.role_names IS 'Prefix of the names of this database''s roles.';
COMMENT ON COLUMN public.role_names.prefix IS 'Name of the database at its first migration.';

-- Name: send_rules; Type: TABLE

CREATE TABLE public.send_rules (
    only_one boolean DEFAULT true NOT NULL,
    approval_threshold bigint,
    new_recipient_delay integer DEFAULT 0 NOT NULL,
    has_open_treasury boolean DEFAULT false NOT NULL,
    CONSTRAINT send_rules_approval_threshold_check CHECK ((approval_threshold > 0)),
    CONSTRAINT send_rules_new_recipient_delay_check CHECK ((new_recipient_delay >= 0)),
    CONSTRAINT send_rules_only_one_check CHECK (only_one)
);
COMMENT ON TABLE public.send_rules IS 'Rules of sends as the workers are configured; one row. The stricter of these and the caller''s rules applies.';
COMMENT ON COLUMN public.send_rules.approval_threshold IS 'Sends of at least this amount (millionths) need approval; NULL for none.';
COMMENT ON COLUMN public.send_rules.new_recipient_delay IS 'Delay of the first send to an address, in seconds.';
COMMENT ON COLUMN public.send_rules.has_open_treasury IS 'The treasury can be spent without a service key. Only a sandbox allows it.';

-- Name: service_keys; Type: TABLE

CREATE TABLE public.service_keys (
    key_id uuid NOT NULL,
    name text NOT NULL,
    hash bytea NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone,
    user_id uuid,
    CONSTRAINT service_keys_hash_check CHECK ((octet_length(hash) = 32)),
    CONSTRAINT service_keys_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
    CONSTRAINT service_keys_scopes_check CHECK (((cardinality(scopes) > 0) AND
CASE
    WHEN (user_id IS NULL) THEN (((scopes <@ ARRAY['read'::text, 'send'::text, 'notes'::text]) OR (scopes <@ ARRAY['events'::text, 'webhooks'::text, 'payouts'::text, 'notes'::text])) AND ((NOT ('notes'::text = ANY (scopes))) OR (scopes && ARRAY['read'::text, 'events'::text])))
    ELSE (scopes <@ ARRAY['own:read'::text, 'own:request'::text, 'own:pay'::text, 'own:payouts'::text, 'own:webhooks'::text])
END))
);
COMMENT ON TABLE public.service_keys IS 'API keys of other services and of accounts; only the SHA-256 hash of a key is stored.';
COMMENT ON COLUMN public.service_keys.hash IS 'SHA-256 of the key.';
COMMENT ON COLUMN public.service_keys.scopes IS 'Groups of calls that the key may make.';
COMMENT ON COLUMN public.service_keys.last_used_at IS 'Accurate to the minute.';
COMMENT ON COLUMN public.service_keys.user_id IS 'The person whose account it acts for; NULL for a key of a service.';

-- Name: session_tokens; Type: TABLE

CREATE TABLE public.session_tokens (
    hash bytea NOT NULL,
    session_id uuid NOT NULL,
    kind text NOT NULL,
    generation integer NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    spent_at timestamp with time zone,
    spent_under bytea,
    used_at timestamp with time zone,
    replaced boolean DEFAULT false NOT NULL,
    CONSTRAINT session_tokens_check CHECK (((kind = 'refresh'::text) OR (spent_at IS NULL))),
    CONSTRAINT session_tokens_generation_check CHECK ((generation >= 0)),
    CONSTRAINT session_tokens_hash_check CHECK ((octet_length(hash) = 32)),
    CONSTRAINT session_tokens_kind_check CHECK ((kind = ANY (ARRAY['access'::text, 'refresh'::text])))
);
COMMENT ON TABLE public.session_tokens IS 'SHA-256 hashes of the tokens of sessions.';
COMMENT ON COLUMN public.session_tokens.hash IS 'SHA-256 of the token.';
COMMENT ON COLUMN public.session_tokens.kind IS 'access or refresh.';
COMMENT ON COLUMN public.session_tokens.generation IS 'Counts the refreshes of the session.';
COMMENT ON COLUMN public.session_tokens.spent_at IS 'When a refresh token was exchanged.';
COMMENT ON COLUMN public.session_tokens.spent_under IS 'Hash of the Idempotency-Key of that exchange.';
COMMENT ON COLUMN public.session_tokens.used_at IS 'First use of an access token. From then on the refresh that issued it cannot be repeated.';
COMMENT ON COLUMN public.session_tokens.replaced IS 'The refresh was repeated and another token was issued. Use of this one proves that two parties hold the session.';

-- Name: sessions; Type: TABLE

CREATE TABLE public.sessions (
    session_id uuid NOT NULL,
    user_id uuid NOT NULL,
    user_agent text,
    created_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    ended_because text,
    changed_epoch bigint,
    CONSTRAINT sessions_check CHECK (((ended_at IS NULL) = (ended_because IS NULL))),
    CONSTRAINT sessions_ended_because_check CHECK ((ended_because = ANY (ARRAY['revoked'::text, 'reused'::text, 'replaced'::text])))
);
COMMENT ON TABLE public.sessions IS 'Logins. A session has one refresh token at a time and short-lived access tokens.';
COMMENT ON COLUMN public.sessions.user_agent IS 'User-Agent header of the login.';
COMMENT ON COLUMN public.sessions.expires_at IS 'Each refresh extends it.';
COMMENT ON COLUMN public.sessions.ended_because IS 'revoked (by the person, by an operator, or because the account was closed), reused (a spent refresh token came back) or replaced (more than 50 open sessions).';
COMMENT ON COLUMN public.sessions.changed_epoch IS 'The last sessions epoch (ledger_state.sessions_epoch) in which the session or one of its access tokens ended early.';

-- Name: settlements; Type: TABLE

CREATE TABLE public.settlements (
    settlement_id uuid NOT NULL,
    asset_id smallint NOT NULL,
    covers_seq bigint,
    created_at timestamp with time zone DEFAULT date_trunc('milliseconds'::text, clock_timestamp()) NOT NULL,
    completed_at timestamp with time zone,
    leaves bigint DEFAULT 0 NOT NULL,
    left_out bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    CONSTRAINT settlements_leaves_check CHECK ((leaves >= 0))
);
COMMENT ON TABLE public.settlements IS 'Coin moves that bring each wallet to the amount its owner is owed, planned together.';
COMMENT ON COLUMN public.settlements.covers_seq IS 'It settles every payment between people below this seq; NULL for one that only funds a send.';
COMMENT ON COLUMN public.settlements.leaves IS 'Differences up to this amount per wallet stay unsettled.';
COMMENT ON COLUMN public.settlements.left_out IS 'Accounts whose coins could not be moved.';

-- Name: signatures; Type: TABLE

CREATE TABLE public.signatures (
    move_id uuid NOT NULL,
    valid_before bigint NOT NULL,
    signature bytea NOT NULL,
    signed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT signatures_signature_check CHECK ((octet_length(signature) = 65)),
    CONSTRAINT signatures_valid_before_check CHECK ((valid_before > 0))
);
COMMENT ON TABLE public.signatures IS 'Each signature, committed before anyone outside sees it.';
COMMENT ON COLUMN public.signatures.valid_before IS 'End of validity in seconds of chain time.';
COMMENT ON COLUMN public.signatures.signature IS 'Signature of the transferWithAuthorization call.';

-- Name: signed_hours; Type: TABLE

CREATE TABLE public.signed_hours (
    asset_id smallint NOT NULL,
    hour timestamp with time zone NOT NULL,
    amount bigint NOT NULL,
    CONSTRAINT signed_hours_amount_check CHECK ((amount > 0))
);
COMMENT ON TABLE public.signed_hours IS 'Amounts that the signer signed per hour, for its own limit.';
COMMENT ON COLUMN public.signed_hours.hour IS 'Start of the hour.';
COMMENT ON COLUMN public.signed_hours.amount IS 'Signed in that hour, in millionths.';

-- Name: spendings; Type: TABLE

CREATE TABLE public.spendings (
    account_id bigint NOT NULL,
    hour integer NOT NULL,
    payments integer NOT NULL,
    spent bigint NOT NULL,
    CONSTRAINT spendings_payments_check CHECK ((payments >= 0)),
    CONSTRAINT spendings_spent_check CHECK ((spent >= 0))
);
COMMENT ON TABLE public.spendings IS 'Past hours of spending that still count for rolling limits.';
COMMENT ON COLUMN public.spendings.hour IS 'In hours since 1970.';
COMMENT ON COLUMN public.spendings.payments IS 'Payments in that hour.';
COMMENT ON COLUMN public.spendings.spent IS 'In millionths.';

-- Name: spent_id_tokens; Type: TABLE

CREATE TABLE public.spent_id_tokens (
    hash bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT spent_id_tokens_hash_check CHECK ((octet_length(hash) = 32))
);
COMMENT ON TABLE public.spent_id_tokens IS 'Hashes of ID tokens and of logins of the web wallet that were used, kept until they expire.';
COMMENT ON COLUMN public.spent_id_tokens.hash IS 'SHA-256 of the token without its signature, or of the state of the login.';

-- Name: tier_changes; Type: TABLE

CREATE TABLE public.tier_changes (
    change_id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
    tier smallint NOT NULL,
    before jsonb,
    after jsonb NOT NULL,
    changed_by text NOT NULL,
    reason text,
    changed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
COMMENT ON TABLE public.tier_changes IS 'Each change of a tier, written by a trigger.';
COMMENT ON COLUMN public.tier_changes.tier IS 'Number of the tier.';
COMMENT ON COLUMN public.tier_changes.before IS 'The row of tiers before the change; NULL for a new tier.';
COMMENT ON COLUMN public.tier_changes.after IS 'The row of tiers after the change.';

-- Name: tiers; Type: TABLE

CREATE TABLE public.tiers (
    tier smallint NOT NULL,
    name text NOT NULL,
    payment_limit bigint,
    day_limit bigint,
    month_limit bigint,
    day_payments integer,
    currency text NOT NULL,
    CONSTRAINT tiers_day_limit_check CHECK ((day_limit >= 0)),
    CONSTRAINT tiers_day_payments_check CHECK ((day_payments >= 0)),
    CONSTRAINT tiers_month_limit_check CHECK ((month_limit >= 0)),
    CONSTRAINT tiers_payment_limit_check CHECK ((payment_limit >= 0))
);
COMMENT ON TABLE public.tiers IS 'Spending limits; amounts are in millionths (1 USDC is 1,000,000). NULL is no limit; payment_limit 0 means that people of the tier cannot pay.';
COMMENT ON COLUMN public.tiers.tier IS 'Number of the tier.';
COMMENT ON COLUMN public.tiers.payment_limit IS 'Per payment, in millionths.';
COMMENT ON COLUMN public.tiers.day_limit IS 'In 24 hours.';
COMMENT ON COLUMN public.tiers.month_limit IS 'In 30 days.';
COMMENT ON COLUMN public.tiers.day_payments IS 'Number of payments in 24 hours.';
COMMENT ON COLUMN public.tiers.currency IS 'Currency of the limits.';

-- Name: transfer_decisions; Type: TABLE

CREATE TABLE public.transfer_decisions (
    decision_id uuid NOT NULL,
    move_id uuid NOT NULL,
    verdict text NOT NULL,
    provider_id text,
    reason text NOT NULL,
    proposed_by text NOT NULL,
    proposed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    approved_by text,
    decided_at timestamp with time zone,
    CONSTRAINT transfer_decisions_approved CHECK (((approved_by IS NULL) = (decided_at IS NULL))),
    CONSTRAINT transfer_decisions_approved_by_check CHECK (((length(approved_by) >= 1) AND (length(approved_by) <= 100))),
    CONSTRAINT transfer_decisions_names_it CHECK (((verdict = 'adopt'::text) = (provider_id IS NOT NULL))),
    CONSTRAINT transfer_decisions_proposed_by_check CHECK (((length(proposed_by) >= 1) AND (length(proposed_by) <= 100))),
    CONSTRAINT transfer_decisions_provider_id_check CHECK (((length(provider_id) >= 1) AND (length(provider_id) <= 100))),
    CONSTRAINT transfer_decisions_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500))),
    CONSTRAINT transfer_decisions_two_people CHECK ((approved_by <> proposed_by)),
    CONSTRAINT transfer_decisions_verdict_check CHECK ((verdict = ANY (ARRAY['adopt'::text, 'never_made'::text])))
);
COMMENT ON TABLE public.transfer_decisions IS 'Decisions of two operators about a held provider transfer.';
COMMENT ON COLUMN public.transfer_decisions.verdict IS 'adopt: the provider has it under provider_id. never_made: it does not exist.';

-- Name: transfers; Type: TABLE

CREATE TABLE public.transfers (
    transfer_id uuid NOT NULL,
    seq bigint NOT NULL,
    debit_account bigint NOT NULL,
    credit_account bigint NOT NULL,
    amount bigint NOT NULL,
    debit_entry bigint NOT NULL,
    credit_entry bigint,
    debit_available bigint NOT NULL,
    credit_available bigint,
    debit_held bigint,
    created_at timestamp with time zone NOT NULL,
    asset_id smallint NOT NULL,
    kind text NOT NULL,
    hold_id uuid,
    from_name text,
    to_name text,
    typed_name text,
    debit_prev bigint,
    credit_prev bigint,
    CONSTRAINT transfers_amount_check CHECK ((amount > 0)),
    CONSTRAINT transfers_check CHECK ((debit_account <> credit_account)),
    CONSTRAINT transfers_check1 CHECK (((kind = ANY (ARRAY['post'::text, 'release'::text])) = (hold_id IS NOT NULL))),
    CONSTRAINT transfers_check2 CHECK (((kind = ANY (ARRAY['hold'::text, 'release'::text])) = (credit_entry IS NULL))),
    CONSTRAINT transfers_check3 CHECK (((credit_entry IS NULL) = (credit_available IS NULL))),
    CONSTRAINT transfers_check4 CHECK (((kind = ANY (ARRAY['hold'::text, 'post'::text, 'release'::text])) = (debit_held IS NOT NULL))),
    CONSTRAINT transfers_kind_check CHECK ((kind = ANY (ARRAY['user'::text, 'deposit'::text, 'internal'::text, 'hold'::text, 'post'::text, 'release'::text])))
);
COMMENT ON TABLE public.transfers IS 'The ledger: each row moves one amount between two accounts. The row of a payment between people is the payment, its idempotency record and its event. Append-only.';
COMMENT ON COLUMN public.transfers.transfer_id IS 'For a payment with an idempotency key, derived from the key.';
COMMENT ON COLUMN public.transfers.seq IS 'Position in the feed: transaction id × 65,536 + place in the transaction + ledger_state.seq_base. Rows below ledger_settled_seq() are complete.';
COMMENT ON COLUMN public.transfers.debit_account IS 'The account that the amount leaves.';
COMMENT ON COLUMN public.transfers.credit_account IS 'The account that gets the amount.';
COMMENT ON COLUMN public.transfers.debit_entry IS 'Number of the row in the history of the debit account.';
COMMENT ON COLUMN public.transfers.credit_entry IS 'Number of the row in the history of the credit account; NULL if the row does not change it.';
COMMENT ON COLUMN public.transfers.debit_available IS 'Available balance of the debit account after the row.';
COMMENT ON COLUMN public.transfers.credit_available IS 'Available balance of the credit account after the row.';
COMMENT ON COLUMN public.transfers.debit_held IS 'Held amount after the row, if the row changed it.';
COMMENT ON COLUMN public.transfers.kind IS 'user, deposit, internal, hold, post (a hold was paid) or release (a hold returned).';
COMMENT ON COLUMN public.transfers.hold_id IS 'The hold that a post or release ends.';
COMMENT ON COLUMN public.transfers.from_name IS 'Sender''s username at the time; for a deposit the sending address.';
COMMENT ON COLUMN public.transfers.to_name IS 'Receiver''s username at the time.';
COMMENT ON COLUMN public.transfers.typed_name IS 'The receiver''s former name, if the sender used it.';
COMMENT ON COLUMN public.transfers.debit_prev IS 'seq of the previous row of the debit account; NULL if an index finds it.';
COMMENT ON COLUMN public.transfers.credit_prev IS 'seq of the previous row of the credit account; NULL if an index finds it.';

-- Name: unexplained_moves; Type: TABLE

CREATE TABLE public.unexplained_moves (
    asset_id smallint NOT NULL,
    tx_hash text NOT NULL,
    log_index integer NOT NULL,
    wallet_id uuid NOT NULL,
    to_address text NOT NULL,
    amount bigint NOT NULL,
    block_number bigint NOT NULL,
    imported_as uuid,
    block_hash text,
    to_wallet uuid,
    ordinal integer,
    deposit_id uuid,
    first_imported_as uuid,
    given_back uuid,
    CONSTRAINT unexplained_moves_given_back CHECK ((num_nulls(first_imported_as, given_back) = ANY (ARRAY[0, 2]))),
    CONSTRAINT unexplained_moves_to_ours CHECK ((num_nulls(to_wallet, ordinal, deposit_id) = ANY (ARRAY[0, 3])))
);
COMMENT ON TABLE public.unexplained_moves IS 'Transfers out of our wallets without a move: after a restore, or with a stolen key. Sends pause until an operator imports them.';
COMMENT ON COLUMN public.unexplained_moves.log_index IS 'Negative: imported, and removed by a reorg.';
COMMENT ON COLUMN public.unexplained_moves.imported_as IS 'The payment or settlement that explains it.';
COMMENT ON COLUMN public.unexplained_moves.to_wallet IS 'Our wallet that received the coins; NULL for a foreign address.';
COMMENT ON COLUMN public.unexplained_moves.ordinal IS 'As deposits.ordinal, for the receiving wallet.';
COMMENT ON COLUMN public.unexplained_moves.deposit_id IS 'Id of the deposit at the receiving wallet, which the import credits.';
COMMENT ON COLUMN public.unexplained_moves.first_imported_as IS 'The first import, replaced when the provider named the real payment.';
COMMENT ON COLUMN public.unexplained_moves.given_back IS 'The movement that returned what the first import took.';

-- Name: username_changes; Type: TABLE

CREATE TABLE public.username_changes (
    user_id uuid NOT NULL,
    username text NOT NULL,
    previous text,
    changed_at timestamp with time zone NOT NULL
);
COMMENT ON TABLE public.username_changes IS 'Each change of a username. The cooldown starts at the last one.';
COMMENT ON COLUMN public.username_changes.username IS 'The new name.';
COMMENT ON COLUMN public.username_changes.previous IS 'The name before; NULL for the first.';

-- Name: username_skeletons; Type: TABLE

CREATE TABLE public.username_skeletons (
    skeleton text NOT NULL,
    user_id uuid
);
COMMENT ON TABLE public.username_skeletons IS 'Look-alike forms of usernames. A skeleton belongs to one person, so no two people have names that look alike. Rows without a person are reserved words.';
COMMENT ON COLUMN public.username_skeletons.skeleton IS 'Computed by username_skeleton.';

-- Name: username_skeleton; Type: FUNCTION

CREATE FUNCTION public.username_skeleton(name text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN replace(translate(replace(name, '_'::text, ''::text), '01'::text, 'ol'::text), 'rn'::text, 'm'::text);

-- Name: usernames; Type: TABLE

CREATE TABLE public.usernames (
    username text NOT NULL,
    skeleton text GENERATED ALWAYS AS (public.username_skeleton(username)) STORED NOT NULL,
    user_id uuid NOT NULL,
    claimed_at timestamp with time zone NOT NULL,
    redirect_until timestamp with time zone,
    CONSTRAINT usernames_username_check CHECK ((username ~ '^[a-z0-9_]{3,30}$'::text))
);
COMMENT ON TABLE public.usernames IS 'Current and former usernames.';
COMMENT ON COLUMN public.usernames.username IS 'Lower case.';
COMMENT ON COLUMN public.usernames.skeleton IS 'The look-alike form (username_skeleton).';
COMMENT ON COLUMN public.usernames.redirect_until IS 'NULL for the current name. Until this time a former name still leads to its owner, and no one else can take it.';

-- Name: users; Type: TABLE

CREATE TABLE public.users (
    user_id uuid NOT NULL,
    issuer text NOT NULL,
    subject text NOT NULL,
    email text,
    email_verified boolean DEFAULT false NOT NULL,
    kyc_status text DEFAULT 'none'::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    closed_at timestamp with time zone,
    discoverable boolean DEFAULT false NOT NULL,
    passkey_above bigint,
    CONSTRAINT users_kyc_status_check CHECK ((kyc_status = ANY (ARRAY['none'::text, 'started'::text, 'pending'::text, 'needs_input'::text, 'approved'::text, 'rejected'::text, 'revoked'::text]))),
    CONSTRAINT users_passkey_above CHECK ((passkey_above >= 0))
);
COMMENT ON TABLE public.users IS 'People. The identity of a person is (issuer, subject), never the e-mail address, which can change.';
COMMENT ON COLUMN public.users.issuer IS 'Our name of the OpenID issuer. It stays when the issuer''s URL changes.';
COMMENT ON COLUMN public.users.subject IS 'Id of the person at the issuer.';
COMMENT ON COLUMN public.users.email IS 'Lower case. Several people may have the same address at different issuers.';
COMMENT ON COLUMN public.users.email_verified IS 'The issuer has verified the address.';
COMMENT ON COLUMN public.users.kyc_status IS 'Result of the identity check; decides the tier through kyc_tiers. The facts behind it are in kyc_checks.';
COMMENT ON COLUMN public.users.closed_at IS 'Set when the person closed the account. A closed account has no sessions and no username; its books stay.';
COMMENT ON COLUMN public.users.discoverable IS 'The person lets strangers find their name. A closed account is not found.';
COMMENT ON COLUMN public.users.passkey_above IS 'Payments of more than this need a passkey, in every currency; NULL: none does. Copied to the accounts.';

-- Name: wallet_providers; Type: TABLE

CREATE TABLE public.wallet_providers (
    provider text NOT NULL,
    rail text NOT NULL,
    CONSTRAINT wallet_providers_provider_check CHECK ((provider ~ '^[a-z][a-z0-9_]{0,39}$'::text)),
    CONSTRAINT wallet_providers_rail_check CHECK ((rail = ANY (ARRAY['eip3009'::text, 'provider'::text])))
);
COMMENT ON TABLE public.wallet_providers IS 'Providers of wallets. The signer registers those of its build; a row never changes.';
COMMENT ON COLUMN public.wallet_providers.provider IS 'As wallets.provider names it, for example circle_send.';
COMMENT ON COLUMN public.wallet_providers.rail IS 'eip3009: wallets sign and relayers broadcast. provider: the provider sends by itself.';

-- Name: wallet_rescans; Type: TABLE

CREATE TABLE public.wallet_rescans (
    asset_id smallint NOT NULL,
    wallet_id uuid NOT NULL,
    next_block bigint,
    to_block bigint,
    unclear numeric DEFAULT 0 NOT NULL,
    asked_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    fault text,
    retry_at timestamp with time zone,
    CONSTRAINT wallet_rescans_check CHECK (((next_block IS NULL) = (to_block IS NULL))),
    CONSTRAINT wallet_rescans_next_block_check CHECK ((next_block >= 0)),
    CONSTRAINT wallet_rescans_unclear_check CHECK ((unclear >= (0)::numeric))
);
COMMENT ON TABLE public.wallet_rescans IS 'Wallets whose past logs have to be read.';
COMMENT ON COLUMN public.wallet_rescans.next_block IS 'NULL: first the balance is compared.';
COMMENT ON COLUMN public.wallet_rescans.to_block IS 'The last block to read.';
COMMENT ON COLUMN public.wallet_rescans.unclear IS 'Coins from our own wallets that belong to no deposit.';
COMMENT ON COLUMN public.wallet_rescans.fault IS 'Why the last attempt failed.';

-- Name: wallet_seeds; Type: TABLE

CREATE TABLE public.wallet_seeds (
    only_one boolean DEFAULT true NOT NULL,
    fingerprint text NOT NULL,
    wallet_provider text DEFAULT 'local'::text NOT NULL,
    network_wallets jsonb DEFAULT '{}'::jsonb NOT NULL,
    accounts jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT wallet_seeds_account_check CHECK (((wallet_provider = 'local'::text) OR (accounts ? wallet_provider))),
    CONSTRAINT wallet_seeds_accounts_check CHECK ((jsonb_typeof(accounts) = 'object'::text)),
    CONSTRAINT wallet_seeds_network_wallets_check CHECK ((jsonb_typeof(network_wallets) = 'object'::text)),
    CONSTRAINT wallet_seeds_only_one_check CHECK (only_one)
);
COMMENT ON TABLE public.wallet_seeds IS 'The key material and wallet provider of this database. A process with another seed refuses to start.';
COMMENT ON COLUMN public.wallet_seeds.fingerprint IS 'Identifies the seed without revealing it.';
COMMENT ON COLUMN public.wallet_seeds.wallet_provider IS 'Provider of the wallets of people and of the treasury: local (own seed), circle (Circle signs) or circle_send (Circle sends).';
COMMENT ON COLUMN public.wallet_seeds.network_wallets IS 'Networks whose wallets are at another provider, for example {"BASE": "circle_send"}.';
COMMENT ON COLUMN public.wallet_seeds.accounts IS 'By provider, the account there that contains all our wallets, for example the wallet set at Circle.';

-- Name: wallets; Type: TABLE

CREATE TABLE public.wallets (
    wallet_id uuid NOT NULL,
    kind text NOT NULL,
    user_id uuid,
    provider text NOT NULL,
    family text DEFAULT 'evm'::text NOT NULL,
    reference text NOT NULL,
    address text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    replaced_at timestamp with time zone,
    CONSTRAINT wallets_address_of_family CHECK (((family <> 'evm'::text) OR (address ~ '^0x[0-9a-fA-F]{40}$'::text))),
    CONSTRAINT wallets_check CHECK (((kind = 'user'::text) = (user_id IS NOT NULL))),
    CONSTRAINT wallets_family_check CHECK ((family = ANY (ARRAY['evm'::text, 'solana'::text, 'aptos'::text]))),
    CONSTRAINT wallets_kind_check CHECK ((kind = ANY (ARRAY['user'::text, 'treasury'::text]))),
    CONSTRAINT wallets_provider_check CHECK ((provider ~ '^[a-z][a-z0-9_]*$'::text))
);
COMMENT ON TABLE public.wallets IS 'Wallets of people and of the treasury. One is current per owner, provider and address family; replaced wallets stay, because coins can still arrive there.';
COMMENT ON COLUMN public.wallets.kind IS 'user or treasury.';
COMMENT ON COLUMN public.wallets.provider IS 'Holder of the key; local means our own seed.';
COMMENT ON COLUMN public.wallets.family IS 'Form of the address. A wallet has the same address on all networks of a family.';
COMMENT ON COLUMN public.wallets.reference IS 'Identifies the key at the provider. For local wallets, the derivation path.';
COMMENT ON COLUMN public.wallets.replaced_at IS 'When a newer wallet took its place; NULL for the current wallet.';

-- Name: webhook_deliveries; Type: TABLE

CREATE TABLE public.webhook_deliveries (
    endpoint_id uuid NOT NULL,
    event_id text COLLATE pg_catalog."C" NOT NULL,
    place bigint NOT NULL,
    type text NOT NULL,
    happened_at timestamp with time zone NOT NULL,
    data jsonb NOT NULL,
    is_test boolean DEFAULT false NOT NULL,
    state text DEFAULT 'waiting'::text NOT NULL,
    due_at timestamp with time zone DEFAULT now(),
    attempts integer DEFAULT 0 NOT NULL,
    attempted_at timestamp with time zone,
    took_ms integer,
    status integer,
    answer text,
    fault text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    earlier_attempts jsonb DEFAULT '[]'::jsonb NOT NULL,
    CONSTRAINT webhook_deliveries_answer_check CHECK ((length(answer) <= 2048)),
    CONSTRAINT webhook_deliveries_attempts_check CHECK ((attempts >= 0)),
    CONSTRAINT webhook_deliveries_due CHECK (((state = 'waiting'::text) = (due_at IS NOT NULL))),
    CONSTRAINT webhook_deliveries_earlier_attempts_check CHECK ((jsonb_typeof(earlier_attempts) = 'array'::text)),
    CONSTRAINT webhook_deliveries_fault_check CHECK ((length(fault) <= 500)),
    CONSTRAINT webhook_deliveries_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'delivered'::text, 'failed'::text])))
);
COMMENT ON TABLE public.webhook_deliveries IS 'One event for one endpoint.';
COMMENT ON COLUMN public.webhook_deliveries.place IS 'Position in the feed.';
COMMENT ON COLUMN public.webhook_deliveries.type IS 'Type of the event.';
COMMENT ON COLUMN public.webhook_deliveries.data IS 'Ids of the event''s subject and people, as sent in the body.';
COMMENT ON COLUMN public.webhook_deliveries.is_test IS 'A test event, which does not wait for its turn.';
COMMENT ON COLUMN public.webhook_deliveries.state IS 'waiting, delivered or failed.';
COMMENT ON COLUMN public.webhook_deliveries.due_at IS 'Next attempt; NULL when it ended.';
COMMENT ON COLUMN public.webhook_deliveries.attempts IS 'Number of attempts.';
COMMENT ON COLUMN public.webhook_deliveries.took_ms IS 'Duration of the last attempt, in milliseconds.';
COMMENT ON COLUMN public.webhook_deliveries.status IS 'HTTP status of the last answer.';
COMMENT ON COLUMN public.webhook_deliveries.answer IS 'Start of the last answer.';
COMMENT ON COLUMN public.webhook_deliveries.fault IS 'Why the last attempt got no answer.';
COMMENT ON COLUMN public.webhook_deliveries.earlier_attempts IS 'The attempts before the last one, newest first: at most 30, with the start of each answer.';

-- Name: webhook_endpoints; Type: TABLE

CREATE TABLE public.webhook_endpoints (
    endpoint_id uuid NOT NULL,
    url text NOT NULL,
    description text NOT NULL,
    types text[] NOT NULL,
    in_order boolean NOT NULL,
    state text DEFAULT 'on'::text NOT NULL,
    failure text,
    failing_since timestamp with time zone,
    place bigint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    removed_at timestamp with time zone,
    key_id uuid,
    CONSTRAINT webhook_endpoints_description_check CHECK ((length(description) <= 200)),
    CONSTRAINT webhook_endpoints_failure CHECK (((state = 'failed'::text) = (failure IS NOT NULL))),
    CONSTRAINT webhook_endpoints_failure_check CHECK (((length(failure) >= 1) AND (length(failure) <= 500))),
    CONSTRAINT webhook_endpoints_removed_is_off CHECK (((removed_at IS NULL) OR (state = 'off'::text))),
    CONSTRAINT webhook_endpoints_state_check CHECK ((state = ANY (ARRAY['on'::text, 'off'::text, 'failed'::text]))),
    CONSTRAINT webhook_endpoints_types_check CHECK (((cardinality(types) >= 1) AND (cardinality(types) <= 50))),
    CONSTRAINT webhook_endpoints_url_check CHECK (((length(url) >= 1) AND (length(url) <= 2000)))
)
WITH (fillfactor=50);
COMMENT ON TABLE public.webhook_endpoints IS 'Receivers of webhooks.';
COMMENT ON COLUMN public.webhook_endpoints.url IS 'Where events are posted.';
COMMENT ON COLUMN public.webhook_endpoints.description IS 'The operator''s text.';
COMMENT ON COLUMN public.webhook_endpoints.types IS 'Event types: *, a group such as payment.*, or single types.';
COMMENT ON COLUMN public.webhook_endpoints.in_order IS 'One event at a time.';
COMMENT ON COLUMN public.webhook_endpoints.state IS 'failed: switched off, because nothing worked for days or the receiver is gone.';
COMMENT ON COLUMN public.webhook_endpoints.failure IS 'Why it was switched off.';
COMMENT ON COLUMN public.webhook_endpoints.failing_since IS 'Since when no delivery has succeeded.';
COMMENT ON COLUMN public.webhook_endpoints.place IS 'Position in the feed up to which deliveries exist.';
COMMENT ON COLUMN public.webhook_endpoints.removed_at IS 'The row stays for its deliveries.';
COMMENT ON COLUMN public.webhook_endpoints.key_id IS 'The key that manages it; NULL if only operators do. With an account key: only events of its owner, while it works.';

-- Name: webhook_secrets; Type: TABLE

CREATE TABLE public.webhook_secrets (
    endpoint_id uuid NOT NULL,
    number integer NOT NULL,
    secret bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    ends_at timestamp with time zone,
    CONSTRAINT webhook_secrets_number_check CHECK ((number > 0)),
    CONSTRAINT webhook_secrets_secret_check CHECK (((octet_length(secret) >= 24) AND (octet_length(secret) <= 64)))
);
COMMENT ON TABLE public.webhook_secrets IS 'Signing secrets. Only the worker can read them.';
COMMENT ON COLUMN public.webhook_secrets.number IS 'Counts the secrets of the endpoint.';
COMMENT ON COLUMN public.webhook_secrets.secret IS 'Key of the HMAC.';
COMMENT ON COLUMN public.webhook_secrets.ends_at IS 'When a replaced secret stops being used; NULL for the current one.';

-- Name: closed_accounts_with_money; Type: VIEW

CREATE VIEW public.closed_accounts_with_money AS
 SELECT u.user_id,
    u.closed_at,
    n.blockchain,
    a.available,
    a.held
   FROM (((public.users u
     JOIN public.accounts a USING (user_id))
     JOIN public.assets s USING (asset_id))
     JOIN public.networks n USING (network_id))
  WHERE ((u.closed_at IS NOT NULL) AND ((a.available > 0) OR (a.held > 0)));
COMMENT ON VIEW public.closed_accounts_with_money IS 'Money that arrived on closed accounts and waits for an operator.';
COMMENT ON COLUMN public.closed_accounts_with_money.available IS 'In millionths.';
COMMENT ON COLUMN public.closed_accounts_with_money.held IS 'In millionths.';

-- Name: feed; Type: VIEW

CREATE VIEW public.feed AS
 SELECT seq,
    source,
    type,
    subject_id,
    at,
    people
   FROM ( SELECT t.seq,
            'transfers'::text AS source,
                CASE t.kind
                    WHEN 'deposit'::text THEN 'deposit.complete'::text
                    WHEN 'internal'::text THEN
                    CASE
                        WHEN (t.from_name IS NULL) THEN 'correction.complete'::text
                        ELSE 'debt.complete'::text
                    END
                    ELSE COALESCE(( SELECT 'refund.complete'::text
                       FROM public.refunds r
                      WHERE (r.refund_id = t.transfer_id)), 'payment.complete'::text)
                END AS type,
            t.transfer_id AS subject_id,
            t.created_at AS at,
            ( SELECT array_remove(ARRAY[d.user_id, c.user_id], NULL::uuid) AS array_remove
                   FROM public.accounts d,
                    public.accounts c
                  WHERE ((d.account_id = t.debit_account) AND (c.account_id = t.credit_account))) AS people,
            ((t.kind = ANY (ARRAY['user'::text, 'deposit'::text])) OR ((t.kind = 'internal'::text) AND (EXISTS ( SELECT
                   FROM public.accounts a
                  WHERE ((a.account_id = ANY (ARRAY[t.debit_account, t.credit_account])) AND (a.user_id IS NOT NULL)))))) AS is_event
           FROM public.transfers t
        UNION ALL
         SELECT p.seq,
            'payment_events'::text,
            ('payment.'::text || lower(p.state)),
            p.payment_id,
            p.at,
            ( SELECT array_remove(ARRAY[a.user_id], NULL::uuid) AS array_remove
                   FROM (public.transfers t
                     JOIN public.accounts a ON ((a.account_id = t.debit_account)))
                  WHERE ((t.transfer_id = p.payment_id) AND (t.kind = 'hold'::text))) AS array_remove,
            true
           FROM public.payment_events p
        UNION ALL
         SELECT m.seq,
            'money_request_events'::text,
            ('request.'::text || m.state),
            m.request_id,
            m.at,
            ( SELECT array_remove(ARRAY[r.asker_id, r.payer_id], NULL::uuid) AS array_remove
                   FROM public.money_requests r
                  WHERE (r.request_id = m.request_id)) AS array_remove,
            true
           FROM public.money_request_events m
        UNION ALL
         SELECT k.seq,
            'kyc_events'::text,
            ('kyc.'::text || k.status),
            k.user_id,
            k.at,
            ARRAY[k.user_id] AS "array",
            true
           FROM public.kyc_events k
        UNION ALL
         SELECT o.seq,
            'payout_events'::text,
            ('payout.'::text || o.state),
            o.payout_id,
            o.at,
            ( SELECT array_remove(ARRAY[s.user_id], NULL::uuid) AS array_remove
                   FROM (public.payouts p
                     JOIN public.service_keys s USING (key_id))
                  WHERE (p.payout_id = o.payout_id)) AS array_remove,
            true
           FROM public.payout_events o
        UNION ALL
         SELECT e.seq,
            'key_events'::text,
                CASE
                    WHEN (e.key_id IS NULL) THEN e.state
                    ELSE ('key.'::text || e.state)
                END AS "case",
            COALESCE(e.key_id, e.user_id) AS "coalesce",
            e.at,
            ARRAY[e.user_id] AS "array",
            true
           FROM public.key_events e) f
  WHERE is_event;
COMMENT ON VIEW public.feed IS 'All events in order. Read only below ledger_settled_seq().';
COMMENT ON COLUMN public.feed.source IS 'The table that contains the event.';
COMMENT ON COLUMN public.feed.type IS 'Type of the event, for example payment.complete.';
COMMENT ON COLUMN public.feed.people IS 'The people the event is about.';

-- Name: owner_wallets; Type: VIEW

CREATE VIEW public.owner_wallets AS
 SELECT s.asset_id,
    w.kind,
    w.user_id,
    w.wallet_id,
    w.address
   FROM ((public.assets s
     JOIN public.networks n USING (network_id))
     JOIN public.wallets w ON (((w.provider = n.wallet_provider) AND (w.family = n.family) AND (w.replaced_at IS NULL))));
COMMENT ON VIEW public.owner_wallets IS 'The wallet that holds an owner''s coins of an asset. The treasury has no user_id.';
COMMENT ON COLUMN public.owner_wallets.kind IS 'user or treasury.';

-- Name: accept_send; Type: FUNCTION

CREATE FUNCTION public.accept_send(p_id uuid, p_asset smallint, p_wallet uuid, p_shown text, p_destination text, p_amount bigint, p_job text, p_threshold bigint DEFAULT NULL::bigint, p_delay integer DEFAULT 0, OUT outcome text, OUT details jsonb)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  owner    uuid;
  debit    bigint;
  credit   bigint;
  why      text;
  is_known boolean;
  needed   smallint;
  delay    integer;
  start_at timestamptz;
BEGIN
  PERFORM require_arguments('accept_send',
    num_nulls(p_id, p_asset, p_wallet, p_shown, p_destination, p_job) = 0 AND is_amount(p_amount));
  -- The stricter of the caller's rules and the stored rules applies.
  SELECT CASE WHEN p_amount >= least(p_threshold, s.approval_threshold) THEN 2 ELSE 0 END,
         greatest(p_delay, s.new_recipient_delay) INTO needed, delay FROM send_rules s;
  why := find_pause('all', 'chain', (SELECT 'chain:' || n.blockchain FROM assets s JOIN networks n USING (network_id)
    WHERE s.asset_id = p_asset));
  IF why IS NOT NULL THEN
    outcome := 'paused'; details := jsonb_build_object('reason', why);
    RETURN;
  END IF;
  SELECT bool_or(address = lower(p_destination)) INTO is_known FROM recipients
   WHERE wallet_id = p_wallet AND look = address_look(p_destination);
  IF NOT is_known THEN outcome := 'lookalike'; RETURN; END IF;
  SELECT user_id INTO owner FROM wallets WHERE wallet_id = p_wallet;
  IF owner IS NULL THEN
    SELECT account_id INTO debit FROM accounts WHERE kind = 'treasury' AND asset_id = p_asset AND user_id IS NULL;
  ELSE
    SELECT account_id INTO debit FROM accounts WHERE user_id = owner AND asset_id = p_asset;
  END IF;
  SELECT account_id INTO credit FROM accounts WHERE kind = 'chain' AND asset_id = p_asset AND user_id IS NULL;
  IF debit IS NULL OR credit IS NULL THEN
    -- Nothing was ever deposited.
    outcome := 'insufficient'; details := '{"available": "0"}';
    RETURN;
  END IF;
  SELECT CASE WHEN refusal_code(m.o_outcomes[1]) = 'limit.exceeded' THEN 'limit' ELSE m.o_outcomes[1] END, m.o_details[1]
    INTO outcome, details FROM ledger_hold_many(ARRAY[(p_id, debit, credit, p_amount, NULL, NULL)::new_hold]) m;
  IF outcome <> 'applied' THEN RETURN; END IF;
  -- From here on it must succeed: without a key this statement is its own database transaction, and the hold stays.
  IF is_known IS NULL AND delay > 0 THEN
    start_at := date_trunc('milliseconds', clock_timestamp()) + delay * interval '1 second';
  END IF;
  INSERT INTO payments (payment_id, state, destination, wallet_id, sender_shown, approvals_needed, not_before)
  VALUES (p_id, 'INITIATED', p_destination, p_wallet, p_shown, needed, start_at);
  IF needed = 0 THEN PERFORM schedule_job(p_job, p_id::text, start_at); END IF;
END $function$;

-- Name: accept_sends; Type: FUNCTION

CREATE FUNCTION public.accept_sends(p_rules jsonb, p_sends jsonb)
 RETURNS TABLE(nth integer, outcome text, details jsonb, wallet_id uuid, username text, accepted_at timestamp with time zone, approvals_needed smallint, not_before timestamp with time zone)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
DECLARE
  threshold    bigint := p_rules->>'threshold';
  delay        integer := p_rules->>'delay';
  list_from    timestamptz := clock_timestamp() - (p_rules->>'list_age')::integer * interval '1 second';
  ids          uuid[];
  callers      uuid[];
  certificates bytea[];
  clients      inet[];
  asked        boolean[];
  hashes       bytea[];
  traces       bytea[];
  blockchains  text[];
  -- Blockchain and currency.
  tokens       text[];
  destinations text[];
  amounts      bigint[];
  wallets      uuid[];
  usernames    text[];
  people       uuid[];
  logins       uuid[];
  shown        text[];
  notes        text[];
  -- Per token of the batch. `token_lists`: our list of blacklisted addresses is recent enough.
  batch_tokens text[];
  token_assets smallint[];
  token_sides  bigint[];
  token_pauses text[];
  token_lists  boolean[];
  -- The rules stored in `send_rules`, already compared with `p_rules`: threshold, delay, 1 if callers without a key may
  -- spend the treasury.
  stricter     bigint[];
  -- Ids that are in use, and whether the nonce of any lost payment is known.
  taken        uuid[];
  is_restored  boolean;
  bad_keys     jsonb;
  -- Per payment; NULL while it is undecided.
  outcomes     text[];
  -- Per payment: a stored answer, or the code and details of a refusal.
  said         jsonb[];
  assets       smallint[];
  debits       bigint[];
  credits      bigint[];
  is_known     boolean[];
  -- Per payment: the person who pays; NULL: the treasury.
  payers       uuid[];
  -- Per payment: its key while it is undecided.
  spending     uuid[];
  budgets      record;
  refusals     jsonb[];
  f            record;
  held         record;
BEGIN
  SELECT array_agg(s.id), array_agg(s.caller), array_agg(decode(s.certificate, 'hex')), array_agg(s.client), array_agg(s.asked),
         array_agg(decode(s.hash, 'hex')), array_agg(decode(s.trace, 'hex')), array_agg(s.blockchain),
         array_agg(s.blockchain || ' ' || s.currency), array_agg(s.destination), array_agg(s.amount), array_agg(s.wallet),
         array_agg(s.username), array_agg(s.person), array_agg(s.session), array_agg(s.shown),
         array_agg(s.note)
    INTO ids, callers, certificates, clients, asked, hashes, traces, blockchains, tokens, destinations, amounts, wallets,
         usernames, people, logins, shown, notes
    FROM (SELECT * FROM jsonb_populate_recordset(NULL::new_send, p_sends) WITH ORDINALITY AS u ORDER BY u.ordinality) s;
  PERFORM require_arguments('accept_sends', jsonb_typeof(p_rules) = 'object' AND cardinality(ids) BETWEEN 1 AND 8000
    AND array_position(ids, NULL) IS NULL AND array_position(tokens, NULL) IS NULL
    AND array_position(destinations, NULL) IS NULL AND shown <@ ARRAY['username', 'wallet'] AND is_amount(VARIADIC amounts));
  outcomes := array_fill(NULL::text, ARRAY[cardinality(ids)]);
  said := array_fill(NULL::jsonb, ARRAY[cardinality(ids)]);

  bad_keys := find_key_refusals(callers, certificates, clients);
  IF bad_keys IS NOT NULL THEN
    FOR i IN 1..cardinality(ids) LOOP
      CONTINUE WHEN NOT bad_keys ? i::text;
      outcomes[i] := 'refused';
      said[i] := bad_keys->i::text;
    END LOOP;
  END IF;

  IF array_remove(logins, NULL) <> '{}' THEN
    FOR f IN
      SELECT u.n AS nth FROM unnest(logins, outcomes) WITH ORDINALITY AS u(session_id, outcome, n) JOIN sessions s USING (session_id)
       WHERE u.outcome IS NULL AND (s.ended_at IS NOT NULL OR s.created_at < credentials_from('sessions'))
    LOOP
      outcomes[f.nth] := 'refused';
      said[f.nth] := '{"code": "auth.invalid", "details": {"reason": "revoked"}}';
    END LOOP;
  END IF;

  FOR f IN
    SELECT array_position(ids, r.record_id) AS nth, r.outcome, r.answer
      FROM (SELECT array_agg(k.id) AS ids, array_agg(k.hash) AS hashes,
                   array_agg(json_build_object('answer', k.id)) AS answers
              FROM unnest(ids, hashes, outcomes) AS k(id, hash, outcome) WHERE k.hash IS NOT NULL AND k.outcome IS NULL) k,
           claim_records(k.ids, k.hashes, k.answers) r
  LOOP
    outcomes[f.nth] := f.outcome;
    said[f.nth] := f.answer;
  END LOOP;

  -- One large statement, because starting a statement takes longer than reading a row.
  SELECT array_agg(b.token), array_agg(a.asset_id), array_agg(c.account_id),
         array_agg(find_pause('all', 'chain', 'chain:' || b.blockchain)),
         array_agg(r.read_at IS NOT NULL AND r.read_at > list_from AND NOT r.is_paused),
         ARRAY(SELECT t.transfer_id FROM transfers t WHERE t.transfer_id = ANY (ids) AND t.kind = 'hold'),
         EXISTS (SELECT FROM forgotten_nonces),
         (SELECT ARRAY[least(threshold, s.approval_threshold), greatest(delay, s.new_recipient_delay),
                       s.has_open_treasury::integer] FROM send_rules s)
    INTO batch_tokens, token_assets, token_sides, token_pauses, token_lists, taken, is_restored, stricter
    FROM (SELECT DISTINCT u.token, u.blockchain, split_part(u.token, ' ', 2) AS currency
            FROM unnest(tokens, blockchains, outcomes) AS u(token, blockchain, outcome) WHERE u.outcome IS NULL) b
   CROSS JOIN LATERAL (SELECT coalesce((SELECT x.asset_id FROM assets x JOIN networks USING (network_id)
                         WHERE blockchain = b.blockchain AND symbol = b.currency),
                       ledger_open_token(b.blockchain, b.currency)) AS asset_id) a
    LEFT JOIN accounts c ON c.kind = 'chain' AND c.asset_id = a.asset_id AND c.user_id IS NULL
    LEFT JOIN blacklist_reads r ON r.asset_id = a.asset_id;
  IF is_restored THEN
    FOR i IN 1..cardinality(ids) LOOP
      IF outcomes[i] IS NULL AND hashes[i] IS NOT NULL AND traces[i] IS NULL THEN outcomes[i] := 'untraced'; END IF;
    END LOOP;
    FOR f IN
      SELECT array_position(traces, n.nonce) AS nth
        FROM forgotten_nonces n JOIN unexplained_moves u USING (asset_id, tx_hash, log_index)
       WHERE n.asset_id IN (SELECT asset_id FROM assets) AND n.nonce = ANY (traces)
         -- If the service bears the loss, no payment accounts for the coins. This one will (`claim_unexplained`).
         AND NOT EXISTS (SELECT FROM transfers_by_id(ARRAY[u.imported_as]) l WHERE l.kind = 'internal')
    LOOP
      IF outcomes[f.nth] IS NULL THEN outcomes[f.nth] := 'paid'; END IF;
    END LOOP;
  END IF;
  IF taken <> '{}' THEN
    FOR f IN
      SELECT array_position(ids, t.transfer_id) AS nth, coalesce(p.amount, t.amount) AS amount, t.asset_id, p.destination
        FROM transfers t LEFT JOIN payments p ON p.payment_id = t.transfer_id WHERE t.transfer_id = ANY (taken) AND t.kind = 'hold'
    LOOP
      -- An id that belongs to something other than a payment to an address is detected when the money is held.
      CONTINUE WHEN outcomes[f.nth] IS NOT NULL OR f.destination IS NULL;
      -- The same address on another blockchain, or in another currency, is another payment.
      IF (f.amount, f.asset_id, address_key(f.destination)) IS NOT DISTINCT FROM
         (amounts[f.nth], token_assets[array_position(batch_tokens, tokens[f.nth])], address_key(destinations[f.nth])) THEN
        outcomes[f.nth] := 'known';
      ELSE
        outcomes[f.nth] := 'mismatch';
        said[f.nth] := '{"code": "idempotency.mismatch", "details": {}}';
      END IF;
    END LOOP;
  END IF;

  -- Who pays, from which account, and the reasons for refusal, in the order of the answers. The token comes first,
  -- because it is asked before anything else.
  assets := ARRAY(SELECT token_assets[array_position(batch_tokens, u.token)]
                    FROM unnest(tokens) WITH ORDINALITY AS u(token, n) ORDER BY u.n);
  SELECT array_agg(s.wallet_id), array_agg(s.username), array_agg(s.is_known),
         array_agg(CASE WHEN s.outcome IS NULL AND s.refusal IS NULL THEN s.debit END), array_agg(s.credit),
         array_agg(CASE WHEN s.outcome IS NULL THEN s.refusal END), array_agg(s.user_id)
    INTO wallets, usernames, is_known, debits, credits, refusals, payers
    FROM (SELECT p.outcome, p.user_id, p.wallet_id, p.username, d.debit, c.credit, r.is_known,
                 CASE WHEN p.caller IS NULL AND p.user_id IS NULL AND p.wallet_id IS NOT NULL AND stricter[3] IS DISTINCT FROM 1
                        THEN '{"code": "key.not_allowed", "details": {"what": "treasury"}}'
                      WHEN NOT coalesce(p.asked, true) AND NOT coalesce(c.is_listed, false) THEN '{"is_listed": false}'
                      WHEN NOT coalesce(p.asked, true) AND (SELECT 1 FROM ever_blacklisted x
                          WHERE x.asset_id = p.asset_id AND x.address = lower(p.destination)) IS NOT NULL
                        THEN '{"is_listed": true}'
                      WHEN p.refusal IS NOT NULL THEN jsonb_build_object('code', p.refusal, 'details', '{}'::jsonb)
                      -- It would cost gas and move nothing; the caller has probably copied the wrong line of a history.
                      WHEN address_key(p.address) = address_key(p.destination) THEN '{"code": "payment.self", "details": {}}'
                      WHEN c.why IS NOT NULL
                        THEN jsonb_build_object('code', 'service.paused', 'details', jsonb_build_object('reason', c.why))
                      -- The destination resembles an address that the wallet has paid, but is a different one.
                      WHEN NOT r.is_known THEN '{"code": "address.lookalike", "details": {}}'
                      -- Nothing was ever deposited.
                      WHEN d.debit IS NULL OR c.credit IS NULL THEN ledger_refusal('insufficient', '{"available": "0"}')
                 END AS refusal
            FROM ROWS FROM (unnest(outcomes, assets, tokens, destinations, asked, callers),
                            find_funding_wallets(assets, wallets, usernames, people)) WITH ORDINALITY
                 AS p(outcome, asset_id, token, destination, asked, caller, wallet_id, address, user_id, username, refusal, n)
           CROSS JOIN LATERAL (SELECT token_sides[array_position(batch_tokens, p.token)] AS credit,
                                      token_pauses[array_position(batch_tokens, p.token)] AS why,
                                      token_lists[array_position(batch_tokens, p.token)] AS is_listed) c
           CROSS JOIN LATERAL (SELECT CASE WHEN p.user_id IS NULL
               THEN (SELECT account_id FROM accounts WHERE kind = 'treasury' AND asset_id = p.asset_id AND user_id IS NULL)
               ELSE (SELECT account_id FROM accounts WHERE user_id = p.user_id AND asset_id = p.asset_id) END AS debit) d
           CROSS JOIN LATERAL (SELECT (SELECT bool_or(x.address = lower(p.destination)) FROM recipients x
                                        WHERE x.wallet_id = p.wallet_id AND x.look = address_look(p.destination)) AS is_known) r
           ORDER BY p.n
         ) s;
  -- Checked first: if a key may not spend this money, its holder learns only that, whatever else is wrong.
  spending := ARRAY(SELECT CASE WHEN u.outcome IS NULL AND u.wallet_id IS NOT NULL THEN u.caller END
                      FROM unnest(callers, outcomes, wallets) WITH ORDINALITY AS u(caller, outcome, wallet_id, n)
                     ORDER BY u.n);
  FOR f IN
    SELECT o.nth, o.refusal FROM find_key_objections(spending, blockchains, destinations, wallets, payers, amounts) o
  LOOP
    outcomes[f.nth] := 'refused';
    said[f.nth] := f.refusal;
    debits[f.nth] := NULL;
    spending[f.nth] := NULL;
  END LOOP;
  IF array_remove(refusals, NULL) <> '{}' THEN
    FOR i IN 1..cardinality(ids) LOOP
      CONTINUE WHEN outcomes[i] IS NOT NULL OR refusals[i] IS NULL;
      outcomes[i] := CASE WHEN refusals[i] ? 'is_listed' THEN 'ask' ELSE 'refused' END;
      said[i] := refusals[i];
    END LOOP;
  END IF;

  budgets := lock_key_budgets(spending, payers);
  held := ledger_hold_many(
    ARRAY(SELECT (u.id, u.debit, u.credit, u.amount, u.budget_at, party_of_send(u.token, u.destination))::new_hold
            FROM unnest(ids, debits, credits, amounts, budgets.o_at, tokens, destinations) WITH ORDINALITY
                 AS u(id, debit, credit, amount, budget_at, token, destination, n)
           ORDER BY u.n),
    budgets.o_left);
  PERFORM charge_key_budgets(budgets.o_keys, budgets.o_pays, budgets.o_left, held.o_left);
  -- A session may have ended since it was read above. The lock lasts until the commit: after a logout is answered, no
  -- payment of that session is committed. It is taken after the accounts, as in `close_account`. The batch runs again
  -- and finds the session ended.
  IF array_remove(logins, NULL) <> '{}' THEN
    PERFORM FROM sessions WHERE session_id = ANY (logins) ORDER BY session_id FOR SHARE;
    IF EXISTS (SELECT FROM unnest(logins, held.o_outcomes) AS u(session_id, did) JOIN sessions s USING (session_id)
                WHERE u.did = 'applied' AND s.ended_at IS NOT NULL) THEN
      RAISE EXCEPTION 'a session has ended while its payment waited' USING ERRCODE = 'serialization_failure';
    END IF;
  END IF;
  FOR i IN 1..cardinality(ids) LOOP
    CONTINUE WHEN outcomes[i] IS NOT NULL OR held.o_outcomes[i] = 'applied';
    IF held.o_outcomes[i] = 'duplicate' AND EXISTS (SELECT FROM payments WHERE payment_id = ids[i]
        AND wallet_id = wallets[i] AND address_key(destination) = address_key(destinations[i])) THEN
      outcomes[i] := 'known';
    ELSIF held.o_outcomes[i] IN ('duplicate', 'mismatch') THEN
      -- The id has paid something else. Only this payment is refused; the others of the batch continue.
      outcomes[i] := 'mismatch';
      said[i] := '{"code": "idempotency.mismatch", "details": {}}';
    ELSE
      outcomes[i] := 'refused';
      said[i] := CASE WHEN held.o_outcomes[i] = 'key_limit'
        THEN broken_key_limit(callers[i], budgets.o_pays[budgets.o_at[i]], (held.o_details[i]->>'left')::bigint)
        ELSE ledger_refusal(held.o_outcomes[i], held.o_details[i]) END;
      IF said[i] IS NULL THEN RAISE EXCEPTION 'payment %: %', ids[i], held.o_outcomes[i]; END IF;
    END IF;
  END LOOP;

  IF array_remove(outcomes, NULL) <> '{}' THEN
    -- Payments with an invalid service key or an ended session did not claim their keys. For a `mismatch` found by
    -- `claim_records`, nothing is stored, because its key belongs to another request.
    PERFORM change_answers(array_agg(o.id), array_agg(CASE WHEN o.outcome IN ('refused', 'mismatch')
              AND o.said->>'code' NOT IN ('service.paused', 'user.paused', 'wallet.pending', 'passkey.required') THEN o.said::json END))
       FROM unnest(ids, hashes, outcomes, said) AS o(id, hash, outcome, said)
      WHERE o.hash IS NOT NULL
        AND (o.outcome IN ('paid', 'ask', 'untraced') OR o.outcome = 'mismatch' AND o.said IS NOT NULL
             OR o.outcome = 'refused' AND o.said->>'code' NOT LIKE 'auth.%')
     HAVING count(*) > 0;
  END IF;

  IF array_remove(notes, NULL) <> '{}' THEN
    PERFORM keep_notes(ids, ARRAY(SELECT CASE WHEN u.outcome IS NULL THEN u.note END
                                    FROM unnest(notes, outcomes) WITH ORDINALITY AS u(note, outcome, n) ORDER BY u.n));
  END IF;

  -- From here on it must succeed: the holds stay.
  RETURN QUERY
    WITH decided AS MATERIALIZED (
      SELECT a.*, (CASE WHEN a.outcome IS NULL AND a.amount >= stricter[1] THEN 2 ELSE 0 END)::smallint AS needed,
             CASE WHEN a.is_known IS NULL AND stricter[2] > 0 THEN held.o_at + stricter[2] * interval '1 second' END AS start_at
        FROM unnest(ids, outcomes, said, amounts, destinations, wallets, usernames, shown, blockchains, is_known, callers)
             WITH ORDINALITY AS a(id, outcome, said, amount, destination, wallet_id, username, shown, blockchain, is_known, caller, n)
    ), inserted AS (
      INSERT INTO payments (payment_id, state, destination, wallet_id, sender_shown, approvals_needed, not_before, updated_at,
        key_id, amount)
      SELECT id, 'INITIATED', destination, wallet_id, shown, needed, start_at, held.o_at, caller, amount FROM decided
       WHERE outcome IS NULL
    ), scheduled AS MATERIALIZED (
      -- Named as `submitJob` in server/src/payments/sends/sendCommand.ts does.
      SELECT schedule_jobs(array_agg('submit ' || blockchain), array_agg(id::text), array_agg(start_at))
        FROM decided WHERE outcome IS NULL AND needed = 0 HAVING count(*) > 0
    ), recorded AS MATERIALIZED (
      SELECT record_audits('payment.accepted', array_agg('key:' || caller ORDER BY n),
                           array_agg(jsonb_build_object('payment_id', id) ORDER BY n))
        FROM decided WHERE outcome IS NULL AND caller IS NOT NULL HAVING count(*) > 0
    )
    SELECT d.n::integer, coalesce(d.outcome, 'accepted'), d.said, d.wallet_id, d.username, held.o_at, d.needed, d.start_at
      FROM decided d LEFT JOIN scheduled ON true LEFT JOIN recorded ON true
     ORDER BY d.n;
END $function$;

-- Name: account_key_works; Type: FUNCTION

CREATE FUNCTION public.account_key_works(p_key uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  SELECT EXISTS (SELECT FROM service_keys k LEFT JOIN key_rules r USING (key_id)
                  WHERE k.key_id = p_key AND k.user_id IS NOT NULL AND k.revoked_at IS NULL
                    AND k.created_at >= credentials_from('account_keys') AND (r.expires_at <= clock_timestamp()) IS NOT TRUE)
$function$;

-- Name: add_passkey; Type: FUNCTION

CREATE FUNCTION public.add_passkey(p_user uuid, p_session uuid, p_id uuid, p_passkey uuid, p_credential bytea, p_public_key bytea, p_name text, p_rp text, p_transports text[], p_counter bigint, p_backed_up boolean)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  code text;
BEGIN
  PERFORM require_arguments('add_passkey',
    num_nulls(p_user, p_session, p_id, p_passkey, p_credential, p_public_key, p_name, p_rp, p_counter, p_backed_up) = 0
    AND is_list(p_transports, cardinality(p_transports)) AND cardinality(p_transports) <= 10
    AND length(p_name) BETWEEN 1 AND 60 AND length(p_rp) BETWEEN 1 AND 253 AND p_counter >= 0
    AND length(array_to_string(p_transports, ' ')) <= 200 AND length(p_credential) BETWEEN 1 AND 1023);
  -- Two first passkeys wait for each other here.
  IF (SELECT closed_at FROM users WHERE user_id = p_user FOR NO KEY UPDATE) IS NOT NULL THEN RETURN 'account.closed'; END IF;
  IF proved_at(p_user, p_session) IS NULL THEN RETURN 'auth.required'; END IF;
  UPDATE passkey_challenges SET used_at = clock_timestamp()
   WHERE challenge_id = p_id AND user_id = p_user AND session_id = p_session AND deed = '{"do": "register"}' AND used_at IS NULL
     AND expires_at > clock_timestamp() AND created_at >= credentials_from('sessions');
  IF NOT FOUND THEN RETURN 'passkey.challenge_unknown'; END IF;
  code := may_add_passkey(p_user, p_session);
  IF code IS NOT NULL THEN RETURN code; END IF;
  IF EXISTS (SELECT FROM passkeys WHERE credential = p_credential) THEN RETURN 'passkey.refused'; END IF;
  PERFORM use_proof(p_user, '{"do": "add"}');
  INSERT INTO passkeys (passkey_id, user_id, credential, public_key, name, rp_hash, transports, counter, backed_up)
  VALUES (p_passkey, p_user, p_credential, p_public_key, p_name, sha256(convert_to(p_rp, 'UTF8')), p_transports, p_counter,
          p_backed_up);
  PERFORM tell_of_passkey('user:' || p_user, p_user, 'passkey.added', jsonb_build_object('passkey_id', p_passkey, 'name', p_name));
  RETURN NULL;
END $function$;

-- Name: add_test_delivery; Type: FUNCTION

CREATE FUNCTION public.add_test_delivery(p_endpoint uuid)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  added text;
BEGIN
  PERFORM require_arguments('add_test_delivery', p_endpoint IS NOT NULL);
  INSERT INTO webhook_deliveries (endpoint_id, event_id, place, type, happened_at, data, is_test)
  SELECT endpoint_id, 'evt_test_' || replace(gen_random_uuid()::text, '-', ''), place, 'webhook.test',
         date_trunc('milliseconds', now()), '{"message": "This is a test. Nothing has happened."}', true
    FROM webhook_endpoints WHERE endpoint_id = p_endpoint
  RETURNING event_id INTO added;
  RETURN added;
END $function$;

-- Name: address_key; Type: FUNCTION

CREATE FUNCTION public.address_key(p_address text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  SELECT CASE WHEN p_address LIKE '0x%' THEN lower(p_address) ELSE p_address END
$function$;

-- Name: adopt_unexplained; Type: FUNCTION

CREATE FUNCTION public.adopt_unexplained(p_asset smallint, p_tx_hash text, p_log_index integer, p_wallet uuid, p_ordinal integer, p_deposit uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('adopt_unexplained', num_nulls(p_asset, p_tx_hash, p_log_index, p_wallet, p_ordinal, p_deposit) = 0);
  UPDATE unexplained_moves SET to_wallet = p_wallet, ordinal = p_ordinal, deposit_id = p_deposit
   WHERE asset_id = p_asset AND tx_hash = p_tx_hash AND log_index = p_log_index AND to_wallet IS NULL
     AND imported_as IS NULL AND lower(to_address) = (SELECT lower(address) FROM wallets WHERE wallet_id = p_wallet);
  IF FOUND AND EXISTS (SELECT FROM forgotten_nonces WHERE asset_id = p_asset AND tx_hash = p_tx_hash
                          AND log_index = p_log_index AND is_settlement_nonce(nonce)) THEN
    PERFORM explain_settlement(p_asset, p_tx_hash, p_log_index);
  END IF;
END $function$;

-- Name: approve_payment; Type: FUNCTION

CREATE FUNCTION public.approve_payment(p_id uuid, p_operator text)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('approve_payment', num_nulls(p_id, p_operator) = 0);
  IF p_operator <> session_user THEN
    RAISE EXCEPTION '% is not the login of this connection', p_operator
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'approvals_by_operators';
  END IF;
  RETURN give_approval(p_id);
END $function$;

-- Name: approve_payout; Type: FUNCTION

CREATE FUNCTION public.approve_payout(p_payout uuid, OUT approvals integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  p payouts;
BEGIN
  PERFORM require_arguments('approve_payout', p_payout IS NOT NULL);
  SELECT * INTO p FROM payouts WHERE payout_id = p_payout FOR UPDATE;
  IF p.state IS DISTINCT FROM 'approving' THEN
    RAISE EXCEPTION 'payout % waits for no approval', p_payout
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'approvals_only_while_waiting';
  END IF;
  PERFORM refuse_unnamed(session_user);
  INSERT INTO payout_approvals (payout_id, operator) VALUES (p_payout, session_user);
  approvals := count_payout_approvals(p_payout);
  IF approvals >= p.approvals_needed THEN
    UPDATE payouts SET state = 'running', waits_until = date_trunc('milliseconds', clock_timestamp()) + interval '3 days'
     WHERE payout_id = p_payout;
    PERFORM schedule_job('payout', p_payout::text, NULL);
  END IF;
  PERFORM write_audit('operator:' || session_user, 'payout.approved', p.payer_id,
    jsonb_build_object('payout_id', p_payout, 'approvals', approvals, 'needed', p.approvals_needed));
END $function$;

-- Name: approve_refund; Type: FUNCTION

CREATE FUNCTION public.approve_refund(p_id uuid, OUT outcome text, OUT details jsonb, OUT amount bigint)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  asked refunds;
  b     record;
  moved text;
BEGIN
  PERFORM require_arguments('approve_refund', p_id IS NOT NULL);
  PERFORM refuse_unnamed(session_user);
  SELECT * INTO asked FROM refunds WHERE refund_id = p_id AND source = 'treasury';
  IF NOT FOUND THEN outcome := 'unknown'; RETURN; END IF;
  -- Locks the payment first, as every refund does. This refund must still be waiting then.
  SELECT * INTO b FROM begin_refund(p_id, asked.payment_id, asked.amount, 'treasury');
  amount := asked.amount; details := b.details;
  IF b.outcome IS DISTINCT FROM 'waits' THEN outcome := b.outcome; RETURN; END IF;
  PERFORM refuse_unnamed(asked.proposed_by, asked.proposed_at);
  IF asked.amount > (b.details->>'left')::bigint THEN outcome := 'too_much'; RETURN; END IF;
  moved := ledger_refund(p_id, b.debit, b.credit, asked.amount);
  IF moved <> 'applied' THEN outcome := moved; RETURN; END IF;
  UPDATE refunds SET approved_by = session_user, booked_at = (SELECT created_at FROM transfers_by_id(ARRAY[p_id]))
   WHERE refund_id = p_id;
  PERFORM write_audit('operator:' || session_user, 'payment.refunded',
    (SELECT user_id FROM accounts WHERE account_id = b.credit),
    jsonb_build_object('refund_id', p_id, 'payment_id', asked.payment_id, 'amount', asked.amount::text,
                       'reason', asked.reason, 'proposed_by', asked.proposed_by));
  outcome := 'refunded';
END $function$;

-- Name: approve_transfer_end; Type: FUNCTION

CREATE FUNCTION public.approve_transfer_end(p_id uuid)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  d       transfer_decisions;
  v_since timestamptz;
BEGIN
  PERFORM require_arguments('approve_transfer_end', p_id IS NOT NULL);
  PERFORM refuse_unnamed(session_user);
  SELECT * INTO d FROM transfer_decisions WHERE decision_id = p_id AND decided_at IS NULL FOR UPDATE;
  IF NOT FOUND THEN RETURN 'unknown'; END IF;
  PERFORM refuse_unnamed(d.proposed_by, d.proposed_at);
  SELECT held_at INTO v_since FROM provider_transfers
   WHERE move_id = d.move_id AND held_at <= d.proposed_at AND provider_state IN ('new', 'submitted', 'sent', 'done')
     FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN 'unknown'; END IF;
  IF EXISTS (SELECT FROM transfer_decisions WHERE move_id = d.move_id AND decided_at >= v_since) THEN
    RAISE EXCEPTION 'move % has already been decided by two operators', d.move_id
      USING ERRCODE = 'unique_violation', CONSTRAINT = 'transfer_decisions_once';
  END IF;
  UPDATE transfer_decisions SET approved_by = session_user, decided_at = clock_timestamp() WHERE decision_id = p_id;
  IF d.verdict = 'adopt' THEN
    UPDATE provider_transfers SET provider_id = d.provider_id, provider_state = 'submitted', held_at = NULL,
           asked_at = NULL, updated_at = clock_timestamp()
     WHERE move_id = d.move_id;
  END IF;
  RETURN 'decided';
END $function$;

-- Name: ask_cancellation; Type: FUNCTION

CREATE FUNCTION public.ask_cancellation(p_move uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('ask_cancellation', p_move IS NOT NULL);
  PERFORM refuse_other_operators('cancel');
  UPDATE coin_moves SET cancel_wanted_at = date_trunc('milliseconds', clock_timestamp())
   WHERE move_id = p_move AND state = 'open' AND cancel_wanted_at IS NULL;
  RETURN FOUND;
END $function$;

-- Name: ask_for_money; Type: FUNCTION

CREATE FUNCTION public.ask_for_money(p_request uuid, p_asker uuid, p_payer uuid, p_amount bigint, p_note text, p_expires_at timestamp with time zone)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  max_open    CONSTANT integer := 50;
  max_of_pair CONSTANT integer := 5;
  max_day     CONSTANT integer := 200;
  at          timestamptz;
  until       timestamptz;
  closed      timestamptz;
  limit_name  text;
  maximum     integer;
BEGIN
  PERFORM require_arguments('ask_for_money', num_nulls(p_request, p_asker) = 0 AND is_amount(p_amount));
  PERFORM FROM users WHERE user_id IN (p_asker, p_payer) ORDER BY user_id FOR NO KEY UPDATE;
  at := date_trunc('milliseconds', clock_timestamp());
  until := coalesce(p_expires_at, at + interval '7 days');
  SELECT closed_at INTO STRICT closed FROM users WHERE user_id = p_asker;
  IF closed IS NOT NULL THEN RETURN '{"code": "account.closed"}'; END IF;
  IF p_payer = p_asker THEN RETURN '{"code": "payment.self"}'; END IF;
  IF NOT EXISTS (SELECT FROM usernames WHERE user_id = p_asker AND redirect_until IS NULL) THEN
    RETURN '{"code": "username.needed"}';
  END IF;
  -- The name was resolved a moment ago and no longer resolves.
  IF EXISTS (SELECT FROM users WHERE user_id = p_payer AND closed_at IS NOT NULL) THEN
    RETURN '{"code": "username.unknown"}';
  END IF;
  IF until <= at OR until > at + interval '366 days' THEN RETURN '{"code": "money_request.expiry"}'; END IF;
  SELECT CASE WHEN count(*) >= max_open THEN 'open'
              WHEN count(*) FILTER (WHERE payer_id = p_payer) >= max_of_pair THEN 'open_with_person' END
    INTO limit_name FROM money_requests WHERE asker_id = p_asker AND state = 'open' AND expires_at > at;
  IF limit_name IS NULL AND (SELECT count(*) FROM money_requests
                              WHERE asker_id = p_asker AND created_at > at - interval '24 hours') >= max_day THEN
    limit_name := 'day';
  END IF;
  IF limit_name IS NOT NULL THEN
    maximum := CASE limit_name WHEN 'open' THEN max_open WHEN 'day' THEN max_day ELSE max_of_pair END;
    RETURN jsonb_build_object('code', 'money_request.too_many',
                              'details', jsonb_build_object('limit', limit_name, 'maximum', maximum::text));
  END IF;
  INSERT INTO money_requests (request_id, asker_id, payer_id, by_link, amount, created_at, expires_at)
  VALUES (p_request, p_asker, p_payer, p_payer IS NULL, p_amount, at, until);
  PERFORM keep_notes(ARRAY[p_request], ARRAY[p_note]);
  RETURN NULL;
END $function$;

-- Name: ask_for_passkey; Type: FUNCTION

CREATE FUNCTION public.ask_for_passkey(p_user uuid, p_session uuid, p_id uuid, p_deed jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  most  CONSTANT integer := 20;
  at    timestamptz := date_trunc('milliseconds', clock_timestamp());
  code  text;
  asked passkey_challenges;
BEGIN
  PERFORM require_arguments('ask_for_passkey', num_nulls(p_user, p_session, p_id) = 0 AND jsonb_typeof(p_deed) = 'object'
    AND p_deed->>'do' IN ('register', 'add', 'key', 'remove', 'rule', 'pay', 'send', 'payout') AND length(p_deed::text) < 1000);
  IF (SELECT closed_at FROM users WHERE user_id = p_user FOR NO KEY UPDATE) IS NOT NULL THEN
    RETURN '{"code": "account.closed"}';
  END IF;
  IF proved_at(p_user, p_session) IS NULL THEN RETURN '{"code": "auth.invalid", "details": {"reason": "revoked"}}'; END IF;
  code := CASE WHEN p_deed->>'do' = 'register' THEN may_add_passkey(p_user, p_session)
               WHEN NOT EXISTS (SELECT FROM passkeys WHERE user_id = p_user) THEN 'passkey.none' END;
  IF code IS NOT NULL THEN RETURN jsonb_build_object('code', code); END IF;
  DELETE FROM passkey_challenges WHERE user_id = p_user AND expires_at < at - interval '1 hour';
  -- Few are open at a time; the oldest give way.
  DELETE FROM passkey_challenges WHERE challenge_id IN (
    SELECT c.challenge_id FROM passkey_challenges c WHERE c.user_id = p_user AND c.proved_at IS NULL
     ORDER BY c.created_at DESC, c.challenge_id OFFSET most - 1);
  INSERT INTO passkey_challenges (challenge_id, challenge, user_id, session_id, deed, created_at, expires_at)
  VALUES (p_id, sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), p_user, p_session, p_deed, at,
          at + interval '5 minutes')
  RETURNING * INTO asked;
  RETURN jsonb_build_object('challenge', encode(asked.challenge, 'hex'), 'expires_at', asked.expires_at,
    'passkeys', (SELECT coalesce(jsonb_agg(jsonb_build_object('credential', encode(k.credential, 'hex'),
                                                              'transports', k.transports) ORDER BY k.created_at, k.passkey_id), '[]')
                   FROM passkeys k WHERE k.user_id = p_user));
END $function$;

-- Name: ask_rescan; Type: FUNCTION

CREATE FUNCTION public.ask_rescan(p_network smallint, p_wallet uuid, p_from bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  cursor_number bigint;
BEGIN
  PERFORM require_arguments('ask_rescan', num_nulls(p_network, p_wallet) = 0 AND p_from >= 0);
  PERFORM refuse_other_operators('custody');
  IF (SELECT family <> 'evm' FROM networks WHERE network_id = p_network) THEN
    UPDATE arrival_cursors SET back_since = '2020-01-01', back_after = NULL WHERE network_id = p_network
       AND EXISTS (SELECT FROM wallets JOIN networks USING (family) WHERE wallet_id = p_wallet AND network_id = p_network);
    RETURN FOUND;
  END IF;
  -- A process that applies logs locks this row, and does not apply logs that it read before the rescan was requested.
  UPDATE chain_cursors SET wallet_checks = wallet_checks + 1 WHERE network_id = p_network
  RETURNING block_number INTO cursor_number;
  IF cursor_number IS NULL THEN RETURN false; END IF;
  INSERT INTO wallet_rescans AS r (asset_id, wallet_id, next_block, to_block)
  SELECT s.asset_id, w.wallet_id, p_from, cursor_number
    FROM assets s JOIN networks n USING (network_id) JOIN wallets w USING (family)
   WHERE s.network_id = p_network AND w.wallet_id = p_wallet
  ON CONFLICT (asset_id, wallet_id) DO UPDATE
     SET next_block = least(r.next_block, p_from), to_block = cursor_number, asked_at = clock_timestamp(),
         unclear = CASE WHEN p_from < r.next_block THEN 0 ELSE r.unclear END;
  RETURN FOUND;
END $function$;

-- Name: ask_transfer; Type: FUNCTION

CREATE FUNCTION public.ask_transfer(p_move uuid, p_queue integer, p_day_limit bigint, OUT outcome text, OUT attempt integer)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  m coin_moves;
  t provider_transfers;
BEGIN
  PERFORM require_arguments('ask_transfer', p_move IS NOT NULL AND p_queue > 0 AND coalesce(p_day_limit, 0) >= 0);
  -- Concurrent signers would each count only their own transfers; `commit_signatures` takes the same lock.
  PERFORM FROM assets WHERE asset_id = (SELECT asset_id FROM coin_moves WHERE move_id = p_move) FOR NO KEY UPDATE;
  SELECT * INTO m FROM coin_moves WHERE move_id = p_move FOR NO KEY UPDATE;
  SELECT * INTO t FROM provider_transfers WHERE move_id = p_move FOR NO KEY UPDATE;
  attempt := t.attempts;
  IF t.move_id IS NULL OR m.state <> 'open' OR t.provider_state <> 'new' OR t.held_at IS NOT NULL THEN
    outcome := 'ended';
    RETURN;
  END IF;
  IF t.attempts = 0 THEN
    outcome := CASE
      WHEN m.cancel_wanted_at IS NOT NULL THEN 'unwanted'
      WHEN EXISTS (SELECT FROM pauses p JOIN assets s ON s.asset_id = m.asset_id JOIN networks n USING (network_id)
                    WHERE p.stops = 'accepting and signing' AND p.scope IN ('all', 'chain', 'chain:' || n.blockchain))
        THEN 'paused'
      WHEN p_queue <= (SELECT count(*) FROM coin_moves o JOIN provider_transfers q USING (move_id)
                        WHERE o.wallet_id = m.wallet_id AND o.asset_id = m.asset_id AND o.state = 'open'
                          AND q.held_at IS NULL AND (q.provider_state = 'new' AND q.attempts > 0 OR q.provider_state = 'submitted'
                               OR q.provider_state = 'sent' AND q.tx_hash IS NULL)) THEN 'full'
      WHEN m.purpose = 'send' AND t.counted_at IS NULL AND p_day_limit < m.amount + signed_in_a_day(m.asset_id)
        THEN 'over' END;
    IF outcome IS NOT NULL THEN RETURN; END IF;
    IF m.purpose = 'send' AND t.counted_at IS NULL THEN
      INSERT INTO signed_hours AS h (asset_id, hour, amount)
      VALUES (m.asset_id, date_trunc('hour', clock_timestamp()), m.amount)
      ON CONFLICT (asset_id, hour) DO UPDATE SET amount = h.amount + excluded.amount;
    END IF;
  END IF;
  UPDATE provider_transfers SET attempts = attempts + 1, first_asked_at = coalesce(first_asked_at, clock_timestamp()),
         counted_at = coalesce(counted_at, clock_timestamp()), waits_for = NULL
   WHERE move_id = p_move RETURNING attempts INTO attempt;
  outcome := 'go';
END $function$;

-- Name: audit_actor; Type: FUNCTION

CREATE FUNCTION public.audit_actor(p_actor text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE
  role text := CASE WHEN p_actor ~ '^operator:.' THEN '_operator' WHEN p_actor ~ '^(user|key|provider):.' THEN '_server'
                    WHEN p_actor ~ '^service:.' THEN '_worker' END;
BEGIN
  IF (SELECT pg_has_role(session_user, n.prefix || role, 'MEMBER') FROM role_names n) IS NOT TRUE
    OR role = '_operator' AND is_operator_login() AND is_unnamed_login()
  THEN
    RAISE EXCEPTION '% may not act as %', session_user, p_actor
      USING ERRCODE = 'insufficient_privilege', CONSTRAINT = 'audit_log_own_actors';
  END IF;
  RETURN CASE role WHEN '_operator' THEN 'operator:' || session_user ELSE p_actor END;
END $function$;

-- Name: begin_passkey_removal; Type: FUNCTION

CREATE FUNCTION public.begin_passkey_removal(p_user uuid, p_reason text)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  at timestamptz := date_trunc('milliseconds', clock_timestamp());
BEGIN
  PERFORM require_arguments('begin_passkey_removal', num_nulls(p_user, p_reason) = 0 AND length(p_reason) BETWEEN 1 AND 500);
  PERFORM refuse_unnamed(session_user);
  PERFORM FROM users WHERE user_id = p_user FOR NO KEY UPDATE;
  IF NOT EXISTS (SELECT FROM passkeys WHERE user_id = p_user) THEN RETURN 'none'; END IF;
  INSERT INTO passkey_removals (user_id, begun_by, reason, begun_at, due_at)
  VALUES (p_user, session_user, p_reason, at, at + interval '1 day') ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN RETURN 'waits'; END IF;
  PERFORM tell_of_passkey('operator:' || session_user, p_user, 'passkey.removal_begun', jsonb_build_object('reason', p_reason));
  RETURN 'begun';
END $function$;

-- Name: begin_payout_pass; Type: FUNCTION

CREATE FUNCTION public.begin_payout_pass(p_payout uuid)
 RETURNS public.payouts
 LANGUAGE plpgsql
AS $function$
DECLARE
  p       payouts;
  refusal jsonb;
BEGIN
  SELECT * INTO p FROM payouts WHERE payout_id = p_payout AND state IN ('running', 'waiting') FOR UPDATE;
  IF p.payout_id IS NULL THEN RETURN NULL; END IF;
  refusal := payout_refusal(p);
  IF refusal IS NULL THEN RETURN p; END IF;
  IF refusal->>'code' <> 'service.paused' THEN
    UPDATE payout_items i SET state = 'failed', error = refusal
     WHERE payout_id = p_payout AND state = 'ready' AND NOT payout_row_in_doubt(i);
  END IF;
  RETURN NULL;
END $function$;

-- Name: begin_refund; Type: FUNCTION

CREATE FUNCTION public.begin_refund(p_id uuid, p_payment uuid, p_amount bigint, p_source text, OUT outcome text, OUT details jsonb, OUT amount bigint, OUT debit bigint, OUT credit bigint)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
DECLARE
  kind_     text := (SELECT kind FROM transfers_by_id(ARRAY[p_payment]));
  original  record;
  total     refund_totals;
  known     refunds;
BEGIN
  IF find_pause('all') IS NOT NULL THEN
    outcome := 'paused'; details := jsonb_build_object('reason',
      (SELECT reason FROM pauses WHERE scope = 'all' ORDER BY paused_at LIMIT 1));
    RETURN;
  END IF;
  SELECT * INTO original FROM paid_by(p_payment);
  outcome := CASE
    WHEN kind_ IS NULL OR kind_ NOT IN ('user', 'hold', 'deposit') THEN 'unknown'
    WHEN kind_ = 'deposit' THEN 'deposit'
    WHEN EXISTS (SELECT FROM refunds WHERE refund_id = p_payment) THEN 'is_refund'
    WHEN original.amount IS NULL THEN 'unpaid'
    WHEN NOT EXISTS (SELECT FROM accounts WHERE account_id = original.payer
                        AND (kind = 'user' OR kind = 'treasury' AND p_source = 'receiver' AND original.payee IS NOT NULL)) THEN 'own'
    WHEN p_source = 'receiver' AND original.payee IS NULL THEN 'sent_away' END;
  IF outcome IS NOT NULL THEN RETURN; END IF;

  -- From here on, refunds of the same payment wait for each other.
  INSERT INTO refund_totals (payment_id, paid) VALUES (p_payment, original.amount) ON CONFLICT DO NOTHING;
  SELECT * INTO total FROM refund_totals WHERE payment_id = p_payment FOR UPDATE;
  SELECT * INTO known FROM refunds WHERE refund_id = p_id;
  amount := coalesce(p_amount, known.amount, total.paid - total.refunded);
  outcome := CASE
    WHEN (known.payment_id, known.source, known.amount) = (p_payment, p_source, amount)
      THEN CASE WHEN known.denied_at IS NOT NULL THEN 'denied' WHEN known.booked_at IS NULL THEN 'waits' ELSE 'before' END
    WHEN known.refund_id IS NOT NULL OR EXISTS (SELECT FROM transfers_by_id(ARRAY[p_id])) THEN 'mismatch'
    WHEN amount <= 0 OR amount > total.paid - total.refunded THEN 'too_much'
    WHEN is_closed_account(original.payer) THEN 'closed' END;
  details := jsonb_build_object('left', (total.paid - total.refunded)::text);
  credit := original.payer;
  debit := CASE p_source WHEN 'receiver' THEN original.payee
                         ELSE ledger_open_house_account(original.asset_id, 'treasury') END;
END $function$;

-- Name: blockchain_family; Type: FUNCTION

CREATE FUNCTION public.blockchain_family(p_blockchain text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  SELECT CASE WHEN p_blockchain IN ('SOL', 'SOL-DEVNET') THEN 'solana'
              WHEN p_blockchain IN ('APTOS', 'APTOS-TESTNET') THEN 'aptos' ELSE 'evm' END
$function$;

-- Name: book_correction; Type: FUNCTION

CREATE FUNCTION public.book_correction(p_id uuid, p_forced boolean)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  c     corrections;
  loss  bigint;
  chain bigint;
  other bigint;
  moved text;
  uncounted bigint;
  before    bigint;
  after     bigint;
  counted   boolean := false;
BEGIN
  PERFORM require_arguments('book_correction', num_nulls(p_id, p_forced) = 0);
  PERFORM refuse_unnamed(session_user);
  SELECT * INTO c FROM corrections WHERE correction_id = p_id AND booked_at IS NULL FOR UPDATE;
  IF NOT FOUND THEN RETURN 'unknown'; END IF;
  PERFORM refuse_unnamed(c.proposed_by, c.proposed_at);
  UPDATE corrections SET approved_by = session_user, booked_at = clock_timestamp() WHERE correction_id = p_id;
  loss := ledger_open_house_account(c.asset_id, 'loss');
  chain := ledger_open_house_account(c.asset_id, 'chain');
  other := coalesce(ledger_account_of_wallet(c.asset_id, c.wallet_id), chain);
  PERFORM ledger_lock_accounts(ARRAY[loss, chain, other]);
  -- Coins that are on the chain but not counted, or counted but gone. If the correction names no wallet, the part that
  -- the sum of all holdings already shows does not need counting again.
  uncounted := c.amount;
  IF c.wallet_id IS NULL THEN
    before := (SELECT coalesce(sum(h.coins), 0) FROM holdings h WHERE h.asset_id = c.asset_id)
      + (SELECT a.available + a.held FROM accounts a WHERE a.account_id = chain);
    uncounted := sign(c.amount) * greatest(abs(c.amount) - greatest(sign(c.amount) * before, 0), 0);
  END IF;
  counted := uncounted <> 0 AND count_drift(c.asset_id, c.wallet_id, uncounted);
  after := before + CASE WHEN counted THEN uncounted ELSE 0 END - c.amount;
  IF NOT p_forced AND after NOT BETWEEN least(before, 0) AND greatest(before, 0) THEN
    RAISE EXCEPTION 'correction % would create a difference', p_id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'corrections_make_no_difference';
  END IF;
  IF NOT p_forced AND EXISTS (SELECT FROM corrections o WHERE o.asset_id = c.asset_id AND o.wallet_id = c.wallet_id
       AND o.amount = c.amount AND o.booked_at IS NOT NULL AND o.correction_id <> p_id) THEN
    RAISE EXCEPTION 'correction % repeats another one', p_id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'corrections_book_once';
  END IF;
  IF counted AND c.wallet_id IS NOT NULL THEN loss := chain; END IF;
  -- Surplus coins come out of `chain`, as with a deposit. The owner receives them from `chain` if they were counted
  -- just now, and from `loss` otherwise. Missing coins move in the opposite direction.
  IF (c.amount > 0) = (c.wallet_id IS NULL) THEN
    SELECT outcome INTO moved FROM ledger_apply(p_id, 'internal', other, loss, abs(c.amount), NULL, NULL);
  ELSE
    SELECT outcome INTO moved FROM ledger_apply(p_id, 'internal', loss, other, abs(c.amount), NULL, NULL);
  END IF;
  IF moved = 'applied' THEN
    PERFORM write_audit('operator:' || session_user, 'correction.booked',
      (SELECT w.user_id FROM wallets w WHERE w.wallet_id = c.wallet_id),
      jsonb_build_object('correction_id', p_id, 'reason', c.reason, 'forced', p_forced::text));
    RETURN 'booked';
  END IF;
  IF counted THEN RAISE EXCEPTION 'correction % cannot be booked: %', p_id, moved USING ERRCODE = 'restrict_violation'; END IF;
  UPDATE corrections SET approved_by = NULL, booked_at = NULL WHERE correction_id = p_id;
  RETURN moved;
END $function$;

-- Name: books_account_faults; Type: FUNCTION

CREATE FUNCTION public.books_account_faults(p_first bigint, p_last bigint)
 RETURNS TABLE(asset_id smallint, account_id bigint, fault text)
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
 SET max_parallel_workers_per_gather TO '0'
AS $function$
  SELECT f.asset_id, f.account_id, f.fault FROM (
    SELECT a.asset_id, a.account_id, CASE
        WHEN a.after IS NULL THEN format('its last movement, number %s, is missing', a.entries)
        WHEN a.available <> a.after THEN format('it has %s available, and its last movement leaves %s', a.available, a.after)
        WHEN a.held <> a.held_after THEN format('it holds %s, and its movements leave %s', a.held, a.held_after)
      END AS fault
      FROM (SELECT x.asset_id, x.account_id, x.available, x.held, x.entries,
                   CASE WHEN x.entries = 0 THEN 0 ELSE coalesce(
                     (SELECT CASE WHEN t.debit_account = x.account_id THEN t.debit_available ELSE t.credit_available END
                        FROM transfers t WHERE t.seq = x.last_seq AND x.last_entry = x.entries
                         AND ((t.debit_account = x.account_id AND t.debit_entry = x.entries)
                           OR (t.credit_account = x.account_id AND t.credit_entry = x.entries))),
                     books_balance_after(x.account_id, x.entries)) END AS after,
                   books_held_before(x.account_id, x.entries + 1) AS held_after
              FROM accounts x WHERE x.account_id BETWEEN p_first AND p_last OFFSET 0) a) f
   WHERE f.fault IS NOT NULL
$function$;

-- Name: books_accounts; Type: FUNCTION

CREATE FUNCTION public.books_accounts(p_seed bigint)
 RETURNS TABLE(asset_id smallint, accounts bigint, sum numeric, balance numeric)
 LANGUAGE sql
 STABLE
 SET jit TO 'off'
 SET max_parallel_workers_per_gather TO '0'
AS $function$
  SELECT a.asset_id, count(*), sum(books_hash(p_seed, a.account_id, a.entries, a.available)
                                   + books_held_hash(p_seed, a.account_id, a.held)),
         sum(a.available) + sum(a.held)
    FROM accounts a GROUP BY a.asset_id
$function$;

-- Name: books_balance_after; Type: FUNCTION

CREATE FUNCTION public.books_balance_after(p_account bigint, p_entry bigint)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  (SELECT t.debit_available FROM transfers t
    WHERE t.debit_account = p_account AND t.debit_entry = p_entry
      AND (t.debit_prev IS NULL OR t.debit_entry % 32 = 0 OR t.kind <> 'user'))
  UNION ALL
  (SELECT t.credit_available FROM transfers t
    WHERE t.credit_account = p_account AND t.credit_entry = p_entry
      AND (t.credit_prev IS NULL OR t.credit_entry % 32 = 0 OR t.kind <> 'user'))
  LIMIT 1
$function$;

-- Name: books_fault; Type: FUNCTION

CREATE FUNCTION public.books_fault(p_row public.transfers)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE
  h    transfers;
  move coin_moves;
BEGIN
  IF (p_row.amount > 0) IS NOT TRUE THEN RETURN 'its amount is not above zero'; END IF;
  IF (greatest(p_row.amount, abs(p_row.debit_available::numeric), abs(p_row.credit_available::numeric), abs(p_row.debit_held::numeric))
      <= 1152921504606846976) IS NOT TRUE THEN
    RETURN 'it contains values that are not amounts of money';
  END IF;
  IF p_row.debit_account = p_row.credit_account THEN RETURN 'it pays its own account'; END IF;
  IF (p_row.debit_entry > 0) IS NOT TRUE
    OR (p_row.kind IN ('hold', 'release')) <> (p_row.credit_entry IS NULL)
    OR (p_row.credit_entry IS NULL) <> (p_row.credit_available IS NULL) OR p_row.credit_entry <= 0
    OR (p_row.kind IN ('hold', 'post', 'release')) <> (p_row.debit_held IS NOT NULL)
    OR (p_row.kind IN ('post', 'release')) <> (p_row.hold_id IS NOT NULL)
    OR p_row.kind NOT IN ('user', 'deposit', 'internal', 'hold', 'post', 'release')
  THEN
    RETURN format('its fields do not match its kind, %s', p_row.kind);
  END IF;
  IF p_row.kind NOT IN ('hold', 'post', 'release') THEN RETURN NULL; END IF;
  IF NOT EXISTS (SELECT FROM accounts a WHERE a.account_id = p_row.credit_account AND a.asset_id = p_row.asset_id) THEN
    RETURN format('account %s does not have asset %s', p_row.credit_account, p_row.asset_id);
  END IF;
  IF p_row.kind = 'hold' THEN RETURN NULL; END IF;

  SELECT * INTO h FROM transfers t WHERE t.transfer_id = p_row.hold_id AND t.kind = 'hold' LIMIT 1;
  IF NOT FOUND THEN RETURN format('the hold %s does not exist', p_row.hold_id); END IF;
  IF EXISTS (SELECT FROM transfers t WHERE t.hold_id = p_row.hold_id AND t.seq <> p_row.seq) THEN
    RETURN format('the hold %s has ended twice', p_row.hold_id);
  END IF;
  IF (h.debit_account, h.credit_account, h.asset_id) <> (p_row.debit_account, p_row.credit_account, p_row.asset_id)
    OR p_row.amount > h.amount OR (p_row.kind = 'release' AND p_row.amount <> h.amount)
  THEN
    RETURN format('it does not match the hold %s', p_row.hold_id);
  END IF;

  SELECT * INTO move FROM coin_moves m WHERE m.move_id = p_row.hold_id;
  IF p_row.kind = 'release' THEN
    IF move.state = 'done' THEN RETURN format('it gives back what the chain has paid (%s)', move.tx_hash); END IF;
    RETURN NULL;
  END IF;
  IF (move.asset_id = p_row.asset_id AND move.purpose = 'send' AND CASE move.state
        WHEN 'done' THEN move.tx_hash IS NOT NULL
        WHEN 'open' THEN EXISTS (SELECT FROM payments p WHERE p.payment_id = p_row.hold_id AND p.tx_hash IS NOT NULL)
        ELSE false END) IS NOT TRUE
    AND NOT EXISTS (SELECT FROM unexplained_moves u WHERE u.imported_as = p_row.hold_id AND u.asset_id = p_row.asset_id)
  THEN
    RETURN format('the chain has not paid %s', p_row.hold_id);
  END IF;
  RETURN NULL;
END $function$;

-- Name: books_hash; Type: FUNCTION

CREATE FUNCTION public.books_hash(p_seed bigint, p_account bigint, p_entry bigint, p_available bigint)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  SELECT CASE WHEN p_entry = 0 AND p_available = 0 THEN 0
    ELSE hashint8extended(p_available,
      hashint4extended((p_available >> 32)::integer, p_seed # ((p_account << 28) + p_entry))) >> 3 END
$function$;

-- Name: books_held_before; Type: FUNCTION

CREATE FUNCTION public.books_held_before(p_account bigint, p_entry bigint)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  SELECT coalesce((SELECT t.debit_held FROM transfers t
    WHERE t.debit_account = p_account AND t.debit_entry < p_entry AND t.kind <> 'user' AND t.debit_held IS NOT NULL
    ORDER BY t.debit_entry DESC LIMIT 1), 0)
$function$;

-- Name: books_held_hash; Type: FUNCTION

CREATE FUNCTION public.books_held_hash(p_seed bigint, p_account bigint, p_held bigint)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  SELECT CASE WHEN p_held = 0 THEN 0
    ELSE hashint8extended(p_held, hashint4extended((p_held >> 32)::integer, ~p_seed # (p_account << 28))) >> 3 END
$function$;

-- Name: books_is_doubled; Type: FUNCTION

CREATE FUNCTION public.books_is_doubled(p_account bigint, p_entry bigint, p_seq bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  RETURN EXISTS (SELECT FROM ledger_entries(p_account, p_entry + 1, p_entry) e
    WHERE e.entry = p_entry AND (e.transfer).seq <> p_seq);
END $function$;

-- Name: books_look; Type: FUNCTION

CREATE FUNCTION public.books_look(p_seed bigint, p_after bigint, p_limit bigint, OUT o_seq_base bigint, OUT o_upto bigint, OUT o_is_head boolean, OUT o_movements jsonb, OUT o_accounts jsonb)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE
  settled_seq bigint := ledger_settled_seq();
  read_rows   bigint;
  last        bigint;
BEGIN
  o_seq_base := (SELECT seq_base FROM ledger_state);
  SELECT coalesce(sum(r.rows), 0), max(r.last_seq), jsonb_agg(jsonb_build_object('asset', r.asset_id, 'rows', r.rows,
           'settled', r.settled::text, 'open', r.open::text, 'broken', r.broken::text[]))
    INTO read_rows, last, o_movements
    FROM books_rows(p_seed, coalesce(p_after, settled_seq - 1), 9223372036854775807, settled_seq, p_limit) r;
  o_is_head := read_rows < p_limit;
  o_upto := CASE WHEN o_is_head THEN settled_seq - 1 ELSE least(last, settled_seq - 1) END;
  IF o_is_head THEN
    SELECT jsonb_agg(jsonb_build_object('asset', a.asset_id, 'sum', a.sum::text, 'balance', a.balance::text))
      INTO o_accounts FROM books_accounts(p_seed) a;
  END IF;
END $function$;

-- Name: books_moved; Type: FUNCTION

CREATE FUNCTION public.books_moved(p_row public.transfers, OUT available bigint, OUT held bigint)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  CASE p_row.kind
    WHEN 'hold' THEN
      available := -p_row.amount;
      held := p_row.amount;
    WHEN 'post' THEN
      SELECT h.amount - p_row.amount, -h.amount INTO available, held FROM transfers h
       WHERE h.transfer_id = p_row.hold_id AND h.kind = 'hold' LIMIT 1;
    WHEN 'release' THEN
      available := p_row.amount;
      held := -p_row.amount;
    ELSE
      available := -p_row.amount;
      held := 0;
  END CASE;
END $function$;

-- Name: books_row_faults; Type: FUNCTION

CREATE FUNCTION public.books_row_faults(p_after bigint, p_upto bigint, p_walks boolean)
 RETURNS TABLE(asset_id smallint, transfer_id uuid, seq bigint, fault text)
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
 SET max_parallel_workers_per_gather TO '0'
AS $function$
  WITH part AS MATERIALIZED (
    SELECT t.*, CASE WHEN t.debit_held IS NULL THEN -greatest(t.amount, 0) ELSE (books_moved(t)).available END AS change,
           CASE WHEN t.debit_held IS NOT NULL THEN (books_moved(t)).held END AS held_change,
           CASE WHEN t.debit_held IS NOT NULL OR (t.amount > 0 AND t.debit_account <> t.credit_account
             AND t.credit_entry > 0 AND t.debit_entry > 0 AND t.credit_available IS NOT NULL AND t.hold_id IS NULL
             AND t.kind IN ('user', 'deposit', 'internal') AND greatest(t.amount, t.debit_available, t.credit_available)
             <= 1152921504606846976) IS NOT TRUE THEN books_fault(t) END AS fault
      FROM transfers t WHERE t.seq > p_after AND t.seq <= p_upto
  ), legs AS (
    SELECT p.asset_id, p.transfer_id, p.seq, p.debit_account AS account_id, p.debit_entry AS entry, p.debit_available AS after,
           p.change, p.debit_prev AS prev FROM part p
    UNION ALL
    SELECT p.asset_id, p.transfer_id, p.seq, p.credit_account, p.credit_entry, p.credit_available, p.amount, p.credit_prev
      FROM part p WHERE p.credit_entry IS NOT NULL
  ), walked AS (
    SELECT *, lag(l.entry) OVER w AS lag_entry, lag(l.after) OVER w AS lag_after, lead(l.entry) OVER w AS next_entry
      FROM legs l WINDOW w AS (PARTITION BY l.account_id ORDER BY l.entry, l.seq)
  ), compared AS (
    SELECT w.*, a.asset_id AS account_asset, a.entries, CASE WHEN w.entry = 1 THEN 0
             WHEN w.lag_entry = w.entry - 1 THEN w.lag_after
             ELSE coalesce((SELECT CASE WHEN t.debit_account = w.account_id THEN t.debit_available ELSE t.credit_available END
                              FROM transfers t WHERE t.seq = w.prev
                               AND ((t.debit_account = w.account_id AND t.debit_entry = w.entry - 1)
                                 OR (t.credit_account = w.account_id AND t.credit_entry = w.entry - 1))),
                           books_balance_after(w.account_id, w.entry - 1)) END AS before
      FROM walked w LEFT JOIN accounts a ON a.account_id = w.account_id
  ), faults AS (
    SELECT p.asset_id, p.transfer_id, p.seq, p.fault FROM part p WHERE p.fault IS NOT NULL
    UNION ALL
    SELECT c.asset_id, c.transfer_id, c.seq, CASE
        WHEN c.account_asset IS NULL THEN format('account %s does not exist', c.account_id)
        WHEN c.account_asset <> c.asset_id THEN format('account %s does not have asset %s', c.account_id, c.asset_id)
        WHEN (p_walks OR c.entry IN (c.lag_entry, c.next_entry)) IS TRUE AND books_is_doubled(c.account_id, c.entry, c.seq)
          THEN format('account %s has another movement with the number %s', c.account_id, c.entry)
        WHEN c.entry > c.entries THEN format('account %s has had only %s movements, and this is its number %s', c.account_id,
          c.entries, c.entry)
        WHEN c.before IS NULL THEN format('before it, movement %s of account %s is missing', c.entry - 1, c.account_id)
        WHEN (c.before::numeric + c.change = c.after) IS NOT TRUE THEN
          format('account %s had %s before it and has %s after it, and it moves %s', c.account_id, c.before, c.after, c.change)
      END FROM compared c
    UNION ALL
    SELECT h.asset_id, h.transfer_id, h.seq, CASE WHEN (h.before::numeric + h.held_change = h.debit_held) IS NOT TRUE THEN
             format('account %s held %s before it and holds %s after it, and it moves %s', h.debit_account, h.before, h.debit_held,
               h.held_change) END
      FROM (SELECT p.*, books_held_before(p.debit_account, p.debit_entry) AS before FROM part p
             WHERE p.debit_held IS NOT NULL) h
  )
  SELECT DISTINCT ON (f.seq) f.asset_id, f.transfer_id, f.seq, f.fault FROM faults f WHERE f.fault IS NOT NULL ORDER BY f.seq
$function$;

-- Name: books_rows; Type: FUNCTION

CREATE FUNCTION public.books_rows(p_seed bigint, p_after bigint, p_upto bigint, p_settled bigint, p_limit bigint)
 RETURNS TABLE(asset_id smallint, rows bigint, last_seq bigint, settled numeric, open numeric, broken bigint[])
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
 SET jit TO 'off'
 SET max_parallel_workers_per_gather TO '0'
AS $function$
  SELECT x.asset_id, count(*), max(x.seq), coalesce(sum(x.hash) FILTER (WHERE x.seq < p_settled), 0),
         coalesce(sum(x.hash) FILTER (WHERE x.seq >= p_settled), 0), array_agg(x.seq) FILTER (WHERE x.is_broken)
    FROM (
      SELECT t.asset_id, t.seq, t.is_broken OR t.is_absurd AS is_broken,
             CASE WHEN t.is_absurd THEN 0 ELSE books_hash(p_seed, t.debit_account, t.debit_entry, t.debit_after)
               - books_hash(p_seed, t.debit_account, t.debit_entry - 1, t.debit_after - t.change)
               + CASE WHEN t.credit_entry IS NULL THEN 0
                   ELSE books_hash(p_seed, t.credit_account, t.credit_entry, t.credit_after)
                     - books_hash(p_seed, t.credit_account, t.credit_entry - 1, t.credit_after - t.amount) END
               + CASE WHEN t.held_after IS NULL THEN 0
                   ELSE books_held_hash(p_seed, t.debit_account, t.held_after)
                     - books_held_hash(p_seed, t.debit_account, t.held_after - t.held_change) END END AS hash
        FROM (
          -- A stored value that cannot be an amount must not make the sum fail. It is reported instead.
          SELECT r.asset_id, r.seq, r.debit_account, r.debit_entry, r.credit_account, r.credit_entry,
                 r.debit_available AS debit_after, r.credit_available AS credit_after, r.debit_held AS held_after, r.amount,
                 (r.amount BETWEEN 1 AND 1152921504606846976
                   AND r.debit_available BETWEEN -1152921504606846976 AND 1152921504606846976
                   AND coalesce(r.credit_available, 0) BETWEEN -1152921504606846976 AND 1152921504606846976
                   AND coalesce(r.debit_held, 0) BETWEEN -1152921504606846976 AND 1152921504606846976) IS NOT TRUE AS is_absurd,
                 CASE WHEN r.debit_held IS NULL THEN -greatest(r.amount, 0) ELSE (books_moved(r)).available END AS change,
                 CASE WHEN r.debit_held IS NOT NULL THEN (books_moved(r)).held END AS held_change,
                 CASE WHEN r.debit_held IS NULL
                   THEN (r.amount > 0 AND r.debit_account <> r.credit_account AND r.credit_entry IS NOT NULL
                     AND r.hold_id IS NULL AND (r.kind = 'user' OR r.kind IN ('deposit', 'internal'))) IS NOT TRUE
                   ELSE books_fault(r) IS NOT NULL END AS is_broken
            FROM transfers r WHERE r.seq > p_after AND r.seq <= p_upto ORDER BY r.seq LIMIT p_limit) t) x
   GROUP BY x.asset_id
$function$;

-- Name: broken_key_limit; Type: FUNCTION

CREATE FUNCTION public.broken_key_limit(p_key uuid, p_pays text, p_left bigint)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  SELECT key_limit_refusal(w.span, w.maximum, p_left, to_timestamp((1 + hours_counted(w.span) + coalesce(
           (SELECT min(s.hour) FROM key_spendings s WHERE s.key_id = p_key AND s.pays = p_pays AND s.spent > 0
               AND s.hour >= b.hour - hours_counted(w.span)), b.hour))::bigint * 3600))
    FROM key_budgets b, LATERAL (VALUES ('day', b.day_limit, b.day_spent), ('month', b.month_limit, b.month_spent))
           AS w(span, maximum, spent)
   WHERE b.key_id = p_key AND b.pays = p_pays AND w.maximum IS NOT NULL
   ORDER BY w.maximum - w.spent LIMIT 1
$function$;

-- Name: broken_limit; Type: FUNCTION

CREATE FUNCTION public.broken_limit(t public.tiers, amount bigint, p_account bigint, p_hour integer, payments integer, spent_day bigint, spent_month bigint)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  SELECT jsonb_build_object('tier', t.name, 'raised_by',
      CASE WHEN t.tier = (SELECT k.tier FROM kyc_tiers k WHERE k.kyc_status = 'approved'
      AND k.currency = t.currency) THEN 'operator' ELSE 'kyc' END)
    || CASE spending_refusal(t, false, amount, payments, spent_day, spent_month, amount, NULL, NULL)
    WHEN 'payment_limit' THEN
      jsonb_build_object('limit', 'payment', 'unit', t.currency, 'maximum', t.payment_limit::text,
        'left', t.payment_limit::text)
    WHEN 'day_limit' THEN
      jsonb_build_object('limit', 'day', 'unit', t.currency, 'maximum', t.day_limit::text,
        'left', greatest(t.day_limit - spent_day, 0)::text, 'resets_at', limit_resets_at(p_account, p_hour, 'day'))
    WHEN 'month_limit' THEN
      jsonb_build_object('limit', 'month', 'unit', t.currency, 'maximum', t.month_limit::text,
        'left', greatest(t.month_limit - spent_month, 0)::text, 'resets_at', limit_resets_at(p_account, p_hour, 'month'))
    WHEN 'count_limit' THEN
      jsonb_build_object('limit', 'count', 'unit', 'payments', 'maximum', t.day_payments::text, 'left', '0',
        'resets_at', limit_resets_at(p_account, p_hour, 'day'))
  END
$function$;

-- Name: bytes_to_number; Type: FUNCTION

CREATE FUNCTION public.bytes_to_number(p_bytes bytea)
 RETURNS numeric
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
DECLARE
  digits text := encode(p_bytes, 'hex');
  number numeric := 0;
BEGIN
  digits := repeat('0', (14 - length(digits) % 14) % 14) || digits;
  FOR i IN 0..length(digits) / 14 - 1 LOOP
    number := number * 72057594037927936 + ('x00' || substr(digits, i * 14 + 1, 14))::bit(64)::bigint;
  END LOOP;
  RETURN number;
END $function$;

-- Name: cancel_after_restore; Type: FUNCTION

CREATE FUNCTION public.cancel_after_restore(p_payment uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('cancel_after_restore', p_payment IS NOT NULL);
  PERFORM refuse_other_operators('cancel');
  -- An authorization of a move that was not started was never signed here: a signer did not answer, or refused.
  IF may_be_signed_elsewhere(p_payment)
    OR EXISTS (SELECT FROM authorizations JOIN coin_moves USING (move_id) WHERE move_id = p_payment AND started_at IS NOT NULL)
  THEN
    RETURN false;
  END IF;
  INSERT INTO coin_moves AS m (move_id, asset_id, wallet_id, purpose, rail, from_address, to_address, amount, reserved,
    started_at, cancel_wanted_at)
  SELECT p_payment, t.asset_id, w.wallet_id, 'send', 'eip3009', w.address, p.destination, coalesce(p.amount, t.amount), 0,
         clock_timestamp(), date_trunc('milliseconds', clock_timestamp())
    FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id AND t.kind = 'hold'
    JOIN wallets w ON w.wallet_id = p.wallet_id
    JOIN assets s ON s.asset_id = t.asset_id
   WHERE p.payment_id = p_payment
     AND w.provider IN (SELECT r.provider FROM wallet_providers r WHERE r.rail = 'eip3009')
     AND may_be_signed(s.network_id, NULL)
  ON CONFLICT (move_id) DO UPDATE SET started_at = coalesce(m.started_at, excluded.started_at),
    cancel_wanted_at = excluded.cancel_wanted_at WHERE m.state = 'open' AND m.cancel_wanted_at IS NULL;
  RETURN FOUND;
END $function$;

-- Name: cancel_at_provider; Type: FUNCTION

CREATE FUNCTION public.cancel_at_provider(p_payment uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('cancel_at_provider', p_payment IS NOT NULL);
  PERFORM refuse_other_operators('cancel');
  IF NOT may_be_handed_over(p_payment) OR may_be_signed_elsewhere(p_payment)
    OR EXISTS (SELECT FROM provider_transfers WHERE move_id = p_payment) THEN
    RETURN false;
  END IF;
  INSERT INTO coin_moves AS m (move_id, asset_id, wallet_id, purpose, rail, from_address, to_address, amount, reserved,
    started_at, cancel_wanted_at)
  SELECT p_payment, t.asset_id, w.wallet_id, 'send', 'provider', w.address, p.destination, coalesce(p.amount, t.amount), 0,
         clock_timestamp(), date_trunc('milliseconds', clock_timestamp())
    FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id AND t.kind = 'hold'
    JOIN wallets w ON w.wallet_id = p.wallet_id
   WHERE p.payment_id = p_payment
  ON CONFLICT (move_id) DO UPDATE SET started_at = coalesce(m.started_at, excluded.started_at),
    cancel_wanted_at = coalesce(m.cancel_wanted_at, excluded.cancel_wanted_at) WHERE m.state = 'open' AND m.rail = 'provider';
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO provider_transfers (move_id, provider, key)
  SELECT p_payment, w.provider, p_payment FROM payments p JOIN wallets w USING (wallet_id) WHERE p.payment_id = p_payment;
  RETURN true;
END $function$;

-- Name: cancel_own_payout; Type: FUNCTION

CREATE FUNCTION public.cancel_own_payout(p_payout uuid, p_key uuid, p_certificate text, p_client inet, OUT outcome text, OUT details jsonb)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  p payouts;
BEGIN
  PERFORM require_arguments('cancel_own_payout', num_nulls(p_payout, p_key) = 0);
  SELECT * INTO p FROM payouts WHERE payout_id = p_payout AND key_id = p_key FOR UPDATE;
  IF p.payout_id IS NULL THEN outcome := 'unknown'; RETURN; END IF;
  details := find_key_refusals(ARRAY[p_key], ARRAY[decode(p_certificate, 'hex')], ARRAY[p_client])->'1';
  IF details IS NOT NULL THEN outcome := 'refused'; RETURN; END IF;
  outcome := 'cancelled';
  IF p.state IN ('stopping', 'cancelled') THEN RETURN; END IF;
  IF stop_payout(p) IS NULL THEN outcome := 'ended'; RETURN; END IF;
  PERFORM write_audit('key:' || p_key, 'payout.cancelled', p.payer_id, jsonb_build_object('payout_id', p_payout));
END $function$;

-- Name: change_answers; Type: FUNCTION

CREATE FUNCTION public.change_answers(p_ids uuid[], p_answers json[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE idempotency_records r SET answer = n.answer
    FROM unnest(p_ids, p_answers) AS n(id, answer) WHERE r.record_id = n.id AND n.answer IS NOT NULL;
  DELETE FROM idempotency_records r USING unnest(p_ids, p_answers) AS n(id, answer)
   WHERE r.record_id = n.id AND n.answer IS NULL;
END $function$;

-- Name: change_key; Type: FUNCTION

CREATE FUNCTION public.change_key(p_key uuid, p_rules jsonb, p_reason text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('change_key', num_nulls(p_key, p_reason) = 0 AND jsonb_typeof(p_rules) = 'object');
  PERFORM require_operator('keys');
  LOCK TABLE key_rules IN EXCLUSIVE MODE;
  PERFORM FROM service_keys WHERE key_id = p_key AND revoked_at IS NULL AND user_id IS NULL FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM write_key_rules(p_key, p_rules, p_reason);
  PERFORM write_audit('operator:' || session_user, 'key.changed', NULL,
    jsonb_build_object('key_id', p_key, 'reason', p_reason, 'may', p_rules));
  RETURN true;
END $function$;

-- Name: charge_key_budgets; Type: FUNCTION

CREATE FUNCTION public.charge_key_budgets(p_keys uuid[], p_pays text[], p_before bigint[], p_left bigint[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF p_keys IS NULL THEN RETURN; END IF;
  UPDATE key_budgets b SET hour_spent = b.hour_spent + u.before - u.left_
    FROM unnest(p_keys, p_pays, p_before, p_left) AS u(key, pays, before, left_)
   WHERE b.key_id = u.key AND b.pays = u.pays AND u.before <> u.left_;
END $function$;

-- Name: check_identity; Type: FUNCTION

CREATE FUNCTION public.check_identity()
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  cluster  text;
  database text := (SELECT oid::text FROM pg_database WHERE datname = current_database());
  home     database_identity;
BEGIN
  PERFORM require_arguments('check_identity', true);
  BEGIN
    SELECT system_identifier::text INTO cluster FROM pg_control_system();
  EXCEPTION WHEN insufficient_privilege OR undefined_function THEN
    cluster := 'unknown';
  END;
  IF NOT EXISTS (SELECT FROM database_identity) THEN
    INSERT INTO database_identity (system_identifier, database_oid) VALUES (cluster, database) ON CONFLICT DO NOTHING;
  END IF;
  -- Takes no lock in the usual case, because anyone who connects may call this.
  SELECT * INTO home FROM database_identity;
  IF (home.system_identifier, home.database_oid) = (cluster, database) THEN RETURN false; END IF;
  SELECT * INTO home FROM database_identity FOR UPDATE;
  IF (home.system_identifier, home.database_oid) = (cluster, database) THEN RETURN false; END IF;
  UPDATE database_identity SET system_identifier = cluster, database_oid = database;
  PERFORM write_restore('this database was copied from another cluster, or from a database of another name', NULL);
  RETURN true;
END $function$;

-- Name: choose_wallets; Type: FUNCTION

CREATE FUNCTION public.choose_wallets(p_fingerprint text, p_provider text, p_accounts jsonb, p_networks jsonb, p_from text, p_rails jsonb)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  bound wallet_seeds;
  is_used boolean;
BEGIN
  PERFORM require_arguments('choose_wallets', num_nulls(p_fingerprint, p_provider) = 0
    AND jsonb_typeof(p_accounts) = 'object' AND jsonb_typeof(p_networks) = 'object' AND jsonb_typeof(p_rails) = 'object');
  INSERT INTO wallet_providers (provider, rail) SELECT key, value FROM jsonb_each_text(p_rails) ON CONFLICT DO NOTHING;
  IF EXISTS (SELECT FROM jsonb_each_text(p_rails) r JOIN wallet_providers p ON p.provider = r.key WHERE p.rail <> r.value)
    OR EXISTS (SELECT FROM (SELECT p_provider AS name UNION SELECT value FROM jsonb_each_text(p_networks)) u
                WHERE NOT EXISTS (SELECT FROM wallet_providers p WHERE p.provider = u.name)) THEN
    RETURN 'rail';
  END IF;
  INSERT INTO wallet_seeds (fingerprint, wallet_provider, accounts, network_wallets)
  VALUES (p_fingerprint, p_provider, p_accounts, p_networks) ON CONFLICT DO NOTHING;
  SELECT * INTO bound FROM wallet_seeds FOR UPDATE;
  IF bound.fingerprint <> p_fingerprint THEN RETURN 'seed'; END IF;
  is_used := EXISTS (SELECT FROM wallets WHERE kind <> 'treasury') OR EXISTS (SELECT FROM holdings WHERE coins > 0);
  IF EXISTS (SELECT FROM jsonb_each_text(p_accounts) a JOIN wallets w ON w.provider = a.key
              WHERE bound.accounts ->> a.key <> a.value) THEN
    RETURN 'account';
  END IF;
  IF is_used AND (bound.wallet_provider NOT IN (p_provider, coalesce(p_from, p_provider))
      OR EXISTS (SELECT FROM networks n WHERE n.wallet_provider NOT IN (
                   coalesce(p_networks ->> n.blockchain, p_provider),
                   coalesce(p_from, p_networks ->> n.blockchain, p_provider)))) THEN
    RETURN 'provider';
  END IF;
  IF (bound.wallet_provider, bound.network_wallets) <> (p_provider, p_networks)
    OR bound.accounts || p_accounts <> bound.accounts THEN
    UPDATE wallet_seeds SET wallet_provider = p_provider, accounts = accounts || p_accounts, network_wallets = p_networks;
    PERFORM schedule_job('wallet', u.user_id::text, now()) FROM users u
     WHERE EXISTS (SELECT FROM (SELECT p_provider AS name, 'evm' AS family
                                 UNION SELECT value, blockchain_family(key) FROM jsonb_each_text(p_networks)) p
                    WHERE (u.user_id, p.name, p.family) NOT IN (
                      SELECT w.user_id, w.provider, w.family FROM wallets w
                       WHERE w.user_id IS NOT NULL AND w.replaced_at IS NULL));
  END IF;
  PERFORM ledger_use_wallets(p_provider, p_networks);
  RETURN NULL;
END $function$;

-- Name: claim_in_order; Type: FUNCTION

CREATE FUNCTION public.claim_in_order(p_endpoint uuid, p_limit integer, p_claim_ms integer)
 RETURNS SETOF public.webhook_deliveries
 LANGUAGE plpgsql
AS $function$
DECLARE
  first text[];
BEGIN
  PERFORM FROM webhook_endpoints e WHERE e.endpoint_id = p_endpoint FOR NO KEY UPDATE;
  first := ARRAY(
    SELECT o.event_id FROM (
      SELECT w.event_id, bool_and(w.due_at <= now()) OVER (ORDER BY w.place) AS is_due FROM (
        SELECT f.event_id, f.place, f.due_at FROM webhook_deliveries f
         WHERE f.endpoint_id = p_endpoint AND f.due_at IS NOT NULL AND NOT f.is_test
         ORDER BY f.place LIMIT p_limit) w) o
     WHERE o.is_due
    UNION ALL
    SELECT t.event_id FROM webhook_deliveries t
     WHERE t.endpoint_id = p_endpoint AND t.due_at <= now() AND t.is_test);
  PERFORM FROM webhook_deliveries d WHERE d.endpoint_id = p_endpoint AND d.event_id = ANY (first)
    ORDER BY d.event_id FOR UPDATE;
  RETURN QUERY
  UPDATE webhook_deliveries d
     SET due_at = clock_timestamp() + p_claim_ms * interval '1 millisecond', attempts = d.attempts + 1
   WHERE d.endpoint_id = p_endpoint AND d.event_id = ANY (first) AND d.due_at IS NOT NULL
  RETURNING d.*;
END $function$;

-- Name: claim_records; Type: FUNCTION

CREATE FUNCTION public.claim_records(p_ids uuid[], p_hashes bytea[], p_answers json[])
 RETURNS TABLE(record_id uuid, outcome text, answer json)
 LANGUAGE plpgsql
 SET lock_timeout TO '200ms'
AS $function$
#variable_conflict use_column
DECLARE
  claimed  uuid[] := '{}';
  found_id uuid;
  u        record;
BEGIN
  BEGIN
    WITH inserted AS (
      INSERT INTO idempotency_records (record_id, request_hash, answer)
      SELECT n.id, n.hash, n.answer FROM unnest(p_ids, p_hashes, p_answers) AS n(id, hash, answer) ORDER BY n.id
      ON CONFLICT (record_id) DO NOTHING RETURNING record_id
    )
    SELECT coalesce(array_agg(record_id), '{}') INTO claimed FROM inserted;
  EXCEPTION WHEN lock_not_available THEN
    -- At least one is in progress. Claiming them one at a time shows which.
    PERFORM set_config('lock_timeout', '20ms', true);
    FOR u IN SELECT n.* FROM unnest(p_ids, p_hashes, p_answers) AS n(id, hash, answer) ORDER BY n.id LOOP
      BEGIN
        INSERT INTO idempotency_records (record_id, request_hash, answer) VALUES (u.id, u.hash, u.answer)
        ON CONFLICT (record_id) DO NOTHING RETURNING record_id INTO found_id;
        IF FOUND THEN claimed := claimed || found_id; END IF;
      EXCEPTION WHEN lock_not_available THEN
        record_id := u.id;
        outcome := 'in_progress';
        RETURN NEXT;
      END;
    END LOOP;
  END;
  IF cardinality(claimed) = cardinality(p_ids) THEN RETURN; END IF;
  RETURN QUERY
    SELECT r.record_id, CASE WHEN r.request_hash = n.hash THEN 'replayed' ELSE 'mismatch' END,
           CASE WHEN r.request_hash = n.hash THEN r.answer END
      FROM unnest(p_ids, p_hashes) AS n(id, hash) JOIN idempotency_records r ON r.record_id = n.id
     WHERE n.id <> ALL (claimed);
END $function$;

-- Name: claim_unexplained; Type: FUNCTION

CREATE FUNCTION public.claim_unexplained(p_move uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  m        coin_moves;
  u        unexplained_moves;
  chain    bigint;
  receiver bigint;
  given    uuid;
BEGIN
  PERFORM require_arguments('claim_unexplained', p_move IS NOT NULL);
  PERFORM FROM payments WHERE payment_id = p_move FOR NO KEY UPDATE;
  SELECT * INTO m FROM coin_moves WHERE move_id = p_move;
  u := find_claimed(m);
  IF u.tx_hash IS NULL THEN RETURN NULL; END IF;
  -- An operator may be importing it at this moment.
  PERFORM FROM unexplained_moves o
    WHERE (o.asset_id, o.tx_hash, o.log_index) = (u.asset_id, u.tx_hash, u.log_index) FOR UPDATE;
  u := find_claimed(m);
  IF u.tx_hash IS NULL OR u.to_wallet IS NULL AND EXISTS (
    SELECT FROM wallets w WHERE w.family = 'evm' AND lower(w.address) = lower(u.to_address)
       AND NOT is_credited_transfer(u.asset_id, u.tx_hash, u.log_index, u.amount, w.wallet_id)) THEN
    RETURN NULL;
  END IF;
  -- No one paid by a settlement. What an operator has imported as a payment stays a payment.
  IF m.purpose = 'settlement' AND EXISTS (SELECT FROM payments WHERE payment_id = u.imported_as) THEN RETURN NULL; END IF;

  chain := ledger_open_house_account(m.asset_id, 'chain');
  receiver := ledger_account_of_wallet(m.asset_id, u.to_wallet);
  PERFORM ledger_lock_accounts(ARRAY[chain, ledger_open_house_account(m.asset_id, 'loss'),
    ledger_account_of_wallet(m.asset_id, m.wallet_id)] || receiver);
  PERFORM end_claimed(p_move, u);
  IF m.purpose = 'send' THEN
    PERFORM post_holds(ARRAY[p_move]);
    PERFORM payments_advance(ARRAY[p_move], ARRAY['COMPLETE'], ARRAY[u.tx_hash], NULL, NULL);
    given := give_back_import(u);
    IF given IS NULL AND receiver IS NOT NULL THEN PERFORM credit_import(u, chain, receiver); END IF;
  END IF;
  PERFORM explain_claimed(u, p_move, given);
  RETURN p_move;
END $function$;

-- Name: close_account; Type: FUNCTION

CREATE FUNCTION public.close_account(p_user uuid, p_name_days integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  closed   timestamptz;
  money    record;
  payments bigint;
  requests bigint;
  payouts_ bigint;
  p        payouts;
BEGIN
  PERFORM require_arguments('close_account', p_user IS NOT NULL AND p_name_days BETWEEN 0 AND 3660);
  SELECT closed_at INTO STRICT closed FROM users WHERE user_id = p_user FOR NO KEY UPDATE;
  IF closed IS NOT NULL THEN RETURN '{"code": "account.closed"}'; END IF;
  PERFORM FROM accounts WHERE user_id = p_user ORDER BY account_id FOR NO KEY UPDATE;
  SELECT coalesce(sum(a.available), 0) AS available, coalesce(sum(a.held), 0) AS held,
         (SELECT coalesce(sum(d.amount - d.collected), 0) FROM debts d JOIN accounts x USING (account_id)
           WHERE x.user_id = p_user AND d.collected < d.amount) AS owed
    INTO money FROM accounts a WHERE a.user_id = p_user;
  -- Holds that have not ended, and coins that have arrived but are not final. LIMIT makes this one lookup per hold: as an
  -- anti-join it would read all transfers where they have no statistics.
  payments := (SELECT count(*) FROM accounts a JOIN transfers t ON t.debit_account = a.account_id AND t.kind = 'hold'
                WHERE a.user_id = p_user AND a.held > 0
                  AND (SELECT e.transfer_id FROM transfers e WHERE e.hold_id = t.transfer_id LIMIT 1) IS NULL)
            + (SELECT count(*) FROM owner_wallets w JOIN pending_deposits d USING (wallet_id, asset_id) WHERE w.user_id = p_user);
  requests := (SELECT count(*) FROM money_requests
                WHERE (asker_id = p_user OR payer_id = p_user) AND state = 'open' AND expires_at > clock_timestamp());
  -- A payout that is being stopped starts nothing more. Its sends are holds, which are counted above.
  payouts_ := (SELECT count(*) FROM payouts WHERE payer_id = p_user AND state IN ('approving', 'running', 'waiting'));
  IF money.available > 0 OR money.held > 0 OR money.owed > 0 OR payments > 0 OR requests > 0 OR payouts_ > 0 THEN
    RETURN jsonb_build_object('code', 'account.not_empty', 'details', jsonb_build_object(
      'available', money.available::text, 'held', money.held::text, 'owed', money.owed::text,
      'open_payments', payments, 'open_requests', requests, 'open_payouts', payouts_));
  END IF;
  FOR p IN SELECT * FROM payouts WHERE payer_id = p_user AND state = 'checked' ORDER BY payout_id FOR UPDATE LOOP
    PERFORM stop_payout(p);
    PERFORM write_audit('user:' || p_user, 'payout.cancelled', p_user, jsonb_build_object('payout_id', p.payout_id));
  END LOOP;
  UPDATE users SET closed_at = date_trunc('milliseconds', clock_timestamp()) WHERE user_id = p_user;
  UPDATE sessions SET ended_at = now(), ended_because = 'revoked' WHERE user_id = p_user AND ended_at IS NULL;
  PERFORM FROM service_keys WHERE user_id = p_user AND revoked_at IS NULL ORDER BY key_id FOR NO KEY UPDATE;
  UPDATE service_keys SET revoked_at = now() WHERE user_id = p_user AND revoked_at IS NULL;
  UPDATE usernames SET redirect_until = now() + make_interval(days => p_name_days)
   WHERE user_id = p_user AND redirect_until IS NULL;
  PERFORM forget_passkeys(p_user);
  PERFORM pause_payments('user:' || p_user, 'closed', 'the account is closed', 'accepting', 'user:' || p_user);
  PERFORM write_audit('user:' || p_user, 'account.closed', p_user, '{}');
  RETURN NULL;
END $function$;

-- Name: collect_debt; Type: FUNCTION

CREATE FUNCTION public.collect_debt(p_payment uuid)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  debt  debts;
  asset smallint;
  loss  bigint;
  part  bigint;
BEGIN
  PERFORM require_arguments('collect_debt', p_payment IS NOT NULL);
  PERFORM refuse_other_operators('custody');
  SELECT * INTO debt FROM debts WHERE payment_id = p_payment FOR UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  SELECT asset_id INTO asset FROM accounts WHERE account_id = debt.account_id;
  loss := ledger_open_house_account(asset, 'loss');
  PERFORM ledger_lock_accounts(ARRAY[debt.account_id, loss]);
  SELECT least(available, debt.amount - debt.collected) INTO part FROM accounts WHERE account_id = debt.account_id;
  IF part > 0 THEN
    PERFORM ledger_apply(gen_random_uuid(), 'internal', debt.account_id, loss, part, NULL, p_payment::text);
    UPDATE debts SET collected = collected + part WHERE payment_id = p_payment;
  END IF;
  RETURN part;
END $function$;

-- Name: commit_signatures; Type: FUNCTION

CREATE FUNCTION public.commit_signatures(p_moves uuid[], p_nonces bytea[], p_valid_before bigint, p_signatures bytea[], p_day_limit bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
BEGIN
  PERFORM require_arguments('commit_signatures',
    p_valid_before > 0 AND coalesce(p_day_limit, 0) >= 0 AND is_list(p_moves, cardinality(p_moves))
    AND array_position(p_moves, NULL) IS NULL AND is_list(p_nonces, cardinality(p_moves))
    AND is_list(p_signatures, cardinality(p_moves)));
  -- Concurrent signers would each count only their own signatures; `ask_transfer` takes the same locks.
  PERFORM FROM assets WHERE asset_id IN (SELECT asset_id FROM coin_moves WHERE move_id = ANY (p_moves))
    ORDER BY asset_id FOR NO KEY UPDATE;
  IF EXISTS (SELECT FROM pauses p WHERE p.stops = 'accepting and signing' AND p.scope = ANY (
       SELECT unnest(ARRAY['all', 'chain', 'chain:' || n.blockchain])
         FROM coin_moves m JOIN assets USING (asset_id) JOIN networks n USING (network_id) WHERE m.move_id = ANY (p_moves)))
  THEN
    RAISE EXCEPTION 'signing is paused'
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'signatures_while_not_paused';
  END IF;
  INSERT INTO signed_hours AS h (asset_id, hour, amount)
  SELECT m.asset_id, date_trunc('hour', clock_timestamp()), sum(m.amount)
    FROM coin_moves m
   WHERE m.move_id = ANY (p_moves) AND m.purpose = 'send'
     AND NOT EXISTS (SELECT FROM signatures s WHERE s.move_id = m.move_id)
   GROUP BY m.asset_id ORDER BY m.asset_id
  ON CONFLICT (asset_id, hour) DO UPDATE SET amount = h.amount + excluded.amount;
  IF EXISTS (SELECT FROM coin_moves m
              WHERE m.move_id = ANY (p_moves) AND m.purpose = 'send'
                AND NOT EXISTS (SELECT FROM signatures s WHERE s.move_id = m.move_id)
                AND p_day_limit < signed_in_a_day(m.asset_id))
  THEN
    RAISE EXCEPTION 'more than the signer may sign in 24 hours'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'signatures_within_day_limit';
  END IF;
  PERFORM record_signatures(p_moves, p_nonces, p_valid_before, p_signatures);
END $function$;

-- Name: confirm_payout; Type: FUNCTION

CREATE FUNCTION public.confirm_payout(p_payout uuid, p_key uuid, p_count integer, p_total bigint, p_threshold bigint, p_certificate text, p_client inet, OUT outcome text, OUT details jsonb)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  p      payouts;
  at     timestamptz := date_trunc('milliseconds', clock_timestamp());
  needed smallint;
  to_pay bigint;
  above  bigint;
BEGIN
  PERFORM require_arguments('confirm_payout',
    num_nulls(p_payout, p_key) = 0 AND p_count >= 0 AND p_total >= 0 AND coalesce(p_threshold, 0) >= 0);
  -- The payer is locked first: `close_account` locks them before it counts and cancels their payouts.
  PERFORM FROM users WHERE user_id = (SELECT payer_id FROM payouts WHERE payout_id = p_payout AND key_id = p_key) FOR SHARE;
  SELECT * INTO p FROM payouts WHERE payout_id = p_payout AND key_id = p_key FOR UPDATE;
  IF p.payout_id IS NULL THEN outcome := 'unknown'; RETURN; END IF;
  details := find_key_refusals(ARRAY[p_key], ARRAY[decode(p_certificate, 'hex')], ARRAY[p_client])->'1';
  IF details IS NOT NULL THEN outcome := 'refused'; RETURN; END IF;
  IF (p.row_count - p.known_count, p.total - p.known_total) IS DISTINCT FROM (p_count, p_total) THEN
    outcome := 'mismatch';
    details := jsonb_build_object('count', p.row_count - p.known_count, 'total', (p.total - p.known_total)::text);
    RETURN;
  END IF;
  IF p.state = 'cancelled' OR p.state = 'stopping' THEN
    outcome := 'ended'; details := jsonb_build_object('state', p.state);
    RETURN;
  END IF;
  outcome := 'confirmed';
  IF p.state <> 'checked' THEN RETURN; END IF;
  IF EXISTS (SELECT FROM users WHERE user_id = p.payer_id AND closed_at IS NOT NULL) THEN
    outcome := 'refused'; details := '{"code": "account.closed", "details": {}}';
    RETURN;
  END IF;

  -- One subquery per row instead of a join, for which the planner may read all names.
  UPDATE payout_items i
     SET state = 'failed', error = jsonb_build_object('details', '{}'::jsonb, 'code', CASE
           WHEN EXISTS (SELECT FROM username_owner(i.username, at)) THEN 'username.other_owner' ELSE 'username.unknown' END)
   WHERE i.payout_id = p_payout AND i.user_id IS NOT NULL
     AND i.user_id IS DISTINCT FROM (SELECT o FROM username_owner(i.username, at) o);
  SELECT coalesce(sum(i.amount), 0) INTO to_pay FROM payout_items i
   WHERE i.payout_id = p_payout AND i.state = 'ready' AND NOT EXISTS (SELECT FROM transfers_by_id(ARRAY[i.payment_id]));
  -- The person agrees to the whole payout, once; its rows do not ask again. Under the lock of the account, where the amount is
  -- written.
  above := (SELECT a.passkey_above FROM accounts a WHERE a.user_id = p.payer_id AND a.asset_id = home_asset_of(p.currency) FOR SHARE);
  IF to_pay > above AND NOT use_proof(p.payer_id, jsonb_build_object('do', 'payout', 'payout', p_payout, 'total', to_pay::text)) THEN
    outcome := 'refused';
    details := ledger_refusal('passkey', jsonb_build_object('above', above::text));
    RETURN;
  END IF;
  needed := CASE WHEN to_pay >= least(p_threshold, (SELECT s.approval_threshold FROM send_rules s)) THEN 2 ELSE 0 END;
  UPDATE payouts
     SET state = CASE needed WHEN 0 THEN 'running' ELSE 'approving' END, confirmed_at = at,
         waits_until = at + interval '3 days', approvals_needed = needed, certificate = decode(p_certificate, 'hex'),
         client = p_client
   WHERE payout_id = p_payout;
  IF needed = 0 THEN PERFORM schedule_job('payout', p_payout::text, NULL); END IF;
  PERFORM write_audit('key:' || p_key, 'payout.confirmed', p.payer_id,
    jsonb_build_object('payout_id', p_payout, 'rows', p_count, 'total', p_total::text));
END $function$;

-- Name: confirm_restore; Type: FUNCTION

CREATE FUNCTION public.confirm_restore(p_kind text)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  confirmed integer;
BEGIN
  PERFORM require_arguments('confirm_restore', p_kind IN ('keys', 'sessions'));
  PERFORM require_operator('keys');
  IF p_kind = 'keys' THEN
    UPDATE restores SET keys_confirmed_at = clock_timestamp(), keys_confirmed_by = session_user
     WHERE keys_confirmed_at IS NULL;
  ELSIF p_kind = 'sessions' THEN
    UPDATE restores SET sessions_confirmed_at = clock_timestamp(), sessions_confirmed_by = session_user
     WHERE sessions_confirmed_at IS NULL;
  ELSE
    RAISE EXCEPTION 'the kind must be keys or sessions, not %', p_kind USING ERRCODE = 'invalid_parameter_value';
  END IF;
  GET DIAGNOSTICS confirmed = ROW_COUNT;
  RETURN confirmed;
END $function$;

-- Name: count_approvals; Type: FUNCTION

CREATE FUNCTION public.count_approvals(p_id uuid)
 RETURNS integer
 LANGUAGE sql
 STABLE
AS $function$
  SELECT count(*)::integer FROM approvals a
    JOIN operators o ON o.name = a.operator AND o.role IN ('admin', 'risk') AND o.added_at <= a.approved_at
   WHERE a.payment_id = p_id
$function$;

-- Name: count_drift; Type: FUNCTION

CREATE FUNCTION public.count_drift(p_asset smallint, p_wallet uuid, p_amount bigint)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
DECLARE
  rest    bigint := p_amount;
  part    bigint;
  one     record;
  wallets uuid[] := ARRAY (
    SELECT substr(d.subject, 8)::uuid FROM drifts d
     WHERE d.asset_id = p_asset AND sign(d.difference) = sign(p_amount) AND d.looks >= 2
       AND CASE WHEN p_wallet IS NULL THEN d.subject LIKE 'wallet %' ELSE d.subject = 'wallet ' || p_wallet END
     ORDER BY d.subject);
BEGIN
  IF wallets = '{}' THEN RETURN false; END IF;
  INSERT INTO holdings (asset_id, wallet_id) SELECT p_asset, id FROM unnest(wallets) AS w(id) ON CONFLICT DO NOTHING;
  PERFORM FROM holdings WHERE asset_id = p_asset AND wallet_id = ANY (wallets) ORDER BY wallet_id FOR NO KEY UPDATE;
  -- Read again after the locks, because they may have been counted meanwhile.
  PERFORM FROM drifts d WHERE d.asset_id = p_asset AND d.subject = ANY (SELECT 'wallet ' || w.id FROM unnest(wallets) AS w(id))
    ORDER BY d.subject FOR UPDATE;
  IF (SELECT coalesce(abs(sum(d.difference)), 0) FROM drifts d JOIN unnest(wallets) AS w(id) ON d.subject = 'wallet ' || w.id
       WHERE d.asset_id = p_asset AND sign(d.difference) = sign(p_amount)) < abs(p_amount) THEN
    RETURN false;
  END IF;
  FOR one IN
    SELECT d.subject, d.difference::bigint AS difference, w.id FROM drifts d JOIN unnest(wallets) AS w(id) ON d.subject = 'wallet ' || w.id
     WHERE d.asset_id = p_asset AND sign(d.difference) = sign(p_amount) ORDER BY w.id
  LOOP
    EXIT WHEN rest = 0;
    part := CASE WHEN p_amount > 0 THEN least(rest, one.difference) ELSE greatest(rest, one.difference) END;
    PERFORM give_way(p_asset, one.id, -part);
    UPDATE holdings SET coins = coins + part WHERE asset_id = p_asset AND wallet_id = one.id;
    UPDATE drifts SET difference = difference - part WHERE asset_id = p_asset AND subject = one.subject;
    rest := rest - part;
  END LOOP;
  DELETE FROM drifts WHERE asset_id = p_asset AND difference = 0;
  PERFORM wake_sends(p_asset, wallets);
  RETURN true;
END $function$;

-- Name: count_name_change; Type: FUNCTION

CREATE FUNCTION public.count_name_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM ledger_next_names_epoch();
  RETURN NULL;
END $function$;

-- Name: count_payout_approvals; Type: FUNCTION

CREATE FUNCTION public.count_payout_approvals(p_payout uuid)
 RETURNS integer
 LANGUAGE sql
 STABLE
AS $function$
  SELECT count(*)::integer FROM payout_approvals a
    JOIN operators o ON o.name = a.operator AND o.role IN ('admin', 'risk') AND o.added_at <= a.approved_at
   WHERE a.payout_id = p_payout
$function$;

-- Name: count_refund; Type: FUNCTION

CREATE FUNCTION public.count_refund()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  original record;
  movement transfers;
  giver    bigint;
BEGIN
  IF TG_OP = 'UPDATE' AND (OLD.booked_at IS NOT NULL OR OLD.denied_at IS NOT NULL
    OR (NEW.booked_at IS NULL AND NEW.denied_at IS NULL)
    OR (OLD.refund_id, OLD.payment_id, OLD.source, OLD.amount, OLD.reason, OLD.proposed_by, OLD.proposed_at)
    IS DISTINCT FROM
       (NEW.refund_id, NEW.payment_id, NEW.source, NEW.amount, NEW.reason, NEW.proposed_by, NEW.proposed_at)) THEN
    RAISE EXCEPTION 'a decision about a refund cannot change' USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.booked_at IS NULL THEN RETURN NEW; END IF;
  SELECT * INTO original FROM paid_by(NEW.payment_id);
  SELECT * INTO movement FROM transfers_by_id(ARRAY[NEW.refund_id]);
  giver := CASE NEW.source WHEN 'receiver' THEN original.payee ELSE (SELECT account_id FROM accounts
    WHERE kind = 'treasury' AND accounts.asset_id = original.asset_id AND user_id IS NULL) END;
  IF (movement.kind, movement.debit_account, movement.credit_account, movement.amount)
    IS DISTINCT FROM ('user', giver, original.payer, NEW.amount) THEN
    RAISE EXCEPTION 'a refund without its movement is refused'
      USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'refunds_of_movements';
  END IF;
  INSERT INTO refund_totals AS total (payment_id, paid, refunded) VALUES (NEW.payment_id, original.amount, NEW.amount)
  ON CONFLICT (payment_id) DO UPDATE SET refunded = total.refunded + excluded.refunded;
  RETURN NEW;
END $function$;

-- Name: counted_approvals; Type: FUNCTION

CREATE FUNCTION public.counted_approvals(p public.payments)
 RETURNS SETOF public.approvals
 LANGUAGE sql
 STABLE
AS $function$
  SELECT a.* FROM approvals a
    LEFT JOIN operators o ON o.name = a.operator AND o.role IN ('admin', 'risk') AND o.added_at <= a.approved_at
   WHERE a.payment_id = p.payment_id AND (o.name IS NOT NULL
      OR EXISTS (SELECT FROM payment_events e WHERE e.payment_id = p.payment_id AND e.state = 'CLEARED'))
   ORDER BY a.approved_at DESC LIMIT p.approvals_needed
$function$;

-- Name: create_account_key; Type: FUNCTION

CREATE FUNCTION public.create_account_key(p_user uuid, p_session uuid, p_key uuid, p_hash bytea, p_name text, p_scopes text[], p_expires timestamp with time zone, p_clients inet[], p_payment bigint, p_day bigint, p_month bigint)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  most CONSTANT integer := 20;
  may jsonb;
BEGIN
  PERFORM require_arguments('create_account_key',
    num_nulls(p_user, p_session, p_key, p_hash, p_name) = 0 AND is_list(p_scopes, cardinality(p_scopes))
    AND array_position(p_scopes, NULL) IS NULL AND coalesce(p_expires > clock_timestamp(), true)
    AND (p_clients IS NULL OR is_list(p_clients, cardinality(p_clients)) AND cardinality(p_clients) BETWEEN 1 AND 20
         AND array_position(p_clients, NULL) IS NULL)
    AND is_amount(VARIADIC array_remove(ARRAY[p_payment, p_day, p_month], NULL))
    AND (NOT p_scopes && ARRAY['own:pay', 'own:payouts'] OR num_nulls(p_payment, p_day) = 0));
  IF (SELECT closed_at FROM users WHERE user_id = p_user FOR SHARE) IS NOT NULL THEN
    RETURN '{"code": "account.closed", "details": {}}';
  END IF;
  LOCK TABLE key_rules IN EXCLUSIVE MODE;
  IF (proved_at(p_user, p_session) > clock_timestamp() - interval '5 minutes') IS NOT TRUE THEN
    RETURN '{"code": "auth.old_login", "details": {}}';
  END IF;
  IF (SELECT count(*) FROM service_keys k WHERE k.user_id = p_user AND account_key_works(k.key_id)) >= most THEN
    RETURN jsonb_build_object('code', 'key.too_many', 'details', jsonb_build_object('maximum', most::text));
  END IF;
  -- A host's address with a prefix means its network.
  may := jsonb_build_object('any_person', false, 'users', jsonb_build_array(p_user), 'wallets', '[]'::jsonb, 'treasury', NULL,
    'expires_at', p_expires, 'clients',
    CASE WHEN p_clients IS NOT NULL THEN to_jsonb(ARRAY(SELECT network(c)::text FROM unnest(p_clients) AS c)) END,
    'people', jsonb_build_object('payment', p_payment::text, 'day', p_day::text, 'month', p_month::text));
  INSERT INTO service_keys (key_id, name, hash, scopes, user_id) VALUES (p_key, p_name, p_hash, p_scopes, p_user);
  PERFORM write_key_rules(p_key, may, NULL);
  PERFORM write_audit('user:' || p_user, 'key.created', p_user,
    jsonb_build_object('key_id', p_key, 'name', p_name, 'scopes', array_to_string(p_scopes, ' '), 'may', may));
  RETURN NULL;
END $function$;

-- Name: create_key; Type: FUNCTION

CREATE FUNCTION public.create_key(p_key uuid, p_name text, p_hash bytea, p_scopes text[], p_rules jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('create_key',
    num_nulls(p_key, p_name, p_hash) = 0 AND jsonb_typeof(p_rules) = 'object'
    AND is_list(p_scopes, cardinality(p_scopes)) AND array_position(p_scopes, NULL) IS NULL);
  PERFORM require_operator('keys');
  INSERT INTO service_keys (key_id, name, hash, scopes) VALUES (p_key, p_name, p_hash, p_scopes);
  PERFORM write_key_rules(p_key, p_rules, NULL);
  PERFORM write_audit('operator:' || session_user, 'key.created', NULL,
    jsonb_build_object('key_id', p_key, 'name', p_name, 'scopes', array_to_string(p_scopes, ' '), 'may', p_rules));
END $function$;

-- Name: create_payout; Type: FUNCTION

CREATE FUNCTION public.create_payout(p_payout jsonb, p_rows jsonb, p_file bytea)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  wanted  new_payout := jsonb_populate_record(NULL::new_payout, p_payout);
  items   new_payout_row[] := ARRAY(SELECT r FROM jsonb_populate_recordset(NULL::new_payout_row, p_rows) AS r);
  n       integer := cardinality(items);
  home    smallint := home_asset_of(wanted.currency);
  people  uuid[];
  refusal jsonb;
BEGIN
  PERFORM require_arguments('create_payout', num_nulls(wanted.key, wanted.id, wanted.currency, p_file, wanted.on_shortage, wanted.known_count,
    wanted.known_total) = 0 AND n BETWEEN 1 AND 10000
    AND (SELECT bool_and(is_amount(r.amount) IS TRUE) FROM unnest(items) AS r));
  -- Until the commit, the payer cannot close their account: closing cancels the payouts that it finds.
  IF (SELECT closed_at FROM users WHERE user_id = wanted.payer FOR SHARE) IS NOT NULL THEN
    RETURN '{"refusal": {"code": "account.closed", "details": {}}}';
  END IF;
  refusal := find_key_refusals(ARRAY[wanted.key], ARRAY[decode(wanted.certificate, 'hex')], ARRAY[wanted.client])->'1';
  IF refusal IS NOT NULL THEN RETURN jsonb_build_object('refusal', refusal); END IF;
  SELECT jsonb_object_agg(o.nth, o.refusal) INTO refusal
    FROM (SELECT array_agg(r.blockchain ORDER BY r.ordinality) AS blockchains,
                 array_agg(r.destination ORDER BY r.ordinality) AS destinations,
                 array_agg(r.amount ORDER BY r.ordinality) AS amounts
            FROM unnest(items) WITH ORDINALITY AS r) a,
         find_key_objections(array_fill(wanted.key, ARRAY[n]), a.blockchains, a.destinations,
                             array_fill(wanted.wallet, ARRAY[n]), array_fill(wanted.payer, ARRAY[n]), a.amounts) o;
  IF refusal IS NOT NULL THEN RETURN jsonb_build_object('rows', refusal); END IF;

  INSERT INTO payouts (payout_id, key_id, payer_id, on_shortage, row_count, total, known_count, known_total, created_at,
    currency)
  VALUES (wanted.id, wanted.key, wanted.payer, wanted.on_shortage, n, (SELECT sum(r.amount) FROM unnest(items) AS r),
          wanted.known_count, wanted.known_total, date_trunc('milliseconds', clock_timestamp()), wanted.currency);
  INSERT INTO payout_files (payout_id, content_type, content, hash)
  VALUES (wanted.id, wanted.content_type, p_file, sha256(p_file));
  INSERT INTO payout_items (payout_id, nth, payment_id, reference, username, user_id, destination, blockchain, amount, note)
  SELECT wanted.id, r.ordinality, r.id, r.reference, r.username, r.person, r.destination, r.blockchain, r.amount, r.note
    FROM unnest(items) WITH ORDINALITY AS r ORDER BY r.ordinality;
  -- Opens accounts for people who pay or are paid. Only the missing ones, because a lookup is cheaper than opening.
  people := ARRAY(SELECT i.user_id FROM payout_items i WHERE i.payout_id = wanted.id AND i.user_id IS NOT NULL
                     AND (SELECT 1 FROM accounts a WHERE a.user_id = i.user_id AND a.asset_id = home) IS NULL);
  PERFORM ledger_open_user_accounts(home, people || wanted.payer);
  IF wanted.payer IS NULL THEN PERFORM ledger_open_house_account(home, 'treasury'); END IF;
  PERFORM write_audit('key:' || wanted.key, 'payout.checked', wanted.payer, jsonb_build_object('payout_id', wanted.id));
  RETURN NULL;
END $function$;

-- Name: credentials_from; Type: FUNCTION

CREATE FUNCTION public.credentials_from(p_kind text)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
  SELECT coalesce(max(noted_at), '-infinity') FROM restores
   WHERE CASE p_kind WHEN 'keys' THEN keys_confirmed_at WHEN 'sessions' THEN sessions_confirmed_at END IS NULL
$function$;

-- Name: credit_deposits; Type: FUNCTION

CREATE FUNCTION public.credit_deposits(p_asset smallint, p_ids uuid[])
 RETURNS uuid[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  ids       uuid[] := p_ids;
  receivers bigint[];
  amounts   bigint[];
  senders   text[];
  taken     record;
BEGIN
  PERFORM require_arguments('credit_deposits',
    p_asset IS NOT NULL AND is_list(p_ids, cardinality(p_ids)) AND array_position(p_ids, NULL) IS NULL);
  IF p_ids = '{}' THEN RETURN p_ids; END IF;
  FOR taken IN
    SELECT t.transfer_id, gen_random_uuid() AS instead FROM transfers_by_id(p_ids) t WHERE t.kind <> 'deposit'
  LOOP
    UPDATE deposits SET transfer_id = taken.instead WHERE transfer_id = taken.transfer_id AND asset_id = p_asset;
    ids := array_replace(ids, taken.transfer_id, taken.instead);
  END LOOP;
  SELECT array_agg(d.receiver ORDER BY d.n), array_agg(d.amount ORDER BY d.n), array_agg(d.sender ORDER BY d.n)
    INTO receivers, amounts, senders
    FROM (SELECT u.n, d.amount, nullif(d.from_address, '') AS sender, CASE WHEN w.user_id IS NULL
                   THEN (SELECT account_id FROM accounts WHERE kind = 'treasury' AND asset_id = p_asset AND user_id IS NULL)
                   ELSE (SELECT account_id FROM accounts WHERE user_id = w.user_id AND asset_id = p_asset) END AS receiver
            FROM unnest(ids) WITH ORDINALITY AS u(id, n)
            JOIN deposits d ON d.transfer_id = u.id AND d.asset_id = p_asset AND d.state = 'credited'
            JOIN wallets w USING (wallet_id)) d;
  IF cardinality(array_remove(receivers, NULL)) IS DISTINCT FROM cardinality(ids) THEN
    PERFORM refuse_call('credit_deposits');
  END IF;
  PERFORM ledger_deposit(p_asset, ids, receivers, amounts, senders);
  RETURN ids;
END $function$;

-- Name: credit_import; Type: FUNCTION

CREATE FUNCTION public.credit_import(p_move public.unexplained_moves, p_chain bigint, p_receiver bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  sender text := (SELECT address FROM wallets WHERE wallet_id = p_move.wallet_id);
BEGIN
  INSERT INTO deposits (asset_id, tx_hash, wallet_id, ordinal, from_address, amount, block_number, block_hash,
    log_index, transfer_id)
  VALUES (p_move.asset_id, p_move.tx_hash, p_move.to_wallet, p_move.ordinal, sender, p_move.amount, p_move.block_number,
    coalesce(p_move.block_hash, ''), p_move.log_index, p_move.deposit_id);
  IF (SELECT outcome FROM ledger_apply(p_move.deposit_id, 'deposit', p_chain, p_receiver, p_move.amount, NULL, sender))
     IS DISTINCT FROM 'applied' THEN
    RAISE EXCEPTION 'the id of deposit % belongs to another movement', p_move.deposit_id USING ERRCODE = 'unique_violation';
  END IF;
END $function$;

-- Name: decide_payout_rows; Type: FUNCTION

CREATE FUNCTION public.decide_payout_rows(p public.payouts, p_rows integer[], p_outcomes text[], p_said jsonb[])
 RETURNS jsonb
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
  ends text[] := CASE WHEN payout_is_late(p) THEN ARRAY['short', 'wait'] WHEN p.on_shortage = 'fail' THEN ARRAY['short'] ELSE '{}' END;
BEGIN
  UPDATE payout_items i SET state = CASE WHEN u.outcome = ANY (ends) THEN 'failed' ELSE u.outcome END,
         error = CASE WHEN u.outcome = ANY (ends) OR u.outcome = 'failed' THEN u.said END
    FROM unnest(p_rows, p_outcomes, p_said) AS u(nth, outcome, said)
   WHERE i.payout_id = p.payout_id AND i.nth = u.nth AND i.state = 'ready'
     AND (u.outcome IN ('paid', 'sent', 'failed') OR u.outcome = ANY (ends));
  RETURN (SELECT u.said FROM unnest(p_rows, p_outcomes, p_said) AS u(nth, outcome, said)
           WHERE u.outcome IN ('short', 'wait', 'stay') AND u.outcome <> ALL (ends) ORDER BY u.nth LIMIT 1);
END $function$;

-- Name: decimal_amount; Type: FUNCTION

CREATE FUNCTION public.decimal_amount(p_amount bigint)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT trim_scale(p_amount::numeric / 1000000)::text
$function$;

-- Name: deny_payout; Type: FUNCTION

CREATE FUNCTION public.deny_payout(p_payout uuid, p_reason text)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  p payouts;
BEGIN
  PERFORM require_arguments('deny_payout', num_nulls(p_payout, p_reason) = 0);
  PERFORM require_operator('approve');
  SELECT * INTO p FROM payouts WHERE payout_id = p_payout FOR UPDATE;
  IF p.payout_id IS NULL THEN RETURN 'unknown'; END IF;
  IF stop_payout(p) IS NULL THEN RETURN 'ended'; END IF;
  PERFORM write_audit('operator:' || session_user, 'payout.denied', p.payer_id,
    jsonb_build_object('payout_id', p_payout, 'reason', p_reason));
  RETURN 'denied';
END $function$;

-- Name: deny_refund; Type: FUNCTION

CREATE FUNCTION public.deny_refund(p_id uuid, p_reason text, OUT outcome text, OUT details jsonb, OUT amount bigint)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  asked refunds;
BEGIN
  PERFORM require_arguments('deny_refund', num_nulls(p_id, p_reason) = 0);
  PERFORM refuse_unnamed(session_user);
  -- Waits for an approval of the same refund, which locks this row before it books.
  PERFORM FROM refund_totals WHERE payment_id = (SELECT payment_id FROM refunds WHERE refund_id = p_id) FOR UPDATE;
  SELECT * INTO asked FROM refunds WHERE refund_id = p_id AND source = 'treasury';
  outcome := CASE WHEN asked.refund_id IS NULL THEN 'unknown' WHEN asked.booked_at IS NOT NULL THEN 'before' ELSE 'denied' END;
  amount := asked.amount;
  IF outcome <> 'denied' OR asked.denied_at IS NOT NULL THEN RETURN; END IF;
  UPDATE refunds SET denied_by = session_user, denied_at = date_trunc('milliseconds', clock_timestamp())
   WHERE refund_id = p_id;
  PERFORM forget_notes_of(ARRAY[p_id]);
  PERFORM write_audit('operator:' || session_user, 'refund.denied', NULL,
    jsonb_build_object('refund_id', p_id, 'payment_id', asked.payment_id, 'amount', asked.amount::text, 'reason', p_reason));
END $function$;

-- Name: derived_id; Type: FUNCTION

CREATE FUNCTION public.derived_id(p_words text)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  SELECT encode(substring(set_byte(set_byte(h, 6, (get_byte(h, 6) & 15) | 64), 8, (get_byte(h, 8) & 63) | 128) FOR 16), 'hex')::uuid
    FROM sha256(convert_to(p_words, 'UTF8')) AS h
$function$;

-- Name: describe_key; Type: FUNCTION

CREATE FUNCTION public.describe_key(p_key uuid)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  SELECT jsonb_build_object(
    'any_person', r.any_person,
    'users', (SELECT coalesce(jsonb_agg(p.user_id ORDER BY p.user_id), '[]') FROM key_payers p
               WHERE p.key_id = p_key AND p.user_id IS NOT NULL),
    'wallets', (SELECT coalesce(jsonb_agg(p.wallet_id ORDER BY p.wallet_id), '[]') FROM key_payers p
                 WHERE p.key_id = p_key AND p.wallet_id IS NOT NULL),
    'blockchains', to_jsonb(r.blockchains),
    'destinations', CASE WHEN NOT r.any_destination THEN
      (SELECT coalesce(jsonb_agg(jsonb_build_array(d.first_address, d.last_address)
                                 ORDER BY d.first_address, d.last_address), '[]')
         FROM key_destinations d WHERE d.key_id = p_key) END,
    'expires_at', to_char(r.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'certificate', encode(r.certificate, 'hex'),
    'clients', to_jsonb(r.client_ranges),
    'people', (SELECT jsonb_build_object('payment', b.payment_limit::text, 'day', b.day_limit::text,
                                         'month', b.month_limit::text)
                 FROM key_budgets b WHERE b.key_id = p_key AND b.pays = 'people'),
    'treasury', (SELECT jsonb_build_object('payment', b.payment_limit::text, 'day', b.day_limit::text,
                                           'month', b.month_limit::text)
                   FROM key_budgets b WHERE b.key_id = p_key AND b.pays = 'treasury' AND b.allowed))
    FROM key_rules r WHERE r.key_id = p_key
$function$;

-- Name: end_claimed; Type: FUNCTION

CREATE FUNCTION public.end_claimed(p_move uuid, u public.unexplained_moves)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM FROM holdings WHERE asset_id = u.asset_id AND wallet_id IN (u.wallet_id, u.to_wallet)
    ORDER BY wallet_id FOR NO KEY UPDATE;
  UPDATE coin_moves SET state = 'open', tx_hash = NULL, block_number = NULL
   WHERE move_id = u.imported_as AND purpose = 'settlement' AND state = 'done';
  UPDATE coin_moves SET state = 'dead' WHERE move_id = u.imported_as AND purpose = 'settlement' AND state = 'open';
  UPDATE coin_moves SET state = 'done', reserved = 0, tx_hash = u.tx_hash, block_number = u.block_number
   WHERE move_id = p_move AND state = 'open';
END $function$;

-- Name: end_credentials; Type: FUNCTION

CREATE FUNCTION public.end_credentials(p_user uuid, OUT o_sessions integer, OUT o_keys integer)
 RETURNS record
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
BEGIN
  LOCK TABLE key_rules IN EXCLUSIVE MODE;
  PERFORM FROM accounts WHERE user_id = p_user ORDER BY account_id FOR NO KEY UPDATE;
  -- In the order of their ids, so that two who do this at the same time do not deadlock.
  PERFORM FROM sessions WHERE user_id = p_user AND ended_at IS NULL AND expires_at > now() ORDER BY session_id FOR UPDATE;
  UPDATE sessions SET ended_at = now(), ended_because = 'revoked'
   WHERE user_id = p_user AND ended_at IS NULL AND expires_at > now();
  GET DIAGNOSTICS o_sessions = ROW_COUNT;
  PERFORM FROM service_keys WHERE user_id = p_user AND revoked_at IS NULL ORDER BY key_id FOR NO KEY UPDATE;
  UPDATE service_keys SET revoked_at = now() WHERE user_id = p_user AND revoked_at IS NULL;
  GET DIAGNOSTICS o_keys = ROW_COUNT;
END $function$;

-- Name: end_money_request; Type: FUNCTION

CREATE FUNCTION public.end_money_request(p_request uuid, p_caller uuid, p_state text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  r  money_requests;
  at timestamptz;
BEGIN
  PERFORM require_arguments('end_money_request', num_nulls(p_request, p_caller) = 0 AND p_state IN ('declined', 'cancelled'));
  SELECT * INTO r FROM money_requests WHERE request_id = p_request FOR UPDATE;
  IF NOT FOUND OR NOT (r.by_link OR p_caller IN (r.asker_id, r.payer_id)) THEN
    RETURN '{"code": "money_request.unknown"}';
  END IF;
  IF p_state = 'cancelled' AND p_caller <> r.asker_id OR p_state = 'declined' AND (r.by_link OR p_caller <> r.payer_id) THEN
    RETURN '{"code": "auth.forbidden"}';
  END IF;
  IF r.state = p_state THEN RETURN NULL; END IF;
  at := date_trunc('milliseconds', clock_timestamp());
  IF r.state <> 'open' OR r.expires_at <= at THEN
    RETURN jsonb_build_object('code', 'money_request.ended', 'details',
      jsonb_build_object('state', CASE r.state WHEN 'open' THEN 'expired' ELSE r.state END));
  END IF;
  UPDATE money_requests SET state = p_state, ended_at = at WHERE request_id = p_request;
  RETURN NULL;
END $function$;

-- Name: end_passkey_removal; Type: FUNCTION

CREATE FUNCTION public.end_passkey_removal(p_user uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('end_passkey_removal', p_user IS NOT NULL);
  PERFORM refuse_other_operators('approve');
  PERFORM FROM users WHERE user_id = p_user FOR NO KEY UPDATE;
  DELETE FROM passkey_removals WHERE user_id = p_user;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM tell_of_passkey(CASE WHEN is_operator_login() THEN 'operator:' || session_user ELSE 'user:' || p_user END, p_user,
    'passkey.removal_ended', '{}');
  RETURN true;
END $function$;

-- Name: end_sessions; Type: FUNCTION

CREATE FUNCTION public.end_sessions(p_user uuid, p_reason text)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  ended record;
BEGIN
  PERFORM require_arguments('end_sessions', num_nulls(p_user, p_reason) = 0);
  PERFORM require_operator('sessions');
  ended := end_credentials(p_user);
  PERFORM write_audit('operator:' || session_user, 'sessions.ended', p_user,
    jsonb_build_object('sessions', ended.o_sessions, 'keys', ended.o_keys, 'reason', p_reason));
  RETURN ended.o_sessions;
END $function$;

-- Name: end_unexplained; Type: FUNCTION

CREATE FUNCTION public.end_unexplained(p_move public.unexplained_moves, p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE unexplained_moves SET imported_as = p_id
   WHERE asset_id = p_move.asset_id AND tx_hash = p_move.tx_hash AND log_index = p_move.log_index;
  PERFORM resume_payments('chain:' || n.blockchain, 'unexplained')
     FROM assets s JOIN networks n USING (network_id)
    WHERE s.asset_id = p_move.asset_id AND NOT EXISTS (SELECT FROM unexplained_moves o JOIN assets USING (asset_id)
      WHERE assets.network_id = n.network_id AND o.imported_as IS NULL);
  PERFORM resume_payments('chain:' || n.blockchain, 'drift')
     FROM assets s JOIN networks n USING (network_id)
    WHERE s.asset_id = p_move.asset_id AND n.family <> 'evm' AND NOT EXISTS (SELECT FROM drifts d JOIN assets USING (asset_id)
      WHERE assets.network_id = n.network_id AND d.difference < 0);
END $function$;

-- Name: end_unexplained_at; Type: FUNCTION

CREATE FUNCTION public.end_unexplained_at(p_asset smallint, p_tx_hash text, p_log_index integer, p_settlement uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('end_unexplained_at', num_nulls(p_asset, p_tx_hash, p_log_index, p_settlement) = 0);
  PERFORM end_unexplained(u, p_settlement) FROM unexplained_moves u JOIN coin_moves m ON m.move_id = p_settlement
    WHERE u.asset_id = p_asset AND u.tx_hash = p_tx_hash AND u.log_index = p_log_index AND u.imported_as IS NULL
      AND m.purpose = 'settlement' AND m.amount = u.amount AND m.wallet_id = u.wallet_id;
END $function$;

-- Name: end_unstarted; Type: FUNCTION

CREATE FUNCTION public.end_unstarted(p_move uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  m coin_moves;
BEGIN
  PERFORM require_arguments('end_unstarted', p_move IS NOT NULL);
  PERFORM refuse_other_operators('cancel');
  SELECT * INTO m FROM coin_moves WHERE move_id = p_move;
  IF m.started_at IS NOT NULL THEN RETURN false; END IF;
  IF may_be_handed_over(p_move) OR EXISTS (SELECT FROM transfers t JOIN assets s USING (asset_id)
              WHERE t.transfer_id = p_move AND t.kind = 'hold' AND may_be_signed(s.network_id, NULL)) THEN
    RAISE EXCEPTION 'payment % may have been signed before this database was restored', p_move
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'moves_from_before_a_restore';
  END IF;
  IF m.move_id IS NULL THEN RETURN true; END IF;
  PERFORM FROM holdings WHERE asset_id = m.asset_id AND wallet_id = m.wallet_id FOR NO KEY UPDATE;
  UPDATE coin_moves SET state = 'dead', reserved = 0 WHERE move_id = p_move AND state = 'open' AND started_at IS NULL;
  RETURN FOUND;
END $function$;

-- Name: event_before; Type: FUNCTION

CREATE FUNCTION public.event_before(p_at timestamp with time zone)
 RETURNS TABLE(seq bigint, event_id text, type text, at timestamp with time zone, subject_id uuid, people uuid[], is_wanted boolean)
 LANGUAGE plpgsql
 STABLE
AS $function$
#variable_conflict use_column
DECLARE
  -- Everything up to `low` is before the time; the first event after `high`, if there is one, is not.
  low    bigint := 0;
  high   bigint := coalesce((SELECT l.seq FROM last_event() l), 0);
  middle bigint;
  found_ record;
BEGIN
  WHILE low < high LOOP
    middle := low + (high - low) / 2;
    SELECT e.seq, e.at INTO found_ FROM read_events(middle, NULL, 1, 1) e;
    IF found_.seq IS NOT NULL AND found_.seq <= high AND found_.at < p_at THEN low := found_.seq;
    ELSE high := middle; END IF;
  END LOOP;
  RETURN QUERY SELECT e.* FROM find_event(low) e;
END $function$;

-- Name: event_id; Type: FUNCTION

CREATE FUNCTION public.event_id(p_seq bigint, p_type text, p_subject uuid, p_at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  SELECT 'evt_' || lpad(to_hex(p_seq), 16, '0')
    || lpad(to_hex(floor(extract(epoch FROM p_at) * 1000)::bigint), 11, '0')
    || encode(substring(sha256(convert_to(p_type || ' ' || p_subject, 'UTF8')) FROM 1 FOR 4), 'hex')
$function$;

-- Name: event_sources; Type: FUNCTION

CREATE FUNCTION public.event_sources(p_types text[])
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT array_remove(ARRAY[
    CASE WHEN p_types IS NULL OR p_types && ARRAY['payment.complete', 'refund.complete', 'deposit.complete',
           'correction.complete', 'debt.complete']
         THEN 'transfers' END,
    CASE WHEN p_types IS NULL OR EXISTS (SELECT FROM unnest(p_types) t WHERE t LIKE 'payment.%')
         THEN 'payment_events' END,
    CASE WHEN p_types IS NULL OR EXISTS (SELECT FROM unnest(p_types) t WHERE t LIKE 'request.%')
         THEN 'money_request_events' END,
    CASE WHEN p_types IS NULL OR EXISTS (SELECT FROM unnest(p_types) t WHERE t LIKE 'kyc.%') THEN 'kyc_events' END,
    CASE WHEN p_types IS NULL OR EXISTS (SELECT FROM unnest(p_types) t WHERE t LIKE 'payout.%')
         THEN 'payout_events' END,
    CASE WHEN p_types IS NULL OR EXISTS (SELECT FROM unnest(p_types) t WHERE t LIKE 'key.%' OR t LIKE 'passkey.%')
         THEN 'key_events' END], NULL)
$function$;

-- Name: events_held_since; Type: FUNCTION

CREATE FUNCTION public.events_held_since()
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  settled bigint := ledger_settled_seq();
BEGIN
  RETURN (SELECT min(first.at) FROM (
    (SELECT t.created_at AS at FROM transfers t WHERE t.seq >= settled AND (t.kind IN ('user', 'deposit') OR (t.kind = 'internal'
         AND EXISTS (SELECT FROM accounts a WHERE a.account_id IN (t.debit_account, t.credit_account) AND a.user_id IS NOT NULL)))
      ORDER BY t.seq LIMIT 1)
    UNION ALL (SELECT p.at FROM payment_events p WHERE p.seq >= settled ORDER BY p.seq LIMIT 1)
    UNION ALL (SELECT m.at FROM money_request_events m WHERE m.seq >= settled ORDER BY m.seq LIMIT 1)
    UNION ALL (SELECT k.at FROM kyc_events k WHERE k.seq >= settled ORDER BY k.seq LIMIT 1)
    UNION ALL (SELECT o.at FROM payout_events o WHERE o.seq >= settled ORDER BY o.seq LIMIT 1)
    UNION ALL (SELECT e.at FROM key_events e WHERE e.seq >= settled ORDER BY e.seq LIMIT 1)) first);
END $function$;

-- Name: expire_money_requests; Type: FUNCTION

CREATE FUNCTION public.expire_money_requests(p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  at   timestamptz := clock_timestamp();
  done integer;
BEGIN
  PERFORM require_arguments('expire_money_requests', p_limit > 0);
  UPDATE money_requests m SET state = 'expired', ended_at = at
    FROM (SELECT request_id FROM money_requests WHERE state = 'open' AND expires_at <= at
           ORDER BY expires_at LIMIT p_limit FOR UPDATE SKIP LOCKED) due
   WHERE m.request_id = due.request_id;
  GET DIAGNOSTICS done = ROW_COUNT;
  RETURN done;
END $function$;

-- Name: explain_claimed; Type: FUNCTION

CREATE FUNCTION public.explain_claimed(u public.unexplained_moves, p_move uuid, p_given uuid)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE unexplained_moves o
     SET first_imported_as = CASE WHEN p_given IS NOT NULL THEN u.imported_as END, given_back = p_given
   WHERE (o.asset_id, o.tx_hash, o.log_index) = (u.asset_id, u.tx_hash, u.log_index);
  PERFORM end_unexplained(u, p_move);
END $function$;

-- Name: explain_loss; Type: FUNCTION

CREATE FUNCTION public.explain_loss(p_asset smallint, p_tx_hash text, p_log_index integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  m     unexplained_moves;
  loss  bigint;
  chain bigint;
  id    uuid := gen_random_uuid();
BEGIN
  PERFORM require_arguments('explain_loss', num_nulls(p_asset, p_tx_hash, p_log_index) = 0);
  PERFORM refuse_other_operators('custody');
  chain := ledger_open_house_account(p_asset, 'chain');
  loss := ledger_open_house_account(p_asset, 'loss');
  SELECT * INTO m FROM unexplained_moves WHERE asset_id = p_asset AND tx_hash = p_tx_hash AND log_index = p_log_index
     AND imported_as IS NULL AND to_wallet IS NULL FOR UPDATE;
  IF NOT FOUND OR is_forgotten_settlement(m) THEN RETURN false; END IF;
  PERFORM ledger_lock_accounts(ARRAY[loss, chain]);
  PERFORM ledger_apply(id, 'internal', loss, chain, m.amount, NULL, NULL);
  PERFORM end_unexplained(m, id);
  RETURN true;
END $function$;

-- Name: explain_move; Type: FUNCTION

CREATE FUNCTION public.explain_move(p_move public.unexplained_moves, p_payment uuid)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  known forgotten_nonces;
BEGIN
  SELECT * INTO known FROM forgotten_nonces
   WHERE asset_id = p_move.asset_id AND tx_hash = p_move.tx_hash AND log_index = p_move.log_index;
  -- Another payment with the same Idempotency-Key may have the nonce. That payment is not this move and can never
  -- happen.
  IF FOUND AND NOT EXISTS (SELECT FROM authorizations WHERE nonce = known.nonce) THEN
    INSERT INTO coin_moves (move_id, asset_id, wallet_id, purpose, rail, from_address, to_address, amount, reserved, state,
      started_at, tx_hash, block_number)
    SELECT p_payment, p_move.asset_id, p_move.wallet_id, 'send', 'eip3009', w.address, p_move.to_address, p_move.amount, 0,
           'done', clock_timestamp(), p_move.tx_hash, p_move.block_number
      FROM wallets w WHERE w.wallet_id = p_move.wallet_id;
    INSERT INTO authorizations (move_id, nonce, carried) VALUES (p_payment, known.nonce, true);
  END IF;
  PERFORM end_unexplained(p_move, p_payment);
END $function$;

-- Name: explain_settlement; Type: FUNCTION

CREATE FUNCTION public.explain_settlement(p_asset smallint, p_tx_hash text, p_log_index integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  m          unexplained_moves;
  known      forgotten_nonces;
  settlement uuid := gen_random_uuid();
  move       uuid := gen_random_uuid();
BEGIN
  PERFORM require_arguments('explain_settlement', num_nulls(p_asset, p_tx_hash, p_log_index) = 0);
  PERFORM refuse_other_operators('custody');
  SELECT * INTO m FROM unexplained_moves WHERE asset_id = p_asset AND tx_hash = p_tx_hash AND log_index = p_log_index
     AND imported_as IS NULL AND to_wallet IS NOT NULL FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  SELECT * INTO known FROM forgotten_nonces
   WHERE asset_id = p_asset AND tx_hash = p_tx_hash AND log_index = p_log_index;
  -- The nonce of a settlement ends with the settlement's id.
  IF is_settlement_nonce(known.nonce) THEN move := encode(substring(known.nonce FROM 17), 'hex')::uuid; END IF;
  INSERT INTO settlements (settlement_id, asset_id, completed_at)
  VALUES (settlement, p_asset, date_trunc('milliseconds', clock_timestamp()));
  INSERT INTO coin_moves (move_id, asset_id, wallet_id, purpose, settlement_id, to_wallet, rail, from_address, to_address,
    amount, reserved, state, started_at, tx_hash, block_number)
  SELECT move, p_asset, m.wallet_id, 'settlement', settlement, m.to_wallet,
         CASE WHEN known.nonce IS NULL THEN 'provider' ELSE 'eip3009' END, w.address, m.to_address, m.amount, 0, 'done',
         clock_timestamp(), m.tx_hash, m.block_number
    FROM wallets w WHERE w.wallet_id = m.wallet_id;
  IF known.nonce IS NOT NULL THEN
    INSERT INTO authorizations (move_id, nonce, carried) VALUES (move, known.nonce, true);
  END IF;
  PERFORM end_unexplained(m, move);
  RETURN true;
END $function$;

-- Name: fill_amount; Type: FUNCTION

CREATE FUNCTION public.fill_amount()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  NEW.amount := (SELECT t.amount FROM transfers t WHERE t.transfer_id = NEW.payment_id AND t.kind = 'hold') - NEW.fee;
  RETURN NEW;
END $function$;

-- Name: find_claimed; Type: FUNCTION

CREATE FUNCTION public.find_claimed(m public.coin_moves)
 RETURNS public.unexplained_moves
 LANGUAGE sql
 STABLE
AS $function$
  SELECT u FROM unexplained_moves u
   WHERE m.state = 'open' AND u.asset_id = m.asset_id AND u.wallet_id = m.wallet_id AND u.amount = m.amount
     AND address_key(u.to_address) = address_key(m.to_address) AND u.log_index >= 0
     AND CASE m.rail
           WHEN 'provider' THEN EXISTS (SELECT FROM provider_transfers p
                                         WHERE p.move_id = m.move_id AND p.provider_id IS NOT NULL AND p.tx_hash = u.tx_hash)
           WHEN 'eip3009' THEN EXISTS (SELECT FROM authorizations a JOIN forgotten_nonces f USING (nonce)
                                        WHERE a.move_id = m.move_id AND f.kind = 'used'
                                          AND (f.asset_id, f.tx_hash, f.log_index) = (u.asset_id, u.tx_hash, u.log_index))
           ELSE false END
     AND NOT EXISTS (SELECT FROM provider_transfers o WHERE o.move_id = u.imported_as)
     AND NOT EXISTS (SELECT FROM authorizations o WHERE o.move_id = u.imported_as)
   ORDER BY u.log_index LIMIT 1
$function$;

-- Name: find_event; Type: FUNCTION

CREATE FUNCTION public.find_event(p_seq bigint)
 RETURNS TABLE(seq bigint, event_id text, type text, at timestamp with time zone, subject_id uuid, people uuid[], is_wanted boolean)
 LANGUAGE sql
 STABLE
AS $function$
  SELECT e.* FROM read_events(p_seq - 1, NULL, 1, 1) e WHERE e.seq = p_seq
$function$;

-- Name: find_funding_wallet; Type: FUNCTION

CREATE FUNCTION public.find_funding_wallet(p_asset smallint, p_wallet uuid, p_username text, p_person uuid, OUT wallet_id uuid, OUT address text, OUT user_id uuid, OUT refusal text)
 RETURNS record
 LANGUAGE sql
 STABLE
AS $function$
  SELECT wallet_id, address, user_id, refusal
    FROM find_funding_wallets(ARRAY[p_asset], ARRAY[p_wallet], ARRAY[p_username], ARRAY[p_person])
$function$;

-- Name: find_funding_wallets; Type: FUNCTION

CREATE FUNCTION public.find_funding_wallets(p_assets smallint[], p_wallets uuid[], p_usernames text[], p_people uuid[])
 RETURNS TABLE(wallet_id uuid, address text, user_id uuid, username text, refusal text)
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT w.wallet_id, w.address, o.user_id,
           CASE WHEN n.redirect_until IS NULL AND n.username IS NOT NULL THEN n.username
                ELSE (SELECT x.username FROM usernames x WHERE x.user_id = o.user_id AND x.redirect_until IS NULL) END,
           CASE WHEN w.wallet_id IS NOT NULL THEN NULL
                -- The signer has not created it yet.
                WHEN s.person IS NOT NULL THEN 'wallet.pending'
                WHEN s.wallet IS NOT NULL THEN 'wallet.unknown'
                WHEN s.username IS NOT NULL THEN 'username.unknown' ELSE 'wallet.unspecified' END
      FROM unnest(p_assets, p_wallets, p_usernames, p_people) WITH ORDINALITY AS s(asset_id, wallet, username, person, nth)
      LEFT JOIN wallets g ON g.wallet_id = s.wallet
      LEFT JOIN usernames n ON s.wallet IS NULL AND n.username = s.username
            AND (n.redirect_until IS NULL OR n.redirect_until > now())
     CROSS JOIN LATERAL (SELECT coalesce(s.person, g.user_id, n.user_id) AS user_id) o
      LEFT JOIN LATERAL (
        SELECT x.wallet_id, x.address FROM owner_wallets x WHERE x.asset_id = s.asset_id AND x.user_id = o.user_id
        UNION ALL
        SELECT x.wallet_id, x.address FROM owner_wallets x WHERE o.user_id IS NULL
           AND (s.wallet IS NULL OR g.wallet_id IS NOT NULL) AND (s.wallet IS NOT NULL OR s.username IS NULL)
           AND x.asset_id = s.asset_id AND x.kind = 'treasury'
      ) w ON true
     ORDER BY s.nth;
END $function$;

-- Name: find_key_objections; Type: FUNCTION

CREATE FUNCTION public.find_key_objections(p_keys uuid[], p_blockchains text[], p_destinations text[], p_wallets uuid[], p_payers uuid[], p_amounts bigint[])
 RETURNS TABLE(nth integer, refusal jsonb)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
BEGIN
  IF NOT EXISTS (SELECT FROM key_rules WHERE key_id = ANY (p_keys)) THEN RETURN; END IF;
  RETURN QUERY
    SELECT o.n::integer, CASE WHEN o.what = 'limit'
             THEN key_limit_refusal('payment', o.payment_limit, o.payment_limit, NULL)
             ELSE jsonb_build_object('code', 'key.not_allowed', 'details', jsonb_build_object('what', o.what)) END
      FROM (SELECT p.n, b.payment_limit, CASE
                WHEN p.blockchain <> ALL (k.blockchains) THEN 'blockchain'
                WHEN p.payer IS NULL AND NOT b.allowed THEN 'treasury'
                WHEN p.payer IS NOT NULL AND NOT k.any_person AND NOT EXISTS (SELECT FROM key_payers w
                       WHERE w.key_id = p.key_id AND (w.user_id = p.payer OR w.wallet_id = p.wallet)) THEN 'wallet'
                WHEN NOT k.any_destination AND NOT EXISTS (SELECT FROM key_destinations d WHERE d.key_id = p.key_id
                       AND lower(p.destination) COLLATE "C" BETWEEN d.first_address AND d.last_address
                       AND length(p.destination) = length(d.first_address)) THEN 'destination'
                WHEN p.amount > b.payment_limit THEN 'limit' END AS what
              FROM unnest(p_keys, p_blockchains, p_destinations, p_wallets, p_payers, p_amounts) WITH ORDINALITY
                   AS p(key_id, blockchain, destination, wallet, payer, amount, n)
              JOIN key_rules k ON k.key_id = p.key_id
              JOIN key_budgets b ON b.key_id = p.key_id
                                AND b.pays = CASE WHEN p.payer IS NULL THEN 'treasury' ELSE 'people' END) o
     WHERE o.what IS NOT NULL;
END $function$;

-- Name: find_key_refusals; Type: FUNCTION

CREATE FUNCTION public.find_key_refusals(p_keys uuid[], p_certificates bytea[], p_clients inet[])
 RETURNS jsonb
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  keys uuid[] := ARRAY(SELECT DISTINCT u.id FROM unnest(p_keys) AS u(id) WHERE u.id IS NOT NULL ORDER BY 1);
BEGIN
  IF keys = '{}' THEN RETURN NULL; END IF;
  LOCK TABLE key_rules IN ROW SHARE MODE;
  -- A separate statement, so that it sees what was committed while the previous one waited for the locks.
  RETURN (
    WITH doubtful AS MATERIALIZED (
      SELECT d.id, s.scopes, s.user_id, r.certificate, r.client_ranges, CASE
               WHEN s.key_id IS NULL THEN 'unknown'
               WHEN s.revoked_at IS NOT NULL OR s.created_at
                 < (SELECT credentials_from(CASE WHEN s.user_id IS NULL THEN 'keys' ELSE 'account_keys' END)) THEN 'revoked'
               WHEN r.expires_at <= clock_timestamp() THEN 'expired' END AS reason
        FROM unnest(keys) AS d(id) LEFT JOIN service_keys s ON s.key_id = d.id LEFT JOIN key_rules r ON r.key_id = d.id
    )
    SELECT jsonb_object_agg(p.n, CASE
             WHEN k.reason IS NOT NULL
               THEN jsonb_build_object('code', 'auth.invalid', 'details', jsonb_build_object('reason', k.reason))
             WHEN k.certificate IS NOT NULL AND k.certificate IS DISTINCT FROM p.certificate
               THEN '{"code": "auth.invalid", "details": {"reason": "certificate"}}'
             WHEN k.client_ranges IS NOT NULL
                  AND NOT EXISTS (SELECT FROM unnest(k.client_ranges) AS range WHERE p.client <<= range)
               THEN '{"code": "auth.invalid", "details": {"reason": "address"}}'
             ELSE jsonb_build_object('code', 'auth.scope', 'details',
                      jsonb_build_object('scope', CASE WHEN k.user_id IS NULL THEN 'send' ELSE 'pay' END)) END)
      FROM doubtful k
           JOIN unnest(p_keys, p_certificates, p_clients) WITH ORDINALITY AS p(key_id, certificate, client, n) ON p.key_id = k.id
     WHERE k.reason IS NOT NULL OR NOT ARRAY['send', 'payouts', 'own:pay', 'own:payouts'] && k.scopes
        OR k.certificate IS NOT NULL AND k.certificate IS DISTINCT FROM p.certificate
        OR k.client_ranges IS NOT NULL
           AND NOT EXISTS (SELECT FROM unnest(k.client_ranges) AS range WHERE p.client <<= range));
END $function$;

-- Name: find_pause; Type: FUNCTION

CREATE FUNCTION public.find_pause(VARIADIC p_scopes text[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  -- Every pause stops accepting payments, so `stops` does not matter.
  RETURN (SELECT pause_words(scope, cause) FROM pauses WHERE scope = ANY (p_scopes) ORDER BY scope, paused_at LIMIT 1);
END $function$;

-- Name: finish_passkey_removal; Type: FUNCTION

CREATE FUNCTION public.finish_passkey_removal(p_user uuid)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  begun passkey_removals;
BEGIN
  PERFORM require_arguments('finish_passkey_removal', p_user IS NOT NULL);
  PERFORM refuse_unnamed(session_user);
  PERFORM FROM users WHERE user_id = p_user FOR NO KEY UPDATE;
  SELECT * INTO begun FROM passkey_removals WHERE user_id = p_user FOR UPDATE;
  IF begun.user_id IS NULL THEN RETURN 'unknown'; END IF;
  PERFORM refuse_unnamed(begun.begun_by, begun.begun_at);
  IF begun.begun_by = session_user THEN
    RAISE EXCEPTION 'the operator who began this removal cannot finish it'
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'passkey_removals_two_people';
  END IF;
  IF begun.due_at > clock_timestamp() THEN RETURN 'waits'; END IF;
  DELETE FROM passkey_removals WHERE user_id = p_user;
  PERFORM end_credentials(p_user);
  PERFORM forget_passkeys(p_user);
  PERFORM tell_of_passkey('operator:' || session_user, p_user, 'passkey.removed',
    jsonb_build_object('reason', begun.reason, 'begun_by', begun.begun_by));
  RETURN 'removed';
END $function$;

-- Name: follow_carried; Type: FUNCTION

CREATE FUNCTION public.follow_carried()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  IF TG_TABLE_NAME = 'carrier_calls' THEN
    UPDATE authorizations SET carried = is_carried(move_id)
     WHERE move_id = NEW.move_id AND carried <> is_carried(move_id);
  ELSIF TG_TABLE_NAME = 'coin_moves' THEN
    UPDATE authorizations SET carried = true WHERE move_id = NEW.move_id AND NOT carried;
  ELSIF NEW.state <> OLD.state THEN
    UPDATE authorizations a SET carried = NOT a.carried
      FROM carrier_calls l JOIN coin_moves m USING (move_id)
     WHERE l.carrier_id = NEW.carrier_id AND a.move_id = l.move_id
       AND a.carried <> (m.state <> 'open' OR is_carried(a.move_id));
  END IF;
  RETURN NULL;
END $function$;

-- Name: follow_events; Type: FUNCTION

CREATE FUNCTION public.follow_events(p_users uuid[], p_after bigint, p_limit integer, p_scanned integer)
 RETURNS TABLE(seq bigint, event_id text, type text, at timestamp with time zone, subject_id uuid, people uuid[], is_wanted boolean)
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
DECLARE
  settled bigint := ledger_settled_seq();
  places  bigint[];
  last    bigint;
BEGIN
  SELECT max(n.seq) INTO last FROM (
    SELECT f.seq FROM feed f WHERE f.seq > p_after AND f.seq < settled ORDER BY f.seq LIMIT p_scanned) n;
  IF last IS NULL THEN RETURN; END IF;
  places := own_places(p_users, p_after, last, p_limit);
  -- If it found as many as requested, the next call continues after the last of these.
  IF cardinality(places) < p_limit THEN places := array_remove(places, last) || last; END IF;
  RETURN QUERY
  SELECT f.seq, event_id(f.seq, f.type, f.subject_id, f.at), f.type, f.at, f.subject_id, f.people, f.people && p_users
    FROM feed f WHERE f.seq = ANY (places) ORDER BY f.seq;
END $function$;

-- Name: follow_kyc; Type: FUNCTION

CREATE FUNCTION public.follow_kyc()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM FROM kyc_tiers WHERE kyc_status = NEW.kyc_status ORDER BY currency FOR SHARE;
  PERFORM FROM accounts WHERE user_id = NEW.user_id ORDER BY account_id FOR NO KEY UPDATE;
  UPDATE accounts a SET tier = k.tier FROM assets s JOIN kyc_tiers k ON k.currency = s.symbol
   WHERE a.user_id = NEW.user_id AND s.asset_id = a.asset_id AND k.kyc_status = NEW.kyc_status;
  RETURN NULL;
END $function$;

-- Name: follow_kyc_tier; Type: FUNCTION

CREATE FUNCTION public.follow_kyc_tier()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO kyc_tier_changes (kyc_status, before, after, changed_by, reason)
  VALUES (NEW.kyc_status, CASE WHEN TG_OP = 'UPDATE' THEN OLD.tier END, NEW.tier,
    coalesce(nullif(current_setting('florin.actor', true), ''), session_user),
    nullif(current_setting('florin.reason', true), ''));
  PERFORM FROM accounts a JOIN users u USING (user_id) JOIN assets s USING (asset_id)
    WHERE u.kyc_status = NEW.kyc_status AND s.symbol = NEW.currency ORDER BY a.account_id FOR NO KEY UPDATE OF a;
  UPDATE accounts a SET tier = NEW.tier FROM users u, assets s
   WHERE u.user_id = a.user_id AND s.asset_id = a.asset_id AND s.symbol = NEW.currency AND u.kyc_status = NEW.kyc_status
     AND a.tier <> NEW.tier;
  RETURN NULL;
END $function$;

-- Name: follow_nonce; Type: FUNCTION

CREATE FUNCTION public.follow_nonce()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  UPDATE relayers SET next_nonce = NEW.nonce + 1
   WHERE relayer_id = NEW.relayer_id AND coalesce(next_nonce, first_nonce) <= NEW.nonce;
  RETURN NULL;
END $function$;

-- Name: follow_wallet; Type: FUNCTION

CREATE FUNCTION public.follow_wallet()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  assets_owed smallint[];
BEGIN
  IF NEW.user_id IS NULL THEN
    SELECT array_agg(DISTINCT asset_id) INTO assets_owed FROM accounts
     WHERE user_id IS NULL AND kind IN ('treasury', 'fees', 'loss') AND available + held <> 0;
  ELSE
    SELECT array_agg(asset_id) INTO assets_owed FROM accounts WHERE user_id = NEW.user_id AND available + held <> 0;
  END IF;
  PERFORM keep_positions(a.id, ARRAY[NEW.wallet_id]) FROM unnest(assets_owed) AS a(id);
  RETURN NULL;
END $function$;

-- Name: forget_answers; Type: FUNCTION

CREATE FUNCTION public.forget_answers(p_days integer, p_from tid, p_to tid)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
DECLARE
  gone bigint;
BEGIN
  DELETE FROM idempotency_records
   WHERE ctid >= p_from AND ctid < p_to AND created_at < now() - make_interval(days => p_days)
     AND NOT is_payments_answer(record_id, answer);
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END $function$;

-- Name: forget_audit; Type: FUNCTION

CREATE FUNCTION public.forget_audit(p_days integer)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
DECLARE
  gone bigint;
BEGIN
  PERFORM require_arguments('forget_audit', p_days >= 366);
  DELETE FROM audit_log WHERE at < now() - make_interval(days => p_days);
  GET DIAGNOSTICS gone = ROW_COUNT;
  IF gone > 0 THEN
    PERFORM write_audit('service:owner', 'audit.forgotten', NULL,
      jsonb_build_object('entries', gone, 'older_than_days', p_days));
  END IF;
  RETURN gone;
END $function$;

-- Name: forget_deliveries; Type: FUNCTION

CREATE FUNCTION public.forget_deliveries(p_days integer, p_from tid, p_to tid)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
DECLARE
  gone bigint;
BEGIN
  DELETE FROM webhook_deliveries d WHERE d.ctid >= p_from AND d.ctid < p_to
     AND d.created_at < now() - make_interval(days => p_days)
     AND (d.state <> 'waiting' OR NOT EXISTS (SELECT FROM webhook_endpoints e
                                               WHERE e.endpoint_id = d.endpoint_id AND e.removed_at IS NULL));
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END $function$;

-- Name: forget_notes; Type: FUNCTION

CREATE FUNCTION public.forget_notes(p_days integer, p_from tid, p_to tid)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
DECLARE
  gone bigint;
BEGIN
  UPDATE payment_notes n SET note = NULL
   WHERE n.ctid >= p_from AND n.ctid < p_to AND n.note IS NOT NULL
     AND NOT EXISTS (SELECT FROM money_requests m WHERE m.request_id = n.payment_id AND m.state = 'open')
     AND (p_days > 0 AND n.created_at < now() - make_interval(days => p_days)
          OR (SELECT bool_and(u.closed_at IS NOT NULL) FROM (
                SELECT a.user_id FROM transfers_by_id(ARRAY[n.payment_id]) t
                  JOIN accounts a ON a.account_id IN (t.debit_account, t.credit_account)
                UNION ALL
                SELECT p.user_id FROM money_requests m, LATERAL (VALUES (m.asker_id), (m.payer_id)) AS p(user_id)
                 WHERE m.request_id = n.payment_id) party
                JOIN users u USING (user_id)));
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END $function$;

-- Name: forget_notes_of; Type: FUNCTION

CREATE FUNCTION public.forget_notes_of(p_payments uuid[])
 RETURNS void
 LANGUAGE sql
AS $function$
  DELETE FROM payment_notes WHERE payment_id = ANY (p_payments)
$function$;

-- Name: forget_passkeys; Type: FUNCTION

CREATE FUNCTION public.forget_passkeys(p_user uuid)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  DELETE FROM passkeys WHERE user_id = p_user;
  DELETE FROM passkey_challenges WHERE user_id = p_user;
  DELETE FROM passkey_removals WHERE user_id = p_user;
  PERFORM write_passkey_rule(p_user, NULL);
END $function$;

-- Name: forget_positions; Type: FUNCTION

CREATE FUNCTION public.forget_positions()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  DELETE FROM kept_positions;
  RETURN NULL;
END $function$;

-- Name: forget_refusals; Type: FUNCTION

CREATE FUNCTION public.forget_refusals(p_days integer, p_from tid, p_to tid)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
DECLARE
  gone uuid[];
BEGIN
  WITH deleted AS (
    DELETE FROM refusals WHERE ctid >= p_from AND ctid < p_to AND created_at < now() - make_interval(days => p_days)
    RETURNING payment_id)
  SELECT coalesce(array_agg(payment_id), '{}') INTO gone FROM deleted;
  PERFORM forget_notes_of(gone);
  RETURN cardinality(gone);
END $function$;

-- Name: forget_sessions; Type: FUNCTION

CREATE FUNCTION public.forget_sessions(p_days integer, p_from tid, p_to tid)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
DECLARE
  gone bigint;
BEGIN
  DELETE FROM sessions
   WHERE ctid >= p_from AND ctid < p_to AND coalesce(ended_at, expires_at) < now() - make_interval(days => p_days)
     AND expires_at < now();
  GET DIAGNOSTICS gone = ROW_COUNT;
  DELETE FROM spent_id_tokens WHERE hash IN (
    SELECT hash FROM spent_id_tokens WHERE expires_at < now() - interval '1 day' ORDER BY expires_at LIMIT 1000);
  RETURN gone;
END $function$;

-- Name: forget_some; Type: FUNCTION

CREATE FUNCTION public.forget_some(p_what text, p_days integer, p_pages integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  least   integer := CASE p_what WHEN 'spendings' THEN 31 ELSE 7 END;
  at_page bigint;
  ended   timestamptz;
  pages   bigint;
  gone    bigint;
  from_id tid;
  to_id   tid;
BEGIN
  PERFORM require_arguments('forget_some', (p_days > 0 OR p_days = 0 AND p_what = 'notes') AND p_pages > 0
    AND p_what IN ('answers', 'deliveries', 'notes', 'refusals', 'sessions', 'spendings'));
  IF p_days BETWEEN 1 AND least - 1 THEN
    RAISE EXCEPTION '% must be kept for at least % days', p_what, least USING ERRCODE = 'restrict_violation';
  END IF;
  SELECT next_page, finished_at INTO STRICT at_page, ended FROM retention WHERE what = p_what FOR UPDATE;
  IF at_page = 0 AND ended > now() - interval '1 day' THEN RETURN false; END IF;
  from_id := format('(%s,0)', at_page)::tid;
  to_id := format('(%s,0)', at_page + p_pages)::tid;
  CASE p_what
    WHEN 'answers' THEN gone := forget_answers(p_days, from_id, to_id);
    WHEN 'deliveries' THEN gone := forget_deliveries(p_days, from_id, to_id);
    WHEN 'notes' THEN gone := forget_notes(p_days, from_id, to_id);
    WHEN 'refusals' THEN gone := forget_refusals(p_days, from_id, to_id);
    WHEN 'sessions' THEN gone := forget_sessions(p_days, from_id, to_id);
    WHEN 'spendings' THEN gone := forget_spendings(p_days, from_id, to_id);
  END CASE;
  pages := pg_relation_size(CASE p_what WHEN 'answers' THEN 'idempotency_records'
                                        WHEN 'deliveries' THEN 'webhook_deliveries'
                                        WHEN 'notes' THEN 'payment_notes'
                                        ELSE p_what END::regclass) / current_setting('block_size')::integer;
  UPDATE retention
     SET forgotten = forgotten + gone,
         next_page = CASE WHEN at_page + p_pages < pages THEN at_page + p_pages ELSE 0 END,
         finished_at = CASE WHEN at_page + p_pages < pages THEN finished_at ELSE now() END
   WHERE what = p_what;
  RETURN at_page + p_pages < pages;
END $function$;

-- Name: forget_spendings; Type: FUNCTION

CREATE FUNCTION public.forget_spendings(p_days integer, p_from tid, p_to tid)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
DECLARE
  gone bigint;
BEGIN
  DELETE FROM spendings WHERE ctid >= p_from AND ctid < p_to AND hour < hour_of(now()) - p_days * 24;
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END $function$;

-- Name: give_approval; Type: FUNCTION

CREATE FUNCTION public.give_approval(p_id uuid)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  approved integer;
BEGIN
  PERFORM require_arguments('give_approval', p_id IS NOT NULL);
  INSERT INTO approvals (payment_id, operator) VALUES (p_id, session_user);
  approved := count_approvals(p_id);
  IF approved = (SELECT approvals_needed FROM payments WHERE payment_id = p_id) THEN
    PERFORM payments_advance(ARRAY[p_id], ARRAY['CLEARED'], NULL, NULL, NULL);
    -- Named as `submitJob` in server/src/payments/sends/sendCommand.ts does.
    PERFORM schedule_job('submit ' || n.blockchain, p_id::text, p.not_before)
       FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id AND t.kind = 'hold'
       JOIN assets USING (asset_id)
       JOIN networks n USING (network_id)
      WHERE p.payment_id = p_id;
  END IF;
  RETURN approved;
END $function$;

-- Name: give_back_import; Type: FUNCTION

CREATE FUNCTION public.give_back_import(p_move public.unexplained_moves)
 RETURNS uuid
 LANGUAGE plpgsql
AS $function$
DECLARE
  paid  transfers;
  given uuid := derived_id('given back:' || p_move.imported_as);
BEGIN
  SELECT t.* INTO paid FROM payments p JOIN transfers t ON t.hold_id = p.payment_id AND t.kind = 'post'
   WHERE p.payment_id = p_move.imported_as AND p.tx_hash = p_move.tx_hash AND p.wallet_id = p_move.wallet_id
     AND t.asset_id = p_move.asset_id AND t.amount = p_move.amount
     AND NOT EXISTS (SELECT FROM coin_moves m WHERE m.move_id = p.payment_id);
  IF NOT FOUND THEN
    -- See `explain_loss`.
    SELECT t.* INTO paid FROM transfers_by_id(ARRAY[p_move.imported_as]) t WHERE t.kind = 'internal'
       AND t.asset_id = p_move.asset_id AND t.amount = p_move.amount;
  END IF;
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF (SELECT outcome FROM ledger_apply(given, 'internal', paid.credit_account, paid.debit_account, paid.amount, NULL, NULL))
     IS DISTINCT FROM 'applied' THEN
    RAISE EXCEPTION 'what payment % took cannot be given back', p_move.imported_as USING ERRCODE = 'unique_violation';
  END IF;
  PERFORM ledger_settle_debt(p_move.imported_as, p_move.asset_id);
  RETURN given;
END $function$;

-- Name: give_back_to_key; Type: FUNCTION

CREATE FUNCTION public.give_back_to_key()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  INSERT INTO key_refunds (payment_id, key_id, pays, hour, amount)
  SELECT NEW.payment_id, b.key_id, b.pays, hour_of(t.created_at), t.amount
    FROM transfers t JOIN wallets w ON w.wallet_id = NEW.wallet_id
    JOIN key_budgets b ON b.key_id = NEW.key_id AND b.pays = CASE WHEN w.user_id IS NULL THEN 'treasury' ELSE 'people' END
   WHERE t.transfer_id = NEW.payment_id AND t.kind = 'hold' AND t.created_at >= b.counted_since;
  RETURN NULL;
END $function$;

-- Name: give_way; Type: FUNCTION

CREATE FUNCTION public.give_way(p_asset smallint, p_wallet uuid, p_leaving bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  lacking bigint := (SELECT h.reserved - (h.coins - p_leaving) FROM holdings h WHERE h.asset_id = p_asset AND h.wallet_id = p_wallet);
  one     record;
BEGIN
  FOR one IN
    SELECT m.move_id, m.reserved FROM coin_moves m
     WHERE m.asset_id = p_asset AND m.wallet_id = p_wallet AND m.state = 'open' AND m.reserved > 0 ORDER BY m.created_at DESC
  LOOP
    EXIT WHEN lacking <= 0;
    UPDATE coin_moves SET reserved = reserved - least(one.reserved, lacking) WHERE move_id = one.move_id;
    lacking := lacking - least(one.reserved, lacking);
  END LOOP;
END $function$;

-- Name: guard_answer; Type: FUNCTION

CREATE FUNCTION public.guard_answer()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  IF (OLD.created_at > now() - interval '7 days' AND OLD.created_at < now()) OR is_payments_answer(OLD.record_id, OLD.answer) THEN
    RAISE EXCEPTION 'the answer of an idempotency key is kept' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN OLD;
END $function$;

-- Name: guard_approval; Type: FUNCTION

CREATE FUNCTION public.guard_approval()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  p payments;
BEGIN
  SELECT * INTO p FROM payments WHERE payment_id = NEW.payment_id FOR NO KEY UPDATE;
  IF EXISTS (SELECT FROM approvals WHERE payment_id = NEW.payment_id AND operator = NEW.operator) THEN
    RAISE EXCEPTION '% has approved payment % before', NEW.operator, NEW.payment_id
      USING ERRCODE = 'unique_violation', CONSTRAINT = 'approvals_pkey';
  END IF;
  IF p.payment_id IS NULL OR p.state <> 'INITIATED'
    OR p.approvals_needed <= count_approvals(NEW.payment_id)
  THEN
    RAISE EXCEPTION 'payment % waits for no approval', NEW.payment_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'approvals_only_while_waiting';
  END IF;
  IF NOT EXISTS (SELECT FROM operators WHERE name = NEW.operator AND role IN ('admin', 'risk')) THEN
    RAISE EXCEPTION '% is not an operator who may approve', NEW.operator
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'approvals_by_operators';
  END IF;
  RETURN NEW;
END $function$;

-- Name: guard_attempt; Type: FUNCTION

CREATE FUNCTION public.guard_attempt()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM FROM carriers WHERE carrier_id = NEW.carrier_id AND version = NEW.version FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'relay transaction % has a newer version', NEW.carrier_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'carrier_attempts_of_version';
  END IF;
  RETURN NEW;
END $function$;

-- Name: guard_authorization; Type: FUNCTION

CREATE FUNCTION public.guard_authorization()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  IF (NEW.move_id, NEW.nonce) <> (OLD.move_id, OLD.nonce) OR NEW.valid_before < OLD.valid_before THEN
    RAISE EXCEPTION 'an authorization cannot change' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $function$;

-- Name: guard_cancellation; Type: FUNCTION

CREATE FUNCTION public.guard_cancellation()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM FROM coin_moves WHERE move_id = NEW.move_id AND state = 'open' AND cancel_wanted_at IS NOT NULL
      FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no cancellation of move % is requested, or the move has ended', NEW.move_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'cancellations_only_while_wanted';
  END IF;
  UPDATE authorizations SET failures = 0, carry_after = clock_timestamp() WHERE move_id = NEW.move_id;
  RETURN NEW;
END $function$;

-- Name: guard_coin_move; Type: FUNCTION

CREATE FUNCTION public.guard_coin_move()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  p payments;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF (NEW.move_id, NEW.asset_id, NEW.wallet_id, NEW.purpose, NEW.settlement_id, NEW.to_wallet, NEW.funds, NEW.rail,
        NEW.from_address, NEW.to_address, NEW.amount)
      IS DISTINCT FROM (OLD.move_id, OLD.asset_id, OLD.wallet_id, OLD.purpose, OLD.settlement_id, OLD.to_wallet, OLD.funds,
        OLD.rail, OLD.from_address, OLD.to_address, OLD.amount) THEN
      RAISE EXCEPTION 'a move cannot change' USING ERRCODE = 'restrict_violation', CONSTRAINT = 'coin_moves_stay';
    END IF;
    IF (OLD.state = 'dead' AND NEW.state <> 'dead') OR (OLD.state = 'done' AND NEW.state = 'dead') THEN
      RAISE EXCEPTION 'a move that has ended cannot end differently'
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'coin_moves_end_once';
    END IF;
    IF OLD.state = 'done' AND NEW.state = 'open' AND NEW.purpose = 'send'
      AND NOT EXISTS (SELECT FROM transfers WHERE hold_id = NEW.move_id AND kind = 'post') THEN
      RAISE EXCEPTION 'payment % was never paid', NEW.move_id USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.started_at IS DISTINCT FROM NEW.started_at AND OLD.started_at IS NOT NULL THEN
      RAISE EXCEPTION 'a started move stays started' USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.state = 'open' AND OLD.cancel_wanted_at IS DISTINCT FROM NEW.cancel_wanted_at
      AND OLD.cancel_wanted_at IS NOT NULL THEN
      RAISE EXCEPTION 'a requested cancellation stays requested' USING ERRCODE = 'restrict_violation';
    END IF;
  ELSIF NEW.purpose = 'send' THEN
    SELECT * INTO p FROM payments WHERE payment_id = NEW.move_id FOR NO KEY UPDATE;
    IF NOT FOUND OR EXISTS (SELECT FROM transfers WHERE hold_id = NEW.move_id) THEN
      RAISE EXCEPTION 'payment % has no open hold', NEW.move_id
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'coin_moves_of_open_holds';
    END IF;
    IF NEW.amount <> coalesce(p.amount, (SELECT amount FROM transfers WHERE transfer_id = NEW.move_id AND kind = 'hold')) THEN
      RAISE EXCEPTION 'payment % pays another amount', NEW.move_id
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'coin_moves_pay_amount';
    END IF;
    IF NEW.state = 'open' AND payment_waits(p) AND NEW.cancel_wanted_at IS NULL THEN
      RAISE EXCEPTION 'payment % waits for approvals or its delay', NEW.move_id
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'coin_moves_wait';
    END IF;
  END IF;
  RETURN NEW;
END $function$;

-- Name: guard_cursor; Type: FUNCTION

CREATE FUNCTION public.guard_cursor()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION 'blocks after % are applied in part: the cursor moves when the rest is applied', OLD.block_number
    USING ERRCODE = 'restrict_violation';
END $function$;

-- Name: guard_deposit; Type: FUNCTION

CREATE FUNCTION public.guard_deposit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  IF EXISTS (SELECT FROM deposits d WHERE d.asset_id = NEW.asset_id AND d.tx_hash = NEW.tx_hash
      AND d.wallet_id = NEW.wallet_id AND d.ordinal = NEW.ordinal AND d.transfer_id <> NEW.transfer_id
      AND (TG_OP = 'INSERT' OR EXISTS (SELECT FROM transfers_by_id(ARRAY[d.transfer_id]) t WHERE t.kind = 'deposit'))) THEN
    RAISE EXCEPTION 'the deposit of % is known by another id', NEW.tx_hash USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $function$;

-- Name: guard_events; Type: FUNCTION

CREATE FUNCTION public.guard_events()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF EXISTS (SELECT FROM added n WHERE (SELECT 1 FROM payments p WHERE p.payment_id = n.payment_id) IS NULL) THEN
    RAISE EXCEPTION 'an event without its payment is refused'
      USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'payment_events_of_payments';
  END IF;
  RETURN NULL;
END $function$;

-- Name: guard_key; Type: FUNCTION

CREATE FUNCTION public.guard_key()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  IF NEW.user_id IS NULL THEN
    PERFORM refuse_other_operators('keys');
    IF TG_OP = 'UPDATE' THEN LOCK TABLE key_rules IN EXCLUSIVE MODE; END IF;
  ELSIF is_operator_login() AND (TG_OP = 'INSERT' OR operator_objection('keys') IS NOT NULL) THEN
    IF TG_OP = 'INSERT' THEN
      RAISE EXCEPTION 'only people create keys of their account'
        USING ERRCODE = 'insufficient_privilege', CONSTRAINT = 'service_keys_of_people';
    END IF;
    PERFORM require_operator('sessions');
  END IF;
  IF TG_OP = 'UPDATE' AND (NEW.user_id IS DISTINCT FROM OLD.user_id
                           OR OLD.user_id IS NOT NULL AND (NEW.scopes, NEW.hash) IS DISTINCT FROM (OLD.scopes, OLD.hash)) THEN
    RAISE EXCEPTION 'a key keeps its owner, and an account key its scopes'
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'service_keys_keep_owner';
  END IF;
  IF TG_OP = 'UPDATE' AND OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at THEN
    RAISE EXCEPTION 'a revoked key stays revoked'
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'service_keys_stay_revoked';
  END IF;
  RETURN NEW;
END $function$;

-- Name: guard_money_request; Type: FUNCTION

CREATE FUNCTION public.guard_money_request()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  IF OLD.state <> 'open' OR NEW.state = 'open' THEN
    RAISE EXCEPTION 'a money request cannot go from % to %', OLD.state, NEW.state USING ERRCODE = 'restrict_violation';
  END IF;
  IF (NEW.request_id, NEW.asker_id, NEW.by_link, NEW.amount, NEW.created_at, NEW.expires_at)
      <> (OLD.request_id, OLD.asker_id, OLD.by_link, OLD.amount, OLD.created_at, OLD.expires_at)
    OR NEW.payer_id IS DISTINCT FROM OLD.payer_id AND NOT OLD.by_link THEN
    RAISE EXCEPTION 'the terms of a money request cannot change' USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.state = 'paid' AND NOT EXISTS (
    SELECT FROM transfers_by_id(ARRAY[NEW.request_id]) t
      JOIN accounts debit ON debit.account_id = t.debit_account JOIN accounts credit ON credit.account_id = t.credit_account
     WHERE t.kind = 'user' AND t.amount = NEW.amount
       AND debit.user_id = NEW.payer_id AND credit.user_id = NEW.asker_id) THEN
    RAISE EXCEPTION 'a money request is paid by its own payment' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $function$;

-- Name: guard_payment_end; Type: FUNCTION

CREATE FUNCTION public.guard_payment_end()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  IF NEW.state <> 'COMPLETE' AND EXISTS (SELECT FROM coin_moves WHERE move_id = NEW.payment_id AND state = 'open') THEN
    RAISE EXCEPTION 'payment % may still be paid', NEW.payment_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'payments_end_on_proof';
  END IF;
  IF NEW.state <> 'COMPLETE' AND NOT EXISTS (SELECT FROM coin_moves WHERE move_id = NEW.payment_id)
    AND (may_be_handed_over(NEW.payment_id) OR EXISTS (
      SELECT FROM transfers t JOIN assets s USING (asset_id) WHERE t.transfer_id = NEW.payment_id AND t.kind = 'hold'
         AND may_be_signed(s.network_id, NULL))) THEN
    RAISE EXCEPTION 'payment % may have been signed before this database was restored', NEW.payment_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'moves_from_before_a_restore';
  END IF;
  IF (SELECT kind FROM transfers WHERE hold_id = NEW.payment_id)
     IS DISTINCT FROM (CASE NEW.state WHEN 'COMPLETE' THEN 'post' ELSE 'release' END) THEN
    RAISE EXCEPTION 'payment % must end together with its hold', NEW.payment_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'payments_end_with_their_holds';
  END IF;
  RETURN NEW;
END $function$;

-- Name: guard_payout; Type: FUNCTION

CREATE FUNCTION public.guard_payout()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  IF (NEW.payout_id, NEW.key_id, NEW.on_shortage, NEW.row_count, NEW.total, NEW.known_count,
      NEW.known_total, NEW.created_at)
      IS DISTINCT FROM (OLD.payout_id, OLD.key_id, OLD.on_shortage, OLD.row_count, OLD.total,
      OLD.known_count, OLD.known_total, OLD.created_at)
    OR NEW.payer_id IS DISTINCT FROM OLD.payer_id
    OR OLD.confirmed_at IS NOT NULL
      AND (NEW.confirmed_at, NEW.approvals_needed) IS DISTINCT FROM (OLD.confirmed_at, OLD.approvals_needed)
  THEN
    RAISE EXCEPTION 'the checked contents of a payout cannot change' USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.state = OLD.state AND NOT payout_is_final(OLD.state) THEN RETURN NEW; END IF;
  -- In parentheses, because PL/pgSQL would end the IF condition at the first THEN.
  IF NOT (CASE OLD.state
      WHEN 'checked' THEN NEW.state IN ('approving', 'running', 'cancelled')
      WHEN 'approving' THEN NEW.state IN ('running', 'cancelled')
      WHEN 'running' THEN NEW.state IN ('waiting', 'stopping', 'complete', 'cancelled')
      WHEN 'waiting' THEN NEW.state IN ('running', 'stopping', 'complete', 'cancelled')
      WHEN 'stopping' THEN NEW.state = 'cancelled'
      ELSE false END)
  THEN
    RAISE EXCEPTION 'a payout cannot go from % to %', OLD.state, NEW.state USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.state = 'running' AND OLD.state <> 'waiting' AND NEW.approvals_needed > count_payout_approvals(NEW.payout_id) THEN
    RAISE EXCEPTION 'payout % is not approved', NEW.payout_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'payouts_approved';
  END IF;
  IF payout_is_final(NEW.state) AND EXISTS (SELECT FROM payout_items
       WHERE payout_id = NEW.payout_id AND state IN ('ready', 'sent')) THEN
    RAISE EXCEPTION 'rows of payout % have not ended', NEW.payout_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'payouts_end_with_their_rows';
  END IF;
  RETURN NEW;
END $function$;

-- Name: guard_payout_items; Type: FUNCTION

CREATE FUNCTION public.guard_payout_items()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
  ids         uuid[] := ARRAY(SELECT payment_id FROM changed WHERE state IN ('paid', 'sent'));
  -- By asset: cheaper than a join for a thousand rows.
  blockchains text[] := ARRAY(SELECT (SELECT n.blockchain FROM assets JOIN networks n USING (network_id) WHERE asset_id = id)
                                FROM generate_series(1, (SELECT max(asset_id) FROM assets)) AS id ORDER BY id);
BEGIN
  IF ids <> '{}' AND ARRAY(SELECT ROW(payment_id, amount, user_id IS NOT NULL, blockchain) FROM changed WHERE state IN ('paid', 'sent')
                            ORDER BY payment_id)
    IS DISTINCT FROM ARRAY(SELECT ROW(t.transfer_id,
                                      coalesce((SELECT p.amount FROM payments p
                                                 WHERE t.kind = 'hold' AND p.payment_id = t.transfer_id), t.amount),
                                      t.kind = 'user', blockchains[t.asset_id])
                             FROM transfers_by_id(ids) t
                            WHERE t.kind IN ('user', 'hold') ORDER BY t.transfer_id)
  THEN
    RAISE EXCEPTION 'a row of a payout is paid by its own payment'
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'payout_items_paid_by_payments';
  END IF;
  RETURN NULL;
END $function$;

-- Name: guard_provider_end; Type: FUNCTION

CREATE FUNCTION public.guard_provider_end()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  IF EXISTS (
    SELECT FROM provider_transfers p JOIN assets s ON s.asset_id = NEW.asset_id LEFT JOIN chain_cursors c USING (network_id)
     WHERE p.move_id = NEW.move_id AND (p.provider_state NOT IN ('failed', 'cancelled')
        OR coalesce(c.block_number < p.ended_head, true)
        OR EXISTS (SELECT FROM held_logs h
             WHERE h.asset_id = NEW.asset_id AND h.from_wallet = NEW.wallet_id AND h.amount = NEW.amount
               AND lower(h.to_address) = lower(NEW.to_address)))
  ) THEN
    RAISE EXCEPTION 'the provider may still make the transfer of move %', NEW.move_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'coin_moves_end_on_proof';
  END IF;
  RETURN NEW;
END $function$;

-- Name: guard_provider_transfer; Type: FUNCTION

CREATE FUNCTION public.guard_provider_transfer()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF (NEW.move_id, NEW.provider, NEW.key, NEW.submitted_at) <> (OLD.move_id, OLD.provider, OLD.key, OLD.submitted_at)
      OR (OLD.provider_id IS NOT NULL AND NEW.provider_id IS DISTINCT FROM OLD.provider_id
          AND NOT EXISTS (SELECT FROM transfer_decisions d
             WHERE d.move_id = NEW.move_id AND d.verdict = 'adopt' AND d.provider_id = NEW.provider_id
               AND d.decided_at >= OLD.held_at)) THEN
      RAISE EXCEPTION 'a transfer of a provider cannot become another one'
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'provider_transfers_stay';
    END IF;
    IF NEW.provider_state IN ('failed', 'cancelled') AND NEW.provider_id IS NULL AND OLD.provider_state = 'new'
      AND (OLD.attempts > 1 OR OLD.held_at IS NOT NULL) AND NOT EXISTS (
        SELECT FROM transfer_decisions d
         WHERE d.move_id = NEW.move_id AND d.verdict = 'never_made' AND d.decided_at >= OLD.held_at) THEN
      RAISE EXCEPTION 'the provider may have made the transfer of move %', NEW.move_id
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'provider_transfers_end_on_proof';
    END IF;
  -- A move that is to be cancelled and counts as started is only looked up (`cancel_at_provider`): `ask_transfer`
  -- refuses it.
  ELSIF NOT start_move(NEW.move_id, 'provider') AND NOT EXISTS (
    SELECT FROM coin_moves WHERE move_id = NEW.move_id AND rail = 'provider' AND state = 'open'
       AND started_at IS NOT NULL AND cancel_wanted_at IS NOT NULL
       AND NOT EXISTS (SELECT FROM provider_transfers WHERE move_id = NEW.move_id)) THEN
    RAISE EXCEPTION 'move % has ended or is to be cancelled', NEW.move_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'provider_transfers_only_while_open';
  END IF;
  RETURN NEW;
END $function$;

-- Name: guard_relayer_deed; Type: FUNCTION

CREATE FUNCTION public.guard_relayer_deed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM refuse_other_operators('custody');
  RETURN NULL;
END $function$;

-- Name: guard_signature; Type: FUNCTION

CREATE FUNCTION public.guard_signature()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  IF start_move(NEW.move_id, 'eip3009') THEN
    UPDATE authorizations SET valid_before = NEW.valid_before, waits_for = NULL, waits_since = NULL
     WHERE move_id = NEW.move_id AND valid_before < NEW.valid_before;
    IF FOUND THEN RETURN NEW; END IF;
  END IF;
  RAISE EXCEPTION 'move % has ended, is to be cancelled, or was signed for longer', NEW.move_id
    USING ERRCODE = 'restrict_violation', CONSTRAINT = 'signatures_only_while_open';
END $function$;

-- Name: guard_unwatched_deposit; Type: FUNCTION

CREATE FUNCTION public.guard_unwatched_deposit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  -- Of two concurrent deposits, the second sees the first.
  PERFORM FROM chain_cursors c JOIN assets a USING (network_id) WHERE a.asset_id = NEW.asset_id FOR NO KEY UPDATE OF c;
  IF EXISTS (SELECT FROM deposits d WHERE d.asset_id = NEW.asset_id AND d.tx_hash = NEW.tx_hash
        AND d.wallet_id = NEW.wallet_id AND d.ordinal <> NEW.ordinal)
    AND EXISTS (SELECT FROM provider_transfers p JOIN coin_moves m USING (move_id) JOIN wallets w ON w.address = m.to_address
        WHERE p.tx_hash = NEW.tx_hash AND m.asset_id = NEW.asset_id AND w.wallet_id = NEW.wallet_id) THEN
    RAISE EXCEPTION 'the coins of % are credited already', NEW.tx_hash
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'deposits_of_own_moves_once';
  END IF;
  RETURN NEW;
END $function$;

-- Name: guard_webhook; Type: FUNCTION

CREATE FUNCTION public.guard_webhook()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM refuse_other_operators('webhooks');
  RETURN NULL;
END $function$;

-- Name: guard_webhook_endpoint; Type: FUNCTION

CREATE FUNCTION public.guard_webhook_endpoint()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM refuse_other_operators('webhooks');
  IF TG_OP = 'UPDATE' AND (OLD.removed_at IS NOT NULL OR NEW.place < OLD.place) THEN
    RAISE EXCEPTION 'a removed endpoint stays removed, and a position never moves back in the feed'
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'webhook_endpoints_go_on';
  END IF;
  IF TG_OP = 'UPDATE' AND NEW.key_id IS DISTINCT FROM OLD.key_id
    AND (SELECT user_id FROM service_keys WHERE key_id = NEW.key_id)
        IS DISTINCT FROM (SELECT user_id FROM service_keys WHERE key_id = OLD.key_id) THEN
    RAISE EXCEPTION 'an endpoint keeps its account'
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'webhook_endpoints_keep_owner';
  END IF;
  RETURN NEW;
END $function$;

-- Name: hasten_deliveries; Type: FUNCTION

CREATE FUNCTION public.hasten_deliveries(p_endpoint uuid, p_event text)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  due bigint;
BEGIN
  PERFORM require_arguments('hasten_deliveries', p_endpoint IS NOT NULL);
  -- Two statements, so that each finds its rows by an index.
  IF p_event IS NULL THEN
    -- In the order of their ids, in which all functions lock deliveries.
    UPDATE webhook_deliveries SET state = 'waiting', due_at = now(), attempts = 0
     WHERE endpoint_id = p_endpoint AND event_id IN (SELECT d.event_id FROM webhook_deliveries d
       WHERE d.endpoint_id = p_endpoint AND d.due_at IS NOT NULL ORDER BY d.event_id FOR UPDATE);
  ELSE
    UPDATE webhook_deliveries SET state = 'waiting', due_at = now(), attempts = 0
     WHERE endpoint_id = p_endpoint AND event_id = p_event;
  END IF;
  GET DIAGNOSTICS due = ROW_COUNT;
  RETURN due;
END $function$;

-- Name: history_pages; Type: FUNCTION

CREATE FUNCTION public.history_pages(p_users uuid[], p_after jsonb, p_limits integer[], p_scanned bigint, p_dust bigint, p_accounts bigint[], p_entries bigint[], p_seqs bigint[], p_ids uuid[])
 RETURNS TABLE(o_nth integer, o_names bigint, o_names_random bigint, o_account bigint, o_asset smallint, o_blockchain text, o_top bigint, o_known boolean, o_rows text)
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
  RETURN QUERY
  SELECT a.nth::integer, l.names_epoch, l.names_random, x.account_id, x.asset_id, n.blockchain, x.top, k.known, page.lines
    FROM ledger_state l
   CROSS JOIN unnest(p_users, p_limits, p_accounts, p_entries, p_seqs, p_ids) WITH ORDINALITY
           AS a(user_id, size, account_id, entry, seq, id, nth)
    LEFT JOIN LATERAL (
      SELECT accounts.account_id, asset_id,
             -- An asset that is not in the cursor was opened after the first page, so all its entries are newer. An
             -- entry above the last one was lost with its commit.
             CASE WHEN p_after -> (a.nth - 1)::integer = 'null' THEN entries + 1
                  ELSE least(coalesce((p_after -> (a.nth - 1)::integer ->> asset_id::text)::bigint, 1), entries + 1)
             END AS top
        FROM accounts WHERE accounts.user_id = a.user_id OFFSET 0) x ON true
    LEFT JOIN assets s ON s.asset_id = x.asset_id
    LEFT JOIN networks n ON n.network_id = s.network_id
   -- OFFSET 0, here and above: PostgreSQL inlines `ledger_entries` into this statement, where the LIMIT stops it, only
   -- if its arguments are simple. OFFSET 0 makes PostgreSQL compute them once.
   CROSS JOIN LATERAL (
      SELECT found.known, CASE WHEN found.known THEN a.entry + 1 ELSE greatest(x.top - p_scanned, 1) END AS bottom
        FROM (SELECT x.account_id = a.account_id AND a.entry >= x.top - p_scanned
                     AND EXISTS (SELECT FROM transfers t WHERE t.seq = a.seq AND t.transfer_id = a.id) AS known
              OFFSET 0) found
      OFFSET 0) k
    LEFT JOIN LATERAL (
      SELECT string_agg(concat_ws(E'\t', t.entry, (t.transfer).seq, (t.transfer).transfer_id, (t.transfer).kind,
                                  (t.transfer).amount,
                                  round(date_part('epoch', date_trunc('milliseconds', (t.transfer).created_at)) * 1000),
                                  (t.transfer).debit_account, (t.transfer).credit_account,
                                  coalesce((t.transfer).typed_name, ''),
                                  CASE WHEN (t.transfer).kind IN ('deposit', 'internal')
                                       THEN coalesce((t.transfer).from_name, '') ELSE '' END,
                                  t.available_after,
                                  -- Committed together with the movement. Only a note can change: it can be removed.
                                  CASE (t.transfer).kind
                                    -- A refund has two more fields: the payment that it gives back, and why.
                                    WHEN 'user' THEN (
                                      SELECT CASE WHEN r.refund_id IS NULL THEN n.note
                                                  ELSE concat_ws(E'\t', coalesce(n.note, ''), r.payment_id,
                                                                 regexp_replace(r.reason, '\s+', ' ', 'g')) END
                                        FROM (SELECT (t.transfer).transfer_id AS id OFFSET 0) one
                                        LEFT JOIN payment_notes n ON n.payment_id = one.id
                                        LEFT JOIN refunds r ON r.refund_id = one.id)
                                    WHEN 'deposit' THEN (
                                      SELECT d.tx_hash FROM deposits d WHERE d.transfer_id = (t.transfer).transfer_id)
                                    WHEN 'internal' THEN (
                                      SELECT regexp_replace(c.reason, '\s+', ' ', 'g') FROM corrections c
                                       WHERE c.correction_id = (t.transfer).transfer_id) END),
                        E'\n') AS lines
        FROM (
          SELECT e.entry, e.transfer, e.available_after
            FROM ledger_entries(x.account_id, x.top, k.bottom) e
           WHERE x.top > k.bottom AND (e.transfer).kind IN ('user', 'hold', 'deposit', 'internal')
             AND ((e.transfer).kind <> 'deposit' OR (e.transfer).amount >= p_dust)
           LIMIT a.size + 1) t) page ON true;
END $function$;

-- Name: hold_transfer; Type: FUNCTION

CREATE FUNCTION public.hold_transfer(p_move uuid, p_key_life interval)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('hold_transfer', p_move IS NOT NULL AND p_key_life >= interval '0');
  UPDATE provider_transfers SET held_at = clock_timestamp(), waits_for = NULL
   WHERE move_id = p_move AND held_at IS NULL
     AND (provider_state = 'new' AND attempts > 0 OR provider_state IN ('submitted', 'sent', 'done'))
     AND coalesce(first_asked_at, submitted_at) <= clock_timestamp() - p_key_life;
  RETURN EXISTS (SELECT FROM provider_transfers WHERE move_id = p_move AND held_at IS NOT NULL);
END $function$;

-- Name: home_asset_of; Type: FUNCTION

CREATE FUNCTION public.home_asset_of(p_currency text)
 RETURNS smallint
 LANGUAGE sql
 STABLE
AS $function$
  SELECT s.asset_id FROM ledger_state l JOIN assets h ON h.asset_id = l.home_asset
    JOIN assets s ON s.network_id = h.network_id AND s.symbol = p_currency
$function$;

-- Name: hour_of; Type: FUNCTION

CREATE FUNCTION public.hour_of(at timestamp with time zone)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT floor(extract(epoch FROM at) / 3600)::integer
$function$;

-- Name: hours_counted; Type: FUNCTION

CREATE FUNCTION public.hours_counted(span text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT CASE span WHEN 'month' THEN 720 ELSE 24 END
$function$;

-- Name: import_payment; Type: FUNCTION

CREATE FUNCTION public.import_payment(p_id uuid, p_post uuid, p_asset smallint, p_tx_hash text, p_log_index integer, OUT outcome text, OUT details jsonb, OUT payment_id uuid)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
#variable_conflict use_column
DECLARE
  m        unexplained_moves;
  chain    bigint;
  loss     bigint;
  sender   bigint;
  receiver bigint;
  missing  bigint;
BEGIN
  PERFORM require_arguments('import_payment', num_nulls(p_id, p_post, p_asset, p_tx_hash, p_log_index) = 0);
  PERFORM refuse_other_operators('custody');
  chain := ledger_open_house_account(p_asset, 'chain');
  loss := ledger_open_house_account(p_asset, 'loss');
  SELECT * INTO m FROM unexplained_moves
   WHERE asset_id = p_asset AND tx_hash = p_tx_hash AND log_index = p_log_index FOR UPDATE;
  IF NOT FOUND THEN outcome := 'unknown'; RETURN; END IF;
  payment_id := coalesce(m.imported_as, p_id);
  IF m.imported_as IS NOT NULL THEN outcome := 'applied'; RETURN; END IF;
  IF is_forgotten_settlement(m) THEN
    outcome := 'settlement';
    RETURN;
  END IF;
  IF m.to_wallet IS NULL AND EXISTS (
    SELECT FROM wallets w WHERE w.family = 'evm' AND lower(w.address) = lower(m.to_address)
       AND NOT is_credited_transfer(p_asset, p_tx_hash, p_log_index, m.amount, w.wallet_id)) THEN
    outcome := 'waits';
    RETURN;
  END IF;
  sender := ledger_account_of_wallet(p_asset, m.wallet_id);
  receiver := ledger_account_of_wallet(p_asset, m.to_wallet);
  PERFORM ledger_lock_accounts(ARRAY[sender, chain, loss] || receiver);

  missing := ledger_cover_debt(p_id, sender, m.amount);
  IF missing > 0 THEN details := jsonb_build_object('owes', missing::text); END IF;
  outcome := ledger_hold_paid(p_id, sender, chain, m.amount);
  IF outcome <> 'applied' THEN
    RAISE EXCEPTION 'payment % is known already and is not this move', p_id USING ERRCODE = 'unique_violation';
  END IF;
  INSERT INTO payments (payment_id, state, destination, tx_hash, wallet_id, sender_shown, amount)
  VALUES (p_id, 'CONFIRMED', m.to_address, p_tx_hash, m.wallet_id, 'wallet', m.amount);
  PERFORM explain_move(m, p_id);
  PERFORM ledger_apply(p_post, 'post', sender, chain, m.amount, p_id, NULL);
  PERFORM payments_advance(ARRAY[p_id], ARRAY['COMPLETE'], ARRAY[p_tx_hash], NULL, NULL);
  IF receiver IS NOT NULL THEN PERFORM credit_import(m, chain, receiver); END IF;
END $function$;

-- Name: inverse_mod; Type: FUNCTION

CREATE FUNCTION public.inverse_mod(p_number numeric, p_modulus numeric)
 RETURNS numeric
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
DECLARE
  a numeric := mod(p_number, p_modulus);
  b numeric := p_modulus;
  x numeric := 1;
  y numeric := 0;
  q numeric;
  r numeric;
BEGIN
  WHILE a > 0 LOOP
    q := div(b, a);
    r := b - q * a;
    b := a;
    a := r;
    r := y - q * x;
    y := x;
    x := r;
  END LOOP;
  RETURN CASE WHEN y < 0 THEN y + p_modulus ELSE y END;
END $function$;

-- Name: is_amount; Type: FUNCTION

CREATE FUNCTION public.is_amount(VARIADIC p_amounts bigint[])
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  SELECT 0 < ALL (p_amounts) AND 999999999999999 >= ALL (p_amounts)
$function$;

-- Name: is_carried; Type: FUNCTION

CREATE FUNCTION public.is_carried(p_move uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  SELECT EXISTS (SELECT FROM carrier_calls l JOIN carriers c USING (carrier_id)
                  WHERE l.move_id = p_move AND l.dropped_in IS NULL AND c.state = 'pending');
$function$;

-- Name: is_closed_account; Type: FUNCTION

CREATE FUNCTION public.is_closed_account(p_account bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  SELECT EXISTS (SELECT FROM accounts a JOIN users u USING (user_id) WHERE a.account_id = p_account AND u.closed_at IS NOT NULL)
$function$;

-- Name: is_credited_transfer; Type: FUNCTION

CREATE FUNCTION public.is_credited_transfer(p_asset smallint, p_tx_hash text, p_log_index integer, p_amount bigint, p_wallet uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  SELECT EXISTS (SELECT FROM deposits d WHERE d.asset_id = p_asset AND d.tx_hash = p_tx_hash AND d.wallet_id = p_wallet
    AND (d.log_index = p_log_index OR d.log_index IS NULL AND d.amount = p_amount))
$function$;

-- Name: is_forgotten_settlement; Type: FUNCTION

CREATE FUNCTION public.is_forgotten_settlement(p_move public.unexplained_moves)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  SELECT EXISTS (SELECT FROM forgotten_nonces f WHERE f.asset_id = p_move.asset_id AND f.tx_hash = p_move.tx_hash
                    AND f.log_index = p_move.log_index AND is_settlement_nonce(f.nonce))
    AND NOT EXISTS (SELECT FROM wallets w WHERE w.family = 'evm' AND lower(w.address) = lower(p_move.to_address)
                       AND is_credited_transfer(p_move.asset_id, p_move.tx_hash, p_move.log_index, p_move.amount, w.wallet_id))
$function$;

-- Name: is_list; Type: FUNCTION

CREATE FUNCTION public.is_list(p_list anyarray, p_length integer)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  SELECT cardinality(p_list) = p_length AND (p_length = 0 OR array_ndims(p_list) = 1 AND array_upper(p_list, 1) = p_length)
$function$;

-- Name: is_operator_login; Type: FUNCTION

CREATE FUNCTION public.is_operator_login()
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  SELECT NOT r.rolsuper AND pg_has_role(r.oid, n.prefix || '_operator', 'MEMBER')
         AND NOT pg_has_role(r.oid, n.prefix || '_server', 'MEMBER') AND NOT pg_has_role(r.oid, n.prefix || '_worker', 'MEMBER')
    FROM role_names n, pg_roles r WHERE r.rolname = session_user
$function$;

-- Name: is_payments_answer; Type: FUNCTION

CREATE FUNCTION public.is_payments_answer(p_record uuid, p_answer json)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  SELECT EXISTS (SELECT FROM transfers_by_id(ARRAY[p_record]))
      OR CASE WHEN p_answer ->> 'answer' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
              THEN EXISTS (SELECT FROM transfers_by_id(ARRAY[(p_answer ->> 'answer')::uuid])) ELSE false END
$function$;

-- Name: is_proved; Type: FUNCTION

CREATE FUNCTION public.is_proved(p_user uuid, p_deed jsonb)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  SELECT EXISTS (
    SELECT FROM passkey_challenges c JOIN sessions s USING (session_id)
     WHERE c.user_id = p_user AND c.deed = p_deed AND c.proved_at IS NOT NULL AND c.used_at IS NULL
       AND c.expires_at > clock_timestamp() AND s.ended_at IS NULL AND c.created_at >= credentials_from('sessions'))
$function$;

-- Name: is_proved_hold; Type: FUNCTION

CREATE FUNCTION public.is_proved_hold(p_payment uuid, p_debit bigint, p_party text, p_amount bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  SELECT coalesce(is_proved(d.user_id, jsonb_build_object('do', 'send', 'payment', p_payment, 'to', p_party, 'amount', p_amount::text)),
                  false)
      OR EXISTS (SELECT FROM payouts p JOIN payout_items i USING (payout_id)
                  WHERE p.payer_id = d.user_id AND p.state IN ('running', 'waiting') AND i.payment_id = p_payment
                    AND i.amount = p_amount AND i.state = 'ready'
                    AND party_of_send(i.blockchain || ' ' || p.currency, i.destination) = p_party)
    FROM accounts d WHERE d.account_id = p_debit
$function$;

-- Name: is_proved_payment; Type: FUNCTION

CREATE FUNCTION public.is_proved_payment(p_payment uuid, p_debit bigint, p_credit bigint, p_amount bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  SELECT coalesce(is_proved(d.user_id, jsonb_build_object('do', 'pay', 'payment', p_payment, 'to', c.user_id,
                                                          'amount', p_amount::text)), false)
    FROM accounts d, accounts c WHERE d.account_id = p_debit AND c.account_id = p_credit
$function$;

-- Name: is_settlement_nonce; Type: FUNCTION

CREATE FUNCTION public.is_settlement_nonce(nonce bytea)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT substring(nonce FROM 1 FOR 16) = convert_to('florin-settle-01', 'UTF8')
$function$;

-- Name: is_unnamed_login; Type: FUNCTION

CREATE FUNCTION public.is_unnamed_login()
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  SELECT EXISTS (SELECT FROM operators o JOIN pg_roles r ON r.rolname = o.name AND r.rolcanlogin WHERE o.role = 'admin')
     AND NOT EXISTS (SELECT FROM operators WHERE name = session_user)
$function$;

-- Name: keep_notes; Type: FUNCTION

CREATE FUNCTION public.keep_notes(p_payments uuid[], p_notes text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO payment_notes (payment_id, note)
  SELECT n.id, n.note FROM unnest(p_payments, p_notes) AS n(id, note) WHERE n.note IS NOT NULL
  ON CONFLICT (payment_id) DO UPDATE SET note = excluded.note, created_at = excluded.created_at;
END $function$;

-- Name: keep_positions; Type: FUNCTION

CREATE FUNCTION public.keep_positions(p_asset smallint, p_wallets uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  changed uuid[];
BEGIN
  PERFORM require_arguments('keep_positions',
    p_asset IS NOT NULL AND is_list(p_wallets, cardinality(p_wallets)) AND array_position(p_wallets, NULL) IS NULL);
  SELECT array_agg(o.wallet_id) INTO changed
    FROM owed_to(p_asset, p_wallets) o LEFT JOIN holdings h ON h.asset_id = p_asset AND h.wallet_id = o.wallet_id
   WHERE o.ledger <> coalesce(h.ledger, 0);
  IF changed IS NOT NULL THEN
    INSERT INTO holdings (asset_id, wallet_id) SELECT p_asset, c.id FROM unnest(changed) AS c(id)
     WHERE NOT EXISTS (SELECT FROM holdings h WHERE h.asset_id = p_asset AND h.wallet_id = c.id) ORDER BY c.id
      ON CONFLICT DO NOTHING;
    PERFORM FROM holdings WHERE asset_id = p_asset AND wallet_id = ANY (changed) ORDER BY wallet_id FOR NO KEY UPDATE;
    -- Read again after the locks, so that a process with older values does not overwrite newer ones.
    UPDATE holdings h SET ledger = o.ledger FROM owed_to(p_asset, changed) o
     WHERE h.asset_id = p_asset AND h.wallet_id = o.wallet_id AND h.ledger <> o.ledger;
  END IF;
  PERFORM wake_sends(p_asset, p_wallets);
END $function$;

-- Name: keep_send_rules; Type: FUNCTION

CREATE FUNCTION public.keep_send_rules(p_threshold bigint, p_delay integer, p_open_treasury boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('keep_send_rules', p_delay >= 0 AND p_open_treasury IS NOT NULL AND coalesce(p_threshold, 0) >= 0);
  UPDATE send_rules SET approval_threshold = p_threshold, new_recipient_delay = p_delay, has_open_treasury = p_open_treasury
   WHERE (approval_threshold, new_recipient_delay, has_open_treasury)
         IS DISTINCT FROM (p_threshold, p_delay, p_open_treasury);
  IF FOUND THEN
    PERFORM write_audit('service:' || session_user, 'send_rules.changed', NULL, jsonb_build_object(
      'approval_threshold', p_threshold::text, 'new_recipient_delay', p_delay, 'has_open_treasury', p_open_treasury));
  END IF;
END $function$;

-- Name: key_limit_refusal; Type: FUNCTION

CREATE FUNCTION public.key_limit_refusal(p_limit text, p_maximum bigint, p_left bigint, p_resets_at timestamp with time zone)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT jsonb_build_object('code', 'key.limit_exceeded', 'details', jsonb_strip_nulls(jsonb_build_object(
    'limit', p_limit, 'maximum', decimal_amount(p_maximum),
    'left', decimal_amount(greatest(p_left, 0)),
    'resets_at', to_char(p_resets_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"'))))
$function$;

-- Name: last_event; Type: FUNCTION

CREATE FUNCTION public.last_event()
 RETURNS TABLE(seq bigint, event_id text, type text, at timestamp with time zone, subject_id uuid, people uuid[], is_wanted boolean)
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  settled bigint := ledger_settled_seq();
BEGIN
  RETURN QUERY SELECT e.* FROM find_event(
    (SELECT max(last.seq) FROM (
       (SELECT t.seq FROM transfers t WHERE t.seq < settled AND (t.kind IN ('user', 'deposit') OR (t.kind = 'internal'
         AND EXISTS (SELECT FROM accounts a WHERE a.account_id IN (t.debit_account, t.credit_account) AND a.user_id IS NOT NULL)))
         ORDER BY t.seq DESC LIMIT 1)
       UNION ALL (SELECT max(p.seq) FROM payment_events p WHERE p.seq < settled)
       UNION ALL (SELECT max(m.seq) FROM money_request_events m WHERE m.seq < settled)
       UNION ALL (SELECT max(k.seq) FROM kyc_events k WHERE k.seq < settled)
       UNION ALL (SELECT max(o.seq) FROM payout_events o WHERE o.seq < settled)
       UNION ALL (SELECT max(k.seq) FROM key_events k WHERE k.seq < settled)) last)) e;
END $function$;

-- Name: ledger_account_of_wallet; Type: FUNCTION

CREATE FUNCTION public.ledger_account_of_wallet(p_asset smallint, p_wallet uuid)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
DECLARE
  owner uuid;
BEGIN
  IF p_wallet IS NULL THEN RETURN NULL; END IF;
  SELECT user_id INTO owner FROM wallets WHERE wallet_id = p_wallet;
  IF owner IS NULL THEN RETURN ledger_open_house_account(p_asset, 'treasury'); END IF;
  PERFORM ledger_open_user_accounts(p_asset, ARRAY[owner]);
  RETURN (SELECT account_id FROM accounts WHERE user_id = owner AND asset_id = p_asset);
END $function$;

-- Name: ledger_add_names_epoch; Type: FUNCTION

CREATE FUNCTION public.ledger_add_names_epoch()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  IF EXISTS (SELECT FROM added) THEN UPDATE ledger_state SET names_epoch = names_epoch + 1; END IF;
  RETURN NULL;
END $function$;

-- Name: ledger_apply; Type: FUNCTION

CREATE FUNCTION public.ledger_apply(p_id uuid, p_kind text, p_debit bigint, p_credit bigint, p_amount bigint, p_hold uuid, p_from text, OUT outcome text, OUT details jsonb)
 RETURNS record
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  at       timestamptz := date_trunc('milliseconds', clock_timestamp());
  d        accounts;
  c        accounts;
  ends     boolean := p_kind IN ('post', 'release');
  -- The account that counts the spending of the hold's owner.
  counting bigint;
  old      transfers;
  h        bigint;
  held_in  integer;
  back     bigint := 0;
  credits  boolean := p_kind <> 'release';
BEGIN
  PERFORM require_arguments('ledger_apply', num_nulls(p_id, p_debit, p_credit) = 0 AND p_amount > 0
    AND p_kind IN ('deposit', 'internal', 'post', 'release') AND ends = (p_hold IS NOT NULL));
  IF ends THEN counting := ledger_counting_account(p_debit); END IF;
  -- A release changes nothing in the credit account and does not lock it. All sends share the `chain` account and would
  -- otherwise wait for each other's commits.
  PERFORM FROM accounts WHERE account_id = ANY (ARRAY[p_debit, CASE WHEN credits THEN p_credit ELSE counting END])
   ORDER BY account_id FOR NO KEY UPDATE;
  SELECT * INTO d FROM accounts WHERE account_id = p_debit;
  SELECT * INTO c FROM accounts WHERE account_id = p_credit;
  IF (d.asset_id = c.asset_id) IS NOT TRUE THEN
    RAISE EXCEPTION 'accounts % and % hold no common asset', p_debit, p_credit USING ERRCODE = 'foreign_key_violation';
  END IF;

  SELECT * INTO old FROM transfers_by_id(ARRAY[p_id]);
  IF FOUND THEN
    outcome := CASE WHEN (old.kind, old.debit_account, old.credit_account, old.amount, old.hold_id)
      IS NOT DISTINCT FROM (p_kind, p_debit, p_credit, p_amount, p_hold) THEN 'duplicate' ELSE 'mismatch' END;
    RETURN;
  END IF;

  IF ends THEN
    SELECT amount, hour_of(created_at) INTO h, held_in FROM transfers
     WHERE transfer_id = p_hold AND kind = 'hold' AND debit_account = p_debit AND credit_account = p_credit;
    IF h IS NULL THEN outcome := 'unknown_hold'; RETURN; END IF;
    IF EXISTS (SELECT FROM transfers WHERE hold_id = p_hold) THEN outcome := 'ended'; RETURN; END IF;
    IF p_amount > h OR (p_kind = 'release' AND p_amount <> h) THEN outcome := 'mismatch'; RETURN; END IF;
    back := h - CASE WHEN p_kind = 'post' THEN p_amount ELSE 0 END;
    d.held := d.held - h;
    d.available := d.available + back;
  ELSE
    IF d.available < p_amount AND d.kind NOT IN ('chain', 'loss') THEN
      outcome := 'insufficient';
      details := jsonb_build_object('available', d.available::text);
      RETURN;
    END IF;
    d.available := d.available - p_amount;
  END IF;

  INSERT INTO transfers (transfer_id, seq, debit_account, credit_account, amount, debit_entry, credit_entry,
    debit_available, credit_available, debit_held, created_at, asset_id, kind, hold_id, from_name)
  VALUES (p_id, ledger_next_place(1), p_debit, p_credit, p_amount, d.entries + 1, CASE WHEN credits THEN c.entries + 1 END,
    d.available, CASE WHEN credits THEN c.available + p_amount END,
    CASE WHEN ends THEN d.held END, at, d.asset_id, p_kind, p_hold, p_from);
  UPDATE accounts SET available = d.available, held = d.held, entries = d.entries + 1 WHERE account_id = p_debit;
  IF credits THEN
    UPDATE accounts SET available = c.available + p_amount, entries = c.entries + 1 WHERE account_id = p_credit;
  END IF;
  IF back > 0 THEN PERFORM ledger_give_back(counting, held_in, back, p_kind = 'release'); END IF;
  outcome := 'applied';
END $function$;

-- Name: ledger_ask_above; Type: FUNCTION

CREATE FUNCTION public.ledger_ask_above(p_user uuid, p_above bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM FROM accounts WHERE user_id = p_user ORDER BY account_id FOR NO KEY UPDATE;
  UPDATE accounts SET passkey_above = p_above WHERE user_id = p_user AND passkey_above IS DISTINCT FROM p_above;
END $function$;

-- Name: ledger_counting_account; Type: FUNCTION

CREATE FUNCTION public.ledger_counting_account(p_account bigint)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
DECLARE
  d        accounts;
  home     smallint;
  counting bigint;
BEGIN
  SELECT * INTO d FROM accounts WHERE account_id = p_account;
  home := home_asset_of((SELECT symbol FROM assets WHERE asset_id = d.asset_id));
  IF d.user_id IS NULL OR home IS NULL OR d.asset_id = home THEN RETURN p_account; END IF;
  SELECT account_id INTO counting FROM accounts WHERE user_id = d.user_id AND asset_id = home;
  IF counting IS NULL THEN
    INSERT INTO accounts (asset_id, kind, user_id) VALUES (home, 'user', d.user_id)
    ON CONFLICT (user_id, asset_id) WHERE user_id IS NOT NULL DO NOTHING;
    SELECT account_id INTO counting FROM accounts WHERE user_id = d.user_id AND asset_id = home;
  END IF;
  RETURN counting;
END $function$;

-- Name: ledger_cover_debt; Type: FUNCTION

CREATE FUNCTION public.ledger_cover_debt(p_payment uuid, p_account bigint, p_amount bigint)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
DECLARE
  d       accounts;
  missing bigint;
BEGIN
  SELECT * INTO d FROM accounts WHERE account_id = p_account;
  missing := greatest(p_amount - d.available, 0);
  IF missing > 0 THEN
    PERFORM ledger_apply(gen_random_uuid(), 'internal', ledger_open_house_account(d.asset_id, 'loss'), p_account, missing,
      NULL, p_payment::text);
    INSERT INTO debts (payment_id, account_id, amount) VALUES (p_payment, p_account, missing);
  END IF;
  RETURN missing;
END $function$;

-- Name: ledger_deposit; Type: FUNCTION

CREATE FUNCTION public.ledger_deposit(p_asset smallint, p_ids uuid[], p_accounts bigint[], p_amounts bigint[], p_froms text[])
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
DECLARE
  at         timestamptz := date_trunc('milliseconds', clock_timestamp());
  chain      bigint := ledger_open_house_account(p_asset, 'chain');
  place      bigint;
  new_ones   integer;
  expected   integer;
BEGIN
  PERFORM require_arguments('ledger_deposit', is_list(p_ids, cardinality(p_ids)) AND is_list(p_accounts, cardinality(p_ids))
    AND is_list(p_amounts, cardinality(p_ids)) AND is_list(p_froms, cardinality(p_ids)) AND 0 < ALL (p_amounts));
  PERFORM FROM accounts WHERE account_id = ANY (p_accounts || chain) ORDER BY account_id FOR NO KEY UPDATE;
  IF EXISTS (SELECT FROM unnest(p_accounts) d(account)
      WHERE (SELECT a.asset_id FROM accounts a WHERE a.account_id = d.account) IS DISTINCT FROM p_asset) THEN
    RAISE EXCEPTION 'an account does not hold asset %', p_asset USING ERRCODE = 'foreign_key_violation';
  END IF;
  IF EXISTS (SELECT FROM unnest(p_ids, p_accounts, p_amounts) d(id, account, amount)
       JOIN transfers t ON t.transfer_id = d.id
      WHERE (t.kind, t.debit_account, t.credit_account, t.amount)
            IS DISTINCT FROM ('deposit', chain, d.account, d.amount)) THEN
    RAISE EXCEPTION 'the id of a deposit belongs to another movement' USING ERRCODE = 'unique_violation';
  END IF;

  place := ledger_next_place(cardinality(p_ids));
  WITH fresh AS (
    SELECT d.id, d.account, d.amount, d.from_name,
           row_number() OVER (ORDER BY d.n) AS nth, sum(d.amount) OVER (ORDER BY d.n) AS total,
           row_number() OVER (PARTITION BY d.account ORDER BY d.n) AS own_nth,
           sum(d.amount) OVER (PARTITION BY d.account ORDER BY d.n) AS own_total
      FROM unnest(p_ids, p_accounts, p_amounts, p_froms) WITH ORDINALITY AS d(id, account, amount, from_name, n)
     WHERE NOT EXISTS (SELECT FROM transfers t WHERE t.transfer_id = d.id)
  ), written AS (
    INSERT INTO transfers (transfer_id, seq, debit_account, credit_account, amount, debit_entry, credit_entry,
      debit_available, credit_available, created_at, asset_id, kind, from_name)
    SELECT f.id, place + f.nth - 1, chain, f.account, f.amount, c.entries + f.nth, a.entries + f.own_nth,
           c.available - f.total, a.available + f.own_total, at, p_asset, 'deposit', f.from_name
      FROM fresh f JOIN accounts a ON a.account_id = f.account JOIN accounts c ON c.account_id = chain
    RETURNING 1
  ), moved AS (
    UPDATE accounts a SET available = a.available + m.change, entries = a.entries + m.entries
      FROM (SELECT account, sum(amount)::bigint AS change, count(*) AS entries FROM fresh GROUP BY account
            UNION ALL
            SELECT chain, -sum(amount)::bigint, count(*) FROM fresh HAVING count(*) > 0) m
     WHERE a.account_id = m.account
  )
  SELECT (SELECT count(*) FROM written), (SELECT count(*) FROM fresh) INTO new_ones, expected;
  IF new_ones <> expected THEN
    RAISE EXCEPTION '% of % deposits were written', new_ones, expected USING ERRCODE = 'data_corrupted';
  END IF;
  RETURN new_ones;
END $function$;

-- Name: ledger_describe_asset; Type: FUNCTION

CREATE FUNCTION public.ledger_describe_asset(p_asset smallint, p_chain_id bigint, p_contract text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('ledger_describe_asset', num_nulls(p_asset, p_contract) = 0 AND coalesce(p_chain_id, 1) > 0);
  PERFORM refuse_other_operators('custody');
  UPDATE networks n SET chain_id = p_chain_id FROM assets s
   WHERE s.asset_id = p_asset AND n.network_id = s.network_id AND n.chain_id IS NULL;
  UPDATE assets SET contract = p_contract WHERE asset_id = p_asset AND contract IS NULL;
END $function$;

-- Name: ledger_entries; Type: FUNCTION

CREATE FUNCTION public.ledger_entries(p_account bigint, p_top bigint, p_bottom bigint)
 RETURNS TABLE(entry bigint, available_after bigint, transfer public.transfers)
 LANGUAGE sql
 STABLE
AS $function$
  WITH RECURSIVE walk AS (
    (SELECT c.entry, c.transfer FROM (
       (SELECT t.debit_entry AS entry, t AS transfer FROM transfers t
         WHERE t.debit_account = p_account AND t.debit_entry >= p_top - 1
           AND (t.debit_prev IS NULL OR t.debit_entry % 32 = 0 OR t.kind <> 'user')
         ORDER BY t.debit_entry LIMIT 1)
       UNION ALL
       (SELECT t.credit_entry, t FROM transfers t
         WHERE t.credit_account = p_account AND t.credit_entry >= p_top - 1
           AND (t.credit_prev IS NULL OR t.credit_entry % 32 = 0 OR t.kind <> 'user')
         ORDER BY t.credit_entry LIMIT 1)
       UNION ALL
       SELECT a.last_entry, t FROM accounts a JOIN transfers t ON t.seq = a.last_seq
        WHERE a.account_id = p_account AND a.last_entry >= p_top - 1) c
      ORDER BY c.entry LIMIT 1)
    UNION ALL
    SELECT w.entry - 1, n.transfer
      FROM (SELECT entry, CASE WHEN (transfer).debit_account = p_account THEN (transfer).debit_prev
                               ELSE (transfer).credit_prev END AS prev
              FROM walk WHERE entry > p_bottom) w,
           LATERAL (
             SELECT t AS transfer FROM transfers t WHERE t.seq = w.prev
             UNION ALL
             SELECT t FROM transfers t
              WHERE w.prev IS NULL AND t.debit_account = p_account AND t.debit_entry = w.entry - 1
                AND (t.debit_prev IS NULL OR t.debit_entry % 32 = 0 OR t.kind <> 'user')
             UNION ALL
             SELECT t FROM transfers t
              WHERE w.prev IS NULL AND t.credit_account = p_account AND t.credit_entry = w.entry - 1
                AND (t.credit_prev IS NULL OR t.credit_entry % 32 = 0 OR t.kind <> 'user')) n
  )
  SELECT entry, CASE WHEN (transfer).debit_account = p_account THEN (transfer).debit_available
                     ELSE (transfer).credit_available END, transfer
    FROM walk WHERE entry < p_top
$function$;

-- Name: ledger_epoch_standing; Type: FUNCTION

CREATE FUNCTION public.ledger_epoch_standing(p_kind text, p_counter bigint, p_random bigint)
 RETURNS text
 LANGUAGE sql
 STABLE STRICT
AS $function$
  SELECT CASE
    WHEN EXISTS (SELECT FROM epochs WHERE kind = p_kind AND counter = p_counter AND random = p_random) THEN 'held'
    WHEN p_counter < (SELECT min(counter) FROM epochs WHERE kind = p_kind) THEN 'old'
    ELSE 'lost'
  END
$function$;

-- Name: ledger_forget_epochs; Type: FUNCTION

CREATE FUNCTION public.ledger_forget_epochs()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE ledger_state SET names_epoch = names_epoch + 1000000000, names_changed = names_epoch + 1000000000,
                          sessions_epoch = sessions_epoch + 1000000000;
END $function$;

-- Name: ledger_give_back; Type: FUNCTION

CREATE FUNCTION public.ledger_give_back(p_account bigint, p_hour integer, p_amount bigint, p_whole boolean)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  l      accounts;
  pieces integer := p_whole::integer;
BEGIN
  SELECT * INTO l FROM accounts WHERE account_id = p_account FOR NO KEY UPDATE;
  IF p_hour = l.hour AND l.hour_spent >= p_amount AND l.hour_payments >= pieces THEN
    l.hour_spent := l.hour_spent - p_amount;
    l.hour_payments := l.hour_payments - pieces;
  ELSE
    UPDATE spendings SET spent = spent - p_amount, payments = payments - pieces
     WHERE account_id = p_account AND hour = p_hour AND spent >= p_amount AND payments >= pieces;
    IF NOT FOUND THEN RETURN; END IF;
  END IF;
  IF p_hour >= l.hour - hours_counted('day') THEN
    l.day_spent := l.day_spent - p_amount;
    l.day_payments := l.day_payments - pieces;
  END IF;
  IF p_hour >= l.hour - hours_counted('month') THEN l.month_spent := l.month_spent - p_amount; END IF;
  PERFORM ledger_write_counters(l);
END $function$;

-- Name: ledger_give_tier; Type: FUNCTION

CREATE FUNCTION public.ledger_give_tier(p_status text, p_tier text, p_actor text, p_reason text)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  wanted tiers;
BEGIN
  PERFORM require_arguments('ledger_give_tier', num_nulls(p_status, p_tier) = 0);
  PERFORM require_operator('limits');
  SELECT * INTO wanted FROM tiers WHERE name = p_tier;
  IF NOT FOUND THEN RETURN 'unknown tier'; END IF;
  PERFORM set_config('florin.actor', 'operator:' || session_user, true), set_config('florin.reason', p_reason, true);
  UPDATE kyc_tiers SET tier = wanted.tier WHERE kyc_status = p_status AND currency = wanted.currency;
  RETURN CASE WHEN FOUND THEN 'given' ELSE 'unknown status' END;
END $function$;

-- Name: ledger_hold_many; Type: FUNCTION

CREATE FUNCTION public.ledger_hold_many(p_holds public.new_hold[], p_left bigint[] DEFAULT NULL::bigint[], OUT o_at timestamp with time zone, OUT o_outcomes text[], OUT o_details jsonb[], OUT o_left bigint[])
 RETURNS record
 LANGUAGE plpgsql
AS $function$
DECLARE
  n           integer := cardinality(p_holds);
  -- The assets of the home network, one per currency: an account of one of these counts its own spending.
  homes       smallint[] := ARRAY(SELECT s.asset_id FROM ledger_state l JOIN assets h ON h.asset_id = l.home_asset
                                    JOIN assets s ON s.network_id = h.network_id);
  now_hour    integer;
  -- Per hold: the account that counts what its owner spends.
  counting    bigint[];
  -- The accounts as they were, then as the decided holds leave them, and their ids in the same order.
  locked      accounts[];
  locked_ids  bigint[];
  -- Per hold: its row in `transfers`.
  debit_entry bigint[] := array_fill(NULL::bigint, ARRAY[n]);
  after_      bigint[] := debit_entry;
  held_after  bigint[] := debit_entry;
  debit_prev  bigint[] := debit_entry;
  place       bigint;
  -- For the current hold: the positions in `locked` of the account that pays and of the account that counts, and both
  -- accounts.
  debit_at    integer;
  counting_at integer;
  d           accounts;
  l           accounts;
  t           tiers;
  budget      bigint;
  refusal     text;
  written     integer;
  h           record;
BEGIN
  o_outcomes := array_fill(NULL::text, ARRAY[n]);
  o_details := array_fill(NULL::jsonb, ARRAY[n]);
  o_left := p_left;
  SELECT array_agg(CASE WHEN u.debit IS NOT NULL THEN coalesce(
           (SELECT x.account_id FROM accounts x WHERE x.account_id = u.debit AND (x.user_id IS NULL OR x.asset_id = ANY (homes))),
           ledger_counting_account(u.debit)) END ORDER BY u.ordinality)
    INTO counting FROM unnest(p_holds) WITH ORDINALITY AS u;
  -- The treasury pays people from its home account and addresses from others, and the ids of both come from payout
  -- rows. The home account serves as the lock under which the ids are compared, so that the later of two payments with one id
  -- gets an outcome instead of an error. For a person, the counting account is their own.
  locked_ids := ARRAY(SELECT u.debit FROM unnest(p_holds) AS u WHERE u.debit IS NOT NULL);
  locked_ids := locked_ids || counting || ARRAY(
    SELECT x.account_id FROM accounts x WHERE x.kind = 'treasury' AND x.asset_id = ANY (homes) AND x.user_id IS NULL
       AND EXISTS (SELECT FROM accounts p WHERE p.account_id = ANY (locked_ids) AND p.kind = 'treasury'));
  locked := ARRAY(SELECT x FROM accounts x WHERE x.account_id = ANY (locked_ids) ORDER BY x.account_id FOR NO KEY UPDATE);
  locked_ids := ARRAY(SELECT x.account_id FROM unnest(locked) AS x ORDER BY 1);
  -- The time of the holds is taken under the locks, so that it is later than the accounts' earlier rows.
  o_at := date_trunc('milliseconds', clock_timestamp());
  now_hour := hour_of(o_at);

  FOR h IN
    SELECT f.*, u.ordinality AS nth, u.debit AS new_debit, u.credit AS new_credit, u.amount AS new_amount
      FROM transfers f JOIN unnest(p_holds) WITH ORDINALITY AS u ON u.id = f.transfer_id
  LOOP
    o_outcomes[h.nth] := CASE WHEN (h.kind, h.debit_account, h.credit_account, h.amount)
      IS NOT DISTINCT FROM ('hold', h.new_debit, h.new_credit, h.new_amount) THEN 'duplicate' ELSE 'mismatch' END;
  END LOOP;

  -- For the first payment of an account in a new hour, day and month are counted again, even if the payment is refused.
  FOR h IN
    SELECT s.*
      FROM (SELECT array_agg(x.account_id) AS ids, array_agg(x.hour) AS hours, array_agg(x.hour_payments) AS payments,
                   array_agg(x.hour_spent) AS spent
              FROM unnest(locked) AS x WHERE x.hour < now_hour AND x.account_id = ANY (counting)) o,
           ledger_turn_hour(now_hour, o.ids, o.hours, o.payments, o.spent) s
     WHERE o.ids IS NOT NULL
  LOOP
    counting_at := array_position(locked_ids, h.account_id);
    l := locked[counting_at];
    l.hour := now_hour;
    l.hour_payments := 0;
    l.hour_spent := 0;
    l.day_payments := h.day_payments;
    l.day_spent := h.day_spent;
    l.month_spent := h.month_spent;
    locked[counting_at] := l;
  END LOOP;

  FOR h IN SELECT u.*, u.ordinality AS nth FROM unnest(p_holds) WITH ORDINALITY AS u ORDER BY u.ordinality LOOP
    debit_at := array_position(locked_ids, h.debit);
    counting_at := array_position(locked_ids, counting[h.nth]);
    CONTINUE WHEN debit_at IS NULL OR o_outcomes[h.nth] IS NOT NULL;
    d := locked[debit_at];
    l := locked[counting_at];
    IF t.tier IS DISTINCT FROM d.tier THEN SELECT * INTO t FROM tiers WHERE tier = d.tier; END IF;
    budget := CASE WHEN h.budget_at IS NOT NULL THEN coalesce(o_left[h.budget_at], 0) END;
    refusal := spending_refusal(t, d.paused, d.available, l.day_payments, l.day_spent, l.month_spent, h.amount, budget,
                                d.passkey_above);
    -- Two conditions, because NULL AND f() evaluates f: every send without a refusal would look for a proof.
    IF refusal = 'passkey' THEN
      IF is_proved_hold(h.id, h.debit, h.party, h.amount) THEN refusal := NULL; END IF;
    END IF;
    IF refusal IS NOT NULL THEN
      o_outcomes[h.nth] := refusal;
      o_details[h.nth] := refusal_details(refusal, t, d.account_id, d.available, l.account_id, l.hour, l.day_payments,
                                          l.day_spent, l.month_spent, h.amount, budget);
      CONTINUE;
    END IF;
    o_outcomes[h.nth] := 'applied';
    IF h.budget_at IS NOT NULL THEN o_left[h.budget_at] := budget - h.amount; END IF;
    IF d.last_entry = d.entries THEN debit_prev[h.nth] := d.last_seq; END IF;
    d.available := d.available - h.amount;
    d.held := d.held + h.amount;
    d.entries := d.entries + 1;
    after_[h.nth] := d.available;
    held_after[h.nth] := d.held;
    debit_entry[h.nth] := d.entries;
    locked[debit_at] := d;
    -- Read again, because it may be the same account.
    l := locked[counting_at];
    l.hour_payments := l.hour_payments + 1;
    l.hour_spent := l.hour_spent + h.amount;
    l.day_payments := l.day_payments + 1;
    l.day_spent := l.day_spent + h.amount;
    l.month_spent := l.month_spent + h.amount;
    locked[counting_at] := l;
  END LOOP;

  UPDATE accounts x
     SET available = u.available, held = u.held, entries = u.entries, hour = u.hour, hour_payments = u.hour_payments,
         hour_spent = u.hour_spent, day_payments = u.day_payments, day_spent = u.day_spent, month_spent = u.month_spent
    FROM unnest(locked) AS u
   WHERE x.account_id = ANY (locked_ids) AND x.account_id = u.account_id
     AND (x.entries, x.hour, x.hour_payments, x.day_payments) IS DISTINCT FROM (u.entries, u.hour, u.hour_payments, u.day_payments);
  place := ledger_next_place(cardinality(array_remove(debit_entry, NULL)));
  INSERT INTO transfers (transfer_id, seq, debit_account, credit_account, amount, debit_entry, debit_available, debit_held,
    created_at, asset_id, kind, debit_prev)
  SELECT m.id, place + row_number() OVER (ORDER BY m.nth) - 1, m.debit, m.credit, m.amount, m.entry, m.available, m.held,
         o_at, x.asset_id, 'hold', m.prev
    FROM unnest(p_holds, debit_entry, after_, held_after, debit_prev) WITH ORDINALITY
         AS m(id, debit, credit, amount, budget_at, party, entry, available, held, prev, nth)
    JOIN unnest(locked) AS x ON x.account_id = m.debit
   WHERE m.entry IS NOT NULL;
  GET DIAGNOSTICS written = ROW_COUNT;
  IF written <> cardinality(array_positions(o_outcomes, 'applied')) THEN
    RAISE EXCEPTION '% rows written for other holds than were accepted', written USING ERRCODE = 'data_corrupted';
  END IF;
END $function$;

-- Name: ledger_hold_paid; Type: FUNCTION

CREATE FUNCTION public.ledger_hold_paid(p_id uuid, p_debit bigint, p_credit bigint, p_amount bigint)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
DECLARE
  d   accounts;
  old transfers;
BEGIN
  SELECT * INTO old FROM transfers_by_id(ARRAY[p_id]);
  IF FOUND THEN
    RETURN CASE WHEN (old.kind, old.debit_account, old.credit_account, old.amount) = ('hold', p_debit, p_credit, p_amount)
      THEN 'duplicate' ELSE 'mismatch' END;
  END IF;
  UPDATE accounts SET available = available - p_amount, held = held + p_amount, entries = entries + 1
   WHERE account_id = p_debit RETURNING * INTO d;
  INSERT INTO transfers (transfer_id, seq, debit_account, credit_account, amount, debit_entry, debit_available, debit_held,
    created_at, asset_id, kind, debit_prev)
  VALUES (p_id, ledger_next_place(1), p_debit, p_credit, p_amount, d.entries, d.available, d.held,
    date_trunc('milliseconds', clock_timestamp()), d.asset_id, 'hold', CASE WHEN d.last_entry = d.entries - 1 THEN d.last_seq END);
  RETURN 'applied';
END $function$;

-- Name: ledger_keep_refusal; Type: FUNCTION

CREATE FUNCTION public.ledger_keep_refusal(p_id uuid, p_receiver text, p_amount bigint, p_refusal jsonb, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
AS $function$
  INSERT INTO refusals (payment_id, receiver, amount, code, details, created_at)
  VALUES (p_id, p_receiver, p_amount, p_refusal->>'code', p_refusal->'details', p_at)
$function$;

-- Name: ledger_lock_accounts; Type: FUNCTION

CREATE FUNCTION public.ledger_lock_accounts(p_accounts bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
BEGIN
  PERFORM require_arguments('ledger_lock_accounts', is_list(p_accounts, cardinality(p_accounts)));
  -- Every operator role may cancel. Someone who is no longer an operator locks nothing.
  PERFORM refuse_other_operators('cancel');
  PERFORM FROM accounts WHERE account_id = ANY (p_accounts) ORDER BY account_id FOR NO KEY UPDATE;
END $function$;

-- Name: ledger_move; Type: FUNCTION

CREATE FUNCTION public.ledger_move(p_id uuid, p_kind text, p_debit bigint, p_credit bigint, p_amount bigint, p_hold uuid, p_from text, OUT outcome text, OUT details jsonb)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  is_known boolean;
BEGIN
  PERFORM require_arguments('ledger_move', num_nulls(p_id, p_debit, p_credit) = 0 AND p_amount > 0
    AND p_kind IN ('deposit', 'internal', 'post') AND (p_kind = 'post') = (p_hold IS NOT NULL));
  is_known := CASE p_kind
    WHEN 'deposit' THEN EXISTS (
      SELECT FROM deposits d JOIN accounts c ON c.account_id = p_debit AND c.kind = 'chain' AND c.asset_id = d.asset_id
       WHERE d.transfer_id = p_id AND d.amount = p_amount AND d.state = 'credited'
         AND ledger_account_of_wallet(d.asset_id, d.wallet_id) = p_credit)
    WHEN 'internal' THEN EXISTS (
      SELECT FROM deposits d JOIN accounts l ON l.account_id = p_debit AND l.kind = 'loss' AND l.asset_id = d.asset_id
        JOIN accounts c ON c.account_id = p_credit AND c.kind = 'chain' AND c.asset_id = d.asset_id
       WHERE d.state = 'lost' AND d.amount = p_amount AND p_id = derived_id('loss:' || d.transfer_id))
    -- A hold that has ended moves nothing, and the outcome says so.
    ELSE EXISTS (SELECT FROM transfers e WHERE e.hold_id = p_hold)
      OR EXISTS (SELECT FROM transfers h
                   JOIN coin_moves m ON m.move_id = h.transfer_id AND m.state IN ('open', 'done')
                  WHERE h.transfer_id = p_hold AND h.kind = 'hold' AND h.amount = p_amount)
      AND p_id = derived_id('post:' || p_hold) END;
  IF is_known IS NOT TRUE THEN PERFORM refuse_call('ledger_move'); END IF;
  SELECT m.outcome, m.details INTO outcome, details
    FROM ledger_apply(p_id, p_kind, p_debit, p_credit, p_amount, p_hold, p_from) m;
END $function$;

-- Name: ledger_name_token; Type: FUNCTION

CREATE FUNCTION public.ledger_name_token(p_asset smallint, p_name text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('ledger_name_token', num_nulls(p_asset, p_name) = 0);
  PERFORM refuse_other_operators('custody');
  UPDATE assets SET token_name = p_name WHERE asset_id = p_asset AND token_name IS NULL;
END $function$;

-- Name: ledger_next_names_epoch; Type: FUNCTION

CREATE FUNCTION public.ledger_next_names_epoch()
 RETURNS void
 LANGUAGE sql
AS $function$
  UPDATE ledger_state SET names_epoch = names_epoch + 1, names_changed = names_epoch + 1
$function$;

-- Name: ledger_next_place; Type: FUNCTION

CREATE FUNCTION public.ledger_next_place(p_count bigint)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
DECLARE
  base  bigint := ledger_tx_seq();
  place bigint;
BEGIN
  SELECT coalesce(max(seq) + 1, base + 32768) INTO place
    FROM transfers WHERE seq >= base + 32768 AND seq < base + 65536;
  IF place + p_count > base + 65536 THEN
    RAISE EXCEPTION 'too many movements in one commit' USING ERRCODE = 'program_limit_exceeded';
  END IF;
  RETURN place;
END $function$;

-- Name: ledger_next_sessions_epoch; Type: FUNCTION

CREATE FUNCTION public.ledger_next_sessions_epoch()
 RETURNS bigint
 LANGUAGE sql
AS $function$
  UPDATE ledger_state SET sessions_epoch = sessions_epoch + 1 RETURNING sessions_epoch
$function$;

-- Name: ledger_note_epoch; Type: FUNCTION

CREATE FUNCTION public.ledger_note_epoch()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  changed record;
BEGIN
  IF NEW.names_epoch <> OLD.names_epoch THEN NEW.names_random := ledger_random_bits(); END IF;
  IF NEW.sessions_epoch <> OLD.sessions_epoch THEN NEW.sessions_random := ledger_random_bits(); END IF;
  FOR changed IN
    SELECT * FROM (VALUES ('names', OLD.names_epoch, NEW.names_epoch, NEW.names_random),
                          ('sessions', OLD.sessions_epoch, NEW.sessions_epoch, NEW.sessions_random))
      AS e(kind, before, counter, random) WHERE e.before <> e.counter
  LOOP
    IF changed.counter < changed.before THEN
      DELETE FROM epochs WHERE kind = changed.kind AND counter >= changed.counter;
    END IF;
    INSERT INTO epochs (kind, counter, random) VALUES (changed.kind, changed.counter, changed.random);
    DELETE FROM epochs WHERE kind = changed.kind AND counter <= changed.counter - 10000;
  END LOOP;
  RETURN NEW;
END $function$;

-- Name: ledger_open_asset; Type: FUNCTION

CREATE FUNCTION public.ledger_open_asset(p_blockchain text, p_symbol text DEFAULT 'USDC'::text)
 RETURNS smallint
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  SELECT ledger_open_token(p_blockchain, p_symbol)
$function$;

-- Name: ledger_open_house_account; Type: FUNCTION

CREATE FUNCTION public.ledger_open_house_account(p_asset smallint, p_kind text)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  found_id bigint;
BEGIN
  PERFORM require_arguments('ledger_open_house_account', p_asset IS NOT NULL AND p_kind IN ('treasury', 'fees', 'loss', 'chain'));
  SELECT account_id INTO found_id FROM accounts WHERE kind = p_kind AND asset_id = p_asset AND user_id IS NULL;
  IF found_id IS NULL THEN
    INSERT INTO accounts (asset_id, kind) VALUES (p_asset, p_kind)
    ON CONFLICT (kind, asset_id) WHERE user_id IS NULL DO NOTHING;
    SELECT account_id INTO found_id FROM accounts WHERE kind = p_kind AND asset_id = p_asset AND user_id IS NULL;
  END IF;
  RETURN found_id;
END $function$;

-- Name: ledger_open_token; Type: FUNCTION

CREATE FUNCTION public.ledger_open_token(p_blockchain text, p_currency text)
 RETURNS smallint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  network smallint;
  asset   smallint;
BEGIN
  PERFORM require_arguments('ledger_open_token', p_blockchain IS NOT NULL
    AND EXISTS (SELECT FROM currencies WHERE currency = p_currency));
  -- Checked first, because an insert with a conflict still uses up an id, and a smallint has few.
  IF NOT EXISTS (SELECT FROM networks WHERE blockchain = p_blockchain) THEN
    PERFORM refuse_other_operators('custody');
    -- Taken before the provider is read, because `ledger_use_wallets` may be changing it.
    LOCK TABLE networks IN ROW EXCLUSIVE MODE;
    INSERT INTO networks (blockchain, family, wallet_provider)
    VALUES (p_blockchain, blockchain_family(p_blockchain),
            coalesce((SELECT coalesce(network_wallets ->> p_blockchain, wallet_provider) FROM wallet_seeds), 'local'))
    ON CONFLICT (blockchain) DO NOTHING;
  END IF;
  SELECT network_id INTO network FROM networks WHERE blockchain = p_blockchain;
  IF NOT EXISTS (SELECT FROM assets WHERE network_id = network AND symbol = p_currency) THEN
    PERFORM refuse_other_operators('custody');
    INSERT INTO assets (network_id, symbol, decimals)
    SELECT network, currency, decimals FROM currencies WHERE currency = p_currency ON CONFLICT (network_id, symbol) DO NOTHING;
  END IF;
  SELECT asset_id INTO asset FROM assets WHERE network_id = network AND symbol = p_currency;
  RETURN asset;
END $function$;

-- Name: ledger_open_user_accounts; Type: FUNCTION

CREATE FUNCTION public.ledger_open_user_accounts(p_asset smallint, p_users uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('ledger_open_user_accounts', p_asset IS NOT NULL AND is_list(p_users, cardinality(p_users)));
  INSERT INTO accounts (asset_id, kind, user_id)
  SELECT p_asset, 'user', user_id FROM users WHERE user_id = ANY (p_users) ORDER BY user_id
  ON CONFLICT (user_id, asset_id) WHERE user_id IS NOT NULL DO NOTHING;
END $function$;

-- Name: ledger_pause_user; Type: FUNCTION

CREATE FUNCTION public.ledger_pause_user(p_user uuid, p_paused boolean)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM FROM accounts WHERE user_id = p_user ORDER BY account_id FOR NO KEY UPDATE;
  UPDATE accounts SET paused = p_paused WHERE user_id = p_user;
END $function$;

-- Name: ledger_pay_batch; Type: FUNCTION

CREATE FUNCTION public.ledger_pay_batch(p_sessions bigint, p_sessions_random bigint, p_asset smallint, p_names bigint, p_names_random bigint, p_accounts bigint[], p_net bigint[], p_out bigint[], p_sends integer[], p_touches integer[], p_lasts integer[], p_ids uuid[], p_keyed boolean[], p_debits integer[], p_credits integer[], p_amounts bigint[], p_froms text[], p_tos text[], p_typed text[], OUT o_at_ms bigint, OUT o_available bigint[], OUT o_exceptions jsonb)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_nestloop TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
  at          timestamptz := date_trunc('milliseconds', clock_timestamp());
  hour_no     integer := hour_of(at);
  n           integer := cardinality(p_ids);
  k           integer := cardinality(p_accounts);
  base        bigint;
  upto        bigint;
  is_stale    boolean;
  is_changed  boolean;
  paused      text;
  t           tiers;
  -- By their number.
  all_tiers   tiers[];
  -- Per account: -1 when the person is paused.
  tier_no     smallint[];
  -- By the position of the account: the amount above which its owner wants to be asked. NULL if no account has one.
  asked_above jsonb;
  turned      jsonb;
  -- Per account: as it was, then as the decided payments leave it.
  balance     bigint[];
  entry       bigint[];
  spent_day   bigint[];
  spent_month bigint[];
  sends       integer[];
  -- The `seq` of the account's last row; NULL where it is not known.
  last        bigint[];
  -- Per account: as it was written when everything was expected to be accepted.
  new_balance bigint[];
  new_entry   bigint[];
  new_day     bigint[];
  new_month   bigint[];
  new_sends   integer[];
  new_last    bigint[];
  debit_entry      bigint[] := array_fill(NULL::bigint, ARRAY[n]);
  credit_entry     bigint[] := debit_entry;
  credit_available bigint[] := debit_entry;
  debit_prev       bigint[] := debit_entry;
  credit_prev      bigint[] := debit_entry;
  known       boolean := false;
  written     integer;
  d           integer;
  c           integer;
  a           bigint;
  refusal     text;
  details     jsonb;
  found_old   record;
BEGIN
  -- Checked before anything else. The five arrays about accounts need no other check: whatever they say is corrected
  -- below, except that an account that pays must have been counted as one (`p_sends`), or its spending would stay in a
  -- past hour.
  IF (n BETWEEN 1 AND 8000 AND is_list(p_accounts, k) AND is_list(p_net, k) AND is_list(p_out, k) AND is_list(p_sends, k)
      AND is_list(p_touches, k) AND is_list(p_lasts, k) AND is_list(p_ids, n) AND is_list(p_keyed, n)
      AND is_list(p_debits, n) AND is_list(p_credits, n) AND is_list(p_amounts, n) AND is_list(p_froms, n)
      AND is_list(p_tos, n) AND is_list(p_typed, n) AND array_position(p_ids, NULL) IS NULL
      AND array_position(p_keyed, NULL) IS NULL AND 0 <= ALL (p_debits) AND k >= ALL (p_debits)
      AND 0 <= ALL (p_credits) AND k >= ALL (p_credits) AND 0 <= ALL (p_sends) AND is_amount(VARIADIC p_amounts)) IS NOT TRUE
    OR current_setting('transaction_isolation') <> 'read committed'
  THEN
    PERFORM refuse_call('ledger_pay_batch');
  END IF;
  o_at_ms := extract(epoch FROM at) * 1000;
  o_available := debit_entry;
  o_exceptions := '{}';
  -- `upto`: movements of this batch must come after it (see `ledger_tx_seq`).
  SELECT seq_base, (SELECT seq - 1 FROM kept_positions),
         names_epoch IS DISTINCT FROM p_names OR names_random IS DISTINCT FROM p_names_random,
         sessions_epoch <> p_sessions OR (p_sessions IS NOT NULL AND sessions_random IS DISTINCT FROM p_sessions_random)
    INTO base, upto, is_stale, is_changed FROM ledger_state;
  IF is_changed THEN o_exceptions := '{"changed": true}'; RETURN; END IF;
  IF is_stale THEN o_exceptions := '{"stale": true}'; RETURN; END IF;
  base := base + pg_current_xact_id()::text::bigint * 65536;
  IF base <= upto THEN base := ledger_tx_seq(); END IF;
  FOR t IN SELECT * FROM tiers LOOP
    all_tiers[t.tier] := t;
  END LOOP;

  WITH
  written AS (
    UPDATE accounts x
       SET available = CASE WHEN x.available + u.net >= 0 THEN x.available + u.net ELSE x.available END,
           entries = x.entries + u.touches,
           last_seq = CASE WHEN u.touches > 0 THEN base + u.last ELSE x.last_seq END,
           last_entry = CASE WHEN u.touches > 0 THEN x.entries + u.touches ELSE x.last_entry END,
           hour = CASE WHEN u.sends > 0 THEN greatest(x.hour, hour_no) ELSE x.hour END,
           hour_payments = CASE WHEN u.sends = 0 OR x.hour >= hour_no THEN x.hour_payments ELSE 0 END + u.sends,
           hour_spent = CASE WHEN u.sends = 0 OR x.hour >= hour_no THEN x.hour_spent ELSE 0 END + u.out,
           day_payments = x.day_payments + u.sends,
           day_spent = x.day_spent + u.out,
           month_spent = x.month_spent + u.out
      FROM unnest(p_accounts, p_net, p_out, p_sends, p_touches, p_lasts) WITH ORDINALITY
           AS u(account_id, net, out, sends, touches, last, nth)
     WHERE x.account_id = ANY (p_accounts) AND x.account_id = u.account_id
       AND x.asset_id = p_asset AND x.kind = 'user'
    RETURNING u.nth, u.out, u.sends, CASE WHEN x.paused THEN -1::smallint ELSE x.tier END AS tier,
              old.available AS old_available, old.entries AS old_entries, old.hour AS old_hour,
              old.hour_payments AS old_payments, old.hour_spent AS old_spent,
              CASE WHEN old.last_entry = old.entries THEN old.last_seq END AS old_last,
              x.account_id, x.passkey_above, x.available, x.entries, x.day_payments, x.day_spent, x.month_spent,
              CASE WHEN x.last_entry = x.entries THEN x.last_seq END AS last_seq
  )
  SELECT array_agg(w.tier), array_agg(w.old_available), array_agg(w.old_entries), array_agg(w.day_spent - w.out),
         array_agg(w.month_spent - w.out), array_agg(w.day_payments - w.sends), array_agg(w.available),
         array_agg(w.entries), array_agg(w.day_spent), array_agg(w.month_spent), array_agg(w.day_payments),
         array_agg(w.old_last), array_agg(w.last_seq),
         jsonb_agg(jsonb_build_object('account_id', w.account_id, 'hour', w.old_hour, 'payments', w.old_payments,
                                      'spent', w.old_spent)) FILTER (WHERE w.sends > 0 AND w.old_hour < hour_no AND w.old_hour > 0),
         jsonb_object_agg(w.nth, w.passkey_above) FILTER (WHERE w.passkey_above IS NOT NULL)
    INTO tier_no, balance, entry, spent_day, spent_month, sends, new_balance, new_entry, new_day, new_month, new_sends,
         last, new_last, turned, asked_above
    FROM (SELECT * FROM written ORDER BY nth) w;
  IF coalesce(cardinality(balance), 0) <> cardinality(p_accounts) THEN
    RAISE EXCEPTION 'not all accounts are users'' accounts of asset %', p_asset USING ERRCODE = 'foreign_key_violation';
  END IF;
  -- This statement may have waited for the locks, and the epochs compared above may have changed meanwhile: a session
  -- ended, or a name now belongs to somebody else. The batch runs again and finds it. A name that was only added
  -- changes nothing.
  PERFORM FROM ledger_state
    WHERE names_changed <= p_names
      AND (p_sessions IS NULL OR (sessions_epoch = p_sessions AND sessions_random IS NOT DISTINCT FROM p_sessions_random));
  IF NOT FOUND THEN
    RAISE EXCEPTION 'a session or a name has changed while the payments waited' USING ERRCODE = 'serialization_failure';
  END IF;

  -- The first payment of an account in a new hour: its day and month are counted again. An account that never paid has
  -- nothing to count.
  IF turned IS NOT NULL THEN
    FOR found_old IN
      SELECT n.*, array_position(p_accounts, n.account_id) AS nth
        FROM (SELECT array_agg(u.account_id) AS accounts, array_agg(u.hour) AS hours,
                     array_agg(u.payments) AS payments, array_agg(u.spent) AS spent
                FROM jsonb_to_recordset(turned) AS u(account_id bigint, hour integer, payments integer, spent bigint)) u,
             ledger_turn_hour(hour_no, u.accounts, u.hours, u.payments, u.spent) n
    LOOP
      sends[found_old.nth] := found_old.day_payments;
      spent_day[found_old.nth] := found_old.day_spent;
      spent_month[found_old.nth] := found_old.month_spent;
      new_sends[found_old.nth] := found_old.day_payments + p_sends[found_old.nth];
      new_day[found_old.nth] := found_old.day_spent + p_out[found_old.nth];
      new_month[found_old.nth] := found_old.month_spent + p_out[found_old.nth];
    END LOOP;
    -- The counters of the hour itself are right already: the statement above started them at zero.
    UPDATE accounts x SET day_payments = u.sends, day_spent = u.spent_day, month_spent = u.spent_month
      FROM unnest(p_accounts, new_sends, new_day, new_month) AS u(account_id, sends, spent_day, spent_month)
     WHERE x.account_id = ANY (p_accounts) AND x.account_id = u.account_id
       AND (x.day_payments, x.day_spent, x.month_spent) IS DISTINCT FROM (u.sends, u.spent_day, u.spent_month);
  END IF;

  FOR found_old IN
    SELECT f.*, array_position(p_ids, f.transfer_id) AS nth FROM transfers_by_id(p_ids) f
  LOOP
    known := true;
    o_exceptions := o_exceptions || jsonb_build_object(found_old.nth, jsonb_build_object('old', 'paid',
      'same', coalesce(found_old.kind = 'user' AND found_old.amount = p_amounts[found_old.nth]
        AND found_old.debit_account = p_accounts[p_debits[found_old.nth]]
        AND coalesce(found_old.typed_name, found_old.to_name)
          = coalesce(p_typed[found_old.nth], p_tos[found_old.nth]), false),
      'available', found_old.debit_available::text,
      'at_ms', floor(extract(epoch FROM found_old.created_at) * 1000),
      'from', found_old.from_name, 'to', found_old.to_name, 'typed', found_old.typed_name));
  END LOOP;
  FOR found_old IN
    SELECT r.*, array_position(p_ids, r.payment_id) AS nth FROM refusals r WHERE r.payment_id = ANY (p_ids)
  LOOP
    known := true;
    o_exceptions := o_exceptions || jsonb_build_object(found_old.nth, jsonb_build_object('old', 'refused',
      'same', found_old.amount = p_amounts[found_old.nth]
        AND found_old.receiver = coalesce(p_typed[found_old.nth], p_tos[found_old.nth]),
      'code', found_old.code, 'details', found_old.details));
  END LOOP;
  IF known THEN
    FOR found_old IN SELECT n.note, array_position(p_ids, n.payment_id) AS nth FROM payment_notes n
                      WHERE n.payment_id = ANY (p_ids) AND o_exceptions ? array_position(p_ids, n.payment_id)::text LOOP
      o_exceptions := jsonb_set(o_exceptions, ARRAY[found_old.nth::text, 'note'], coalesce(to_jsonb(found_old.note), 'null'));
    END LOOP;
  END IF;

  paused := find_pause('all', 'user');
  FOR i IN 1..n LOOP
    IF known THEN CONTINUE WHEN o_exceptions ? i::text; END IF;
    d := p_debits[i];
    c := p_credits[i];
    a := p_amounts[i];
    refusal := spending_refusal(all_tiers[tier_no[d]], tier_no[d] = -1, balance[d], sends[d], spent_day[d], spent_month[d], a,
                                NULL, CASE WHEN asked_above IS NOT NULL THEN (asked_above->>d::text)::bigint END);
    -- Two conditions, because NULL AND f() evaluates f: every payment without a refusal would look for a proof.
    IF refusal = 'passkey' AND c > 0 THEN
      IF is_proved_payment(p_ids[i], p_accounts[d], p_accounts[c], a) THEN refusal := NULL; END IF;
    END IF;
    IF refusal IS NOT NULL OR d = 0 OR c = 0 OR d = c OR paused IS NOT NULL THEN
      refusal := CASE WHEN paused IS NOT NULL THEN 'paused' WHEN d = 0 THEN 'unknown_payer'
        WHEN refusal IN ('user_paused', 'kyc') THEN refusal
        WHEN c = 0 THEN 'unknown_name' WHEN d = c THEN 'self' ELSE refusal END;
      details := CASE WHEN refusal = 'paused' THEN jsonb_build_object('reason', paused)
        WHEN refusal IN ('unknown_payer', 'unknown_name', 'self') THEN '{}'
        ELSE refusal_details(refusal, all_tiers[tier_no[d]], p_accounts[d], balance[d], p_accounts[d], hour_no, sends[d],
                             spent_day[d], spent_month[d], a, NULL) END;
      o_exceptions := o_exceptions || jsonb_build_object(i,
        jsonb_build_object('code', refusal_code(refusal), 'details', details));
      -- A pause is not stored: the same payment may be repeated when it ends. Nor is a missing proof: the same payment is
      -- repeated with it.
      IF p_keyed[i] AND refusal NOT IN ('paused', 'user_paused', 'passkey') THEN
        INSERT INTO refusals (payment_id, receiver, amount, code, details, created_at)
        VALUES (p_ids[i], coalesce(p_typed[i], p_tos[i]), a, refusal_code(refusal), details, at);
      END IF;
    ELSE
      IF (p_sends[d] > 0) IS NOT TRUE THEN PERFORM refuse_call('ledger_pay_batch'); END IF;
      balance[d] := balance[d] - a;
      o_available[i] := balance[d];
      entry[d] := entry[d] + 1;
      debit_entry[i] := entry[d];
      debit_prev[i] := last[d];
      last[d] := base + i;
      spent_day[d] := spent_day[d] + a;
      spent_month[d] := spent_month[d] + a;
      sends[d] := sends[d] + 1;
      balance[c] := balance[c] + a;
      credit_available[i] := balance[c];
      entry[c] := entry[c] + 1;
      credit_entry[i] := entry[c];
      credit_prev[i] := last[c];
      last[c] := base + i;
    END IF;
  END LOOP;

  INSERT INTO transfers (transfer_id, seq, debit_account, credit_account, amount, debit_entry, credit_entry,
    debit_available, credit_available, created_at, asset_id, kind, from_name, to_name, typed_name,
    debit_prev, credit_prev)
  SELECT o.id, base + o.nth, p_accounts[o.debit], p_accounts[o.credit], o.amount, o.debit_entry, o.credit_entry,
         o.debit_available, o.credit_available, at, p_asset, 'user', o.from_name, o.to_name, o.typed_name,
         o.debit_prev, o.credit_prev
    FROM unnest(p_ids, p_debits, p_credits, p_amounts, debit_entry, credit_entry, o_available, credit_available,
                p_froms, p_tos, p_typed, debit_prev, credit_prev) WITH ORDINALITY
         AS o(id, debit, credit, amount, debit_entry, credit_entry, debit_available, credit_available,
              from_name, to_name, typed_name, debit_prev, credit_prev, nth)
   WHERE o.debit_entry IS NOT NULL;
  GET DIAGNOSTICS written = ROW_COUNT;
  IF written <> cardinality(array_remove(o_available, NULL)) THEN
    RAISE EXCEPTION '% rows written for other payments than were accepted', written USING ERRCODE = 'data_corrupted';
  END IF;
  IF (new_balance, new_entry, new_day, new_month, new_sends, new_last)
     IS DISTINCT FROM (balance, entry, spent_day, spent_month, sends, last)
  THEN
    UPDATE accounts x
       SET available = u.available, entries = u.entries, last_seq = u.last,
           last_entry = CASE WHEN u.last IS NOT NULL THEN u.entries END,
           hour_payments = x.hour_payments - (x.day_payments - u.sends),
           hour_spent = x.hour_spent - (x.month_spent - u.spent_month),
           day_payments = u.sends, day_spent = u.spent_day, month_spent = u.spent_month
      FROM unnest(p_accounts, balance, entry, sends, spent_day, spent_month, last)
           AS u(account_id, available, entries, sends, spent_day, spent_month, last)
     WHERE x.account_id = u.account_id
       AND (x.available, x.entries, x.day_payments, x.day_spent, x.month_spent, x.last_seq)
           IS DISTINCT FROM (u.available, u.entries, u.sends, u.spent_day, u.spent_month, u.last);
  END IF;
END $function$;

-- Name: ledger_pay_many; Type: FUNCTION

CREATE FUNCTION public.ledger_pay_many(p_debit bigint, p_from text, p_payments public.new_payment[], p_left bigint, OUT o_outcomes text[], OUT o_details jsonb[], OUT o_left bigint)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
DECLARE
  n       integer := cardinality(p_payments);
  base    bigint := ledger_tx_seq();
  at      timestamptz;
  t       tiers;
  -- The account that pays: as it was, and as the decided payments leave it.
  d       accounts;
  l       accounts;
  refusal text;
  r       record;
BEGIN
  IF n > 8000 THEN RAISE EXCEPTION 'too many payments in one commit' USING ERRCODE = 'program_limit_exceeded'; END IF;
  o_outcomes := array_fill(NULL::text, ARRAY[n]);
  o_details := array_fill(NULL::jsonb, ARRAY[n]);
  o_left := p_left;
  PERFORM ledger_lock_accounts(ARRAY(SELECT u.credit FROM unnest(p_payments) AS u) || p_debit);
  -- Taken under the locks, so that it is later than the accounts' earlier rows.
  at := date_trunc('milliseconds', clock_timestamp());
  SELECT * INTO d FROM accounts WHERE account_id = p_debit;
  IF d.kind IS NULL OR d.kind NOT IN ('user', 'treasury') THEN
    RAISE EXCEPTION 'account % cannot pay people', p_debit USING ERRCODE = 'foreign_key_violation';
  END IF;
  SELECT * INTO t FROM tiers WHERE tier = d.tier;
  l := d;
  IF l.hour < hour_of(at) THEN
    l.hour := hour_of(at);
    SELECT h.day_payments, h.day_spent, h.month_spent INTO l.day_payments, l.day_spent, l.month_spent
      FROM ledger_turn_hour(l.hour, ARRAY[p_debit], ARRAY[d.hour], ARRAY[d.hour_payments], ARRAY[d.hour_spent]) h;
    l.hour_payments := 0;
    l.hour_spent := 0;
  END IF;
  FOR r IN
    SELECT f.*, u.ordinality AS nth, u.credit AS new_credit, u.amount AS new_amount
      FROM transfers f JOIN unnest(p_payments) WITH ORDINALITY AS u ON u.id = f.transfer_id
  LOOP
    o_outcomes[r.nth] := CASE WHEN (r.kind, r.debit_account, r.credit_account, r.amount)
      IS NOT DISTINCT FROM ('user', p_debit, r.new_credit, r.new_amount) THEN 'duplicate' ELSE 'mismatch' END;
  END LOOP;

  FOR r IN SELECT u.amount, u.ordinality AS nth FROM unnest(p_payments) WITH ORDINALITY AS u ORDER BY u.ordinality LOOP
    CONTINUE WHEN o_outcomes[r.nth] IS NOT NULL;
    refusal := spending_refusal(t, l.paused, l.available, l.day_payments, l.day_spent, l.month_spent, r.amount, o_left,
                                NULL);
    IF refusal IS NOT NULL THEN
      o_outcomes[r.nth] := refusal;
      o_details[r.nth] := refusal_details(refusal, t, p_debit, l.available, p_debit, l.hour, l.day_payments, l.day_spent,
                                          l.month_spent, r.amount, o_left);
      CONTINUE;
    END IF;
    o_outcomes[r.nth] := 'applied';
    o_left := o_left - r.amount;
    l.available := l.available - r.amount;
    l.entries := l.entries + 1;
    l.last_seq := base + r.nth;
    l.last_entry := l.entries;
    l.hour_payments := l.hour_payments + 1;
    l.hour_spent := l.hour_spent + r.amount;
    l.day_payments := l.day_payments + 1;
    l.day_spent := l.day_spent + r.amount;
    l.month_spent := l.month_spent + r.amount;
  END LOOP;
  IF l.entries = d.entries THEN
    -- The past hour is already stored in `spendings`, and must not be stored twice.
    IF l.hour <> d.hour THEN PERFORM ledger_write_counters(l); END IF;
    RETURN;
  END IF;

  INSERT INTO transfers (transfer_id, seq, debit_account, credit_account, amount, debit_entry, credit_entry,
    debit_available, credit_available, created_at, asset_id, kind, from_name, to_name, typed_name, debit_prev, credit_prev)
  SELECT p.id, base + p.nth, p_debit, p.credit, p.amount,
         d.entries + row_number() OVER paid, c.entries + row_number() OVER got,
         d.available - (sum(p.amount) OVER paid)::bigint, c.available + (sum(p.amount) OVER got)::bigint,
         at, d.asset_id, 'user', p_from, p.to_name, p.requested_name,
         coalesce(base + lag(p.nth) OVER paid, CASE WHEN d.last_entry = d.entries THEN d.last_seq END),
         coalesce(base + lag(p.nth) OVER got, CASE WHEN c.last_entry = c.entries THEN c.last_seq END)
    FROM unnest(p_payments, o_outcomes) WITH ORDINALITY AS p(id, credit, amount, to_name, requested_name, outcome, nth)
    JOIN accounts c ON c.account_id = p.credit AND c.kind = 'user' AND c.asset_id = d.asset_id
   WHERE p.outcome = 'applied'
  WINDOW paid AS (ORDER BY p.nth), got AS (PARTITION BY p.credit ORDER BY p.nth);
  GET DIAGNOSTICS n = ROW_COUNT;
  IF n <> l.entries - d.entries THEN
    RAISE EXCEPTION 'not all accounts are users'' accounts of asset %', d.asset_id USING ERRCODE = 'foreign_key_violation';
  END IF;
  UPDATE accounts x
     SET available = x.available + g.amount, entries = x.entries + g.payments, last_seq = base + g.last,
         last_entry = x.entries + g.payments
    FROM (SELECT p.credit, sum(p.amount)::bigint AS amount, count(*) AS payments, max(p.nth) AS last
            FROM unnest(p_payments, o_outcomes) WITH ORDINALITY AS p(id, credit, amount, to_name, requested_name, outcome, nth)
           WHERE p.outcome = 'applied' GROUP BY p.credit) g
   WHERE x.account_id = g.credit;
  UPDATE accounts x
     SET available = l.available, entries = l.entries, last_seq = l.last_seq, last_entry = l.last_entry, hour = l.hour,
         hour_payments = l.hour_payments, hour_spent = l.hour_spent, day_payments = l.day_payments, day_spent = l.day_spent,
         month_spent = l.month_spent
   WHERE x.account_id = p_debit;
END $function$;

-- Name: ledger_pay_users; Type: FUNCTION

CREATE FUNCTION public.ledger_pay_users(p_sessions bigint, p_asset smallint, p_epoch bigint, p_accounts bigint[], p_net bigint[], p_out bigint[], p_sends integer[], p_touches integer[], p_ids uuid[], p_keyed boolean[], p_debits integer[], p_credits integer[], p_amounts bigint[], p_froms text[], p_tos text[], p_typed text[], OUT o_at_ms bigint, OUT o_available bigint[], OUT o_exceptions jsonb)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  now_state ledger_state;
  lasts     integer[];
BEGIN
  PERFORM require_arguments('ledger_pay_users', num_nulls(p_asset, p_epoch, p_accounts, p_ids, p_debits, p_credits) = 0);
  SELECT * INTO now_state FROM ledger_state;
  SELECT coalesce(array_agg(coalesce(l.last, 0) ORDER BY a.place), '{}') INTO lasts
    FROM generate_series(1, cardinality(p_accounts)) AS a(place) LEFT JOIN (
      SELECT o.place, max(p.nth)::integer AS last
        FROM unnest(p_debits, p_credits) WITH ORDINALITY AS p(debit, credit, nth),
             LATERAL (VALUES (p.debit), (p.credit)) AS o(place)
       WHERE p.debit > 0 AND p.credit > 0 AND p.debit <> p.credit GROUP BY o.place) l USING (place);
  SELECT paid.* INTO o_at_ms, o_available, o_exceptions
    FROM ledger_pay_batch(p_sessions, now_state.sessions_random, p_asset, p_epoch, now_state.names_random,
                          p_accounts, p_net, p_out, p_sends, p_touches, lasts, p_ids, p_keyed, p_debits, p_credits, p_amounts,
                          p_froms, p_tos, p_typed) AS paid;
END $function$;

-- Name: ledger_random_bits; Type: FUNCTION

CREATE FUNCTION public.ledger_random_bits()
 RETURNS bigint
 LANGUAGE sql
AS $function$
  SELECT ('x' || left(made.id, 8) || substr(made.id, 10, 4) || right(made.id, 4))::bit(64)::bigint
    FROM (SELECT gen_random_uuid()::text AS id) AS made
$function$;

-- Name: ledger_rebase; Type: FUNCTION

CREATE FUNCTION public.ledger_rebase()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  furthest CONSTANT bigint := 4611686018427387904;
  newest   bigint := greatest(
    (SELECT max(seq) FROM transfers),
    (SELECT max(seq) FROM payment_events),
    (SELECT max(seq) FROM payout_events),
    (SELECT max(seq) FROM money_request_events),
    (SELECT max(seq) FROM kyc_events),
    (SELECT max(seq) FROM key_events),
    -- A webhook that was added after the last event has a position behind it. New events must not precede that
    -- position.
    (SELECT max(place) FROM webhook_endpoints WHERE place <= furthest),
    (SELECT max(covered.seq) FROM assets s,
      LATERAL (SELECT max(covers_seq) AS seq FROM settlements WHERE asset_id = s.asset_id AND covers_seq <= furthest)
        AS covered));
BEGIN
  UPDATE ledger_state SET seq_base = newest - (pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1) * 65536
   WHERE newest >= seq_base + pg_snapshot_xmax(pg_current_snapshot())::text::bigint * 65536;
END $function$;

-- Name: ledger_refund; Type: FUNCTION

CREATE FUNCTION public.ledger_refund(p_id uuid, p_debit bigint, p_credit bigint, p_amount bigint)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
DECLARE
  d     accounts;
  c     accounts;
  place bigint;
BEGIN
  PERFORM ledger_lock_accounts(ARRAY[p_debit, p_credit]);
  SELECT * INTO d FROM accounts WHERE account_id = p_debit;
  SELECT * INTO c FROM accounts WHERE account_id = p_credit;
  IF ((d.kind, c.kind) IN (('user', 'user'), ('treasury', 'user'), ('user', 'treasury')) AND d.asset_id = c.asset_id) IS NOT TRUE THEN
    RAISE EXCEPTION 'account % cannot give back to account %', p_debit, p_credit USING ERRCODE = 'foreign_key_violation';
  END IF;
  IF is_closed_account(p_credit) THEN RETURN 'closed'; END IF;
  IF d.available < p_amount THEN RETURN 'insufficient'; END IF;
  place := ledger_next_place(1);
  INSERT INTO transfers (transfer_id, seq, debit_account, credit_account, amount, debit_entry, credit_entry,
    debit_available, credit_available, created_at, asset_id, kind, from_name, to_name, debit_prev, credit_prev)
  VALUES (p_id, place, p_debit, p_credit, p_amount, d.entries + 1, c.entries + 1,
    d.available - p_amount, c.available + p_amount, date_trunc('milliseconds', clock_timestamp()), d.asset_id, 'user',
    (SELECT username FROM usernames WHERE user_id = d.user_id AND redirect_until IS NULL),
    (SELECT username FROM usernames WHERE user_id = c.user_id AND redirect_until IS NULL),
    CASE WHEN d.last_entry = d.entries THEN d.last_seq END, CASE WHEN c.last_entry = c.entries THEN c.last_seq END);
  UPDATE accounts a
     SET available = a.available + CASE a.account_id WHEN p_credit THEN p_amount ELSE -p_amount END,
         entries = a.entries + 1, last_seq = place, last_entry = a.entries + 1
   WHERE a.account_id IN (p_debit, p_credit);
  RETURN 'applied';
END $function$;

-- Name: ledger_refusal; Type: FUNCTION

CREATE FUNCTION public.ledger_refusal(p_outcome text, p_details jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT jsonb_build_object('code', r.code, 'details', coalesce((
      SELECT jsonb_object_agg(d.key, CASE
          WHEN d.key IN ('available', 'maximum', 'left', 'above') AND p_details->>'unit' IS DISTINCT FROM 'payments'
          THEN to_jsonb(decimal_amount(d.value::bigint)) ELSE to_jsonb(d.value) END)
        FROM jsonb_each_text(p_details) d), '{}'))
    FROM (SELECT refusal_code(p_outcome) AS code) r
   WHERE r.code IS NOT NULL
$function$;

-- Name: ledger_set_home_asset; Type: FUNCTION

CREATE FUNCTION public.ledger_set_home_asset(p_asset smallint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('ledger_set_home_asset', p_asset IS NOT NULL);
  UPDATE ledger_state SET home_asset = p_asset WHERE home_asset IS NULL;
END $function$;

-- Name: ledger_set_tier; Type: FUNCTION

CREATE FUNCTION public.ledger_set_tier(p_name text, p_limits jsonb, p_actor text, p_reason text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('ledger_set_tier', p_name IS NOT NULL AND jsonb_typeof(p_limits) = 'object');
  PERFORM require_operator('limits');
  PERFORM set_config('florin.actor', 'operator:' || session_user, true), set_config('florin.reason', p_reason, true);
  UPDATE tiers
     SET payment_limit = CASE WHEN p_limits ? 'payment' THEN (p_limits->>'payment')::bigint ELSE payment_limit END,
         day_limit = CASE WHEN p_limits ? 'day' THEN (p_limits->>'day')::bigint ELSE day_limit END,
         month_limit = CASE WHEN p_limits ? 'month' THEN (p_limits->>'month')::bigint ELSE month_limit END,
         day_payments = CASE WHEN p_limits ? 'count' THEN (p_limits->>'count')::integer ELSE day_payments END
   WHERE name = p_name;
  RETURN FOUND;
END $function$;

-- Name: ledger_settle_debt; Type: FUNCTION

CREATE FUNCTION public.ledger_settle_debt(p_payment uuid, p_asset smallint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  debt debts;
BEGIN
  SELECT * INTO debt FROM debts WHERE payment_id = p_payment AND collected < amount FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM ledger_apply(gen_random_uuid(), 'internal', debt.account_id, ledger_open_house_account(p_asset, 'loss'),
    debt.amount - debt.collected, NULL, p_payment::text);
  UPDATE debts SET collected = amount WHERE payment_id = p_payment;
END $function$;

-- Name: ledger_settled_seq; Type: FUNCTION

CREATE FUNCTION public.ledger_settled_seq()
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  SELECT (SELECT seq_base FROM ledger_state) + pg_snapshot_xmin(pg_current_snapshot())::text::bigint * 65536
$function$;

-- Name: ledger_turn_hour; Type: FUNCTION

CREATE FUNCTION public.ledger_turn_hour(p_hour integer, p_accounts bigint[], p_hours integer[], p_payments integer[], p_spent bigint[])
 RETURNS TABLE(account_id bigint, day_payments integer, day_spent bigint, month_spent bigint)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
BEGIN
  DELETE FROM spendings s WHERE s.account_id = ANY (p_accounts) AND s.hour < p_hour - hours_counted('month');
  INSERT INTO spendings (account_id, hour, payments, spent)
  SELECT u.account_id, u.hour, u.payments, u.spent
    FROM unnest(p_accounts, p_hours, p_payments, p_spent) AS u(account_id, hour, payments, spent)
   WHERE u.payments > 0 AND u.hour >= p_hour - hours_counted('month');
  RETURN QUERY
    SELECT u.account_id, coalesce(w.day_payments, 0), coalesce(w.day_spent, 0), coalesce(w.month_spent, 0)
      FROM unnest(p_accounts) AS u(account_id)
      LEFT JOIN (
        -- Looks up the keys: with nested loops off, a join would read the whole table.
        SELECT s.account_id,
               (sum(s.payments) FILTER (WHERE s.hour >= p_hour - hours_counted('day')))::integer AS day_payments,
               (sum(s.spent) FILTER (WHERE s.hour >= p_hour - hours_counted('day')))::bigint AS day_spent,
               sum(s.spent)::bigint AS month_spent
          FROM spendings s WHERE s.account_id = ANY (p_accounts) GROUP BY s.account_id) w USING (account_id);
END $function$;

-- Name: ledger_tx_seq; Type: FUNCTION

CREATE FUNCTION public.ledger_tx_seq()
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
DECLARE
  number   bigint := pg_current_xact_id()::text::bigint * 65536;
  followed bigint := (SELECT seq FROM kept_positions);
BEGIN
  IF (SELECT seq_base FROM ledger_state) + number < followed THEN PERFORM ledger_rebase(); END IF;
  RETURN (SELECT seq_base FROM ledger_state) + number;
END $function$;

-- Name: ledger_use_wallets; Type: FUNCTION

CREATE FUNCTION public.ledger_use_wallets(p_provider text, p_networks jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  LOCK TABLE networks IN SHARE ROW EXCLUSIVE MODE;
  IF EXISTS (SELECT FROM networks WHERE wallet_provider <> coalesce(p_networks ->> blockchain, p_provider)) THEN
    UPDATE networks SET wallet_provider = coalesce(p_networks ->> blockchain, p_provider)
     WHERE wallet_provider <> coalesce(p_networks ->> blockchain, p_provider);
  END IF;
END $function$;

-- Name: ledger_write_counters; Type: FUNCTION

CREATE FUNCTION public.ledger_write_counters(l public.accounts)
 RETURNS void
 LANGUAGE sql
AS $function$
  UPDATE accounts SET hour = l.hour, hour_payments = l.hour_payments, hour_spent = l.hour_spent,
    day_payments = l.day_payments, day_spent = l.day_spent, month_spent = l.month_spent
   WHERE account_id = l.account_id;
$function$;

-- Name: limit_resets_at; Type: FUNCTION

CREATE FUNCTION public.limit_resets_at(p_account bigint, p_hour integer, span text)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  SELECT to_char(to_timestamp((1 + hours_counted(span) + coalesce(
      (SELECT min(hour) FROM spendings WHERE account_id = p_account AND hour >= p_hour - hours_counted(span) AND spent > 0),
      p_hour))::bigint * 3600) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')
$function$;

-- Name: limits_left; Type: FUNCTION

CREATE FUNCTION public.limits_left(p_user uuid, p_currency text)
 RETURNS TABLE(kyc_status text, name text, reason text, payment_limit bigint, day_limit bigint, month_limit bigint, day_payments integer, payments bigint, day_spent bigint, month_spent bigint, day_resets_at timestamp with time zone, month_resets_at timestamp with time zone, is_verified boolean, next_payment bigint, next_day bigint, next_month bigint, next_count integer)
 LANGUAGE sql
 STABLE
AS $function$
  SELECT u.kyc_status, t.name, p.words, t.payment_limit, t.day_limit, t.month_limit, t.day_payments,
         w.payments, w.day_spent, w.month_spent,
         to_timestamp((w.day_oldest + hours_counted('day') + 1)::bigint * 3600),
         to_timestamp((w.month_oldest + hours_counted('month') + 1)::bigint * 3600),
         t.tier = v.tier, v.payment_limit, v.day_limit, v.month_limit, v.day_payments
    FROM users u
    LEFT JOIN LATERAL (
      SELECT x.* FROM accounts x JOIN assets s USING (asset_id) WHERE x.user_id = u.user_id AND s.symbol = p_currency
         AND x.asset_id = coalesce(home_asset_of(p_currency), x.asset_id) ORDER BY x.account_id LIMIT 1) a ON true
    JOIN tiers t ON t.tier = coalesce(a.tier, (SELECT k.tier FROM kyc_tiers k WHERE k.kyc_status = u.kyc_status AND k.currency = p_currency))
    JOIN tiers v ON v.tier = (SELECT k.tier FROM kyc_tiers k WHERE k.kyc_status = 'approved' AND k.currency = p_currency)
    -- A person may have several pauses. As in a refusal, the first is named, in words for customers.
    LEFT JOIN LATERAL (SELECT pause_words(scope, cause) AS words FROM pauses
      WHERE scope = 'user:' || u.user_id ORDER BY paused_at LIMIT 1) p ON true
   CROSS JOIN LATERAL (
      SELECT coalesce(sum(s.payments) FILTER (WHERE s.today), 0)::bigint AS payments,
             coalesce(sum(s.spent) FILTER (WHERE s.today), 0)::bigint AS day_spent,
             coalesce(sum(s.spent), 0)::bigint AS month_spent,
             min(s.hour) FILTER (WHERE s.today) AS day_oldest, min(s.hour) AS month_oldest
        FROM (SELECT b.*, b.hour >= n.hour - hours_counted('day') AS today
                FROM (SELECT greatest(coalesce(a.hour, 0), hour_of(clock_timestamp()))) AS n(hour),
                     (SELECT hour, payments, spent FROM spendings WHERE account_id = a.account_id
                       UNION ALL SELECT a.hour, a.hour_payments, a.hour_spent) b
               WHERE b.hour >= n.hour - hours_counted('month') AND b.payments > 0) s) w
   WHERE u.user_id = p_user
$function$;

-- Name: link_operator; Type: FUNCTION

CREATE FUNCTION public.link_operator(p_name text, p_issuer text, p_subject text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('link_operator', num_nulls(p_name, p_issuer, p_subject) = 0);
  PERFORM require_operator('operators');
  INSERT INTO operator_identities AS known (issuer, subject, name) VALUES (p_issuer, p_subject, p_name)
  ON CONFLICT (issuer, subject) DO UPDATE SET name = excluded.name, added_at = excluded.added_at
  WHERE known.name <> excluded.name;
  PERFORM write_audit('operator:' || session_user, 'operator.linked', NULL,
    jsonb_build_object('name', p_name, 'issuer', p_issuer));
END $function$;

-- Name: list_earlier_wallets; Type: FUNCTION

CREATE FUNCTION public.list_earlier_wallets(p_wallet uuid)
 RETURNS SETOF public.wallets
 LANGUAGE sql
 STABLE
AS $function$
  WITH wallet AS (SELECT * FROM wallets WHERE wallet_id = p_wallet),
       other AS (SELECT o.* FROM wallet JOIN wallets o USING (user_id)
                 UNION ALL
                 SELECT o.* FROM wallet JOIN wallets o ON wallet.user_id IS NULL AND o.kind = 'treasury')
  SELECT other.* FROM wallet, other
   WHERE other.wallet_id <> p_wallet AND other.replaced_at IS NULL AND other.family = wallet.family
     AND (wallet.created_at < other.created_at
          OR EXISTS (SELECT FROM restores WHERE noted_at < wallet.created_at + interval '1 day'))
$function$;

-- Name: list_public_name; Type: FUNCTION

CREATE FUNCTION public.list_public_name()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  -- Nearly everyone: a first name of a person who has chosen nothing.
  IF TG_OP = 'INSERT' AND NOT (SELECT discoverable FROM users WHERE user_id = NEW.user_id) THEN RETURN NULL; END IF;
  DELETE FROM public_names WHERE user_id = NEW.user_id;
  INSERT INTO public_names (username, user_id)
  SELECT n.username, n.user_id FROM usernames n JOIN users u USING (user_id)
   WHERE n.user_id = NEW.user_id AND n.redirect_until IS NULL AND u.discoverable AND u.closed_at IS NULL;
  RETURN NULL;
END $function$;

-- Name: lock_key; Type: FUNCTION

CREATE FUNCTION public.lock_key(p_key uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('lock_key', p_key IS NOT NULL);
  PERFORM require_operator('keys');
  LOCK TABLE key_rules IN EXCLUSIVE MODE;
END $function$;

-- Name: lock_key_budgets; Type: FUNCTION

CREATE FUNCTION public.lock_key_budgets(p_keys uuid[], p_payers uuid[], OUT o_at integer[], OUT o_keys uuid[], OUT o_pays text[], OUT o_left bigint[])
 RETURNS record
 LANGUAGE plpgsql
AS $function$
DECLARE
  now_hour integer;
  b        key_budgets;
BEGIN
  o_at := array_fill(NULL::integer, ARRAY[cardinality(p_keys)]);
  IF NOT EXISTS (SELECT FROM key_budgets WHERE key_id = ANY (p_keys) AND counted_since IS NOT NULL) THEN
    RETURN;
  END IF;
  FOR b IN
    SELECT x.* FROM key_budgets x
     WHERE x.counted_since IS NOT NULL AND (x.key_id, x.pays) IN (
       SELECT u.key, CASE WHEN u.payer IS NULL THEN 'treasury' ELSE 'people' END
         FROM unnest(p_keys, p_payers) AS u(key, payer) WHERE u.key IS NOT NULL)
     ORDER BY x.key_id, x.pays FOR NO KEY UPDATE
  LOOP
    -- Taken under the lock, so that it is not earlier than the hour of the budget's last spending.
    now_hour := greatest(hour_of(clock_timestamp()), b.hour);
    IF b.hour < now_hour OR EXISTS (SELECT FROM key_refunds r WHERE r.key_id = b.key_id AND r.pays = b.pays) THEN
      b := turn_key_budget(b, now_hour);
    END IF;
    o_keys := o_keys || b.key_id;
    o_pays := o_pays || b.pays;
    -- A missing limit does not apply: least() ignores NULL.
    o_left := o_left || least(b.day_limit - b.day_spent - b.hour_spent, b.month_limit - b.month_spent - b.hour_spent);
  END LOOP;
  o_at := ARRAY(
    SELECT (SELECT p.n FROM unnest(o_keys, o_pays) WITH ORDINALITY AS p(key, pays, n)
             WHERE p.key = u.key AND p.pays = CASE WHEN u.payer IS NULL THEN 'treasury' ELSE 'people' END)::integer
      FROM unnest(p_keys, p_payers) WITH ORDINALITY AS u(key, payer, n) ORDER BY u.n);
END $function$;

-- Name: lock_topic; Type: FUNCTION

CREATE FUNCTION public.lock_topic(p_topic text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO job_topics (topic) VALUES (p_topic) ON CONFLICT DO NOTHING;
  PERFORM FROM job_topics WHERE topic = p_topic FOR SHARE;
END $function$;

-- Name: lock_webhook_endpoints; Type: FUNCTION

CREATE FUNCTION public.lock_webhook_endpoints()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('lock_webhook_endpoints', true);
  PERFORM refuse_other_operators('webhooks');
  LOCK TABLE webhook_endpoints IN SHARE ROW EXCLUSIVE MODE;
END $function$;

-- Name: log_out_everywhere; Type: FUNCTION

CREATE FUNCTION public.log_out_everywhere(p_user uuid)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  ended record;
BEGIN
  PERFORM require_arguments('log_out_everywhere', p_user IS NOT NULL);
  ended := end_credentials(p_user);
  PERFORM write_audit('user:' || p_user, 'sessions.ended', p_user,
    jsonb_build_object('sessions', ended.o_sessions, 'keys', ended.o_keys));
  RETURN ended.o_sessions;
END $function$;

-- Name: mark_unchecked; Type: FUNCTION

CREATE FUNCTION public.mark_unchecked()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  NEW.unchecked := true;
  RETURN NEW;
END $function$;

-- Name: may_add_passkey; Type: FUNCTION

CREATE FUNCTION public.may_add_passkey(p_user uuid, p_session uuid)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  IF EXISTS (SELECT FROM passkeys WHERE user_id = p_user) THEN
    RETURN CASE WHEN NOT is_proved(p_user, '{"do": "add"}') THEN 'passkey.required'
                WHEN (SELECT count(*) FROM passkeys WHERE user_id = p_user) >= 10 THEN 'passkey.too_many' END;
  END IF;
  RETURN CASE WHEN (SELECT s.created_at FROM sessions s WHERE s.session_id = p_session AND s.user_id = p_user)
                     > clock_timestamp() - interval '5 minutes' THEN NULL ELSE 'auth.old_login' END;
END $function$;

-- Name: may_be_handed_over; Type: FUNCTION

CREATE FUNCTION public.may_be_handed_over(p_payment uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  SELECT EXISTS (SELECT FROM restores) AND EXISTS (
    SELECT FROM payments p JOIN wallets w USING (wallet_id)
     WHERE p.payment_id = p_payment AND w.provider NOT IN (SELECT r.provider FROM wallet_providers r WHERE r.rail = 'eip3009'))
$function$;

-- Name: may_be_signed; Type: FUNCTION

CREATE FUNCTION public.may_be_signed(p_network smallint, p_since timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  SELECT EXISTS (
    SELECT FROM restores r LEFT JOIN chain_cursors c ON c.network_id = p_network
     WHERE coalesce(r.noted_at > p_since, true)
       AND coalesce(c.block_seconds, 0) <= extract(epoch FROM r.noted_at) + signature_seconds())
$function$;

-- Name: may_be_signed_elsewhere; Type: FUNCTION

CREATE FUNCTION public.may_be_signed_elsewhere(p_payment uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  SELECT EXISTS (
    SELECT FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id JOIN assets s USING (asset_id)
      JOIN chain_cursors c USING (network_id)
     WHERE p.payment_id = p_payment AND c.block_seconds > 0 AND may_be_signed(s.network_id, NULL)
       AND EXISTS (SELECT FROM list_earlier_wallets(p.wallet_id)))
$function$;

-- Name: move_reservation; Type: FUNCTION

CREATE FUNCTION public.move_reservation()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  change   bigint := NEW.reserved;
  open_now bigint := CASE WHEN NEW.purpose = 'settlement' AND NEW.state = 'open' THEN NEW.amount ELSE 0 END;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    change := NEW.reserved - OLD.reserved;
    IF OLD.purpose = 'settlement' AND OLD.state = 'open' THEN open_now := open_now - OLD.amount; END IF;
  END IF;
  IF change <> 0 OR open_now <> 0 THEN
    UPDATE holdings SET reserved = reserved + change, outgoing = outgoing + open_now
     WHERE asset_id = NEW.asset_id AND wallet_id = NEW.wallet_id;
    IF NOT FOUND THEN RAISE EXCEPTION 'wallet % holds nothing', NEW.wallet_id USING ERRCODE = 'check_violation'; END IF;
  END IF;
  IF open_now <> 0 THEN
    INSERT INTO holdings AS h (asset_id, wallet_id, incoming) VALUES (NEW.asset_id, NEW.to_wallet, open_now)
    ON CONFLICT (asset_id, wallet_id) DO UPDATE SET incoming = h.incoming + excluded.incoming;
  END IF;
  IF change < 0 AND NEW.state <> 'done' THEN PERFORM wake_sends(NEW.asset_id, ARRAY[NEW.wallet_id]); END IF;
  RETURN NULL;
END $function$;

-- Name: name_previous; Type: FUNCTION

CREATE FUNCTION public.name_previous()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  NEW.debit_prev := (SELECT last_seq FROM accounts
    WHERE account_id = NEW.debit_account AND last_entry = NEW.debit_entry - 1);
  NEW.credit_prev := (SELECT last_seq FROM accounts
    WHERE account_id = NEW.credit_account AND last_entry = NEW.credit_entry - 1);
  RETURN NEW;
END $function$;

-- Name: note_new_wallets; Type: FUNCTION

CREATE FUNCTION public.note_new_wallets()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  IF TG_TABLE_NAME = 'wallets' THEN
    INSERT INTO wallet_rescans (asset_id, wallet_id)
    SELECT s.asset_id, NEW.wallet_id FROM assets s JOIN networks n USING (network_id) WHERE n.family = NEW.family AND n.family = 'evm'
    ON CONFLICT DO NOTHING;
  ELSE
    INSERT INTO wallet_rescans (asset_id, wallet_id)
    SELECT NEW.asset_id, w.wallet_id FROM networks n JOIN wallets w USING (family) WHERE n.network_id = NEW.network_id
       AND n.family = 'evm'
    ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $function$;

-- Name: note_payees; Type: FUNCTION

CREATE FUNCTION public.note_payees(p_user uuid, p_most bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  a       record;
  done    bigint;
  top     bigint;
  is_more boolean := false;
BEGIN
  PERFORM require_arguments('note_payees', p_user IS NOT NULL AND p_most > 0);
  FOR a IN
    SELECT x.account_id, x.entries FROM accounts x LEFT JOIN payee_reads r USING (account_id)
     WHERE x.user_id = p_user AND x.entries > coalesce(r.entry, 0) ORDER BY x.account_id
  LOOP
    INSERT INTO payee_reads (account_id, entry) VALUES (a.account_id, 0) ON CONFLICT DO NOTHING;
    SELECT entry INTO done FROM payee_reads WHERE account_id = a.account_id FOR UPDATE;
    top := least(done + p_most, a.entries);
    is_more := is_more OR top < a.entries;
    -- Another process has just processed them.
    CONTINUE WHEN top <= done;

    INSERT INTO payees AS p (user_id, person, last_seq, last_at, last_asset, payments)
    SELECT p_user, c.user_id, max((e.transfer).seq), max((e.transfer).created_at), max((e.transfer).asset_id), count(*)
      FROM ledger_entries(a.account_id, top + 1, done + 1) e
      JOIN accounts c ON c.account_id = (e.transfer).credit_account
     WHERE (e.transfer).kind = 'user' AND (e.transfer).debit_account = a.account_id
     GROUP BY c.user_id
    ON CONFLICT (user_id, person) WHERE person IS NOT NULL DO UPDATE
      SET last_seq = greatest(p.last_seq, excluded.last_seq), last_at = greatest(p.last_at, excluded.last_at),
          last_asset = CASE WHEN excluded.last_seq > p.last_seq THEN excluded.last_asset ELSE p.last_asset END,
          payments = p.payments + excluded.payments;

    INSERT INTO payees AS p (user_id, address, last_seq, last_at, last_asset, payments)
    SELECT p_user, address_key(m.destination), max((e.transfer).seq), max((e.transfer).created_at), max((e.transfer).asset_id),
           count(*)
      FROM ledger_entries(a.account_id, top + 1, done + 1) e
      JOIN payments m ON m.payment_id = (e.transfer).hold_id
     WHERE (e.transfer).kind = 'post' AND (e.transfer).debit_account = a.account_id AND m.destination IS NOT NULL
     GROUP BY address_key(m.destination)
    ON CONFLICT (user_id, address) WHERE address IS NOT NULL DO UPDATE
      SET last_seq = greatest(p.last_seq, excluded.last_seq), last_at = greatest(p.last_at, excluded.last_at),
          last_asset = CASE WHEN excluded.last_seq > p.last_seq THEN excluded.last_asset ELSE p.last_asset END,
          payments = p.payments + excluded.payments;

    UPDATE payee_reads SET entry = top WHERE account_id = a.account_id;
  END LOOP;
  RETURN is_more;
END $function$;

-- Name: note_refund; Type: FUNCTION

CREATE FUNCTION public.note_refund(p_id uuid, p_note text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('note_refund', num_nulls(p_id, p_note) = 0);
  PERFORM FROM refunds WHERE refund_id = p_id AND xmin = pg_current_xact_id()::xid AND proposed_by = session_user;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'refund % was not made in this transaction', p_id USING ERRCODE = 'restrict_violation';
  END IF;
  PERFORM keep_notes(ARRAY[p_id], ARRAY[p_note]);
END $function$;

-- Name: note_restore; Type: FUNCTION

CREATE FUNCTION public.note_restore(p_reason text, p_good_until timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('note_restore', length(p_reason) > 0);
  PERFORM refuse_other_operators('keys');
  RETURN write_restore(p_reason, p_good_until);
END $function$;

-- Name: note_session_change; Type: FUNCTION

CREATE FUNCTION public.note_session_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  NEW.changed_epoch := ledger_next_sessions_epoch();
  RETURN NEW;
END $function$;

-- Name: note_token_end; Type: FUNCTION

CREATE FUNCTION public.note_token_end()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  UPDATE sessions SET changed_epoch = ledger_next_sessions_epoch() WHERE session_id = OLD.session_id;
  RETURN NULL;
END $function$;

-- Name: number_to_bits; Type: FUNCTION

CREATE FUNCTION public.number_to_bits(p_number numeric)
 RETURNS bit
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
DECLARE
  rest   numeric := p_number;
  result text := '';
BEGIN
  FOR i IN 1..8 LOOP
    result := mod(rest, 4294967296)::bigint::bit(32)::text || result;
    rest := div(rest, 4294967296);
  END LOOP;
  RETURN result::bit(256);
END $function$;

-- Name: operator_objection; Type: FUNCTION

CREATE FUNCTION public.operator_objection(p_deed text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE
  held text := (SELECT role FROM operators WHERE name = session_user);
BEGIN
  IF NOT EXISTS (SELECT FROM operators o JOIN pg_roles r ON r.rolname = o.name AND r.rolcanlogin WHERE o.role = 'admin') THEN
    RETURN NULL;
  END IF;
  IF held IS NULL THEN RETURN session_user || ' is not an operator of this service'; END IF;
  IF p_deed = ANY (CASE held
      WHEN 'admin' THEN ARRAY['keys', 'limits', 'pause', 'pause_user', 'operators', 'approve', 'cancel', 'custody', 'sessions',
                                'webhooks']
      WHEN 'risk' THEN ARRAY['limits', 'pause', 'pause_user', 'approve', 'cancel', 'sessions']
      WHEN 'support' THEN ARRAY['pause_user', 'cancel', 'sessions'] END) THEN
    RETURN NULL;
  END IF;
  RETURN session_user || ' has the role ' || held || ', which may not do this';
END $function$;

-- Name: owed_to; Type: FUNCTION

CREATE FUNCTION public.owed_to(p_asset smallint, p_wallets uuid[])
 RETURNS TABLE(wallet_id uuid, ledger bigint)
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
  SELECT i.id,
         coalesce(CASE o.kind WHEN 'user' THEN (
             SELECT a.available + a.held FROM accounts a WHERE a.user_id = o.user_id AND a.asset_id = p_asset)
           WHEN 'treasury' THEN (
             SELECT sum(a.available + a.held)::bigint FROM accounts a
              WHERE a.kind IN ('treasury', 'fees', 'loss') AND a.asset_id = p_asset AND a.user_id IS NULL) END, 0)
    FROM unnest(p_wallets) AS i(id) LEFT JOIN owner_wallets o ON o.asset_id = p_asset AND o.wallet_id = i.id
$function$;

-- Name: own_places; Type: FUNCTION

CREATE FUNCTION public.own_places(p_users uuid[], p_after bigint, p_last bigint, p_limit integer)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE
  own bigint[] := ARRAY(SELECT a.account_id FROM accounts a WHERE a.user_id = ANY (p_users));
BEGIN
  IF cardinality(p_users) = 0 THEN RETURN '{}'; END IF;
  RETURN ARRAY(
    SELECT t.seq FROM transfers t
     WHERE t.seq > p_after AND t.seq <= p_last AND t.kind IN ('user', 'deposit', 'internal')
       AND (t.debit_account IN (SELECT unnest(own)) OR t.credit_account IN (SELECT unnest(own)))
    UNION ALL
    SELECT p.seq FROM payment_events p
     WHERE p.seq > p_after AND p.seq <= p_last
       AND (SELECT t.debit_account FROM transfers t WHERE t.transfer_id = p.payment_id AND t.kind = 'hold')
           IN (SELECT unnest(own))
    UNION ALL
    SELECT m.seq FROM money_request_events m JOIN money_requests r USING (request_id)
     WHERE m.seq > p_after AND m.seq <= p_last
       AND (r.asker_id IN (SELECT unnest(p_users)) OR r.payer_id IN (SELECT unnest(p_users)))
    UNION ALL
    SELECT k.seq FROM kyc_events k WHERE k.seq > p_after AND k.seq <= p_last AND k.user_id = ANY (p_users)
    UNION ALL
    SELECT k.seq FROM key_events k WHERE k.seq > p_after AND k.seq <= p_last AND k.user_id = ANY (p_users)
    UNION ALL
    SELECT o.seq FROM payout_events o
     WHERE o.seq > p_after AND o.seq <= p_last
       AND (SELECT s.user_id FROM payouts p JOIN service_keys s USING (key_id) WHERE p.payout_id = o.payout_id)
           IN (SELECT unnest(p_users))
    ORDER BY 1 LIMIT p_limit);
END $function$;

-- Name: paid_by; Type: FUNCTION

CREATE FUNCTION public.paid_by(p_payment uuid)
 RETURNS TABLE(asset_id smallint, payer bigint, payee bigint, amount bigint)
 LANGUAGE sql
 STABLE
AS $function$
  SELECT t.asset_id, t.debit_account, CASE t.kind WHEN 'user' THEN t.credit_account END,
         coalesce((SELECT p.amount FROM payments p WHERE t.kind = 'hold' AND p.payment_id = t.transfer_id), e.amount, t.amount)
    FROM transfers_by_id(ARRAY[p_payment]) t LEFT JOIN transfers e ON e.hold_id = t.transfer_id AND e.kind = 'post'
   WHERE (t.kind = 'user' OR (t.kind = 'hold' AND e.amount IS NOT NULL))
     AND NOT EXISTS (SELECT FROM refunds r WHERE r.refund_id = p_payment)
$function$;

-- Name: party_of_send; Type: FUNCTION

CREATE FUNCTION public.party_of_send(p_token text, p_destination text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT p_token || ' ' || address_key(p_destination)
$function$;

-- Name: pause_payments; Type: FUNCTION

CREATE FUNCTION public.pause_payments(p_scope text, p_cause text, p_reason text, p_stops text, p_by text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  person  uuid := substring(p_scope FROM '^user:(.+)$')::uuid;
  -- The value of `stops` in the existing pause; NULL if there is none.
  stopped text := (SELECT stops FROM pauses WHERE scope = p_scope AND cause = p_cause);
BEGIN
  PERFORM require_arguments('pause_payments', num_nulls(p_scope, p_cause, p_reason, p_stops) = 0
    AND (p_cause <> 'closed' OR EXISTS (
      SELECT FROM users WHERE user_id = person AND p_scope = 'user:' || user_id AND closed_at IS NOT NULL)));
  IF p_cause = 'operator' THEN PERFORM refuse_processes(); END IF;
  PERFORM refuse_other_operators(CASE WHEN person IS NULL THEN 'pause' ELSE 'pause_user' END);
  -- A misspelled name would pause nothing. The service names only blockchains that it works with.
  IF p_cause = 'operator' AND p_scope LIKE 'chain:%'
    AND NOT EXISTS (SELECT FROM networks WHERE blockchain = substr(p_scope, length('chain:') + 1)) THEN
    RAISE EXCEPTION 'there is no blockchain %', substr(p_scope, length('chain:') + 1)
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'pauses_of_known_blockchain';
  END IF;
  IF person IS NOT NULL THEN
    PERFORM FROM users WHERE user_id = person FOR NO KEY UPDATE;
    IF NOT FOUND THEN RETURN false; END IF;
  END IF;
  INSERT INTO pauses AS known (scope, cause, reason, stops, paused_by)
  VALUES (p_scope, p_cause, p_reason, p_stops,
          CASE p_cause WHEN 'operator' THEN 'operator:' || session_user WHEN 'closed' THEN p_scope ELSE 'florin' END)
  ON CONFLICT (scope, cause) DO UPDATE
    SET reason = excluded.reason, stops = excluded.stops, paused_by = excluded.paused_by WHERE known.cause = 'operator';
  IF p_cause = 'operator' THEN
    PERFORM write_audit('operator:' || session_user, 'payments.paused', person, jsonb_strip_nulls(jsonb_build_object(
      'scope', p_scope, 'reason', p_reason, 'stops', nullif(p_stops, 'accepting'))));
  END IF;
  PERFORM ledger_pause_user(person, true);
  -- Wake jobs only in this case: a compromised worker must not be able to delay a new pause with a lock.
  IF p_stops = 'accepting' AND stopped = 'accepting and signing' THEN PERFORM wake_jobs('resume'); END IF;
  RETURN true;
END $function$;

-- Name: pause_words; Type: FUNCTION

CREATE FUNCTION public.pause_words(p_scope text, p_cause text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT CASE p_cause
    WHEN 'closed' THEN 'the account is closed'
    WHEN 'drift' THEN 'the coins on this blockchain are being counted again'
    WHEN 'unexplained' THEN 'a movement of coins on this blockchain is being looked into'
    WHEN 'contradicted' THEN 'what the wallets on this blockchain have paid is being looked into'
    WHEN 'audit' THEN 'the balances on this blockchain are being checked'
    WHEN 'reorg' THEN 'this blockchain has taken back what it had called final'
    WHEN 'gas' THEN 'the fees of this blockchain cannot be paid at the moment'
    ELSE CASE WHEN p_scope LIKE 'user:%' THEN 'the operator of this service has stopped them and can say why'
              ELSE 'the operator of this service has stopped them for now' END
  END
$function$;

-- Name: pay_money_requests; Type: FUNCTION

CREATE FUNCTION public.pay_money_requests(p_requests uuid[], p_sessions bigint, p_sessions_random bigint, p_asset smallint, p_names bigint, p_names_random bigint, p_accounts bigint[], p_net bigint[], p_out bigint[], p_sends integer[], p_touches integer[], p_lasts integer[], p_ids uuid[], p_keyed boolean[], p_debits integer[], p_credits integer[], p_amounts bigint[], p_froms text[], p_tos text[], p_typed text[], OUT o_at_ms bigint, OUT o_available bigint[], OUT o_exceptions jsonb)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  debits   integer[] := p_debits;
  refused  jsonb := '{}';
  repeated text[] := '{}';
  at       timestamptz;
  r        record;
  code     text;
BEGIN
  PERFORM require_arguments('pay_money_requests',
    p_requests <@ p_ids AND is_list(p_requests, cardinality(p_requests)) AND array_position(p_requests, NULL) IS NULL);
  PERFORM FROM money_requests WHERE request_id = ANY (p_requests) ORDER BY request_id FOR UPDATE;
  at := date_trunc('milliseconds', clock_timestamp());
  FOR r IN
    SELECT asked.nth, m.*,
           (SELECT user_id FROM accounts WHERE account_id = p_accounts[nullif(p_debits[asked.nth], 0)]) AS paying,
           (SELECT user_id FROM accounts WHERE account_id = p_accounts[nullif(p_credits[asked.nth], 0)]) AS receiving,
           CASE WHEN m.state = 'open' AND m.expires_at <= at THEN 'expired' ELSE m.state END AS state_now
      FROM (SELECT id, array_position(p_ids, id) AS nth FROM unnest(p_requests) AS u(id)) asked
      LEFT JOIN money_requests m ON m.request_id = asked.id AND m.request_id = ANY (p_requests)
  LOOP
    IF r.request_id IS NULL OR r.paying IS NULL OR NOT r.by_link AND r.paying <> r.payer_id THEN
      code := 'money_request.unknown';
    ELSIF r.state = 'paid' AND r.paying = r.payer_id THEN
      repeated := repeated || r.nth::text;
      CONTINUE;
    ELSIF r.state_now <> 'open' THEN
      code := 'money_request.ended';
    ELSIF r.amount <> p_amounts[r.nth] OR r.asker_id IS DISTINCT FROM r.receiving OR p_keyed[r.nth] THEN
      RAISE EXCEPTION 'the payment is not what request % asks for', r.request_id USING ERRCODE = 'restrict_violation';
    ELSE CONTINUE;
    END IF;
    debits[r.nth] := 0;
    refused := refused || jsonb_build_object(r.nth, jsonb_build_object('code', code,
      'details', CASE code WHEN 'money_request.ended' THEN jsonb_build_object('state', r.state_now) ELSE '{}' END));
  END LOOP;

  SELECT b.o_at_ms, b.o_available, b.o_exceptions INTO o_at_ms, o_available, o_exceptions
    FROM ledger_pay_batch(p_sessions, p_sessions_random, p_asset, p_names, p_names_random, p_accounts, p_net, p_out, p_sends,
      p_touches, p_lasts, p_ids, p_keyed, debits, p_credits, p_amounts, p_froms, p_tos, p_typed) b;
  IF o_exceptions ?| ARRAY['changed', 'stale'] THEN RETURN; END IF;

  UPDATE money_requests m
     SET state = 'paid', ended_at = at,
         payer_id = (SELECT user_id FROM accounts WHERE account_id = p_accounts[debits[array_position(p_ids, m.request_id)]])
   WHERE m.request_id = ANY (p_requests) AND NOT o_exceptions ? array_position(p_ids, m.request_id)::text;
  FOR r IN SELECT unnest(repeated) AS nth LOOP
    o_exceptions := jsonb_set(o_exceptions, ARRAY[r.nth, 'same'], 'true');
  END LOOP;
  o_exceptions := o_exceptions || refused;
END $function$;

-- Name: pay_payout_people; Type: FUNCTION

CREATE FUNCTION public.pay_payout_people(p_payout uuid, p_after integer, p_limit integer, OUT o_last integer, OUT o_waits jsonb)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
  p        payouts;
  home     smallint;
  known_at bigint := (SELECT names_changed FROM ledger_state);
  debit    bigint;
  from_    text;
  wallet   uuid;
  places   integer[];
  payments new_payment[];
  amounts  bigint[];
  outcomes text[];
  said     jsonb[];
  budget   record;
  paid     record;
  pause_   text;
  home_name text;
  f        record;
BEGIN
  PERFORM require_arguments('pay_payout_people', p_payout IS NOT NULL AND p_after >= 0 AND p_limit > 0);
  p := begin_payout_pass(p_payout);
  IF p.payout_id IS NULL THEN
    -- After a restore, the rows wait until operators confirm the keys.
    o_waits := (SELECT r FROM payouts x, payout_refusal(x) r
                 WHERE x.payout_id = p_payout AND x.state IN ('running', 'waiting') AND r->>'code' = 'service.paused');
    RETURN;
  END IF;
  home := home_asset_of(p.currency);
  SELECT array_agg(i.nth), array_agg(i.amount),
         array_agg((i.payment_id, i.account_id, i.amount, i.name, CASE WHEN i.name <> i.username THEN i.username END)::new_payment)
    INTO places, amounts, payments
    FROM (SELECT r.*, (SELECT a.account_id FROM accounts a WHERE a.user_id = r.user_id AND a.asset_id = home) AS account_id,
                 (SELECT n.username FROM usernames n WHERE n.user_id = r.user_id AND n.redirect_until IS NULL) AS name
            FROM payout_items r
           WHERE r.payout_id = p_payout AND r.nth > p_after AND r.state = 'ready' AND r.user_id IS NOT NULL
           ORDER BY r.nth LIMIT p_limit) i;
  IF places IS NULL THEN RETURN; END IF;
  o_last := places[cardinality(places)];
  pause_ := find_pause('all', 'user');
  IF pause_ IS NOT NULL THEN
    o_waits := jsonb_build_object('code', 'service.paused', 'details', jsonb_build_object('reason', pause_));
    RETURN;
  END IF;
  IF p.payer_id IS NULL THEN
    debit := (SELECT account_id FROM accounts WHERE kind = 'treasury' AND asset_id = home AND user_id IS NULL);
    wallet := (SELECT wallet_id FROM owner_wallets WHERE kind = 'treasury' AND asset_id = home);
  ELSE
    debit := (SELECT account_id FROM accounts WHERE user_id = p.payer_id AND asset_id = home);
    wallet := (SELECT wallet_id FROM owner_wallets WHERE user_id = p.payer_id AND asset_id = home);
    from_ := (SELECT username FROM usernames WHERE user_id = p.payer_id AND redirect_until IS NULL);
  END IF;
  outcomes := array_fill(NULL::text, ARRAY[cardinality(places)]);
  said := array_fill(NULL::jsonb, ARRAY[cardinality(places)]);
  home_name := (SELECT blockchain FROM networks JOIN assets USING (network_id) WHERE asset_id = home);
  -- The rules of the key may have changed since the file was checked. Rows differ only in their amounts, so if the
  -- largest is allowed, all are.
  IF EXISTS (SELECT FROM find_key_objections(ARRAY[p.key_id], ARRAY[home_name], ARRAY[NULL::text], ARRAY[wallet],
               ARRAY[p.payer_id], ARRAY[(SELECT max(a) FROM unnest(amounts) a)])) THEN
    FOR f IN
      SELECT o.nth, o.refusal FROM find_key_objections(array_fill(p.key_id, ARRAY[cardinality(places)]),
        array_fill(home_name, ARRAY[cardinality(places)]),
        array_fill(NULL::text, ARRAY[cardinality(places)]), array_fill(wallet, ARRAY[cardinality(places)]),
        array_fill(p.payer_id, ARRAY[cardinality(places)]), amounts) o
    LOOP
      outcomes[f.nth] := 'failed';
      said[f.nth] := f.refusal;
    END LOOP;
  END IF;
  FOR i IN 1..cardinality(places) LOOP
    -- People without a name have closed their account.
    IF outcomes[i] IS NULL AND (payments[i]).to_name IS NULL THEN
      outcomes[i] := 'failed';
      said[i] := '{"code": "username.unknown", "details": {}}';
    END IF;
  END LOOP;

  budget := lock_key_budgets(ARRAY[p.key_id], ARRAY[p.payer_id]);
  payments := ARRAY(SELECT payments[n] FROM generate_series(1, cardinality(places)) AS n WHERE outcomes[n] IS NULL ORDER BY n);
  IF cardinality(payments) > 0 THEN
    paid := ledger_pay_many(debit, from_, payments, budget.o_left[budget.o_at[1]]);
    -- While this waited for the account locks, their owners may have closed the accounts. Closing changes a name, so
    -- this check is rarely needed. The batch runs again and finds those people without a name.
    IF (SELECT names_changed FROM ledger_state) IS DISTINCT FROM known_at
      AND EXISTS (SELECT FROM accounts a JOIN users u USING (user_id)
                   WHERE a.account_id = ANY (ARRAY(SELECT r.credit FROM unnest(payments) AS r)) AND u.closed_at IS NOT NULL)
    THEN
      RAISE EXCEPTION 'an account was closed while its payment waited' USING ERRCODE = 'serialization_failure';
    END IF;
    IF budget.o_at[1] IS NOT NULL THEN
      PERFORM charge_key_budgets(budget.o_keys, budget.o_pays, budget.o_left, ARRAY[paid.o_left]);
    END IF;
    PERFORM keep_notes(array_agg(i.payment_id), array_agg(plain_note(i.note)))
       FROM unnest(payments, paid.o_outcomes) AS u(id, credit, amount, to_name, requested_name, outcome)
       JOIN payout_items i ON i.payout_id = p_payout AND i.payment_id = u.id
      WHERE u.outcome = 'applied' AND i.note IS NOT NULL;
    -- Usually everything is paid.
    IF paid.o_outcomes <@ ARRAY['applied'] AND cardinality(payments) = cardinality(places) THEN
      outcomes := array_fill('paid'::text, ARRAY[cardinality(places)]);
    END IF;
    FOR f IN
      SELECT o.n, u.outcome, u.details FROM (
               SELECT n, row_number() OVER (ORDER BY n) AS nth FROM unnest(outcomes) WITH ORDINALITY AS x(outcome, n)
                WHERE x.outcome IS NULL) o
        JOIN unnest(paid.o_outcomes, paid.o_details) WITH ORDINALITY AS u(outcome, details, nth) USING (nth)
    LOOP
      outcomes[f.n] := CASE f.outcome WHEN 'applied' THEN 'paid' WHEN 'duplicate' THEN 'paid' WHEN 'mismatch' THEN 'failed'
        WHEN 'kyc' THEN 'failed' WHEN 'user_paused' THEN 'wait' WHEN 'payment_limit' THEN 'failed' ELSE 'short' END;
      IF outcomes[f.n] <> 'paid' THEN
        said[f.n] := CASE f.outcome WHEN 'mismatch' THEN '{"code": "reference.used", "details": {}}'
          WHEN 'key_limit' THEN broken_key_limit(p.key_id, budget.o_pays[budget.o_at[1]], (f.details->>'left')::bigint)
          ELSE ledger_refusal(f.outcome, f.details) END;
      END IF;
    END LOOP;
  END IF;
  o_waits := decide_payout_rows(p, places, outcomes, said);
END $function$;

-- Name: pay_with_key; Type: FUNCTION

CREATE FUNCTION public.pay_with_key(p_key uuid, p_client inet, p_notes text[], p_requests uuid[], p_asset smallint, p_names bigint, p_names_random bigint, p_accounts bigint[], p_net bigint[], p_out bigint[], p_sends integer[], p_touches integer[], p_lasts integer[], p_ids uuid[], p_keyed boolean[], p_debits integer[], p_credits integer[], p_amounts bigint[], p_froms text[], p_tos text[], p_typed text[], OUT o_at_ms bigint, OUT o_available bigint[], OUT o_exceptions jsonb)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  at       timestamptz := date_trunc('milliseconds', clock_timestamp());
  refusal  jsonb;
  owner    uuid;
  scopes   text[];
  budget   record;
  limit_   bigint;
BEGIN
  PERFORM require_arguments('pay_with_key',
    num_nulls(p_key, p_client) = 0 AND is_list(p_ids, 1) AND is_list(p_keyed, 1) AND is_list(p_debits, 1)
    AND is_list(p_amounts, 1) AND is_list(p_tos, 1) AND is_list(p_typed, 1) AND is_list(p_notes, 1)
    AND is_list(p_requests, cardinality(p_requests)) AND p_requests <@ p_ids AND is_list(p_accounts, cardinality(p_accounts))
    AND p_debits[1] BETWEEN 0 AND cardinality(p_accounts) AND is_amount(VARIADIC p_amounts)
    AND array_position(p_ids || p_requests, NULL) IS NULL AND array_position(p_keyed, NULL) IS NULL);
  o_at_ms := extract(epoch FROM at) * 1000;
  o_available := ARRAY[NULL::bigint];
  refusal := find_key_refusals(ARRAY[p_key], ARRAY[NULL::bytea], ARRAY[p_client])->'1';
  SELECT k.user_id, k.scopes INTO owner, scopes FROM service_keys k WHERE k.key_id = p_key;
  IF refusal IS NULL AND ('own:pay' = ANY (scopes)) IS NOT TRUE THEN
    refusal := '{"code": "auth.scope", "details": {"scope": "pay"}}';
  END IF;
  IF refusal IS NULL AND p_debits[1] > 0
    AND (SELECT user_id FROM accounts WHERE account_id = p_accounts[p_debits[1]]) IS DISTINCT FROM owner THEN
    refusal := '{"code": "key.not_allowed", "details": {"what": "wallet"}}';
  END IF;
  IF refusal IS NOT NULL THEN
    o_exceptions := jsonb_build_object('1', refusal);
    RETURN;
  END IF;

  budget := lock_key_budgets(ARRAY[p_key], ARRAY[owner]);
  PERFORM FROM money_requests WHERE request_id = ANY (p_requests) ORDER BY request_id FOR UPDATE;
  -- Under these locks, no other statement decides a payment with this id.
  PERFORM FROM accounts WHERE account_id = ANY (p_accounts) ORDER BY account_id FOR NO KEY UPDATE;
  SELECT b.payment_limit INTO limit_ FROM key_budgets b WHERE b.key_id = p_key AND b.pays = 'people';
  refusal := CASE WHEN p_amounts[1] > limit_ THEN key_limit_refusal('payment', limit_, limit_, NULL)
                  WHEN p_amounts[1] > budget.o_left[budget.o_at[1]]
                    THEN broken_key_limit(p_key, 'people', budget.o_left[budget.o_at[1]]) END;
  IF refusal IS NOT NULL AND NOT EXISTS (SELECT FROM transfers_by_id(p_ids))
    AND NOT EXISTS (SELECT FROM refusals WHERE payment_id = p_ids[1]) THEN
    IF p_keyed[1] THEN
      PERFORM ledger_keep_refusal(p_ids[1], coalesce(p_typed[1], p_tos[1]), p_amounts[1], refusal, at);
      PERFORM keep_notes(p_ids, p_notes);
    END IF;
    o_exceptions := jsonb_build_object('1', refusal);
    RETURN;
  END IF;

  IF p_notes[1] IS NULL AND p_requests = '{}' THEN
    SELECT b.o_at_ms, b.o_available, b.o_exceptions INTO o_at_ms, o_available, o_exceptions
      FROM ledger_pay_batch(NULL, NULL, p_asset, p_names, p_names_random, p_accounts, p_net, p_out, p_sends, p_touches,
        p_lasts, p_ids, p_keyed, p_debits, p_credits, p_amounts, p_froms, p_tos, p_typed) b;
  ELSE
    SELECT b.o_at_ms, b.o_available, b.o_exceptions INTO o_at_ms, o_available, o_exceptions
      FROM pay_with_notes(p_notes, p_requests, NULL, NULL, p_asset, p_names, p_names_random, p_accounts, p_net, p_out,
        p_sends, p_touches, p_lasts, p_ids, p_keyed, p_debits, p_credits, p_amounts, p_froms, p_tos, p_typed) b;
  END IF;
  IF o_exceptions <> '{}' THEN RETURN; END IF;
  PERFORM charge_key_budgets(budget.o_keys, budget.o_pays, budget.o_left,
    ARRAY(SELECT b - p_amounts[1] FROM unnest(budget.o_left) AS b));
  PERFORM write_audit('key:' || p_key, 'payment.accepted', owner, jsonb_build_object('payment_id', p_ids[1]));
END $function$;

-- Name: pay_with_notes; Type: FUNCTION

CREATE FUNCTION public.pay_with_notes(p_notes text[], p_requests uuid[], p_sessions bigint, p_sessions_random bigint, p_asset smallint, p_names bigint, p_names_random bigint, p_accounts bigint[], p_net bigint[], p_out bigint[], p_sends integer[], p_touches integer[], p_lasts integer[], p_ids uuid[], p_keyed boolean[], p_debits integer[], p_credits integer[], p_amounts bigint[], p_froms text[], p_tos text[], p_typed text[], OUT o_at_ms bigint, OUT o_available bigint[], OUT o_exceptions jsonb)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
BEGIN
  PERFORM require_arguments('pay_with_notes',
    is_list(p_notes, cardinality(p_ids)) AND is_list(p_requests, cardinality(p_requests)) AND p_requests <@ p_ids);
  IF p_requests = '{}' THEN
    SELECT b.o_at_ms, b.o_available, b.o_exceptions INTO o_at_ms, o_available, o_exceptions
      FROM ledger_pay_batch(p_sessions, p_sessions_random, p_asset, p_names, p_names_random, p_accounts, p_net, p_out,
        p_sends, p_touches, p_lasts, p_ids, p_keyed, p_debits, p_credits, p_amounts, p_froms, p_tos, p_typed) b;
  ELSE
    SELECT b.o_at_ms, b.o_available, b.o_exceptions INTO o_at_ms, o_available, o_exceptions
      FROM pay_money_requests(p_requests, p_sessions, p_sessions_random, p_asset, p_names, p_names_random, p_accounts, p_net,
        p_out, p_sends, p_touches, p_lasts, p_ids, p_keyed, p_debits, p_credits, p_amounts, p_froms, p_tos, p_typed) b;
  END IF;
  IF o_exceptions ?| ARRAY['changed', 'stale'] THEN RETURN; END IF;
  IF o_exceptions = '{}' AND p_requests = '{}' THEN
    PERFORM keep_notes(p_ids, p_notes);
  ELSE
    PERFORM keep_notes(array_agg(n.id), array_agg(n.note))
       FROM unnest(p_ids, p_notes) WITH ORDINALITY AS n(id, note, nth)
      WHERE n.note IS NOT NULL AND n.id <> ALL (p_requests)
        AND (NOT o_exceptions ? n.nth::text OR NOT o_exceptions->n.nth::text ? 'old'
             AND EXISTS (SELECT FROM refusals r WHERE r.payment_id = n.id));
  END IF;
END $function$;

-- Name: payment_is_final; Type: FUNCTION

CREATE FUNCTION public.payment_is_final(state text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT state IN ('COMPLETE', 'FAILED', 'DENIED', 'CANCELLED')
$function$;

-- Name: payment_is_unreserved; Type: FUNCTION

CREATE FUNCTION public.payment_is_unreserved(state text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT state IN ('INITIATED', 'CLEARED')
$function$;

-- Name: payment_may_become; Type: FUNCTION

CREATE FUNCTION public.payment_may_become(old_state text, new_state text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT new_state = ANY (CASE old_state
    WHEN 'INITIATED' THEN ARRAY['CLEARED', 'QUEUED', 'CONFIRMED', 'COMPLETE', 'FAILED', 'DENIED', 'CANCELLED']
    WHEN 'CLEARED'   THEN ARRAY['QUEUED', 'CONFIRMED', 'COMPLETE', 'FAILED', 'DENIED', 'CANCELLED']
    WHEN 'QUEUED'    THEN ARRAY['SENT', 'CONFIRMED', 'COMPLETE', 'FAILED', 'DENIED', 'CANCELLED']
    WHEN 'SENT'      THEN ARRAY['STUCK', 'CONFIRMED', 'COMPLETE', 'FAILED', 'CANCELLED']
    WHEN 'STUCK'     THEN ARRAY['CONFIRMED', 'COMPLETE', 'FAILED', 'CANCELLED']
    WHEN 'CONFIRMED' THEN ARRAY['COMPLETE', 'FAILED', 'CANCELLED']
    ELSE '{}'::text[] END)
$function$;

-- Name: payment_release; Type: FUNCTION

CREATE FUNCTION public.payment_release(p_id uuid, p_release uuid, p_state text, p_reason text, p_tx_hash text)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  h   transfers;
  did text;
BEGIN
  PERFORM require_arguments('payment_release', num_nulls(p_id, p_release) = 0 AND p_state IN ('FAILED', 'DENIED', 'CANCELLED'));
  -- A denial is decided by an operator, or by the token, which only a worker asks before anything is signed.
  IF p_state = 'DENIED' AND NOT pg_has_role(session_user, (SELECT prefix || '_worker' FROM role_names), 'MEMBER') THEN
    PERFORM refuse_processes();
  END IF;
  PERFORM refuse_other_operators(CASE p_state WHEN 'CANCELLED' THEN 'cancel' WHEN 'DENIED' THEN 'approve' ELSE 'custody' END);
  SELECT * INTO h FROM transfers WHERE transfer_id = p_id AND kind = 'hold';
  SELECT m.outcome INTO did
    FROM ledger_apply(p_release, 'release', h.debit_account, h.credit_account, h.amount, p_id, NULL) m;
  -- Another movement has used that id. A hold ends only once, whatever the id.
  IF did = 'mismatch' THEN
    SELECT m.outcome INTO did
      FROM ledger_apply(gen_random_uuid(), 'release', h.debit_account, h.credit_account, h.amount, p_id, NULL) m;
  END IF;
  IF did IN ('applied', 'duplicate') THEN
    PERFORM payments_advance(ARRAY[p_id], ARRAY[p_state], ARRAY[p_tx_hash], NULL, ARRAY[p_reason]);
  END IF;
  RETURN did;
END $function$;

-- Name: payment_stage; Type: FUNCTION

CREATE FUNCTION public.payment_stage(state text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT CASE state WHEN 'INITIATED' THEN 0 WHEN 'CLEARED' THEN 1 WHEN 'QUEUED' THEN 2 WHEN 'SENT' THEN 3
                    WHEN 'STUCK' THEN 4 WHEN 'CONFIRMED' THEN 5 ELSE 6 END
$function$;

-- Name: payment_waits; Type: FUNCTION

CREATE FUNCTION public.payment_waits(p public.payments)
 RETURNS boolean
 LANGUAGE sql
AS $function$
  SELECT coalesce(p.not_before > clock_timestamp(), false) OR (p.approvals_needed > 0
    AND NOT EXISTS (SELECT FROM payment_events e WHERE e.payment_id = p.payment_id AND e.state = 'CLEARED'))
$function$;

-- Name: payments_advance; Type: FUNCTION

CREATE FUNCTION public.payments_advance(p_ids uuid[], p_states text[], p_tx_hashes text[], p_network_fees bigint[], p_error_reasons text[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  n integer := cardinality(p_ids);
BEGIN
  PERFORM require_arguments('payments_advance', is_list(p_ids, n) AND array_position(p_ids, NULL) IS NULL
    AND is_list(p_states, n) AND coalesce(is_list(p_tx_hashes, n), true) AND coalesce(is_list(p_network_fees, n), true)
    AND coalesce(is_list(p_error_reasons, n), true) AND p_states <@ ARRAY['INITIATED', 'CLEARED', 'QUEUED', 'SENT', 'STUCK',
      'CONFIRMED', 'COMPLETE', 'FAILED', 'DENIED', 'CANCELLED']);
  PERFORM FROM payments WHERE payment_id = ANY (p_ids) ORDER BY payment_id FOR NO KEY UPDATE;
  UPDATE payments p
     SET state = CASE WHEN payment_stage(n.state) > payment_stage(p.state) THEN n.state ELSE p.state END,
         tx_hash = coalesce(n.tx_hash, p.tx_hash),
         network_fee = coalesce(n.network_fee, p.network_fee),
         error_reason = coalesce(n.error_reason, p.error_reason),
         updated_at = date_trunc('milliseconds', clock_timestamp())
    FROM unnest(p_ids, p_states, p_tx_hashes, p_network_fees, p_error_reasons)
         AS n(payment_id, state, tx_hash, network_fee, error_reason)
   WHERE p.payment_id = n.payment_id AND NOT payment_is_final(p.state)
     AND (payment_stage(n.state) > payment_stage(p.state)
          OR (n.tx_hash <> coalesce(p.tx_hash, '') AND (n.state = p.state OR (n.state, p.state) = ('SENT', 'STUCK'))));
END $function$;

-- Name: payments_fill_amounts; Type: FUNCTION

CREATE FUNCTION public.payments_fill_amounts(p_after uuid, p_count integer, OUT last uuid, OUT count integer)
 RETURNS record
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  ids uuid[] := ARRAY(SELECT payment_id FROM payments WHERE payment_id > p_after ORDER BY payment_id LIMIT p_count);
BEGIN
  last := ids[cardinality(ids)];
  UPDATE payments p SET amount = t.amount - p.fee FROM transfers t
   WHERE p.payment_id = ANY (ids) AND p.amount IS NULL AND t.transfer_id = p.payment_id AND t.kind = 'hold';
  GET DIAGNOSTICS count = ROW_COUNT;
END $function$;

-- Name: payments_lock; Type: FUNCTION

CREATE FUNCTION public.payments_lock(p_ids uuid[])
 RETURNS TABLE(payment_id uuid, debit_account bigint, credit_account bigint, amount bigint)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
BEGIN
  PERFORM require_arguments('payments_lock', is_list(p_ids, cardinality(p_ids)));
  PERFORM refuse_other_operators('cancel');
  RETURN QUERY
    SELECT p.payment_id, t.debit_account, t.credit_account, t.amount
      FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id AND t.transfer_id = ANY (p_ids) AND t.kind = 'hold'
     WHERE p.payment_id = ANY (p_ids) ORDER BY p.payment_id FOR NO KEY UPDATE OF p;
END $function$;

-- Name: payments_next_place; Type: FUNCTION

CREATE FUNCTION public.payments_next_place(p_count bigint)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
DECLARE
  base  bigint := ledger_tx_seq() + 16384;
  place bigint;
BEGIN
  SELECT coalesce(greatest((SELECT max(seq) FROM payment_events WHERE seq >= base AND seq < base + 16384),
                           (SELECT max(seq) FROM money_request_events WHERE seq >= base AND seq < base + 16384),
                           (SELECT max(seq) FROM payout_events WHERE seq >= base AND seq < base + 16384)) + 1, base)
    INTO place;
  IF place + p_count > base + 16384 THEN
    RAISE EXCEPTION 'too many changes of states in one commit' USING ERRCODE = 'program_limit_exceeded';
  END IF;
  RETURN place;
END $function$;

-- Name: payout_is_final; Type: FUNCTION

CREATE FUNCTION public.payout_is_final(state text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT state IN ('complete', 'cancelled')
$function$;

-- Name: payout_is_late; Type: FUNCTION

CREATE FUNCTION public.payout_is_late(p public.payouts)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  SELECT clock_timestamp() >= p.waits_until
     AND NOT EXISTS (SELECT FROM restores WHERE noted_at > clock_timestamp() - interval '3 days')
$function$;

-- Name: payout_refusal; Type: FUNCTION

CREATE FUNCTION public.payout_refusal(p public.payouts)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
DECLARE
  refusal jsonb;
BEGIN
  -- `close_account` refuses while a payout may pay. Accounts that an earlier version has closed may still have one.
  IF EXISTS (SELECT FROM users WHERE user_id = p.payer_id AND closed_at IS NOT NULL) THEN
    RETURN '{"code": "account.closed", "details": {}}';
  END IF;
  refusal := find_key_refusals(ARRAY[p.key_id], ARRAY[p.certificate], ARRAY[p.client])->'1';
  IF refusal->'details'->>'reason' = 'revoked'
    AND EXISTS (SELECT FROM service_keys WHERE key_id = p.key_id AND revoked_at IS NULL AND user_id IS NULL) THEN
    RETURN '{"code": "service.paused", "details": {"reason": "the operator of this service has to confirm them first"}}';
  END IF;
  RETURN refusal;
END $function$;

-- Name: payout_row_in_doubt; Type: FUNCTION

CREATE FUNCTION public.payout_row_in_doubt(i public.payout_items)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  SELECT i.destination IS NOT NULL AND EXISTS (
    SELECT FROM unexplained_moves u JOIN forgotten_nonces USING (asset_id, tx_hash, log_index)
      JOIN assets USING (asset_id) JOIN networks n USING (network_id)
     WHERE n.blockchain = i.blockchain AND u.amount = i.amount AND address_key(u.to_address) = address_key(i.destination))
$function$;

-- Name: people_next_place; Type: FUNCTION

CREATE FUNCTION public.people_next_place()
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
DECLARE
  base  bigint := ledger_tx_seq() + 8192;
  place bigint := coalesce(greatest((SELECT max(seq) FROM kyc_events WHERE seq >= base AND seq < base + 8192),
                                    (SELECT max(seq) FROM key_events WHERE seq >= base AND seq < base + 8192)) + 1, base);
BEGIN
  IF place >= base + 8192 THEN
    RAISE EXCEPTION 'too many changes of statuses in one commit' USING ERRCODE = 'program_limit_exceeded';
  END IF;
  RETURN place;
END $function$;

-- Name: plain_note; Type: FUNCTION

CREATE FUNCTION public.plain_note(p_note text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT nullif(left(regexp_replace(p_note, '[\u0001-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]', '', 'g'), 140), '')
$function$;

-- Name: post_holds; Type: FUNCTION

CREATE FUNCTION public.post_holds(p_payments uuid[])
 RETURNS text[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  outcomes text[] := '{}';
  did      text;
  id       uuid;
  post     uuid;
  held     transfers;
BEGIN
  PERFORM require_arguments('post_holds',
    is_list(p_payments, cardinality(p_payments)) AND array_position(p_payments, NULL) IS NULL);
  FOREACH id IN ARRAY p_payments LOOP
    SELECT t.* INTO held FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id AND t.kind = 'hold'
     WHERE p.payment_id = id;
    FOREACH post IN ARRAY ARRAY[derived_id('post:' || id), gen_random_uuid()] LOOP
      SELECT outcome INTO did
        FROM ledger_apply(post, 'post', held.debit_account, held.credit_account, held.amount, id, NULL);
      EXIT WHEN did <> 'mismatch';
    END LOOP;
    -- A payment that waits for approvals has no open move, unless the chain may have paid it before a restore
    -- (`guard_coin_move`).
    IF (did IN ('duplicate', 'ended') OR did = 'applied' AND EXISTS (SELECT FROM coin_moves m
          WHERE m.move_id = id AND m.purpose = 'send' AND m.state IN ('open', 'done'))) IS NOT TRUE
    THEN
      PERFORM refuse_call('post_holds');
    END IF;
    outcomes := outcomes || did;
  END LOOP;
  RETURN outcomes;
END $function$;

-- Name: preview_payment; Type: FUNCTION

CREATE FUNCTION public.preview_payment(p_sessions bigint, p_sessions_random bigint, p_asset smallint, p_names bigint, p_names_random bigint, p_accounts bigint[], p_net bigint[], p_out bigint[], p_sends integer[], p_touches integer[], p_lasts integer[], p_ids uuid[], p_keyed boolean[], p_debits integer[], p_credits integer[], p_amounts bigint[], p_froms text[], p_tos text[], p_typed text[], OUT o_at_ms bigint, OUT o_available bigint[], OUT o_exceptions jsonb, OUT o_limits jsonb)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('preview_payment', cardinality(p_ids) = 1);
  -- Nothing is kept, so there is no need to wait for the disk.
  PERFORM set_config('synchronous_commit', 'off', true);
  BEGIN
    PERFORM preview_unasked((SELECT user_id FROM accounts WHERE account_id = p_accounts[p_debits[1]]), p_accounts);
    SELECT b.o_at_ms, b.o_available, b.o_exceptions INTO o_at_ms, o_available, o_exceptions
      FROM ledger_pay_batch(p_sessions, p_sessions_random, p_asset, p_names, p_names_random, p_accounts, p_net, p_out,
        p_sends, p_touches, p_lasts, p_ids, p_keyed, p_debits, p_credits, p_amounts, p_froms, p_tos, p_typed) b;
    IF o_exceptions = '{}' THEN
      o_limits := (SELECT jsonb_object_agg(m.key, m.value)
                     FROM accounts x JOIN assets s USING (asset_id), limits_left(x.user_id, s.symbol) l, jsonb_each_text(to_jsonb(l)) m
                    WHERE x.account_id = p_accounts[p_debits[1]]);
    END IF;
    RAISE EXCEPTION 'only a preview' USING ERRCODE = 'FL001';
  EXCEPTION WHEN SQLSTATE 'FL001' THEN
    -- Rolled back; the results are kept in the variables.
    NULL;
  END;
END $function$;

-- Name: preview_send; Type: FUNCTION

CREATE FUNCTION public.preview_send(p_rules jsonb, p_send jsonb, OUT o_outcome text, OUT o_details jsonb, OUT o_approvals_needed smallint, OUT o_not_before timestamp with time zone, OUT o_available bigint, OUT o_limits jsonb)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('preview_send', jsonb_typeof(p_rules) = 'object' AND jsonb_typeof(p_send) = 'object');
  -- Nothing is kept, so there is no need to wait for the disk.
  PERFORM set_config('synchronous_commit', 'off', true);
  BEGIN
    PERFORM preview_unasked((p_send->>'person')::uuid, '{}');
    SELECT a.outcome, a.details, a.approvals_needed, a.not_before
      INTO o_outcome, o_details, o_approvals_needed, o_not_before
      FROM accept_sends(p_rules, jsonb_build_array(p_send)) a;
    IF o_outcome = 'accepted' THEN
      o_available := (SELECT t.debit_available FROM transfers t WHERE t.transfer_id = (p_send->>'id')::uuid AND t.kind = 'hold');
      o_limits := (SELECT jsonb_object_agg(m.key, m.value)
                     FROM limits_left((p_send->>'person')::uuid, p_send->>'currency') l, jsonb_each_text(to_jsonb(l)) m);
    END IF;
    RAISE EXCEPTION 'only a preview' USING ERRCODE = 'FL001';
  EXCEPTION WHEN SQLSTATE 'FL001' THEN
    -- Rolled back; the results are kept in the variables.
    NULL;
  END;
END $function$;

-- Name: preview_unasked; Type: FUNCTION

CREATE FUNCTION public.preview_unasked(p_user uuid, p_others bigint[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF NOT EXISTS (SELECT FROM users WHERE user_id = p_user AND passkey_above IS NOT NULL) THEN RETURN; END IF;
  PERFORM FROM accounts WHERE user_id = p_user OR account_id = ANY (p_others) ORDER BY account_id FOR NO KEY UPDATE;
  PERFORM ledger_ask_above(p_user, NULL);
END $function$;

-- Name: propose_correction; Type: FUNCTION

CREATE FUNCTION public.propose_correction(p_id uuid, p_asset smallint, p_wallet uuid, p_amount bigint, p_reason text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('propose_correction', num_nulls(p_id, p_asset, p_reason) = 0 AND is_amount(abs(p_amount)));
  PERFORM refuse_unnamed(session_user);
  INSERT INTO corrections (correction_id, asset_id, wallet_id, amount, reason, proposed_by)
  VALUES (p_id, p_asset, p_wallet, p_amount, p_reason, session_user);
END $function$;

-- Name: propose_refund; Type: FUNCTION

CREATE FUNCTION public.propose_refund(p_id uuid, p_payment uuid, p_amount bigint, p_reason text, OUT outcome text, OUT details jsonb, OUT amount bigint)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  b record;
BEGIN
  PERFORM require_arguments('propose_refund',
    num_nulls(p_id, p_payment, p_reason) = 0 AND coalesce(p_amount, 0) BETWEEN 0 AND 999999999999999);
  PERFORM refuse_unnamed(session_user);
  SELECT * INTO b FROM begin_refund(p_id, p_payment, p_amount, 'treasury');
  outcome := b.outcome; details := b.details; amount := b.amount;
  IF outcome IS NOT NULL THEN RETURN; END IF;
  INSERT INTO refunds (refund_id, payment_id, source, amount, reason, proposed_by)
  VALUES (p_id, p_payment, 'treasury', b.amount, p_reason, session_user);
  PERFORM write_audit('operator:' || session_user, 'refund.proposed',
    (SELECT user_id FROM accounts WHERE account_id = b.credit),
    jsonb_build_object('refund_id', p_id, 'payment_id', p_payment, 'amount', b.amount::text, 'reason', p_reason));
  outcome := 'proposed';
END $function$;

-- Name: propose_transfer_end; Type: FUNCTION

CREATE FUNCTION public.propose_transfer_end(p_id uuid, p_move uuid, p_verdict text, p_provider_id text, p_reason text)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('propose_transfer_end', num_nulls(p_id, p_move, p_verdict, p_reason) = 0);
  PERFORM refuse_unnamed(session_user);
  PERFORM FROM provider_transfers WHERE move_id = p_move AND held_at IS NOT NULL
     AND provider_state IN ('new', 'submitted', 'sent', 'done');
  IF NOT FOUND THEN RETURN 'unknown'; END IF;
  INSERT INTO transfer_decisions (decision_id, move_id, verdict, provider_id, reason, proposed_by)
  VALUES (p_id, p_move, p_verdict, p_provider_id, p_reason, session_user);
  RETURN 'proposed';
END $function$;

-- Name: prove_with_passkey; Type: FUNCTION

CREATE FUNCTION public.prove_with_passkey(p_user uuid, p_session uuid, p_id uuid, p_credential bytea, p_client_data bytea, p_authenticator bytea, p_signature bytea)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  asked   passkey_challenges;
  passkey passkeys;
  count_  bigint;
BEGIN
  PERFORM require_arguments('prove_with_passkey',
    num_nulls(p_user, p_session, p_id, p_credential, p_client_data, p_authenticator, p_signature) = 0
    AND length(p_client_data) <= 4096 AND length(p_authenticator) BETWEEN 37 AND 4096 AND length(p_signature) <= 512);
  IF proved_at(p_user, p_session) IS NULL THEN RETURN '{"code": "auth.invalid", "details": {"reason": "revoked"}}'; END IF;
  SELECT * INTO passkey FROM passkeys WHERE credential = p_credential AND user_id = p_user FOR NO KEY UPDATE;
  SELECT * INTO asked FROM passkey_challenges
   WHERE challenge_id = p_id AND user_id = p_user AND session_id = p_session FOR UPDATE;
  IF asked.challenge_id IS NULL OR asked.expires_at <= clock_timestamp() OR asked.proved_at IS NOT NULL
    OR asked.deed->>'do' = 'register' THEN
    RETURN '{"code": "passkey.challenge_unknown", "details": {}}';
  END IF;
  IF passkey.passkey_id IS NULL
    OR NOT verify_passkey(passkey.public_key, passkey.rp_hash, asked.challenge, p_client_data, p_authenticator, p_signature) THEN
    RETURN '{"code": "passkey.refused", "details": {"reason": "signature"}}';
  END IF;
  count_ := ('x' || encode(substr(p_authenticator, 34, 4), 'hex'))::bit(32)::bigint;
  IF (count_ > 0 OR passkey.counter > 0) AND count_ <= passkey.counter THEN
    RETURN '{"code": "passkey.refused", "details": {"reason": "counter"}}';
  END IF;
  UPDATE passkeys SET counter = count_, last_used_at = clock_timestamp(), backed_up = get_byte(p_authenticator, 32) & 16 = 16
   WHERE passkey_id = passkey.passkey_id;
  UPDATE passkey_challenges SET proved_at = clock_timestamp(), expires_at = clock_timestamp() + interval '5 minutes'
   WHERE challenge_id = p_id;
  PERFORM write_audit('user:' || p_user, 'passkey.proved', p_user,
    jsonb_build_object('passkey_id', passkey.passkey_id, 'deed', asked.deed));
  RETURN NULL;
END $function$;

-- Name: proved_at; Type: FUNCTION

CREATE FUNCTION public.proved_at(p_user uuid, p_session uuid)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
AS $function$
DECLARE
  login timestamptz;
BEGIN
  SELECT s.created_at INTO login FROM sessions s
   WHERE s.session_id = p_session AND s.user_id = p_user AND s.ended_at IS NULL AND s.expires_at > clock_timestamp()
     AND s.created_at >= credentials_from('sessions') FOR SHARE;
  IF login IS NULL THEN RETURN NULL; END IF;
  RETURN greatest(login, (SELECT max(c.proved_at) FROM passkey_challenges c
    WHERE c.user_id = p_user AND c.session_id = p_session AND c.deed = '{"do": "key"}'
      AND c.created_at >= credentials_from('sessions')));
END $function$;

-- Name: queue_payments; Type: FUNCTION

CREATE FUNCTION public.queue_payments(p_asset smallint, p_ids uuid[], p_rails jsonb)
 RETURNS uuid[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  ready_ids    uuid[];
  reserved_ids uuid[];
BEGIN
  PERFORM require_arguments('queue_payments',
    p_asset IS NOT NULL AND jsonb_typeof(p_rails) = 'object' AND is_list(p_ids, cardinality(p_ids))
    AND array_position(p_ids, NULL) IS NULL);
  PERFORM FROM payments WHERE payment_id = ANY (p_ids) ORDER BY payment_id FOR NO KEY UPDATE;
  SELECT coalesce(array_agg(i.id ORDER BY i.nth), '{}') INTO ready_ids
    FROM unnest(p_ids) WITH ORDINALITY AS i(id, nth) JOIN payments p ON p.payment_id = i.id
   WHERE payment_is_unreserved(p.state) AND NOT payment_waits(p)
     AND NOT EXISTS (SELECT FROM transfers e WHERE e.hold_id = i.id);
  reserved_ids := reserve_from_own_wallets(p_asset, ready_ids, p_rails);
  PERFORM payments_advance(reserved_ids, array_fill('QUEUED'::text, ARRAY[cardinality(reserved_ids)]), NULL, NULL, NULL);
  RETURN reserved_ids;
END $function$;

-- Name: read_events; Type: FUNCTION

CREATE FUNCTION public.read_events(p_after bigint, p_types text[], p_limit integer, p_scanned integer)
 RETURNS TABLE(seq bigint, event_id text, type text, at timestamp with time zone, subject_id uuid, people uuid[], is_wanted boolean)
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
DECLARE
  settled bigint := ledger_settled_seq();
  sources text[] := event_sources(p_types);
BEGIN
  RETURN QUERY
  WITH looked AS MATERIALIZED (
    SELECT f.seq, f.source, f.type, f.subject_id, f.at FROM feed f
     WHERE f.seq > p_after AND f.seq < settled AND f.source = ANY (sources)
     ORDER BY f.seq LIMIT CASE WHEN p_types IS NULL THEN p_limit ELSE p_scanned END
  ), counted AS (
    SELECT l.*, w.is_wanted, count(*) FILTER (WHERE w.is_wanted) OVER (ORDER BY l.seq) AS nth,
           lead(l.seq) OVER (ORDER BY l.seq) IS NULL AS is_last
      FROM looked l, LATERAL (SELECT p_types IS NULL OR l.type = ANY (p_types) AS is_wanted) w
  )
  SELECT c.seq, event_id(c.seq, c.type, c.subject_id, c.at), c.type, c.at, c.subject_id,
         CASE WHEN c.is_wanted THEN (SELECT f.people FROM feed f WHERE f.seq = c.seq AND f.source = c.source)
              ELSE '{}' END, c.is_wanted
    FROM counted c WHERE c.nth <= p_limit AND (c.is_wanted OR c.is_last)
   ORDER BY c.seq;
END $function$;

-- Name: read_events_of; Type: FUNCTION

CREATE FUNCTION public.read_events_of(p_user uuid, p_after bigint, p_since timestamp with time zone, p_types text[], p_limit integer, p_scanned integer)
 RETURNS TABLE(seq bigint, event_id text, type text, at timestamp with time zone, subject_id uuid, people uuid[], is_wanted boolean)
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  settled bigint := ledger_settled_seq();
  sources text[] := event_sources(p_types);
  walked  integer := 0;
  places  bigint[] := '{}';
  sends   uuid[] := '{}';
  account record;
  moved   record;
BEGIN
  IF sources && ARRAY['transfers', 'payment_events'] THEN
    FOR account IN SELECT a.account_id, a.entries + 1 AS top, a.held FROM accounts a WHERE a.user_id = p_user LOOP
      FOR moved IN
        SELECT (e.transfer).seq, (e.transfer).kind, (e.transfer).created_at,
               coalesce((e.transfer).hold_id, (e.transfer).transfer_id) AS id
          FROM ledger_entries(account.account_id, account.top, 1) e
      LOOP
        EXIT WHEN moved.created_at < p_since OR walked > p_scanned;
        walked := walked + 1;
        IF moved.kind IN ('user', 'deposit', 'internal') THEN places := places || moved.seq;
        ELSE sends := sends || moved.id; END IF;
      END LOOP;
      -- Sends that began before and have not ended. The held amount shows whether there are any.
      IF account.held > 0 THEN
        sends := sends || ARRAY(SELECT t.transfer_id FROM transfers t
          WHERE t.debit_account = account.account_id AND t.kind = 'hold'
            AND (t.debit_prev IS NULL OR t.debit_entry % 32 = 0 OR t.kind <> 'user')
            AND NOT EXISTS (SELECT FROM transfers e WHERE e.hold_id = t.transfer_id));
      END IF;
    END LOOP;
  END IF;
  IF walked > p_scanned THEN
    RETURN QUERY
    SELECT f.seq, f.event_id, f.type, f.at, f.subject_id, f.people,
           f.is_wanted AND (p_types IS NULL OR f.type = ANY (p_types))
      FROM follow_events(ARRAY[p_user], p_after, p_limit, p_scanned) f ORDER BY f.seq;
    RETURN;
  END IF;
  RETURN QUERY
  SELECT n.seq, event_id(n.seq, n.type, n.subject_id, n.at), n.type, n.at, n.subject_id, n.people, true
    FROM (
      SELECT f.* FROM feed f WHERE f.source = 'transfers' AND f.seq = ANY (places)
      UNION ALL
      SELECT f.* FROM feed f WHERE f.source = 'payment_events' AND f.subject_id = ANY (sends)
      UNION ALL
      SELECT f.* FROM (SELECT r.request_id FROM money_requests r WHERE r.asker_id = p_user
                       UNION SELECT r.request_id FROM money_requests r WHERE r.payer_id = p_user) r
        JOIN feed f ON f.source = 'money_request_events' AND f.subject_id = r.request_id
      UNION ALL
      SELECT f.* FROM feed f WHERE f.source = 'kyc_events' AND f.subject_id = p_user
      UNION ALL
      SELECT f.* FROM service_keys k JOIN feed f ON f.source = 'key_events' AND f.subject_id = k.key_id WHERE k.user_id = p_user
      UNION ALL
      SELECT f.* FROM feed f WHERE f.source = 'key_events' AND f.subject_id = p_user
      UNION ALL
      SELECT f.* FROM service_keys k JOIN payouts p USING (key_id)
        JOIN feed f ON f.source = 'payout_events' AND f.subject_id = p.payout_id
       WHERE k.user_id = p_user AND p.payer_id = p_user) n
   WHERE n.seq > p_after AND n.seq < settled AND n.source = ANY (sources) AND (p_types IS NULL OR n.type = ANY (p_types))
   ORDER BY n.seq LIMIT p_limit;
END $function$;

-- Name: record_audit; Type: FUNCTION

CREATE FUNCTION public.record_audit(p_actor text, p_action text, p_user uuid, p_details jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('record_audit', num_nulls(p_actor, p_action) = 0 AND jsonb_typeof(p_details) = 'object');
  PERFORM write_audit(audit_actor(p_actor), p_action, p_user, p_details);
END $function$;

-- Name: record_audits; Type: FUNCTION

CREATE FUNCTION public.record_audits(p_action text, p_actors text[], p_details jsonb[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO audit_log (actor, action, details)
  SELECT u.actor, p_action, u.details FROM unnest(p_actors, p_details) WITH ORDINALITY AS u(actor, details, n) ORDER BY u.n;
END $function$;

-- Name: record_first_state; Type: FUNCTION

CREATE FUNCTION public.record_first_state()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  place    bigint := payments_next_place((SELECT count(*) FROM added));
  is_alone boolean;
  differs  boolean;
BEGIN
  SELECT bool_or(n.held IS NULL OR n.wallet_id IS NOT NULL AND (SELECT 1 FROM wallets w WHERE w.wallet_id = n.wallet_id) IS NULL),
         bool_or(n.held IS DISTINCT FROM n.amount + n.fee)
    INTO is_alone, differs
    FROM (SELECT a.wallet_id, a.amount, a.fee,
                 (SELECT t.amount FROM transfers t WHERE t.transfer_id = a.payment_id AND t.kind = 'hold') AS held
            FROM added a OFFSET 0) n;
  IF is_alone THEN
    RAISE EXCEPTION 'a payment without its hold or its wallet is refused'
      USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'payments_of_transfers';
  END IF;
  IF differs THEN
    RAISE EXCEPTION 'a payment whose hold is not its amount and its fee is refused'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'payments_held';
  END IF;
  INSERT INTO payment_events (seq, payment_id, state, tx_hash, at)
  SELECT place + row_number() OVER () - 1, n.payment_id, n.state, n.tx_hash, n.updated_at FROM added n;
  RETURN NULL;
END $function$;

-- Name: record_key_state; Type: FUNCTION

CREATE FUNCTION public.record_key_state()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
BEGIN
  INSERT INTO key_events (seq, key_id, user_id, state, at)
  VALUES (people_next_place(), NEW.key_id, NEW.user_id, CASE TG_OP WHEN 'INSERT' THEN 'created' ELSE 'revoked' END,
          date_trunc('milliseconds', clock_timestamp()));
  RETURN NULL;
END $function$;

-- Name: record_kyc_status; Type: FUNCTION

CREATE FUNCTION public.record_kyc_status()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
BEGIN
  INSERT INTO kyc_events (seq, user_id, status, at)
  VALUES (people_next_place(), NEW.user_id, NEW.kyc_status, date_trunc('milliseconds', clock_timestamp()));
  RETURN NULL;
END $function$;

-- Name: record_payout_state; Type: FUNCTION

CREATE FUNCTION public.record_payout_state()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.state = OLD.state THEN RETURN NULL; END IF;
  INSERT INTO payout_events (seq, payout_id, state, at)
  VALUES (payments_next_place(1), NEW.payout_id, NEW.state, date_trunc('milliseconds', clock_timestamp()));
  RETURN NULL;
END $function$;

-- Name: record_request_state; Type: FUNCTION

CREATE FUNCTION public.record_request_state()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  INSERT INTO money_request_events (seq, request_id, state, at)
  VALUES (payments_next_place(1), NEW.request_id, NEW.state, coalesce(NEW.ended_at, NEW.created_at));
  RETURN NULL;
END $function$;

-- Name: record_signatures; Type: FUNCTION

CREATE FUNCTION public.record_signatures(p_moves uuid[], p_nonces bytea[], p_valid_before bigint, p_signatures bytea[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('record_signatures',
    p_valid_before > 0 AND is_list(p_moves, cardinality(p_moves)) AND array_position(p_moves, NULL) IS NULL
    AND is_list(p_nonces, cardinality(p_moves)) AND is_list(p_signatures, cardinality(p_moves)));
  INSERT INTO authorizations (move_id, nonce)
  SELECT m.id, m.nonce FROM unnest(p_moves, p_nonces) AS m(id, nonce) ORDER BY m.id ON CONFLICT (move_id) DO NOTHING;
  -- A process of the previous release computes other nonces for settlements. The nonce that was signed first stays.
  IF EXISTS (SELECT FROM unnest(p_moves, p_nonces) AS m(id, nonce) JOIN authorizations a ON a.move_id = m.id
              WHERE a.nonce <> m.nonce) THEN
    RAISE EXCEPTION 'an authorization keeps its nonce'
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'signatures_only_while_open';
  END IF;
  INSERT INTO signatures (move_id, valid_before, signature)
  SELECT m.id, p_valid_before, m.signature FROM unnest(p_moves, p_signatures) AS m(id, signature) ORDER BY m.id;
END $function$;

-- Name: record_state; Type: FUNCTION

CREATE FUNCTION public.record_state()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF NEW.payment_id <> OLD.payment_id OR NEW.destination <> OLD.destination
    OR NEW.wallet_id IS DISTINCT FROM OLD.wallet_id OR NEW.fee IS DISTINCT FROM OLD.fee
    -- A row from before amounts were stored gets its own, once.
    OR NEW.amount IS DISTINCT FROM OLD.amount AND (OLD.amount IS NOT NULL OR NEW.amount + NEW.fee IS DISTINCT FROM
      (SELECT t.amount FROM transfers t WHERE t.transfer_id = NEW.payment_id AND t.kind = 'hold')) THEN
    RAISE EXCEPTION 'the terms of a payment cannot change' USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.state = OLD.state THEN RETURN NULL; END IF;
  IF NOT payment_may_become(OLD.state, NEW.state) THEN
    RAISE EXCEPTION 'a payment cannot go from % to %', OLD.state, NEW.state USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.state = 'CLEARED' AND NEW.approvals_needed > count_approvals(NEW.payment_id) THEN
    RAISE EXCEPTION 'payment % is not approved by enough people', NEW.payment_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'payments_cleared_by_enough';
  END IF;
  -- A state that the chain has already reached is shown, whatever the payment waits for. Such a payment has a move.
  IF NEW.state IN ('QUEUED', 'SENT', 'STUCK', 'CONFIRMED') AND payment_waits(NEW)
    AND NOT EXISTS (SELECT FROM coin_moves WHERE move_id = NEW.payment_id)
  THEN
    RAISE EXCEPTION 'payment % waits for approvals or its delay', NEW.payment_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'payments_wait';
  END IF;
  INSERT INTO payment_events (seq, payment_id, state, tx_hash, at)
  VALUES (payments_next_place(1), NEW.payment_id, NEW.state, NEW.tx_hash, NEW.updated_at);
  RETURN NULL;
END $function$;

-- Name: record_tier; Type: FUNCTION

CREATE FUNCTION public.record_tier()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO tier_changes (tier, before, after, changed_by, reason)
  VALUES (NEW.tier, CASE WHEN TG_OP = 'UPDATE' THEN to_jsonb(OLD) END, to_jsonb(NEW),
    coalesce(nullif(current_setting('florin.actor', true), ''), session_user),
    nullif(current_setting('florin.reason', true), ''));
  RETURN NULL;
END $function$;

-- Name: recount_settlements; Type: FUNCTION

CREATE FUNCTION public.recount_settlements()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('recount_settlements', true);
  LOCK TABLE coin_moves IN SHARE MODE;
  UPDATE holdings h SET incoming = coalesce(m.incoming, 0), outgoing = coalesce(m.outgoing, 0)
    FROM holdings k LEFT JOIN (
      SELECT asset_id, wallet_id, sum(incoming)::bigint AS incoming, sum(outgoing)::bigint AS outgoing FROM (
        SELECT asset_id, wallet_id, 0 AS incoming, amount AS outgoing FROM coin_moves
         WHERE state = 'open' AND purpose = 'settlement'
        UNION ALL
        SELECT asset_id, to_wallet, amount, 0 FROM coin_moves WHERE state = 'open' AND purpose = 'settlement') o
       GROUP BY asset_id, wallet_id) m USING (asset_id, wallet_id)
   WHERE h.asset_id = k.asset_id AND h.wallet_id = k.wallet_id
     AND (h.incoming, h.outgoing) IS DISTINCT FROM (coalesce(m.incoming, 0), coalesce(m.outgoing, 0));
END $function$;

-- Name: recover_payout_rows; Type: FUNCTION

CREATE FUNCTION public.recover_payout_rows(p_payout uuid, p_rows jsonb, OUT o_open integer[], OUT o_waits jsonb)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  p        payouts;
  refusal  jsonb;
  places   integer[];
  outcomes text[];
  payments uuid[];
BEGIN
  PERFORM require_arguments('recover_payout_rows', p_payout IS NOT NULL AND jsonb_typeof(p_rows) = 'array');
  SELECT * INTO p FROM payouts WHERE payout_id = p_payout AND state IN ('running', 'waiting', 'stopping') FOR UPDATE;
  IF p.payout_id IS NULL THEN RETURN; END IF;
  SELECT array_agg(m.nth), array_agg(m.outcome), array_agg(m.imported_as) INTO places, outcomes, payments
    FROM (
      SELECT i.nth, u.imported_as, CASE
               WHEN (n.blockchain, s.symbol, u.amount, address_key(u.to_address))
                    IS DISTINCT FROM (i.blockchain, p.currency, i.amount, address_key(i.destination)) THEN 'failed'
               WHEN u.imported_as IS NULL THEN 'waits'
               WHEN EXISTS (SELECT FROM payments x WHERE x.payment_id = u.imported_as) THEN 'sent'
               ELSE 'failed' END AS outcome
        FROM jsonb_to_recordset(p_rows) AS r(nth integer, trace text)
        JOIN payout_items i ON i.payout_id = p_payout AND i.nth = r.nth AND i.state = 'ready' AND i.destination IS NOT NULL
        JOIN forgotten_nonces f ON f.asset_id IN (SELECT asset_id FROM assets) AND f.nonce = decode(r.trace, 'hex')
        JOIN unexplained_moves u USING (asset_id, tx_hash, log_index)
        JOIN assets s USING (asset_id) JOIN networks n USING (network_id)
        JOIN wallets w ON w.wallet_id = u.wallet_id AND w.user_id IS NOT DISTINCT FROM p.payer_id
       -- A loss of the service: this row accounts for the coins (`accept_sends`).
       WHERE NOT EXISTS (SELECT FROM transfers_by_id(ARRAY[u.imported_as]) l WHERE l.kind = 'internal')) m;
  UPDATE payout_items i
     SET state = u.outcome, payment_id = CASE u.outcome WHEN 'sent' THEN u.payment_id ELSE i.payment_id END,
         error = CASE u.outcome WHEN 'failed' THEN '{"code": "reference.used", "details": {}}'::jsonb END
    FROM unnest(places, outcomes, payments) AS u(nth, outcome, payment_id)
   WHERE i.payout_id = p_payout AND i.nth = u.nth AND u.outcome <> 'waits';
  IF 'waits' = ANY (outcomes) THEN
    o_waits := '{"code": "service.unavailable", "details": {"dependency": "custody"}}';
  END IF;
  o_open := ARRAY(SELECT r.nth FROM jsonb_to_recordset(p_rows) AS r(nth integer)
                   WHERE r.nth <> ALL (coalesce(places, '{}')) ORDER BY r.nth);
  refusal := payout_refusal(p);
  IF p.state = 'stopping' THEN
    UPDATE payout_items SET state = 'cancelled' WHERE payout_id = p_payout AND nth = ANY (o_open) AND state = 'ready';
    o_open := '{}';
  ELSIF refusal->>'code' <> 'service.paused' THEN
    UPDATE payout_items SET state = 'failed', error = refusal
     WHERE payout_id = p_payout AND nth = ANY (o_open) AND state = 'ready';
    o_open := '{}';
  END IF;
END $function$;

-- Name: refund_payment; Type: FUNCTION

CREATE FUNCTION public.refund_payment(p_id uuid, p_payment uuid, p_amount bigint, p_reason text, OUT outcome text, OUT details jsonb, OUT amount bigint)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  b record;
  moved text;
BEGIN
  PERFORM require_arguments('refund_payment',
    num_nulls(p_id, p_payment, p_reason) = 0 AND coalesce(p_amount, 0) BETWEEN 0 AND 999999999999999);
  PERFORM refuse_unnamed(session_user);
  SELECT * INTO b FROM begin_refund(p_id, p_payment, p_amount, 'receiver');
  outcome := b.outcome; details := b.details; amount := b.amount;
  IF outcome IS NOT NULL THEN RETURN; END IF;
  moved := ledger_refund(p_id, b.debit, b.credit, b.amount);
  IF moved <> 'applied' THEN outcome := moved; RETURN; END IF;
  INSERT INTO refunds (refund_id, payment_id, source, amount, reason, proposed_by, booked_at)
  VALUES (p_id, p_payment, 'receiver', b.amount, p_reason, session_user,
          (SELECT created_at FROM transfers_by_id(ARRAY[p_id])));
  PERFORM write_audit('operator:' || session_user, 'payment.refunded',
    (SELECT user_id FROM accounts WHERE account_id = b.debit),
    jsonb_build_object('refund_id', p_id, 'payment_id', p_payment, 'amount', b.amount::text, 'reason', p_reason));
  outcome := 'refunded';
END $function$;

-- Name: refusal_code; Type: FUNCTION

CREATE FUNCTION public.refusal_code(p_refusal text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT CASE p_refusal
    WHEN 'paused' THEN 'service.paused'
    WHEN 'user_paused' THEN 'user.paused'
    WHEN 'kyc' THEN 'kyc.required'
    WHEN 'insufficient' THEN 'balance.insufficient'
    WHEN 'payment_limit' THEN 'limit.exceeded'
    WHEN 'day_limit' THEN 'limit.exceeded'
    WHEN 'month_limit' THEN 'limit.exceeded'
    WHEN 'count_limit' THEN 'limit.exceeded'
    WHEN 'unknown_payer' THEN 'user.unknown'
    WHEN 'unknown_name' THEN 'username.unknown'
    WHEN 'self' THEN 'payment.self'
    WHEN 'passkey' THEN 'passkey.required'
  END
$function$;

-- Name: refusal_details; Type: FUNCTION

CREATE FUNCTION public.refusal_details(p_refusal text, t public.tiers, p_account bigint, p_available bigint, p_counting bigint, p_hour integer, p_payments integer, p_day bigint, p_month bigint, p_amount bigint, p_left bigint)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  IF p_refusal = 'user_paused' THEN
    -- A person may have several pauses. The error names the first.
    RETURN (SELECT jsonb_build_object('reason', pause_words(p.scope, p.cause)) FROM accounts x JOIN pauses p ON p.scope = 'user:' || x.user_id
             WHERE x.account_id = p_account ORDER BY p.paused_at LIMIT 1);
  ELSIF p_refusal = 'kyc' THEN
    RETURN (SELECT jsonb_build_object('kyc_status', u.kyc_status) FROM accounts x JOIN users u USING (user_id)
             WHERE x.account_id = p_account);
  ELSIF p_refusal = 'insufficient' THEN
    RETURN jsonb_build_object('available', p_available::text);
  ELSIF p_refusal = 'passkey' THEN
    RETURN (SELECT jsonb_build_object('above', x.passkey_above::text) FROM accounts x WHERE x.account_id = p_account);
  ELSIF p_refusal = 'key_limit' THEN
    RETURN jsonb_build_object('left', p_left);
  END IF;
  RETURN broken_limit(t, p_amount, p_counting, p_hour, p_payments, p_day, p_month);
END $function$;

-- Name: refuse_call; Type: FUNCTION

CREATE FUNCTION public.refuse_call(p_function text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION '% runs only in a READ COMMITTED transaction', p_function USING ERRCODE = 'invalid_transaction_state';
  END IF;
  RAISE EXCEPTION 'the arguments of % are not valid', p_function USING ERRCODE = 'invalid_parameter_value';
END $function$;

-- Name: refuse_change; Type: FUNCTION

CREATE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION '% on % is refused: history is append-only', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $function$;

-- Name: refuse_closed; Type: FUNCTION

CREATE FUNCTION public.refuse_closed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  closed timestamptz;
BEGIN
  SELECT closed_at INTO closed FROM users WHERE user_id = NEW.user_id FOR SHARE;
  IF closed IS NOT NULL THEN
    RAISE EXCEPTION 'the account is closed' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $function$;

-- Name: refuse_other_operators; Type: FUNCTION

CREATE FUNCTION public.refuse_other_operators(p_deed text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  IF is_operator_login() THEN PERFORM require_operator(p_deed); END IF;
END $function$;

-- Name: refuse_other_waits; Type: FUNCTION

CREATE FUNCTION public.refuse_other_waits()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION 'what a payment waits for cannot change' USING ERRCODE = 'restrict_violation';
END $function$;

-- Name: refuse_processes; Type: FUNCTION

CREATE FUNCTION public.refuse_processes()
 RETURNS void
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  IF NOT pg_has_role(session_user, (SELECT prefix || '_operator' FROM role_names), 'MEMBER') THEN
    RAISE EXCEPTION '% is not the login of an operator', session_user USING ERRCODE = 'insufficient_privilege';
  END IF;
END $function$;

-- Name: refuse_unnamed; Type: FUNCTION

CREATE FUNCTION public.refuse_unnamed(p_operator text, p_at timestamp with time zone DEFAULT clock_timestamp())
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF NOT EXISTS (SELECT FROM operators WHERE name = p_operator AND role IN ('admin', 'risk') AND added_at <= p_at) THEN
    RAISE EXCEPTION '% is not an operator who may approve', p_operator
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'approvals_by_operators';
  END IF;
END $function$;

-- Name: remember_recipient; Type: FUNCTION

CREATE FUNCTION public.remember_recipient()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO recipients (wallet_id, address) VALUES (NEW.wallet_id, lower(NEW.destination)) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $function$;

-- Name: remove_operator; Type: FUNCTION

CREATE FUNCTION public.remove_operator(p_name text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('remove_operator', p_name IS NOT NULL);
  LOCK TABLE operators IN SHARE ROW EXCLUSIVE MODE;
  PERFORM require_operator('operators');
  DELETE FROM operators WHERE name = p_name;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM require_admin();
  PERFORM write_audit('operator:' || session_user, 'operator.removed', NULL, jsonb_build_object('name', p_name));
  RETURN true;
END $function$;

-- Name: remove_passkey; Type: FUNCTION

CREATE FUNCTION public.remove_passkey(p_user uuid, p_session uuid, p_passkey uuid)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
BEGIN
  PERFORM require_arguments('remove_passkey', num_nulls(p_user, p_session, p_passkey) = 0);
  PERFORM FROM users WHERE user_id = p_user FOR NO KEY UPDATE;
  -- Accounts come before sessions, as when sessions end.
  PERFORM FROM accounts WHERE user_id = p_user ORDER BY account_id FOR NO KEY UPDATE;
  IF proved_at(p_user, p_session) IS NULL THEN RETURN 'auth.required'; END IF;
  IF NOT EXISTS (SELECT FROM passkeys WHERE passkey_id = p_passkey AND user_id = p_user) THEN RETURN 'passkey.unknown'; END IF;
  IF NOT use_proof(p_user, jsonb_build_object('do', 'remove', 'passkey', p_passkey)) THEN RETURN 'passkey.required'; END IF;
  DELETE FROM passkeys WHERE passkey_id = p_passkey;
  PERFORM tell_of_passkey('user:' || p_user, p_user, 'passkey.removed', jsonb_build_object('passkey_id', p_passkey));
  IF NOT EXISTS (SELECT FROM passkeys WHERE user_id = p_user) THEN PERFORM write_passkey_rule(p_user, NULL); END IF;
  RETURN NULL;
END $function$;

-- Name: replay_deliveries; Type: FUNCTION

CREATE FUNCTION public.replay_deliveries(p_endpoint uuid, p_after bigint, p_limit integer, p_since timestamp with time zone, p_until timestamp with time zone, OUT events integer, OUT last_place bigint, OUT last_at timestamp with time zone, OUT looked_at integer)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('replay_deliveries',
    num_nulls(p_endpoint, p_after, p_since, p_until) = 0 AND p_limit BETWEEN 1 AND 10000);
  WITH found AS MATERIALIZED (SELECT * FROM read_events(p_after, NULL, p_limit, p_limit)),
  again AS (
    INSERT INTO webhook_deliveries (endpoint_id, event_id, place, type, happened_at, data)
    SELECT e.endpoint_id, f.event_id, f.seq, f.type, f.at, webhook_data(f.type, f.subject_id, coalesce(o.own, f.people))
      FROM webhook_endpoints e, found f,
           LATERAL (SELECT (SELECT ARRAY[k.user_id] FROM service_keys k WHERE k.key_id = e.key_id AND k.user_id IS NOT NULL) AS own) o
     WHERE e.endpoint_id = p_endpoint AND e.types && ARRAY['*', split_part(f.type, '.', 1) || '.*', f.type]
       AND (o.own <@ f.people) IS NOT FALSE AND f.at >= p_since AND f.at < p_until
     ORDER BY f.event_id
    ON CONFLICT (endpoint_id, event_id) DO UPDATE SET state = 'waiting', due_at = now(), attempts = 0
    RETURNING 1)
  SELECT (SELECT count(*) FROM again)::integer, max(f.seq), max(f.at), count(*)::integer
    INTO events, last_place, last_at, looked_at FROM found f;
END $function$;

-- Name: require_admin; Type: FUNCTION

CREATE FUNCTION public.require_admin()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF EXISTS (SELECT FROM operators) AND NOT EXISTS (SELECT FROM operators WHERE role = 'admin') THEN
    RAISE EXCEPTION 'at least one admin must be left'
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'operators_have_an_admin';
  END IF;
END $function$;

-- Name: require_arguments; Type: FUNCTION

CREATE FUNCTION public.require_arguments(p_function text, p_are_valid boolean)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF p_are_valid IS NOT TRUE OR current_setting('transaction_isolation') <> 'read committed' THEN
    PERFORM refuse_call(p_function);
  END IF;
END $function$;

-- Name: require_operator; Type: FUNCTION

CREATE FUNCTION public.require_operator(p_deed text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE
  objection text := operator_objection(p_deed);
BEGIN
  IF objection IS NOT NULL THEN
    RAISE EXCEPTION '%', objection USING ERRCODE = 'insufficient_privilege', CONSTRAINT = 'operators_allowed';
  END IF;
END $function$;

-- Name: reserve_from_own_wallets; Type: FUNCTION

CREATE FUNCTION public.reserve_from_own_wallets(p_asset smallint, p_ids uuid[], p_rails jsonb)
 RETURNS uuid[]
 LANGUAGE plpgsql
AS $function$
DECLARE
  reserved_ids uuid[] := '{}';
  one          record;
BEGIN
  PERFORM FROM holdings WHERE asset_id = p_asset AND wallet_id IN (
    SELECT wallet_id FROM payments WHERE payment_id = ANY (p_ids)) ORDER BY wallet_id FOR NO KEY UPDATE;
  FOR one IN
    SELECT p.payment_id, p.wallet_id, p.destination, coalesce(p.amount, t.amount) AS amount, w.address, p_rails ->> w.provider AS rail
      FROM unnest(p_ids) WITH ORDINALITY AS i(id, nth)
      JOIN payments p ON p.payment_id = i.id JOIN transfers t ON t.transfer_id = i.id AND t.kind = 'hold'
      JOIN wallets w ON w.wallet_id = p.wallet_id
     WHERE t.asset_id = p_asset AND p_rails ? w.provider
       AND NOT EXISTS (SELECT FROM coin_moves m WHERE m.move_id = i.id)
     ORDER BY i.nth
  LOOP
    CONTINUE WHEN NOT EXISTS (SELECT FROM holdings
      WHERE asset_id = p_asset AND wallet_id = one.wallet_id AND coins - reserved >= one.amount);
    INSERT INTO coin_moves (move_id, asset_id, wallet_id, purpose, rail, from_address, to_address, amount, reserved)
    VALUES (one.payment_id, p_asset, one.wallet_id, 'send', one.rail, one.address, one.destination, one.amount,
      one.amount);
    reserved_ids := reserved_ids || one.payment_id;
  END LOOP;
  RETURN reserved_ids;
END $function$;

-- Name: resume_payments; Type: FUNCTION

CREATE FUNCTION public.resume_payments(p_scope text, p_cause text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  person uuid := substring(p_scope FROM '^user:(.+)$')::uuid;
BEGIN
  PERFORM require_arguments('resume_payments', num_nulls(p_scope, p_cause) = 0);
  IF p_cause IN ('operator', 'closed') THEN PERFORM refuse_processes(); END IF;
  PERFORM refuse_other_operators(CASE WHEN person IS NULL THEN 'pause' ELSE 'pause_user' END);
  PERFORM FROM users WHERE user_id = person FOR NO KEY UPDATE;
  DELETE FROM pauses WHERE scope = p_scope AND cause = p_cause;
  IF NOT FOUND THEN RETURN false; END IF;
  IF p_cause = 'operator' OR is_operator_login() THEN
    PERFORM write_audit('operator:' || session_user, 'payments.resumed', person, jsonb_strip_nulls(jsonb_build_object(
      'scope', p_scope, 'cause', nullif(p_cause, 'operator'))));
  END IF;
  PERFORM ledger_pause_user(person, EXISTS (SELECT FROM pauses WHERE scope = p_scope));
  IF person IS NULL THEN PERFORM wake_jobs('resume'); END IF;
  RETURN true;
END $function$;

-- Name: resume_transfer; Type: FUNCTION

CREATE FUNCTION public.resume_transfer(p_move uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('resume_transfer', p_move IS NOT NULL);
  UPDATE provider_transfers SET held_at = NULL WHERE move_id = p_move AND held_at IS NOT NULL;
END $function$;

-- Name: revalidate_pages; Type: FUNCTION

CREATE FUNCTION public.revalidate_pages(p_users uuid[], p_accounts bigint[], p_entries bigint[], p_seqs bigint[], p_ids uuid[], p_limits integer[], p_scanned bigint, p_dust bigint)
 RETURNS TABLE(o_nth integer, o_names bigint, o_names_random bigint, o_account bigint, o_asset smallint, o_blockchain text, o_top bigint, o_known boolean, o_rows text, o_sessions bigint, o_sessions_random bigint, o_unchanged bigint[])
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
  unchanged bigint[] := ARRAY(
    SELECT p.nth
      FROM unnest(p_users, p_accounts, p_entries, p_seqs, p_ids) WITH ORDINALITY
             AS p(user_id, account_id, entry, seq, id, nth)
     WHERE (SELECT bool_and(a.account_id = p.account_id AND a.entries = p.entry)
              FROM accounts a WHERE a.user_id = p.user_id)
       AND (SELECT t.transfer_id FROM transfers t WHERE t.seq = p.seq) = p.id);
BEGIN
  RETURN QUERY
  SELECT 0, l.names_epoch, l.names_random, NULL::bigint, NULL::smallint, NULL::text, NULL::bigint, NULL::boolean,
         NULL::text, l.sessions_epoch, l.sessions_random, unchanged
    FROM ledger_state l;
  IF cardinality(unchanged) = cardinality(p_users) THEN RETURN; END IF;
  RETURN QUERY
  SELECT h.*, NULL::bigint, NULL::bigint, NULL::bigint[]
    FROM (SELECT array_agg(p.user_id ORDER BY p.nth) AS users, array_agg(p.account_id ORDER BY p.nth) AS accounts,
                 array_agg(p.entry ORDER BY p.nth) AS entries, array_agg(p.seq ORDER BY p.nth) AS seqs,
                 array_agg(p.id ORDER BY p.nth) AS ids, array_agg(p.size ORDER BY p.nth) AS sizes, count(*)::integer AS n
            FROM unnest(p_users, p_accounts, p_entries, p_seqs, p_ids, p_limits) WITH ORDINALITY
                   AS p(user_id, account_id, entry, seq, id, size, nth)
           WHERE p.nth <> ALL (unchanged)) changed
   CROSS JOIN LATERAL history_pages(changed.users, to_jsonb(array_fill(NULL::integer, ARRAY[changed.n])), changed.sizes,
                                    p_scanned, p_dust, changed.accounts, changed.entries, changed.seqs, changed.ids) h;
END $function$;

-- Name: revoke_account_key; Type: FUNCTION

CREATE FUNCTION public.revoke_account_key(p_user uuid, p_key uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('revoke_account_key', num_nulls(p_user, p_key) = 0);
  IF NOT EXISTS (SELECT FROM service_keys WHERE key_id = p_key AND user_id = p_user AND revoked_at IS NULL) THEN
    RETURN false;
  END IF;
  LOCK TABLE key_rules IN EXCLUSIVE MODE;
  UPDATE service_keys SET revoked_at = now() WHERE key_id = p_key AND user_id = p_user AND revoked_at IS NULL;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM write_audit('user:' || p_user, 'key.revoked', p_user, jsonb_build_object('key_id', p_key));
  RETURN true;
END $function$;

-- Name: revoke_key; Type: FUNCTION

CREATE FUNCTION public.revoke_key(p_key uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('revoke_key', p_key IS NOT NULL);
  PERFORM require_operator('keys');
  LOCK TABLE key_rules IN EXCLUSIVE MODE;
  UPDATE service_keys SET revoked_at = now() WHERE key_id = p_key AND revoked_at IS NULL;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM write_audit('operator:' || session_user, 'key.revoked',
    (SELECT user_id FROM service_keys WHERE key_id = p_key), jsonb_build_object('key_id', p_key));
  RETURN true;
END $function$;

-- Name: rule_arrival; Type: FUNCTION

CREATE FUNCTION public.rule_arrival(p_provider_id uuid, p_ruling text, p_reason text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  a open_arrivals;
BEGIN
  PERFORM require_arguments('rule_arrival', num_nulls(p_provider_id, p_ruling, p_reason) = 0 AND p_ruling IN ('by_address', 'dismiss'));
  PERFORM require_operator('custody');
  SELECT * INTO a FROM open_arrivals WHERE provider_id = p_provider_id FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  IF p_ruling = 'by_address' THEN
    UPDATE open_arrivals SET by_address = true, due_at = clock_timestamp()
     WHERE network_id = a.network_id AND provider_id = p_provider_id;
  ELSE
    INSERT INTO arrivals (network_id, provider_id, to_address, verdict)
    VALUES (a.network_id, p_provider_id, coalesce(a.record ->> 'to', ''), 'other')
    ON CONFLICT (network_id, provider_id) DO UPDATE SET verdict = 'other', decided_at = clock_timestamp()
       WHERE arrivals.verdict = 'unowned';
    DELETE FROM open_arrivals WHERE network_id = a.network_id AND provider_id = p_provider_id;
  END IF;
  PERFORM write_audit('operator:' || session_user, 'arrival.ruled', NULL,
    jsonb_build_object('arrival_id', p_provider_id, 'ruling', p_ruling, 'reason', p_reason));
  RETURN true;
END $function$;

-- Name: schedule_job; Type: FUNCTION

CREATE FUNCTION public.schedule_job(p_kind text, p_key text, p_run_at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
AS $function$
  INSERT INTO jobs (kind, key, run_at) VALUES (p_kind, p_key, coalesce(p_run_at, now())) ON CONFLICT (kind, key) DO NOTHING
$function$;

-- Name: schedule_jobs; Type: FUNCTION

CREATE FUNCTION public.schedule_jobs(p_kinds text[], p_keys text[], p_run_at timestamp with time zone[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO jobs (kind, key, run_at)
  SELECT u.kind, u.key, coalesce(u.run_at, now())
    FROM unnest(p_kinds, p_keys, p_run_at) WITH ORDINALITY AS u(kind, key, run_at, n) ORDER BY u.n
  ON CONFLICT (kind, key) DO NOTHING;
END $function$;

-- Name: send_payout_rows; Type: FUNCTION

CREATE FUNCTION public.send_payout_rows(p_payout uuid, p_rules jsonb, p_rows jsonb, OUT o_ask integer[], OUT o_waits jsonb)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  p        payouts;
  places   integer[];
  sends    jsonb;
  outcomes text[];
  said     jsonb[];
BEGIN
  PERFORM require_arguments('send_payout_rows',
    p_payout IS NOT NULL AND jsonb_typeof(p_rules) = 'object' AND jsonb_typeof(p_rows) = 'array');
  p := begin_payout_pass(p_payout);
  IF p.payout_id IS NULL THEN RETURN; END IF;
  SELECT decide_payout_rows(p, array_agg(r.nth), array_agg('failed'::text),
           array_agg('{"code": "address.blocked", "details": {"party": "the destination"}}'::jsonb)) INTO o_waits
    FROM jsonb_to_recordset(p_rows) AS r(nth integer, blocked boolean) WHERE r.blocked;
  SELECT array_agg(i.nth ORDER BY i.nth), jsonb_agg(jsonb_build_object(
           'id', i.payment_id, 'caller', p.key_id, 'certificate', encode(p.certificate, 'hex'), 'client', p.client,
           'asked', r.asked, 'trace', r.trace, 'blockchain', i.blockchain, 'currency', p.currency,
           'destination', i.destination, 'amount', i.amount, 'person', p.payer_id, 'note', plain_note(i.note),
           'shown', CASE WHEN p.payer_id IS NULL THEN 'wallet' ELSE 'username' END) ORDER BY i.nth)
    INTO places, sends
    FROM jsonb_to_recordset(p_rows) AS r(nth integer, asked boolean, trace text)
    JOIN payout_items i ON i.payout_id = p_payout AND i.nth = r.nth AND i.state = 'ready' AND i.destination IS NOT NULL;
  IF places IS NULL THEN RETURN; END IF;
  SELECT array_agg(d.outcome ORDER BY d.nth), array_agg(d.said ORDER BY d.nth),
         coalesce(array_agg(places[d.nth] ORDER BY d.nth) FILTER (WHERE d.outcome = 'ask'), '{}')
    INTO outcomes, said, o_ask
    FROM (
      SELECT a.nth, CASE a.outcome WHEN 'accepted' THEN 'sent' WHEN 'known' THEN 'sent' WHEN 'ask' THEN 'ask'
               -- The chain has paid it, and this database has just found out: `recover_payout_rows` decides.
               WHEN 'paid' THEN 'stay' WHEN 'refused' THEN c.outcome ELSE 'failed' END AS outcome,
             CASE a.outcome WHEN 'refused' THEN a.details WHEN 'paid'
               THEN '{"code": "service.unavailable", "details": {"dependency": "custody"}}'
               ELSE '{"code": "reference.used", "details": {}}' END AS said
        FROM accept_sends(p_rules, sends) a, LATERAL (SELECT CASE
               WHEN a.details->>'code' IN ('service.paused', 'user.paused', 'wallet.pending') THEN 'wait'
               WHEN a.details->>'code' IN ('balance.insufficient', 'limit.exceeded', 'key.limit_exceeded')
                    AND a.details->'details'->>'limit' IS DISTINCT FROM 'payment' THEN 'short'
               ELSE 'failed' END AS outcome) c) d;
  o_waits := decide_payout_rows(p, places, outcomes, said);
END $function$;

-- Name: set_first_tier; Type: FUNCTION

CREATE FUNCTION public.set_first_tier()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  status text;
  above  bigint;
BEGIN
  IF NEW.user_id IS NULL THEN
    NEW.tier := coalesce(NEW.tier, 0);
    RETURN NEW;
  END IF;
  SELECT kyc_status, passkey_above INTO status, above FROM users WHERE user_id = NEW.user_id FOR SHARE;
  IF NEW.tier IS NULL THEN
    SELECT tier INTO NEW.tier FROM kyc_tiers
     WHERE kyc_status = status AND currency = (SELECT symbol FROM assets WHERE asset_id = NEW.asset_id) FOR SHARE;
  END IF;
  NEW.paused := EXISTS (SELECT FROM pauses WHERE scope = 'user:' || NEW.user_id);
  NEW.passkey_above := above;
  RETURN NEW;
END $function$;

-- Name: set_operator; Type: FUNCTION

CREATE FUNCTION public.set_operator(p_name text, p_role text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('set_operator', num_nulls(p_name, p_role) = 0);
  -- If two admins remove each other at the same time, the second sees what the first has done.
  LOCK TABLE operators IN SHARE ROW EXCLUSIVE MODE;
  PERFORM require_operator('operators');
  INSERT INTO operators AS known (name, role, added_at) VALUES (p_name, p_role, date_trunc('milliseconds', clock_timestamp()))
  ON CONFLICT (name) DO UPDATE
    SET role = excluded.role, added_at = CASE WHEN known.role = 'support' THEN excluded.added_at ELSE known.added_at END
  WHERE known.role <> excluded.role;
  PERFORM require_admin();
  PERFORM write_audit('operator:' || session_user, 'operator.set', NULL,
    jsonb_build_object('name', p_name, 'role', p_role));
END $function$;

-- Name: set_passkey_rule; Type: FUNCTION

CREATE FUNCTION public.set_passkey_rule(p_user uuid, p_session uuid, p_above bigint)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  before bigint;
BEGIN
  PERFORM require_arguments('set_passkey_rule', num_nulls(p_user, p_session) = 0
    AND coalesce(p_above BETWEEN 0 AND 999999999999999, true));
  SELECT passkey_above INTO before FROM users WHERE user_id = p_user FOR NO KEY UPDATE;
  -- Accounts come before sessions, as when sessions end.
  PERFORM FROM accounts WHERE user_id = p_user ORDER BY account_id FOR NO KEY UPDATE;
  IF proved_at(p_user, p_session) IS NULL THEN RETURN 'auth.required'; END IF;
  IF NOT EXISTS (SELECT FROM passkeys WHERE user_id = p_user) THEN RETURN 'passkey.none'; END IF;
  IF before IS NOT DISTINCT FROM p_above THEN RETURN NULL; END IF;
  IF before IS NOT NULL AND (p_above < before) IS NOT TRUE
    AND NOT use_proof(p_user, jsonb_build_object('do', 'rule', 'above', p_above::text)) THEN
    RETURN 'passkey.required';
  END IF;
  PERFORM write_passkey_rule(p_user, p_above);
  PERFORM tell_of_passkey('user:' || p_user, p_user, 'passkey.rule_changed',
    jsonb_build_object('before', before::text, 'above', p_above::text));
  RETURN NULL;
END $function$;

-- Name: settle_payout; Type: FUNCTION

CREATE FUNCTION public.settle_payout(p_payout uuid, p_waits jsonb)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  p       payouts;
  at      timestamptz := date_trunc('milliseconds', clock_timestamp());
  now_    text;
  is_open record;
BEGIN
  PERFORM require_arguments('settle_payout', p_payout IS NOT NULL AND coalesce(jsonb_typeof(p_waits), 'object') = 'object');
  SELECT * INTO p FROM payouts WHERE payout_id = p_payout FOR UPDATE;
  IF p.payout_id IS NULL OR p.state NOT IN ('running', 'waiting', 'stopping') THEN RETURN p.state; END IF;
  UPDATE payout_items i
     SET state = CASE s.state WHEN 'COMPLETE' THEN 'paid' ELSE 'failed' END,
         error = CASE WHEN s.state <> 'COMPLETE' THEN jsonb_build_object('code', 'payment.ended', 'details',
           jsonb_build_object('state', s.state, 'reason', s.error_reason)) END
    FROM payments s
   WHERE i.payout_id = p_payout AND i.state = 'sent' AND s.payment_id = i.payment_id AND payment_is_final(s.state);
  IF p.state = 'stopping' OR p_waits IS NOT NULL AND payout_is_late(p) THEN
    UPDATE payout_items i SET state = CASE p.state WHEN 'stopping' THEN 'cancelled' ELSE 'failed' END,
           error = CASE WHEN p.state <> 'stopping' THEN p_waits END
     WHERE payout_id = p_payout AND state = 'ready' AND NOT payout_row_in_doubt(i);
  END IF;
  SELECT coalesce(bool_or(state = 'ready'), false) AS rows_ready, coalesce(bool_or(state = 'sent'), false) AS rows_sent INTO is_open
    FROM payout_items WHERE payout_id = p_payout AND state IN ('ready', 'sent');
  now_ := CASE
    WHEN p.state = 'stopping' THEN CASE WHEN is_open.rows_sent OR is_open.rows_ready THEN 'stopping' ELSE 'cancelled' END
    WHEN is_open.rows_ready AND p_waits IS NOT NULL THEN 'waiting'
    WHEN is_open.rows_ready OR is_open.rows_sent THEN 'running'
    ELSE 'complete' END;
  UPDATE payouts SET state = now_, waits_for = CASE WHEN now_ = 'waiting' THEN p_waits END,
         ended_at = CASE WHEN payout_is_final(now_) THEN at END
   WHERE payout_id = p_payout AND (state, waits_for) IS DISTINCT FROM (now_, CASE WHEN now_ = 'waiting' THEN p_waits END);
  RETURN now_;
END $function$;

-- Name: signature_seconds; Type: FUNCTION

CREATE FUNCTION public.signature_seconds()
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$ SELECT 7200::bigint $function$;

-- Name: signed_after; Type: FUNCTION

CREATE FUNCTION public.signed_after(p_asset smallint, p_block bigint)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
  SELECT coalesce(to_timestamp(max(b.block_seconds) - signature_seconds()), '-infinity')
    FROM assets s JOIN chain_blocks b USING (network_id)
   WHERE s.asset_id = p_asset AND b.block_number <= p_block AND b.block_seconds IS NOT NULL
$function$;

-- Name: signed_in_a_day; Type: FUNCTION

CREATE FUNCTION public.signed_in_a_day(p_asset smallint)
 RETURNS bigint
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  SELECT coalesce(sum(amount), 0)::bigint FROM signed_hours
   WHERE asset_id = p_asset AND hour >= date_trunc('hour', clock_timestamp()) - interval '24 hours'
$function$;

-- Name: spending_refusal; Type: FUNCTION

CREATE FUNCTION public.spending_refusal(t public.tiers, p_paused boolean, p_available bigint, p_payments integer, p_day bigint, p_month bigint, p_amount bigint, p_left bigint, p_above bigint)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT CASE
    WHEN p_paused THEN 'user_paused'
    WHEN t.payment_limit = 0 THEN 'kyc'
    WHEN (p_available >= p_amount) IS NOT TRUE THEN 'insufficient'
    WHEN p_amount > t.payment_limit THEN 'payment_limit'
    WHEN p_day + p_amount > t.day_limit THEN 'day_limit'
    WHEN p_month + p_amount > t.month_limit THEN 'month_limit'
    WHEN p_payments >= t.day_payments THEN 'count_limit'
    WHEN p_amount > p_left THEN 'key_limit'
    WHEN p_amount > p_above THEN 'passkey'
  END
$function$;

-- Name: start_move; Type: FUNCTION

CREATE FUNCTION public.start_move(p_move uuid, p_rail text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE coin_moves SET started_at = coalesce(started_at, clock_timestamp())
   WHERE move_id = p_move AND rail = p_rail AND state = 'open' AND cancel_wanted_at IS NULL;
  RETURN FOUND;
END $function$;

-- Name: stop_payout; Type: FUNCTION

CREATE FUNCTION public.stop_payout(p public.payouts)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
DECLARE
  at    timestamptz := date_trunc('milliseconds', clock_timestamp());
  ended boolean;
BEGIN
  IF payout_is_final(p.state) THEN RETURN NULL; END IF;
  IF p.state = 'stopping' THEN RETURN p.state; END IF;
  UPDATE payout_items i SET state = 'cancelled' WHERE payout_id = p.payout_id AND state = 'ready'
     AND NOT (p.state IN ('running', 'waiting') AND payout_row_in_doubt(i));
  ended := NOT EXISTS (SELECT FROM payout_items WHERE payout_id = p.payout_id AND state IN ('sent', 'ready'));
  UPDATE payouts SET state = CASE WHEN ended THEN 'cancelled' ELSE 'stopping' END, waits_for = NULL, cancelled_at = at,
         ended_at = CASE WHEN ended THEN at END
   WHERE payout_id = p.payout_id;
  RETURN CASE WHEN ended THEN 'cancelled' ELSE 'stopping' END;
END $function$;

-- Name: sum_coins; Type: FUNCTION

CREATE FUNCTION public.sum_coins()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE asset_positions a SET coins = a.coins + c.change
      FROM (SELECT asset_id, sum(coins)::bigint AS change FROM after_change GROUP BY asset_id) c
     WHERE a.asset_id = c.asset_id AND c.change <> 0;
  ELSE
    UPDATE asset_positions a SET coins = a.coins + c.change
      FROM (SELECT asset_id, sum(coins)::bigint AS change FROM (
              SELECT asset_id, coins FROM after_change UNION ALL SELECT asset_id, -coins FROM before_change) b
             GROUP BY asset_id) c
     WHERE a.asset_id = c.asset_id AND c.change <> 0;
  END IF;
  RETURN NULL;
END $function$;

-- Name: take_back_ask; Type: FUNCTION

CREATE FUNCTION public.take_back_ask(p_move uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('take_back_ask', p_move IS NOT NULL);
  UPDATE provider_transfers SET attempts = 0, first_asked_at = NULL
   WHERE move_id = p_move AND attempts = 1 AND provider_state = 'new' AND held_at IS NULL;
END $function$;

-- Name: take_turns; Type: FUNCTION

CREATE FUNCTION public.take_turns(p_bucket text, p_window interval, p_limit integer, p_most_yielding integer, p_wanted integer, p_wanted_yielding integer, OUT granted integer, OUT granted_yielding integer)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  recent timestamptz[];
  lesser timestamptz[];
  moment timestamptz;
BEGIN
  PERFORM require_arguments('take_turns',
    num_nulls(p_bucket, p_wanted, p_wanted_yielding) = 0 AND p_window > interval '0' AND p_limit > 0
    AND p_most_yielding >= 0);
  INSERT INTO provider_turns (bucket) VALUES (p_bucket) ON CONFLICT (bucket) DO NOTHING;
  SELECT taken, yielding INTO recent, lesser FROM provider_turns WHERE bucket = p_bucket FOR UPDATE;
  moment := clock_timestamp();
  -- A time in the future was recorded before the clock was set back. It would block calls until then.
  recent := ARRAY (SELECT t FROM unnest(recent) AS t WHERE t > moment - p_window AND t <= moment);
  lesser := ARRAY (SELECT t FROM unnest(lesser) AS t WHERE t > moment - p_window AND t <= moment);
  granted := greatest(least(p_wanted, p_limit - cardinality(recent)), 0);
  granted_yielding := greatest(least(p_wanted_yielding, p_most_yielding - cardinality(lesser),
                                     p_limit - cardinality(recent) - granted), 0);
  IF granted + granted_yielding > 0 THEN
    UPDATE provider_turns SET taken = recent || array_fill(moment, ARRAY[granted + granted_yielding]),
           yielding = lesser || array_fill(moment, ARRAY[granted_yielding])
     WHERE bucket = p_bucket;
  END IF;
END $function$;

-- Name: tell_of_passkey; Type: FUNCTION

CREATE FUNCTION public.tell_of_passkey(p_actor text, p_user uuid, p_what text, p_details jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO key_events (seq, user_id, state, at)
  VALUES (people_next_place(), p_user, p_what, date_trunc('milliseconds', clock_timestamp()));
  PERFORM write_audit(p_actor, p_what, p_user, p_details);
END $function$;

-- Name: touched_wallets; Type: FUNCTION

CREATE FUNCTION public.touched_wallets(p_from bigint, p_limit integer)
 RETURNS TABLE(to_seq bigint, is_all boolean, asset_id smallint, wallets uuid[], paid_seq bigint)
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  settled bigint := ledger_settled_seq();
  stop    bigint;
BEGIN
  SELECT t.seq INTO stop FROM transfers t WHERE t.seq >= p_from ORDER BY t.seq OFFSET p_limit LIMIT 1;
  RETURN QUERY
    WITH moved AS MATERIALIZED (
      SELECT t.asset_id, t.debit_account, t.credit_account, t.kind, t.seq FROM transfers t
       WHERE t.seq >= p_from AND t.seq < coalesce(stop, 9223372036854775807) AND t.kind NOT IN ('hold', 'release')
    ), touched AS MATERIALIZED (
      SELECT m.asset_id, m.debit_account AS account_id FROM moved m
      UNION
      SELECT m.asset_id, m.credit_account FROM moved m
    ), owners AS MATERIALIZED (
      SELECT t.asset_id, a.user_id FROM touched t JOIN accounts a USING (account_id) WHERE a.kind <> 'chain'
    ), found AS (
      SELECT o.asset_id, w.wallet_id FROM owners o JOIN owner_wallets w USING (asset_id, user_id)
      UNION
      SELECT o.asset_id, w.wallet_id FROM owners o JOIN owner_wallets w USING (asset_id)
       WHERE o.user_id IS NULL AND w.kind = 'treasury'
    )
    SELECT least(settled, stop), stop IS NULL, p.asset_id, coalesce(f.wallets, '{}'), coalesce(p.paid_seq, 0)
      FROM (SELECT m.asset_id, max(m.seq) FILTER (WHERE m.kind = 'user') AS paid_seq FROM moved m GROUP BY m.asset_id) p
      LEFT JOIN (SELECT d.asset_id, array_agg(d.wallet_id ORDER BY d.wallet_id) AS wallets FROM found d GROUP BY d.asset_id) f
        USING (asset_id);
  IF NOT FOUND THEN RETURN QUERY SELECT least(settled, stop), stop IS NULL, NULL::smallint, '{}'::uuid[], 0::bigint; END IF;
END $function$;

-- Name: transfers_by_id; Type: FUNCTION

CREATE FUNCTION public.transfers_by_id(p_ids uuid[])
 RETURNS SETOF public.transfers
 LANGUAGE sql
 STABLE
AS $function$
  SELECT * FROM transfers WHERE transfer_id = ANY (p_ids)
$function$;

-- Name: turn_key_budget; Type: FUNCTION

CREATE FUNCTION public.turn_key_budget(b public.key_budgets, p_hour integer)
 RETURNS public.key_budgets
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO key_spendings (key_id, pays, hour, spent) VALUES (b.key_id, b.pays, b.hour, b.hour_spent)
  ON CONFLICT (key_id, pays, hour) DO UPDATE SET spent = excluded.spent;
  WITH taken AS (
    DELETE FROM key_refunds WHERE key_id = b.key_id AND pays = b.pays RETURNING hour, amount
  ), sums AS (
    SELECT hour, sum(amount) AS amount FROM taken GROUP BY hour
  )
  UPDATE key_spendings s SET spent = greatest(s.spent - sums.amount, 0)
    FROM sums WHERE s.key_id = b.key_id AND s.pays = b.pays AND s.hour = sums.hour;
  DELETE FROM key_spendings s
   WHERE s.key_id = b.key_id AND s.pays = b.pays AND s.hour < p_hour - hours_counted('month');
  SELECT coalesce(sum(s.spent) FILTER (WHERE s.hour = p_hour), 0),
         coalesce(sum(s.spent) FILTER (WHERE s.hour < p_hour AND s.hour >= p_hour - hours_counted('day')), 0),
         coalesce(sum(s.spent) FILTER (WHERE s.hour < p_hour), 0)
    INTO b.hour_spent, b.day_spent, b.month_spent
    FROM key_spendings s WHERE s.key_id = b.key_id AND s.pays = b.pays;
  b.hour := p_hour;
  UPDATE key_budgets SET hour = b.hour, hour_spent = b.hour_spent, day_spent = b.day_spent, month_spent = b.month_spent
   WHERE key_id = b.key_id AND pays = b.pays;
  RETURN b;
END $function$;

-- Name: unlink_operator; Type: FUNCTION

CREATE FUNCTION public.unlink_operator(p_name text)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  gone integer;
BEGIN
  PERFORM require_arguments('unlink_operator', p_name IS NOT NULL);
  PERFORM require_operator('operators');
  DELETE FROM operator_identities WHERE name = p_name;
  GET DIAGNOSTICS gone = ROW_COUNT;
  IF gone > 0 THEN
    PERFORM write_audit('operator:' || session_user, 'operator.unlinked', NULL, jsonb_build_object('name', p_name));
  END IF;
  RETURN gone;
END $function$;

-- Name: use_proof; Type: FUNCTION

CREATE FUNCTION public.use_proof(p_user uuid, p_deed jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
BEGIN
  -- Two that need the same proof wait for each other here, and the second finds it used.
  PERFORM FROM passkey_challenges WHERE user_id = p_user AND deed = p_deed ORDER BY challenge_id FOR UPDATE;
  IF NOT is_proved(p_user, p_deed) THEN RETURN false; END IF;
  UPDATE passkey_challenges SET used_at = clock_timestamp()
   WHERE user_id = p_user AND deed = p_deed AND proved_at IS NOT NULL AND used_at IS NULL;
  RETURN true;
END $function$;

-- Name: username_owner; Type: FUNCTION

CREATE FUNCTION public.username_owner(p_username text, p_at timestamp with time zone)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE
AS $function$
  SELECT n.user_id FROM usernames n
   WHERE n.username = p_username AND (n.redirect_until IS NULL OR n.redirect_until > p_at
         AND (SELECT u.closed_at FROM users u WHERE u.user_id = n.user_id) IS NULL)
$function$;

-- Name: verify_es256; Type: FUNCTION

CREATE FUNCTION public.verify_es256(p_key bytea, p_message bytea, p_signature bytea)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
DECLARE
  p  CONSTANT numeric := 115792089210356248762697446949407573530086143415290314195533631308867097853951;
  n  CONSTANT numeric := 115792089210356248762697446949407573529996955224135760342422259061068512044369;
  b  CONSTANT numeric := 41058363725152142129326129780047268409114441015993725554835256314039467401291;
  gx CONSTANT numeric := 48439561293906451759052585252797914202762949526041747995844080717082404635286;
  gy CONSTANT numeric := 36134250956749795798585127919587881956611106672985015071877198253568414405109;
  qx numeric; qy numeric;
  -- G + Q, if it is not the point at infinity.
  sx numeric; sy numeric; slope numeric;
  r  numeric; s numeric; w numeric;
  length_r integer; length_s integer;
  u1 bit(256); u2 bit(256);
  -- The sum so far, in Jacobian coordinates; z = 0: the point at infinity.
  x numeric := 1; y numeric := 1; z numeric := 0;
  -- The point that is added.
  ax numeric; ay numeric;
  yy numeric; c numeric; m numeric; h numeric; hh numeric; hhh numeric; v numeric; d numeric; zz numeric;
  bits integer;
BEGIN
  IF num_nulls(p_key, p_message, p_signature) > 0 OR length(p_key) <> 64 OR length(p_signature) NOT BETWEEN 8 AND 72 THEN
    RETURN false;
  END IF;
  length_r := get_byte(p_signature, 3);
  IF get_byte(p_signature, 0) <> 48 OR get_byte(p_signature, 1) <> length(p_signature) - 2 OR get_byte(p_signature, 2) <> 2
    OR length_r NOT BETWEEN 1 AND 33 OR length_r + 6 >= length(p_signature) THEN
    RETURN false;
  END IF;
  length_s := get_byte(p_signature, 5 + length_r);
  IF get_byte(p_signature, 4 + length_r) <> 2 OR length_s NOT BETWEEN 1 AND 33 OR length_r + length_s + 6 <> length(p_signature)
    OR get_byte(p_signature, 4) > 127 OR get_byte(p_signature, 6 + length_r) > 127 THEN
    RETURN false;
  END IF;
  r := bytes_to_number(substr(p_signature, 5, length_r));
  s := bytes_to_number(substr(p_signature, 7 + length_r, length_s));
  qx := bytes_to_number(substr(p_key, 1, 32));
  qy := bytes_to_number(substr(p_key, 33, 32));
  IF r = 0 OR r >= n OR s = 0 OR s >= n OR qx >= p OR qy >= p OR mod(qy * qy + 3 * qx, p) <> mod(qx * qx * qx + b, p) THEN
    RETURN false;
  END IF;

  w := inverse_mod(s, n);
  u1 := number_to_bits(mod(bytes_to_number(sha256(p_message)) * w, n));
  u2 := number_to_bits(mod(r * w, n));
  IF qx <> gx THEN
    slope := mod((qy - gy + p) * inverse_mod(qx - gx + p, p), p);
  ELSIF qy = gy THEN
    slope := mod(3 * (gx * gx - 1) * inverse_mod(2 * gy, p), p);
  END IF;
  IF slope IS NOT NULL THEN
    sx := mod(slope * slope + 2 * p - gx - qx, p);
    sy := mod(slope * (gx - sx + p) + p - gy, p);
  END IF;

  FOR i IN 0..255 LOOP
    IF z <> 0 THEN
      -- Doubled (a = -3). No point of this curve has y = 0.
      yy := mod(y * y, p);
      zz := mod(z * z, p);
      c := mod(4 * x * yy, p);
      m := mod(3 * (x - zz + p) * (x + zz), p);
      z := mod(2 * y * z, p);
      x := mod(m * m + 2 * (p - c), p);
      y := mod(m * (c - x + p) + 8 * (p - mod(yy * yy, p)), p);
    END IF;
    bits := get_bit(u1, i) + 2 * get_bit(u2, i);
    CONTINUE WHEN bits = 0;
    ax := CASE bits WHEN 1 THEN gx WHEN 2 THEN qx ELSE sx END;
    ay := CASE bits WHEN 1 THEN gy WHEN 2 THEN qy ELSE sy END;
    CONTINUE WHEN ax IS NULL;
    IF z = 0 THEN
      x := ax; y := ay; z := 1;
      CONTINUE;
    END IF;
    zz := mod(z * z, p);
    h := mod(ax * zz + p - x, p);
    d := mod(ay * mod(zz * z, p) + p - y, p);
    IF h = 0 THEN
      IF d = 0 THEN
        -- The same point: doubled.
        yy := mod(y * y, p);
        c := mod(4 * x * yy, p);
        m := mod(3 * (x - zz + p) * (x + zz), p);
        z := mod(2 * y * z, p);
        x := mod(m * m + 2 * (p - c), p);
        y := mod(m * (c - x + p) + 8 * (p - mod(yy * yy, p)), p);
      ELSE
        z := 0;
      END IF;
      CONTINUE;
    END IF;
    hh := mod(h * h, p);
    hhh := mod(h * hh, p);
    v := mod(x * hh, p);
    z := mod(z * h, p);
    x := mod(d * d + (p - hhh) + 2 * (p - v), p);
    y := mod(d * (v - x + p) + p * p - y * hhh, p);
  END LOOP;
  IF z = 0 THEN RETURN false; END IF;
  -- The x of the sum, modulo n, is r. With zz it needs no division.
  zz := mod(z * z, p);
  RETURN mod(r * zz, p) = x OR r + n < p AND mod((r + n) * zz, p) = x;
END $function$;

-- Name: verify_passkey; Type: FUNCTION

CREATE FUNCTION public.verify_passkey(p_public_key bytea, p_rp_hash bytea, p_challenge bytea, p_client_data bytea, p_authenticator bytea, p_signature bytea)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
DECLARE
  client jsonb;
  signed bytea := p_authenticator || sha256(p_client_data);
BEGIN
  IF num_nulls(p_public_key, p_rp_hash, p_challenge, signed, p_signature) > 0 OR length(p_authenticator) < 37 THEN
    RETURN false;
  END IF;
  client := convert_from(p_client_data, 'UTF8')::jsonb;
  IF (client->>'type' = 'webauthn.get'
      AND client->>'challenge' = rtrim(translate(encode(p_challenge, 'base64'), E'+/\n', '-_'), '=')
      AND coalesce(client->>'crossOrigin', 'false') = 'false'
      AND substr(p_authenticator, 1, 32) = p_rp_hash
      -- Present (1) and verified (4).
      AND get_byte(p_authenticator, 32) & 5 = 5) IS NOT TRUE THEN
    RETURN false;
  END IF;
  RETURN CASE length(p_public_key)
    WHEN 77 THEN verify_es256(substr(p_public_key, 11, 32) || substr(p_public_key, 46, 32), signed, p_signature)
    WHEN 272 THEN verify_rs256(substr(p_public_key, 12, 256), signed, p_signature)
    ELSE false END;
EXCEPTION WHEN data_exception THEN
  -- Not UTF-8, or not JSON.
  RETURN false;
END $function$;

-- Name: verify_rs256; Type: FUNCTION

CREATE FUNCTION public.verify_rs256(p_modulus bytea, p_message bytea, p_signature bytea)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
DECLARE
  modulus numeric;
  number  numeric;
  result  numeric;
BEGIN
  IF num_nulls(p_modulus, p_message, p_signature) > 0 OR length(p_modulus) <> 256 OR length(p_signature) <> 256 THEN
    RETURN false;
  END IF;
  modulus := bytes_to_number(p_modulus);
  number := bytes_to_number(p_signature);
  IF get_byte(p_modulus, 0) < 128 OR number >= modulus THEN RETURN false; END IF;
  result := number;
  FOR i IN 1..16 LOOP
    result := mod(result * result, modulus);
  END LOOP;
  -- 00 01 FF … FF 00, the name of SHA-256, and the hash.
  RETURN mod(result * number, modulus) = bytes_to_number(decode('0001' || repeat('ff', 202)
    || '003031300d060960864801650304020105000420', 'hex') || sha256(p_message));
END $function$;

-- Name: wake_jobs; Type: FUNCTION

CREATE FUNCTION public.wake_jobs(p_topic text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM lock_topic(p_topic);
  UPDATE jobs SET run_at = least(run_at, clock_timestamp()), waits_for = NULL
   WHERE job_id IN (SELECT job_id FROM jobs WHERE waits_for = p_topic ORDER BY job_id FOR UPDATE);
END $function$;

-- Name: wake_sends; Type: FUNCTION

CREATE FUNCTION public.wake_sends(p_asset smallint, p_wallets uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  topic text := 'coins ' || p_asset;
BEGIN
  PERFORM require_arguments('wake_sends',
    p_asset IS NOT NULL AND is_list(p_wallets, cardinality(p_wallets)) AND array_position(p_wallets, NULL) IS NULL);
  PERFORM lock_topic(topic);
  IF NOT EXISTS (SELECT FROM jobs WHERE waits_for = topic) THEN RETURN; END IF;
  IF EXISTS (SELECT FROM holdings WHERE asset_id = p_asset AND wallet_id = ANY (p_wallets)
               AND surplus > 0 AND coins > reserved AND blocked_at IS NULL AND refused_until IS NULL)
    OR EXISTS (SELECT FROM jobs j JOIN payments p ON p.payment_id = j.key::uuid JOIN wallets w USING (wallet_id)
                 JOIN wallets o ON o.wallet_id = ANY (p_wallets) AND o.kind = w.kind AND o.user_id IS NOT DISTINCT FROM w.user_id
                WHERE j.waits_for = topic) THEN
    PERFORM wake_jobs(topic);
  END IF;
END $function$;

-- Name: wake_transfer; Type: FUNCTION

CREATE FUNCTION public.wake_transfer(p_provider text, p_provider_id text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('wake_transfer', num_nulls(p_provider, p_provider_id) = 0);
  UPDATE provider_transfers SET asked_at = NULL WHERE provider = p_provider AND provider_id = p_provider_id;
  RETURN FOUND;
END $function$;

-- Name: wallet_positions; Type: FUNCTION

CREATE FUNCTION public.wallet_positions(p_asset smallint)
 RETURNS TABLE(wallet_id uuid, ledger bigint, coins bigint, reserved bigint, incoming bigint, outgoing bigint)
 LANGUAGE sql
 STABLE
AS $function$
  WITH parts AS (
    SELECT w.wallet_id, a.available + a.held AS ledger, 0::bigint AS coins, 0::bigint AS reserved,
           0::bigint AS incoming, 0::bigint AS outgoing
      FROM accounts a JOIN owner_wallets w USING (asset_id, user_id) WHERE a.asset_id = p_asset
    UNION ALL
    SELECT w.wallet_id, a.available + a.held, 0, 0, 0, 0
      FROM accounts a JOIN owner_wallets w USING (asset_id)
     WHERE a.asset_id = p_asset AND w.kind = 'treasury' AND a.kind IN ('treasury', 'fees', 'loss')
    UNION ALL
    SELECT h.wallet_id, 0, h.coins, h.reserved, 0, 0 FROM holdings h WHERE h.asset_id = p_asset
    UNION ALL
    SELECT o.wallet_id, 0, 0, 0, 0, o.amount FROM coin_moves o
     WHERE o.asset_id = p_asset AND o.state = 'open' AND o.purpose = 'settlement'
    UNION ALL
    SELECT o.to_wallet, 0, 0, 0, o.amount, 0 FROM coin_moves o
     WHERE o.asset_id = p_asset AND o.state = 'open' AND o.purpose = 'settlement'
  )
  SELECT p.wallet_id, sum(p.ledger)::bigint, sum(p.coins)::bigint, sum(p.reserved)::bigint,
         sum(p.incoming)::bigint, sum(p.outgoing)::bigint
    FROM parts p GROUP BY p.wallet_id
$function$;

-- Name: want_wallet; Type: FUNCTION

CREATE FUNCTION public.want_wallet(p_user uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_arguments('want_wallet', EXISTS (SELECT FROM users WHERE user_id = p_user));
  PERFORM schedule_job('wallet', p_user::text, now() + interval '3 seconds');
END $function$;

-- Name: webhook_data; Type: FUNCTION

CREATE FUNCTION public.webhook_data(p_type text, p_subject uuid, p_people uuid[])
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT jsonb_build_object(
    CASE split_part(p_type, '.', 1) WHEN 'request' THEN 'request_id' WHEN 'kyc' THEN 'user_id' WHEN 'passkey' THEN 'user_id'
      WHEN 'payout' THEN 'payout_id' WHEN 'key' THEN 'key_id' ELSE 'transaction_id' END,
    p_subject, 'user_ids', to_jsonb(coalesce(p_people, '{}')))
$function$;

-- Name: webhook_works; Type: FUNCTION

CREATE FUNCTION public.webhook_works(p_key uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  SELECT p_key IS NULL OR EXISTS (SELECT FROM service_keys k
                                   WHERE k.key_id = p_key AND (k.user_id IS NULL OR account_key_works(k.key_id)))
$function$;

-- Name: write_audit; Type: FUNCTION

CREATE FUNCTION public.write_audit(p_actor text, p_action text, p_user uuid, p_details jsonb)
 RETURNS void
 LANGUAGE sql
AS $function$
  INSERT INTO audit_log (actor, action, user_id, details) VALUES (p_actor, p_action, p_user, p_details)
$function$;

-- Name: write_key_rules; Type: FUNCTION

CREATE FUNCTION public.write_key_rules(p_key uuid, p_rules jsonb, p_reason text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  before jsonb;
BEGIN
  LOCK TABLE key_rules IN EXCLUSIVE MODE;
  before := describe_key(p_key);
  DELETE FROM key_payers WHERE key_id = p_key;
  DELETE FROM key_destinations WHERE key_id = p_key;
  INSERT INTO key_rules (key_id, expires_at, certificate, client_ranges, any_person, any_destination, blockchains)
  VALUES (p_key, (p_rules->>'expires_at')::timestamptz, decode(p_rules->>'certificate', 'hex'),
          CASE WHEN jsonb_typeof(p_rules->'clients') = 'array'
            THEN ARRAY(SELECT DISTINCT jsonb_array_elements_text(p_rules->'clients')::cidr ORDER BY 1) END,
          (p_rules->>'any_person')::boolean, jsonb_typeof(p_rules->'destinations') IS DISTINCT FROM 'array',
          CASE WHEN jsonb_typeof(p_rules->'blockchains') = 'array'
            THEN ARRAY(SELECT DISTINCT jsonb_array_elements_text(p_rules->'blockchains') ORDER BY 1) END)
  ON CONFLICT (key_id) DO UPDATE
    SET expires_at = excluded.expires_at, certificate = excluded.certificate, client_ranges = excluded.client_ranges,
        any_person = excluded.any_person,
        any_destination = excluded.any_destination, blockchains = excluded.blockchains;
  IF EXISTS (SELECT FROM key_rules r, unnest(r.client_ranges) AS range
              WHERE r.key_id = p_key AND family(range) = 6 AND masklen(range) > 64) THEN
    RAISE EXCEPTION 'an IPv6 range narrower than /64 contains no client' USING ERRCODE = 'restrict_violation',
      CONSTRAINT = 'key_rules_client_networks';
  END IF;
  IF EXISTS (SELECT FROM wallets WHERE user_id IS NULL
               AND wallet_id IN (SELECT jsonb_array_elements_text(p_rules->'wallets')::uuid)) THEN
    RAISE EXCEPTION 'the treasury needs a separate permission' USING ERRCODE = 'restrict_violation',
      CONSTRAINT = 'key_payers_people_only';
  END IF;
  INSERT INTO key_payers (key_id, user_id) SELECT DISTINCT p_key, jsonb_array_elements_text(p_rules->'users')::uuid;
  INSERT INTO key_payers (key_id, wallet_id) SELECT DISTINCT p_key, jsonb_array_elements_text(p_rules->'wallets')::uuid;
  IF jsonb_typeof(p_rules->'destinations') = 'array' THEN
    INSERT INTO key_destinations (key_id, first_address, last_address)
    SELECT DISTINCT p_key, lower(d->>0), lower(d->>1) FROM jsonb_array_elements(p_rules->'destinations') d;
  END IF;
  INSERT INTO key_budgets AS known (key_id, pays, allowed, payment_limit, day_limit, month_limit, counted_since)
  SELECT p_key, pays, pays = 'people' OR jsonb_typeof(p_rules->pays) = 'object', (p_rules->pays->>'payment')::bigint,
         (p_rules->pays->>'day')::bigint, (p_rules->pays->>'month')::bigint,
         CASE WHEN coalesce(p_rules->pays->>'day', p_rules->pays->>'month') IS NOT NULL THEN clock_timestamp() END
    FROM unnest(ARRAY['people', 'treasury']) AS pays
  ON CONFLICT (key_id, pays) DO UPDATE
    SET allowed = excluded.allowed, payment_limit = excluded.payment_limit, day_limit = excluded.day_limit,
        month_limit = excluded.month_limit,
        counted_since = CASE WHEN excluded.counted_since IS NOT NULL
                             THEN coalesce(known.counted_since, excluded.counted_since) END;
  INSERT INTO key_changes (key_id, before, after, changed_by, reason)
  VALUES (p_key, before, describe_key(p_key), session_user, p_reason);
END $function$;

-- Name: write_off_deposits; Type: FUNCTION

CREATE FUNCTION public.write_off_deposits(p_asset smallint, p_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  loss  bigint;
  chain bigint;
  lost  bigint;
  id    uuid;
BEGIN
  PERFORM require_arguments('write_off_deposits',
    p_asset IS NOT NULL AND is_list(p_ids, cardinality(p_ids)) AND array_position(p_ids, NULL) IS NULL);
  loss := ledger_open_house_account(p_asset, 'loss');
  chain := ledger_open_house_account(p_asset, 'chain');
  FOREACH id IN ARRAY p_ids LOOP
    lost := (SELECT amount FROM deposits WHERE transfer_id = id AND asset_id = p_asset AND state = 'lost'
      AND EXISTS (SELECT FROM transfers_by_id(ARRAY[id]) t WHERE t.kind = 'deposit'));
    IF (SELECT outcome IN ('applied', 'duplicate')
          FROM ledger_apply(derived_id('loss:' || id), 'internal', loss, chain, lost, NULL, NULL)) IS NOT TRUE THEN
      PERFORM refuse_call('write_off_deposits');
    END IF;
  END LOOP;
END $function$;

-- Name: write_passkey_rule; Type: FUNCTION

CREATE FUNCTION public.write_passkey_rule(p_user uuid, p_above bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE users SET passkey_above = p_above WHERE user_id = p_user AND passkey_above IS DISTINCT FROM p_above;
  PERFORM ledger_ask_above(p_user, p_above);
END $function$;

-- Name: write_restore; Type: FUNCTION

CREATE FUNCTION public.write_restore(p_reason text, p_good_until timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
BEGIN
  -- Several processes may detect the same restore at the same time.
  LOCK TABLE restores IN SHARE ROW EXCLUSIVE MODE;
  IF EXISTS (SELECT FROM restores WHERE noted_at >= p_good_until) THEN RETURN false; END IF;
  INSERT INTO restores (reason) VALUES (left(p_reason, 500));
  -- Processes discard all cached names and sessions and look them up again.
  PERFORM ledger_forget_epochs();
  PERFORM write_audit('service:' || session_user, 'database.restored', NULL,
    jsonb_build_object('reason', left(p_reason, 500)));
  RETURN true;
END $function$;

-- Constraints

ALTER TABLE ONLY public.accounts ADD CONSTRAINT accounts_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.applied_functions ADD CONSTRAINT applied_functions_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.approvals ADD CONSTRAINT approvals_pkey PRIMARY KEY (payment_id, operator);
ALTER TABLE ONLY public.arrival_cursors ADD CONSTRAINT arrival_cursors_pkey PRIMARY KEY (network_id);
ALTER TABLE ONLY public.arrivals ADD CONSTRAINT arrivals_pkey PRIMARY KEY (network_id, provider_id);
ALTER TABLE ONLY public.asset_positions ADD CONSTRAINT asset_positions_pkey PRIMARY KEY (asset_id);
ALTER TABLE ONLY public.assets ADD CONSTRAINT assets_pkey PRIMARY KEY (asset_id);
ALTER TABLE ONLY public.assets ADD CONSTRAINT assets_network_id_symbol_key UNIQUE (network_id, symbol);
ALTER TABLE ONLY public.audit_log ADD CONSTRAINT audit_log_pkey PRIMARY KEY (audit_id);
ALTER TABLE ONLY public.audit_log ADD CONSTRAINT audit_log_actor_check CHECK ((actor ~ '^(user|operator|provider|service|key):.'::text)) NOT VALID;
ALTER TABLE ONLY public.authorizations ADD CONSTRAINT authorizations_pkey PRIMARY KEY (move_id);
ALTER TABLE ONLY public.authorizations ADD CONSTRAINT authorizations_nonce_key UNIQUE (nonce);
ALTER TABLE ONLY public.authorizations ADD CONSTRAINT authorizations_waits_check CHECK (((waits_for IS NULL) = (waits_since IS NULL))) NOT VALID;
ALTER TABLE ONLY public.blacklist_reads ADD CONSTRAINT blacklist_reads_pkey PRIMARY KEY (asset_id);
ALTER TABLE ONLY public.book_audits ADD CONSTRAINT book_audits_pkey PRIMARY KEY (only_one);
ALTER TABLE ONLY public.book_faults ADD CONSTRAINT book_faults_pkey PRIMARY KEY (asset_id, subject);
ALTER TABLE ONLY public.cancellations ADD CONSTRAINT cancellations_pkey PRIMARY KEY (move_id);
ALTER TABLE ONLY public.carrier_attempts ADD CONSTRAINT carrier_attempts_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.carrier_calls ADD CONSTRAINT carrier_calls_pkey PRIMARY KEY (carrier_id, "position");
ALTER TABLE ONLY public.carriers ADD CONSTRAINT carriers_pkey PRIMARY KEY (carrier_id);
ALTER TABLE ONLY public.carriers ADD CONSTRAINT carriers_relayer_id_nonce_key UNIQUE (relayer_id, nonce);
ALTER TABLE ONLY public.carriers ADD CONSTRAINT carriers_has_bytes_check CHECK ((has_bytes OR (state <> 'pending'::text))) NOT VALID;
ALTER TABLE ONLY public.carriers ADD CONSTRAINT carriers_mined_check CHECK ((((mined_block IS NULL) = (mined_hash IS NULL)) AND ((mined_block IS NULL) = (mined_at IS NULL)))) NOT VALID;
ALTER TABLE ONLY public.chain_blocks ADD CONSTRAINT chain_blocks_pkey PRIMARY KEY (network_id, block_number);
ALTER TABLE ONLY public.chain_cursors ADD CONSTRAINT chain_cursors_pkey PRIMARY KEY (network_id);
ALTER TABLE ONLY public.chain_heads ADD CONSTRAINT chain_heads_pkey PRIMARY KEY (network_id);
ALTER TABLE ONLY public.coin_moves ADD CONSTRAINT coin_moves_pkey PRIMARY KEY (move_id);
ALTER TABLE ONLY public.corrections ADD CONSTRAINT corrections_pkey PRIMARY KEY (correction_id);
ALTER TABLE ONLY public.currencies ADD CONSTRAINT currencies_pkey PRIMARY KEY (currency);
ALTER TABLE ONLY public.currencies ADD CONSTRAINT currencies_currency_decimals_key UNIQUE (currency, decimals);
ALTER TABLE ONLY public.database_identity ADD CONSTRAINT database_identity_pkey PRIMARY KEY (only_one);
ALTER TABLE ONLY public.debts ADD CONSTRAINT debts_pkey PRIMARY KEY (payment_id);
ALTER TABLE ONLY public.deposits ADD CONSTRAINT deposits_pkey PRIMARY KEY (asset_id, tx_hash, wallet_id, ordinal);
ALTER TABLE ONLY public.deposits ADD CONSTRAINT deposits_transfer_id_key UNIQUE (transfer_id);
ALTER TABLE ONLY public.drifts ADD CONSTRAINT drifts_pkey PRIMARY KEY (asset_id, subject);
ALTER TABLE ONLY public.epochs ADD CONSTRAINT epochs_pkey PRIMARY KEY (kind, counter);
ALTER TABLE ONLY public.ever_blacklisted ADD CONSTRAINT ever_blacklisted_pkey PRIMARY KEY (asset_id, address);
ALTER TABLE ONLY public.forgotten_nonces ADD CONSTRAINT forgotten_nonces_pkey PRIMARY KEY (asset_id, nonce);
ALTER TABLE ONLY public.held_logs ADD CONSTRAINT held_logs_pkey PRIMARY KEY (asset_id, tx_hash, log_index);
ALTER TABLE ONLY public.holdings ADD CONSTRAINT holdings_pkey PRIMARY KEY (asset_id, wallet_id);
ALTER TABLE ONLY public.idempotency_records ADD CONSTRAINT idempotency_records_pkey PRIMARY KEY (record_id);
ALTER TABLE ONLY public.job_topics ADD CONSTRAINT job_topics_pkey PRIMARY KEY (topic);
ALTER TABLE ONLY public.jobs ADD CONSTRAINT jobs_pkey PRIMARY KEY (job_id);
ALTER TABLE ONLY public.jobs ADD CONSTRAINT jobs_kind_key_key UNIQUE (kind, key);
ALTER TABLE ONLY public.kept_positions ADD CONSTRAINT kept_positions_pkey PRIMARY KEY (only_one);
ALTER TABLE ONLY public.key_budgets ADD CONSTRAINT key_budgets_pkey PRIMARY KEY (key_id, pays);
ALTER TABLE ONLY public.key_changes ADD CONSTRAINT key_changes_pkey PRIMARY KEY (change_id);
ALTER TABLE ONLY public.key_destinations ADD CONSTRAINT key_destinations_pkey PRIMARY KEY (key_id, first_address, last_address);
ALTER TABLE ONLY public.key_events ADD CONSTRAINT key_events_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.key_events ADD CONSTRAINT key_events_once UNIQUE (key_id, state);
ALTER TABLE ONLY public.key_payers ADD CONSTRAINT key_payers_key_id_user_id_wallet_id_key UNIQUE NULLS NOT DISTINCT (key_id, user_id, wallet_id);
ALTER TABLE ONLY public.key_refunds ADD CONSTRAINT key_refunds_pkey PRIMARY KEY (payment_id);
ALTER TABLE ONLY public.key_rules ADD CONSTRAINT key_rules_pkey PRIMARY KEY (key_id);
ALTER TABLE ONLY public.key_spendings ADD CONSTRAINT key_spendings_pkey PRIMARY KEY (key_id, pays, hour);
ALTER TABLE ONLY public.kyc_checks ADD CONSTRAINT kyc_checks_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY public.kyc_checks ADD CONSTRAINT kyc_checks_applicant_id_key UNIQUE (applicant_id);
ALTER TABLE ONLY public.kyc_events ADD CONSTRAINT kyc_events_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.kyc_tier_changes ADD CONSTRAINT kyc_tier_changes_pkey PRIMARY KEY (change_id);
ALTER TABLE ONLY public.kyc_tiers ADD CONSTRAINT kyc_tiers_pkey PRIMARY KEY (kyc_status, currency);
ALTER TABLE ONLY public.ledger_state ADD CONSTRAINT ledger_state_pkey PRIMARY KEY (only_one);
ALTER TABLE ONLY public.login_secrets ADD CONSTRAINT login_secrets_pkey PRIMARY KEY (secret_id);
ALTER TABLE ONLY public.migrations ADD CONSTRAINT migrations_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.money_request_events ADD CONSTRAINT money_request_events_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.money_request_events ADD CONSTRAINT money_request_events_request_id_state_key UNIQUE (request_id, state);
ALTER TABLE ONLY public.money_requests ADD CONSTRAINT money_requests_pkey PRIMARY KEY (request_id);
ALTER TABLE ONLY public.networks ADD CONSTRAINT networks_pkey PRIMARY KEY (network_id);
ALTER TABLE ONLY public.networks ADD CONSTRAINT networks_blockchain_key UNIQUE (blockchain);
ALTER TABLE ONLY public.node_faults ADD CONSTRAINT node_faults_pkey PRIMARY KEY (blockchain, host);
ALTER TABLE ONLY public.onchain_balances ADD CONSTRAINT onchain_balances_pkey PRIMARY KEY (wallet_id, asset_id);
ALTER TABLE ONLY public.open_arrivals ADD CONSTRAINT open_arrivals_pkey PRIMARY KEY (network_id, provider_id);
ALTER TABLE ONLY public.operator_identities ADD CONSTRAINT operator_identities_pkey PRIMARY KEY (issuer, subject);
ALTER TABLE ONLY public.operators ADD CONSTRAINT operators_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.passkey_challenges ADD CONSTRAINT passkey_challenges_pkey PRIMARY KEY (challenge_id);
ALTER TABLE ONLY public.passkey_challenges ADD CONSTRAINT passkey_challenges_once UNIQUE (challenge);
ALTER TABLE ONLY public.passkey_removals ADD CONSTRAINT passkey_removals_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY public.passkeys ADD CONSTRAINT passkeys_pkey PRIMARY KEY (passkey_id);
ALTER TABLE ONLY public.passkeys ADD CONSTRAINT passkeys_once UNIQUE (credential);
ALTER TABLE ONLY public.pauses ADD CONSTRAINT pauses_pkey PRIMARY KEY (scope, cause);
ALTER TABLE ONLY public.payee_reads ADD CONSTRAINT payee_reads_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.payment_events ADD CONSTRAINT payment_events_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.payment_events ADD CONSTRAINT payment_events_payment_id_state_key UNIQUE (payment_id, state);
ALTER TABLE ONLY public.payment_notes ADD CONSTRAINT payment_notes_pkey PRIMARY KEY (payment_id);
ALTER TABLE ONLY public.payments ADD CONSTRAINT payments_pkey PRIMARY KEY (payment_id);
ALTER TABLE ONLY public.payments ADD CONSTRAINT payments_amount_check CHECK ((amount > 0)) NOT VALID;
ALTER TABLE ONLY public.payments ADD CONSTRAINT payments_fee_check CHECK ((fee >= 0)) NOT VALID;
ALTER TABLE ONLY public.payout_approvals ADD CONSTRAINT payout_approvals_pkey PRIMARY KEY (payout_id, operator);
ALTER TABLE ONLY public.payout_events ADD CONSTRAINT payout_events_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.payout_files ADD CONSTRAINT payout_files_pkey PRIMARY KEY (payout_id);
ALTER TABLE ONLY public.payout_items ADD CONSTRAINT payout_items_pkey PRIMARY KEY (payout_id, nth);
ALTER TABLE ONLY public.payout_items ADD CONSTRAINT payout_items_once UNIQUE (payout_id, payment_id);
ALTER TABLE ONLY public.payouts ADD CONSTRAINT payouts_pkey PRIMARY KEY (payout_id);
ALTER TABLE ONLY public.pending_deposits ADD CONSTRAINT pending_deposits_pkey PRIMARY KEY (asset_id, block_hash, log_index);
ALTER TABLE ONLY public.provider_transfers ADD CONSTRAINT provider_transfers_pkey PRIMARY KEY (move_id);
ALTER TABLE ONLY public.provider_transfers ADD CONSTRAINT provider_transfers_key_key UNIQUE (key);
ALTER TABLE ONLY public.provider_transfers ADD CONSTRAINT provider_transfers_provider_provider_id_key UNIQUE (provider, provider_id);
ALTER TABLE ONLY public.provider_turns ADD CONSTRAINT provider_turns_pkey PRIMARY KEY (bucket);
ALTER TABLE ONLY public.provider_webhook_keys ADD CONSTRAINT provider_webhook_keys_pkey PRIMARY KEY (adapter, key_id);
ALTER TABLE ONLY public.public_names ADD CONSTRAINT public_names_pkey PRIMARY KEY (username);
ALTER TABLE ONLY public.public_names ADD CONSTRAINT public_names_user_id_key UNIQUE (user_id);
ALTER TABLE ONLY public.rate_windows ADD CONSTRAINT rate_windows_pkey PRIMARY KEY (bucket);
ALTER TABLE ONLY public.rates ADD CONSTRAINT rates_pkey PRIMARY KEY (pair);
ALTER TABLE ONLY public.recipients ADD CONSTRAINT recipients_pkey PRIMARY KEY (wallet_id, look, address);
ALTER TABLE ONLY public.recipients ADD CONSTRAINT recipients_address_check CHECK ((address ~ '^(0x([0-9a-f]{40}|[0-9a-f]{64})|[1-9a-z]{32,44})$'::text)) NOT VALID;
ALTER TABLE ONLY public.refund_totals ADD CONSTRAINT refund_totals_pkey PRIMARY KEY (payment_id);
ALTER TABLE ONLY public.refunds ADD CONSTRAINT refunds_pkey PRIMARY KEY (refund_id);
ALTER TABLE ONLY public.refusals ADD CONSTRAINT refusals_pkey PRIMARY KEY (payment_id);
ALTER TABLE ONLY public.relayers ADD CONSTRAINT relayers_pkey PRIMARY KEY (relayer_id);
ALTER TABLE ONLY public.relayers ADD CONSTRAINT relayers_network_id_address_key UNIQUE (network_id, address);
ALTER TABLE ONLY public.releases ADD CONSTRAINT releases_pkey PRIMARY KEY (version);
ALTER TABLE ONLY public.restores ADD CONSTRAINT restores_pkey PRIMARY KEY (restore_id);
ALTER TABLE ONLY public.retention ADD CONSTRAINT retention_pkey PRIMARY KEY (what);
ALTER TABLE ONLY public.role_names ADD CONSTRAINT role_names_pkey PRIMARY KEY (only_one);
ALTER TABLE ONLY public.send_rules ADD CONSTRAINT send_rules_pkey PRIMARY KEY (only_one);
ALTER TABLE ONLY public.service_keys ADD CONSTRAINT service_keys_pkey PRIMARY KEY (key_id);
ALTER TABLE ONLY public.service_keys ADD CONSTRAINT service_keys_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.session_tokens ADD CONSTRAINT session_tokens_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.session_tokens ADD CONSTRAINT session_tokens_session_id_kind_generation_key UNIQUE (session_id, kind, generation);
ALTER TABLE ONLY public.session_tokens ADD CONSTRAINT session_tokens_replaced_check CHECK (((NOT replaced) OR ((kind = 'refresh'::text) AND (spent_at IS NOT NULL)))) NOT VALID;
ALTER TABLE ONLY public.session_tokens ADD CONSTRAINT session_tokens_used_check CHECK (((kind = 'access'::text) OR (used_at IS NULL))) NOT VALID;
ALTER TABLE ONLY public.sessions ADD CONSTRAINT sessions_pkey PRIMARY KEY (session_id);
ALTER TABLE ONLY public.settlements ADD CONSTRAINT settlements_pkey PRIMARY KEY (settlement_id);
ALTER TABLE ONLY public.signatures ADD CONSTRAINT signatures_pkey PRIMARY KEY (move_id, valid_before);
ALTER TABLE ONLY public.signed_hours ADD CONSTRAINT signed_hours_pkey PRIMARY KEY (asset_id, hour);
ALTER TABLE ONLY public.spendings ADD CONSTRAINT spendings_pkey PRIMARY KEY (account_id, hour);
ALTER TABLE ONLY public.spent_id_tokens ADD CONSTRAINT spent_id_tokens_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.tier_changes ADD CONSTRAINT tier_changes_pkey PRIMARY KEY (change_id);
ALTER TABLE ONLY public.tiers ADD CONSTRAINT tiers_pkey PRIMARY KEY (tier);
ALTER TABLE ONLY public.tiers ADD CONSTRAINT tiers_name_key UNIQUE (name);
ALTER TABLE ONLY public.tiers ADD CONSTRAINT tiers_tier_currency_key UNIQUE (tier, currency);
ALTER TABLE ONLY public.transfer_decisions ADD CONSTRAINT transfer_decisions_pkey PRIMARY KEY (decision_id);
ALTER TABLE ONLY public.transfers ADD CONSTRAINT transfers_pkey PRIMARY KEY (transfer_id);
ALTER TABLE ONLY public.unexplained_moves ADD CONSTRAINT unexplained_moves_pkey PRIMARY KEY (asset_id, tx_hash, log_index);
ALTER TABLE ONLY public.unexplained_moves ADD CONSTRAINT unexplained_moves_given_back_key UNIQUE (given_back);
ALTER TABLE ONLY public.username_changes ADD CONSTRAINT username_changes_pkey PRIMARY KEY (user_id, changed_at);
ALTER TABLE ONLY public.username_skeletons ADD CONSTRAINT username_skeletons_pkey PRIMARY KEY (skeleton);
ALTER TABLE ONLY public.username_skeletons ADD CONSTRAINT username_skeletons_skeleton_user_id_key UNIQUE (skeleton, user_id);
ALTER TABLE ONLY public.usernames ADD CONSTRAINT usernames_pkey PRIMARY KEY (username);
ALTER TABLE ONLY public.users ADD CONSTRAINT users_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY public.users ADD CONSTRAINT users_issuer_subject_key UNIQUE (issuer, subject);
ALTER TABLE ONLY public.wallet_providers ADD CONSTRAINT wallet_providers_pkey PRIMARY KEY (provider);
ALTER TABLE ONLY public.wallet_rescans ADD CONSTRAINT wallet_rescans_pkey PRIMARY KEY (asset_id, wallet_id);
ALTER TABLE ONLY public.wallet_seeds ADD CONSTRAINT wallet_seeds_pkey PRIMARY KEY (only_one);
ALTER TABLE ONLY public.wallets ADD CONSTRAINT wallets_pkey PRIMARY KEY (wallet_id);
ALTER TABLE ONLY public.wallets ADD CONSTRAINT wallets_provider_reference_key UNIQUE (provider, reference);
ALTER TABLE ONLY public.wallets ADD CONSTRAINT wallets_address_of_other_family CHECK (
CASE family
    WHEN 'solana'::text THEN (address ~ '^[1-9A-HJ-NP-Za-km-z]{32,44}$'::text)
    WHEN 'aptos'::text THEN (address ~ '^0x[0-9a-f]{64}$'::text)
    ELSE true
END) NOT VALID;
ALTER TABLE ONLY public.webhook_deliveries ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (endpoint_id, event_id);
ALTER TABLE ONLY public.webhook_endpoints ADD CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (endpoint_id);
ALTER TABLE ONLY public.webhook_secrets ADD CONSTRAINT webhook_secrets_pkey PRIMARY KEY (endpoint_id, number);

-- Indexes

CREATE UNIQUE INDEX accounts_of_house ON public.accounts USING btree (kind, asset_id) WHERE (user_id IS NULL);
CREATE UNIQUE INDEX accounts_of_user ON public.accounts USING btree (user_id, asset_id) WHERE (user_id IS NOT NULL);
CREATE INDEX arrivals_unowned ON public.arrivals USING btree (to_address) WHERE (verdict = 'unowned'::text);
CREATE UNIQUE INDEX assets_contract ON public.assets USING btree (network_id, lower(contract));
CREATE INDEX audit_log_of_user ON public.audit_log USING btree (user_id, audit_id);
CREATE INDEX authorizations_to_carry ON public.authorizations USING btree (carry_after) WHERE (NOT carried);
CREATE INDEX carrier_attempts_of ON public.carrier_attempts USING btree (carrier_id, created_at);
CREATE INDEX carrier_calls_cancelling ON public.carrier_calls USING btree (carrier_id) WHERE (cancelled_in IS NOT NULL);
CREATE INDEX carrier_calls_of ON public.carrier_calls USING btree (move_id);
CREATE INDEX carriers_ended ON public.carriers USING btree (relayer_id, block_number) WHERE (state <> 'pending'::text);
CREATE INDEX carriers_mined ON public.carriers USING btree (relayer_id, mined_block) WHERE ((state = 'pending'::text) AND (mined_block IS NOT NULL));
CREATE UNIQUE INDEX carriers_one_first ON public.carriers USING btree (relayer_id) WHERE (previous_nonce IS NULL);
CREATE INDEX carriers_pending ON public.carriers USING btree (relayer_id, nonce) WHERE (state = 'pending'::text);
CREATE INDEX carriers_waiting ON public.carriers USING btree (relayer_id, nonce) WHERE ((state = 'pending'::text) AND (mined_block IS NULL));
CREATE INDEX carriers_with_bytes ON public.carriers USING btree (relayer_id, block_number) WHERE ((state <> 'pending'::text) AND has_bytes);
CREATE INDEX coin_moves_done ON public.coin_moves USING btree (asset_id, block_number) WHERE (state = 'done'::text);
CREATE INDEX coin_moves_funding ON public.coin_moves USING btree (funds) WHERE (funds IS NOT NULL);
CREATE INDEX coin_moves_of_settlement ON public.coin_moves USING btree (settlement_id) WHERE (settlement_id IS NOT NULL);
CREATE INDEX coin_moves_open ON public.coin_moves USING btree (asset_id, rail, created_at) WHERE (state = 'open'::text);
CREATE INDEX coin_moves_open_of_wallet ON public.coin_moves USING btree (wallet_id) WHERE (state = 'open'::text);
CREATE INDEX coin_moves_to_cancel ON public.coin_moves USING btree (asset_id, cancel_wanted_at) WHERE ((state = 'open'::text) AND (cancel_wanted_at IS NOT NULL));
CREATE INDEX corrections_open ON public.corrections USING btree (proposed_at) WHERE (booked_at IS NULL);
CREATE INDEX debts_open ON public.debts USING btree (account_id) WHERE (collected < amount);
CREATE UNIQUE INDEX deposits_of_logs ON public.deposits USING btree (asset_id, tx_hash, log_index) WHERE ((state = 'credited'::text) AND (block_number > 0));
CREATE INDEX holdings_blocked ON public.holdings USING btree (asset_id, asked_at) WHERE (blocked_at IS NOT NULL);
CREATE INDEX holdings_refused ON public.holdings USING btree (asset_id, refused_until) WHERE (refused_until IS NOT NULL);
CREATE INDEX holdings_unchecked ON public.holdings USING btree (asset_id) WHERE unchecked;
CREATE INDEX holdings_uneven ON public.holdings USING btree (asset_id, surplus) WHERE (surplus <> 0);
CREATE INDEX jobs_due ON public.jobs USING btree (kind, run_at);
CREATE INDEX jobs_waiting ON public.jobs USING btree (waits_for) WHERE (waits_for IS NOT NULL);
CREATE INDEX key_changes_of_key ON public.key_changes USING btree (key_id, change_id);
CREATE INDEX key_events_of_subject ON public.key_events USING btree (COALESCE(key_id, user_id));
CREATE INDEX key_events_of_user ON public.key_events USING btree (user_id, seq);
CREATE INDEX key_refunds_of_budget ON public.key_refunds USING btree (key_id, pays);
CREATE INDEX kyc_events_of_user ON public.kyc_events USING btree (user_id, seq);
CREATE INDEX money_requests_of_asker ON public.money_requests USING btree (asker_id, created_at DESC, request_id DESC);
CREATE INDEX money_requests_of_payer ON public.money_requests USING btree (payer_id, created_at DESC, request_id DESC);
CREATE INDEX money_requests_open ON public.money_requests USING btree (expires_at) WHERE (state = 'open'::text);
CREATE INDEX money_requests_open_of_asker ON public.money_requests USING btree (asker_id) WHERE (state = 'open'::text);
CREATE INDEX onchain_balances_pending ON public.onchain_balances USING btree (asset_id) WHERE (pending_in > (0)::numeric);
CREATE INDEX open_arrivals_due ON public.open_arrivals USING btree (network_id, due_at);
CREATE INDEX operator_identities_name ON public.operator_identities USING btree (name);
CREATE INDEX passkey_challenges_of_session ON public.passkey_challenges USING btree (session_id);
CREATE INDEX passkey_challenges_of_user ON public.passkey_challenges USING btree (user_id, created_at);
CREATE INDEX passkeys_of_user ON public.passkeys USING btree (user_id, created_at);
CREATE UNIQUE INDEX payees_address ON public.payees USING btree (user_id, address) WHERE (address IS NOT NULL);
CREATE UNIQUE INDEX payees_newest ON public.payees USING btree (user_id, last_seq);
CREATE UNIQUE INDEX payees_person ON public.payees USING btree (user_id, person) WHERE (person IS NOT NULL);
CREATE INDEX payments_to_approve ON public.payments USING btree (payment_id) WHERE ((approvals_needed > 0) AND (state = 'INITIATED'::text));
CREATE INDEX payments_unreserved ON public.payments USING btree (payment_id) WHERE (state = ANY (ARRAY['INITIATED'::text, 'CLEARED'::text]));
CREATE INDEX payout_events_of_payout ON public.payout_events USING btree (payout_id, seq);
CREATE INDEX payouts_of_key ON public.payouts USING btree (key_id, created_at DESC, payout_id DESC);
CREATE INDEX payouts_of_payer ON public.payouts USING btree (payer_id) WHERE ((payer_id IS NOT NULL) AND (state <> ALL (ARRAY['complete'::text, 'cancelled'::text])));
CREATE INDEX payouts_to_approve ON public.payouts USING btree (created_at) WHERE (state = 'approving'::text);
CREATE INDEX pending_deposits_of ON public.pending_deposits USING btree (wallet_id, asset_id);
CREATE INDEX provider_transfers_by_hash ON public.provider_transfers USING btree (tx_hash) WHERE (tx_hash IS NOT NULL);
CREATE INDEX provider_transfers_held ON public.provider_transfers USING btree (held_at) WHERE (held_at IS NOT NULL);
CREATE INDEX refunds_of_payment ON public.refunds USING btree (payment_id);
CREATE INDEX refunds_open ON public.refunds USING btree (proposed_at) WHERE ((booked_at IS NULL) AND (denied_at IS NULL));
CREATE INDEX refusals_by_time ON public.refusals USING brin (created_at);
CREATE INDEX service_keys_of_owner ON public.service_keys USING btree (user_id, created_at) WHERE (user_id IS NOT NULL);
CREATE INDEX sessions_by_change ON public.sessions USING btree (changed_epoch) WHERE (changed_epoch IS NOT NULL);
CREATE INDEX sessions_of_user ON public.sessions USING btree (user_id, created_at DESC);
CREATE INDEX settlements_covering ON public.settlements USING btree (asset_id, covers_seq) WHERE (covers_seq IS NOT NULL);
CREATE INDEX settlements_open ON public.settlements USING btree (asset_id) WHERE (completed_at IS NULL);
CREATE INDEX spent_id_tokens_expiry ON public.spent_id_tokens USING btree (expires_at);
CREATE INDEX transfer_decisions_decided ON public.transfer_decisions USING btree (move_id, decided_at) WHERE (decided_at IS NOT NULL);
CREATE INDEX transfer_decisions_open ON public.transfer_decisions USING btree (proposed_at) WHERE (decided_at IS NULL);
CREATE UNIQUE INDEX transfers_by_seq ON public.transfers USING btree (seq);
CREATE UNIQUE INDEX transfers_credit_posts ON public.transfers USING btree (credit_account, credit_entry) WHERE ((credit_prev IS NULL) OR ((credit_entry % (32)::bigint) = 0) OR (kind <> 'user'::text));
CREATE UNIQUE INDEX transfers_debit_posts ON public.transfers USING btree (debit_account, debit_entry) WHERE ((debit_prev IS NULL) OR ((debit_entry % (32)::bigint) = 0) OR (kind <> 'user'::text));
CREATE UNIQUE INDEX transfers_hold_ended ON public.transfers USING btree (hold_id) WHERE (hold_id IS NOT NULL);
CREATE INDEX unexplained_moves_open ON public.unexplained_moves USING btree (asset_id) WHERE (imported_as IS NULL);
CREATE INDEX unexplained_moves_vanished ON public.unexplained_moves USING btree (asset_id) WHERE (log_index < 0);
CREATE INDEX usernames_of_user ON public.usernames USING btree (user_id);
CREATE UNIQUE INDEX usernames_one_current ON public.usernames USING btree (user_id) WHERE (redirect_until IS NULL);
CREATE INDEX users_email ON public.users USING btree (email);
CREATE INDEX wallet_rescans_open ON public.wallet_rescans USING btree (asset_id, asked_at) WHERE (next_block IS NOT NULL);
CREATE UNIQUE INDEX wallets_evm_address ON public.wallets USING btree (lower(address)) WHERE (family = 'evm'::text);
CREATE UNIQUE INDEX wallets_one_current ON public.wallets USING btree (user_id, provider, family) WHERE ((replaced_at IS NULL) AND (user_id IS NOT NULL));
CREATE UNIQUE INDEX wallets_one_treasury ON public.wallets USING btree (provider, family) WHERE ((replaced_at IS NULL) AND (kind = 'treasury'::text));
CREATE UNIQUE INDEX wallets_other_address ON public.wallets USING btree (family, address) WHERE (family <> 'evm'::text);
CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (endpoint_id, due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX webhook_deliveries_in_order ON public.webhook_deliveries USING btree (endpoint_id, place) WHERE (due_at IS NOT NULL);
CREATE INDEX webhook_deliveries_of_endpoint ON public.webhook_deliveries USING btree (endpoint_id, place, event_id);
CREATE INDEX webhook_deliveries_open ON public.webhook_deliveries USING btree (endpoint_id, state, place, event_id) WHERE (state <> 'delivered'::text);
CREATE INDEX webhook_deliveries_tests ON public.webhook_deliveries USING btree (endpoint_id, due_at) WHERE (is_test AND (due_at IS NOT NULL));
CREATE INDEX webhook_endpoints_of_key ON public.webhook_endpoints USING btree (key_id) WHERE (key_id IS NOT NULL);
CREATE UNIQUE INDEX webhook_secrets_current ON public.webhook_secrets USING btree (endpoint_id) WHERE (ends_at IS NULL);

-- Triggers

CREATE TRIGGER accounts_added AFTER INSERT ON public.accounts REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.ledger_add_names_epoch();
CREATE TRIGGER accounts_first_tier BEFORE INSERT ON public.accounts FOR EACH ROW EXECUTE FUNCTION public.set_first_tier();
CREATE TRIGGER accounts_start_empty BEFORE INSERT ON public.accounts FOR EACH ROW WHEN (((new.available <> 0) OR (new.held <> 0) OR (new.entries <> 0) OR (new.day_spent <> 0) OR (new.month_spent <> 0))) EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER accounts_stay BEFORE DELETE OR TRUNCATE ON public.accounts FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER approvals_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.approvals FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER approvals_guard BEFORE INSERT ON public.approvals FOR EACH ROW EXECUTE FUNCTION public.guard_approval();
CREATE TRIGGER assets_are_new AFTER INSERT ON public.assets FOR EACH ROW EXECUTE FUNCTION public.note_new_wallets();
CREATE TRIGGER audit_log_stays BEFORE UPDATE OR TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
ALTER TABLE public.audit_log ENABLE ALWAYS TRIGGER audit_log_stays;
CREATE TRIGGER audit_log_young BEFORE DELETE ON public.audit_log FOR EACH ROW WHEN ((old.at > (now() - '366 days'::interval))) EXECUTE FUNCTION public.refuse_change();
ALTER TABLE public.audit_log ENABLE ALWAYS TRIGGER audit_log_young;
CREATE TRIGGER authorizations_guard BEFORE UPDATE ON public.authorizations FOR EACH ROW EXECUTE FUNCTION public.guard_authorization();
CREATE TRIGGER authorizations_stay BEFORE DELETE OR TRUNCATE ON public.authorizations FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER cancellations_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.cancellations FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER cancellations_guard BEFORE INSERT ON public.cancellations FOR EACH ROW EXECUTE FUNCTION public.guard_cancellation();
CREATE TRIGGER carrier_attempts_guard BEFORE INSERT ON public.carrier_attempts FOR EACH ROW EXECUTE FUNCTION public.guard_attempt();
CREATE TRIGGER carrier_calls_follow_carried AFTER INSERT OR UPDATE OF dropped_in ON public.carrier_calls FOR EACH ROW EXECUTE FUNCTION public.follow_carried();
CREATE TRIGGER carriers_by_operators BEFORE INSERT ON public.carriers FOR EACH STATEMENT EXECUTE FUNCTION public.guard_relayer_deed();
CREATE TRIGGER carriers_follow_carried AFTER UPDATE OF state ON public.carriers FOR EACH ROW EXECUTE FUNCTION public.follow_carried();
CREATE TRIGGER carriers_follow_nonce AFTER INSERT ON public.carriers FOR EACH ROW EXECUTE FUNCTION public.follow_nonce();
CREATE TRIGGER chain_cursors_guard BEFORE UPDATE ON public.chain_cursors FOR EACH ROW WHEN (((old.part_number IS NOT NULL) AND (new.part_number IS NOT NULL) AND (new.block_hash <> old.block_hash))) EXECUTE FUNCTION public.guard_cursor();
CREATE TRIGGER coin_moves_follow_carried AFTER UPDATE OF state ON public.coin_moves FOR EACH ROW WHEN (((old.state = 'open'::text) AND (new.state <> 'open'::text))) EXECUTE FUNCTION public.follow_carried();
CREATE TRIGGER coin_moves_guard BEFORE INSERT OR UPDATE ON public.coin_moves FOR EACH ROW EXECUTE FUNCTION public.guard_coin_move();
CREATE TRIGGER coin_moves_provider_end BEFORE UPDATE OF state ON public.coin_moves FOR EACH ROW WHEN (((new.state = 'dead'::text) AND (old.state <> 'dead'::text) AND (new.rail = 'provider'::text))) EXECUTE FUNCTION public.guard_provider_end();
CREATE TRIGGER coin_moves_reserve AFTER INSERT OR UPDATE OF reserved, state ON public.coin_moves FOR EACH ROW EXECUTE FUNCTION public.move_reservation();
CREATE TRIGGER coin_moves_stay BEFORE DELETE OR TRUNCATE ON public.coin_moves FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER currencies_stay BEFORE DELETE OR UPDATE OR TRUNCATE ON public.currencies FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER deposits_guard BEFORE INSERT OR UPDATE OF transfer_id ON public.deposits FOR EACH ROW EXECUTE FUNCTION public.guard_deposit();
CREATE TRIGGER deposits_guard_elsewhere BEFORE INSERT ON public.deposits FOR EACH ROW WHEN ((new.block_number = 0)) EXECUTE FUNCTION public.guard_unwatched_deposit();
CREATE TRIGGER holdings_mark_unchecked BEFORE UPDATE OF coins ON public.holdings FOR EACH ROW WHEN ((old.coins IS DISTINCT FROM new.coins)) EXECUTE FUNCTION public.mark_unchecked();
CREATE TRIGGER holdings_sum AFTER UPDATE ON public.holdings REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION public.sum_coins();
CREATE TRIGGER holdings_sum_new AFTER INSERT ON public.holdings REFERENCING NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION public.sum_coins();
CREATE TRIGGER idempotency_records_not_emptied BEFORE TRUNCATE ON public.idempotency_records FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER idempotency_records_stay BEFORE DELETE ON public.idempotency_records FOR EACH ROW EXECUTE FUNCTION public.guard_answer();
CREATE TRIGGER key_changes_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.key_changes FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER key_events_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.key_events FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER kyc_events_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.kyc_events FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER kyc_tier_changes_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.kyc_tier_changes FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER kyc_tiers_followed AFTER INSERT OR UPDATE OF tier ON public.kyc_tiers FOR EACH ROW EXECUTE FUNCTION public.follow_kyc_tier();
CREATE TRIGGER kyc_tiers_stay BEFORE DELETE OR UPDATE OF kyc_status, currency OR TRUNCATE ON public.kyc_tiers FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER ledger_state_epochs BEFORE UPDATE OF names_epoch, sessions_epoch ON public.ledger_state FOR EACH ROW EXECUTE FUNCTION public.ledger_note_epoch();
CREATE TRIGGER money_request_events_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.money_request_events FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER money_requests_guard BEFORE UPDATE ON public.money_requests FOR EACH ROW EXECUTE FUNCTION public.guard_money_request();
CREATE TRIGGER money_requests_record_state AFTER INSERT OR UPDATE OF state ON public.money_requests FOR EACH ROW EXECUTE FUNCTION public.record_request_state();
CREATE TRIGGER money_requests_stay BEFORE DELETE OR TRUNCATE ON public.money_requests FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER networks_positions AFTER UPDATE OF wallet_provider, family ON public.networks FOR EACH STATEMENT EXECUTE FUNCTION public.forget_positions();
CREATE TRIGGER payment_events_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.payment_events FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER payment_events_guard AFTER INSERT ON public.payment_events REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.guard_events();
CREATE TRIGGER payments_fill_amount BEFORE INSERT ON public.payments FOR EACH ROW WHEN ((new.amount IS NULL)) EXECUTE FUNCTION public.fill_amount();
CREATE TRIGGER payments_give_back_to_key AFTER UPDATE OF state ON public.payments FOR EACH ROW WHEN (((new.key_id IS NOT NULL) AND (new.state = ANY (ARRAY['FAILED'::text, 'DENIED'::text, 'CANCELLED'::text])) AND (new.state <> old.state))) EXECUTE FUNCTION public.give_back_to_key();
CREATE TRIGGER payments_guard_end BEFORE UPDATE OF state ON public.payments FOR EACH ROW WHEN (((new.state = ANY (ARRAY['COMPLETE'::text, 'FAILED'::text, 'DENIED'::text, 'CANCELLED'::text])) AND (old.state <> new.state))) EXECUTE FUNCTION public.guard_payment_end();
CREATE TRIGGER payments_keep_waits BEFORE UPDATE ON public.payments FOR EACH ROW WHEN (((old.approvals_needed IS DISTINCT FROM new.approvals_needed) OR (old.not_before IS DISTINCT FROM new.not_before))) EXECUTE FUNCTION public.refuse_other_waits();
CREATE TRIGGER payments_recipient AFTER INSERT OR UPDATE OF state ON public.payments FOR EACH ROW WHEN (((new.state = 'COMPLETE'::text) AND (new.wallet_id IS NOT NULL))) EXECUTE FUNCTION public.remember_recipient();
CREATE TRIGGER payments_record_first_state AFTER INSERT ON public.payments REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.record_first_state();
CREATE TRIGGER payments_record_state AFTER UPDATE ON public.payments FOR EACH ROW EXECUTE FUNCTION public.record_state();
CREATE TRIGGER payments_stay BEFORE DELETE OR UPDATE OF payment_id OR TRUNCATE ON public.payments FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER payout_approvals_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.payout_approvals FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER payout_events_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.payout_events FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER payout_files_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.payout_files FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER payout_items_end_once BEFORE UPDATE ON public.payout_items FOR EACH ROW WHEN ((NOT (((old.state = 'ready'::text) AND ((new.state = 'sent'::text) OR (new.payment_id = old.payment_id))) OR ((old.state = 'sent'::text) AND (new.state = ANY (ARRAY['paid'::text, 'failed'::text])) AND (new.payment_id = old.payment_id))))) EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER payout_items_guard AFTER UPDATE ON public.payout_items REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.guard_payout_items();
CREATE TRIGGER payout_items_stay BEFORE DELETE OR UPDATE OF payout_id, nth, reference, username, user_id, destination, blockchain, amount, note OR TRUNCATE ON public.payout_items FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER payouts_guard BEFORE UPDATE ON public.payouts FOR EACH ROW EXECUTE FUNCTION public.guard_payout();
CREATE TRIGGER payouts_record_state AFTER INSERT OR UPDATE OF state ON public.payouts FOR EACH ROW EXECUTE FUNCTION public.record_payout_state();
CREATE TRIGGER payouts_stay BEFORE DELETE OR TRUNCATE ON public.payouts FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER provider_transfers_guard BEFORE INSERT OR UPDATE ON public.provider_transfers FOR EACH ROW EXECUTE FUNCTION public.guard_provider_transfer();
CREATE TRIGGER provider_transfers_stay BEFORE DELETE OR TRUNCATE ON public.provider_transfers FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER refund_totals_only_grow BEFORE UPDATE ON public.refund_totals FOR EACH ROW WHEN (((new.refunded < old.refunded) OR (new.payment_id <> old.payment_id) OR (new.paid <> old.paid))) EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER refund_totals_stay BEFORE DELETE OR TRUNCATE ON public.refund_totals FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER refunds_count BEFORE INSERT OR UPDATE ON public.refunds FOR EACH ROW EXECUTE FUNCTION public.count_refund();
CREATE TRIGGER refunds_stay BEFORE DELETE OR TRUNCATE ON public.refunds FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER refusals_append_only BEFORE UPDATE OR TRUNCATE ON public.refusals FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER refusals_young BEFORE DELETE ON public.refusals FOR EACH ROW WHEN ((old.created_at > (now() - '7 days'::interval))) EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER relayers_by_operators BEFORE UPDATE ON public.relayers FOR EACH STATEMENT EXECUTE FUNCTION public.guard_relayer_deed();
CREATE TRIGGER service_keys_guard BEFORE INSERT OR UPDATE OF revoked_at, scopes, user_id, hash ON public.service_keys FOR EACH ROW EXECUTE FUNCTION public.guard_key();
CREATE TRIGGER service_keys_tell_owner AFTER INSERT ON public.service_keys FOR EACH ROW WHEN ((new.user_id IS NOT NULL)) EXECUTE FUNCTION public.record_key_state();
CREATE TRIGGER service_keys_tell_owner_of_end AFTER UPDATE OF revoked_at ON public.service_keys FOR EACH ROW WHEN (((new.user_id IS NOT NULL) AND (old.revoked_at IS NULL) AND (new.revoked_at IS NOT NULL))) EXECUTE FUNCTION public.record_key_state();
CREATE TRIGGER session_tokens_ended AFTER DELETE ON public.session_tokens FOR EACH ROW WHEN (((old.kind = 'access'::text) AND (old.expires_at > now()))) EXECUTE FUNCTION public.note_token_end();
CREATE TRIGGER session_tokens_lapsed AFTER UPDATE OF expires_at ON public.session_tokens FOR EACH ROW WHEN (((old.kind = 'access'::text) AND (new.expires_at < old.expires_at))) EXECUTE FUNCTION public.note_token_end();
CREATE TRIGGER sessions_ended BEFORE UPDATE OF ended_at ON public.sessions FOR EACH ROW WHEN ((old.ended_at IS DISTINCT FROM new.ended_at)) EXECUTE FUNCTION public.note_session_change();
CREATE TRIGGER sessions_of_open_accounts BEFORE INSERT ON public.sessions FOR EACH ROW EXECUTE FUNCTION public.refuse_closed();
CREATE TRIGGER sessions_stay BEFORE TRUNCATE ON public.sessions FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER sessions_young BEFORE DELETE ON public.sessions FOR EACH ROW WHEN ((COALESCE(old.ended_at, old.expires_at) > (now() - '7 days'::interval))) EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER signatures_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.signatures FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER signatures_guard BEFORE INSERT ON public.signatures FOR EACH ROW EXECUTE FUNCTION public.guard_signature();
CREATE TRIGGER spendings_stay BEFORE TRUNCATE ON public.spendings FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER tier_changes_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.tier_changes FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER tiers_recorded AFTER INSERT OR UPDATE ON public.tiers FOR EACH ROW EXECUTE FUNCTION public.record_tier();
CREATE TRIGGER tiers_stay BEFORE DELETE OR UPDATE OF currency OR TRUNCATE ON public.tiers FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER transfers_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.transfers FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER transfers_name_previous BEFORE INSERT ON public.transfers FOR EACH ROW WHEN ((new.kind <> ALL (ARRAY['user'::text, 'hold'::text]))) EXECUTE FUNCTION public.name_previous();
CREATE TRIGGER usernames_added AFTER INSERT ON public.usernames REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.ledger_add_names_epoch();
CREATE TRIGGER usernames_epoch AFTER DELETE OR UPDATE ON public.usernames FOR EACH ROW EXECUTE FUNCTION public.count_name_change();
CREATE TRIGGER usernames_of_open_accounts BEFORE INSERT OR UPDATE OF redirect_until ON public.usernames FOR EACH ROW WHEN ((new.redirect_until IS NULL)) EXECUTE FUNCTION public.refuse_closed();
CREATE TRIGGER usernames_public AFTER INSERT OR UPDATE OF redirect_until ON public.usernames FOR EACH ROW EXECUTE FUNCTION public.list_public_name();
CREATE TRIGGER users_kyc_event AFTER UPDATE OF kyc_status ON public.users FOR EACH ROW WHEN ((old.kyc_status IS DISTINCT FROM new.kyc_status)) EXECUTE FUNCTION public.record_kyc_status();
CREATE TRIGGER users_public AFTER UPDATE OF discoverable, closed_at ON public.users FOR EACH ROW EXECUTE FUNCTION public.list_public_name();
CREATE TRIGGER users_tier AFTER UPDATE OF kyc_status ON public.users FOR EACH ROW WHEN ((old.kyc_status IS DISTINCT FROM new.kyc_status)) EXECUTE FUNCTION public.follow_kyc();
CREATE TRIGGER wallets_are_new AFTER INSERT ON public.wallets FOR EACH ROW EXECUTE FUNCTION public.note_new_wallets();
CREATE TRIGGER wallets_followed AFTER INSERT OR UPDATE OF replaced_at ON public.wallets FOR EACH ROW EXECUTE FUNCTION public.follow_wallet();
CREATE TRIGGER wallets_stay BEFORE DELETE OR UPDATE OF wallet_id, kind, user_id, provider, family, reference, address OR TRUNCATE ON public.wallets FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER webhook_deliveries_guard BEFORE INSERT OR UPDATE ON public.webhook_deliveries FOR EACH STATEMENT EXECUTE FUNCTION public.guard_webhook();
CREATE TRIGGER webhook_endpoints_guard BEFORE INSERT OR UPDATE ON public.webhook_endpoints FOR EACH ROW EXECUTE FUNCTION public.guard_webhook_endpoint();
CREATE TRIGGER webhook_secrets_guard BEFORE INSERT OR DELETE OR UPDATE ON public.webhook_secrets FOR EACH STATEMENT EXECUTE FUNCTION public.guard_webhook();

-- Foreign keys

ALTER TABLE ONLY public.accounts ADD CONSTRAINT accounts_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES public.assets(asset_id);
ALTER TABLE ONLY public.accounts ADD CONSTRAINT accounts_tier_fkey FOREIGN KEY (tier) REFERENCES public.tiers(tier);
ALTER TABLE ONLY public.accounts ADD CONSTRAINT accounts_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(user_id);
ALTER TABLE ONLY public.approvals ADD CONSTRAINT approvals_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES public.payments(payment_id);
ALTER TABLE ONLY public.arrival_cursors ADD CONSTRAINT arrival_cursors_network_id_fkey FOREIGN KEY (network_id) REFERENCES public.networks(network_id);
ALTER TABLE ONLY public.arrivals ADD CONSTRAINT arrivals_network_id_fkey FOREIGN KEY (network_id) REFERENCES public.networks(network_id);
ALTER TABLE ONLY public.asset_positions ADD CONSTRAINT asset_positions_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES public.assets(asset_id);
ALTER TABLE ONLY public.assets ADD CONSTRAINT assets_network_id_fkey FOREIGN KEY (network_id) REFERENCES public.networks(network_id);
ALTER TABLE ONLY public.assets ADD CONSTRAINT assets_symbol_decimals_fkey FOREIGN KEY (symbol, decimals) REFERENCES public.currencies(currency, decimals);
ALTER TABLE ONLY public.audit_log ADD CONSTRAINT audit_log_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(user_id);
ALTER TABLE ONLY public.authorizations ADD CONSTRAINT authorizations_move_id_fkey FOREIGN KEY (move_id) REFERENCES public.coin_moves(move_id);
ALTER TABLE ONLY public.blacklist_reads ADD CONSTRAINT blacklist_reads_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES public.assets(asset_id);
ALTER TABLE ONLY public.book_faults ADD CONSTRAINT book_faults_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES public.assets(asset_id);
ALTER TABLE ONLY public.cancellations ADD CONSTRAINT cancellations_move_id_fkey FOREIGN KEY (move_id) REFERENCES public.authorizations(move_id);
ALTER TABLE ONLY public.carrier_attempts ADD CONSTRAINT carrier_attempts_carrier_id_fkey FOREIGN KEY (carrier_id) REFERENCES public.carriers(carrier_id);
ALTER TABLE ONLY public.carrier_calls ADD CONSTRAINT carrier_calls_carrier_id_fkey FOREIGN KEY (carrier_id) REFERENCES public.carriers(carrier_id);
ALTER TABLE ONLY public.carrier_calls ADD CONSTRAINT carrier_calls_move_id_fkey FOREIGN KEY (move_id) REFERENCES public.authorizations(move_id);
ALTER TABLE ONLY public.carriers ADD CONSTRAINT carriers_relayer_id_fkey FOREIGN KEY (relayer_id) REFERENCES public.relayers(relayer_id);
ALTER TABLE ONLY public.carriers ADD CONSTRAINT carriers_relayer_id_previous_nonce_fkey FOREIGN KEY (relayer_id, previous_nonce) REFERENCES public.carriers(relayer_id, nonce);
ALTER TABLE ONLY public.chain_blocks ADD CONSTRAINT chain_blocks_network_id_fkey FOREIGN KEY (network_id) REFERENCES public.networks(network_id);
ALTER TABLE ONLY public.chain_cursors ADD CONSTRAINT chain_cursors_network_id_fkey FOREIGN KEY (network_id) REFERENCES public.networks(network_id);
ALTER TABLE ONLY public.chain_heads ADD CONSTRAINT chain_heads_network_id_fkey FOREIGN KEY (network_id) REFERENCES public.networks(network_id);
ALTER TABLE ONLY public.coin_moves ADD CONSTRAINT coin_moves_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES public.assets(asset_id);
ALTER TABLE ONLY public.coin_moves ADD CONSTRAINT coin_moves_funds_fkey FOREIGN KEY (funds) REFERENCES public.coin_moves(move_id);
ALTER TABLE ONLY public.coin_moves ADD CONSTRAINT coin_moves_settlement_id_fkey FOREIGN KEY (settlement_id) REFERENCES public.settlements(settlement_id);
ALTER TABLE ONLY public.coin_moves ADD CONSTRAINT coin_moves_to_wallet_fkey FOREIGN KEY (to_wallet) REFERENCES public.wallets(wallet_id);
ALTER TABLE ONLY public.coin_moves ADD CONSTRAINT coin_moves_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES public.wallets(wallet_id);
ALTER TABLE ONLY public.corrections ADD CONSTRAINT corrections_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES public.assets(asset_id);
ALTER TABLE ONLY public.corrections ADD CONSTRAINT corrections_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES public.wallets(wallet_id);
ALTER TABLE ONLY public.debts ADD CONSTRAINT debts_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(account_id);
ALTER TABLE ONLY public.deposits ADD CONSTRAINT deposits_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES public.assets(asset_id);
ALTER TABLE ONLY public.deposits ADD CONSTRAINT deposits_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES public.wallets(wallet_id);
ALTER TABLE ONLY public.drifts ADD CONSTRAINT drifts_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES public.assets(asset_id);
ALTER TABLE ONLY public.ever_blacklisted ADD CONSTRAINT ever_blacklisted_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES public.assets(asset_id);
ALTER TABLE ONLY public.forgotten_nonces ADD CONSTRAINT forgotten_nonces_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES public.assets(asset_id);
ALTER TABLE ONLY public.forgotten_nonces ADD CONSTRAINT forgotten_nonces_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES public.wallets(wallet_id);
ALTER TABLE ONLY public.held_logs ADD CONSTRAINT held_logs_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES public.assets(asset_id);
ALTER TABLE ONLY public.held_logs ADD CONSTRAINT held_logs_from_wallet_fkey FOREIGN KEY (from_wallet) REFERENCES public.wallets(wallet_id);
ALTER TABLE ONLY public.held_logs ADD CONSTRAINT held_logs_to_wallet_fkey FOREIGN KEY (to_wallet) REFERENCES public.wallets(wallet_id);
ALTER TABLE ONLY public.holdings ADD CONSTRAINT holdings_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES public.assets(asset_id);
ALTER TABLE ONLY public.holdings ADD CONSTRAINT holdings_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES public.wallets(wallet_id);
ALTER TABLE ONLY public.key_budgets ADD CONSTRAINT key_budgets_key_id_fkey FOREIGN KEY (key_id) REFERENCES public.key_rules(key_id);
ALTER TABLE ONLY public.key_changes ADD CONSTRAINT key_changes_key_id_fkey FOREIGN KEY (key_id) REFERENCES public.service_keys(key_id);
ALTER TABLE ONLY public.key_destinations ADD CONSTRAINT key_destinations_key_id_fkey FOREIGN KEY (key_id) REFERENCES public.key_rules(key_id);
ALTER TABLE ONLY public.key_events ADD CONSTRAINT key_events_key_id_fkey FOREIGN KEY (key_id) REFERENCES public.service_keys(key_id);
ALTER TABLE ONLY public.key_events ADD CONSTRAINT key_events_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(user_id);
ALTER TABLE ONLY public.key_payers ADD CONSTRAINT key_payers_key_id_fkey FOREIGN KEY (key_id) REFERENCES public.key_rules(key_id);
ALTER TABLE ONLY public.key_payers ADD CONSTRAINT key_payers_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(user_id);
ALTER TABLE ONLY public.key_payers ADD CONSTRAINT key_payers_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES public.wallets(wallet_id);
ALTER TABLE ONLY public.key_refunds ADD CONSTRAINT key_refunds_key_id_pays_fkey FOREIGN KEY (key_id, pays) REFERENCES public.key_budgets(key_id, pays);
ALTER TABLE ONLY public.key_refunds ADD CONSTRAINT key_refunds_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES public.payments(payment_id);
ALTER TABLE ONLY public.key_rules ADD CONSTRAINT key_rules_key_id_fkey FOREIGN KEY (key_id) REFERENCES public.service_keys(key_id);
ALTER TABLE ONLY public.key_spendings ADD CONSTRAINT key_spendings_key_id_pays_fkey FOREIGN KEY (key_id, pays) REFERENCES public.key_budgets(key_id, pays);
ALTER TABLE ONLY public.kyc_checks ADD CONSTRAINT kyc_checks_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(user_id);
ALTER TABLE ONLY public.kyc_events ADD CONSTRAINT kyc_events_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(user_id);
ALTER TABLE ONLY public.kyc_tier_changes ADD CONSTRAINT kyc_tier_changes_after_fkey FOREIGN KEY (after) REFERENCES public.tiers(tier);
ALTER TABLE ONLY public.kyc_tier_changes ADD CONSTRAINT kyc_tier_changes_before_fkey FOREIGN KEY (before) REFERENCES public.tiers(tier);
ALTER TABLE ONLY public.kyc_tiers ADD CONSTRAINT kyc_tiers_tier_currency_fkey FOREIGN KEY (tier, currency) REFERENCES public.tiers(tier, currency);
ALTER TABLE ONLY public.kyc_tiers ADD CONSTRAINT kyc_tiers_tier_fkey FOREIGN KEY (tier) REFERENCES public.tiers(tier);
ALTER TABLE ONLY public.ledger_state ADD CONSTRAINT ledger_state_home_asset_fkey FOREIGN KEY (home_asset) REFERENCES public.assets(asset_id);
ALTER TABLE ONLY public.money_request_events ADD CONSTRAINT money_request_events_request_id_fkey FOREIGN KEY (request_id) REFERENCES public.money_requests(request_id);
ALTER TABLE ONLY public.money_requests ADD CONSTRAINT money_requests_asker_id_fkey FOREIGN KEY (asker_id) REFERENCES public.users(user_id);
ALTER TABLE ONLY public.money_requests ADD CONSTRAINT money_requests_payer_id_fkey FOREIGN KEY (payer_id) REFERENCES public.users(user_id);
ALTER TABLE ONLY public.onchain_balances ADD CONSTRAINT onchain_balances_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES public.assets(asset_id);
ALTER TABLE ONLY public.onchain_balances ADD CONSTRAINT onchain_balances_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES public.wallets(wallet_id);
ALTER TABLE ONLY public.open_arrivals ADD CONSTRAINT open_arrivals_network_id_fkey FOREIGN KEY (network_id) REFERENCES public.networks(network_id);
ALTER TABLE ONLY public.operator_identities ADD CONSTRAINT operator_identities_name_fkey FOREIGN KEY (name) REFERENCES public.operators(name) ON DELETE CASCADE;
ALTER TABLE ONLY public.passkey_challenges ADD CONSTRAINT passkey_challenges_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.sessions(session_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.passkey_challenges ADD CONSTRAINT passkey_challenges_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(user_id);
ALTER TABLE ONLY public.passkey_removals ADD CONSTRAINT passkey_removals_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(user_id);
ALTER TABLE ONLY public.passkeys ADD CONSTRAINT passkeys_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(user_id);
ALTER TABLE ONLY public.payee_reads ADD CONSTRAINT payee_reads_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(account_id);
ALTER TABLE ONLY public.payees ADD CONSTRAINT payees_last_asset_fkey FOREIGN KEY (last_asset) REFERENCES public.assets(asset_id);
ALTER TABLE ONLY public.payees ADD CONSTRAINT payees_person_fkey FOREIGN KEY (person) REFERENCES public.users(user_id);
ALTER TABLE ONLY public.payees ADD CONSTRAINT payees_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(user_id);
ALTER TABLE ONLY public.payments ADD CONSTRAINT payments_key_id_fkey FOREIGN KEY (key_id) REFERENCES public.service_keys(key_id) NOT VALID;
ALTER TABLE ONLY public.payout_approvals ADD CONSTRAINT payout_approvals_payout_id_fkey FOREIGN KEY (payout_id) REFERENCES public.payouts(payout_id);
ALTER TABLE ONLY public.payout_events ADD CONSTRAINT payout_events_payout_id_fkey FOREIGN KEY (payout_id) REFERENCES public.payouts(payout_id);
ALTER TABLE ONLY public.payout_files ADD CONSTRAINT payout_files_payout_id_fkey FOREIGN KEY (payout_id) REFERENCES public.payouts(payout_id);
ALTER TABLE ONLY public.payout_items ADD CONSTRAINT payout_items_payout_id_fkey FOREIGN KEY (payout_id) REFERENCES public.payouts(payout_id);
ALTER TABLE ONLY public.payout_items ADD CONSTRAINT payout_items_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(user_id);
ALTER TABLE ONLY public.payouts ADD CONSTRAINT payouts_currency_fkey FOREIGN KEY (currency) REFERENCES public.currencies(currency);
ALTER TABLE ONLY public.payouts ADD CONSTRAINT payouts_key_id_fkey FOREIGN KEY (key_id) REFERENCES public.service_keys(key_id);
ALTER TABLE ONLY public.payouts ADD CONSTRAINT payouts_payer_id_fkey FOREIGN KEY (payer_id) REFERENCES public.users(user_id);
ALTER TABLE ONLY public.pending_deposits ADD CONSTRAINT pending_deposits_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES public.assets(asset_id);
ALTER TABLE ONLY public.pending_deposits ADD CONSTRAINT pending_deposits_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES public.wallets(wallet_id);
ALTER TABLE ONLY public.provider_transfers ADD CONSTRAINT provider_transfers_move_id_fkey FOREIGN KEY (move_id) REFERENCES public.coin_moves(move_id);
ALTER TABLE ONLY public.public_names ADD CONSTRAINT public_names_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(user_id);
ALTER TABLE ONLY public.public_names ADD CONSTRAINT public_names_username_fkey FOREIGN KEY (username) REFERENCES public.usernames(username) ON DELETE CASCADE;
ALTER TABLE ONLY public.recipients ADD CONSTRAINT recipients_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES public.wallets(wallet_id);
ALTER TABLE ONLY public.relayers ADD CONSTRAINT relayers_network_id_fkey FOREIGN KEY (network_id) REFERENCES public.networks(network_id);
ALTER TABLE ONLY public.service_keys ADD CONSTRAINT service_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(user_id);
ALTER TABLE ONLY public.session_tokens ADD CONSTRAINT session_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.sessions(session_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sessions ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(user_id);
ALTER TABLE ONLY public.settlements ADD CONSTRAINT settlements_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES public.assets(asset_id);
ALTER TABLE ONLY public.signatures ADD CONSTRAINT signatures_move_id_fkey FOREIGN KEY (move_id) REFERENCES public.authorizations(move_id);
ALTER TABLE ONLY public.signed_hours ADD CONSTRAINT signed_hours_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES public.assets(asset_id);
ALTER TABLE ONLY public.spendings ADD CONSTRAINT spendings_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(account_id);
ALTER TABLE ONLY public.tier_changes ADD CONSTRAINT tier_changes_tier_fkey FOREIGN KEY (tier) REFERENCES public.tiers(tier);
ALTER TABLE ONLY public.tiers ADD CONSTRAINT tiers_currency_fkey FOREIGN KEY (currency) REFERENCES public.currencies(currency);
ALTER TABLE ONLY public.transfer_decisions ADD CONSTRAINT transfer_decisions_move_id_fkey FOREIGN KEY (move_id) REFERENCES public.provider_transfers(move_id);
ALTER TABLE ONLY public.unexplained_moves ADD CONSTRAINT unexplained_moves_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES public.assets(asset_id);
ALTER TABLE ONLY public.unexplained_moves ADD CONSTRAINT unexplained_moves_to_wallet_fkey FOREIGN KEY (to_wallet) REFERENCES public.wallets(wallet_id);
ALTER TABLE ONLY public.unexplained_moves ADD CONSTRAINT unexplained_moves_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES public.wallets(wallet_id);
ALTER TABLE ONLY public.username_changes ADD CONSTRAINT username_changes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(user_id);
ALTER TABLE ONLY public.username_skeletons ADD CONSTRAINT username_skeletons_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(user_id);
ALTER TABLE ONLY public.usernames ADD CONSTRAINT usernames_skeleton_user_id_fkey FOREIGN KEY (skeleton, user_id) REFERENCES public.username_skeletons(skeleton, user_id);
ALTER TABLE ONLY public.usernames ADD CONSTRAINT usernames_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(user_id);
ALTER TABLE ONLY public.wallet_seeds ADD CONSTRAINT wallet_seeds_wallet_provider_fkey FOREIGN KEY (wallet_provider) REFERENCES public.wallet_providers(provider);
ALTER TABLE ONLY public.wallets ADD CONSTRAINT wallets_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(user_id);
ALTER TABLE ONLY public.webhook_deliveries ADD CONSTRAINT webhook_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES public.webhook_endpoints(endpoint_id);
ALTER TABLE ONLY public.webhook_endpoints ADD CONSTRAINT webhook_endpoints_key_id_fkey FOREIGN KEY (key_id) REFERENCES public.service_keys(key_id);
ALTER TABLE ONLY public.webhook_secrets ADD CONSTRAINT webhook_secrets_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES public.webhook_endpoints(endpoint_id);

-- Privileges

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC;
GRANT SELECT ON TABLE public.accounts TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.applied_functions TO florin_console, florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT SELECT ON TABLE public.approvals TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT INSERT, SELECT, UPDATE ON TABLE public.arrival_cursors TO florin_worker;
GRANT SELECT ON TABLE public.arrival_cursors TO florin_operator, florin_reader, florin_server;
GRANT INSERT, SELECT, UPDATE ON TABLE public.arrivals TO florin_worker;
GRANT SELECT ON TABLE public.arrivals TO florin_operator, florin_reader, florin_server;
GRANT INSERT, SELECT, UPDATE ON TABLE public.asset_positions TO florin_worker;
GRANT SELECT ON TABLE public.asset_positions TO florin_operator, florin_reader, florin_server;
GRANT SELECT ON TABLE public.assets TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT SELECT ON TABLE public.audit_log TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT INSERT, SELECT, UPDATE ON TABLE public.authorizations TO florin_worker;
GRANT SELECT ON TABLE public.authorizations TO florin_operator, florin_reader, florin_server, florin_signer;
GRANT INSERT, SELECT, UPDATE ON TABLE public.blacklist_reads TO florin_worker;
GRANT SELECT ON TABLE public.blacklist_reads TO florin_operator, florin_reader, florin_server;
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE public.book_audits TO florin_worker;
GRANT SELECT (only_one, seq_base, tail_seq, compared_at, compared_seq, cycle_upto, cycle_seq, cycle_rows, cycle_began_at, cycle_names, cycle_ended_at, cycle_seconds, rows_total) ON TABLE public.book_audits TO florin_operator, florin_reader, florin_server;
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE public.book_faults TO florin_worker;
GRANT SELECT ON TABLE public.book_faults TO florin_operator, florin_reader, florin_server;
GRANT INSERT, SELECT ON TABLE public.cancellations TO florin_signer;
GRANT SELECT ON TABLE public.cancellations TO florin_worker;
GRANT SELECT (move_id, signed_at) ON TABLE public.cancellations TO florin_operator, florin_reader, florin_server;
GRANT INSERT, SELECT ON TABLE public.carrier_attempts TO florin_signer;
GRANT SELECT (hash, carrier_id, version, max_fee_wei, priority_fee_wei, created_at, broadcast_at, answer, gas_limit, signed_at_block) ON TABLE public.carrier_attempts TO florin_operator, florin_reader, florin_server;
GRANT SELECT, UPDATE (raw, broadcast_at, answer) ON TABLE public.carrier_attempts TO florin_worker;
GRANT INSERT, SELECT, UPDATE ON TABLE public.carrier_calls TO florin_worker;
GRANT SELECT ON TABLE public.carrier_calls TO florin_operator, florin_reader, florin_server, florin_signer;
GRANT INSERT, SELECT ON TABLE public.carriers TO florin_operator;
GRANT INSERT, SELECT, UPDATE ON TABLE public.carriers TO florin_worker;
GRANT SELECT ON TABLE public.carriers TO florin_reader, florin_server, florin_signer;
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE public.chain_blocks TO florin_worker;
GRANT SELECT ON TABLE public.chain_blocks TO florin_operator, florin_reader, florin_server;
GRANT INSERT, SELECT, UPDATE ON TABLE public.chain_cursors TO florin_worker;
GRANT SELECT ON TABLE public.chain_cursors TO florin_operator, florin_reader, florin_server;
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE public.chain_heads TO florin_server;
GRANT SELECT ON TABLE public.chain_heads TO florin_operator, florin_reader, florin_worker;
GRANT SELECT ON TABLE public.closed_accounts_with_money TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT INSERT, SELECT, UPDATE ON TABLE public.coin_moves TO florin_worker;
GRANT SELECT ON TABLE public.coin_moves TO florin_operator, florin_reader, florin_server, florin_signer;
GRANT SELECT ON TABLE public.corrections TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.currencies TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.database_identity TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.debts TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT INSERT, SELECT, UPDATE (block_number, block_hash, state, log_index) ON TABLE public.deposits TO florin_worker;
GRANT SELECT ON TABLE public.deposits TO florin_operator, florin_reader, florin_server;
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE public.drifts TO florin_worker;
GRANT SELECT ON TABLE public.drifts TO florin_operator, florin_reader, florin_server;
GRANT SELECT ON TABLE public.epochs TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT INSERT, SELECT ON TABLE public.ever_blacklisted TO florin_worker;
GRANT SELECT ON TABLE public.ever_blacklisted TO florin_operator, florin_reader, florin_server;
GRANT SELECT ON TABLE public.feed TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE public.forgotten_nonces TO florin_worker;
GRANT SELECT ON TABLE public.forgotten_nonces TO florin_operator, florin_reader, florin_server, florin_signer;
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE public.held_logs TO florin_worker;
GRANT SELECT ON TABLE public.held_logs TO florin_operator, florin_reader, florin_server;
GRANT INSERT, SELECT, UPDATE ON TABLE public.holdings TO florin_worker;
GRANT SELECT ON TABLE public.holdings TO florin_operator, florin_reader, florin_server, florin_signer;
GRANT INSERT, SELECT, UPDATE ON TABLE public.idempotency_records TO florin_server;
GRANT SELECT (record_id, request_hash, created_at) ON TABLE public.idempotency_records TO florin_operator, florin_reader, florin_worker;
GRANT INSERT, SELECT, UPDATE ON TABLE public.job_topics TO florin_worker;
GRANT SELECT ON TABLE public.job_topics TO florin_operator, florin_reader, florin_server;
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE public.jobs TO florin_worker;
GRANT SELECT ON TABLE public.jobs TO florin_operator, florin_reader, florin_server;
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE public.kept_positions TO florin_worker;
GRANT SELECT ON TABLE public.kept_positions TO florin_operator, florin_reader, florin_server;
GRANT SELECT ON TABLE public.key_budgets TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.key_changes TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.key_destinations TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.key_events TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.key_payers TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.key_refunds TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.key_rules TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.key_spendings TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT INSERT, SELECT, UPDATE ON TABLE public.kyc_checks TO florin_server;
GRANT SELECT ON TABLE public.kyc_checks TO florin_operator, florin_reader, florin_worker;
GRANT SELECT ON TABLE public.kyc_events TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.kyc_tier_changes TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.kyc_tiers TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.ledger_state TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT DELETE, INSERT (secret), SELECT ON TABLE public.login_secrets TO florin_server;
GRANT SELECT ON TABLE public.migrations TO florin_console, florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT SELECT ON TABLE public.money_request_events TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.money_requests TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.networks TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE public.node_faults TO florin_worker;
GRANT SELECT ON TABLE public.node_faults TO florin_operator, florin_reader, florin_server;
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE public.onchain_balances TO florin_server;
GRANT SELECT ON TABLE public.onchain_balances TO florin_operator, florin_reader, florin_worker;
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE public.open_arrivals TO florin_worker;
GRANT SELECT ON TABLE public.open_arrivals TO florin_operator, florin_reader, florin_server;
GRANT SELECT ON TABLE public.operator_identities TO florin_console, florin_operator;
GRANT SELECT ON TABLE public.operators TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.owner_wallets TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.passkey_challenges TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.passkey_removals TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.passkeys TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.pauses TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT SELECT ON TABLE public.payee_reads TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.payees TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.payment_events TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT SELECT ON TABLE public.payment_notes TO florin_operator, florin_reader, florin_server;
GRANT SELECT ON TABLE public.payments TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT SELECT ON TABLE public.payout_approvals TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.payout_events TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.payout_files TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.payout_items TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.payouts TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE public.pending_deposits TO florin_worker;
GRANT SELECT ON TABLE public.pending_deposits TO florin_operator, florin_reader, florin_server;
GRANT INSERT (move_id, provider, key, asked_at), SELECT, UPDATE (provider_id, provider_state, tx_hash, error, ended_head, cancel_asked_at, cancel_answer, asked_at, updated_at, waits_for, accelerations, accelerated_at, cancel_refusals) ON TABLE public.provider_transfers TO florin_worker;
GRANT SELECT ON TABLE public.provider_transfers TO florin_operator, florin_reader, florin_server, florin_signer;
GRANT SELECT ON TABLE public.provider_turns TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT INSERT, SELECT ON TABLE public.provider_webhook_keys TO florin_signer;
GRANT SELECT ON TABLE public.provider_webhook_keys TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.public_names TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE public.rate_windows TO florin_server;
GRANT SELECT ON TABLE public.rate_windows TO florin_operator, florin_reader, florin_worker;
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE public.rates TO florin_server;
GRANT SELECT ON TABLE public.rates TO florin_operator, florin_reader, florin_worker;
GRANT SELECT ON TABLE public.recipients TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.refund_totals TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.refunds TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.refusals TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT INSERT, SELECT, UPDATE ON TABLE public.relayers TO florin_worker;
GRANT SELECT ON TABLE public.relayers TO florin_reader, florin_server, florin_signer;
GRANT SELECT, UPDATE (stopped, ahead_since, foreign_since) ON TABLE public.relayers TO florin_operator;
GRANT SELECT ON TABLE public.releases TO florin_console, florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT SELECT ON TABLE public.restores TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT SELECT ON TABLE public.retention TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.role_names TO florin_console, florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT SELECT ON TABLE public.send_rules TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT (key_id, name, scopes, created_at, last_used_at, revoked_at, user_id) ON TABLE public.service_keys TO florin_operator, florin_reader, florin_worker;
GRANT SELECT, UPDATE (last_used_at) ON TABLE public.service_keys TO florin_server;
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE public.session_tokens TO florin_server;
GRANT SELECT (session_id, kind, generation, expires_at, spent_at) ON TABLE public.session_tokens TO florin_operator, florin_reader, florin_worker;
GRANT INSERT, SELECT, UPDATE ON TABLE public.sessions TO florin_server;
GRANT SELECT ON TABLE public.sessions TO florin_operator, florin_reader, florin_worker;
GRANT INSERT, SELECT, UPDATE ON TABLE public.settlements TO florin_worker;
GRANT SELECT ON TABLE public.settlements TO florin_operator, florin_reader, florin_server, florin_signer;
GRANT INSERT, SELECT ON TABLE public.signatures TO florin_signer;
GRANT SELECT ON TABLE public.signatures TO florin_worker;
GRANT SELECT (move_id, valid_before, signed_at) ON TABLE public.signatures TO florin_operator, florin_reader, florin_server;
GRANT SELECT ON TABLE public.signed_hours TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.spendings TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE public.spent_id_tokens TO florin_server;
GRANT SELECT (expires_at) ON TABLE public.spent_id_tokens TO florin_operator, florin_reader, florin_worker;
GRANT SELECT ON TABLE public.tier_changes TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.tiers TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.transfer_decisions TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT SELECT ON TABLE public.transfers TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT DELETE, INSERT, SELECT, UPDATE (log_index, block_number, block_hash) ON TABLE public.unexplained_moves TO florin_worker;
GRANT SELECT ON TABLE public.unexplained_moves TO florin_operator, florin_reader, florin_server;
GRANT INSERT, SELECT ON TABLE public.username_changes TO florin_server;
GRANT SELECT ON TABLE public.username_changes TO florin_operator, florin_reader, florin_worker;
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE public.username_skeletons TO florin_server;
GRANT SELECT ON TABLE public.username_skeletons TO florin_operator, florin_reader, florin_worker;
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE public.usernames TO florin_server;
GRANT SELECT ON TABLE public.usernames TO florin_operator, florin_reader, florin_worker;
GRANT INSERT, SELECT, UPDATE (email, email_verified, kyc_status, discoverable) ON TABLE public.users TO florin_server;
GRANT SELECT ON TABLE public.users TO florin_operator, florin_reader, florin_worker;
GRANT SELECT (user_id, issuer, subject) ON TABLE public.users TO florin_signer;
GRANT SELECT ON TABLE public.wallet_providers TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT DELETE, SELECT, UPDATE ON TABLE public.wallet_rescans TO florin_worker;
GRANT SELECT ON TABLE public.wallet_rescans TO florin_operator, florin_reader, florin_server;
GRANT INSERT, SELECT ON TABLE public.wallet_seeds TO florin_signer;
GRANT SELECT ON TABLE public.wallet_seeds TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT INSERT, SELECT ON TABLE public.wallets TO florin_signer;
GRANT SELECT ON TABLE public.wallets TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT INSERT, SELECT, UPDATE ON TABLE public.webhook_deliveries TO florin_worker;
GRANT SELECT ON TABLE public.webhook_deliveries TO florin_operator, florin_reader, florin_server;
GRANT INSERT, SELECT, UPDATE (url, description, types, in_order, state, failure, failing_since, removed_at, key_id) ON TABLE public.webhook_endpoints TO florin_operator, florin_server;
GRANT SELECT ON TABLE public.webhook_endpoints TO florin_reader;
GRANT SELECT, UPDATE (state, failure, failing_since, place) ON TABLE public.webhook_endpoints TO florin_worker;
GRANT DELETE, INSERT, SELECT (endpoint_id, number, created_at, ends_at), UPDATE (ends_at) ON TABLE public.webhook_secrets TO florin_operator, florin_server;
GRANT SELECT ON TABLE public.webhook_secrets TO florin_worker;
GRANT SELECT (endpoint_id, number, created_at, ends_at) ON TABLE public.webhook_secrets TO florin_reader;
GRANT EXECUTE ON FUNCTION public.accept_sends(jsonb,jsonb) TO florin_server;
GRANT EXECUTE ON FUNCTION public.account_key_works(uuid) TO florin_operator, florin_server, florin_worker;
GRANT EXECUTE ON FUNCTION public.add_passkey(uuid,uuid,uuid,uuid,bytea,bytea,text,text,text[],bigint,boolean) TO florin_server;
GRANT EXECUTE ON FUNCTION public.add_test_delivery(uuid) TO florin_operator, florin_server;
GRANT EXECUTE ON FUNCTION public.address_look(text) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.adopt_unexplained(smallint,text,integer,uuid,integer,uuid) TO florin_worker;
GRANT EXECUTE ON FUNCTION public.approve_payout(uuid) TO florin_operator;
GRANT EXECUTE ON FUNCTION public.approve_refund(uuid) TO florin_operator;
GRANT EXECUTE ON FUNCTION public.approve_transfer_end(uuid) TO florin_operator;
GRANT EXECUTE ON FUNCTION public.ask_cancellation(uuid) TO florin_operator, florin_server;
GRANT EXECUTE ON FUNCTION public.ask_for_money(uuid,uuid,uuid,bigint,text,timestamp with time zone) TO florin_server;
GRANT EXECUTE ON FUNCTION public.ask_for_passkey(uuid,uuid,uuid,jsonb) TO florin_server;
GRANT EXECUTE ON FUNCTION public.ask_rescan(smallint,uuid,bigint) TO florin_operator, florin_worker;
GRANT EXECUTE ON FUNCTION public.ask_transfer(uuid,integer,bigint) TO florin_signer;
GRANT EXECUTE ON FUNCTION public.begin_passkey_removal(uuid,text) TO florin_operator;
GRANT EXECUTE ON FUNCTION public.book_correction(uuid,boolean) TO florin_operator;
GRANT EXECUTE ON FUNCTION public.books_account_faults(bigint,bigint) TO florin_operator, florin_reader, florin_worker;
GRANT EXECUTE ON FUNCTION public.books_accounts(bigint) TO florin_operator, florin_reader, florin_worker;
GRANT EXECUTE ON FUNCTION public.books_balance_after(bigint,bigint) TO florin_operator, florin_reader, florin_worker;
GRANT EXECUTE ON FUNCTION public.books_fault(public.transfers) TO florin_operator, florin_reader, florin_worker;
GRANT EXECUTE ON FUNCTION public.books_hash(bigint,bigint,bigint,bigint) TO florin_operator, florin_reader, florin_worker;
GRANT EXECUTE ON FUNCTION public.books_held_before(bigint,bigint) TO florin_operator, florin_reader, florin_worker;
GRANT EXECUTE ON FUNCTION public.books_held_hash(bigint,bigint,bigint) TO florin_operator, florin_reader, florin_worker;
GRANT EXECUTE ON FUNCTION public.books_is_doubled(bigint,bigint,bigint) TO florin_operator, florin_reader, florin_worker;
GRANT EXECUTE ON FUNCTION public.books_look(bigint,bigint,bigint) TO florin_operator, florin_reader, florin_worker;
GRANT EXECUTE ON FUNCTION public.books_moved(public.transfers) TO florin_operator, florin_reader, florin_worker;
GRANT EXECUTE ON FUNCTION public.books_row_faults(bigint,bigint,boolean) TO florin_operator, florin_reader, florin_worker;
GRANT EXECUTE ON FUNCTION public.books_rows(bigint,bigint,bigint,bigint,bigint) TO florin_operator, florin_reader, florin_worker;
GRANT EXECUTE ON FUNCTION public.cancel_after_restore(uuid) TO florin_operator, florin_server;
GRANT EXECUTE ON FUNCTION public.cancel_at_provider(uuid) TO florin_operator, florin_server, florin_worker;
GRANT EXECUTE ON FUNCTION public.cancel_own_payout(uuid,uuid,text,inet) TO florin_server;
GRANT EXECUTE ON FUNCTION public.change_key(uuid,jsonb,text) TO florin_operator;
GRANT EXECUTE ON FUNCTION public.check_identity() TO florin_operator, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.choose_wallets(text,text,jsonb,jsonb,text,jsonb) TO florin_signer;
GRANT EXECUTE ON FUNCTION public.claim_in_order(uuid,integer,integer) TO florin_worker;
GRANT EXECUTE ON FUNCTION public.claim_unexplained(uuid) TO florin_worker;
GRANT EXECUTE ON FUNCTION public.close_account(uuid,integer) TO florin_server;
GRANT EXECUTE ON FUNCTION public.collect_debt(uuid) TO florin_operator;
GRANT EXECUTE ON FUNCTION public.commit_signatures(uuid[],bytea[],bigint,bytea[],bigint) TO florin_signer;
GRANT EXECUTE ON FUNCTION public.confirm_payout(uuid,uuid,integer,bigint,bigint,text,inet) TO florin_server;
GRANT EXECUTE ON FUNCTION public.confirm_restore(text) TO florin_operator;
GRANT EXECUTE ON FUNCTION public.count_payout_approvals(uuid) TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT EXECUTE ON FUNCTION public.counted_approvals(public.payments) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.create_account_key(uuid,uuid,uuid,bytea,text,text[],timestamp with time zone,inet[],bigint,bigint,bigint) TO florin_server;
GRANT EXECUTE ON FUNCTION public.create_key(uuid,text,bytea,text[],jsonb) TO florin_operator;
GRANT EXECUTE ON FUNCTION public.create_payout(jsonb,jsonb,bytea) TO florin_server;
GRANT EXECUTE ON FUNCTION public.credentials_from(text) TO florin_operator, florin_server, florin_worker;
GRANT EXECUTE ON FUNCTION public.credit_deposits(smallint,uuid[]) TO florin_worker;
GRANT EXECUTE ON FUNCTION public.deny_payout(uuid,text) TO florin_operator;
GRANT EXECUTE ON FUNCTION public.deny_refund(uuid,text) TO florin_operator;
GRANT EXECUTE ON FUNCTION public.describe_key(uuid) TO florin_operator, florin_reader, florin_server;
GRANT EXECUTE ON FUNCTION public.end_money_request(uuid,uuid,text) TO florin_server;
GRANT EXECUTE ON FUNCTION public.end_passkey_removal(uuid) TO florin_operator, florin_server;
GRANT EXECUTE ON FUNCTION public.end_sessions(uuid,text) TO florin_operator;
GRANT EXECUTE ON FUNCTION public.end_unexplained_at(smallint,text,integer,uuid) TO florin_worker;
GRANT EXECUTE ON FUNCTION public.end_unstarted(uuid) TO florin_operator, florin_server, florin_worker;
GRANT EXECUTE ON FUNCTION public.event_before(timestamp with time zone) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.event_id(bigint,text,uuid,timestamp with time zone) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.event_sources(text[]) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.events_held_since() TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.expire_money_requests(integer) TO florin_worker;
GRANT EXECUTE ON FUNCTION public.explain_loss(smallint,text,integer) TO florin_operator;
GRANT EXECUTE ON FUNCTION public.explain_settlement(smallint,text,integer) TO florin_operator;
GRANT EXECUTE ON FUNCTION public.find_event(bigint) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.find_funding_wallet(smallint,uuid,text,uuid) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.find_funding_wallets(smallint[],uuid[],text[],uuid[]) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.find_pause(text[]) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.finish_passkey_removal(uuid) TO florin_operator;
GRANT EXECUTE ON FUNCTION public.follow_events(uuid[],bigint,integer,integer) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.forget_some(text,integer,integer) TO florin_worker;
GRANT EXECUTE ON FUNCTION public.give_approval(uuid) TO florin_operator;
GRANT EXECUTE ON FUNCTION public.hasten_deliveries(uuid,text) TO florin_operator, florin_server;
GRANT EXECUTE ON FUNCTION public.history_pages(uuid[],jsonb,integer[],bigint,bigint,bigint[],bigint[],bigint[],uuid[]) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.hold_transfer(uuid,interval) TO florin_signer;
GRANT EXECUTE ON FUNCTION public.home_asset_of(text) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.hour_of(timestamp with time zone) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.hours_counted(text) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.import_payment(uuid,uuid,smallint,text,integer) TO florin_operator, florin_server;
GRANT EXECUTE ON FUNCTION public.is_carried(uuid) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.is_credited_transfer(smallint,text,integer,bigint,uuid) TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT EXECUTE ON FUNCTION public.is_forgotten_settlement(public.unexplained_moves) TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT EXECUTE ON FUNCTION public.is_settlement_nonce(bytea) TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT EXECUTE ON FUNCTION public.keep_positions(smallint,uuid[]) TO florin_worker;
GRANT EXECUTE ON FUNCTION public.keep_send_rules(bigint,integer,boolean) TO florin_worker;
GRANT EXECUTE ON FUNCTION public.last_event() TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.ledger_describe_asset(smallint,bigint,text) TO florin_operator, florin_worker;
GRANT EXECUTE ON FUNCTION public.ledger_entries(bigint,bigint,bigint) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.ledger_epoch_standing(text,bigint,bigint) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.ledger_give_tier(text,text,text,text) TO florin_operator;
GRANT EXECUTE ON FUNCTION public.ledger_lock_accounts(bigint[]) TO florin_operator, florin_server, florin_worker;
GRANT EXECUTE ON FUNCTION public.ledger_name_token(smallint,text) TO florin_operator, florin_worker;
GRANT EXECUTE ON FUNCTION public.ledger_open_house_account(smallint,text) TO florin_worker;
GRANT EXECUTE ON FUNCTION public.ledger_open_token(text,text) TO florin_operator, florin_server, florin_worker;
GRANT EXECUTE ON FUNCTION public.ledger_open_user_accounts(smallint,uuid[]) TO florin_server, florin_worker;
GRANT EXECUTE ON FUNCTION public.ledger_pay_batch(bigint,bigint,smallint,bigint,bigint,bigint[],bigint[],bigint[],integer[],integer[],integer[],uuid[],boolean[],integer[],integer[],bigint[],text[],text[],text[]) TO florin_server;
GRANT EXECUTE ON FUNCTION public.ledger_rebase() TO florin_operator, florin_server, florin_worker;
GRANT EXECUTE ON FUNCTION public.ledger_set_home_asset(smallint) TO florin_server, florin_worker;
GRANT EXECUTE ON FUNCTION public.ledger_set_tier(text,jsonb,text,text) TO florin_operator;
GRANT EXECUTE ON FUNCTION public.ledger_settled_seq() TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.ledger_tx_seq() TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.limits_left(uuid,text) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.link_operator(text,text,text) TO florin_operator;
GRANT EXECUTE ON FUNCTION public.list_earlier_wallets(uuid) TO florin_signer;
GRANT EXECUTE ON FUNCTION public.lock_key(uuid) TO florin_operator;
GRANT EXECUTE ON FUNCTION public.lock_webhook_endpoints() TO florin_operator, florin_server;
GRANT EXECUTE ON FUNCTION public.log_out_everywhere(uuid) TO florin_server;
GRANT EXECUTE ON FUNCTION public.may_be_signed(smallint,timestamp with time zone) TO florin_operator, florin_server, florin_worker;
GRANT EXECUTE ON FUNCTION public.note_payees(uuid,bigint) TO florin_server;
GRANT EXECUTE ON FUNCTION public.note_refund(uuid,text) TO florin_operator;
GRANT EXECUTE ON FUNCTION public.note_restore(text,timestamp with time zone) TO florin_operator, florin_server, florin_worker;
GRANT EXECUTE ON FUNCTION public.operator_objection(text) TO florin_operator;
GRANT EXECUTE ON FUNCTION public.owed_to(smallint,uuid[]) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.own_places(uuid[],bigint,bigint,integer) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.pause_payments(text,text,text,text,text) TO florin_operator, florin_worker;
GRANT EXECUTE ON FUNCTION public.pause_words(text,text) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.pay_money_requests(uuid[],bigint,bigint,smallint,bigint,bigint,bigint[],bigint[],bigint[],integer[],integer[],integer[],uuid[],boolean[],integer[],integer[],bigint[],text[],text[],text[]) TO florin_server;
GRANT EXECUTE ON FUNCTION public.pay_payout_people(uuid,integer,integer) TO florin_worker;
GRANT EXECUTE ON FUNCTION public.pay_with_key(uuid,inet,text[],uuid[],smallint,bigint,bigint,bigint[],bigint[],bigint[],integer[],integer[],integer[],uuid[],boolean[],integer[],integer[],bigint[],text[],text[],text[]) TO florin_server;
GRANT EXECUTE ON FUNCTION public.pay_with_notes(text[],uuid[],bigint,bigint,smallint,bigint,bigint,bigint[],bigint[],bigint[],integer[],integer[],integer[],uuid[],boolean[],integer[],integer[],bigint[],text[],text[],text[]) TO florin_server;
GRANT EXECUTE ON FUNCTION public.payment_is_final(text) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.payment_is_unreserved(text) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.payment_may_become(text,text) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.payment_release(uuid,uuid,text,text,text) TO florin_operator, florin_server, florin_worker;
GRANT EXECUTE ON FUNCTION public.payment_stage(text) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.payment_waits(public.payments) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.payments_advance(uuid[],text[],text[],bigint[],text[]) TO florin_worker;
GRANT EXECUTE ON FUNCTION public.payments_lock(uuid[]) TO florin_operator, florin_server, florin_worker;
GRANT EXECUTE ON FUNCTION public.payout_is_final(text) TO florin_operator, florin_reader, florin_server, florin_worker;
GRANT EXECUTE ON FUNCTION public.post_holds(uuid[]) TO florin_worker;
GRANT EXECUTE ON FUNCTION public.preview_payment(bigint,bigint,smallint,bigint,bigint,bigint[],bigint[],bigint[],integer[],integer[],integer[],uuid[],boolean[],integer[],integer[],bigint[],text[],text[],text[]) TO florin_server;
GRANT EXECUTE ON FUNCTION public.preview_send(jsonb,jsonb) TO florin_server;
GRANT EXECUTE ON FUNCTION public.propose_correction(uuid,smallint,uuid,bigint,text) TO florin_operator;
GRANT EXECUTE ON FUNCTION public.propose_refund(uuid,uuid,bigint,text) TO florin_operator;
GRANT EXECUTE ON FUNCTION public.propose_transfer_end(uuid,uuid,text,text,text) TO florin_operator;
GRANT EXECUTE ON FUNCTION public.prove_with_passkey(uuid,uuid,uuid,bytea,bytea,bytea,bytea) TO florin_server;
GRANT EXECUTE ON FUNCTION public.queue_payments(smallint,uuid[],jsonb) TO florin_worker;
GRANT EXECUTE ON FUNCTION public.read_events(bigint,text[],integer,integer) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.read_events_of(uuid,bigint,timestamp with time zone,text[],integer,integer) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.record_audit(text,text,uuid,jsonb) TO florin_operator, florin_server, florin_worker;
GRANT EXECUTE ON FUNCTION public.recount_settlements() TO florin_worker;
GRANT EXECUTE ON FUNCTION public.recover_payout_rows(uuid,jsonb) TO florin_worker;
GRANT EXECUTE ON FUNCTION public.refund_payment(uuid,uuid,bigint,text) TO florin_operator;
GRANT EXECUTE ON FUNCTION public.remove_operator(text) TO florin_operator;
GRANT EXECUTE ON FUNCTION public.remove_passkey(uuid,uuid,uuid) TO florin_server;
GRANT EXECUTE ON FUNCTION public.replay_deliveries(uuid,bigint,integer,timestamp with time zone,timestamp with time zone) TO florin_operator, florin_server;
GRANT EXECUTE ON FUNCTION public.resume_payments(text,text) TO florin_operator, florin_worker;
GRANT EXECUTE ON FUNCTION public.resume_transfer(uuid) TO florin_signer;
GRANT EXECUTE ON FUNCTION public.revalidate_pages(uuid[],bigint[],bigint[],bigint[],uuid[],integer[],bigint,bigint) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.revoke_account_key(uuid,uuid) TO florin_server;
GRANT EXECUTE ON FUNCTION public.revoke_key(uuid) TO florin_operator;
GRANT EXECUTE ON FUNCTION public.rule_arrival(uuid,text,text) TO florin_operator;
GRANT EXECUTE ON FUNCTION public.schedule_job(text,text,timestamp with time zone) TO florin_worker;
GRANT EXECUTE ON FUNCTION public.send_payout_rows(uuid,jsonb,jsonb) TO florin_worker;
GRANT EXECUTE ON FUNCTION public.set_operator(text,text) TO florin_operator;
GRANT EXECUTE ON FUNCTION public.set_passkey_rule(uuid,uuid,bigint) TO florin_server;
GRANT EXECUTE ON FUNCTION public.settle_payout(uuid,jsonb) TO florin_worker;
GRANT EXECUTE ON FUNCTION public.signature_seconds() TO florin_operator, florin_server, florin_worker;
GRANT EXECUTE ON FUNCTION public.signed_after(smallint,bigint) TO florin_operator, florin_server, florin_worker;
GRANT EXECUTE ON FUNCTION public.signed_in_a_day(smallint) TO florin_signer;
GRANT EXECUTE ON FUNCTION public.take_back_ask(uuid) TO florin_signer;
GRANT EXECUTE ON FUNCTION public.take_turns(text,interval,integer,integer,integer,integer) TO florin_signer;
GRANT EXECUTE ON FUNCTION public.touched_wallets(bigint,integer) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.transfers_by_id(uuid[]) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.unlink_operator(text) TO florin_operator;
GRANT EXECUTE ON FUNCTION public.username_owner(text,timestamp with time zone) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.username_skeleton(text) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.wake_sends(smallint,uuid[]) TO florin_worker;
GRANT EXECUTE ON FUNCTION public.wake_transfer(text,text) TO florin_server;
GRANT EXECUTE ON FUNCTION public.wallet_positions(smallint) TO florin_operator, florin_reader, florin_server, florin_signer, florin_worker;
GRANT EXECUTE ON FUNCTION public.want_wallet(uuid) TO florin_server;
GRANT EXECUTE ON FUNCTION public.webhook_data(text,uuid,uuid[]) TO florin_worker;
GRANT EXECUTE ON FUNCTION public.webhook_works(uuid) TO florin_operator, florin_server, florin_worker;
GRANT EXECUTE ON FUNCTION public.write_off_deposits(smallint,uuid[]) TO florin_worker;
