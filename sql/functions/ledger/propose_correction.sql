-- The first of two operators proposes to book a difference to `loss` (see `corrections`). Nothing is booked yet.
CREATE OR REPLACE FUNCTION propose_correction(
  p_id uuid, p_asset smallint, p_wallet uuid, p_amount bigint, p_reason text
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('propose_correction', num_nulls(p_id, p_asset, p_reason) = 0 AND is_amount(abs(p_amount)));
  PERFORM refuse_unnamed(session_user);
  INSERT INTO corrections (correction_id, asset_id, wallet_id, amount, reason, proposed_by)
  VALUES (p_id, p_asset, p_wallet, p_amount, p_reason, session_user);
END $$;
