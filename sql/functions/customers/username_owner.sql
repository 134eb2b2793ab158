-- The person that a lower-case name leads to at this time: the person who has it, or who gave it up recently and has
-- not closed their account. No row if there is none. Only names that were given up can belong to closed accounts. It
-- returns a set of rows, so that PostgreSQL inlines it into the calling statement.
CREATE OR REPLACE FUNCTION username_owner(p_username text, p_at timestamptz) RETURNS SETOF uuid LANGUAGE sql STABLE AS $$
  SELECT n.user_id FROM usernames n
   WHERE n.username = p_username AND (n.redirect_until IS NULL OR n.redirect_until > p_at
         AND (SELECT u.closed_at FROM users u WHERE u.user_id = n.user_id) IS NULL)
$$;
