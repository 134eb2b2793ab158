-- Pays a batch in which some payments have a note: `ledger_pay_batch`, or `pay_money_requests` if some answer requests, and
-- then `keep_notes`. `p_notes` has one element per payment, NULL without a note. A request's note was stored when the money
-- was asked for, and its payer cannot replace it.
--
-- A refusal that is stored keeps its note too, because a repeated call is compared with it.
CREATE OR REPLACE FUNCTION pay_with_notes(
  p_notes text[], p_requests uuid[],
  p_sessions bigint, p_sessions_random bigint, p_asset smallint, p_names bigint, p_names_random bigint,
  p_accounts bigint[], p_net bigint[], p_out bigint[], p_sends integer[], p_touches integer[], p_lasts integer[],
  p_ids uuid[], p_keyed boolean[], p_debits integer[], p_credits integer[], p_amounts bigint[],
  p_froms text[], p_tos text[], p_typed text[],
  OUT o_at_ms bigint, OUT o_available bigint[], OUT o_exceptions jsonb
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off
AS $$
BEGIN
  PERFORM require_arguments('pay_with_notes',
    is_list(p_notes, cardinality(p_ids)) AND is_list(p_requests, cardinality(p_requests)) AND p_requests <@ p_ids);
  IF p_requests = '{}' THEN
    SELECT b.o_at_ms, b.o_available, b.o_exceptions INTO o_at_ms, o_available, o_exceptions
      FROM ledger_pay_batch(p_sessions, p_sessions_random, p_asset, p_names, p_names_random, p_accounts, p_net, p_out,
        p_sends, p_touches, p_lasts, p_ids, p_keyed, p_debits, p_credits, p_amounts, p_froms, p_tos, p_typed) b;
  ELSE
    SELECT b.o_at_ms, b.o_available, b.o_exceptions INTO o_at_ms, o_available, o_exceptions
      FROM pay_money_requests(p_requests, p_sessions, p_sessions_random, p_asset, p_names, p_names_random, p_accounts, p_net,
        p_out, p_sends, p_touches, p_lasts, p_ids, p_keyed, p_debits, p_credits, p_amounts, p_froms, p_tos, p_typed) b;
  END IF;
  IF o_exceptions ?| ARRAY['changed', 'stale'] THEN RETURN; END IF;
  IF o_exceptions = '{}' AND p_requests = '{}' THEN
    PERFORM keep_notes(p_ids, p_notes);
  ELSE
    PERFORM keep_notes(array_agg(n.id), array_agg(n.note))
       FROM unnest(p_ids, p_notes) WITH ORDINALITY AS n(id, note, nth)
      WHERE n.note IS NOT NULL AND n.id <> ALL (p_requests)
        AND (NOT o_exceptions ? n.nth::text OR NOT o_exceptions->n.nth::text ? 'old'
             AND EXISTS (SELECT FROM refusals r WHERE r.payment_id = n.id));
  END IF;
END $$;
