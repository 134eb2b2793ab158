-- The second of two operators approves a correction, which books it under the correction's id. PostgreSQL refuses an
-- approval by the operator who proposed it (`corrections_two_people`), and a proposal by someone who is no longer an
-- operator. Both operators are identified by their database logins. Outcomes: `booked`, `unknown` (no such correction,
-- or already booked), `insufficient` (the owner's balance is too low).
--
-- Only with `p_forced` does it book a correction that makes the difference between coins and ledger larger, or turns it
-- around (`corrections_make_no_difference`). A correction of a wallet changes no difference, because its owner and
-- `loss` bear it; there, the same amount was probably booked before (`corrections_book_once`).
CREATE OR REPLACE FUNCTION book_correction(p_id uuid, p_forced boolean) RETURNS text LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  c     corrections;
  loss  bigint;
  chain bigint;
  other bigint;
  moved text;
  uncounted bigint;
  before    bigint;
  after     bigint;
  counted   boolean := false;
BEGIN
  PERFORM require_arguments('book_correction', num_nulls(p_id, p_forced) = 0);
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
    before := (SELECT coalesce(sum(h.coins), 0) FROM holdings h WHERE h.asset_id = c.asset_id)
      + (SELECT a.available + a.held FROM accounts a WHERE a.account_id = chain);
    uncounted := sign(c.amount) * greatest(abs(c.amount) - greatest(sign(c.amount) * before, 0), 0);
  END IF;
  counted := uncounted <> 0 AND count_drift(c.asset_id, c.wallet_id, uncounted);
  after := before + CASE WHEN counted THEN uncounted ELSE 0 END - c.amount;
  IF NOT p_forced AND after NOT BETWEEN least(before, 0) AND greatest(before, 0) THEN
    RAISE EXCEPTION 'correction % would create a difference', p_id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'corrections_make_no_difference';
  END IF;
  IF NOT p_forced AND EXISTS (SELECT FROM corrections o WHERE o.asset_id = c.asset_id AND o.wallet_id = c.wallet_id
       AND o.amount = c.amount AND o.booked_at IS NOT NULL AND o.correction_id <> p_id) THEN
    RAISE EXCEPTION 'correction % repeats another one', p_id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'corrections_book_once';
  END IF;
  IF counted AND c.wallet_id IS NOT NULL THEN loss := chain; END IF;
  -- Surplus coins come out of `chain`, as with a deposit. The owner receives them from `chain` if they were counted
  -- just now, and from `loss` otherwise. Missing coins move in the opposite direction.
  IF (c.amount > 0) = (c.wallet_id IS NULL) THEN
    SELECT outcome INTO moved FROM ledger_apply(p_id, 'internal', other, loss, abs(c.amount), NULL, NULL);
  ELSE
    SELECT outcome INTO moved FROM ledger_apply(p_id, 'internal', loss, other, abs(c.amount), NULL, NULL);
  END IF;
  IF moved = 'applied' THEN
    PERFORM write_audit('operator:' || session_user, 'correction.booked',
      (SELECT w.user_id FROM wallets w WHERE w.wallet_id = c.wallet_id),
      jsonb_build_object('correction_id', p_id, 'reason', c.reason, 'forced', p_forced::text));
    RETURN 'booked';
  END IF;
  IF counted THEN RAISE EXCEPTION 'correction % cannot be booked: %', p_id, moved USING ERRCODE = 'restrict_violation'; END IF;
  UPDATE corrections SET approved_by = NULL, booked_at = NULL WHERE correction_id = p_id;
  RETURN moved;
END $$;
