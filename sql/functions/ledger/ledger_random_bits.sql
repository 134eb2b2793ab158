-- 64 bits from PostgreSQL's strong random number generator. The six fixed bits of a random UUID are in digits that are
-- left out.
CREATE OR REPLACE FUNCTION ledger_random_bits() RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT ('x' || left(made.id, 8) || substr(made.id, 10, 4) || right(made.id, 4))::bit(64)::bigint
    FROM (SELECT gen_random_uuid()::text AS id) AS made
$$;
