-- Which of these payments have a service key that may not be used now, and why (single payments need the scope `send`,
-- rows of a payout `payouts`; which API takes which key is decided before): code and details of an error by the
-- payment's place; NULL when all may. No key, no refusal. `p_certificates`: SHA-256 of the client's certificate, if it has
-- shown one. `p_clients`: its IPv4 address or IPv6 network. A process may remember a key that was revoked or changed since, or that a restore of the database has made
-- doubtful. Until the commit nobody can revoke or change these keys (see `lock_key`). A value rather than rows: PL/pgSQL
-- gets it without a statement of its own.
CREATE OR REPLACE FUNCTION find_key_refusals(p_keys uuid[], p_certificates bytea[], p_clients inet[]) RETURNS jsonb
  LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
DECLARE
  keys uuid[] := ARRAY(SELECT DISTINCT u.id FROM unnest(p_keys) AS u(id) WHERE u.id IS NOT NULL ORDER BY 1);
BEGIN
  IF keys = '{}' THEN RETURN NULL; END IF;
  LOCK TABLE key_rules IN ROW SHARE MODE;
  -- A statement of its own, so that it sees what was committed while the one before waited for the locks.
  RETURN (
    WITH doubtful AS MATERIALIZED (
      SELECT d.id, s.scopes, r.certificate, r.client_ranges, CASE
               WHEN s.key_id IS NULL THEN 'unknown'
               WHEN s.revoked_at IS NOT NULL OR s.created_at < (SELECT credentials_from('keys')) THEN 'revoked'
               WHEN r.expires_at <= clock_timestamp() THEN 'expired' END AS reason
        FROM unnest(keys) AS d(id) LEFT JOIN service_keys s ON s.key_id = d.id LEFT JOIN key_rules r ON r.key_id = d.id
    )
    SELECT jsonb_object_agg(p.n, CASE
             WHEN k.reason IS NOT NULL
               THEN jsonb_build_object('code', 'auth.invalid', 'details', jsonb_build_object('reason', k.reason))
             WHEN k.certificate IS NOT NULL AND k.certificate IS DISTINCT FROM p.certificate
               THEN '{"code": "auth.invalid", "details": {"reason": "certificate"}}'
             WHEN k.client_ranges IS NOT NULL
                  AND NOT EXISTS (SELECT FROM unnest(k.client_ranges) AS range WHERE p.client <<= range)
               THEN '{"code": "auth.invalid", "details": {"reason": "address"}}'
             ELSE '{"code": "auth.scope", "details": {"scope": "send"}}' END)
      FROM doubtful k JOIN unnest(p_keys, p_certificates, p_clients) WITH ORDINALITY AS p(key_id, certificate, client, n) ON p.key_id = k.id
     WHERE k.reason IS NOT NULL OR NOT ARRAY['send', 'payouts'] && k.scopes
        OR k.certificate IS NOT NULL AND k.certificate IS DISTINCT FROM p.certificate
        OR k.client_ranges IS NOT NULL
           AND NOT EXISTS (SELECT FROM unnest(k.client_ranges) AS range WHERE p.client <<= range));
END $$;
