-- Whether the rows of a payout have waited long enough and fail. A restore brings back an old date, and operators and
-- workers need time to find out what the chain has paid: for three days no row fails because it has waited.
CREATE OR REPLACE FUNCTION payout_is_late(p payouts) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT clock_timestamp() >= p.waits_until
     AND NOT EXISTS (SELECT FROM restores WHERE noted_at > clock_timestamp() - interval '3 days')
$$;
