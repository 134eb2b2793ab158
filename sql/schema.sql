-- The whole schema as PostgreSQL's catalogue tells it, to be read and searched, never run. Written by `npm run schema`
-- from sql/migrations and sql/functions, where the comments are; test/db/schema.test.ts fails when it is stale.

TABLE accounts WITH (fillfactor=40)
  account_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
  asset_id smallint NOT NULL
  kind text NOT NULL
  user_id uuid
  tier smallint NOT NULL
  paused boolean NOT NULL DEFAULT false
  available bigint NOT NULL DEFAULT 0
  held bigint NOT NULL DEFAULT 0
  entries bigint NOT NULL DEFAULT 0
  hour integer NOT NULL DEFAULT 0
  hour_payments integer NOT NULL DEFAULT 0
  hour_spent bigint NOT NULL DEFAULT 0
  day_payments integer NOT NULL DEFAULT 0
  day_spent bigint NOT NULL DEFAULT 0
  month_spent bigint NOT NULL DEFAULT 0
  last_seq bigint
  last_entry bigint
  CONSTRAINT accounts_pkey PRIMARY KEY (account_id)
  CONSTRAINT accounts_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES assets(asset_id)
  CONSTRAINT accounts_tier_fkey FOREIGN KEY (tier) REFERENCES tiers(tier)
  CONSTRAINT accounts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
  CONSTRAINT accounts_check CHECK (((kind = 'user'::text) = (user_id IS NOT NULL)))
  CONSTRAINT accounts_day_payments_check CHECK ((day_payments >= 0))
  CONSTRAINT accounts_day_spent_check CHECK ((day_spent >= 0))
  CONSTRAINT accounts_held_check CHECK ((held >= 0))
  CONSTRAINT accounts_hour_payments_check CHECK ((hour_payments >= 0))
  CONSTRAINT accounts_hour_spent_check CHECK ((hour_spent >= 0))
  CONSTRAINT accounts_kind_check CHECK ((kind = ANY (ARRAY['user'::text, 'treasury'::text, 'fees'::text, 'loss'::text, 'chain'::text])))
  CONSTRAINT accounts_month_spent_check CHECK ((month_spent >= 0))
  CONSTRAINT accounts_never_overdrawn CHECK (((available >= 0) OR (kind = ANY (ARRAY['chain'::text, 'loss'::text]))))
  CREATE UNIQUE INDEX accounts_of_house ON accounts USING btree (kind, asset_id) WHERE (user_id IS NULL)
  CREATE UNIQUE INDEX accounts_of_user ON accounts USING btree (user_id, asset_id) WHERE (user_id IS NOT NULL)
  CREATE TRIGGER accounts_added AFTER INSERT ON accounts REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION ledger_add_names_epoch()
  CREATE TRIGGER accounts_first_tier BEFORE INSERT ON accounts FOR EACH ROW EXECUTE FUNCTION set_first_tier()
  CREATE TRIGGER accounts_start_empty BEFORE INSERT ON accounts FOR EACH ROW WHEN (((new.available <> 0) OR (new.held <> 0) OR (new.entries <> 0) OR (new.day_spent <> 0) OR (new.month_spent <> 0))) EXECUTE FUNCTION refuse_change()
  CREATE TRIGGER accounts_stay BEFORE DELETE OR TRUNCATE ON accounts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  SELECT: operator, reader, server, worker

TABLE applied_functions
  name text NOT NULL
  sha256 text NOT NULL
  server_major integer NOT NULL
  applied_at timestamp with time zone NOT NULL DEFAULT now()
  CONSTRAINT applied_functions_pkey PRIMARY KEY (name)
  SELECT: operator, reader, server, signer, worker

TABLE approvals
  payment_id uuid NOT NULL
  operator text NOT NULL
  approved_at timestamp with time zone NOT NULL DEFAULT date_trunc('milliseconds'::text, clock_timestamp())
  CONSTRAINT approvals_pkey PRIMARY KEY (payment_id, operator)
  CONSTRAINT approvals_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(payment_id)
  CONSTRAINT approvals_operator_check CHECK (((length(operator) >= 1) AND (length(operator) <= 100)))
  CREATE TRIGGER approvals_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON approvals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  CREATE TRIGGER approvals_guard BEFORE INSERT ON approvals FOR EACH ROW EXECUTE FUNCTION guard_approval()
  SELECT: operator, reader, server, worker

TABLE arrival_cursors
  network_id smallint NOT NULL
  since timestamp with time zone NOT NULL DEFAULT '2020-01-01 00:00:00+00'::timestamp with time zone
  looked_back_at timestamp with time zone NOT NULL DEFAULT clock_timestamp()
  page_after uuid
  reached timestamp with time zone
  back_since timestamp with time zone
  back_after uuid
  CONSTRAINT arrival_cursors_pkey PRIMARY KEY (network_id)
  CONSTRAINT arrival_cursors_network_id_fkey FOREIGN KEY (network_id) REFERENCES networks(network_id)
  CONSTRAINT arrival_cursors_back CHECK (((back_after IS NULL) OR (back_since IS NOT NULL)))
  CONSTRAINT arrival_cursors_page CHECK (((page_after IS NULL) = (reached IS NULL)))
  INSERT: worker
  SELECT: operator, reader, server, worker
  UPDATE: worker

TABLE arrivals
  network_id smallint NOT NULL
  provider_id uuid NOT NULL
  to_address text NOT NULL
  verdict text NOT NULL
  decided_at timestamp with time zone NOT NULL DEFAULT clock_timestamp()
  CONSTRAINT arrivals_pkey PRIMARY KEY (network_id, provider_id)
  CONSTRAINT arrivals_network_id_fkey FOREIGN KEY (network_id) REFERENCES networks(network_id)
  CONSTRAINT arrivals_verdict_check CHECK ((verdict = ANY (ARRAY['credited'::text, 'own'::text, 'other'::text, 'unowned'::text, 'left'::text])))
  CREATE INDEX arrivals_unowned ON arrivals USING btree (to_address) WHERE (verdict = 'unowned'::text)
  INSERT: worker
  SELECT: operator, reader, server, worker
  UPDATE: worker

TABLE asset_positions
  asset_id smallint NOT NULL
  paid_seq bigint NOT NULL DEFAULT 0
  coins bigint
  checked_to uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'::uuid
  CONSTRAINT asset_positions_pkey PRIMARY KEY (asset_id)
  CONSTRAINT asset_positions_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES assets(asset_id)
  INSERT: worker
  SELECT: operator, reader, server, worker
  UPDATE: worker

TABLE assets
  asset_id smallint NOT NULL GENERATED ALWAYS AS IDENTITY
  network_id smallint NOT NULL
  symbol text NOT NULL DEFAULT 'USDC'::text
  contract text
  decimals smallint NOT NULL DEFAULT 6
  token_name text
  CONSTRAINT assets_pkey PRIMARY KEY (asset_id)
  CONSTRAINT assets_network_id_symbol_key UNIQUE (network_id, symbol)
  CONSTRAINT assets_network_id_fkey FOREIGN KEY (network_id) REFERENCES networks(network_id)
  CONSTRAINT assets_contract_check CHECK (((length(contract) >= 1) AND (length(contract) <= 100)))
  CONSTRAINT assets_decimals_check CHECK (((decimals >= 0) AND (decimals <= 18)))
  CONSTRAINT assets_symbol_check CHECK ((symbol ~ '^[A-Z][A-Z0-9.]{1,15}$'::text))
  CONSTRAINT assets_token_name_check CHECK (((length(token_name) >= 1) AND (length(token_name) <= 100)))
  CREATE UNIQUE INDEX assets_contract ON assets USING btree (network_id, lower(contract))
  CREATE TRIGGER assets_are_new AFTER INSERT ON assets FOR EACH ROW EXECUTE FUNCTION note_new_wallets()
  SELECT: operator, reader, server, signer, worker

TABLE audit_log
  audit_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
  at timestamp with time zone NOT NULL DEFAULT clock_timestamp()
  actor text NOT NULL
  action text NOT NULL
  user_id uuid
  details jsonb NOT NULL DEFAULT '{}'::jsonb
  CONSTRAINT audit_log_pkey PRIMARY KEY (audit_id)
  CONSTRAINT audit_log_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
  CONSTRAINT audit_log_action_check CHECK ((action ~ '^[a-z_]+(\.[a-z_]+)*$'::text))
  CONSTRAINT audit_log_actor_check CHECK ((actor ~ '^(user|operator|provider|service|key):.'::text)) NOT VALID
  CONSTRAINT audit_log_details_check CHECK ((jsonb_typeof(details) = 'object'::text))
  CREATE INDEX audit_log_of_user ON audit_log USING btree (user_id, audit_id)
  CREATE TRIGGER audit_log_stays BEFORE UPDATE OR TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change() (ENABLE ALWAYS)
  CREATE TRIGGER audit_log_young BEFORE DELETE ON audit_log FOR EACH ROW WHEN ((old.at > (now() - '366 days'::interval))) EXECUTE FUNCTION refuse_change() (ENABLE ALWAYS)
  SELECT: operator, reader, server, worker

TABLE authorizations WITH (fillfactor=60)
  move_id uuid NOT NULL
  nonce bytea NOT NULL
  valid_before bigint NOT NULL DEFAULT 0
  failures integer NOT NULL DEFAULT 0
  failure_reason text
  carry_after timestamp with time zone NOT NULL DEFAULT now()
  carried boolean NOT NULL DEFAULT false
  waits_for text
  waits_since timestamp with time zone
  cancel_refusals integer NOT NULL DEFAULT 0
  cancel_after timestamp with time zone
  call_gas bigint
  CONSTRAINT authorizations_pkey PRIMARY KEY (move_id)
  CONSTRAINT authorizations_nonce_key UNIQUE (nonce)
  CONSTRAINT authorizations_move_id_fkey FOREIGN KEY (move_id) REFERENCES coin_moves(move_id)
  CONSTRAINT authorizations_call_gas_check CHECK ((call_gas > 0))
  CONSTRAINT authorizations_cancel_refusals_check CHECK ((cancel_refusals >= 0))
  CONSTRAINT authorizations_nonce_check CHECK ((octet_length(nonce) = 32))
  CONSTRAINT authorizations_waits_check CHECK (((waits_for IS NULL) = (waits_since IS NULL))) NOT VALID
  CONSTRAINT authorizations_waits_for_check CHECK (((length(waits_for) >= 1) AND (length(waits_for) <= 300)))
  CREATE INDEX authorizations_to_carry ON authorizations USING btree (carry_after) WHERE (NOT carried)
  CREATE TRIGGER authorizations_guard BEFORE UPDATE ON authorizations FOR EACH ROW EXECUTE FUNCTION guard_authorization()
  CREATE TRIGGER authorizations_stay BEFORE DELETE OR TRUNCATE ON authorizations FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  INSERT: worker
  SELECT: operator, reader, server, signer, worker
  UPDATE: worker

TABLE book_audits WITH (fillfactor=50)
  only_one boolean NOT NULL DEFAULT true
  version bigint NOT NULL DEFAULT 0
  seed bigint NOT NULL
  seq_base bigint NOT NULL
  tail_seq bigint NOT NULL
  tail_sums jsonb NOT NULL
  compared_at timestamp with time zone NOT NULL
  compared_seq bigint NOT NULL
  cycle_upto bigint NOT NULL
  cycle_wanted jsonb NOT NULL
  cycle_seq bigint NOT NULL DEFAULT '-1'::integer
  cycle_sums jsonb NOT NULL DEFAULT '{}'::jsonb
  cycle_rows bigint NOT NULL DEFAULT 0
  cycle_began_at timestamp with time zone NOT NULL DEFAULT clock_timestamp()
  cycle_names boolean NOT NULL DEFAULT false
  cycle_ended_at timestamp with time zone
  cycle_seconds double precision
  rows_total bigint NOT NULL DEFAULT 0
  CONSTRAINT book_audits_pkey PRIMARY KEY (only_one)
  CONSTRAINT book_audits_only_one_check CHECK (only_one)
  DELETE: worker
  INSERT: worker
  SELECT: worker
  SELECT (only_one, seq_base, tail_seq, compared_at, compared_seq, cycle_upto, cycle_seq, cycle_rows, cycle_began_at, cycle_names, cycle_ended_at, cycle_seconds, rows_total): operator, reader, server
  UPDATE: worker

TABLE book_faults
  asset_id smallint NOT NULL
  subject text NOT NULL
  fault text NOT NULL
  account_id bigint
  seq bigint
  since timestamp with time zone NOT NULL DEFAULT clock_timestamp()
  CONSTRAINT book_faults_pkey PRIMARY KEY (asset_id, subject)
  CONSTRAINT book_faults_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES assets(asset_id)
  CONSTRAINT book_faults_fault_check CHECK (((length(fault) >= 1) AND (length(fault) <= 500)))
  CONSTRAINT book_faults_subject_check CHECK (((length(subject) >= 1) AND (length(subject) <= 100)))
  DELETE: worker
  INSERT: worker
  SELECT: operator, reader, server, worker
  UPDATE: worker

TABLE cancellations
  move_id uuid NOT NULL
  signature bytea NOT NULL
  signed_at timestamp with time zone NOT NULL DEFAULT clock_timestamp()
  CONSTRAINT cancellations_pkey PRIMARY KEY (move_id)
  CONSTRAINT cancellations_move_id_fkey FOREIGN KEY (move_id) REFERENCES authorizations(move_id)
  CONSTRAINT cancellations_signature_check CHECK ((octet_length(signature) = 65))
  CREATE TRIGGER cancellations_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON cancellations FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  CREATE TRIGGER cancellations_guard BEFORE INSERT ON cancellations FOR EACH ROW EXECUTE FUNCTION guard_cancellation()
  INSERT: signer
  SELECT: signer, worker
  SELECT (move_id, signed_at): operator, reader, server

TABLE carrier_attempts
  hash text NOT NULL
  carrier_id uuid NOT NULL
  version integer NOT NULL DEFAULT 1
  raw bytea NOT NULL
  max_fee_wei numeric(40,0) NOT NULL
  priority_fee_wei numeric(40,0) NOT NULL
  created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp()
  broadcast_at timestamp with time zone
  answer text
  gas_limit bigint
  signed_at_block bigint
  CONSTRAINT carrier_attempts_pkey PRIMARY KEY (hash)
  CONSTRAINT carrier_attempts_carrier_id_fkey FOREIGN KEY (carrier_id) REFERENCES carriers(carrier_id)
  CREATE INDEX carrier_attempts_of ON carrier_attempts USING btree (carrier_id, created_at)
  CREATE TRIGGER carrier_attempts_guard BEFORE INSERT ON carrier_attempts FOR EACH ROW EXECUTE FUNCTION guard_attempt()
  INSERT: signer
  SELECT: signer, worker
  SELECT (hash, carrier_id, version, max_fee_wei, priority_fee_wei, created_at, broadcast_at, answer, gas_limit, signed_at_block): operator, reader, server
  UPDATE (raw, broadcast_at, answer): worker

TABLE carrier_calls
  carrier_id uuid NOT NULL
  position integer NOT NULL
  move_id uuid NOT NULL
  cancelled_in integer
  dropped_in integer
  CONSTRAINT carrier_calls_pkey PRIMARY KEY (carrier_id, "position")
  CONSTRAINT carrier_calls_carrier_id_fkey FOREIGN KEY (carrier_id) REFERENCES carriers(carrier_id)
  CONSTRAINT carrier_calls_move_id_fkey FOREIGN KEY (move_id) REFERENCES authorizations(move_id)
  CONSTRAINT carrier_calls_cancelled_in_check CHECK ((cancelled_in > 0))
  CONSTRAINT carrier_calls_dropped_in_check CHECK ((dropped_in > 1))
  CREATE INDEX carrier_calls_cancelling ON carrier_calls USING btree (carrier_id) WHERE (cancelled_in IS NOT NULL)
  CREATE INDEX carrier_calls_of ON carrier_calls USING btree (move_id)
  CREATE TRIGGER carrier_calls_follow_carried AFTER INSERT OR UPDATE OF dropped_in ON carrier_calls FOR EACH ROW EXECUTE FUNCTION follow_carried()
  INSERT: worker
  SELECT: operator, reader, server, signer, worker
  UPDATE: worker

TABLE carriers
  carrier_id uuid NOT NULL
  relayer_id integer NOT NULL
  nonce bigint NOT NULL
  previous_nonce bigint
  target text NOT NULL
  data bytea NOT NULL
  gas_limit bigint NOT NULL
  version integer NOT NULL DEFAULT 1
  state text NOT NULL DEFAULT 'pending'::text
  created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp()
  block_number bigint
  missing_since timestamp with time zone
  mined_block bigint
  mined_hash text
  mined_at timestamp with time zone
  has_bytes boolean NOT NULL DEFAULT true
  CONSTRAINT carriers_pkey PRIMARY KEY (carrier_id)
  CONSTRAINT carriers_relayer_id_nonce_key UNIQUE (relayer_id, nonce)
  CONSTRAINT carriers_relayer_id_fkey FOREIGN KEY (relayer_id) REFERENCES relayers(relayer_id)
  CONSTRAINT carriers_relayer_id_previous_nonce_fkey FOREIGN KEY (relayer_id, previous_nonce) REFERENCES carriers(relayer_id, nonce)
  CONSTRAINT carriers_check CHECK ((previous_nonce = (nonce - 1)))
  CONSTRAINT carriers_has_bytes_check CHECK ((has_bytes OR (state <> 'pending'::text))) NOT VALID
  CONSTRAINT carriers_mined_check CHECK ((((mined_block IS NULL) = (mined_hash IS NULL)) AND ((mined_block IS NULL) = (mined_at IS NULL)))) NOT VALID
  CONSTRAINT carriers_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'final'::text, 'foreign'::text])))
  CREATE INDEX carriers_ended ON carriers USING btree (relayer_id, block_number) WHERE (state <> 'pending'::text)
  CREATE INDEX carriers_mined ON carriers USING btree (relayer_id, mined_block) WHERE ((state = 'pending'::text) AND (mined_block IS NOT NULL))
  CREATE UNIQUE INDEX carriers_one_first ON carriers USING btree (relayer_id) WHERE (previous_nonce IS NULL)
  CREATE INDEX carriers_pending ON carriers USING btree (relayer_id, nonce) WHERE (state = 'pending'::text)
  CREATE INDEX carriers_waiting ON carriers USING btree (relayer_id, nonce) WHERE ((state = 'pending'::text) AND (mined_block IS NULL))
  CREATE INDEX carriers_with_bytes ON carriers USING btree (relayer_id, block_number) WHERE ((state <> 'pending'::text) AND has_bytes)
  CREATE TRIGGER carriers_by_operators BEFORE INSERT ON carriers FOR EACH STATEMENT EXECUTE FUNCTION guard_relayer_deed()
  CREATE TRIGGER carriers_follow_carried AFTER UPDATE OF state ON carriers FOR EACH ROW EXECUTE FUNCTION follow_carried()
  CREATE TRIGGER carriers_follow_nonce AFTER INSERT ON carriers FOR EACH ROW EXECUTE FUNCTION follow_nonce()
  INSERT: operator, worker
  SELECT: operator, reader, server, signer, worker
  UPDATE: worker

TABLE chain_blocks
  network_id smallint NOT NULL
  block_number bigint NOT NULL
  block_hash text NOT NULL
  block_seconds bigint
  CONSTRAINT chain_blocks_pkey PRIMARY KEY (network_id, block_number)
  CONSTRAINT chain_blocks_network_id_fkey FOREIGN KEY (network_id) REFERENCES networks(network_id)
  DELETE: worker
  INSERT: worker
  SELECT: operator, reader, server, worker
  UPDATE: worker

