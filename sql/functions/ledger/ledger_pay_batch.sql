-- Pays a whole batch in one statement, with one outcome per payment: locks the accounts once, in the order of their
-- ids, decides in memory, in the order of the arrays, and writes once. The more payments share an account, the less
-- each costs.
--
-- `p_accounts` are the distinct accounts, ascending; `p_debits` and `p_credits` are positions in it, 0 where the person
-- or the name is unknown. `p_net`, `p_out`, `p_sends`, `p_touches` and `p_lasts` are, per account, what it would gain, what
-- it would spend, in how many payments, how many rows it would get and which payment would be its last if every payment
-- were accepted. Usually all are, so
-- this is written first. Where a payment is refused, the values are corrected before the commit.
--
-- Nothing is written, and `o_exceptions` says so, when the epoch of sessions is no longer `p_sessions` and
-- `p_sessions_random` (`changed`; NULL: no payment of the batch belongs to a session) or that of names no longer `p_names`
-- and `p_names_random` (`stale`).
--
-- Duplicates are checked after locking: another batch that paid under the same id has committed by then. Returns the
-- balance after every accepted payment; the others are in `o_exceptions`, by position: `old` is a payment or refusal
-- that was stored before, `same` whether it was the same request, `note` its stored note (null: it was removed; absent: it
-- had none; the caller compares it), `code` a new refusal.
--
-- The settings fix the plans: a plan made while the tables were empty would always read whole tables. With `= ANY (…)`
-- PostgreSQL reads an index once for all keys, in their order, which is also the order of the locks (a bitmap scan
-- would lock in the order of the pages, and two batches could deadlock).
--
-- PostgreSQL 18 returns a row as it was before an update (`RETURNING old.available`). Older versions read and lock the
-- accounts first, in the same order, under the same name `old`; that cost 15 of 67 µs per payment.
CREATE OR REPLACE FUNCTION ledger_pay_batch(
  p_sessions bigint, p_sessions_random bigint, p_asset smallint, p_names bigint, p_names_random bigint,
  p_accounts bigint[], p_net bigint[], p_out bigint[], p_sends integer[], p_touches integer[], p_lasts integer[],
  p_ids uuid[], p_keyed boolean[], p_debits integer[], p_credits integer[], p_amounts bigint[],
  p_froms text[], p_tos text[], p_typed text[],
  OUT o_at_ms bigint, OUT o_available bigint[], OUT o_exceptions jsonb
) LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_mergejoin = off SET enable_nestloop = off
  SET jit = off SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  at          timestamptz := date_trunc('milliseconds', clock_timestamp());
  hour_no     integer := hour_of(at);
  n           integer := cardinality(p_ids);
  k           integer := cardinality(p_accounts);
  base        bigint;
  upto        bigint;
  is_stale    boolean;
  is_changed  boolean;
  paused      text;
  t           tiers;
  -- By their number.
  all_tiers   tiers[];
  -- Per account: -1 when the person is paused.
  tier_no     smallint[];
  -- By the position of the account: the amount above which its owner wants to be asked. NULL if no account has one.
  asked_above jsonb;
  turned      jsonb;
  -- Per account: as it was, then as the decided payments leave it.
  balance     bigint[];
  entry       bigint[];
  spent_day   bigint[];
  spent_month bigint[];
  sends       integer[];
  -- The `seq` of the account's last row; NULL where it is not known.
  last        bigint[];
  -- Per account: as it was written when everything was expected to be accepted.
  new_balance bigint[];
  new_entry   bigint[];
  new_day     bigint[];
  new_month   bigint[];
  new_sends   integer[];
  new_last    bigint[];
  debit_entry      bigint[] := array_fill(NULL::bigint, ARRAY[n]);
  credit_entry     bigint[] := debit_entry;
  credit_available bigint[] := debit_entry;
  debit_prev       bigint[] := debit_entry;
  credit_prev      bigint[] := debit_entry;
  known       boolean := false;
  written     integer;
  d           integer;
  c           integer;
  a           bigint;
  refusal     text;
  details     jsonb;
  found_old   record;
