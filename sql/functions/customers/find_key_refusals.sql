-- Finds the payments whose service key may not be used now. Single payments need the scope `send`, and payout rows need
-- `payouts`; account keys have `own:pay` and `own:payouts` for these. Which call accepts which key is decided earlier.
-- Returns the code and details of an error by the payment's position; NULL if all keys may be used. A payment without a
-- key is never refused here. `p_certificates`: the SHA-256 of the client's certificate, if it presented one.
-- `p_clients`: its IPv4 address or IPv6 network. This check is needed because a process may have cached a key that was
-- revoked or changed since, or that a restore of the database has invalidated. Until the commit, these keys cannot be
-- revoked or changed (see `lock_key`). It returns one value instead of rows, so that PL/pgSQL evaluates it as an
-- expression.
CREATE OR REPLACE FUNCTION find_key_refusals(p_keys uuid[], p_certificates bytea[], p_clients inet[]) RETURNS jsonb
  LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
DECLARE
  keys uuid[] := ARRAY(SELECT DISTINCT u.id FROM unnest(p_keys) AS u(id) WHERE u.id IS NOT NULL ORDER BY 1);
BEGIN
  IF keys = '{}' THEN RETURN NULL; END IF;
  LOCK TABLE key_rules IN ROW SHARE MODE;
  -- A separate statement, so that it sees what was committed while the previous one waited for the locks.
  RETURN (
    WITH doubtful AS MATERIALIZED (
      SELECT d.id, s.scopes, s.user_id, r.certificate, r.client_ranges, CASE
               WHEN s.key_id IS NULL THEN 'unknown'
               WHEN s.revoked_at IS NOT NULL OR s.created_at
                 < (SELECT credentials_from(CASE WHEN s.user_id IS NULL THEN 'keys' ELSE 'account_keys' END)) THEN 'revoked'
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
             ELSE jsonb_build_object('code', 'auth.scope', 'details',
                      jsonb_build_object('scope', CASE WHEN k.user_id IS NULL THEN 'send' ELSE 'pay' END)) END)
      FROM doubtful k
           JOIN unnest(p_keys, p_certificates, p_clients) WITH ORDINALITY AS p(key_id, certificate, client, n) ON p.key_id = k.id
     WHERE k.reason IS NOT NULL OR NOT ARRAY['send', 'payouts', 'own:pay', 'own:payouts'] && k.scopes
        OR k.certificate IS NOT NULL AND k.certificate IS DISTINCT FROM p.certificate
        OR k.client_ranges IS NOT NULL
           AND NOT EXISTS (SELECT FROM unnest(k.client_ranges) AS range WHERE p.client <<= range));
END $$;
