-- Writes the first event of every new payment, in the same commit, once for all rows of the statement; otherwise a
-- batch of sends would look up the next position for each. A payment needs its wallet and its hold, which must
-- equal its amount and fee. Neither is ever deleted or changed. It uses one subquery per row instead of EXISTS, for which the
-- planner may read the whole table.
CREATE OR REPLACE FUNCTION record_first_state() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  place    bigint := payments_next_place((SELECT count(*) FROM added));
  is_alone boolean;
  differs  boolean;
BEGIN
  SELECT bool_or(n.held IS NULL OR n.wallet_id IS NOT NULL AND (SELECT 1 FROM wallets w WHERE w.wallet_id = n.wallet_id) IS NULL),
         bool_or(n.held IS DISTINCT FROM n.amount + n.fee)
    INTO is_alone, differs
    FROM (SELECT a.wallet_id, a.amount, a.fee,
                 (SELECT t.amount FROM transfers t WHERE t.transfer_id = a.payment_id AND t.kind = 'hold') AS held
            FROM added a OFFSET 0) n;
  IF is_alone THEN
    RAISE EXCEPTION 'a payment without its hold or its wallet is refused'
      USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'payments_of_transfers';
  END IF;
  IF differs THEN
    RAISE EXCEPTION 'a payment whose hold is not its amount and its fee is refused'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'payments_held';
  END IF;
  INSERT INTO payment_events (seq, payment_id, state, tx_hash, at)
  SELECT place + row_number() OVER () - 1, n.payment_id, n.state, n.tx_hash, n.updated_at FROM added n;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER payments_record_first_state AFTER INSERT ON payments
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION record_first_state();
