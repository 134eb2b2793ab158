-- The account that the coins of a wallet belong to. Opens it if the owner does not have one. NULL without a wallet.
CREATE OR REPLACE FUNCTION ledger_account_of_wallet(p_asset smallint, p_wallet uuid) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  owner uuid;
BEGIN
  IF p_wallet IS NULL THEN RETURN NULL; END IF;
  SELECT user_id INTO owner FROM wallets WHERE wallet_id = p_wallet;
  IF owner IS NULL THEN RETURN ledger_open_house_account(p_asset, 'treasury'); END IF;
  PERFORM ledger_open_user_accounts(p_asset, ARRAY[owner]);
  RETURN (SELECT account_id FROM accounts WHERE user_id = owner AND asset_id = p_asset);
END $$;
