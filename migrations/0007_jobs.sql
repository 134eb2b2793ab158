-- Work that must happen later, committed with its cause. Written only by the room `jobs`.

-- A job is due at `run_at`. Claiming it moves `run_at` to the end of a short lease, so the job of a worker that was
-- killed is due again by itself, within seconds. `claim` tells whether the lease is still one's own.
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
