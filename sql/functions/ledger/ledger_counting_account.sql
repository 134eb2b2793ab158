-- The account that counts what a person spends in a currency: their account of its home asset. Opens it if it is missing,
-- because a person may have coins only on another blockchain.
CREATE OR REPLACE FUNCTION ledger_counting_account(p_account bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  d        accounts;
  home     smallint;
  counting bigint;
BEGIN
  SELECT * INTO d FROM accounts WHERE account_id = p_account;
  home := home_asset_of((SELECT symbol FROM assets WHERE asset_id = d.asset_id));
  IF d.user_id IS NULL OR home IS NULL OR d.asset_id = home THEN RETURN p_account; END IF;
  SELECT account_id INTO counting FROM accounts WHERE user_id = d.user_id AND asset_id = home;
  IF counting IS NULL THEN
    INSERT INTO accounts (asset_id, kind, user_id) VALUES (home, 'user', d.user_id)
    ON CONFLICT (user_id, asset_id) WHERE user_id IS NOT NULL DO NOTHING;
    SELECT account_id INTO counting FROM accounts WHERE user_id = d.user_id AND asset_id = home;
  END IF;
  RETURN counting;
END $$;
