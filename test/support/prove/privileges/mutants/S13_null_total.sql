-- S13: NULL arguments are compared with <>, which refuses nothing.
CREATE OR REPLACE FUNCTION confirm_payout(
  p_payout uuid, p_key uuid, p_count integer, p_total bigint, p_threshold bigint, p_certificate text, p_client inet,
  OUT outcome text, OUT details jsonb
) LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  p      payouts;
  at     timestamptz := date_trunc('milliseconds', clock_timestamp());
  needed smallint;
BEGIN
  SELECT * INTO p FROM payouts WHERE payout_id = p_payout AND key_id = p_key FOR UPDATE;
  IF p.payout_id IS NULL THEN outcome := 'unknown'; RETURN; END IF;
  details := find_key_refusals(ARRAY[p_key], ARRAY[decode(p_certificate, 'hex')], ARRAY[p_client])->'1';
  IF details IS NOT NULL THEN outcome := 'refused'; RETURN; END IF;
  IF (p.row_count - p.known_count, p.total - p.known_total) <> (p_count, p_total) THEN
    outcome := 'mismatch';
    details := jsonb_build_object('count', p.row_count - p.known_count, 'total', (p.total - p.known_total)::text);
    RETURN;
  END IF;
  IF p.state = 'cancelled' OR p.state = 'stopping' THEN
    outcome := 'ended'; details := jsonb_build_object('state', p.state);
    RETURN;
  END IF;
  outcome := 'confirmed';
  IF p.state <> 'checked' THEN RETURN; END IF;

  -- A subquery for each row rather than a join, for which the planner may read all names.
  UPDATE payout_items i
     SET state = 'failed', error = jsonb_build_object('details', '{}'::jsonb, 'code', CASE
           WHEN (SELECT 1 FROM usernames n WHERE n.username = i.username AND (n.redirect_until IS NULL OR n.redirect_until > at)) = 1
           THEN 'username.other_owner' ELSE 'username.unknown' END)
   WHERE i.payout_id = p_payout AND i.user_id IS NOT NULL AND i.user_id IS DISTINCT FROM (
         SELECT n.user_id FROM usernames n
          WHERE n.username = i.username AND (n.redirect_until IS NULL OR n.redirect_until > at));
  SELECT CASE WHEN p_total >= least(p_threshold, s.approval_threshold) THEN 2 ELSE 0 END INTO needed FROM send_rules s;
  needed := coalesce(needed, CASE WHEN p_total >= p_threshold THEN 2 ELSE 0 END);
  UPDATE payouts
     SET state = CASE needed WHEN 0 THEN 'running' ELSE 'approving' END, confirmed_at = at,
         waits_until = at + interval '3 days', approvals_needed = needed, certificate = decode(p_certificate, 'hex'),
         client = p_client
   WHERE payout_id = p_payout;
  IF needed = 0 THEN PERFORM schedule_job('payout', p_payout::text, NULL); END IF;
  PERFORM record_audit('key:' || p_key, 'payout.confirmed', p.payer_id,
    jsonb_build_object('payout_id', p_payout, 'rows', p_count, 'total', p_total::text));
END $$;
