-- Locks a key that is about to change depending on its current rules. Until the commit nothing else changes it, and no
-- payment is accepted with it.
--
-- The rules of keys are protected by a lock on the table `key_rules`. The statement that accepts payments takes it in
-- shared mode (`find_key_refusals`); a revocation or change takes it exclusively, before anything else. So a payment
-- that comes after a revocation is refused, and once a revocation is answered, no further payment with that key is
-- committed. With row locks, a stream of payments could keep the revocation waiting.
CREATE OR REPLACE FUNCTION lock_key(p_key uuid) RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('lock_key', p_key IS NOT NULL);
  PERFORM require_operator('keys');
  LOCK TABLE key_rules IN EXCLUSIVE MODE;
END $$;
