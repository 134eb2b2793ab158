-- Stores the decisions about rows of a payout; only functions of payouts call it. `p_outcomes`: `paid`, `sent`,
-- `failed`; `short`: the row exceeds what is left, so it fails or stays `ready`, as the payout specifies; `wait`: it
-- stays `ready` in any case. `p_said`: code and details of the error. Returns why the first remaining row waits; NULL
-- if none does.
CREATE OR REPLACE FUNCTION decide_payout_rows(p payouts, p_rows integer[], p_outcomes text[], p_said jsonb[]) RETURNS jsonb
  LANGUAGE plpgsql SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off
  SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  UPDATE payout_items i SET state = CASE u.outcome WHEN 'short' THEN 'failed' ELSE u.outcome END,
         error = CASE WHEN u.outcome IN ('short', 'failed') THEN u.said END
    FROM unnest(p_rows, p_outcomes, p_said) AS u(nth, outcome, said)
   WHERE i.payout_id = p.payout_id AND i.nth = u.nth AND i.state = 'ready'
     AND (u.outcome IN ('paid', 'sent', 'failed') OR u.outcome = 'short' AND p.on_shortage = 'fail');
  RETURN (SELECT u.said FROM unnest(p_rows, p_outcomes, p_said) AS u(nth, outcome, said)
           WHERE u.outcome = 'wait' OR u.outcome = 'short' AND p.on_shortage = 'wait' ORDER BY u.nth LIMIT 1);
END $$;
