-- Makes many holds in one go, one outcome each, in the order of the arrays: what `ledger_apply` decides about a hold, but
-- the accounts are locked, read and written once for all. Each hold sees the balance and limits that those before it
-- have left. Outcomes are those of `ledger_apply`. A NULL in `p_debits` is no hold, and NULL is returned for it.
--
-- Several holds may share a budget beside their accounts: `p_budget_at` is per hold its place in `p_left`, which is what the
-- budgets have left, or NULL. `key_limit`: the hold is more than that; `details` say how much is left. `o_left`: what is
-- left afterwards.
CREATE OR REPLACE FUNCTION ledger_hold_many(
  p_ids uuid[], p_debits bigint[], p_credits bigint[], p_amounts bigint[],
  p_budget_at integer[] DEFAULT NULL, p_left bigint[] DEFAULT NULL,
  OUT o_at timestamptz, OUT o_outcomes text[], OUT o_details jsonb[], OUT o_left bigint[]
) LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_mergejoin = off SET jit = off AS $$
DECLARE
  now_hour    integer;
  home        smallint := (SELECT home_asset FROM ledger_state);
  -- The distinct accounts, ascending; the arrays below have the same order.
  accounts_   bigint[];
  found_      bigint[];
  available_  bigint[];
  held_       bigint[];
  entries_    bigint[];
  tiers_      smallint[];
  paused_     boolean[];
  assets_     smallint[];
  hours       integer[];
  hour_sends  integer[];
  hour_spent_ bigint[];
  day_sends   integer[];
  day_spent_  bigint[];
  month_spent_ bigint[];
  last_seqs   bigint[];
  last_entry_ bigint[];
  -- Per hold: the positions of the debit account and of the account that counts what its owner spends.
  debit_at    integer[];
  counting_at integer[];
  counting    bigint[];
  turning     integer[];
  debit_entry bigint[] := array_fill(NULL::bigint, ARRAY[cardinality(p_ids)]);
  after_      bigint[] := debit_entry;
  debit_prev  bigint[] := debit_entry;
  held_after  bigint[] := debit_entry;
  place       bigint;
  d           integer;
  c           integer;
  a           bigint;
  t           tiers;
  written     integer;
  r           record;
