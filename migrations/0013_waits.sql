-- Payments to an address that wait, and payments that are cancelled. Why it is as it is:
-- docs/decisions/0009-waiting-approving-cancelling.md.

-- What an accepted payment waits for before anything is promised or signed. Decided in the statement that accepts it
-- and kept with it: another configuration tomorrow changes nothing for it.
ALTER TABLE payments
  ADD COLUMN approvals_needed smallint NOT NULL DEFAULT 0 CHECK (approvals_needed IN (0, 2)),
  ADD COLUMN not_before timestamptz;
CREATE INDEX payments_to_approve ON payments (payment_id) WHERE approvals_needed > 0 AND state = 'INITIATED';

CREATE FUNCTION refuse_other_waits() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'what a payment waits for cannot change' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER payments_keep_waits BEFORE UPDATE ON payments FOR EACH ROW
  WHEN ((OLD.approvals_needed, OLD.not_before) IS DISTINCT FROM (NEW.approvals_needed, NEW.not_before))
  EXECUTE FUNCTION refuse_other_waits();

-- Who has approved which payment. Names are for operators and the audit log; customers only see the times.
CREATE TABLE approvals (
  payment_id  uuid NOT NULL REFERENCES payments,
  operator    text NOT NULL CHECK (length(operator) BETWEEN 1 AND 100),
  approved_at timestamptz NOT NULL DEFAULT date_trunc('milliseconds', clock_timestamp()),
  PRIMARY KEY (payment_id, operator)
);
CREATE TRIGGER approvals_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON approvals
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Locks the payment, as whoever promises or releases it does: of two approvals at once the second sees the first.
CREATE FUNCTION guard_approval() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  p payments;
BEGIN
  SELECT * INTO p FROM payments WHERE payment_id = NEW.payment_id FOR NO KEY UPDATE;
  IF EXISTS (SELECT FROM approvals WHERE payment_id = NEW.payment_id AND operator = NEW.operator) THEN
    RAISE EXCEPTION '% has approved payment % before', NEW.operator, NEW.payment_id
      USING ERRCODE = 'unique_violation', CONSTRAINT = 'approvals_pkey';
  END IF;
  IF p.payment_id IS NULL OR state_rank(p.state) = 6
    OR p.approvals_needed <= (SELECT count(*) FROM approvals WHERE payment_id = NEW.payment_id)
  THEN
    RAISE EXCEPTION 'payment % waits for no approval', NEW.payment_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'approvals_only_while_waiting';
  END IF;
  IF NOT EXISTS (SELECT FROM operators WHERE name = NEW.operator AND role IN ('admin', 'risk')) THEN
    RAISE EXCEPTION '% is not an operator who may approve', NEW.operator
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'approvals_by_operators';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER approvals_guard BEFORE INSERT ON approvals FOR EACH ROW EXECUTE FUNCTION guard_approval();

CREATE FUNCTION payment_waits(p payments) RETURNS boolean LANGUAGE sql
  RETURN coalesce(p.not_before > clock_timestamp(), false) OR (p.approvals_needed > 0
    AND p.approvals_needed > (SELECT count(*) FROM approvals a WHERE a.payment_id = p.payment_id));

