-- Posts the holds of payments that the chain has made, in order, with one outcome per payment: `applied`; `duplicate`,
-- it was posted before; `ended`, it was released before. Accounts and amount are those of the hold. The caller has
-- locked the payments and accounts.
--
-- The id of a post can be computed, so an attacker with a server's login could use it for their own payment. In that
-- case the post gets another id: a hold ends only once, whatever the id.
CREATE OR REPLACE FUNCTION post_holds(p_payments uuid[]) RETURNS text[] LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  outcomes text[] := '{}';
  did      text;
  id       uuid;
  post     uuid;
  held     transfers;
BEGIN
  PERFORM require_arguments('post_holds',
    is_list(p_payments, cardinality(p_payments)) AND array_position(p_payments, NULL) IS NULL);
  FOREACH id IN ARRAY p_payments LOOP
    SELECT t.* INTO held FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id AND t.kind = 'hold'
     WHERE p.payment_id = id;
    FOREACH post IN ARRAY ARRAY[derived_id('post:' || id), gen_random_uuid()] LOOP
      SELECT outcome INTO did
        FROM ledger_apply(post, 'post', held.debit_account, held.credit_account, held.amount, id, NULL);
      EXIT WHEN did <> 'mismatch';
    END LOOP;
    -- A payment that waits for approvals has no open move, unless the chain may have paid it before a restore
    -- (`guard_coin_move`).
    IF (did IN ('duplicate', 'ended') OR did = 'applied' AND EXISTS (SELECT FROM coin_moves m
          WHERE m.move_id = id AND m.purpose = 'send' AND m.state IN ('open', 'done'))) IS NOT TRUE
    THEN
      PERFORM refuse_call('post_holds');
    END IF;
    outcomes := outcomes || did;
  END LOOP;
  RETURN outcomes;
END $$;
