-- The asset with which people pay each other in a currency: its token on the home network. NULL: the network has no such
-- token yet.
CREATE OR REPLACE FUNCTION home_asset_of(p_currency text) RETURNS smallint LANGUAGE sql STABLE AS $$
  SELECT s.asset_id FROM ledger_state l JOIN assets h ON h.asset_id = l.home_asset
    JOIN assets s ON s.network_id = h.network_id AND s.symbol = p_currency
$$;
