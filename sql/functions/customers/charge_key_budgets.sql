-- Charges the accepted payments to their budgets: the second half of `lock_key_budgets`, in the same database
-- transaction. `p_left` is what remains of each budget now.
CREATE OR REPLACE FUNCTION charge_key_budgets(p_keys uuid[], p_pays text[], p_before bigint[], p_left bigint[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF p_keys IS NULL THEN RETURN; END IF;
  UPDATE key_budgets b SET hour_spent = b.hour_spent + u.before - u.left_
    FROM unnest(p_keys, p_pays, p_before, p_left) AS u(key, pays, before, left_)
   WHERE b.key_id = u.key AND b.pays = u.pays AND u.before <> u.left_;
END $$;
