-- Custody since 0.2.0: positions that are kept instead of computed, relaying that does not wait for finality, a separate
-- signer, providers that send, chains that we do not read, and a continuous audit. Processes of 0.2.0 ignore the new
-- columns and tables.

-- What every wallet has and what its owner is owed is kept, so that no query has to compute it for all wallets.
-- Docs: docs/decisions/0014-kept-positions.md.
--
-- `ledger`: what the ledger owes the owner, as of the last update (`keep_positions`). It can be behind, so it only shows
-- which wallets to check; before coins are taken, the accounts of those few wallets are read.
-- `incoming`, `outgoing`: open settlements, kept by the trigger `move_reservation`. A worker of 0.2.0 can end one between
-- this migration and that trigger; the first pass over all wallets counts them again.
-- `blocked_at`: since when the token is known to refuse this wallet. `asked_at`: when it was last asked.
-- `unchecked`: the coins changed since they were last compared with the chain.
-- `refused_until`: coins could not be moved out of the wallet, because its provider froze it or it cannot pay gas. Until
-- then no other wallet's payment relies on them.
-- `surplus`: coins beyond what the owner is owed once open settlements have arrived; negative if coins are missing.
ALTER TABLE holdings
  ADD COLUMN ledger bigint NOT NULL DEFAULT 0,
  ADD COLUMN incoming bigint NOT NULL DEFAULT 0,
  ADD COLUMN outgoing bigint NOT NULL DEFAULT 0,
  ADD COLUMN blocked_at timestamptz,
  ADD COLUMN asked_at timestamptz,
  ADD COLUMN unchecked boolean NOT NULL DEFAULT true,
  ADD COLUMN surplus bigint NOT NULL GENERATED ALWAYS AS (coins + incoming - outgoing - ledger) STORED,
  ADD COLUMN refused_until timestamptz,
  ADD COLUMN refusals integer NOT NULL DEFAULT 0 CHECK (refusals >= 0),
  ADD COLUMN refusal text CHECK (length(refusal) BETWEEN 1 AND 500);
INSERT INTO holdings AS h (asset_id, wallet_id, incoming, outgoing)
  SELECT asset_id, wallet_id, sum(incoming), sum(outgoing) FROM (
    SELECT asset_id, wallet_id, 0 AS incoming, amount AS outgoing FROM coin_moves
     WHERE state = 'open' AND purpose = 'settlement'
    UNION ALL
    SELECT asset_id, to_wallet, amount, 0 FROM coin_moves WHERE state = 'open' AND purpose = 'settlement') m
   GROUP BY asset_id, wallet_id
  ON CONFLICT (asset_id, wallet_id) DO UPDATE SET incoming = excluded.incoming, outgoing = excluded.outgoing;
CREATE INDEX holdings_uneven ON holdings (asset_id, surplus) WHERE surplus <> 0;
CREATE INDEX holdings_blocked ON holdings (asset_id, asked_at) WHERE blocked_at IS NOT NULL;
CREATE INDEX holdings_unchecked ON holdings (asset_id) WHERE unchecked;
CREATE INDEX holdings_refused ON holdings (asset_id, refused_until) WHERE refused_until IS NOT NULL;

