-- How coins move and where they sit. Written only by the room `custody`. Coins are of an asset; gas, nonces and blocks are
-- of a network.

-- Where the coins of a wallet are: `coins` from final logs alone, `reserved` for its open moves. The second is changed only
-- by the trigger `move_reservation`, so no coin is reserved twice and no reservation is forgotten.
CREATE TABLE holdings (
  asset_id  smallint NOT NULL REFERENCES assets,
  wallet_id uuid NOT NULL REFERENCES wallets,
  coins     bigint NOT NULL DEFAULT 0 CHECK (coins >= 0),
  reserved  bigint NOT NULL DEFAULT 0 CHECK (reserved >= 0),
  PRIMARY KEY (asset_id, wallet_id),
  CONSTRAINT holdings_reserved_once CHECK (reserved <= coins)
) WITH (fillfactor = 50);

-- One netting of what wallets owe each other. It settles every user payment with a `seq` below `covers_seq`;
-- a just-in-time settlement covers none, it only funds a send.
CREATE TABLE settlements (
  settlement_id uuid PRIMARY KEY,
  asset_id      smallint NOT NULL REFERENCES assets,
  covers_seq    bigint,
  created_at    timestamptz NOT NULL DEFAULT date_trunc('milliseconds', clock_timestamp()),
  completed_at  timestamptz
);
CREATE INDEX settlements_covering ON settlements (asset_id, covers_seq) WHERE covers_seq IS NOT NULL;
CREATE INDEX settlements_open ON settlements (asset_id) WHERE completed_at IS NULL;

-- A wish to move coins from a wallet of ours to an address, and what became of it. Of a send the id is the payment's, so a
-- payment has one move at most; of a settlement it is one of its own. From whom, to whom and how much never change.
--
-- How a move is carried out is the business of its rail (server/src/custody/rail.ts), which was chosen by the provider of
-- the wallet. What only one rail needs to know is in tables of its own: `authorizations`, `provider_transfers`.
CREATE TABLE coin_moves (
  move_id          uuid PRIMARY KEY,
  asset_id         smallint NOT NULL REFERENCES assets,
  wallet_id        uuid NOT NULL REFERENCES wallets,
  purpose          text NOT NULL CHECK (purpose IN ('send', 'settlement')),
  settlement_id    uuid REFERENCES settlements,
  -- Of a settlement: the wallet it goes to, and the send that waits for it, if it was made just in time for one.
  to_wallet        uuid REFERENCES wallets,
  funds            uuid REFERENCES coin_moves,
  rail             text NOT NULL CHECK (rail IN ('eip3009', 'provider')),
  from_address     text NOT NULL,
  to_address       text NOT NULL,
  amount           bigint NOT NULL CHECK (amount > 0),
  -- What of `amount` is reserved in its own wallet. The rest of a send that is funded just in time is reserved in the
  -- wallets that fund it, and moves over when their coins have arrived.
  reserved         bigint NOT NULL CHECK (reserved BETWEEN 0 AND amount),
  -- `done`: a final transfer on the chain is this move. `dead`: it was proved that there will never be one.
  state            text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'done', 'dead')),
  -- When it was first signed, or first handed to a provider. NULL: nobody outside has ever heard of it, so it can be
  -- ended at once.
  started_at       timestamptz,
  -- Since when it is to be cancelled. Whoever starts a move locks this row: nothing is started after this.
  cancel_wanted_at timestamptz,
  -- Where it was done.
  tx_hash          text,
  block_number     bigint,
  created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK ((purpose = 'settlement') = (settlement_id IS NOT NULL AND to_wallet IS NOT NULL)),
  CHECK (funds IS NULL OR purpose = 'settlement'),
  CHECK (state = 'open' OR reserved = 0)
) WITH (fillfactor = 60);
CREATE INDEX coin_moves_open ON coin_moves (asset_id, rail, created_at) WHERE state = 'open';
CREATE INDEX coin_moves_open_of_wallet ON coin_moves (wallet_id) WHERE state = 'open';
CREATE INDEX coin_moves_done ON coin_moves (asset_id, block_number) WHERE state = 'done';
CREATE INDEX coin_moves_of_settlement ON coin_moves (settlement_id) WHERE settlement_id IS NOT NULL;
CREATE INDEX coin_moves_to_cancel ON coin_moves (asset_id, cancel_wanted_at)
  WHERE state = 'open' AND cancel_wanted_at IS NOT NULL;
CREATE INDEX coin_moves_funding ON coin_moves (funds) WHERE funds IS NOT NULL;

-- Rail `eip3009`: a transfer that the wallet signs and anybody may carry to the chain. It happens at most once, because the
-- token keeps its nonce, which is made from the move's id. The row is made when the move is first signed.
CREATE TABLE authorizations (
  move_id        uuid PRIMARY KEY REFERENCES coin_moves,
  nonce          bytea NOT NULL UNIQUE CHECK (octet_length(nonce) = 32),
  -- The greatest ever signed, in seconds of chain time; 0: never signed.
  valid_before   bigint NOT NULL DEFAULT 0,
  -- Carried and not executed, or refused by the signer: how often, why, and when to try again.
  failures       integer NOT NULL DEFAULT 0,
  failure_reason text,
  carry_after    timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 60);