TABLE chain_cursors
  network_id smallint NOT NULL
  block_number bigint NOT NULL
  block_hash text NOT NULL
  block_seconds bigint NOT NULL
  head_number bigint NOT NULL
  recheck_to bigint
  moved_at timestamp with time zone NOT NULL DEFAULT clock_timestamp()
  part_number bigint
  part_hash text
  part_log integer
  first_block bigint
  wallet_checks bigint NOT NULL DEFAULT 0
  CONSTRAINT chain_cursors_pkey PRIMARY KEY (network_id)
  CONSTRAINT chain_cursors_network_id_fkey FOREIGN KEY (network_id) REFERENCES networks(network_id)
  CONSTRAINT chain_cursors_part_is_ahead CHECK (((part_number > block_number) AND (recheck_to >= part_number)))
  CONSTRAINT chain_cursors_whole_part CHECK ((num_nulls(part_number, part_hash, part_log) = ANY (ARRAY[0, 3])))
  CREATE TRIGGER chain_cursors_guard BEFORE UPDATE ON chain_cursors FOR EACH ROW WHEN (((old.part_number IS NOT NULL) AND (new.part_number IS NOT NULL) AND (new.block_hash <> old.block_hash))) EXECUTE FUNCTION guard_cursor()
  INSERT: worker
  SELECT: operator, reader, server, worker
  UPDATE: worker

TABLE chain_heads
  network_id smallint NOT NULL
  block_number bigint NOT NULL
  block_hash text NOT NULL
  block_time timestamp with time zone NOT NULL
  seen_at timestamp with time zone NOT NULL
  final_number bigint NOT NULL
  CONSTRAINT chain_heads_pkey PRIMARY KEY (network_id)
  CONSTRAINT chain_heads_network_id_fkey FOREIGN KEY (network_id) REFERENCES networks(network_id)
  DELETE: server
  INSERT: server
  SELECT: operator, reader, server, worker
  UPDATE: server

TABLE coin_moves WITH (fillfactor=60)
  move_id uuid NOT NULL
  asset_id smallint NOT NULL
  wallet_id uuid NOT NULL
  purpose text NOT NULL
  settlement_id uuid
  to_wallet uuid
  funds uuid
  rail text NOT NULL
  from_address text NOT NULL
  to_address text NOT NULL
  amount bigint NOT NULL
  reserved bigint NOT NULL
  state text NOT NULL DEFAULT 'open'::text
  started_at timestamp with time zone
  cancel_wanted_at timestamp with time zone
  tx_hash text
  block_number bigint
  created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp()
  CONSTRAINT coin_moves_pkey PRIMARY KEY (move_id)
  CONSTRAINT coin_moves_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES assets(asset_id)
  CONSTRAINT coin_moves_funds_fkey FOREIGN KEY (funds) REFERENCES coin_moves(move_id)
  CONSTRAINT coin_moves_settlement_id_fkey FOREIGN KEY (settlement_id) REFERENCES settlements(settlement_id)
  CONSTRAINT coin_moves_to_wallet_fkey FOREIGN KEY (to_wallet) REFERENCES wallets(wallet_id)
  CONSTRAINT coin_moves_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES wallets(wallet_id)
  CONSTRAINT coin_moves_amount_check CHECK ((amount > 0))
  CONSTRAINT coin_moves_check CHECK (((reserved >= 0) AND (reserved <= amount)))
  CONSTRAINT coin_moves_check1 CHECK (((purpose = 'settlement'::text) = ((settlement_id IS NOT NULL) AND (to_wallet IS NOT NULL))))
  CONSTRAINT coin_moves_check2 CHECK (((funds IS NULL) OR (purpose = 'settlement'::text)))
  CONSTRAINT coin_moves_check3 CHECK (((state = 'open'::text) OR (reserved = 0)))
  CONSTRAINT coin_moves_purpose_check CHECK ((purpose = ANY (ARRAY['send'::text, 'settlement'::text])))
  CONSTRAINT coin_moves_rail_check CHECK ((rail = ANY (ARRAY['eip3009'::text, 'provider'::text])))
  CONSTRAINT coin_moves_state_check CHECK ((state = ANY (ARRAY['open'::text, 'done'::text, 'dead'::text])))
  CREATE INDEX coin_moves_done ON coin_moves USING btree (asset_id, block_number) WHERE (state = 'done'::text)
  CREATE INDEX coin_moves_funding ON coin_moves USING btree (funds) WHERE (funds IS NOT NULL)
  CREATE INDEX coin_moves_of_settlement ON coin_moves USING btree (settlement_id) WHERE (settlement_id IS NOT NULL)
  CREATE INDEX coin_moves_open ON coin_moves USING btree (asset_id, rail, created_at) WHERE (state = 'open'::text)
  CREATE INDEX coin_moves_open_of_wallet ON coin_moves USING btree (wallet_id) WHERE (state = 'open'::text)
  CREATE INDEX coin_moves_to_cancel ON coin_moves USING btree (asset_id, cancel_wanted_at) WHERE ((state = 'open'::text) AND (cancel_wanted_at IS NOT NULL))
  CREATE TRIGGER coin_moves_follow_carried AFTER UPDATE OF state ON coin_moves FOR EACH ROW WHEN (((old.state = 'open'::text) AND (new.state <> 'open'::text))) EXECUTE FUNCTION follow_carried()
  CREATE TRIGGER coin_moves_guard BEFORE INSERT OR UPDATE ON coin_moves FOR EACH ROW EXECUTE FUNCTION guard_coin_move()
  CREATE TRIGGER coin_moves_provider_end BEFORE UPDATE OF state ON coin_moves FOR EACH ROW WHEN (((new.state = 'dead'::text) AND (old.state <> 'dead'::text) AND (new.rail = 'provider'::text))) EXECUTE FUNCTION guard_provider_end()
  CREATE TRIGGER coin_moves_reserve AFTER INSERT OR UPDATE OF reserved, state ON coin_moves FOR EACH ROW EXECUTE FUNCTION move_reservation()
  CREATE TRIGGER coin_moves_stay BEFORE DELETE OR TRUNCATE ON coin_moves FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  INSERT: worker
  SELECT: operator, reader, server, signer, worker
  UPDATE: worker

TABLE corrections
  correction_id uuid NOT NULL
  asset_id smallint NOT NULL
  wallet_id uuid
  amount bigint NOT NULL
  reason text NOT NULL
  proposed_by text NOT NULL
  proposed_at timestamp with time zone NOT NULL DEFAULT clock_timestamp()
  approved_by text
  booked_at timestamp with time zone
  CONSTRAINT corrections_pkey PRIMARY KEY (correction_id)
  CONSTRAINT corrections_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES assets(asset_id)
  CONSTRAINT corrections_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES wallets(wallet_id)
  CONSTRAINT corrections_amount_check CHECK ((amount <> 0))
  CONSTRAINT corrections_approved_by_check CHECK (((length(approved_by) >= 1) AND (length(approved_by) <= 100)))
  CONSTRAINT corrections_check CHECK (((approved_by IS NULL) = (booked_at IS NULL)))
  CONSTRAINT corrections_proposed_by_check CHECK (((length(proposed_by) >= 1) AND (length(proposed_by) <= 100)))
  CONSTRAINT corrections_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500)))
  CONSTRAINT corrections_two_people CHECK ((approved_by <> proposed_by))
  CREATE INDEX corrections_open ON corrections USING btree (proposed_at) WHERE (booked_at IS NULL)
  SELECT: operator, reader, server, worker

TABLE database_identity
  only_one boolean NOT NULL DEFAULT true
  system_identifier text NOT NULL
  database_oid text NOT NULL
  CONSTRAINT database_identity_pkey PRIMARY KEY (only_one)
  CONSTRAINT database_identity_only_one_check CHECK (only_one)
  SELECT: operator, reader, server, worker

TABLE debts
  payment_id uuid NOT NULL
  account_id bigint NOT NULL
  amount bigint NOT NULL
  collected bigint NOT NULL DEFAULT 0
  owed_since timestamp with time zone NOT NULL DEFAULT clock_timestamp()
  CONSTRAINT debts_pkey PRIMARY KEY (payment_id)
  CONSTRAINT debts_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id)
  CONSTRAINT debts_amount_check CHECK ((amount > 0))
  CONSTRAINT debts_collected_check CHECK ((collected >= 0))
  CONSTRAINT debts_collected_once CHECK ((collected <= amount))
  CREATE INDEX debts_open ON debts USING btree (account_id) WHERE (collected < amount)
  SELECT: operator, reader, server, worker

TABLE deposits
  asset_id smallint NOT NULL
  tx_hash text NOT NULL
  wallet_id uuid NOT NULL
  ordinal integer NOT NULL
  from_address text NOT NULL
  amount bigint NOT NULL
  block_number bigint NOT NULL
  block_hash text NOT NULL
  transfer_id uuid NOT NULL
  credited_at timestamp with time zone NOT NULL DEFAULT clock_timestamp()
  state text NOT NULL DEFAULT 'credited'::text
  log_index integer
  CONSTRAINT deposits_pkey PRIMARY KEY (asset_id, tx_hash, wallet_id, ordinal)
  CONSTRAINT deposits_transfer_id_key UNIQUE (transfer_id)
  CONSTRAINT deposits_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES assets(asset_id)
  CONSTRAINT deposits_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES wallets(wallet_id)
  CONSTRAINT deposits_amount_check CHECK ((amount > 0))
  CONSTRAINT deposits_state_check CHECK ((state = ANY (ARRAY['credited'::text, 'gone'::text, 'lost'::text])))
  CREATE UNIQUE INDEX deposits_of_logs ON deposits USING btree (asset_id, tx_hash, log_index) WHERE ((state = 'credited'::text) AND (block_number > 0))
  CREATE TRIGGER deposits_guard BEFORE INSERT OR UPDATE OF transfer_id ON deposits FOR EACH ROW EXECUTE FUNCTION guard_deposit()
  CREATE TRIGGER deposits_guard_elsewhere BEFORE INSERT ON deposits FOR EACH ROW WHEN ((new.block_number = 0)) EXECUTE FUNCTION guard_deposit_elsewhere()
  INSERT: worker
  SELECT: operator, reader, server, worker
  UPDATE (block_number, block_hash, state, log_index): worker

TABLE drifts
  asset_id smallint NOT NULL
  subject text NOT NULL
  difference numeric NOT NULL
  looks integer NOT NULL
  since timestamp with time zone NOT NULL DEFAULT clock_timestamp()
  CONSTRAINT drifts_pkey PRIMARY KEY (asset_id, subject)
  CONSTRAINT drifts_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES assets(asset_id)
  DELETE: worker
  INSERT: worker
  SELECT: operator, reader, server, worker
  UPDATE: worker

TABLE epochs
  kind text NOT NULL
  counter bigint NOT NULL
  random bigint NOT NULL
  begun_at timestamp with time zone NOT NULL DEFAULT clock_timestamp()
  CONSTRAINT epochs_pkey PRIMARY KEY (kind, counter)
  CONSTRAINT epochs_kind_check CHECK ((kind = ANY (ARRAY['names'::text, 'sessions'::text])))
  SELECT: operator, reader, server, worker

TABLE forgotten_nonces
  asset_id smallint NOT NULL
  nonce bytea NOT NULL
  kind text NOT NULL
  tx_hash text NOT NULL
  log_index integer
  block_number bigint NOT NULL
  wallet_id uuid
  CONSTRAINT forgotten_nonces_pkey PRIMARY KEY (asset_id, nonce)
  CONSTRAINT forgotten_nonces_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES assets(asset_id)
  CONSTRAINT forgotten_nonces_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES wallets(wallet_id)
  CONSTRAINT forgotten_nonces_check CHECK (((kind = 'used'::text) = (log_index IS NOT NULL)))
  CONSTRAINT forgotten_nonces_kind_check CHECK ((kind = ANY (ARRAY['used'::text, 'canceled'::text])))
  CONSTRAINT forgotten_nonces_nonce_check CHECK ((octet_length(nonce) = 32))
  DELETE: worker
  INSERT: worker
  SELECT: operator, reader, server, worker
  UPDATE: worker

TABLE held_logs
  asset_id smallint NOT NULL
  tx_hash text NOT NULL
  log_index integer NOT NULL
  block_number bigint NOT NULL
  block_hash text NOT NULL
  from_wallet uuid NOT NULL
  to_wallet uuid
  from_address text NOT NULL
  to_address text NOT NULL
  amount bigint NOT NULL
  ordinal integer NOT NULL
  held_at timestamp with time zone NOT NULL DEFAULT clock_timestamp()
  CONSTRAINT held_logs_pkey PRIMARY KEY (asset_id, tx_hash, log_index)
  CONSTRAINT held_logs_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES assets(asset_id)
  CONSTRAINT held_logs_from_wallet_fkey FOREIGN KEY (from_wallet) REFERENCES wallets(wallet_id)
  CONSTRAINT held_logs_to_wallet_fkey FOREIGN KEY (to_wallet) REFERENCES wallets(wallet_id)
  CONSTRAINT held_logs_amount_check CHECK ((amount > 0))
  DELETE: worker
  INSERT: worker
  SELECT: operator, reader, server, worker
  UPDATE: worker

TABLE holdings WITH (fillfactor=50)
  asset_id smallint NOT NULL
  wallet_id uuid NOT NULL
  coins bigint NOT NULL DEFAULT 0
  reserved bigint NOT NULL DEFAULT 0
  ledger bigint NOT NULL DEFAULT 0
  incoming bigint NOT NULL DEFAULT 0
  outgoing bigint NOT NULL DEFAULT 0
  blocked_at timestamp with time zone
  asked_at timestamp with time zone
  unchecked boolean NOT NULL DEFAULT true
  surplus bigint NOT NULL GENERATED ALWAYS AS ((((coins + incoming) - outgoing) - ledger)) STORED
  refused_until timestamp with time zone
  refusals integer NOT NULL DEFAULT 0
  refusal text
  CONSTRAINT holdings_pkey PRIMARY KEY (asset_id, wallet_id)
  CONSTRAINT holdings_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES assets(asset_id)
  CONSTRAINT holdings_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES wallets(wallet_id)
  CONSTRAINT holdings_coins_check CHECK ((coins >= 0))
  CONSTRAINT holdings_refusal_check CHECK (((length(refusal) >= 1) AND (length(refusal) <= 500)))
  CONSTRAINT holdings_refusals_check CHECK ((refusals >= 0))
  CONSTRAINT holdings_reserved_check CHECK ((reserved >= 0))
  CONSTRAINT holdings_reserved_once CHECK ((reserved <= coins))
  CREATE INDEX holdings_blocked ON holdings USING btree (asset_id, asked_at) WHERE (blocked_at IS NOT NULL)
  CREATE INDEX holdings_refused ON holdings USING btree (asset_id, refused_until) WHERE (refused_until IS NOT NULL)
  CREATE INDEX holdings_unchecked ON holdings USING btree (asset_id) WHERE unchecked
  CREATE INDEX holdings_uneven ON holdings USING btree (asset_id, surplus) WHERE (surplus <> 0)
  CREATE TRIGGER holdings_mark_unchecked BEFORE UPDATE OF coins ON holdings FOR EACH ROW WHEN ((old.coins IS DISTINCT FROM new.coins)) EXECUTE FUNCTION mark_unchecked()
  CREATE TRIGGER holdings_sum AFTER UPDATE ON holdings REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION sum_coins()
  CREATE TRIGGER holdings_sum_new AFTER INSERT ON holdings REFERENCING NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION sum_coins()
  INSERT: worker
  SELECT: operator, reader, server, signer, worker
  UPDATE: worker

TABLE id_marks WITH (toast_tuple_target=8160)
  boundary bigint NOT NULL
  groups integer NOT NULL
  group_no integer NOT NULL
  bits bytea NOT NULL
  CONSTRAINT id_marks_bits_check CHECK ((octet_length(bits) = 8064))
  CONSTRAINT id_marks_boundary_check CHECK ((boundary > 0))
  CONSTRAINT id_marks_check CHECK (((group_no >= 0) AND (group_no < groups)))
  CONSTRAINT id_marks_of_group EXCLUDE USING hash (group_no WITH =)
  CREATE INDEX id_marks_of_group ON id_marks USING hash (group_no)
  SELECT: operator, reader, server, signer, worker

TABLE idempotency_records
  record_id uuid NOT NULL
  request_hash bytea NOT NULL
  answer json
  created_at timestamp with time zone NOT NULL DEFAULT now()
  CONSTRAINT idempotency_records_pkey PRIMARY KEY (record_id)
  CONSTRAINT idempotency_records_request_hash_check CHECK ((octet_length(request_hash) = 32))
  CREATE TRIGGER idempotency_records_not_emptied BEFORE TRUNCATE ON idempotency_records FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  CREATE TRIGGER idempotency_records_stay BEFORE DELETE ON idempotency_records FOR EACH ROW EXECUTE FUNCTION guard_answer()
  INSERT: server
  SELECT: server
  SELECT (record_id, request_hash, created_at): operator, reader, worker
  UPDATE: server

TABLE job_topics
  topic text NOT NULL
  CONSTRAINT job_topics_pkey PRIMARY KEY (topic)
  INSERT: worker
  SELECT: operator, reader, server, worker
  UPDATE: worker

TABLE jobs WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=500, autovacuum_vacuum_cost_delay=0)
  job_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
  kind text NOT NULL
  key text NOT NULL
  run_at timestamp with time zone NOT NULL DEFAULT now()
  claim uuid
  attempts integer NOT NULL DEFAULT 0
  last_error text
  waits_for text
  CONSTRAINT jobs_pkey PRIMARY KEY (job_id)
  CONSTRAINT jobs_kind_key_key UNIQUE (kind, key)
  CONSTRAINT jobs_waits_for_check CHECK (((length(waits_for) >= 1) AND (length(waits_for) <= 100)))
  CREATE INDEX jobs_due ON jobs USING btree (kind, run_at)
  CREATE INDEX jobs_waiting ON jobs USING btree (waits_for) WHERE (waits_for IS NOT NULL)
  DELETE: worker
  INSERT: worker
  SELECT: operator, reader, server, worker
  UPDATE: worker

TABLE kept_positions
  only_one boolean NOT NULL DEFAULT true
  seq bigint NOT NULL
  kept_at timestamp with time zone NOT NULL DEFAULT clock_timestamp()
  CONSTRAINT kept_positions_pkey PRIMARY KEY (only_one)
  CONSTRAINT kept_positions_only_one_check CHECK (only_one)
  DELETE: worker
  INSERT: worker
  SELECT: operator, reader, server, worker
  UPDATE: worker

TABLE key_budgets WITH (fillfactor=50)
  key_id uuid NOT NULL
  pays text NOT NULL
  allowed boolean NOT NULL
  payment_limit bigint
  day_limit bigint
  month_limit bigint
  counted_since timestamp with time zone
  hour integer NOT NULL DEFAULT 0
  hour_spent bigint NOT NULL DEFAULT 0
  day_spent bigint NOT NULL DEFAULT 0
  month_spent bigint NOT NULL DEFAULT 0
  CONSTRAINT key_budgets_pkey PRIMARY KEY (key_id, pays)
  CONSTRAINT key_budgets_key_id_fkey FOREIGN KEY (key_id) REFERENCES key_rules(key_id)
  CONSTRAINT key_budgets_check CHECK ((month_spent >= day_spent))
  CONSTRAINT key_budgets_check1 CHECK (((counted_since IS NULL) = (num_nonnulls(day_limit, month_limit) = 0)))
  CONSTRAINT key_budgets_day_limit_check CHECK ((day_limit > 0))
  CONSTRAINT key_budgets_day_spent_check CHECK ((day_spent >= 0))
  CONSTRAINT key_budgets_hour_spent_check CHECK ((hour_spent >= 0))
  CONSTRAINT key_budgets_month_limit_check CHECK ((month_limit > 0))
  CONSTRAINT key_budgets_payment_limit_check CHECK ((payment_limit > 0))
  CONSTRAINT key_budgets_pays_check CHECK ((pays = ANY (ARRAY['people'::text, 'treasury'::text])))
  CONSTRAINT key_budgets_treasury_is_limited CHECK (((pays <> 'treasury'::text) OR (NOT allowed) OR (num_nonnulls(payment_limit, day_limit, month_limit) = 3)))
  SELECT: operator, reader, server, worker

