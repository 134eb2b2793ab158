-- Writes the first event of every new payment, in the same commit, once for all rows of the statement; otherwise a
-- batch of sends would look up the next position for each. A payment needs its hold and its wallet, which are never
-- deleted. It uses one subquery per row instead of EXISTS, for which the planner may read the whole table.
CREATE OR REPLACE FUNCTION record_first_state() RETURNS trigger LANGUAGE plpgsql
  SET enable_seqscan = off SET jit = off AS $$
DECLARE
  place bigint := payments_next_place((SELECT count(*) FROM added));
BEGIN
  IF EXISTS (SELECT FROM added n WHERE (SELECT 1 FROM transfers t
        WHERE t.transfer_id = n.payment_id AND t.kind = 'hold') IS NULL
      OR n.wallet_id IS NOT NULL AND (SELECT 1 FROM wallets w WHERE w.wallet_id = n.wallet_id) IS NULL) THEN
    RAISE EXCEPTION 'a payment without its hold or its wallet is refused'
      USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'payments_of_transfers';
  END IF;
  INSERT INTO payment_events (seq, payment_id, state, tx_hash, at)
  SELECT place + row_number() OVER () - 1, n.payment_id, n.state, n.tx_hash, n.updated_at FROM added n;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER payments_record_first_state AFTER INSERT ON payments
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION record_first_state();