-- Every signature that was ever made, committed before anyone saw it.
CREATE TABLE signatures (
  move_id      uuid NOT NULL REFERENCES authorizations,
  valid_before bigint NOT NULL CHECK (valid_before > 0),
  signature    bytea NOT NULL CHECK (octet_length(signature) = 65),
  signed_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (move_id, valid_before)
);

-- The signed cancellation of an authorization, committed before anyone sees it. It never lapses and moves no coins, so
-- one is enough.
CREATE TABLE cancellations (
  move_id   uuid PRIMARY KEY REFERENCES authorizations,
  signature bytea NOT NULL CHECK (octet_length(signature) = 65),
  signed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Rail `provider`: a transfer that the wallet's provider makes by itself. The row is committed before the provider is
-- asked for the first time: while there is none, the provider has never heard of the move.
CREATE TABLE provider_transfers (
  move_id          uuid PRIMARY KEY REFERENCES coin_moves,
  provider         text NOT NULL,
  -- The idempotency key. An unanswered call is repeated with it, and the provider makes one transfer.
  key              uuid NOT NULL UNIQUE,
  provider_id      text,
  -- `new`: asked for, not answered yet. Then the provider's word: taken on, broadcast, on the chain, or ended without a
  -- transfer. None of it means that a payment is paid: only a final log does.
  provider_state   text NOT NULL DEFAULT 'new'
                   CHECK (provider_state IN ('new', 'submitted', 'sent', 'done', 'failed', 'cancelled')),
  -- The chain transaction that the provider names; it may name another one later.
  tx_hash          text,
  -- Why it failed.
  error            text,
  -- The chain's head when the provider said that it failed or was cancelled. The move is dead when final blocks were read
  -- up to here and none of them had the transfer.
  ended_head       bigint,
  -- When the provider was last asked to cancel it, and what it answered.
  cancel_asked_at  timestamptz,
  cancel_answer    text CHECK (cancel_answer IN ('accepted', 'rejected', 'unknown')),
  -- When the provider was last asked for anything.
  asked_at         timestamptz,
  submitted_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (provider, provider_id),
  CHECK ((provider_state IN ('failed', 'cancelled')) = (ended_head IS NOT NULL))
);
CREATE INDEX provider_transfers_by_hash ON provider_transfers (tx_hash) WHERE tx_hash IS NOT NULL;

-- Keys that pay the gas. Why one is stopped is for a person to read.
CREATE TABLE relayers (
  relayer_id  integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  network_id  smallint NOT NULL REFERENCES networks,
  reference   text NOT NULL,
  address     text NOT NULL,
  first_nonce bigint NOT NULL CHECK (first_nonce >= 0),
  stopped     text,
  gas_wei     numeric(40),
  UNIQUE (network_id, address)
);

-- A nonce of a relayer, and the chain transaction that uses it. Nonces have no gaps: each carrier points to the one before
-- it, and only one has none. A carrier of a payment that is to be cancelled is rewritten to carry the cancellation
-- instead, as the next version under the same nonce: under a later nonce it would be mined after the payment.
CREATE TABLE carriers (
  carrier_id     uuid PRIMARY KEY,
  relayer_id     integer NOT NULL REFERENCES relayers,
  nonce          bigint NOT NULL,
  previous_nonce bigint CHECK (previous_nonce = nonce - 1),
  target         text NOT NULL,
  data           bytea NOT NULL,
  gas_limit      bigint NOT NULL,
  version        integer NOT NULL DEFAULT 1,
  -- `foreign`: the nonce was used by something we did not send.
  state          text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'final', 'foreign')),
  created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Where it is final.
  block_number   bigint,
  -- Since when the chain has said that the nonce is used while none of our attempts could be found.
  missing_since  timestamptz,
  UNIQUE (relayer_id, nonce),
  FOREIGN KEY (relayer_id, previous_nonce) REFERENCES carriers (relayer_id, nonce)
);
CREATE UNIQUE INDEX carriers_one_first ON carriers (relayer_id) WHERE previous_nonce IS NULL;
CREATE INDEX carriers_pending ON carriers (relayer_id, nonce) WHERE state = 'pending';

-- Bytes are here before they are anywhere else; only these are ever broadcast. `version` is that of its carrier.
CREATE TABLE carrier_attempts (
  hash             text PRIMARY KEY,
  carrier_id       uuid NOT NULL REFERENCES carriers,
  version          integer NOT NULL DEFAULT 1,
  raw              bytea NOT NULL,
  max_fee_wei      numeric(40) NOT NULL,
  priority_fee_wei numeric(40) NOT NULL,
  created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  broadcast_at     timestamptz,
  answer           text
);
CREATE INDEX carrier_attempts_of ON carrier_attempts (carrier_id, created_at);

-- The calls of the token in a carrier: one per authorization.
CREATE TABLE carrier_calls (
  carrier_id   uuid NOT NULL REFERENCES carriers,
  position     integer NOT NULL,
  move_id      uuid NOT NULL REFERENCES authorizations,
  -- From this version of its carrier on, the call is the cancellation; NULL: it is the transfer.
  cancelled_in integer CHECK (cancelled_in > 0),
  PRIMARY KEY (carrier_id, position)
);
CREATE INDEX carrier_calls_of ON carrier_calls (move_id);

