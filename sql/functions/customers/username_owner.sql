-- Whom a name in small letters leads to at this time: the person who has it, or has given it up a short time ago and has
-- not closed their account. No row: nobody. Only names that were given up can be those of closed accounts. A set of rows, so that
-- PostgreSQL makes it a part of the statement that asks.
CREATE OR REPLACE FUNCTION username_owner(p_username text, p_at timestamptz) RETURNS SETOF uuid LANGUAGE sql STABLE AS $$
  SELECT n.user_id FROM usernames n
   WHERE n.username = p_username AND (n.redirect_until IS NULL OR n.redirect_until > p_at
         AND (SELECT u.closed_at FROM users u WHERE u.user_id = n.user_id) IS NULL)
$$;
