-- The second of two people approves a correction, and with that it is booked, under the correction's id. PostgreSQL
-- refuses the person who proposed it (`corrections_two_people`), and a proposal of somebody who is no operator any more. Both
-- are known by their database logins. Outcomes: `booked`, `unknown` (no such correction, or
-- booked before), `insufficient` (the owner has less than they are to give).
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
  -- Coins that the chain has and nobody has counted, or that are counted and gone. Where no wallet is named, what the sum of all
  -- coins shows already is counted.
  uncounted := c.amount;
  IF c.wallet_id IS NULL THEN
    known := sign(c.amount) * ((SELECT coalesce(sum(h.coins), 0) FROM holdings h WHERE h.asset_id = c.asset_id)
      + (SELECT a.available + a.held FROM accounts a WHERE a.account_id = chain));
    uncounted := sign(c.amount) * greatest(abs(c.amount) - greatest(known, 0), 0);
  END IF;
  counted := uncounted <> 0 AND count_drift(c.asset_id, c.wallet_id, uncounted);
  IF counted AND c.wallet_id IS NOT NULL THEN loss := chain; END IF;
  -- Coins that the chain has come out of `chain`, as a deposit's do. An owner gets them from there if they were counted just
  -- now, and else out of `loss`; and gives what is gone to where it went.
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