-- The addresses that each wallet has paid, for good, on whatever blockchain, and what they look like to somebody who
-- compares only the ends, as most people and most wallets do. Poisoners make addresses that look the same.
CREATE FUNCTION address_look(address text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN lower(substr(address, 3, 4) || right(address, 4));

CREATE TABLE recipients (
  wallet_id uuid NOT NULL REFERENCES wallets,
  look      text NOT NULL GENERATED ALWAYS AS (address_look(address)) STORED,
  address   text NOT NULL CHECK (address ~ '^0x[0-9a-f]{40}$'),
  PRIMARY KEY (wallet_id, look, address)
);
INSERT INTO recipients (wallet_id, address)
SELECT DISTINCT wallet_id, lower(destination) FROM payments
 WHERE state = 'COMPLETE' AND wallet_id IS NOT NULL AND destination ~* '^0x[0-9a-f]{40}$';

CREATE FUNCTION remember_recipient() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO recipients (wallet_id, address) VALUES (NEW.wallet_id, lower(NEW.destination)) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER payments_recipient AFTER INSERT OR UPDATE OF state ON payments FOR EACH ROW
  WHEN (NEW.state = 'COMPLETE' AND NEW.wallet_id IS NOT NULL) EXECUTE FUNCTION remember_recipient();

-- As before, and: a destination that resembles one the wallet has paid, and is not it, is refused (`lookalike`); what
-- the payment waits for is decided here. `p_threshold`: two people approve amounts from here on; NULL, nobody does.
-- `p_delay`: seconds that a payment to an address which the wallet has never paid waits. While it waits for people it
-- has no job: the second approval brings it.
DROP FUNCTION accept_send(uuid, smallint, uuid, text, text, bigint, text);
CREATE FUNCTION accept_send(
  p_id uuid, p_asset smallint, p_wallet uuid, p_shown text, p_destination text, p_amount bigint, p_job text,
  p_threshold bigint DEFAULT NULL, p_delay integer DEFAULT 0,
  OUT outcome text, OUT details jsonb
) LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  owner    uuid;
  debit    bigint;
  credit   bigint;
  why      text;
  is_known boolean;
  needed   smallint := CASE WHEN p_amount >= p_threshold THEN 2 ELSE 0 END;
  start_at timestamptz;
BEGIN
  SELECT reason INTO why FROM pauses WHERE scope = 'chain'
   UNION ALL SELECT reason FROM send_pauses WHERE asset_id = p_asset LIMIT 1;
  IF why IS NOT NULL THEN
    outcome := 'paused'; details := jsonb_build_object('reason', why);
    RETURN;
  END IF;
  SELECT bool_or(address = lower(p_destination)) INTO is_known FROM recipients
   WHERE wallet_id = p_wallet AND look = address_look(p_destination);
  IF NOT is_known THEN outcome := 'lookalike'; RETURN; END IF;
  SELECT user_id INTO owner FROM wallets WHERE wallet_id = p_wallet;
  IF owner IS NULL THEN
    SELECT account_id INTO debit FROM accounts WHERE kind = 'treasury' AND asset_id = p_asset AND user_id IS NULL;
  ELSE
    SELECT account_id INTO debit FROM accounts WHERE user_id = owner AND asset_id = p_asset;
  END IF;
  SELECT account_id INTO credit FROM accounts WHERE kind = 'chain' AND asset_id = p_asset AND user_id IS NULL;
  IF debit IS NULL OR credit IS NULL THEN
    -- Nothing was ever deposited.
    outcome := 'insufficient'; details := '{"available": "0"}';
    RETURN;
  END IF;
  SELECT m.outcome, m.details INTO outcome, details
    FROM ledger_move(p_id, 'hold', debit, credit, p_amount, NULL, NULL) m;
  IF outcome <> 'applied' THEN RETURN; END IF;
  IF is_known IS NULL AND p_delay > 0 THEN
    start_at := date_trunc('milliseconds', clock_timestamp()) + p_delay * interval '1 second';
  END IF;
  INSERT INTO payments (payment_id, state, destination, wallet_id, sender_shown, approvals_needed, not_before)
  VALUES (p_id, 'INITIATED', p_destination, p_wallet, p_shown, needed, start_at);
  IF needed = 0 THEN INSERT INTO jobs (kind, key, run_at) VALUES (p_job, p_id::text, coalesce(start_at, now())); END IF;
END $$;

-- As before, without those that wait.
CREATE OR REPLACE FUNCTION reserve_sends(p_asset smallint, p_ids uuid[], p_nonces bytea[]) RETURNS uuid[]
  LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  reserved_ids uuid[] := '{}';
  one          record;
BEGIN
  PERFORM FROM payments WHERE payment_id = ANY (p_ids) ORDER BY payment_id FOR NO KEY UPDATE;
  PERFORM FROM holdings WHERE asset_id = p_asset AND wallet_id IN (
    SELECT wallet_id FROM payments WHERE payment_id = ANY (p_ids)) ORDER BY wallet_id FOR NO KEY UPDATE;
  FOR one IN
    SELECT p.payment_id, p.wallet_id, p.destination, t.amount, w.address, i.nonce
      FROM unnest(p_ids, p_nonces) WITH ORDINALITY AS i(id, nonce, nth)
      JOIN payments p ON p.payment_id = i.id JOIN transfers t ON t.transfer_id = i.id
      JOIN wallets w ON w.wallet_id = p.wallet_id
     WHERE state_rank(p.state) < 2 AND t.asset_id = p_asset AND NOT payment_waits(p)
       AND NOT EXISTS (SELECT FROM transfers e WHERE e.hold_id = i.id)
       AND NOT EXISTS (SELECT FROM authorizations a WHERE a.authorization_id = i.id)
     ORDER BY i.nth
  LOOP
    CONTINUE WHEN NOT EXISTS (SELECT FROM holdings
      WHERE asset_id = p_asset AND wallet_id = one.wallet_id AND coins - reserved >= one.amount);
    INSERT INTO authorizations (authorization_id, asset_id, wallet_id, purpose, nonce, from_address, to_address, value,
      reserved)
    VALUES (one.payment_id, p_asset, one.wallet_id, 'send', one.nonce, one.address, one.destination, one.amount,
      one.amount);
    UPDATE payments SET state = 'QUEUED', updated_at = date_trunc('milliseconds', clock_timestamp())
     WHERE payment_id = one.payment_id;
    reserved_ids := reserved_ids || one.payment_id;
  END LOOP;
  RETURN reserved_ids;
END $$;

-- Since when an authorization is to be cancelled on chain. It is in this row, which every signature locks: nothing is
-- signed after it.
ALTER TABLE authorizations ADD COLUMN cancel_wanted_at timestamptz;
CREATE INDEX authorizations_to_cancel ON authorizations (asset_id, cancel_wanted_at)
  WHERE state = 'open' AND cancel_wanted_at IS NOT NULL;

-- As before, and: nothing that waits is promised, a wish to cancel stays, and only what was paid comes back after a
-- reorg. What the chain has done already (`used`, `dead`) is written down whatever the payment waits for.
CREATE OR REPLACE FUNCTION guard_authorization() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  p payments;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF (NEW.authorization_id, NEW.asset_id, NEW.wallet_id, NEW.purpose, NEW.nonce, NEW.from_address, NEW.to_address,
        NEW.value) <> (OLD.authorization_id, OLD.asset_id, OLD.wallet_id, OLD.purpose, OLD.nonce, OLD.from_address,
        OLD.to_address, OLD.value) THEN
      RAISE EXCEPTION 'an authorization cannot change' USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.valid_before < OLD.valid_before OR (OLD.state = 'dead' AND NEW.state <> 'dead') THEN
      RAISE EXCEPTION 'an authorization cannot come back' USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.state = 'open' AND OLD.cancel_wanted_at IS DISTINCT FROM NEW.cancel_wanted_at
      AND OLD.cancel_wanted_at IS NOT NULL THEN
      RAISE EXCEPTION 'a cancellation that was asked for stays' USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.state = 'used' AND NEW.state = 'open' AND NEW.purpose = 'send'
      AND NOT EXISTS (SELECT FROM transfers WHERE hold_id = NEW.authorization_id) THEN
      RAISE EXCEPTION 'payment % was never paid', NEW.authorization_id USING ERRCODE = 'restrict_violation';
    END IF;
  ELSIF NEW.purpose = 'send' THEN
    SELECT * INTO p FROM payments WHERE payment_id = NEW.authorization_id FOR NO KEY UPDATE;
    IF NOT FOUND OR EXISTS (SELECT FROM transfers WHERE hold_id = NEW.authorization_id) THEN
      RAISE EXCEPTION 'payment % has no open hold', NEW.authorization_id USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.state = 'open' AND payment_waits(p) THEN
      RAISE EXCEPTION 'payment % waits', NEW.authorization_id
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'authorizations_wait';
    END IF;
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION guard_signature() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE authorizations SET valid_before = NEW.valid_before
   WHERE authorization_id = NEW.authorization_id AND state = 'open' AND valid_before < NEW.valid_before
     AND cancel_wanted_at IS NULL;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'authorization % is ended, to be cancelled, or was signed for longer', NEW.authorization_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'signatures_only_while_open';
  END IF;
  RETURN NEW;
END $$;

-- A payment ends unpaid only when its authorization has ended: nothing that could still happen on chain is given up.
CREATE FUNCTION guard_payment_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM authorizations WHERE authorization_id = NEW.payment_id AND state = 'open') THEN
    RAISE EXCEPTION 'payment % may still be paid', NEW.payment_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'payments_end_on_proof';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER payments_guard_end BEFORE UPDATE OF state ON payments FOR EACH ROW
  WHEN (NEW.state IN ('FAILED', 'DENIED', 'CANCELLED') AND OLD.state <> NEW.state) EXECUTE FUNCTION guard_payment_end();

