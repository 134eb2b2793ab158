-- Locks a key that is about to change depending on what it may do now. Until the commit nothing else changes it, and no
-- payment is accepted with it.
--
-- The lock on what keys may do is one of the table `key_rules`: the statement that accepts payments takes it shared
-- (`find_key_refusals`); a revocation or change takes it alone, before anything else. So a payment that a revocation has
-- overtaken is refused, and after a revocation is answered no payment of the key is committed. With locks on rows a stream
-- of payments could keep the revocation waiting.
CREATE OR REPLACE FUNCTION lock_key(p_key uuid) RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('lock_key', p_key IS NOT NULL);
  PERFORM require_operator('keys');
  LOCK TABLE key_rules IN EXCLUSIVE MODE;
END $$;
