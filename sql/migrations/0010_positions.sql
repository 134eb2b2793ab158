-- What every wallet has and what its owner is owed is kept, so that nobody has to compute it over all wallets.
-- Why: docs/decisions/0014-kept-positions.md.

-- `ledger`: what the ledger owes the wallet's owner, as of the last time it was looked up (`keep_positions`). It may be a
-- little behind, so it only says where to look; whoever takes coins by it reads the accounts of those few wallets.
-- `incoming`, `outgoing`: open settlements, kept by the trigger `move_reservation` (a worker of the release before may end
-- one between this migration and that trigger; they are counted anew with the first look at all wallets). `surplus`: coins that stay when all
-- these have arrived, beyond what the owner is owed; negative: missing.
-- `blocked_at`: since when the token has been known to refuse this wallet; `asked_at`: when it was last asked.
-- `unchecked`: its coins changed since they were last compared with the chain.
ALTER TABLE holdings
  ADD COLUMN ledger bigint NOT NULL DEFAULT 0,
  ADD COLUMN incoming bigint NOT NULL DEFAULT 0,
  ADD COLUMN outgoing bigint NOT NULL DEFAULT 0,
  ADD COLUMN blocked_at timestamptz,
  ADD COLUMN asked_at timestamptz,
  ADD COLUMN unchecked boolean NOT NULL DEFAULT true;
INSERT INTO holdings AS h (asset_id, wallet_id, incoming, outgoing)
  SELECT asset_id, wallet_id, sum(incoming), sum(outgoing) FROM (
    SELECT asset_id, wallet_id, 0 AS incoming, amount AS outgoing FROM coin_moves
     WHERE state = 'open' AND purpose = 'settlement'
    UNION ALL
    SELECT asset_id, to_wallet, amount, 0 FROM coin_moves WHERE state = 'open' AND purpose = 'settlement') m
   GROUP BY asset_id, wallet_id
  ON CONFLICT (asset_id, wallet_id) DO UPDATE SET incoming = excluded.incoming, outgoing = excluded.outgoing;
ALTER TABLE holdings
  ADD COLUMN surplus bigint NOT NULL GENERATED ALWAYS AS (coins + incoming - outgoing - ledger) STORED;
CREATE INDEX holdings_uneven ON holdings (asset_id, surplus) WHERE surplus <> 0;
CREATE INDEX holdings_blocked ON holdings (asset_id, asked_at) WHERE blocked_at IS NOT NULL;
CREATE INDEX holdings_unchecked ON holdings (asset_id) WHERE unchecked;

-- Up to which `seq` of the ledger `holdings.ledger` follows. No row: it is not known, and every wallet is looked up once.
CREATE TABLE kept_positions (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  seq      bigint NOT NULL,
  kept_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Of each asset: the newest payment between people that was followed; the sum of all coins, kept by the trigger `sum_coins`
-- once reconciliation has counted it; and the wallet up to which reconciliation has come in its round through all.
CREATE TABLE asset_positions (
  asset_id   smallint PRIMARY KEY REFERENCES assets,
  paid_seq   bigint NOT NULL DEFAULT 0,
  coins      bigint,
  checked_to uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'
);

-- What a settlement does not settle although it covers a payment: differences of at most `leaves` per wallet, which are
-- not worth their gas, and what belongs to the accounts in `left_out`, whose wallets' coins could not be moved.
ALTER TABLE settlements
  ADD COLUMN leaves bigint NOT NULL DEFAULT 0 CHECK (leaves >= 0),
  ADD COLUMN left_out bigint[] NOT NULL DEFAULT '{}';

-- A job that waits for something to happen is not due before, except after minutes, in case nobody said so. `wake_jobs`
-- makes it due. Its row must be there before it looks for the last time: see `jobs.ts`.
ALTER TABLE jobs ADD COLUMN waits_for text CHECK (length(waits_for) BETWEEN 1 AND 100);
CREATE INDEX jobs_waiting ON jobs (waits_for) WHERE waits_for IS NOT NULL;

-- Few rows that change all the time: clean up after hundreds of changes, not after a share of the table.
ALTER TABLE jobs SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_cost_delay = 0);
