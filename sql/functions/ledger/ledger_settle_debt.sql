-- Repays to `loss` what is still owed for this payment: the payment was given back, so its owner has the money. The
-- caller has locked the accounts.
CREATE OR REPLACE FUNCTION ledger_settle_debt(p_payment uuid, p_asset smallint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  debt debts;
BEGIN
  SELECT * INTO debt FROM debts WHERE payment_id = p_payment AND collected < amount FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM ledger_apply(gen_random_uuid(), 'internal', debt.account_id, ledger_open_house_account(p_asset, 'loss'),
    debt.amount - debt.collected, NULL, p_payment::text);
  UPDATE debts SET collected = amount WHERE payment_id = p_payment;
END $$;
