-- Which of these service keys may not send, and why: error code and details by key; NULL when all may. A process may
-- remember a key that was revoked since, or that a restore of the database has made doubtful. A value rather than rows:
-- PL/pgSQL gets it without a statement of its own.
CREATE OR REPLACE FUNCTION find_key_refusals(p_keys uuid[]) RETURNS jsonb
  LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
BEGIN
  RETURN (
    SELECT jsonb_object_agg(r.id, CASE WHEN r.reason IS NULL THEN '{"code": "auth.scope", "details": {"scope": "send"}}'
             ELSE jsonb_build_object('code', 'auth.invalid', 'details', jsonb_build_object('reason', r.reason)) END)
      FROM (SELECT d.id, k.scopes, CASE WHEN k.key_id IS NULL THEN 'unknown'
                WHEN k.revoked_at IS NOT NULL OR k.created_at < (SELECT credentials_from('keys')) THEN 'revoked' END AS reason
              FROM (SELECT DISTINCT u.id FROM unnest(p_keys) AS u(id) WHERE u.id IS NOT NULL) d
              LEFT JOIN service_keys k ON k.key_id = d.id) r
     WHERE r.reason IS NOT NULL OR NOT 'send' = ANY (r.scopes));
END $$;
