-- Pays many people from one account, in the order of the array. The payer is a person or the treasury, which
-- `ledger_pay_batch` does not support. Only database functions call it: the caller has decided that this payer pays
-- these people. That the payer agreed with a passkey is decided before: see `confirm_payout`.
--
-- One outcome per payment: `applied`; `duplicate` and `mismatch` (the id was used before, for the same payment or for
-- another); otherwise the refusal of `spending_refusal`. `p_left` is the remaining budget of the payer's service key
-- (NULL: no limit), and `o_left` is the budget that remains afterwards. Each payment sees the balance and limits that
-- earlier payments have left; a payment that does not fit is skipped.
--
-- All accounts are locked once, in the order of their ids, before anything is read. The payments take feed positions
-- from the range of `ledger_pay_batch`, so one database transaction may pay at most once.
CREATE OR REPLACE FUNCTION ledger_pay_many(
  p_debit bigint, p_from text, p_payments new_payment[], p_left bigint,
  OUT o_outcomes text[], OUT o_details jsonb[], OUT o_left bigint
) LANGUAGE plpgsql AS $$
DECLARE
  n       integer := cardinality(p_payments);
  base    bigint := ledger_tx_seq();
  at      timestamptz;
  t       tiers;
  -- The account that pays: as it was, and as the decided payments leave it.
  d       accounts;
  l       accounts;
  refusal text;
  r       record;
BEGIN
  IF n > 8000 THEN RAISE EXCEPTION 'too many payments in one commit' USING ERRCODE = 'program_limit_exceeded'; END IF;
  o_outcomes := array_fill(NULL::text, ARRAY[n]);
  o_details := array_fill(NULL::jsonb, ARRAY[n]);
  o_left := p_left;
  PERFORM ledger_lock_accounts(ARRAY(SELECT u.credit FROM unnest(p_payments) AS u) || p_debit);
  -- Taken under the locks, so that it is later than the accounts' earlier rows.
  at := date_trunc('milliseconds', clock_timestamp());
  SELECT * INTO d FROM accounts WHERE account_id = p_debit;
  IF d.kind IS NULL OR d.kind NOT IN ('user', 'treasury') THEN
    RAISE EXCEPTION 'account % cannot pay people', p_debit USING ERRCODE = 'foreign_key_violation';
  END IF;
  SELECT * INTO t FROM tiers WHERE tier = d.tier;
  l := d;
  IF l.hour < hour_of(at) THEN
    l.hour := hour_of(at);
    SELECT h.day_payments, h.day_spent, h.month_spent INTO l.day_payments, l.day_spent, l.month_spent
      FROM ledger_turn_hour(l.hour, ARRAY[p_debit], ARRAY[d.hour], ARRAY[d.hour_payments], ARRAY[d.hour_spent]) h;
    l.hour_payments := 0;
    l.hour_spent := 0;
  END IF;
  FOR r IN
    SELECT f.*, u.ordinality AS nth, u.credit AS new_credit, u.amount AS new_amount
      FROM transfers f JOIN unnest(p_payments) WITH ORDINALITY AS u ON u.id = f.transfer_id
  LOOP
    o_outcomes[r.nth] := CASE WHEN (r.kind, r.debit_account, r.credit_account, r.amount)
      IS NOT DISTINCT FROM ('user', p_debit, r.new_credit, r.new_amount) THEN 'duplicate' ELSE 'mismatch' END;
  END LOOP;

  FOR r IN SELECT u.amount, u.ordinality AS nth FROM unnest(p_payments) WITH ORDINALITY AS u ORDER BY u.ordinality LOOP
    CONTINUE WHEN o_outcomes[r.nth] IS NOT NULL;
    refusal := spending_refusal(t, l.paused, l.available, l.day_payments, l.day_spent, l.month_spent, r.amount, o_left,
                                NULL);
    IF refusal IS NOT NULL THEN
      o_outcomes[r.nth] := refusal;
      o_details[r.nth] := refusal_details(refusal, t, p_debit, l.available, p_debit, l.hour, l.day_payments, l.day_spent,
                                          l.month_spent, r.amount, o_left);
      CONTINUE;
    END IF;
    o_outcomes[r.nth] := 'applied';
    o_left := o_left - r.amount;
    l.available := l.available - r.amount;
    l.entries := l.entries + 1;
    l.last_seq := base + r.nth;
    l.last_entry := l.entries;
    l.hour_payments := l.hour_payments + 1;
    l.hour_spent := l.hour_spent + r.amount;
    l.day_payments := l.day_payments + 1;
    l.day_spent := l.day_spent + r.amount;
    l.month_spent := l.month_spent + r.amount;
  END LOOP;
  IF l.entries = d.entries THEN
    -- The past hour is already stored in `spendings`, and must not be stored twice.
    IF l.hour <> d.hour THEN PERFORM ledger_write_counters(l); END IF;
    RETURN;
  END IF;

  INSERT INTO transfers (transfer_id, seq, debit_account, credit_account, amount, debit_entry, credit_entry,
    debit_available, credit_available, created_at, asset_id, kind, from_name, to_name, typed_name, debit_prev, credit_prev)
  SELECT p.id, base + p.nth, p_debit, p.credit, p.amount,
         d.entries + row_number() OVER paid, c.entries + row_number() OVER got,
         d.available - (sum(p.amount) OVER paid)::bigint, c.available + (sum(p.amount) OVER got)::bigint,
         at, d.asset_id, 'user', p_from, p.to_name, p.requested_name,
         coalesce(base + lag(p.nth) OVER paid, CASE WHEN d.last_entry = d.entries THEN d.last_seq END),
         coalesce(base + lag(p.nth) OVER got, CASE WHEN c.last_entry = c.entries THEN c.last_seq END)
    FROM unnest(p_payments, o_outcomes) WITH ORDINALITY AS p(id, credit, amount, to_name, requested_name, outcome, nth)
    JOIN accounts c ON c.account_id = p.credit AND c.kind = 'user' AND c.asset_id = d.asset_id
   WHERE p.outcome = 'applied'
  WINDOW paid AS (ORDER BY p.nth), got AS (PARTITION BY p.credit ORDER BY p.nth);
  GET DIAGNOSTICS n = ROW_COUNT;
  IF n <> l.entries - d.entries THEN
    RAISE EXCEPTION 'not all accounts are users'' accounts of asset %', d.asset_id USING ERRCODE = 'foreign_key_violation';
  END IF;
  UPDATE accounts x
     SET available = x.available + g.amount, entries = x.entries + g.payments, last_seq = base + g.last,
         last_entry = x.entries + g.payments
    FROM (SELECT p.credit, sum(p.amount)::bigint AS amount, count(*) AS payments, max(p.nth) AS last
            FROM unnest(p_payments, o_outcomes) WITH ORDINALITY AS p(id, credit, amount, to_name, requested_name, outcome, nth)
           WHERE p.outcome = 'applied' GROUP BY p.credit) g
   WHERE x.account_id = g.credit;
  UPDATE accounts x
     SET available = l.available, entries = l.entries, last_seq = l.last_seq, last_entry = l.last_entry, hour = l.hour,
         hour_payments = l.hour_payments, hour_spent = l.hour_spent, day_payments = l.day_payments, day_spent = l.day_spent,
         month_spent = l.month_spent
   WHERE x.account_id = p_debit;
END $$;
