-- Pays the next rows of a payout that go to people: at most `p_limit` after the position `p_after`, in one commit, and
-- marks each row as paid. `o_last`: the last position that was decided; NULL: there are no more. `o_waits`: why rows
-- wait.
--
-- Lock order: the payout, its key, the budgets of the key, accounts by id.
CREATE OR REPLACE FUNCTION pay_payout_people(p_payout uuid, p_after integer, p_limit integer, OUT o_last integer, OUT o_waits jsonb)
  LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_mergejoin = off SET jit = off
  SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  p        payouts;
  home     smallint;
  known_at bigint := (SELECT names_changed FROM ledger_state);
  debit    bigint;
  from_    text;
  wallet   uuid;
  places   integer[];
  payments new_payment[];
  amounts  bigint[];
  outcomes text[];
  said     jsonb[];
  budget   record;
  paid     record;
  pause_   text;
  home_name text;
  f        record;
BEGIN
  PERFORM require_arguments('pay_payout_people', p_payout IS NOT NULL AND p_after >= 0 AND p_limit > 0);
  p := begin_payout_pass(p_payout);
  IF p.payout_id IS NULL THEN
    -- After a restore, the rows wait until operators confirm the keys.
    o_waits := (SELECT r FROM payouts x, payout_refusal(x) r
                 WHERE x.payout_id = p_payout AND x.state IN ('running', 'waiting') AND r->>'code' = 'service.paused');
    RETURN;
  END IF;
  home := home_asset_of(p.currency);
  SELECT array_agg(i.nth), array_agg(i.amount),
         array_agg((i.payment_id, i.account_id, i.amount, i.name, CASE WHEN i.name <> i.username THEN i.username END)::new_payment)
    INTO places, amounts, payments
    FROM (SELECT r.*, (SELECT a.account_id FROM accounts a WHERE a.user_id = r.user_id AND a.asset_id = home) AS account_id,
                 (SELECT n.username FROM usernames n WHERE n.user_id = r.user_id AND n.redirect_until IS NULL) AS name
            FROM payout_items r
           WHERE r.payout_id = p_payout AND r.nth > p_after AND r.state = 'ready' AND r.user_id IS NOT NULL
           ORDER BY r.nth LIMIT p_limit) i;
  IF places IS NULL THEN RETURN; END IF;
  o_last := places[cardinality(places)];
  pause_ := find_pause('all', 'user');
  IF pause_ IS NOT NULL THEN
    o_waits := jsonb_build_object('code', 'service.paused', 'details', jsonb_build_object('reason', pause_));
    RETURN;
  END IF;
  IF p.payer_id IS NULL THEN
    debit := (SELECT account_id FROM accounts WHERE kind = 'treasury' AND asset_id = home AND user_id IS NULL);
    wallet := (SELECT wallet_id FROM owner_wallets WHERE kind = 'treasury' AND asset_id = home);
  ELSE
    debit := (SELECT account_id FROM accounts WHERE user_id = p.payer_id AND asset_id = home);
    wallet := (SELECT wallet_id FROM owner_wallets WHERE user_id = p.payer_id AND asset_id = home);
    from_ := (SELECT username FROM usernames WHERE user_id = p.payer_id AND redirect_until IS NULL);
  END IF;
  outcomes := array_fill(NULL::text, ARRAY[cardinality(places)]);
  said := array_fill(NULL::jsonb, ARRAY[cardinality(places)]);
  home_name := (SELECT blockchain FROM networks JOIN assets USING (network_id) WHERE asset_id = home);
  -- The rules of the key may have changed since the file was checked. Rows differ only in their amounts, so if the
  -- largest is allowed, all are.
  IF EXISTS (SELECT FROM find_key_objections(ARRAY[p.key_id], ARRAY[home_name], ARRAY[NULL::text], ARRAY[wallet],
               ARRAY[p.payer_id], ARRAY[(SELECT max(a) FROM unnest(amounts) a)])) THEN
    FOR f IN
      SELECT o.nth, o.refusal FROM find_key_objections(array_fill(p.key_id, ARRAY[cardinality(places)]),
        array_fill(home_name, ARRAY[cardinality(places)]),
        array_fill(NULL::text, ARRAY[cardinality(places)]), array_fill(wallet, ARRAY[cardinality(places)]),
        array_fill(p.payer_id, ARRAY[cardinality(places)]), amounts) o
    LOOP
      outcomes[f.nth] := 'failed';
      said[f.nth] := f.refusal;
    END LOOP;
  END IF;
  FOR i IN 1..cardinality(places) LOOP
    -- People without a name have closed their account.
    IF outcomes[i] IS NULL AND (payments[i]).to_name IS NULL THEN
      outcomes[i] := 'failed';
      said[i] := '{"code": "username.unknown", "details": {}}';
    END IF;
  END LOOP;

  budget := lock_key_budgets(ARRAY[p.key_id], ARRAY[p.payer_id]);
  payments := ARRAY(SELECT payments[n] FROM generate_series(1, cardinality(places)) AS n WHERE outcomes[n] IS NULL ORDER BY n);
  IF cardinality(payments) > 0 THEN
    paid := ledger_pay_many(debit, from_, payments, budget.o_left[budget.o_at[1]]);
    -- While this waited for the account locks, their owners may have closed the accounts. Closing changes a name, so
    -- this check is rarely needed. The batch runs again and finds those people without a name.
    IF (SELECT names_changed FROM ledger_state) IS DISTINCT FROM known_at
      AND EXISTS (SELECT FROM accounts a JOIN users u USING (user_id)
                   WHERE a.account_id = ANY (ARRAY(SELECT r.credit FROM unnest(payments) AS r)) AND u.closed_at IS NOT NULL)
    THEN
      RAISE EXCEPTION 'an account was closed while its payment waited' USING ERRCODE = 'serialization_failure';
    END IF;
    IF budget.o_at[1] IS NOT NULL THEN
      PERFORM charge_key_budgets(budget.o_keys, budget.o_pays, budget.o_left, ARRAY[paid.o_left]);
    END IF;
    PERFORM keep_notes(array_agg(i.payment_id), array_agg(plain_note(i.note)))
       FROM unnest(payments, paid.o_outcomes) AS u(id, credit, amount, to_name, requested_name, outcome)
       JOIN payout_items i ON i.payout_id = p_payout AND i.payment_id = u.id
      WHERE u.outcome = 'applied' AND i.note IS NOT NULL;
    -- Usually everything is paid.
    IF paid.o_outcomes <@ ARRAY['applied'] AND cardinality(payments) = cardinality(places) THEN
      outcomes := array_fill('paid'::text, ARRAY[cardinality(places)]);
    END IF;
    FOR f IN
      SELECT o.n, u.outcome, u.details FROM (
               SELECT n, row_number() OVER (ORDER BY n) AS nth FROM unnest(outcomes) WITH ORDINALITY AS x(outcome, n)
                WHERE x.outcome IS NULL) o
        JOIN unnest(paid.o_outcomes, paid.o_details) WITH ORDINALITY AS u(outcome, details, nth) USING (nth)
    LOOP
      outcomes[f.n] := CASE f.outcome WHEN 'applied' THEN 'paid' WHEN 'duplicate' THEN 'paid' WHEN 'mismatch' THEN 'failed'
        WHEN 'kyc' THEN 'failed' WHEN 'user_paused' THEN 'wait' WHEN 'payment_limit' THEN 'failed' ELSE 'short' END;
      IF outcomes[f.n] <> 'paid' THEN
        said[f.n] := CASE f.outcome WHEN 'mismatch' THEN '{"code": "reference.used", "details": {}}'
          WHEN 'key_limit' THEN broken_key_limit(p.key_id, budget.o_pays[budget.o_at[1]], (f.details->>'left')::bigint)
          ELSE ledger_refusal(f.outcome, f.details) END;
      END IF;
    END LOOP;
  END IF;
  o_waits := decide_payout_rows(p, places, outcomes, said);
END $$;
