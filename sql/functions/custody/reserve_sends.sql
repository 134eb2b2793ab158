-- Reserves the coins of many sends whose own wallets have them, in one round trip, and answers which; those that wait are
-- left out. The others need a closer look (`reserveSend.ts`). Locks payments, then wallets, each by id.
CREATE OR REPLACE FUNCTION reserve_sends(p_asset smallint, p_ids uuid[], p_nonces bytea[]) RETURNS uuid[]
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  reserved_ids uuid[] := '{}';
  one          record;
BEGIN
  PERFORM FROM payments WHERE payment_id = ANY (p_ids) ORDER BY payment_id FOR NO KEY UPDATE;
  PERFORM FROM holdings WHERE asset_id = p_asset AND wallet_id IN (
    SELECT wallet_id FROM payments WHERE payment_id = ANY (p_ids)) ORDER BY wallet_id FOR NO KEY UPDATE;
  FOR one IN
    SELECT p.payment_id, p.wallet_id, p.destination, t.amount, w.address, i.nonce
      FROM unnest(p_ids, p_nonces) WITH ORDINALITY AS i(id, nonce, nth)
      JOIN payments p ON p.payment_id = i.id JOIN transfers t ON t.transfer_id = i.id
      JOIN wallets w ON w.wallet_id = p.wallet_id
     WHERE p.state IN ('INITIATED', 'CLEARED') AND t.asset_id = p_asset AND NOT payment_waits(p)
       AND NOT EXISTS (SELECT FROM transfers e WHERE e.hold_id = i.id)
       AND NOT EXISTS (SELECT FROM authorizations a WHERE a.authorization_id = i.id)
     ORDER BY i.nth
  LOOP
    CONTINUE WHEN NOT EXISTS (SELECT FROM holdings
      WHERE asset_id = p_asset AND wallet_id = one.wallet_id AND coins - reserved >= one.amount);
    INSERT INTO authorizations (authorization_id, asset_id, wallet_id, purpose, nonce, from_address, to_address, value,
      reserved)
    VALUES (one.payment_id, p_asset, one.wallet_id, 'send', one.nonce, one.address, one.destination, one.amount,
      one.amount);
    reserved_ids := reserved_ids || one.payment_id;
  END LOOP;
  PERFORM payments_advance(reserved_ids, array_fill('QUEUED'::text, ARRAY[cardinality(reserved_ids)]), NULL, NULL, NULL);
  RETURN reserved_ids;
END $$;
