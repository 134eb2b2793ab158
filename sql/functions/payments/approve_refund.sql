-- The second of two operators approves a refund by the treasury, which pays it. PostgreSQL refuses the operator who
-- proposed it (`refunds_two_people`), and a proposal by someone who is no longer an operator. Outcomes: `refunded`;
-- `before` (already booked); `denied`; `unknown` (no such refund); `paused`, `too_much` (other refunds were booked
-- meanwhile), `insufficient` (the treasury has less) and `closed` (the payer has closed their account): in these cases
-- it keeps waiting.
CREATE OR REPLACE FUNCTION approve_refund(p_id uuid, OUT outcome text, OUT details jsonb, OUT amount bigint)
  LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  asked refunds;
  b     record;
  moved text;
BEGIN
  PERFORM require_arguments('approve_refund', p_id IS NOT NULL);
  PERFORM refuse_unnamed(session_user);
  SELECT * INTO asked FROM refunds WHERE refund_id = p_id AND source = 'treasury';
  IF NOT FOUND THEN outcome := 'unknown'; RETURN; END IF;
  -- Locks the payment first, as every refund does. This refund must still be waiting then.
  SELECT * INTO b FROM begin_refund(p_id, asked.payment_id, asked.amount, 'treasury');
  amount := asked.amount; details := b.details;
  IF b.outcome IS DISTINCT FROM 'waits' THEN outcome := b.outcome; RETURN; END IF;
  PERFORM refuse_unnamed(asked.proposed_by, asked.proposed_at);
  IF asked.amount > (b.details->>'left')::bigint THEN outcome := 'too_much'; RETURN; END IF;
  moved := ledger_refund(p_id, b.debit, b.credit, asked.amount);
  IF moved <> 'applied' THEN outcome := moved; RETURN; END IF;
  UPDATE refunds SET approved_by = session_user, booked_at = (SELECT created_at FROM transfers_by_id(ARRAY[p_id]))
   WHERE refund_id = p_id;
  PERFORM write_audit('operator:' || session_user, 'payment.refunded',
    (SELECT user_id FROM accounts WHERE account_id = b.credit),
    jsonb_build_object('refund_id', p_id, 'payment_id', asked.payment_id, 'amount', asked.amount::text,
                       'reason', asked.reason, 'proposed_by', asked.proposed_by));
  outcome := 'refunded';
END $$;
