-- Only for processes of release 0.2.0, which remember only the counters of the epochs. The next release drops it. See
-- `ledger_pay_batch`.
CREATE OR REPLACE FUNCTION ledger_pay_users(
  p_sessions bigint, p_asset smallint, p_epoch bigint,
  p_accounts bigint[], p_net bigint[], p_out bigint[], p_sends integer[], p_touches integer[],
  p_ids uuid[], p_keyed boolean[], p_debits integer[], p_credits integer[], p_amounts bigint[],
  p_froms text[], p_tos text[], p_typed text[],
  OUT o_at_ms bigint, OUT o_available bigint[], OUT o_exceptions jsonb
) LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  now_state ledger_state;
  lasts     integer[];
BEGIN
  PERFORM require_arguments('ledger_pay_users', num_nulls(p_asset, p_epoch, p_accounts, p_ids, p_debits, p_credits) = 0);
  SELECT * INTO now_state FROM ledger_state;
  SELECT coalesce(array_agg(coalesce(l.last, 0) ORDER BY a.place), '{}') INTO lasts
    FROM generate_series(1, cardinality(p_accounts)) AS a(place) LEFT JOIN (
      SELECT o.place, max(p.nth)::integer AS last
        FROM unnest(p_debits, p_credits) WITH ORDINALITY AS p(debit, credit, nth),
             LATERAL (VALUES (p.debit), (p.credit)) AS o(place)
       WHERE p.debit > 0 AND p.credit > 0 AND p.debit <> p.credit GROUP BY o.place) l USING (place);
  SELECT paid.* INTO o_at_ms, o_available, o_exceptions
    FROM ledger_pay_batch(p_sessions, now_state.sessions_random, p_asset, p_epoch, now_state.names_random,
                          p_accounts, p_net, p_out, p_sends, p_touches, lasts, p_ids, p_keyed, p_debits, p_credits, p_amounts,
                          p_froms, p_tos, p_typed) AS paid;
END $$;
