-- Stores signatures of many moves in one round trip. A move that was never signed gets its authorization here.
CREATE OR REPLACE FUNCTION record_signatures(
  p_moves uuid[], p_nonces bytea[], p_valid_before bigint, p_signatures bytea[]
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('record_signatures',
    p_valid_before > 0 AND is_list(p_moves, cardinality(p_moves)) AND array_position(p_moves, NULL) IS NULL
    AND is_list(p_nonces, cardinality(p_moves)) AND is_list(p_signatures, cardinality(p_moves)));
  INSERT INTO authorizations (move_id, nonce)
  SELECT m.id, m.nonce FROM unnest(p_moves, p_nonces) AS m(id, nonce) ORDER BY m.id ON CONFLICT (move_id) DO NOTHING;
  -- A process of the previous release computes other nonces for settlements. The nonce that was signed first stays.
  IF EXISTS (SELECT FROM unnest(p_moves, p_nonces) AS m(id, nonce) JOIN authorizations a ON a.move_id = m.id
              WHERE a.nonce <> m.nonce) THEN
    RAISE EXCEPTION 'an authorization keeps its nonce'
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'signatures_only_while_open';
  END IF;
  INSERT INTO signatures (move_id, valid_before, signature)
  SELECT m.id, p_valid_before, m.signature FROM unnest(p_moves, p_signatures) AS m(id, signature) ORDER BY m.id;
END $$;
