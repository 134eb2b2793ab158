-- Identity checks. The status itself is users.kyc_status; this is what stands behind it. Written only by `customers`.

CREATE TABLE kyc_checks (
  user_id      uuid PRIMARY KEY REFERENCES users,
  -- NULL when the provider no longer has the applicant: the person may begin again.
  applicant_id text UNIQUE,
  -- What was asked for when the check began. Passing another level is no approval.
  level        text NOT NULL,
  can_retry    boolean NOT NULL DEFAULT false,
  reasons      text[] NOT NULL DEFAULT '{}',
  -- Whoever was approved once and is not now had it taken back; that is told apart from a first check.
  was_approved boolean NOT NULL DEFAULT false,
  -- Questions to the provider are numbered when they are asked. An answer is kept only when no later question was
  -- answered before it, so that late answers and reordered messages change nothing.
  asked        bigint NOT NULL DEFAULT 0,
  answered     bigint NOT NULL DEFAULT 0,
  -- The last question got no answer.
  stale        boolean NOT NULL DEFAULT false,
  updated_at   timestamptz NOT NULL DEFAULT now(),
  CHECK (answered <= asked)
);

-- Addresses are stored lower-cased. One address may belong to people of several issuers.
CREATE INDEX users_email ON users (email);
