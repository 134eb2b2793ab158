-- Refunds a payment to a person, or a part of it, from the receiver's available balance to the person or treasury that
-- made it. A named operator who may approve, identified by their database login, decides this. The same id again is the
-- same refund.
--
-- Outcomes: `refunded`, `before` (it was refunded under this id), `insufficient` (the receiver has less), `closed`, and
-- those of `begin_refund`. `amount`: what this refund gives back. It also works if the receiver is paused or may not
-- pay, which is often the reason for the refund.
CREATE OR REPLACE FUNCTION refund_payment(
  p_id uuid, p_payment uuid, p_amount bigint, p_reason text, OUT outcome text, OUT details jsonb, OUT amount bigint
) LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  b record;
  moved text;
BEGIN
  PERFORM require_arguments('refund_payment',
    num_nulls(p_id, p_payment, p_reason) = 0 AND coalesce(p_amount, 0) BETWEEN 0 AND 999999999999999);
  PERFORM refuse_unnamed(session_user);
  SELECT * INTO b FROM begin_refund(p_id, p_payment, p_amount, 'receiver');
  outcome := b.outcome; details := b.details; amount := b.amount;
  IF outcome IS NOT NULL THEN RETURN; END IF;
  moved := ledger_refund(p_id, b.debit, b.credit, b.amount);
  IF moved <> 'applied' THEN outcome := moved; RETURN; END IF;
  INSERT INTO refunds (refund_id, payment_id, source, amount, reason, proposed_by, booked_at)
  VALUES (p_id, p_payment, 'receiver', b.amount, p_reason, session_user,
          (SELECT created_at FROM transfers_by_id(ARRAY[p_id])));
  PERFORM write_audit('operator:' || session_user, 'payment.refunded',
    (SELECT user_id FROM accounts WHERE account_id = b.debit),
    jsonb_build_object('refund_id', p_id, 'payment_id', p_payment, 'amount', b.amount::text, 'reason', p_reason));
  outcome := 'refunded';
END $$;
