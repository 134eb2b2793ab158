-- Stores the name that the token's contract reports. The first name stays.
CREATE OR REPLACE FUNCTION ledger_name_token(p_asset smallint, p_name text) RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('ledger_name_token', num_nulls(p_asset, p_name) = 0);
  PERFORM refuse_other_operators('custody');
  UPDATE assets SET token_name = p_name WHERE asset_id = p_asset AND token_name IS NULL;
END $$;
