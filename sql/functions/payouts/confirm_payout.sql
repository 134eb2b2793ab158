-- Starts a payout, or makes it wait for two operators. `p_count` and `p_total` are what the caller expects to pay.
-- `p_threshold`: two operators must approve from this total on (NULL: never); the stricter of this and the stored rule
-- in `send_rules` applies. It is compared with the total of the stored rows that will be paid, so nothing that the
-- caller says, now or when the file was checked, makes it smaller. A row whose name no longer leads to the same person
-- fails here.
--
-- Outcomes: `confirmed`, also if it was confirmed before; `unknown`; `mismatch` (another count or total, given in
-- `details`); `ended` (it was cancelled); `refused`, with the code and details of the error about the key or the payer.
CREATE OR REPLACE FUNCTION confirm_payout(
  p_payout uuid, p_key uuid, p_count integer, p_total bigint, p_threshold bigint, p_certificate text, p_client inet,
  OUT outcome text, OUT details jsonb
) LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  p      payouts;
  at     timestamptz := date_trunc('milliseconds', clock_timestamp());
  needed smallint;
  to_pay bigint;
  above  bigint;
BEGIN
  PERFORM require_arguments('confirm_payout',
    num_nulls(p_payout, p_key) = 0 AND p_count >= 0 AND p_total >= 0 AND coalesce(p_threshold, 0) >= 0);
  -- The payer is locked first: `close_account` locks them before it counts and cancels their payouts.
  PERFORM FROM users WHERE user_id = (SELECT payer_id FROM payouts WHERE payout_id = p_payout AND key_id = p_key) FOR SHARE;
  SELECT * INTO p FROM payouts WHERE payout_id = p_payout AND key_id = p_key FOR UPDATE;
  IF p.payout_id IS NULL THEN outcome := 'unknown'; RETURN; END IF;
  details := find_key_refusals(ARRAY[p_key], ARRAY[decode(p_certificate, 'hex')], ARRAY[p_client])->'1';
  IF details IS NOT NULL THEN outcome := 'refused'; RETURN; END IF;
  IF (p.row_count - p.known_count, p.total - p.known_total) IS DISTINCT FROM (p_count, p_total) THEN
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
  IF EXISTS (SELECT FROM users WHERE user_id = p.payer_id AND closed_at IS NOT NULL) THEN
    outcome := 'refused'; details := '{"code": "account.closed", "details": {}}';
    RETURN;
  END IF;

  -- One subquery per row instead of a join, for which the planner may read all names.
  UPDATE payout_items i
     SET state = 'failed', error = jsonb_build_object('details', '{}'::jsonb, 'code', CASE
           WHEN EXISTS (SELECT FROM username_owner(i.username, at)) THEN 'username.other_owner' ELSE 'username.unknown' END)
   WHERE i.payout_id = p_payout AND i.user_id IS NOT NULL
     AND i.user_id IS DISTINCT FROM (SELECT o FROM username_owner(i.username, at) o);
  SELECT coalesce(sum(i.amount), 0) INTO to_pay FROM payout_items i
   WHERE i.payout_id = p_payout AND i.state = 'ready' AND NOT EXISTS (SELECT FROM transfers_by_id(ARRAY[i.payment_id]));
  -- The person agrees to the whole payout, once; its rows do not ask again. Under the lock of the account, where the amount is
  -- written.
  above := (SELECT a.passkey_above FROM accounts a WHERE a.user_id = p.payer_id AND a.asset_id = home_asset_of(p.currency) FOR SHARE);
  IF to_pay > above AND NOT use_proof(p.payer_id, jsonb_build_object('do', 'payout', 'payout', p_payout, 'total', to_pay::text)) THEN
    outcome := 'refused';
    details := ledger_refusal('passkey', jsonb_build_object('above', above::text));
    RETURN;
  END IF;
  needed := CASE WHEN to_pay >= least(p_threshold, (SELECT s.approval_threshold FROM send_rules s)) THEN 2 ELSE 0 END;
  UPDATE payouts
     SET state = CASE needed WHEN 0 THEN 'running' ELSE 'approving' END, confirmed_at = at,
         waits_until = at + interval '3 days', approvals_needed = needed, certificate = decode(p_certificate, 'hex'),
         client = p_client
   WHERE payout_id = p_payout;
  IF needed = 0 THEN PERFORM schedule_job('payout', p_payout::text, NULL); END IF;
  PERFORM write_audit('key:' || p_key, 'payout.confirmed', p.payer_id,
    jsonb_build_object('payout_id', p_payout, 'rows', p_count, 'total', p_total::text));
END $$;
