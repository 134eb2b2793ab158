-- Applies one movement that its owner does not decide, inside the caller's database transaction. It checks no limit and
-- no pause. It can move any balance, so no login may call it; only functions with one narrow purpose do. Returns
-- `applied`; `duplicate` if the same movement was applied before; or why it cannot be applied: `mismatch` (the id
-- belongs to another movement), `insufficient`, `unknown_hold`, `ended` (another movement has ended the hold). The
-- checks run in this order; after the last one the movement must succeed.
CREATE OR REPLACE FUNCTION ledger_apply(
  p_id uuid, p_kind text, p_debit bigint, p_credit bigint, p_amount bigint, p_hold uuid, p_from text,
  OUT outcome text, OUT details jsonb
) LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
  at       timestamptz := date_trunc('milliseconds', clock_timestamp());
  d        accounts;
  c        accounts;
  ends     boolean := p_kind IN ('post', 'release');
  -- The account that counts the spending of the hold's owner.
  counting bigint;
  old      transfers;
  h        bigint;
  held_in  integer;
  back     bigint := 0;
  credits  boolean := p_kind <> 'release';
BEGIN
  PERFORM require_arguments('ledger_apply', num_nulls(p_id, p_debit, p_credit) = 0 AND p_amount > 0
    AND p_kind IN ('deposit', 'internal', 'post', 'release') AND ends = (p_hold IS NOT NULL));
  IF ends THEN counting := ledger_counting_account(p_debit); END IF;
  -- A release changes nothing in the credit account and does not lock it. All sends share the `chain` account and would
  -- otherwise wait for each other's commits.
  PERFORM FROM accounts WHERE account_id = ANY (ARRAY[p_debit, CASE WHEN credits THEN p_credit ELSE counting END])
   ORDER BY account_id FOR NO KEY UPDATE;
  SELECT * INTO d FROM accounts WHERE account_id = p_debit;
  SELECT * INTO c FROM accounts WHERE account_id = p_credit;
  IF (d.asset_id = c.asset_id) IS NOT TRUE THEN
    RAISE EXCEPTION 'accounts % and % hold no common asset', p_debit, p_credit USING ERRCODE = 'foreign_key_violation';
  END IF;

  SELECT * INTO old FROM transfers_by_id(ARRAY[p_id]);
  IF FOUND THEN
    outcome := CASE WHEN (old.kind, old.debit_account, old.credit_account, old.amount, old.hold_id)
      IS NOT DISTINCT FROM (p_kind, p_debit, p_credit, p_amount, p_hold) THEN 'duplicate' ELSE 'mismatch' END;
    RETURN;
  END IF;

  IF ends THEN
    SELECT amount, hour_of(created_at) INTO h, held_in FROM transfers
     WHERE transfer_id = p_hold AND kind = 'hold' AND debit_account = p_debit AND credit_account = p_credit;
    IF h IS NULL THEN outcome := 'unknown_hold'; RETURN; END IF;
    IF EXISTS (SELECT FROM transfers WHERE hold_id = p_hold) THEN outcome := 'ended'; RETURN; END IF;
    IF p_amount > h OR (p_kind = 'release' AND p_amount <> h) THEN outcome := 'mismatch'; RETURN; END IF;
    back := h - CASE WHEN p_kind = 'post' THEN p_amount ELSE 0 END;
    d.held := d.held - h;
    d.available := d.available + back;
  ELSE
    IF d.available < p_amount AND d.kind NOT IN ('chain', 'loss') THEN
      outcome := 'insufficient';
      details := jsonb_build_object('available', d.available::text);
      RETURN;
    END IF;
    d.available := d.available - p_amount;
  END IF;

  INSERT INTO transfers (transfer_id, seq, debit_account, credit_account, amount, debit_entry, credit_entry,
    debit_available, credit_available, debit_held, created_at, asset_id, kind, hold_id, from_name)
  VALUES (p_id, ledger_next_place(1), p_debit, p_credit, p_amount, d.entries + 1, CASE WHEN credits THEN c.entries + 1 END,
    d.available, CASE WHEN credits THEN c.available + p_amount END,
    CASE WHEN ends THEN d.held END, at, d.asset_id, p_kind, p_hold, p_from);
  UPDATE accounts SET available = d.available, held = d.held, entries = d.entries + 1 WHERE account_id = p_debit;
  IF credits THEN
    UPDATE accounts SET available = c.available + p_amount, entries = c.entries + 1 WHERE account_id = p_credit;
  END IF;
  IF back > 0 THEN PERFORM ledger_give_back(counting, held_in, back, p_kind = 'release'); END IF;
  outcome := 'applied';
END $$;