TABLE key_changes
  change_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
  key_id uuid NOT NULL
  before jsonb
  after jsonb NOT NULL
  changed_by text NOT NULL
  reason text
  changed_at timestamp with time zone NOT NULL DEFAULT clock_timestamp()
  CONSTRAINT key_changes_pkey PRIMARY KEY (change_id)
  CONSTRAINT key_changes_key_id_fkey FOREIGN KEY (key_id) REFERENCES service_keys(key_id)
  CONSTRAINT key_changes_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500)))
  CREATE INDEX key_changes_of_key ON key_changes USING btree (key_id, change_id)
  CREATE TRIGGER key_changes_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON key_changes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  SELECT: operator, reader, server, worker

TABLE key_destinations
  key_id uuid NOT NULL
  first_address text NOT NULL
  last_address text NOT NULL
  CONSTRAINT key_destinations_pkey PRIMARY KEY (key_id, first_address, last_address)
  CONSTRAINT key_destinations_key_id_fkey FOREIGN KEY (key_id) REFERENCES key_rules(key_id)
  CONSTRAINT key_destinations_check CHECK ((first_address <= last_address))
  CONSTRAINT key_destinations_first_address_check CHECK ((first_address ~ '^0x[0-9a-f]{40}$'::text))
  CONSTRAINT key_destinations_last_address_check CHECK ((last_address ~ '^0x[0-9a-f]{40}$'::text))
  SELECT: operator, reader, server, worker

TABLE key_payers
  key_id uuid NOT NULL
  user_id uuid
  wallet_id uuid
  CONSTRAINT key_payers_key_id_user_id_wallet_id_key UNIQUE NULLS NOT DISTINCT (key_id, user_id, wallet_id)
  CONSTRAINT key_payers_key_id_fkey FOREIGN KEY (key_id) REFERENCES key_rules(key_id)
  CONSTRAINT key_payers_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
  CONSTRAINT key_payers_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES wallets(wallet_id)
  CONSTRAINT key_payers_check CHECK ((num_nonnulls(user_id, wallet_id) = 1))
  SELECT: operator, reader, server, worker

TABLE key_refunds
  payment_id uuid NOT NULL
  key_id uuid NOT NULL
  pays text NOT NULL
  hour integer NOT NULL
  amount bigint NOT NULL
  CONSTRAINT key_refunds_pkey PRIMARY KEY (payment_id)
  CONSTRAINT key_refunds_key_id_pays_fkey FOREIGN KEY (key_id, pays) REFERENCES key_budgets(key_id, pays)
  CONSTRAINT key_refunds_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(payment_id)
  CONSTRAINT key_refunds_amount_check CHECK ((amount > 0))
  CREATE INDEX key_refunds_of_budget ON key_refunds USING btree (key_id, pays)
  SELECT: operator, reader, server, worker

TABLE key_rules
  key_id uuid NOT NULL
  expires_at timestamp with time zone
  certificate bytea
  any_person boolean NOT NULL
  any_destination boolean NOT NULL
  blockchains text[]
  client_ranges cidr[]
  CONSTRAINT key_rules_pkey PRIMARY KEY (key_id)
  CONSTRAINT key_rules_key_id_fkey FOREIGN KEY (key_id) REFERENCES service_keys(key_id)
  CONSTRAINT key_rules_blockchains_check CHECK ((cardinality(blockchains) > 0))
  CONSTRAINT key_rules_certificate_check CHECK ((octet_length(certificate) = 32))
  CONSTRAINT key_rules_client_ranges_check CHECK ((cardinality(client_ranges) > 0))
  SELECT: operator, reader, server, worker

TABLE key_spendings
  key_id uuid NOT NULL
  pays text NOT NULL
  hour integer NOT NULL
  spent bigint NOT NULL
  CONSTRAINT key_spendings_pkey PRIMARY KEY (key_id, pays, hour)
  CONSTRAINT key_spendings_key_id_pays_fkey FOREIGN KEY (key_id, pays) REFERENCES key_budgets(key_id, pays)
  CONSTRAINT key_spendings_spent_check CHECK ((spent >= 0))
  SELECT: operator, reader, server, worker

TABLE kyc_checks
  user_id uuid NOT NULL
  applicant_id text
  level text NOT NULL
  can_retry boolean NOT NULL DEFAULT false
  reasons text[] NOT NULL DEFAULT '{}'::text[]
  was_approved boolean NOT NULL DEFAULT false
  asked bigint NOT NULL DEFAULT 0
  answered bigint NOT NULL DEFAULT 0
  stale boolean NOT NULL DEFAULT false
  updated_at timestamp with time zone NOT NULL DEFAULT now()
  CONSTRAINT kyc_checks_pkey PRIMARY KEY (user_id)
  CONSTRAINT kyc_checks_applicant_id_key UNIQUE (applicant_id)
  CONSTRAINT kyc_checks_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
  CONSTRAINT kyc_checks_check CHECK ((answered <= asked))
  INSERT: server
  SELECT: operator, reader, server, worker
  UPDATE: server

TABLE kyc_events
  seq bigint NOT NULL
  user_id uuid NOT NULL
  status text NOT NULL
  at timestamp with time zone NOT NULL
  CONSTRAINT kyc_events_pkey PRIMARY KEY (seq)
  CONSTRAINT kyc_events_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
  CREATE INDEX kyc_events_of_user ON kyc_events USING btree (user_id, seq)
  CREATE TRIGGER kyc_events_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON kyc_events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  SELECT: operator, reader, server, worker

TABLE kyc_tier_changes
  change_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
  kyc_status text NOT NULL
  before smallint
  after smallint NOT NULL
  changed_by text NOT NULL
  reason text
  changed_at timestamp with time zone NOT NULL DEFAULT clock_timestamp()
  CONSTRAINT kyc_tier_changes_pkey PRIMARY KEY (change_id)
  CONSTRAINT kyc_tier_changes_after_fkey FOREIGN KEY (after) REFERENCES tiers(tier)
  CONSTRAINT kyc_tier_changes_before_fkey FOREIGN KEY (before) REFERENCES tiers(tier)
  CONSTRAINT kyc_tier_changes_kyc_status_fkey FOREIGN KEY (kyc_status) REFERENCES kyc_tiers(kyc_status)
  CREATE TRIGGER kyc_tier_changes_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON kyc_tier_changes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  SELECT: operator, reader, server, worker

TABLE kyc_tiers
  kyc_status text NOT NULL
  tier smallint NOT NULL
  CONSTRAINT kyc_tiers_pkey PRIMARY KEY (kyc_status)
  CONSTRAINT kyc_tiers_tier_fkey FOREIGN KEY (tier) REFERENCES tiers(tier)
  CREATE TRIGGER kyc_tiers_followed AFTER INSERT OR UPDATE OF tier ON kyc_tiers FOR EACH ROW EXECUTE FUNCTION follow_kyc_tier()
  CREATE TRIGGER kyc_tiers_stay BEFORE DELETE OR UPDATE OF kyc_status OR TRUNCATE ON kyc_tiers FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  SELECT: operator, reader, server, worker

TABLE ledger_state
  only_one boolean NOT NULL DEFAULT true
  home_asset smallint
  names_epoch bigint NOT NULL DEFAULT 1
  sessions_epoch bigint NOT NULL DEFAULT 0
  seq_base bigint NOT NULL DEFAULT 0
  names_random bigint NOT NULL DEFAULT 0
  sessions_random bigint NOT NULL DEFAULT 0
  names_changed bigint NOT NULL DEFAULT 0
  ids_upto bigint NOT NULL DEFAULT 0
  CONSTRAINT ledger_state_pkey PRIMARY KEY (only_one)
  CONSTRAINT ledger_state_home_asset_fkey FOREIGN KEY (home_asset) REFERENCES assets(asset_id)
  CONSTRAINT ledger_state_only_one_check CHECK (only_one)
  CREATE TRIGGER ledger_state_epochs BEFORE UPDATE OF names_epoch, sessions_epoch ON ledger_state FOR EACH ROW EXECUTE FUNCTION ledger_note_epoch()
  SELECT: operator, reader, server, worker

TABLE migrations
  name text NOT NULL
  sha256 text NOT NULL
  applied_at timestamp with time zone NOT NULL DEFAULT now()
  CONSTRAINT migrations_pkey PRIMARY KEY (name)
  SELECT: operator, reader, server, signer, worker

TABLE money_request_events
  seq bigint NOT NULL
  request_id uuid NOT NULL
  state text NOT NULL
  at timestamp with time zone NOT NULL
  CONSTRAINT money_request_events_pkey PRIMARY KEY (seq)
  CONSTRAINT money_request_events_request_id_state_key UNIQUE (request_id, state)
  CONSTRAINT money_request_events_request_id_fkey FOREIGN KEY (request_id) REFERENCES money_requests(request_id)
  CREATE TRIGGER money_request_events_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON money_request_events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  SELECT: operator, reader, server, worker

TABLE money_requests
  request_id uuid NOT NULL
  asker_id uuid NOT NULL
  payer_id uuid
  by_link boolean NOT NULL
  amount bigint NOT NULL
  note text
  state text NOT NULL DEFAULT 'open'::text
  created_at timestamp with time zone NOT NULL
  expires_at timestamp with time zone NOT NULL
  ended_at timestamp with time zone
  CONSTRAINT money_requests_pkey PRIMARY KEY (request_id)
  CONSTRAINT money_requests_asker_id_fkey FOREIGN KEY (asker_id) REFERENCES users(user_id)
  CONSTRAINT money_requests_payer_id_fkey FOREIGN KEY (payer_id) REFERENCES users(user_id)
  CONSTRAINT money_requests_amount_check CHECK ((amount > 0))
  CONSTRAINT money_requests_end CHECK (((state = 'open'::text) = (ended_at IS NULL)))
  CONSTRAINT money_requests_in_time CHECK (((ended_at IS NULL) OR ((state = 'expired'::text) = (ended_at >= expires_at))))
  CONSTRAINT money_requests_lasting CHECK (((expires_at > created_at) AND (expires_at <= (created_at + '366 days'::interval))))
  CONSTRAINT money_requests_nobody_declines_a_link CHECK (((NOT by_link) OR (state <> 'declined'::text)))
  CONSTRAINT money_requests_note_check CHECK (((length(note) >= 1) AND (length(note) <= 140)))
  CONSTRAINT money_requests_of_two CHECK ((asker_id <> payer_id))
  CONSTRAINT money_requests_payer CHECK (((payer_id IS NOT NULL) = ((NOT by_link) OR (state = 'paid'::text))))
  CONSTRAINT money_requests_state_check CHECK ((state = ANY (ARRAY['open'::text, 'paid'::text, 'declined'::text, 'cancelled'::text, 'expired'::text])))
  CREATE INDEX money_requests_of_asker ON money_requests USING btree (asker_id, created_at DESC, request_id DESC)
  CREATE INDEX money_requests_of_payer ON money_requests USING btree (payer_id, created_at DESC, request_id DESC)
  CREATE INDEX money_requests_open ON money_requests USING btree (expires_at) WHERE (state = 'open'::text)
  CREATE INDEX money_requests_open_of_asker ON money_requests USING btree (asker_id) WHERE (state = 'open'::text)
  CREATE TRIGGER money_requests_guard BEFORE UPDATE ON money_requests FOR EACH ROW EXECUTE FUNCTION guard_money_request()
  CREATE TRIGGER money_requests_record_state AFTER INSERT OR UPDATE OF state ON money_requests FOR EACH ROW EXECUTE FUNCTION record_request_state()
  CREATE TRIGGER money_requests_stay BEFORE DELETE OR TRUNCATE ON money_requests FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  SELECT: operator, reader, server, worker

TABLE networks
  network_id smallint NOT NULL GENERATED ALWAYS AS IDENTITY
  blockchain text NOT NULL
  chain_id bigint
  family text NOT NULL DEFAULT 'evm'::text
  wallet_provider text NOT NULL DEFAULT 'local'::text
  CONSTRAINT networks_pkey PRIMARY KEY (network_id)
  CONSTRAINT networks_blockchain_key UNIQUE (blockchain)
  CONSTRAINT networks_blockchain_check CHECK ((blockchain ~ '^[A-Z0-9][A-Z0-9-]{1,31}$'::text))
  CONSTRAINT networks_chain_id_check CHECK ((chain_id > 0))
  CONSTRAINT networks_family_check CHECK ((family = ANY (ARRAY['evm'::text, 'solana'::text, 'aptos'::text])))
  CONSTRAINT networks_wallet_provider_check CHECK ((wallet_provider ~ '^[a-z][a-z0-9_]*$'::text))
  CREATE TRIGGER networks_positions AFTER UPDATE OF wallet_provider, family ON networks FOR EACH STATEMENT EXECUTE FUNCTION forget_positions()
  SELECT: operator, reader, server, signer, worker

TABLE node_faults
  blockchain text NOT NULL
  host text NOT NULL
  kind text NOT NULL
  about text NOT NULL
  times integer NOT NULL
  since timestamp with time zone NOT NULL
  seen_at timestamp with time zone NOT NULL DEFAULT clock_timestamp()
  CONSTRAINT node_faults_pkey PRIMARY KEY (blockchain, host)
  CONSTRAINT node_faults_about_check CHECK (((length(about) >= 1) AND (length(about) <= 200)))
  CONSTRAINT node_faults_blockchain_check CHECK ((blockchain ~ '^[A-Z0-9][A-Z0-9-]{1,31}$'::text))
  CONSTRAINT node_faults_host_check CHECK ((((length(host) >= 1) AND (length(host) <= 300)) AND (host !~ '[/@?]'::text)))
  CONSTRAINT node_faults_kind_check CHECK ((kind = ANY (ARRAY['silent'::text, 'behind'::text, 'no state'::text, 'contradicts'::text])))
  CONSTRAINT node_faults_times_check CHECK ((times > 0))
  DELETE: worker
  INSERT: worker
  SELECT: operator, reader, server, worker
  UPDATE: worker

TABLE onchain_balances WITH (fillfactor=70)
  wallet_id uuid NOT NULL
  asset_id smallint NOT NULL
  amount numeric(78,0) NOT NULL
  pending_in numeric(78,0) NOT NULL
  block_number bigint NOT NULL
  CONSTRAINT onchain_balances_pkey PRIMARY KEY (wallet_id, asset_id)
  CONSTRAINT onchain_balances_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES assets(asset_id)
  CONSTRAINT onchain_balances_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES wallets(wallet_id)
  CONSTRAINT onchain_balances_amount_check CHECK ((amount >= (0)::numeric))
  CONSTRAINT onchain_balances_pending_in_check CHECK ((pending_in >= (0)::numeric))
  CREATE INDEX onchain_balances_pending ON onchain_balances USING btree (asset_id) WHERE (pending_in > (0)::numeric)
  DELETE: server
  INSERT: server
  SELECT: operator, reader, server, worker
  UPDATE: server

TABLE open_arrivals
  network_id smallint NOT NULL
  provider_id uuid NOT NULL
  listed_at timestamp with time zone NOT NULL DEFAULT clock_timestamp()
  due_at timestamp with time zone NOT NULL DEFAULT clock_timestamp()
  record jsonb
  by_address boolean NOT NULL DEFAULT false
  CONSTRAINT open_arrivals_pkey PRIMARY KEY (network_id, provider_id)
  CONSTRAINT open_arrivals_network_id_fkey FOREIGN KEY (network_id) REFERENCES networks(network_id)
  CONSTRAINT open_arrivals_record_check CHECK ((jsonb_typeof(record) = 'object'::text))
  CREATE INDEX open_arrivals_due ON open_arrivals USING btree (network_id, due_at)
  DELETE: worker
  INSERT: worker
  SELECT: operator, reader, server, worker
  UPDATE: worker

TABLE operators
  name text NOT NULL
  role text NOT NULL
  added_at timestamp with time zone NOT NULL DEFAULT now()
  CONSTRAINT operators_pkey PRIMARY KEY (name)
  CONSTRAINT operators_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100)))
  CONSTRAINT operators_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'risk'::text, 'support'::text])))
  SELECT: operator, reader, server, worker

TABLE pauses
  scope text NOT NULL
  cause text NOT NULL DEFAULT 'operator'::text
  reason text NOT NULL
  stops text NOT NULL DEFAULT 'accepting'::text
  paused_by text NOT NULL DEFAULT SESSION_USER
  paused_at timestamp with time zone NOT NULL DEFAULT clock_timestamp()
  CONSTRAINT pauses_pkey PRIMARY KEY (scope, cause)
  CONSTRAINT pauses_automatic_of_chain CHECK (
CASE cause
    WHEN 'operator'::text THEN true
    WHEN 'closed'::text THEN (scope ~~ 'user:%'::text)
    ELSE (scope ~~ 'chain:%'::text)
END)
  CONSTRAINT pauses_cause_check CHECK ((cause = ANY (ARRAY['operator'::text, 'closed'::text, 'drift'::text, 'unexplained'::text, 'contradicted'::text, 'audit'::text, 'reorg'::text, 'gas'::text])))
  CONSTRAINT pauses_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500)))
  CONSTRAINT pauses_scope_check CHECK ((scope ~ '^(all|user|chain|chain:[A-Z0-9][A-Z0-9-]{1,31}|user:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$'::text))
  CONSTRAINT pauses_signing_of_chain CHECK (((stops = 'accepting'::text) OR (scope !~ '^user'::text)))
  CONSTRAINT pauses_stop_by_cause CHECK (((cause = 'operator'::text) OR ((stops = 'accepting and signing'::text) = (cause = ANY (ARRAY['drift'::text, 'unexplained'::text, 'contradicted'::text, 'audit'::text])))))
  CONSTRAINT pauses_stops_check CHECK ((stops = ANY (ARRAY['accepting'::text, 'accepting and signing'::text])))
  SELECT: operator, reader, server, signer, worker

TABLE payee_reads
  account_id bigint NOT NULL
  entry bigint NOT NULL
  CONSTRAINT payee_reads_pkey PRIMARY KEY (account_id)
  CONSTRAINT payee_reads_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id)
  CONSTRAINT payee_reads_entry_check CHECK ((entry >= 0))
  SELECT: operator, reader, server, worker

TABLE payees
  user_id uuid NOT NULL
  person uuid
  address text
  last_seq bigint NOT NULL
  last_at timestamp with time zone NOT NULL
  last_asset smallint NOT NULL
  payments bigint NOT NULL
  CONSTRAINT payees_last_asset_fkey FOREIGN KEY (last_asset) REFERENCES assets(asset_id)
  CONSTRAINT payees_person_fkey FOREIGN KEY (person) REFERENCES users(user_id)
  CONSTRAINT payees_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
  CONSTRAINT payees_address_check CHECK ((address ~ '^(0x([0-9a-f]{40}|[0-9a-f]{64})|[1-9A-HJ-NP-Za-km-z]{32,44})$'::text)) NOT VALID
  CONSTRAINT payees_one_kind CHECK (((person IS NULL) <> (address IS NULL)))
  CONSTRAINT payees_other CHECK ((person IS DISTINCT FROM user_id))
  CONSTRAINT payees_payments_check CHECK ((payments > 0))
  CREATE UNIQUE INDEX payees_address ON payees USING btree (user_id, address) WHERE (address IS NOT NULL)
  CREATE UNIQUE INDEX payees_newest ON payees USING btree (user_id, last_seq)
  CREATE UNIQUE INDEX payees_person ON payees USING btree (user_id, person) WHERE (person IS NOT NULL)
  SELECT: operator, reader, server, worker

TABLE payment_events
  seq bigint NOT NULL
  payment_id uuid NOT NULL
  state text NOT NULL
  tx_hash text
  at timestamp with time zone NOT NULL
  CONSTRAINT payment_events_pkey PRIMARY KEY (seq)
  CONSTRAINT payment_events_payment_id_state_key UNIQUE (payment_id, state)
  CREATE TRIGGER payment_events_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON payment_events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  CREATE TRIGGER payment_events_guard AFTER INSERT ON payment_events REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION guard_events()
  SELECT: operator, reader, server, signer, worker

