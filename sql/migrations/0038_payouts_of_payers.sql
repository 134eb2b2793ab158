-- Closing an account asks for the payouts that may still spend its money.
CREATE INDEX payouts_of_payer ON payouts (payer_id) WHERE payer_id IS NOT NULL AND state NOT IN ('complete', 'cancelled');
