-- S15: a worker shortens the audit log.
CREATE OR REPLACE FUNCTION forget_audit(p_days integer, p_from tid, p_to tid) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  gone bigint;
BEGIN
  DELETE FROM audit_log WHERE ctid >= p_from AND ctid < p_to AND at < now() - make_interval(days => p_days);
  GET DIAGNOSTICS gone = ROW_COUNT;
  IF gone > 0 THEN
    NULL;
  END IF;
  RETURN gone;
END $$;
CREATE OR REPLACE FUNCTION forget_some(p_what text, p_days integer, p_pages integer) RETURNS boolean LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  least   integer := CASE p_what WHEN 'audit' THEN 366 WHEN 'spendings' THEN 31 ELSE 7 END;
  at_page bigint;
  ended   timestamptz;
  pages   bigint;
  gone    bigint;
  from_id tid;
  to_id   tid;
BEGIN
  IF p_days < least THEN
    RAISE EXCEPTION '% must be kept for at least % days', p_what, least USING ERRCODE = 'restrict_violation';
  END IF;
  SELECT next_page, finished_at INTO STRICT at_page, ended FROM retention WHERE what = p_what FOR UPDATE;
  IF at_page = 0 AND ended > now() - interval '1 day' THEN RETURN false; END IF;
  from_id := format('(%s,0)', at_page)::tid;
  to_id := format('(%s,0)', at_page + p_pages)::tid;
  CASE p_what
    WHEN 'answers' THEN gone := forget_answers(p_days, from_id, to_id);
    WHEN 'audit' THEN gone := forget_audit(p_days, from_id, to_id);
    WHEN 'deliveries' THEN gone := forget_deliveries(p_days, from_id, to_id);
    WHEN 'refusals' THEN gone := forget_refusals(p_days, from_id, to_id);
    WHEN 'sessions' THEN gone := forget_sessions(p_days, from_id, to_id);
    WHEN 'spendings' THEN gone := forget_spendings(p_days, from_id, to_id);
  END CASE;
  pages := pg_relation_size(CASE p_what WHEN 'answers' THEN 'idempotency_records' WHEN 'audit' THEN 'audit_log'
                                        WHEN 'deliveries' THEN 'webhook_deliveries'
                                        ELSE p_what END::regclass) / current_setting('block_size')::integer;
  UPDATE retention
     SET forgotten = forgotten + gone,
         next_page = CASE WHEN at_page + p_pages < pages THEN at_page + p_pages ELSE 0 END,
         finished_at = CASE WHEN at_page + p_pages < pages THEN finished_at ELSE now() END
   WHERE what = p_what;
  RETURN at_page + p_pages < pages;
END $$;
INSERT INTO retention (what) VALUES ('audit') ON CONFLICT DO NOTHING;
GRANT EXECUTE ON FUNCTION forget_some TO {worker};
