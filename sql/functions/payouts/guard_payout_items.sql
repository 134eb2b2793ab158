-- A row is paid if the ledger has its payment, with its id, amount and blockchain, to the person or address of the row.
-- Checked once for all rows of the statement. Both sides are compared as ordered lists, because the planner has no
-- statistics about the new rows and would compare each with each in a join.
CREATE OR REPLACE FUNCTION guard_payout_items() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_mergejoin = off SET jit = off
  SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  ids         uuid[] := ARRAY(SELECT payment_id FROM changed WHERE state IN ('paid', 'sent'));
  -- By asset: cheaper than a join for a thousand rows.
  blockchains text[] := ARRAY(SELECT (SELECT n.blockchain FROM assets JOIN networks n USING (network_id) WHERE asset_id = id)
                                FROM generate_series(1, (SELECT max(asset_id) FROM assets)) AS id ORDER BY id);
BEGIN
  IF ids <> '{}' AND ARRAY(SELECT ROW(payment_id, amount, user_id IS NOT NULL, blockchain) FROM changed WHERE state IN ('paid', 'sent')
                            ORDER BY payment_id)
    IS DISTINCT FROM ARRAY(SELECT ROW(t.transfer_id,
                                      coalesce((SELECT p.amount FROM payments p
                                                 WHERE t.kind = 'hold' AND p.payment_id = t.transfer_id), t.amount),
                                      t.kind = 'user', blockchains[t.asset_id])
                             FROM transfers_by_id(ids) t
                            WHERE t.kind IN ('user', 'hold') ORDER BY t.transfer_id)
  THEN
    RAISE EXCEPTION 'a row of a payout is paid by its own payment'
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'payout_items_paid_by_payments';
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER payout_items_guard AFTER UPDATE ON payout_items
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION guard_payout_items();
