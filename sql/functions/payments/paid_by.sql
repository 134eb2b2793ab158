-- The final amount that a payment has paid, and from which account: the maximum that can be refunded. A payment between
-- people has paid from the start, a send when its hold was posted. No row if it has not paid or does not exist. A
-- deposit was not paid from an account of ours, and a refund cannot itself be refunded.
CREATE OR REPLACE FUNCTION paid_by(p_payment uuid)
  RETURNS TABLE (asset_id smallint, payer bigint, payee bigint, amount bigint) LANGUAGE sql STABLE AS $$
  SELECT t.asset_id, t.debit_account, CASE t.kind WHEN 'user' THEN t.credit_account END,
         coalesce((SELECT p.amount FROM payments p WHERE t.kind = 'hold' AND p.payment_id = t.transfer_id), e.amount, t.amount)
    FROM transfers_by_id(ARRAY[p_payment]) t LEFT JOIN transfers e ON e.hold_id = t.transfer_id AND e.kind = 'post'
   WHERE (t.kind = 'user' OR (t.kind = 'hold' AND e.amount IS NOT NULL))
     AND NOT EXISTS (SELECT FROM refunds r WHERE r.refund_id = p_payment)
$$;