TABLE payments
  payment_id uuid NOT NULL
  state text NOT NULL
  destination text NOT NULL
  wallet_id uuid
  sender_shown text NOT NULL DEFAULT 'username'::text
  approvals_needed smallint NOT NULL DEFAULT 0
  not_before timestamp with time zone
  tx_hash text
  network_fee bigint
  error_reason text
  updated_at timestamp with time zone NOT NULL DEFAULT date_trunc('milliseconds'::text, clock_timestamp())
  key_id uuid
  CONSTRAINT payments_pkey PRIMARY KEY (payment_id)
  CONSTRAINT payments_key_id_fkey FOREIGN KEY (key_id) REFERENCES service_keys(key_id) NOT VALID
  CONSTRAINT payments_approvals_needed_check CHECK ((approvals_needed = ANY (ARRAY[0, 2])))
  CONSTRAINT payments_network_fee_check CHECK ((network_fee >= 0))
  CONSTRAINT payments_sender_shown_check CHECK ((sender_shown = ANY (ARRAY['username'::text, 'wallet'::text])))
  CONSTRAINT payments_state_check CHECK ((state = ANY (ARRAY['INITIATED'::text, 'CLEARED'::text, 'QUEUED'::text, 'SENT'::text, 'STUCK'::text, 'CONFIRMED'::text, 'COMPLETE'::text, 'FAILED'::text, 'DENIED'::text, 'CANCELLED'::text])))
  CREATE INDEX payments_to_approve ON payments USING btree (payment_id) WHERE ((approvals_needed > 0) AND (state = 'INITIATED'::text))
  CREATE INDEX payments_unreserved ON payments USING btree (payment_id) WHERE (state = ANY (ARRAY['INITIATED'::text, 'CLEARED'::text]))
  CREATE TRIGGER payments_give_back_to_key AFTER UPDATE OF state ON payments FOR EACH ROW WHEN (((new.key_id IS NOT NULL) AND (new.state = ANY (ARRAY['FAILED'::text, 'DENIED'::text, 'CANCELLED'::text])) AND (new.state <> old.state))) EXECUTE FUNCTION give_back_to_key()
  CREATE TRIGGER payments_guard_end BEFORE UPDATE OF state ON payments FOR EACH ROW WHEN (((new.state = ANY (ARRAY['COMPLETE'::text, 'FAILED'::text, 'DENIED'::text, 'CANCELLED'::text])) AND (old.state <> new.state))) EXECUTE FUNCTION guard_payment_end()
  CREATE TRIGGER payments_keep_waits BEFORE UPDATE ON payments FOR EACH ROW WHEN (((old.approvals_needed IS DISTINCT FROM new.approvals_needed) OR (old.not_before IS DISTINCT FROM new.not_before))) EXECUTE FUNCTION refuse_other_waits()
  CREATE TRIGGER payments_recipient AFTER INSERT OR UPDATE OF state ON payments FOR EACH ROW WHEN (((new.state = 'COMPLETE'::text) AND (new.wallet_id IS NOT NULL))) EXECUTE FUNCTION remember_recipient()
  CREATE TRIGGER payments_record_first_state AFTER INSERT ON payments REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION record_first_state()
  CREATE TRIGGER payments_record_state AFTER UPDATE ON payments FOR EACH ROW EXECUTE FUNCTION record_state()
  CREATE TRIGGER payments_stay BEFORE DELETE OR UPDATE OF payment_id OR TRUNCATE ON payments FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  SELECT: operator, reader, server, signer, worker

TABLE payout_approvals
  payout_id uuid NOT NULL
  operator text NOT NULL
  approved_at timestamp with time zone NOT NULL DEFAULT date_trunc('milliseconds'::text, clock_timestamp())
  CONSTRAINT payout_approvals_pkey PRIMARY KEY (payout_id, operator)
  CONSTRAINT payout_approvals_payout_id_fkey FOREIGN KEY (payout_id) REFERENCES payouts(payout_id)
  CONSTRAINT payout_approvals_operator_check CHECK (((length(operator) >= 1) AND (length(operator) <= 100)))
  CREATE TRIGGER payout_approvals_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON payout_approvals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  SELECT: operator, reader, server, worker

TABLE payout_events
  seq bigint NOT NULL
  payout_id uuid NOT NULL
  state text NOT NULL
  at timestamp with time zone NOT NULL
  CONSTRAINT payout_events_pkey PRIMARY KEY (seq)
  CONSTRAINT payout_events_payout_id_fkey FOREIGN KEY (payout_id) REFERENCES payouts(payout_id)
  CREATE TRIGGER payout_events_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON payout_events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  SELECT: operator, reader, server, worker

TABLE payout_files
  payout_id uuid NOT NULL
  content_type text NOT NULL
  content bytea NOT NULL
  hash bytea NOT NULL
  CONSTRAINT payout_files_pkey PRIMARY KEY (payout_id)
  CONSTRAINT payout_files_payout_id_fkey FOREIGN KEY (payout_id) REFERENCES payouts(payout_id)
  CONSTRAINT payout_files_hash CHECK ((hash = sha256(content)))
  CREATE TRIGGER payout_files_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON payout_files FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  SELECT: operator, reader, server, worker

TABLE payout_items WITH (fillfactor=50)
  payout_id uuid NOT NULL
  nth integer NOT NULL
  payment_id uuid NOT NULL
  reference text NOT NULL
  username text
  user_id uuid
  destination text
  blockchain text NOT NULL
  amount bigint NOT NULL
  note text
  state text NOT NULL DEFAULT 'ready'::text
  error jsonb
  CONSTRAINT payout_items_pkey PRIMARY KEY (payout_id, nth)
  CONSTRAINT payout_items_once UNIQUE (payout_id, payment_id)
  CONSTRAINT payout_items_payout_id_fkey FOREIGN KEY (payout_id) REFERENCES payouts(payout_id)
  CONSTRAINT payout_items_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
  CONSTRAINT payout_items_amount_check CHECK ((amount > 0))
  CONSTRAINT payout_items_error CHECK (((state = 'failed'::text) = (error IS NOT NULL)))
  CONSTRAINT payout_items_note_check CHECK (((length(note) >= 1) AND (length(note) <= 200)))
  CONSTRAINT payout_items_nth_check CHECK (((nth >= 1) AND (nth <= 10000)))
  CONSTRAINT payout_items_people_are_paid_at_once CHECK (((state <> 'sent'::text) OR (destination IS NOT NULL)))
  CONSTRAINT payout_items_reference_check CHECK (((length(reference) >= 1) AND (length(reference) <= 100)))
  CONSTRAINT payout_items_state_check CHECK ((state = ANY (ARRAY['ready'::text, 'sent'::text, 'paid'::text, 'failed'::text, 'cancelled'::text])))
  CONSTRAINT payout_items_whom CHECK (((num_nonnulls(username, destination) = 1) AND ((user_id IS NULL) = (username IS NULL))))
  CREATE TRIGGER payout_items_end_once BEFORE UPDATE ON payout_items FOR EACH ROW WHEN ((NOT ((old.state = 'ready'::text) OR ((old.state = 'sent'::text) AND (new.state = ANY (ARRAY['paid'::text, 'failed'::text])))))) EXECUTE FUNCTION refuse_change()
  CREATE TRIGGER payout_items_guard AFTER UPDATE ON payout_items REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION guard_payout_items()
  CREATE TRIGGER payout_items_stay BEFORE DELETE OR UPDATE OF payout_id, nth, payment_id, reference, username, user_id, destination, blockchain, amount, note OR TRUNCATE ON payout_items FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  SELECT: operator, reader, server, worker

TABLE payouts
  payout_id uuid NOT NULL
  key_id uuid NOT NULL
  payer_id uuid
  on_shortage text NOT NULL
  state text NOT NULL DEFAULT 'checked'::text
  row_count integer NOT NULL
  total bigint NOT NULL
  known_count integer NOT NULL
  known_total bigint NOT NULL
  created_at timestamp with time zone NOT NULL
  confirmed_at timestamp with time zone
  waits_until timestamp with time zone
  waits_for jsonb
  approvals_needed smallint NOT NULL DEFAULT 0
  certificate bytea
  client inet
  cancelled_at timestamp with time zone
  ended_at timestamp with time zone
  CONSTRAINT payouts_pkey PRIMARY KEY (payout_id)
  CONSTRAINT payouts_key_id_fkey FOREIGN KEY (key_id) REFERENCES service_keys(key_id)
  CONSTRAINT payouts_payer_id_fkey FOREIGN KEY (payer_id) REFERENCES users(user_id)
  CONSTRAINT payouts_approvals_needed_check CHECK ((approvals_needed = ANY (ARRAY[0, 2])))
  CONSTRAINT payouts_cancelled CHECK (((state = ANY (ARRAY['stopping'::text, 'cancelled'::text])) = (cancelled_at IS NOT NULL)))
  CONSTRAINT payouts_certificate_check CHECK ((octet_length(certificate) = 32))
  CONSTRAINT payouts_check CHECK (((known_count >= 0) AND (known_count <= row_count)))
  CONSTRAINT payouts_check1 CHECK (((known_total >= 0) AND (known_total <= total)))
  CONSTRAINT payouts_confirmed CHECK (((state = ANY (ARRAY['checked'::text, 'cancelled'::text])) OR (num_nonnulls(confirmed_at, waits_until) = 2)))
  CONSTRAINT payouts_ended CHECK (((state = ANY (ARRAY['complete'::text, 'cancelled'::text])) = (ended_at IS NOT NULL)))
  CONSTRAINT payouts_on_shortage_check CHECK ((on_shortage = ANY (ARRAY['wait'::text, 'fail'::text])))
  CONSTRAINT payouts_row_count_check CHECK (((row_count >= 1) AND (row_count <= 10000)))
  CONSTRAINT payouts_state_check CHECK ((state = ANY (ARRAY['checked'::text, 'approving'::text, 'running'::text, 'waiting'::text, 'stopping'::text, 'complete'::text, 'cancelled'::text])))
  CONSTRAINT payouts_total_check CHECK ((total > 0))
  CONSTRAINT payouts_waiting CHECK (((state = 'waiting'::text) = (waits_for IS NOT NULL)))
  CREATE INDEX payouts_of_key ON payouts USING btree (key_id, created_at DESC, payout_id DESC)
  CREATE INDEX payouts_of_payer ON payouts USING btree (payer_id) WHERE ((payer_id IS NOT NULL) AND (state <> ALL (ARRAY['complete'::text, 'cancelled'::text])))
  CREATE INDEX payouts_to_approve ON payouts USING btree (created_at) WHERE (state = 'approving'::text)
  CREATE TRIGGER payouts_guard BEFORE UPDATE ON payouts FOR EACH ROW EXECUTE FUNCTION guard_payout()
  CREATE TRIGGER payouts_record_state AFTER INSERT OR UPDATE OF state ON payouts FOR EACH ROW EXECUTE FUNCTION record_payout_state()
  CREATE TRIGGER payouts_stay BEFORE DELETE OR TRUNCATE ON payouts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  SELECT: operator, reader, server, worker

TABLE pending_deposits
  asset_id smallint NOT NULL
  block_hash text NOT NULL
  log_index integer NOT NULL
  wallet_id uuid NOT NULL
  tx_hash text NOT NULL
  from_address text NOT NULL
  amount bigint NOT NULL
  block_number bigint NOT NULL
  CONSTRAINT pending_deposits_pkey PRIMARY KEY (asset_id, block_hash, log_index)
  CONSTRAINT pending_deposits_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES assets(asset_id)
  CONSTRAINT pending_deposits_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES wallets(wallet_id)
  CREATE INDEX pending_deposits_of ON pending_deposits USING btree (wallet_id, asset_id)
  DELETE: worker
  INSERT: worker
  SELECT: operator, reader, server, worker
  UPDATE: worker

TABLE provider_transfers
  move_id uuid NOT NULL
  provider text NOT NULL
  key uuid NOT NULL
  provider_id text
  provider_state text NOT NULL DEFAULT 'new'::text
  tx_hash text
  error text
  ended_head bigint
  cancel_asked_at timestamp with time zone
  cancel_answer text
  asked_at timestamp with time zone
  submitted_at timestamp with time zone NOT NULL DEFAULT clock_timestamp()
  updated_at timestamp with time zone NOT NULL DEFAULT clock_timestamp()
  attempts integer NOT NULL DEFAULT 0
  first_asked_at timestamp with time zone
  counted_at timestamp with time zone
  held_at timestamp with time zone
  waits_for text
  accelerations integer NOT NULL DEFAULT 0
  accelerated_at timestamp with time zone
  cancel_refusals integer NOT NULL DEFAULT 0
  CONSTRAINT provider_transfers_pkey PRIMARY KEY (move_id)
  CONSTRAINT provider_transfers_key_key UNIQUE (key)
  CONSTRAINT provider_transfers_provider_provider_id_key UNIQUE (provider, provider_id)
  CONSTRAINT provider_transfers_move_id_fkey FOREIGN KEY (move_id) REFERENCES coin_moves(move_id)
  CONSTRAINT provider_transfers_accelerations_check CHECK ((accelerations >= 0))
  CONSTRAINT provider_transfers_attempts_check CHECK ((attempts >= 0))
  CONSTRAINT provider_transfers_cancel_answer_check CHECK ((cancel_answer = ANY (ARRAY['accepted'::text, 'rejected'::text, 'unknown'::text])))
  CONSTRAINT provider_transfers_cancel_refusals_check CHECK ((cancel_refusals >= 0))
  CONSTRAINT provider_transfers_check CHECK (((provider_state = ANY (ARRAY['failed'::text, 'cancelled'::text])) = (ended_head IS NOT NULL)))
  CONSTRAINT provider_transfers_provider_state_check CHECK ((provider_state = ANY (ARRAY['new'::text, 'submitted'::text, 'sent'::text, 'done'::text, 'failed'::text, 'cancelled'::text])))
  CONSTRAINT provider_transfers_waits_for_check CHECK (((length(waits_for) >= 1) AND (length(waits_for) <= 500)))
  CREATE INDEX provider_transfers_by_hash ON provider_transfers USING btree (tx_hash) WHERE (tx_hash IS NOT NULL)
  CREATE INDEX provider_transfers_held ON provider_transfers USING btree (held_at) WHERE (held_at IS NOT NULL)
  CREATE TRIGGER provider_transfers_guard BEFORE INSERT OR UPDATE ON provider_transfers FOR EACH ROW EXECUTE FUNCTION guard_provider_transfer()
  CREATE TRIGGER provider_transfers_stay BEFORE DELETE OR TRUNCATE ON provider_transfers FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  INSERT (move_id, provider, key, asked_at): worker
  SELECT: operator, reader, server, signer, worker
  UPDATE (provider_id, provider_state, tx_hash, error, ended_head, cancel_asked_at, cancel_answer, asked_at, updated_at, waits_for, accelerations, accelerated_at, cancel_refusals): worker

UNLOGGED TABLE provider_turns WITH (fillfactor=50)
  bucket text NOT NULL
  taken timestamp with time zone[] NOT NULL DEFAULT '{}'::timestamp with time zone[]
  yielding timestamp with time zone[] NOT NULL DEFAULT '{}'::timestamp with time zone[]
  CONSTRAINT provider_turns_pkey PRIMARY KEY (bucket)
  CONSTRAINT provider_turns_bucket_check CHECK (((length(bucket) >= 1) AND (length(bucket) <= 100)))
  SELECT: operator, reader, server, worker

TABLE provider_webhook_keys
  adapter text NOT NULL
  key_id text NOT NULL
  public_key bytea NOT NULL
  fetched_at timestamp with time zone NOT NULL DEFAULT clock_timestamp()
  CONSTRAINT provider_webhook_keys_pkey PRIMARY KEY (adapter, key_id)
  CONSTRAINT provider_webhook_keys_adapter_check CHECK (((length(adapter) >= 1) AND (length(adapter) <= 40)))
  CONSTRAINT provider_webhook_keys_key_id_check CHECK (((length(key_id) >= 1) AND (length(key_id) <= 100)))
  CONSTRAINT provider_webhook_keys_public_key_check CHECK (((octet_length(public_key) >= 50) AND (octet_length(public_key) <= 1000)))
  INSERT: signer
  SELECT: operator, reader, server, signer, worker

UNLOGGED TABLE rate_windows
  bucket text NOT NULL
  ends_at timestamp with time zone NOT NULL
  taken integer NOT NULL
  CONSTRAINT rate_windows_pkey PRIMARY KEY (bucket)
  CONSTRAINT rate_windows_taken_check CHECK ((taken >= 0))
  DELETE: server
  INSERT: server
  SELECT: operator, reader, server, worker
  UPDATE: server

TABLE rates
  pair text NOT NULL
  price text NOT NULL
  as_of timestamp with time zone NOT NULL
  max_age_seconds integer NOT NULL
  source text NOT NULL
  CONSTRAINT rates_pkey PRIMARY KEY (pair)
  CONSTRAINT rates_max_age_seconds_check CHECK ((max_age_seconds > 0))
  CONSTRAINT rates_pair_check CHECK ((pair ~ '^[A-Z0-9]{2,10}/[A-Z0-9]{2,10}$'::text))
  CONSTRAINT rates_price_check CHECK ((price ~ '^\d{1,20}(\.\d{1,18})?$'::text))
  DELETE: server
  INSERT: server
  SELECT: operator, reader, server, worker
  UPDATE: server

TABLE recipients
  wallet_id uuid NOT NULL
  look text NOT NULL GENERATED ALWAYS AS (address_look(address)) STORED
  address text NOT NULL
  CONSTRAINT recipients_pkey PRIMARY KEY (wallet_id, look, address)
  CONSTRAINT recipients_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES wallets(wallet_id)
  CONSTRAINT recipients_address_check CHECK ((address ~ '^(0x([0-9a-f]{40}|[0-9a-f]{64})|[1-9a-z]{32,44})$'::text)) NOT VALID
  SELECT: operator, reader, server, worker

TABLE refund_totals
  payment_id uuid NOT NULL
  paid bigint NOT NULL
  refunded bigint NOT NULL DEFAULT 0
  CONSTRAINT refund_totals_pkey PRIMARY KEY (payment_id)
  CONSTRAINT refund_totals_paid_check CHECK ((paid > 0))
  CONSTRAINT refund_totals_refunded_check CHECK ((refunded >= 0))
  CONSTRAINT refunds_never_more CHECK ((refunded <= paid))
  CREATE TRIGGER refund_totals_only_grow BEFORE UPDATE ON refund_totals FOR EACH ROW WHEN (((new.refunded < old.refunded) OR (new.payment_id <> old.payment_id) OR (new.paid <> old.paid))) EXECUTE FUNCTION refuse_change()
  CREATE TRIGGER refund_totals_stay BEFORE DELETE OR TRUNCATE ON refund_totals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  SELECT: operator, reader, server, worker

TABLE refunds
  refund_id uuid NOT NULL
  payment_id uuid NOT NULL
  source text NOT NULL
  amount bigint NOT NULL
  reason text NOT NULL
  proposed_by text NOT NULL
  proposed_at timestamp with time zone NOT NULL DEFAULT date_trunc('milliseconds'::text, clock_timestamp())
  approved_by text
  booked_at timestamp with time zone
  denied_by text
  denied_at timestamp with time zone
  CONSTRAINT refunds_pkey PRIMARY KEY (refund_id)
  CONSTRAINT refunds_amount_check CHECK ((amount > 0))
  CONSTRAINT refunds_approved_by_check CHECK (((length(approved_by) >= 1) AND (length(approved_by) <= 100)))
  CONSTRAINT refunds_booked_or_denied CHECK (((denied_at IS NULL) OR (booked_at IS NULL)))
  CONSTRAINT refunds_check CHECK (((denied_by IS NULL) = (denied_at IS NULL)))
  CONSTRAINT refunds_denied_by_check CHECK (((length(denied_by) >= 1) AND (length(denied_by) <= 100)))
  CONSTRAINT refunds_of_another CHECK ((refund_id <> payment_id))
  CONSTRAINT refunds_of_treasury_approved CHECK (
CASE source
    WHEN 'treasury'::text THEN ((approved_by IS NULL) = (booked_at IS NULL))
    ELSE ((approved_by IS NULL) AND (booked_at IS NOT NULL))
END)
  CONSTRAINT refunds_proposed_by_check CHECK (((length(proposed_by) >= 1) AND (length(proposed_by) <= 100)))
  CONSTRAINT refunds_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500)))
  CONSTRAINT refunds_source_check CHECK ((source = ANY (ARRAY['receiver'::text, 'treasury'::text])))
  CONSTRAINT refunds_two_people CHECK ((approved_by <> proposed_by))
  CREATE INDEX refunds_of_payment ON refunds USING btree (payment_id)
  CREATE INDEX refunds_open ON refunds USING btree (proposed_at) WHERE ((booked_at IS NULL) AND (denied_at IS NULL))
  CREATE TRIGGER refunds_count BEFORE INSERT OR UPDATE ON refunds FOR EACH ROW EXECUTE FUNCTION count_refund()
  CREATE TRIGGER refunds_stay BEFORE DELETE OR TRUNCATE ON refunds FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  SELECT: operator, reader, server, worker

