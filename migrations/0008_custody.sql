-- How coins move and where they sit. Written only by the room `custody`. An asset is USDC on one blockchain, so
-- `asset_id` names the blockchain too.

-- Where the coins of a wallet are: `coins` from final logs alone, `reserved` promised to open authorizations. The
-- second is moved only by the trigger below, so nothing can be promised twice and no promise forgotten.
CREATE TABLE holdings (
  asset_id  smallint NOT NULL REFERENCES assets,
  wallet_id uuid NOT NULL REFERENCES wallets,
  coins     bigint NOT NULL DEFAULT 0 CHECK (coins >= 0),
  reserved  bigint NOT NULL DEFAULT 0 CHECK (reserved >= 0),
  PRIMARY KEY (asset_id, wallet_id),
  CONSTRAINT holdings_promised_once CHECK (reserved <= coins)
) WITH (fillfactor = 50);

-- One netting of what wallets owe each other. It settles every user payment with a `seq` below `covers_seq`;
-- a just-in-time settlement covers none, it only funds a send.
CREATE TABLE settlements (
  settlement_id uuid PRIMARY KEY,
  asset_id      smallint NOT NULL REFERENCES assets,
  covers_seq    bigint,
  created_at    timestamptz NOT NULL DEFAULT date_trunc('milliseconds', clock_timestamp()),
  completed_at  timestamptz
);
CREATE INDEX settlements_covering ON settlements (asset_id, covers_seq) WHERE covers_seq IS NOT NULL;
CREATE INDEX settlements_open ON settlements (asset_id) WHERE completed_at IS NULL;

-- An EIP-3009 authorization: what may happen on chain at most once, because the token keeps its nonce. Of a send,
-- the id is the payment's; of a settlement, one of its own. Who, to whom, how much and the nonce never change.
CREATE TABLE authorizations (
  authorization_id uuid PRIMARY KEY,
  asset_id         smallint NOT NULL REFERENCES assets,
  wallet_id        uuid NOT NULL REFERENCES wallets,
  purpose          text NOT NULL CHECK (purpose IN ('send', 'settlement')),
  settlement_id    uuid REFERENCES settlements,
  -- Of a settlement: the wallet it goes to, and the send that waits for it, if it was made just in time for one.
  to_wallet        uuid REFERENCES wallets,
  funds            uuid REFERENCES authorizations,
  nonce            bytea NOT NULL UNIQUE CHECK (octet_length(nonce) = 32),
  from_address     text NOT NULL,
  to_address       text NOT NULL,
  value            bigint NOT NULL CHECK (value > 0),
  -- What of `value` is reserved in its own wallet; the rest of a just-in-time send is reserved in the wallets that
  -- fund it, and moves over when they have.
  reserved         bigint NOT NULL CHECK (reserved BETWEEN 0 AND value),
  -- The greatest ever committed, in seconds of chain time; 0 while nothing was signed.
  valid_before     bigint NOT NULL DEFAULT 0,
  state            text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'used', 'dead')),
  -- Carried and not executed: how often, why, and when to try again.
  failures         integer NOT NULL DEFAULT 0,
  failure_reason   text,
  carry_after      timestamptz NOT NULL DEFAULT now(),
  tx_hash          text,
  block_number     bigint,
  created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK ((purpose = 'settlement') = (settlement_id IS NOT NULL AND to_wallet IS NOT NULL)),
  CHECK (funds IS NULL OR purpose = 'settlement'),
  CHECK (state = 'open' OR reserved = 0)
) WITH (fillfactor = 60);
CREATE INDEX authorizations_open ON authorizations (asset_id, carry_after) WHERE state = 'open';
CREATE INDEX authorizations_open_of_wallet ON authorizations (wallet_id) WHERE state = 'open';
CREATE INDEX authorizations_of_settlement ON authorizations (settlement_id) WHERE settlement_id IS NOT NULL;
CREATE INDEX authorizations_funding ON authorizations (funds) WHERE funds IS NOT NULL;

