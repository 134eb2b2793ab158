-- Credits deposits whose logs the worker has stored, in order, and returns how many were new. Receiver, sender and amount
-- are those of the stored rows. One log of one chain transaction is credited once, whatever its rows say about wallets.
-- The receivers' accounts are opened by the caller.
CREATE OR REPLACE FUNCTION credit_deposits(p_asset smallint, p_ids uuid[]) RETURNS integer LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  receivers bigint[];
  amounts   bigint[];
  senders   text[];
BEGIN
  PERFORM require_arguments('credit_deposits',
    p_asset IS NOT NULL AND is_list(p_ids, cardinality(p_ids)) AND array_position(p_ids, NULL) IS NULL);
  IF p_ids = '{}' THEN RETURN 0; END IF;
  IF EXISTS (SELECT FROM deposits d JOIN deposits o ON o.tx_hash = d.tx_hash AND o.log_index = d.log_index
               AND o.asset_id IN (SELECT s.asset_id FROM assets s JOIN assets t USING (network_id) WHERE t.asset_id = p_asset)
              WHERE d.transfer_id = ANY (p_ids) AND o.transfer_id <> d.transfer_id AND o.state = 'credited'
                AND d.block_number > 0 AND o.block_number > 0) THEN
    RAISE EXCEPTION 'a log is credited once' USING ERRCODE = 'restrict_violation', CONSTRAINT = 'deposits_of_logs_once';
  END IF;
  SELECT array_agg(d.receiver ORDER BY d.n), array_agg(d.amount ORDER BY d.n), array_agg(d.sender ORDER BY d.n)
    INTO receivers, amounts, senders
    FROM (SELECT u.n, d.amount, nullif(d.from_address, '') AS sender, CASE WHEN w.user_id IS NULL
                   THEN (SELECT account_id FROM accounts WHERE kind = 'treasury' AND asset_id = p_asset AND user_id IS NULL)
                   ELSE (SELECT account_id FROM accounts WHERE user_id = w.user_id AND asset_id = p_asset) END AS receiver
            FROM unnest(p_ids) WITH ORDINALITY AS u(id, n)
            JOIN deposits d ON d.transfer_id = u.id AND d.asset_id = p_asset AND d.state = 'credited'
            JOIN wallets w USING (wallet_id)) d;
  IF cardinality(array_remove(receivers, NULL)) IS DISTINCT FROM cardinality(p_ids) THEN
    PERFORM refuse_call('credit_deposits');
  END IF;
  RETURN ledger_deposit(p_asset, p_ids, receivers, amounts, senders);
END $$;
