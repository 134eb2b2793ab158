-- Only for processes of release 0.2.0; `accept_sends` replaces it. Remove it in the release after 0.3.0.
--
-- Accepts a payment to an address: hold, row and job in one round trip. It cannot call `accept_sends`, which refuses to
-- spend the treasury without a service key. Returns `applied`, `duplicate`, `mismatch`, a refusal (`user_paused`,
-- `kyc`, `insufficient`, `limit`), `paused`, or `lookalike`: the destination resembles an address that the wallet has
-- paid, but is a different one.
--
-- Decides what the payment waits for. `p_threshold`: two operators must approve payments from this amount on; NULL:
-- never. `p_delay`: how many seconds a payment waits if the wallet has never paid that address. A payment that waits
-- for approvals has no job; the second approval inserts it.
CREATE OR REPLACE FUNCTION accept_send(
  p_id uuid, p_asset smallint, p_wallet uuid, p_shown text, p_destination text, p_amount bigint, p_job text,
  p_threshold bigint DEFAULT NULL, p_delay integer DEFAULT 0,
  OUT outcome text, OUT details jsonb
) LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  owner    uuid;
  debit    bigint;
  credit   bigint;
  why      text;
  is_known boolean;
  needed   smallint;
  delay    integer;
  start_at timestamptz;
BEGIN
  PERFORM require_arguments('accept_send',
    num_nulls(p_id, p_asset, p_wallet, p_shown, p_destination, p_job) = 0 AND is_amount(p_amount));
  -- The stricter of the caller's rules and the stored rules applies.
  SELECT CASE WHEN p_amount >= least(p_threshold, s.approval_threshold) THEN 2 ELSE 0 END,
         greatest(p_delay, s.new_recipient_delay) INTO needed, delay FROM send_rules s;
  why := find_pause('all', 'chain', (SELECT 'chain:' || n.blockchain FROM assets s JOIN networks n USING (network_id)
    WHERE s.asset_id = p_asset));
  IF why IS NOT NULL THEN
    outcome := 'paused'; details := jsonb_build_object('reason', why);
    RETURN;
  END IF;
  SELECT bool_or(address = lower(p_destination)) INTO is_known FROM recipients
   WHERE wallet_id = p_wallet AND look = address_look(p_destination);
  IF NOT is_known THEN outcome := 'lookalike'; RETURN; END IF;
  SELECT user_id INTO owner FROM wallets WHERE wallet_id = p_wallet;
  IF owner IS NULL THEN
    SELECT account_id INTO debit FROM accounts WHERE kind = 'treasury' AND asset_id = p_asset AND user_id IS NULL;
  ELSE
    SELECT account_id INTO debit FROM accounts WHERE user_id = owner AND asset_id = p_asset;
  END IF;
  SELECT account_id INTO credit FROM accounts WHERE kind = 'chain' AND asset_id = p_asset AND user_id IS NULL;
  IF debit IS NULL OR credit IS NULL THEN
    -- Nothing was ever deposited.
    outcome := 'insufficient'; details := '{"available": "0"}';
    RETURN;
  END IF;
  SELECT CASE WHEN refusal_code(m.o_outcomes[1]) = 'limit.exceeded' THEN 'limit' ELSE m.o_outcomes[1] END, m.o_details[1]
    INTO outcome, details FROM ledger_hold_many(ARRAY[(p_id, debit, credit, p_amount, NULL, NULL)::new_hold]) m;
  IF outcome <> 'applied' THEN RETURN; END IF;
  -- From here on it must succeed: without a key this statement is its own database transaction, and the hold stays.
  IF is_known IS NULL AND delay > 0 THEN
    start_at := date_trunc('milliseconds', clock_timestamp()) + delay * interval '1 second';
  END IF;
  INSERT INTO payments (payment_id, state, destination, wallet_id, sender_shown, approvals_needed, not_before)
  VALUES (p_id, 'INITIATED', p_destination, p_wallet, p_shown, needed, start_at);
  IF needed = 0 THEN PERFORM schedule_job(p_job, p_id::text, start_at); END IF;
END $$;
