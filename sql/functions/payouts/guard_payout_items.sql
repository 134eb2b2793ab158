-- A row is paid when the ledger has its payment, with its id and amount: once for all rows of the statement.
CREATE OR REPLACE FUNCTION guard_payout_items() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  ids uuid[] := ARRAY(SELECT payment_id FROM changed WHERE state IN ('paid', 'sent'));
BEGIN
  IF ids <> '{}' AND cardinality(ids) <> (SELECT count(*) FROM find_transfers(ids) t JOIN changed c
        ON c.payment_id = t.transfer_id AND c.amount = t.amount
       AND (t.kind = 'user' AND c.user_id IS NOT NULL OR t.kind = 'hold' AND c.destination IS NOT NULL)
      WHERE c.state IN ('paid', 'sent')) THEN
    RAISE EXCEPTION 'a row of a payout is paid by its own payment'
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'payout_items_paid_by_payments';
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER payout_items_guard AFTER UPDATE ON payout_items
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION guard_payout_items();
