-- Opens the accounts that these people do not have yet. Ids that are not users are ignored.
CREATE OR REPLACE FUNCTION ledger_open_user_accounts(p_asset smallint, p_users uuid[]) RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('ledger_open_user_accounts', p_asset IS NOT NULL AND is_list(p_users, cardinality(p_users)));
  INSERT INTO accounts (asset_id, kind, user_id)
  SELECT p_asset, 'user', user_id FROM users WHERE user_id = ANY (p_users) ORDER BY user_id
  ON CONFLICT (user_id, asset_id) WHERE user_id IS NOT NULL DO NOTHING;
END $$;
