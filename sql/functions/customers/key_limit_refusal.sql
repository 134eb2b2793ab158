-- The error for a payment that exceeds a limit of its key, as code and details.
CREATE OR REPLACE FUNCTION key_limit_refusal(p_limit text, p_maximum bigint, p_left bigint, p_resets_at timestamptz)
  RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_build_object('code', 'key.limit_exceeded', 'details', jsonb_strip_nulls(jsonb_build_object(
    'limit', p_limit, 'maximum', decimal_amount(p_maximum),
    'left', decimal_amount(greatest(p_left, 0)),
    'resets_at', to_char(p_resets_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"'))))
$$;
