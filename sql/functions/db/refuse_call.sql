-- Rejects a call of a function that a login may execute. See `require_arguments`.
CREATE OR REPLACE FUNCTION refuse_call(p_function text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION '% runs only in a READ COMMITTED transaction', p_function USING ERRCODE = 'invalid_transaction_state';
  END IF;
  RAISE EXCEPTION 'the arguments of % are not valid', p_function USING ERRCODE = 'invalid_parameter_value';
END $$;
