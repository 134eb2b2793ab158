-- Which of these destinations the token must be asked about before a payment is accepted: those that it may have
-- blacklisted (`is_listed`), and all while it may be paused or what we know of it is from before `p_from`.
CREATE OR REPLACE FUNCTION find_suspects(p_from timestamptz, p_blockchains text[], p_destinations text[], p_asked boolean[])
RETURNS TABLE (nth bigint, is_listed boolean) LANGUAGE plpgsql STABLE
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  fresh  text[];
  assets smallint[];
BEGIN
  SELECT array_agg(n.blockchain), array_agg(r.asset_id) INTO fresh, assets
    FROM (SELECT DISTINCT u.blockchain FROM unnest(p_blockchains) AS u(blockchain)) b
    JOIN networks n ON n.blockchain = b.blockchain
    JOIN assets a ON a.network_id = n.network_id AND a.symbol = 'USDC'
    JOIN suspect_reads r ON r.asset_id = a.asset_id
   WHERE r.read_at > p_from AND NOT r.is_paused;
  RETURN QUERY
    SELECT s.nth, x.address IS NOT NULL
      FROM unnest(p_blockchains, p_destinations, p_asked) WITH ORDINALITY AS s(blockchain, destination, asked, nth)
      LEFT JOIN suspects x ON x.asset_id = assets[array_position(fresh, s.blockchain)] AND x.address = lower(s.destination)
     WHERE NOT coalesce(s.asked, true) AND (x.address IS NOT NULL OR array_position(fresh, s.blockchain) IS NULL);
END $$;
