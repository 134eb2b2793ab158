-- Webhooks: who wants to be told of events, and what became of telling them. Written only by the room `events`.
-- Docs: docs/decisions/0032-webhooks.md.

CREATE TABLE webhook_endpoints (
  endpoint_id   uuid PRIMARY KEY,
  url           text NOT NULL CHECK (length(url) BETWEEN 1 AND 2000),
  description   text NOT NULL CHECK (length(description) <= 200),
  -- `*`, all of a group such as `payment.*`, or single types.
  types         text[] NOT NULL CHECK (cardinality(types) BETWEEN 1 AND 50),
  -- One event at a time, in the order of the feed: the next is sent when the one before was taken.
  in_order      boolean NOT NULL,
  -- `failed`: switched off by us, because nothing has worked for days, or the receiver says that it is gone.
  state         text NOT NULL DEFAULT 'on' CHECK (state IN ('on', 'off', 'failed')),
  failure       text CHECK (length(failure) BETWEEN 1 AND 500),
  -- No attempt has worked since; NULL while they work.
  failing_since timestamptz,
  -- The place in the feed up to which deliveries were written for it. While it is off the place stays.
  place         bigint NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  -- Its row stays, because deliveries refer to it.
  removed_at    timestamptz,
  CONSTRAINT webhook_endpoints_failure CHECK ((state = 'failed') = (failure IS NOT NULL)),
  CONSTRAINT webhook_endpoints_removed_is_off CHECK (removed_at IS NULL OR state = 'off')
) WITH (fillfactor = 50);

-- The secrets that sign what an endpoint is told: the current one, and former ones until their time is over. Signing needs
-- the secret itself. Only the worker may read it; who makes one shows it once.
CREATE TABLE webhook_secrets (
  endpoint_id uuid NOT NULL REFERENCES webhook_endpoints,
  number      integer NOT NULL CHECK (number > 0),
  secret      bytea NOT NULL CHECK (octet_length(secret) BETWEEN 24 AND 64),
  created_at  timestamptz NOT NULL DEFAULT now(),
  -- NULL: the current one.
  ends_at     timestamptz,
  PRIMARY KEY (endpoint_id, number)
);
CREATE UNIQUE INDEX webhook_secrets_current ON webhook_secrets (endpoint_id) WHERE ends_at IS NULL;

-- One row per event and endpoint, from the moment a worker has read the event in the feed. An attempt is claimed by counting
-- it and moving `due_at` past its time-out, so a killed worker's attempts are due again soon.
CREATE TABLE webhook_deliveries (
  endpoint_id  uuid NOT NULL REFERENCES webhook_endpoints,
  event_id     text COLLATE "C" NOT NULL,
  -- Of the event in the feed. Of a test event: the endpoint's place when it was asked for.
  place        bigint NOT NULL,
  type         text NOT NULL,
  happened_at  timestamptz NOT NULL,
  data         jsonb NOT NULL,
  -- A test event does not wait its turn.
  is_test      boolean NOT NULL DEFAULT false,
  state        text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'delivered', 'failed')),
  due_at       timestamptz DEFAULT now(),
  attempts     integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  -- The last attempt: when it ended, how long it took, and what the receiver said or why it said nothing.
  attempted_at timestamptz,
  took_ms      integer,
  status       integer,
  answer       text CHECK (length(answer) <= 2048),
  fault        text CHECK (length(fault) <= 500),
  created_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (endpoint_id, event_id),
  CONSTRAINT webhook_deliveries_due CHECK ((state = 'waiting') = (due_at IS NOT NULL))
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_in_order ON webhook_deliveries (endpoint_id, place) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_of_endpoint ON webhook_deliveries (endpoint_id, place, event_id);

ALTER TABLE retention
  DROP CONSTRAINT retention_what_check,
  ADD CONSTRAINT retention_what_check
    CHECK (what IN ('answers', 'audit', 'deliveries', 'refusals', 'sessions', 'spendings'));
INSERT INTO retention (what) VALUES ('deliveries');
