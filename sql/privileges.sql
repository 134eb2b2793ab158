-- Which role may do what. Every migration applies the whole file, so a privilege that is not granted here does not
-- exist. {server} and the others stand for the roles of this database (`role_names`). Docs:
-- docs/operating/database-roles.md.
--
-- {owner} owns everything and cannot log in. Functions marked SECURITY DEFINER act with its rights; they are the only
-- way to write money, history, the audit log, operators and pauses. A privilege that only the previous release still
-- needs is in `privileges.previous.sql`.

REVOKE ALL ON ALL TABLES IN SCHEMA public FROM PUBLIC, {server}, {worker}, {signer}, {operator}, {reader}, {console};
REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM PUBLIC, {server}, {worker}, {signer}, {operator}, {reader}, {console};
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC, {server}, {worker}, {signer}, {operator}, {reader}, {console};

-- Reading. All roles except the signer and the console can read everything except secrets: hashes of tokens and keys,
-- stored answers, signatures, signed bytes.
GRANT SELECT ON ALL TABLES IN SCHEMA public TO {server}, {worker}, {operator}, {reader};
REVOKE SELECT ON session_tokens, spent_id_tokens, login_secrets, service_keys, idempotency_records
  FROM {worker}, {operator}, {reader};
REVOKE SELECT ON webhook_secrets FROM {server}, {operator}, {reader};
REVOKE SELECT ON payment_notes FROM {worker};
REVOKE SELECT ON operator_identities FROM {server}, {worker}, {reader};
REVOKE SELECT ON signatures, cancellations, carrier_attempts FROM {server}, {operator}, {reader};
GRANT SELECT (session_id, kind, generation, expires_at, spent_at) ON session_tokens TO {worker}, {operator}, {reader};
GRANT SELECT (expires_at) ON spent_id_tokens TO {worker}, {operator}, {reader};
GRANT SELECT (key_id, name, scopes, created_at, last_used_at, revoked_at, user_id) ON service_keys
  TO {worker}, {operator}, {reader};
GRANT SELECT (record_id, request_hash, created_at) ON idempotency_records TO {worker}, {operator}, {reader};
GRANT SELECT (endpoint_id, number, created_at, ends_at) ON webhook_secrets TO {server}, {operator}, {reader};
GRANT SELECT (move_id, valid_before, signed_at) ON signatures TO {server}, {operator}, {reader};
GRANT SELECT (move_id, signed_at) ON cancellations TO {server}, {operator}, {reader};
GRANT SELECT (hash, carrier_id, version, gas_limit, max_fee_wei, priority_fee_wei, signed_at_block, created_at, broadcast_at, answer)
  ON carrier_attempts TO {server}, {operator}, {reader};

-- Functions that only compute or read run with the rights of their caller.
GRANT EXECUTE ON FUNCTION revalidate_pages, username_skeleton, address_look, hour_of, hours_counted,
  ledger_tx_seq, ledger_settled_seq, ledger_epoch_standing, payment_stage, payment_is_final, payment_is_unreserved, payment_may_become, payment_waits, counted_approvals,
  wallet_positions, owed_to, touched_wallets, find_pause, pause_words, username_owner, find_funding_wallet,
  find_funding_wallets, limits_left, home_asset_of, history_pages, ledger_entries, transfers_by_id,
  is_carried,
  event_id, event_sources, read_events, read_events_of, follow_events, own_places, find_event, last_event, event_before,
  events_held_since
  TO {server}, {worker}, {signer}, {operator}, {reader};

-- The server: people and their sessions, names, wallets and checks; stored answers, rate limits, and the overview,
-- which only copies data from the chains.
GRANT INSERT ON users, sessions, username_changes, spent_id_tokens, kyc_checks TO {server};
GRANT UPDATE (email, email_verified, kyc_status, discoverable) ON users TO {server};
GRANT UPDATE ON sessions, kyc_checks TO {server};
GRANT INSERT, UPDATE, DELETE ON session_tokens, usernames, username_skeletons, rate_windows TO {server};
GRANT UPDATE, DELETE ON spent_id_tokens TO {server};
GRANT INSERT (secret), DELETE ON login_secrets TO {server};
GRANT UPDATE (last_used_at) ON service_keys TO {server};
GRANT INSERT, UPDATE ON idempotency_records TO {server};
GRANT INSERT, UPDATE, DELETE ON chain_heads, onchain_balances, rates TO {server};
GRANT EXECUTE ON FUNCTION ledger_open_token, ledger_set_home_asset, ledger_open_user_accounts, ledger_lock_accounts,
  ledger_rebase, ledger_pay_batch, accept_sends, payments_lock, payment_release, import_payment, end_unstarted,
  ask_cancellation, record_audit, want_wallet, preview_payment, preview_send, note_payees
  TO {server};
