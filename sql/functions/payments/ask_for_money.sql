-- Makes a request for money, or returns the code and details of the refusal; NULL on success. Both people are locked,
-- in the order of their ids, so that concurrent requests cannot exceed the allowed number, and an account is not closed
-- between this check and the commit. Without `p_expires_at` the request stays open for a week.
CREATE OR REPLACE FUNCTION ask_for_money(
  p_request uuid, p_asker uuid, p_payer uuid, p_amount bigint, p_note text, p_expires_at timestamptz
) RETURNS jsonb LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  max_open    CONSTANT integer := 50;
  max_of_pair CONSTANT integer := 5;
  max_day     CONSTANT integer := 200;
  at          timestamptz;
  until       timestamptz;
  closed      timestamptz;
  limit_name  text;
  maximum     integer;
BEGIN
  PERFORM require_arguments('ask_for_money', num_nulls(p_request, p_asker) = 0 AND is_amount(p_amount));
  PERFORM FROM users WHERE user_id IN (p_asker, p_payer) ORDER BY user_id FOR NO KEY UPDATE;
  at := date_trunc('milliseconds', clock_timestamp());
  until := coalesce(p_expires_at, at + interval '7 days');
  SELECT closed_at INTO STRICT closed FROM users WHERE user_id = p_asker;
  IF closed IS NOT NULL THEN RETURN '{"code": "account.closed"}'; END IF;
  IF p_payer = p_asker THEN RETURN '{"code": "payment.self"}'; END IF;
  IF NOT EXISTS (SELECT FROM usernames WHERE user_id = p_asker AND redirect_until IS NULL) THEN
    RETURN '{"code": "username.needed"}';
  END IF;
  -- The name was resolved a moment ago and no longer resolves.
  IF EXISTS (SELECT FROM users WHERE user_id = p_payer AND closed_at IS NOT NULL) THEN
    RETURN '{"code": "username.unknown"}';
  END IF;
  IF until <= at OR until > at + interval '366 days' THEN RETURN '{"code": "money_request.expiry"}'; END IF;
  SELECT CASE WHEN count(*) >= max_open THEN 'open'
              WHEN count(*) FILTER (WHERE payer_id = p_payer) >= max_of_pair THEN 'open_with_person' END
    INTO limit_name FROM money_requests WHERE asker_id = p_asker AND state = 'open' AND expires_at > at;
  IF limit_name IS NULL AND (SELECT count(*) FROM money_requests
                              WHERE asker_id = p_asker AND created_at > at - interval '24 hours') >= max_day THEN
    limit_name := 'day';
  END IF;
  IF limit_name IS NOT NULL THEN
    maximum := CASE limit_name WHEN 'open' THEN max_open WHEN 'day' THEN max_day ELSE max_of_pair END;
    RETURN jsonb_build_object('code', 'money_request.too_many',
                              'details', jsonb_build_object('limit', limit_name, 'maximum', maximum::text));
  END IF;
  INSERT INTO money_requests (request_id, asker_id, payer_id, by_link, amount, created_at, expires_at)
  VALUES (p_request, p_asker, p_payer, p_payer IS NULL, p_amount, at, until);
  PERFORM keep_notes(ARRAY[p_request], ARRAY[p_note]);
  RETURN NULL;
END $$;
