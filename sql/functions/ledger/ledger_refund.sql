-- Moves money back from one owner to another, as a payment between them. Operators decide this, not the owner, so no
-- limit, pause or identity check applies and nothing counts towards limits. Returns `applied`, `insufficient` if the
-- debit account has less, or `closed` if the recipient has closed their account. Only database functions call it; the
-- caller has made sure that the id is new.
--
-- The movement has the kind `user`, which `name_previous` skips, so this function links the previous rows itself.
CREATE OR REPLACE FUNCTION ledger_refund(p_id uuid, p_debit bigint, p_credit bigint, p_amount bigint) RETURNS text
  LANGUAGE plpgsql AS $$
DECLARE
  d     accounts;
  c     accounts;
  place bigint;
BEGIN
  PERFORM ledger_lock_accounts(ARRAY[p_debit, p_credit]);
  SELECT * INTO d FROM accounts WHERE account_id = p_debit;
  SELECT * INTO c FROM accounts WHERE account_id = p_credit;
  IF ((d.kind, c.kind) IN (('user', 'user'), ('treasury', 'user'), ('user', 'treasury')) AND d.asset_id = c.asset_id) IS NOT TRUE THEN
    RAISE EXCEPTION 'account % cannot give back to account %', p_debit, p_credit USING ERRCODE = 'foreign_key_violation';
  END IF;
  IF is_closed_account(p_credit) THEN RETURN 'closed'; END IF;
  IF d.available < p_amount THEN RETURN 'insufficient'; END IF;
  place := ledger_next_place(1);
  INSERT INTO transfers (transfer_id, seq, debit_account, credit_account, amount, debit_entry, credit_entry,
    debit_available, credit_available, created_at, asset_id, kind, from_name, to_name, debit_prev, credit_prev)
  VALUES (p_id, place, p_debit, p_credit, p_amount, d.entries + 1, c.entries + 1,
    d.available - p_amount, c.available + p_amount, date_trunc('milliseconds', clock_timestamp()), d.asset_id, 'user',
    (SELECT username FROM usernames WHERE user_id = d.user_id AND redirect_until IS NULL),
    (SELECT username FROM usernames WHERE user_id = c.user_id AND redirect_until IS NULL),
    CASE WHEN d.last_entry = d.entries THEN d.last_seq END, CASE WHEN c.last_entry = c.entries THEN c.last_seq END);
  UPDATE accounts a
     SET available = a.available + CASE a.account_id WHEN p_credit THEN p_amount ELSE -p_amount END,
         entries = a.entries + 1, last_seq = place, last_entry = a.entries + 1
   WHERE a.account_id IN (p_debit, p_credit);
  RETURN 'applied';
END $$;
