-- Coins of these wallets may have become free. Wakes the sends of the asset that wait for coins, if the free coins are
-- in a wallet of the payer of one of them, or exceed what their owner is owed.
CREATE OR REPLACE FUNCTION wake_sends(p_asset smallint, p_wallets uuid[]) RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  topic text := 'coins ' || p_asset;
BEGIN
  PERFORM require_arguments('wake_sends',
    p_asset IS NOT NULL AND is_list(p_wallets, cardinality(p_wallets)) AND array_position(p_wallets, NULL) IS NULL);
  PERFORM lock_topic(topic);
  IF NOT EXISTS (SELECT FROM jobs WHERE waits_for = topic) THEN RETURN; END IF;
  IF EXISTS (SELECT FROM holdings WHERE asset_id = p_asset AND wallet_id = ANY (p_wallets)
               AND surplus > 0 AND coins > reserved AND blocked_at IS NULL AND refused_until IS NULL)
    OR EXISTS (SELECT FROM jobs j JOIN payments p ON p.payment_id = j.key::uuid JOIN wallets w USING (wallet_id)
                 JOIN wallets o ON o.wallet_id = ANY (p_wallets) AND o.kind = w.kind AND o.user_id IS NOT DISTINCT FROM w.user_id
                WHERE j.waits_for = topic) THEN
    PERFORM wake_jobs(topic);
  END IF;
END $$;
