-- A move that a provider was asked for is given up only if the provider reports that it ended without a transfer, final
-- blocks have been read up to the chain's head at that time, and none of them contains a transfer that may be this
-- move.
CREATE OR REPLACE FUNCTION guard_provider_end() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (
    SELECT FROM provider_transfers p JOIN assets s ON s.asset_id = NEW.asset_id LEFT JOIN chain_cursors c USING (network_id)
     WHERE p.move_id = NEW.move_id AND (p.provider_state NOT IN ('failed', 'cancelled')
        OR coalesce(c.block_number < p.ended_head, true)
        OR EXISTS (SELECT FROM held_logs h
             WHERE h.asset_id = NEW.asset_id AND h.from_wallet = NEW.wallet_id AND h.amount = NEW.amount
               AND lower(h.to_address) = lower(NEW.to_address)))
  ) THEN
    RAISE EXCEPTION 'the provider may still make the transfer of move %', NEW.move_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'coin_moves_end_on_proof';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER coin_moves_provider_end BEFORE UPDATE OF state ON coin_moves FOR EACH ROW
  WHEN (NEW.state = 'dead' AND OLD.state <> 'dead' AND NEW.rail = 'provider') EXECUTE FUNCTION guard_provider_end();