-- The signed cancellation of an authorization, committed before anyone sees it. It never lapses and moves no coins, so
-- one is enough.
CREATE TABLE cancellations (
  authorization_id uuid PRIMARY KEY REFERENCES authorizations,
  signature        bytea NOT NULL CHECK (octet_length(signature) = 65),
  signed_at        timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TRIGGER cancellations_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON cancellations
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE FUNCTION guard_cancellation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM authorizations WHERE authorization_id = NEW.authorization_id AND state = 'open'
     AND cancel_wanted_at IS NOT NULL FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'nobody wants authorization % cancelled, or it is ended', NEW.authorization_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'cancellations_only_while_wanted';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER cancellations_guard BEFORE INSERT ON cancellations FOR EACH ROW EXECUTE FUNCTION guard_cancellation();

-- A slot that carries a payment is rewritten to carry its cancellation instead, as the next edition of the same slot:
-- a later slot would be mined after the payment, which is no race at all. Every attempt tells which edition it is of.
ALTER TABLE carriers ADD COLUMN edition integer NOT NULL DEFAULT 1;
ALTER TABLE carrier_attempts ADD COLUMN edition integer NOT NULL DEFAULT 1;
-- From this edition of its carrier on, the leg is the cancellation; NULL: it is the transfer.
ALTER TABLE carrier_legs ADD COLUMN cancelled_in integer CHECK (cancelled_in > 0);

-- After the rewriting nobody commits bytes of an edition before, and so nobody broadcasts new ones.
CREATE FUNCTION guard_attempt() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM carriers WHERE carrier_id = NEW.carrier_id AND edition = NEW.edition FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'carrier % has a newer edition', NEW.carrier_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'carrier_attempts_of_edition';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER carrier_attempts_guard BEFORE INSERT ON carrier_attempts
  FOR EACH ROW EXECUTE FUNCTION guard_attempt();

-- Cancellations of our wallets that the chain knows and this database does not: it was restored from before them. A
-- payment that is accepted under the same id again can never be paid, and this is the proof.
CREATE TABLE forgotten_cancellations (
  asset_id     smallint NOT NULL REFERENCES assets,
  nonce        bytea NOT NULL CHECK (octet_length(nonce) = 32),
  tx_hash      text NOT NULL,
  block_number bigint NOT NULL,
  PRIMARY KEY (asset_id, nonce)
);
