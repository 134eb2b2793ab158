-- What a wallet looks like at a glance, kept warm in the background. Written only by the room `custody`; everything in
-- here can be read from the chains again, so nothing else may rely on it.

-- The newest block of each network that the balances below are true at.
CREATE TABLE chain_heads (
  network_id   smallint PRIMARY KEY REFERENCES networks,
  block_number bigint NOT NULL,
  block_hash   text NOT NULL,
  -- The block's own time; `seen_at` is when we last heard that it is still the head.
  block_time   timestamptz NOT NULL,
  seen_at      timestamptz NOT NULL,
  final_number bigint NOT NULL
);

-- A row changes only when its wallet does: without a `Transfer` a balance is as true at the head as when it was read.
CREATE TABLE onchain_balances (
  wallet_id    uuid NOT NULL REFERENCES wallets,
  asset_id     smallint NOT NULL REFERENCES assets,
  amount       numeric(78, 0) NOT NULL CHECK (amount >= 0),
  -- Coming in, in blocks that are not final yet.
  pending_in   numeric(78, 0) NOT NULL CHECK (pending_in >= 0),
  -- The block it was last read at.
  block_number bigint NOT NULL,
  PRIMARY KEY (wallet_id, asset_id)
) WITH (fillfactor = 70);
-- What has to be looked at again although no log names it.
CREATE INDEX onchain_balances_pending ON onchain_balances (asset_id) WHERE pending_in > 0;

CREATE TABLE rates (
  pair            text PRIMARY KEY CHECK (pair ~ '^[A-Z0-9]{2,10}/[A-Z0-9]{2,10}$'),
  price           text NOT NULL CHECK (price ~ '^\d{1,20}(\.\d{1,18})?$'),
  as_of           timestamptz NOT NULL,
  max_age_seconds integer NOT NULL CHECK (max_age_seconds > 0),
  source          text NOT NULL
);
