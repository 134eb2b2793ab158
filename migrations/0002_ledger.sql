-- Who is owed what: double entry. Written only by the room `ledger`, and only through the functions of this file and
-- the next (a trigger looks at the call stack), so that no statement typed by hand can move money or edit history.

-- USDC on one blockchain is one asset.
CREATE TABLE assets (
  asset_id   smallint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  blockchain text NOT NULL UNIQUE CHECK (blockchain ~ '^[A-Z0-9][A-Z0-9-]{1,31}$')
);

-- What a person may spend per payment, in 24 hours and in 30 days, and how many payments they may make in 24 hours;
-- NULL is no limit. A tier that allows nothing per payment is for people who may not pay at all.
CREATE TABLE tiers (
  tier          smallint PRIMARY KEY,
  name          text NOT NULL UNIQUE,
  payment_limit bigint CHECK (payment_limit >= 0),
  day_limit     bigint CHECK (day_limit >= 0),
  month_limit   bigint CHECK (month_limit >= 0),
  day_payments  integer CHECK (day_payments >= 0)
);
INSERT INTO tiers (tier, name, payment_limit, day_limit, month_limit, day_payments) VALUES
  (0, 'unlimited', NULL, NULL, NULL, NULL),
  (10, 'unverified', 100000000, 250000000, 1000000000, 20),
  (20, 'verified', 10000000000, 25000000000, 100000000000, 1000),
  (30, 'stopped', 0, 0, 0, 0);

-- Which tier a person is in follows from their identity check.
CREATE TABLE kyc_tiers (
  kyc_status text PRIMARY KEY,
  tier       smallint NOT NULL REFERENCES tiers
);
INSERT INTO kyc_tiers (kyc_status, tier) VALUES
  ('none', 10), ('started', 10), ('pending', 10), ('needs_input', 10), ('approved', 20), ('rejected', 30), ('revoked', 30);

-- One row per owner and asset. `entries` numbers the account's rows in `transfers` without gaps, under this row's
-- lock: it orders a statement whatever the clock does. The spending counters live here too, so that a limit costs no
-- second row: `hour` names the hour of the last spending (hours since 1970; it only ever grows), `hour_spent` and
-- `hour_payments` are what was spent in it, and the others what was spent in the day and the month that end with it.
-- A person's counters are in their account of the home asset, also for what they send in another one.
-- fillfactor: updates touch no indexed column and find room on their own page (HOT).
CREATE TABLE accounts (
  account_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  asset_id    smallint NOT NULL REFERENCES assets,
  kind        text NOT NULL CHECK (kind IN ('user', 'treasury', 'fees', 'loss', 'chain')),
  user_id     uuid REFERENCES users,
  tier        smallint NOT NULL DEFAULT 0 REFERENCES tiers,
  -- The person may not pay; why is in `pauses`.
  paused      boolean NOT NULL DEFAULT false,
  available   bigint NOT NULL DEFAULT 0,
  held        bigint NOT NULL DEFAULT 0 CHECK (held >= 0),
  entries     bigint NOT NULL DEFAULT 0,
  hour          integer NOT NULL DEFAULT 0,
  hour_payments integer NOT NULL DEFAULT 0 CHECK (hour_payments >= 0),
  hour_spent    bigint NOT NULL DEFAULT 0 CHECK (hour_spent >= 0),
  day_payments  integer NOT NULL DEFAULT 0 CHECK (day_payments >= 0),
  day_spent     bigint NOT NULL DEFAULT 0 CHECK (day_spent >= 0),
  month_spent   bigint NOT NULL DEFAULT 0 CHECK (month_spent >= 0),
  CONSTRAINT accounts_never_overdrawn CHECK (available >= 0 OR kind = 'chain'),
  CHECK ((kind = 'user') = (user_id IS NOT NULL))
) WITH (fillfactor = 40);
CREATE UNIQUE INDEX accounts_of_user ON accounts (user_id, asset_id) WHERE user_id IS NOT NULL;
CREATE UNIQUE INDEX accounts_of_house ON accounts (kind, asset_id) WHERE user_id IS NULL;

