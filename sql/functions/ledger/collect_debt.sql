-- Collects as much of a debt as its owner can pay now, and moves it to `loss`. Returns the amount; NULL if the debt
-- does not exist.
CREATE OR REPLACE FUNCTION collect_debt(p_payment uuid) RETURNS bigint LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  debt  debts;
  asset smallint;
  loss  bigint;
  part  bigint;
BEGIN
  PERFORM require_arguments('collect_debt', p_payment IS NOT NULL);
  PERFORM refuse_other_operators('custody');
  SELECT * INTO debt FROM debts WHERE payment_id = p_payment FOR UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  SELECT asset_id INTO asset FROM accounts WHERE account_id = debt.account_id;
  loss := ledger_open_house_account(asset, 'loss');
  PERFORM ledger_lock_accounts(ARRAY[debt.account_id, loss]);
  SELECT least(available, debt.amount - debt.collected) INTO part FROM accounts WHERE account_id = debt.account_id;
  IF part > 0 THEN
    PERFORM ledger_apply(gen_random_uuid(), 'internal', debt.account_id, loss, part, NULL, p_payment::text);
    UPDATE debts SET collected = collected + part WHERE payment_id = p_payment;
  END IF;
  RETURN part;
END $$;
