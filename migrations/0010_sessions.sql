-- Pays a batch on behalf of sessions: those of `p_tokens` (hashes of access tokens) are looked at in the same statement
-- that pays, so a session that has ended pays nothing from that moment on, and nobody has to ask before. If one of them
-- may not act any more, nothing is done and `o_rare` says so; which one it is is asked apart, because it is rare.
CREATE FUNCTION pay_users_in_sessions(
  p_tokens bytea[],
  p_asset smallint, p_epoch bigint,
  p_accounts bigint[], p_net bigint[], p_out bigint[], p_sends integer[], p_touches integer[],
  p_ids uuid[], p_keyed boolean[], p_debits integer[], p_credits integer[], p_amounts bigint[],
  p_froms text[], p_tos text[], p_typed text[],
  OUT o_at_ms bigint, OUT o_available bigint[], OUT o_rare jsonb
) LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
  SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  IF cardinality(p_tokens) > (
    SELECT count(*) FROM session_tokens t JOIN sessions s USING (session_id)
     WHERE t.hash = ANY (p_tokens) AND t.kind = 'access' AND t.expires_at > now() AND s.ended_at IS NULL
  ) THEN
    o_rare := '{"ended": true}';
    RETURN;
  END IF;
  SELECT p.o_at_ms, p.o_available, p.o_rare INTO o_at_ms, o_available, o_rare
    FROM ledger_pay_users(p_asset, p_epoch, p_accounts, p_net, p_out, p_sends, p_touches, p_ids, p_keyed, p_debits,
                          p_credits, p_amounts, p_froms, p_tos, p_typed) p;
END $$;