TABLE refusals
  payment_id uuid NOT NULL
  receiver text NOT NULL
  amount bigint NOT NULL
  code text NOT NULL
  details jsonb NOT NULL
  created_at timestamp with time zone NOT NULL
  CONSTRAINT refusals_pkey PRIMARY KEY (payment_id)
  CREATE TRIGGER refusals_append_only BEFORE UPDATE OR TRUNCATE ON refusals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  CREATE TRIGGER refusals_young BEFORE DELETE ON refusals FOR EACH ROW WHEN ((old.created_at > (now() - '7 days'::interval))) EXECUTE FUNCTION refuse_change()
  SELECT: operator, reader, server, worker

TABLE relayers
  relayer_id integer NOT NULL GENERATED ALWAYS AS IDENTITY
  network_id smallint NOT NULL
  reference text NOT NULL
  address text NOT NULL
  first_nonce bigint NOT NULL
  stopped text
  gas_wei numeric(40,0)
  next_nonce bigint
  gas_price_wei numeric(40,0)
  trouble text
  needs_wei numeric(40,0)
  ahead_since timestamp with time zone
  foreign_since timestamp with time zone
  CONSTRAINT relayers_pkey PRIMARY KEY (relayer_id)
  CONSTRAINT relayers_network_id_address_key UNIQUE (network_id, address)
  CONSTRAINT relayers_network_id_fkey FOREIGN KEY (network_id) REFERENCES networks(network_id)
  CONSTRAINT relayers_first_nonce_check CHECK ((first_nonce >= 0))
  CONSTRAINT relayers_next_nonce_check CHECK ((next_nonce > first_nonce))
  CONSTRAINT relayers_trouble_check CHECK (((trouble IS NULL) = (needs_wei IS NULL)))
  CREATE TRIGGER relayers_by_operators BEFORE UPDATE ON relayers FOR EACH STATEMENT EXECUTE FUNCTION guard_relayer_deed()
  INSERT: worker
  SELECT: operator, reader, server, signer, worker
  UPDATE: worker
  UPDATE (stopped, ahead_since, foreign_since): operator

TABLE releases
  version text NOT NULL
  previous text
  migrated_at timestamp with time zone NOT NULL DEFAULT now()
  finished_at timestamp with time zone
  CONSTRAINT releases_pkey PRIMARY KEY (version)
  SELECT: operator, reader, server, signer, worker

TABLE restores
  restore_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
  noted_at timestamp with time zone NOT NULL DEFAULT clock_timestamp()
  reason text NOT NULL
  noted_by text NOT NULL DEFAULT SESSION_USER
  keys_confirmed_at timestamp with time zone
  keys_confirmed_by text
  sessions_confirmed_at timestamp with time zone
  sessions_confirmed_by text
  CONSTRAINT restores_pkey PRIMARY KEY (restore_id)
  CONSTRAINT restores_check CHECK (((keys_confirmed_at IS NULL) = (keys_confirmed_by IS NULL)))
  CONSTRAINT restores_check1 CHECK (((sessions_confirmed_at IS NULL) = (sessions_confirmed_by IS NULL)))
  CONSTRAINT restores_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500)))
  SELECT: operator, reader, server, signer, worker

TABLE retention
  what text NOT NULL
  next_page bigint NOT NULL DEFAULT 0
  forgotten bigint NOT NULL DEFAULT 0
  finished_at timestamp with time zone
  CONSTRAINT retention_pkey PRIMARY KEY (what)
  CONSTRAINT retention_next_page_check CHECK ((next_page >= 0))
  CONSTRAINT retention_what_check CHECK ((what = ANY (ARRAY['answers'::text, 'audit'::text, 'deliveries'::text, 'refusals'::text, 'sessions'::text, 'spendings'::text])))
  SELECT: operator, reader, server, worker

TABLE role_names
  only_one boolean NOT NULL DEFAULT true
  prefix text NOT NULL
  CONSTRAINT role_names_pkey PRIMARY KEY (only_one)
  CONSTRAINT role_names_only_one_check CHECK (only_one)
  SELECT: operator, reader, server, signer, worker

TABLE send_rules
  only_one boolean NOT NULL DEFAULT true
  approval_threshold bigint
  new_recipient_delay integer NOT NULL DEFAULT 0
  has_open_treasury boolean NOT NULL DEFAULT false
  CONSTRAINT send_rules_pkey PRIMARY KEY (only_one)
  CONSTRAINT send_rules_approval_threshold_check CHECK ((approval_threshold > 0))
  CONSTRAINT send_rules_new_recipient_delay_check CHECK ((new_recipient_delay >= 0))
  CONSTRAINT send_rules_only_one_check CHECK (only_one)
  SELECT: operator, reader, server, worker

TABLE service_keys
  key_id uuid NOT NULL
  name text NOT NULL
  hash bytea NOT NULL
  scopes text[] NOT NULL
  created_at timestamp with time zone NOT NULL DEFAULT now()
  last_used_at timestamp with time zone
  revoked_at timestamp with time zone
  CONSTRAINT service_keys_pkey PRIMARY KEY (key_id)
  CONSTRAINT service_keys_hash_key UNIQUE (hash)
  CONSTRAINT service_keys_hash_check CHECK ((octet_length(hash) = 32))
  CONSTRAINT service_keys_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100)))
  CONSTRAINT service_keys_scopes_check CHECK (((cardinality(scopes) > 0) AND ((scopes <@ ARRAY['read'::text, 'send'::text]) OR (scopes <@ ARRAY['events'::text, 'webhooks'::text, 'payouts'::text]))))
  CREATE TRIGGER service_keys_guard BEFORE INSERT OR UPDATE OF revoked_at, scopes ON service_keys FOR EACH ROW EXECUTE FUNCTION guard_key()
  SELECT: server
  SELECT (key_id, name, scopes, created_at, last_used_at, revoked_at): operator, reader, worker
  UPDATE (last_used_at): server

TABLE session_tokens
  hash bytea NOT NULL
  session_id uuid NOT NULL
  kind text NOT NULL
  generation integer NOT NULL
  expires_at timestamp with time zone NOT NULL
  spent_at timestamp with time zone
  spent_under bytea
  used_at timestamp with time zone
  replaced boolean NOT NULL DEFAULT false
  CONSTRAINT session_tokens_pkey PRIMARY KEY (hash)
  CONSTRAINT session_tokens_session_id_kind_generation_key UNIQUE (session_id, kind, generation)
  CONSTRAINT session_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(session_id) ON DELETE CASCADE
  CONSTRAINT session_tokens_check CHECK (((kind = 'refresh'::text) OR (spent_at IS NULL)))
  CONSTRAINT session_tokens_generation_check CHECK ((generation >= 0))
  CONSTRAINT session_tokens_hash_check CHECK ((octet_length(hash) = 32))
  CONSTRAINT session_tokens_kind_check CHECK ((kind = ANY (ARRAY['access'::text, 'refresh'::text])))
  CONSTRAINT session_tokens_replaced_check CHECK (((NOT replaced) OR ((kind = 'refresh'::text) AND (spent_at IS NOT NULL)))) NOT VALID
  CONSTRAINT session_tokens_used_check CHECK (((kind = 'access'::text) OR (used_at IS NULL))) NOT VALID
  CREATE TRIGGER session_tokens_ended AFTER DELETE ON session_tokens FOR EACH ROW WHEN (((old.kind = 'access'::text) AND (old.expires_at > now()))) EXECUTE FUNCTION note_token_end()
  CREATE TRIGGER session_tokens_lapsed AFTER UPDATE OF expires_at ON session_tokens FOR EACH ROW WHEN (((old.kind = 'access'::text) AND (new.expires_at < old.expires_at))) EXECUTE FUNCTION note_token_end()
  DELETE: server
  INSERT: server
  SELECT: server
  SELECT (session_id, kind, generation, expires_at, spent_at): operator, reader, worker
  UPDATE: server

TABLE sessions
  session_id uuid NOT NULL
  user_id uuid NOT NULL
  user_agent text
  created_at timestamp with time zone NOT NULL
  last_used_at timestamp with time zone NOT NULL
  expires_at timestamp with time zone NOT NULL
  ended_at timestamp with time zone
  ended_because text
  changed_epoch bigint
  CONSTRAINT sessions_pkey PRIMARY KEY (session_id)
  CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
  CONSTRAINT sessions_check CHECK (((ended_at IS NULL) = (ended_because IS NULL)))
  CONSTRAINT sessions_ended_because_check CHECK ((ended_because = ANY (ARRAY['revoked'::text, 'reused'::text, 'replaced'::text])))
  CREATE INDEX sessions_by_change ON sessions USING btree (changed_epoch) WHERE (changed_epoch IS NOT NULL)
  CREATE INDEX sessions_of_user ON sessions USING btree (user_id, created_at DESC)
  CREATE TRIGGER sessions_ended BEFORE UPDATE OF ended_at ON sessions FOR EACH ROW WHEN ((old.ended_at IS DISTINCT FROM new.ended_at)) EXECUTE FUNCTION note_session_change()
  CREATE TRIGGER sessions_of_open_accounts BEFORE INSERT ON sessions FOR EACH ROW EXECUTE FUNCTION refuse_closed()
  CREATE TRIGGER sessions_stay BEFORE TRUNCATE ON sessions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  CREATE TRIGGER sessions_young BEFORE DELETE ON sessions FOR EACH ROW WHEN ((COALESCE(old.ended_at, old.expires_at) > (now() - '7 days'::interval))) EXECUTE FUNCTION refuse_change()
  INSERT: server
  SELECT: operator, reader, server, worker
  UPDATE: server

TABLE settlements
  settlement_id uuid NOT NULL
  asset_id smallint NOT NULL
  covers_seq bigint
  created_at timestamp with time zone NOT NULL DEFAULT date_trunc('milliseconds'::text, clock_timestamp())
  completed_at timestamp with time zone
  leaves bigint NOT NULL DEFAULT 0
  left_out bigint[] NOT NULL DEFAULT '{}'::bigint[]
  CONSTRAINT settlements_pkey PRIMARY KEY (settlement_id)
  CONSTRAINT settlements_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES assets(asset_id)
  CONSTRAINT settlements_leaves_check CHECK ((leaves >= 0))
  CREATE INDEX settlements_covering ON settlements USING btree (asset_id, covers_seq) WHERE (covers_seq IS NOT NULL)
  CREATE INDEX settlements_open ON settlements USING btree (asset_id) WHERE (completed_at IS NULL)
  INSERT: worker
  SELECT: operator, reader, server, signer, worker
  UPDATE: worker

TABLE signatures
  move_id uuid NOT NULL
  valid_before bigint NOT NULL
  signature bytea NOT NULL
  signed_at timestamp with time zone NOT NULL DEFAULT clock_timestamp()
  CONSTRAINT signatures_pkey PRIMARY KEY (move_id, valid_before)
  CONSTRAINT signatures_move_id_fkey FOREIGN KEY (move_id) REFERENCES authorizations(move_id)
  CONSTRAINT signatures_signature_check CHECK ((octet_length(signature) = 65))
  CONSTRAINT signatures_valid_before_check CHECK ((valid_before > 0))
  CREATE TRIGGER signatures_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON signatures FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  CREATE TRIGGER signatures_guard BEFORE INSERT ON signatures FOR EACH ROW EXECUTE FUNCTION guard_signature()
  INSERT: signer
  SELECT: signer, worker
  SELECT (move_id, valid_before, signed_at): operator, reader, server

TABLE signed_hours
  asset_id smallint NOT NULL
  hour timestamp with time zone NOT NULL
  amount bigint NOT NULL
  CONSTRAINT signed_hours_pkey PRIMARY KEY (asset_id, hour)
  CONSTRAINT signed_hours_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES assets(asset_id)
  CONSTRAINT signed_hours_amount_check CHECK ((amount > 0))
  SELECT: operator, reader, server, worker

TABLE spendings
  account_id bigint NOT NULL
  hour integer NOT NULL
  payments integer NOT NULL
  spent bigint NOT NULL
  CONSTRAINT spendings_pkey PRIMARY KEY (account_id, hour)
  CONSTRAINT spendings_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id)
  CONSTRAINT spendings_payments_check CHECK ((payments >= 0))
  CONSTRAINT spendings_spent_check CHECK ((spent >= 0))
  CREATE TRIGGER spendings_stay BEFORE TRUNCATE ON spendings FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  SELECT: operator, reader, server, worker

TABLE spent_id_tokens
  hash bytea NOT NULL
  expires_at timestamp with time zone NOT NULL
  CONSTRAINT spent_id_tokens_pkey PRIMARY KEY (hash)
  CONSTRAINT spent_id_tokens_hash_check CHECK ((octet_length(hash) = 32))
  CREATE INDEX spent_id_tokens_expiry ON spent_id_tokens USING btree (expires_at)
  DELETE: server
  INSERT: server
  SELECT: server
  SELECT (expires_at): operator, reader, worker
  UPDATE: server

TABLE suspect_reads
  asset_id smallint NOT NULL
  next_block bigint NOT NULL DEFAULT 0
  was_paused boolean NOT NULL DEFAULT false
  is_paused boolean NOT NULL DEFAULT false
  read_at timestamp with time zone
  CONSTRAINT suspect_reads_pkey PRIMARY KEY (asset_id)
  CONSTRAINT suspect_reads_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES assets(asset_id)
  CONSTRAINT suspect_reads_next_block_check CHECK ((next_block >= 0))
  INSERT: worker
  SELECT: operator, reader, server, worker
  UPDATE: worker

TABLE suspects
  asset_id smallint NOT NULL
  address text NOT NULL
  CONSTRAINT suspects_pkey PRIMARY KEY (asset_id, address)
  CONSTRAINT suspects_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES assets(asset_id)
  CONSTRAINT suspects_address_check CHECK ((address ~ '^0x[0-9a-f]{40}$'::text))
  INSERT: worker
  SELECT: operator, reader, server, worker

TABLE tier_changes
  change_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
  tier smallint NOT NULL
  before jsonb
  after jsonb NOT NULL
  changed_by text NOT NULL
  reason text
  changed_at timestamp with time zone NOT NULL DEFAULT clock_timestamp()
  CONSTRAINT tier_changes_pkey PRIMARY KEY (change_id)
  CONSTRAINT tier_changes_tier_fkey FOREIGN KEY (tier) REFERENCES tiers(tier)
  CREATE TRIGGER tier_changes_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON tier_changes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  SELECT: operator, reader, server, worker

TABLE tiers
  tier smallint NOT NULL
  name text NOT NULL
  payment_limit bigint
  day_limit bigint
  month_limit bigint
  day_payments integer
  CONSTRAINT tiers_pkey PRIMARY KEY (tier)
  CONSTRAINT tiers_name_key UNIQUE (name)
  CONSTRAINT tiers_day_limit_check CHECK ((day_limit >= 0))
  CONSTRAINT tiers_day_payments_check CHECK ((day_payments >= 0))
  CONSTRAINT tiers_month_limit_check CHECK ((month_limit >= 0))
  CONSTRAINT tiers_payment_limit_check CHECK ((payment_limit >= 0))
  CREATE TRIGGER tiers_recorded AFTER INSERT OR UPDATE ON tiers FOR EACH ROW EXECUTE FUNCTION record_tier()
  CREATE TRIGGER tiers_stay BEFORE DELETE OR TRUNCATE ON tiers FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  SELECT: operator, reader, server, worker

TABLE transfer_decisions
  decision_id uuid NOT NULL
  move_id uuid NOT NULL
  verdict text NOT NULL
  provider_id text
  reason text NOT NULL
  proposed_by text NOT NULL
  proposed_at timestamp with time zone NOT NULL DEFAULT clock_timestamp()
  approved_by text
  decided_at timestamp with time zone
  CONSTRAINT transfer_decisions_pkey PRIMARY KEY (decision_id)
  CONSTRAINT transfer_decisions_move_id_fkey FOREIGN KEY (move_id) REFERENCES provider_transfers(move_id)
  CONSTRAINT transfer_decisions_approved CHECK (((approved_by IS NULL) = (decided_at IS NULL)))
  CONSTRAINT transfer_decisions_approved_by_check CHECK (((length(approved_by) >= 1) AND (length(approved_by) <= 100)))
  CONSTRAINT transfer_decisions_names_it CHECK (((verdict = 'adopt'::text) = (provider_id IS NOT NULL)))
  CONSTRAINT transfer_decisions_proposed_by_check CHECK (((length(proposed_by) >= 1) AND (length(proposed_by) <= 100)))
  CONSTRAINT transfer_decisions_provider_id_check CHECK (((length(provider_id) >= 1) AND (length(provider_id) <= 100)))
  CONSTRAINT transfer_decisions_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500)))
  CONSTRAINT transfer_decisions_two_people CHECK ((approved_by <> proposed_by))
  CONSTRAINT transfer_decisions_verdict_check CHECK ((verdict = ANY (ARRAY['adopt'::text, 'never_made'::text])))
  CREATE INDEX transfer_decisions_decided ON transfer_decisions USING btree (move_id, decided_at) WHERE (decided_at IS NOT NULL)
  CREATE INDEX transfer_decisions_open ON transfer_decisions USING btree (proposed_at) WHERE (decided_at IS NULL)
  SELECT: operator, reader, server, worker

TABLE transfers
  transfer_id uuid NOT NULL
  seq bigint NOT NULL
  debit_account bigint NOT NULL
  credit_account bigint NOT NULL
  amount bigint NOT NULL
  debit_entry bigint NOT NULL
  credit_entry bigint
  debit_available bigint NOT NULL
  credit_available bigint
  debit_held bigint
  created_at timestamp with time zone NOT NULL
  asset_id smallint NOT NULL
  kind text NOT NULL
  hold_id uuid
  from_name text
  to_name text
  typed_name text
  debit_prev bigint
  credit_prev bigint
  CONSTRAINT transfers_amount_check CHECK ((amount > 0))
  CONSTRAINT transfers_check CHECK ((debit_account <> credit_account))
  CONSTRAINT transfers_check1 CHECK (((kind = ANY (ARRAY['post'::text, 'release'::text])) = (hold_id IS NOT NULL)))
  CONSTRAINT transfers_check2 CHECK (((kind = ANY (ARRAY['hold'::text, 'release'::text])) = (credit_entry IS NULL)))
  CONSTRAINT transfers_check3 CHECK (((credit_entry IS NULL) = (credit_available IS NULL)))
  CONSTRAINT transfers_check4 CHECK (((kind = ANY (ARRAY['hold'::text, 'post'::text, 'release'::text])) = (debit_held IS NOT NULL)))
  CONSTRAINT transfers_kind_check CHECK ((kind = ANY (ARRAY['user'::text, 'deposit'::text, 'internal'::text, 'hold'::text, 'post'::text, 'release'::text])))
  CREATE UNIQUE INDEX transfers_by_seq ON transfers USING btree (seq)
  CREATE UNIQUE INDEX transfers_credit_posts ON transfers USING btree (credit_account, credit_entry) WHERE ((credit_prev IS NULL) OR ((credit_entry % (32)::bigint) = 0) OR (kind <> 'user'::text))
  CREATE UNIQUE INDEX transfers_debit_posts ON transfers USING btree (debit_account, debit_entry) WHERE ((debit_prev IS NULL) OR ((debit_entry % (32)::bigint) = 0) OR (kind <> 'user'::text))
  CREATE UNIQUE INDEX transfers_hold_ended ON transfers USING btree (hold_id) WHERE (hold_id IS NOT NULL)
  CREATE UNIQUE INDEX transfers_ids_after_0 ON transfers USING btree (transfer_id) WHERE ((kind = 'user'::text) AND ((seq + 0) > 0))
  CREATE UNIQUE INDEX transfers_other_ids ON transfers USING btree (transfer_id) WHERE (kind <> 'user'::text)
  CREATE TRIGGER transfers_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON transfers FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  CREATE TRIGGER transfers_name_previous BEFORE INSERT ON transfers FOR EACH ROW WHEN ((new.kind <> ALL (ARRAY['user'::text, 'hold'::text]))) EXECUTE FUNCTION name_previous()
  SELECT: operator, reader, server, signer, worker

