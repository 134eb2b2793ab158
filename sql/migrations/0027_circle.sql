-- Circle as signer (docs/decisions/0033-circle.md). What is here may be used beside the release before, which leaves it alone.

-- Who holds the keys of people's wallets and of the treasury's, and at Circle the set that all of them are in. Relayers
-- always have keys of our own seed. The ids that Circle has for wallets are not kept: `wallets.reference` finds them there.
ALTER TABLE wallet_seeds
  ADD COLUMN wallet_provider text NOT NULL DEFAULT 'local' CHECK (wallet_provider IN ('local', 'circle')),
  ADD COLUMN wallet_set text CHECK (length(wallet_set) BETWEEN 1 AND 100),
  ADD CONSTRAINT wallet_seeds_set_check CHECK ((wallet_provider = 'circle') = (wallet_set IS NOT NULL));

-- When a provider was last asked, by all processes together, so that it is not asked more often than it allows. `yielding`
-- are those of `taken` that leave room for others. UNLOGGED, as `rate_windows`: after a crash it begins anew.
CREATE UNLOGGED TABLE provider_turns (
  bucket   text PRIMARY KEY CHECK (length(bucket) BETWEEN 1 AND 100),
  taken    timestamptz[] NOT NULL DEFAULT '{}',
  yielding timestamptz[] NOT NULL DEFAULT '{}'
) WITH (fillfactor = 50);
