-- Reserves the coins of many accepted payments in their own wallets and sets them to QUEUED, in one round trip. Returns
-- which; payments that wait for approvals or their delay are left out. Locks payments, then wallets, each in the order
-- of their ids.
CREATE OR REPLACE FUNCTION queue_payments(p_asset smallint, p_ids uuid[], p_rails jsonb) RETURNS uuid[]
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  ready_ids    uuid[];
  reserved_ids uuid[];
BEGIN
  PERFORM require_arguments('queue_payments',
    p_asset IS NOT NULL AND jsonb_typeof(p_rails) = 'object' AND is_list(p_ids, cardinality(p_ids))
    AND array_position(p_ids, NULL) IS NULL);
  PERFORM FROM payments WHERE payment_id = ANY (p_ids) ORDER BY payment_id FOR NO KEY UPDATE;
  SELECT coalesce(array_agg(i.id ORDER BY i.nth), '{}') INTO ready_ids
    FROM unnest(p_ids) WITH ORDINALITY AS i(id, nth) JOIN payments p ON p.payment_id = i.id
   WHERE payment_is_unreserved(p.state) AND NOT payment_waits(p)
     AND NOT EXISTS (SELECT FROM transfers e WHERE e.hold_id = i.id);
  reserved_ids := reserve_from_own_wallets(p_asset, ready_ids, p_rails);
  PERFORM payments_advance(reserved_ids, array_fill('QUEUED'::text, ARRAY[cardinality(reserved_ids)]), NULL, NULL, NULL);
  RETURN reserved_ids;
END $$;
