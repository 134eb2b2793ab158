-- Adds up all accounts per asset: the hash sum that `books_rows` must arrive at, and the balances, which must add up to
-- zero.
CREATE OR REPLACE FUNCTION books_accounts(p_seed bigint)
RETURNS TABLE (asset_id smallint, accounts bigint, sum numeric, balance numeric) LANGUAGE sql STABLE
  SET jit = off SET max_parallel_workers_per_gather = 0 AS $$
  SELECT a.asset_id, count(*), sum(books_hash(p_seed, a.account_id, a.entries, a.available)
                                   + books_held_hash(p_seed, a.account_id, a.held)),
         sum(a.available) + sum(a.held)
    FROM accounts a GROUP BY a.asset_id
$$;
