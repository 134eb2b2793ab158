-- Updates a relayer's next nonce, even if an older release or an operator's command creates the relay transaction.
CREATE OR REPLACE FUNCTION follow_nonce() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE relayers SET next_nonce = NEW.nonce + 1
   WHERE relayer_id = NEW.relayer_id AND coalesce(next_nonce, first_nonce) <= NEW.nonce;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER carriers_follow_nonce AFTER INSERT ON carriers
  FOR EACH ROW EXECUTE FUNCTION follow_nonce();
