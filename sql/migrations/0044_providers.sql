-- The public keys of webhooks, by adapter and by the id that a message names.
CREATE TABLE provider_webhook_keys (
  adapter    text NOT NULL CHECK (length(adapter) BETWEEN 1 AND 40),
  key_id     text NOT NULL CHECK (length(key_id) BETWEEN 1 AND 100),
  -- DER, SubjectPublicKeyInfo.
  public_key bytea NOT NULL CHECK (octet_length(public_key) BETWEEN 50 AND 1000),
  fetched_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (adapter, key_id)
);
INSERT INTO provider_webhook_keys (adapter, key_id, public_key, fetched_at)
SELECT 'circle', key_id::text, public_key, fetched_at FROM circle_webhook_keys;
DROP TABLE circle_webhook_keys;
