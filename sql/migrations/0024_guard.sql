-- What a server cannot talk the database out of.

-- What sends to addresses wait for, and whether the treasury may be spent without a service key, which only a sandbox
-- allows. Workers store what they are configured with (`keep_send_rules`); of that and of what the caller says, the stricter
-- counts. Whoever has taken over a server can neither write this table nor call that function.
CREATE TABLE send_rules (
  only_one            boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  -- In millionths; NULL: no amount needs approval.
  approval_threshold  bigint CHECK (approval_threshold > 0),
  -- Seconds.
  new_recipient_delay integer NOT NULL DEFAULT 0 CHECK (new_recipient_delay >= 0),
  has_open_treasury   boolean NOT NULL DEFAULT false
);
INSERT INTO send_rules DEFAULT VALUES;
