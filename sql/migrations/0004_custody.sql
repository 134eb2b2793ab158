-- How coins move and where they sit. Written only by the room `custody`. Coins are of an asset; gas, nonces and blocks are
-- of a network.

-- Where the coins of a wallet are: `coins` from final logs alone, `reserved` promised to open authorizations. The
-- second is moved only by the trigger `move_reservation`, so nothing can be promised twice and no promise forgotten.
CREATE TABLE holdings (
  asset_id  smallint NOT NULL REFERENCES assets,
  wallet_id uuid NOT NULL REFERENCES wallets,
  coins     bigint NOT NULL DEFAULT 0 CHECK (coins >= 0),
  reserved  bigint NOT NULL DEFAULT 0 CHECK (reserved >= 0),
  PRIMARY KEY (asset_id, wallet_id),
  CONSTRAINT holdings_promised_once CHECK (reserved <= coins)
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

-- An EIP-3009 authorization: what may happen on chain at most once, because the token keeps its nonce. Of a send,
-- the id is the payment's; of a settlement, one of its own. Who, to whom, how much and the nonce never change.
CREATE TABLE authorizations (
  authorization_id uuid PRIMARY KEY,
  asset_id         smallint NOT NULL REFERENCES assets,
  wallet_id        uuid NOT NULL REFERENCES wallets,
  purpose          text NOT NULL CHECK (purpose IN ('send', 'settlement')),
  settlement_id    uuid REFERENCES settlements,
  -- Of a settlement: the wallet it goes to, and the send that waits for it, if it was made just in time for one.
  to_wallet        uuid REFERENCES wallets,
  funds            uuid REFERENCES authorizations,
  nonce            bytea NOT NULL UNIQUE CHECK (octet_length(nonce) = 32),
  from_address     text NOT NULL,
  to_address       text NOT NULL,
  value            bigint NOT NULL CHECK (value > 0),
  -- What of `value` is reserved in its own wallet; the rest of a just-in-time send is reserved in the wallets that
  -- fund it, and moves over when they have.
  reserved         bigint NOT NULL CHECK (reserved BETWEEN 0 AND value),
  -- The greatest ever committed, in seconds of chain time; 0 while nothing was signed.
  valid_before     bigint NOT NULL DEFAULT 0,
  state            text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'used', 'dead')),
  -- Since when it is to be cancelled on chain. It is in this row, which every signature locks: nothing is signed after it.
  cancel_wanted_at timestamptz,
  -- Carried and not executed: how often, why, and when to try again.
  failures         integer NOT NULL DEFAULT 0,
  failure_reason   text,
  carry_after      timestamptz NOT NULL DEFAULT now(),
  tx_hash          text,
  block_number     bigint,
  created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK ((purpose = 'settlement') = (settlement_id IS NOT NULL AND to_wallet IS NOT NULL)),
  CHECK (funds IS NULL OR purpose = 'settlement'),
  CHECK (state = 'open' OR reserved = 0)
) WITH (fillfactor = 60);
CREATE INDEX authorizations_open ON authorizations (asset_id, carry_after) WHERE state = 'open';
CREATE INDEX authorizations_open_of_wallet ON authorizations (wallet_id) WHERE state = 'open';
CREATE INDEX authorizations_of_settlement ON authorizations (settlement_id) WHERE settlement_id IS NOT NULL;
CREATE INDEX authorizations_to_cancel ON authorizations (asset_id, cancel_wanted_at)
  WHERE state = 'open' AND cancel_wanted_at IS NOT NULL;
CREATE INDEX authorizations_funding ON authorizations (funds) WHERE funds IS NOT NULL;

-- Every signature that was ever made, committed before anyone saw it.
CREATE TABLE signatures (
  authorization_id uuid NOT NULL REFERENCES authorizations,
  valid_before     bigint NOT NULL CHECK (valid_before > 0),
  signature        bytea NOT NULL CHECK (octet_length(signature) = 65),
  signed_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (authorization_id, valid_before)
);

