-- What the database knows about an epoch that a process remembers: `held` when it has been in it, `old` when it began
-- too long ago to say, `lost` when it never was: commits were lost, by a failover or a restored backup. NULL for none.
CREATE OR REPLACE FUNCTION ledger_epoch_standing(p_kind text, p_counter bigint, p_random bigint) RETURNS text
  LANGUAGE sql STABLE STRICT AS $$
  SELECT CASE
    WHEN EXISTS (SELECT FROM epochs WHERE kind = p_kind AND counter = p_counter AND random = p_random) THEN 'held'
    WHEN p_counter < (SELECT min(counter) FROM epochs WHERE kind = p_kind) THEN 'old'
    ELSE 'lost'
  END
$$;
