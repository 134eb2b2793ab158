-- Makes many holds together, in the order of the array, with one outcome per hold. The accounts are locked, read and
-- written once for all holds. Each hold sees the balance and limits that the holds before it have left.
--
-- Outcomes: `applied`; `duplicate` and `mismatch` (the id was used before, for the same hold or for another movement);
-- otherwise the refusal of `spending_refusal`. An array element without `debit` is skipped, and its outcome is NULL.
--
-- Several holds may share the budget of a service key: `budget_at` is its position in `p_left`, which contains the
-- remaining budgets, or NULL. `o_left` contains the budgets that remain afterwards.
CREATE OR REPLACE FUNCTION ledger_hold_many(
  p_holds new_hold[], p_left bigint[] DEFAULT NULL,
  OUT o_at timestamptz, OUT o_outcomes text[], OUT o_details jsonb[], OUT o_left bigint[]
) LANGUAGE plpgsql AS $$
DECLARE
  n           integer := cardinality(p_holds);
  -- The assets of the home network, one per currency: an account of one of these counts its own spending.
  homes       smallint[] := ARRAY(SELECT s.asset_id FROM ledger_state l JOIN assets h ON h.asset_id = l.home_asset
                                    JOIN assets s ON s.network_id = h.network_id);
  now_hour    integer;
  -- Per hold: the account that counts what its owner spends.
  counting    bigint[];
  -- The accounts as they were, then as the decided holds leave them, and their ids in the same order.
  locked      accounts[];
  locked_ids  bigint[];
  -- Per hold: its row in `transfers`.
  debit_entry bigint[] := array_fill(NULL::bigint, ARRAY[n]);
  after_      bigint[] := debit_entry;
  held_after  bigint[] := debit_entry;
  debit_prev  bigint[] := debit_entry;
  place       bigint;
  -- For the current hold: the positions in `locked` of the account that pays and of the account that counts, and both
  -- accounts.
  debit_at    integer;
  counting_at integer;
  d           accounts;
  l           accounts;
  t           tiers;
  budget      bigint;
  refusal     text;
  written     integer;
  h           record;