-- The signed cancellation of an authorization, committed before anyone sees it. It never lapses and moves no coins, so
-- one is enough.
CREATE TABLE cancellations (
  authorization_id uuid PRIMARY KEY REFERENCES authorizations,
  signature        bytea NOT NULL CHECK (octet_length(signature) = 65),
  signed_at        timestamptz NOT NULL DEFAULT clock_timestamp()
);

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

-- A slot of a relayer's nonces, and what goes through it. Slots have no gaps: each points to the one before it, and
-- only one has none. A slot that carries a payment is rewritten to carry its cancellation instead, as the next edition of
-- the same slot: a later slot would be mined after the payment, which is no race at all.
CREATE TABLE carriers (
  carrier_id     uuid PRIMARY KEY,
  relayer_id     integer NOT NULL REFERENCES relayers,
  nonce          bigint NOT NULL,
  previous_nonce bigint CHECK (previous_nonce = nonce - 1),
  target         text NOT NULL,
  data           bytea NOT NULL,
  gas_limit      bigint NOT NULL,
  edition        integer NOT NULL DEFAULT 1,
  -- `foreign`: the slot was used by something we did not send.
  state          text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'final', 'foreign')),
  created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Where it is final.
  block_number   bigint,
  -- Since when the chain has said that the slot is used while none of our attempts could be found.
  missing_since  timestamptz,
  UNIQUE (relayer_id, nonce),
  FOREIGN KEY (relayer_id, previous_nonce) REFERENCES carriers (relayer_id, nonce)
);
CREATE UNIQUE INDEX carriers_one_first ON carriers (relayer_id) WHERE previous_nonce IS NULL;
CREATE INDEX carriers_pending ON carriers (relayer_id, nonce) WHERE state = 'pending';

-- Bytes are here before they are anywhere else; only these are ever broadcast. `edition` is that of its carrier.
CREATE TABLE carrier_attempts (
  hash             text PRIMARY KEY,
  carrier_id       uuid NOT NULL REFERENCES carriers,
  edition          integer NOT NULL DEFAULT 1,
  raw              bytea NOT NULL,
  max_fee_wei      numeric(40) NOT NULL,
  priority_fee_wei numeric(40) NOT NULL,
  created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  broadcast_at     timestamptz,
  answer           text
);
CREATE INDEX carrier_attempts_of ON carrier_attempts (carrier_id, created_at);

CREATE TABLE carrier_legs (
  carrier_id       uuid NOT NULL REFERENCES carriers,
  position         integer NOT NULL,
  authorization_id uuid NOT NULL REFERENCES authorizations,
  -- From this edition of its carrier on, the leg is the cancellation; NULL: it is the transfer.
  cancelled_in     integer CHECK (cancelled_in > 0),
  PRIMARY KEY (carrier_id, position)
);
CREATE INDEX carrier_legs_of ON carrier_legs (authorization_id);

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

-- Coins of ours that moved on chain without our knowing: after a restored backup, or under a stolen key. Sends wait
-- until a person has imported them.
CREATE TABLE strange_moves (
  asset_id     smallint NOT NULL REFERENCES assets,
  tx_hash      text NOT NULL,
  log_index    integer NOT NULL,
  wallet_id    uuid NOT NULL REFERENCES wallets,
  nonce        bytea,
  to_address   text NOT NULL,
  amount       bigint NOT NULL,
  block_number bigint NOT NULL,
  -- The payment or movement that accounts for it now.
  imported_as  uuid,
  PRIMARY KEY (asset_id, tx_hash, log_index)
);
CREATE UNIQUE INDEX strange_moves_by_nonce ON strange_moves (nonce) WHERE nonce IS NOT NULL;

-- Cancellations of our wallets that the chain knows and this database does not: it was restored from before them. A
-- payment that is accepted under the same id again can never be paid, and this is the proof.
CREATE TABLE forgotten_cancellations (
  asset_id     smallint NOT NULL REFERENCES assets,
  nonce        bytea NOT NULL CHECK (octet_length(nonce) = 32),
  tx_hash      text NOT NULL,
  block_number bigint NOT NULL,
  PRIMARY KEY (asset_id, nonce)
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
