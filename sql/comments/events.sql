-- The tables of the module `events` and those of their columns whose names do not say everything.

COMMENT ON TABLE kyc_events IS 'Each status that an identity check reached, with its position in the feed.';
COMMENT ON COLUMN kyc_events.status IS 'As users.kyc_status.';

COMMENT ON TABLE key_events IS
  'Each account key that was created or revoked, and each change of a person''s passkeys, with its position in the feed.';
COMMENT ON COLUMN key_events.state IS 'Of a key: created or revoked. Without a key, the type of an event about passkeys.';

COMMENT ON VIEW feed IS 'All events in order. Read only below ledger_settled_seq().';
COMMENT ON COLUMN feed.source IS 'The table that contains the event.';
COMMENT ON COLUMN feed.type IS 'Type of the event, for example payment.complete.';
COMMENT ON COLUMN feed.people IS 'The people the event is about.';

COMMENT ON TABLE webhook_endpoints IS 'Receivers of webhooks.';
COMMENT ON COLUMN webhook_endpoints.url IS 'Where events are posted.';
COMMENT ON COLUMN webhook_endpoints.description IS 'The operator''s text.';
COMMENT ON COLUMN webhook_endpoints.types IS 'Event types: *, a group such as payment.*, or single types.';
COMMENT ON COLUMN webhook_endpoints.in_order IS 'One event at a time.';
COMMENT ON COLUMN webhook_endpoints.state IS
  'failed: switched off, because nothing worked for days or the receiver is gone.';
COMMENT ON COLUMN webhook_endpoints.failure IS 'Why it was switched off.';
COMMENT ON COLUMN webhook_endpoints.failing_since IS 'Since when no delivery has succeeded.';
COMMENT ON COLUMN webhook_endpoints.place IS 'Position in the feed up to which deliveries exist.';
COMMENT ON COLUMN webhook_endpoints.key_id IS
  'The key that manages it; NULL if only operators do. With an account key: only events of its owner, while it works.';
COMMENT ON COLUMN webhook_endpoints.removed_at IS 'The row stays for its deliveries.';

COMMENT ON TABLE webhook_secrets IS 'Signing secrets. Only the worker can read them.';
COMMENT ON COLUMN webhook_secrets.number IS 'Counts the secrets of the endpoint.';
COMMENT ON COLUMN webhook_secrets.secret IS 'Key of the HMAC.';
COMMENT ON COLUMN webhook_secrets.ends_at IS 'When a replaced secret stops being used; NULL for the current one.';

COMMENT ON TABLE webhook_deliveries IS 'One event for one endpoint.';
COMMENT ON COLUMN webhook_deliveries.place IS 'Position in the feed.';
COMMENT ON COLUMN webhook_deliveries.type IS 'Type of the event.';
COMMENT ON COLUMN webhook_deliveries.data IS 'Ids of the event''s subject and people, as sent in the body.';
COMMENT ON COLUMN webhook_deliveries.is_test IS 'A test event, which does not wait for its turn.';
COMMENT ON COLUMN webhook_deliveries.state IS 'waiting, delivered or failed.';
COMMENT ON COLUMN webhook_deliveries.due_at IS 'Next attempt; NULL when it ended.';
COMMENT ON COLUMN webhook_deliveries.attempts IS 'Number of attempts.';
COMMENT ON COLUMN webhook_deliveries.took_ms IS 'Duration of the last attempt, in milliseconds.';
COMMENT ON COLUMN webhook_deliveries.status IS 'HTTP status of the last answer.';
COMMENT ON COLUMN webhook_deliveries.answer IS 'Start of the last answer.';
COMMENT ON COLUMN webhook_deliveries.earlier_attempts IS 'The attempts before the last one, newest first: at most 30, with the start of each answer.';
COMMENT ON COLUMN webhook_deliveries.fault IS 'Why the last attempt got no answer.';
