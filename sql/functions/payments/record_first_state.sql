-- Writes the first event of every new payment, in the same commit, once for all rows of the statement: a batch of sends
-- would otherwise look up the next place for each.
CREATE OR REPLACE FUNCTION record_first_state() RETURNS trigger LANGUAGE plpgsql
  SET enable_seqscan = off SET jit = off AS $$
DECLARE
  place bigint := payments_next_place((SELECT count(*) FROM added));
BEGIN
  INSERT INTO payment_events (seq, payment_id, state, tx_hash, at)
  SELECT place + row_number() OVER () - 1, n.payment_id, n.state, n.tx_hash, n.updated_at FROM added n;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER payments_record_first_state AFTER INSERT ON payments
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION record_first_state();
