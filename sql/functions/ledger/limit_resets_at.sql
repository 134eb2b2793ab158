-- When the oldest spending leaves the window, in the time format of the APIs.
CREATE OR REPLACE FUNCTION limit_resets_at(p_account bigint, p_hour integer, span text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT to_char(to_timestamp((1 + hours_counted(span) + coalesce(
      (SELECT min(hour) FROM spendings WHERE account_id = p_account AND hour >= p_hour - hours_counted(span) AND spent > 0),
      p_hour))::bigint * 3600) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')
$$;
