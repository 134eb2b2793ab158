-- What PostgreSQL 15 to 17 need otherwise than 18.
--
-- 18 tells what a row was before an update (`RETURNING old.available`). Before 18 the batch of user payments reads it
-- first, and takes its locks there, in the same order. That costs some 15 of 67 µs per payment.
DO $$
DECLARE
  body text := pg_get_functiondef('ledger_pay_users'::regproc);
  places text := 'AS u(account_id, net, out, sends, touches, nth)';
BEGIN
  IF current_setting('server_version_num')::integer >= 180000 THEN RETURN; END IF;
  IF body NOT LIKE '%WITH written AS (%' OR body NOT LIKE '%' || places || '%' THEN
    RAISE EXCEPTION 'ledger_pay_users is not the function that this migration knows';
  END IF;
  body := replace(body, 'WITH written AS (', 'WITH old AS MATERIALIZED (
    SELECT account_id, available, entries, hour, hour_payments, hour_spent FROM accounts
     WHERE account_id = ANY (p_accounts) ORDER BY account_id FOR NO KEY UPDATE
  ), written AS (');
  EXECUTE replace(body, places, places || ' JOIN old USING (account_id)');
END $$;

-- Before 18 a plan that is forbidden (`enable_seqscan = off`) and taken all the same counts as enormously expensive,
-- which calls the just-in-time compiler: a second for a statement of a millisecond.
DO $$
DECLARE
  pinned regprocedure;
BEGIN
  FOR pinned IN SELECT oid::regprocedure FROM pg_proc WHERE 'enable_seqscan=off' = ANY (proconfig) LOOP
    EXECUTE format('ALTER FUNCTION %s SET jit = off', pinned);
  END LOOP;
END $$;