GRANT EXECUTE ON FUNCTION ask_for_money, end_money_request, pay_money_requests, pay_with_notes, close_account TO {server};
-- Account keys: people create, use and revoke their own.
GRANT EXECUTE ON FUNCTION create_account_key, revoke_account_key, log_out_everywhere, pay_with_key TO {server};
-- Passkeys. PostgreSQL verifies each signature itself, so no login can write a proof.
GRANT EXECUTE ON FUNCTION ask_for_passkey, prove_with_passkey, add_passkey, remove_passkey, set_passkey_rule TO {server};
GRANT EXECUTE ON FUNCTION end_passkey_removal TO {server}, {operator};
GRANT EXECUTE ON FUNCTION begin_passkey_removal, finish_passkey_removal TO {operator};

-- The worker: coins, chains and jobs. Only the signer writes signatures and signed bytes. The worker records when it
-- broadcast bytes and what was answered, and clears old ones.
GRANT INSERT, UPDATE, DELETE ON jobs TO {worker};
GRANT INSERT, UPDATE ON job_topics TO {worker};
GRANT INSERT, UPDATE ON holdings, settlements, coin_moves, authorizations, relayers, carriers,
  carrier_calls, chain_cursors, drifts, asset_positions TO {worker};
GRANT INSERT, UPDATE (state, block_number, block_hash, log_index) ON deposits TO {worker};
GRANT INSERT (move_id, provider, key, asked_at) ON provider_transfers TO {worker};
GRANT UPDATE (provider_id, provider_state, tx_hash, error, ended_head, cancel_asked_at, cancel_answer, asked_at, updated_at,
  waits_for, accelerations, accelerated_at, cancel_refusals) ON provider_transfers TO {worker};
GRANT INSERT, UPDATE ON arrivals, arrival_cursors TO {worker};
GRANT INSERT, UPDATE, DELETE ON open_arrivals TO {worker};
GRANT UPDATE (broadcast_at, answer, raw) ON carrier_attempts TO {worker};
GRANT INSERT ON unexplained_moves TO {worker};
GRANT INSERT, UPDATE, DELETE ON chain_blocks, pending_deposits, held_logs, forgotten_nonces, kept_positions TO {worker};
GRANT UPDATE, DELETE ON wallet_rescans TO {worker};
GRANT INSERT ON ever_blacklisted TO {worker};
GRANT INSERT, UPDATE ON blacklist_reads TO {worker};
GRANT EXECUTE ON FUNCTION credit_deposits, write_off_deposits, post_holds, ask_rescan, expire_money_requests, keep_send_rules
  TO {worker};
GRANT DELETE ON unexplained_moves, drifts TO {worker};
GRANT UPDATE (log_index, block_number, block_hash) ON unexplained_moves TO {worker};
GRANT INSERT, UPDATE, DELETE ON node_faults TO {worker};
GRANT EXECUTE ON FUNCTION ledger_open_token, ledger_describe_asset, ledger_name_token, ledger_set_home_asset,
  ledger_open_user_accounts, ledger_open_house_account, ledger_lock_accounts, ledger_rebase, payments_lock, payments_advance,
  payment_release, queue_payments, pause_payments, resume_payments, record_audit, schedule_job,
  forget_some, keep_positions, recount_settlements, wake_sends
  TO {worker};

-- The signer: reads what it has to sign, creates wallets, and adds signatures, which no other role can. Beyond that it
-- changes only what `commit_signatures` writes: the authorizations of what it signs, and its own count of that.
GRANT SELECT ON networks, assets, wallets, wallet_seeds, wallet_providers, transfers, payments, payment_events,
  coin_moves, authorizations, forgotten_nonces, settlements, holdings, relayers, carriers, carrier_calls, provider_transfers,
  pauses, restores, role_names, migrations, applied_functions, releases TO {signer};
GRANT SELECT (user_id, issuer, subject) ON users TO {signer};
GRANT INSERT ON wallets, wallet_seeds TO {signer};
GRANT INSERT, SELECT ON signatures, cancellations, carrier_attempts TO {signer};
GRANT INSERT, SELECT ON provider_webhook_keys TO {signer};
GRANT EXECUTE ON FUNCTION commit_signatures, check_identity, choose_wallets, take_turns, signed_in_a_day,
  ask_transfer, take_back_ask, hold_transfer, resume_transfer, list_earlier_wallets TO {signer};

-- The console's own login, before an operator has logged in: the roster, and whether this database fits the build. For
-- everything else, the console uses the connections of the operators who are logged in.
GRANT SELECT ON operator_identities, role_names, migrations, applied_functions, releases TO {console};

