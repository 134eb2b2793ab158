-- Pays out the holds of payments that the chain has made, in order, one outcome each: `applied`; `duplicate`, it was posted
-- before; `ended`, it was released before. Accounts and amount are those of the hold. Payments and accounts are locked by
-- the caller.
CREATE OR REPLACE FUNCTION post_holds(p_payments uuid[]) RETURNS text[] LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  outcomes text[] := '{}';
  did      text;
  id       uuid;
BEGIN
  PERFORM require_arguments('post_holds',
    is_list(p_payments, cardinality(p_payments)) AND array_position(p_payments, NULL) IS NULL);
  FOREACH id IN ARRAY p_payments LOOP
    SELECT m.outcome INTO did
      FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id AND t.kind = 'hold'
     CROSS JOIN LATERAL ledger_apply(derived_id('post:' || id), 'post', t.debit_account, t.credit_account, t.amount, id, NULL) m
     WHERE p.payment_id = id;
    -- A payment that waits for approvals has no move (`guard_coin_move`), so its hold cannot be posted.
    IF (did IN ('duplicate', 'ended') OR did = 'applied' AND EXISTS (SELECT FROM coin_moves m
          WHERE m.move_id = id AND m.purpose = 'send' AND m.state IN ('open', 'done'))) IS NOT TRUE
    THEN
      PERFORM refuse_call('post_holds');
    END IF;
    outcomes := outcomes || did;
  END LOOP;
  RETURN outcomes;
END $$;
