-- Whether the owner of an account has closed it. Money credited to a closed account could not be spent. A function that
-- is about to credit the account checks this while it holds the account's lock, which `close_account` also takes.
CREATE OR REPLACE FUNCTION is_closed_account(p_account bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM accounts a JOIN users u USING (user_id) WHERE a.account_id = p_account AND u.closed_at IS NOT NULL)
$$;