-- Every signature that was ever made, committed before anyone saw it.
CREATE TABLE signatures (
  authorization_id uuid NOT NULL REFERENCES authorizations,
  valid_before     bigint NOT NULL CHECK (valid_before > 0),
  signature        bytea NOT NULL CHECK (octet_length(signature) = 65),
  signed_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (authorization_id, valid_before)
);
CREATE TRIGGER signatures_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON signatures
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- After the end of its hold a payment can get no authorization, and an authorization no signature, whatever the code
-- looks like: both lock what the release locks.
CREATE FUNCTION guard_authorization() RETURNS trigger LANGUAGE plpgsql AS $$
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
  ELSIF NEW.purpose = 'send' THEN
    PERFORM FROM payments WHERE payment_id = NEW.authorization_id FOR NO KEY UPDATE;
    IF NOT FOUND OR EXISTS (SELECT FROM transfers WHERE hold_id = NEW.authorization_id) THEN
      RAISE EXCEPTION 'payment % has no open hold', NEW.authorization_id USING ERRCODE = 'restrict_violation';
    END IF;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER authorizations_guard BEFORE INSERT OR UPDATE ON authorizations
  FOR EACH ROW EXECUTE FUNCTION guard_authorization();
CREATE TRIGGER authorizations_stay BEFORE DELETE OR TRUNCATE ON authorizations
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE FUNCTION guard_signature() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE authorizations SET valid_before = NEW.valid_before
   WHERE authorization_id = NEW.authorization_id AND state = 'open' AND valid_before < NEW.valid_before;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'authorization % is ended, or was signed for longer', NEW.authorization_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'signatures_only_while_open';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER signatures_guard BEFORE INSERT ON signatures FOR EACH ROW EXECUTE FUNCTION guard_signature();

CREATE FUNCTION move_reservation() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  change bigint := NEW.reserved;
BEGIN
  IF TG_OP = 'UPDATE' THEN change := NEW.reserved - OLD.reserved; END IF;
  IF change = 0 THEN RETURN NULL; END IF;
  UPDATE holdings SET reserved = reserved + change WHERE asset_id = NEW.asset_id AND wallet_id = NEW.wallet_id;
  IF NOT FOUND THEN RAISE EXCEPTION 'wallet % holds nothing', NEW.wallet_id USING ERRCODE = 'check_violation'; END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER authorizations_reserve AFTER INSERT OR UPDATE OF reserved ON authorizations
  FOR EACH ROW EXECUTE FUNCTION move_reservation();

-- Keys that pay the gas. Why one is stopped is for a person to read.
CREATE TABLE relayers (
  relayer_id  integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  asset_id    smallint NOT NULL REFERENCES assets,
  reference   text NOT NULL,
  address     text NOT NULL,
  first_nonce bigint NOT NULL CHECK (first_nonce >= 0),
  stopped     text,
  gas_wei     numeric(40),
  UNIQUE (asset_id, address)
);

-- A slot of a relayer's nonces, and what goes through it. Slots have no gaps: each points to the one before it, and
-- only one has none.
CREATE TABLE carriers (
  carrier_id     uuid PRIMARY KEY,
  relayer_id     integer NOT NULL REFERENCES relayers,
  nonce          bigint NOT NULL,
  previous_nonce bigint CHECK (previous_nonce = nonce - 1),
  target         text NOT NULL,
  data           bytea NOT NULL,
  gas_limit      bigint NOT NULL,
  -- `foreign`: the slot was used by something we did not send.
  state          text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'final', 'foreign')),
  created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Where it is final.
  block_number   bigint,
  -- Since when the chain has said that the slot is used while none of our attempts could be found.
  missing_since  timestamptz,
  UNIQUE (relayer_id, nonce),
  FOREIGN KEY (relayer_id, previous_nonce) REFERENCES carriers (relayer_id, nonce)
);
CREATE UNIQUE INDEX carriers_one_first ON carriers (relayer_id) WHERE previous_nonce IS NULL;
CREATE INDEX carriers_pending ON carriers (relayer_id, nonce) WHERE state = 'pending';

-- Bytes are here before they are anywhere else; only these are ever broadcast.
CREATE TABLE carrier_attempts (
  hash             text PRIMARY KEY,
  carrier_id       uuid NOT NULL REFERENCES carriers,
  raw              bytea NOT NULL,
  max_fee_wei      numeric(40) NOT NULL,
  priority_fee_wei numeric(40) NOT NULL,
  created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  broadcast_at     timestamptz,
  answer           text
);
CREATE INDEX carrier_attempts_of ON carrier_attempts (carrier_id, created_at);

CREATE TABLE carrier_legs (
  carrier_id       uuid NOT NULL REFERENCES carriers,
  position         integer NOT NULL,
  authorization_id uuid NOT NULL REFERENCES authorizations,
  PRIMARY KEY (carrier_id, position)
);
CREATE INDEX carrier_legs_of ON carrier_legs (authorization_id);