-- What was spent in hours that are over, for as long as they can matter: the buckets of the rolling limits. Written
-- when an account first spends in a new hour, so a payment as such writes nothing here.
CREATE TABLE spendings (
  account_id bigint NOT NULL REFERENCES accounts,
  hour       integer NOT NULL,
  payments   integer NOT NULL CHECK (payments >= 0),
  spent      bigint NOT NULL CHECK (spent >= 0),
  PRIMARY KEY (account_id, hour)
);

-- One row moves one amount from one account to another: the books balance by the shape of the row. A user's payment
-- is this row and nothing else: its transfer, its idempotency record (the id is made from the key, and the row holds
-- what was asked) and its event (`seq`). Docs: docs/decisions/0002-one-row-per-payment.md.
--
-- What a kind moves, `h` being the amount of the hold:
--   user, deposit, internal   debit.available − amount                                credit.available + amount
--   hold                      debit.available − amount         debit.held + amount
--   post                      debit.available + (h − amount)   debit.held − h         credit.available + amount
--   release                   debit.available + h              debit.held − h
--
-- There are no foreign keys to `accounts`: each costs a locking query per row, and the functions below insert only
-- rows whose accounts they have just locked.
CREATE TABLE transfers (
  transfer_id      uuid PRIMARY KEY,
  seq              bigint NOT NULL,
  debit_account    bigint NOT NULL,
  credit_account   bigint NOT NULL,
  amount           bigint NOT NULL CHECK (amount > 0),
  debit_entry      bigint NOT NULL,
  credit_entry     bigint,
  -- Balances after this row; `debit_held` only where the row changed it.
  debit_available  bigint NOT NULL,
  credit_available bigint,
  debit_held       bigint,
  created_at       timestamptz NOT NULL,
  asset_id         smallint NOT NULL,
  kind             text NOT NULL CHECK (kind IN ('user', 'deposit', 'internal', 'hold', 'post', 'release')),
  hold_id          uuid,
  -- The names as they stood when it was paid; `typed_name` is an old name of the receiver's that led to them. Of a
  -- deposit, `from_name` is the address it came from.
  from_name        text,
  to_name          text,
  typed_name       text,
  CHECK (debit_account <> credit_account),
  CHECK ((kind IN ('post', 'release')) = (hold_id IS NOT NULL)),
  CHECK ((kind IN ('hold', 'release')) = (credit_entry IS NULL)),
  CHECK ((credit_entry IS NULL) = (credit_available IS NULL)),
  CHECK ((kind IN ('hold', 'post', 'release')) = (debit_held IS NOT NULL))
);
CREATE UNIQUE INDEX transfers_by_seq ON transfers (seq);
CREATE UNIQUE INDEX transfers_by_debit ON transfers (debit_account, debit_entry);
CREATE UNIQUE INDEX transfers_by_credit ON transfers (credit_account, credit_entry);
-- A hold ends once.
CREATE UNIQUE INDEX transfers_hold_ended ON transfers (hold_id) WHERE hold_id IS NOT NULL;

-- `seq` is (database transaction id × 65,536 + place in it) + seq_base. Whatever has a seq below
-- `ledger_settled_seq()` has been committed or never will be, so a reader that stays below it skips nothing, which a
-- plain sequence cannot promise. `names_epoch` counts changes of usernames that could make a resolved name wrong.
-- `home_asset` is what people pay each other with; NULL until a server has started.
CREATE TABLE ledger_state (
  only_one    boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  home_asset  smallint REFERENCES assets,
  names_epoch bigint NOT NULL DEFAULT 1,
  seq_base    bigint NOT NULL DEFAULT 0
);
INSERT INTO ledger_state DEFAULT VALUES;

CREATE FUNCTION ledger_tx_seq() RETURNS bigint LANGUAGE sql
  RETURN (SELECT seq_base FROM ledger_state) + pg_current_xact_id()::text::bigint * 65536;

CREATE FUNCTION ledger_settled_seq() RETURNS bigint LANGUAGE sql
  RETURN (SELECT seq_base FROM ledger_state) + pg_snapshot_xmin(pg_current_snapshot())::text::bigint * 65536;