BEGIN
  o_outcomes := array_fill(NULL::text, ARRAY[n]);
  o_details := array_fill(NULL::jsonb, ARRAY[n]);
  o_left := p_left;
  SELECT array_agg(CASE WHEN u.debit IS NOT NULL THEN coalesce(
           (SELECT x.account_id FROM accounts x WHERE x.account_id = u.debit AND (x.user_id IS NULL OR x.asset_id = ANY (homes))),
           ledger_counting_account(u.debit)) END ORDER BY u.ordinality)
    INTO counting FROM unnest(p_holds) WITH ORDINALITY AS u;
  -- The treasury pays people from its home account and addresses from others, and the ids of both come from payout
  -- rows. The home account serves as the lock under which the ids are compared, so that the later of two payments with one id
  -- gets an outcome instead of an error. For a person, the counting account is their own.
  locked_ids := ARRAY(SELECT u.debit FROM unnest(p_holds) AS u WHERE u.debit IS NOT NULL);
  locked_ids := locked_ids || counting || ARRAY(
    SELECT x.account_id FROM accounts x WHERE x.kind = 'treasury' AND x.asset_id = ANY (homes) AND x.user_id IS NULL
       AND EXISTS (SELECT FROM accounts p WHERE p.account_id = ANY (locked_ids) AND p.kind = 'treasury'));
  locked := ARRAY(SELECT x FROM accounts x WHERE x.account_id = ANY (locked_ids) ORDER BY x.account_id FOR NO KEY UPDATE);
  locked_ids := ARRAY(SELECT x.account_id FROM unnest(locked) AS x ORDER BY 1);
  -- The time of the holds is taken under the locks, so that it is later than the accounts' earlier rows.
  o_at := date_trunc('milliseconds', clock_timestamp());
  now_hour := hour_of(o_at);

  FOR h IN
    SELECT f.*, u.ordinality AS nth, u.debit AS new_debit, u.credit AS new_credit, u.amount AS new_amount
      FROM transfers f JOIN unnest(p_holds) WITH ORDINALITY AS u ON u.id = f.transfer_id
  LOOP
    o_outcomes[h.nth] := CASE WHEN (h.kind, h.debit_account, h.credit_account, h.amount)
      IS NOT DISTINCT FROM ('hold', h.new_debit, h.new_credit, h.new_amount) THEN 'duplicate' ELSE 'mismatch' END;
  END LOOP;

  -- For the first payment of an account in a new hour, day and month are counted again, even if the payment is refused.
  FOR h IN
    SELECT s.*
      FROM (SELECT array_agg(x.account_id) AS ids, array_agg(x.hour) AS hours, array_agg(x.hour_payments) AS payments,
                   array_agg(x.hour_spent) AS spent
              FROM unnest(locked) AS x WHERE x.hour < now_hour AND x.account_id = ANY (counting)) o,
           ledger_turn_hour(now_hour, o.ids, o.hours, o.payments, o.spent) s
     WHERE o.ids IS NOT NULL
  LOOP
    counting_at := array_position(locked_ids, h.account_id);
    l := locked[counting_at];
    l.hour := now_hour;
    l.hour_payments := 0;
    l.hour_spent := 0;
    l.day_payments := h.day_payments;
    l.day_spent := h.day_spent;
    l.month_spent := h.month_spent;
    locked[counting_at] := l;
  END LOOP;

  FOR h IN SELECT u.*, u.ordinality AS nth FROM unnest(p_holds) WITH ORDINALITY AS u ORDER BY u.ordinality LOOP
    debit_at := array_position(locked_ids, h.debit);
    counting_at := array_position(locked_ids, counting[h.nth]);
    CONTINUE WHEN debit_at IS NULL OR o_outcomes[h.nth] IS NOT NULL;
    d := locked[debit_at];
    l := locked[counting_at];
    IF t.tier IS DISTINCT FROM d.tier THEN SELECT * INTO t FROM tiers WHERE tier = d.tier; END IF;
    budget := CASE WHEN h.budget_at IS NOT NULL THEN coalesce(o_left[h.budget_at], 0) END;
    refusal := spending_refusal(t, d.paused, d.available, l.day_payments, l.day_spent, l.month_spent, h.amount, budget,
                                d.passkey_above);
    -- Two conditions, because NULL AND f() evaluates f: every send without a refusal would look for a proof.
    IF refusal = 'passkey' THEN
      IF is_proved_hold(h.id, h.debit, h.party, h.amount) THEN refusal := NULL; END IF;
    END IF;
    IF refusal IS NOT NULL THEN
      o_outcomes[h.nth] := refusal;
      o_details[h.nth] := refusal_details(refusal, t, d.account_id, d.available, l.account_id, l.hour, l.day_payments,
                                          l.day_spent, l.month_spent, h.amount, budget);
      CONTINUE;
    END IF;
    o_outcomes[h.nth] := 'applied';
    IF h.budget_at IS NOT NULL THEN o_left[h.budget_at] := budget - h.amount; END IF;
    IF d.last_entry = d.entries THEN debit_prev[h.nth] := d.last_seq; END IF;
    d.available := d.available - h.amount;
    d.held := d.held + h.amount;
    d.entries := d.entries + 1;
    after_[h.nth] := d.available;
    held_after[h.nth] := d.held;
    debit_entry[h.nth] := d.entries;
    locked[debit_at] := d;
    -- Read again, because it may be the same account.
    l := locked[counting_at];
    l.hour_payments := l.hour_payments + 1;
    l.hour_spent := l.hour_spent + h.amount;
    l.day_payments := l.day_payments + 1;
    l.day_spent := l.day_spent + h.amount;
    l.month_spent := l.month_spent + h.amount;
    locked[counting_at] := l;
  END LOOP;

  UPDATE accounts x
     SET available = u.available, held = u.held, entries = u.entries, hour = u.hour, hour_payments = u.hour_payments,
         hour_spent = u.hour_spent, day_payments = u.day_payments, day_spent = u.day_spent, month_spent = u.month_spent
    FROM unnest(locked) AS u
   WHERE x.account_id = ANY (locked_ids) AND x.account_id = u.account_id
     AND (x.entries, x.hour, x.hour_payments, x.day_payments) IS DISTINCT FROM (u.entries, u.hour, u.hour_payments, u.day_payments);
  place := ledger_next_place(cardinality(array_remove(debit_entry, NULL)));
  INSERT INTO transfers (transfer_id, seq, debit_account, credit_account, amount, debit_entry, debit_available, debit_held,
    created_at, asset_id, kind, debit_prev)
  SELECT m.id, place + row_number() OVER (ORDER BY m.nth) - 1, m.debit, m.credit, m.amount, m.entry, m.available, m.held,
         o_at, x.asset_id, 'hold', m.prev
    FROM unnest(p_holds, debit_entry, after_, held_after, debit_prev) WITH ORDINALITY
         AS m(id, debit, credit, amount, budget_at, party, entry, available, held, prev, nth)
    JOIN unnest(locked) AS x ON x.account_id = m.debit
   WHERE m.entry IS NOT NULL;
  GET DIAGNOSTICS written = ROW_COUNT;
  IF written <> cardinality(array_positions(o_outcomes, 'applied')) THEN
    RAISE EXCEPTION '% rows written for other holds than were accepted', written USING ERRCODE = 'data_corrupted';
  END IF;
END $$;
