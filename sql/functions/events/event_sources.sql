-- The tables that can contain events of these types; NULL: all types.
CREATE OR REPLACE FUNCTION event_sources(p_types text[]) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT array_remove(ARRAY[
    CASE WHEN p_types IS NULL OR p_types && ARRAY['payment.complete', 'refund.complete', 'deposit.complete',
           'correction.complete', 'debt.complete']
         THEN 'transfers' END,
    CASE WHEN p_types IS NULL OR EXISTS (SELECT FROM unnest(p_types) t WHERE t LIKE 'payment.%')
         THEN 'payment_events' END,
    CASE WHEN p_types IS NULL OR EXISTS (SELECT FROM unnest(p_types) t WHERE t LIKE 'request.%')
         THEN 'money_request_events' END,
    CASE WHEN p_types IS NULL OR EXISTS (SELECT FROM unnest(p_types) t WHERE t LIKE 'kyc.%') THEN 'kyc_events' END,
    CASE WHEN p_types IS NULL OR EXISTS (SELECT FROM unnest(p_types) t WHERE t LIKE 'payout.%')
         THEN 'payout_events' END,
    CASE WHEN p_types IS NULL OR EXISTS (SELECT FROM unnest(p_types) t WHERE t LIKE 'key.%' OR t LIKE 'passkey.%')
         THEN 'key_events' END], NULL)
$$;