TABLE unexplained_moves
  asset_id smallint NOT NULL
  tx_hash text NOT NULL
  log_index integer NOT NULL
  wallet_id uuid NOT NULL
  to_address text NOT NULL
  amount bigint NOT NULL
  block_number bigint NOT NULL
  imported_as uuid
  block_hash text
  to_wallet uuid
  ordinal integer
  deposit_id uuid
  first_imported_as uuid
  given_back uuid
  CONSTRAINT unexplained_moves_pkey PRIMARY KEY (asset_id, tx_hash, log_index)
  CONSTRAINT unexplained_moves_given_back_key UNIQUE (given_back)
  CONSTRAINT unexplained_moves_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES assets(asset_id)
  CONSTRAINT unexplained_moves_to_wallet_fkey FOREIGN KEY (to_wallet) REFERENCES wallets(wallet_id)
  CONSTRAINT unexplained_moves_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES wallets(wallet_id)
  CONSTRAINT unexplained_moves_given_back CHECK ((num_nulls(first_imported_as, given_back) = ANY (ARRAY[0, 2])))
  CONSTRAINT unexplained_moves_to_ours CHECK ((num_nulls(to_wallet, ordinal, deposit_id) = ANY (ARRAY[0, 3])))
  CREATE INDEX unexplained_moves_open ON unexplained_moves USING btree (asset_id) WHERE (imported_as IS NULL)
  CREATE INDEX unexplained_moves_vanished ON unexplained_moves USING btree (asset_id) WHERE (log_index < 0)
  DELETE: worker
  INSERT: worker
  SELECT: operator, reader, server, worker
  UPDATE (log_index, block_number, block_hash): worker

TABLE username_changes
  user_id uuid NOT NULL
  username text NOT NULL
  previous text
  changed_at timestamp with time zone NOT NULL
  CONSTRAINT username_changes_pkey PRIMARY KEY (user_id, changed_at)
  CONSTRAINT username_changes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
  INSERT: server
  SELECT: operator, reader, server, worker

TABLE username_skeletons
  skeleton text NOT NULL
  user_id uuid
  CONSTRAINT username_skeletons_pkey PRIMARY KEY (skeleton)
  CONSTRAINT username_skeletons_skeleton_user_id_key UNIQUE (skeleton, user_id)
  CONSTRAINT username_skeletons_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
  DELETE: server
  INSERT: server
  SELECT: operator, reader, server, worker
  UPDATE: server

TABLE usernames
  username text NOT NULL
  skeleton text NOT NULL GENERATED ALWAYS AS (username_skeleton(username)) STORED
  user_id uuid NOT NULL
  claimed_at timestamp with time zone NOT NULL
  redirect_until timestamp with time zone
  CONSTRAINT usernames_pkey PRIMARY KEY (username)
  CONSTRAINT usernames_skeleton_user_id_fkey FOREIGN KEY (skeleton, user_id) REFERENCES username_skeletons(skeleton, user_id)
  CONSTRAINT usernames_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
  CONSTRAINT usernames_username_check CHECK ((username ~ '^[a-z0-9_]{3,30}$'::text))
  CREATE INDEX usernames_of_user ON usernames USING btree (user_id)
  CREATE UNIQUE INDEX usernames_one_current ON usernames USING btree (user_id) WHERE (redirect_until IS NULL)
  CREATE TRIGGER usernames_added AFTER INSERT ON usernames REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION ledger_add_names_epoch()
  CREATE TRIGGER usernames_epoch AFTER DELETE OR UPDATE ON usernames FOR EACH ROW EXECUTE FUNCTION count_name_change()
  CREATE TRIGGER usernames_of_open_accounts BEFORE INSERT OR UPDATE OF redirect_until ON usernames FOR EACH ROW WHEN ((new.redirect_until IS NULL)) EXECUTE FUNCTION refuse_closed()
  DELETE: server
  INSERT: server
  SELECT: operator, reader, server, worker
  UPDATE: server

TABLE users
  user_id uuid NOT NULL
  issuer text NOT NULL
  subject text NOT NULL
  email text
  email_verified boolean NOT NULL DEFAULT false
  kyc_status text NOT NULL DEFAULT 'none'::text
  created_at timestamp with time zone NOT NULL DEFAULT now()
  closed_at timestamp with time zone
  CONSTRAINT users_pkey PRIMARY KEY (user_id)
  CONSTRAINT users_issuer_subject_key UNIQUE (issuer, subject)
  CONSTRAINT users_kyc_status_check CHECK ((kyc_status = ANY (ARRAY['none'::text, 'started'::text, 'pending'::text, 'needs_input'::text, 'approved'::text, 'rejected'::text, 'revoked'::text])))
  CREATE INDEX users_email ON users USING btree (email)
  CREATE TRIGGER users_kyc_event AFTER UPDATE OF kyc_status ON users FOR EACH ROW WHEN ((old.kyc_status IS DISTINCT FROM new.kyc_status)) EXECUTE FUNCTION record_kyc_status()
  CREATE TRIGGER users_tier AFTER UPDATE OF kyc_status ON users FOR EACH ROW WHEN ((old.kyc_status IS DISTINCT FROM new.kyc_status)) EXECUTE FUNCTION follow_kyc()
  INSERT: server
  SELECT: operator, reader, server, worker
  SELECT (user_id, issuer, subject): signer
  UPDATE (email, email_verified, kyc_status): server

TABLE wallet_providers
  provider text NOT NULL
  rail text NOT NULL
  CONSTRAINT wallet_providers_pkey PRIMARY KEY (provider)
  CONSTRAINT wallet_providers_provider_check CHECK ((provider ~ '^[a-z][a-z0-9_]{0,39}$'::text))
  CONSTRAINT wallet_providers_rail_check CHECK ((rail = ANY (ARRAY['eip3009'::text, 'provider'::text])))
  SELECT: operator, reader, server, signer, worker

TABLE wallet_rescans
  asset_id smallint NOT NULL
  wallet_id uuid NOT NULL
  next_block bigint
  to_block bigint
  unclear numeric NOT NULL DEFAULT 0
  asked_at timestamp with time zone NOT NULL DEFAULT clock_timestamp()
  fault text
  retry_at timestamp with time zone
  CONSTRAINT wallet_rescans_pkey PRIMARY KEY (asset_id, wallet_id)
  CONSTRAINT wallet_rescans_check CHECK (((next_block IS NULL) = (to_block IS NULL)))
  CONSTRAINT wallet_rescans_next_block_check CHECK ((next_block >= 0))
  CONSTRAINT wallet_rescans_unclear_check CHECK ((unclear >= (0)::numeric))
  CREATE INDEX wallet_rescans_open ON wallet_rescans USING btree (asset_id, asked_at) WHERE (next_block IS NOT NULL)
  DELETE: worker
  SELECT: operator, reader, server, worker
  UPDATE: worker

TABLE wallet_seeds
  only_one boolean NOT NULL DEFAULT true
  fingerprint text NOT NULL
  wallet_provider text NOT NULL DEFAULT 'local'::text
  network_wallets jsonb NOT NULL DEFAULT '{}'::jsonb
  accounts jsonb NOT NULL DEFAULT '{}'::jsonb
  CONSTRAINT wallet_seeds_pkey PRIMARY KEY (only_one)
  CONSTRAINT wallet_seeds_wallet_provider_fkey FOREIGN KEY (wallet_provider) REFERENCES wallet_providers(provider)
  CONSTRAINT wallet_seeds_account_check CHECK (((wallet_provider = 'local'::text) OR (accounts ? wallet_provider)))
  CONSTRAINT wallet_seeds_accounts_check CHECK ((jsonb_typeof(accounts) = 'object'::text))
  CONSTRAINT wallet_seeds_network_wallets_check CHECK ((jsonb_typeof(network_wallets) = 'object'::text))
  CONSTRAINT wallet_seeds_only_one_check CHECK (only_one)
  INSERT: signer
  SELECT: operator, reader, server, signer, worker

TABLE wallets
  wallet_id uuid NOT NULL
  kind text NOT NULL
  user_id uuid
  provider text NOT NULL
  family text NOT NULL DEFAULT 'evm'::text
  reference text NOT NULL
  address text NOT NULL
  created_at timestamp with time zone NOT NULL DEFAULT now()
  replaced_at timestamp with time zone
  CONSTRAINT wallets_pkey PRIMARY KEY (wallet_id)
  CONSTRAINT wallets_provider_reference_key UNIQUE (provider, reference)
  CONSTRAINT wallets_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id)
  CONSTRAINT wallets_address_of_family CHECK (((family <> 'evm'::text) OR (address ~ '^0x[0-9a-fA-F]{40}$'::text)))
  CONSTRAINT wallets_address_of_other_family CHECK (
CASE family
    WHEN 'solana'::text THEN (address ~ '^[1-9A-HJ-NP-Za-km-z]{32,44}$'::text)
    WHEN 'aptos'::text THEN (address ~ '^0x[0-9a-f]{64}$'::text)
    ELSE true
END) NOT VALID
  CONSTRAINT wallets_check CHECK (((kind = 'user'::text) = (user_id IS NOT NULL)))
  CONSTRAINT wallets_family_check CHECK ((family = ANY (ARRAY['evm'::text, 'solana'::text, 'aptos'::text])))
  CONSTRAINT wallets_kind_check CHECK ((kind = ANY (ARRAY['user'::text, 'treasury'::text])))
  CONSTRAINT wallets_provider_check CHECK ((provider ~ '^[a-z][a-z0-9_]*$'::text))
  CREATE UNIQUE INDEX wallets_evm_address ON wallets USING btree (lower(address)) WHERE (family = 'evm'::text)
  CREATE UNIQUE INDEX wallets_one_current ON wallets USING btree (user_id, provider, family) WHERE ((replaced_at IS NULL) AND (user_id IS NOT NULL))
  CREATE UNIQUE INDEX wallets_one_treasury ON wallets USING btree (provider, family) WHERE ((replaced_at IS NULL) AND (kind = 'treasury'::text))
  CREATE UNIQUE INDEX wallets_other_address ON wallets USING btree (family, address) WHERE (family <> 'evm'::text)
  CREATE TRIGGER wallets_are_new AFTER INSERT ON wallets FOR EACH ROW EXECUTE FUNCTION note_new_wallets()
  CREATE TRIGGER wallets_followed AFTER INSERT OR UPDATE OF replaced_at ON wallets FOR EACH ROW EXECUTE FUNCTION follow_wallet()
  CREATE TRIGGER wallets_stay BEFORE DELETE OR UPDATE OF wallet_id, kind, user_id, provider, family, reference, address OR TRUNCATE ON wallets FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  INSERT: signer
  SELECT: operator, reader, server, signer, worker

TABLE webhook_deliveries
  endpoint_id uuid NOT NULL
  event_id text NOT NULL
  place bigint NOT NULL
  type text NOT NULL
  happened_at timestamp with time zone NOT NULL
  data jsonb NOT NULL
  is_test boolean NOT NULL DEFAULT false
  state text NOT NULL DEFAULT 'waiting'::text
  due_at timestamp with time zone DEFAULT now()
  attempts integer NOT NULL DEFAULT 0
  attempted_at timestamp with time zone
  took_ms integer
  status integer
  answer text
  fault text
  created_at timestamp with time zone NOT NULL DEFAULT now()
  CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (endpoint_id, event_id)
  CONSTRAINT webhook_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(endpoint_id)
  CONSTRAINT webhook_deliveries_answer_check CHECK ((length(answer) <= 2048))
  CONSTRAINT webhook_deliveries_attempts_check CHECK ((attempts >= 0))
  CONSTRAINT webhook_deliveries_due CHECK (((state = 'waiting'::text) = (due_at IS NOT NULL)))
  CONSTRAINT webhook_deliveries_fault_check CHECK ((length(fault) <= 500))
  CONSTRAINT webhook_deliveries_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'delivered'::text, 'failed'::text])))
  CREATE INDEX webhook_deliveries_due ON webhook_deliveries USING btree (endpoint_id, due_at) WHERE (due_at IS NOT NULL)
  CREATE INDEX webhook_deliveries_in_order ON webhook_deliveries USING btree (endpoint_id, place) WHERE (due_at IS NOT NULL)
  CREATE INDEX webhook_deliveries_of_endpoint ON webhook_deliveries USING btree (endpoint_id, place, event_id)
  CREATE INDEX webhook_deliveries_open ON webhook_deliveries USING btree (endpoint_id, state, place, event_id) WHERE (state <> 'delivered'::text)
  CREATE INDEX webhook_deliveries_tests ON webhook_deliveries USING btree (endpoint_id, due_at) WHERE (is_test AND (due_at IS NOT NULL))
  CREATE TRIGGER webhook_deliveries_guard BEFORE INSERT OR UPDATE ON webhook_deliveries FOR EACH STATEMENT EXECUTE FUNCTION guard_webhook()
  INSERT: worker
  SELECT: operator, reader, server, worker
  UPDATE: worker

TABLE webhook_endpoints WITH (fillfactor=50)
  endpoint_id uuid NOT NULL
  url text NOT NULL
  description text NOT NULL
  types text[] NOT NULL
  in_order boolean NOT NULL
  state text NOT NULL DEFAULT 'on'::text
  failure text
  failing_since timestamp with time zone
  place bigint NOT NULL
  created_at timestamp with time zone NOT NULL DEFAULT now()
  removed_at timestamp with time zone
  CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (endpoint_id)
  CONSTRAINT webhook_endpoints_description_check CHECK ((length(description) <= 200))
  CONSTRAINT webhook_endpoints_failure CHECK (((state = 'failed'::text) = (failure IS NOT NULL)))
  CONSTRAINT webhook_endpoints_failure_check CHECK (((length(failure) >= 1) AND (length(failure) <= 500)))
  CONSTRAINT webhook_endpoints_removed_is_off CHECK (((removed_at IS NULL) OR (state = 'off'::text)))
  CONSTRAINT webhook_endpoints_state_check CHECK ((state = ANY (ARRAY['on'::text, 'off'::text, 'failed'::text])))
  CONSTRAINT webhook_endpoints_types_check CHECK (((cardinality(types) >= 1) AND (cardinality(types) <= 50)))
  CONSTRAINT webhook_endpoints_url_check CHECK (((length(url) >= 1) AND (length(url) <= 2000)))
  CREATE TRIGGER webhook_endpoints_guard BEFORE INSERT OR UPDATE ON webhook_endpoints FOR EACH ROW EXECUTE FUNCTION guard_webhook_endpoint()
  INSERT: operator, server
  SELECT: operator, reader, server, worker
  UPDATE (state, failure, failing_since, place): worker
  UPDATE (url, description, types, in_order, state, failure, failing_since, removed_at): operator, server

TABLE webhook_secrets
  endpoint_id uuid NOT NULL
  number integer NOT NULL
  secret bytea NOT NULL
  created_at timestamp with time zone NOT NULL DEFAULT now()
  ends_at timestamp with time zone
  CONSTRAINT webhook_secrets_pkey PRIMARY KEY (endpoint_id, number)
  CONSTRAINT webhook_secrets_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(endpoint_id)
  CONSTRAINT webhook_secrets_number_check CHECK ((number > 0))
  CONSTRAINT webhook_secrets_secret_check CHECK (((octet_length(secret) >= 24) AND (octet_length(secret) <= 64)))
  CREATE UNIQUE INDEX webhook_secrets_current ON webhook_secrets USING btree (endpoint_id) WHERE (ends_at IS NULL)
  CREATE TRIGGER webhook_secrets_guard BEFORE INSERT OR DELETE OR UPDATE ON webhook_secrets FOR EACH STATEMENT EXECUTE FUNCTION guard_webhook()
  DELETE: operator, server
  INSERT: operator, server
  SELECT: worker
  SELECT (endpoint_id, number, created_at, ends_at): operator, reader, server
  UPDATE (ends_at): operator, server

-- Views
VIEW closed_accounts_with_money (user_id uuid, closed_at timestamp with time zone, blockchain text, available bigint, held bigint)
VIEW feed (seq bigint, source text, type text, subject_id uuid, at timestamp with time zone, people uuid[])
VIEW owner_wallets (asset_id smallint, kind text, user_id uuid, wallet_id uuid, address text)

-- Types
TYPE new_hold (id uuid, debit bigint, credit bigint, amount bigint, budget_at integer)
TYPE new_payment (id uuid, credit bigint, amount bigint, to_name text, typed_name text)
TYPE new_payout (id uuid, key uuid, certificate text, client inet, payer uuid, wallet uuid, on_shortage text, content_type text, known_count integer, known_total bigint)
TYPE new_payout_row (id uuid, reference text, username text, person uuid, destination text, blockchain text, amount bigint, note text)
TYPE new_send (id uuid, caller uuid, certificate text, client inet, asked boolean, hash text, trace text, blockchain text, destination text, amount bigint, wallet uuid, username text, person uuid, session uuid, shown text)

-- Functions
FUNCTION accept_send(p_id uuid, p_asset smallint, p_wallet uuid, p_shown text, p_destination text, p_amount bigint, p_job text, p_threshold bigint DEFAULT NULL::bigint, p_delay integer DEFAULT 0, OUT outcome text, OUT details jsonb) RETURNS record LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
FUNCTION accept_sends(p_rules jsonb, p_sends jsonb) RETURNS TABLE(nth integer, outcome text, details jsonb, wallet_id uuid, username text, accepted_at timestamp with time zone, approvals_needed smallint, not_before timestamp with time zone) LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET enable_hashjoin=off SET enable_mergejoin=off SET jit=off SET plan_cache_mode=force_generic_plan
  called by server
FUNCTION add_test_delivery(p_endpoint uuid) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator, server
FUNCTION address_key(p_address text) RETURNS text LANGUAGE sql IMMUTABLE
FUNCTION address_look(address text) RETURNS text LANGUAGE sql IMMUTABLE
  called by operator, reader, server, signer, worker
