-- Whether the owner of an account has closed it: nobody could spend what it gets. Whoever is about to credit it asks under the
-- lock of the account, which `close_account` takes.
CREATE OR REPLACE FUNCTION is_closed_account(p_account bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM accounts a JOIN users u USING (user_id) WHERE a.account_id = p_account AND u.closed_at IS NOT NULL)
$$;
