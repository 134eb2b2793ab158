-- On chains that our nodes do not read, a provider reports a transfer between two wallets of ours twice, as sent and as
-- arrived, under two ids. The first is credited and the second is refused: if a chain transaction is one of our moves,
-- its receiver is credited once. Such deposits have no block.
CREATE OR REPLACE FUNCTION guard_unwatched_deposit() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  -- Of two concurrent deposits, the second sees the first.
  PERFORM FROM chain_cursors c JOIN assets a USING (network_id) WHERE a.asset_id = NEW.asset_id FOR NO KEY UPDATE OF c;
  IF EXISTS (SELECT FROM deposits d WHERE d.asset_id = NEW.asset_id AND d.tx_hash = NEW.tx_hash
        AND d.wallet_id = NEW.wallet_id AND d.ordinal <> NEW.ordinal)
    AND EXISTS (SELECT FROM provider_transfers p JOIN coin_moves m USING (move_id) JOIN wallets w ON w.address = m.to_address
        WHERE p.tx_hash = NEW.tx_hash AND m.asset_id = NEW.asset_id AND w.wallet_id = NEW.wallet_id) THEN
    RAISE EXCEPTION 'the coins of % are credited already', NEW.tx_hash
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'deposits_of_own_moves_once';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER deposits_guard_elsewhere BEFORE INSERT ON deposits
  FOR EACH ROW WHEN (NEW.block_number = 0) EXECUTE FUNCTION guard_unwatched_deposit();