-- Operators: what their commands need.
GRANT EXECUTE ON FUNCTION create_key, change_key, revoke_key, lock_key, operator_objection TO {operator};
GRANT EXECUTE ON FUNCTION describe_key TO {server}, {operator}, {reader};
GRANT UPDATE (stopped, ahead_since, foreign_since) ON relayers TO {operator};
GRANT INSERT ON carriers TO {operator};
GRANT EXECUTE ON FUNCTION ask_rescan TO {operator};
GRANT EXECUTE ON FUNCTION ledger_open_token, ledger_describe_asset, ledger_name_token, ledger_lock_accounts, ledger_rebase,
  ledger_set_tier,
  ledger_give_tier, payments_lock,
  payment_release, give_approval, import_payment, end_unstarted, ask_cancellation, pause_payments, resume_payments,
  set_operator, remove_operator, link_operator, unlink_operator, record_audit
  TO {operator};

-- A restored database: every process may detect a restore; only operators confirm older credentials.
GRANT EXECUTE ON FUNCTION note_restore, check_identity, credentials_from, may_be_signed, signature_seconds, signed_after
  TO {server}, {worker}, {operator};
GRANT EXECUTE ON FUNCTION confirm_restore TO {operator};

-- Ledger corrections, and debts that an import could not collect.
GRANT EXECUTE ON FUNCTION propose_correction, book_correction, collect_debt, explain_settlement, explain_loss TO {operator};
GRANT EXECUTE ON FUNCTION end_unexplained_at, adopt_unexplained, claim_unexplained TO {worker};
GRANT EXECUTE ON FUNCTION is_settlement_nonce, is_credited_transfer, is_forgotten_settlement TO {server}, {worker}, {operator}, {reader};
GRANT EXECUTE ON FUNCTION cancel_after_restore TO {server}, {operator};
GRANT EXECUTE ON FUNCTION cancel_at_provider TO {server}, {worker}, {operator};
-- Sends that the token refuses are denied before they are started.
GRANT EXECUTE ON FUNCTION end_unstarted TO {worker};

-- Provider transfers: a webhook wakes the worker, and two operators decide about held transfers.
GRANT EXECUTE ON FUNCTION wake_transfer TO {server};
GRANT EXECUTE ON FUNCTION propose_transfer_end, approve_transfer_end, rule_arrival TO {operator};

-- Refunds and ending other people's sessions. The functions check the operator's role.
GRANT EXECUTE ON FUNCTION refund_payment, propose_refund, approve_refund, deny_refund, note_refund, end_sessions TO {operator};

-- Webhooks. Servers and operators configure endpoints and make secrets that they cannot read back; only the worker
-- signs with them. Granted by column, also because a privilege on the whole table would let them lock it.
GRANT INSERT, UPDATE (url, description, types, in_order, state, failure, failing_since, removed_at, key_id)
  ON webhook_endpoints TO {server}, {operator};
GRANT INSERT, DELETE, UPDATE (ends_at) ON webhook_secrets TO {server}, {operator};
GRANT EXECUTE ON FUNCTION lock_webhook_endpoints, hasten_deliveries, replay_deliveries, add_test_delivery
  TO {server}, {operator};
GRANT UPDATE (place, state, failure, failing_since) ON webhook_endpoints TO {worker};
GRANT INSERT, UPDATE ON webhook_deliveries TO {worker};
GRANT EXECUTE ON FUNCTION webhook_data, claim_in_order TO {worker};
GRANT EXECUTE ON FUNCTION account_key_works, webhook_works TO {server}, {worker}, {operator};

-- Payouts. Servers store, confirm and cancel files; only the worker pays, and only what was confirmed.
GRANT EXECUTE ON FUNCTION create_payout, confirm_payout, cancel_own_payout TO {server};
GRANT EXECUTE ON FUNCTION pay_payout_people, recover_payout_rows, send_payout_rows, settle_payout TO {worker};
GRANT EXECUTE ON FUNCTION approve_payout, deny_payout TO {operator};
GRANT EXECUTE ON FUNCTION payout_is_final, count_payout_approvals TO {server}, {worker}, {operator}, {reader};

-- The ledger audit. Its functions only read. Only the worker knows the seed: with it, an attacker could construct
-- movements that lead to a chosen sum.
GRANT INSERT, UPDATE, DELETE ON book_audits, book_faults TO {worker};
REVOKE SELECT ON book_audits FROM {server}, {operator}, {reader};
GRANT SELECT (only_one, seq_base, tail_seq, compared_at, compared_seq, cycle_upto, cycle_seq, cycle_rows, cycle_began_at, cycle_names,
  cycle_ended_at, cycle_seconds, rows_total) ON book_audits TO {server}, {operator}, {reader};
GRANT EXECUTE ON FUNCTION books_hash, books_held_hash, books_moved, books_fault, books_rows, books_accounts, books_look,
  books_balance_after, books_held_before, books_row_faults, books_account_faults, books_is_doubled
  TO {worker}, {operator}, {reader};
