-- From now on, `seq` must be above this number. PostgreSQL refuses lower ones, because the Bloom filter is complete up
-- to this number.
CREATE OR REPLACE FUNCTION ledger_number_above(p_seq bigint) RETURNS void LANGUAGE sql AS $$
  UPDATE ledger_state SET ids_upto = p_seq
$$;