FUNCTION adopt_unexplained(p_asset smallint, p_tx_hash text, p_log_index integer, p_wallet uuid, p_ordinal integer, p_deposit uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by worker
FUNCTION approve_correction(p_id uuid) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator
FUNCTION approve_payment(p_id uuid, p_operator text) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION approve_payout(p_payout uuid, OUT approvals integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
  called by operator
FUNCTION approve_refund(p_id uuid, OUT outcome text, OUT details jsonb, OUT amount bigint) RETURNS record LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
  called by operator
FUNCTION approve_transfer_end(p_id uuid) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator
FUNCTION ask_cancellation(p_move uuid) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
  called by operator, server
FUNCTION ask_for_money(p_request uuid, p_asker uuid, p_payer uuid, p_amount bigint, p_note text, p_expires_at timestamp with time zone) RETURNS jsonb LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by server
FUNCTION ask_rescan(p_network smallint, p_wallet uuid, p_from bigint) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator, worker
FUNCTION ask_transfer(p_move uuid, p_queue integer, p_day_limit bigint, OUT outcome text, OUT attempt integer) RETURNS record LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by signer
FUNCTION audit_actor(p_actor text) RETURNS text LANGUAGE plpgsql STABLE
FUNCTION begin_payout_pass(p_payout uuid) RETURNS payouts LANGUAGE plpgsql SET enable_seqscan=off SET jit=off
FUNCTION begin_refund(p_id uuid, p_payment uuid, p_amount bigint, p_source text, OUT outcome text, OUT details jsonb, OUT amount bigint, OUT debit bigint, OUT credit bigint) RETURNS record LANGUAGE plpgsql
FUNCTION blockchain_family(p_blockchain text) RETURNS text LANGUAGE sql IMMUTABLE
FUNCTION books_account_faults(p_first bigint, p_last bigint) RETURNS TABLE(asset_id smallint, account_id bigint, fault text) LANGUAGE sql STABLE SET enable_seqscan=off SET enable_bitmapscan=off SET jit=off SET max_parallel_workers_per_gather=0
  called by operator, reader, worker
FUNCTION books_accounts(p_seed bigint) RETURNS TABLE(asset_id smallint, accounts bigint, sum numeric, balance numeric) LANGUAGE sql STABLE SET jit=off SET max_parallel_workers_per_gather=0
  called by operator, reader, worker
FUNCTION books_balance_after(p_account bigint, p_entry bigint) RETURNS bigint LANGUAGE sql STABLE
  called by operator, reader, worker
FUNCTION books_double_ids(p_after bigint, p_upto bigint) RETURNS bigint[] LANGUAGE plpgsql STABLE SET search_path=public, pg_temp SET enable_seqscan=off SET enable_bitmapscan=off SET jit=off
  called by operator, reader, worker
FUNCTION books_fault(p_row transfers) RETURNS text LANGUAGE plpgsql STABLE
  called by operator, reader, worker
FUNCTION books_hash(p_seed bigint, p_account bigint, p_entry bigint, p_available bigint) RETURNS bigint LANGUAGE sql IMMUTABLE
  called by operator, reader, worker
FUNCTION books_held_before(p_account bigint, p_entry bigint) RETURNS bigint LANGUAGE sql STABLE
  called by operator, reader, worker
FUNCTION books_held_hash(p_seed bigint, p_account bigint, p_held bigint) RETURNS bigint LANGUAGE sql IMMUTABLE
  called by operator, reader, worker
FUNCTION books_is_doubled(p_account bigint, p_entry bigint, p_seq bigint) RETURNS boolean LANGUAGE plpgsql STABLE
  called by operator, reader, worker
FUNCTION books_look(p_seed bigint, p_after bigint, p_limit bigint, OUT o_seq_base bigint, OUT o_upto bigint, OUT o_is_head boolean, OUT o_movements jsonb, OUT o_accounts jsonb) RETURNS record LANGUAGE plpgsql STABLE
  called by operator, reader, worker
FUNCTION books_moved(p_row transfers, OUT available bigint, OUT held bigint) RETURNS record LANGUAGE plpgsql STABLE
  called by operator, reader, worker
FUNCTION books_row_faults(p_after bigint, p_upto bigint, p_walks boolean) RETURNS TABLE(asset_id smallint, transfer_id uuid, seq bigint, fault text) LANGUAGE sql STABLE SET enable_seqscan=off SET enable_bitmapscan=off SET enable_hashjoin=off SET enable_mergejoin=off SET jit=off SET max_parallel_workers_per_gather=0
  called by operator, reader, worker
FUNCTION books_rows(p_seed bigint, p_after bigint, p_upto bigint, p_settled bigint, p_limit bigint) RETURNS TABLE(asset_id smallint, rows bigint, last_seq bigint, settled numeric, open numeric, broken bigint[]) LANGUAGE sql STABLE SET enable_seqscan=off SET enable_bitmapscan=off SET enable_sort=off SET jit=off SET max_parallel_workers_per_gather=0
  called by operator, reader, worker
FUNCTION broken_key_limit(p_key uuid, p_pays text, p_left bigint) RETURNS jsonb LANGUAGE sql STABLE
FUNCTION broken_limit(t tiers, amount bigint, p_account bigint, p_hour integer, payments integer, spent_day bigint, spent_month bigint) RETURNS jsonb LANGUAGE sql STABLE
FUNCTION cancel_at_provider(p_payment uuid) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
  called by operator, server, worker
FUNCTION cancel_payout(p_payout uuid, p_key uuid) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
  called by server
FUNCTION cancel_unsure(p_payment uuid, p_nonce bytea) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
  called by operator, server
FUNCTION change_answers(p_ids uuid[], p_answers json[]) RETURNS void LANGUAGE plpgsql
FUNCTION change_key(p_key uuid, p_rules jsonb, p_reason text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator
FUNCTION charge_key_budgets(p_keys uuid[], p_pays text[], p_before bigint[], p_left bigint[]) RETURNS void LANGUAGE plpgsql
FUNCTION check_identity() RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator, server, signer, worker
FUNCTION choose_wallets(p_fingerprint text, p_provider text, p_accounts jsonb, p_networks jsonb, p_from text, p_rails jsonb) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by signer
FUNCTION claim_in_order(p_endpoint uuid, p_limit integer, p_claim_ms integer) RETURNS SETOF webhook_deliveries LANGUAGE plpgsql
  called by worker
FUNCTION claim_records(p_ids uuid[], p_hashes bytea[], p_answers json[]) RETURNS TABLE(record_id uuid, outcome text, answer json) LANGUAGE plpgsql SET lock_timeout=200ms
FUNCTION claim_unexplained(p_move uuid) RETURNS uuid LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
  called by worker
FUNCTION close_account(p_user uuid, p_name_days integer) RETURNS jsonb LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
  called by server
FUNCTION collect_debt(p_payment uuid) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator
FUNCTION commit_signatures(p_moves uuid[], p_nonces bytea[], p_valid_before bigint, p_signatures bytea[], p_day_limit bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by signer
FUNCTION confirm_payout(p_payout uuid, p_key uuid, p_count integer, p_total bigint, p_threshold bigint, p_certificate text, p_client inet, OUT outcome text, OUT details jsonb) RETURNS record LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
  called by server
FUNCTION confirm_restore(p_kind text) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator
FUNCTION count_approvals(p_id uuid) RETURNS integer LANGUAGE sql STABLE
FUNCTION count_drift(p_asset smallint, p_wallet uuid, p_amount bigint) RETURNS boolean LANGUAGE plpgsql
FUNCTION count_name_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION count_payout_approvals(p_payout uuid) RETURNS integer LANGUAGE sql STABLE
  called by operator, reader, server, worker
FUNCTION count_refund() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
FUNCTION counted_approvals(p payments) RETURNS SETOF approvals LANGUAGE sql STABLE
  called by operator, reader, server, signer, worker
FUNCTION create_key(p_key uuid, p_name text, p_hash bytea, p_scopes text[], p_rules jsonb) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator
FUNCTION create_payout(p_payout jsonb, p_rows jsonb, p_file bytea) RETURNS jsonb LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
  called by server
FUNCTION credentials_from(p_kind text) RETURNS timestamp with time zone LANGUAGE sql STABLE
  called by operator, server, worker
FUNCTION credit_deposits(p_asset smallint, p_ids uuid[]) RETURNS uuid[] LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
  called by worker
FUNCTION credit_import(p_move unexplained_moves, p_chain bigint, p_receiver bigint) RETURNS void LANGUAGE plpgsql
FUNCTION decide_payout_rows(p payouts, p_rows integer[], p_outcomes text[], p_said jsonb[]) RETURNS jsonb LANGUAGE plpgsql SET enable_seqscan=off SET enable_mergejoin=off SET enable_hashjoin=off SET jit=off SET plan_cache_mode=force_generic_plan
FUNCTION deny_payout(p_payout uuid, p_reason text) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
  called by operator
FUNCTION deny_refund(p_id uuid, p_reason text, OUT outcome text, OUT details jsonb, OUT amount bigint) RETURNS record LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
  called by operator
FUNCTION derived_id(p_words text) RETURNS uuid LANGUAGE sql IMMUTABLE
FUNCTION describe_key(p_key uuid) RETURNS jsonb LANGUAGE sql STABLE
  called by operator, reader, server
FUNCTION end_claimed(p_move uuid, u unexplained_moves) RETURNS void LANGUAGE plpgsql
FUNCTION end_money_request(p_request uuid, p_caller uuid, p_state text) RETURNS jsonb LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by server
FUNCTION end_sessions(p_user uuid, p_reason text) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator
FUNCTION end_unexplained(p_move unexplained_moves, p_id uuid) RETURNS void LANGUAGE plpgsql
FUNCTION end_unexplained_at(p_asset smallint, p_tx_hash text, p_log_index integer, p_settlement uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by worker
FUNCTION end_unstarted(p_move uuid) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
  called by operator, server, worker
FUNCTION event_before(p_at timestamp with time zone) RETURNS TABLE(seq bigint, event_id text, type text, at timestamp with time zone, subject_id uuid, people uuid[], is_wanted boolean) LANGUAGE plpgsql STABLE
  called by operator, reader, server, signer, worker
FUNCTION event_id(p_seq bigint, p_type text, p_subject uuid, p_at timestamp with time zone) RETURNS text LANGUAGE sql STABLE
  called by operator, reader, server, signer, worker
FUNCTION event_sources(p_types text[]) RETURNS text[] LANGUAGE sql IMMUTABLE
  called by operator, reader, server, signer, worker
FUNCTION events_held_since() RETURNS timestamp with time zone LANGUAGE plpgsql STABLE SET enable_seqscan=off SET enable_bitmapscan=off SET jit=off
  called by operator, reader, server, signer, worker
FUNCTION expire_money_requests(p_limit integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
  called by worker
FUNCTION explain_claimed(u unexplained_moves, p_move uuid, p_given uuid) RETURNS void LANGUAGE plpgsql
FUNCTION explain_loss(p_asset smallint, p_tx_hash text, p_log_index integer) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator
FUNCTION explain_move(p_move unexplained_moves, p_payment uuid) RETURNS void LANGUAGE plpgsql
FUNCTION explain_settlement(p_asset smallint, p_tx_hash text, p_log_index integer) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator
FUNCTION find_claimed(m coin_moves) RETURNS unexplained_moves LANGUAGE sql STABLE
FUNCTION find_event(p_seq bigint) RETURNS TABLE(seq bigint, event_id text, type text, at timestamp with time zone, subject_id uuid, people uuid[], is_wanted boolean) LANGUAGE sql STABLE
  called by operator, reader, server, signer, worker
FUNCTION find_funding_wallet(p_asset smallint, p_wallet uuid, p_username text, p_person uuid, OUT wallet_id uuid, OUT address text, OUT user_id uuid, OUT refusal text) RETURNS record LANGUAGE sql STABLE
  called by operator, reader, server, signer, worker
FUNCTION find_funding_wallets(p_assets smallint[], p_wallets uuid[], p_usernames text[], p_people uuid[]) RETURNS TABLE(wallet_id uuid, address text, user_id uuid, username text, refusal text) LANGUAGE plpgsql STABLE SET enable_seqscan=off SET enable_hashjoin=off SET enable_mergejoin=off SET jit=off SET plan_cache_mode=force_generic_plan
  called by operator, reader, server, signer, worker
FUNCTION find_key_objections(p_keys uuid[], p_blockchains text[], p_destinations text[], p_wallets uuid[], p_payers uuid[], p_amounts bigint[]) RETURNS TABLE(nth integer, refusal jsonb) LANGUAGE plpgsql SET enable_seqscan=off SET enable_hashjoin=off SET enable_mergejoin=off SET jit=off
FUNCTION find_key_refusals(p_keys uuid[], p_certificates bytea[], p_clients inet[]) RETURNS jsonb LANGUAGE plpgsql SET enable_seqscan=off SET enable_hashjoin=off SET enable_mergejoin=off SET jit=off
FUNCTION find_pause(VARIADIC p_scopes text[]) RETURNS text LANGUAGE plpgsql STABLE
  called by operator, reader, server, signer, worker
FUNCTION find_transfers(p_ids uuid[]) RETURNS SETOF transfers LANGUAGE sql STABLE
  called by operator, reader, server, signer, worker
FUNCTION follow_carried() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION follow_events(p_users uuid[], p_after bigint, p_limit integer, p_scanned integer) RETURNS TABLE(seq bigint, event_id text, type text, at timestamp with time zone, subject_id uuid, people uuid[], is_wanted boolean) LANGUAGE plpgsql STABLE SET enable_seqscan=off SET enable_bitmapscan=off SET enable_hashjoin=off SET enable_mergejoin=off SET enable_sort=off SET jit=off SET plan_cache_mode=force_generic_plan
  called by operator, reader, server, signer, worker
FUNCTION follow_kyc() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION follow_kyc_tier() RETURNS trigger LANGUAGE plpgsql
FUNCTION follow_nonce() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION follow_wallet() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION forget_answers(p_days integer, p_from tid, p_to tid) RETURNS bigint LANGUAGE plpgsql
FUNCTION forget_audit(p_days integer) RETURNS bigint LANGUAGE plpgsql
FUNCTION forget_deliveries(p_days integer, p_from tid, p_to tid) RETURNS bigint LANGUAGE plpgsql
FUNCTION forget_positions() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION forget_refusals(p_days integer, p_from tid, p_to tid) RETURNS bigint LANGUAGE plpgsql
FUNCTION forget_sessions(p_days integer, p_from tid, p_to tid) RETURNS bigint LANGUAGE plpgsql
FUNCTION forget_some(p_what text, p_days integer, p_pages integer) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
  called by worker
FUNCTION forget_spendings(p_days integer, p_from tid, p_to tid) RETURNS bigint LANGUAGE plpgsql
FUNCTION give_approval(p_id uuid) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator
FUNCTION give_back_import(p_move unexplained_moves) RETURNS uuid LANGUAGE plpgsql
FUNCTION give_back_to_key() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION give_way(p_asset smallint, p_wallet uuid, p_leaving bigint) RETURNS void LANGUAGE plpgsql
FUNCTION guard_answer() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION guard_approval() RETURNS trigger LANGUAGE plpgsql
FUNCTION guard_attempt() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION guard_authorization() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION guard_cancellation() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION guard_coin_move() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION guard_cursor() RETURNS trigger LANGUAGE plpgsql
FUNCTION guard_deposit() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION guard_deposit_elsewhere() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION guard_events() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan=off SET jit=off
FUNCTION guard_key() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION guard_money_request() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
FUNCTION guard_payment_end() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
FUNCTION guard_payout() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
FUNCTION guard_payout_items() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET enable_bitmapscan=off SET enable_mergejoin=off SET jit=off SET plan_cache_mode=force_generic_plan
FUNCTION guard_provider_end() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION guard_provider_transfer() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION guard_relayer_deed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION guard_signature() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION guard_webhook() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION guard_webhook_endpoint() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION has_marks(p_id uuid, p_bits bytea) RETURNS boolean LANGUAGE sql IMMUTABLE
  called by operator, reader, server, signer, worker
FUNCTION hasten_deliveries(p_endpoint uuid, p_event text) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator, server
FUNCTION history_pages(p_users uuid[], p_after jsonb, p_limits integer[], p_scanned bigint, p_dust bigint, p_accounts bigint[], p_entries bigint[], p_seqs bigint[], p_ids uuid[]) RETURNS TABLE(o_nth integer, o_names bigint, o_names_random bigint, o_account bigint, o_asset smallint, o_blockchain text, o_top bigint, o_known boolean, o_rows text) LANGUAGE plpgsql STABLE SET enable_seqscan=off SET enable_bitmapscan=off SET enable_hashjoin=off SET enable_mergejoin=off SET jit=off SET plan_cache_mode=force_generic_plan
  called by operator, reader, server, signer, worker
FUNCTION hold_transfer(p_move uuid, p_key_life interval) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by signer
FUNCTION hour_of(at timestamp with time zone) RETURNS integer LANGUAGE sql IMMUTABLE
  called by operator, reader, server, signer, worker
FUNCTION hours_counted(span text) RETURNS integer LANGUAGE sql IMMUTABLE
  called by operator, reader, server, signer, worker
FUNCTION id_boundary() RETURNS bigint LANGUAGE sql STABLE SET search_path=public, pg_temp
  called by operator, reader, server, signer, worker
FUNCTION id_group(p_id uuid, p_groups integer) RETURNS integer LANGUAGE sql IMMUTABLE
  called by operator, reader, server, signer, worker
FUNCTION import_payment(p_id uuid, p_post uuid, p_asset smallint, p_tx_hash text, p_log_index integer, OUT outcome text, OUT details jsonb, OUT payment_id uuid) RETURNS record LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator, server
FUNCTION is_amount(VARIADIC p_amounts bigint[]) RETURNS boolean LANGUAGE sql IMMUTABLE
FUNCTION is_carried(p_move uuid) RETURNS boolean LANGUAGE sql STABLE
  called by operator, reader, server, signer, worker
FUNCTION is_closed_account(p_account bigint) RETURNS boolean LANGUAGE sql STABLE
FUNCTION is_credited_transfer(p_asset smallint, p_tx_hash text, p_log_index integer, p_amount bigint, p_wallet uuid) RETURNS boolean LANGUAGE sql STABLE
  called by operator, reader, server, worker
FUNCTION is_forgotten_settlement(p_move unexplained_moves) RETURNS boolean LANGUAGE sql STABLE
  called by operator, reader, server, worker
FUNCTION is_list(p_list anyarray, p_length integer) RETURNS boolean LANGUAGE sql IMMUTABLE
FUNCTION is_operator_login() RETURNS boolean LANGUAGE sql STABLE
FUNCTION is_payments_answer(p_record uuid, p_answer json) RETURNS boolean LANGUAGE sql STABLE
FUNCTION is_settlement_nonce(nonce bytea) RETURNS boolean LANGUAGE sql IMMUTABLE
  called by operator, reader, server, worker
FUNCTION is_unnamed_login() RETURNS boolean LANGUAGE sql STABLE
FUNCTION keep_positions(p_asset smallint, p_wallets uuid[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
  called by worker
FUNCTION keep_send_rules(p_threshold bigint, p_delay integer, p_open_treasury boolean) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by worker
FUNCTION key_limit_refusal(p_limit text, p_maximum bigint, p_left bigint, p_resets_at timestamp with time zone) RETURNS jsonb LANGUAGE sql IMMUTABLE
FUNCTION last_event() RETURNS TABLE(seq bigint, event_id text, type text, at timestamp with time zone, subject_id uuid, people uuid[], is_wanted boolean) LANGUAGE plpgsql STABLE SET enable_seqscan=off SET enable_bitmapscan=off SET jit=off
  called by operator, reader, server, signer, worker
FUNCTION ledger_account_of_wallet(p_asset smallint, p_wallet uuid) RETURNS bigint LANGUAGE plpgsql
FUNCTION ledger_add_names_epoch() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION ledger_apply(p_id uuid, p_kind text, p_debit bigint, p_credit bigint, p_amount bigint, p_hold uuid, p_from text, OUT outcome text, OUT details jsonb) RETURNS record LANGUAGE plpgsql SET enable_seqscan=off SET jit=off
FUNCTION ledger_counting_account(p_account bigint) RETURNS bigint LANGUAGE plpgsql
FUNCTION ledger_cover_debt(p_payment uuid, p_account bigint, p_amount bigint) RETURNS bigint LANGUAGE plpgsql
FUNCTION ledger_deposit(p_asset smallint, p_ids uuid[], p_accounts bigint[], p_amounts bigint[], p_froms text[]) RETURNS integer LANGUAGE plpgsql SET enable_seqscan=off SET jit=off
FUNCTION ledger_describe_asset(p_asset smallint, p_chain_id bigint, p_contract text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator, worker
FUNCTION ledger_entries(p_account bigint, p_top bigint, p_bottom bigint) RETURNS TABLE(entry bigint, available_after bigint, transfer transfers) LANGUAGE sql STABLE
  called by operator, reader, server, signer, worker
FUNCTION ledger_epoch_standing(p_kind text, p_counter bigint, p_random bigint) RETURNS text LANGUAGE sql STABLE
  called by operator, reader, server, signer, worker
FUNCTION ledger_forget_epochs() RETURNS void LANGUAGE plpgsql
FUNCTION ledger_give_back(p_account bigint, p_hour integer, p_amount bigint, p_whole boolean) RETURNS void LANGUAGE plpgsql
FUNCTION ledger_give_tier(p_status text, p_tier text, p_actor text, p_reason text) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator
FUNCTION ledger_hold_many(p_holds new_hold[], p_left bigint[] DEFAULT NULL::bigint[], OUT o_at timestamp with time zone, OUT o_outcomes text[], OUT o_details jsonb[], OUT o_left bigint[]) RETURNS record LANGUAGE plpgsql SET enable_seqscan=off SET enable_bitmapscan=off SET enable_mergejoin=off SET jit=off
FUNCTION ledger_hold_paid(p_id uuid, p_debit bigint, p_credit bigint, p_amount bigint) RETURNS text LANGUAGE plpgsql SET enable_seqscan=off SET jit=off
FUNCTION ledger_lock_accounts(p_accounts bigint[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
  called by operator, server, worker
FUNCTION ledger_move(p_id uuid, p_kind text, p_debit bigint, p_credit bigint, p_amount bigint, p_hold uuid, p_from text, OUT outcome text, OUT details jsonb) RETURNS record LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
FUNCTION ledger_name_token(p_asset smallint, p_name text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator, worker
FUNCTION ledger_next_names_epoch() RETURNS void LANGUAGE sql
FUNCTION ledger_next_place(p_count bigint) RETURNS bigint LANGUAGE plpgsql
FUNCTION ledger_next_sessions_epoch() RETURNS bigint LANGUAGE sql
FUNCTION ledger_note_epoch() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION ledger_number_above(p_seq bigint) RETURNS void LANGUAGE sql
FUNCTION ledger_open_asset(p_blockchain text, p_symbol text DEFAULT 'USDC'::text) RETURNS smallint LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator, server, worker
FUNCTION ledger_open_house_account(p_asset smallint, p_kind text) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by worker
FUNCTION ledger_open_user_accounts(p_asset smallint, p_users uuid[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by server, worker
FUNCTION ledger_pause_user(p_user uuid, p_paused boolean) RETURNS void LANGUAGE sql
FUNCTION ledger_pay_batch(p_sessions bigint, p_sessions_random bigint, p_asset smallint, p_names bigint, p_names_random bigint, p_accounts bigint[], p_net bigint[], p_out bigint[], p_sends integer[], p_touches integer[], p_lasts integer[], p_ids uuid[], p_keyed boolean[], p_debits integer[], p_credits integer[], p_amounts bigint[], p_froms text[], p_tos text[], p_typed text[], OUT o_at_ms bigint, OUT o_available bigint[], OUT o_exceptions jsonb) RETURNS record LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET enable_bitmapscan=off SET enable_mergejoin=off SET enable_nestloop=off SET jit=off SET plan_cache_mode=force_generic_plan
  called by server
FUNCTION ledger_pay_many(p_debit bigint, p_from text, p_payments new_payment[], p_left bigint, OUT o_outcomes text[], OUT o_details jsonb[], OUT o_left bigint) RETURNS record LANGUAGE plpgsql SET enable_seqscan=off SET enable_bitmapscan=off SET enable_mergejoin=off SET jit=off SET plan_cache_mode=force_generic_plan
FUNCTION ledger_pay_users(p_sessions bigint, p_asset smallint, p_epoch bigint, p_accounts bigint[], p_net bigint[], p_out bigint[], p_sends integer[], p_touches integer[], p_ids uuid[], p_keyed boolean[], p_debits integer[], p_credits integer[], p_amounts bigint[], p_froms text[], p_tos text[], p_typed text[], OUT o_at_ms bigint, OUT o_available bigint[], OUT o_exceptions jsonb) RETURNS record LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION ledger_random_bits() RETURNS bigint LANGUAGE sql
FUNCTION ledger_rebase() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
  called by operator, server, worker
FUNCTION ledger_refund(p_id uuid, p_debit bigint, p_credit bigint, p_amount bigint) RETURNS text LANGUAGE plpgsql SET enable_seqscan=off SET jit=off
FUNCTION ledger_refusal(p_outcome text, p_details jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE
FUNCTION ledger_set_home_asset(p_asset smallint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by server, worker
FUNCTION ledger_set_tier(p_name text, p_limits jsonb, p_actor text, p_reason text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator
FUNCTION ledger_settle_debt(p_payment uuid, p_asset smallint) RETURNS void LANGUAGE plpgsql
FUNCTION ledger_settled_seq() RETURNS bigint LANGUAGE sql STABLE
  called by operator, reader, server, signer, worker
FUNCTION ledger_turn_hour(p_hour integer, p_accounts bigint[], p_hours integer[], p_payments integer[], p_spent bigint[]) RETURNS TABLE(account_id bigint, day_payments integer, day_spent bigint, month_spent bigint) LANGUAGE plpgsql
FUNCTION ledger_tx_seq() RETURNS bigint LANGUAGE plpgsql
  called by operator, reader, server, signer, worker
FUNCTION ledger_use_wallets(p_provider text, p_networks jsonb) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION ledger_write_counters(l accounts) RETURNS void LANGUAGE sql
FUNCTION limit_resets_at(p_account bigint, p_hour integer, span text) RETURNS text LANGUAGE sql STABLE
FUNCTION limits_left(p_user uuid) RETURNS TABLE(kyc_status text, name text, reason text, payment_limit bigint, day_limit bigint, month_limit bigint, day_payments integer, payments bigint, day_spent bigint, month_spent bigint, day_resets_at timestamp with time zone, month_resets_at timestamp with time zone, is_verified boolean, next_payment bigint, next_day bigint, next_month bigint, next_count integer) LANGUAGE sql STABLE
  called by operator, reader, server, signer, worker
FUNCTION lock_key(p_key uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator
FUNCTION lock_key_budgets(p_keys uuid[], p_payers uuid[], OUT o_at integer[], OUT o_keys uuid[], OUT o_pays text[], OUT o_left bigint[]) RETURNS record LANGUAGE plpgsql
FUNCTION lock_topic(p_topic text) RETURNS void LANGUAGE plpgsql
FUNCTION lock_webhook_endpoints() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator, server
FUNCTION mark_unchecked() RETURNS trigger LANGUAGE plpgsql
FUNCTION marked_groups(p_boundary bigint) RETURNS integer LANGUAGE sql STABLE SET search_path=public, pg_temp
  called by operator, reader, server, signer, worker
FUNCTION may_be_handed_over(p_payment uuid) RETURNS boolean LANGUAGE sql STABLE
FUNCTION may_be_signed(p_network smallint, p_since timestamp with time zone) RETURNS boolean LANGUAGE sql STABLE
  called by operator, server, worker
FUNCTION move_reservation() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION name_previous() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION note_new_wallets() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION note_payees(p_user uuid, p_most bigint) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET enable_hashjoin=off SET enable_mergejoin=off SET jit=off
  called by server
FUNCTION note_restore(p_reason text, p_good_until timestamp with time zone DEFAULT NULL::timestamp with time zone) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator, server, worker
FUNCTION note_session_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION note_token_end() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION operator_objection(p_deed text) RETURNS text LANGUAGE plpgsql STABLE
  called by operator
FUNCTION owed_to(p_asset smallint, p_wallets uuid[]) RETURNS TABLE(wallet_id uuid, ledger bigint) LANGUAGE sql STABLE SET enable_seqscan=off SET jit=off
  called by operator, reader, server, signer, worker
FUNCTION own_places(p_users uuid[], p_after bigint, p_last bigint, p_limit integer) RETURNS bigint[] LANGUAGE plpgsql STABLE SET enable_seqscan=off SET enable_bitmapscan=off SET enable_hashjoin=off SET enable_mergejoin=off SET jit=off SET plan_cache_mode=force_generic_plan
  called by operator, reader, server, signer, worker
FUNCTION paid_by(p_payment uuid) RETURNS TABLE(asset_id smallint, payer bigint, payee bigint, amount bigint) LANGUAGE sql STABLE
FUNCTION pause_payments(p_scope text, p_cause text, p_reason text, p_stops text, p_by text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator, worker
FUNCTION pay_money_requests(p_requests uuid[], p_sessions bigint, p_sessions_random bigint, p_asset smallint, p_names bigint, p_names_random bigint, p_accounts bigint[], p_net bigint[], p_out bigint[], p_sends integer[], p_touches integer[], p_lasts integer[], p_ids uuid[], p_keyed boolean[], p_debits integer[], p_credits integer[], p_amounts bigint[], p_froms text[], p_tos text[], p_typed text[], OUT o_at_ms bigint, OUT o_available bigint[], OUT o_exceptions jsonb) RETURNS record LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
  called by server
FUNCTION pay_payout_people(p_payout uuid, p_after integer, p_limit integer, OUT o_last integer, OUT o_waits jsonb) RETURNS record LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET enable_bitmapscan=off SET enable_mergejoin=off SET jit=off SET plan_cache_mode=force_generic_plan
  called by worker
FUNCTION payment_is_final(state text) RETURNS boolean LANGUAGE sql IMMUTABLE
  called by operator, reader, server, signer, worker
FUNCTION payment_is_unreserved(state text) RETURNS boolean LANGUAGE sql IMMUTABLE
  called by operator, reader, server, signer, worker
FUNCTION payment_may_become(old_state text, new_state text) RETURNS boolean LANGUAGE sql IMMUTABLE
  called by operator, reader, server, signer, worker
FUNCTION payment_release(p_id uuid, p_release uuid, p_state text, p_reason text, p_tx_hash text) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
  called by operator, server, worker
FUNCTION payment_stage(state text) RETURNS integer LANGUAGE sql IMMUTABLE
  called by operator, reader, server, signer, worker
FUNCTION payment_waits(p payments) RETURNS boolean LANGUAGE sql
  called by operator, reader, server, signer, worker
FUNCTION payments_advance(p_ids uuid[], p_states text[], p_tx_hashes text[], p_network_fees bigint[], p_error_reasons text[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
  called by worker
FUNCTION payments_lock(p_ids uuid[]) RETURNS TABLE(payment_id uuid, debit_account bigint, credit_account bigint, amount bigint) LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
  called by operator, server, worker
FUNCTION payments_next_place(p_count bigint) RETURNS bigint LANGUAGE plpgsql
FUNCTION payout_is_final(state text) RETURNS boolean LANGUAGE sql IMMUTABLE
  called by operator, reader, server, worker
FUNCTION post_holds(p_payments uuid[]) RETURNS text[] LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
  called by worker
FUNCTION preview_payment(p_sessions bigint, p_sessions_random bigint, p_asset smallint, p_names bigint, p_names_random bigint, p_accounts bigint[], p_net bigint[], p_out bigint[], p_sends integer[], p_touches integer[], p_lasts integer[], p_ids uuid[], p_keyed boolean[], p_debits integer[], p_credits integer[], p_amounts bigint[], p_froms text[], p_tos text[], p_typed text[], OUT o_at_ms bigint, OUT o_available bigint[], OUT o_exceptions jsonb, OUT o_limits jsonb) RETURNS record LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by server
FUNCTION preview_send(p_rules jsonb, p_send jsonb, OUT o_outcome text, OUT o_details jsonb, OUT o_approvals_needed smallint, OUT o_not_before timestamp with time zone, OUT o_available bigint, OUT o_limits jsonb) RETURNS record LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by server
FUNCTION propose_correction(p_id uuid, p_asset smallint, p_wallet uuid, p_amount bigint, p_reason text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator
FUNCTION propose_refund(p_id uuid, p_payment uuid, p_amount bigint, p_reason text, OUT outcome text, OUT details jsonb, OUT amount bigint) RETURNS record LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
  called by operator
FUNCTION propose_transfer_end(p_id uuid, p_move uuid, p_verdict text, p_provider_id text, p_reason text) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator
FUNCTION queue_payments(p_asset smallint, p_ids uuid[], p_rails jsonb) RETURNS uuid[] LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
  called by worker
FUNCTION read_events(p_after bigint, p_types text[], p_limit integer, p_scanned integer) RETURNS TABLE(seq bigint, event_id text, type text, at timestamp with time zone, subject_id uuid, people uuid[], is_wanted boolean) LANGUAGE plpgsql STABLE SET enable_seqscan=off SET enable_bitmapscan=off SET enable_hashjoin=off SET enable_mergejoin=off SET enable_sort=off SET jit=off SET plan_cache_mode=force_generic_plan
  called by operator, reader, server, signer, worker
FUNCTION read_events_of(p_user uuid, p_after bigint, p_since timestamp with time zone, p_types text[], p_limit integer, p_scanned integer) RETURNS TABLE(seq bigint, event_id text, type text, at timestamp with time zone, subject_id uuid, people uuid[], is_wanted boolean) LANGUAGE plpgsql STABLE SET enable_seqscan=off SET enable_bitmapscan=off SET enable_hashjoin=off SET enable_mergejoin=off SET jit=off
  called by operator, reader, server, signer, worker
FUNCTION recall_pages(p_users uuid[], p_accounts bigint[], p_entries bigint[], p_seqs bigint[], p_ids uuid[], p_limits integer[], p_scanned bigint, p_dust bigint) RETURNS TABLE(o_nth integer, o_names bigint, o_names_random bigint, o_account bigint, o_asset smallint, o_blockchain text, o_top bigint, o_known boolean, o_rows text, o_sessions bigint, o_sessions_random bigint, o_unchanged bigint[]) LANGUAGE plpgsql STABLE SET enable_seqscan=off SET enable_bitmapscan=off SET enable_hashjoin=off SET enable_mergejoin=off SET jit=off SET plan_cache_mode=force_generic_plan
  called by operator, reader, server, signer, worker
FUNCTION record_audit(p_actor text, p_action text, p_user uuid, p_details jsonb) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator, server, worker
FUNCTION record_audits(p_action text, p_actors text[], p_details jsonb[]) RETURNS void LANGUAGE plpgsql
FUNCTION record_first_state() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan=off SET jit=off
FUNCTION record_kyc_status() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
FUNCTION record_payout_state() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
FUNCTION record_request_state() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
FUNCTION record_signatures(p_moves uuid[], p_nonces bytea[], p_valid_before bigint, p_signatures bytea[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
FUNCTION record_state() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan=off SET jit=off
FUNCTION record_tier() RETURNS trigger LANGUAGE plpgsql
FUNCTION recount_settlements() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by worker
FUNCTION refund_payment(p_id uuid, p_payment uuid, p_amount bigint, p_reason text, OUT outcome text, OUT details jsonb, OUT amount bigint) RETURNS record LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
  called by operator
FUNCTION refusal_code(p_refusal text) RETURNS text LANGUAGE sql IMMUTABLE
FUNCTION refusal_details(p_refusal text, t tiers, p_account bigint, p_available bigint, p_counting bigint, p_hour integer, p_payments integer, p_day bigint, p_month bigint, p_amount bigint, p_left bigint) RETURNS jsonb LANGUAGE plpgsql STABLE SET enable_seqscan=off SET jit=off
FUNCTION refuse_call(p_function text) RETURNS void LANGUAGE plpgsql
FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql
FUNCTION refuse_closed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION refuse_other_operators(p_deed text) RETURNS void LANGUAGE plpgsql STABLE
FUNCTION refuse_other_waits() RETURNS trigger LANGUAGE plpgsql
FUNCTION refuse_processes() RETURNS void LANGUAGE plpgsql STABLE
FUNCTION refuse_unnamed(p_operator text, p_at timestamp with time zone DEFAULT clock_timestamp()) RETURNS void LANGUAGE plpgsql
FUNCTION remember_recipient() RETURNS trigger LANGUAGE plpgsql
FUNCTION remove_operator(p_name text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator
FUNCTION replay_deliveries(p_endpoint uuid, p_after bigint, p_limit integer, p_since timestamp with time zone, p_until timestamp with time zone, OUT events integer, OUT last_place bigint, OUT last_at timestamp with time zone, OUT looked_at integer) RETURNS record LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator, server
FUNCTION require_admin() RETURNS void LANGUAGE plpgsql
FUNCTION require_arguments(p_function text, p_are_valid boolean) RETURNS void LANGUAGE plpgsql
FUNCTION require_operator(p_deed text) RETURNS void LANGUAGE plpgsql STABLE
FUNCTION reserve_from_own_wallets(p_asset smallint, p_ids uuid[], p_rails jsonb) RETURNS uuid[] LANGUAGE plpgsql SET enable_seqscan=off SET jit=off
FUNCTION resume_payments(p_scope text, p_cause text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator, worker
FUNCTION resume_transfer(p_move uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by signer
FUNCTION revoke_key(p_key uuid) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator
FUNCTION rule_arrival(p_provider_id uuid, p_ruling text, p_reason text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator
FUNCTION schedule_job(p_kind text, p_key text, p_run_at timestamp with time zone) RETURNS void LANGUAGE sql
  called by worker
FUNCTION schedule_jobs(p_kinds text[], p_keys text[], p_run_at timestamp with time zone[]) RETURNS void LANGUAGE plpgsql
FUNCTION send_payout_rows(p_payout uuid, p_rules jsonb, p_rows jsonb, OUT o_ask integer[], OUT o_waits jsonb) RETURNS record LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
  called by worker
FUNCTION set_first_tier() RETURNS trigger LANGUAGE plpgsql
FUNCTION set_operator(p_name text, p_role text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by operator
FUNCTION settle_payout(p_payout uuid, p_waits jsonb) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET enable_mergejoin=off SET enable_hashjoin=off SET jit=off
  called by worker
FUNCTION signature_seconds() RETURNS bigint LANGUAGE sql IMMUTABLE
  called by operator, server, worker
FUNCTION signed_after(p_asset smallint, p_block bigint) RETURNS timestamp with time zone LANGUAGE sql STABLE
  called by operator, server, worker
FUNCTION signed_in_a_day(p_asset smallint) RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER SET search_path=public, pg_temp
  called by signer
FUNCTION spending_refusal(t tiers, p_paused boolean, p_available bigint, p_payments integer, p_day bigint, p_month bigint, p_amount bigint, p_left bigint) RETURNS text LANGUAGE sql IMMUTABLE
FUNCTION start_move(p_move uuid, p_rail text) RETURNS boolean LANGUAGE plpgsql
FUNCTION stop_payout(p payouts) RETURNS text LANGUAGE plpgsql SET enable_seqscan=off SET jit=off
FUNCTION sum_coins() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION take_back_ask(p_move uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by signer
FUNCTION take_turns(p_bucket text, p_window interval, p_limit integer, p_most_yielding integer, p_wanted integer, p_wanted_yielding integer, OUT granted integer, OUT granted_yielding integer) RETURNS record LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by signer
FUNCTION touched_wallets(p_from bigint, p_limit integer) RETURNS TABLE(to_seq bigint, is_all boolean, asset_id smallint, wallets uuid[], paid_seq bigint) LANGUAGE plpgsql STABLE SET enable_seqscan=off SET jit=off SET enable_hashjoin=off SET enable_mergejoin=off
  called by operator, reader, server, signer, worker
FUNCTION turn_key_budget(b key_budgets, p_hour integer) RETURNS key_budgets LANGUAGE plpgsql
FUNCTION username_owner(p_username text, p_at timestamp with time zone) RETURNS SETOF uuid LANGUAGE sql STABLE
  called by operator, reader, server, signer, worker
FUNCTION username_skeleton(name text) RETURNS text LANGUAGE sql IMMUTABLE
  called by operator, reader, server, signer, worker
FUNCTION wake_jobs(p_topic text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
FUNCTION wake_sends(p_asset smallint, p_wallets uuid[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
  called by worker
FUNCTION wake_transfer(p_provider text, p_provider_id text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by server
FUNCTION wallet_positions(p_asset smallint) RETURNS TABLE(wallet_id uuid, ledger bigint, coins bigint, reserved bigint, incoming bigint, outgoing bigint) LANGUAGE sql STABLE
  called by operator, reader, server, signer, worker
FUNCTION want_wallet(p_user uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp
  called by server
FUNCTION webhook_data(p_type text, p_subject uuid, p_people uuid[]) RETURNS jsonb LANGUAGE sql IMMUTABLE
  called by worker
FUNCTION write_audit(p_actor text, p_action text, p_user uuid, p_details jsonb) RETURNS void LANGUAGE sql
FUNCTION write_find_transfers() RETURNS bigint LANGUAGE plpgsql SET search_path=public, pg_temp
FUNCTION write_key_rules(p_key uuid, p_rules jsonb, p_reason text) RETURNS void LANGUAGE plpgsql
FUNCTION write_off_deposits(p_asset smallint, p_ids uuid[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path=public, pg_temp SET enable_seqscan=off SET jit=off
  called by worker
FUNCTION write_restore(p_reason text, p_good_until timestamp with time zone) RETURNS boolean LANGUAGE plpgsql
