-- Maintains the sum of all coins of an asset, so that reconciliation does not add them up in every pass. Reconciliation
-- checks this sum first, and adds up all coins again before it reports a difference.
CREATE OR REPLACE FUNCTION sum_coins() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE asset_positions a SET coins = a.coins + c.change
      FROM (SELECT asset_id, sum(coins)::bigint AS change FROM after_change GROUP BY asset_id) c
     WHERE a.asset_id = c.asset_id AND c.change <> 0;
  ELSE
    UPDATE asset_positions a SET coins = a.coins + c.change
      FROM (SELECT asset_id, sum(coins)::bigint AS change FROM (
              SELECT asset_id, coins FROM after_change UNION ALL SELECT asset_id, -coins FROM before_change) b
             GROUP BY asset_id) c
     WHERE a.asset_id = c.asset_id AND c.change <> 0;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER holdings_sum_new AFTER INSERT ON holdings REFERENCING NEW TABLE AS after_change
  FOR EACH STATEMENT EXECUTE FUNCTION sum_coins();
CREATE OR REPLACE TRIGGER holdings_sum AFTER UPDATE ON holdings
  REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION sum_coins();
