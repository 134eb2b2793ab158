-- `ledger_pay_batch` for a batch in which some payments answer money requests: those whose ids are in `p_requests`,
-- because a payment has the id of its request. The requests are locked first, in the order of their ids, and then
-- checked against the clock. A request that was declined, cancelled, paid by someone else or has expired meanwhile is
-- refused like a payment of an unknown sender, and the exception says why. Refusals by the ledger are not stored, so
-- that the same request can be paid later. A repeated payment gets its first answer, even if its receiver has changed
-- their name since.
CREATE OR REPLACE FUNCTION pay_money_requests(
  p_requests uuid[],
  p_sessions bigint, p_sessions_random bigint, p_asset smallint, p_names bigint, p_names_random bigint,
  p_accounts bigint[], p_net bigint[], p_out bigint[], p_sends integer[], p_touches integer[], p_lasts integer[],
  p_ids uuid[], p_keyed boolean[], p_debits integer[], p_credits integer[], p_amounts bigint[],
  p_froms text[], p_tos text[], p_typed text[],
  OUT o_at_ms bigint, OUT o_available bigint[], OUT o_exceptions jsonb
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off
AS $$
DECLARE
  debits   integer[] := p_debits;
  refused  jsonb := '{}';
  repeated text[] := '{}';
  at       timestamptz;
  r        record;
  code     text;
BEGIN
  PERFORM require_arguments('pay_money_requests',
    p_requests <@ p_ids AND is_list(p_requests, cardinality(p_requests)) AND array_position(p_requests, NULL) IS NULL);
  PERFORM FROM money_requests WHERE request_id = ANY (p_requests) ORDER BY request_id FOR UPDATE;
  at := date_trunc('milliseconds', clock_timestamp());
  FOR r IN
    SELECT asked.nth, m.*,
           (SELECT user_id FROM accounts WHERE account_id = p_accounts[nullif(p_debits[asked.nth], 0)]) AS paying,
           (SELECT user_id FROM accounts WHERE account_id = p_accounts[nullif(p_credits[asked.nth], 0)]) AS receiving,
           CASE WHEN m.state = 'open' AND m.expires_at <= at THEN 'expired' ELSE m.state END AS state_now
      FROM (SELECT id, array_position(p_ids, id) AS nth FROM unnest(p_requests) AS u(id)) asked
      LEFT JOIN money_requests m ON m.request_id = asked.id AND m.request_id = ANY (p_requests)
  LOOP
    IF r.request_id IS NULL OR r.paying IS NULL OR NOT r.by_link AND r.paying <> r.payer_id THEN
      code := 'money_request.unknown';
    ELSIF r.state = 'paid' AND r.paying = r.payer_id THEN
      repeated := repeated || r.nth::text;
      CONTINUE;
    ELSIF r.state_now <> 'open' THEN
      code := 'money_request.ended';
    ELSIF r.amount <> p_amounts[r.nth] OR r.asker_id IS DISTINCT FROM r.receiving OR p_keyed[r.nth] THEN
      RAISE EXCEPTION 'the payment is not what request % asks for', r.request_id USING ERRCODE = 'restrict_violation';
    ELSE CONTINUE;
    END IF;
    debits[r.nth] := 0;
    refused := refused || jsonb_build_object(r.nth, jsonb_build_object('code', code,
      'details', CASE code WHEN 'money_request.ended' THEN jsonb_build_object('state', r.state_now) ELSE '{}' END));
  END LOOP;

  SELECT b.o_at_ms, b.o_available, b.o_exceptions INTO o_at_ms, o_available, o_exceptions
    FROM ledger_pay_batch(p_sessions, p_sessions_random, p_asset, p_names, p_names_random, p_accounts, p_net, p_out, p_sends,
      p_touches, p_lasts, p_ids, p_keyed, debits, p_credits, p_amounts, p_froms, p_tos, p_typed) b;
  IF o_exceptions ?| ARRAY['changed', 'stale'] THEN RETURN; END IF;

  UPDATE money_requests m
     SET state = 'paid', ended_at = at,
         payer_id = (SELECT user_id FROM accounts WHERE account_id = p_accounts[debits[array_position(p_ids, m.request_id)]])
   WHERE m.request_id = ANY (p_requests) AND NOT o_exceptions ? array_position(p_ids, m.request_id)::text;
  FOR r IN SELECT unnest(repeated) AS nth LOOP
    o_exceptions := jsonb_set(o_exceptions, ARRAY[r.nth, 'same'], 'true');
  END LOOP;
  o_exceptions := o_exceptions || refused;
END $$;
