-- Only for workers of release 0.2.0; `credit_deposits`, `post_holds` and `write_off_deposits` replace it. Remove it in
-- the release after 0.3.0. It takes the arguments of 0.2.0 and does only what those functions do.
CREATE OR REPLACE FUNCTION ledger_move(
  p_id uuid, p_kind text, p_debit bigint, p_credit bigint, p_amount bigint, p_hold uuid, p_from text,
  OUT outcome text, OUT details jsonb
) LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  is_known boolean;
BEGIN
  PERFORM require_arguments('ledger_move', num_nulls(p_id, p_debit, p_credit) = 0 AND p_amount > 0
    AND p_kind IN ('deposit', 'internal', 'post') AND (p_kind = 'post') = (p_hold IS NOT NULL));
  is_known := CASE p_kind
    WHEN 'deposit' THEN EXISTS (
      SELECT FROM deposits d JOIN accounts c ON c.account_id = p_debit AND c.kind = 'chain' AND c.asset_id = d.asset_id
       WHERE d.transfer_id = p_id AND d.amount = p_amount AND d.state = 'credited'
         AND ledger_account_of_wallet(d.asset_id, d.wallet_id) = p_credit)
    WHEN 'internal' THEN EXISTS (
      SELECT FROM deposits d JOIN accounts l ON l.account_id = p_debit AND l.kind = 'loss' AND l.asset_id = d.asset_id
        JOIN accounts c ON c.account_id = p_credit AND c.kind = 'chain' AND c.asset_id = d.asset_id
       WHERE d.state = 'lost' AND d.amount = p_amount AND p_id = derived_id('loss:' || d.transfer_id))
    -- A hold that has ended moves nothing, and the outcome says so.
    ELSE EXISTS (SELECT FROM transfers e WHERE e.hold_id = p_hold)
      OR EXISTS (SELECT FROM transfers h
                   JOIN coin_moves m ON m.move_id = h.transfer_id AND m.state IN ('open', 'done')
                  WHERE h.transfer_id = p_hold AND h.kind = 'hold' AND h.amount = p_amount)
      AND p_id = derived_id('post:' || p_hold) END;
  IF is_known IS NOT TRUE THEN PERFORM refuse_call('ledger_move'); END IF;
  SELECT m.outcome, m.details INTO outcome, details
    FROM ledger_apply(p_id, p_kind, p_debit, p_credit, p_amount, p_hold, p_from) m;
END $$;
