-- The first of two operators proposes that the treasury refunds a payment or a part of it: a payment between people, or
-- a send that is COMPLETE. Nothing moves yet. Outcomes: `proposed`, `waits` (proposed before under this id), `before`
-- (booked), and those of `begin_refund`.
CREATE OR REPLACE FUNCTION propose_refund(
  p_id uuid, p_payment uuid, p_amount bigint, p_reason text, OUT outcome text, OUT details jsonb, OUT amount bigint
) LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  b record;
BEGIN
  PERFORM require_arguments('propose_refund',
    num_nulls(p_id, p_payment, p_reason) = 0 AND coalesce(p_amount, 0) BETWEEN 0 AND 999999999999999);
  PERFORM refuse_unnamed(session_user);
  SELECT * INTO b FROM begin_refund(p_id, p_payment, p_amount, 'treasury');
  outcome := b.outcome; details := b.details; amount := b.amount;
  IF outcome IS NOT NULL THEN RETURN; END IF;
  INSERT INTO refunds (refund_id, payment_id, source, amount, reason, proposed_by)
  VALUES (p_id, p_payment, 'treasury', b.amount, p_reason, session_user);
  PERFORM write_audit('operator:' || session_user, 'refund.proposed',
    (SELECT user_id FROM accounts WHERE account_id = b.credit),
    jsonb_build_object('refund_id', p_id, 'payment_id', p_payment, 'amount', b.amount::text, 'reason', p_reason));
  outcome := 'proposed';
END $$;
