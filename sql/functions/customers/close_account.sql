-- Closes an account permanently, or returns the code and details of the refusal; NULL on success. It locks the person,
-- so that they cannot log in, ask for money or be asked meanwhile, and then their accounts, where payments to them
-- wait. A payment that has waited finds that the names have changed and looks the receiver up again. Payouts from this
-- person's money that may still pay prevent closing; unconfirmed payouts are cancelled. Sessions and account keys end,
-- and passkeys are deleted. The name no longer resolves, and is withheld from others for `p_name_days`, like any name
-- that is given up. Coins that arrive on the chain later are booked; the pause prevents anyone from spending them.
CREATE OR REPLACE FUNCTION close_account(p_user uuid, p_name_days integer) RETURNS jsonb LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  closed   timestamptz;
  money    record;
  payments bigint;
  requests bigint;
  payouts_ bigint;
  p        payouts;
BEGIN
  PERFORM require_arguments('close_account', p_user IS NOT NULL AND p_name_days BETWEEN 0 AND 3660);
  SELECT closed_at INTO STRICT closed FROM users WHERE user_id = p_user FOR NO KEY UPDATE;
  IF closed IS NOT NULL THEN RETURN '{"code": "account.closed"}'; END IF;
  PERFORM FROM accounts WHERE user_id = p_user ORDER BY account_id FOR NO KEY UPDATE;
  SELECT coalesce(sum(a.available), 0) AS available, coalesce(sum(a.held), 0) AS held,
         (SELECT coalesce(sum(d.amount - d.collected), 0) FROM debts d JOIN accounts x USING (account_id)
           WHERE x.user_id = p_user AND d.collected < d.amount) AS owed
    INTO money FROM accounts a WHERE a.user_id = p_user;
  -- Holds that have not ended, and coins that have arrived but are not final. LIMIT makes this one lookup per hold: as an
  -- anti-join it would read all transfers where they have no statistics.
  payments := (SELECT count(*) FROM accounts a JOIN transfers t ON t.debit_account = a.account_id AND t.kind = 'hold'
                WHERE a.user_id = p_user AND a.held > 0
                  AND (SELECT e.transfer_id FROM transfers e WHERE e.hold_id = t.transfer_id LIMIT 1) IS NULL)
            + (SELECT count(*) FROM owner_wallets w JOIN pending_deposits d USING (wallet_id, asset_id) WHERE w.user_id = p_user);
  requests := (SELECT count(*) FROM money_requests
                WHERE (asker_id = p_user OR payer_id = p_user) AND state = 'open' AND expires_at > clock_timestamp());
  -- A payout that is being stopped starts nothing more. Its sends are holds, which are counted above.
  payouts_ := (SELECT count(*) FROM payouts WHERE payer_id = p_user AND state IN ('approving', 'running', 'waiting'));
  IF money.available > 0 OR money.held > 0 OR money.owed > 0 OR payments > 0 OR requests > 0 OR payouts_ > 0 THEN
    RETURN jsonb_build_object('code', 'account.not_empty', 'details', jsonb_build_object(
      'available', money.available::text, 'held', money.held::text, 'owed', money.owed::text,
      'open_payments', payments, 'open_requests', requests, 'open_payouts', payouts_));
  END IF;
  FOR p IN SELECT * FROM payouts WHERE payer_id = p_user AND state = 'checked' ORDER BY payout_id FOR UPDATE LOOP
    PERFORM stop_payout(p);
    PERFORM write_audit('user:' || p_user, 'payout.cancelled', p_user, jsonb_build_object('payout_id', p.payout_id));
  END LOOP;
  UPDATE users SET closed_at = date_trunc('milliseconds', clock_timestamp()) WHERE user_id = p_user;
  UPDATE sessions SET ended_at = now(), ended_because = 'revoked' WHERE user_id = p_user AND ended_at IS NULL;
  PERFORM FROM service_keys WHERE user_id = p_user AND revoked_at IS NULL ORDER BY key_id FOR NO KEY UPDATE;
  UPDATE service_keys SET revoked_at = now() WHERE user_id = p_user AND revoked_at IS NULL;
  UPDATE usernames SET redirect_until = now() + make_interval(days => p_name_days)
   WHERE user_id = p_user AND redirect_until IS NULL;
  PERFORM forget_passkeys(p_user);
  PERFORM pause_payments('user:' || p_user, 'closed', 'the account is closed', 'accepting', 'user:' || p_user);
  PERFORM write_audit('user:' || p_user, 'account.closed', p_user, '{}');
  RETURN NULL;
END $$;
