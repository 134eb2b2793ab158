-- Which of these service keys may not send, and why, as error code and details. A process may remember a key that was
-- revoked since, or that a restore of the database has made doubtful.
CREATE OR REPLACE FUNCTION find_key_refusals(p_keys uuid[]) RETURNS TABLE (key_id uuid, refusal jsonb)
  LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT r.id, CASE WHEN r.reason IS NULL THEN '{"code": "auth.scope", "details": {"scope": "send"}}'
             ELSE jsonb_build_object('code', 'auth.invalid', 'details', jsonb_build_object('reason', r.reason)) END
      FROM (SELECT d.id, k.scopes, CASE WHEN k.key_id IS NULL THEN 'unknown'
                WHEN k.revoked_at IS NOT NULL OR k.created_at < (SELECT credentials_from('keys')) THEN 'revoked' END AS reason
              FROM (SELECT DISTINCT u.id FROM unnest(p_keys) AS u(id) WHERE u.id IS NOT NULL) d
              LEFT JOIN service_keys k ON k.key_id = d.id) r
     WHERE r.reason IS NOT NULL OR NOT 'send' = ANY (r.scopes);
END $$;
