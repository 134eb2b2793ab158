-- Rows of a payout that the chain has paid and a restored database has lost. `p_rows`: `nth` and `trace` (see
-- `accept_sends`). A row whose coins were imported is `sent`, and names the imported payment; until then it waits. A
-- row that pays something else than the chain did under its reference fails. `o_open`: the rows that the chain has not
-- paid. If the payout is being stopped, or may no longer pay, those end here.
CREATE OR REPLACE FUNCTION recover_payout_rows(p_payout uuid, p_rows jsonb, OUT o_open integer[], OUT o_waits jsonb)
  LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  p        payouts;
  refusal  jsonb;
  places   integer[];
  outcomes text[];
  payments uuid[];
BEGIN
  PERFORM require_arguments('recover_payout_rows', p_payout IS NOT NULL AND jsonb_typeof(p_rows) = 'array');
  SELECT * INTO p FROM payouts WHERE payout_id = p_payout AND state IN ('running', 'waiting', 'stopping') FOR UPDATE;
  IF p.payout_id IS NULL THEN RETURN; END IF;
  SELECT array_agg(m.nth), array_agg(m.outcome), array_agg(m.imported_as) INTO places, outcomes, payments
    FROM (
      SELECT i.nth, u.imported_as, CASE
               WHEN (n.blockchain, s.symbol, u.amount, address_key(u.to_address))
                    IS DISTINCT FROM (i.blockchain, p.currency, i.amount, address_key(i.destination)) THEN 'failed'
               WHEN u.imported_as IS NULL THEN 'waits'
               WHEN EXISTS (SELECT FROM payments x WHERE x.payment_id = u.imported_as) THEN 'sent'
               ELSE 'failed' END AS outcome
        FROM jsonb_to_recordset(p_rows) AS r(nth integer, trace text)
        JOIN payout_items i ON i.payout_id = p_payout AND i.nth = r.nth AND i.state = 'ready' AND i.destination IS NOT NULL
        JOIN forgotten_nonces f ON f.asset_id IN (SELECT asset_id FROM assets) AND f.nonce = decode(r.trace, 'hex')
        JOIN unexplained_moves u USING (asset_id, tx_hash, log_index)
        JOIN assets s USING (asset_id) JOIN networks n USING (network_id)
        JOIN wallets w ON w.wallet_id = u.wallet_id AND w.user_id IS NOT DISTINCT FROM p.payer_id
       -- A loss of the service: this row accounts for the coins (`accept_sends`).
       WHERE NOT EXISTS (SELECT FROM transfers_by_id(ARRAY[u.imported_as]) l WHERE l.kind = 'internal')) m;
  UPDATE payout_items i
     SET state = u.outcome, payment_id = CASE u.outcome WHEN 'sent' THEN u.payment_id ELSE i.payment_id END,
         error = CASE u.outcome WHEN 'failed' THEN '{"code": "reference.used", "details": {}}'::jsonb END
    FROM unnest(places, outcomes, payments) AS u(nth, outcome, payment_id)
   WHERE i.payout_id = p_payout AND i.nth = u.nth AND u.outcome <> 'waits';
  IF 'waits' = ANY (outcomes) THEN
    o_waits := '{"code": "service.unavailable", "details": {"dependency": "custody"}}';
  END IF;
  o_open := ARRAY(SELECT r.nth FROM jsonb_to_recordset(p_rows) AS r(nth integer)
                   WHERE r.nth <> ALL (coalesce(places, '{}')) ORDER BY r.nth);
  refusal := payout_refusal(p);
  IF p.state = 'stopping' THEN
    UPDATE payout_items SET state = 'cancelled' WHERE payout_id = p_payout AND nth = ANY (o_open) AND state = 'ready';
    o_open := '{}';
  ELSIF refusal->>'code' <> 'service.paused' THEN
    UPDATE payout_items SET state = 'failed', error = refusal
     WHERE payout_id = p_payout AND nth = ANY (o_open) AND state = 'ready';
    o_open := '{}';
  END IF;
END $$;
