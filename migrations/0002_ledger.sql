-- Who is owed what: double entry. Written only by the room `ledger`, and only through the functions of this file and
-- the next (a trigger looks at the call stack), so that no statement typed by hand can move money or edit history.

-- USDC on one blockchain is one asset.
CREATE TABLE assets (
  asset_id   smallint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  blockchain text NOT NULL UNIQUE CHECK (blockchain ~ '^[A-Z0-9][A-Z0-9-]{1,31}$')
);

-- What an account may spend per payment, per UTC day and per UTC month; NULL is no limit.
CREATE TABLE tiers (
  tier          smallint PRIMARY KEY,
  name          text NOT NULL UNIQUE,
  payment_limit bigint CHECK (payment_limit >= 0),
  day_limit     bigint CHECK (day_limit >= 0),
  month_limit   bigint CHECK (month_limit >= 0)
);
INSERT INTO tiers (tier, name) VALUES (0, 'unlimited');

-- One row per owner and asset. `entries` numbers the account's rows in `transfers` without gaps, under this row's
-- lock: it orders a statement whatever the clock does. The spending counters live here too, so that a limit costs no
-- second row: `day` and `month` name the bucket (days since 1970; 12 × year + month), and only ever grow.
-- fillfactor: updates touch no indexed column and find room on their own page (HOT).
CREATE TABLE accounts (
  account_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  asset_id    smallint NOT NULL REFERENCES assets,
  kind        text NOT NULL CHECK (kind IN ('user', 'treasury', 'fees', 'loss', 'chain')),
  user_id     uuid REFERENCES users,
  tier        smallint NOT NULL DEFAULT 0 REFERENCES tiers,
  available   bigint NOT NULL DEFAULT 0,
  held        bigint NOT NULL DEFAULT 0 CHECK (held >= 0),
  entries     bigint NOT NULL DEFAULT 0,
  day         integer NOT NULL DEFAULT 0,
  day_spent   bigint NOT NULL DEFAULT 0 CHECK (day_spent >= 0),
  month       integer NOT NULL DEFAULT 0,
  month_spent bigint NOT NULL DEFAULT 0 CHECK (month_spent >= 0),
  CONSTRAINT accounts_never_overdrawn CHECK (available >= 0 OR kind = 'chain'),
  CHECK ((kind = 'user') = (user_id IS NOT NULL))
) WITH (fillfactor = 40);
CREATE UNIQUE INDEX accounts_of_user ON accounts (user_id, asset_id) WHERE user_id IS NOT NULL;
CREATE UNIQUE INDEX accounts_of_house ON accounts (kind, asset_id) WHERE user_id IS NULL;

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
CREATE TABLE ledger_state (
  only_one    boolean PRIMARY KEY DEFAULT true CHECK (only_one),
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
-- Everything but `tier`, which is not money.
CREATE TRIGGER accounts_by_ledger
  BEFORE UPDATE OF account_id, asset_id, kind, user_id, available, held, entries, day, day_spent, month, month_spent
  ON accounts FOR EACH STATEMENT EXECUTE FUNCTION refuse_foreign_write();
CREATE TRIGGER accounts_start_empty BEFORE INSERT ON accounts FOR EACH ROW
  WHEN (NEW.available <> 0 OR NEW.held <> 0 OR NEW.entries <> 0 OR NEW.day_spent <> 0 OR NEW.month_spent <> 0)
  EXECUTE FUNCTION refuse_change();

CREATE FUNCTION day_of(at timestamptz) RETURNS integer LANGUAGE sql IMMUTABLE
  RETURN floor(extract(epoch FROM at) / 86400)::integer;
CREATE FUNCTION month_of(at timestamptz) RETURNS integer LANGUAGE sql IMMUTABLE
  RETURN (extract(year FROM at AT TIME ZONE 'UTC') * 12 + extract(month FROM at AT TIME ZONE 'UTC'))::integer;

-- Which limit a payment of `amount` would break, as the details of `limit.exceeded`; NULL when none. `spent_*` are
-- the counters of the buckets of `at`.
CREATE FUNCTION broken_limit(t tiers, amount bigint, spent_day bigint, spent_month bigint, at timestamptz)
  RETURNS jsonb LANGUAGE sql IMMUTABLE
  RETURN CASE
    WHEN amount > t.payment_limit THEN
      jsonb_build_object('limit', 'payment', 'maximum', t.payment_limit::text, 'left', t.payment_limit::text)
    WHEN spent_day + amount > t.day_limit THEN
      jsonb_build_object('limit', 'day', 'maximum', t.day_limit::text,
        'left', greatest(t.day_limit - spent_day, 0)::text,
        'resets_at', to_char((date_trunc('day', at AT TIME ZONE 'UTC') + interval '1 day'), 'YYYY-MM-DD"T"HH24:MI:SS".000Z"'))
    WHEN spent_month + amount > t.month_limit THEN
      jsonb_build_object('limit', 'month', 'maximum', t.month_limit::text,
        'left', greatest(t.month_limit - spent_month, 0)::text,
        'resets_at', to_char((date_trunc('month', at AT TIME ZONE 'UTC') + interval '1 month'), 'YYYY-MM-DD"T"HH24:MI:SS".000Z"'))
  END;

-- Every movement that is not a user's payment, one at a time, inside the caller's database transaction. Answers
-- `applied`; `duplicate` when this very movement was applied before; or why it cannot be: `mismatch` (the id belongs
-- to another movement), `insufficient`, `limit`, `unknown_hold`, `ended` (the hold was ended another way).
-- Checks come in this order; after the last one it must succeed.
CREATE FUNCTION ledger_move(
  p_id uuid, p_kind text, p_debit bigint, p_credit bigint, p_amount bigint, p_hold uuid, p_from text,
  OUT outcome text, OUT details jsonb
) LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  at       timestamptz := date_trunc('milliseconds', clock_timestamp());
  today    integer := day_of(at);
  month_no integer := month_of(at);
  d        accounts;
  c        accounts;
  t        tiers;
  old      transfers;
  h        bigint;
  place    bigint;
  credits  boolean := p_kind NOT IN ('hold', 'release');
BEGIN
  PERFORM 1 FROM accounts WHERE account_id IN (p_debit, p_credit) ORDER BY account_id FOR NO KEY UPDATE;
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
    SELECT amount INTO h FROM transfers
     WHERE transfer_id = p_hold AND kind = 'hold' AND debit_account = p_debit AND credit_account = p_credit;
    IF h IS NULL THEN outcome := 'unknown_hold'; RETURN; END IF;
    IF EXISTS (SELECT FROM transfers WHERE hold_id = p_hold) THEN outcome := 'ended'; RETURN; END IF;
    IF p_amount > h OR (p_kind = 'release' AND p_amount <> h) THEN outcome := 'mismatch'; RETURN; END IF;
    d.held := d.held - h;
    d.available := d.available + h - CASE WHEN p_kind = 'post' THEN p_amount ELSE 0 END;
  ELSE
    IF d.available < p_amount AND d.kind <> 'chain' THEN
      outcome := 'insufficient';
      details := jsonb_build_object('available', d.available::text);
      RETURN;
    END IF;
    IF p_kind = 'hold' THEN
      IF d.day < today THEN d.day := today; d.day_spent := 0; END IF;
      IF d.month < month_no THEN d.month := month_no; d.month_spent := 0; END IF;
      SELECT * INTO t FROM tiers WHERE tier = d.tier;
      details := broken_limit(t, p_amount, d.day_spent, d.month_spent, at);
      IF details IS NOT NULL THEN outcome := 'limit'; RETURN; END IF;
      d.day_spent := d.day_spent + p_amount;
      d.month_spent := d.month_spent + p_amount;
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
  UPDATE accounts SET available = d.available, held = d.held, entries = d.entries + 1, day = d.day,
    day_spent = d.day_spent, month = d.month, month_spent = d.month_spent WHERE account_id = p_debit;
  IF credits THEN
    UPDATE accounts SET available = c.available + p_amount, entries = c.entries + 1 WHERE account_id = p_credit;
  END IF;
  outcome := 'applied';
END $$;
