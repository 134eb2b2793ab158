-- The tables of the module `overview` and those of their columns whose names do not say everything.

COMMENT ON TABLE chain_heads IS 'The newest block per network, for the wallet overview.';
COMMENT ON COLUMN chain_heads.block_time IS 'Time of the block.';
COMMENT ON COLUMN chain_heads.seen_at IS 'When it was last confirmed as head.';
COMMENT ON COLUMN chain_heads.final_number IS 'The newest final block.';

COMMENT ON TABLE onchain_balances IS 'Balances on chain. Only wallets whose balance may have changed are read again.';
COMMENT ON COLUMN onchain_balances.amount IS 'In millionths, as of block_number.';
COMMENT ON COLUMN onchain_balances.pending_in IS 'Incoming amount in blocks that are not final.';

COMMENT ON TABLE rates IS 'Prices.';
COMMENT ON COLUMN rates.pair IS 'For example USDC/USD.';
COMMENT ON COLUMN rates.price IS 'Decimal number.';
COMMENT ON COLUMN rates.as_of IS 'When the source published the price.';
COMMENT ON COLUMN rates.max_age_seconds IS 'An older price is shown as stale.';
COMMENT ON COLUMN rates.source IS 'Name of the source.';