BEGIN
  o_outcomes := array_fill(NULL::text, ARRAY[cardinality(p_ids)]);
  o_details := array_fill(NULL::jsonb, ARRAY[cardinality(p_ids)]);
  o_left := p_left;
  counting := ARRAY(SELECT CASE WHEN u.debit IS NOT NULL THEN coalesce(
                (SELECT x.account_id FROM accounts x WHERE x.account_id = u.debit AND (x.user_id IS NULL OR x.asset_id = home)),
                ledger_counting_account(u.debit)) END
              FROM unnest(p_debits) WITH ORDINALITY AS u(debit, n) ORDER BY u.n);
  -- The treasury pays people from its home account and addresses from others, under ids of one kind (rows of payouts). No
  -- index has both, so the home account is the lock under which they are compared. A person's counting account is theirs.
  accounts_ := ARRAY(SELECT DISTINCT u FROM unnest(p_debits || counting || ARRAY(
                       SELECT h.account_id FROM accounts h WHERE h.kind = 'treasury' AND h.asset_id = home AND h.user_id IS NULL
                          AND EXISTS (SELECT FROM accounts x WHERE x.account_id = ANY (p_debits) AND x.kind = 'treasury'))) u
                      WHERE u IS NOT NULL ORDER BY 1);
  SELECT array_agg(x.account_id), array_agg(x.available), array_agg(x.held), array_agg(x.entries), array_agg(x.tier),
         array_agg(x.paused), array_agg(x.asset_id), array_agg(x.hour), array_agg(x.hour_payments),
         array_agg(x.hour_spent), array_agg(x.day_payments), array_agg(x.day_spent), array_agg(x.month_spent), array_agg(x.last_seq), array_agg(x.last_entry)
    INTO found_, available_, held_, entries_, tiers_, paused_, assets_, hours, hour_sends, hour_spent_, day_sends,
         day_spent_, month_spent_, last_seqs, last_entry_
    FROM (SELECT * FROM accounts WHERE account_id = ANY (accounts_) ORDER BY account_id FOR NO KEY UPDATE) x;
  -- The time of the holds, taken under the locks, so that it follows the account's earlier rows.
  o_at := date_trunc('milliseconds', clock_timestamp());
  now_hour := hour_of(o_at);
  SELECT array_agg(array_position(found_, u.debit)), array_agg(array_position(found_, u.counting))
    INTO debit_at, counting_at
    FROM (SELECT * FROM unnest(p_debits, counting) WITH ORDINALITY AS u(debit, counting, n) ORDER BY n) u;

  FOR r IN
    SELECT array_position(p_ids, f.transfer_id) AS nth, f.* FROM find_transfers(p_ids) f
  LOOP
    o_outcomes[r.nth] := CASE WHEN (r.kind, r.debit_account, r.credit_account, r.amount)
      IS NOT DISTINCT FROM ('hold', p_debits[r.nth], p_credits[r.nth], p_amounts[r.nth]) THEN 'duplicate' ELSE 'mismatch' END;
  END LOOP;

  -- The first payment of an account in a new hour: its day and month are counted again, also when it is refused.
  IF now_hour > ANY (hours) THEN
    turning := ARRAY(SELECT DISTINCT u.c FROM unnest(counting_at) AS u(c) WHERE hours[u.c] < now_hour ORDER BY 1);
    FOR r IN
      SELECT array_position(found_, n.account_id) AS nth, n.*
        FROM (SELECT array_agg(found_[u.c]) AS ids, array_agg(hours[u.c]) AS hours, array_agg(hour_sends[u.c]) AS sends,
                     array_agg(hour_spent_[u.c]) AS spent FROM unnest(turning) AS u(c)) o,
             ledger_turn_hour(now_hour, o.ids, o.hours, o.sends, o.spent) n
    LOOP
      hours[r.nth] := now_hour;
      hour_sends[r.nth] := 0;
      hour_spent_[r.nth] := 0;
      day_sends[r.nth] := r.day_payments;
      day_spent_[r.nth] := r.day_spent;
      month_spent_[r.nth] := r.month_spent;
    END LOOP;
  END IF;

  FOR i IN 1..cardinality(p_ids) LOOP
    d := debit_at[i];
    c := counting_at[i];
    a := p_amounts[i];
    CONTINUE WHEN d IS NULL OR o_outcomes[i] IS NOT NULL;
    IF paused_[d] THEN
      o_outcomes[i] := 'user_paused';
      o_details[i] := (SELECT jsonb_build_object('reason', p.reason) FROM accounts x
                         JOIN pauses p ON p.scope = 'user:' || x.user_id WHERE x.account_id = p_debits[i]
                        ORDER BY p.paused_at LIMIT 1);
      CONTINUE;
    END IF;
    IF t.tier IS DISTINCT FROM tiers_[d] THEN SELECT * INTO t FROM tiers WHERE tier = tiers_[d]; END IF;
    IF t.payment_limit = 0 THEN
      o_outcomes[i] := 'kyc';
      o_details[i] := (SELECT jsonb_build_object('kyc_status', u.kyc_status) FROM accounts x JOIN users u USING (user_id)
                        WHERE x.account_id = p_debits[i]);
    ELSIF available_[d] < a THEN
      o_outcomes[i] := 'insufficient';
      o_details[i] := jsonb_build_object('available', available_[d]::text);
    ELSIF a > t.payment_limit OR day_spent_[c] + a > t.day_limit OR month_spent_[c] + a > t.month_limit
      OR day_sends[c] >= t.day_payments
    THEN
      o_outcomes[i] := 'limit';
      o_details[i] := broken_limit(t, a, counting[i], hours[c], day_sends[c], day_spent_[c], month_spent_[c]);
    ELSIF p_budget_at[i] IS NOT NULL AND (a <= o_left[p_budget_at[i]]) IS NOT TRUE THEN
      o_outcomes[i] := 'key_limit';
      o_details[i] := jsonb_build_object('left', o_left[p_budget_at[i]]);
    ELSE
      o_outcomes[i] := 'applied';
      IF p_budget_at[i] IS NOT NULL THEN o_left[p_budget_at[i]] := o_left[p_budget_at[i]] - a; END IF;
      available_[d] := available_[d] - a;
      after_[i] := available_[d];
      held_[d] := held_[d] + a;
      held_after[i] := held_[d];
      IF last_entry_[d] = entries_[d] THEN debit_prev[i] := last_seqs[d]; END IF;
      entries_[d] := entries_[d] + 1;
      debit_entry[i] := entries_[d];
      hour_sends[c] := hour_sends[c] + 1;
      hour_spent_[c] := hour_spent_[c] + a;
      day_sends[c] := day_sends[c] + 1;
      day_spent_[c] := day_spent_[c] + a;
      month_spent_[c] := month_spent_[c] + a;
    END IF;
  END LOOP;

  UPDATE accounts x
     SET available = u.available, held = u.held, entries = u.entries, hour = u.hour, hour_payments = u.hour_payments,
         hour_spent = u.hour_spent, day_payments = u.day_payments, day_spent = u.day_spent, month_spent = u.month_spent
    FROM unnest(found_, available_, held_, entries_, hours, hour_sends, hour_spent_, day_sends, day_spent_, month_spent_)
         AS u(account_id, available, held, entries, hour, hour_payments, hour_spent, day_payments, day_spent, month_spent)
   WHERE x.account_id = ANY (found_) AND x.account_id = u.account_id
     AND (x.entries, x.hour, x.hour_payments, x.day_payments) IS DISTINCT FROM (u.entries, u.hour, u.hour_payments, u.day_payments);
  place := ledger_next_place(cardinality(array_remove(debit_entry, NULL)));
  INSERT INTO transfers (transfer_id, seq, debit_account, credit_account, amount, debit_entry, debit_available, debit_held,
    created_at, asset_id, kind, debit_prev)
  SELECT h.id, place + row_number() OVER (ORDER BY h.n) - 1, h.debit, h.credit, h.amount, h.entry, h.available, h.held,
         o_at, assets_[h.at], 'hold', h.prev
    FROM unnest(p_ids, p_debits, p_credits, p_amounts, debit_entry, after_, held_after, debit_at, debit_prev) WITH ORDINALITY
         AS h(id, debit, credit, amount, entry, available, held, at, prev, n)
   WHERE h.entry IS NOT NULL;
  GET DIAGNOSTICS written = ROW_COUNT;
  IF written <> cardinality(array_positions(o_outcomes, 'applied')) THEN
    RAISE EXCEPTION '% rows written for other holds than were accepted', written USING ERRCODE = 'data_corrupted';
  END IF;
END $$;
