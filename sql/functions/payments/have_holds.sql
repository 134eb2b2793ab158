-- Every payment has its hold, under the same id. What a foreign key would do, but the ids of `transfers` are in several
-- indexes (see the migration `0022_ids_in_generations`). No row of `transfers` is ever changed or deleted, and
-- no payment gets another id (`refuse_change`), so that it is enough to look when a payment is written.
CREATE OR REPLACE FUNCTION have_holds() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET enable_hashjoin = off
  SET enable_mergejoin = off SET jit = off AS $$
DECLARE
  without uuid;
BEGIN
  SELECT w.payment_id INTO without FROM written w
   WHERE NOT EXISTS (SELECT FROM transfers t WHERE t.transfer_id = w.payment_id AND t.kind = 'hold') LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'payment % has no hold', without
      USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'payments_have_holds', TABLE = 'payments';
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER payments_have_holds AFTER INSERT ON payments
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION have_holds();
