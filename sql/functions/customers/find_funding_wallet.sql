-- The wallet that pays in this asset: that of the given wallet's owner, else of the username (in small letters), else
-- the treasury's. Old names and replaced wallets lead to their owner. `refusal`: why there is none, as an error code.
CREATE OR REPLACE FUNCTION find_funding_wallet(
  p_asset smallint, p_wallet uuid, p_username text,
  OUT wallet_id uuid, OUT address text, OUT user_id uuid, OUT refusal text
) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
  named wallets;
BEGIN
  IF p_wallet IS NOT NULL THEN
    SELECT * INTO named FROM wallets WHERE wallet_id = p_wallet;
    IF NOT FOUND THEN refusal := 'wallet.unknown'; RETURN; END IF;
    user_id := named.user_id;
  ELSIF p_username IS NOT NULL THEN
    SELECT n.user_id INTO user_id FROM usernames n
     WHERE n.username = p_username AND (n.redirect_until IS NULL OR n.redirect_until > now());
    IF NOT FOUND THEN refusal := 'username.unknown'; RETURN; END IF;
  END IF;
  IF user_id IS NULL THEN
    SELECT w.wallet_id, w.address INTO wallet_id, address FROM owner_wallets w
     WHERE w.asset_id = p_asset AND w.kind = 'treasury';
  ELSE
    SELECT w.wallet_id, w.address INTO wallet_id, address FROM owner_wallets w
     WHERE w.asset_id = p_asset AND w.user_id = find_funding_wallet.user_id;
  END IF;
  IF FOUND THEN RETURN; END IF;
  refusal := CASE WHEN p_wallet IS NOT NULL THEN 'wallet.unknown'
                  WHEN p_username IS NOT NULL THEN 'username.unknown' ELSE 'wallet.unspecified' END;
END $$;
