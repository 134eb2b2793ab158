-- Makes one payment to a person with an account key. Checks the key and its limits first, then pays like a session's payment:
-- `ledger_pay_batch`, or `pay_with_notes` with a note or for a request. The arguments are theirs, for one payment;
-- `p_client` is the caller's IPv4 address or IPv6 network.
--
-- A payment that was decided before gets its first answer, whatever is left of the key's budget. If the key may not be used,
-- nothing is decided, and `o_exceptions` says why. A payment beyond a limit is refused like any other refusal: stored if it
-- has an Idempotency-Key.
--
-- Lock order: keys (`find_key_refusals`), the key's budget, requests, accounts by id.
CREATE OR REPLACE FUNCTION pay_with_key(
  p_key uuid, p_client inet, p_notes text[], p_requests uuid[],
  p_asset smallint, p_names bigint, p_names_random bigint,
  p_accounts bigint[], p_net bigint[], p_out bigint[], p_sends integer[], p_touches integer[], p_lasts integer[],
  p_ids uuid[], p_keyed boolean[], p_debits integer[], p_credits integer[], p_amounts bigint[],
  p_froms text[], p_tos text[], p_typed text[],
  OUT o_at_ms bigint, OUT o_available bigint[], OUT o_exceptions jsonb
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off
AS $$
DECLARE
  at       timestamptz := date_trunc('milliseconds', clock_timestamp());
  refusal  jsonb;
  owner    uuid;
  scopes   text[];
  budget   record;
  limit_   bigint;
BEGIN
  PERFORM require_arguments('pay_with_key',
    num_nulls(p_key, p_client) = 0 AND is_list(p_ids, 1) AND is_list(p_keyed, 1) AND is_list(p_debits, 1)
    AND is_list(p_amounts, 1) AND is_list(p_tos, 1) AND is_list(p_typed, 1) AND is_list(p_notes, 1)
    AND is_list(p_requests, cardinality(p_requests)) AND p_requests <@ p_ids AND is_list(p_accounts, cardinality(p_accounts))
    AND p_debits[1] BETWEEN 0 AND cardinality(p_accounts) AND is_amount(VARIADIC p_amounts)
    AND array_position(p_ids || p_requests, NULL) IS NULL AND array_position(p_keyed, NULL) IS NULL);
  o_at_ms := extract(epoch FROM at) * 1000;
  o_available := ARRAY[NULL::bigint];
  refusal := find_key_refusals(ARRAY[p_key], ARRAY[NULL::bytea], ARRAY[p_client])->'1';
  SELECT k.user_id, k.scopes INTO owner, scopes FROM service_keys k WHERE k.key_id = p_key;
  IF refusal IS NULL AND ('own:pay' = ANY (scopes)) IS NOT TRUE THEN
    refusal := '{"code": "auth.scope", "details": {"scope": "pay"}}';
  END IF;
  IF refusal IS NULL AND p_debits[1] > 0
    AND (SELECT user_id FROM accounts WHERE account_id = p_accounts[p_debits[1]]) IS DISTINCT FROM owner THEN
    refusal := '{"code": "key.not_allowed", "details": {"what": "wallet"}}';
  END IF;
  IF refusal IS NOT NULL THEN
    o_exceptions := jsonb_build_object('1', refusal);
    RETURN;
  END IF;

  budget := lock_key_budgets(ARRAY[p_key], ARRAY[owner]);
  PERFORM FROM money_requests WHERE request_id = ANY (p_requests) ORDER BY request_id FOR UPDATE;
  -- Under these locks, no other statement decides a payment with this id.
  PERFORM FROM accounts WHERE account_id = ANY (p_accounts) ORDER BY account_id FOR NO KEY UPDATE;
  SELECT b.payment_limit INTO limit_ FROM key_budgets b WHERE b.key_id = p_key AND b.pays = 'people';
  refusal := CASE WHEN p_amounts[1] > limit_ THEN key_limit_refusal('payment', limit_, limit_, NULL)
                  WHEN p_amounts[1] > budget.o_left[budget.o_at[1]]
                    THEN broken_key_limit(p_key, 'people', budget.o_left[budget.o_at[1]]) END;
  IF refusal IS NOT NULL AND NOT EXISTS (SELECT FROM transfers_by_id(p_ids))
    AND NOT EXISTS (SELECT FROM refusals WHERE payment_id = p_ids[1]) THEN
    IF p_keyed[1] THEN
      PERFORM ledger_keep_refusal(p_ids[1], coalesce(p_typed[1], p_tos[1]), p_amounts[1], refusal, at);
      PERFORM keep_notes(p_ids, p_notes);
    END IF;
    o_exceptions := jsonb_build_object('1', refusal);
    RETURN;
  END IF;

  IF p_notes[1] IS NULL AND p_requests = '{}' THEN
    SELECT b.o_at_ms, b.o_available, b.o_exceptions INTO o_at_ms, o_available, o_exceptions
      FROM ledger_pay_batch(NULL, NULL, p_asset, p_names, p_names_random, p_accounts, p_net, p_out, p_sends, p_touches,
        p_lasts, p_ids, p_keyed, p_debits, p_credits, p_amounts, p_froms, p_tos, p_typed) b;
  ELSE
    SELECT b.o_at_ms, b.o_available, b.o_exceptions INTO o_at_ms, o_available, o_exceptions
      FROM pay_with_notes(p_notes, p_requests, NULL, NULL, p_asset, p_names, p_names_random, p_accounts, p_net, p_out,
        p_sends, p_touches, p_lasts, p_ids, p_keyed, p_debits, p_credits, p_amounts, p_froms, p_tos, p_typed) b;
  END IF;
  IF o_exceptions <> '{}' THEN RETURN; END IF;
  PERFORM charge_key_budgets(budget.o_keys, budget.o_pays, budget.o_left,
    ARRAY(SELECT b - p_amounts[1] FROM unnest(budget.o_left) AS b));
  PERFORM write_audit('key:' || p_key, 'payment.accepted', owner, jsonb_build_object('payment_id', p_ids[1]));
END $$;
