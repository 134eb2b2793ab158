-- Locks the refunds of a payment, and returns why no more can be refunded. `p_amount` NULL: all that is left.
--
-- Outcomes, in this order: `paused` (everything is paused, with the stored reason: only operators refund); `unknown` (no such payment); `deposit` (it
-- came from outside and is sent back as a payment to an address); `is_refund`; `unpaid` (not COMPLETE); `own` (the
-- treasury paid it, and only the person who received it can give it back); `sent_away` (it went to an address, so only
-- the treasury can refund it); `mismatch` (the id belongs to something else); `before`, `waits` or `denied` (this
-- refund was booked, proposed or denied before); `too_much` (`details` contain what is left); `closed` (the payer has
-- closed their account). NULL: it can be refunded, and `amount`, `debit` and `credit` are set.
CREATE OR REPLACE FUNCTION begin_refund(
  p_id uuid, p_payment uuid, p_amount bigint, p_source text,
  OUT outcome text, OUT details jsonb, OUT amount bigint, OUT debit bigint, OUT credit bigint
) LANGUAGE plpgsql AS $$
DECLARE
  kind_     text := (SELECT kind FROM transfers_by_id(ARRAY[p_payment]));
  original  record;
  total     refund_totals;
  known     refunds;
BEGIN
  IF find_pause('all') IS NOT NULL THEN
    outcome := 'paused'; details := jsonb_build_object('reason',
      (SELECT reason FROM pauses WHERE scope = 'all' ORDER BY paused_at LIMIT 1));
    RETURN;
  END IF;
  SELECT * INTO original FROM paid_by(p_payment);
  outcome := CASE
    WHEN kind_ IS NULL OR kind_ NOT IN ('user', 'hold', 'deposit') THEN 'unknown'
    WHEN kind_ = 'deposit' THEN 'deposit'
    WHEN EXISTS (SELECT FROM refunds WHERE refund_id = p_payment) THEN 'is_refund'
    WHEN original.amount IS NULL THEN 'unpaid'
    WHEN NOT EXISTS (SELECT FROM accounts WHERE account_id = original.payer
                        AND (kind = 'user' OR kind = 'treasury' AND p_source = 'receiver' AND original.payee IS NOT NULL)) THEN 'own'
    WHEN p_source = 'receiver' AND original.payee IS NULL THEN 'sent_away' END;
  IF outcome IS NOT NULL THEN RETURN; END IF;

  -- From here on, refunds of the same payment wait for each other.
  INSERT INTO refund_totals (payment_id, paid) VALUES (p_payment, original.amount) ON CONFLICT DO NOTHING;
  SELECT * INTO total FROM refund_totals WHERE payment_id = p_payment FOR UPDATE;
  SELECT * INTO known FROM refunds WHERE refund_id = p_id;
  amount := coalesce(p_amount, known.amount, total.paid - total.refunded);
  outcome := CASE
    WHEN (known.payment_id, known.source, known.amount) = (p_payment, p_source, amount)
      THEN CASE WHEN known.denied_at IS NOT NULL THEN 'denied' WHEN known.booked_at IS NULL THEN 'waits' ELSE 'before' END
    WHEN known.refund_id IS NOT NULL OR EXISTS (SELECT FROM transfers_by_id(ARRAY[p_id])) THEN 'mismatch'
    WHEN amount <= 0 OR amount > total.paid - total.refunded THEN 'too_much'
    WHEN is_closed_account(original.payer) THEN 'closed' END;
  details := jsonb_build_object('left', (total.paid - total.refunded)::text);
  credit := original.payer;
  debit := CASE p_source WHEN 'receiver' THEN original.payee
                         ELSE ledger_open_house_account(original.asset_id, 'treasury') END;
END $$;
