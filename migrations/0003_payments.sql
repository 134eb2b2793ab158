-- The life of a payment. Written only by the room `payments` (and, for `transfers`, through `ledger_pay_users` below).

-- A name that was resolved a moment ago may have been renamed or released since. Every process keeps what it has
-- resolved together with the epoch it was read in; a batch that carries an old epoch is sent back to resolve again.
-- New names change nothing that was resolved before, so they do not count.
CREATE FUNCTION count_name_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE ledger_state SET names_epoch = names_epoch + 1;
  RETURN NULL;
END $$;
CREATE TRIGGER usernames_epoch AFTER UPDATE OR DELETE ON usernames
  FOR EACH ROW EXECUTE FUNCTION count_name_change();

-- Kinds of payment that are stopped for now, and why. Read inside the statement that would pay.
CREATE TABLE pauses (
  scope     text PRIMARY KEY CHECK (scope IN ('user', 'chain')),
  reason    text NOT NULL,
  paused_at timestamptz NOT NULL DEFAULT now()
);

-- Business refusals under an Idempotency-Key: a retry hears the same refusal. The id is made from caller, route and
-- key like that of a payment. The caller is the sender, so receiver and amount are the whole request.
CREATE TABLE refusals (
  payment_id uuid PRIMARY KEY,
  receiver   text NOT NULL,
  amount     bigint NOT NULL,
  code       text NOT NULL,
  details    jsonb NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE TRIGGER refusals_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON refusals
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Answers of the other changing calls, under their Idempotency-Key.
CREATE TABLE idempotency_records (
  record_id    uuid PRIMARY KEY,
  request_hash bytea NOT NULL CHECK (octet_length(request_hash) = 32),
  -- NULL only inside the database transaction that is still working on it.
  answer       json,
  created_at   timestamptz NOT NULL DEFAULT now()
);

-- What changes about a payment that has a life after its hold. A user's payment and a deposit have none: they are
-- born COMPLETE, and their row in `transfers` says everything.
CREATE TABLE payments (
  payment_id   uuid PRIMARY KEY REFERENCES transfers,
  state        text NOT NULL CHECK (state IN ('INITIATED', 'CLEARED', 'QUEUED', 'SENT', 'STUCK', 'CONFIRMED',
                                              'COMPLETE', 'FAILED', 'DENIED', 'CANCELLED')),
  destination  text NOT NULL,
  tx_hash      text,
  network_fee  bigint CHECK (network_fee >= 0),
  error_reason text,
  updated_at   timestamptz NOT NULL DEFAULT date_trunc('milliseconds', clock_timestamp())
);

-- One row per state a payment has reached, in the order of the feed.
CREATE TABLE payment_events (
  seq        bigint PRIMARY KEY,
  payment_id uuid NOT NULL REFERENCES payments,
  state      text NOT NULL,
  tx_hash    text,
  at         timestamptz NOT NULL,
  UNIQUE (payment_id, state)
);
CREATE TRIGGER payment_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON payment_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- States never go backwards, and the last four are final.
CREATE FUNCTION state_rank(state text) RETURNS integer LANGUAGE sql IMMUTABLE
  RETURN CASE state WHEN 'INITIATED' THEN 0 WHEN 'CLEARED' THEN 1 WHEN 'QUEUED' THEN 2 WHEN 'SENT' THEN 3
                    WHEN 'STUCK' THEN 4 WHEN 'CONFIRMED' THEN 5 ELSE 6 END;

-- Whoever changes a state, whatever the code looks like: the order is kept, and the event is in the same commit.
CREATE FUNCTION record_state() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  base bigint := ledger_tx_seq() + 32768;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF NEW.payment_id <> OLD.payment_id OR NEW.destination <> OLD.destination THEN
      RAISE EXCEPTION 'what was asked for cannot change' USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.state = OLD.state THEN RETURN NULL; END IF;
    IF state_rank(NEW.state) <= state_rank(OLD.state) THEN
      RAISE EXCEPTION 'a payment cannot go from % to %', OLD.state, NEW.state USING ERRCODE = 'restrict_violation';
    END IF;
  END IF;
  INSERT INTO payment_events (seq, payment_id, state, tx_hash, at)
  SELECT base + count(*), NEW.payment_id, NEW.state, NEW.tx_hash, NEW.updated_at FROM payment_events
   WHERE seq >= base AND seq < base + 32768;
  RETURN NULL;
END $$;
CREATE TRIGGER payments_record_state AFTER INSERT OR UPDATE ON payments
  FOR EACH ROW EXECUTE FUNCTION record_state();
CREATE TRIGGER payments_stay BEFORE DELETE OR TRUNCATE ON payments
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The feed: every state change, once, ordered by `seq`. Read it below `ledger_settled_seq()`.
CREATE VIEW events AS
  SELECT seq, transfer_id AS payment_id, 'COMPLETE' AS state, created_at AS at
    FROM transfers WHERE kind IN ('user', 'deposit')
  UNION ALL
  SELECT seq, payment_id, state, at FROM payment_events;

-- Pays a whole batch in one statement, with one outcome each: locks the accounts once in the order of their ids,
-- decides in the order of the arrays, in memory, and writes once. Hot accounts get faster, not slower.
--
-- `p_accounts` are the distinct accounts, ascending; `p_debits` and `p_credits` point into it, 0 where the person or
-- the name is unknown. The duplicate check comes after the lock: whoever paid under the same id has committed by then.
-- Answers the balance after for every accepted payment; everything else is in `o_rare`, by position: `old` is a
-- payment or refusal that was stored before (and whether the same was asked), `code` is a fresh refusal.
--
-- The settings pin the plans: one made while the tables were empty would read them from end to end for ever.
CREATE FUNCTION ledger_pay_users(
  p_asset smallint, p_epoch bigint, p_accounts bigint[],
  p_ids uuid[], p_keyed boolean[], p_debits integer[], p_credits integer[], p_amounts bigint[],
  p_froms text[], p_tos text[], p_typed text[],
  OUT o_at_ms bigint, OUT o_available bigint[], OUT o_rare jsonb
) LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  at          timestamptz := date_trunc('milliseconds', clock_timestamp());
  today       integer := day_of(at);
  month_no    integer := month_of(at);
  n           integer := cardinality(p_ids);
  base        bigint;
  paused      text;
  balance     bigint[];
  entry       bigint[];
  spent_day   bigint[];
  spent_month bigint[];
  tier_no     smallint[];
  max_payment bigint[];
  max_day     bigint[];
  max_month   bigint[];
  debit_entry      bigint[] := array_fill(NULL::bigint, ARRAY[n]);
  credit_entry     bigint[] := debit_entry;
  credit_available bigint[] := debit_entry;
  known       boolean := false;
  d           integer;
  c           integer;
  a           bigint;
  refusal     text;
  details     jsonb;
  found_old   record;
BEGIN
  o_at_ms := extract(epoch FROM at) * 1000;
  o_available := debit_entry;
  o_rare := '{}';
  SELECT seq_base INTO base FROM ledger_state WHERE names_epoch = p_epoch;
  IF base IS NULL THEN o_rare := '{"stale": true}'; RETURN; END IF;

  SELECT array_agg(l.available), array_agg(l.entries), array_agg(l.spent_day), array_agg(l.spent_month),
         array_agg(l.tier), array_agg(l.payment_limit), array_agg(l.day_limit), array_agg(l.month_limit)
    INTO balance, entry, spent_day, spent_month, tier_no, max_payment, max_day, max_month
    FROM (SELECT x.available, x.entries, x.tier, t.payment_limit, t.day_limit, t.month_limit,
                 CASE WHEN x.day >= today THEN x.day_spent ELSE 0 END AS spent_day,
                 CASE WHEN x.month >= month_no THEN x.month_spent ELSE 0 END AS spent_month
            FROM accounts x JOIN tiers t USING (tier)
           WHERE x.account_id = ANY (p_accounts) AND x.asset_id = p_asset AND x.kind = 'user'
           ORDER BY x.account_id FOR NO KEY UPDATE OF x) l;
  IF coalesce(cardinality(balance), 0) <> cardinality(p_accounts) THEN
    RAISE EXCEPTION 'not all accounts are users'' accounts of asset %', p_asset USING ERRCODE = 'foreign_key_violation';
  END IF;

  FOR found_old IN
    SELECT i.nth, t.amount, t.debit_available, t.from_name, t.to_name, t.typed_name, t.created_at,
           t.kind = 'user' AND t.amount = p_amounts[i.nth] AND t.debit_account = p_accounts[p_debits[i.nth]]
             AND coalesce(t.typed_name, t.to_name) = coalesce(p_typed[i.nth], p_tos[i.nth]) AS same
      FROM unnest(p_ids) WITH ORDINALITY AS i(id, nth) JOIN transfers t ON t.transfer_id = i.id
  LOOP
    known := true;
    o_rare := o_rare || jsonb_build_object(found_old.nth, jsonb_build_object('old', 'paid',
      'same', coalesce(found_old.same, false), 'available', found_old.debit_available::text,
      'at_ms', floor(extract(epoch FROM found_old.created_at) * 1000),
      'from', found_old.from_name, 'to', found_old.to_name, 'typed', found_old.typed_name));
  END LOOP;
  FOR found_old IN
    SELECT i.nth, r.code, r.details,
           r.amount = p_amounts[i.nth] AND r.receiver = coalesce(p_typed[i.nth], p_tos[i.nth]) AS same
      FROM unnest(p_ids) WITH ORDINALITY AS i(id, nth) JOIN refusals r ON r.payment_id = i.id
  LOOP
    known := true;
    o_rare := o_rare || jsonb_build_object(found_old.nth, jsonb_build_object('old', 'refused',
      'same', found_old.same, 'code', found_old.code, 'details', found_old.details));
  END LOOP;

  SELECT reason INTO paused FROM pauses WHERE scope = 'user';
  FOR i IN 1..n LOOP
    IF known THEN CONTINUE WHEN o_rare ? i::text; END IF;
    d := p_debits[i];
    c := p_credits[i];
    a := p_amounts[i];
    IF d = 0 OR c = 0 OR d = c OR balance[d] < a OR paused IS NOT NULL
      OR a > max_payment[d] OR spent_day[d] + a > max_day[d] OR spent_month[d] + a > max_month[d]
    THEN
      details := '{}';
      IF paused IS NOT NULL THEN
        -- Not a refusal: the same payment may be made when the pause ends.
        o_rare := o_rare || jsonb_build_object(i, jsonb_build_object('code', 'service.paused',
          'details', jsonb_build_object('reason', paused)));
        CONTINUE;
      ELSIF d = 0 THEN refusal := 'user.unknown';
      ELSIF c = 0 THEN refusal := 'username.unknown';
      ELSIF d = c THEN refusal := 'payment.self';
      ELSIF balance[d] < a THEN
        refusal := 'balance.insufficient';
        details := jsonb_build_object('available', balance[d]::text);
      ELSE
        refusal := 'limit.exceeded';
        SELECT broken_limit(t, a, spent_day[d], spent_month[d], at) INTO details FROM tiers t WHERE t.tier = tier_no[d];
      END IF;
      o_rare := o_rare || jsonb_build_object(i, jsonb_build_object('code', refusal, 'details', details));
      IF p_keyed[i] THEN
        INSERT INTO refusals (payment_id, receiver, amount, code, details, created_at)
        VALUES (p_ids[i], coalesce(p_typed[i], p_tos[i]), a, refusal, details, at);
      END IF;
    ELSE
      balance[d] := balance[d] - a;
      o_available[i] := balance[d];
      entry[d] := entry[d] + 1;
      debit_entry[i] := entry[d];
      spent_day[d] := spent_day[d] + a;
      spent_month[d] := spent_month[d] + a;
      balance[c] := balance[c] + a;
      credit_available[i] := balance[c];
      entry[c] := entry[c] + 1;
      credit_entry[i] := entry[c];
    END IF;
  END LOOP;

  base := base + pg_current_xact_id()::text::bigint * 65536;
  INSERT INTO transfers (transfer_id, seq, debit_account, credit_account, amount, debit_entry, credit_entry,
    debit_available, credit_available, created_at, asset_id, kind, from_name, to_name, typed_name)
  SELECT o.id, base + o.nth, p_accounts[o.debit], p_accounts[o.credit], o.amount, o.debit_entry, o.credit_entry,
         o.debit_available, o.credit_available, at, p_asset, 'user', o.from_name, o.to_name, o.typed_name
    FROM unnest(p_ids, p_debits, p_credits, p_amounts, debit_entry, credit_entry, o_available, credit_available,
                p_froms, p_tos, p_typed) WITH ORDINALITY
         AS o(id, debit, credit, amount, debit_entry, credit_entry, debit_available, credit_available,
              from_name, to_name, typed_name, nth)
   WHERE o.debit_entry IS NOT NULL;
  UPDATE accounts x
     SET available = u.available, entries = u.entries,
         day = greatest(x.day, today), day_spent = u.spent_day,
         month = greatest(x.month, month_no), month_spent = u.spent_month
    FROM unnest(p_accounts, balance, entry, spent_day, spent_month) AS u(account_id, available, entries, spent_day, spent_month)
   WHERE x.account_id = u.account_id AND x.entries < u.entries;
END $$;
