-- The second of two operators approves a correction, which books it under the correction's id. PostgreSQL refuses an
-- approval by the operator who proposed it (`corrections_two_people`), and a proposal by someone who is no longer an
-- operator. Both operators are identified by their database logins. Outcomes: `booked`, `unknown` (no such correction,
-- or already booked), `insufficient` (the owner's balance is too low).
CREATE OR REPLACE FUNCTION approve_correction(p_id uuid) RETURNS text LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  c     corrections;
  loss  bigint;
  chain bigint;
  other bigint;
  moved text;
  uncounted bigint;
  known     bigint;
  counted   boolean := false;
BEGIN
  PERFORM require_arguments('approve_correction', p_id IS NOT NULL);
  PERFORM refuse_unnamed(session_user);
  SELECT * INTO c FROM corrections WHERE correction_id = p_id AND booked_at IS NULL FOR UPDATE;
  IF NOT FOUND THEN RETURN 'unknown'; END IF;
  PERFORM refuse_unnamed(c.proposed_by, c.proposed_at);
  UPDATE corrections SET approved_by = session_user, booked_at = clock_timestamp() WHERE correction_id = p_id;
  loss := ledger_open_house_account(c.asset_id, 'loss');
  chain := ledger_open_house_account(c.asset_id, 'chain');
  other := coalesce(ledger_account_of_wallet(c.asset_id, c.wallet_id), chain);
  PERFORM ledger_lock_accounts(ARRAY[loss, chain, other]);
  -- Coins that are on the chain but not counted, or counted but gone. If the correction names no wallet, the part that
  -- the sum of all holdings already shows does not need counting again.
  uncounted := c.amount;
  IF c.wallet_id IS NULL THEN
    known := sign(c.amount) * ((SELECT coalesce(sum(h.coins), 0) FROM holdings h WHERE h.asset_id = c.asset_id)
      + (SELECT a.available + a.held FROM accounts a WHERE a.account_id = chain));
    uncounted := sign(c.amount) * greatest(abs(c.amount) - greatest(known, 0), 0);
  END IF;
  counted := uncounted <> 0 AND count_drift(c.asset_id, c.wallet_id, uncounted);
  IF counted AND c.wallet_id IS NOT NULL THEN loss := chain; END IF;
  -- Surplus coins come out of `chain`, as with a deposit. The owner receives them from `chain` if they were counted
  -- just now, and from `loss` otherwise. Missing coins move in the opposite direction.
  IF (c.amount > 0) = (c.wallet_id IS NULL) THEN
    SELECT outcome INTO moved FROM ledger_apply(p_id, 'internal', other, loss, abs(c.amount), NULL, NULL);
  ELSE
    SELECT outcome INTO moved FROM ledger_apply(p_id, 'internal', loss, other, abs(c.amount), NULL, NULL);
  END IF;
  IF moved = 'applied' THEN RETURN 'booked'; END IF;
  IF counted THEN RAISE EXCEPTION 'correction % cannot be booked: %', p_id, moved USING ERRCODE = 'restrict_violation'; END IF;
  UPDATE corrections SET approved_by = NULL, booked_at = NULL WHERE correction_id = p_id;
  RETURN moved;
END $$;
