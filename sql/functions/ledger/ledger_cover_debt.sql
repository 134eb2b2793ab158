-- Covers a payment that the chain has made for more than the account's balance. `loss` pays the missing amount, and the
-- owner owes it from now on. Returns the missing amount, or 0. The caller has locked both accounts.
--
-- The movements of a debt store its payment in `from_name`, so that the owner's history can explain them.
CREATE OR REPLACE FUNCTION ledger_cover_debt(p_payment uuid, p_account bigint, p_amount bigint) RETURNS bigint
  LANGUAGE plpgsql AS $$
DECLARE
  d       accounts;
  missing bigint;
BEGIN
  SELECT * INTO d FROM accounts WHERE account_id = p_account;
  missing := greatest(p_amount - d.available, 0);
  IF missing > 0 THEN
    PERFORM ledger_apply(gen_random_uuid(), 'internal', ledger_open_house_account(d.asset_id, 'loss'), p_account, missing,
      NULL, p_payment::text);
    INSERT INTO debts (payment_id, account_id, amount) VALUES (p_payment, p_account, missing);
  END IF;
  RETURN missing;
END $$;
