-- Writes what a key may do, and its history. `p_rules` is the complete set of rules:
--   any_person     true: the key may spend every person's money; else only that of `users` and `wallets` (ids)
--   blockchains    NULL: all
--   destinations   pairs of first and last address; NULL: every address
--   expires_at, certificate (SHA-256, hexadecimal)   NULL: none
--   clients        the only address ranges (CIDR) from which it works; NULL: everywhere. IPv6 clients are /64 networks, so
--                  a narrower range is refused
--   people, treasury   `payment`, `day` and `month` limits; `treasury` NULL: it may not spend the treasury
-- What was already counted in the windows stays counted.
CREATE OR REPLACE FUNCTION write_key_rules(p_key uuid, p_rules jsonb, p_reason text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  before jsonb;
BEGIN
  LOCK TABLE key_rules IN EXCLUSIVE MODE;
  before := describe_key(p_key);
  DELETE FROM key_payers WHERE key_id = p_key;
  DELETE FROM key_destinations WHERE key_id = p_key;
  INSERT INTO key_rules (key_id, expires_at, certificate, client_ranges, any_person, any_destination, blockchains)
  VALUES (p_key, (p_rules->>'expires_at')::timestamptz, decode(p_rules->>'certificate', 'hex'),
          CASE WHEN jsonb_typeof(p_rules->'clients') = 'array'
            THEN ARRAY(SELECT DISTINCT jsonb_array_elements_text(p_rules->'clients')::cidr ORDER BY 1) END,
          (p_rules->>'any_person')::boolean, jsonb_typeof(p_rules->'destinations') IS DISTINCT FROM 'array',
          CASE WHEN jsonb_typeof(p_rules->'blockchains') = 'array'
            THEN ARRAY(SELECT DISTINCT jsonb_array_elements_text(p_rules->'blockchains') ORDER BY 1) END)
  ON CONFLICT (key_id) DO UPDATE
    SET expires_at = excluded.expires_at, certificate = excluded.certificate, client_ranges = excluded.client_ranges,
        any_person = excluded.any_person,
        any_destination = excluded.any_destination, blockchains = excluded.blockchains;
  IF EXISTS (SELECT FROM key_rules r, unnest(r.client_ranges) AS range
              WHERE r.key_id = p_key AND family(range) = 6 AND masklen(range) > 64) THEN
    RAISE EXCEPTION 'an IPv6 range narrower than /64 contains no client' USING ERRCODE = 'restrict_violation',
      CONSTRAINT = 'key_rules_client_networks';
  END IF;
  IF EXISTS (SELECT FROM wallets WHERE user_id IS NULL
               AND wallet_id IN (SELECT jsonb_array_elements_text(p_rules->'wallets')::uuid)) THEN
    RAISE EXCEPTION 'the treasury needs a separate permission' USING ERRCODE = 'restrict_violation',
      CONSTRAINT = 'key_payers_people_only';
  END IF;
  INSERT INTO key_payers (key_id, user_id) SELECT DISTINCT p_key, jsonb_array_elements_text(p_rules->'users')::uuid;
  INSERT INTO key_payers (key_id, wallet_id) SELECT DISTINCT p_key, jsonb_array_elements_text(p_rules->'wallets')::uuid;
  IF jsonb_typeof(p_rules->'destinations') = 'array' THEN
    INSERT INTO key_destinations (key_id, first_address, last_address)
    SELECT DISTINCT p_key, lower(d->>0), lower(d->>1) FROM jsonb_array_elements(p_rules->'destinations') d;
  END IF;
  INSERT INTO key_budgets AS known (key_id, pays, allowed, payment_limit, day_limit, month_limit, counted_since)
  SELECT p_key, pays, pays = 'people' OR jsonb_typeof(p_rules->pays) = 'object', (p_rules->pays->>'payment')::bigint,
         (p_rules->pays->>'day')::bigint, (p_rules->pays->>'month')::bigint,
         CASE WHEN coalesce(p_rules->pays->>'day', p_rules->pays->>'month') IS NOT NULL THEN clock_timestamp() END
    FROM unnest(ARRAY['people', 'treasury']) AS pays
  ON CONFLICT (key_id, pays) DO UPDATE
    SET allowed = excluded.allowed, payment_limit = excluded.payment_limit, day_limit = excluded.day_limit,
        month_limit = excluded.month_limit,
        counted_since = CASE WHEN excluded.counted_since IS NOT NULL
                             THEN coalesce(known.counted_since, excluded.counted_since) END;
  INSERT INTO key_changes (key_id, before, after, changed_by, reason)
  VALUES (p_key, before, describe_key(p_key), session_user, p_reason);
END $$;
