-- The first statement of every function that a login may execute and that changes data. `p_are_valid` is the condition
-- on the arguments. NULL is refused too, so a condition that meets an unexpected NULL never lets a call through.
--
-- It also refuses a transaction that keeps one snapshot for all its statements. An attacker could begin such a
-- transaction, wait until an operator pauses payments or lowers a limit, and then pay under the old rules.
CREATE OR REPLACE FUNCTION require_arguments(p_function text, p_are_valid boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF p_are_valid IS NOT TRUE OR current_setting('transaction_isolation') <> 'read committed' THEN
    PERFORM refuse_call(p_function);
  END IF;
END $$;
