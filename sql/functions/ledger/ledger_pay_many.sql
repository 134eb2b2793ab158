-- Pays many people from one account, in the order of the arrays: a person's, or the treasury's, which `ledger_pay_batch`
-- never takes. For functions of the database only: the caller has decided that this payer pays these people.
--
-- Outcomes, one each: `applied`; `duplicate` and `mismatch` (the id was used before, for the same payment or for another);
-- `user_paused`, `kyc`, `insufficient` and `limit` as `ledger_hold_many` has them; `key_limit`: more than `p_left`, which is
-- what the payer may spend beside its own limits (NULL: anything). Each payment sees what those before it have left; one
-- that does not fit is passed over. `o_left` is what is left of `p_left`.
--
-- All accounts are locked once, in the order of their ids, before anything is read. Places in the feed are those of
-- batches of payments between people, so one database transaction pays at most once.
CREATE OR REPLACE FUNCTION ledger_pay_many(
  p_debit bigint, p_ids uuid[], p_credits bigint[], p_amounts bigint[], p_from text, p_tos text[], p_typed text[],
  p_left bigint, OUT o_outcomes text[], OUT o_details jsonb[], OUT o_left bigint
) LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_mergejoin = off SET jit = off
  SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  n         integer := cardinality(p_ids);
  base      bigint := ledger_tx_seq();
  at        timestamptz;
  now_hour  integer;
  d         accounts;
  t         tiers;
  available bigint;
  payments  integer := 0;
  spent     bigint := 0;
  a         bigint;
  r         record;
