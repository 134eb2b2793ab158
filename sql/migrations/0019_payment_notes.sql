-- What a payment is for, in the words of the person who made it. Kept apart from `transfers` and `payments`, which are
-- append-only, because a note can be removed. The id is that of a payment, of a refused payment whose refusal is stored, or
-- of a request for money or a proposed refund, whose payment will have it. It references no table: every payment with a note
-- would pay for the check. Docs: docs/decisions/0052-notes.md.
CREATE TABLE payment_notes (
  payment_id uuid PRIMARY KEY,
  -- NULL: it was removed. The row stays, so that a repeated request is still compared.
  note       text,
  created_at timestamptz NOT NULL DEFAULT date_trunc('milliseconds', clock_timestamp()),
  -- `history_pages` separates fields with tabs and payments with line ends. Other control characters, and those that change
  -- the direction of the text around them, could make a name or an amount beside the note read differently.
  CONSTRAINT payment_notes_text CHECK (length(note) BETWEEN 1 AND 140
    AND note !~ '[\u0001-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]')
);

INSERT INTO payment_notes (payment_id, note, created_at)
SELECT request_id, note, created_at FROM money_requests WHERE note IS NOT NULL;
ALTER TABLE money_requests DROP COLUMN note;

ALTER TYPE new_send ADD ATTRIBUTE note text;

ALTER TABLE retention
  DROP CONSTRAINT retention_what_check,
  ADD CONSTRAINT retention_what_check CHECK (what IN ('answers', 'deliveries', 'notes', 'refusals', 'sessions', 'spendings'));
INSERT INTO retention (what) VALUES ('notes');

-- `notes` adds the notes to what `read` or `events` shows.
ALTER TABLE service_keys
  DROP CONSTRAINT service_keys_scopes_check,
  ADD CONSTRAINT service_keys_scopes_check CHECK (cardinality(scopes) > 0
    AND (scopes <@ ARRAY['read', 'send', 'notes'] OR scopes <@ ARRAY['events', 'webhooks', 'payouts', 'notes'])
    AND (NOT 'notes' = ANY (scopes) OR scopes && ARRAY['read', 'events']));