BEGIN
  -- Checked before anything else. The five arrays about accounts need no other check: whatever they say is corrected
  -- below, except that an account that pays must have been counted as one (`p_sends`), or its spending would stay in a
  -- past hour.
  IF (n BETWEEN 1 AND 8000 AND is_list(p_accounts, k) AND is_list(p_net, k) AND is_list(p_out, k) AND is_list(p_sends, k)
      AND is_list(p_touches, k) AND is_list(p_lasts, k) AND is_list(p_ids, n) AND is_list(p_keyed, n)
      AND is_list(p_debits, n) AND is_list(p_credits, n) AND is_list(p_amounts, n) AND is_list(p_froms, n)
      AND is_list(p_tos, n) AND is_list(p_typed, n) AND array_position(p_ids, NULL) IS NULL
      AND array_position(p_keyed, NULL) IS NULL AND 0 <= ALL (p_debits) AND k >= ALL (p_debits)
      AND 0 <= ALL (p_credits) AND k >= ALL (p_credits) AND 0 <= ALL (p_sends) AND is_amount(VARIADIC p_amounts)) IS NOT TRUE
    OR current_setting('transaction_isolation') <> 'read committed'
  THEN
    PERFORM refuse_call('ledger_pay_batch');
  END IF;
  o_at_ms := extract(epoch FROM at) * 1000;
  o_available := debit_entry;
  o_exceptions := '{}';
  -- `upto`: movements of this batch must come after it (see `ledger_tx_seq`).
  SELECT seq_base, (SELECT seq - 1 FROM kept_positions),
         names_epoch IS DISTINCT FROM p_names OR names_random IS DISTINCT FROM p_names_random,
         sessions_epoch <> p_sessions OR (p_sessions IS NOT NULL AND sessions_random IS DISTINCT FROM p_sessions_random)
    INTO base, upto, is_stale, is_changed FROM ledger_state;
  IF is_changed THEN o_exceptions := '{"changed": true}'; RETURN; END IF;
  IF is_stale THEN o_exceptions := '{"stale": true}'; RETURN; END IF;
  base := base + pg_current_xact_id()::text::bigint * 65536;
  IF base <= upto THEN base := ledger_tx_seq(); END IF;
  FOR t IN SELECT * FROM tiers LOOP
    all_tiers[t.tier] := t;
  END LOOP;

  WITH
  -- { before PostgreSQL 18
  old AS MATERIALIZED (
    SELECT account_id, available, entries, hour, hour_payments, hour_spent, last_seq, last_entry FROM accounts
     WHERE account_id = ANY (p_accounts) ORDER BY account_id FOR NO KEY UPDATE
  ),
  -- }
  written AS (
    UPDATE accounts x
       SET available = CASE WHEN x.available + u.net >= 0 THEN x.available + u.net ELSE x.available END,
           entries = x.entries + u.touches,
           last_seq = CASE WHEN u.touches > 0 THEN base + u.last ELSE x.last_seq END,
           last_entry = CASE WHEN u.touches > 0 THEN x.entries + u.touches ELSE x.last_entry END,
           hour = CASE WHEN u.sends > 0 THEN greatest(x.hour, hour_no) ELSE x.hour END,
           hour_payments = CASE WHEN u.sends = 0 OR x.hour >= hour_no THEN x.hour_payments ELSE 0 END + u.sends,
           hour_spent = CASE WHEN u.sends = 0 OR x.hour >= hour_no THEN x.hour_spent ELSE 0 END + u.out,
           day_payments = x.day_payments + u.sends,
           day_spent = x.day_spent + u.out,
           month_spent = x.month_spent + u.out
      FROM unnest(p_accounts, p_net, p_out, p_sends, p_touches, p_lasts) WITH ORDINALITY
           AS u(account_id, net, out, sends, touches, last, nth)
  -- { before PostgreSQL 18
           JOIN old USING (account_id)
  -- }
     WHERE x.account_id = ANY (p_accounts) AND x.account_id = u.account_id
       AND x.asset_id = p_asset AND x.kind = 'user'
    RETURNING u.nth, u.out, u.sends, CASE WHEN x.paused THEN -1::smallint ELSE x.tier END AS tier,
              old.available AS old_available, old.entries AS old_entries, old.hour AS old_hour,
              old.hour_payments AS old_payments, old.hour_spent AS old_spent,
              CASE WHEN old.last_entry = old.entries THEN old.last_seq END AS old_last,
              x.account_id, x.passkey_above, x.available, x.entries, x.day_payments, x.day_spent, x.month_spent,
              CASE WHEN x.last_entry = x.entries THEN x.last_seq END AS last_seq
  )
  SELECT array_agg(w.tier), array_agg(w.old_available), array_agg(w.old_entries), array_agg(w.day_spent - w.out),
         array_agg(w.month_spent - w.out), array_agg(w.day_payments - w.sends), array_agg(w.available),
         array_agg(w.entries), array_agg(w.day_spent), array_agg(w.month_spent), array_agg(w.day_payments),
         array_agg(w.old_last), array_agg(w.last_seq),
         jsonb_agg(jsonb_build_object('account_id', w.account_id, 'hour', w.old_hour, 'payments', w.old_payments,
                                      'spent', w.old_spent)) FILTER (WHERE w.sends > 0 AND w.old_hour < hour_no AND w.old_hour > 0),
         jsonb_object_agg(w.nth, w.passkey_above) FILTER (WHERE w.passkey_above IS NOT NULL)
    INTO tier_no, balance, entry, spent_day, spent_month, sends, new_balance, new_entry, new_day, new_month, new_sends,
         last, new_last, turned, asked_above
    FROM (SELECT * FROM written ORDER BY nth) w;
  IF coalesce(cardinality(balance), 0) <> cardinality(p_accounts) THEN
    RAISE EXCEPTION 'not all accounts are users'' accounts of asset %', p_asset USING ERRCODE = 'foreign_key_violation';
  END IF;
  -- This statement may have waited for the locks, and the epochs compared above may have changed meanwhile: a session
  -- ended, or a name now belongs to somebody else. The batch runs again and finds it. A name that was only added
  -- changes nothing.
  PERFORM FROM ledger_state
    WHERE names_changed <= p_names
      AND (p_sessions IS NULL OR (sessions_epoch = p_sessions AND sessions_random IS NOT DISTINCT FROM p_sessions_random));
  IF NOT FOUND THEN
    RAISE EXCEPTION 'a session or a name has changed while the payments waited' USING ERRCODE = 'serialization_failure';
  END IF;

  -- The first payment of an account in a new hour: its day and month are counted again. An account that never paid has
  -- nothing to count.
  IF turned IS NOT NULL THEN
    FOR found_old IN
      SELECT n.*, array_position(p_accounts, n.account_id) AS nth
        FROM (SELECT array_agg(u.account_id) AS accounts, array_agg(u.hour) AS hours,
                     array_agg(u.payments) AS payments, array_agg(u.spent) AS spent
                FROM jsonb_to_recordset(turned) AS u(account_id bigint, hour integer, payments integer, spent bigint)) u,
             ledger_turn_hour(hour_no, u.accounts, u.hours, u.payments, u.spent) n
    LOOP
      sends[found_old.nth] := found_old.day_payments;
      spent_day[found_old.nth] := found_old.day_spent;
      spent_month[found_old.nth] := found_old.month_spent;
      new_sends[found_old.nth] := found_old.day_payments + p_sends[found_old.nth];
      new_day[found_old.nth] := found_old.day_spent + p_out[found_old.nth];
      new_month[found_old.nth] := found_old.month_spent + p_out[found_old.nth];
    END LOOP;
    -- The counters of the hour itself are right already: the statement above started them at zero.
    UPDATE accounts x SET day_payments = u.sends, day_spent = u.spent_day, month_spent = u.spent_month
      FROM unnest(p_accounts, new_sends, new_day, new_month) AS u(account_id, sends, spent_day, spent_month)
     WHERE x.account_id = ANY (p_accounts) AND x.account_id = u.account_id
       AND (x.day_payments, x.day_spent, x.month_spent) IS DISTINCT FROM (u.sends, u.spent_day, u.spent_month);
  END IF;

  FOR found_old IN
    SELECT f.*, array_position(p_ids, f.transfer_id) AS nth FROM transfers_by_id(p_ids) f
  LOOP
    known := true;
    o_exceptions := o_exceptions || jsonb_build_object(found_old.nth, jsonb_build_object('old', 'paid',
      'same', coalesce(found_old.kind = 'user' AND found_old.amount = p_amounts[found_old.nth]
        AND found_old.debit_account = p_accounts[p_debits[found_old.nth]]
        AND coalesce(found_old.typed_name, found_old.to_name)
          = coalesce(p_typed[found_old.nth], p_tos[found_old.nth]), false),
      'available', found_old.debit_available::text,
      'at_ms', floor(extract(epoch FROM found_old.created_at) * 1000),
      'from', found_old.from_name, 'to', found_old.to_name, 'typed', found_old.typed_name));
  END LOOP;
  FOR found_old IN
    SELECT r.*, array_position(p_ids, r.payment_id) AS nth FROM refusals r WHERE r.payment_id = ANY (p_ids)
  LOOP
    known := true;
    o_exceptions := o_exceptions || jsonb_build_object(found_old.nth, jsonb_build_object('old', 'refused',
      'same', found_old.amount = p_amounts[found_old.nth]
        AND found_old.receiver = coalesce(p_typed[found_old.nth], p_tos[found_old.nth]),
      'code', found_old.code, 'details', found_old.details));
  END LOOP;
  IF known THEN
    FOR found_old IN SELECT n.note, array_position(p_ids, n.payment_id) AS nth FROM payment_notes n
                      WHERE n.payment_id = ANY (p_ids) AND o_exceptions ? array_position(p_ids, n.payment_id)::text LOOP
      o_exceptions := jsonb_set(o_exceptions, ARRAY[found_old.nth::text, 'note'], coalesce(to_jsonb(found_old.note), 'null'));
    END LOOP;
  END IF;

  paused := find_pause('all', 'user');
  FOR i IN 1..n LOOP
    IF known THEN CONTINUE WHEN o_exceptions ? i::text; END IF;
    d := p_debits[i];
    c := p_credits[i];
    a := p_amounts[i];
    refusal := spending_refusal(all_tiers[tier_no[d]], tier_no[d] = -1, balance[d], sends[d], spent_day[d], spent_month[d], a,
                                NULL, CASE WHEN asked_above IS NOT NULL THEN (asked_above->>d::text)::bigint END);
    -- Two conditions, because NULL AND f() evaluates f: every payment without a refusal would look for a proof.
    IF refusal = 'passkey' AND c > 0 THEN
      IF is_proved_payment(p_ids[i], p_accounts[d], p_accounts[c], a) THEN refusal := NULL; END IF;
    END IF;
    IF refusal IS NOT NULL OR d = 0 OR c = 0 OR d = c OR paused IS NOT NULL THEN
      refusal := CASE WHEN paused IS NOT NULL THEN 'paused' WHEN d = 0 THEN 'unknown_payer'
        WHEN refusal IN ('user_paused', 'kyc') THEN refusal
        WHEN c = 0 THEN 'unknown_name' WHEN d = c THEN 'self' ELSE refusal END;
      details := CASE WHEN refusal = 'paused' THEN jsonb_build_object('reason', paused)
        WHEN refusal IN ('unknown_payer', 'unknown_name', 'self') THEN '{}'
        ELSE refusal_details(refusal, all_tiers[tier_no[d]], p_accounts[d], balance[d], p_accounts[d], hour_no, sends[d],
                             spent_day[d], spent_month[d], a, NULL) END;
      o_exceptions := o_exceptions || jsonb_build_object(i,
        jsonb_build_object('code', refusal_code(refusal), 'details', details));
      -- A pause is not stored: the same payment may be repeated when it ends. Nor is a missing proof: the same payment is
      -- repeated with it.
      IF p_keyed[i] AND refusal NOT IN ('paused', 'user_paused', 'passkey') THEN
        INSERT INTO refusals (payment_id, receiver, amount, code, details, created_at)
        VALUES (p_ids[i], coalesce(p_typed[i], p_tos[i]), a, refusal_code(refusal), details, at);
      END IF;
    ELSE
      IF (p_sends[d] > 0) IS NOT TRUE THEN PERFORM refuse_call('ledger_pay_batch'); END IF;
      balance[d] := balance[d] - a;
      o_available[i] := balance[d];
      entry[d] := entry[d] + 1;
      debit_entry[i] := entry[d];
      debit_prev[i] := last[d];
      last[d] := base + i;
      spent_day[d] := spent_day[d] + a;
      spent_month[d] := spent_month[d] + a;
      sends[d] := sends[d] + 1;
      balance[c] := balance[c] + a;
      credit_available[i] := balance[c];
      entry[c] := entry[c] + 1;
      credit_entry[i] := entry[c];
      credit_prev[i] := last[c];
      last[c] := base + i;
    END IF;
  END LOOP;

  INSERT INTO transfers (transfer_id, seq, debit_account, credit_account, amount, debit_entry, credit_entry,
    debit_available, credit_available, created_at, asset_id, kind, from_name, to_name, typed_name,
    debit_prev, credit_prev)
  SELECT o.id, base + o.nth, p_accounts[o.debit], p_accounts[o.credit], o.amount, o.debit_entry, o.credit_entry,
         o.debit_available, o.credit_available, at, p_asset, 'user', o.from_name, o.to_name, o.typed_name,
         o.debit_prev, o.credit_prev
    FROM unnest(p_ids, p_debits, p_credits, p_amounts, debit_entry, credit_entry, o_available, credit_available,
                p_froms, p_tos, p_typed, debit_prev, credit_prev) WITH ORDINALITY
         AS o(id, debit, credit, amount, debit_entry, credit_entry, debit_available, credit_available,
              from_name, to_name, typed_name, debit_prev, credit_prev, nth)
   WHERE o.debit_entry IS NOT NULL;
  GET DIAGNOSTICS written = ROW_COUNT;
  IF written <> cardinality(array_remove(o_available, NULL)) THEN
    RAISE EXCEPTION '% rows written for other payments than were accepted', written USING ERRCODE = 'data_corrupted';
  END IF;
  IF (new_balance, new_entry, new_day, new_month, new_sends, new_last)
     IS DISTINCT FROM (balance, entry, spent_day, spent_month, sends, last)
  THEN
    UPDATE accounts x
       SET available = u.available, entries = u.entries, last_seq = u.last,
           last_entry = CASE WHEN u.last IS NOT NULL THEN u.entries END,
           hour_payments = x.hour_payments - (x.day_payments - u.sends),
           hour_spent = x.hour_spent - (x.month_spent - u.spent_month),
           day_payments = u.sends, day_spent = u.spent_day, month_spent = u.spent_month
      FROM unnest(p_accounts, balance, entry, sends, spent_day, spent_month, last)
           AS u(account_id, available, entries, sends, spent_day, spent_month, last)
     WHERE x.account_id = u.account_id
       AND (x.available, x.entries, x.day_payments, x.day_spent, x.month_spent, x.last_seq)
           IS DISTINCT FROM (u.available, u.entries, u.sends, u.spent_day, u.spent_month, u.last);
  END IF;
END $$;