BEGIN
  IF n > 8000 THEN RAISE EXCEPTION 'too many payments in one commit' USING ERRCODE = 'program_limit_exceeded'; END IF;
  o_outcomes := array_fill(NULL::text, ARRAY[n]);
  o_details := array_fill(NULL::jsonb, ARRAY[n]);
  o_left := p_left;
  PERFORM ledger_lock_accounts(p_credits || p_debit);
  -- Under the locks, so that it follows the accounts' earlier rows.
  at := date_trunc('milliseconds', clock_timestamp());
  SELECT * INTO d FROM accounts WHERE account_id = p_debit;
  IF d.kind IS NULL OR d.kind NOT IN ('user', 'treasury') THEN
    RAISE EXCEPTION 'account % pays nobody', p_debit USING ERRCODE = 'foreign_key_violation';
  END IF;
  SELECT * INTO t FROM tiers WHERE tier = d.tier;
  now_hour := greatest(hour_of(at), d.hour);
  IF d.hour < now_hour THEN
    SELECT h.day_payments, h.day_spent, h.month_spent INTO d.day_payments, d.day_spent, d.month_spent
      FROM ledger_turn_hour(now_hour, ARRAY[p_debit], ARRAY[d.hour], ARRAY[d.hour_payments], ARRAY[d.hour_spent]) h;
    d.hour := now_hour; d.hour_payments := 0; d.hour_spent := 0;
  END IF;
  FOR r IN SELECT array_position(p_ids, f.transfer_id) AS nth, f.* FROM find_transfers(p_ids) f LOOP
    o_outcomes[r.nth] := CASE WHEN (r.kind, r.debit_account, r.credit_account, r.amount)
      IS NOT DISTINCT FROM ('user', p_debit, p_credits[r.nth], p_amounts[r.nth]) THEN 'duplicate' ELSE 'mismatch' END;
  END LOOP;

  available := d.available;
  FOR i IN 1..n LOOP
    CONTINUE WHEN o_outcomes[i] IS NOT NULL;
    a := p_amounts[i];
    IF d.paused THEN
      o_outcomes[i] := 'user_paused';
      o_details[i] := (SELECT jsonb_build_object('reason', p.reason) FROM pauses p WHERE p.scope = 'user:' || d.user_id
                        ORDER BY p.paused_at LIMIT 1);
    ELSIF t.payment_limit = 0 THEN
      o_outcomes[i] := 'kyc';
      o_details[i] := (SELECT jsonb_build_object('kyc_status', u.kyc_status) FROM users u WHERE u.user_id = d.user_id);
    ELSIF available < a THEN
      o_outcomes[i] := 'insufficient';
      o_details[i] := jsonb_build_object('available', available::text);
    ELSIF a > t.payment_limit OR d.day_spent + spent + a > t.day_limit OR d.month_spent + spent + a > t.month_limit
      OR d.day_payments + payments >= t.day_payments
    THEN
      o_outcomes[i] := 'limit';
      o_details[i] := broken_limit(t, a, p_debit, now_hour, d.day_payments + payments, d.day_spent + spent,
                                   d.month_spent + spent);
    ELSIF a > o_left THEN
      o_outcomes[i] := 'key_limit';
      o_details[i] := jsonb_build_object('left', o_left);
    ELSE
      o_outcomes[i] := 'applied';
      available := available - a;
      payments := payments + 1;
      spent := spent + a;
      o_left := o_left - a;
    END IF;
  END LOOP;
  -- The counters of a new hour are written also when everything is refused, as elsewhere.
  IF payments = 0 THEN
    UPDATE accounts SET hour = d.hour, hour_payments = d.hour_payments, hour_spent = d.hour_spent,
           day_payments = d.day_payments, day_spent = d.day_spent, month_spent = d.month_spent
     WHERE account_id = p_debit AND hour <> d.hour;
    RETURN;
  END IF;

  INSERT INTO transfers (transfer_id, seq, debit_account, credit_account, amount, debit_entry, credit_entry,
    debit_available, credit_available, created_at, asset_id, kind, from_name, to_name, typed_name, debit_prev, credit_prev)
  SELECT p.id, base + p.nth, p_debit, p.credit, p.amount,
         d.entries + row_number() OVER paid, c.entries + row_number() OVER got,
         d.available - (sum(p.amount) OVER paid)::bigint, c.available + (sum(p.amount) OVER got)::bigint,
         at, d.asset_id, 'user', p_from, p.to_name, p.typed,
         coalesce(base + lag(p.nth) OVER paid, CASE WHEN d.last_entry = d.entries THEN d.last_seq END),
         coalesce(base + lag(p.nth) OVER got, CASE WHEN c.last_entry = c.entries THEN c.last_seq END)
    FROM unnest(p_ids, p_credits, p_amounts, p_tos, p_typed, o_outcomes) WITH ORDINALITY
         AS p(id, credit, amount, to_name, typed, outcome, nth)
    JOIN accounts c ON c.account_id = p.credit AND c.kind = 'user' AND c.asset_id = d.asset_id
   WHERE p.outcome = 'applied'
  WINDOW paid AS (ORDER BY p.nth), got AS (PARTITION BY p.credit ORDER BY p.nth);
  GET DIAGNOSTICS n = ROW_COUNT;
  IF n <> payments THEN
    RAISE EXCEPTION 'not all accounts are users'' accounts of asset %', d.asset_id USING ERRCODE = 'foreign_key_violation';
  END IF;
  UPDATE accounts x
     SET available = x.available + g.amount, entries = x.entries + g.payments, last_seq = base + g.last,
         last_entry = x.entries + g.payments
    FROM (SELECT p.credit, sum(p.amount)::bigint AS amount, count(*) AS payments, max(p.nth) AS last
            FROM unnest(p_credits, p_amounts, o_outcomes) WITH ORDINALITY AS p(credit, amount, outcome, nth)
           WHERE p.outcome = 'applied' GROUP BY p.credit) g
   WHERE x.account_id = g.credit;
  UPDATE accounts x
     SET available = d.available - spent, entries = d.entries + payments, last_entry = d.entries + payments,
         last_seq = base + (SELECT max(p.nth) FROM unnest(o_outcomes) WITH ORDINALITY AS p(outcome, nth)
                             WHERE p.outcome = 'applied'),
         hour = d.hour, hour_payments = d.hour_payments + payments, hour_spent = d.hour_spent + spent,
         day_payments = d.day_payments + payments, day_spent = d.day_spent + spent, month_spent = d.month_spent + spent
   WHERE x.account_id = p_debit;
END $$;
