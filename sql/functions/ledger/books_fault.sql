-- Checks one movement on its own: its kind, the hold that it ends, and whether the chain confirms it. Returns NULL if
-- nothing is wrong. `books_rows` and `books_row_faults` compare the balances before and after it.
--
-- A posted hold needs a final transfer: its coin move is done, or the payment was imported. After a reorg below
-- finality the move is open again until it is repeated; the payment keeps the hash of the first chain transaction.
CREATE OR REPLACE FUNCTION books_fault(p_row transfers) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  h    transfers;
  move coin_moves;
BEGIN
  IF (p_row.amount > 0) IS NOT TRUE THEN RETURN 'its amount is not above zero'; END IF;
  IF (greatest(p_row.amount, abs(p_row.debit_available::numeric), abs(p_row.credit_available::numeric), abs(p_row.debit_held::numeric))
      <= 1152921504606846976) IS NOT TRUE THEN
    RETURN 'it contains values that are not amounts of money';
  END IF;
  IF p_row.debit_account = p_row.credit_account THEN RETURN 'it pays its own account'; END IF;
  IF (p_row.debit_entry > 0) IS NOT TRUE
    OR (p_row.kind IN ('hold', 'release')) <> (p_row.credit_entry IS NULL)
    OR (p_row.credit_entry IS NULL) <> (p_row.credit_available IS NULL) OR p_row.credit_entry <= 0
    OR (p_row.kind IN ('hold', 'post', 'release')) <> (p_row.debit_held IS NOT NULL)
    OR (p_row.kind IN ('post', 'release')) <> (p_row.hold_id IS NOT NULL)
    OR p_row.kind NOT IN ('user', 'deposit', 'internal', 'hold', 'post', 'release')
  THEN
    RETURN format('its fields do not match its kind, %s', p_row.kind);
  END IF;
  IF p_row.kind NOT IN ('hold', 'post', 'release') THEN RETURN NULL; END IF;
  IF NOT EXISTS (SELECT FROM accounts a WHERE a.account_id = p_row.credit_account AND a.asset_id = p_row.asset_id) THEN
    RETURN format('account %s does not have asset %s', p_row.credit_account, p_row.asset_id);
  END IF;
  IF p_row.kind = 'hold' THEN RETURN NULL; END IF;

  SELECT * INTO h FROM transfers t WHERE t.transfer_id = p_row.hold_id AND t.kind = 'hold' LIMIT 1;
  IF NOT FOUND THEN RETURN format('the hold %s does not exist', p_row.hold_id); END IF;
  IF EXISTS (SELECT FROM transfers t WHERE t.hold_id = p_row.hold_id AND t.seq <> p_row.seq) THEN
    RETURN format('the hold %s has ended twice', p_row.hold_id);
  END IF;
  IF (h.debit_account, h.credit_account, h.asset_id) <> (p_row.debit_account, p_row.credit_account, p_row.asset_id)
    OR p_row.amount > h.amount OR (p_row.kind = 'release' AND p_row.amount <> h.amount)
  THEN
    RETURN format('it does not match the hold %s', p_row.hold_id);
  END IF;

  SELECT * INTO move FROM coin_moves m WHERE m.move_id = p_row.hold_id;
  IF p_row.kind = 'release' THEN
    IF move.state = 'done' THEN RETURN format('it gives back what the chain has paid (%s)', move.tx_hash); END IF;
    RETURN NULL;
  END IF;
  IF (move.asset_id = p_row.asset_id AND move.purpose = 'send' AND CASE move.state
        WHEN 'done' THEN move.tx_hash IS NOT NULL
        WHEN 'open' THEN EXISTS (SELECT FROM payments p WHERE p.payment_id = p_row.hold_id AND p.tx_hash IS NOT NULL)
        ELSE false END) IS NOT TRUE
    AND NOT EXISTS (SELECT FROM unexplained_moves u WHERE u.imported_as = p_row.hold_id AND u.asset_id = p_row.asset_id)
  THEN
    RETURN format('the chain has not paid %s', p_row.hold_id);
  END IF;
  RETURN NULL;
END $$;
