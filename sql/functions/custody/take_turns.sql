-- How many of the wanted calls to a provider may be made now: at most `p_limit` in any `p_window`, of which at most
-- `p_most_yielding` have low priority. Calls that are not granted are requested again a moment later.
CREATE OR REPLACE FUNCTION take_turns(
  p_bucket text, p_window interval, p_limit integer, p_most_yielding integer, p_wanted integer, p_wanted_yielding integer,
  OUT granted integer, OUT granted_yielding integer
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  recent timestamptz[];
  lesser timestamptz[];
  moment timestamptz;
BEGIN
  PERFORM require_arguments('take_turns',
    num_nulls(p_bucket, p_wanted, p_wanted_yielding) = 0 AND p_window > interval '0' AND p_limit > 0
    AND p_most_yielding >= 0);
  INSERT INTO provider_turns (bucket) VALUES (p_bucket) ON CONFLICT (bucket) DO NOTHING;
  SELECT taken, yielding INTO recent, lesser FROM provider_turns WHERE bucket = p_bucket FOR UPDATE;
  moment := clock_timestamp();
  -- A time in the future was recorded before the clock was set back. It would block calls until then.
  recent := ARRAY (SELECT t FROM unnest(recent) AS t WHERE t > moment - p_window AND t <= moment);
  lesser := ARRAY (SELECT t FROM unnest(lesser) AS t WHERE t > moment - p_window AND t <= moment);
  granted := greatest(least(p_wanted, p_limit - cardinality(recent)), 0);
  granted_yielding := greatest(least(p_wanted_yielding, p_most_yielding - cardinality(lesser),
                                     p_limit - cardinality(recent) - granted), 0);
  IF granted + granted_yielding > 0 THEN
    UPDATE provider_turns SET taken = recent || array_fill(moment, ARRAY[granted + granted_yielding]),
           yielding = lesser || array_fill(moment, ARRAY[granted_yielding])
     WHERE bucket = p_bucket;
  END IF;
END $$;
