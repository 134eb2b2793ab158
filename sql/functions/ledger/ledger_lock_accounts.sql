-- Locks accounts in the order of their ids, and changes nothing. Whoever moves much at once does this first.
CREATE OR REPLACE FUNCTION ledger_lock_accounts(p_accounts bigint[]) RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
BEGIN
  PERFORM FROM accounts WHERE account_id = ANY (p_accounts) ORDER BY account_id FOR NO KEY UPDATE;
END $$;
