-- An account of the service itself: `treasury`, `fees`, `loss` or `chain`. The first call opens it.
CREATE OR REPLACE FUNCTION ledger_open_house_account(p_asset smallint, p_kind text) RETURNS bigint LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  found_id bigint;
BEGIN
  PERFORM require_arguments('ledger_open_house_account', p_asset IS NOT NULL AND p_kind IN ('treasury', 'fees', 'loss', 'chain'));
  SELECT account_id INTO found_id FROM accounts WHERE kind = p_kind AND asset_id = p_asset AND user_id IS NULL;
  IF found_id IS NULL THEN
    INSERT INTO accounts (asset_id, kind) VALUES (p_asset, p_kind)
    ON CONFLICT (kind, asset_id) WHERE user_id IS NULL DO NOTHING;
    SELECT account_id INTO found_id FROM accounts WHERE kind = p_kind AND asset_id = p_asset AND user_id IS NULL;
  END IF;
  RETURN found_id;
END $$;
