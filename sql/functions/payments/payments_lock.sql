-- Locks payments in the order of their ids and returns their holds. Call it before anything else when ending payments.
CREATE OR REPLACE FUNCTION payments_lock(p_ids uuid[])
  RETURNS TABLE (payment_id uuid, debit_account bigint, credit_account bigint, amount bigint) LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
BEGIN
  PERFORM require_arguments('payments_lock', is_list(p_ids, cardinality(p_ids)));
  PERFORM refuse_other_operators('cancel');
  RETURN QUERY
    SELECT p.payment_id, t.debit_account, t.credit_account, t.amount
      FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id AND t.transfer_id = ANY (p_ids) AND t.kind = 'hold'
     WHERE p.payment_id = ANY (p_ids) ORDER BY p.payment_id FOR NO KEY UPDATE OF p;
END $$;
