-- The only writer of a payment's state after its acceptance; `advancePayments` in server/src/payments/state.ts calls
-- it, with one update per id. Updates older than the state are ignored, except that an update of the same state may
-- bring a newer hash. `record_state` refuses a step that is not allowed, and with it the whole commit.
CREATE OR REPLACE FUNCTION payments_advance(
  p_ids uuid[], p_states text[], p_tx_hashes text[], p_network_fees bigint[], p_error_reasons text[]
) RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  n integer := cardinality(p_ids);
BEGIN
  PERFORM require_arguments('payments_advance', is_list(p_ids, n) AND array_position(p_ids, NULL) IS NULL
    AND is_list(p_states, n) AND coalesce(is_list(p_tx_hashes, n), true) AND coalesce(is_list(p_network_fees, n), true)
    AND coalesce(is_list(p_error_reasons, n), true) AND p_states <@ ARRAY['INITIATED', 'CLEARED', 'QUEUED', 'SENT', 'STUCK',
      'CONFIRMED', 'COMPLETE', 'FAILED', 'DENIED', 'CANCELLED']);
  PERFORM FROM payments WHERE payment_id = ANY (p_ids) ORDER BY payment_id FOR NO KEY UPDATE;
  UPDATE payments p
     SET state = CASE WHEN payment_stage(n.state) > payment_stage(p.state) THEN n.state ELSE p.state END,
         tx_hash = coalesce(n.tx_hash, p.tx_hash),
         network_fee = coalesce(n.network_fee, p.network_fee),
         error_reason = coalesce(n.error_reason, p.error_reason),
         updated_at = date_trunc('milliseconds', clock_timestamp())
    FROM unnest(p_ids, p_states, p_tx_hashes, p_network_fees, p_error_reasons)
         AS n(payment_id, state, tx_hash, network_fee, error_reason)
   WHERE p.payment_id = n.payment_id AND NOT payment_is_final(p.state)
     AND (payment_stage(n.state) > payment_stage(p.state)
          OR (n.tx_hash <> coalesce(p.tx_hash, '') AND (n.state = p.state OR (n.state, p.state) = ('SENT', 'STUCK'))));
END $$;
