-- Guards every change of a move, independent of the calling code:
--   - sender, receiver, amount, purpose and rail never change;
--   - a dead move stays dead, and a done move is reopened only when a reorg removed it from the chain;
--   - a started move stays started, and a requested cancellation stays requested;
--   - a payment whose hold has ended, or that still waits for approvals or its delay, gets no open move. A move that the
--     chain has already decided (`done`, `dead`) is stored whatever the payment waits for, and so is a move that is to be
--     cancelled and never sent (`cancel_after_restore`, `cancel_at_provider`). It locks the payment, as releasing its hold
--     does;
--   - the move of a payment moves exactly what the payment pays, not its hold, which includes the fee.
CREATE OR REPLACE FUNCTION guard_coin_move() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  p payments;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF (NEW.move_id, NEW.asset_id, NEW.wallet_id, NEW.purpose, NEW.settlement_id, NEW.to_wallet, NEW.funds, NEW.rail,
        NEW.from_address, NEW.to_address, NEW.amount)
      IS DISTINCT FROM (OLD.move_id, OLD.asset_id, OLD.wallet_id, OLD.purpose, OLD.settlement_id, OLD.to_wallet, OLD.funds,
        OLD.rail, OLD.from_address, OLD.to_address, OLD.amount) THEN
      RAISE EXCEPTION 'a move cannot change' USING ERRCODE = 'restrict_violation', CONSTRAINT = 'coin_moves_stay';
    END IF;
    IF (OLD.state = 'dead' AND NEW.state <> 'dead') OR (OLD.state = 'done' AND NEW.state = 'dead') THEN
      RAISE EXCEPTION 'a move that has ended cannot end differently'
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'coin_moves_end_once';
    END IF;
    IF OLD.state = 'done' AND NEW.state = 'open' AND NEW.purpose = 'send'
      AND NOT EXISTS (SELECT FROM transfers WHERE hold_id = NEW.move_id AND kind = 'post') THEN
      RAISE EXCEPTION 'payment % was never paid', NEW.move_id USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.started_at IS DISTINCT FROM NEW.started_at AND OLD.started_at IS NOT NULL THEN
      RAISE EXCEPTION 'a started move stays started' USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.state = 'open' AND OLD.cancel_wanted_at IS DISTINCT FROM NEW.cancel_wanted_at
      AND OLD.cancel_wanted_at IS NOT NULL THEN
      RAISE EXCEPTION 'a requested cancellation stays requested' USING ERRCODE = 'restrict_violation';
    END IF;
  ELSIF NEW.purpose = 'send' THEN
    SELECT * INTO p FROM payments WHERE payment_id = NEW.move_id FOR NO KEY UPDATE;
    IF NOT FOUND OR EXISTS (SELECT FROM transfers WHERE hold_id = NEW.move_id) THEN
      RAISE EXCEPTION 'payment % has no open hold', NEW.move_id
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'coin_moves_of_open_holds';
    END IF;
    IF NEW.amount <> coalesce(p.amount, (SELECT amount FROM transfers WHERE transfer_id = NEW.move_id AND kind = 'hold')) THEN
      RAISE EXCEPTION 'payment % pays another amount', NEW.move_id
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'coin_moves_pay_amount';
    END IF;
    IF NEW.state = 'open' AND payment_waits(p) AND NEW.cancel_wanted_at IS NULL THEN
      RAISE EXCEPTION 'payment % waits for approvals or its delay', NEW.move_id
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'coin_moves_wait';
    END IF;
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER coin_moves_guard BEFORE INSERT OR UPDATE ON coin_moves
  FOR EACH ROW EXECUTE FUNCTION guard_coin_move();