-- The `seq` of the ledger up to which `holdings.ledger` is current. No row: unknown, and every wallet is read once.
CREATE TABLE kept_positions (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  seq      bigint NOT NULL,
  kept_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Per asset: the newest payment between people that was followed; the sum of all coins, which the trigger `sum_coins`
-- keeps once reconciliation has counted it; and the wallet that reconciliation has reached in its current round.
CREATE TABLE asset_positions (
  asset_id   smallint PRIMARY KEY REFERENCES assets,
  paid_seq   bigint NOT NULL DEFAULT 0,
  coins      bigint,
  checked_to uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'
);

-- What a settlement leaves unsettled although it covers a payment: differences up to `leaves` per wallet, which cost more
-- gas than they are worth, and the accounts in `left_out`, whose coins could not be moved.
ALTER TABLE settlements
  ADD COLUMN leaves bigint NOT NULL DEFAULT 0 CHECK (leaves >= 0),
  ADD COLUMN left_out bigint[] NOT NULL DEFAULT '{}';

-- Relaying: throughput must not depend on how long a chain takes to be final, and bids and gas follow the chain.

-- `next_nonce`: kept by the trigger `follow_nonce`. NULL: no nonce was used, so `first_nonce` is next. The foreign key of
-- `carriers` still guarantees that nonces have no gaps.
-- `gas_price_wei`: the current price of gas, to estimate how many payments `gas_wei` covers.
-- `trouble`, `needs_wei`: why the relayer gets no new work for now, and the balance that ends this. Unlike `stopped`, it
-- ends without an operator.
-- `ahead_since`: since when the chain has more nonces than this database. `foreign_since`: when nonces that something
-- else used were first found and skipped.
ALTER TABLE relayers
  ADD COLUMN next_nonce bigint,
  ADD COLUMN gas_price_wei numeric(40),
  ADD COLUMN trouble text,
  ADD COLUMN needs_wei numeric(40),
  ADD COLUMN ahead_since timestamptz,
  ADD COLUMN foreign_since timestamptz,
  ADD CONSTRAINT relayers_next_nonce_check CHECK (next_nonce > first_nonce),
  ADD CONSTRAINT relayers_trouble_check CHECK ((trouble IS NULL) = (needs_wei IS NULL));
UPDATE relayers r SET next_nonce = (SELECT max(nonce) + 1 FROM carriers c WHERE c.relayer_id = r.relayer_id);

-- `mined_…`: the block in which a pending relay transaction was seen. It says nothing about payments: the transaction
-- stays `pending` until that block is final, but no longer takes a place in the pools.
-- `has_bytes`: false after `data`, and `raw` of the attempts, were emptied, because no reorg that we can follow reaches
-- the block.
ALTER TABLE carriers
  ADD COLUMN mined_block bigint,
  ADD COLUMN mined_hash text,
  ADD COLUMN mined_at timestamptz,
  ADD COLUMN has_bytes boolean NOT NULL DEFAULT true,
  ADD CONSTRAINT carriers_has_bytes_check CHECK (has_bytes OR state <> 'pending') NOT VALID,
  ADD CONSTRAINT carriers_mined_check
    CHECK ((mined_block IS NULL) = (mined_hash IS NULL) AND (mined_block IS NULL) = (mined_at IS NULL)) NOT VALID;
CREATE INDEX carriers_waiting ON carriers (relayer_id, nonce) WHERE state = 'pending' AND mined_block IS NULL;
CREATE INDEX carriers_mined ON carriers (relayer_id, mined_block) WHERE state = 'pending' AND mined_block IS NOT NULL;
CREATE INDEX carriers_ended ON carriers (relayer_id, block_number) WHERE state <> 'pending';
CREATE INDEX carriers_with_bytes ON carriers (relayer_id, block_number) WHERE state <> 'pending' AND has_bytes;

-- The gas limit that was signed (NULL: by 0.2.0, with that of the relay transaction), and the head at that time.
ALTER TABLE carrier_attempts
  ADD COLUMN gas_limit bigint,
  ADD COLUMN signed_at_block bigint;

-- From this version on, the relay transaction leaves this call out: it expired, or the relayer could not pay for it. Bytes
-- of an older version can still be mined. That is safe, because the token accepts every authorization once.
ALTER TABLE carrier_calls ADD COLUMN dropped_in integer
  CONSTRAINT carrier_calls_dropped_in_check CHECK (dropped_in > 1);
CREATE INDEX carrier_calls_cancelling ON carrier_calls (carrier_id) WHERE cancelled_in IS NOT NULL;

-- `carried`: false for an open move that no pending relay transaction contains, so it must be relayed. The trigger
-- `follow_carried` keeps it: reading all pending relay transactions would take longer on chains that are slow to be final.
-- `waits_for`: why the signer has not signed the move. NULL: nothing prevents it.
-- `cancel_refusals`, `cancel_after`: a cancellation that the signer refused is requested again, less and less often,
-- because each request at a provider counts against its rate limit.
-- `call_gas`: gas for a call that ran out of gas before. NULL: the usual amount.
ALTER TABLE authorizations
  ADD COLUMN carried boolean NOT NULL DEFAULT true,
  ADD COLUMN waits_for text CHECK (length(waits_for) BETWEEN 1 AND 300),
  ADD COLUMN waits_since timestamptz,
  ADD COLUMN cancel_refusals integer NOT NULL DEFAULT 0 CHECK (cancel_refusals >= 0),
  ADD COLUMN cancel_after timestamptz,
  ADD COLUMN call_gas bigint CHECK (call_gas > 0),
  ADD CONSTRAINT authorizations_waits_check CHECK ((waits_for IS NULL) = (waits_since IS NULL)) NOT VALID;
-- New rows are not carried yet. Existing ones count as carried, except those that the update finds.
ALTER TABLE authorizations ALTER COLUMN carried SET DEFAULT false;
UPDATE authorizations a SET carried = false FROM coin_moves m
 WHERE m.move_id = a.move_id AND m.state = 'open'
   AND NOT EXISTS (SELECT FROM carrier_calls l JOIN carriers c USING (carrier_id)
                    WHERE l.move_id = m.move_id AND c.state = 'pending');
CREATE INDEX authorizations_to_carry ON authorizations (carry_after) WHERE NOT carried;

-- How much the signer signed for the first time in each hour, for sends to addresses. It counts against the signer's own
-- limit, whatever the ledger says about the people who send. Docs: docs/decisions/0023-a-signer-of-its-own.md.
CREATE TABLE signed_hours (
  asset_id smallint NOT NULL REFERENCES assets,
  hour     timestamptz NOT NULL,
  amount   bigint NOT NULL CHECK (amount > 0),
  PRIMARY KEY (asset_id, hour)
);

-- Providers that send by themselves, and what is kept so that no transfer is made twice.
-- Docs: docs/decisions/0035-circle-sends.md.

-- Recent calls to a provider, by all processes together, so that they stay within its rate limit. `yielding` are those of
-- `taken` that give way to more urgent calls. UNLOGGED, as `rate_windows`: after a crash it starts empty.
CREATE UNLOGGED TABLE provider_turns (
  bucket   text PRIMARY KEY CHECK (length(bucket) BETWEEN 1 AND 100),
  taken    timestamptz[] NOT NULL DEFAULT '{}',
  yielding timestamptz[] NOT NULL DEFAULT '{}'
) WITH (fillfactor = 50);

ALTER TABLE provider_transfers
  -- How often the provider may have received the request. The signer counts before it calls, and subtracts when the
  -- provider certainly did nothing. A refusal proves that nothing was made only if it answers the first request.
  ADD COLUMN attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  ADD COLUMN first_asked_at timestamptz,
  -- Counted against the signer's limit of 24 hours, once.
  ADD COLUMN counted_at timestamptz,
  -- Older than the provider keeps keys, and not found there: it is never requested again, and operators decide.
  ADD COLUMN held_at timestamptz,
  -- Why it was not handed over yet.
  ADD COLUMN waits_for text CHECK (length(waits_for) BETWEEN 1 AND 500),
  ADD COLUMN accelerations integer NOT NULL DEFAULT 0 CHECK (accelerations >= 0),
  ADD COLUMN accelerated_at timestamptz,
  -- A provider that cannot stop a transfer in one state may be able to in the next: each request uses a new key.
  ADD COLUMN cancel_refusals integer NOT NULL DEFAULT 0 CHECK (cancel_refusals >= 0);
-- The provider may have received what 0.2.0 handed over.
UPDATE provider_transfers SET attempts = 1, first_asked_at = submitted_at;
CREATE INDEX provider_transfers_held ON provider_transfers (held_at) WHERE held_at IS NOT NULL;

-- What two operators decide about a held transfer: `adopt` (the provider has it, under this id) or `never_made`. There can
-- be several decisions: the provider can find and lose the transfer again, and an adopted id can be wrong. A decision
-- counts while the transfer has been held since before it (`approve_transfer_end`).
CREATE TABLE transfer_decisions (
  decision_id uuid PRIMARY KEY,
  move_id     uuid NOT NULL REFERENCES provider_transfers,
  verdict     text NOT NULL CHECK (verdict IN ('adopt', 'never_made')),
  provider_id text CHECK (length(provider_id) BETWEEN 1 AND 100),
  reason      text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
  proposed_by text NOT NULL CHECK (length(proposed_by) BETWEEN 1 AND 100),
  proposed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  approved_by text CHECK (length(approved_by) BETWEEN 1 AND 100),
  decided_at  timestamptz,
  CONSTRAINT transfer_decisions_two_people CHECK (approved_by <> proposed_by),
  CONSTRAINT transfer_decisions_approved CHECK ((approved_by IS NULL) = (decided_at IS NULL)),
  CONSTRAINT transfer_decisions_names_it CHECK ((verdict = 'adopt') = (provider_id IS NOT NULL))
);
CREATE INDEX transfer_decisions_open ON transfer_decisions (proposed_at) WHERE decided_at IS NULL;
CREATE INDEX transfer_decisions_decided ON transfer_decisions (move_id, decided_at) WHERE decided_at IS NOT NULL;

-- Public keys of webhooks, by adapter and by the id that a message names. Only the signer can request them from a
-- provider; servers check signatures with them.
CREATE TABLE provider_webhook_keys (
  adapter    text NOT NULL CHECK (length(adapter) BETWEEN 1 AND 40),
  key_id     text NOT NULL CHECK (length(key_id) BETWEEN 1 AND 100),
  -- DER, SubjectPublicKeyInfo.
  public_key bytea NOT NULL CHECK (octet_length(public_key) BETWEEN 50 AND 1000),
  fetched_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (adapter, key_id)
);

-- Watching: blocks are read once and applied in small commits. Docs: docs/decisions/0013-reading-blocks-once.md.

-- One commit applies a bounded number of logs, however many a block has. `part_…` is the last applied log of blocks after
-- the cursor; NULL if there is none. `recheck_to` then also covers these blocks: coins are ahead of the cursor, and
-- reconciliation waits until it has caught up. `first_block` is where watching began. `wallet_checks` is raised when new
-- wallets were checked or the chain was rewound; logs that were read before that are not applied.
ALTER TABLE chain_cursors
  ADD COLUMN part_number   bigint,
  ADD COLUMN part_hash     text,
  ADD COLUMN part_log      integer,
  ADD COLUMN first_block   bigint,
  ADD COLUMN wallet_checks bigint NOT NULL DEFAULT 0,
  ADD CONSTRAINT chain_cursors_whole_part CHECK (num_nulls(part_number, part_hash, part_log) IN (0, 3)),
  ADD CONSTRAINT chain_cursors_part_is_ahead CHECK (part_number > block_number AND recheck_to >= part_number);
UPDATE chain_cursors c SET first_block = least(
  c.block_number,
  (SELECT min(b.block_number) FROM chain_blocks b WHERE b.network_id = c.network_id),
  (SELECT min(d.block_number) FROM deposits d JOIN assets s USING (asset_id) WHERE s.network_id = c.network_id));

-- The time of the block, in seconds: the meaning of an unknown authorization in it depends on that (`signed_after`). NULL:
-- 0.2.0 wrote the row.
ALTER TABLE chain_blocks ADD COLUMN block_seconds bigint;

-- The index of the transfer's log. It identifies an unexplained move that was credited as a deposit. NULL: 0.2.0 credited
-- it. One log of one chain transaction is one deposit; after a reorg, deposits are `gone` before they are credited again.
ALTER TABLE deposits ADD COLUMN log_index integer;
CREATE UNIQUE INDEX deposits_of_logs ON deposits (asset_id, tx_hash, log_index)
  WHERE state = 'credited' AND block_number > 0;

-- An unexplained move to a wallet of ours credits no one until it is imported. The import then credits the wallet's owner
-- under the id that the deposit would have had. NULL: the coins went to a foreign address, the owner is not registered
-- (again) yet, or 0.2.0 credited them immediately.
-- An operator can import a transfer whose payment a restored database has lost, and the provider can name that payment
-- later. The payment then explains the move (`imported_as`), and the movement `given_back` returns what the first import
-- took.
ALTER TABLE unexplained_moves
  ADD COLUMN block_hash text,
  ADD COLUMN to_wallet  uuid REFERENCES wallets,
  ADD COLUMN ordinal    integer,
  ADD COLUMN deposit_id uuid,
  ADD COLUMN first_imported_as uuid,
  ADD COLUMN given_back uuid UNIQUE,
  ADD CONSTRAINT unexplained_moves_to_ours CHECK (num_nulls(to_wallet, ordinal, deposit_id) IN (0, 3)),
  ADD CONSTRAINT unexplained_moves_given_back CHECK (num_nulls(first_imported_as, given_back) IN (0, 2));
-- A negative `log_index`: the move was imported, and a reorg removed it. It has no position on the chain until it returns.
CREATE INDEX unexplained_moves_vanished ON unexplained_moves (asset_id) WHERE log_index < 0;
CREATE INDEX unexplained_moves_open ON unexplained_moves (asset_id) WHERE imported_as IS NULL;

-- Two wallets can have used the same nonce: a client can name another wallet when it repeats its key. NULL: not known.
ALTER TABLE forgotten_nonces ADD COLUMN wallet_id uuid REFERENCES wallets;

-- Wallets whose past has to be checked, per token. A wallet is new to the watcher when it is created, and all wallets are
-- when a token is added: addresses are derived from the seed, so coins may already be there. First the chain's balance is
-- compared with what is counted (`next_block` NULL). If they differ, or an operator asks, the wallet's logs are read again
-- from `next_block` to `to_block`; the watcher reads later blocks anyway. There are no foreign keys: a new token inserts a
-- row for every wallet in one statement, and each key costs a query per row. Wallets and tokens are never deleted.
CREATE TABLE wallet_rescans (
  asset_id   smallint NOT NULL,
  wallet_id  uuid NOT NULL,
  next_block bigint CHECK (next_block >= 0),
  to_block   bigint,
  -- Coins from our own wallets that belong to no deposit. Only the last comparison with the chain's balance shows whether
  -- they were counted when they arrived.
  unclear    numeric NOT NULL DEFAULT 0 CHECK (unclear >= 0),
  asked_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Why the last attempt failed, and the earliest time of the next.
  fault      text,
  retry_at   timestamptz,
  PRIMARY KEY (asset_id, wallet_id),
  CHECK ((next_block IS NULL) = (to_block IS NULL))
);
-- Few wallets are being read, however many are new.
CREATE INDEX wallet_rescans_open ON wallet_rescans (asset_id, asked_at) WHERE next_block IS NOT NULL;

-- Addresses that a token has ever blacklisted, from its logs. A send to any other address is accepted without a query to
-- the chain. For these addresses the token is asked, because it may have removed them again. So an unnecessary address
-- costs a query, and a missing one costs a payment that the worker denies before anything is signed.
-- Docs: docs/decisions/0020-ever-blacklisted.md.
CREATE TABLE ever_blacklisted (
  asset_id smallint NOT NULL REFERENCES assets,
  address  text NOT NULL CHECK (address ~ '^0x[0-9a-f]{40}$'),
  PRIMARY KEY (asset_id, address)
);

-- How far those logs were read.
CREATE TABLE blacklist_reads (
  asset_id   smallint PRIMARY KEY REFERENCES assets,
  -- The first final block that was not read.
  next_block bigint NOT NULL DEFAULT 0 CHECK (next_block >= 0),
  -- Whether the token was paused before that block, and whether it is at the newest.
  was_paused boolean NOT NULL DEFAULT false,
  is_paused  boolean NOT NULL DEFAULT false,
  -- When `ever_blacklisted` last included the newest block. NULL: never.
  read_at    timestamptz
);

-- Faults of blockchain nodes, for `/readyz` and the metrics. A row that no worker has confirmed for a minute is over.
CREATE TABLE node_faults (
  blockchain text NOT NULL CHECK (blockchain ~ '^[A-Z0-9][A-Z0-9-]{1,31}$'),
  -- Host and port only: the rest of a node's URL may contain a key.
  host       text NOT NULL CHECK (length(host) BETWEEN 1 AND 300 AND host !~ '[/@?]'),
  kind       text NOT NULL CHECK (kind IN ('silent', 'behind', 'no state', 'contradicts')),
  -- The request that first showed the fault.
  about      text NOT NULL CHECK (length(about) BETWEEN 1 AND 200),
  times      integer NOT NULL CHECK (times > 0),
  since      timestamptz NOT NULL,
  seen_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (blockchain, host)
);

-- Solana and Aptos: a provider sends from these wallets and lists what arrived, and we do not read these chains.
-- Docs: docs/decisions/0040-solana-and-aptos.md.

-- Transfers that a provider listed, by its id, and what was decided about each, once.
CREATE TABLE arrivals (
  network_id  smallint NOT NULL REFERENCES networks,
  provider_id uuid NOT NULL,
  -- The address that was looked up among our wallets: for an outgoing transfer, the sender.
  to_address  text NOT NULL,
  -- `credited`: a deposit. `own`: from a wallet of ours, so its move explains it. `other`: of another token, or never
  -- completed. `unowned`: to no wallet that we know; it is decided again if it becomes one, because a restored database
  -- knows a new wallet only when its owner returns. `left`: an outgoing transfer that no move of ours explains.
  verdict     text NOT NULL CHECK (verdict IN ('credited', 'own', 'other', 'unowned', 'left')),
  decided_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (network_id, provider_id)
);
CREATE INDEX arrivals_unowned ON arrivals (to_address) WHERE verdict = 'unowned';

-- How far the provider's list was read. Reading continues where the last turn stopped, however long the list is. A
-- provider can list a transfer late, so the past is read again from time to time.
CREATE TABLE arrival_cursors (
  network_id     smallint PRIMARY KEY REFERENCES networks,
  -- Every transfer before this time is decided.
  since          timestamptz NOT NULL DEFAULT '2020-01-01T00:00:00Z',
  looked_back_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- While a list is being read: the last entry read, and the newest time so far. NULL: the next turn begins at `since`.
  page_after     uuid,
  reached        timestamptz,
  -- While the past is read again: its start, and the last entry read.
  back_since     timestamptz,
  back_after     uuid,
  CONSTRAINT arrival_cursors_page CHECK ((page_after IS NULL) = (reached IS NULL)),
  CONSTRAINT arrival_cursors_back CHECK (back_after IS NULL OR back_since IS NOT NULL)
);

-- Listed transfers that are not decided yet. Each is requested by its id when it is due, less and less often.
CREATE TABLE open_arrivals (
  network_id  smallint NOT NULL REFERENCES networks,
  provider_id uuid NOT NULL,
  listed_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  due_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- The provider's data of a transfer that is too small to be decided before others. NULL: it is requested by its id.
  record      jsonb CHECK (jsonb_typeof(record) = 'object'),
  -- An operator decided that it belongs to the wallet with its address, although the provider names another wallet.
  by_address  boolean NOT NULL DEFAULT false,
  PRIMARY KEY (network_id, provider_id)
);
CREATE INDEX open_arrivals_due ON open_arrivals (network_id, due_at);

-- The continuous audit of the ledger. Docs: docs/decisions/0046-a-continuous-audit.md.

-- What the audit has read and added up, in one row. No row: the audit starts again. The sums are per asset,
-- {"asset_id": "number"}: the sum of a secret hash of every balance that the movements lead to (`books_rows`).
CREATE TABLE book_audits (
  only_one         boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  -- Counts the changes of this row: of two workers that audit at the same time, one is refused.
  version          bigint NOT NULL DEFAULT 0,
  seed             bigint NOT NULL,
  -- As in `ledger_state`. If the two differ, the database was restored, and positions are meaningless.
  seq_base         bigint NOT NULL,
  -- Movements up to here are in `tail_sums`.
  tail_seq         bigint NOT NULL,
  tail_sums        jsonb NOT NULL,
  -- When the balances of all accounts were last compared with them, and up to which movement.
  compared_at      timestamptz NOT NULL,
  compared_seq     bigint NOT NULL,
  -- The cycle reads all movements up to `cycle_upto` again. It has reached `cycle_seq` with `cycle_sums`, and must end
  -- with `cycle_wanted`.
  cycle_upto       bigint NOT NULL,
  cycle_wanted     jsonb NOT NULL,
  cycle_seq        bigint NOT NULL DEFAULT -1,
  cycle_sums       jsonb NOT NULL DEFAULT '{}',
  cycle_rows       bigint NOT NULL DEFAULT 0,
  cycle_began_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- The previous cycle ended with other sums: this one compares every movement with the one before it, to name the fault.
  cycle_names      boolean NOT NULL DEFAULT false,
  -- Of the last cycle that ended.
  cycle_ended_at   timestamptz,
  cycle_seconds    double precision,
  rows_total       bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- Current faults. A fault that is gone is deleted.
CREATE TABLE book_faults (
  asset_id   smallint NOT NULL REFERENCES assets,
  -- `account 7`, `movement <id>`, or for the whole asset `sum` or `history`.
  subject    text NOT NULL CHECK (length(subject) BETWEEN 1 AND 100),
  fault      text NOT NULL CHECK (length(fault) BETWEEN 1 AND 500),
  -- What to check again: the account, or the movement.
  account_id bigint,
  seq        bigint,
  since      timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (asset_id, subject)
);
