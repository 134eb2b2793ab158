-- The terms of a request cannot change, an end is final, and paid means that the ledger has the payment: this amount,
-- from the person asked to the requester, under the request's own id.
CREATE OR REPLACE FUNCTION guard_money_request() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF OLD.state <> 'open' OR NEW.state = 'open' THEN
    RAISE EXCEPTION 'a money request cannot go from % to %', OLD.state, NEW.state USING ERRCODE = 'restrict_violation';
  END IF;
  IF (NEW.request_id, NEW.asker_id, NEW.by_link, NEW.amount, NEW.created_at, NEW.expires_at)
      <> (OLD.request_id, OLD.asker_id, OLD.by_link, OLD.amount, OLD.created_at, OLD.expires_at)
    OR NEW.payer_id IS DISTINCT FROM OLD.payer_id AND NOT OLD.by_link THEN
    RAISE EXCEPTION 'the terms of a money request cannot change' USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.state = 'paid' AND NOT EXISTS (
    SELECT FROM transfers_by_id(ARRAY[NEW.request_id]) t
      JOIN accounts debit ON debit.account_id = t.debit_account JOIN accounts credit ON credit.account_id = t.credit_account
     WHERE t.kind = 'user' AND t.amount = NEW.amount
       AND debit.user_id = NEW.payer_id AND credit.user_id = NEW.asker_id) THEN
    RAISE EXCEPTION 'a money request is paid by its own payment' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER money_requests_guard BEFORE UPDATE ON money_requests
  FOR EACH ROW EXECUTE FUNCTION guard_money_request();
