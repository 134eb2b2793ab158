-- Asking people for money, and closing an account. Docs: docs/decisions/0029-requests-export-closing.md.

-- Somebody asks for money. It binds people, not names: whoever renames stays who asks or is asked. Written only by
-- functions of the room `payments`; a trigger (`guard_money_request`) refuses every other change.
CREATE TABLE money_requests (
  -- Also the id of its payment.
  request_id uuid PRIMARY KEY,
  asker_id   uuid NOT NULL REFERENCES users,
  -- Who is asked. With `by_link` nobody is named: whoever has the id may pay, and is named here afterwards.
  payer_id   uuid REFERENCES users,
  by_link    boolean NOT NULL,
  amount     bigint NOT NULL CHECK (amount > 0),
  note       text CHECK (length(note) BETWEEN 1 AND 140),
  -- A request whose time is over counts as expired from that moment on; a worker writes it down soon after.
  state      text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'paid', 'declined', 'cancelled', 'expired')),
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  ended_at   timestamptz,
  CONSTRAINT money_requests_of_two CHECK (asker_id <> payer_id),
  CONSTRAINT money_requests_payer CHECK ((payer_id IS NOT NULL) = (NOT by_link OR state = 'paid')),
  CONSTRAINT money_requests_links_stay_undeclined CHECK (NOT by_link OR state <> 'declined'),
  CONSTRAINT money_requests_lasting CHECK (expires_at > created_at AND expires_at <= created_at + interval '366 days'),
  CONSTRAINT money_requests_end CHECK ((state = 'open') = (ended_at IS NULL)),
  CONSTRAINT money_requests_in_time
    CHECK (ended_at IS NULL OR (state = 'expired') = (ended_at >= expires_at))
);
CREATE INDEX money_requests_of_asker ON money_requests (asker_id, created_at DESC, request_id DESC);
CREATE INDEX money_requests_of_payer ON money_requests (payer_id, created_at DESC, request_id DESC);
CREATE INDEX money_requests_open ON money_requests (expires_at) WHERE state = 'open';
CREATE INDEX money_requests_open_of_asker ON money_requests (asker_id) WHERE state = 'open';

-- One row per state that a request has reached, in the order of the feed (see `events`): `seq` is unique in both tables.
CREATE TABLE money_request_events (
  seq        bigint PRIMARY KEY,
  request_id uuid NOT NULL REFERENCES money_requests,
  state      text NOT NULL,
  at         timestamptz NOT NULL,
  UNIQUE (request_id, state)
);

-- `closed`: a person has closed their account. What arrives later is booked, and stays where it is.
ALTER TABLE pauses
  DROP CONSTRAINT pauses_cause_check,
  DROP CONSTRAINT pauses_automatic_of_chain,
  DROP CONSTRAINT pauses_stop_by_cause,
  ADD CONSTRAINT pauses_cause_check
    CHECK (cause IN ('operator', 'closed', 'drift', 'unexplained', 'contradicted', 'reorg', 'gas')),
  ADD CONSTRAINT pauses_automatic_of_chain CHECK (CASE cause
    WHEN 'operator' THEN true WHEN 'closed' THEN scope LIKE 'user:%' ELSE scope LIKE 'chain:%' END),
  ADD CONSTRAINT pauses_stop_by_cause CHECK (cause = 'operator'
    OR (stops = 'accepting and signing') = (cause IN ('drift', 'unexplained', 'contradicted')));

-- Money on closed accounts: it arrived after the closing, and waits for an operator.
CREATE VIEW closed_accounts_with_money AS
  SELECT u.user_id, u.closed_at, n.blockchain, a.available, a.held
    FROM users u JOIN accounts a USING (user_id) JOIN assets s USING (asset_id) JOIN networks n USING (network_id)
   WHERE u.closed_at IS NOT NULL AND (a.available > 0 OR a.held > 0);
