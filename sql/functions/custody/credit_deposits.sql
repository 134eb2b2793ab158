-- Credits deposits whose logs the worker has stored, in order, and returns the ids of their movements. Receiver, sender
-- and amount come from the stored rows; each log is stored as one deposit (`deposits_of_logs`). The caller has opened
-- the receivers' accounts.
--
-- The id of a deposit can be computed, so an attacker with a server's login could use it for their own payment. In that
-- case the deposit gets another id before it is credited.
CREATE OR REPLACE FUNCTION credit_deposits(p_asset smallint, p_ids uuid[]) RETURNS uuid[] LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  ids       uuid[] := p_ids;
  receivers bigint[];
  amounts   bigint[];
  senders   text[];
  taken     record;
BEGIN
  PERFORM require_arguments('credit_deposits',
    p_asset IS NOT NULL AND is_list(p_ids, cardinality(p_ids)) AND array_position(p_ids, NULL) IS NULL);
  IF p_ids = '{}' THEN RETURN p_ids; END IF;
  FOR taken IN
    SELECT t.transfer_id, gen_random_uuid() AS instead FROM transfers_by_id(p_ids) t WHERE t.kind <> 'deposit'
  LOOP
    UPDATE deposits SET transfer_id = taken.instead WHERE transfer_id = taken.transfer_id AND asset_id = p_asset;
    ids := array_replace(ids, taken.transfer_id, taken.instead);
  END LOOP;
  SELECT array_agg(d.receiver ORDER BY d.n), array_agg(d.amount ORDER BY d.n), array_agg(d.sender ORDER BY d.n)
    INTO receivers, amounts, senders
    FROM (SELECT u.n, d.amount, nullif(d.from_address, '') AS sender, CASE WHEN w.user_id IS NULL
                   THEN (SELECT account_id FROM accounts WHERE kind = 'treasury' AND asset_id = p_asset AND user_id IS NULL)
                   ELSE (SELECT account_id FROM accounts WHERE user_id = w.user_id AND asset_id = p_asset) END AS receiver
            FROM unnest(ids) WITH ORDINALITY AS u(id, n)
            JOIN deposits d ON d.transfer_id = u.id AND d.asset_id = p_asset AND d.state = 'credited'
            JOIN wallets w USING (wallet_id)) d;
  IF cardinality(array_remove(receivers, NULL)) IS DISTINCT FROM cardinality(ids) THEN
    PERFORM refuse_call('credit_deposits');
  END IF;
  PERFORM ledger_deposit(p_asset, ids, receivers, amounts, senders);
  RETURN ids;
END $$;
