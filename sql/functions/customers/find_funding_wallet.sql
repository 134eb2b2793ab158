-- One wallet of `find_funding_wallets`.
CREATE OR REPLACE FUNCTION find_funding_wallet(
  p_asset smallint, p_wallet uuid, p_username text, p_person uuid,
  OUT wallet_id uuid, OUT address text, OUT user_id uuid, OUT refusal text
) LANGUAGE sql STABLE AS $$
  SELECT wallet_id, address, user_id, refusal
    FROM find_funding_wallets(ARRAY[p_asset], ARRAY[p_wallet], ARRAY[p_username], ARRAY[p_person])
$$;
