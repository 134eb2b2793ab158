-- A payment that ended unpaid no longer counts against its key's budget (see `key_refunds`).
CREATE OR REPLACE FUNCTION give_back_to_key() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO key_refunds (payment_id, key_id, pays, hour, amount)
  SELECT NEW.payment_id, b.key_id, b.pays, hour_of(t.created_at), t.amount
    FROM transfers t JOIN wallets w ON w.wallet_id = NEW.wallet_id
    JOIN key_budgets b ON b.key_id = NEW.key_id AND b.pays = CASE WHEN w.user_id IS NULL THEN 'treasury' ELSE 'people' END
   WHERE t.transfer_id = NEW.payment_id AND t.kind = 'hold' AND t.created_at >= b.counted_since;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER payments_give_back_to_key AFTER UPDATE OF state ON payments FOR EACH ROW
  WHEN (NEW.key_id IS NOT NULL AND NEW.state IN ('FAILED', 'DENIED', 'CANCELLED') AND NEW.state <> OLD.state)
  EXECUTE FUNCTION give_back_to_key();
