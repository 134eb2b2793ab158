-- Work to be done later, committed with its cause (written only by the room `jobs`), and answers for repeated calls
-- (written only by `db/idempotency.ts`).

-- A job is due at `run_at`. Claiming it moves `run_at` to the end of a short lease, so the job of a killed worker is
-- due again within seconds. By `claim` a worker knows whether it still has the lease.
CREATE TABLE jobs (
  job_id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind       text NOT NULL,
  key        text NOT NULL,
  run_at     timestamptz NOT NULL DEFAULT now(),
  claim      uuid,
  attempts   integer NOT NULL DEFAULT 0,
  last_error text,
  UNIQUE (kind, key)
) WITH (fillfactor = 50);
CREATE INDEX jobs_due ON jobs (kind, run_at);

-- Answers under an Idempotency-Key, of all calls that are not payments.
CREATE TABLE idempotency_records (
  record_id    uuid PRIMARY KEY,
  request_hash bytea NOT NULL CHECK (octet_length(request_hash) = 32),
  -- NULL only inside the database transaction that is still working on it.
  answer       json,
  created_at   timestamptz NOT NULL DEFAULT now()
);
