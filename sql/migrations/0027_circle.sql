-- When a provider was last asked, by all processes together, so that it is not asked more often than it allows. `yielding`
-- are those of `taken` that leave room for others. UNLOGGED, as `rate_windows`: after a crash it begins anew.
CREATE UNLOGGED TABLE provider_turns (
  bucket   text PRIMARY KEY CHECK (length(bucket) BETWEEN 1 AND 100),
  taken    timestamptz[] NOT NULL DEFAULT '{}',
  yielding timestamptz[] NOT NULL DEFAULT '{}'
) WITH (fillfactor = 50);
