-- History is append-only, and rows that others refer to are never deleted. These triggers apply to every role,
-- including the owner of the tables. They are all in this file, so that it shows which tables are protected. Rows that
-- are refused only while they are young may be deleted later, by `forget_some` alone.
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% on % is refused: history is append-only', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE TRIGGER transfers_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON transfers
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER accounts_stay BEFORE DELETE OR TRUNCATE ON accounts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- Coins may arrive in any wallet, even in a replaced one.
CREATE OR REPLACE TRIGGER wallets_stay
  BEFORE DELETE OR TRUNCATE OR UPDATE OF wallet_id, kind, user_id, provider, family, reference, address ON wallets
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER spendings_stay BEFORE TRUNCATE ON spendings
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- Money enters an account only by a transfer.
CREATE OR REPLACE TRIGGER accounts_start_empty BEFORE INSERT ON accounts FOR EACH ROW
  WHEN (NEW.available <> 0 OR NEW.held <> 0 OR NEW.entries <> 0 OR NEW.day_spent <> 0 OR NEW.month_spent <> 0)
  EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER refusals_append_only BEFORE UPDATE OR TRUNCATE ON refusals
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER refusals_young BEFORE DELETE ON refusals FOR EACH ROW
  WHEN (OLD.created_at > now() - interval '7 days') EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER payment_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON payment_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER money_requests_stay BEFORE DELETE OR TRUNCATE ON money_requests
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER money_request_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON money_request_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER kyc_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON kyc_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER key_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON key_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER payments_stay BEFORE DELETE OR TRUNCATE OR UPDATE OF payment_id ON payments
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- `guard_answer` decides for each answer whether it may be deleted.
CREATE OR REPLACE TRIGGER idempotency_records_not_emptied BEFORE TRUNCATE ON idempotency_records
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER audit_log_stays BEFORE UPDATE OR TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER audit_log_young BEFORE DELETE ON audit_log FOR EACH ROW
  WHEN (OLD.at > now() - interval '366 days') EXECUTE FUNCTION refuse_change();
-- ALWAYS: the triggers also run in sessions with session_replication_role = replica.
ALTER TABLE audit_log ENABLE ALWAYS TRIGGER audit_log_stays, ENABLE ALWAYS TRIGGER audit_log_young;
CREATE OR REPLACE TRIGGER signatures_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON signatures
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER coin_moves_stay BEFORE DELETE OR TRUNCATE ON coin_moves
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER provider_transfers_stay BEFORE DELETE OR TRUNCATE ON provider_transfers
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER authorizations_stay BEFORE DELETE OR TRUNCATE ON authorizations
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER tier_changes_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON tier_changes
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER key_changes_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON key_changes
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER currencies_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON currencies
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER tiers_stay BEFORE UPDATE OF currency OR DELETE OR TRUNCATE ON tiers
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER sessions_stay BEFORE TRUNCATE ON sessions
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER sessions_young BEFORE DELETE ON sessions FOR EACH ROW
  WHEN (coalesce(OLD.ended_at, OLD.expires_at) > now() - interval '7 days') EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER kyc_tier_changes_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON kyc_tier_changes
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- People whose status has no tier would have no limits.
CREATE OR REPLACE TRIGGER kyc_tiers_stay BEFORE UPDATE OF kyc_status, currency OR DELETE OR TRUNCATE ON kyc_tiers
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER approvals_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON approvals
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER cancellations_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON cancellations
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER refunds_stay BEFORE DELETE OR TRUNCATE ON refunds
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER refund_totals_stay BEFORE DELETE OR TRUNCATE ON refund_totals
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- The refunded amount never decreases.
CREATE OR REPLACE TRIGGER refund_totals_only_grow BEFORE UPDATE ON refund_totals FOR EACH ROW
  WHEN (NEW.refunded < OLD.refunded OR NEW.payment_id <> OLD.payment_id OR NEW.paid <> OLD.paid)
  EXECUTE FUNCTION refuse_change();
-- A payout and its file are never deleted.
CREATE OR REPLACE TRIGGER payouts_stay BEFORE DELETE OR TRUNCATE ON payouts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER payout_files_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON payout_files
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER payout_items_stay BEFORE DELETE OR TRUNCATE OR
  UPDATE OF payout_id, nth, reference, username, user_id, destination, blockchain, amount, note ON payout_items
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- A row ends once. Its payment changes only if the chain made it and it was imported (`recover_payout_rows`).
CREATE OR REPLACE TRIGGER payout_items_end_once BEFORE UPDATE ON payout_items FOR EACH ROW
  WHEN (NOT (OLD.state = 'ready' AND (NEW.state = 'sent' OR NEW.payment_id = OLD.payment_id)
    OR OLD.state = 'sent' AND NEW.state IN ('paid', 'failed') AND NEW.payment_id = OLD.payment_id))
  EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER payout_approvals_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON payout_approvals
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER payout_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON payout_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
