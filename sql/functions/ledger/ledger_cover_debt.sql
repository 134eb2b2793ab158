-- The chain has paid for this account more than it has: `loss` pays what is missing, and the owner owes it from now on.
-- Returns what was missing; 0 when nothing was. Both accounts are locked by the caller.
--
-- The movements of a debt name its payment in `from_name`: the owner's history explains them with it.
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
