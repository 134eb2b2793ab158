-- Passkeys, and the amount above which each payment of a person needs one. Docs: docs/decisions/0057-passkeys.md.

-- Payments of more than this need a passkey; NULL: none does. `set_passkey_rule` writes it, here and to the person's
-- accounts, where payments read it.
ALTER TABLE users ADD COLUMN passkey_above bigint CONSTRAINT users_passkey_above CHECK (passkey_above >= 0);
ALTER TABLE accounts ADD COLUMN passkey_above bigint,
  ADD CONSTRAINT accounts_passkey_above CHECK (passkey_above IS NULL OR passkey_above >= 0 AND user_id IS NOT NULL);

-- The form of the public key is fixed, because PostgreSQL verifies signatures itself (`verify_passkey`): COSE, as
-- authenticators write ECDSA with P-256, or RSA with 2048 bits and the exponent 65537.
CREATE TABLE passkeys (
  passkey_id   uuid PRIMARY KEY,
  user_id      uuid NOT NULL REFERENCES users,
  credential   bytea NOT NULL CONSTRAINT passkeys_once UNIQUE CHECK (length(credential) BETWEEN 1 AND 1023),
  public_key   bytea NOT NULL CONSTRAINT passkeys_form_of_key CHECK (
    CASE length(public_key)
      WHEN 77 THEN substr(public_key, 1, 10) = '\xa5010203262001215820' AND substr(public_key, 43, 3) = '\x225820'
      WHEN 272 THEN substr(public_key, 1, 11) = '\xa401030339010020590100'
        AND substr(public_key, 268, 5) = '\x2143010001'
      ELSE false END),
  name         text NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
  rp_hash      bytea NOT NULL CHECK (length(rp_hash) = 32),
  transports   text[] NOT NULL,
  counter      bigint NOT NULL CHECK (counter >= 0),
  backed_up    boolean NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz
);
CREATE INDEX passkeys_of_user ON passkeys (user_id, created_at);

-- What a person was asked to prove, and whether they did. A row allows its deed once, until it expires.
CREATE TABLE passkey_challenges (
  challenge_id uuid PRIMARY KEY,
  challenge    bytea NOT NULL CONSTRAINT passkey_challenges_once UNIQUE CHECK (length(challenge) = 32),
  user_id      uuid NOT NULL REFERENCES users,
  session_id   uuid NOT NULL REFERENCES sessions ON DELETE CASCADE,
  deed         jsonb NOT NULL CHECK (jsonb_typeof(deed) = 'object'),
  created_at   timestamptz NOT NULL,
  expires_at   timestamptz NOT NULL,
  proved_at    timestamptz,
  used_at      timestamptz CHECK (used_at IS NULL OR proved_at IS NOT NULL OR deed->>'do' = 'register')
);
CREATE INDEX passkey_challenges_of_user ON passkey_challenges (user_id, created_at);
CREATE INDEX passkey_challenges_of_session ON passkey_challenges (session_id);

-- An operator removes the passkeys of a person who has lost them: two operators, and a time in which the person can object.
CREATE TABLE passkey_removals (
  user_id  uuid PRIMARY KEY REFERENCES users,
  begun_by text NOT NULL,
  reason   text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
  begun_at timestamptz NOT NULL,
  due_at   timestamptz NOT NULL CHECK (due_at > begun_at)
);

-- Events about passkeys are in the same table as those about keys. Their subject is the person.
ALTER TABLE key_events ALTER COLUMN key_id DROP NOT NULL,
  DROP CONSTRAINT key_events_state_check,
  ADD CONSTRAINT key_events_state_check CHECK (CASE WHEN key_id IS NOT NULL THEN state IN ('created', 'revoked')
    ELSE state IN ('passkey.added', 'passkey.removed', 'passkey.rule_changed', 'passkey.removal_begun', 'passkey.removal_ended')
  END);
CREATE INDEX key_events_of_subject ON key_events ((coalesce(key_id, user_id)));

-- To whom a hold's coins go, as the deed of a passkey names it.
ALTER TYPE new_hold ADD ATTRIBUTE party text;

-- As before, with the events of passkeys.
CREATE OR REPLACE VIEW feed AS
  SELECT f.seq, f.source, f.type, f.subject_id, f.at, f.people FROM (
    SELECT t.seq, 'transfers' AS source,
           CASE t.kind WHEN 'deposit' THEN 'deposit.complete'
             -- A correction or a debt: every change of a balance is an event. The booking of a debt names its payment
             -- (see `ledger_cover_debt`).
             WHEN 'internal' THEN CASE WHEN t.from_name IS NULL THEN 'correction.complete' ELSE 'debt.complete' END
             ELSE coalesce((SELECT 'refund.complete' FROM refunds r WHERE r.refund_id = t.transfer_id), 'payment.complete')
           END AS type,
           t.transfer_id AS subject_id, t.created_at AS at,
           (SELECT array_remove(ARRAY[d.user_id, c.user_id], NULL) FROM accounts d, accounts c
             WHERE d.account_id = t.debit_account AND c.account_id = t.credit_account) AS people,
           -- With this condition in a WHERE here, PostgreSQL would not merge the tables in the order of their indexes: for
           -- each page it would sort everything that is newer.
           t.kind IN ('user', 'deposit') OR (t.kind = 'internal' AND EXISTS (
             SELECT FROM accounts a WHERE a.account_id IN (t.debit_account, t.credit_account) AND a.user_id IS NOT NULL))
             AS is_event
      FROM transfers t
    UNION ALL
    SELECT p.seq, 'payment_events', 'payment.' || lower(p.state), p.payment_id, p.at,
           (SELECT array_remove(ARRAY[a.user_id], NULL) FROM transfers t JOIN accounts a ON a.account_id = t.debit_account
             WHERE t.transfer_id = p.payment_id AND t.kind = 'hold'), true
      FROM payment_events p
    UNION ALL
    SELECT m.seq, 'money_request_events', 'request.' || m.state, m.request_id, m.at,
           (SELECT array_remove(ARRAY[r.asker_id, r.payer_id], NULL) FROM money_requests r
             WHERE r.request_id = m.request_id), true
      FROM money_request_events m
    UNION ALL
    SELECT k.seq, 'kyc_events', 'kyc.' || k.status, k.user_id, k.at, ARRAY[k.user_id], true FROM kyc_events k
    UNION ALL
    SELECT o.seq, 'payout_events', 'payout.' || o.state, o.payout_id, o.at,
           (SELECT array_remove(ARRAY[s.user_id], NULL) FROM payouts p JOIN service_keys s USING (key_id)
             WHERE p.payout_id = o.payout_id), true
      FROM payout_events o
    UNION ALL
    SELECT e.seq, 'key_events', CASE WHEN e.key_id IS NULL THEN e.state ELSE 'key.' || e.state END,
           coalesce(e.key_id, e.user_id), e.at, ARRAY[e.user_id], true
      FROM key_events e) f
   WHERE f.is_event;
