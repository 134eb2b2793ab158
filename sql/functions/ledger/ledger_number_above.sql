-- From now on movements are numbered above this: PostgreSQL refuses others, because the ids up to there are marked.
CREATE OR REPLACE FUNCTION ledger_number_above(p_seq bigint) RETURNS void LANGUAGE sql AS $$
  UPDATE ledger_state SET ids_upto = p_seq
$$;
