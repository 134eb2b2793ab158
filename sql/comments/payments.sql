-- The tables of the module `payments` and those of their columns whose names do not say everything.

COMMENT ON TABLE refusals IS 'Refused payments under an idempotency key: a retry gets the same refusal.';
COMMENT ON COLUMN refusals.payment_id IS 'Derived from the key, like the id of a payment.';
COMMENT ON COLUMN refusals.receiver IS 'The receiver as the caller named it.';
COMMENT ON COLUMN refusals.code IS 'Error code.';
COMMENT ON COLUMN refusals.details IS 'Details of the error.';

COMMENT ON TABLE payments IS
  'State of a send to an address. Payments between people and deposits have only their row in transfers.';
COMMENT ON COLUMN payments.payment_id IS 'The id of the hold in transfers.';
COMMENT ON COLUMN payments.state IS 'State in the API. payment_may_become lists the allowed changes.';
COMMENT ON COLUMN payments.destination IS 'Receiving address.';
COMMENT ON COLUMN payments.wallet_id IS 'The wallet that the coins leave.';
COMMENT ON COLUMN payments.amount IS
  'Amount that the destination receives, in the smallest unit of the asset. The hold is amount + fee. NULL only in '
  'rows of release 0.2.0 until `florin migrate --finish`.';
COMMENT ON COLUMN payments.fee IS 'Amount that the service charges for the send, in the same unit. Always 0 today.';
COMMENT ON COLUMN payments.sender_shown IS 'Whether history shows the sender by username or by wallet.';
COMMENT ON COLUMN payments.approvals_needed IS
  'Approvals of operators before anything is reserved or signed. Decided on acceptance.';
COMMENT ON COLUMN payments.not_before IS 'Nothing is reserved or signed before this time.';
COMMENT ON COLUMN payments.network_fee IS 'Share of the transaction fee, in millionths of the chain''s coin.';
COMMENT ON COLUMN payments.error_reason IS 'Why it ended unpaid, for operators. Customers read prepared words.';
COMMENT ON COLUMN payments.key_id IS 'The service key that requested it; NULL without a key.';

COMMENT ON TABLE payment_events IS 'Each state that a send reached, with its position in the feed.';
COMMENT ON COLUMN payment_events.state IS 'As payments.state.';

COMMENT ON TABLE approvals IS 'Operators'' approvals of sends.';
COMMENT ON COLUMN approvals.operator IS 'Login of the operator.';

COMMENT ON TABLE recipients IS 'Addresses with a completed send per wallet, used to detect look-alike addresses.';
COMMENT ON COLUMN recipients.look IS 'The first and last four digits, which people compare.';

COMMENT ON TABLE money_requests IS 'Requests for money. They name people, not usernames.';
COMMENT ON COLUMN money_requests.request_id IS 'Also the id of its payment.';
COMMENT ON COLUMN money_requests.payer_id IS 'The person asked. NULL for a request by link until it is paid.';
COMMENT ON COLUMN money_requests.by_link IS 'Anyone with the id can pay.';
COMMENT ON COLUMN money_requests.state IS
  'An open request counts as expired as soon as its time is over; a worker writes it soon after.';

COMMENT ON TABLE money_request_events IS 'Each state that a money request reached, with its position in the feed.';
COMMENT ON COLUMN money_request_events.state IS 'As money_requests.state.';

COMMENT ON TABLE payment_notes IS
  'What payments are for, in the words of those who made them. Written in the payment''s commit; can be removed.';
COMMENT ON COLUMN payment_notes.payment_id IS
  'The id of a payment, a stored refusal, a money request or a proposed refund.';
COMMENT ON COLUMN payment_notes.note IS 'NULL: removed.';

COMMENT ON TABLE refunds IS 'Refunds. Each is a payment of its own; its id is also its id in transfers.';
COMMENT ON COLUMN refunds.payment_id IS 'The payment that it returns, in whole or in part.';
COMMENT ON COLUMN refunds.source IS 'receiver, or treasury, which needs two operators.';
COMMENT ON COLUMN refunds.reason IS 'Shown to customers.';
COMMENT ON COLUMN refunds.booked_at IS 'When the money moved; NULL while it waits or after a denial.';

COMMENT ON TABLE refund_totals IS
  'Refunded amount per payment. Refunds of one payment lock this row, so their sum cannot exceed the payment.';
COMMENT ON COLUMN refund_totals.paid IS 'Amount of the payment, in millionths.';
COMMENT ON COLUMN refund_totals.refunded IS 'Sum of its refunds, in millionths.';

COMMENT ON TABLE payees IS 'People and addresses that a person has paid.';
COMMENT ON COLUMN payees.person IS 'The paid person; NULL if it is an address.';
COMMENT ON COLUMN payees.address IS 'Lower case, except base58, which keeps its case.';
COMMENT ON COLUMN payees.last_seq IS 'seq of the newest payment.';
COMMENT ON COLUMN payees.last_asset IS 'Asset of the newest payment.';
COMMENT ON COLUMN payees.payments IS 'Number of payments.';

COMMENT ON TABLE payee_reads IS 'How much of each account''s history is in payees.';
COMMENT ON COLUMN payee_reads.entry IS 'Rows up to this number of the account are in payees.';

COMMENT ON TABLE send_rules IS
  'Rules of sends as the workers are configured; one row. The stricter of these and the caller''s rules applies.';
COMMENT ON COLUMN send_rules.approval_threshold IS
  'Sends of at least this amount (millionths) need approval; NULL for none.';
COMMENT ON COLUMN send_rules.new_recipient_delay IS 'Delay of the first send to an address, in seconds.';
COMMENT ON COLUMN send_rules.has_open_treasury IS
  'The treasury can be spent without a service key. Only a sandbox allows it.';
