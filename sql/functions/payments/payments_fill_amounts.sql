-- Stores the amounts of payments from before amounts were stored, for the owner: of the next `p_count` payments after the id
-- `p_after`. `last` is the last of them, or NULL when there are no more; `count` says how many had no amount.
CREATE OR REPLACE FUNCTION payments_fill_amounts(p_after uuid, p_count integer, OUT last uuid, OUT count integer)
  LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
  ids uuid[] := ARRAY(SELECT payment_id FROM payments WHERE payment_id > p_after ORDER BY payment_id LIMIT p_count);
BEGIN
  last := ids[cardinality(ids)];
  UPDATE payments p SET amount = t.amount - p.fee FROM transfers t
   WHERE p.payment_id = ANY (ids) AND p.amount IS NULL AND t.transfer_id = p.payment_id AND t.kind = 'hold';
  GET DIAGNOSTICS count = ROW_COUNT;
END $$;
