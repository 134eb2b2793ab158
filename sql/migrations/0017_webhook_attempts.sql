-- Every attempt of a delivery, not only the last. Workers of the previous release leave the column as it is.
-- The last attempt stays in its own columns, so a delivery that succeeds immediately writes nothing here.
ALTER TABLE webhook_deliveries ADD COLUMN earlier_attempts jsonb NOT NULL DEFAULT '[]'
  CHECK (jsonb_typeof(earlier_attempts) = 'array');
