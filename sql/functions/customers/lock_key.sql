-- For whoever changes a key depending on what it may do now: nobody else changes it, and no payment is accepted with it,
-- until the commit.
--
-- The lock on what keys may do is one of the table `key_rules`: the statement that accepts payments takes it shared
-- (`find_key_refusals`), whoever revokes or changes a key takes it alone, before anything else. So a payment that a revoke
-- has overtaken is refused, and after a revoke is answered no payment of the key is committed. Locks on rows would let a
-- stream of payments keep the one who revokes waiting.
CREATE OR REPLACE FUNCTION lock_key(p_key uuid) RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('lock_key', p_key IS NOT NULL);
  PERFORM require_operator('keys');
  LOCK TABLE key_rules IN EXCLUSIVE MODE;
END $$;
