ALTER TABLE provider_transfers
  -- How often the provider may have heard of it. Counted by the signer before it asks; taken back when the provider
  -- certainly did nothing. A refusal proves that nothing was made only while it is the answer to the first time.
  ADD COLUMN attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  ADD COLUMN first_asked_at timestamptz,
  -- Counted against the signer's limit of 24 hours, once.
  ADD COLUMN counted_at timestamptz,
  -- Older than the provider keeps keys, and not found there: it is never asked for again, and people decide.
  ADD COLUMN held_at timestamptz,
  -- Why it was not handed over yet.
  ADD COLUMN waits_for text CHECK (length(waits_for) BETWEEN 1 AND 500),
  ADD COLUMN accelerations integer NOT NULL DEFAULT 0 CHECK (accelerations >= 0),
  ADD COLUMN accelerated_at timestamptz;
-- What was handed over by the release before may have been heard.
UPDATE provider_transfers SET attempts = 1, first_asked_at = submitted_at;
CREATE INDEX provider_transfers_held ON provider_transfers (held_at) WHERE held_at IS NOT NULL;

-- A cancellation that the signer has refused is asked for again later and later: at a provider each time takes a turn.
ALTER TABLE authorizations
  ADD COLUMN cancel_refusals integer NOT NULL DEFAULT 0 CHECK (cancel_refusals >= 0),
  ADD COLUMN cancel_after timestamptz;

-- What two people decide about a transfer that is held: `adopt` (the provider has it, under this id) or `never_made`.
CREATE TABLE transfer_decisions (
  decision_id uuid PRIMARY KEY,
  move_id     uuid NOT NULL REFERENCES provider_transfers,
  verdict     text NOT NULL CHECK (verdict IN ('adopt', 'never_made')),
  provider_id text CHECK (length(provider_id) BETWEEN 1 AND 100),
  reason      text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
  proposed_by text NOT NULL CHECK (length(proposed_by) BETWEEN 1 AND 100),
  proposed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  approved_by text CHECK (length(approved_by) BETWEEN 1 AND 100),
  decided_at  timestamptz,
  CONSTRAINT transfer_decisions_two_people CHECK (approved_by <> proposed_by),
  CONSTRAINT transfer_decisions_approved CHECK ((approved_by IS NULL) = (decided_at IS NULL)),
  CONSTRAINT transfer_decisions_names_it CHECK ((verdict = 'adopt') = (provider_id IS NOT NULL))
);
CREATE UNIQUE INDEX transfer_decisions_once ON transfer_decisions (move_id) WHERE decided_at IS NOT NULL;
CREATE INDEX transfer_decisions_open ON transfer_decisions (proposed_at) WHERE decided_at IS NULL;

-- Circle's public keys of webhooks, by the id that a message names. The signer asks for them, because only it may; servers
-- check signatures with them.
CREATE TABLE circle_webhook_keys (
  key_id     uuid PRIMARY KEY,
  -- DER, SubjectPublicKeyInfo.
  public_key bytea NOT NULL CHECK (octet_length(public_key) BETWEEN 50 AND 1000),
  fetched_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
