-- An event needs its payment, which is never deleted. Checked once for all rows of a statement; see
-- `record_first_state`.
CREATE OR REPLACE FUNCTION guard_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM added n WHERE (SELECT 1 FROM payments p WHERE p.payment_id = n.payment_id) IS NULL) THEN
    RAISE EXCEPTION 'an event without its payment is refused'
      USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'payment_events_of_payments';
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER payment_events_guard AFTER INSERT ON payment_events
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION guard_events();
