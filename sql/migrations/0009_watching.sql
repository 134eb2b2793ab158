-- Blocks are read once, applied in small commits, and wallets can be read again from an earlier block.
-- Docs: docs/decisions/0013-reading-blocks-once.md.

-- One commit applies a bounded number of logs, however many a block has. `part_…` is the last log that is applied of blocks
-- after the cursor's; NULL when there is none. `recheck_to` then covers these blocks too: coins are ahead of the cursor, and
-- reconciliation waits until it has caught up. `first_block` is where watching began. `wallet_checks` grows whenever new
-- wallets were looked at or the chain was rewound: what was read before that may not be applied any more.
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

-- Wallets whose past has to be looked at, token by token. A wallet is new to the watcher when it is made, and all are when a
-- token is: addresses follow from the seed, so coins may be there already. First the chain's balance is compared with what is
-- counted (`next_block` NULL). If they differ, or an operator asks, the wallet's logs are read again from `next_block` to
-- `to_block`; what comes later the watcher reads anyway. No foreign keys: a new token means a row for every wallet in one
-- statement, and each key costs a query per row. Neither wallets nor tokens are ever deleted.
CREATE TABLE wallet_rescans (
  asset_id   smallint NOT NULL,
  wallet_id  uuid NOT NULL,
  next_block bigint CHECK (next_block >= 0),
  to_block   bigint,
  -- Coins from wallets of ours that belong to no deposit. Whether they were counted when they came is only known in the end,
  -- when the chain's balance is compared again.
  unclear    numeric NOT NULL DEFAULT 0 CHECK (unclear >= 0),
  asked_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Why it could not be read the last time, and not before when it is tried again.
  fault      text,
  retry_at   timestamptz,
  PRIMARY KEY (asset_id, wallet_id),
  CHECK ((next_block IS NULL) = (to_block IS NULL))
);
-- Few are being read, however many are new.
CREATE INDEX wallet_rescans_open ON wallet_rescans (asset_id, asked_at) WHERE next_block IS NOT NULL;
