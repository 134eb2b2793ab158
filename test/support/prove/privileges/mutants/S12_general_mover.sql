-- S12: the worker may move any balance.
CREATE OR REPLACE FUNCTION ledger_move(
  p_id uuid, p_kind text, p_debit bigint, p_credit bigint, p_amount bigint, p_hold uuid, p_from text,
  OUT outcome text, OUT details jsonb
) LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  at       timestamptz := date_trunc('milliseconds', clock_timestamp());
  hour_no  integer;
  d        accounts;
  c        accounts;
  -- The account whose spending counters are used: the debit account, or the same person's account of the home asset.
  counting bigint := p_debit;
  l        accounts;
  t        tiers;
  old      transfers;
  h        bigint;
  held_in  integer;
  back     bigint := 0;
  credits  boolean := p_kind NOT IN ('hold', 'release');
BEGIN
  IF p_kind IN ('hold', 'post', 'release') THEN counting := ledger_counting_account(p_debit); END IF;
  -- A hold or its release changes nothing in the credit account and does not lock it: all sends share the `chain`
  -- account and would wait for each other's commits.
  PERFORM 1 FROM accounts WHERE account_id = p_debit OR (credits AND account_id = p_credit)
      OR (account_id = counting AND p_kind <> 'post')
   ORDER BY account_id FOR NO KEY UPDATE;
  SELECT * INTO d FROM accounts WHERE account_id = p_debit;
  SELECT * INTO c FROM accounts WHERE account_id = p_credit;
  IF d.asset_id IS NULL OR c.asset_id IS NULL OR d.asset_id <> c.asset_id THEN
    RAISE EXCEPTION 'accounts % and % hold no common asset', p_debit, p_credit USING ERRCODE = 'foreign_key_violation';
  END IF;

  SELECT * INTO old FROM transfers_by_id(ARRAY[p_id]);
  IF FOUND THEN
    outcome := CASE WHEN (old.kind, old.debit_account, old.credit_account, old.amount, old.hold_id)
      IS NOT DISTINCT FROM (p_kind, p_debit, p_credit, p_amount, p_hold) THEN 'duplicate' ELSE 'mismatch' END;
    RETURN;
  END IF;

  IF p_kind IN ('post', 'release') THEN
    SELECT amount, hour_of(created_at) INTO h, held_in FROM transfers
     WHERE transfer_id = p_hold AND kind = 'hold' AND debit_account = p_debit AND credit_account = p_credit;
    IF h IS NULL THEN outcome := 'unknown_hold'; RETURN; END IF;
    IF EXISTS (SELECT FROM transfers WHERE hold_id = p_hold) THEN outcome := 'ended'; RETURN; END IF;
    IF p_amount > h OR (p_kind = 'release' AND p_amount <> h) THEN outcome := 'mismatch'; RETURN; END IF;
    back := h - CASE WHEN p_kind = 'post' THEN p_amount ELSE 0 END;
    d.held := d.held - h;
    d.available := d.available + back;
  ELSE
    IF p_kind = 'hold' THEN
      IF d.paused THEN
        outcome := 'user_paused';
        SELECT jsonb_build_object('reason', p.reason) INTO details FROM pauses p WHERE p.scope = 'user:' || d.user_id;
        RETURN;
      END IF;
      SELECT * INTO t FROM tiers WHERE tier = d.tier;
      IF t.payment_limit = 0 THEN
        outcome := 'kyc';
        SELECT jsonb_build_object('kyc_status', u.kyc_status) INTO details FROM users u WHERE u.user_id = d.user_id;
        RETURN;
      END IF;
    END IF;
    IF d.available < p_amount AND d.kind NOT IN ('chain', 'loss') THEN
      outcome := 'insufficient';
      details := jsonb_build_object('available', d.available::text);
      RETURN;
    END IF;
    IF p_kind = 'hold' THEN
      SELECT * INTO l FROM accounts WHERE account_id = counting;
      hour_no := greatest(l.hour, hour_of(at));
      IF l.hour < hour_no THEN
        SELECT n.day_payments, n.day_spent, n.month_spent INTO l.day_payments, l.day_spent, l.month_spent
          FROM ledger_turn_hour(hour_no, ARRAY[counting], ARRAY[l.hour], ARRAY[l.hour_payments], ARRAY[l.hour_spent]) n;
        l.hour := hour_no;
        l.hour_payments := 0;
        l.hour_spent := 0;
        -- Also when the payment is refused below: the past hour is stored in `spendings` and must not be stored twice.
        PERFORM ledger_write_counters(l);
      END IF;
      details := broken_limit(t, p_amount, counting, l.hour, l.day_payments, l.day_spent, l.month_spent);
      IF details IS NOT NULL THEN outcome := 'limit'; RETURN; END IF;
      l.hour_payments := l.hour_payments + 1;
      l.hour_spent := l.hour_spent + p_amount;
      l.day_payments := l.day_payments + 1;
      l.day_spent := l.day_spent + p_amount;
      l.month_spent := l.month_spent + p_amount;
      PERFORM ledger_write_counters(l);
      d.held := d.held + p_amount;
    END IF;
    d.available := d.available - p_amount;
  END IF;

  INSERT INTO transfers (transfer_id, seq, debit_account, credit_account, amount, debit_entry, credit_entry,
    debit_available, credit_available, debit_held, created_at, asset_id, kind, hold_id, from_name,
    debit_prev)
  VALUES (p_id, ledger_next_place(1), p_debit, p_credit, p_amount, d.entries + 1, CASE WHEN credits THEN c.entries + 1 END,
    d.available, CASE WHEN credits THEN c.available + p_amount END,
    CASE WHEN p_kind IN ('hold', 'post', 'release') THEN d.held END, at, d.asset_id, p_kind, p_hold, p_from,
    CASE WHEN d.last_entry = d.entries THEN d.last_seq END);
  UPDATE accounts SET available = d.available, held = d.held, entries = d.entries + 1 WHERE account_id = p_debit;
  IF credits THEN
    UPDATE accounts SET available = c.available + p_amount, entries = c.entries + 1 WHERE account_id = p_credit;
  END IF;
  IF back > 0 THEN PERFORM ledger_give_back(counting, held_in, back, p_kind = 'release'); END IF;
  outcome := 'applied';
END $$;
GRANT EXECUTE ON FUNCTION ledger_move TO {worker};
