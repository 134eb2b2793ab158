-- Locks accounts in the order of their ids, which prevents deadlocks. Call it before several movements.
CREATE OR REPLACE FUNCTION ledger_lock_accounts(p_accounts bigint[]) RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
BEGIN
  PERFORM require_arguments('ledger_lock_accounts', is_list(p_accounts, cardinality(p_accounts)));
  -- Every operator role may cancel. Someone who is no longer an operator locks nothing.
  PERFORM refuse_other_operators('cancel');
  PERFORM FROM accounts WHERE account_id = ANY (p_accounts) ORDER BY account_id FOR NO KEY UPDATE;
END $$;
