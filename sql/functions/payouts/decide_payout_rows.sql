-- Stores the decisions about rows of a payout; only functions of payouts call it. `p_outcomes`: `paid`, `sent`,
-- `failed`; `short`: the row exceeds what is left, so it fails or stays `ready`, as the payout specifies; `wait`: it
-- stays `ready` in any case, but neither longer than the payout waits; `stay`: it stays `ready`, however long. `p_said`:
-- code and details of the error. Returns why the first remaining row waits; NULL if none does.
CREATE OR REPLACE FUNCTION decide_payout_rows(p payouts, p_rows integer[], p_outcomes text[], p_said jsonb[]) RETURNS jsonb
  LANGUAGE plpgsql SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off
  SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  ends text[] := CASE WHEN payout_is_late(p) THEN ARRAY['short', 'wait'] WHEN p.on_shortage = 'fail' THEN ARRAY['short'] ELSE '{}' END;
BEGIN
  UPDATE payout_items i SET state = CASE WHEN u.outcome = ANY (ends) THEN 'failed' ELSE u.outcome END,
         error = CASE WHEN u.outcome = ANY (ends) OR u.outcome = 'failed' THEN u.said END
    FROM unnest(p_rows, p_outcomes, p_said) AS u(nth, outcome, said)
   WHERE i.payout_id = p.payout_id AND i.nth = u.nth AND i.state = 'ready'
     AND (u.outcome IN ('paid', 'sent', 'failed') OR u.outcome = ANY (ends));
  RETURN (SELECT u.said FROM unnest(p_rows, p_outcomes, p_said) AS u(nth, outcome, said)
           WHERE u.outcome IN ('short', 'wait', 'stay') AND u.outcome <> ALL (ends) ORDER BY u.nth LIMIT 1);
END $$;
