-- The tables of the module `payouts` and those of their columns whose names do not say everything.

COMMENT ON TABLE payouts IS 'A payout file and its progress.';
COMMENT ON COLUMN payouts.key_id IS 'The service key that created it. It pays within the rules of this key.';
COMMENT ON COLUMN payouts.payer_id IS 'Whose money it spends; NULL for the treasury.';
COMMENT ON COLUMN payouts.on_shortage IS 'How rows that exceed the balance or a limit are treated: wait or fail.';
COMMENT ON COLUMN payouts.state IS
  'checked, approving, running, waiting (see waits_for), stopping, complete or cancelled.';
COMMENT ON COLUMN payouts.currency IS 'Currency of all rows.';
COMMENT ON COLUMN payouts.row_count IS 'Number of rows.';
COMMENT ON COLUMN payouts.total IS 'Sum of the amounts, in millionths.';
COMMENT ON COLUMN payouts.known_count IS 'Rows whose reference was paid before.';
COMMENT ON COLUMN payouts.known_total IS 'Sum of their amounts, in millionths.';
COMMENT ON COLUMN payouts.waits_until IS 'When rows that wait for money or a limit fail.';
COMMENT ON COLUMN payouts.waits_for IS 'Why rows wait: code and details of an error.';
COMMENT ON COLUMN payouts.approvals_needed IS 'Approvals of operators before it runs: 0 or 2.';
COMMENT ON COLUMN payouts.certificate IS 'Client certificate of the caller who confirmed it.';
COMMENT ON COLUMN payouts.client IS 'Network address of the caller who confirmed it.';

COMMENT ON TABLE payout_files IS 'The file as it was received.';
COMMENT ON COLUMN payout_files.content_type IS 'text/csv or application/json.';
COMMENT ON COLUMN payout_files.content IS 'Bytes as received.';
COMMENT ON COLUMN payout_files.hash IS 'SHA-256 of the content.';

COMMENT ON TABLE payout_items IS 'A row of a payout file.';
COMMENT ON COLUMN payout_items.nth IS 'Row number in the file, from 1.';
COMMENT ON COLUMN payout_items.payment_id IS
  'Derived from payer and reference: the same reference is the same payment. Or the payment that an operator imported.';
COMMENT ON COLUMN payout_items.reference IS 'The caller''s reference, unique in the file.';
COMMENT ON COLUMN payout_items.username IS 'As written in the file, in lower case.';
COMMENT ON COLUMN payout_items.user_id IS 'The person whom the name led to when the file was checked.';
COMMENT ON COLUMN payout_items.destination IS 'Receiving address; NULL if the row names a person.';
COMMENT ON COLUMN payout_items.note IS 'Text from the file.';
COMMENT ON COLUMN payout_items.state IS 'sent means accepted as a send to an address; the payment has its own state.';
COMMENT ON COLUMN payout_items.error IS 'Why it failed: code and details.';

COMMENT ON TABLE payout_approvals IS 'Operators'' approvals of payouts.';
COMMENT ON COLUMN payout_approvals.operator IS 'Login of the operator.';

COMMENT ON TABLE payout_events IS 'Each state that a payout reached, with its position in the feed.';
COMMENT ON COLUMN payout_events.state IS 'As payouts.state.';
