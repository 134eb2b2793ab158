-- Deletes rows older than `p_days` in the next `p_pages` pages of a table. Returns true if the pass is not finished. A
-- pass begins at most once a day. The lock on the row of `retention` lets only one worker run this at a time. Workers
-- may not shorten the audit log: see `forget_audit`. Notes have a pass even if they are kept forever (0 days), for people
-- who have closed their accounts.
CREATE OR REPLACE FUNCTION forget_some(p_what text, p_days integer, p_pages integer) RETURNS boolean LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  least   integer := CASE p_what WHEN 'spendings' THEN 31 ELSE 7 END;
  at_page bigint;
  ended   timestamptz;
  pages   bigint;
  gone    bigint;
  from_id tid;
  to_id   tid;
BEGIN
  PERFORM require_arguments('forget_some', (p_days > 0 OR p_days = 0 AND p_what = 'notes') AND p_pages > 0
    AND p_what IN ('answers', 'deliveries', 'notes', 'refusals', 'sessions', 'spendings'));
  IF p_days BETWEEN 1 AND least - 1 THEN
    RAISE EXCEPTION '% must be kept for at least % days', p_what, least USING ERRCODE = 'restrict_violation';
  END IF;
  SELECT next_page, finished_at INTO STRICT at_page, ended FROM retention WHERE what = p_what FOR UPDATE;
  IF at_page = 0 AND ended > now() - interval '1 day' THEN RETURN false; END IF;
  from_id := format('(%s,0)', at_page)::tid;
  to_id := format('(%s,0)', at_page + p_pages)::tid;
  CASE p_what
    WHEN 'answers' THEN gone := forget_answers(p_days, from_id, to_id);
    WHEN 'deliveries' THEN gone := forget_deliveries(p_days, from_id, to_id);
    WHEN 'notes' THEN gone := forget_notes(p_days, from_id, to_id);
    WHEN 'refusals' THEN gone := forget_refusals(p_days, from_id, to_id);
    WHEN 'sessions' THEN gone := forget_sessions(p_days, from_id, to_id);
    WHEN 'spendings' THEN gone := forget_spendings(p_days, from_id, to_id);
  END CASE;
  pages := pg_relation_size(CASE p_what WHEN 'answers' THEN 'idempotency_records'
                                        WHEN 'deliveries' THEN 'webhook_deliveries'
                                        WHEN 'notes' THEN 'payment_notes'
                                        ELSE p_what END::regclass) / current_setting('block_size')::integer;
  UPDATE retention
     SET forgotten = forgotten + gone,
         next_page = CASE WHEN at_page + p_pages < pages THEN at_page + p_pages ELSE 0 END,
         finished_at = CASE WHEN at_page + p_pages < pages THEN finished_at ELSE now() END
   WHERE what = p_what;
  RETURN at_page + p_pages < pages;
END $$;
