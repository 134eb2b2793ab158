-- Whether a payment is accepted but its coins are not reserved yet. The index `payments_unreserved` has the same
-- condition.
CREATE OR REPLACE FUNCTION payment_is_unreserved(state text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT state IN ('INITIATED', 'CLEARED')
$$;