-- A logical restore starts a cluster whose transaction ids are small again, so that new rows would come before the
-- restored ones. Called at every start: does something only when a row is from a future that cannot have been.
CREATE FUNCTION ledger_rebase() RETURNS void LANGUAGE sql AS $$
  UPDATE ledger_state
     SET seq_base = (SELECT max(seq) FROM transfers)
                    - (pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1) * 65536
   WHERE (SELECT max(seq) FROM transfers)
         >= seq_base + pg_snapshot_xmax(pg_current_snapshot())::text::bigint * 65536;
$$;

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% on % is refused: history is append-only', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

CREATE FUNCTION refuse_foreign_write() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  stack text;
BEGIN
  GET DIAGNOSTICS stack = PG_CONTEXT;
  IF stack !~ '(?n)^PL/pgSQL function (\w+\.)?ledger_(move|pay_users)\(' THEN
    RAISE EXCEPTION '% on % is refused: only the ledger''s functions write it', TG_OP, TG_TABLE_NAME
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER transfers_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON transfers
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER transfers_by_ledger BEFORE INSERT ON transfers
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_foreign_write();
CREATE TRIGGER accounts_stay BEFORE DELETE OR TRUNCATE ON accounts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- Everything but `tier` and `paused`, which are not money.
CREATE TRIGGER accounts_by_ledger
  BEFORE UPDATE OF account_id, asset_id, kind, user_id, available, held, entries, hour, hour_payments, hour_spent,
                   day_payments, day_spent, month_spent
  ON accounts FOR EACH STATEMENT EXECUTE FUNCTION refuse_foreign_write();
CREATE TRIGGER spendings_by_ledger BEFORE INSERT OR UPDATE OR DELETE ON spendings
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_foreign_write();
CREATE TRIGGER spendings_stay BEFORE TRUNCATE ON spendings FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER accounts_start_empty BEFORE INSERT ON accounts FOR EACH ROW
  WHEN (NEW.available <> 0 OR NEW.held <> 0 OR NEW.entries <> 0 OR NEW.day_spent <> 0 OR NEW.month_spent <> 0)
  EXECUTE FUNCTION refuse_change();

-- Windows are counted in whole hours: an hour leaves the day when it ended 24 hours ago, and the month when it ended 720
-- hours ago. So a share counts up to an hour longer than it must, and never shorter.
CREATE FUNCTION hour_of(at timestamptz) RETURNS integer LANGUAGE sql IMMUTABLE
  RETURN floor(extract(epoch FROM at) / 3600)::integer;
CREATE FUNCTION hours_counted(span text) RETURNS integer LANGUAGE sql IMMUTABLE
  RETURN CASE span WHEN 'month' THEN 720 ELSE 24 END;