-- Up to where a chain's final blocks have been read. Moves in the same commit as everything they caused.
CREATE TABLE chain_cursors (
  asset_id      smallint PRIMARY KEY REFERENCES assets,
  block_number  bigint NOT NULL,
  block_hash    text NOT NULL,
  block_seconds bigint NOT NULL,
  head_number   bigint NOT NULL,
  -- After a reorg below finality: what was read up to here before, and is being read again.
  recheck_to    bigint,
  moved_at      timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Where the cursor has been, to find the way back after a reorg below finality.
CREATE TABLE chain_blocks (
  asset_id     smallint NOT NULL REFERENCES assets,
  block_number bigint NOT NULL,
  block_hash   text NOT NULL,
  PRIMARY KEY (asset_id, block_number)
);

-- Coins that came from outside, credited once. `ordinal` counts within one chain transaction and wallet: the log
-- index moves in a reorg, this does not.
CREATE TABLE deposits (
  asset_id     smallint NOT NULL REFERENCES assets,
  tx_hash      text NOT NULL,
  wallet_id    uuid NOT NULL REFERENCES wallets,
  ordinal      integer NOT NULL,
  from_address text NOT NULL,
  amount       bigint NOT NULL CHECK (amount > 0),
  block_number bigint NOT NULL,
  block_hash   text NOT NULL,
  transfer_id  uuid NOT NULL UNIQUE,
  credited_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- `gone`: its block was replaced, and it has not been seen again. `lost`: it never will be; the house bears it.
  state        text NOT NULL DEFAULT 'credited' CHECK (state IN ('credited', 'gone', 'lost')),
  PRIMARY KEY (asset_id, tx_hash, wallet_id, ordinal)
);

-- Seen in blocks that are not final yet; replaced at every look.
CREATE TABLE pending_deposits (
  asset_id     smallint NOT NULL REFERENCES assets,
  block_hash   text NOT NULL,
  log_index    integer NOT NULL,
  wallet_id    uuid NOT NULL REFERENCES wallets,
  tx_hash      text NOT NULL,
  from_address text NOT NULL,
  amount       bigint NOT NULL,
  block_number bigint NOT NULL,
  PRIMARY KEY (asset_id, block_hash, log_index)
);
CREATE INDEX pending_deposits_of ON pending_deposits (wallet_id, asset_id);

-- Coins of ours that moved on chain without our knowing: after a restored backup, or under a stolen key. Sends wait
-- until a person has imported them.
CREATE TABLE strange_moves (
  asset_id     smallint NOT NULL REFERENCES assets,
  tx_hash      text NOT NULL,
  log_index    integer NOT NULL,
  wallet_id    uuid NOT NULL REFERENCES wallets,
  nonce        bytea,
  to_address   text NOT NULL,
  amount       bigint NOT NULL,
  block_number bigint NOT NULL,
  -- The payment or movement that accounts for it now.
  imported_as  uuid,
  PRIMARY KEY (asset_id, tx_hash, log_index)
);
CREATE UNIQUE INDEX strange_moves_by_nonce ON strange_moves (nonce) WHERE nonce IS NOT NULL;

-- Why nothing is sent on a blockchain at the moment; every cause is lifted on its own.
CREATE TABLE send_pauses (
  asset_id  smallint NOT NULL REFERENCES assets,
  cause     text NOT NULL CHECK (cause IN ('drift', 'strange', 'reorg', 'gas', 'operator')),
  reason    text NOT NULL,
  paused_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (asset_id, cause)
);

-- Differences that reconciliation saw, and for how many looks in a row.
CREATE TABLE drifts (
  asset_id   smallint NOT NULL REFERENCES assets,
  subject    text NOT NULL,
  difference numeric NOT NULL,
  looks      integer NOT NULL,
  since      timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (asset_id, subject)
);

-- Which wallet a payment to an address is sent from, and how its sender is shown.
ALTER TABLE payments
  ADD COLUMN wallet_id uuid REFERENCES wallets,
  ADD COLUMN sender_shown text NOT NULL DEFAULT 'username' CHECK (sender_shown IN ('username', 'wallet'));

-- Per wallet: what the ledger owes its owner, where the coins are, and the settlements under way. The treasury's
-- wallet answers for the accounts of the house.
CREATE FUNCTION wallet_positions(p_asset smallint)
  RETURNS TABLE (wallet_id uuid, ledger bigint, coins bigint, reserved bigint, incoming bigint, outgoing bigint)
  LANGUAGE sql STABLE AS $$
  WITH parts AS (
    SELECT w.wallet_id, a.available + a.held AS ledger, 0::bigint AS coins, 0::bigint AS reserved,
           0::bigint AS incoming, 0::bigint AS outgoing
      FROM accounts a JOIN wallets w ON w.user_id = a.user_id WHERE a.asset_id = p_asset
    UNION ALL
    SELECT w.wallet_id, a.available + a.held, 0, 0, 0, 0
      FROM accounts a JOIN wallets w ON w.kind = 'treasury'
     WHERE a.asset_id = p_asset AND a.kind IN ('treasury', 'fees', 'loss')
    UNION ALL
    SELECT h.wallet_id, 0, h.coins, h.reserved, 0, 0 FROM holdings h WHERE h.asset_id = p_asset
    UNION ALL
    SELECT o.wallet_id, 0, 0, 0, 0, o.value FROM authorizations o
     WHERE o.asset_id = p_asset AND o.state = 'open' AND o.purpose = 'settlement'
    UNION ALL
    SELECT o.to_wallet, 0, 0, 0, o.value, 0 FROM authorizations o
     WHERE o.asset_id = p_asset AND o.state = 'open' AND o.purpose = 'settlement'
  )
  SELECT p.wallet_id, sum(p.ledger)::bigint, sum(p.coins)::bigint, sum(p.reserved)::bigint,
         sum(p.incoming)::bigint, sum(p.outgoing)::bigint
    FROM parts p GROUP BY p.wallet_id
$$;

-- Accepts a payment to an address: hold, row and job in one round trip, so that the one account that all of them share
-- is locked for as short as can be. Answers what `ledger_move` answers, or `paused`.
CREATE FUNCTION accept_send(
  p_id uuid, p_asset smallint, p_wallet uuid, p_shown text, p_destination text, p_amount bigint, p_job text,
  OUT outcome text, OUT details jsonb
) LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  owner  uuid;
  debit  bigint;
  credit bigint;
  why    text;
BEGIN
  SELECT reason INTO why FROM pauses WHERE scope = 'chain'
   UNION ALL SELECT reason FROM send_pauses WHERE asset_id = p_asset LIMIT 1;
  IF why IS NOT NULL THEN
    outcome := 'paused'; details := jsonb_build_object('reason', why);
    RETURN;
  END IF;
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
  INSERT INTO payments (payment_id, state, destination, wallet_id, sender_shown)
  VALUES (p_id, 'INITIATED', p_destination, p_wallet, p_shown);
  INSERT INTO jobs (kind, key) VALUES (p_job, p_id::text);
END $$;

-- Promises the coins of many sends whose own wallets have them, in one round trip; answers which. The others need a
-- closer look. Locks payments, then wallets, each by id.
CREATE FUNCTION reserve_sends(p_asset smallint, p_ids uuid[], p_nonces bytea[]) RETURNS uuid[]
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
     WHERE state_rank(p.state) < 2 AND t.asset_id = p_asset
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
CREATE INDEX payments_unpromised ON payments (payment_id) WHERE state IN ('INITIATED', 'CLEARED');

-- A deposit that was credited and then vanished in a reorg below finality is the house's loss: that account may go
-- below zero, as only the `chain` account could.
ALTER TABLE accounts DROP CONSTRAINT accounts_never_overdrawn;
ALTER TABLE accounts ADD CONSTRAINT accounts_never_overdrawn CHECK (available >= 0 OR kind IN ('chain', 'loss'));
-- And a hold or its release changes nothing in the account it is for, so it does not lock it: all sends have the
-- `chain` account in common, and would wait for each other's commits.
DO $$
DECLARE
  body text := pg_get_functiondef('ledger_move'::regproc);
BEGIN
  body := replace(body, 'd.kind <> ''chain''', 'd.kind NOT IN (''chain'', ''loss'')');
  body := replace(body, 'account_id IN (p_debit, p_credit)', 'account_id = p_debit OR (credits AND account_id = p_credit)');
  IF body NOT LIKE '%NOT IN (''chain'', ''loss'')%' OR body NOT LIKE '%credits AND account_id = p_credit%' THEN
    RAISE EXCEPTION 'ledger_move is not the function that this migration knows';
  END IF;
  EXECUTE body;
END $$;