-- Up to where a chain's final blocks have been read. Moves in the same commit as everything they caused.
CREATE TABLE chain_cursors (
  network_id    smallint PRIMARY KEY REFERENCES networks,
  block_number  bigint NOT NULL,
  block_hash    text NOT NULL,
  block_seconds bigint NOT NULL,
  head_number   bigint NOT NULL,
  -- After a reorg below finality: what was read up to here before, and is being read again.
  recheck_to    bigint,
  moved_at      timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Where the cursor has been, to find the way back after a reorg below finality.
CREATE TABLE chain_blocks (
  network_id   smallint NOT NULL REFERENCES networks,
  block_number bigint NOT NULL,
  block_hash   text NOT NULL,
  PRIMARY KEY (network_id, block_number)
);

-- Coins that came from outside, credited once. `ordinal` counts within one chain transaction and wallet: the log
-- index moves in a reorg, this does not.
CREATE TABLE deposits (
  asset_id     smallint NOT NULL REFERENCES assets,
  tx_hash      text NOT NULL,
  wallet_id    uuid NOT NULL REFERENCES wallets,
  ordinal      integer NOT NULL,
  from_address text NOT NULL,
  amount       bigint NOT NULL CHECK (amount > 0),
  block_number bigint NOT NULL,
  block_hash   text NOT NULL,
  transfer_id  uuid NOT NULL UNIQUE,
  credited_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- `gone`: its block was replaced, and it has not been seen again. `lost`: it never will be; the house bears it.
  state        text NOT NULL DEFAULT 'credited' CHECK (state IN ('credited', 'gone', 'lost')),
  PRIMARY KEY (asset_id, tx_hash, wallet_id, ordinal)
);

-- Seen in blocks that are not final yet; replaced at every look.
CREATE TABLE pending_deposits (
  asset_id     smallint NOT NULL REFERENCES assets,
  block_hash   text NOT NULL,
  log_index    integer NOT NULL,
  wallet_id    uuid NOT NULL REFERENCES wallets,
  tx_hash      text NOT NULL,
  from_address text NOT NULL,
  amount       bigint NOT NULL,
  block_number bigint NOT NULL,
  PRIMARY KEY (asset_id, block_hash, log_index)
);
CREATE INDEX pending_deposits_of ON pending_deposits (wallet_id, asset_id);

-- Final transfers out of a wallet of ours that may be an open move of a provider, which has not told its chain
-- transaction yet. Coins and ledger follow when the provider has told: then it is that move, or unexplained.
CREATE TABLE held_logs (
  asset_id     smallint NOT NULL REFERENCES assets,
  tx_hash      text NOT NULL,
  log_index    integer NOT NULL,
  block_number bigint NOT NULL,
  block_hash   text NOT NULL,
  from_wallet  uuid NOT NULL REFERENCES wallets,
  to_wallet    uuid REFERENCES wallets,
  from_address text NOT NULL,
  to_address   text NOT NULL,
  amount       bigint NOT NULL CHECK (amount > 0),
  -- Counts within one chain transaction and receiving wallet, as in `deposits`.
  ordinal      integer NOT NULL,
  held_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (asset_id, tx_hash, log_index)
);

-- Coins of ours that moved on the chain and no move explains: after a restored backup, or under a stolen key. Sends wait
-- until a person has imported them.
CREATE TABLE unexplained_moves (
  asset_id     smallint NOT NULL REFERENCES assets,
  tx_hash      text NOT NULL,
  log_index    integer NOT NULL,
  wallet_id    uuid NOT NULL REFERENCES wallets,
  to_address   text NOT NULL,
  amount       bigint NOT NULL,
  block_number bigint NOT NULL,
  -- The payment that accounts for it now.
  imported_as  uuid,
  PRIMARY KEY (asset_id, tx_hash, log_index)
);

-- Nonces of our wallets that the token has used or cancelled and that this database does not know: it was restored from
-- before them. When a client comes with the payment's id again, its nonce is found here: it was paid, by the unexplained
-- move with this log, or cancelled and can never be paid.
CREATE TABLE forgotten_nonces (
  asset_id     smallint NOT NULL REFERENCES assets,
  nonce        bytea NOT NULL CHECK (octet_length(nonce) = 32),
  kind         text NOT NULL CHECK (kind IN ('used', 'canceled')),
  tx_hash      text NOT NULL,
  -- Of the transfer, if it was used.
  log_index    integer,
  block_number bigint NOT NULL,
  PRIMARY KEY (asset_id, nonce),
  CHECK ((kind = 'used') = (log_index IS NOT NULL))
);

-- Differences that reconciliation saw, and for how many looks in a row.
CREATE TABLE drifts (
  asset_id   smallint NOT NULL REFERENCES assets,
  subject    text NOT NULL,
  difference numeric NOT NULL,
  looks      integer NOT NULL,
  since      timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (asset_id, subject)
);
