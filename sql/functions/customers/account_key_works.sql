-- Whether an account key may be used now. Keys from before a restore never work again, because only their owner knows which
-- of them were revoked since (`credentials_from`). False for the keys of services.
CREATE OR REPLACE FUNCTION account_key_works(p_key uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM service_keys k LEFT JOIN key_rules r USING (key_id)
                  WHERE k.key_id = p_key AND k.user_id IS NOT NULL AND k.revoked_at IS NULL
                    AND k.created_at >= credentials_from('account_keys') AND (r.expires_at <= clock_timestamp()) IS NOT TRUE)
$$;
