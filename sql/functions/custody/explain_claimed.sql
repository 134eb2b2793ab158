-- Records that these coins are this move. `p_given` is the movement that gave back what an import took for them; NULL:
-- there was none.
CREATE OR REPLACE FUNCTION explain_claimed(u unexplained_moves, p_move uuid, p_given uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE unexplained_moves o
     SET first_imported_as = CASE WHEN p_given IS NOT NULL THEN u.imported_as END, given_back = p_given
   WHERE (o.asset_id, o.tx_hash, o.log_index) = (u.asset_id, u.tx_hash, u.log_index);
  PERFORM end_unexplained(u, p_move);
END $$;