-- Begins a new hour for accounts that spend: puts their last hour away and answers what their day and month hold of
-- the hours before `p_hour`. Recounted from the buckets, so that no error could ever last.
CREATE FUNCTION ledger_turn_hour(
  p_hour integer, p_accounts bigint[], p_hours integer[], p_payments integer[], p_spent bigint[]
) RETURNS TABLE (account_id bigint, day_payments integer, day_spent bigint, month_spent bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  DELETE FROM spendings s WHERE s.account_id = ANY (p_accounts) AND s.hour < p_hour - hours_counted('month');
  INSERT INTO spendings (account_id, hour, payments, spent)
  SELECT u.account_id, u.hour, u.payments, u.spent
    FROM unnest(p_accounts, p_hours, p_payments, p_spent) AS u(account_id, hour, payments, spent)
   WHERE u.payments > 0 AND u.hour >= p_hour - hours_counted('month');
  RETURN QUERY
    SELECT u.account_id, coalesce(w.day_payments, 0), coalesce(w.day_spent, 0), coalesce(w.month_spent, 0)
      FROM unnest(p_accounts) AS u(account_id)
      LEFT JOIN (
        -- By the keys themselves: a join would read the whole table where nested loops are off.
        SELECT s.account_id,
               (sum(s.payments) FILTER (WHERE s.hour >= p_hour - hours_counted('day')))::integer AS day_payments,
               (sum(s.spent) FILTER (WHERE s.hour >= p_hour - hours_counted('day')))::bigint AS day_spent,
               sum(s.spent)::bigint AS month_spent
          FROM spendings s WHERE s.account_id = ANY (p_accounts) GROUP BY s.account_id) w USING (account_id);
END $$;

-- When the oldest share leaves the window, as the answers show a time.
CREATE FUNCTION limit_resets_at(p_account bigint, p_hour integer, span text) RETURNS text LANGUAGE sql STABLE
  RETURN to_char(to_timestamp((1 + hours_counted(span) + coalesce(
      (SELECT min(hour) FROM spendings WHERE account_id = p_account AND hour >= p_hour - hours_counted(span) AND spent > 0),
      p_hour))::bigint * 3600) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"');

-- Which limit a payment of `amount` would break, as the details of `limit.exceeded`; NULL when none. `p_hour` is the
-- hour of the account's counters, the others are those counters. `raised_by` is what would raise it.
CREATE FUNCTION broken_limit(
  t tiers, amount bigint, p_account bigint, p_hour integer, payments integer, spent_day bigint, spent_month bigint
) RETURNS jsonb LANGUAGE sql STABLE
  RETURN jsonb_build_object('tier', t.name, 'raised_by',
      CASE WHEN t.tier = (SELECT k.tier FROM kyc_tiers k WHERE k.kyc_status = 'approved') THEN 'operator' ELSE 'kyc' END)
    || CASE
    WHEN amount > t.payment_limit THEN
      jsonb_build_object('limit', 'payment', 'unit', 'USDC', 'maximum', t.payment_limit::text,
        'left', t.payment_limit::text)
    WHEN spent_day + amount > t.day_limit THEN
      jsonb_build_object('limit', 'day', 'unit', 'USDC', 'maximum', t.day_limit::text,
        'left', greatest(t.day_limit - spent_day, 0)::text, 'resets_at', limit_resets_at(p_account, p_hour, 'day'))
    WHEN spent_month + amount > t.month_limit THEN
      jsonb_build_object('limit', 'month', 'unit', 'USDC', 'maximum', t.month_limit::text,
        'left', greatest(t.month_limit - spent_month, 0)::text, 'resets_at', limit_resets_at(p_account, p_hour, 'month'))
    WHEN payments >= t.day_payments THEN
      jsonb_build_object('limit', 'count', 'unit', 'payments', 'maximum', t.day_payments::text, 'left', '0',
        'resets_at', limit_resets_at(p_account, p_hour, 'day'))
  END;

-- Every movement that is not a user's payment, one at a time, inside the caller's database transaction. Answers
-- `applied`; `duplicate` when this very movement was applied before; or why it cannot be: `mismatch` (the id belongs
-- to another movement), `paused`, `user_paused`, `kyc`, `insufficient`, `limit`, `unknown_hold`, `ended` (the hold was
-- ended another way). Checks come in this order; after the last one it must succeed.
CREATE FUNCTION ledger_move(
  p_id uuid, p_kind text, p_debit bigint, p_credit bigint, p_amount bigint, p_hold uuid, p_from text,
  OUT outcome text, OUT details jsonb
) LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  at       timestamptz := date_trunc('milliseconds', clock_timestamp());
  hour_no  integer;
  d        accounts;
  c        accounts;
  -- Whose counters count: the debit account, or the same person's account of the home asset.
  counting bigint := p_debit;
  l        accounts;
  t        tiers;
  old      transfers;
  h        bigint;
  held_in  integer;
  back     bigint := 0;
  place    bigint;
  credits  boolean := p_kind NOT IN ('hold', 'release');
BEGIN
  IF p_kind IN ('hold', 'post', 'release') THEN counting := ledger_counting_account(p_debit); END IF;
  PERFORM 1 FROM accounts WHERE account_id IN (p_debit, p_credit) OR (account_id = counting AND p_kind <> 'post')
   ORDER BY account_id FOR NO KEY UPDATE;
  SELECT * INTO d FROM accounts WHERE account_id = p_debit;
  SELECT * INTO c FROM accounts WHERE account_id = p_credit;
  IF d.asset_id IS NULL OR c.asset_id IS NULL OR d.asset_id <> c.asset_id THEN
    RAISE EXCEPTION 'accounts % and % hold no common asset', p_debit, p_credit USING ERRCODE = 'foreign_key_violation';
  END IF;

  SELECT * INTO old FROM transfers WHERE transfer_id = p_id;
  IF FOUND THEN
    outcome := CASE WHEN (old.kind, old.debit_account, old.credit_account, old.amount, old.hold_id)
      IS NOT DISTINCT FROM (p_kind, p_debit, p_credit, p_amount, p_hold) THEN 'duplicate' ELSE 'mismatch' END;
    RETURN;
  END IF;

  IF p_kind IN ('post', 'release') THEN
    SELECT amount, hour_of(created_at) INTO h, held_in FROM transfers
     WHERE transfer_id = p_hold AND kind = 'hold' AND debit_account = p_debit AND credit_account = p_credit;
    IF h IS NULL THEN outcome := 'unknown_hold'; RETURN; END IF;
    IF EXISTS (SELECT FROM transfers WHERE hold_id = p_hold) THEN outcome := 'ended'; RETURN; END IF;
    IF p_amount > h OR (p_kind = 'release' AND p_amount <> h) THEN outcome := 'mismatch'; RETURN; END IF;
    back := h - CASE WHEN p_kind = 'post' THEN p_amount ELSE 0 END;
    d.held := d.held - h;
    d.available := d.available + back;
  ELSE
    IF p_kind = 'hold' THEN
      SELECT 'paused', jsonb_build_object('reason', p.reason) INTO outcome, details FROM pauses p
       WHERE p.scope IN ('all', 'chain', (SELECT 'chain:' || s.blockchain FROM assets s WHERE s.asset_id = d.asset_id))
       ORDER BY p.scope LIMIT 1;
      IF outcome IS NOT NULL THEN RETURN; END IF;
      IF d.paused THEN
        outcome := 'user_paused';
        SELECT jsonb_build_object('reason', p.reason) INTO details FROM pauses p WHERE p.scope = 'user:' || d.user_id;
        RETURN;
      END IF;
      SELECT * INTO t FROM tiers WHERE tier = d.tier;
      IF t.payment_limit = 0 THEN
        outcome := 'kyc';
        SELECT jsonb_build_object('kyc_status', u.kyc_status) INTO details FROM users u WHERE u.user_id = d.user_id;
        RETURN;
      END IF;
    END IF;
    IF d.available < p_amount AND d.kind <> 'chain' THEN
      outcome := 'insufficient';
      details := jsonb_build_object('available', d.available::text);
      RETURN;
    END IF;
    IF p_kind = 'hold' THEN
      SELECT * INTO l FROM accounts WHERE account_id = counting;
      hour_no := greatest(l.hour, hour_of(at));
      IF l.hour < hour_no THEN
        SELECT n.day_payments, n.day_spent, n.month_spent INTO l.day_payments, l.day_spent, l.month_spent
          FROM ledger_turn_hour(hour_no, ARRAY[counting], ARRAY[l.hour], ARRAY[l.hour_payments], ARRAY[l.hour_spent]) n;
        l.hour := hour_no;
        l.hour_payments := 0;
        l.hour_spent := 0;
        -- Also when the payment is refused below: what was put away must not be put away again.
        PERFORM ledger_write_counters(l);
      END IF;
      details := broken_limit(t, p_amount, counting, l.hour, l.day_payments, l.day_spent, l.month_spent);
      IF details IS NOT NULL THEN outcome := 'limit'; RETURN; END IF;
      l.hour_payments := l.hour_payments + 1;
      l.hour_spent := l.hour_spent + p_amount;
      l.day_payments := l.day_payments + 1;
      l.day_spent := l.day_spent + p_amount;
      l.month_spent := l.month_spent + p_amount;
      PERFORM ledger_write_counters(l);
      d.held := d.held + p_amount;
    END IF;
    d.available := d.available - p_amount;
  END IF;

  -- Places below 32,768 belong to batches. Several movements may share one database transaction.
  place := ledger_tx_seq();
  SELECT coalesce(max(seq) + 1, place + 32768) INTO place
    FROM transfers WHERE seq >= place + 32768 AND seq < place + 65536;
  INSERT INTO transfers (transfer_id, seq, debit_account, credit_account, amount, debit_entry, credit_entry,
    debit_available, credit_available, debit_held, created_at, asset_id, kind, hold_id, from_name)
  VALUES (p_id, place, p_debit, p_credit, p_amount, d.entries + 1, CASE WHEN credits THEN c.entries + 1 END,
    d.available, CASE WHEN credits THEN c.available + p_amount END,
    CASE WHEN p_kind IN ('hold', 'post', 'release') THEN d.held END, at, d.asset_id, p_kind, p_hold, p_from);
  UPDATE accounts SET available = d.available, held = d.held, entries = d.entries + 1 WHERE account_id = p_debit;
  IF credits THEN
    UPDATE accounts SET available = c.available + p_amount, entries = c.entries + 1 WHERE account_id = p_credit;
  END IF;
  IF back > 0 THEN PERFORM ledger_give_back(counting, held_in, back, p_kind = 'release'); END IF;
  outcome := 'applied';
END $$;

-- Opens it if it must: a person may have coins on another blockchain only.
CREATE FUNCTION ledger_counting_account(p_account bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  d        accounts;
  home     smallint;
  counting bigint;
BEGIN
  SELECT * INTO d FROM accounts WHERE account_id = p_account;
  SELECT home_asset INTO home FROM ledger_state;
  IF d.user_id IS NULL OR home IS NULL OR d.asset_id = home THEN RETURN p_account; END IF;
  SELECT account_id INTO counting FROM accounts WHERE user_id = d.user_id AND asset_id = home;
  IF counting IS NULL THEN
    INSERT INTO accounts (asset_id, kind, user_id) VALUES (home, 'user', d.user_id)
    ON CONFLICT (user_id, asset_id) WHERE user_id IS NOT NULL DO NOTHING;
    SELECT account_id INTO counting FROM accounts WHERE user_id = d.user_id AND asset_id = home;
  END IF;
  RETURN counting;
END $$;

CREATE FUNCTION ledger_write_counters(l accounts) RETURNS void LANGUAGE sql AS $$
  UPDATE accounts SET hour = l.hour, hour_payments = l.hour_payments, hour_spent = l.hour_spent,
    day_payments = l.day_payments, day_spent = l.day_spent, month_spent = l.month_spent
   WHERE account_id = l.account_id;
$$;

-- A share that was never spent goes back to the hour it came from, as long as that still counts. A share that its hour
-- does not hold (the clock was set back meanwhile) stays: limits err on the strict side.
CREATE FUNCTION ledger_give_back(p_account bigint, p_hour integer, p_amount bigint, p_whole boolean) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  l      accounts;
  pieces integer := p_whole::integer;
BEGIN
  SELECT * INTO l FROM accounts WHERE account_id = p_account FOR NO KEY UPDATE;
  IF p_hour = l.hour AND l.hour_spent >= p_amount AND l.hour_payments >= pieces THEN
    l.hour_spent := l.hour_spent - p_amount;
    l.hour_payments := l.hour_payments - pieces;
  ELSE
    UPDATE spendings SET spent = spent - p_amount, payments = payments - pieces
     WHERE account_id = p_account AND hour = p_hour AND spent >= p_amount AND payments >= pieces;
    IF NOT FOUND THEN RETURN; END IF;
  END IF;
  IF p_hour >= l.hour - hours_counted('day') THEN
    l.day_spent := l.day_spent - p_amount;
    l.day_payments := l.day_payments - pieces;
  END IF;
  IF p_hour >= l.hour - hours_counted('month') THEN l.month_spent := l.month_spent - p_amount; END IF;
  PERFORM ledger_write_counters(l);
END $$;
