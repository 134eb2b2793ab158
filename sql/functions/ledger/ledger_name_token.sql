-- What the token's contract calls itself; the first answer stays.
CREATE OR REPLACE FUNCTION ledger_name_token(p_asset smallint, p_name text) RETURNS void LANGUAGE sql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE assets SET token_name = p_name WHERE asset_id = p_asset AND token_name IS NULL
$$;
