-- When a refresh may be repeated. The previous release neither writes nor reads these columns: while it runs beside this
-- one, the minute alone limits repetitions.

ALTER TABLE session_tokens
  -- Access tokens that a refresh gave: when one was first used. From then on the refresh cannot be repeated.
  ADD COLUMN used_at  timestamptz,
  -- Refresh tokens: another one was given instead, because the refresh was repeated. Whoever comes with this one has
  -- heard the answer that seemed lost, so there are two holders.
  ADD COLUMN replaced boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT session_tokens_used_check CHECK (kind = 'access' OR used_at IS NULL) NOT VALID,
  ADD CONSTRAINT session_tokens_replaced_check CHECK (NOT replaced OR (kind = 'refresh' AND spent_at IS NOT NULL)) NOT VALID;
