-- Compares an epoch that a process remembers with those of the database: `held` if the database has been in it, `old`
-- if it began too long ago to say, `lost` if the database has never been in it, because a failover or a restored backup
-- lost commits. NULL if an argument is NULL.
CREATE OR REPLACE FUNCTION ledger_epoch_standing(p_kind text, p_counter bigint, p_random bigint) RETURNS text
  LANGUAGE sql STABLE STRICT AS $$
  SELECT CASE
    WHEN EXISTS (SELECT FROM epochs WHERE kind = p_kind AND counter = p_counter AND random = p_random) THEN 'held'
    WHEN p_counter < (SELECT min(counter) FROM epochs WHERE kind = p_kind) THEN 'old'
    ELSE 'lost'
  END
$$;
