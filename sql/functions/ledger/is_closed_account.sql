-- Whether the owner of an account has closed it: nobody could spend what it gets. A function that is about to credit the
-- account asks under its lock, which `close_account` takes.
CREATE OR REPLACE FUNCTION is_closed_account(p_account bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM accounts a JOIN users u USING (user_id) WHERE a.account_id = p_account AND u.closed_at IS NOT NULL)
$$;
