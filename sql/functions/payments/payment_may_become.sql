-- The allowed transitions between states. Keep in step with the table in server/src/payments/state.ts, which explains
-- it; a test compares the two. A state without successors is final.
CREATE OR REPLACE FUNCTION payment_may_become(old_state text, new_state text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT new_state = ANY (CASE old_state
    WHEN 'INITIATED' THEN ARRAY['CLEARED', 'QUEUED', 'CONFIRMED', 'COMPLETE', 'FAILED', 'DENIED', 'CANCELLED']
    WHEN 'CLEARED'   THEN ARRAY['QUEUED', 'CONFIRMED', 'COMPLETE', 'FAILED', 'DENIED', 'CANCELLED']
    WHEN 'QUEUED'    THEN ARRAY['SENT', 'CONFIRMED', 'COMPLETE', 'FAILED', 'DENIED', 'CANCELLED']
    WHEN 'SENT'      THEN ARRAY['STUCK', 'CONFIRMED', 'COMPLETE', 'FAILED', 'CANCELLED']
    WHEN 'STUCK'     THEN ARRAY['CONFIRMED', 'COMPLETE', 'FAILED', 'CANCELLED']
    WHEN 'CONFIRMED' THEN ARRAY['COMPLETE', 'FAILED', 'CANCELLED']
    ELSE '{}'::text[] END)
$$;
